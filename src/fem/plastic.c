// SPDX-License-Identifier: Apache-2.0
#include "fem/plastic.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum { GRAIN = 512 };

typedef struct plastic_job {
    const pli_plastic *plastic;
    pli_elastic *elastic;
    const double *x;
    double *A1;
    double *history;
} plastic_job;

static const pli_material *material_at(const plastic_job *job, int64_t tet)
{
    const pli_plastic *plastic = job->plastic;
    return &plastic->materials[plastic->material_of[job->elastic->origin[tet]]];
}

// A of a tetrahedron.
static void get_shape(const plastic_job *job, int64_t tet, double A[9])
{
    const double *from = job->A1 + 9 * (int64_t)job->elastic->origin[tet];
    for (int k = 0; k < 9; ++k) A[k] = from[k] + (k % 4 == 0);
}

// Parameters of the law, which the history moves where the law has yielding in it.
static void set_params(const plastic_job *job, int64_t tet, const pli_material *material,
                       double history)
{
    const pli_elastic_group *group = job->elastic->groups;
    double params[PLI_MATERIAL_PARAMS];
    while (tet >= group->end) ++group;
    pli_material_step_params(material, true, history, params);
    for (int32_t k = 0; k < group->law->param_count; ++k) {
        group->params[k * (int64_t)(group->end - group->begin) + tet - group->begin] = params[k];
    }
}

// g_a <- A^T g_a from the gradients at rest, and the volume that multiplies the energy.
static void apply_shape(const plastic_job *job, int64_t tet, const pli_material *material)
{
    pli_elastic *e = job->elastic;
    int64_t count = e->tet_count;
    double A[9], history = job->history[e->origin[tet]] + pli_material_rest_history(material);
    get_shape(job, tet, A);
    for (int a = 0; a < 3; ++a) {
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += e->rest_gradients[(3 * a + k) * count + tet] * A[3 * k + j];
            }
            e->gradients[(3 * a + j) * count + tet] = sum;
        }
    }
    e->volume[tet] = e->rest_volume[tet] * pli_material_stiffness(material, history);
    if (job->plastic->inside) set_params(job, tet, material, history);
}

static void apply_range(void *user, int64_t begin, int64_t end)
{
    const plastic_job *job = user;
    for (int64_t tet = begin; tet < end; ++tet) {
        const pli_material *material = material_at(job, tet);
        if (material->yield != NULL) apply_shape(job, tet, material);
    }
}

void pli_plastic_apply(const pli_plastic *plastic, const double *A1, const double *history,
                       pli_elastic *elastic)
{
    plastic_job job = {.plastic = plastic,
                       .elastic = elastic,
                       .A1 = (double *)(uintptr_t)A1,
                       .history = (double *)(uintptr_t)history};
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, apply_range, &job);
}

// Fe = sum_a (x_a - x_0) g_a^T
static void find_elastic_deformation(const plastic_job *job, int64_t tet, double Fe[9])
{
    const pli_elastic *e = job->elastic;
    const int32_t *corners = e->tets + 4 * tet;
    const double *first = job->x + 3 * (int64_t)corners[0];
    memset(Fe, 0, 9 * sizeof *Fe);
    for (int a = 0; a < 3; ++a) {
        const double *at = job->x + 3 * (int64_t)corners[a + 1];
        for (int k = 0; k < 9; ++k) {
            Fe[k] +=
                (at[k / 3] - first[k / 3]) * e->gradients[(3 * a + k % 3) * e->tet_count + tet];
        }
    }
}

// A <- A Fe^-1 Fe' with the returned Fe'.
static void return_range(void *user, int64_t begin, int64_t end)
{
    const plastic_job *job = user;
    for (int64_t tet = begin; tet < end; ++tet) {
        const pli_material *material = material_at(job, tet);
        if (material->yield == NULL) continue;
        int64_t row = job->elastic->origin[tet];
        double rest = pli_material_rest_history(material), history = job->history[row] + rest;
        double Fe[9], inverse[9], A[9], back[9], moved[9];
        find_elastic_deformation(job, tet, Fe);
        double J = pli_mat3_inverse(Fe, inverse);
        // what is flat has no way back
        bool inside = job->plastic->inside;
        if (!(J > 0) || !pli_material_step_return(material, inside, Fe, &history)) continue;
        get_shape(job, tet, A);
        pli_mat3_multiply(A, inverse, back);
        pli_mat3_multiply(back, Fe, moved);
        for (int k = 0; k < 9; ++k) job->A1[9 * row + k] = moved[k] - (k % 4 == 0);
        job->history[row] = history - rest;
        apply_shape(job, tet, material);
    }
}

void pli_plastic_return(const pli_plastic *plastic, const double *x, double *A1, double *history,
                        pli_elastic *elastic)
{
    plastic_job job = {
        .plastic = plastic, .elastic = elastic, .x = x, .A1 = A1, .history = history};
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, return_range, &job);
}

// SPDX-License-Identifier: Apache-2.0
#include "fem/plastic.h"

#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>

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

// One material point of an element.
typedef struct spot {
    int64_t tet; // in processing order
    int32_t point;
    int64_t row; // of the arrays of history
} spot;

static spot spot_of(const plastic_job *job, int64_t tet, int32_t point)
{
    int64_t origin = job->elastic->origin[tet];
    const int32_t *first = job->plastic->first_point;
    return (spot){tet, point, first != NULL ? first[origin] + point : origin};
}

// A of a material point.
static void get_shape(const plastic_job *job, const spot *at, double A[9])
{
    for (int k = 0; k < 9; ++k) A[k] = job->A1[9 * at->row + k] + (k % 4 == 0);
}

// Parameters of the law, which the history moves where the law has yielding in it.
static void set_params(const plastic_job *job, const spot *at, const pli_material *material,
                       double history)
{
    const pli_elastic_group *group = job->elastic->groups;
    double params[PLI_MATERIAL_PARAMS];
    while (at->tet >= group->end) ++group;
    pli_material_step_params(material, true, history, params);
    for (int32_t k = 0; k < group->law->param_count; ++k) {
        int64_t row = (int64_t)k * job->elastic->points + at->point;
        group->params[row * (group->end - group->begin) + at->tet - group->begin] = params[k];
    }
}

// g_a <- A^T g_a from the gradients at rest, and the volume that multiplies the energy.
static void apply_shape(const plastic_job *job, const spot *at, const pli_material *material)
{
    pli_elastic *e = job->elastic;
    int64_t count = e->tet_count, volume = at->point * count + at->tet;
    double A[9], history = job->history[at->row] + pli_material_rest_history(material);
    get_shape(job, at, A);
    for (int a = 0; a < e->nodes - 1; ++a) {
        int64_t plane = 3 * ((int64_t)at->point * (e->nodes - 1) + a);
        for (int j = 0; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += e->rest_gradients[(plane + k) * count + at->tet] * A[3 * k + j];
            }
            e->gradients[(plane + j) * count + at->tet] = sum;
        }
    }
    e->volume[volume] = e->rest_volume[volume] * pli_material_stiffness(material, history);
    if (job->plastic->inside) set_params(job, at, material, history);
}

static void apply_range(void *user, int64_t begin, int64_t end)
{
    const plastic_job *job = user;
    int32_t points = job->elastic->points;
    for (int64_t k = begin * points; k < end * points; ++k) {
        spot at = spot_of(job, k / points, (int32_t)(k % points));
        const pli_material *material = material_at(job, at.tet);
        if (material->yield != NULL) apply_shape(job, &at, material);
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

// What the law of a locking-free element sees Fe multiplied by.
static double ratio_of(const pli_elastic *e, int64_t tet)
{
    if (e->patches == NULL) return 1;
    double mean = e->patches->mean[e->patches->of_tet[tet]], J = e->patches->J[tet];
    return mean > 0 && J > 0 ? pow(mean / J, e->patches->exponent) : 1;
}

// A <- A Fe^-1 Fe' with the returned Fe'.
static void return_point(const plastic_job *job, const spot *at, const pli_material *material)
{
    double rest = pli_material_rest_history(material), history = job->history[at->row] + rest;
    double Fe[9], inverse[9], A[9], back[9], moved[9];
    pli_elastic_deformation(job->elastic, job->x, at->tet, at->point, Fe);
    double J = pli_mat3_inverse(Fe, inverse), ratio = ratio_of(job->elastic, at->tet);
    for (int k = 0; k < 9; ++k) Fe[k] *= ratio;
    // what is flat has no way back
    bool inside = job->plastic->inside;
    if (!(J > 0) || !pli_material_step_return(material, inside, Fe, &history)) return;
    get_shape(job, at, A);
    pli_mat3_multiply(A, inverse, back);
    pli_mat3_multiply(back, Fe, moved);
    for (int k = 0; k < 9; ++k) job->A1[9 * at->row + k] = moved[k] / ratio - (k % 4 == 0);
    job->history[at->row] = history - rest;
    apply_shape(job, at, material);
}

static void return_range(void *user, int64_t begin, int64_t end)
{
    const plastic_job *job = user;
    int32_t points = job->elastic->points;
    for (int64_t k = begin * points; k < end * points; ++k) {
        spot at = spot_of(job, k / points, (int32_t)(k % points));
        const pli_material *material = material_at(job, at.tet);
        if (material->yield != NULL) return_point(job, &at, material);
    }
}

void pli_plastic_return(const pli_plastic *plastic, const double *x, double *A1, double *history,
                        pli_elastic *elastic)
{
    plastic_job job = {
        .plastic = plastic, .elastic = elastic, .x = x, .A1 = A1, .history = history};
    if (elastic->patches != NULL) pli_elastic_update_patches(elastic, x);
    pli_parallel_for(elastic->elements.context, elastic->tet_count, GRAIN, return_range, &job);
}

// SPDX-License-Identifier: Apache-2.0
#include "fem/pressure.h"

#include "base/memory.h"
#include "fem/follower.h"

#include <string.h>

enum { TRIANGLE_GRAIN = 1024 };

// ---- loops over triangles

static void load_corners(const pli_pressure *p, const double *x, int64_t triangle, double to[9])
{
    for (int k = 0; k < 3; ++k) {
        pli_vec3_copy(x + 3 * (int64_t)p->triangles[3 * triangle + k], to + 3 * k);
    }
}

static double value_of(const pli_pressure *p, int64_t triangle)
{
    return p->value[p->patch_of[triangle]] * p->share[triangle];
}

// int_0^1 A(x_k + s d) ds . (d_a + d_b + d_c) / 3 of a triangle
static double swept_by(const pli_pressure *p, const double *x, int64_t triangle)
{
    const double *from = p->reference + 9 * triangle;
    double to[9], middle[9], A[3][3], moved[3] = {0, 0, 0};
    load_corners(p, x, triangle, to);
    for (int k = 0; k < 9; ++k) {
        middle[k] = 0.5 * (from[k] + to[k]);
        moved[k % 3] += (to[k] - from[k]) / 3;
    }
    pli_follower_area(from, from + 3, from + 6, A[0]);
    pli_follower_area(middle, middle + 3, middle + 6, A[1]);
    pli_follower_area(to, to + 3, to + 6, A[2]);
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += (A[0][i] + 4 * A[1][i] + A[2][i]) / 6 * moved[i];
    return sum;
}

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_pressure *p = job->self;
    pli_sum sum = {0, 0};
    for (int64_t t = begin; t < end; ++t) {
        pli_sum_add(&sum, value_of(p, t) * swept_by(p, job->x, t));
    }
    return sum;
}

static void subtract_forces(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_pressure *p = job->self;
    for (int64_t t = begin; t < end; ++t) {
        double value = value_of(p, t);
        double at[9], A[3];
        if (value == 0) continue;
        load_corners(p, job->x, t, at);
        pli_follower_area(at, at + 3, at + 6, A);
        for (int k = 0; k < 3; ++k) {
            double *g = job->g + 3 * (int64_t)p->triangles[3 * t + k];
            pli_vec3_add_scaled(g, value / 3, A, g);
        }
    }
}

static void add_tangents(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_pressure *p = job->self;
    for (int64_t t = begin; t < end; ++t) {
        double value = value_of(p, t);
        double at[9];
        if (value == 0) continue;
        load_corners(p, job->x, t, at);
        pli_follower_add_tangent(job, t, value, at, at + 3, at + 6);
    }
}

static const pli_element_ops pressure_ops = {.grain = TRIANGLE_GRAIN,
                                             .sum_energy = sum_energy,
                                             .add_gradient = subtract_forces,
                                             .add_hessian = add_tangents};

// ---- the volume that a patch sweeps

typedef struct swept_job {
    const pli_pressure *pressure;
    const double *x;
    int64_t first; // triangle of the patch
} swept_job;

static pli_sum sum_swept(void *user, int64_t begin, int64_t end)
{
    const swept_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t t = begin; t < end; ++t) {
        int64_t triangle = job->first + t;
        double swept = swept_by(job->pressure, job->x, triangle);
        pli_sum_add(&sum, job->pressure->share[triangle] * swept);
    }
    return sum;
}

double pli_pressure_swept_volume(const pli_pressure *p, int32_t patch, const double *x)
{
    swept_job job = {.pressure = p, .x = x, .first = p->first[patch]};
    return pli_sum_value(pli_parallel_sum(p->elements.context,
                                          p->first[patch + 1] - p->first[patch], TRIANGLE_GRAIN,
                                          sum_swept, &job));
}

// ---- life

static pli_status allocate(pli_pressure *p, int64_t triangle_count)
{
    pli_context *context = p->elements.context;
    p->first = PLI_NEW(context, int32_t, p->patch_count + 1, "pressure");
    p->open = PLI_NEW(context, bool, p->patch_count, "pressure");
    p->value = PLI_NEW(context, double, p->patch_count, "pressure");
    p->triangles = PLI_NEW(context, int32_t, 3 * triangle_count, "pressure");
    p->patch_of = PLI_NEW(context, int32_t, triangle_count, "pressure");
    p->share = PLI_NEW(context, double, triangle_count, "pressure");
    p->reference = PLI_NEW(context, double, 9 * triangle_count, "pressure");
    bool complete = p->first != NULL && p->open != NULL && p->value != NULL &&
                    p->triangles != NULL && p->patch_of != NULL && p->share != NULL &&
                    p->reference != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void copy_patches(pli_pressure *p, const pli_pressure_patch *patches)
{
    int32_t at = 0;
    for (int32_t k = 0; k < p->patch_count; ++k) {
        const pli_pressure_patch *patch = &patches[k];
        p->first[k] = at;
        p->open[k] = !patch->closed;
        memcpy(p->triangles + 3 * (int64_t)at, patch->triangles,
               3 * (size_t)patch->triangle_count * sizeof *patch->triangles);
        for (int32_t t = 0; t < patch->triangle_count; ++t) {
            p->share[at] = patch->shares != NULL ? patch->shares[t] : 1;
            p->patch_of[at++] = k;
        }
    }
    p->first[p->patch_count] = at;
}

pli_status pli_pressure_create(pli_context *context, int32_t vertex_count, int32_t patch_count,
                               const pli_pressure_patch *patches, pli_pressure **pressure)
{
    *pressure = NULL;
    pli_pressure *made = PLI_NEW(context, pli_pressure, 1, "pressure");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &pressure_ops, .vertex_count = vertex_count};
    made->patch_count = patch_count;
    int64_t count = 0;
    for (int32_t k = 0; k < patch_count; ++k) count += patches[k].triangle_count;
    pli_status status = allocate(made, count);
    if (status == PLI_OK) {
        copy_patches(made, patches);
        status = pli_elements_color(&made->elements, 3, count, made->triangles);
    }
    if (status != PLI_OK) {
        pli_pressure_destroy(made);
        return status;
    }
    *pressure = made;
    return PLI_OK;
}

void pli_pressure_destroy(pli_pressure *p)
{
    if (p == NULL) return;
    pli_context *context = p->elements.context;
    pli_elements_clear(&p->elements);
    PLI_RELEASE(context, p->reference, p->share, p->patch_of, p->triangles, p->value, p->open,
                p->first, p);
}

// ---- the reference

static void refer_range(pli_pressure *p, const double *x, int64_t begin, int64_t end)
{
    for (int64_t t = begin; t < end; ++t) load_corners(p, x, t, p->reference + 9 * t);
}

void pli_pressure_refer(pli_pressure *p, const double *x)
{
    refer_range(p, x, 0, p->first[p->patch_count]);
}

static pli_status pressure_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    pli_pressure *p = self;
    (void)H;
    for (int32_t k = 0; k < p->patch_count; ++k) {
        if (!p->open[k] || p->value[k] == 0) continue;
        refer_range(p, x, p->first[k], p->first[k + 1]);
        *changed = true;
    }
    return PLI_OK;
}

static void pressure_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    if (!projected) pli_elements_add_hessian(self, x, projected, H); // see pressure.h
}

const pli_term_ops pli_pressure_term = {
    .name = "pressure",
    .energy = pli_elements_energy,
    .add_gradient = pli_elements_add_gradient,
    .add_hessian = pressure_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .prepare = pressure_prepare,
    .pushes = true,
};

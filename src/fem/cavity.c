// SPDX-License-Identifier: Apache-2.0
#include "fem/cavity.h"

#include "base/memory.h"
#include "fem/follower.h"

#include <math.h>
#include <string.h>

enum { TRIANGLE_GRAIN = 1024 };

// ---- what is in a cavity

// Pressure of f times the gas that filled V_0 at the start, in V (Pa).
static double gas_pressure(const pli_cavity_law *law, double factor, double volume)
{
    return factor * (law->pressure + law->ambient) * pow(volume / law->volume, -law->exponent);
}

static double gas_energy(const pli_cavity_law *law, double factor, double volume)
{
    if (!(volume > 0)) return INFINITY;
    double change = volume - law->volume;
    double power = 1 - law->exponent;
    double logarithm = log1p(change / law->volume);
    // (r^(1 - y) - 1) / (y - 1), which goes to -ln r as y goes to 1
    double shape = power != 0 ? expm1(power * logarithm) / -power : -logarithm;
    double pressure = law->pressure + law->ambient;
    return factor * pressure * law->volume * shape + law->ambient * change;
}

double pli_cavity_energy(const pli_cavity_law *law, double factor, double volume)
{
    double excess = volume - factor * law->volume;
    switch (law->kind) {
    case PLI_CAVITY_GIVEN: return -factor * law->pressure * (volume - law->volume);
    case PLI_CAVITY_GAS: return gas_energy(law, factor, volume);
    case PLI_CAVITY_LIQUID: return 0.5 * law->bulk / (factor * law->volume) * excess * excess;
    }
    return 0;
}

double pli_cavity_slope(const pli_cavity_law *law, double factor, double volume)
{
    switch (law->kind) {
    case PLI_CAVITY_GIVEN: return -factor * law->pressure;
    case PLI_CAVITY_GAS: return law->ambient - gas_pressure(law, factor, volume);
    case PLI_CAVITY_LIQUID: return law->bulk * (volume / (factor * law->volume) - 1);
    }
    return 0;
}

double pli_cavity_curvature(const pli_cavity_law *law, double factor, double volume)
{
    switch (law->kind) {
    case PLI_CAVITY_GIVEN: return 0;
    case PLI_CAVITY_GAS: return law->exponent * gas_pressure(law, factor, volume) / volume;
    case PLI_CAVITY_LIQUID: return law->bulk / (factor * law->volume);
    }
    return 0;
}

// ---- loops over triangles

static const double *corner(const pli_cavities *c, const double *x, int64_t triangle, int k)
{
    return x + 3 * (int64_t)c->triangles[3 * triangle + k];
}

// g += slope of its cavity times dV/dx
static void add_forces(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_cavities *c = job->self;
    for (int64_t t = begin; t < end; ++t) {
        double slope = c->slope[c->cavity_of[t]];
        double A[3];
        if (slope == 0) continue;
        pli_follower_area(corner(c, job->x, t, 0), corner(c, job->x, t, 1), corner(c, job->x, t, 2),
                          A);
        for (int k = 0; k < 3; ++k) {
            double *g = job->g + 3 * (int64_t)c->triangles[3 * t + k];
            pli_vec3_add_scaled(g, slope / 3, A, g);
        }
    }
}

static void add_tangents(void *user, int64_t begin, int64_t end)
{
    const pli_element_job *job = user;
    const pli_cavities *c = job->self;
    for (int64_t t = begin; t < end; ++t) {
        double slope = c->slope[c->cavity_of[t]];
        if (slope == 0) continue;
        pli_follower_add_tangent(job, t, slope, corner(c, job->x, t, 0), corner(c, job->x, t, 1),
                                 corner(c, job->x, t, 2));
    }
}

// the energy is one of each cavity, not of its triangles
static const pli_element_ops cavity_ops = {
    .grain = TRIANGLE_GRAIN, .add_gradient = add_forces, .add_hessian = add_tangents};

// ---- life

static pli_status allocate(pli_cavities *c, int64_t triangle_count)
{
    pli_context *context = c->elements.context;
    c->laws = PLI_NEW(context, pli_cavity_law, c->count, "cavities");
    c->first = PLI_NEW(context, int32_t, c->count + 1, "cavities");
    c->slope = PLI_NEW(context, double, c->count, "cavities");
    c->factor = PLI_NEW(context, double, c->count, "cavities");
    c->triangles = PLI_NEW(context, int32_t, 3 * triangle_count, "cavities");
    c->cavity_of = PLI_NEW(context, int32_t, triangle_count, "cavities");
    bool complete = c->laws != NULL && c->first != NULL && c->slope != NULL && c->factor != NULL &&
                    c->triangles != NULL && c->cavity_of != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void copy_patches(pli_cavities *c, const pli_cavity_patch *patches)
{
    int32_t at = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        const pli_cavity_patch *patch = &patches[k];
        c->laws[k] = patch->law;
        c->factor[k] = 1;
        c->first[k] = at;
        memcpy(c->triangles + 3 * (int64_t)at, patch->triangles,
               3 * (size_t)patch->triangle_count * sizeof *patch->triangles);
        for (int32_t t = 0; t < patch->triangle_count; ++t) c->cavity_of[at++] = k;
    }
    c->first[c->count] = at;
}

pli_status pli_cavities_create(pli_context *context, int32_t vertex_count, int32_t count,
                               const pli_cavity_patch *patches, pli_cavities **cavities)
{
    *cavities = NULL;
    pli_cavities *made = PLI_NEW(context, pli_cavities, 1, "cavities");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->elements = (pli_elements){context, &cavity_ops, .vertex_count = vertex_count};
    made->count = count;
    int64_t triangle_count = 0;
    for (int32_t k = 0; k < count; ++k) triangle_count += patches[k].triangle_count;
    pli_status status = allocate(made, triangle_count);
    if (status == PLI_OK) {
        copy_patches(made, patches);
        status = pli_elements_color(&made->elements, 3, triangle_count, made->triangles);
    }
    if (status != PLI_OK) {
        pli_cavities_destroy(made);
        return status;
    }
    *cavities = made;
    return PLI_OK;
}

void pli_cavities_destroy(pli_cavities *c)
{
    if (c == NULL) return;
    pli_context *context = c->elements.context;
    pli_elements_clear(&c->elements);
    PLI_RELEASE(context, c->cavity_of, c->triangles, c->factor, c->slope, c->first, c->laws, c);
}

// ---- volume

typedef struct volume_job {
    const pli_cavities *cavities;
    const double *x;
    const double *origin;
    int64_t first; // triangle of the cavity
} volume_job;

static pli_sum sum_volume(void *user, int64_t begin, int64_t end)
{
    const volume_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t t = job->first + begin; t < job->first + end; ++t) {
        double at[3][3], n[3];
        for (int k = 0; k < 3; ++k) {
            pli_vec3_subtract(corner(job->cavities, job->x, t, k), job->origin, at[k]);
        }
        pli_vec3_cross(at[1], at[2], n);
        pli_sum_add(&sum, pli_vec3_dot(at[0], n) / 6);
    }
    return sum;
}

double pli_cavities_volume(const pli_cavities *c, int32_t cavity, const double *x)
{
    int64_t first = c->first[cavity];
    volume_job job = {.cavities = c, .x = x, .origin = corner(c, x, first, 0), .first = first};
    return pli_sum_value(pli_parallel_sum(c->elements.context, c->first[cavity + 1] - first,
                                          TRIANGLE_GRAIN, sum_volume, &job));
}

// ---- the term

static pli_sum cavity_energy(void *self, const double *x)
{
    const pli_cavities *c = self;
    pli_sum sum = {0, 0};
    for (int32_t k = 0; k < c->count; ++k) {
        double volume = pli_cavities_volume(c, k, x);
        double energy = pli_cavity_energy(&c->laws[k], c->factor[k], volume);
        pli_sum_merge(&sum, (pli_sum){energy, 0});
    }
    return sum;
}

static void compute_slopes(pli_cavities *c, const double *x)
{
    for (int32_t k = 0; k < c->count; ++k) {
        c->slope[k] = pli_cavity_slope(&c->laws[k], c->factor[k], pli_cavities_volume(c, k, x));
    }
}

static void cavity_add_gradient(void *self, const double *x, double *g)
{
    compute_slopes(self, x);
    pli_elements_add_gradient(self, x, g);
}

static void cavity_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    if (projected) return; // see pressure.h
    compute_slopes(self, x);
    pli_elements_add_hessian(self, x, projected, H);
}

static int32_t cavity_count_low_rank(void *self)
{
    const pli_cavities *c = self;
    int32_t count = 0;
    for (int32_t k = 0; k < c->count; ++k) count += c->laws[k].kind != PLI_CAVITY_GIVEN;
    return count;
}

// dV/dx with the weight E''(V)
static void cavity_add_low_rank(void *self, const double *x, pli_low_rank *part)
{
    pli_cavities *c = self;
    for (int32_t k = 0; k < c->count; ++k) {
        double volume = pli_cavities_volume(c, k, x);
        double weight = pli_cavity_curvature(&c->laws[k], c->factor[k], volume);
        if (!(weight > 0)) continue;
        for (int32_t other = 0; other < c->count; ++other) c->slope[other] = other == k;
        pli_elements_add_gradient(c, x, pli_low_rank_add(part, weight));
    }
}

const pli_term_ops pli_cavity_term = {
    .name = "cavity",
    .energy = cavity_energy,
    .add_gradient = cavity_add_gradient,
    .add_hessian = cavity_add_hessian,
    .get_cliques = pli_elements_get_cliques,
    .bind = pli_elements_bind,
    .count_low_rank = cavity_count_low_rank,
    .add_low_rank = cavity_add_low_rank,
    .pushes = true,
};

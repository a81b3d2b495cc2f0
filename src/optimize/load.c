// SPDX-License-Identifier: Apache-2.0
#include "optimize/load.h"

#include "math/vec3.h"

enum { POINT_GRAIN = 4096 };

typedef struct load_job {
    const double *force;
    const double *x;
    double *g;
} load_job;

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const load_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t point = begin; point < end; ++point) {
        pli_sum_add(&sum, -pli_vec3_dot(job->force + 3 * point, job->x + 3 * point));
    }
    return sum;
}

static pli_sum load_energy(void *self, const double *x)
{
    const pli_load *load = self;
    if (load->force == NULL) return (pli_sum){0, 0};
    load_job job = {load->force, x, NULL};
    return pli_parallel_sum(load->context, load->point_count, POINT_GRAIN, sum_energy, &job);
}

static void subtract_forces(void *user, int64_t begin, int64_t end)
{
    const load_job *job = user;
    for (int64_t k = 3 * begin; k < 3 * end; ++k) job->g[k] -= job->force[k];
}

static void load_add_gradient(void *self, const double *x, double *g)
{
    const pli_load *load = self;
    if (load->force == NULL) return;
    load_job job = {load->force, x, g};
    pli_parallel_for(load->context, load->point_count, POINT_GRAIN, subtract_forces, &job);
}

static void load_add_vertices(void *self, const double *x, const pli_vertex_batch *batch)
{
    const pli_load *load = self;
    if (load->force == NULL) return;
    for (int64_t i = 0; i < batch->count; ++i) {
        int64_t point = batch->vertices[i];
        const double *force = load->force + 3 * point;
        if (batch->energy != NULL) batch->energy[i] -= pli_vec3_dot(force, x + 3 * point);
        for (int k = 0; k < 3 && batch->g != NULL; ++k) batch->g[3 * i + k] -= force[k];
    }
}

const pli_term_ops pli_load_term = {
    .name = "load",
    .energy = load_energy,
    .add_gradient = load_add_gradient,
    .add_vertices = load_add_vertices,
};

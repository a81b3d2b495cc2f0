// SPDX-License-Identifier: Apache-2.0
#include "fem/gravity.h"

#include "math/vec3.h"

enum { POINT_GRAIN = 4096 };

typedef struct gravity_job {
    const pli_gravity *gravity;
    const double *x;
    double *g;
} gravity_job;

static pli_sum sum_energy(void *user, int64_t begin, int64_t end)
{
    const gravity_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t point = begin; point < end; ++point) {
        double height = pli_vec3_dot(job->gravity->acceleration, job->x + 3 * point);
        pli_sum_add(&sum, -job->gravity->mass[point] * height);
    }
    return sum;
}

static pli_sum gravity_energy(void *self, const double *x)
{
    const pli_gravity *gravity = self;
    gravity_job job = {gravity, x, NULL};
    return pli_parallel_sum(gravity->context, gravity->point_count, POINT_GRAIN, sum_energy, &job);
}

static void add_weights(void *user, int64_t begin, int64_t end)
{
    const gravity_job *job = user;
    for (int64_t point = begin; point < end; ++point) {
        double *g = job->g + 3 * point;
        pli_vec3_add_scaled(g, -job->gravity->mass[point], job->gravity->acceleration, g);
    }
}

static void gravity_add_gradient(void *self, const double *x, double *g)
{
    const pli_gravity *gravity = self;
    gravity_job job = {gravity, x, g};
    pli_parallel_for(gravity->context, gravity->point_count, POINT_GRAIN, add_weights, &job);
}

static void gravity_add_vertices(void *self, const double *x, const pli_vertex_batch *batch)
{
    const pli_gravity *gravity = self;
    for (int64_t i = 0; i < batch->count; ++i) {
        int64_t point = batch->vertices[i];
        double height = pli_vec3_dot(gravity->acceleration, x + 3 * point);
        double mass = gravity->mass[point];
        if (batch->energy != NULL) batch->energy[i] -= mass * height;
        if (batch->g == NULL) continue;
        pli_vec3_add_scaled(batch->g + 3 * i, -mass, gravity->acceleration, batch->g + 3 * i);
    }
}

const pli_term_ops pli_gravity_term = {
    .name = "gravity",
    .energy = gravity_energy,
    .add_gradient = gravity_add_gradient,
    .add_vertices = gravity_add_vertices,
};

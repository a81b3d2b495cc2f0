// SPDX-License-Identifier: Apache-2.0
#include "mpm_bodies.h"

#include "base/random.h"
#include "mpm/grid/paged_grid.h"

#include <math.h>
#include <stdlib.h>

static void rest(pli_particle *p)
{
    p->F[0] = p->F[4] = p->F[8] = 1;
}

pli_particle *pli_bench_make_cube(int32_t cells, int32_t first, double dx, const double G[9],
                                  int64_t *count)
{
    int64_t n = 2 * (int64_t)cells;
    *count = n * n * n;
    pli_particle *made = calloc((size_t)*count, sizeof *made);
    for (int64_t k = 0; made != NULL && k < *count; ++k) {
        const int64_t at[3] = {k / (n * n), k / n % n, k % n};
        double d[3];
        for (int axis = 0; axis < 3; ++axis) {
            double cell = first + 0.5 * (double)at[axis] + 0.25;
            made[k].position[axis] = cell - 0.5;
            d[axis] = dx * (cell - first - 0.5 * cells);
        }
        for (int c = 0; c < 3; ++c) {
            made[k].v[c] = (float)(G[3 * c] * d[0] + G[3 * c + 1] * d[1] + G[3 * c + 2] * d[2]);
        }
        rest(&made[k]);
        made[k].id = (int32_t)k;
    }
    return made;
}

pli_particle *pli_bench_make_ball(const pli_bench_ball *ball, double dx, int64_t *count)
{
    const pli_random random = {7, (uint64_t)ball->first_id};
    int64_t draws = (int64_t)(8 * pow(2 * ball->radius / dx, 3));
    pli_particle *made = calloc((size_t)draws, sizeof *made);
    *count = 0;
    for (int64_t k = 0; made != NULL && k < draws; ++k) {
        pli_particle *p = &made[*count];
        double square = 0;
        for (int axis = 0; axis < 3; ++axis) {
            double unit = pli_random_uniform(random, (uint64_t)(3 * k + axis));
            double offset = ball->radius * (2 * unit - 1);
            p->position[axis] = (ball->center[axis] + offset) / dx - 0.5;
            p->v[axis] = (float)ball->velocity[axis];
            square += offset * offset;
        }
        if (square > ball->radius * ball->radius) continue;
        rest(p);
        p->id = ball->first_id + (int32_t)*count;
        ++*count;
    }
    return made;
}

int64_t pli_bench_stepper_memory(const pli_stepper *stepper)
{
    const pli_particles *p = pli_stepper_particles(stepper);
    return (int64_t)p->chunk_count * (int64_t)(sizeof *p->chunks + sizeof *p->next) +
           pli_paged_grid_memory(p->grid);
}

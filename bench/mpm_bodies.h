// SPDX-License-Identifier: Apache-2.0
//
// Particles for benchmarks of the explicit stepper: blocks on a lattice, balls at random.
#ifndef PLI_BENCH_MPM_BODIES_H
#define PLI_BENCH_MPM_BODIES_H

#include "mpm/explicit/stepper.h"

// Particles on the half-cell lattice of a cube of cells^3 cells from cell `first` on along each
// axis, with velocity v = G (x - centre of the cube), G row-major (1/s). To be freed; NULL: no
// memory.
pli_particle *pli_bench_make_cube(int32_t cells, int32_t first, double dx, const double G[9],
                                  int64_t *count);

// Eight particles a cell at random places of a ball, centre and radius in m, with one velocity; ids
// from first_id on. To be freed; NULL: no memory.
typedef struct pli_bench_ball {
    double center[3]; // m
    double radius;    // m
    double velocity[3];
    int32_t first_id;
} pli_bench_ball;

pli_particle *pli_bench_make_ball(const pli_bench_ball *ball, double dx, int64_t *count);

// Bytes of memory that particles and grid have.
int64_t pli_bench_stepper_memory(const pli_stepper *stepper);

#endif

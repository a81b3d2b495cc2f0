// SPDX-License-Identifier: Apache-2.0
//
// Where the particles of a body are before anything has moved.
//
// Space is cut into the cells of the simulation's grid, and a pattern says for every cell where its
// particles are, per_cell of them on average. A pattern fills all space and knows nothing of
// bodies; a body takes the particles that are inside it. So the number of particles is right at
// every surface, whatever its shape, and neighbouring bodies of one pattern fit together.
//
//   lattice    the same points in every cell. Counts that are cubes, m^3, give m points an axis at
//              odd multiples of 1 / (2 m): 8 are the quarter points 2 x 2 x 2. Any other count is
//              met exactly too, by that lattice among all with this many points a cell whose
//              closest points are farthest apart: 2 body-centred, 4 face-centred, 12 skew, and so
//              on. Points keep off the faces of cells.
//   jittered   every cell is cut into per_cell boxes of the same volume and about the same edges
//              (m x m x m cubes for m^3), and each box has one random point.
//   random     independent, uniform points, as many as the volume asks for.
//   poisson    random, but no two closer than 0.82 (dx^3 / per_cell)^(1/3): blue noise. Darts are
//              thrown at a periodic tile of some 32000 particles until it has exactly per_cell a
//              cell, conflicts being found by a background grid (McCool and Fiume 1992; Bridson
//              2007 for the grid); the tile is laid out over all space. Seeding any number of
//              particles then takes time in proportion.
//
// Random numbers are functions of the seed, the cell and the particle's number in the cell, with
// cells numbered from the origin of space; the grid's origin only says where in a cell that is, to
// 2^-30 of dx. So the outcome has the same bits for any number of threads, and for a domain that
// is moved or enlarged by whole cells.
//
// How many. The count is volume per_cell / dx^3 but for what happens at the surface: within 2 % for
// bodies of ten cells across with 4 particles a cell or more, or of twenty cells across with one,
// and closer in proportion to count^(-2/3) for larger ones. `random` meets it as exactly as shapes
// know their volume (some 1e-3).
//
// Order: by blocks of 4 x 4 x 4 cells, so particles near in memory are near in space.
//
// What it leaves out: particles do not follow the surface, and bodies thinner than the spacing may
// get none (a warning tells).
//
// Threads: creating runs in parallel; what is created belongs to the caller.
#ifndef PLI_MPM_SEED_SEEDING_H
#define PLI_MPM_SEED_SEEDING_H

#include "geometry/shapes/shape.h"

enum { PLI_SEEDING_MOST = 256 }; // particles a cell

typedef enum pli_seeding_kind {
    PLI_SEEDING_LATTICE,
    PLI_SEEDING_JITTERED,
    PLI_SEEDING_RANDOM,
    PLI_SEEDING_POISSON
} pli_seeding_kind;

typedef struct pli_seeding_def {
    pli_seeding_kind kind;
    double dx;        // edge of the grid's cells (m), > 0
    double origin[3]; // a corner of any cell of the grid (m), up to 2^30 cells away from 0
    int32_t per_cell; // particles a cell on average, 1 to PLI_SEEDING_MOST
    uint64_t seed;
} pli_seeding_def;

typedef struct pli_seeding {
    pli_context *context;
    int32_t count;
    int32_t room;
    double *positions; // [room][3], of which count are set (m)
    double volume;     // that each particle stands for (m^3)
    double spacing;    // no two particles are closer (m); 0: nothing is promised
} pli_seeding;

// Particles where the shape's value is negative. Each stands for dx^3 / per_cell. Errors: argument
// (def out of range, unbounded shape, more than 2^31 particles or blocks), memory.
PLI_CHECKED pli_status pli_seeding_create_in_shape(pli_context *context, const pli_seeding_def *def,
                                                   const pli_shape *shape, pli_seeding **seeding);
void pli_seeding_destroy(pli_seeding *seeding);

// Every number is finite and in its range. Errors: argument.
PLI_CHECKED pli_status pli_seeding_def_check(pli_context *context, const pli_seeding_def *def);

#endif

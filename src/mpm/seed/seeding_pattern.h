// SPDX-License-Identifier: Apache-2.0
//
// Patterns of particles that fill all space, cell by cell; seeding.h tells which there are.
//
// A pattern repeats itself every `side` cells: lattice and jittered in every cell, poisson in every
// tile. What is kept for a cell of the period is a list of points, or for jittered of boxes; random
// keeps nothing and draws the number of a cell's particles from Poisson's distribution.
//
// Threads: a pattern only reads once it is made.
#ifndef PLI_MPM_SEED_SEEDING_PATTERN_H
#define PLI_MPM_SEED_SEEDING_PATTERN_H

#include "mpm/seed/seeding.h"

// particles of one cell, at most, in any pattern
enum { PLI_SEEDING_CELL_ROOM = 768 };

typedef struct pli_seeding_pattern {
    pli_context *context;
    pli_seeding_kind kind;
    uint64_t seed;
    double mean;      // particles a cell on average
    int32_t most;     // particles of one cell
    double spacing;   // no two are closer (in cells), 0: nothing is known
    int32_t side;     // cells of the period along each axis
    int32_t *offsets; // [side^3 + 1] where the lists of cells begin, x fastest
    double *points;   // [offsets[side^3]][3] in cells from the cell's lowest corner, in (0, 1);
                      // jittered: lowest corners of boxes, in [0, 1)
    double *edges;    // [offsets[side^3]][3] of boxes, in cells; NULL unless jittered
} pli_seeding_pattern;

// def must have passed its check. Errors: memory.
PLI_CHECKED pli_status pli_seeding_pattern_create(pli_context *context, const pli_seeding_def *def,
                                                  pli_seeding_pattern **pattern);
void pli_seeding_pattern_destroy(pli_seeding_pattern *pattern);

// Changes the mean of a random pattern, up to 2 PLI_SEEDING_MOST.
void pli_seeding_pattern_set_mean(pli_seeding_pattern *pattern, double mean);

// The particles of a cell: points [most][3] in cells from its lowest corner; returns how many.
int32_t pli_seeding_pattern_compute(const pli_seeding_pattern *pattern, const int64_t cell[3],
                                    double *points);

// Fills points [count][3] of a cell (in cells) with the best lattice; returns the least distance
// between any two points of it, in cells.
double pli_seeding_lattice(int32_t count, double *points);

#endif

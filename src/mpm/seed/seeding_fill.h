// SPDX-License-Identifier: Apache-2.0
//
// Takes the particles of a pattern that are inside a body; what seeding.h and emitter.h share.
//
// The box around the body is cut into blocks of 4 x 4 x 4 cells. Stages, each a parallel loop:
// which blocks may have something inside; which of their particles are, one bit each; after sums
// over the counts of blocks, writing the positions of those, each to its final place. A body's
// functions are called from several threads at once and must only read.
#ifndef PLI_MPM_SEED_SEEDING_FILL_H
#define PLI_MPM_SEED_SEEDING_FILL_H

#include "mpm/seed/seeding_pattern.h"

typedef enum pli_seeding_place {
    PLI_SEEDING_OUTSIDE,
    PLI_SEEDING_INSIDE,
    PLI_SEEDING_ACROSS // or not known
} pli_seeding_place;

typedef struct pli_seeding_body {
    pli_bounds bounds; // nothing is inside beyond it (m)

    // where a box lies
    pli_seeding_place (*place)(const void *data, const pli_bounds *box);

    // inside [count] of points [count][3] (m); points that follow each other are near each other
    void (*test)(const void *data, int32_t count, const double *points, bool *inside);

    const void *data;
} pli_seeding_body;

// An object without particles. Errors: memory.
PLI_CHECKED pli_status pli_seeding_create_empty(pli_context *context, pli_seeding **seeding);

// Appends the particles inside a body; def gives the grid. Errors: argument (unbounded body, too
// many particles or blocks), memory; then nothing is appended.
PLI_CHECKED pli_status pli_seeding_add_body(pli_seeding *seeding, const pli_seeding_def *def,
                                            const pli_seeding_pattern *pattern,
                                            const pli_seeding_body *body);

#endif

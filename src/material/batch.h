// SPDX-License-Identifier: Apache-2.0
//
// How a law walks over its points: in blocks of eight, two vectors of four.
//
// Eight doubles are one cache line, so a block writes whole lines of the planes, and two vectors in
// step hide the latency of divisions. A law gives one function that handles exactly eight points;
// the remainder of a batch is copied into a full block, padded with its last point, and copied
// back. A point's result does not depend on its place in a batch or on its neighbours.
#ifndef PLI_MATERIAL_BATCH_H
#define PLI_MATERIAL_BATCH_H

#include "pliant/extend.h"

enum {
    PLI_BLOCK = 8,            // points of a block
    PLI_BLOCK_PARAMS_MAX = 24 // most parameters of a built-in law
};

// Where the points of a batch, or of one block of it, are; see extend.h for what the planes hold.
typedef struct pli_planes {
    int64_t stride;       // distance of two planes in doubles
    const double *F;      // [9][stride]
    const double *params; // [param_count][stride]
    double *psi;          // [stride]      NULL: not wanted, as the two below
    double *P;            // [9][stride]
    double *dPdF;         // [81][stride]
} pli_planes;

// Computes what is wanted at the eight points that start at the planes' pointers.
typedef void (*pli_block_fn)(const pli_planes *at, pli_projection projection);

// Calls block for all of n points.
void pli_batch_run(int32_t n, int32_t param_count, const pli_planes *batch,
                   pli_projection projection, pli_block_fn block);

#endif

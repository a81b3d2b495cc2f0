// SPDX-License-Identifier: Apache-2.0
//
// How large implicit steps of particles will be, before there are any: cells, nodes and neighbours,
// counted, and the bytes that follow from them. Every array of the parts counts by its numbers for
// a slot, cell or node; most have room for a quarter more than is needed.
#ifndef PLI_MPM_IMPLICIT_IMPLICIT_SIZES_H
#define PLI_MPM_IMPLICIT_IMPLICIT_SIZES_H

#include "mpm/implicit/implicit_stepper.h"

typedef struct pli_implicit_sizes {
    int64_t particles;
    int64_t cells;    // that hold some of them
    int64_t nodes;    // that they reach
    double neighbors; // blocks that are not zero in a row of the matrix, on average
} pli_implicit_sizes;

// Counts for particles at position [count][3] (m), which has to be on the grid; neighbours are
// those of some thousand nodes. Of the def, kinds are not looked at. Errors: argument, memory.
PLI_CHECKED pli_status pli_implicit_sizes_count(pli_context *context, const pli_cloud_def *def,
                                                int64_t count, const double *position,
                                                pli_implicit_sizes *sizes);

// Bytes of a stepper with its levels and of the scratch that its minimiser takes.
int64_t pli_implicit_sizes_memory(const pli_implicit_sizes *sizes,
                                  const pli_implicit_stepper_def *def);

#endif

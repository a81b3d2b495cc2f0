// SPDX-License-Identifier: Apache-2.0
//
// Bounded biharmonic weights (Jacobson et al. 2011): how much each vertex of a mesh follows each of
// some handles, as smooth as can be.
//
// With the Laplacian L and the lumped mass M of laplacian.h, the weight of a handle minimises
//
//     1/2 w^T Q w,    Q = L M^-1 L,    w = 1 at the handle, 0 at all others, 0 <= w <= 1.
//
// Handles are independent of each other and share one matrix. The bounds are met by splitting
// (Douglas and Rachford 1956; alternating directions in the words of Boyd et al. 2011): with the
// state y of the iteration and d the values at the handles,
//
//     z = clip(y),    (Q + rho M) w = rho M (2 z - y) - Q d,    y += w - z,
//
// and w = z in the end. Q + rho M does not change, so that it is factored once and every iteration
// is a substitution, for many handles at a time. y carries on with momentum, which restarts when
// |w - z| grows (Goldstein et al. 2014): without it the same accuracy takes several times as many
// iterations. rho is 1 / r^4 times a constant that was found by trial, r the mean distance of the
// vertices from their nearest handle.
//
// Iterations end when w and z agree to 3e-4; then z is the weight. What is under 1e-3 is dropped,
// and the rest of a vertex is scaled to sum 1. A coarse space needs no more: the multigrid does not
// notice.
//
// A vertex that no weight reaches (without elements, or in a part of the mesh without a handle)
// follows its nearest handle alone, which the caller names.
//
// Elements with a skipped corner are left out. Needs the sparse Cholesky of cholesky.h.
#ifndef PLI_MULTILEVEL_BIHARMONIC_H
#define PLI_MULTILEVEL_BIHARMONIC_H

#include "geometry/mesh/laplacian.h"

typedef struct pli_biharmonic_def {
    pli_simplices mesh;
    int32_t handle_count;
    const int32_t *handles; // [handle_count]  vertices, all different
    const int32_t *nearest; // [vertex_count]  nearest handle; -1: the vertex is skipped
} pli_biharmonic_def;

// Sparse rows: the handles of a vertex, in increasing order, with positive weights of sum 1.
typedef struct pli_biharmonic {
    pli_context *context;
    int32_t vertex_count;
    int64_t *start;  // [vertex_count + 1]
    int32_t *handle; // [start[vertex_count]]
    double *weight;  // [start[vertex_count]]

    int32_t iterations; // most that a handle took
    bool converged;     // all of them within the limit of iterations; else weights are less smooth
} pli_biharmonic;

// Errors: argument, mesh (as for laplacian.h), unsupported (a build without CHOLMOD), numeric (the
// matrix could not be factored), memory.
PLI_CHECKED pli_status pli_biharmonic_create(pli_context *context, const pli_biharmonic_def *def,
                                             pli_biharmonic **weights);
void pli_biharmonic_destroy(pli_biharmonic *weights);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The bilaplacian L M^-1 L of a mesh, with the Laplacian L of laplacian.h and a diagonal mass M:
// what smooth weights of handles minimise, under constraints at some vertices.
//
// Its rows couple neighbours of neighbours. Constrained vertices keep a row with 1 on the diagonal
// and nothing else, so that numbers stay those of the mesh; a right-hand side that is zero there
// has a solution that is zero there. Like L it annihilates constants, and nothing else on a
// connected mesh: it is positive definite when every component has a constrained vertex or a shift.
//
// Threads: const calls may run at the same time.
#ifndef PLI_MULTILEVEL_BILAPLACIAN_H
#define PLI_MULTILEVEL_BILAPLACIAN_H

#include "geometry/mesh/laplacian.h"
#include "linear/direct/cholesky.h"

typedef struct pli_bilaplacian {
    const pli_laplacian *laplacian;
    const double *mass;     // [vertex_count]  M; > 0 at vertices with elements
    const uint8_t *is_free; // [vertex_count]  0: constrained, as a vertex without elements must be
    const double *shift;    // [vertex_count]  added to the diagonal; NULL: nothing
} pli_bilaplacian;

// y = L M^-1 L x, constraints and shift apart, for functions with three components: x, scratch and
// y are [vertex_count][3] and must not overlap.
void pli_bilaplacian_apply(const pli_bilaplacian *bilaplacian, const double *x, double *scratch,
                           double *y);

// Orders and factors the free part plus shift, def.isotropic whatever def says. *positive is false,
// and there is no factor, when it is not positive definite to working precision. Errors: those of
// cholesky.h.
PLI_CHECKED pli_status pli_bilaplacian_factor(pli_context *context,
                                              const pli_bilaplacian *bilaplacian,
                                              const pli_cholesky_def *def, bool *positive,
                                              pli_cholesky **cholesky);

#endif

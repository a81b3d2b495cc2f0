// SPDX-License-Identifier: Apache-2.0
//
// What a matrix has beside its sparse part: few dense vectors,
//
//     A = S + U W U^T,      U = (u_1 .. u_r),  W = diag(w_1 .. w_r),  w_k > 0.
//
// The energy E(V) of a volume that a surface encloses has a Hessian of this form: the vector is
// dV/dx, which has entries at all vertices of the surface, and its weight E''(V).
//
// With an operator B for S, exact or only close to the inverse, the Sherman-Morrison-Woodbury
// formula (Woodbury 1950) gives one for A:
//
//     A^-1 = B - Z (W^-1 + U^T Z)^-1 Z^T,    Z = B U.
//
// If B is symmetric positive definite, so is this: it serves direct solvers and preconditioners
// alike, and a weight that is larger than all of S by many orders costs conjugate gradients no
// iteration.
//
// Threads: building and multiplying use scratch of the object; calls on one are serial.
#ifndef PLI_LINEAR_KRYLOV_LOW_RANK_H
#define PLI_LINEAR_KRYLOV_LOW_RANK_H

#include "linear/matrix/operator.h"

typedef struct pli_low_rank {
    pli_context *context;
    int64_t size;     // unknowns
    int32_t capacity; // vectors that there is room for
    int32_t count;    // r

    double *weights; // [capacity]            w
    double *vectors; // [capacity][size]      u
    double *solved;  // [capacity][size]      Z, written by build
    double *factor;  // [capacity][capacity]  Cholesky factor of W^-1 + U^T Z, written by build
    double *scratch; // [capacity]
} pli_low_rank;

// Errors: memory.
PLI_CHECKED pli_status pli_low_rank_create(pli_context *context, int64_t size, int32_t capacity,
                                           pli_low_rank **part);
void pli_low_rank_destroy(pli_low_rank *part);

// Forgets all vectors.
void pli_low_rank_clear(pli_low_rank *part);

// Adds a vector, which the caller fills: returned as zeros [size]. weight > 0. Lifetime: until
// the next clear.
double *pli_low_rank_add(pli_low_rank *part, double weight);

// y += U W U^T x
void pli_low_rank_multiply_add(const pli_low_rank *part, const double *x, double *y);

// How B is applied: y = B x. Errors: whatever it fails with.
typedef pli_status (*pli_low_rank_solve)(void *user, const double *x, double *y);

// Makes Z and the factor for a B. *definite: W^-1 + U^T Z is positive definite, as it is for every
// B that is; otherwise correct must not be used.
PLI_CHECKED pli_status pli_low_rank_build(pli_low_rank *part, pli_low_rank_solve solve, void *user,
                                          bool *definite);

// Turns y = B b into A^-1 b.
void pli_low_rank_correct(const pli_low_rank *part, double *y);

#endif

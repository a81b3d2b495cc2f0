// SPDX-License-Identifier: Apache-2.0
//
// One symmetric Gauss-Seidel sweep as a preconditioner: z = (D + U)^-1 D (D + L)^-1 r, where L, D
// and U are the lower, diagonal and upper block parts of A in an order of our own.
//
// The order, of sweep_order.h, makes the sweep parallel and deterministic.
//
// Scaling makes it cheap. With D_i = C_i C_i^T and L^ = C^-1 L C^-T, U^ = L^^T,
//
//     B = C^-T (I + U^)^-1 (I + L^)^-1 C^-1
//
// which is symmetric and positive whatever A is, and whose entries are at most one in size when A
// is positive definite. So L^ and U^ are kept in single precision: from a zero start the forward
// half needs only L^ and the backward half only U^, and an application reads half the bytes of a
// product with A. L^ is rounded once and U^ is its exact transpose, so B is symmetric to rounding
// of doubles. A diagonal block that is not safely positive is replaced by its Frobenius norm times
// the identity (by 1 when it is zero).
//
// A sweep on a nonzero start x is x += B (b - A x); that is how a multigrid smoother uses it.
//
// Extra blocks of the matrix (bcsr.h) are left out of L and U: the order is made for the pattern.
// D has what contact adds to the diagonal, and B is as symmetric and positive as ever, so Krylov
// methods with it solve the full system. In x += B (b - A x) the residual has all blocks too, so
// that it comes to rest at the solution of the full system only; but the iteration need not
// converge where extra blocks are strong.
//
// Threads: an application uses scratch inside the object, so one at a time.
#ifndef PLI_LINEAR_KRYLOV_GAUSS_SEIDEL_H
#define PLI_LINEAR_KRYLOV_GAUSS_SEIDEL_H

#include "linear/matrix/bcsr.h"

typedef struct pli_gauss_seidel pli_gauss_seidel;

// Symbolic part: order and patterns, for the current pattern of the matrix. Errors: unsupported
// (2^31 blocks or more), memory.
PLI_CHECKED pli_status pli_gauss_seidel_create(pli_context *context, const pli_bcsr *matrix,
                                               pli_gauss_seidel **sweep);
void pli_gauss_seidel_destroy(pli_gauss_seidel *sweep);

// Numeric part: takes over the values of a matrix with the pattern of create. Returns how many
// diagonal blocks were replaced.
int32_t pli_gauss_seidel_build(pli_gauss_seidel *sweep, const pli_bcsr *matrix);

// z = B r; z may be r.
void pli_gauss_seidel_apply(const pli_gauss_seidel *sweep, const double *r, double *z);

int32_t pli_gauss_seidel_color_count(const pli_gauss_seidel *sweep);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Preconditioners: cheap symmetric positive operators B that resemble the inverse of a matrix.
//
//     jacobi         B = D^-1, one number per unknown
//     block jacobi   B = blockwise inverse of the diagonal, 3x3, or 3g x 3g for groups of g
//                    consecutive rows (g = 4 gives the 12x12 blocks of affine coarse vertices)
//     gauss-seidel   one symmetric sweep, see gauss_seidel.h
//     none           B = I
//
// The work is split: create looks at the pattern (once), build takes over the values (whenever they
// change), apply computes z = B r (often, without allocating).
//
// Extra blocks of the matrix (bcsr.h) count where block Jacobi meets them inside a group;
// Gauss-Seidel leaves them out.
//
// B is symmetric positive whatever the matrix is. Where the diagonal is not safely positive it is
// replaced: a number by its absolute value (1 when it is zero or not finite), a 3x3 block by
// its Frobenius norm times the identity, a larger group by its 3x3 blocks. build reports how
// many were, so that nobody is misled silently.
//
// Threads: apply of a Gauss-Seidel sweep uses scratch inside the object: one call at a time.
#ifndef PLI_LINEAR_KRYLOV_PRECONDITION_H
#define PLI_LINEAR_KRYLOV_PRECONDITION_H

#include "linear/matrix/operator.h"

typedef enum pli_precondition_kind {
    PLI_PRECONDITION_NONE,
    PLI_PRECONDITION_JACOBI,
    PLI_PRECONDITION_BLOCK_JACOBI,
    PLI_PRECONDITION_GAUSS_SEIDEL,
    PLI_PRECONDITION_KIND_COUNT
} pli_precondition_kind;

enum { PLI_PRECONDITION_GROUP_LIMIT = 8 };

typedef struct pli_precondition_def {
    pli_precondition_kind kind;
    int32_t group_size; // block Jacobi: rows per diagonal block, 1 to 8; 0 means 1
} pli_precondition_def;

typedef struct pli_precondition pli_precondition;

// Symbolic part for the current pattern of the matrix. Errors: argument, unsupported, memory.
PLI_CHECKED pli_status pli_precondition_create(pli_context *context,
                                               const pli_precondition_def *def,
                                               const pli_bcsr *matrix,
                                               pli_precondition **precondition);

void pli_precondition_destroy(pli_precondition *precondition);

// Numeric part. Errors: argument (the pattern is not the one of create any more, or there was no
// matrix at create).
PLI_CHECKED pli_status pli_precondition_build(pli_precondition *precondition,
                                              const pli_bcsr *matrix);

// z = B r; z may be r, except for block Jacobi with groups.
void pli_precondition_apply(const pli_precondition *precondition, const double *r, double *z);

// Numbers or blocks of the diagonal that the last build replaced.
int32_t pli_precondition_replaced_count(const pli_precondition *precondition);

// B as an operator. Lifetime: that of the preconditioner.
pli_operator pli_precondition_operator(const pli_precondition *precondition);

#endif

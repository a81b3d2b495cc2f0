// SPDX-License-Identifier: Apache-2.0
//
// The inverse of the diagonal of a lifted matrix: a number for every row, and a 3x3 matrix for the
// few that have a block. Block Jacobi, as a method and as a preconditioner, and the pivots of
// Gauss-Seidel are made from it. Const calls may run at the same time.
#ifndef PLI_LINEAR_MULTIGRID_LIFTED_DIAGONAL_H
#define PLI_LINEAR_MULTIGRID_LIFTED_DIAGONAL_H

#include "linear/multigrid/lifted.h"

typedef struct pli_lifted_diagonal {
    const pli_lifted *matrix; // borrowed
    bool positive;            // all s_ii are, as build found
    double *inverse;          // [row_count]  1 / s_ii
    int32_t block_capacity;
    double *block_inverse; // [block_capacity][9]  (s_ii I + D_i)^-1 for the blocks of the matrix
} pli_lifted_diagonal;

// Errors: memory; then nothing is held.
PLI_CHECKED pli_status pli_lifted_diagonal_init(const pli_lifted *matrix,
                                                pli_lifted_diagonal *diagonal);
void pli_lifted_diagonal_clear(pli_lifted_diagonal *diagonal);

// Takes over values and blocks, or the blocks alone; room for blocks may grow. *definite is false
// when a part of the diagonal is not safely positive. Errors: memory.
PLI_CHECKED pli_status pli_lifted_diagonal_build(pli_lifted_diagonal *diagonal, bool *definite);
PLI_CHECKED pli_status pli_lifted_diagonal_update_blocks(pli_lifted_diagonal *diagonal,
                                                         bool *definite);

// Rows begin to end of z = D^-1 r by the calling thread; z may be r.
void pli_lifted_diagonal_apply_rows(const pli_lifted_diagonal *diagonal, const double *r, double *z,
                                    int64_t begin, int64_t end);

// D^-1 as a preconditioner. Lifetime: that of the diagonal.
pli_operator pli_lifted_diagonal_operator(const pli_lifted_diagonal *diagonal);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Inside of admm.h: the matrix of x-steps.
#ifndef PLI_MPM_IMPLICIT_ADMM_INSIDE_H
#define PLI_MPM_IMPLICIT_ADMM_INSIDE_H

#include "linear/matrix/operator.h"
#include "mpm/implicit/admm.h"

// A of admm.h: a number for each node within reach of a node, as slots of rows.
typedef struct pli_admm_matrix {
    pli_context *context;
    int32_t row_count;
    int32_t row_room;
    int32_t width;    // slots of a row
    int32_t *column;  // [row_room][width] a node; the row itself where there is none
    double *values;   // [row_room][width] (N/m)
    double *inverse;  // [row_room] of the diagonal, 1 where that is zero
    double *expanded; // [row_room][4] the vector that is multiplied, of three numbers and a zero
} pli_admm_matrix;

void pli_admm_matrix_clear(pli_admm_matrix *matrix);

// Makes A for the particles; c [slots] (Pa), stiffness [nodes] (N/m). Only growth allocates.
// Errors: memory.
PLI_CHECKED pli_status pli_admm_matrix_build(pli_admm_matrix *matrix, const pli_implicit *implicit,
                                             const double *c, const double *stiffness);

// y = A x, both [nodes][3]; one call at a time.
void pli_admm_matrix_multiply(const pli_admm_matrix *matrix, const double *x, double *y);

// z = D^-1 r with the diagonal D of A; z may be r. Lifetime: that of the matrix.
pli_operator pli_admm_matrix_jacobi(const pli_admm_matrix *matrix);

#endif

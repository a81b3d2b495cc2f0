// SPDX-License-Identifier: Apache-2.0
//
// Inside of implicit.h: material of a run of cells.
#ifndef PLI_MPM_IMPLICIT_INSIDE_H
#define PLI_MPM_IMPLICIT_INSIDE_H

#include "mpm/cloud_inside.h"
#include "mpm/implicit.h"

enum {
    PLI_TANGENT_SIZE = 45,
    // slots that are evaluated at once; a cell that has more is taken apart
    PLI_EVALUATION_SLOTS = PLI_IMPLICIT_CHUNK
};

// What is wanted of some slots from `first` on; planes are PLI_EVALUATION_SLOTS long.
typedef struct pli_evaluation {
    int64_t first;
    int32_t count;                          // at most PLI_EVALUATION_SLOTS
    double F[9 * PLI_EVALUATION_SLOTS];     // in: deformation gradients
    double psi[PLI_EVALUATION_SLOTS];       // J/m^3
    double P[9 * PLI_EVALUATION_SLOTS];     // Pa
    double dPdF[81 * PLI_EVALUATION_SLOTS]; // Pa; only if tangents were wanted
} pli_evaluation;

typedef enum pli_evaluation_want {
    PLI_WANT_ENERGY,
    PLI_WANT_STRESS,
    PLI_WANT_TANGENT
} pli_evaluation_want;

// Evaluates the laws of the slots.
void pli_implicit_evaluate(const pli_implicit *implicit, pli_evaluation_want want, bool projected,
                           pli_evaluation *at);

// Sets F of the slots [first, first + count) of a cell in `at` to (1 + sum x grad w^T) F.
void pli_implicit_deform(const pli_implicit *implicit, int64_t cell, const double *x, int64_t first,
                         int32_t count, pli_evaluation *at);

// Lets the slots of `at`, all of them in the cells [first_cell, end_cell), push the nodes of these
// cells with V P F^T grad w, P as it stands in `at`: what nodes get is written to cell_sums, and
// added where slots of the same cell were there before.
void pli_implicit_push(const pli_implicit *implicit, int64_t first_cell, int64_t end_cell,
                       const pli_evaluation *at);

// The index of (row, column), row <= column, among the 45 of a symmetric 9x9 matrix.
static inline int32_t pli_tangent_index(int32_t row, int32_t column)
{
    return row * 9 - row * (row - 1) / 2 + column - row;
}

#endif

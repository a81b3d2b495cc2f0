// SPDX-License-Identifier: Apache-2.0
//
// Non-negative least squares: min |A w - b| over w >= 0, for small dense matrices.
//
// The active set method of Lawson and Hanson 1974 (chapter 23). Some columns are passive: their
// weights are positive and solve the least squares problem of these columns alone; all other
// weights are 0. The column whose weight would reduce the residual fastest enters; where weights of
// the new solution are negative, the way to it is cut short at the first zero, that column leaves,
// and the rest is solved again. The residual falls with every column that enters, so no set comes
// twice. It ends with the conditions of Karush, Kuhn and Tucker,
//
//     w >= 0,   A^T (b - A w) <= 0,   and = 0 where w > 0.
//
// The passive columns are kept as A_P = Q R, Q with orthonormal columns, which is updated and never
// rebuilt (Daniel, Gragg, Kaufman and Stewart 1976): a column is appended by Gram-Schmidt with
// reorthogonalisation and taken out by Givens rotations. c = Q^T b and the residual b - Q c go with
// them, so that a column costs O(rows x passive) and the search for it O(rows x columns).
//
// Columns are compared by the cosine of their angle to the residual, so that their lengths do not
// matter. A column that depends on the passive ones to 1e-10 of its length is refused, and so is
// one that gains nothing but rounding; a refused column is looked at again once the residual has
// fallen. Passive columns are therefore independent, and never more than there are rows.
//
// The problem is convex: A w is unique, w itself where the columns allow it. Where they do not, the
// outcome depends on the start.
//
// Serial; solvers of different threads are independent. A solve allocates nothing.
#ifndef PLI_LINEAR_DIRECT_NNLS_H
#define PLI_LINEAR_DIRECT_NNLS_H

#include "base/context.h"

typedef enum pli_nnls_stop {
    PLI_NNLS_STOP_RESIDUAL = 1,   // |b - A w| under its tolerance
    PLI_NNLS_STOP_DUAL = 2,       // no column makes a smaller residual, to the tolerance
    PLI_NNLS_STOP_ROUNDING = 3,   // the columns that would are refused: rounding is all they gain
    PLI_NNLS_STOP_ITERATIONS = -1 // budget spent; w is admissible and the best so far
} pli_nnls_stop;

typedef struct pli_nnls_problem {
    int32_t row_count;
    int32_t column_count;
    const double *A;           // [column_count][row_count]  one column after the other
    const double *b;           // [row_count]
    double residual_tolerance; // of |b - A w| / |b|; 0: least squares to the end
    double dual_tolerance;     // of the cosines a.(b - A w) / (|a| |b|), such as 1e-13
    int32_t max_iterations;    // columns tried; 0: 3 column_count + 3 start_count
    int32_t start_count;       // columns that are passive at first
    const int32_t *start;      // [start_count]  all different; dependent ones are left out
} pli_nnls_problem;

typedef struct pli_nnls_report {
    pli_nnls_stop stop;
    int32_t iterations;    // columns tried, those of the start not counted
    int32_t removals;      // columns that left the passive ones
    int32_t passive_count; // positive weights
    double residual;       // |b - A w| / |b|, computed from w; 0 when b is 0
    double dual;           // largest cosine of a column and the residual, times |b - A w| / |b|
} pli_nnls_report;

typedef struct pli_nnls pli_nnls;

// A solver for up to max_rows x max_columns. Errors: argument, memory.
PLI_CHECKED pli_status pli_nnls_create(pli_context *context, int32_t max_rows, int32_t max_columns,
                                       pli_nnls **nnls);
void pli_nnls_destroy(pli_nnls *nnls);

// Sets w [column_count]. Not reaching a tolerance is an outcome, told by the report. Errors:
// argument (larger than the solver, a column of the start that is not there or there twice, entries
// that are not finite); w means nothing then.
PLI_CHECKED pli_status pli_nnls_solve(pli_nnls *nnls, const pli_nnls_problem *problem, double *w,
                                      pli_nnls_report *report);

// The passive columns of the last solve, in no order: a start for the next one. Lifetime: until
// the next solve.
const int32_t *pli_nnls_passive(const pli_nnls *nnls);

#endif

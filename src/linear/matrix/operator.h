// SPDX-License-Identifier: Apache-2.0
//
// A linear operator as solvers see it: something that maps a vector to a vector of the same length.
//
// A stored matrix, a matrix-free product and a preconditioner have the same shape, so that a solver
// takes any of them. apply computes y = A x for arrays of `size` doubles that do not overlap; it
// cannot fail, so whatever memory it needs is made beforehand. An operator is a view: it borrows
// self, and it is copied freely.
//
// Where a row of three entries of the result can be had alone, apply_rows gives a range of them by
// the calling thread; solvers then do what follows in the same pass, while these entries are in the
// cache.
#ifndef PLI_LINEAR_MATRIX_OPERATOR_H
#define PLI_LINEAR_MATRIX_OPERATOR_H

#include "linear/matrix/bcsr.h"

// rows begin to end of y = A x
typedef void (*pli_operator_rows_fn)(const void *self, const double *x, double *y, int64_t begin,
                                     int64_t end);

typedef struct pli_operator {
    int64_t size;     // unknowns
    const void *self; // borrowed
    void (*apply)(const void *self, const double *x, double *y);

    pli_operator_rows_fn apply_rows; // NULL: not offered
    // looks at all of x before its rows are asked for; NULL: need not
    void (*load)(const void *self, const double *x);
    bool is_local; // a row of the result depends on the same row of x only
} pli_operator;

static inline void pli_operator_apply(const pli_operator *A, const double *x, double *y)
{
    A->apply(A->self, x, y);
}

// y = A x of `row_count` rows by all threads, blocks of at least `grain` rows each.
void pli_operator_apply_by_rows(const pli_context *context, int64_t row_count, int64_t grain,
                                pli_operator_rows_fn rows, const void *self, const double *x,
                                double *y);

// The product with a block matrix.
pli_operator pli_bcsr_operator(const pli_bcsr *matrix);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Small dense matrices that are stored column by column, times vectors: the inner loops of
// orthogonalisation and of dense least squares.
//
// Four columns are read at a time, so that the vector is loaded once for them and the sums do not
// wait for each other. Sums are formed in an order that depends on the sizes alone. On the calling
// thread.
#ifndef PLI_LINEAR_MATRIX_COLUMNS_H
#define PLI_LINEAR_MATRIX_COLUMNS_H

#include <stdint.h>

// products [count] = A^T x, with A [count][rows] and x [rows].
void pli_columns_dot(int32_t rows, int32_t count, const double *A, const double *x,
                     double *products);

// x -= A s, with s [count]; x must not be a part of A.
void pli_columns_subtract(int32_t rows, int32_t count, const double *A, const double *s, double *x);

#endif

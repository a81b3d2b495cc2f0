// SPDX-License-Identifier: Apache-2.0
//
// Cholesky factorisation A = L L^T of dense symmetric positive definite matrices.
//
// Matrices are row-major; only the lower triangle is read and written, the rest is left alone. The
// factorisation is right-looking in panels of 64 columns: factor the diagonal tile, solve the
// panel below it, subtract the panel's product from what remains, tile by tile in parallel with a
// kernel that keeps 4 x 8 sums in registers. It is meant for sizes up to some thousands (coarsest
// levels, reduced models); small sizes run on the calling thread. Results have the same bits for
// any number of threads.
//
// A pivot that is not positive is an outcome: factor returns false and the matrix is left partly
// overwritten. Nothing here allocates.
#ifndef PLI_LINEAR_MATRIX_DENSE_H
#define PLI_LINEAR_MATRIX_DENSE_H

#include "base/context.h"

#include <math.h>

// Overwrites the lower triangle of A, [n][n], by L. False when A is not positive definite.
bool pli_dense_cholesky_factor(const pli_context *context, int32_t n, double *A);

// Solves L L^T x = b in place for rhs_count right-hand sides, x: [rhs_count][n].
void pli_dense_cholesky_solve(const pli_context *context, int32_t n, const double *L,
                              int32_t rhs_count, double *x);

// W = L^-1 with A = L L^T for a 3x3 matrix, lower triangle (w00, w10, w11, w20, w21, w22), so that
// A^-1 = W^T W. A is taken as its symmetric part. False, and W untouched, when a pivot is not
// larger than 1e-14 of the largest diagonal entry: A is then not safely positive.
static inline bool pli_dense3_factor(const double A[9], double W[6])
{
    double largest = fmax(A[0], fmax(A[4], A[8]));
    double limit = 1e-14 * largest;
    if (!(A[0] > limit) || !isfinite(largest)) return false;
    double l00 = sqrt(A[0]);
    double l10 = 0.5 * (A[1] + A[3]) / l00;
    double l20 = 0.5 * (A[2] + A[6]) / l00;
    double d1 = A[4] - l10 * l10;
    if (!(d1 > limit)) return false;
    double l11 = sqrt(d1);
    double l21 = (0.5 * (A[5] + A[7]) - l20 * l10) / l11;
    double d2 = A[8] - l20 * l20 - l21 * l21;
    if (!(d2 > limit)) return false;
    double l22 = sqrt(d2);
    W[0] = 1 / l00;
    W[2] = 1 / l11;
    W[5] = 1 / l22;
    W[1] = -l10 * W[0] * W[2];
    W[4] = -l21 * W[2] * W[5];
    W[3] = -(l20 * W[0] + l21 * W[1]) * W[5];
    return true;
}

// The same for any matrix: one that is not safely positive is replaced by its Frobenius norm times
// the identity, or by the identity when that is zero or not finite, and false is returned.
static inline bool pli_dense3_safe_factor(const double A[9], double W[6])
{
    if (pli_dense3_factor(A, W)) return true;
    double square = 0;
    for (int k = 0; k < 9; ++k) square += A[k] * A[k];
    double w = square > 0 && isfinite(square) ? 1 / sqrt(sqrt(square)) : 1;
    W[0] = W[2] = W[5] = w;
    W[1] = W[3] = W[4] = 0;
    return false;
}

// y = W x; y may be x.
static inline void pli_dense3_apply(const double W[6], const double x[3], double y[3])
{
    double y0 = W[0] * x[0];
    double y1 = W[1] * x[0] + W[2] * x[1];
    y[2] = W[3] * x[0] + W[4] * x[1] + W[5] * x[2];
    y[1] = y1;
    y[0] = y0;
}

// y = W^T x; y may be x.
static inline void pli_dense3_apply_transposed(const double W[6], const double x[3], double y[3])
{
    y[0] = W[0] * x[0] + W[1] * x[1] + W[3] * x[2];
    y[1] = W[2] * x[1] + W[4] * x[2];
    y[2] = W[5] * x[2];
}

// inverse = W^T W = A^-1, exactly symmetric
static inline void pli_dense3_inverse(const double W[6], double inverse[9])
{
    inverse[0] = W[0] * W[0] + W[1] * W[1] + W[3] * W[3];
    inverse[4] = W[2] * W[2] + W[4] * W[4];
    inverse[8] = W[5] * W[5];
    inverse[1] = inverse[3] = W[1] * W[2] + W[3] * W[4];
    inverse[2] = inverse[6] = W[3] * W[5];
    inverse[5] = inverse[7] = W[4] * W[5];
}

#endif

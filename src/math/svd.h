// SPDX-License-Identifier: Apache-2.0
//
// Singular values and polar decomposition of one 3x3 matrix (row-major double[9]).
//
// F = U diag(sigma) V^T with U and V rotations (det = +1) and sigma_0 >= sigma_1 >= |sigma_2|. This
// is the rotation-variant form: the sign of det F is carried by the last singular value, so the
// parts are those of an energy that tells inverted matter from reflected frames.
//
// Method: one-sided Jacobi (Hestenes 1958) on the columns of F, scaled by a power of two, until
// they are orthogonal relative to their own lengths. Columns of very different size therefore keep
// their small singular values, down to 1e-18 of the largest, below which they are zero. This is the
// plain and most accurate version, the reference of the vector kernels in svd_simd.h.
//
// Holds for every finite F: |U diag(sigma) V^T - F| <= 1e-14 |F|. If an entry is not finite, sigma
// is NaN and U = V = I. All functions are pure; outputs may not overlap inputs.
#ifndef PLI_MATH_SVD_H
#define PLI_MATH_SVD_H

void pli_svd(const double F[9], double U[9], double sigma[3], double V[9]);

// F = R S with R a rotation and S = V diag(sigma) V^T symmetric (indefinite when det F < 0).
void pli_polar(const double F[9], double R[9], double S[9]);

#endif

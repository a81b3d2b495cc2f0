// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of small dense symmetric matrices, and the nearest positive semi-definite one.
//
// For the blocks that energies make: 3x3 (springs), 9x9 (dP/dF), 12x12 (tetrahedra, contact pairs).
// Matrices are row-major double[n n]; only the lower triangle is read.
//
// Method: reflections to tridiagonal form, then implicit QR steps with Wilkinson's shift (Golub and
// Van Loan, Matrix Computations, chapter 8), on rows of three vectors. Eigenvalues are good to
// rounding of the largest one, vectors are orthonormal to rounding. The clamp tries a Cholesky
// decomposition first, so blocks that are positive already cost little. (Cyclic Jacobi, which
// math/svd_simd.h uses for 3x3, takes three times as long at n = 12.)
//
// Pure functions without state. For a matrix with entries that are not finite the values mean
// nothing, but the call ends; the clamp leaves such a matrix alone.
#ifndef PLI_MATH_EIGEN_H
#define PLI_MATH_EIGEN_H

#include <stdbool.h>
#include <stdint.h>

enum { PLI_EIGEN_MAX = 12 };

// A = Q diag(values) Q^T for 1 <= n <= PLI_EIGEN_MAX; values ascend, column k of the row-major Q is
// the unit vector of values[k].
void pli_eigen_symmetric(int32_t n, const double *A, double *values, double *Q);

// True when a Cholesky decomposition of A exists.
bool pli_is_positive_definite(int32_t n, const double *A);

// Raises negative eigenvalues of A to zero, the nearest positive semi-definite matrix in the
// Frobenius norm. A must be symmetric in both triangles. A matrix without negative eigenvalues
// keeps its bits. Returns whether A was changed.
bool pli_psd_clamp(int32_t n, double *A);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues and vectors of dense symmetric matrices of any size, by rotations (Jacobi 1846) in
// cyclic order. For Rayleigh-Ritz problems of up to some hundred unknowns; math/eigen.h is for the
// small blocks of energies. Vectors are orthonormal and values good to rounding of the largest.
//
// Runs on the calling thread and does not allocate. With entries that are not finite the call ends,
// and the outcome means nothing.
#ifndef PLI_LINEAR_DIRECT_DENSE_EIGEN_H
#define PLI_LINEAR_DIRECT_DENSE_EIGEN_H

#include <stdint.h>

// A [n][n], symmetric in both triangles, is destroyed. values [n] descend; row k of vectors [n][n]
// is the unit vector of values[k].
void pli_dense_eigen(int32_t n, double *A, double *values, double *vectors);

#endif

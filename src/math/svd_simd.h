// SPDX-License-Identifier: Apache-2.0
//
// Singular values and symmetric eigenvalues of 3x3 matrices, one per lane of a vector.
//
//   pli_svd_d4(F, &parts)         four decompositions in double
//   pli_svd_pair_d4(F, parts)     eight as two vectors in step, faster than two calls
//   pli_eigen_d4, pli_clamp_psd_d4, pli_is_positive_d4   symmetric matrices as six vectors
//   the same ending in _f8        eight (sixteen) in float
//
// F = U diag(sigma) V^T with U and V rotations (det = +1) and sigma_0 >= sigma_1 >= |sigma_2|: a
// reflection in F shows as a negative sigma_2. Holds for every finite F: zero, of low rank,
// reflected, with equal singular values, and at any scale of the format. An entry that is not
// finite makes the lane's result not finite.
//
// Method: F is scaled by a power of two. Cyclic Jacobi rotations make S = F^T F diagonal (in the
// manner of McAdams et al. 2011, with exact angles); four sweeps are enough for 3x3: three
// leave 1e-5 in the worst cases found, the fourth nothing but rounding. Then B = F V has orthogonal
// columns, except that S lost what is below the rounding of its largest entry: columns are sorted
// by length, and one rotation on the two short columns themselves (Hestenes 1958) restores their
// right angle. Their normalised directions are U. |U diag(sigma) V^T - F| stays below 3e-15 |F| in
// double and 2e-6 |F| in float, over the hard cases of the tests and over a search for worse ones.
//
// Variants that were tried and lost: fewer sweeps with one-sided rotations of all three columns at
// the end (as fast, less accurate), and sweeps in float on the deviator of S before those in double
// (slower: S has to be formed again).
#ifndef PLI_MATH_SVD_SIMD_H
#define PLI_MATH_SVD_SIMD_H

#include "math/simd.h"

enum { PLI_JACOBI_SWEEPS = 4 };

// a loop that stays a loop: unrolled sweeps only fill the instruction cache
#ifdef __clang__
#define PLI_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define PLI_NO_UNROLL _Pragma("GCC unroll 1")
#endif

// Parameters of the kernels, the last of which undefines them: vector, element and mask type, the
// names of the type's helpers and of the functions made, the smallest positive denominator (its
// square does not underflow), and the share of sigma_0 below which a column counts as zero.
#define PLI_T pli_d4
#define PLI_E double
#define PLI_MASK pli_d4_mask
#define PLI_OP(name) pli_d4_##name
#define PLI_NAME(name) pli_##name##_d4
#define PLI_TINY 1e-150
#define PLI_NEGLIGIBLE 1e-18
#include "math/eigen_kernel.inl"
#include "math/svd_kernel.inl"

#define PLI_T pli_f8
#define PLI_E float
#define PLI_MASK pli_f8_mask
#define PLI_OP(name) pli_f8_##name
#define PLI_NAME(name) pli_##name##_f8
#define PLI_TINY 1e-18f
#define PLI_NEGLIGIBLE 1e-9f
#include "math/eigen_kernel.inl"
#include "math/svd_kernel.inl"

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The rotation nearest to a 3x3 matrix, eight in float or four in double at a time: R maximises
// R : F over all rotations (det R = +1, for reflected F too), which is what polar decomposition and
// R = U V^T of math/svd_simd.h give, without singular vectors.
//
// Method. With the singular values s_0 >= s_1 >= |s_2| of F, s_2 negative when det F is, the
// invariants
//     I = sum s_i^2 = |F|^2,   II = sum s_i^2 s_j^2 = |cof F|^2,   J = s_0 s_1 s_2 = det F
// fix f = s_0 + s_1 + s_2 = R : F as the largest root of
//     p(f) = (f^2 - I)^2 - 4 II - 8 J f,      p'(f) / 4 = d(f) = f (f^2 - I) - 2 J
// (Lin et al. 2022, who derive it from the Cauchy-Green invariants; the four roots are the
// eigenvalues of Horn's quaternion matrix, so all are real). R is the derivative of f with respect
// to F, and implicit differentiation of p gives
//     R = [ ((f^2 + I) 1 - 2 F F^T) F + 2 f cof F ] / d
// whose denominator, 2 (s_0 + s_1) (s_0 + s_2) (s_1 + s_2), is zero only where the nearest rotation
// is not unique.
//
//   1. Start above the root: f^2 = I + 2 e and e^2 = II + 2 J f, e being the sum of products of
//      two singular values, with the bound f <= sqrt(3 I) put in where J is positive.
//   2. Halley's iteration. A polynomial with real roots only is convex beyond the largest one, so
//      every step stays above it. One step is enough for small strains and two for large ones; only
//      reflections take more. A lane stops when a step has been short, whatever its neighbours do.
//   3. R by the formula. An error left in f scales the singular values of R, the singular vectors
//      are those of F; one Newton-Schulz step R (3 - R^T R) / 2 squares that error.
//   4. R^T R - 1 before the Schulz step says whether all this was right. Lanes for which it was not
//      (in float s_1 + s_2 below some thousandth of s_0: nearly flat to a line, or reflected with
//      nearly equal stretches; and |F| far from 1) are done again by the decomposition.
//
// |R^T R - 1| stays below 1e-6 in float and 4e-15 in double, and R : F within as much times |F| of
// its maximum, for every finite F. A lane of entries that are not finite gives such. Stateless: R
// depends on F alone.
//
//   pli_rotation_f8(F, R)        F and R are nine vectors, row-major
//   pli_rotation_pair_f8(F, R)   eighteen: two matrices per lane in step, which hides the latency
//                                of divisions and roots
//   the same ending in _d4       in double
#ifndef PLI_MATH_ROTATION_SIMD_H
#define PLI_MATH_ROTATION_SIMD_H

#include "math/simd.h"

enum { PLI_ROTATION_STEPS = 8 }; // most steps of Halley's iteration

// Parameters of the kernel, which undefines them, besides the types and names of math/svd_simd.h:
//   ERROR        how far R^T R may be from 1 before the Schulz step, which leaves 3/8 of its square
//   SHORT        a step of this share of f is the last one: the next would be shorter than its cube
//   LEAST, MOST  |F|^2 for which no product in the iteration, of degree 6 in f, leaves the range
#define PLI_T pli_f8
#define PLI_E float
#define PLI_MASK pli_f8_mask
#define PLI_OP(name) pli_f8_##name
#define PLI_NAME(name) pli_##name##_f8
#define PLI_ROTATION_ERROR 3e-4f
#define PLI_ROTATION_SHORT 2e-3f
#define PLI_ROTATION_LEAST 1e-8f
#define PLI_ROTATION_MOST 1e8f
#include "math/rotation_kernel.inl"

#define PLI_T pli_d4
#define PLI_E double
#define PLI_MASK pli_d4_mask
#define PLI_OP(name) pli_d4_##name
#define PLI_NAME(name) pli_##name##_d4
#define PLI_ROTATION_ERROR 1e-8
#define PLI_ROTATION_SHORT 2e-4
#define PLI_ROTATION_LEAST 1e-40
#define PLI_ROTATION_MOST 1e40
#include "math/rotation_kernel.inl"

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Short vectors for kernels: pli_d4 (four doubles) and pli_f8 (eight floats).
//
// They are GCC/Clang vector types, so + - * / and comparisons work element by element, and a scalar
// of the element type mixes with them: 2.0 * x. One element is called a lane: a lane never looks at
// its neighbours, so a point gives the same bits wherever it stands in a batch. The type says what
// is meant, the compiler picks the instructions: one AVX register, or two SSE ones on an old
// machine. Only where the language has no operator (square root, minimum, choice by mask) are
// intrinsics used, behind a check for AVX2 and with plain lanes as the fallback.
//
// Masks have all bits of a lane set (true) or none (false); comparisons make them, select and the
// bit operators & | ~ use them. For both types T of {pli_d4, pli_f8} there are
//
//   T_broadcast(s)                s in every lane
//   T_load(p), T_store(x, p)      from and to memory of any alignment
//   T_select(mask, x, y)          mask ? x : y
//   T_min, T_max                  the second operand where one is not a number
//   T_abs, T_sqrt, T_rsqrt, T_copysign(magnitude, sign)
//   T_flip_sign(x, y)             x, negated where y is negative (-0 included)
//   T_any(mask), T_all(mask)      over lanes, as a plain bool
//   pli_f8_bits(mask)             a bit per lane, the first lane lowest
//   pli_d4_pin(&x)                x is in a register now: compilers take a load for free, and would
//                                 read it from memory again at every use
//   T_scaling(x, &scale, &back)   powers of two with scale * |x| in [1, 2) and scale * back = 1
//
// Everything is inlined into its caller; nothing here may be used across a function boundary that
// is not inlined except through pointers, so no calling convention for vectors is ever relied upon.
#ifndef PLI_MATH_SIMD_H
#define PLI_MATH_SIMD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __AVX2__
#include <immintrin.h>
#endif

// vectors are passed by value between inlined functions only
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpsabi"
#endif

#define PLI_INLINE static inline __attribute__((always_inline))

typedef double pli_d4 __attribute__((vector_size(32)));
typedef float pli_f8 __attribute__((vector_size(32)));
typedef int64_t pli_d4_mask __attribute__((vector_size(32)));
typedef int32_t pli_f8_mask __attribute__((vector_size(32)));

enum { PLI_D4_LANES = 4, PLI_F8_LANES = 8 };

#ifdef __AVX2__
PLI_INLINE pli_d4 pli_d4_sqrt(pli_d4 x)
{
    return _mm256_sqrt_pd(x);
}

PLI_INLINE pli_f8 pli_f8_sqrt(pli_f8 x)
{
    return _mm256_sqrt_ps(x);
}

PLI_INLINE pli_d4 pli_d4_min(pli_d4 x, pli_d4 y)
{
    return _mm256_min_pd(x, y);
}

PLI_INLINE pli_f8 pli_f8_min(pli_f8 x, pli_f8 y)
{
    return _mm256_min_ps(x, y);
}

PLI_INLINE pli_d4 pli_d4_max(pli_d4 x, pli_d4 y)
{
    return _mm256_max_pd(x, y);
}

PLI_INLINE pli_f8 pli_f8_max(pli_f8 x, pli_f8 y)
{
    return _mm256_max_ps(x, y);
}

PLI_INLINE pli_d4 pli_d4_select(pli_d4_mask mask, pli_d4 x, pli_d4 y)
{
    return _mm256_blendv_pd(y, x, (pli_d4)mask);
}

PLI_INLINE pli_f8 pli_f8_select(pli_f8_mask mask, pli_f8 x, pli_f8 y)
{
    return _mm256_blendv_ps(y, x, (pli_f8)mask);
}

PLI_INLINE bool pli_d4_any(pli_d4_mask mask)
{
    return _mm256_movemask_pd((pli_d4)mask) != 0;
}

PLI_INLINE bool pli_f8_any(pli_f8_mask mask)
{
    return _mm256_movemask_ps((pli_f8)mask) != 0;
}

PLI_INLINE uint32_t pli_f8_bits(pli_f8_mask mask)
{
    return (uint32_t)_mm256_movemask_ps((pli_f8)mask);
}
#else
PLI_INLINE pli_d4 pli_d4_sqrt(pli_d4 x)
{
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) x[lane] = __builtin_sqrt(x[lane]);
    return x;
}

PLI_INLINE pli_f8 pli_f8_sqrt(pli_f8 x)
{
    for (int lane = 0; lane < PLI_F8_LANES; ++lane) x[lane] = __builtin_sqrtf(x[lane]);
    return x;
}

PLI_INLINE pli_d4 pli_d4_select(pli_d4_mask mask, pli_d4 x, pli_d4 y)
{
    return (pli_d4)((mask & (pli_d4_mask)x) | (~mask & (pli_d4_mask)y));
}

PLI_INLINE pli_f8 pli_f8_select(pli_f8_mask mask, pli_f8 x, pli_f8 y)
{
    return (pli_f8)((mask & (pli_f8_mask)x) | (~mask & (pli_f8_mask)y));
}

PLI_INLINE pli_d4 pli_d4_min(pli_d4 x, pli_d4 y)
{
    return pli_d4_select((pli_d4_mask)(x < y), x, y);
}

PLI_INLINE pli_f8 pli_f8_min(pli_f8 x, pli_f8 y)
{
    return pli_f8_select((pli_f8_mask)(x < y), x, y);
}

PLI_INLINE pli_d4 pli_d4_max(pli_d4 x, pli_d4 y)
{
    return pli_d4_select((pli_d4_mask)(x > y), x, y);
}

PLI_INLINE pli_f8 pli_f8_max(pli_f8 x, pli_f8 y)
{
    return pli_f8_select((pli_f8_mask)(x > y), x, y);
}

PLI_INLINE bool pli_d4_any(pli_d4_mask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
}

PLI_INLINE bool pli_f8_any(pli_f8_mask mask)
{
    return (mask[0] | mask[1] | mask[2] | mask[3] | mask[4] | mask[5] | mask[6] | mask[7]) != 0;
}

PLI_INLINE uint32_t pli_f8_bits(pli_f8_mask mask)
{
    uint32_t bits = 0;
    for (int lane = 0; lane < PLI_F8_LANES; ++lane) bits |= (uint32_t)(mask[lane] & 1) << lane;
    return bits;
}
#endif

PLI_INLINE void pli_d4_pin(pli_d4 *x)
{
#ifdef __AVX2__
    __asm__("" : "+v"(*x));
#else
    (void)x;
#endif
}

// the helpers that read the same for both types
#define PLI_SIMD_NAME(name) pli_d4_##name
#define PLI_SIMD_T pli_d4
#define PLI_SIMD_MASK pli_d4_mask
#define PLI_SIMD_ELEMENT double
#define PLI_SIMD_INTEGER int64_t
#define PLI_SIMD_SIGN INT64_MIN
#define PLI_SIMD_EXPONENT 0x7ff0000000000000
#define PLI_SIMD_EXPONENT_ONE 0x0010000000000000
#define PLI_SIMD_EXPONENT_BIAS 1023
#include "math/simd_type.inl"

#define PLI_SIMD_NAME(name) pli_f8_##name
#define PLI_SIMD_T pli_f8
#define PLI_SIMD_MASK pli_f8_mask
#define PLI_SIMD_ELEMENT float
#define PLI_SIMD_INTEGER int32_t
#define PLI_SIMD_SIGN INT32_MIN
#define PLI_SIMD_EXPONENT 0x7f800000
#define PLI_SIMD_EXPONENT_ONE 0x00800000
#define PLI_SIMD_EXPONENT_BIAS 127
#include "math/simd_type.inl"

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Exponential of eight floats, and the same less one without loss near zero.
//
// x = n log 2 + r with n an integer and |r| <= log(2) / 2; e^r - 1 is its series up to r^7, and
//
//   e^x = 2^n + 2^n (e^r - 1)
//
// Within 2 units in the last place. Arguments are kept in [-87, 88], so that results are normal:
// far outside they are 1.6e-38 and 1.6e38. Not-a-number stays one.
#ifndef PLI_MATH_SIMD_EXP_H
#define PLI_MATH_SIMD_EXP_H

#include "math/simd.h"

// 2^n as the result, and 2^n (e^r - 1)
PLI_INLINE pli_f8 pli_f8_exp_parts(pli_f8 x, pli_f8 *rest)
{
    typedef uint32_t bits8 __attribute__((vector_size(32)));
    const float log2_inverse = 1.44269504f;
    const float log2_high = 0x1.62e4p-1f; // 15 bits: n log2_high is exact
    const float log2_low = 0x1.7f7d1cp-20f;
    const float magic = 0x1.8p23f; // a number added to it is rounded to an integer in its low bits
    const uint32_t magic_bits = 0x4b400000;
    const uint32_t bias = 127;

    // the second operand wins where one is not a number, so it stays one
    x = pli_f8_max(pli_f8_broadcast(-87), pli_f8_min(pli_f8_broadcast(88), x));
    pli_f8 shifted = x * log2_inverse + magic;
    pli_f8 n = shifted - magic;
    pli_f8 r = (x - n * log2_high) - n * log2_low;
    pli_f8 series = pli_f8_broadcast(1.0f / 5040);
    series = series * r + 1.0f / 720;
    series = series * r + 1.0f / 120;
    series = series * r + 1.0f / 24;
    series = series * r + 1.0f / 6;
    series = series * r + 0.5f;
    series = series * r + 1.0f;
    pli_f8 power = (pli_f8)(((bits8)shifted - magic_bits + bias) << 23);
    *rest = power * (series * r);
    return power;
}

PLI_INLINE pli_f8 pli_f8_exp(pli_f8 x)
{
    pli_f8 rest;
    pli_f8 power = pli_f8_exp_parts(x, &rest);
    return power + rest;
}

// e^x - 1
PLI_INLINE pli_f8 pli_f8_expm1(pli_f8 x)
{
    pli_f8 rest;
    pli_f8 power = pli_f8_exp_parts(x, &rest);
    return (power - 1.0f) + rest;
}

#endif

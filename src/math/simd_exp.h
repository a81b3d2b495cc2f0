// SPDX-License-Identifier: Apache-2.0
//
// Exponential of eight floats and of four doubles, and the same less one, and less one and x,
// without loss near zero.
//
// x = n log 2 + r with n an integer and |r| <= log(2) / 2; e^r - 1 is its series up to r^7 (in
// double r^14), and
//
//   e^x = 2^n + 2^n (e^r - 1)
//
// Within 2 units in the last place. Arguments are kept in [-87, 88] (in double +-700), so that
// results are normal: far outside they are 1.6e-38 and 1.6e38. Not-a-number stays one.
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

PLI_INLINE pli_d4 pli_d4_exp_parts(pli_d4 x, pli_d4 *rest)
{
    typedef uint64_t bits4 __attribute__((vector_size(32)));
    const double log2_inverse = 0x1.71547652b82fep0;
    const double log2_high = 0x1.62e42feep-1; // 32 bits
    const double log2_low = 0x1.a39ef35793c76p-33;
    const double magic = 0x1.8p52;
    const uint64_t magic_bits = 0x4338000000000000;
    const uint64_t bias = 1023;
    static const double inverse_factorials[14] = {1.0,
                                                  1.0 / 2,
                                                  1.0 / 6,
                                                  1.0 / 24,
                                                  1.0 / 120,
                                                  1.0 / 720,
                                                  1.0 / 5040,
                                                  1.0 / 40320,
                                                  1.0 / 362880,
                                                  1.0 / 3628800,
                                                  1.0 / 39916800,
                                                  1.0 / 479001600,
                                                  1.0 / 6227020800,
                                                  1.0 / 87178291200};

    x = pli_d4_max(pli_d4_broadcast(-700), pli_d4_min(pli_d4_broadcast(700), x));
    pli_d4 shifted = x * log2_inverse + magic;
    pli_d4 n = shifted - magic;
    pli_d4 r = (x - n * log2_high) - n * log2_low;
    pli_d4 series = pli_d4_broadcast(inverse_factorials[13]);
    for (int k = 12; k >= 0; --k) series = series * r + inverse_factorials[k];
    pli_d4 power = (pli_d4)(((bits4)shifted - magic_bits + bias) << 52);
    *rest = power * (series * r);
    return power;
}

PLI_INLINE pli_d4 pli_d4_exp(pli_d4 x)
{
    pli_d4 rest;
    pli_d4 power = pli_d4_exp_parts(x, &rest);
    return power + rest;
}

// e^x - 1
PLI_INLINE pli_d4 pli_d4_expm1(pli_d4 x)
{
    pli_d4 rest;
    pli_d4 power = pli_d4_exp_parts(x, &rest);
    return (power - 1.0) + rest;
}

// (e^x - 1 - x) / x^2 for |x| <= 1/2, by its series
PLI_INLINE pli_d4 pli_d4_exp_second(pli_d4 x)
{
    pli_d4 sum = pli_d4_broadcast(1);
    for (int k = 16; k >= 3; --k) sum = 1.0 + sum * x * (1.0 / k);
    return 0.5 * sum;
}

// e^x - 1 - x
PLI_INLINE pli_d4 pli_d4_expm1_above(pli_d4 x)
{
    pli_d4_mask is_small = (pli_d4_mask)(pli_d4_abs(x) < 0.5);
    return pli_d4_select(is_small, x * x * pli_d4_exp_second(x), pli_d4_expm1(x) - x);
}

// (e^x - 1) / x
PLI_INLINE pli_d4 pli_d4_expm1_slope(pli_d4 x)
{
    pli_d4_mask is_small = (pli_d4_mask)(pli_d4_abs(x) < 0.5);
    pli_d4 series = 1.0 + x * pli_d4_exp_second(x);
    return pli_d4_select(is_small, series, pli_d4_expm1(x) / x);
}

#endif

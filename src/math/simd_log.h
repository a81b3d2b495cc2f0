// SPDX-License-Identifier: Apache-2.0
//
// Natural logarithm of four doubles and of eight floats, for the laws that have one (neo-Hookean,
// Hencky).
//
// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), s = f / (2 + f), and
//
//   log(1 + f) = 2 artanh(s) = f - s (f - R),   R = 2 s^2 / 3 + 2 s^4 / 5 + 2 s^6 / 7 + ...
//
// |s| < 0.1716, so ten terms of the plain series reach the last bit. log 2 is split in two, the
// first with trailing zeros, so that k log 2 adds no error. Within 2 units in the last place of the
// C library's log.
//
// x must be positive, finite and normal; other lanes get a finite, meaningless value in double.
//
// In float four terms reach the last bit, and whatever is not positive, finite and normal gives
// not-a-number.
#ifndef PLI_MATH_SIMD_LOG_H
#define PLI_MATH_SIMD_LOG_H

#include "math/simd.h"

#include <float.h>
#include <math.h>

// x = 2^k (1 + f)
PLI_INLINE pli_d4 pli_d4_log_split(pli_d4 x, pli_d4 *f)
{
    typedef uint64_t bits4 __attribute__((vector_size(32)));
    const uint64_t one_bits = 0x3ff0000000000000;
    const uint64_t root_half_bits = 0x3fe6a09e667f3bcd;
    const uint64_t mantissa = 0x000fffffffffffff;
    const double bias = 1023;
    const double magic = 0x1p52; // a small integer in its low bits is added to it
    const uint64_t magic_bits = 0x4330000000000000;

    // counted from sqrt(1/2), the exponent field is k and the mantissa belongs to 1 + f
    bits4 bits = (bits4)x + (one_bits - root_half_bits);
    *f = (pli_d4)((bits & mantissa) + root_half_bits) - 1.0;
    return (pli_d4)((bits >> 52) | magic_bits) - (magic + bias);
}

// k log 2 + log(1 + f)
PLI_INLINE pli_d4 pli_d4_log_join(pli_d4 k, pli_d4 f)
{
    const double log2_high = 0x1.62e42feep-1; // 32 bits
    const double log2_low = 0x1.a39ef35793c76p-33;
    pli_d4 s = f / (2.0 + f);
    pli_d4 z = s * s;
    pli_d4 R = pli_d4_broadcast(2.0 / 21);
    for (int odd = 19; odd >= 3; odd -= 2) R = R * z + 2.0 / odd;
    R *= z;
    return k * log2_high + (f - (s * (f - R) - k * log2_low));
}

PLI_INLINE pli_d4 pli_d4_log(pli_d4 x)
{
    pli_d4 f;
    pli_d4 k = pli_d4_log_split(x, &f);
    return pli_d4_log_join(k, f);
}

// log x of an x whose distance from 1 is known better than x itself tells: above = x - 1, from
// wherever it has more digits. The result is as good as that.
PLI_INLINE pli_d4 pli_d4_log_above(pli_d4 x, pli_d4 above)
{
    pli_d4 f;
    pli_d4 k = pli_d4_log_split(x, &f);
    return pli_d4_log_join(k, pli_d4_select((pli_d4_mask)(k == 0.0), above, f));
}

PLI_INLINE pli_f8 pli_f8_log(pli_f8 x)
{
    typedef uint32_t bits8 __attribute__((vector_size(32)));
    const uint32_t one_bits = 0x3f800000;
    const uint32_t root_half_bits = 0x3f3504f3;
    const uint32_t mantissa = 0x007fffff;
    const float bias = 127;
    const float magic = 0x1p23f;
    const uint32_t magic_bits = 0x4b000000;
    const float log2_high = 0x1.62e4p-1f; // 15 bits
    const float log2_low = 0x1.7f7d1cp-20f;

    bits8 bits = (bits8)x + (one_bits - root_half_bits);
    pli_f8 f = (pli_f8)((bits & mantissa) + root_half_bits) - 1.0f;
    pli_f8 k = (pli_f8)((bits >> 23) | magic_bits) - (magic + bias);

    pli_f8 s = f / (2.0f + f);
    pli_f8 z = s * s;
    pli_f8 R = pli_f8_broadcast(2.0f / 9);
    for (int odd = 7; odd >= 3; odd -= 2) R = R * z + 2.0f / (float)odd;
    R *= z;
    pli_f8 value = k * log2_high + (f - (s * (f - R) - k * log2_low));
    pli_f8_mask valid = (pli_f8_mask)(x >= FLT_MIN) & (pli_f8_mask)(x <= FLT_MAX);
    return pli_f8_select(valid, value, pli_f8_broadcast(NAN));
}

#endif

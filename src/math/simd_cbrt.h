// SPDX-License-Identifier: Apache-2.0
//
// Cube root of eight positive floats.
//
// A third of the bits of x, read as an integer, is close to those of its root (within 4 percent);
// two of Halley's steps y <- y (y^3 + 2 x) / (2 y^3 + x), each of which cubes the error, reach the
// last bits. x must be normal with a normal cube of its root, 1e-36 to 1e36; not-a-number stays
// one.
#ifndef PLI_MATH_SIMD_CBRT_H
#define PLI_MATH_SIMD_CBRT_H

#include "math/simd.h"

PLI_INLINE pli_f8 pli_f8_cbrt(pli_f8 x)
{
    const float offset = 709921088.0f; // two thirds of the bits of 1, less what halves the error
    pli_f8 third = __builtin_convertvector((pli_f8_mask)x, pli_f8) * (1.0f / 3) + offset;
    pli_f8 y = (pli_f8) __builtin_convertvector(third, pli_f8_mask);
    for (int step = 0; step < 2; ++step) {
        pli_f8 cube = y * y * y;
        y = y * ((cube + 2.0f * x) / (2.0f * cube + x));
    }
    return y;
}

#endif

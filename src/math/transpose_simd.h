// SPDX-License-Identifier: Apache-2.0
//
// Between rows and planes: eight points of four floats each, as they lie in memory, and one vector
// of eight per coordinate, as kernels want them; or eight rows of eight.
#ifndef PLI_MATH_TRANSPOSE_SIMD_H
#define PLI_MATH_TRANSPOSE_SIMD_H

#include "math/simd.h"

typedef float pli_f4 __attribute__((vector_size(16)));

PLI_INLINE pli_f4 pli_f4_from_d4(pli_d4 x)
{
    return __builtin_convertvector(x, pli_f4);
}

PLI_INLINE pli_d4 pli_d4_from_f4(pli_f4 x)
{
    return __builtin_convertvector(x, pli_d4);
}

#ifdef __AVX2__
// planes[c][lane] = rows[lane][c] for the first three coordinates
PLI_INLINE void pli_rows_to_planes(const pli_f4 rows[8], pli_f8 planes[3])
{
    __m256 t[4];
    for (int k = 0; k < 4; ++k) t[k] = _mm256_set_m128(rows[k + 4], rows[k]);
    __m256 low01 = _mm256_unpacklo_ps(t[0], t[1]);
    __m256 low23 = _mm256_unpacklo_ps(t[2], t[3]);
    __m256 high01 = _mm256_unpackhi_ps(t[0], t[1]);
    __m256 high23 = _mm256_unpackhi_ps(t[2], t[3]);
    planes[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    planes[1] = _mm256_shuffle_ps(low01, low23, 0xee);
    planes[2] = _mm256_shuffle_ps(high01, high23, 0x44);
}

// rows[lane][c] = planes[c][lane]; the fourth coordinate is zero
PLI_INLINE void pli_planes_to_rows(const pli_f8 planes[3], pli_f4 rows[8])
{
    const __m256 zero = _mm256_setzero_ps();
    __m256 low_xy = _mm256_unpacklo_ps(planes[0], planes[1]);
    __m256 high_xy = _mm256_unpackhi_ps(planes[0], planes[1]);
    __m256 low_z = _mm256_unpacklo_ps(planes[2], zero);
    __m256 high_z = _mm256_unpackhi_ps(planes[2], zero);
    __m256 t[4] = {_mm256_shuffle_ps(low_xy, low_z, 0x44), _mm256_shuffle_ps(low_xy, low_z, 0xee),
                   _mm256_shuffle_ps(high_xy, high_z, 0x44),
                   _mm256_shuffle_ps(high_xy, high_z, 0xee)};
    for (int k = 0; k < 4; ++k) {
        rows[k] = _mm256_castps256_ps128(t[k]);
        rows[k + 4] = _mm256_extractf128_ps(t[k], 1);
    }
}
#else
PLI_INLINE void pli_rows_to_planes(const pli_f4 rows[8], pli_f8 planes[3])
{
    for (int c = 0; c < 3; ++c) {
        for (int lane = 0; lane < 8; ++lane) planes[c][lane] = rows[lane][c];
    }
}

PLI_INLINE void pli_planes_to_rows(const pli_f8 planes[3], pli_f4 rows[8])
{
    for (int lane = 0; lane < 8; ++lane) {
        rows[lane] = (pli_f4){planes[0][lane], planes[1][lane], planes[2][lane], 0};
    }
}
#endif

// to[k][lane] = from[lane][k]; must not overlap
PLI_INLINE void pli_transpose_f8(const pli_f8 from[8], pli_f8 to[8])
{
    pli_f8 a[8], b[8];
    for (int k = 0; k < 8; k += 2) {
        a[k] = __builtin_shufflevector(from[k], from[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        a[k + 1] = __builtin_shufflevector(from[k], from[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 8; k += 4) {
        for (int m = 0; m < 2; ++m) {
            b[k + 2 * m] =
                __builtin_shufflevector(a[k + m], a[k + 2 + m], 0, 1, 8, 9, 4, 5, 12, 13);
            b[k + 2 * m + 1] =
                __builtin_shufflevector(a[k + m], a[k + 2 + m], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int k = 0; k < 4; ++k) {
        to[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        to[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Logarithms of singular values, for laws that are written in them.
#ifndef PLI_MATERIAL_LOGARITHMIC_H
#define PLI_MATERIAL_LOGARITHMIC_H

#include "material/isotropic.h"

#include "math/simd_log.h"

// L_i = log s_i, and their sum
PLI_INLINE pli_d4 pli_logarithms(const pli_d4 s[3], pli_d4 L[3])
{
    for (int k = 0; k < 3; ++k) L[k] = pli_d4_log(s[k]);
    return L[0] + L[1] + L[2];
}

// D (s_i + s_j) / 2 with D = (L_i - L_j) / (s_i - s_j): artanh(r) / r, r = (s_i - s_j) / (s_i +
// s_j). The series is used where the logarithms are so close that their difference loses digits.
PLI_INLINE pli_d4 pli_mean_slope(pli_d4 si, pli_d4 sj, pli_d4 difference)
{
    pli_d4 r = (si - sj) / (si + sj);
    pli_d4 z = r * r;
    pli_d4 series = pli_d4_broadcast(1.0 / 17);
    for (int odd = 15; odd >= 1; odd -= 2) series = series * z + 1.0 / odd;
    return pli_d4_select((pli_d4_mask)(pli_d4_abs(r) < 0.1), series, 0.5 * difference / r);
}

#endif

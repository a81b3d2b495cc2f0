// SPDX-License-Identifier: Apache-2.0
#include "material/clamp.h"

#include "material/batch.h"

#include "math/eigen.h"
#include "math/simd.h"

// eigenvalues above minus this share of the trace are rounding: at rest three of them are zero
static const double rounding = 1e-13;

// Where A, of which the lower triangle is read and lost, has a Cholesky decomposition (without
// roots).
static pli_d4_mask is_positive(pli_d4 A[9][9])
{
    pli_d4_mask positive = ~(pli_d4_mask){0};
    pli_d4 size = {0};
    for (int k = 0; k < 9; ++k) size += pli_d4_abs(A[k][k]);
    for (int j = 0; j < 9; ++j) {
        pli_d4 pivot = A[j][j] + rounding * size;
        positive &= (pli_d4_mask)(pivot > 0.0);
        pli_d4 inverse = 1.0 / pivot;
        for (int i = j + 1; i < 9; ++i) {
            pli_d4 factor = A[i][j] * inverse;
            for (int k = j + 1; k <= i; ++k) A[i][k] -= factor * A[k][j];
        }
    }
    return positive;
}

static void clamp_one(int64_t stride, double *dPdF)
{
    double A[81];
    for (int k = 0; k < 81; ++k) A[k] = dPdF[k * stride];
    (void)pli_psd_clamp(9, A);
    for (int k = 0; k < 81; ++k) dPdF[k * stride] = A[k];
}

void pli_tangent_clamp(int64_t stride, double *dPdF)
{
    for (int begin = 0; begin < PLI_BLOCK; begin += PLI_D4_LANES) {
        pli_d4 A[9][9];
        for (int i = 0; i < 9; ++i) {
            for (int j = 0; j <= i; ++j) A[i][j] = pli_d4_load(dPdF + (9 * i + j) * stride + begin);
        }
        pli_d4_mask positive = is_positive(A);
        if (pli_d4_all(positive)) continue;
        for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
            if (positive[lane] == 0) clamp_one(stride, dPdF + begin + lane);
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "math/rotation_simd.h"

#include "math/svd_simd.h"

// R = U V^T, then the Schulz step for what rounding has left in the product.
void pli_rotation_by_svd_f8(const pli_f8 F[9], pli_f8 R[9])
{
    pli_svd_parts_f8 parts;
    pli_svd_f8(F, &parts);
    for (int k = 0; k < 9; ++k) {
        const pli_f8 *u = parts.U + k / 3 * 3, *v = parts.V + k % 3 * 3;
        R[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    }
    (void)pli_rotation_polish_f8(R);
}

void pli_rotation_by_svd_d4(const pli_d4 F[9], pli_d4 R[9])
{
    pli_svd_parts_d4 parts;
    pli_svd_d4(F, &parts);
    for (int k = 0; k < 9; ++k) {
        const pli_d4 *u = parts.U + k / 3 * 3, *v = parts.V + k % 3 * 3;
        R[k] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    }
    (void)pli_rotation_polish_d4(R);
}

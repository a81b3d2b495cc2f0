// SPDX-License-Identifier: Apache-2.0
#include "math/rotation_simd.h"

#include "math/svd_simd.h"

// R = U V^T, then the Schulz step for what rounding has left in the product.
void pli_rotation_by_svd_f8(const pli_f8 F[9], pli_f8 R[9])
{
    pli_svd_parts_f8 parts;
    pli_svd_f8(F, &parts);
    for (int i = 0; i < 9; i += 3) {
        for (int j = 0; j < 9; j += 3) {
            const pli_f8 *u = parts.U + i;
            const pli_f8 *v = parts.V + j;
            R[i + j / 3] = u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
        }
    }
    (void)pli_rotation_polish(R);
}

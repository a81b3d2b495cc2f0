// SPDX-License-Identifier: Apache-2.0
#include "fem/tet_shape.h"

#include "math/mat3.h"

void pli_tet_shape_compute(const double *rest, const int32_t corners[4], pli_tet_shape *shape)
{
    double D[9]; // columns are the edges from corner 0
    for (int a = 0; a < 3; ++a) {
        const double *x0 = rest + 3 * (int64_t)corners[0];
        const double *xa = rest + 3 * (int64_t)corners[a + 1];
        for (int i = 0; i < 3; ++i) D[3 * i + a] = xa[i] - x0[i];
    }
    shape->volume = pli_mat3_inverse(D, shape->gradients) / 6;
}

pli_status pli_tet_shape_check(pli_context *context, const pli_tet_shape *shape, int32_t number)
{
    if (shape->volume > 0) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_MESH,
                    "tetrahedron %d has the rest volume %g m^3; it must be positive", (int)number,
                    shape->volume);
}

void pli_tet_shape_add_lifted(const pli_tet_shape *shape, const int32_t corners[4],
                              double stiffness, pli_lifted *S)
{
    double G[4][3];
    for (int j = 0; j < 3; ++j) {
        const double *g = shape->gradients;
        G[0][j] = -(g[j] + g[3 + j] + g[6 + j]);
        for (int a = 0; a < 3; ++a) G[a + 1][j] = g[3 * a + j];
    }
    double weight = stiffness * shape->volume;
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            int64_t slot = pli_lifted_find(S, corners[a], corners[b]);
            pli_lifted_add(S, slot, weight * pli_vec3_dot(G[a], G[b]));
        }
    }
}

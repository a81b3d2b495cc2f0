// SPDX-License-Identifier: Apache-2.0
#include "fem/tet_quadratic.h"

#include "math/mat3.h"

#include <math.h>

static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

// d N_a / d L_k for L_1..L_3, with L_0 = 1 - L_1 - L_2 - L_3
static void differentiate(const double L[4], double D[PLI_TET10][3])
{
    // by all four as if they were independent
    double by[PLI_TET10][4] = {{0}};
    for (int c = 0; c < 4; ++c) by[c][c] = 4 * L[c] - 1;
    for (int e = 0; e < 6; ++e) {
        by[4 + e][edges[e][0]] = 4 * L[edges[e][1]];
        by[4 + e][edges[e][1]] = 4 * L[edges[e][0]];
    }
    for (int a = 0; a < PLI_TET10; ++a) {
        for (int k = 0; k < 3; ++k) D[a][k] = by[a][k + 1] - by[a][0];
    }
}

void pli_tet10_shape_compute(const double *rest, const int32_t nodes[PLI_TET10],
                             pli_tet10_shape *shape)
{
    const double high = (5 + 3 * sqrt(5)) / 20, low = (5 - sqrt(5)) / 20;
    for (int point = 0; point < PLI_TET10_POINTS; ++point) {
        double L[4], D[PLI_TET10][3], X[9] = {0}, inverse[9];
        for (int k = 0; k < 4; ++k) L[k] = k == point ? high : low;
        differentiate(L, D);
        for (int a = 0; a < PLI_TET10; ++a) {
            const double *x = rest + 3 * (int64_t)nodes[a];
            for (int k = 0; k < 9; ++k) X[k] += x[k / 3] * D[a][k % 3];
        }
        // dN/dX_j = sum_k dN/dL_k dL_k/dX_j; a quarter of the volume det / 6
        shape->volume[point] = pli_mat3_inverse(X, inverse) / 24;
        for (int k = 0; k < 3 * PLI_TET10; ++k) {
            int a = k / 3, j = k % 3;
            shape->gradients[point][k] =
                D[a][0] * inverse[j] + D[a][1] * inverse[3 + j] + D[a][2] * inverse[6 + j];
        }
    }
}

pli_status pli_tet10_shape_check(pli_context *context, const pli_tet10_shape *shape, int32_t number)
{
    for (int point = 0; point < PLI_TET10_POINTS; ++point) {
        if (shape->volume[point] > 0) continue;
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "the quadratic tetrahedron %d has J = %g at material point %d of its rest "
                        "shape, and it must be positive; its curved sides reach too far into it",
                        (int)number, 24 * shape->volume[point], point);
    }
    return PLI_OK;
}

double pli_tet10_lump(const double *rest, const int32_t nodes[PLI_TET10], double density,
                      double *sums)
{
    pli_tet10_shape shape;
    pli_tet10_shape_compute(rest, nodes, &shape);
    double total = 0;
    for (int point = 0; point < PLI_TET10_POINTS; ++point) total += density * shape.volume[point];
    for (int a = 0; a < PLI_TET10; ++a) sums[nodes[a]] += total * (a < 4 ? 1.0 / 36 : 4.0 / 27);
    return total;
}

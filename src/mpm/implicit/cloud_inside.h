// SPDX-License-Identifier: Apache-2.0
//
// What passes over the cells of a cloud share: weights of four particles, planes of nodes.
#ifndef PLI_MPM_IMPLICIT_CLOUD_INSIDE_H
#define PLI_MPM_IMPLICIT_CLOUD_INSIDE_H

#include "base/parallel.h"
#include "mpm/implicit/cloud.h"

#include <string.h>

// Finds the nodes of the cells of a cloud that were listed. Errors: memory.
PLI_CHECKED pli_status pli_cloud_find_nodes(pli_cloud *cloud);

// Calls body with the cells of every block of cells: blocks of a colour in parallel, colours one
// after the other. Cells of two blocks of a colour have no node in common.
void pli_cloud_run_blocks(const pli_cloud *cloud, pli_range_fn body, void *user);

// Weights of four particles, and derivatives in 1/m.
typedef struct pli_cloud_weights {
    pli_d4 w[3][PLI_SPLINE_WIDTH];
    pli_d4 d[3][PLI_SPLINE_WIDTH];
} pli_cloud_weights;

PLI_INLINE pli_d4 pli_cloud_load(const double *from)
{
    pli_d4 value;
    memcpy(&value, from, sizeof value);
    return value;
}

PLI_INLINE void pli_cloud_save(pli_d4 value, double *to)
{
    memcpy(to, &value, sizeof value);
}

PLI_INLINE void pli_cloud_weigh(const pli_cloud *cloud, int32_t width, int64_t slot,
                                pli_cloud_weights *at)
{
    double scale = 1 / cloud->dx;
    for (int axis = 0; axis < 3; ++axis) {
        pli_d4 f = pli_cloud_load(cloud->f + axis * (int64_t)cloud->slot_room + slot);
        pli_spline_weights(width, f, at->w[axis], at->d[axis]);
        for (int k = 0; k < width; ++k) at->d[axis][k] *= scale;
    }
}

// The gradient of the weight of node (i, j, k) of the cell (1/m).
PLI_INLINE void pli_cloud_gradient(const pli_cloud_weights *at, int i, int j, int k, pli_d4 g[3])
{
    pli_d4 xy = at->w[0][i] * at->w[1][j];
    g[0] = at->d[0][i] * at->w[1][j] * at->w[2][k];
    g[1] = at->w[0][i] * at->d[1][j] * at->w[2][k];
    g[2] = xy * at->d[2][k];
}

PLI_INLINE double pli_cloud_sum(pli_d4 x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

// The sums of four vectors, each added up as pli_cloud_sum does.
PLI_INLINE pli_d4 pli_cloud_sum4(const pli_d4 x[4])
{
    pli_d4 a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6) +
               __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    pli_d4 b = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6) +
               __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    return __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

// Copies the values [nodes][3] of the nodes of a cell to own [cell_nodes][3].
PLI_INLINE void pli_cloud_take(const pli_cloud *cloud, int64_t cell, const double *values,
                               double *own)
{
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        memcpy(own + 3 * n, values + 3 * (int64_t)nodes[n], 3 * sizeof *own);
    }
}

// G = sum of values times gradients (row-major), for four particles of a cell. Sums along z first,
// which the two axes across need both of.
PLI_INLINE void pli_cloud_differentiate(int32_t width, const pli_cloud_weights *at,
                                        const double *own, pli_d4 G[9])
{
    const pli_d4 zero = {0, 0, 0, 0};
    for (int k = 0; k < 9; ++k) G[k] = zero;
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            const double *line = own + 3 * width * (width * i + j);
            pli_d4 g[3] = {at->d[0][i] * at->w[1][j], at->w[0][i] * at->d[1][j],
                           at->w[0][i] * at->w[1][j]};
            for (int a = 0; a < 3; ++a) {
                pli_d4 value = line[a] * at->w[2][0], slope = line[a] * at->d[2][0];
                for (int k = 1; k < width; ++k) {
                    value += line[3 * k + a] * at->w[2][k];
                    slope += line[3 * k + a] * at->d[2][k];
                }
                G[3 * a] += g[0] * value;
                G[3 * a + 1] += g[1] * value;
                G[3 * a + 2] += g[2] * slope;
            }
        }
    }
}

// The slot, among those of pli_node_grid_neighbors within width - 1, of node j of a cell seen from
// node i of it.
PLI_INLINE int32_t pli_cloud_slot_between(int32_t width, int32_t i, int32_t j)
{
    int32_t reach = width - 1, side = 2 * reach + 1;
    int32_t x = j / (width * width) - i / (width * width) + reach;
    int32_t y = j / width % width - i / width % width + reach;
    int32_t z = j % width - i % width + reach;
    return (x * side + y) * side + z;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Grids of n x n cells bent into a disc, for round things that are built of cells.
//
// Squares around the middle become circles, (x, y) -> (x, y) max(|x|, |y|) / |(x, y)|, so the
// border has 4 n points on the unit circle. n is even: the middle is a point of the grid, and each
// of the four quarters mirrors its neighbours. Cells that are cut (pli_grid_mesh_cut_cell) from the
// corner next to the middle then cut the quarters' outer corners in half, which keeps them well
// shaped.
#ifndef PLI_GEOMETRY_GENERATE_DISC_GRID_H
#define PLI_GEOMETRY_GENERATE_DISC_GRID_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Point (i, j), each from 0 to cells, of the unit disc.
static inline void pli_disc_grid_point(int32_t cells, int32_t i, int32_t j, double point[2])
{
    point[0] = 2.0 * i / cells - 1;
    point[1] = 2.0 * j / cells - 1;
    double length = hypot(point[0], point[1]);
    if (length == 0) return;
    double squeeze = fmax(fabs(point[0]), fabs(point[1])) / length;
    point[0] *= squeeze;
    point[1] *= squeeze;
}

// Whether the side of cell number `cell` of `cells` next to the middle is its upper one.
static inline bool pli_disc_grid_is_lower(int32_t cells, int32_t cell)
{
    return 2 * cell < cells;
}

#endif

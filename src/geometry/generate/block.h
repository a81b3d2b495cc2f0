// SPDX-License-Identifier: Apache-2.0
//
// The 64 cells of a 4 x 4 x 4 block in Morton order: every aligned run of 8 is a 2 x 2 x 2 cube, so
// runs of any length are compact in space.
#ifndef PLI_GEOMETRY_GENERATE_BLOCK_H
#define PLI_GEOMETRY_GENERATE_BLOCK_H

#include <stdint.h>

enum { PLI_BLOCK_SIDE = 4, PLI_BLOCK_CELLS = 64 };

// Coordinates 0 .. 3 of a cell.
static inline void pli_block_coordinates(int32_t cell, int32_t at[3])
{
    for (int k = 0; k < 3; ++k) at[k] = (cell >> k & 1) | (cell >> (k + 3) & 1) << 1;
}

// The cell at these coordinates, of which only the lowest two bits count.
static inline int32_t pli_block_cell(int32_t x, int32_t y, int32_t z)
{
    return (x & 1) | (y & 1) << 1 | (z & 1) << 2 | (x & 2) << 2 | (y & 2) << 3 | (z & 2) << 4;
}

#endif

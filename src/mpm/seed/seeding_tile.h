// SPDX-License-Identifier: Apache-2.0
//
// A periodic cube of blue noise: per_cell particles a cell on average, exactly, no two closer than
// a radius, also across the cube's faces.
//
// Darts are thrown uniformly; one that is not closer than the radius to any that stuck before
// sticks. Random packings of this kind are full at n radius^3 = 0.733 for n particles in a unit
// volume (balls of half the radius then fill 0.384 of it); with 0.551, which is 75 % of that, 24
// darts are thrown for a particle that sticks, and the number always comes out. The background
// grid has cells that hold one particle at most, radius / sqrt(3) wide, so that a dart is compared
// with what is in the 125 cells around it, nearest cells first, since most darts hit near a
// particle (Bridson 2007 has the grid). A larger radius costs dearly: 0.85 instead of 0.82 takes
// three times as long.
#ifndef PLI_MPM_SEED_SEEDING_TILE_H
#define PLI_MPM_SEED_SEEDING_TILE_H

#include "base/context.h"

#include <stdint.h>

typedef struct pli_seeding_tile {
    pli_context *context;
    int32_t side;   // cells along each axis
    int32_t count;  // particles
    double radius;  // in cells
    double *points; // [count][3] in cells, in (0, side), none on a face of a cell
} pli_seeding_tile;

// Errors: memory.
PLI_CHECKED pli_status pli_seeding_tile_create(pli_context *context, int32_t per_cell,
                                               uint64_t seed, pli_seeding_tile **tile);
void pli_seeding_tile_destroy(pli_seeding_tile *tile);

// Which cell of the tile a particle is in, x fastest.
static inline int32_t pli_seeding_tile_cell(const pli_seeding_tile *tile, int32_t particle)
{
    const double *x = tile->points + 3 * (int64_t)particle;
    return (int32_t)x[0] + tile->side * ((int32_t)x[1] + tile->side * (int32_t)x[2]);
}

#endif

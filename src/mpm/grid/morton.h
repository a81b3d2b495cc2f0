// SPDX-License-Identifier: Apache-2.0
//
// Morton codes of whole coordinates: their bits in turn, so that what is near in space is mostly
// near in order (Morton 1966).
#ifndef PLI_MPM_GRID_MORTON_H
#define PLI_MPM_GRID_MORTON_H

#include <stdint.h>

// Spreads the lower 21 bits, two zeros between each and the next.
static inline uint64_t pli_morton_spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

// The code of coordinates from 0 to below 2^21, z in the lowest bit.
static inline uint64_t pli_morton(const int32_t at[3])
{
    return pli_morton_spread((uint64_t)at[0]) << 2 | pli_morton_spread((uint64_t)at[1]) << 1 |
           pli_morton_spread((uint64_t)at[2]);
}

#endif

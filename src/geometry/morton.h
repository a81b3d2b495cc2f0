// SPDX-License-Identifier: Apache-2.0
//
// Order of points along the Morton curve: interleave the bits of the three coordinates, so that
// neighbours in space are mostly neighbours in memory (Morton 1966).
#ifndef PLI_GEOMETRY_MORTON_H
#define PLI_GEOMETRY_MORTON_H

#include "base/context.h"

// Position on the curve of a point with three coordinates of 21 bits each.
uint64_t pli_morton_code(uint32_t x, uint32_t y, uint32_t z);

// order[k] is the k-th point [count][3] along the curve over their bounding cube; points with the
// same code keep their order. Errors: memory.
pli_status pli_morton_order(pli_context *context, int32_t count, const double *points,
                            int32_t *order);

#endif

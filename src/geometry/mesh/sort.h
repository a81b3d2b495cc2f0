// SPDX-License-Identifier: Apache-2.0
//
// Sorting by 64-bit keys, and the keys that make neighbours in space neighbours in memory.
#ifndef PLI_GEOMETRY_MESH_SORT_H
#define PLI_GEOMETRY_MESH_SORT_H

#include "base/context.h"
#include "geometry/collision/bounds.h"

// Fills order [count] with the indices that sort keys [count] upwards; equal keys keep their order
// (radix sort). keys is left as it was.
pli_status pli_sort_order(pli_context *context, int64_t count, const uint64_t *keys,
                          int32_t *order);

// The same with memory of the caller: scratch [count].
void pli_sort_order_in(int64_t count, const uint64_t *keys, int32_t *scratch, int32_t *order);

// Position of a point along the Hilbert curve that fills the cube around bounds, 63 bits.
uint64_t pli_hilbert_key(const pli_bounds *bounds, const double x[3]);

#endif

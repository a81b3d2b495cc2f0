// SPDX-License-Identifier: Apache-2.0
//
// The boundary of tetrahedra in a frame: the faces that only one tetrahedron has, outward for
// positive volumes, in an order that depends on the cells alone. Faces are sorted into bins by
// their smallest point, so that the time grows with their number.
#ifndef PLI_IO_FRAME_SURFACE_H
#define PLI_IO_FRAME_SURFACE_H

#include "base/arena.h"
#include "pliant/sim.h"

typedef struct pli_frame_surface {
    int32_t triangle_count;
    int32_t *triangles; // [triangle_count][3]  point ids
    int32_t *cell;      // [triangle_count]     the tetrahedron behind it
} pli_frame_surface;

// Arrays live in scratch. Indices must have been checked. Errors: memory.
PLI_CHECKED pli_status pli_frame_surface_build(const pli_frame_part *part, pli_arena *scratch,
                                               pli_frame_surface *surface);

#endif

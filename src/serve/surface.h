// SPDX-License-Identifier: Apache-2.0
//
// Surfaces of the meshes of frames, kept from frame to frame under a name that says what they are
// made of: equal names are equal surfaces.
//
// A store finds the surface of a part by its cells, whichever place the part has in its frame, and
// makes it where there is none. It keeps a few more than a frame has parts, so that looking at
// frames back and forth rebuilds nothing; the one that was not used for the longest time goes.
#ifndef PLI_SERVE_SURFACE_H
#define PLI_SERVE_SURFACE_H

#include "io/frames/skin.h"

typedef struct pli_surface {
    pli_skin skin;
    // the cells that lie behind the triangles around a point, in the order of the triangles
    int32_t *first;  // [point_count + 1] where those of a point begin
    int32_t *around; // [3 triangle_count]
    uint64_t name;   // never 0
    int64_t used;    // round in which it was last asked for
} pli_surface;

typedef struct pli_surface_store {
    pli_context *context;
    pli_surface *items; // [capacity]
    int32_t count;
    int32_t capacity;
    int64_t round;
} pli_surface_store;

void pli_surface_store_init(pli_surface_store *store, pli_context *context);
void pli_surface_store_clear(pli_surface_store *store);

// Begins to ask for the surfaces of a frame: so many of them are kept at least. Errors: memory.
PLI_CHECKED pli_status pli_surface_store_begin(pli_surface_store *store, int32_t part_count);

// The place in items of a mesh's surface; hint is where it may well be, or -1. Lifetime: until the
// next begin. Errors: mesh (an index is past the end), memory.
PLI_CHECKED pli_status pli_surface_store_find(pli_surface_store *store, const pli_frame_part *part,
                                              int32_t hint, int32_t *place);

#endif

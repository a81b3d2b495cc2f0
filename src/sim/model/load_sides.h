// SPDX-License-Identifier: Apache-2.0
//
// Sides of quadratic tetrahedra among the triangles of a load. A side is four triangles over six
// nodes. The forces of a uniform traction on it belong to the nodes on its edges, a third of the
// area to each, and not to its corners: shares by the four triangles, a twelfth to a corner and a
// quarter to a node on an edge, have the same sum but press dents that do not vanish as meshes are
// refined. A pressure that follows the surface has these forces when the four triangles count 4/3
// and the triangle of the corners -1/3: the volume below a side by Richardson's extrapolation.
#ifndef PLI_SIM_MODEL_LOAD_SIDES_H
#define PLI_SIM_MODEL_LOAD_SIDES_H

#include "sim/model/model.h"

typedef struct pli_load_sides {
    int32_t count;    // whole sides among the triangles
    int32_t *corners; // [count][3] counter-clockwise as their triangles
    uint8_t *nodes;   // [triangle_count] of a whole side: bits 1, 2, 4 for nodes on edges; else 0
} pli_load_sides;

// Errors: memory.
PLI_CHECKED pli_status pli_load_sides_find(const pli_model *model, int32_t triangle_count,
                                           const int32_t *triangles, pli_load_sides *sides);
void pli_load_sides_clear(pli_context *context, pli_load_sides *sides);

#endif

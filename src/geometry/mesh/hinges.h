// SPDX-License-Identifier: Apache-2.0
//
// The hinges of a set of triangles: pairs of triangles that share an edge.
//
// Works on plain arrays. An edge with one triangle is no hinge; one with two is one hinge; one with
// more has its triangles joined one to the next, in the order of their numbers. How the triangles
// are oriented does not matter. Hinges are ordered by the vertices of their edges, so they are as
// local as the numbering of the vertices.
//
// Threads: reads its input only.
#ifndef PLI_GEOMETRY_MESH_HINGES_H
#define PLI_GEOMETRY_MESH_HINGES_H

#include "base/context.h"

typedef struct pli_hinge_list {
    int32_t count;
    int32_t *vertices;  // [count][4] edge, smaller vertex first; opposite corner of each triangle
    int32_t *triangles; // [count][2] the two triangles, the smaller number first
} pli_hinge_list;

// Corners of a triangle must differ. Errors: argument (more triangles than sides can be counted
// for), memory; then there is nothing to clear.
PLI_CHECKED pli_status pli_hinge_list_build(pli_context *context, int32_t triangle_count,
                                            const int32_t *triangles, pli_hinge_list *list);
void pli_hinge_list_clear(pli_context *context, pli_hinge_list *list);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Structured surfaces: sheets of squares, flat or rolled up, each square cut into two triangles.
//
// The diagonals of neighbouring squares run across each other (by the parity of i + j), so that no
// direction is preferred. Vertex (i, j) has index i + (n + 1) j.
//
// A flat sheet lies across y, with its front towards +y. A scroll winds about the z axis along
// the spiral of Archimedes, r = r_0 + g phi / (2 pi): neighbouring turns are g apart. Its vertices
// are spaced equally along the spiral, its front is the outside.
#ifndef PLI_GEOMETRY_GENERATE_SHEET_MESH_H
#define PLI_GEOMETRY_GENERATE_SHEET_MESH_H

#include "geometry/mesh/tri_mesh.h"

typedef struct pli_sheet_mesh_def {
    double center[3]; // m
    double size[2];   // along x and z (m)
    int32_t cells[2]; // at least 1
} pli_sheet_mesh_def;

typedef struct pli_scroll_mesh_def {
    double center[3]; // of the axis (m)
    double radius;    // where the spiral begins (m)
    double gap;       // from one turn to the next (m)
    double turns;
    double width;     // along z (m)
    int32_t cells[2]; // along the spiral and along the axis, at least 1
} pli_scroll_mesh_def;

// Errors: argument, memory.
PLI_CHECKED pli_status pli_sheet_mesh_create(pli_context *context, const pli_sheet_mesh_def *def,
                                             pli_tri_mesh **mesh);
PLI_CHECKED pli_status pli_scroll_mesh_create(pli_context *context, const pli_scroll_mesh_def *def,
                                              pli_tri_mesh **mesh);

// Length of the spiral from its beginning to the angle phi (m).
double pli_scroll_length(const pli_scroll_mesh_def *def, double phi);

#endif

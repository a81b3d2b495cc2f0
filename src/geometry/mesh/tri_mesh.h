// SPDX-License-Identifier: Apache-2.0
//
// Triangle meshes: surfaces given from outside (files) or taken from tetrahedra.
//
// A mesh may be anything: open, several pieces, badly oriented. pli_tri_mesh_report says what it
// is; who needs a closed surface asks for it.
#ifndef PLI_GEOMETRY_MESH_TRI_MESH_H
#define PLI_GEOMETRY_MESH_TRI_MESH_H

#include "base/context.h"
#include "geometry/collision/bounds.h"

typedef struct pli_tri_mesh {
    pli_context *context;
    int32_t vertex_count;
    int32_t triangle_count;
    double *points;     // [vertex_count][3] position (m)
    int32_t *triangles; // [triangle_count][3] corners, counter-clockwise seen from outside
} pli_tri_mesh;

typedef struct pli_tri_mesh_report {
    bool is_closed;               // every edge has as many triangles on one side as on the other
    bool is_oriented;             // no two triangles run through an edge in the same direction
    bool is_manifold;             // every edge has at most two triangles, every vertex one fan
    int32_t open_edges;           // edges with one triangle
    int32_t crowded_edges;        // edges with more than two
    int32_t misoriented_edges;    // edges that two triangles run through in the same direction
    int32_t pinched_vertices;     // vertices with more than one fan of triangles
    int32_t degenerate_triangles; // without area
    int32_t unused_vertices;
    int32_t component_count; // pieces connected through shared vertices
    double area;             // m^2
    double volume;           // enclosed, positive when triangles face outwards (m^3); closed only
} pli_tri_mesh_report;

// Copies a surface. Errors: mesh (index out of range, repeated corner, coordinate not finite; the
// message names the first ones), memory.
pli_status pli_tri_mesh_create(pli_context *context, int32_t vertex_count, const double *points,
                               int32_t triangle_count, const int32_t *triangles,
                               pli_tri_mesh **mesh);
void pli_tri_mesh_destroy(pli_tri_mesh *mesh);

pli_status pli_tri_mesh_check(const pli_tri_mesh *mesh, pli_tri_mesh_report *report);

// Marks with 1 the vertices where the surface touches itself, marks [vertex_count]: those with more
// than one fan and the ends of crowded edges. *count gets their number.
pli_status pli_tri_mesh_mark_pinches(const pli_tri_mesh *mesh, uint8_t *marks, int32_t *count);

pli_bounds pli_tri_mesh_bounds(const pli_tri_mesh *mesh);
double pli_tri_mesh_area(const pli_tri_mesh *mesh);

// Enclosed volume by the divergence theorem; meaningful for closed oriented meshes.
double pli_tri_mesh_volume(const pli_tri_mesh *mesh);

#endif

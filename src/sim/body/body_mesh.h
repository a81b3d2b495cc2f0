// SPDX-License-Identifier: Apache-2.0
//
// The mesh of a body of the scene, in the body's own coordinates: tetrahedra of a solid, triangles
// of a shell or an obstacle.
//
// Triangles come from a sheet, a scroll or a surface file; every geometry with tetrahedra gives its
// boundary instead, with the vertices inside left out. Both kinds look the same to who only asks
// for vertices and cells.
// Geometry that is built of pieces has a mesh for each, see body_piece.h.
#ifndef PLI_SIM_BODY_BODY_MESH_H
#define PLI_SIM_BODY_BODY_MESH_H

#include "geometry/mesh/tet_mesh.h"
#include "geometry/mesh/tri_mesh.h"
#include "pliant/scene.h"

typedef struct pli_body_mesh {
    pli_context *context;
    pli_tet_mesh *solid;   // NULL: it is a surface
    pli_tri_mesh *surface; // NULL: it is a solid
    int32_t *origin;       // [vertex_count] of a surface: what vertex_origin points to
    int32_t *group;        // [cell_count] of a surface: what cell_group points to; NULL: no groups

    // the mesh, whichever it is
    int32_t vertex_count;
    int32_t cell_count;
    int32_t corner_count;         // of a cell, 4 or 3
    const double *points;         // [vertex_count][3] (m)
    const int32_t *cells;         // [cell_count][corner_count]
    const int32_t *cell_group;    // [cell_count] group, -1: none; NULL: no groups at all
    const int32_t *vertex_origin; // [vertex_count] number of the vertex in its file, ascending
    const int32_t *mid;           // [cell_count][6] nodes on edges; NULL: cells are linear
} pli_body_mesh;

// The mesh of one piece; a solid's with nodes on its edges if it is to be quadratic. Errors: scene,
// mesh, argument, memory.
pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                bool quadratic, pli_body_mesh **mesh);
void pli_body_mesh_destroy(pli_body_mesh *mesh);

// The mesh of something that is a surface already, which is taken, also when that fails.
// Errors: memory.
pli_status pli_body_mesh_take(pli_tri_mesh *taken, pli_body_mesh **mesh);

// The content of the mesh file that a body is made from; NULL for other kinds of geometry.
const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def);

// Whether a body's geometry has tetrahedra; a file that was not read has none.
bool pli_body_mesh_has_tets(const pli_body_def *def);

#endif

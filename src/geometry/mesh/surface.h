// SPDX-License-Identifier: Apache-2.0
//
// The boundary of a tetrahedral mesh: faces that belong to one element only, facing outwards.
//
// The boundary of any mesh is closed: every edge has as many triangles running one way as the
// other. It is a manifold unless the mesh touches itself in a vertex or an edge.
// Triangles are ordered by their smallest vertex, so they are as local as the mesh's numbering.
#ifndef PLI_GEOMETRY_MESH_SURFACE_H
#define PLI_GEOMETRY_MESH_SURFACE_H

#include "geometry/mesh/tet_mesh.h"
#include "geometry/mesh/tri_mesh.h"

typedef struct pli_surface {
    pli_context *context;
    int32_t triangle_count;
    int32_t vertex_count;       // vertices on the surface
    int32_t *triangles;         // [triangle_count][3] mesh vertices, counter-clockwise from outside
    int32_t *tet_of_triangle;   // [triangle_count] the element it is a face of
    int32_t *mesh_vertex;       // [vertex_count] mesh vertex of each surface vertex, ascending
    int32_t *surface_of_vertex; // [mesh vertex_count] surface vertex, -1: inside
} pli_surface;

// Errors: mesh (a face that belongs to more than two elements, or to two on the same side), memory.
pli_status pli_surface_create(const pli_tet_mesh *mesh, pli_surface **surface);
void pli_surface_destroy(pli_surface *surface);

// The surface as a mesh of its own, numbered by surface vertices.
pli_status pli_surface_to_tri_mesh(const pli_surface *surface, const pli_tet_mesh *mesh,
                                   pli_tri_mesh **tri_mesh);

#endif

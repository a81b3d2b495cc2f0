// SPDX-License-Identifier: Apache-2.0
//
// Selections of vertices and tetrahedra of one body, by where they are in the body's initial
// placement or by the groups of its mesh file or recipe (body_group.h).
#ifndef PLI_SIM_SELECTION_H
#define PLI_SIM_SELECTION_H

#include "geometry/tet_mesh.h"
#include "pliant/scene.h"

// The body that is selected from.
typedef struct pli_selection_source {
    const pli_body_def *body;
    const pli_tet_mesh *mesh; // in the body's own coordinates; of a file, its tetrahedra are the
                              // file's in the same order, and vertex_origin is ascending
    const double *points;     // [mesh->vertex_count][3] placed rest shape (m)
} pli_selection_source;

// Marks the selected vertices, mask [vertex_count]; vertices of a group are those of its
// tetrahedra and triangles, those of a place lie in it. Returns how many there are.
int32_t pli_selection_mark_vertices(const pli_variant *where, const pli_selection_source *source,
                                    uint8_t *mask);

// Marks the selected tetrahedra, mask [tet_count]: by centroid, by group, or all of whose vertices
// are listed. Returns how many there are.
int32_t pli_selection_mark_tets(const pli_variant *where, const pli_selection_source *source,
                                uint8_t *mask);

#endif

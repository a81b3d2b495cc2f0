// SPDX-License-Identifier: Apache-2.0
//
// Selections of vertices and cells of one body, by where they are in the body's initial
// placement or by the groups of its mesh file or recipe (body_group.h).
#ifndef PLI_SIM_BODY_SELECTION_H
#define PLI_SIM_BODY_SELECTION_H

#include "sim/body/body_mesh.h"

// The body that is selected from.
typedef struct pli_selection_source {
    const pli_body_def *body;
    const pli_body_mesh *mesh; // in the body's own coordinates
    const double *points;      // [mesh->vertex_count][3] placed rest shape (m)
} pli_selection_source;

// Whether a selection by place contains a point; false for selections by name or number.
bool pli_selection_contains(const pli_variant *where, const double point[3]);

// Marks the selected vertices, mask [vertex_count]; vertices of a group are those of its
// tetrahedra and triangles, those of a place lie in it. Returns how many there are.
int32_t pli_selection_mark_vertices(const pli_variant *where, const pli_selection_source *source,
                                    uint8_t *mask);

// Marks the selected cells, tetrahedra or triangles, mask [cell_count]: by centroid, by group, or
// all of whose vertices are listed. Returns how many there are.
int32_t pli_selection_mark_cells(const pli_variant *where, const pli_selection_source *source,
                                 uint8_t *mask);

// Marks the selected triangles of a surface of the mesh, mask [triangle_count]: those of a group of
// triangles in the file; for any other selection those whose vertices are all in vertex_mask, as
// mark_vertices left it. Errors: memory.
PLI_CHECKED pli_status pli_selection_mark_triangles(const pli_variant *where,
                                                    const pli_selection_source *source,
                                                    int32_t triangle_count,
                                                    const int32_t *triangles,
                                                    const uint8_t *vertex_mask, uint8_t *mask);

#endif

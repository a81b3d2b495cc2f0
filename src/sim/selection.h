// SPDX-License-Identifier: Apache-2.0
//
// Selections of vertices and tetrahedra of one body, by where they are in the body's initial
// placement or by the groups of its mesh file.
#ifndef PLI_SIM_SELECTION_H
#define PLI_SIM_SELECTION_H

#include "pliant/scene.h"

// The body that is selected from.
typedef struct pli_selection_source {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] placed rest shape (m)
    int32_t tet_count;
    const int32_t *tets; // [tet_count][4]
    // the file it came from, or NULL; its tetrahedra are the body's, in the same order
    const pli_mesh_data *file;
    const int32_t *origin; // [vertex_count] number in the file (or of the generator), ascending
} pli_selection_source;

// Marks the selected vertices, mask [vertex_count]; vertices of a group are those of its
// tetrahedra and triangles. Returns how many there are.
int32_t pli_selection_mark_vertices(const pli_variant *where, const pli_selection_source *source,
                                    uint8_t *mask);

// Marks the selected tetrahedra, mask [tet_count]: by centroid, by group, or all of whose vertices
// are listed. Returns how many there are.
int32_t pli_selection_mark_tets(const pli_variant *where, const pli_selection_source *source,
                                uint8_t *mask);

#endif

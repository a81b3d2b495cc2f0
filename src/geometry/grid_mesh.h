// SPDX-License-Identifier: Apache-2.0
//
// Structured boxes: nx x ny x nz cells, each cut into five or six tetrahedra.
//
// Five: one regular tetrahedron in the middle and four corners; neighbouring cells are mirrored (by
// the parity of i + j + k) so that their diagonals meet. Better shaped, but the mesh has a slight
// grain. Six: the Kuhn subdivision (Freudenthal 1942) around the cell's main diagonal, the same in
// every cell. Both fill the box exactly.
// Vertex (i, j, k) has index i + (nx + 1) (j + (ny + 1) k).
#ifndef PLI_GEOMETRY_GRID_MESH_H
#define PLI_GEOMETRY_GRID_MESH_H

#include "geometry/tet_mesh.h"

typedef enum pli_grid_mesh_split {
    PLI_GRID_MESH_FIVE = 5,
    PLI_GRID_MESH_SIX = 6
} pli_grid_mesh_split;

typedef struct pli_grid_mesh_def {
    pli_bounds bounds; // the box (m)
    int32_t cells[3];  // number of cells along x, y, z, at least 1
    pli_grid_mesh_split split;
} pli_grid_mesh_def;

// Errors: argument, memory.
pli_status pli_grid_mesh_create(pli_context *context, const pli_grid_mesh_def *def,
                                pli_tet_mesh **mesh);

#endif

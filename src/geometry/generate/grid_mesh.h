// SPDX-License-Identifier: Apache-2.0
//
// Structured boxes: nx x ny x nz cells, each cut into five or six tetrahedra.
//
// Five: one regular tetrahedron in the middle and four corners; neighbouring cells are mirrored (by
// the parity of i + j + k) so that their diagonals meet. Better shaped, but the mesh has a slight
// grain. Six: the Kuhn subdivision (Freudenthal 1942) around the cell's main diagonal, the same in
// every cell. Both fill the box exactly.
// Vertex (i, j, k) has index i + (nx + 1) (j + (ny + 1) k).
#ifndef PLI_GEOMETRY_GENERATE_GRID_MESH_H
#define PLI_GEOMETRY_GENERATE_GRID_MESH_H

#include "geometry/mesh/tet_mesh.h"

typedef enum pli_grid_mesh_split {
    PLI_GRID_MESH_FIVE = 5,
    PLI_GRID_MESH_SIX = 6
} pli_grid_mesh_split;

typedef struct pli_grid_mesh_def {
    pli_bounds bounds; // the box (m)
    int32_t cells[3];  // number of cells along x, y, z, at least 1
    pli_grid_mesh_split split;
} pli_grid_mesh_def;

// The Kuhn subdivision of one cell, for meshes whose cells are bent or left out. corners[8] are the
// vertices of the cell, numbered by bits: x 1, y 2, z 4. The main diagonal goes from corner
// `origin` to the opposite one. Cells that share a face fit when their origins agree but for the
// direction across the face. tets [6][4] are set.
void pli_grid_mesh_cut_cell(const int32_t corners[8], int32_t origin, int32_t *tets);

// Errors: argument, memory.
pli_status pli_grid_mesh_create(pli_context *context, const pli_grid_mesh_def *def,
                                pli_tet_mesh **mesh);

#endif

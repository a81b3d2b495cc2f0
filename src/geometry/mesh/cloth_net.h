// SPDX-License-Identifier: Apache-2.0
//
// Which vertices of a surface springs join when it is made into mass-spring cloth.
//
// On a grid of (n + 1) x (m + 1) vertices, vertex (i, j) with index i + (n + 1) j:
//
//     structural  neighbours along the grid        n (m + 1) + m (n + 1)
//     shear       both diagonals of every square   2 n m
//     bend        two squares apart along the grid (n - 1) (m + 1) + (m - 1) (n + 1)
//
// that is 240398 springs on 201 x 201 vertices and 375498 on 251 x 251; published counts of 240000
// and 375000 are six to a square, boundaries left out. Springs are ordered by their first vertex.
//
// On any other set of triangles, edges are structural, and a bend spring joins the two vertices
// across each inner edge, which resists shear as well. No two vertices are joined twice: where a
// bend spring would join what is joined already it is left out. Springs are sorted by their ends.
//
// Threads: reads its input only.
#ifndef PLI_GEOMETRY_MESH_CLOTH_NET_H
#define PLI_GEOMETRY_MESH_CLOTH_NET_H

#include "base/context.h"

typedef struct pli_cloth_net {
    int32_t count;
    int32_t *ends;  // [count][2]
    uint8_t *bends; // [count]  1: a bend spring, 0: structural or shear
} pli_cloth_net;

// Springs of a grid of cells[0] x cells[1] squares. Errors: argument (no cells, or too many to be
// counted), memory; then there is nothing to clear.
PLI_CHECKED pli_status pli_cloth_net_build_grid(pli_context *context, const int32_t cells[2],
                                                pli_cloth_net *net);

// Springs of triangles [triangle_count][3], the corners of each different. Errors: argument (more
// triangles than sides can be counted for), memory; then there is nothing to clear.
PLI_CHECKED pli_status pli_cloth_net_build(pli_context *context, int32_t triangle_count,
                                           const int32_t *triangles, pli_cloth_net *net);
void pli_cloth_net_clear(pli_context *context, pli_cloth_net *net);

#endif

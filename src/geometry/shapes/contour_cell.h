// SPDX-License-Identifier: Apache-2.0
//
// One cell of dual contouring: which of its crossed edges belong together, and where the vertex of
// such a piece of surface stands.
//
// Corner c of a cell lies at its high side along x, y, z where bits 1, 2, 4 of c are set. Edge
// 4 a + j runs along axis a; bits 1 and 2 of j say whether it lies at the high side along the axes
// a + 1 and a + 2 (modulo 3). Face 2 a + s lies across axis a, at the low (0) or high (1) side. A
// mask has bit c set when corner c is inside.
//
// On a face with two crossed edges the surface runs from one to the other. With four, each of the
// two inside corners is cut off by itself; the choice depends on the face alone, so both cells that
// share it agree. Followed from face to face these paths close to loops; a loop is a piece of
// surface.
//
// The vertex minimises the squared distances from the tangent planes of the loop's crossings,
//     sum_i (n_i . (x - p_i))^2,
// starting from the mean of the p_i and leaving out directions in which the planes say little:
// those with eigenvalues of sum n n^T under a hundredth of the largest (planes that differ by less
// than 11 degrees make no edge). It stays in the cell: a coordinate that would leave is fixed at
// the border, and the others are found again.
#ifndef PLI_GEOMETRY_SHAPES_CONTOUR_CELL_H
#define PLI_GEOMETRY_SHAPES_CONTOUR_CELL_H

#include "geometry/collision/bounds.h"

enum { PLI_CONTOUR_EDGES = 12, PLI_CONTOUR_FACES = 6, PLI_CONTOUR_NO_LOOP = 255 };

typedef struct pli_contour_case {
    uint8_t loop_count;
    uint8_t loop[PLI_CONTOUR_EDGES]; // of each edge; PLI_CONTOUR_NO_LOOP: not crossed
    uint8_t folded; // bit f: both paths through face f, which has two, belong to one loop
} pli_contour_case;

// Fills cases [256], one for each mask.
void pli_contour_cases_build(pli_contour_case *cases);

// The corners at the low and at the high end of an edge.
static inline int pli_contour_edge_corner(int edge, int end)
{
    int axis = edge / 4;
    return (edge & 1) << (axis + 1) % 3 | (edge >> 1 & 1) << (axis + 2) % 3 | end << axis;
}

// What a vertex is made from.
typedef struct pli_contour_planes {
    int32_t count;
    double point[PLI_CONTOUR_EDGES][3];  // on the surface (m)
    double normal[PLI_CONTOUR_EDGES][3]; // unit
} pli_contour_planes;

// The vertex of at least one crossing, inside of the cell.
void pli_contour_vertex(const pli_contour_planes *planes, const pli_bounds *cell, double x[3]);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Triangles for any simple polygon in the plane, and a proof that it is simple, in one pass.
//
// Method: a line sweeps over the corners in the order of x, then y. The sides that it meets stand
// in a balanced tree, from low to high. Between two of them that bound the interior hangs a chain
// of corners behind which everything is cut into triangles already (Hertel and Mehlhorn 1983, "Fast
// triangulation of simple polygons"); a new corner is joined to all of the chain that it sees.
// Sides that become neighbours in the tree are tested against each other, so that the first place
// at which two sides cross or touch is found before anything is built on it (Shamos and Hoey 1976,
// "Geometric intersection problems"). All decisions are signs of exact determinants (predicates.h),
// and equal x are ordered as if the plane had been sheared by very little.
//
// O(n log n) for n corners, whatever their shape. A corner on the line between its neighbours
// remains a corner; every triangle has an area.
//
// Coordinates beyond the range of the predicates give a fault or triangles that mean nothing;
// memory and time keep to their bounds.
#ifndef PLI_GEOMETRY_MESH_POLYGON_SWEEP_H
#define PLI_GEOMETRY_MESH_POLYGON_SWEEP_H

#include "base/arena.h"

typedef enum pli_polygon_fault {
    PLI_POLYGON_SIMPLE,     // none
    PLI_POLYGON_COINCIDENT, // two corners lie at one place
    PLI_POLYGON_CROSSING,   // two sides cross, touch or lie on each other
    PLI_POLYGON_FLAT,       // all corners lie on one line
    // found by pli_triangulate only
    PLI_POLYGON_FOLDED, // parts lie over others, back to back
    PLI_POLYGON_BENT    // far from plane, but cut into triangles
} pli_polygon_fault;

typedef struct pli_polygon_report {
    pli_polygon_fault fault;
    int32_t first;  // corner, or corner at which the side begins
    int32_t second; // the same of the other
} pli_polygon_report;

// Fills triangles [count - 2][3] with corners of a polygon of at least 3 corners, in its
// orientation; they mean nothing when report has a fault. Errors: memory.
PLI_CHECKED pli_status pli_polygon_sweep(pli_arena *scratch, int32_t count,
                                         const double (*corners)[2], int32_t (*triangles)[3],
                                         pli_polygon_report *report);

#endif

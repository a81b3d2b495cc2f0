// SPDX-License-Identifier: Apache-2.0
//
// Round rods, straight or closed to a ring, built of cells: for bundles, chains and ropes, where a
// lattice would need many more tetrahedra to be as smooth.
//
// A rod lies along x, its middle in the origin. A ring lies around the y axis. The cross-section is
// a disc of cells (disc_grid.h); each cell between two cross-sections is cut into six tetrahedra.
// Both are inscribed: vertices of the surface lie on the cylinder or torus.
//
// Threads: plain functions.
#ifndef PLI_GEOMETRY_GENERATE_ROD_H
#define PLI_GEOMETRY_GENERATE_ROD_H

#include "geometry/mesh/tet_mesh.h"

typedef struct pli_rod_plan {
    bool closed;    // to a ring
    double length;  // of a rod; of a ring, the radius of the tube's middle line (m)
    double radius;  // of the cross-section (m), less than that of the ring
    int32_t sides;  // cells across, even; 4 sides edges around
    int32_t layers; // cells along, at least 3 for a ring
} pli_rod_plan;

// Whether the rod can be made. Errors: argument.
pli_status pli_rod_check(pli_context *context, const pli_rod_plan *plan);

// Errors: those of pli_rod_check, memory.
pli_status pli_rod_create(pli_context *context, const pli_rod_plan *plan, pli_tet_mesh **mesh);

#endif

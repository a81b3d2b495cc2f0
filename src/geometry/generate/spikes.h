// SPDX-License-Identifier: Apache-2.0
//
// A bed of spikes: rows of cones with round tips on a plate, as one mesh.
//
// The plate's top is the plane y = 0, spikes stand up from it, all is symmetric about x = 0 and
// z = 0. A spike is a cone from the radius R on the plate that ends in a ball of the tip's radius r
// at the given height, and touches it: with the ball's middle at y = c = height - r, the cone's
// normal has the elevation alpha with R cos(alpha) - c sin(alpha) = r.
//
//           _
//          / \       r                Seen from above, the square of every spike has a disc of
//         /   \                       sides x sides cells in the middle (disc_grid.h) and a border
//        /     \     height           of one cell around it. A spike has 4 sides edges around.
//     __/___R___\__  y = 0
//    |_____________| y = -plate
//
// Radii of the layers of a spike shrink by equal factors. Each cell is cut into six tetrahedra
// (grid_mesh.h) with the diagonal from the spike's axis outwards, so the mesh is as symmetric as
// the spikes are.
//
// Threads: plain functions.
#ifndef PLI_GEOMETRY_GENERATE_SPIKES_H
#define PLI_GEOMETRY_GENERATE_SPIKES_H

#include "geometry/mesh/tet_mesh.h"

typedef struct pli_spikes_plan {
    int32_t columns;   // spikes along x
    int32_t rows;      // spikes along z
    double pitch;      // from a spike to the next (m)
    double height;     // of the tips above the plate (m)
    double radius;     // on the plate, less than half the pitch (m)
    double tip_radius; // less than radius and half the height (m)
    double plate;      // thickness of the plate (m)
    int32_t sides;     // cells across a spike, even
    int32_t layers;    // cells along a spike
} pli_spikes_plan;

// Whether the spikes can be made. Errors: argument.
pli_status pli_spikes_check(pli_context *context, const pli_spikes_plan *plan);

// Errors: those of pli_spikes_check, memory.
pli_status pli_spikes_create(pli_context *context, const pli_spikes_plan *plan,
                             pli_tet_mesh **mesh);

#endif

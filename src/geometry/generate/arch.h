// SPDX-License-Identifier: Apache-2.0
//
// A masonry arch: wedge-shaped blocks along a catenary, with even gaps between them.
//
// The middle line of the arch is the catenary (Hooke 1675: as hangs the flexible line, so but
// inverted will stand the rigid arch)
//
//     y = rise + a (1 - cosh(x / a)),   |x| <= span / 2,   y(span / 2) = 0,
//
// whose shape number u = span / (2 a) solves cosh u - 1 = 2 u rise / span. An arch of even
// thickness weighs the same per length of this line, so the line is its own line of thrust: with
// joints at right angles to it nothing slides, and the thrust stays within the middle third. Where
// the arch stands on the ground, the thrust leans from the vertical by the slope of the line's end,
// 1 / sinh u: on a rough ground it stands when the friction is more, 1 / sinh u < mu. A rise of
// 0.43 span is enough for mu = 0.5.
//
//            _____                 outer corners
//          / |   | \               joints: at equal lengths along the line
//         /\-+---+-/\              middle line
//        /  \|___|/  \             inner corners
//       |---|     |---|
//       |___|     |___|   y = gap  the ends are level
//
// Neighbours face each other with parallel faces at the distance `gap`; the ends are level and
// stand `gap` above the plane y = 0. All faces of a block are plane, so its tetrahedra fill it
// exactly. The arch is symmetric about x = 0 and z = 0, its blocks are counted from -x to +x.
//
// Threads: plain functions.
#ifndef PLI_GEOMETRY_GENERATE_ARCH_H
#define PLI_GEOMETRY_GENERATE_ARCH_H

#include "geometry/mesh/tet_mesh.h"

typedef struct pli_arch_plan {
    double span;      // between the ends of the middle line (m)
    double rise;      // of the middle line (m)
    double thickness; // across the middle line (m)
    double depth;     // along z (m)
    double gap;       // between blocks, and to the ground (m), may be 0
    int32_t blocks;   // at least 1
    int32_t cells[3]; // of a block along the line, across it and along z
} pli_arch_plan;

// Whether the blocks can be made. Errors: argument (too thick for its bend or for the length of its
// blocks, too wide a gap).
pli_status pli_arch_check(pli_context *context, const pli_arch_plan *plan);

// The corners of a block in the x-y plane: inner and outer one of the joint before, then outer and
// inner one of the joint after. Errors: those of pli_arch_check for this block.
pli_status pli_arch_block_corners(pli_context *context, const pli_arch_plan *plan, int32_t block,
                                  double corners[4][2]);

// One block as a mesh, each cell cut into six. Errors: those of pli_arch_check, memory.
pli_status pli_arch_block_create(pli_context *context, const pli_arch_plan *plan, int32_t block,
                                 pli_tet_mesh **mesh);

#endif

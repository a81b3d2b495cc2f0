// SPDX-License-Identifier: Apache-2.0
//
// Building blocks of recipes: parts are put on a pile, and what lies on it since a mark is blended,
// cut or otherwise combined into one. The first failure sticks and makes everything after it a
// no-op, so a recipe reads as a list of parts and checks once at the end.
//
// Lengths are in the recipe's own unit; angles in degrees; y is up and figures look along +z.
#ifndef PLI_GEOMETRY_GENERATE_SCULPT_H
#define PLI_GEOMETRY_GENERATE_SCULPT_H

#include "geometry/shapes/shape.h"

typedef struct pli_sculpt {
    pli_shape_set *set;
    pli_status status;
    int32_t count;
    const pli_shape *pile[PLI_SHAPE_CHILDREN];
} pli_sculpt;

typedef enum pli_part_kind {
    PLI_PART_LIMB, // hull of two balls
    PLI_PART_EGG,  // ellipsoid
    PLI_PART_BRICK // box
} pli_part_kind;

// One part of a table. A limb runs from `at` to `to` with radii size[0] and size[1]; an egg or
// brick stands at `at`, turned by the angles `to` about x, then y, then z, with radii or edge
// lengths `size`. A mirrored part appears on both sides of the plane x = 0.
typedef struct pli_part {
    pli_part_kind kind;
    double at[3];
    double to[3];
    double size[3];
    bool mirrored;
} pli_part;

void pli_sculpt_init(pli_sculpt *sculpt, pli_shape_set *set);

// Puts a shape on the pile; NULL is a failure of the call that made it.
void pli_sculpt_push(pli_sculpt *sculpt, pli_status status, const pli_shape *shape);
void pli_sculpt_parts(pli_sculpt *sculpt, int32_t count, const pli_part *parts);
void pli_sculpt_ball(pli_sculpt *sculpt, const double center[3], double radius);
void pli_sculpt_limb(pli_sculpt *sculpt, const double start[3], const double end[3],
                     double start_radius, double end_radius);

// The half-space behind a plane; the normal points out of it.
void pli_sculpt_plane(pli_sculpt *sculpt, const double point[3], const double normal[3]);

// A chain of limbs along the curve of Catmull and Rom (1974) through points [count][4] of (x, y,
// z, radius), with `steps` limbs between two points.
void pli_sculpt_sweep(pli_sculpt *sculpt, int32_t count, const double *points, int32_t steps);

// The point (x, y, z, radius) of that curve at t from 0 (first point) to count - 1 (last point).
void pli_sculpt_curve(int32_t count, const double *points, double t, double out[4]);

// Grows the topmost shape by a radius, which rounds its edges.
void pli_sculpt_round(pli_sculpt *sculpt, double radius);

// Combine what lies on the pile since `mark` (a count taken before).
void pli_sculpt_blend(pli_sculpt *sculpt, int32_t mark, double smooth);
void pli_sculpt_cut(pli_sculpt *sculpt, int32_t mark, double smooth);    // first minus the others
void pli_sculpt_common(pli_sculpt *sculpt, int32_t mark, double smooth); // intersection

// Turns the topmost shape by angles (degrees) about x, then y, then z, and moves it.
void pli_sculpt_place(pli_sculpt *sculpt, const double angles[3], const double at[3]);

// The only shape left; leaves the pile empty.
pli_status pli_sculpt_finish(pli_sculpt *sculpt, const pli_shape **shape);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Broad phase (N20): which primitives of a surface could touch? Pairs whose boxes overlap.
//
// A surface is points, edges and triangles over common vertices: the skin of solids, cloth, rods,
// grains, or all of them at once. What can come into contact is found by four kinds of pairs:
//
//   point-triangle   every point with every triangle
//   edge-edge        every edge with every edge, the smaller index first
//   point-edge       points without edges and triangles with edges without triangles
//   point-point      points without edges and triangles with each other, the smaller index first
//
// The last two are needed by lone parts only: a point that has an edge meets another edge as an
// edge, and an edge of a triangle is met with the triangle. Pairs are left out when they share a
// vertex, when none of their vertices can move, and when their groups do not collide.
//
// Boxes are those of the positions x, or of the motion from x0 to x1 along straight lines, inflated
// by half the reach on all sides: primitives closer than the reach are never missed. Faces are
// rounded outwards to single precision, min to the largest float that is not above it, max to the
// smallest that is not below, and boxes that only touch overlap. That defines the outcome: it is
// what testing all pairs of boxes would give, sorted by the first index and then by the second, for
// any number of threads and whatever was asked before.
//
// The method is a packed tree of boxes (simplex_tree.h) over triangles and one over edges, which
// are refitted from call to call; points and edges look for their partners in the order of their
// indices. Blocks of them write into slices of one array, dealt by what each found the last time;
// only when a slice was too short are all of them run again, with slices that fit.
//
// Memory: arrays of pairs grow by half at least, at one place, and stay. A call that finds no more
// than there is room for allocates nothing.
//
// Threads: a call runs in parallel; calls on one object are serial.
#ifndef PLI_GEOMETRY_BROAD_PHASE_H
#define PLI_GEOMETRY_BROAD_PHASE_H

#include "base/context.h"

typedef struct pli_broad_phase pli_broad_phase;

// Tells whether two groups collide, or a group with itself; must be symmetric. Called by several
// threads at once.
typedef bool (*pli_groups_collide_fn)(void *user, int32_t group, int32_t other);

typedef struct pli_broad_phase_def {
    int32_t vertex_count;
    int32_t point_count;
    int32_t edge_count;
    int32_t triangle_count;
    const int32_t *points;    // [point_count] vertices
    const int32_t *edges;     // [edge_count][2] vertices
    const int32_t *triangles; // [triangle_count][3] vertices

    // optional
    const int32_t *groups;          // [vertex_count] body of each vertex; NULL: one body
    const bool *is_fixed;           // [vertex_count] vertices that cannot move; NULL: all can
    pli_groups_collide_fn collides; // NULL: everything collides, bodies with themselves too
    void *user;                     // of collides; must outlive the object
} pli_broad_phase_def;

// A view of index pairs, into the lists of the def. Lifetime: until the next call or destroy.
typedef struct pli_pair_list {
    int64_t count;
    const int32_t (*pairs)[2]; // [count] ascending
} pli_pair_list;

typedef struct pli_broad_phase_pairs {
    pli_pair_list point_triangle;
    pli_pair_list edge_edge;
    pli_pair_list point_edge;
    pli_pair_list point_point;
} pli_broad_phase_pairs;

// Copies the lists. Errors: argument (negative count), mesh (vertex out of range, a primitive with
// vertices of different groups), memory.
PLI_CHECKED pli_status pli_broad_phase_create(pli_context *context, const pli_broad_phase_def *def,
                                              pli_broad_phase **broad);
void pli_broad_phase_destroy(pli_broad_phase *broad);

// Finds the pairs that may be closer than reach (m) at positions x [vertex_count][3]. Errors:
// argument (a reach that is negative or not finite, a position of the surface that is not finite),
// memory; then there are no pairs and the object can be used on.
PLI_CHECKED pli_status pli_broad_phase_find(pli_broad_phase *broad, const double *x, double reach,
                                            pli_broad_phase_pairs *pairs);

// Finds the pairs that may come closer than reach (m) on the way from x0 to x1, both
// [vertex_count][3]. Errors: as above.
PLI_CHECKED pli_status pli_broad_phase_find_swept(pli_broad_phase *broad, const double *x0,
                                                  const double *x1, double reach,
                                                  pli_broad_phase_pairs *pairs);

#endif

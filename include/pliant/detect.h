// SPDX-License-Identifier: Apache-2.0
//
// Who may touch whom, and when: broad phase, continuous collision detection, and the largest step
// that a whole surface can take without touching itself. For programs that bring their own solver;
// contact.h has the forces.
//
//     pli_broad_phase_create          once per surface: points, edges, triangles
//     pli_broad_phase_find_swept      pairs that may come near on the way from x0 to x1
//     pli_safe_step                   the part of the way that touches nothing
//
// Everything here is conservative: rounding errors are part of the proofs, so that no contact is
// missed and no time is late, whatever the numbers. All vertices move on straight lines over t in
// [0, 1]. The same input gives the same bits for any number of threads.
#ifndef PLIANT_DETECT_H
#define PLIANT_DETECT_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- two primitives
//
// Until when do two moving primitives stay apart? Guarantee, for every outcome: throughout
// [0, time] the primitives, moving exactly on the straight lines between the given numbers, stay
// farther apart than the target
//
//     target = separation + gap (d0 - separation),   d0 the distance proven at t = 0,
//
// unless time is 0. PLI_CCD_CONTACT promises tightness too: at `time` the distance is at most
// target + 4 tolerance (plus rounding, about 1e-14 of the largest distance of vertices at that
// time). PLI_CCD_STALLED does not.
//
// Primitives that come within 1e-15 of their size, or start so, cannot be told from touching ones.
// Degenerate primitives are legal. Vertices that are not finite give PLI_CCD_STALLED at time 0.
// Plain functions without state: nothing is allocated, any thread may call them; boxes take about
// 60 kB of stack.

enum { PLI_CCD_POINTS = 4, PLI_CCD_CORNERS = 4 };

typedef enum pli_ccd_kind {
    PLI_CCD_POINT_POINT,    // stencil p, q
    PLI_CCD_POINT_EDGE,     // stencil p, a, b
    PLI_CCD_POINT_TRIANGLE, // stencil p, a, b, c
    PLI_CCD_EDGE_EDGE       // stencil a, b against c, d
} pli_ccd_kind;

typedef struct pli_ccd_def {
    double separation;     // least distance to keep, such as a thickness (m), >= 0
    double gap;            // fraction of the distance above the separation to keep, in [0, 1)
    double tolerance;      // how much farther than the target a contact may be reported (m), > 0;
                           // taken as an eighth of the way to the target where that is less
    double t_max;          // end of the interval that is searched, in (0, 1]
    int32_t advance_limit; // most steps of advancement
    int32_t box_limit;     // most boxes opened
} pli_ccd_def;

typedef enum pli_ccd_outcome {
    PLI_CCD_FREE,    // farther apart than the target throughout [0, t_max]
    PLI_CCD_CONTACT, // as near as the target and the tolerance at `time`, farther apart before
    PLI_CCD_STALLED  // a limit, or what numbers can resolve, was reached; `time` is safe all the
                     // same
} pli_ccd_outcome;

typedef struct pli_ccd_report {
    pli_ccd_outcome outcome;
    double time;           // t up to which all is proven free
    int32_t advance_count; // steps of advancement made
    int32_t box_count;     // boxes opened
} pli_ccd_report;

// A query made ready: differences of points of the two primitives, F(u, v), in units of `scale`.
typedef struct pli_ccd_query {
    double start[PLI_CCD_CORNERS]
                [3];                // F at t = 0 at corners (u, v) = (0, 0), (0, 1), (1, 0), (1, 1)
    double end[PLI_CCD_CORNERS][3]; // the same at t = 1
    double start_size;              // largest component of start, about 1 or less
    double end_size;                // of end
    double scale;                   // m, a power of two
    pli_ccd_kind kind;
    bool is_finite;
} pli_ccd_query;

// separation 0, gap 0.1, tolerance 1e-6 m, t_max 1, 32 steps, 4096 boxes.
PLI_API pli_ccd_def pli_ccd_def_default(void);

// The query of vertices that move from start[i] to end[i] (m), in the order of the stencil.
// Vertices are read through pointers, so that those of a mesh need no copy; only as many are
// looked at as the kind has.
PLI_API void pli_ccd_query_init(pli_ccd_kind kind, const double *const start[PLI_CCD_POINTS],
                                const double *const end[PLI_CCD_POINTS], pli_ccd_query *query);

// Additive advancement, then branch and bound over boxes of (t, u, v) from where it got to if it
// did not finish.
PLI_API void pli_ccd_solve(const pli_ccd_query *query, const pli_ccd_def *def,
                           pli_ccd_report *report);

// ---- broad phase
//
// Which primitives of a surface could touch? Pairs whose boxes overlap. A surface is points, edges
// and triangles over common vertices: the skin of solids, cloth, rods, grains, or all of them at
// once. What can come into contact is found by four kinds of pairs:
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
// Boxes are those of the positions x, or those at both ends of the motion from x0 to x1, inflated
// by half the reach on all sides. A pair is left out when one box lies beyond the other along an
// axis, on the same side at both ends: since vertices move on straight lines, it then does so
// throughout. Primitives that come closer than the reach at any time are never missed, and motion
// that they have in common does not count. Faces are rounded outwards to single precision, min to
// the largest float that is not above it, max to the smallest that is not below, and boxes that
// only touch overlap. That defines the outcome: it is what testing all pairs of boxes would give,
// sorted by the first index and then by the second, for any number of threads and whatever was
// asked before.
//
// Memory: arrays of pairs grow by half at least and stay. A call that finds no more than there is
// room for allocates nothing.
//
// Threads: a call runs in parallel; calls on one object are serial.

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

// A view of index pairs, into the lists of the def. Lifetime: until the next call that finds, or
// destroy.
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
PLI_API PLI_CHECKED pli_status pli_broad_phase_create(pli_context *context,
                                                      const pli_broad_phase_def *def,
                                                      pli_broad_phase **broad);
PLI_API void pli_broad_phase_destroy(pli_broad_phase *broad);

// Finds the pairs that may be closer than reach (m) at positions x [vertex_count][3]. Errors:
// argument (a reach that is negative or not finite, a position of the surface that is not finite),
// memory; then there are no pairs and the object can be used on.
PLI_API PLI_CHECKED pli_status pli_broad_phase_find(pli_broad_phase *broad, const double *x,
                                                    double reach, pli_broad_phase_pairs *pairs);

// Finds the pairs that may come closer than reach (m) on the way from x0 to x1, both
// [vertex_count][3]. Errors: as above.
PLI_API PLI_CHECKED pli_status pli_broad_phase_find_swept(pli_broad_phase *broad, const double *x0,
                                                          const double *x1, double reach,
                                                          pli_broad_phase_pairs *pairs);

// ---- a whole surface

// What limits a step, and how pairs were decided. Pairs after one that leaves no step at all (time
// 0) may go uncounted.
typedef struct pli_safe_step_report {
    double time;         // the step
    pli_ccd_kind kind;   // of the pair that limits it
    int32_t pair[2];     // that pair, into the lists of the def; -1: none does
    int32_t bad_vertex;  // one with a position that is not finite, which makes the step 0; -1: none
    int64_t box_count;   // pairs whose swept boxes are apart
    int64_t plane_count; // of the rest, pairs that a plane keeps apart
    int64_t free_count;  // of the rest, queries by outcome
    int64_t contact_count;
    int64_t stalled_count;
} pli_safe_step_report;

// The largest step alpha in [0, def->t_max], within tolerance, such that nothing touches on the way
// from x0 to x0 + alpha (x1 - x0), both [vertex_count][3]. The pairs index the lists that the broad
// phase was made of; there may be more of them than needed, some nanoseconds each, so that lists
// found with a margin serve for many steps.
//
// Guarantee: on [0, alpha] no pair of the lists touches or comes as near as the separation. Pairs
// whose boxes on [0, alpha] overlap keep their target, with its fraction of the gap; others may
// come nearer than that. Pairs that are not in the lists are the caller's affair:
// pli_broad_phase_find_swept with a reach of the separation, or more, has all that matter.
//
// The report may be NULL. Nothing is allocated; pairs stay valid. Runs in parallel.
PLI_API double pli_safe_step(pli_broad_phase *broad, const pli_broad_phase_pairs *pairs,
                             const double *x0, const double *x1, const pli_ccd_def *def,
                             pli_safe_step_report *report);

#ifdef __cplusplus
}
#endif

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Continuous collision detection of one query: until when do two moving primitives stay apart?
//
// Points, edges and triangles whose vertices move on straight lines over t in [0, 1]. What counts
// is the set of differences of their points,
//
//     F(t, u, v) = (first primitive at u, v) - (second primitive at u, v),
//
// which for every kind of query is a patch that is linear in u and in v: for two edges a
// parallelogram, for a point and a triangle the triangle with one side of the square shrunk to a
// corner, for a point and an edge a segment. F is linear in t too, so over any box of (t, u, v) the
// values at its eight corners bound it exactly, and the distance of the primitives is that of the
// patch from the origin. Taking differences first also removes any common motion, and makes the
// rounding errors those of the distances, not of the coordinates.
//
// One certificate carries everything: a plane with unit normal n. If n . F exceeds a level at all
// corners of the patch at two times, it does so in between, for each corner's value is linear in t.
// So a plane through an instant tells the latest time until which it keeps the primitives apart,
// and the truth of that does not depend on where n came from. Two ways of using it:
//
// - `pli_ccd_advance`: additive advancement. Take the closest points at the current time, advance
//   for as long as the plane across them allows, repeat. After Li, Kaufman and Jiang 2021
//   ("Codimensional incremental potential contact", additive CCD), whose step (d - xi) / (bound of
//   the relative speed) the plane's step never falls short of, since it counts motion along n only
//   (directional motion bounds: Mirtich 1996, Zhang et al. 2006). Few steps as a rule; where
//   features slide past each other nearly in contact it can take many.
// - `pli_ccd_enclose`: branch and bound over boxes of (t, u, v), after Wang, Ferguson, Schneider,
//   Jiang, Attene and Panozzo 2021 ("A large-scale benchmark and an inclusion-based algorithm for
//   continuous collision detection"): bisection with bounds from corner values and a filter for
//   rounding errors. Ours takes planes besides the coordinate axes, lets every plane move up the
//   beginning of a box instead of only dropping it, and always opens the box that begins first, so
//   that everything before that beginning is proven free at any moment, and stopping early costs
//   tightness only.
// - `pli_ccd_solve`: advancement, and boxes from where it got to if it does not finish.
//
// Guarantee, for every outcome: throughout [0, time] the primitives, moving exactly on the straight
// lines between the given numbers, stay farther apart than the target
//
//     target = separation + gap (d0 - separation),   d0 the distance proven at t = 0,
//
// unless time is 0. Rounding errors are part of the proof: no collision is missed, and no time is
// late. The bounds on them hold with and without fused multiplication and addition.
// PLI_CCD_CONTACT promises tightness too: at `time` the distance is at most target + 4 tolerance
// (plus rounding, about 1e-14 of the largest distance of vertices at that time). PLI_CCD_STALLED
// does not.
//
// Primitives that come within 1e-15 of their size, or start so, cannot be told from touching ones.
// Degenerate primitives are legal. Vertices that are not finite give PLI_CCD_STALLED at time 0.
// Scale does not matter: lengths are measured in a power of two that fits the query.
// Plain functions without state; nothing is allocated; boxes take about 60 kB of stack.
#ifndef PLI_GEOMETRY_CCD_H
#define PLI_GEOMETRY_CCD_H

#include <stdbool.h>
#include <stdint.h>

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

// A query made ready: the patch of differences, in units of `scale`.
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
pli_ccd_def pli_ccd_def_default(void);

// Points of the stencil of a kind, 2 to 4.
int32_t pli_ccd_point_count(pli_ccd_kind kind);

// The query of vertices that move from start[i] to end[i] (m), in the order of the stencil.
// Vertices are read through pointers, so that those of a mesh need no copy; only the first
// pli_ccd_point_count of them are looked at.
void pli_ccd_query_init(pli_ccd_kind kind, const double *const start[PLI_CCD_POINTS],
                        const double *const end[PLI_CCD_POINTS], pli_ccd_query *query);

// The distance at time t in [0, 1] (m), as near as closest points of floating-point numbers tell.
double pli_ccd_distance(const pli_ccd_query *query, double t);

void pli_ccd_advance(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);
void pli_ccd_enclose(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);
void pli_ccd_solve(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);

#endif

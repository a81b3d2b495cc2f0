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
// Rounding errors are part of the proof; the bounds on them hold with and without fused
// multiplication and addition. Scale does not matter: lengths are measured in a power of two that
// fits the query.
//
// What they guarantee is told in pliant/detect.h, which declares what others may call.
#ifndef PLI_GEOMETRY_COLLISION_CCD_H
#define PLI_GEOMETRY_COLLISION_CCD_H

#include "pliant/detect.h"

// Points of the stencil of a kind, 2 to 4.
int32_t pli_ccd_point_count(pli_ccd_kind kind);

// The two halves of pli_ccd_solve. Additive advancement takes few steps as a rule; where features
// slide past each other nearly in contact it can take many, and stalls at its limit. Branch and
// bound over boxes of (t, u, v) costs more and always ends, save for what numbers cannot resolve.
void pli_ccd_advance(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);
void pli_ccd_enclose(const pli_ccd_query *query, const pli_ccd_def *def, pli_ccd_report *report);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The certificate of continuous collision detection (see ccd.h): planes that keep the patch of
// differences away from the origin over an interval of time. Internal to ccd*.c and safe_step.c.
//
// All lengths are in units of the query's scale, so that the largest component is about 1.
#ifndef PLI_GEOMETRY_COLLISION_CCD_PLANE_H
#define PLI_GEOMETRY_COLLISION_CCD_PLANE_H

#include "geometry/collision/ccd.h"

#include <float.h>
#include <math.h>

// u, the largest relative error of one rounding
#define PLI_CCD_ROUNDING (0.5 * DBL_EPSILON)

// Vertices of the stencil (first, second) whose difference each corner of the patch is.
extern const int8_t pli_ccd_pair_of_corner[4][PLI_CCD_CORNERS][2];

// What is searched for.
typedef struct pli_ccd_goal {
    double level;     // n . F of a plane must exceed this: the target, and the excess of |n| over 1
    double tolerance; // contact may be reported at distances up to level + tolerance
    double t_max;
} pli_ccd_goal;

static inline double pli_ccd_lerp(double a, double b, double s)
{
    return (1 - s) * a + s * b;
}

// F at time t at the four corners.
static inline void pli_ccd_corners(const pli_ccd_query *query, double t,
                                   double corners[PLI_CCD_CORNERS][3])
{
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        for (int k = 0; k < 3; ++k) {
            corners[c][k] = pli_ccd_lerp(query->start[c][k], query->end[c][k], t);
        }
    }
}

// The latest time in [t0, t1] until which heights above a plane, linear in time from `before` at t0
// to `after` at t1 and free of rounding errors, all exceed the level; t0 if they do not even there.
static inline double pli_ccd_plane_reach(const double before[PLI_CCD_CORNERS],
                                         const double after[PLI_CCD_CORNERS], double level,
                                         double t0, double t1)
{
    double fraction = 1;
    bool reaches_end = true;
    for (int c = 0; c < PLI_CCD_CORNERS; ++c) {
        if (!(before[c] > level)) return t0;
        if (after[c] > level) continue;
        reaches_end = false;
        fraction = fmin(fraction, (before[c] - level) / (before[c] - after[c]));
    }
    if (reaches_end) return t1;
    // a little less, for the roundings of the fraction and the product; then that of the sum
    double t = nextafter(t0 + fraction * (1 - 0x1p-20) * (t1 - t0), 0);
    return fmin(fmax(t, t0), t1);
}

// The unit normal of the plane across the closest points at time t, from the origin to the patch;
// returns their distance. Good to a few roundings where the closest features are well conditioned.
double pli_ccd_closest_plane(const pli_ccd_query *query, double t, double normal[3]);

// Branch and bound from report->time, up to which all is proven.
void pli_ccd_search_boxes(const pli_ccd_query *query, const pli_ccd_goal *goal, int32_t box_limit,
                          pli_ccd_report *report);

#endif

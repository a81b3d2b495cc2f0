// SPDX-License-Identifier: Apache-2.0
//
// Colliders as a step of their own after a solve that knows nothing of them, the simple way that
// constraints and penalties are compared with (Gast et al. 2015, section 5 and figure 10). It is
// cheap and right for small steps; with large ones it flattens what it moves, and the next solve
// pushes that back through the collider.
//
// Points inside are moved out (feasible.h). What then touches loses the inward part of its velocity
// relative to the collider, by the smallest impulses that do so when there are several, and is
// braked by Coulomb's friction with these impulses (coulomb.h).
#ifndef PLI_CONTACT_POSTPROCESS_H
#define PLI_CONTACT_POSTPROCESS_H

#include "contact/collider.h"
#include "contact/resultant.h"

// What came out of a step of length h (s).
typedef struct pli_postprocess_state {
    double h;
    const double *mass;        // [point_count] kg
    double *x;                 // [point_count][3] m, changed
    double *v;                 // [point_count][3] m/s, changed
    pli_resultant *resultants; // [collider_count] += impulses over h by collider; may be NULL
} pli_postprocess_state;

// Applies the active colliders of this method. The report has the penetrating pairs, gap and depth
// as they were found, and in energy the change of kinetic energy relative to what is touched (J),
// at most 0 as long as a point does not touch colliders that move differently. The def should have
// passed pli_collision_check.
void pli_postprocess_apply(pli_context *context, const pli_collision_def *def,
                           const pli_postprocess_state *state, pli_collision_report *report);

#endif

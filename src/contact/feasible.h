// SPDX-License-Identifier: Apache-2.0
//
// Moving a point to where it violates no constraint phi_b(x) >= 0 (Gast et al. 2015, section 5.1).
//
// One violated constraint with an exact distance takes one step, x - phi n. In general the point
// makes steps s of least length with
//     phi_b(x) + grad phi_b . s >= 0   for all constraints that it has met on its way,
//     phi_b(x) + grad phi_b . s  = 0   for those whose surface it has to stay on,
// until nothing is violated deeper than the tolerance: for one constraint that is
// s = -phi grad phi / |grad phi|^2, in a crease or a corner it lands on the crease or the corner at
// once, and where shapes are curved or their values are no distances the steps converge
// quadratically. A point that is feasible within the tolerance is not moved at all, so the
// projection is idempotent to the last bit.
//
// A direction d is carried along by the derivative of the steps: exactly, curvature included, as
// long as shapes are smooth where the point passes.
//
// Where the slope of phi is less than an eighth of its bound (near medial axes of blended shapes)
// steps are shortened, so that they can't leap; there the carried direction is approximate. Points
// whose constraints contradict each other (pinched between solids) stay where the last step left
// them: nothing is feasible there, and the depth that is measured tells.
#ifndef PLI_CONTACT_FEASIBLE_H
#define PLI_CONTACT_FEASIBLE_H

#include "contact/collider.h"
#include "contact/halfspaces.h"

typedef struct pli_feasible {
    const pli_collision_def *def;
    pli_collider_method method; // active colliders of this method constrain
    double tolerance;           // depth that counts as touching, not as violated (m)
} pli_feasible;

// A point on its way.
typedef struct pli_feasible_point {
    double *x;               // [3] moved in place
    double *d;               // [3] carried along; NULL: none
    uint8_t held;            // bits 1, 2, 4: this coordinate stays
    int32_t surface_count;   // at most 3
    const int32_t *surfaces; // [surface_count] colliders whose surface the point stays on
} pli_feasible_point;

// Returns whether the point ended feasible.
bool pli_feasible_project(const pli_feasible *feasible, const pli_feasible_point *point);

// The unit normal of a collider at x, and the Hessian of its distance there when H is not NULL
// (hess phi / |grad phi|, right in tangent directions). Where the gradient vanishes, that of a
// place nearby is taken.
void pli_feasible_normal(const pli_feasible *feasible, int32_t collider, const double x[3],
                         double n[3], double *H);

#endif

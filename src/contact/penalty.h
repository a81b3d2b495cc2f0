// SPDX-License-Identifier: Apache-2.0
//
// Colliders as an energy term: a point that is inside of a collider, at the depth d = -phi > 0, is
// pushed out by an energy e(d) that begins at the surface, of one of two laws:
//
//     cubic      e = k d^3,      k in N/m^2   colliders of the method penalty
//     quadratic  e = k/2 d^2,    k in N/m     colliders of the method quadratic
//
// The cubic one (Gast et al. 2015, section 5.2) is twice continuously differentiable, as Newton's
// method likes it. The quadratic one (Xian et al. 2019, section 4.6) is a spring of constant
// stiffness to the nearest point t of the surface, e = k/2 ((x - t).n)^2, whose Hessian k n n^T
// does not change while a point is inside: what methods want that keep their matrix. It jumps at
// the surface, where points are found to be in or out again in every iteration.
//
// With n = grad phi
//     gradient  -e' n
//     Hessian   e'' n n^T - e' d2phi
// The derivatives of phi are the exact ones of its interpolation, for sampled shapes, too. The
// projected Hessian of the quadratic law is e'' n n^T alone, that of a plane through t; the blocks
// on the diagonal for matrices that stay (term.h) are the projected Hessian.
// Bodies penetrate a little; in return any shape will do.
//
// Friction is applied to velocities after the step, with the force at its end (coulomb.h).
#ifndef PLI_CONTACT_PENALTY_H
#define PLI_CONTACT_PENALTY_H

#include "contact/collider.h"
#include "contact/resultant.h"
#include "optimize/term.h"

// Needs no memory: fill in and use. The def should have passed pli_collision_check.
typedef struct pli_penalty {
    pli_context *context;
    pli_collision_def def;
    bool quadratic; // of the two laws and methods, false: cubic
} pli_penalty;

extern const pli_term_ops pli_penalty_term;

// Contacts, gap, depth and energy at x [point_count][3].
void pli_penalty_measure(const pli_penalty *penalty, const double *x, pli_collision_report *report);

// forces [point_count][3] += those of the penalties at x (N), pointing out of the colliders.
void pli_penalty_add_forces(const pli_penalty *penalty, const double *x, double *forces);

// resultants [collider_count] += the same by collider.
void pli_penalty_add_resultants(const pli_penalty *penalty, const double *x,
                                pli_resultant *resultants);

// Friction on the velocities v [point_count][3] (m/s) at the end x of a step of length h (s); mass
// [point_count] (kg). Returns the change of kinetic energy relative to what is touched (J), at most
// 0. resultants [collider_count] += the force of friction by collider; may be NULL.
double pli_penalty_apply_friction(const pli_penalty *penalty, const double *x, const double *mass,
                                  double h, double *v, pli_resultant *resultants);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Colliders as an energy term (Gast et al. 2015, section 5.2): a point p that is inside of a
// collider b is pushed out by
//     E = k (-phi_b(x_p))^3  where phi_b < 0,  else 0,   k in N/m^2,
// which is never negative and twice continuously differentiable where phi is. With n = grad phi
//     gradient  -3 k phi^2 n
//     Hessian   -6 k phi n n^T - 3 k phi^2 d2phi
// The derivatives of phi are the exact ones of its interpolation, for sampled shapes, too.
// Bodies penetrate a little; in return any shape will do.
//
// Friction is applied to velocities after the step, with the force at its end (coulomb.h).
#ifndef PLI_CONTACT_PENALTY_H
#define PLI_CONTACT_PENALTY_H

#include "contact/collider.h"
#include "optimize/term.h"

// Needs no memory: fill in and use. The def should have passed pli_collision_check.
typedef struct pli_penalty {
    pli_context *context;
    pli_collision_def def;
} pli_penalty;

extern const pli_term_ops pli_penalty_term;

// Contacts, gap, depth and energy at x [point_count][3].
void pli_penalty_measure(const pli_penalty *penalty, const double *x, pli_collision_report *report);

// forces [point_count][3] += those of the penalties at x (N), pointing out of the colliders.
void pli_penalty_add_forces(const pli_penalty *penalty, const double *x, double *forces);

// Friction on the velocities v [point_count][3] (m/s) at the end x of a step of length h (s); mass
// [point_count] (kg). Returns the change of kinetic energy relative to what is touched (J), at most
// 0.
double pli_penalty_apply_friction(const pli_penalty *penalty, const double *x, const double *mass,
                                  double h, double *v);

#endif

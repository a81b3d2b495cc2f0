// SPDX-License-Identifier: Apache-2.0
//
// Colliders as inequality constraints of the minimisation, phi_b(x_p) >= 0 for every point p and
// every collider b (Gast et al. 2015, sections 3.2 and 5.1): no point is ever inside. It implements
// optimize/projection.h; feasible.h says how points are projected.
//
// Active set. At a feasible x with g' = dE'/dx, of the constraints that a point touches those are
// active that hold it back: the multipliers lambda_b >= 0 and the rest r = g' - sum lambda_b n_b
// are those of the nearest point to g' in the cone of the normals, so that -r is the steepest
// descent that the touched constraints admit, n_b . r <= 0. For one constraint that is the paper's
// rule g' . n >= 0; where several meet it also settles which of them the point leans on: in a sharp
// crease one that g' alone does not point into is active when sliding along the other would run
// into it, and in a blunt one a constraint that sliding leaves is not. Up to three per point are
// active; of normals that depend on each other the first.
//
// Edges. Points with active constraints follow the surfaces along a step, around a ball say. Where
// a surface ends at a sharp edge of a solid they go straight on: what is nearest from there is the
// edge itself, and following would mean to stop at it, whatever pulls.
//
// Contact force. At the minimum, g' = sum lambda_b n_b over the active set: lambda_b (N) is the
// normal force with which collider b holds the point, already a force since E' is an energy over
// positions. Friction is applied to velocities after the step (coulomb.h).
//
// All memory is taken at creation. Threads: results do not depend on their number.
#ifndef PLI_CONTACT_CONSTRAINT_H
#define PLI_CONTACT_CONSTRAINT_H

#include "contact/collider.h"
#include "contact/resultant.h"
#include "optimize/projection.h"

typedef struct pli_constraint pli_constraint;

extern const pli_projection_ops pli_constraint_projection;

// What the def points to is borrowed. Errors: argument, scene (see pli_collider_check), memory.
PLI_CHECKED pli_status pli_constraint_create(pli_context *context, const pli_collision_def *def,
                                             pli_constraint **constraint);
void pli_constraint_destroy(pli_constraint *constraint);

// Contacts of the active set; gap and depth over all points at x [point_count][3].
void pli_constraint_measure(const pli_constraint *constraint, const double *x,
                            pli_collision_report *report);

// forces [point_count][3] += lambda_b n_b of the active set (N), pointing out of the colliders.
void pli_constraint_add_forces(const pli_constraint *constraint, double *forces);

// resultants [collider_count] += what the active set and its friction do to the points at x, after
// a step of length h (s); without what coordinates that are held would feel.
void pli_constraint_add_resultants(const pli_constraint *constraint, const double *x, double h,
                                   pli_resultant *resultants);

// Friction of the active set on the velocities v [point_count][3] (m/s) at the end of a step of
// length h (s), with the multipliers of the last choose_active; mass [point_count] (kg). Returns
// the change of kinetic energy relative to what is touched (J), at most 0.
double pli_constraint_apply_friction(pli_constraint *constraint, const double *x,
                                     const double *mass, double h, double *v);

#endif

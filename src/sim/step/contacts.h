// SPDX-License-Identifier: Apache-2.0
//
// The collisions of a simulation: colliders by constraint, penalty or post-process, and bodies with
// each other and themselves. Part of the solver: poses and caches, rebuilt from model and state.
//
//     begin_step    colliders go to where their scripts have them at the end of the step
//     (minimise)    with the terms and the projection that were added to the objective
//     find          what barriers hold apart at the end of the step, at which distance
//     finish_step   post-process, friction, forces
//     measure       what was found, how deep, at which energy
#ifndef PLI_SIM_STEP_CONTACTS_H
#define PLI_SIM_STEP_CONTACTS_H

#include "base/timers.h"
#include "contact/constraint.h"
#include "contact/ipc.h"
#include "contact/penalty.h"
#include "contact/self_collision.h"
#include "optimize/objective.h"
#include "sim/model/model.h"
#include "sim/model/state.h"

typedef struct pli_contacts pli_contacts;

// fixed [vertex_count] and timers are borrowed. *contacts stays NULL when nothing collides.
pli_status pli_contacts_create(const pli_model *model, const uint8_t *fixed, pli_timers *timers,
                               pli_contacts **contacts);
void pli_contacts_destroy(pli_contacts *contacts);

// The contact of a model's bodies with each other and themselves. timers is borrowed, may be NULL.
// *bodies stays NULL when they do not collide. Errors: memory.
pli_status pli_contacts_create_bodies(const pli_model *model, pli_timers *timers,
                                      pli_self_collision **bodies);

// All functions below accept NULL: nothing collides.

// Adds energy terms and the projection to an objective.
void pli_contacts_add(pli_contacts *contacts, pli_objective *objective);

void pli_contacts_begin_step(pli_contacts *contacts, double begin_time, double end_time);

// The barrier of bodies and planes; NULL: there is none.
pli_ipc *pli_contacts_barrier(pli_contacts *contacts);

// Finds what barriers hold apart at the end of a step, at positions x; what comes after it cannot
// fail. Errors: memory.
PLI_CHECKED pli_status pli_contacts_find(pli_contacts *contacts, const double *x);

// Applies to the new state what comes after the solve, and fills its forces of contact and
// friction. Returns the work of friction (J), at most 0.
double pli_contacts_finish_step(pli_contacts *contacts, pli_state *state);

// Whether the ends of steps also sum what each collider does to the bodies.
void pli_contacts_sum_resultants(pli_contacts *contacts, bool wanted);

// What a collider did to the bodies in the last step, contact and friction; the moment is about its
// centre at the end of the step. Only while sums are wanted.
pli_resultant pli_contacts_resultant(const pli_contacts *contacts, int32_t collider);

// What the second of two parts of barrier contact (barrier_build.h) did to the first, about the
// origin.
pli_resultant pli_contacts_pair_resultant(const pli_contacts *contacts, int32_t first,
                                          int32_t second);

// Smallest distances of vertices to what they do not touch, [vertex_count] (m); of barriers only,
// infinite without. Errors: memory.
pli_status pli_contacts_measure_gaps(pli_contacts *contacts, const double *x, double *gaps);

// Contact figures of a report, energy included, for colliders where they are now; found: the state
// is the one that a step has just ended with, and contacts are those that were found then. Errors:
// memory.
PLI_CHECKED pli_status pli_contacts_measure(pli_contacts *contacts, const pli_state *state,
                                            bool found, pli_step_report *report);

#endif

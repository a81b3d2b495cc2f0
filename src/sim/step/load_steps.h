// SPDX-License-Identifier: Apache-2.0
//
// A step without inertia, made in pieces where the minimisation does not get there at once.
//
// A step goes from the time t0 to t0 + h. First all of it is tried. Where that does not converge,
// it is made in pieces: each ends at a time t0 + s h, 0 < s <= 1, where scripts are then, and is a
// state of rest of its own, from which the next one goes on. What changes at once and not with time
// (gravity in the first step, forces and grips that came between steps) is grown with s, too: with
// the gradient g0 at the beginning, the load
//
//     -(1 - s) g0 . x
//
// is added, so that the step begins in equilibrium whatever has come, and ends with all of it. A
// piece that fails is halved, down to time.least_piece; after two in a row that went well the
// next is twice as long. Lengths are powers of 1/2, so that the pieces are the same in any run.
//
// Limit points. Where the energy is convex between the beginning x0 of a piece and its end x1,
// E(x0) - E(x1) <= -g(x0) . (x1 - x0). More energy than that is released only where the state falls
// over a ridge: it snaps. With time.snap: refuse pieces close in on the place until the smallest
// still releases too much, and the step fails; a minimisation that met an indefinite Hessian is a
// reason to look closer.
//
// Interrupted or refused, the state is what it was before the step.
#ifndef PLI_SIM_STEP_LOAD_STEPS_H
#define PLI_SIM_STEP_LOAD_STEPS_H

#include "sim/step/mesh_stepper.h"

// Fills load_steps of a stepper of a model without inertia. Errors: memory.
PLI_CHECKED pli_status pli_load_steps_create(pli_mesh_stepper *stepper);
void pli_load_steps_destroy(pli_mesh_stepper *stepper);

// Makes a step, without counting it. Errors: interrupted, numeric (refused), memory.
PLI_CHECKED pli_status pli_load_steps_run(pli_mesh_stepper *stepper, const pli_piece *whole,
                                          pli_state *state, pli_step_report *report);

// Remembers energy and gradient where a piece begins, with its loads.
void pli_load_steps_look(pli_mesh_stepper *stepper, const pli_state *state, const pli_piece *piece);

#endif

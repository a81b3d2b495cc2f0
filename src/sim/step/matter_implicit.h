// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles: what "hot" and the other solvers do whose row of the table has a
// method for grids (solver_table.h, mpm/implicit/implicit_stepper.h).
//
// A step of the model is cut into pieces in which matter moves by no more than cfl cells, by the
// velocities when the piece begins, those of objects that hold it included (X11;
// pli_implicit_stepper_speed); pieces are evened out so that the last one is not much shorter.
// Colliders stand where they are at the end of a piece, with the velocity that takes them there;
// emitters add their particles between pieces.
//
// After each piece matter yields (P7, P8): the return mapping of its law, once. Fluids, which count
// by their volume, go through the step as if they were dilated alike in all directions.
//
// The linear method (semi-implicit) halves a piece that would raise the energy and begins it anew,
// and tries double the length when one went well.
//
// Failures leave the state as it was at the end of the step before.
#ifndef PLI_SIM_STEP_MATTER_IMPLICIT_H
#define PLI_SIM_STEP_MATTER_IMPLICIT_H

#include "base/arena.h"
#include "base/timers.h"
#include "mpm/implicit/implicit_stepper.h"
#include "sim/model/model.h"
#include "sim/model/state.h"

typedef struct pli_matter_implicit pli_matter_implicit;

// What the model's solver will be made of, without kinds and colliders.
pli_implicit_stepper_def pli_matter_implicit_describe(const pli_model *model);

PLI_CHECKED pli_status pli_matter_implicit_create(const pli_model *model,
                                                  pli_matter_implicit **implicit);
void pli_matter_implicit_destroy(pli_matter_implicit *implicit);

// Advances the state by a step of the model and fills the report's outcome and report->grid.
// env.user and its functions are told of every iteration. Errors: interrupted, numeric (the message
// names a particle), memory; then, and when report->stop is nonfinite, the state is as it was.
PLI_CHECKED pli_status pli_matter_implicit_step(pli_matter_implicit *implicit, pli_state *state,
                                                const pli_minimize_env *env,
                                                pli_step_report *report);

// ---- what is left of forces (H17)

// Whether the steps to come keep it, for monitors and for frames; they do not at first.
void pli_matter_implicit_listen(pli_matter_implicit *implicit, bool listens);

// The iterate that a monitor is told of, of a step that listens; the caller fills in step.
// Lifetime: the monitor's call.
pli_residual_view pli_matter_implicit_view(pli_matter_implicit *implicit,
                                           const pli_iterate *iterate);

// [particles] of the last iterate of the step that this state is the end of; NULL: no such step was
// listened to. Lifetime: until the next step.
const double *pli_matter_implicit_residuals(const pli_matter_implicit *implicit,
                                            const pli_state *state);

// Which piece of a step is being computed, counted from 1.
int32_t pli_matter_implicit_current(const pli_matter_implicit *implicit);

// The length of the piece that a step would begin with (s). Errors: numeric, memory.
PLI_CHECKED pli_status pli_matter_implicit_piece(pli_matter_implicit *implicit,
                                                 const pli_state *state, double *piece);

#endif

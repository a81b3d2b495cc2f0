// SPDX-License-Identifier: Apache-2.0
//
// Steppers: what advances a state by one step, and knows what the state amounts to. One table of
// functions for all of them; what only one needs is in its own object.
//
//     mesh_stepper.h       implicit steps of meshes, as a minimisation
//     matter_implicit.h    implicit steps of particles
//     matter_explicit.h    explicit steps of particles, regional or all alike
//
// All of it can be rebuilt from model and state; dropping it never changes a result.
#ifndef PLI_SIM_STEP_STEPPER_H
#define PLI_SIM_STEP_STEPPER_H

#include "pliant/sim.h"

typedef struct pli_stepper_ops {
    bool has_short_loops; // a step is many short parallel loops: workers stand by

    // The object, for the model of a solver whose scratch and timers are there. Errors: memory,
    // argument, unsupported; *self is then what destroy has to give back, or NULL.
    pli_status (*create)(pli_solver *solver, void **self);
    void (*destroy)(void *self);

    // Advances the state by a step, unless report->stop becomes nonfinite: then, and on errors, the
    // state is as it was. The report comes in with zeros but for dt, solver and vertices. Errors:
    // interrupted, numeric, memory.
    pli_status (*step)(void *self, pli_state *state, pli_step_report *report);

    // Energies, momenta, smallest J, contact; after_step: of the state that a step has just left.
    // Errors: memory, argument.
    pli_status (*measure)(void *self, const pli_state *state, bool after_step,
                          pli_step_report *report);

    // Fills the parts of a frame but for colliders, no more than pli_model_part_count. Lifetime of
    // what they point at: until the next call. Errors: memory, argument.
    pli_status (*fill_parts)(void *self, const pli_state *state, pli_frame_part *parts,
                             int32_t *count);

    // Writes into solver->culprit what is not finite after a step that was rejected, or in a state
    // that is not sound; false: nothing was found.
    bool (*blame)(void *self, const pli_state *state);
} pli_stepper_ops;

#endif

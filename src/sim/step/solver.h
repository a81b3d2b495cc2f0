// SPDX-License-Identifier: Apache-2.0
//
// Inside of the solver: what all steppers share. What one of them needs is in its own object
// (stepper.h). All of it can be rebuilt from model and state; dropping it never changes a result.
#ifndef PLI_SIM_STEP_SOLVER_H
#define PLI_SIM_STEP_SOLVER_H

#include "base/arena.h"
#include "base/timers.h"
#include "optimize/minimizer.h"
#include "sim/model/model.h"
#include "sim/model/state.h"
#include "sim/step/stepper.h"

typedef struct pli_frame_parts pli_frame_parts; // frame.c

struct pli_solver {
    const pli_model *model;
    pli_context *context;
    pli_arena *scratch;
    pli_timers timers;
    const pli_stepper_ops *ops;
    void *stepper;
    pli_frame_parts *frames; // NULL: nobody has asked for a frame

    pli_solver_hooks hooks;
    double asked;      // when it was last asked whether to go on (s)
    bool unmeasured;   // reports are left without energies
    char culprit[256]; // of the last step that was rejected, see culprit.h
    int64_t step;      // that is being computed, for the hooks
    double step_begin; // clock when it began (s)
};

// ---- for steppers that minimise

// Whether the caller wants the step no more.
bool pli_solver_is_cancelled(pli_solver *solver);

// Tells the caller's hook and the log of an iterate. piece: of a step that is cut into pieces,
// counted from 1; else 0.
void pli_solver_tell(pli_solver *solver, const pli_iterate *iterate, int32_t piece);

// ---- frame.c

void pli_frame_parts_destroy(pli_frame_parts *parts);

#endif

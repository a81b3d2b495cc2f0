// SPDX-License-Identifier: Apache-2.0
//
// What scripts want of a step: coordinates that they hold, vertices that they pull; and what grips
// and forces of a state want.
#ifndef PLI_SIM_STEP_SCRIPTS_H
#define PLI_SIM_STEP_SCRIPTS_H

#include "sim/step/mesh_stepper.h"

// Moves the coordinates that scripts hold at `time` (s) to where they hold them, in x, and marks
// them in fixed.
void pli_scripts_hold(pli_mesh_stepper *stepper, double time);

// Whether scripts hold a coordinate of x, after the above.
static inline bool pli_scripts_are_holding(const pli_mesh_stepper *stepper, int64_t coordinate)
{
    return (stepper->fixed[coordinate / 3] & (1u << (coordinate % 3))) != 0;
}

// Attachments as scripts want them at `time` (s), and grips and forces of the state, which are
// borrowed.
void pli_scripts_attach(pli_mesh_stepper *stepper, const pli_state *state, double time);

#endif

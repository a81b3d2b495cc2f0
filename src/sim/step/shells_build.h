// SPDX-License-Identifier: Apache-2.0
//
// Shells as energy terms of a stepper, and their folds, which a state keeps.
#ifndef PLI_SIM_STEP_SHELLS_BUILD_H
#define PLI_SIM_STEP_SHELLS_BUILD_H

#include "sim/step/mesh_stepper.h"

// Fills the shell of a stepper, if there are any. Errors: mesh, argument, memory.
PLI_CHECKED pli_status pli_shells_build(pli_mesh_stepper *stepper);

// Gives the shells of a stepper the folds of a state; to be called before anything is asked of
// them.
void pli_shells_load(pli_mesh_stepper *stepper, const pli_state *state);

// The end of a step: hinges yield at the positions of the state.
void pli_shells_end_step(pli_mesh_stepper *stepper, pli_state *state);

// The largest fold at the sides of every triangle, folds [shell_triangle_count] (radians).
void pli_shells_measure_folds(const pli_mesh_stepper *stepper, const pli_state *state,
                              double *folds);

#endif

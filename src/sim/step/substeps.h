// SPDX-License-Identifier: Apache-2.0
//
// How many substeps of particles a time step may take. Substeps are as short as the fastest
// particle (and, of explicit steps, sound) wants them, so that a slip in a velocity or in a unit
// makes a step that would not end for hours. Such a step is refused: when the model is made, by the
// velocities that there are at the start; in a run, before the first substep, or as soon as the
// limit is reached, or those that are left at the speed of the moment, which may pass, are many
// times as many.
#ifndef PLI_SIM_STEP_SUBSTEPS_H
#define PLI_SIM_STEP_SUBSTEPS_H

#include "sim/model/model.h"
#include "sim/scene/scene.h"

// The limit: solver.max_substeps, or what goes with the solver.
int64_t pli_substeps_limit(const pli_model *model);

// Substeps of a time step that the speeds of particles and emitters at the start ask for, at least;
// 0 without particles.
double pli_substeps_at_start(const pli_model *model);

// Errors: scene (more than the limit).
PLI_CHECKED pli_status pli_substeps_check_start(const pli_model *model, const pli_scene *scene);

// Fails when a step would take more substeps than the limit. done: made so far; left: as many as it
// would still take now; speed: of the fastest particle (m/s). Errors: numeric.
PLI_CHECKED pli_status pli_substeps_check(const pli_model *model, int64_t done, double left,
                                          double speed);

// The fastest particle of a state (m/s).
double pli_substeps_speed(const pli_matter_state *state);

#endif

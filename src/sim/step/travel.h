// SPDX-License-Identifier: Apache-2.0
//
// How far things may move in a time step where barriers keep surfaces apart. What hits something at
// many times the speed of sound in it, and moves by many times its own size in a step, is crushed
// without end: the minimisation would take hours, and mean nothing. Such a step is refused: when
// the model is made, by the velocities at the start and those of scripts; in a run, before it is
// computed. Both have to be: small things may fall far in a step, and soft ones are slow.
#ifndef PLI_SIM_STEP_TRAVEL_H
#define PLI_SIM_STEP_TRAVEL_H

#include "sim/model/model.h"
#include "sim/scene/scene.h"

// Fills the model's travel_limit and holds the start against it. Errors: scene.
PLI_CHECKED pli_status pli_travel_check_start(pli_model *model, const pli_scene *scene);

// The same for a step that moves a point so far (m). Errors: numeric.
PLI_CHECKED pli_status pli_travel_check(const pli_model *model, double travel);

#endif

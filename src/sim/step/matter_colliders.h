// SPDX-License-Identifier: Apache-2.0
//
// The colliders of a scene and the walls of its domain as steps of particles see them: parts of the
// model's colliders, one after another, then walls.
#ifndef PLI_SIM_STEP_MATTER_COLLIDERS_H
#define PLI_SIM_STEP_MATTER_COLLIDERS_H

#include "mpm/grid/grid_collider.h"
#include "sim/model/model.h"

// Errors: argument, memory.
PLI_CHECKED pli_status pli_matter_colliders_create(const pli_model *model,
                                                   pli_grid_colliders **colliders);

// Moves those that follow a script to where they are at the end of a step (s), with the velocity
// that takes them there from its begin. Errors: argument.
PLI_CHECKED pli_status pli_matter_colliders_move(const pli_model *model, double begin, double end,
                                                 pli_grid_colliders *colliders);

// Where a script has taken what it moves at the end of a step (s), with the velocity that takes it
// there from its begin; active: it is still there.
pli_grid_motion pli_matter_follow(const pli_motion *script, double begin, double end, bool *active);

#endif

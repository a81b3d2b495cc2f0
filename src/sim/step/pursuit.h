// SPDX-License-Identifier: Apache-2.0
//
// Held coordinates that a barrier keeps from arriving at where their scripts want them: they are
// pulled there by springs while everything else gives way (after Li et al. 2020, supplement section
// 4), and stop short where that does not help.
#ifndef PLI_SIM_STEP_PURSUIT_H
#define PLI_SIM_STEP_PURSUIT_H

#include "sim/step/mesh_stepper.h"

// Pulls held coordinates to where scripts want them at `time` (s), from stepper->x; ends with all
// of them fixed where they are. Errors: memory, interrupted.
PLI_CHECKED pli_status pli_pursuit_run(pli_mesh_stepper *stepper, double time,
                                       pli_step_report *report);

#endif

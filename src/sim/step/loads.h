// SPDX-License-Identifier: Apache-2.0
//
// Loads and cavities of a model in its steps: what they are at a time, and the work that they do.
//
// The work of a load in a step is that of the mean of its values at both ends of the step along the
// straight way between them,
//
//     W = sum over vertices of (f_n + f_n+1)/2 . (x_n+1 - x_n),    (p_n + p_n+1)/2 times the volume
//
// so that what a constant dead load does adds up to f . (x - x_0), and what a constant pressure
// does over a closed surface to that times the change of volume, to rounding. It is added up in the
// state. Energies in reports count it negative, as those of a potential: kinetic, elastic and all
// other energies together with it stay the same where nothing is lost.
#ifndef PLI_SIM_STEP_LOADS_H
#define PLI_SIM_STEP_LOADS_H

#include "sim/step/mesh_stepper.h"

// The terms of the model's loads and cavities, where it has any. Errors: memory.
PLI_CHECKED pli_status pli_loads_create(pli_mesh_stepper *stepper);
void pli_loads_destroy(pli_mesh_stepper *stepper);

// Adds them to the objective.
void pli_loads_add(pli_mesh_stepper *stepper);

// Loads and cavities as they are at `time` (s), with the state's positions as reference.
void pli_loads_set(pli_mesh_stepper *stepper, const pli_state *state, double time);

// Adds to the state the work of a step that leads from its positions to the stepper's x at `time`.
void pli_loads_add_work(pli_mesh_stepper *stepper, pli_state *state, double time);

// Energies of loads and cavities in a state, and the report of each cavity. Lifetime of the latter:
// until the next call.
void pli_loads_measure(pli_mesh_stepper *stepper, const pli_state *state, double time,
                       pli_step_report *report);

#endif

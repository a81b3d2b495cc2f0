// SPDX-License-Identifier: Apache-2.0
//
// What a stepper of meshes measures at every step: the quantities of model->probes.
//
// Reactions. At the end x of a step the gradient of all terms, inertia included, is zero where
// nothing is constrained; where something is,
//     R_i = dE/dx_i                                                            (N)
// is the force with which the constraint makes the coordinate be where it is. A reaction is the sum
// over the vertices of a constraint, its moment is about the moving centre of the constraint's
// motion, and where constraints share a coordinate the later one, which says where it is, has it.
// So with the momentum p of everything
//     dp/dt = reactions + weight + forces + what colliders do
// up to the residual of the step, and with implicit Euler dp/dt is (p_1 - p_0) / h. An attachment's
// is the force of its springs. What a constraint does to an obstacle is what the obstacle does to
// the bodies.
#ifndef PLI_SIM_REPORT_PROBES_H
#define PLI_SIM_REPORT_PROBES_H

#include "sim/model/model.h"
#include "sim/model/state.h"

typedef struct pli_probes pli_probes;
typedef struct pli_mesh_stepper pli_mesh_stepper;

// *probes stays NULL when the model measures nothing. Errors: memory.
PLI_CHECKED pli_status pli_probes_create(pli_mesh_stepper *stepper, pli_probes **probes);
void pli_probes_destroy(pli_probes *probes);

// The end of a step, at `time` (s), while terms are still those of the step and its state is the
// one before it: computes reactions. Errors: memory.
PLI_CHECKED pli_status pli_probes_hear_step(pli_mesh_stepper *stepper, double time);

// Fills the probes of a report; after_step: as in stepper.h. Errors: memory.
PLI_CHECKED pli_status pli_probes_measure(pli_mesh_stepper *stepper, const pli_state *state,
                                          bool after_step, pli_step_report *report);

#endif

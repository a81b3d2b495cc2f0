// SPDX-License-Identifier: Apache-2.0
//
// Who is to blame for a step that was rejected because something was not finite: the first vertex,
// tetrahedron or particle, by body and number, in words. It is looked for after the fact, so that
// steps that succeed do not pay for it.
#ifndef PLI_SIM_REPORT_CULPRIT_H
#define PLI_SIM_REPORT_CULPRIT_H

#include "sim/step/mesh_stepper.h"

// Whether positions, velocities and whatever else of a state a step begins with are finite.
bool pli_culprit_is_sound(const pli_solver *solver, const pli_state *state);

// Sets report->culprit to a text in the solver, where the step was rejected as not finite, and to
// NULL where it was not or nobody is found. state is as it was before the step.
void pli_culprit_find(pli_solver *solver, const pli_state *state, pli_step_report *report);

// What steppers have in their tables: the vertex, tetrahedron or force of a mesh; the particle.
bool pli_culprit_blame_mesh(pli_mesh_stepper *stepper, const pli_state *state);
bool pli_culprit_blame_particle(pli_solver *solver, const pli_state *state);

#endif

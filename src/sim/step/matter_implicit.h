// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles: what "hot" and the other solvers do whose row of the table has a
// method for grids (solver_table.h, mpm/implicit/implicit_stepper.h).
//
// A step of the model is cut into substeps in which matter moves by no more than cfl cells, by the
// velocities when the substep begins, those of objects that constrain it included (Wang et al.
// 2020; pli_implicit_stepper_speed); substeps are evened out so that the last one is not much
// shorter. Colliders stand where they are at the end of a substep, with the velocity that takes
// them there; emitters add their particles between substeps.
//
// After each substep matter yields: the return mapping of its law, once. Fluids, which count
// by their volume, go through the step as if they were dilated alike in all directions.
//
// The linear method (semi-implicit) halves a substep that would raise the energy and redoes it,
// and tries double the length when one went well.
//
// Failures leave the state as it was at the end of the step before.
#ifndef PLI_SIM_STEP_MATTER_IMPLICIT_H
#define PLI_SIM_STEP_MATTER_IMPLICIT_H

#include "mpm/implicit/implicit_stepper.h"
#include "sim/step/solver.h"

extern const pli_stepper_ops pli_matter_implicit_ops;

// What the stepper of a model will be made of, without kinds and colliders.
pli_implicit_stepper_def pli_matter_implicit_describe(const pli_model *model);

#endif

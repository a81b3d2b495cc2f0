// SPDX-License-Identifier: Apache-2.0
//
// Implicit steps of particles: what "hot" and the other solvers do whose row of the table has a
// method for grids (solver_table.h, mpm/implicit/implicit_march.h).
//
// Here the parts of a model are put together: kinds, colliders, emitters, which add their particles
// between substeps, and what is told. The steps are those of mpm/implicit/implicit_march.h.
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

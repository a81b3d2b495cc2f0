// SPDX-License-Identifier: Apache-2.0
//
// How a solver minimises: the scene's numbers and the solver's row of the table turned into the
// parameters of Newton's method or of L-BFGS with a linear solver, of the local-global one with its
// own, or of vertex descent, which has none.
#ifndef PLI_SIM_STEP_MINIMIZER_BUILD_H
#define PLI_SIM_STEP_MINIMIZER_BUILD_H

#include "sim/step/mesh_stepper.h"

// Makes the minimiser of a stepper whose objective has all its terms. Errors: unsupported, memory.
PLI_CHECKED pli_status pli_minimizer_build(pli_mesh_stepper *stepper);

#endif

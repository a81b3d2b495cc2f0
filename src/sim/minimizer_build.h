// SPDX-License-Identifier: Apache-2.0
//
// How a solver minimises: the scene's numbers and the solver's row of the table turned into the
// parameters of Newton's method with its linear solver, or of the local-global one with its.
#ifndef PLI_SIM_MINIMIZER_BUILD_H
#define PLI_SIM_MINIMIZER_BUILD_H

#include "sim/solver.h"

// Makes the minimiser of a solver whose objective has all its terms: newton and linear, or
// local_global. Errors: unsupported, memory.
pli_status pli_minimizer_build(pli_solver *solver);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What particles amount to, for every stepper that has some.
#ifndef PLI_SIM_REPORT_MATTER_MEASURE_H
#define PLI_SIM_REPORT_MATTER_MEASURE_H

#include "sim/step/solver.h"

// Energies, momenta, smallest J of a state. Errors: memory, argument (particles that can't be).
PLI_CHECKED pli_status pli_matter_measure(pli_solver *solver, const pli_state *state,
                                          pli_step_report *report);

#endif

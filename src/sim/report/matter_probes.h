// SPDX-License-Identifier: Apache-2.0
//
// Probes of particles: averages by mass and sums over all of them, or over those of a body or an
// emitter. A place without particles has no position and no velocity.
#ifndef PLI_SIM_REPORT_MATTER_PROBES_H
#define PLI_SIM_REPORT_MATTER_PROBES_H

#include "sim/step/solver.h"

// Fills the probes of a report.
void pli_matter_probes_measure(pli_solver *solver, const pli_state *state, pli_step_report *report);

#endif

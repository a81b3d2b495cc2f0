// SPDX-License-Identifier: Apache-2.0
//
// Where the minimisation of a step starts (Gast et al. 2015, section 3.1).
//
// The paper takes the better of x~ and x~ + a h^2 M^-1 f(x_n). The second is exact in free fall,
// but it is an explicit step: accepting it again and again amplifies the rounding of elastic
// forces. So there is a third candidate in between, with gravity as the only force, and it wins
// ties. Where there is contact, the positions of before are a candidate: predictions may have
// bodies deep inside each other, from where no minimiser finds out as they came in. Another is for
// bodies that start or end up tangled: their rest shape, aligned rigidly with x~; it costs the
// kinetic energy of moving there and no elastic energy at all.
//
// With barriers every guess is a way from x_n that stops before anything touches; the explicit
// guess and the rest shape are none. Held coordinates go the same way. When no guess lets them
// arrive at where their scripts want them, they are pulled there by springs while everything else
// gives way (after Li et al. 2020, supplement section 4), and stop short where that does not help.
#ifndef PLI_SIM_STEP_GUESS_H
#define PLI_SIM_STEP_GUESS_H

#include "sim/step/solver.h"

// Leaves the start in solver->x, and held coordinates where scripts have them at `time`, marked in
// solver->fixed. *arrived is false when a barrier kept held coordinates from getting there. Errors:
// memory.
pli_status pli_guess_choose(pli_solver *solver, const pli_state *state, double time,
                            pli_step_report *report, bool *arrived);

// Pulls held coordinates to where scripts want them at `time`; ends with all of them fixed where
// they are. Errors: memory, interrupted.
pli_status pli_guess_pursue(pli_solver *solver, double time, pli_step_report *report);

#endif

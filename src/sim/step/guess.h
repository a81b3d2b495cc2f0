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
// Without inertia the state itself and the way that the last step or piece led on are compared.
//
// With barriers every guess is a way from x_n that stops before anything touches; the explicit
// guess and the rest shape are none. Held coordinates go the same way; when no guess lets them
// arrive, they are pulled (pursuit.h).
#ifndef PLI_SIM_STEP_GUESS_H
#define PLI_SIM_STEP_GUESS_H

#include "sim/step/mesh_stepper.h"

// Leaves the start in stepper->x, held coordinates where scripts have them at the piece's end,
// marked in stepper->fixed, and in stepper->min_iterations how often it has to be improved.
// *arrived is false when a barrier kept held coordinates from getting there. Errors: memory.
PLI_CHECKED pli_status pli_guess_choose(pli_mesh_stepper *stepper, const pli_state *state,
                                        const pli_piece *piece, pli_step_report *report,
                                        bool *arrived);

// Goes from x towards stepper->x for as far as nothing touches, and returns how far, 1: all the
// way; d [vertex_count][3] is scratch.
double pli_guess_go_safely(pli_mesh_stepper *stepper, const double *x, double *d);

#endif

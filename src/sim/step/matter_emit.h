// SPDX-License-Identifier: Apache-2.0
//
// Emitters within a step of particles: see mpm/seed/emitter.h for what they emit. A particle
// that would come to lie closer to another one than half of their usual distance is not emitted, so
// that a jet that is blocked does not pile up matter in its mouth.
#ifndef PLI_SIM_STEP_MATTER_EMIT_H
#define PLI_SIM_STEP_MATTER_EMIT_H

#include "sim/step/matter_explicit.h"

// Takes over where emitters are from a state. Errors: memory.
PLI_CHECKED pli_status pli_matter_emit_begin(pli_matter_explicit *stepper,
                                             const pli_matter_state *state);

// The stable step of what is going to be emitted (s); infinity: nothing is.
double pli_matter_emit_limit(const pli_matter_explicit *stepper);

// Into how many pieces a step that begins at a time (s) has to be cut; at most its ticks.
int64_t pli_matter_emit_pieces(const pli_matter_explicit *stepper, double begin, int64_t ticks);

// Adds what comes out up to a time (s). Errors: numeric (it came out outside of the domain),
// memory.
PLI_CHECKED pli_status pli_matter_emit(pli_matter_explicit *stepper, double end);

// Hands over to a state where emitters are.
void pli_matter_emit_store(const pli_matter_explicit *stepper, pli_matter_state *state);

#endif

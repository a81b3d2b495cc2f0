// SPDX-License-Identifier: Apache-2.0
//
// Emitters between the substeps of an implicit step, as matter_emit.h has them for explicit
// ones.
#ifndef PLI_SIM_STEP_MATTER_IMPLICIT_EMIT_H
#define PLI_SIM_STEP_MATTER_IMPLICIT_EMIT_H

#include "sim/model/model.h"
#include "sim/model/state.h"

// The fastest that anything is emitted (m/s).
double pli_matter_implicit_emit_speed(const pli_model *model);

// Adds what comes out up to a time (s), where there is room. Errors: numeric (outside of the
// domain), memory.
PLI_CHECKED pli_status pli_matter_implicit_emit(const pli_model *model, double end,
                                                pli_matter_state *state);

#endif

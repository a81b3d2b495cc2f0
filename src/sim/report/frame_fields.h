// SPDX-License-Identifier: Apache-2.0
//
// Tables of the fields that parts of a frame can carry: those of bodies and those of particles.
#ifndef PLI_SIM_REPORT_FRAME_FIELDS_H
#define PLI_SIM_REPORT_FRAME_FIELDS_H

#include "pliant/sim.h"

// Bit mask of the fields of a table by name, all for an empty list. *unknown is the first name that
// does not exist, or NULL.
uint32_t pli_frame_fields_find(const pli_frame_field *fields, int32_t field_count,
                               const char *const *names, int32_t name_count, const char **unknown);

#endif

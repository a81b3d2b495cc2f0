// SPDX-License-Identifier: Apache-2.0
//
// Bodies of meshes as parts of a frame, and the fields that those can carry. An obstacle has those
// of its points only; J of a shell is area over area at rest, its stress that of the middle
// surface. Those of the solver "subspace" are there with it alone, and do not change: see
// subspace_frame.h.
#ifndef PLI_SIM_REPORT_BODY_FRAME_H
#define PLI_SIM_REPORT_BODY_FRAME_H

#include "sim/model/model.h"
#include "sim/model/state.h"

typedef enum pli_body_field {
    PLI_BODY_VELOCITY,
    PLI_BODY_DISPLACEMENT,
    PLI_BODY_VON_MISES,
    PLI_BODY_J,
    PLI_BODY_MATERIAL,
    PLI_BODY_CONTACT_FORCE,
    PLI_BODY_FRICTION_FORCE,
    PLI_BODY_CONTACT_GAP,
    PLI_BODY_HANDLE,
    PLI_BODY_HANDLE_WEIGHT,
    PLI_BODY_WEIGHT,
    PLI_BODY_PARTITION,
    PLI_BODY_CUBATURE,
    PLI_BODY_PLASTIC,
    PLI_BODY_FOLD,
    PLI_BODY_YOUNG, // where materials are painted or keyed
    PLI_BODY_FIELD_COUNT
} pli_body_field;

// bits of those that only the solver "subspace" has
#define PLI_BODY_SUBSPACE_FIELDS                                                    \
    (1u << PLI_BODY_HANDLE | 1u << PLI_BODY_HANDLE_WEIGHT | 1u << PLI_BODY_WEIGHT | \
     1u << PLI_BODY_PARTITION | 1u << PLI_BODY_CUBATURE)

// Name, unit, place and components; values is NULL. Lifetime: static.
const pli_frame_field *pli_body_field_get(int32_t field);

// Bit mask of wanted fields by name, all for an empty list. *unknown is the first name that does
// not exist, or NULL.
uint32_t pli_body_fields_find(const char *const *names, int32_t count, const char **unknown);

// The parts of a stepper of meshes. Lifetime: that of the stepper, which makes them when it is
// first asked for some.
typedef struct pli_body_parts pli_body_parts;

typedef struct pli_mesh_stepper pli_mesh_stepper;

void pli_body_parts_destroy(pli_body_parts *parts);

// Fills parts[body_count]; *count is how many there are. Lifetime: until the next call. Errors:
// memory.
PLI_CHECKED pli_status pli_body_parts_fill(pli_mesh_stepper *stepper, const pli_state *state,
                                           pli_frame_part *parts, int32_t *count);

#endif

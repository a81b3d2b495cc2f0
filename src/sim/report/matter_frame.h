// SPDX-License-Identifier: Apache-2.0
//
// Particles as parts of a frame, one for every body and emitter. Besides what a state holds, they
// tell what a step from there would do first (Fang et al. 2018): `step` is the step of the
// particle's block, and `status` what has become of it when all blocks have moved once and the
// shortest step is over: 0 it is at that time, to be moved again; 1 it is ahead of it; 2 it is
// ahead and has left a copy behind for the sake of its neighbours. With implicit steps `step` is
// the first piece of the next one, and `residual` what the last one left of forces (Wang et al.
// 2020).
#ifndef PLI_SIM_REPORT_MATTER_FRAME_H
#define PLI_SIM_REPORT_MATTER_FRAME_H

#include "sim/model/model.h"
#include "sim/model/state.h"

typedef enum pli_particle_field {
    PLI_PARTICLE_VELOCITY,
    PLI_PARTICLE_MATERIAL,
    PLI_PARTICLE_J,
    PLI_PARTICLE_PLASTIC,
    PLI_PARTICLE_STEP,
    PLI_PARTICLE_STATUS,
    PLI_PARTICLE_RESIDUAL, // of implicit steps
    PLI_PARTICLE_ID,
    // by name only: as those of elements (element_fields.h)
    PLI_PARTICLE_VON_MISES,
    PLI_PARTICLE_STRESS,
    PLI_PARTICLE_PRINCIPAL,
    PLI_PARTICLE_DIRECTION,
    PLI_PARTICLE_LOG_STRAIN,
    PLI_PARTICLE_GREEN_STRAIN,
    PLI_PARTICLE_DENSITY,
    PLI_PARTICLE_FIELD_COUNT
} pli_particle_field;

typedef struct pli_matter_parts pli_matter_parts;

// Name, unit and place of a field; without values. Lifetime: static.
const pli_frame_field *pli_particle_field_get(int32_t field);

// Bit mask of wanted fields by name; an empty list wants those before stress.
uint32_t pli_particle_fields_find(const char *const *names, int32_t count, const char **unknown);

PLI_CHECKED pli_status pli_matter_parts_create(const pli_model *model, pli_matter_parts **parts);
void pli_matter_parts_destroy(pli_matter_parts *parts);

// Takes over the particles of a state, and computes the fields that it tells. Errors: memory,
// argument (particles that can't be).
PLI_CHECKED pli_status pli_matter_parts_begin(pli_matter_parts *parts, const pli_state *state);

// The values of a field [particles], for steppers to fill in what the state does not tell; NULL:
// nobody wants them.
double *pli_matter_parts_values(const pli_matter_parts *parts, pli_particle_field field);

// Fills list[source_count] with the particles of the state; sources without particles are left out.
// Returns how many there are. Lifetime: until the next begin.
int32_t pli_matter_parts_list(pli_matter_parts *parts, const pli_state *state,
                              pli_frame_part *list);

#endif

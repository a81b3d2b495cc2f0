// SPDX-License-Identifier: Apache-2.0
//
// Colliders as parts of a frame: the surface of each, moved to where its script has it.
//
// The surface is made once, in the placement at which the collider starts, by dual contouring (see
// geometry/shapes/contour.h), which keeps edges sharp; afterwards only its points move. What has a
// finite surface is shown whole, inside-out shapes too; other surfaces are cut off at some distance
// from where the bodies start, and a plane becomes a square of two triangles.
//
// A collider that barriers keep bodies away from by its surface is shown as just that, margin
// included, where the state has it; bodies are apart from it as they are from each other.
//
// Surfaces face away from the collider's inside, which is towards the bodies. A collider that its
// script has released is left out.
#ifndef PLI_SIM_REPORT_COLLIDER_PART_H
#define PLI_SIM_REPORT_COLLIDER_PART_H

#include "sim/model/model.h"

typedef struct pli_collider_parts pli_collider_parts;

// Lifetime: the model must outlive the parts. Errors: memory.
pli_status pli_collider_parts_create(const pli_model *model, pli_collider_parts **parts);
void pli_collider_parts_destroy(pli_collider_parts *parts);

// Moves the surfaces to a time and fills target, which has room for one part per collider; x are
// the positions of the state at that time, which those of barriers are among. Returns how many
// there are. Lifetime: until the next call.
int32_t pli_collider_parts_fill(pli_collider_parts *parts, double time, const double *x,
                                pli_frame_part *target);

#endif

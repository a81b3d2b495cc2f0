// SPDX-License-Identifier: Apache-2.0
//
// Barrier contact of a model: its lengths and speeds resolved, the friction of each pair, and the
// energy term made of them.
//
// Automatic values (Li et al. 2020, section 4.5 and supplement): contact begins at 1e-3 of the
// scene's diagonal, friction is static below 1e-3 diagonals per second. Without inertia the mass
// over the squared time step, which the stiffness of barriers is measured by, is replaced by what
// springs between vertices would have: |dP/dF| at rest times the mean distance of vertices.
#ifndef PLI_SIM_MODEL_BARRIER_BUILD_H
#define PLI_SIM_MODEL_BARRIER_BUILD_H

#include "base/timers.h"
#include "contact/ipc.h"
#include "sim/model/model.h"

// Resolves distance and speed in model->contact and fills model->pair_friction. Errors: memory.
pli_status pli_barrier_resolve(pli_model *model, const pli_scene_def *def);

// Who takes part in contact is numbered: bodies, then the surfaces of colliders, then colliders
// that are planes.

// Whether two bodies, or a body and a plane, collide in a model whose contact is a barrier. Two
// that are passive never do: there is nothing in them that contact could move, so they may touch,
// overlap and go through each other.
bool pli_barrier_collides(const pli_model *model, int32_t first, int32_t second);

// The name of a body or a collider.
const char *pli_barrier_name(const pli_model *model, int32_t thing);

// The number of a collider in contact; -1: barriers do not see it.
int32_t pli_barrier_thing(const pli_model *model, int32_t collider);

// Whether a collider is a plane to barriers.
bool pli_barrier_is_plane(const pli_model_collider *collider);

// The term of a model whose contact is a barrier. timers is borrowed, may be NULL. Errors: memory,
// mesh.
pli_status pli_barrier_create(const pli_model *model, pli_timers *timers, pli_ipc **ipc);

// What a spring between vertices of the stiffest material would have (N/m).
double pli_barrier_spring(const pli_model *model);

#endif

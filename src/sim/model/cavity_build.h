// SPDX-License-Identifier: Apache-2.0
//
// The cavities of a scene, compiled: the closed surface around each, its volume at the start, and
// the law of what is in it (fem/cavity.h).
#ifndef PLI_SIM_MODEL_CAVITY_BUILD_H
#define PLI_SIM_MODEL_CAVITY_BUILD_H

#include "sim/body/body_mesh.h"
#include "sim/model/model.h"

// Cavities of a model whose bodies, masses and start are there; the mass of what is in them is
// added to that of their vertices. Errors: scene, mesh, memory.
PLI_CHECKED pli_status pli_cavity_build(pli_model *model, const pli_scene *scene,
                                        pli_body_mesh *const *meshes);

// Frees what it made, also after it failed.
void pli_cavity_clear(pli_model *model);

#endif

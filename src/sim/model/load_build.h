// SPDX-License-Identifier: Apache-2.0
//
// The loads of a scene, compiled: dead loads into weights of vertices, whose sum times the load's
// vector is the force; pressure into triangles.
//
//     traction        w_i = a third of the area at rest of the selected triangles around i (m^2)
//     force           the same, or the mass where no triangle is selected, over the sum of it
//     point_force     w_i = 1
//     acceleration    w_i = m_i (kg)
#ifndef PLI_SIM_MODEL_LOAD_BUILD_H
#define PLI_SIM_MODEL_LOAD_BUILD_H

#include "sim/body/body_mesh.h"
#include "sim/model/model.h"

// Loads of a model whose bodies and masses are there. Errors: scene, mesh, memory.
PLI_CHECKED pli_status pli_load_build(pli_model *model, const pli_scene *scene,
                                      pli_body_mesh *const *meshes);

// Frees what it made, also after it failed.
void pli_load_clear(pli_model *model);

#endif

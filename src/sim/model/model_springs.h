// SPDX-License-Identifier: Apache-2.0
//
// The springs of cloth in a model, and the mass of its vertices.
//
// Sheets and scrolls are grids of squares, of which springs know more than the triangles that they
// are cut into; everything else is taken as triangles (cloth_net.h). A spring is at rest in the
// placed rest shape. A third of area density times area goes to each corner of a triangle.
#ifndef PLI_SIM_MODEL_MODEL_SPRINGS_H
#define PLI_SIM_MODEL_MODEL_SPRINGS_H

#include "sim/body/body_mesh.h"
#include "sim/model/model.h"

// Springs of all cloth, body after body, and its mass and drag, for a model whose bodies are
// placed; meshes by pli_model_body.mesh. Errors: mesh (two vertices of a spring in one place),
// unsupported (too many springs), memory.
PLI_CHECKED pli_status pli_model_build_springs(pli_model *model, const pli_scene_def *def,
                                               pli_body_mesh *const *meshes);

// Frees what was made, also after a failure.
void pli_model_clear_springs(pli_model *model);

#endif

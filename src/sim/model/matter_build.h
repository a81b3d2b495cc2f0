// SPDX-License-Identifier: Apache-2.0
//
// From bodies of particles, emitters and the domain of a scene to the particles' part of a model.
//
// The grid. Its nodes are at multiples of the cell from the lower corner of the room that the
// domain's walls leave free, two cells beyond it on every side (mpm/grid/grid_collider.h). A scene
// that says no room gets one around everything that has bounds, half as wide again.
#ifndef PLI_SIM_MODEL_MATTER_BUILD_H
#define PLI_SIM_MODEL_MATTER_BUILD_H

#include "sim/model/model.h"

// Builds model->matter. Errors: scene, mesh, memory.
PLI_CHECKED pli_status pli_matter_build(pli_model *model, const pli_scene *scene);

// Checks that particles start outside of colliders, as strictly as the scene wants. Errors: scene,
// memory.
PLI_CHECKED pli_status pli_matter_check_overlap(const pli_model *model, const pli_scene *scene);

void pli_matter_destroy(pli_matter *matter);

// matter_memory.c: counts what the grid of implicit steps will have, once the solver is chosen.
// Errors: memory.
PLI_CHECKED pli_status pli_matter_count(pli_model *model);

// matter_memory.c: bytes that particles, grid and their states need together, and all else of a
// run.
int64_t pli_matter_memory(const pli_model *model);

// matter_seed.c: the kinds and particles of a body, source and body having the same number.
// Errors: scene, mesh, memory.
PLI_CHECKED pli_status pli_matter_seed(pli_matter *matter, const pli_scene *scene, int32_t body);

// matter_volume.c: volumes by the density of the grid for bodies that want them so; grid and
// particles are there. Errors: memory.
PLI_CHECKED pli_status pli_matter_find_volumes(pli_matter *matter, const pli_scene *scene);

// How a volume is filled, in cells of the grid.
pli_seeding_def pli_matter_seeding(const pli_matter *matter, const pli_scene *scene,
                                   const pli_filling_def *filling);

// The kind of a source that is made of a material, added when it is not there yet; it must be the
// last source that has any. Errors: scene, memory.
PLI_CHECKED pli_status pli_matter_find_kind(pli_matter *matter, const pli_scene *scene,
                                            int32_t source, const char *material, double volume,
                                            int32_t *kind);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What a scene may ask of its solver: keys of the section `solver` that contradict each other, and
// parts of the scene that the chosen solver cannot take. Messages name what is not supported and
// what to use instead.
#ifndef PLI_SIM_SCENE_SOLVER_RULES_H
#define PLI_SIM_SCENE_SOLVER_RULES_H

#include "sim/model/model.h"
#include "sim/scene/scene.h"

// Rules of the section `solver` and of solver.multigrid, for the visited struct. Errors: scene,
// memory.
PLI_CHECKED pli_status pli_solver_check_keys(const pli_scene *scene, const pli_visit *visit);
PLI_CHECKED pli_status pli_solver_check_multigrid(const pli_scene *scene, const pli_visit *visit);

// Whether the solver of a model takes everything else in it. Errors: unsupported.
PLI_CHECKED pli_status pli_solver_check_model(const pli_model *model, const pli_scene *scene);

#endif

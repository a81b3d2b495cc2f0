// SPDX-License-Identifier: Apache-2.0
//
// Warnings of what is possible but hints at a slip in the units: lengths in millimetres, densities
// in g/cm^3, moduli in MPa, steps of minutes. They say the quantity in words, at its place in the
// scene. Nothing is refused.
#ifndef PLI_SIM_SCENE_MAGNITUDE_H
#define PLI_SIM_SCENE_MAGNITUDE_H

#include "sim/model/model.h"
#include "sim/scene/scene.h"

// Of what the scene says: time step, gravity, densities, velocities, thicknesses. Errors: memory.
PLI_CHECKED pli_status pli_magnitude_check_scene(pli_scene *scene);

// Of what follows from it: extent and mass of bodies. Of particles together, of meshes each.
void pli_magnitude_check_bodies(const pli_model *model, const pli_scene *scene);

#endif

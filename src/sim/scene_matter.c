// SPDX-License-Identifier: Apache-2.0
#include "sim/scene.h"

bool pli_scene_has_particles(const pli_scene_def *def)
{
    for (int32_t k = 0; k < def->body_count; ++k) {
        if (def->bodies[k].geometry.kind == PLI_GEOMETRY_PARTICLES) return true;
    }
    return def->emitter_count > 0;
}

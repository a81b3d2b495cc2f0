// SPDX-License-Identifier: Apache-2.0
#include "sim/body/emitter_pose.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "sim/step/matter_colliders.h"

#include <math.h>

void pli_emitter_pose_find(const pli_matter_emitter *emitter, double begin, double end,
                           pli_emitter_pose *pose)
{
    const pli_motion *script = &emitter->motion;
    // one that is released closes where it is
    if (script->after == PLI_MOTION_RELEASE) end = fmin(end, script->end);
    *pose = (pli_emitter_pose){.moves = pli_motion_moves(script) && end > begin};
    pli_vec3_copy(emitter->velocity, pose->velocity);
    if (!pose->moves) return;
    bool active;
    pose->motion = pli_matter_follow(script, begin, end, &active);
    pli_mat3_apply(pose->motion.R, emitter->velocity, pose->velocity);
}

void pli_emitter_pose_place(const pli_emitter_pose *pose, const double x0[3], double x[3])
{
    double arm[3], turned[3];
    pli_vec3_copy(x0, x);
    if (!pose->moves) return;
    const pli_grid_motion *motion = &pose->motion;
    pli_vec3_subtract(x0, motion->center, arm);
    pli_mat3_apply(motion->R, arm, turned);
    for (int k = 0; k < 3; ++k) x[k] = motion->center[k] + motion->offset[k] + turned[k];
}

void pli_emitter_pose_velocity(const pli_emitter_pose *pose, const double x[3], double v[3])
{
    double w[3];
    pli_vec3_copy(pose->velocity, v);
    if (!pose->moves) return;
    pli_grid_motion_velocity(&pose->motion, x, w);
    pli_vec3_add(v, w, v);
}

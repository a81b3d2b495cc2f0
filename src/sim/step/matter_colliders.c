// SPDX-License-Identifier: Apache-2.0
#include "sim/step/matter_colliders.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <string.h>

static pli_grid_hold grid_hold(pli_boundary_kind hold)
{
    static const pli_grid_hold holds[] = {[PLI_BOUNDARY_SEPARATE] = PLI_GRID_SEPARATE,
                                          [PLI_BOUNDARY_SLIP] = PLI_GRID_SLIP,
                                          [PLI_BOUNDARY_STICKY] = PLI_GRID_STICKY};
    return holds[hold];
}

// A pose of a script without velocity.
static pli_grid_motion pose_motion(const pli_motion *script, const pli_pose *pose)
{
    pli_grid_motion motion;
    pli_grid_motion_init(&motion);
    pli_vec3_copy(script->center, motion.center);
    pli_vec3_copy(pose->offset, motion.offset);
    memcpy(motion.R, pose->A, sizeof motion.R);
    return motion;
}

pli_grid_motion pli_matter_follow(const pli_motion *script, double begin, double end, bool *active)
{
    pli_pose before, after;
    pli_motion_get_pose(script, begin, &before);
    pli_motion_get_pose(script, end, &after);
    pli_grid_motion from = pose_motion(script, &before), to = pose_motion(script, &after);
    if (after.active) pli_grid_motion_follow(&from, end - begin, &to);
    *active = after.active;
    return to;
}

static void list_parts(const pli_model *model, pli_grid_collider *parts)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        const pli_model_collider *collider = &model->colliders[k];
        pli_pose pose;
        pli_motion_get_pose(&collider->motion, 0, &pose);
        for (int32_t p = 0; p < collider->part_count; ++p) {
            *parts++ = (pli_grid_collider){.name = collider->name,
                                           .shape = collider->parts[p],
                                           .hold = grid_hold(collider->boundary),
                                           .friction = collider->friction,
                                           .is_static = !pli_motion_moves(&collider->motion),
                                           .motion = pose_motion(&collider->motion, &pose)};
        }
    }
}

// Walls stand where the room ends.
static void place_walls(const pli_matter *matter, pli_grid_wall *walls)
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    for (int axis = 0; axis < 3; ++axis) {
        double last = edges[axis] * (matter->blocks[axis] - 1) + 1;
        double end = matter->origin[axis] + last * matter->dx;
        pli_grid_wall wall = {grid_hold(matter->walls), matter->wall_friction, 0};
        wall.distance = matter->room[0][axis] - matter->origin[axis];
        walls[2 * axis] = wall;
        wall.distance = end - matter->room[1][axis];
        walls[2 * axis + 1] = wall;
    }
}

pli_status pli_matter_colliders_create(const pli_model *model, pli_grid_colliders **colliders)
{
    const pli_matter *matter = model->matter;
    int32_t count = 0;
    *colliders = NULL;
    for (int32_t k = 0; k < model->collider_count; ++k) count += model->colliders[k].part_count;
    pli_grid_collider *parts = PLI_NEW(model->context, pli_grid_collider, count, "colliders");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    list_parts(model, parts);
    pli_grid_colliders_def def = {.dx = matter->dx, .collider_count = count, .colliders = parts};
    pli_vec3_copy(matter->origin, def.origin);
    memcpy(def.blocks, matter->blocks, sizeof def.blocks);
    place_walls(matter, def.walls);
    pli_status status = pli_grid_colliders_create(model->context, &def, colliders);
    pli_release(model->context, parts);
    return status;
}

// Moves a collider, whose parts are from `first` on, to where it is at the end of a sweep.
static pli_status move_collider(const pli_model_collider *collider, int32_t first, double begin,
                                double end, pli_grid_colliders *colliders)
{
    bool active;
    pli_grid_motion to = pli_matter_follow(&collider->motion, begin, end, &active);
    for (int32_t part = first; part < first + collider->part_count; ++part) {
        PLI_TRY(pli_grid_colliders_set_active(colliders, part, active));
        if (active) PLI_TRY(pli_grid_colliders_set_motion(colliders, part, &to));
    }
    return PLI_OK;
}

pli_status pli_matter_colliders_move(const pli_model *model, double begin, double end,
                                     pli_grid_colliders *colliders)
{
    int32_t first = 0;
    for (int32_t k = 0; k < model->collider_count; ++k) {
        const pli_model_collider *collider = &model->colliders[k];
        if (pli_motion_moves(&collider->motion)) {
            PLI_TRY(move_collider(collider, first, begin, end, colliders));
        }
        first += collider->part_count;
    }
    return PLI_OK;
}

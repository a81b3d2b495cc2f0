// SPDX-License-Identifier: Apache-2.0
#include "mpm/grid/grid_collider.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "mpm/grid/grid_contact.h"

#include <string.h>

// how far a rotation may be from one
static const double rotation_tolerance = 1e-9;

// ---- motion

void pli_grid_motion_init(pli_grid_motion *motion)
{
    *motion = (pli_grid_motion){0};
    pli_mat3_identity(motion->R);
}

// The axis times the angle of a rotation by less than half a turn: R - R^T holds the axis times
// 2 sin(angle), the trace is 1 + 2 cos(angle).
static void rotation_vector(const double R[9], double turn[3])
{
    pli_vec3_set(0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1]), turn);
    double sine = pli_vec3_norm(turn);
    double angle = atan2(sine, 0.5 * (pli_mat3_trace(R) - 1));
    if (sine > 0) pli_vec3_scale(angle / sine, turn, turn);
}

void pli_grid_motion_follow(const pli_grid_motion *before, double h, pli_grid_motion *motion)
{
    double R[9];
    pli_mat3_multiply_transposed_right(motion->R, before->R, R);
    rotation_vector(R, motion->spin);
    pli_vec3_scale(1 / h, motion->spin, motion->spin);
    pli_vec3_subtract(motion->offset, before->offset, motion->velocity);
    pli_vec3_scale(1 / h, motion->velocity, motion->velocity);
}

void pli_grid_motion_velocity(const pli_grid_motion *motion, const double x[3], double w[3])
{
    double arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - motion->center[k] - motion->offset[k];
    pli_vec3_cross(motion->spin, arm, w);
    pli_vec3_add(w, motion->velocity, w);
}

static bool is_finite3(const double a[3])
{
    return isfinite(a[0]) && isfinite(a[1]) && isfinite(a[2]);
}

static pli_status check_motion(pli_context *context, const char *name,
                               const pli_grid_motion *motion)
{
    if (!pli_mat3_is_rotation(motion->R, rotation_tolerance)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "collider \"%s\" is not turned by a rotation: it may only move and turn",
                        name);
    }
    if (!is_finite3(motion->center) || !is_finite3(motion->offset) ||
        !is_finite3(motion->velocity) || !is_finite3(motion->spin)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "motion of collider \"%s\" has numbers that are not finite", name);
    }
    return PLI_OK;
}

// ---- checks

static const char *name_of(const pli_grid_collider *collider)
{
    return collider->name != NULL ? collider->name : "";
}

static pli_status check_hold(pli_context *context, const char *name, pli_grid_hold hold,
                             double friction)
{
    if ((int)hold < 0 || hold >= PLI_GRID_HOLDS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "collider \"%s\" is of kind %d, must be sticky, slip or separate", name,
                        (int)hold);
    }
    if (!(friction >= 0 && isfinite((float)friction))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "friction of collider \"%s\" is %g, must not be negative", name, friction);
    }
    return PLI_OK;
}

static pli_status check_collider(pli_context *context, const pli_grid_collider *collider)
{
    const char *name = name_of(collider);
    if (collider->shape == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "collider \"%s\" has no shape", name);
    }
    PLI_TRY(check_hold(context, name, collider->hold, collider->friction));
    return check_motion(context, name, &collider->motion);
}

static pli_status check_grid(pli_context *context, const pli_grid_colliders_def *def)
{
    if (!(def->dx > 0 && isfinite(def->dx)) || !is_finite3(def->origin)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a grid with nodes %g m apart from (%g, %g, %g) on can't be", def->dx,
                        def->origin[0], def->origin[1], def->origin[2]);
    }
    for (int k = 0; k < 3; ++k) {
        if (def->blocks[k] >= 2 && def->blocks[k] <= 1 << 20) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a grid with walls is %d blocks long along %c, must be 2 to %d",
                        def->blocks[k], "xyz"[k], 1 << 20);
    }
    if (def->collider_count < 0 || (def->collider_count > 0 && def->colliders == NULL)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d colliders can't be", def->collider_count);
    }
    return PLI_OK;
}

// ---- walls

static const char *const wall_names[PLI_GRID_WALLS] = {
    "wall at low x",  "wall at high x", "wall at low y",
    "wall at high y", "wall at low z",  "wall at high z",
};

// Two nodes, and between the second and the third.
static double wall_distance(const pli_grid_colliders_def *def, int32_t wall)
{
    return pli_larger(1.5 * def->dx, def->walls[wall].distance);
}

// From the lowest to the highest node that a stencil reaches (m).
static double domain_length(const pli_grid_colliders_def *def, int axis)
{
    static const int32_t edges[3] = {PLI_BLOCK_X, PLI_BLOCK_Y, PLI_BLOCK_Z};
    return def->dx * ((double)edges[axis] * (def->blocks[axis] - 1) + 1);
}

static pli_status check_walls(pli_context *context, const pli_grid_colliders_def *def)
{
    for (int32_t wall = 0; wall < PLI_GRID_WALLS; ++wall) {
        const pli_grid_wall *w = &def->walls[wall];
        PLI_TRY(check_hold(context, wall_names[wall], w->hold, w->friction));
        if (w->distance >= 0 && isfinite(w->distance)) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "distance of %s is %g m, must not be negative",
                        wall_names[wall], w->distance);
    }
    for (int k = 0; k < 3; ++k) {
        double low = wall_distance(def, 2 * k), high = wall_distance(def, 2 * k + 1);
        double length = domain_length(def, k);
        if (low + high < length) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "walls along %c are %g and %g m from faces that are %g m apart: nothing is "
                        "left between them",
                        "xyz"[k], low, high, length);
    }
    return PLI_OK;
}

static pli_status make_wall(pli_grid_colliders *set, const pli_grid_colliders_def *def,
                            int32_t wall, pli_grid_body *body)
{
    int axis = wall / 2;
    bool is_high = wall % 2 == 1;
    double distance = wall_distance(def, wall);
    double point[3], normal[3] = {0, 0, 0};
    pli_vec3_copy(def->origin, point);
    point[axis] += is_high ? domain_length(def, axis) - distance : distance;
    normal[axis] = is_high ? -1 : 1;

    *body = (pli_grid_body){.is_active = true, .is_wall = true};
    body->def.name = wall_names[wall];
    body->def.hold = def->walls[wall].hold;
    body->def.friction = def->walls[wall].friction;
    body->def.is_static = true;
    pli_grid_motion_init(&body->def.motion);
    return pli_shape_plane(set->shapes, point, normal, &body->def.shape);
}

// ---- the set

// When a body acts: the later, the more it has to say.
static int32_t rank_of(const pli_grid_body *body)
{
    return (body->is_wall ? 2 : 0) + (body->def.hold == PLI_GRID_STICKY ? 1 : 0);
}

static void make_order(pli_grid_colliders *set)
{
    int32_t count = 0;
    for (int32_t rank = 0; rank < 4; ++rank) {
        for (int32_t i = 0; i < set->body_count; ++i) {
            if (rank_of(&set->bodies[i]) == rank) set->order[count++] = i;
        }
    }
}

static pli_status fill_set(pli_grid_colliders *set, const pli_grid_colliders_def *def)
{
    set->body_count = def->collider_count + PLI_GRID_WALLS;
    set->bodies = PLI_NEW(set->context, pli_grid_body, set->body_count, "grid colliders");
    set->order = PLI_NEW(set->context, int32_t, set->body_count, "order of grid colliders");
    if (set->bodies == NULL || set->order == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < def->collider_count; ++i) {
        set->bodies[i] = (pli_grid_body){.def = def->colliders[i], .is_active = true};
    }
    PLI_TRY(pli_shape_set_create(set->context, &set->shapes));
    for (int32_t wall = 0; wall < PLI_GRID_WALLS; ++wall) {
        PLI_TRY(make_wall(set, def, wall, &set->bodies[def->collider_count + wall]));
    }
    for (int32_t i = 0; i < set->body_count; ++i) {
        pli_grid_body *body = &set->bodies[i];
        body->box = pli_shape_bounds(body->def.shape);
        body->slope = pli_shape_lipschitz(body->def.shape);
    }
    make_order(set);
    return PLI_OK;
}

pli_status pli_grid_colliders_create(pli_context *context, const pli_grid_colliders_def *def,
                                     pli_grid_colliders **out)
{
    *out = NULL;
    PLI_TRY(check_grid(context, def));
    PLI_TRY(check_walls(context, def));
    for (int32_t i = 0; i < def->collider_count; ++i) {
        PLI_TRY(check_collider(context, &def->colliders[i]));
    }

    pli_grid_colliders *set = PLI_NEW(context, pli_grid_colliders, 1, "set of grid colliders");
    if (set == NULL) return PLI_ERROR_MEMORY;
    set->context = context;
    set->dx = def->dx;
    pli_vec3_copy(def->origin, set->origin);
    memcpy(set->blocks, def->blocks, sizeof set->blocks);
    pli_status status = fill_set(set, def);
    if (status != PLI_OK) {
        pli_grid_colliders_destroy(set);
        return status;
    }
    *out = set;
    return PLI_OK;
}

void pli_grid_colliders_destroy(pli_grid_colliders *set)
{
    if (set == NULL) return;
    pli_grid_memory_clear(set);
    pli_shape_set_destroy(set->shapes);
    PLI_RELEASE(set->context, set->order, set->bodies, set);
}

int32_t pli_grid_colliders_count(const pli_grid_colliders *set)
{
    return set->body_count;
}

// ---- changes between steps

static pli_status check_index(const pli_grid_colliders *set, int32_t collider)
{
    int32_t count = set->body_count - PLI_GRID_WALLS;
    if (collider >= 0 && collider < count) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "there is no collider %d among %d", collider,
                    count);
}

static bool is_same_pose(const pli_grid_motion *a, const pli_grid_motion *b)
{
    bool is_same = true;
    for (int k = 0; k < 3; ++k) {
        is_same = is_same && a->center[k] == b->center[k] && a->offset[k] == b->offset[k];
    }
    for (int k = 0; k < 9; ++k) is_same = is_same && a->R[k] == b->R[k];
    return is_same;
}

pli_status pli_grid_colliders_set_motion(pli_grid_colliders *set, int32_t index,
                                         const pli_grid_motion *motion)
{
    PLI_TRY(check_index(set, index));
    pli_grid_collider *collider = &set->bodies[index].def;
    PLI_TRY(check_motion(set->context, name_of(collider), motion));
    if (collider->is_static && !is_same_pose(motion, &collider->motion)) {
        return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT,
                        "collider \"%s\" is static: only its velocities may change",
                        name_of(collider));
    }
    collider->motion = *motion;
    return PLI_OK;
}

pli_status pli_grid_colliders_set_active(pli_grid_colliders *set, int32_t index, bool is_active)
{
    PLI_TRY(check_index(set, index));
    set->bodies[index].is_active = is_active;
    return PLI_OK;
}

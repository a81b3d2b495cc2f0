// SPDX-License-Identifier: Apache-2.0
//
// A small grid with objects for the tests of grid colliders, and what a node should do, written
// plainly in double.
#ifndef PLI_TESTS_GRID_WORLD_H
#define PLI_TESTS_GRID_WORLD_H

#include "near.h"

#include "base/random.h"
#include "math/mat3.h"
#include "mpm/grid/grid_collider.h"

enum { WORLD_COLLIDERS = 48, WORLD_PAGES = 8 * 8 * 4, FLOATS = PLI_NODE_FLOATS };

typedef struct world {
    pli_context *context;
    pli_shape_set *shapes;
    pli_grid_colliders_def def;
    pli_grid_collider colliders[WORLD_COLLIDERS];
    pli_grid_colliders *set;
    double impulses[WORLD_COLLIDERS + PLI_GRID_WALLS][3];
    float nodes[PLI_PAGE_FLOATS];
    pli_grid_page page;
} world;

// 32 nodes along each axis, an eighth apart, from (-2, -2, -2) on; all of this is exact in binary.
// Nodes 0 and 1 and from 28 on, along z from 24 on, are in walls.
static inline world *world_make(int32_t threads)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->context = make_context(threads);
    OK(w->context, pli_shape_set_create(w->context, &w->shapes));
    w->def = (pli_grid_colliders_def){
        .origin = {-2, -2, -2}, .dx = 0.125, .blocks = {8, 8, 4}, .colliders = w->colliders};
    return w;
}

static inline void world_destroy(world *w)
{
    pli_grid_colliders_destroy(w->set);
    pli_shape_set_destroy(w->shapes);
    pli_context_destroy(w->context);
    free(w);
}

FIXTURE(world, world_make, world_destroy)

#define TEST_IN_WORLD(test, threads) TEST_WITH(world, test, threads)

static inline pli_grid_collider *world_add(world *w, const pli_shape *shape, pli_grid_hold hold,
                                           double friction)
{
    assert_true(w->def.collider_count < WORLD_COLLIDERS);
    pli_grid_collider *collider = &w->colliders[w->def.collider_count++];
    *collider =
        (pli_grid_collider){.name = "thing", .shape = shape, .hold = hold, .friction = friction};
    pli_grid_motion_init(&collider->motion);
    return collider;
}

static inline const pli_shape *world_plane(world *w, double nx, double ny, double nz)
{
    const pli_shape *shape = NULL;
    OK(w->context,
       pli_shape_plane(w->shapes, (double[3]){0, 0, 0}, (double[3]){nx, ny, nz}, &shape));
    return shape;
}

static inline const pli_shape *world_sphere(world *w, double x, double y, double z, double radius)
{
    const pli_shape *shape = NULL;
    OK(w->context, pli_shape_sphere(w->shapes, (double[3]){x, y, z}, radius, &shape));
    return shape;
}

static inline void world_build(world *w)
{
    pli_grid_colliders_destroy(w->set);
    OK(w->context, pli_grid_colliders_create(w->context, &w->def, &w->set));
}

static inline uint32_t world_code(int32_t i, int32_t j, int32_t k)
{
    return (uint32_t)(64 * k + 8 * j + i);
}

// A motion with nothing special about it.
static inline void world_move(pli_grid_motion *motion)
{
    double axis[3];
    pli_vec3_normalize((double[3]){1, -2, 0.5}, axis);
    pli_mat3_rotation(axis, 0.7, motion->R);
    pli_vec3_set(0.1, 0.2, -0.1, motion->center);
    pli_vec3_set(0.05, -0.15, 0.2, motion->offset);
    pli_vec3_set(0.5, -1, 0.25, motion->velocity);
    pli_vec3_set(2, 1, -3, motion->spin);
}

// ---- nodes

static inline float *world_node(world *w, int32_t node)
{
    return w->nodes + FLOATS * (int64_t)node;
}

static inline void world_position(const world *w, int32_t node, double x[3])
{
    const int32_t index[3] = {node / 32, node / 8 % 4, node % 8};
    const int32_t edges[3] = {4, 4, 8};
    for (int k = 0; k < 3; ++k) {
        x[k] = w->def.origin[k] + w->def.dx * (edges[k] * w->page.at[k] + index[k]);
    }
}

// The page of a block; every node has mass 1 and one velocity.
static inline void world_fill(world *w, const int32_t at[3], const float v[3])
{
    w->page = (pli_grid_page){
        .code = world_code(at[0], at[1], at[2]), .at = {at[0], at[1], at[2]}, .nodes = w->nodes};
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        float all[FLOATS] = {1, 7, 8, 9, v[0], v[1], v[2], 11};
        memcpy(world_node(w, node), all, sizeof all);
    }
}

// The same with random velocities and masses, a third of the nodes without mass.
static inline void world_fill_random(world *w, const int32_t at[3], uint64_t seed)
{
    pli_random random = {seed, 5};
    world_fill(w, at, (float[3]){0, 0, 0});
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        float *all = world_node(w, node);
        for (int32_t k = 0; k < FLOATS; ++k) {
            all[k] = (float)pli_random_range(random, (uint64_t)(FLOATS * node + k), -2, 2);
        }
        all[0] = node % 3 == 1 ? 0 : fabsf(all[0]) + 0.1F;
    }
}

static inline void world_apply(world *w)
{
    memset(w->impulses, 0, sizeof w->impulses);
    pli_grid_colliders_apply(w->set, &w->page, &w->impulses[0][0]);
}

// ---- what should be

// r_n, r_t and friction for one node; n zero: held.
static inline void expect_velocity(const pli_grid_collider *collider, const double n[3],
                                   const double w[3], const double v[3], double out[3])
{
    double r[3], t[3];
    pli_vec3_copy(w, out);
    if (collider->hold == PLI_GRID_STICKY || pli_vec3_norm(n) == 0) return;
    pli_vec3_subtract(v, w, r);
    double r_n = pli_vec3_dot(r, n);
    pli_vec3_add_scaled(r, -r_n, n, t);
    double speed = pli_vec3_norm(t), brake = collider->friction * fabs(r_n);
    double s = brake < speed ? 1 - brake / speed : 0;
    pli_vec3_add_scaled(w, s, t, out);
    if (collider->hold == PLI_GRID_SEPARATE && r_n >= 0) pli_vec3_copy(v, out);
}

// Value and outward normal of a moved object at x, and its velocity there.
static inline double expect_contact(const pli_grid_collider *collider, const double x[3],
                                    double n[3], double w[3])
{
    const pli_grid_motion *m = &collider->motion;
    double arm[3], x0[3], g[3];
    for (int k = 0; k < 3; ++k) arm[k] = x[k] - m->center[k] - m->offset[k];
    pli_mat3_apply_transposed(m->R, arm, x0);
    pli_vec3_add(x0, m->center, x0);
    double value = pli_shape_gradient(collider->shape, x0, g);
    pli_vec3_normalize(g, g);
    pli_mat3_apply(m->R, g, n);
    pli_vec3_cross(m->spin, arm, w);
    pli_vec3_add(w, m->velocity, w);
    return value;
}

static inline void expect_velocity_is(world *w, int32_t node, double x, double y, double z)
{
    const float *v = world_node(w, node) + 4;
    if ((double)v[0] == x && (double)v[1] == y && (double)v[2] == z) return;
    fail_msg("node %d has velocity %.9g %.9g %.9g, want %.9g %.9g %.9g", node, (double)v[0],
             (double)v[1], (double)v[2], x, y, z);
}

#endif

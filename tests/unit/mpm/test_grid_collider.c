// SPDX-License-Identifier: Apache-2.0
//
// What objects and walls do to grid nodes.
#include "grid_world.h"

#include "unit/geometry/shape_zoo.h"

// the block at whose nodes x, y and z are in [0, 0.5), [0, 0.5), [0, 1)
static const int32_t middle_block[3] = {4, 4, 2};

// one above the plane y = 0 by more than a cell
static const int32_t far_block[3] = {4, 5, 2};

// One object that fills the middle block below y = 0.2: nodes with j < 2 are in it. Node 0 is.
static void act_on_node(world *w, pli_grid_hold hold, double friction, const float v[3])
{
    const pli_shape *plane = NULL;
    OK(w->context,
       pli_shape_plane(w->shapes, (double[3]){0, 0.2, 0}, (double[3]){0, 1, 0}, &plane));
    w->def.collider_count = 0;
    world_add(w, plane, hold, friction);
    world_build(w);
    world_fill(w, middle_block, v);
    world_apply(w);
}

static void each_kind_gives_its_velocity(void **state)
{
    world *w = *state;
    const float in[3] = {3, -4, 1}, out[3] = {3, 4, 1};

    act_on_node(w, PLI_GRID_STICKY, 0, in);
    expect_velocity_is(w, 0, 0, 0, 0);
    act_on_node(w, PLI_GRID_STICKY, 0, out);
    expect_velocity_is(w, 0, 0, 0, 0);

    act_on_node(w, PLI_GRID_SLIP, 0, in);
    expect_velocity_is(w, 0, 3, 0, 1);
    act_on_node(w, PLI_GRID_SLIP, 0, out);
    expect_velocity_is(w, 0, 3, 0, 1);

    act_on_node(w, PLI_GRID_SEPARATE, 0, in);
    expect_velocity_is(w, 0, 3, 0, 1);
    act_on_node(w, PLI_GRID_SEPARATE, 0, out);
    expect_velocity_is(w, 0, 3, 4, 1);

    // 16 nodes a layer, two of four layers in it
    NEAR(w->impulses[0][1], 0, 0, 0);
    act_on_node(w, PLI_GRID_SEPARATE, 0, in);
    NEAR(w->impulses[0][1], 4 * 64, 0, 0);
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        bool is_in = node / 8 % 4 < 2;
        expect_velocity_is(w, node, 3, is_in ? 0 : -4, 1);
    }
}

// |r_n| = 4, |r_t| = 3 or 5: all numbers are exact.
static void friction_sticks_in_its_cone_and_slides_outside(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = PLI_GRID_SLIP; hold <= PLI_GRID_SEPARATE; ++hold) {
        act_on_node(w, hold, 0.75, (float[3]){3, -4, 0});
        expect_velocity_is(w, 0, 0, 0, 0);
        act_on_node(w, hold, 2, (float[3]){3, -4, 0});
        expect_velocity_is(w, 0, 0, 0, 0);
        act_on_node(w, hold, 0.625, (float[3]){3, -4, 4});
        expect_velocity_is(w, 0, 1.5, 0, 2);
        act_on_node(w, hold, 0.625, (float[3]){0, -4, 0});
        expect_velocity_is(w, 0, 0, 0, 0);
    }
    // one that only slides along is not braked
    act_on_node(w, PLI_GRID_SEPARATE, 2, (float[3]){3, 0, 4});
    expect_velocity_is(w, 0, 3, 0, 4);
    act_on_node(w, PLI_GRID_SLIP, 2, (float[3]){3, 0, 4});
    expect_velocity_is(w, 0, 3, 0, 4);
    // one that would lift off pulls at slip objects, which brake then, too
    act_on_node(w, PLI_GRID_SLIP, 0.625, (float[3]){3, 4, 4});
    expect_velocity_is(w, 0, 1.5, 0, 2);
    act_on_node(w, PLI_GRID_SEPARATE, 0.625, (float[3]){3, 4, 4});
    expect_velocity_is(w, 0, 3, 4, 4);
}

static void objects_take_nodes_with_them(void **state)
{
    world *w = *state;
    pli_grid_collider *ball = world_add(w, world_sphere(w, 0.2, 0.2, 0.4, 0.6), PLI_GRID_STICKY, 0);
    world_move(&ball->motion);
    world_build(w);
    world_fill_random(w, middle_block, 1);
    world_apply(w);
    int32_t count = 0;
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        double x[3], n[3], want[3], arm[3];
        world_position(w, node, x);
        if (world_node(w, node)[0] == 0 || expect_contact(ball, x, n, want) > 0) continue;
        // written out: du/dt + spin x (x - c - u)
        pli_vec3_set(x[0] - 0.15, x[1] - 0.05, x[2] - 0.1, arm);
        pli_vec3_set(0.5 + (arm[2] + 3 * arm[1]), -1 + (-3 * arm[0] - 2 * arm[2]),
                     0.25 + (2 * arm[1] - arm[0]), want);
        // one rounding to float
        for (int k = 0; k < 3; ++k) NEAR(world_node(w, node)[4 + k], want[k], 6e-8, 1e-12);
        ++count;
    }
    assert_true(count > 30);
}

// A plate that goes down leaves what is above it; one that comes up takes it along.
static void separating_objects_let_go(void **state)
{
    world *w = *state;
    pli_grid_collider *plate = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
    world_build(w);
    pli_grid_motion motion = plate->motion;
    for (int32_t sign = -1; sign <= 1; sign += 2) {
        pli_vec3_set(0.5, 2 * sign, 0, motion.velocity);
        OK(w->context, pli_grid_colliders_set_motion(w->set, 0, &motion));
        world_fill(w, middle_block, (float[3]){1, -0.25F, 0});
        world_apply(w);
        expect_velocity_is(w, 0, 1, sign < 0 ? -0.25 : 2, 0);
    }
    // it goes down slower than what falls: that is held back
    pli_vec3_set(0, -0.125, 0, motion.velocity);
    OK(w->context, pli_grid_colliders_set_motion(w->set, 0, &motion));
    world_fill(w, middle_block, (float[3]){1, -0.25F, 0});
    world_apply(w);
    expect_velocity_is(w, 0, 1, -0.125, 0);
}

// exp of the spin over the step takes the pose before to the pose now, and so does the velocity.
static void velocities_agree_with_poses(void **state)
{
    (void)state;
    pli_random random = {3, 0};
    for (uint64_t trial = 0; trial < 200; ++trial) {
        pli_grid_motion before, now;
        pli_grid_motion_init(&before);
        world_move(&before);
        now = before;
        double axis[3], turn[9], spin[3];
        for (uint64_t k = 0; k < 3; ++k) {
            axis[k] = pli_random_range(random, 10 * trial + k, -1, 1);
            now.offset[k] += pli_random_range(random, 10 * trial + 3 + k, -0.1, 0.1);
        }
        pli_vec3_normalize(axis, axis);
        // from hardly any to almost half a turn
        double h = 0.01, angle = 3.1 * pow(10, -0.05 * (double)trial);
        pli_mat3_rotation(axis, angle, turn);
        pli_mat3_multiply(turn, before.R, now.R);
        pli_grid_motion_follow(&before, h, &now);
        pli_vec3_scale(angle / h, axis, spin);
        // rounding of entries about 1, 40 times as much near half a turn where the sine is 1 / 24
        AT_MOST(pli_vec3_distance(now.spin, spin) * h, 2e-14);
        for (int k = 0; k < 3; ++k) {
            NEAR(before.offset[k] + h * now.velocity[k], now.offset[k], 0, 1e-15);
        }
    }
    pli_grid_motion still;
    pli_grid_motion_init(&still);
    world_move(&still);
    pli_grid_motion_follow(&still, 0.1, &still);
    AT_MOST(pli_vec3_norm(still.velocity), 0);
    AT_MOST(pli_vec3_norm(still.spin), 1e-15);
}

// All kinds of shapes at all kinds of places, node by node; so quick rejection never errs.
static void nodes_do_what_the_equations_say(void **state)
{
    world *w = *state;
    int64_t touched = 0;
    for (zoo_kind kind = 0; kind < ZOO_COUNT; ++kind) {
        const pli_shape *shape = NULL;
        OK(w->context, zoo_build(w->shapes, kind, &shape));
        pli_grid_hold hold = (pli_grid_hold)(kind % 3);
        w->def.collider_count = 0;
        pli_grid_collider *thing = world_add(w, shape, hold, kind % 2 == 0 ? 0.3 : 0);
        if (kind % 4 != 0) world_move(&thing->motion);
        world_build(w);
        for (int32_t i = 1; i < 6; ++i) {
            int32_t at[3] = {i, 1 + (3 * i + (int32_t)kind) % 6, 1 + i % 2};
            world_fill_random(w, at, (uint64_t)kind);
            float before[PLI_PAGE_FLOATS];
            memcpy(before, w->nodes, sizeof before);
            world_apply(w);
            for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
                double x[3], n[3], velocity[3], v[3], want[3];
                world_position(w, node, x);
                bool is_in = expect_contact(thing, x, n, velocity) <= 1e-6 * w->def.dx;
                const float *old = before + FLOATS * (int64_t)node;
                if (!is_in || old[0] == 0) {
                    assert_memory_equal(world_node(w, node), old, FLOATS * sizeof(float));
                    continue;
                }
                for (int k = 0; k < 3; ++k) v[k] = (double)old[4 + k];
                expect_velocity(thing, n, velocity, v, want);
                // a dozen roundings of floats about 8
                for (int k = 0; k < 3; ++k) NEAR(world_node(w, node)[4 + k], want[k], 0, 1e-5);
                ++touched;
            }
        }
    }
    assert_true(touched > 1000);
}

// Balls and their outsides around the middle of a block, up to beyond its corners.
static void blocks_are_held_whole_only_when_they_are(void **state)
{
    world *w = *state;
    int32_t whole = 0;
    for (int32_t i = 0; i < 80; ++i) {
        // corners are 0.51 from the middle
        const pli_shape *shape = world_sphere(w, 0.1875, 0.1875, 0.4375, 0.4 + 0.002 * i);
        if (i % 2 == 1) OK(w->context, pli_shape_negation(w->shapes, shape, &shape));
        w->def.collider_count = 0;
        pli_grid_collider *ball = world_add(w, shape, PLI_GRID_STICKY, 0);
        world_build(w);
        world_fill(w, middle_block, (float[3]){1, 1, 1});
        world_apply(w);
        int32_t held = 0;
        for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
            double x[3], n[3], velocity[3];
            world_position(w, node, x);
            bool is_in = expect_contact(ball, x, n, velocity) <= 1e-6 * w->def.dx;
            expect_velocity_is(w, node, is_in ? 0 : 1, is_in ? 0 : 1, is_in ? 0 : 1);
            held += is_in;
        }
        whole += held == PLI_PAGE_NODES;
    }
    assert_true(whole > 5 && whole < 40);
}

static void far_pages_keep_every_bit(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 20; ++i) {
        pli_grid_collider *thing =
            world_add(w, world_sphere(w, 0.1, -0.1, 0.1, 0.2), (pli_grid_hold)(i % 3), 0.1 * i);
        pli_vec3_set(1, 1, 1, thing->motion.velocity);
        thing->is_static = i % 2 == 0;
    }
    world_build(w);
    world_fill_random(w, far_block, 9);
    float before[PLI_PAGE_FLOATS];
    memcpy(before, w->nodes, sizeof before);
    world_apply(w);
    assert_memory_equal(before, w->nodes, sizeof before);
    for (int32_t i = 0; i < pli_grid_colliders_count(w->set); ++i) {
        AT_MOST(pli_vec3_norm(w->impulses[i]), 0);
    }
}

// Mass, momentum and the spare float are not ours, nor are nodes without mass.
static void only_velocities_of_nodes_with_mass_change(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, -1, 0, 0), PLI_GRID_SLIP, 0.5);
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_STICKY, 0.5);
    world_build(w);
    world_fill_random(w, middle_block, 4);
    float before[PLI_PAGE_FLOATS];
    memcpy(before, w->nodes, sizeof before);
    world_apply(w);
    for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
        const float *old = before + FLOATS * (int64_t)node;
        float *now = world_node(w, node);
        assert_memory_equal(old, now, 4 * sizeof(float));
        assert_memory_equal(old + 7, now + 7, sizeof(float));
        if (old[0] == 0) assert_memory_equal(old + 4, now + 4, 3 * sizeof(float));
        if (old[0] > 0) expect_velocity_is(w, node, 0, 0, 0);
    }
}

// What lies in nodes without mass, such as 0 / 0, goes nowhere.
static void nodes_without_mass_may_hold_anything(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_SLIP, 0.5);
    world_add(w, world_plane(w, -1, -1, 0), PLI_GRID_SEPARATE, 0);
    world_build(w);
    double impulses[2][2][3];
    for (int32_t pass = 0; pass < 2; ++pass) {
        world_fill_random(w, middle_block, 4);
        for (int32_t node = 1; node < PLI_PAGE_NODES && pass == 1; node += 3) {
            for (int k = 4; k < 7; ++k) world_node(w, node)[k] = node % 2 == 0 ? NAN : INFINITY;
        }
        world_apply(w);
        memcpy(impulses[pass], w->impulses, sizeof impulses[pass]);
        for (int32_t node = 1; node < PLI_PAGE_NODES && pass == 1; node += 3) {
            float v = world_node(w, node)[5];
            assert_true(node % 2 == 0 ? isnan(v) : isinf(v));
        }
    }
    assert_memory_equal(impulses[0], impulses[1], sizeof impulses[0]);
}

static void impulses_are_the_change_of_momentum(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 30; ++i) {
        double at = 0.05 * i;
        pli_grid_collider *thing = world_add(w, world_sphere(w, at - 0.5, 0.3 * at, 0.3, 0.4),
                                             (pli_grid_hold)(i % 7 == 3 ? 0 : 1 + i % 2), 0.2);
        if (i % 2 == 0) world_move(&thing->motion);
    }
    world_build(w);
    for (int32_t i = 3; i < 5; ++i) {
        const int32_t at[3] = {i, 4, 2};
        world_fill_random(w, at, 17);
        double change[3] = {0, 0, 0}, given[3] = {0, 0, 0};
        for (int32_t pass = 0; pass < 2; ++pass) {
            if (pass == 1) world_apply(w);
            for (int32_t node = 0; node < PLI_PAGE_NODES; ++node) {
                const float *n = world_node(w, node);
                for (int k = 0; k < 3; ++k) {
                    change[k] += (pass == 1 ? 1 : -1) * (double)n[0] * (double)n[4 + k];
                }
            }
        }
        for (int32_t b = 0; b < pli_grid_colliders_count(w->set); ++b) {
            pli_vec3_add(given, w->impulses[b], given);
        }
        // differences of floats are exact in double; some thousands of additions of numbers about 1
        for (int k = 0; k < 3; ++k) NEAR(given[k], change[k], 0, 1e-11);
        AT_LEAST(pli_vec3_norm(change), 1);
    }
}

// A floor that runs through nodes has all of them, whatever rounding makes of their positions.
static void nodes_on_a_surface_are_inside(void **state)
{
    world *w = *state;
    w->def.dx = 0.1;
    pli_vec3_set(0.1, 0.1, 0.1, w->def.origin);
    for (int32_t axis = 0; axis < 3; ++axis) {
        for (int32_t side = -1; side <= 1; side += 2) {
            // through the second node of the middle block along the axis
            double normal[3] = {0, 0, 0}, x[3];
            normal[axis] = side;
            world_fill(w, middle_block, (float[3]){1, 1, 1});
            int32_t node = axis == 0 ? 32 : axis == 1 ? 8 : 1;
            world_position(w, node, x);
            x[axis] = floor(x[axis] * 10 + 0.5) / 10;
            const pli_shape *plane = NULL;
            OK(w->context, pli_shape_plane(w->shapes, x, normal, &plane));
            w->def.collider_count = 0;
            pli_grid_collider *floor = world_add(w, plane, PLI_GRID_STICKY, 0);
            // the way through a pose rounds, too
            pli_mat3_rotation((double[3]){0.6, 0, 0.8}, 6.283185307179586, floor->motion.R);
            world_build(w);
            world_apply(w);
            for (int32_t n = 0; n < PLI_PAGE_NODES; ++n) {
                const int32_t index[3] = {n / 32, n / 8 % 4, n % 8};
                double still = side * (index[axis] - 1) > 0 ? 1 : 0;
                expect_velocity_is(w, n, still, still, still);
            }
        }
    }
}

// The centre of a ball is a node: no direction leads out of it.
static void nodes_without_a_normal_are_held(void **state)
{
    world *w = *state;
    pli_grid_collider *ball = world_add(w, world_sphere(w, 0, 0, 0, 0.06), PLI_GRID_SEPARATE, 0);
    pli_vec3_set(1, 2, 3, ball->motion.velocity);
    world_build(w);
    world_fill(w, middle_block, (float[3]){5, 5, 5});
    world_apply(w);
    expect_velocity_is(w, 0, 1, 2, 3);
    expect_velocity_is(w, 1, 5, 5, 5);
}

// ---- several objects

static void corners_respect_both_sides(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_SLIP, 0);
    world_add(w, world_plane(w, -1, 0, 0), PLI_GRID_SEPARATE, 0);
    world_build(w);
    world_fill(w, middle_block, (float[3]){2, 3, 4});
    world_apply(w);
    // all nodes of the block are in both
    expect_velocity_is(w, 77, 0, 0, 4);
    NEAR(w->impulses[0][1], -3 * 128, 0, 0);
    NEAR(w->impulses[1][0], -2 * 128, 0, 0);
    AT_MOST(fabs(w->impulses[0][0]) + fabs(w->impulses[1][1]), 0);
}

// Wedges from flat to sharp, both sides moving. What is left of the wrong velocity after 32 turns
// is cos^63 of the angle between the sides, or the part that counts as none when turns end earlier:
// they end when the last one changed 1e-6 of the speed, of which 1 / sin^2 may have been to come.
static void wedges_respect_both_sides(void **state)
{
    world *w = *state;
    for (int32_t degrees = 30; degrees <= 150; degrees += 15) {
        double a = degrees * pli_radians_per_degree;
        for (int32_t kind = 0; kind < 4; ++kind) {
            w->def.collider_count = 0;
            pli_grid_collider *ground = world_add(
                w, world_plane(w, 0, 1, 0), kind % 2 == 0 ? PLI_GRID_SLIP : PLI_GRID_SEPARATE, 0);
            pli_grid_collider *slope = world_add(w, world_plane(w, -sin(a), -cos(a), 0),
                                                 kind < 2 ? PLI_GRID_SLIP : PLI_GRID_SEPARATE, 0);
            pli_vec3_set(0.5, -0.25, 1, ground->motion.velocity);
            pli_vec3_set(0.5, -0.25, -1, slope->motion.velocity);
            ground->motion.offset[1] = 1;
            slope->motion.offset[0] = -1;
            world_build(w);
            world_fill(w, middle_block, (float[3]){3, -2, 0.75F});
            world_apply(w);
            const float *v = world_node(w, 40) + 4;
            double r[3] = {(double)v[0] - 0.5, (double)v[1] + 0.25, 0};
            double ground_speed = r[1], slope_speed = -sin(a) * r[0] - cos(a) * r[1];
            double left = 4 * (pow(fabs(cos(a)), 63) + 2e-6 / (sin(a) * sin(a)));
            AT_LEAST(ground_speed, -left);
            AT_LEAST(slope_speed, -left);
            if (kind % 2 == 0) AT_MOST(ground_speed, left);
            if (kind < 2) AT_MOST(slope_speed, left);
            NEAR(v[2], 0.75, 0, 1e-6);
        }
    }
}

static void sticky_objects_win_and_the_last_of_them(void **state)
{
    world *w = *state;
    const pli_shape *half = world_plane(w, 0, -1, 0);
    for (int32_t i = 0; i < 4; ++i) {
        pli_grid_collider *thing =
            world_add(w, half, i == 1 || i == 2 ? PLI_GRID_STICKY : PLI_GRID_SLIP, 0.5);
        pli_vec3_set(i, i, i, thing->motion.velocity);
    }
    world_build(w);
    world_fill(w, middle_block, (float[3]){4, 4, 4});
    world_apply(w);
    expect_velocity_is(w, 5, 2, 2, 2);
    for (int32_t i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) NEAR(w->impulses[i][k], i == 2 ? -2 * 128 : 0, 0, 0);
    }
}

static void inactive_objects_do_nothing(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 2; ++i) {
        pli_grid_collider *thing = world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_STICKY, 0);
        pli_vec3_set(1 + i, 0, 0, thing->motion.velocity);
        thing->is_static = i == 1;
    }
    world_build(w);
    for (int32_t known = 0; known < 2; ++known) {
        for (int32_t there = 0; there < 4; ++there) {
            OK(w->context, pli_grid_colliders_set_active(w->set, 0, there & 1));
            OK(w->context, pli_grid_colliders_set_active(w->set, 1, there & 2));
            world_fill(w, middle_block, (float[3]){9, 9, 9});
            if (known == 1) OK(w->context, pli_grid_colliders_remember(w->set, 1, &w->page));
            world_apply(w);
            static const double want[4][3] = {{9, 9, 9}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}};
            expect_velocity_is(w, 0, want[there][0], want[there][1], want[there][2]);
        }
    }
}

// More objects at a page than act at once.
static void crowds_of_objects_are_respected(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 40; ++i) {
        bool is_first = i < 20;
        world_add(w, world_plane(w, is_first ? -1 : 0, is_first ? 0 : -1, 0),
                  i % 2 == 0 ? PLI_GRID_SLIP : PLI_GRID_SEPARATE, 0);
    }
    world_build(w);
    world_fill(w, middle_block, (float[3]){2, 3, 4});
    world_apply(w);
    expect_velocity_is(w, 64, 0, 0, 4);
    NEAR(w->impulses[0][0], -2 * 128, 0, 0);
    NEAR(w->impulses[20][1], -3 * 128, 0, 0);
}

// ---- walls

// Nodes along an axis that are in a wall on either side, counted from the velocities of all pages.
static void count_wall_nodes(world *w, int axis, int32_t *low, int32_t *high)
{
    const int32_t edges[3] = {4, 4, 8};
    int32_t length = edges[axis] * w->def.blocks[axis];
    *low = 0;
    *high = 0;
    for (int32_t block = 0; block < w->def.blocks[axis]; ++block) {
        int32_t at[3] = {3, 3, 1};
        at[axis] = block;
        float v[3] = {0, 0, 0};
        v[axis] = block < w->def.blocks[axis] / 2 ? -1 : 1;
        world_fill(w, at, v);
        world_apply(w);
        for (int32_t k = 0; k < edges[axis]; ++k) {
            int32_t node = axis == 0 ? 32 * k : axis == 1 ? 8 * k : k;
            if (world_node(w, node)[4 + axis] != 0) continue;
            *(2 * (edges[axis] * block + k) < length ? low : high) += 1;
        }
    }
}

static void walls_are_at_least_two_nodes_thick(void **state)
{
    world *w = *state;
    // distances in cells and nodes that are nearer than that to the face
    static const double distances[4] = {0, 1, 2.25, 4.5};
    static const int32_t nodes[4] = {2, 2, 3, 5};
    for (pli_grid_hold hold = 0; hold < PLI_GRID_HOLDS; ++hold) {
        for (int32_t i = 0; i < 4; ++i) {
            for (int32_t wall = 0; wall < PLI_GRID_WALLS; ++wall) {
                w->def.walls[wall] = (pli_grid_wall){hold, 0, distances[i] * w->def.dx};
            }
            world_build(w);
            for (int axis = 0; axis < 3; ++axis) {
                int32_t low, high;
                count_wall_nodes(w, axis, &low, &high);
                assert_int_equal(low, nodes[i]);
                // the last block has two nodes that stencils reach
                assert_int_equal(high, nodes[i] + (axis == 2 ? 6 : 2));
            }
        }
    }
}

// Quadratic weights of the three nodes from floor(u) on, at u = x / dx - 1/2.
static void spline_weights(double u, double weight[3])
{
    double f = u - floor(u) + 0.5;
    weight[0] = 0.5 * (1.5 - f) * (1.5 - f);
    weight[1] = 0.75 - (f - 1) * (f - 1);
    weight[2] = 0.5 * (f - 0.5) * (f - 0.5);
}

// Everything free moves by a whole cell per step against a wall, and particles with it.
static void walls_keep_stencils_inside(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = 0; hold < PLI_GRID_HOLDS; ++hold) {
        for (int32_t wall = 0; wall < PLI_GRID_WALLS; ++wall) w->def.walls[wall].hold = hold;
        world_build(w);
        for (int32_t side = 0; side < 2; ++side) {
            // velocities along x, in cells per step
            double v[32];
            for (int32_t i = 0; i < 32; ++i) {
                const int32_t at[3] = {i / 4, 3, 1};
                world_fill(w, at, (float[3]){side == 0 ? -1 : 1, 0, 0});
                world_apply(w);
                v[i] = (double)world_node(w, 32 * (i % 4))[4];
            }
            for (int32_t start = 0; start < 20; ++start) {
                double u = 12 + 0.05 * start;
                for (int32_t step = 0; step < 2000; ++step) {
                    double weight[3];
                    int32_t lowest = (int32_t)floor(u);
                    spline_weights(u, weight);
                    for (int k = 0; k < 3; ++k) u += weight[k] * v[lowest + k];
                    // particles live in all blocks but the last
                    assert_true(u >= 0 && u < 28);
                }
                assert_true(side == 0 ? u < 0.1 : u > 27.9);
            }
        }
    }
}

// A sticky plate drives matter against a slip wall: not through it.
static void walls_have_the_last_word(void **state)
{
    world *w = *state;
    w->def.walls[2] = (pli_grid_wall){.hold = PLI_GRID_SLIP};
    w->def.walls[0] = (pli_grid_wall){.hold = PLI_GRID_STICKY};
    pli_grid_collider *plate = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_STICKY, 0);
    pli_vec3_set(3, -2, 1, plate->motion.velocity);
    world_build(w);
    world_fill(w, (int32_t[3]){3, 0, 1}, (float[3]){0, 0, 0});
    world_apply(w);
    expect_velocity_is(w, 0, 3, 0, 1);
    expect_velocity_is(w, 8, 3, 0, 1);
    expect_velocity_is(w, 16, 3, -2, 1);
    // the plate has given 3, -2, 1 to 128 nodes, and the wall has taken the -2 from half of them
    NEAR(w->impulses[0][1], -2 * 128, 0, 0);
    NEAR(w->impulses[1 + 2][1], 2 * 64, 0, 0);
    world_fill(w, (int32_t[3]){0, 0, 1}, (float[3]){0, 0, 0});
    world_apply(w);
    expect_velocity_is(w, 0, 0, 0, 0);

    // in the corner of two slip walls the plate still gives what it has once
    w->def.walls[0].hold = PLI_GRID_SLIP;
    world_build(w);
    world_fill(w, (int32_t[3]){0, 0, 1}, (float[3]){0, 0, 0});
    world_apply(w);
    expect_velocity_is(w, 0, 0, 0, 1);
    expect_velocity_is(w, 16, 0, -2, 1);
    expect_velocity_is(w, 64, 3, 0, 1);
    NEAR(w->impulses[0][0], 3 * 128, 0, 0);
    NEAR(w->impulses[0][1], -2 * 128, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_WORLD(each_kind_gives_its_velocity, 1),
        TEST_IN_WORLD(friction_sticks_in_its_cone_and_slides_outside, 1),
        TEST_IN_WORLD(objects_take_nodes_with_them, 1),
        TEST_IN_WORLD(separating_objects_let_go, 1),
        cmocka_unit_test(velocities_agree_with_poses),
        TEST_IN_WORLD(nodes_do_what_the_equations_say, 1),
        TEST_IN_WORLD(blocks_are_held_whole_only_when_they_are, 1),
        TEST_IN_WORLD(far_pages_keep_every_bit, 1),
        TEST_IN_WORLD(only_velocities_of_nodes_with_mass_change, 1),
        TEST_IN_WORLD(nodes_without_mass_may_hold_anything, 1),
        TEST_IN_WORLD(impulses_are_the_change_of_momentum, 1),
        TEST_IN_WORLD(nodes_on_a_surface_are_inside, 1),
        TEST_IN_WORLD(nodes_without_a_normal_are_held, 1),
        TEST_IN_WORLD(corners_respect_both_sides, 1),
        TEST_IN_WORLD(wedges_respect_both_sides, 1),
        TEST_IN_WORLD(sticky_objects_win_and_the_last_of_them, 1),
        TEST_IN_WORLD(inactive_objects_do_nothing, 1),
        TEST_IN_WORLD(crowds_of_objects_are_respected, 1),
        TEST_IN_WORLD(walls_are_at_least_two_nodes_thick, 1),
        TEST_IN_WORLD(walls_keep_stencils_inside, 1),
        TEST_IN_WORLD(walls_have_the_last_word, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Nodes that objects and walls hold while an implicit step is solved (Gast et al. 2015; Wang et al.
// 2020): what is left free, what changes after the solve, friction, and agreement with what
// explicit steps do.
#include "grid_world.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "mpm/implicit/node_hold.h"
#include "unit/geometry/shape_zoo.h"

// the lowest of the nodes that most tests look at is at the origin
static const int32_t middle[3] = {16, 16, 16};

typedef struct nodes {
    world *w;
    pli_node_grid *grid;
    pli_node_hold *hold;
    double *mass;  // [count], 1 at first
    double *v;     // [count][3]
    double *force; // [count][3], zero at first
} nodes;

// The nodes from low to low + 4 width - 1 along each axis, with the objects that the world has.
static nodes hold_nodes(world *w, const int32_t low[3], int32_t width, const double v[3])
{
    nodes n = {.w = w};
    world_build(w);
    OK(w->context, pli_node_grid_create(w->context, &n.grid));
    for (int32_t k = 0; k < width * width * width; ++k) {
        const int32_t index[3] = {k / (width * width), k / width % width, k % width};
        int32_t at[3];
        for (int a = 0; a < 3; ++a) at[a] = low[a] + 4 * index[a];
        OK(w->context, pli_node_grid_mark(n.grid, at, 4));
    }
    OK(w->context, pli_node_grid_finish(n.grid));
    OK(w->context, pli_node_hold_create(w->context, w->set, &n.hold));
    size_t count = (size_t)n.grid->count;
    n.mass = malloc(count * sizeof(double));
    n.v = malloc(3 * count * sizeof(double));
    n.force = calloc(3 * count, sizeof(double));
    for (size_t k = 0; k < count; ++k) {
        n.mass[k] = 1;
        pli_vec3_copy(v, n.v + 3 * k);
    }
    OK(w->context, pli_node_hold_build(n.hold, n.grid, n.mass, n.v));
    return n;
}

static void nodes_clear(nodes *n)
{
    pli_node_hold_destroy(n->hold);
    pli_node_grid_destroy(n->grid);
    free(n->mass);
    free(n->v);
    free(n->force);
    n->w->def.collider_count = 0;
}

static int32_t find_node(const nodes *n, int32_t i, int32_t j, int32_t k)
{
    int32_t node = pli_node_grid_find(n->grid, (int32_t[3]){i, j, k});
    assert_true(node >= 0);
    return node;
}

// tolerance 0: exactly
static void expect_node(const nodes *n, int32_t node, const double want[3], double tolerance)
{
    for (int k = 0; k < 3; ++k) NEAR(n->v[3 * node + k], want[k], 0, tolerance);
}

static void expect_all(const nodes *n, double x, double y, double z)
{
    for (int32_t k = 0; k < n->grid->count; ++k) expect_node(n, k, (double[3]){x, y, z}, 0);
}

// T is symmetric and T T = T; returns how many directions are free.
static int32_t expect_projector(const double T[9])
{
    double square[9];
    pli_mat3_multiply(T, T, square);
    // two normals that are 1/100 apart leave a hundred times the rounding
    for (int e = 0; e < 9; ++e) {
        NEAR(square[e], T[e], 0, 1e-13);
        NEAR(T[e % 3 * 3 + e / 3], T[e], 0, 1e-13);
    }
    double trace = pli_mat3_trace(T);
    NEAR(trace, floor(trace + 0.5), 0, 1e-13);
    return (int32_t)(trace + 0.5);
}

// ---- one object

static void each_kind_leaves_what_it_should(void **state)
{
    world *w = *state;
    const double in[3] = {3, -4, 1}, out[3] = {3, 4, 1};
    static const struct {
        pli_grid_hold hold;
        bool outwards;
        int32_t left; // directions
        double want[3];
    } cases[] = {{PLI_GRID_STICKY, false, 0, {0, 0, 0}},   {PLI_GRID_STICKY, true, 0, {0, 0, 0}},
                 {PLI_GRID_SLIP, false, 2, {3, 0, 1}},     {PLI_GRID_SLIP, true, 2, {3, 0, 1}},
                 {PLI_GRID_SEPARATE, false, 2, {3, 0, 1}}, {PLI_GRID_SEPARATE, true, 3, {3, 4, 1}}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        // nodes up to y = 0.125 are in it: two layers of four
        const pli_shape *plane = NULL;
        OK(w->context,
           pli_shape_plane(w->shapes, (double[3]){0, 0.2, 0}, (double[3]){0, 1, 0}, &plane));
        world_add(w, plane, cases[c].hold, 0.5);
        nodes n = hold_nodes(w, middle, 1, cases[c].outwards ? out : in);
        assert_int_equal(n.hold->count, cases[c].left == 3 ? 0 : 32);
        pli_node_hold_apply(n.hold, n.v);
        for (int32_t k = 0; k < n.grid->count; ++k) {
            bool is_in = n.grid->at[3 * k + 1] < 18;
            expect_node(&n, k, is_in ? cases[c].want : cases[c].outwards ? out : in, 0);
            int32_t left = is_in ? cases[c].left : 3;
            assert_int_equal(expect_projector(n.hold->all[k].T), left);
            assert_int_equal(n.hold->place[k] >= 0, left < 3);
        }
        // the list is that of the nodes, increasing
        for (int32_t k = 0; k < n.hold->count; ++k) {
            assert_true(k == 0 || n.hold->nodes[k] > n.hold->nodes[k - 1]);
            assert_int_equal(n.hold->place[n.hold->nodes[k]], k);
            assert_memory_equal(n.hold->tangents + 9 * k, n.hold->all[n.hold->nodes[k]].T,
                                9 * sizeof(double));
        }
        nodes_clear(&n);
    }
}

static void objects_take_nodes_with_them(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = PLI_GRID_STICKY; hold < PLI_GRID_HOLDS; ++hold) {
        pli_grid_collider *ball = world_add(w, world_sphere(w, 0.2, 0.2, 0.4, 0.6), hold, 0);
        world_move(&ball->motion);
        const double v[3] = {0.3, -0.2, 0.1};
        nodes n = hold_nodes(w, (int32_t[3]){12, 12, 8}, 4, v);
        pli_node_hold_apply(n.hold, n.v);
        int32_t held = 0;
        for (int32_t k = 0; k < n.grid->count; ++k) {
            double x[3], normal[3], velocity[3], want[3];
            for (int a = 0; a < 3; ++a) x[a] = -2 + 0.125 * n.grid->at[3 * k + a];
            bool is_in = expect_contact(ball, x, normal, velocity) <= 1e-6 * w->def.dx;
            expect_velocity(ball, normal, velocity, v, want);
            expect_node(&n, k, is_in ? want : v, 1e-14 * (1 + pli_vec3_norm(velocity)));
            held += n.hold->place[k] >= 0;
        }
        assert_true(held > 100);
        nodes_clear(&n);
    }
}

// The centre of a ball is a node: no direction leads out of it.
static void nodes_without_a_normal_are_held(void **state)
{
    world *w = *state;
    pli_grid_collider *ball = world_add(w, world_sphere(w, 0, 0, 0, 0.06), PLI_GRID_SEPARATE, 0);
    pli_vec3_set(1, 2, 3, ball->motion.velocity);
    nodes n = hold_nodes(w, middle, 1, (double[3]){5, 5, 5});
    assert_int_equal(n.hold->count, 1);
    pli_node_hold_apply(n.hold, n.v);
    expect_node(&n, find_node(&n, 16, 16, 16), (double[3]){1, 2, 3}, 0);
    nodes_clear(&n);
}

static void inactive_objects_hold_nothing(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_STICKY, 0);
    nodes n = hold_nodes(w, middle, 1, (double[3]){1, 1, 1});
    assert_int_equal(n.hold->count, 64);
    OK(w->context, pli_grid_colliders_set_active(w->set, 0, false));
    OK(w->context, pli_node_hold_build(n.hold, n.grid, n.mass, n.v));
    assert_int_equal(n.hold->count, 0);
    nodes_clear(&n);
}

// ---- several objects

// Wedges from flat to sharp, both sides moving: both speeds are exact, and along the edge it
// slides.
static void wedges_respect_both_sides(void **state)
{
    world *w = *state;
    for (int32_t degrees = 1; degrees < 180; degrees += 4) {
        double a = degrees * pli_radians_per_degree;
        pli_grid_collider *ground = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SLIP, 0);
        pli_grid_collider *slope =
            world_add(w, world_plane(w, -sin(a), -cos(a), 0), PLI_GRID_SLIP, 0);
        pli_vec3_set(0.5, -0.25, 1, ground->motion.velocity);
        pli_vec3_set(-0.5, 0.75, -1, slope->motion.velocity);
        ground->motion.offset[1] = 1;
        pli_vec3_set(-sin(a), -cos(a), 0, slope->motion.offset);
        nodes n = hold_nodes(w, middle, 1, (double[3]){3, -2, 0.75});
        assert_int_equal(n.hold->count, 64);
        pli_node_hold_apply(n.hold, n.v);
        for (int32_t k = 0; k < 64; ++k) {
            const double *v = n.v + 3 * k;
            assert_int_equal(expect_projector(n.hold->all[k].T), 1);
            // rounding over the sine
            NEAR(v[1], -0.25, 0, 1e-14);
            NEAR(-sin(a) * v[0] - cos(a) * v[1], 0.5 * sin(a) - 0.75 * cos(a), 0, 1e-13);
            NEAR(v[2], 0.75, 0, 1e-14);
        }
        nodes_clear(&n);
    }
}

// Sides that are the same but for a thousandth count as one: jaws that close shoot nothing out.
static void what_is_almost_parallel_counts_as_one(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, -1, 0), PLI_GRID_SLIP, 0);
    pli_grid_collider *other = world_add(w, world_plane(w, 1e-3, -1, 0), PLI_GRID_SLIP, 0);
    other->motion.offset[0] = 1000;
    pli_vec3_set(0, 1, 0, other->motion.velocity);
    nodes n = hold_nodes(w, middle, 1, (double[3]){2, 3, 4});
    pli_node_hold_apply(n.hold, n.v);
    expect_all(&n, 2, 0, 4);
    nodes_clear(&n);
}

static void three_sides_leave_nothing(void **state)
{
    world *w = *state;
    for (int k = 0; k < 3; ++k) {
        double normal[3] = {-0.3, -0.3, -0.3}, offset[3] = {0.5, 0.5, 0.5};
        normal[k] = -1;
        pli_grid_collider *side = world_add(w, world_plane(w, normal[0], normal[1], normal[2]),
                                            k == 1 ? PLI_GRID_SEPARATE : PLI_GRID_SLIP, 0);
        pli_vec3_copy(offset, side->motion.velocity);
    }
    nodes n = hold_nodes(w, middle, 1, (double[3]){2, 3, 4});
    pli_node_hold_apply(n.hold, n.v);
    for (int32_t k = 0; k < 64; ++k) {
        assert_int_equal(expect_projector(n.hold->all[k].T), 0);
        expect_node(&n, k, (double[3]){0.5, 0.5, 0.5}, 1e-14);
    }
    nodes_clear(&n);
}

static void sticky_objects_win_and_the_last_of_them(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 4; ++i) {
        pli_grid_collider *thing = world_add(
            w, world_plane(w, 0, -1, 0), i == 1 || i == 2 ? PLI_GRID_STICKY : PLI_GRID_SLIP, 0.5);
        pli_vec3_set(i, i, i, thing->motion.velocity);
    }
    nodes n = hold_nodes(w, middle, 1, (double[3]){4, 4, 4});
    pli_node_hold_apply(n.hold, n.v);
    expect_all(&n, 2, 2, 2);
    nodes_clear(&n);
}

// ---- walls

static void walls_hold_two_nodes(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = 0; hold < PLI_GRID_HOLDS; ++hold) {
        for (int32_t wall = 0; wall < PLI_GRID_WALLS; ++wall) w->def.walls[wall].hold = hold;
        // against the low wall along every axis
        nodes n = hold_nodes(w, (int32_t[3]){0, 0, 0}, 1, (double[3]){-1, -2, -3});
        pli_node_hold_apply(n.hold, n.v);
        for (int32_t k = 0; k < 64; ++k) {
            double want[3] = {-1, -2, -3};
            for (int a = 0; a < 3; ++a) {
                if (n.grid->at[3 * k + a] > 1) continue;
                if (hold == PLI_GRID_STICKY) pli_vec3_set(0, 0, 0, want);
                want[a] = 0;
            }
            expect_node(&n, k, want, 0);
        }
        nodes_clear(&n);
    }
}

// A sticky plate drives matter against walls that let it slide, or go: not through them.
static void walls_have_the_last_word(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = PLI_GRID_SLIP; hold <= PLI_GRID_SEPARATE; ++hold) {
        w->def.walls[2] = (pli_grid_wall){.hold = hold};
        w->def.walls[0] = (pli_grid_wall){.hold = hold};
        pli_grid_collider *plate = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_STICKY, 0);
        pli_vec3_set(3, -2, 1, plate->motion.velocity);
        // what the nodes did before is nobody's business
        nodes n = hold_nodes(w, (int32_t[3]){0, 0, 8}, 2, (double[3]){0, 5, 0});
        pli_node_hold_apply(n.hold, n.v);
        expect_node(&n, find_node(&n, 5, 0, 9), (double[3]){3, 0, 1}, 0);
        expect_node(&n, find_node(&n, 5, 1, 9), (double[3]){3, 0, 1}, 0);
        expect_node(&n, find_node(&n, 5, 2, 9), (double[3]){3, -2, 1}, 0);
        // away from the wall at low x, which only slip walls mind
        bool slips = hold == PLI_GRID_SLIP;
        expect_node(&n, find_node(&n, 0, 0, 9), (double[3]){slips ? 0 : 3, 0, 1}, 0);
        assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 0);
        nodes_clear(&n);
    }
}

// ---- nodes without mass

static void nodes_without_mass_are_held(void **state)
{
    world *w = *state;
    pli_grid_collider *floor = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SLIP, 0.5);
    pli_vec3_set(0, 2, 0, floor->motion.velocity);
    nodes n = hold_nodes(w, middle, 1, (double[3]){3, -4, 1});
    // some on the floor, some not
    int32_t on = find_node(&n, 17, 16, 18), off = find_node(&n, 17, 18, 18);
    int32_t light = find_node(&n, 18, 18, 18);
    n.mass[on] = 0;
    n.mass[off] = 1e-19;
    n.mass[light] = 1e-17;
    OK(w->context, pli_node_hold_build(n.hold, n.grid, n.mass, n.v));
    assert_int_equal(n.hold->count, 16 + 1);
    assert_int_equal(expect_projector(n.hold->all[on].T), 0);
    assert_int_equal(expect_projector(n.hold->all[off].T), 0);
    assert_int_equal(n.hold->place[light], -1);
    pli_node_hold_apply(n.hold, n.v);
    expect_node(&n, on, (double[3]){3, 2, 1}, 0);
    expect_node(&n, off, (double[3]){3, -4, 1}, 0);
    pli_node_hold_brake(n.hold, 1, n.mass, n.v, n.v);
    expect_node(&n, on, (double[3]){3, 2, 1}, 0);
    nodes_clear(&n);
}

// ---- after a solve

// A floor through y = 0 that lets go; all nodes fall, 16 of them on it.
static nodes fall_on_floor(world *w)
{
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
    nodes n = hold_nodes(w, middle, 1, (double[3]){3, -4, 1});
    assert_int_equal(n.hold->count, 16);
    pli_node_hold_apply(n.hold, n.v);
    return n;
}

static void who_is_pulled_is_released_and_nobody_else(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    int32_t pulled = find_node(&n, 17, 16, 18);
    for (int32_t k = 0; k < 64; ++k) n.force[3 * k + 1] = n.hold->place[k] >= 0 ? 1e-3 : 0;
    n.force[3 * pulled + 1] = -1e-3;
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 1);
    assert_int_equal(n.hold->count, 15);
    assert_int_equal(n.hold->place[pulled], -1);
    assert_int_equal(expect_projector(n.hold->all[pulled].T), 3);
    // the same solution again changes nothing
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 0);
    assert_int_equal(n.hold->count, 15);
    nodes_clear(&n);
}

static void who_gets_inside_is_held(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
    nodes n = hold_nodes(w, middle, 1, (double[3]){3, 4, 1});
    assert_int_equal(n.hold->count, 0);
    int32_t inside = find_node(&n, 17, 16, 18), above = find_node(&n, 17, 17, 18);
    n.v[3 * inside + 1] = -1e-3;
    n.v[3 * above + 1] = -1e-3;
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 1);
    assert_int_equal(n.hold->count, 1);
    pli_node_hold_apply(n.hold, n.v);
    expect_node(&n, inside, (double[3]){3, 0, 1}, 0);
    expect_node(&n, above, (double[3]){3, -1e-3, 1}, 0);
    nodes_clear(&n);
}

// Held, released, held again, and then for good: no endless back and forth.
static void nobody_changes_for_ever(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    int32_t node = find_node(&n, 17, 16, 18), changes = 0;
    for (int round = 0; round < 10; ++round) {
        bool is_held = n.hold->place[node] >= 0;
        n.force[3 * node + 1] = is_held ? -1 : 0;
        n.v[3 * node + 1] = is_held ? 0 : -1;
        changes += pli_node_hold_revise(n.hold, n.grid, n.v, n.force);
    }
    assert_int_equal(changes, 2);
    assert_true(n.hold->place[node] >= 0);
    nodes_clear(&n);
}

static void without_forces_nobody_is_released(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, NULL), 0);
    assert_int_equal(n.hold->count, 16);
    nodes_clear(&n);
}

// Rounding of velocities is neither an entry nor a pull.
static void rounding_changes_nothing(void **state)
{
    world *w = *state;
    pli_grid_collider *floor = world_add(w, world_plane(w, 0.36, 0.48, 0.8), PLI_GRID_SEPARATE, 0);
    pli_vec3_set(1e3, -2e3, 3e3, floor->motion.velocity);
    nodes n = hold_nodes(w, (int32_t[3]){12, 12, 12}, 2, (double[3]){0, 0, 0});
    pli_node_hold_apply(n.hold, n.v);
    int32_t held = n.hold->count;
    assert_true(held > 50 && held < 512);
    for (int32_t k = 0; k < n.grid->count; ++k) {
        for (int a = 0; a < 3; ++a) n.v[3 * k + a] *= 1 + 1e-16 * (k % 3 - 1);
    }
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 0);
    assert_int_equal(n.hold->count, held);
    nodes_clear(&n);
}

// In a corner a node may leave one side and stay on the other.
static void sides_of_a_corner_let_go_one_by_one(void **state)
{
    world *w = *state;
    for (int side = 0; side < 2; ++side) {
        world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
        world_add(w, world_plane(w, 1, 0, 0), PLI_GRID_SEPARATE, 0);
        nodes n = hold_nodes(w, middle, 1, (double[3]){-1, -2, -3});
        pli_node_hold_apply(n.hold, n.v);
        int32_t node = find_node(&n, 16, 16, 18);
        expect_node(&n, node, (double[3]){0, 0, -3}, 0);
        n.force[3 * node] = side == 0 ? -2 : 5;
        n.force[3 * node + 1] = side == 0 ? 5 : -2;
        assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 1);
        const double *T = n.hold->all[node].T;
        assert_int_equal(expect_projector(T), 2);
        NEAR(T[0], side == 0 ? 1 : 0, 0, 0);
        NEAR(T[4], side == 0 ? 0 : 1, 0, 0);
        // and it comes back to the side that it left
        n.v[3 * node + side] = -1;
        assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, NULL), 1);
        assert_int_equal(expect_projector(n.hold->all[node].T), 1);
        nodes_clear(&n);
    }
}

// Who does not let go may pull as much as it likes.
static void pulls_of_slip_objects_release_nobody(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
    world_add(w, world_plane(w, 1, 0, 0), PLI_GRID_SLIP, 0);
    nodes n = hold_nodes(w, middle, 1, (double[3]){-1, -2, -3});
    pli_node_hold_apply(n.hold, n.v);
    int32_t node = find_node(&n, 16, 16, 18);
    pli_vec3_set(-5, 2, 0, n.force + 3 * node);
    assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force), 0);
    assert_int_equal(expect_projector(n.hold->all[node].T), 1);
    nodes_clear(&n);
}

// Forces of two sides at any angle: the multipliers decide, not what the force looks like from one
// side.
static void wedges_let_go_by_their_multipliers(void **state)
{
    world *w = *state;
    for (int32_t degrees = 15; degrees < 180; degrees += 15) {
        for (int signs = 0; signs < 4; ++signs) {
            double a = degrees * pli_radians_per_degree;
            const double first[3] = {0, 1, 0}, second[3] = {sin(a), cos(a), 0};
            pli_grid_collider *ground = world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0);
            pli_grid_collider *slope =
                world_add(w, world_plane(w, second[0], second[1], 0), PLI_GRID_SEPARATE, 0);
            // all nodes are in both, and go inwards, once the first has taken its part, too
            pli_vec3_copy(first, ground->motion.offset);
            pli_vec3_copy(second, slope->motion.offset);
            nodes n = hold_nodes(w, middle, 1, (double[3]){-1, -0.1, 0});
            assert_int_equal(n.hold->count, 64);
            pli_node_hold_apply(n.hold, n.v);
            double lambda[2] = {signs % 2 == 0 ? 0.01 : -0.01, signs / 2 == 0 ? 1 : -1};
            for (int32_t k = 0; k < 64; ++k) {
                pli_vec3_scale(lambda[0], first, n.force + 3 * k);
                pli_vec3_add_scaled(n.force + 3 * k, lambda[1], second, n.force + 3 * k);
            }
            assert_int_equal(pli_node_hold_revise(n.hold, n.grid, n.v, n.force),
                             signs == 0 ? 0 : 64);
            int32_t left = expect_projector(n.hold->all[7].T);
            assert_int_equal(left, 1 + (lambda[0] < 0) + (lambda[1] < 0));
            nodes_clear(&n);
        }
    }
}

// More objects at a node than there are verdicts for.
static void crowds_of_objects_are_respected(void **state)
{
    world *w = *state;
    for (int32_t i = 0; i < 20; ++i) {
        world_add(w, world_plane(w, i % 2 == 0 ? -1 : 0, i % 2 == 0 ? 0 : -1, 0), PLI_GRID_SEPARATE,
                  0);
    }
    nodes n = hold_nodes(w, middle, 1, (double[3]){2, 3, 4});
    pli_node_hold_apply(n.hold, n.v);
    expect_all(&n, 0, 0, 4);
    for (int32_t k = 0; k < 64; ++k) pli_vec3_set(-1, 2, 0, n.force + 3 * k);
    // they let go one after another, and those that push along y go last
    for (int round = 0; round < 20; ++round) {
        pli_node_hold_revise(n.hold, n.grid, n.v, n.force);
        for (int32_t k = 0; k < 64; ++k) n.force[3 * k] = 0;
    }
    assert_int_equal(n.hold->count, 64);
    nodes_clear(&n);
}

// ---- friction

// A node that slides with 3 along x and 4 along z, held by a force along y: |r| = 5.
static void friction_stops_in_its_cone_and_never_reverses(void **state)
{
    world *w = *state;
    for (pli_grid_hold hold = PLI_GRID_SLIP; hold <= PLI_GRID_SEPARATE; ++hold) {
        for (int k = 0; k < 4; ++k) {
            // mu h f / (m |r|) is a tenth of the force
            const double force[4] = {0, 2.5, 10, 1000}, left[4] = {1, 0.75, 0, 0};
            pli_grid_collider *floor = world_add(w, world_plane(w, 0, 1, 0), hold, 0.25);
            pli_vec3_set(1, 7, 0, floor->motion.velocity);
            nodes n = hold_nodes(w, middle, 1, (double[3]){1 + 3, -4, 4});
            pli_node_hold_apply(n.hold, n.v);
            for (int32_t i = 0; i < 64; ++i) {
                n.mass[i] = 2;
                n.force[3 * i + 1] = force[k];
            }
            pli_node_hold_brake(n.hold, 4, n.mass, n.force, n.v);
            int32_t node = find_node(&n, 18, 16, 17), above = find_node(&n, 18, 17, 17);
            expect_node(&n, node, (double[3]){1 + 3 * left[k], 7, 4 * left[k]}, 1e-15);
            expect_node(&n, above, (double[3]){4, -4, 4}, 0);
            nodes_clear(&n);
        }
    }
}

// A wall without friction beside a floor that has it: the floor brakes along the wall.
static void friction_of_one_side_acts_along_the_other(void **state)
{
    world *w = *state;
    for (int order = 0; order < 2; ++order) {
        for (int k = 0; k < 2; ++k) {
            bool is_floor = k == order;
            world_add(w, world_plane(w, is_floor ? 0 : 1, is_floor ? 1 : 0, 0), PLI_GRID_SEPARATE,
                      is_floor ? 0.5 : 0);
        }
        nodes n = hold_nodes(w, middle, 1, (double[3]){-1, -2, 10});
        pli_node_hold_apply(n.hold, n.v);
        int32_t node = find_node(&n, 16, 16, 18);
        pli_vec3_set(100, 4, 0, n.force + 3 * node);
        pli_node_hold_brake(n.hold, 1, n.mass, n.force, n.v);
        expect_node(&n, node, (double[3]){0, 0, 8}, 1e-15);
        nodes_clear(&n);
    }
}

static void who_was_released_is_not_braked(void **state)
{
    world *w = *state;
    world_add(w, world_plane(w, 0, 1, 0), PLI_GRID_SEPARATE, 0.5);
    nodes n = hold_nodes(w, middle, 1, (double[3]){1, 2, 3});
    for (int32_t k = 0; k < 64; ++k) n.force[3 * k + 1] = -1;
    pli_node_hold_brake(n.hold, 1, n.mass, n.force, n.v);
    expect_all(&n, 1, 2, 3);
    nodes_clear(&n);
}

// ---- explicit steps do the same

// All kinds of shapes at all kinds of places, held in all ways: pli_grid_colliders_apply on a page.
static void velocities_are_those_of_explicit_steps(void **state)
{
    world *w = *state;
    int64_t held = 0;
    for (zoo_kind kind = 0; kind < ZOO_COUNT; ++kind) {
        const pli_shape *shape = NULL;
        OK(w->context, zoo_build(w->shapes, kind, &shape));
        pli_grid_collider *thing = world_add(w, shape, (pli_grid_hold)(kind % 3), 0);
        if (kind % 4 != 0) world_move(&thing->motion);
        for (int32_t i = 1; i < 6; ++i) {
            int32_t at[3] = {i, 1 + (3 * i + (int32_t)kind) % 6, 1 + i % 2};
            const int32_t low[3] = {4 * at[0], 4 * at[1], 8 * at[2]};
            // twice as many nodes as the page has, of which it gets its own
            nodes n = hold_nodes(w, low, 2, (double[3]){0, 0, 0});
            world_fill_random(w, at, (uint64_t)kind);
            for (int32_t k = 0; k < n.grid->count; ++k) {
                const int32_t *c = n.grid->at + 3 * k;
                int32_t node = 32 * (c[0] - low[0]) + 8 * (c[1] - low[1]) + c[2] - low[2];
                if (c[0] - low[0] > 3 || c[1] - low[1] > 3) continue;
                world_node(w, node)[0] = 1;
                for (int a = 0; a < 3; ++a) n.v[3 * k + a] = (double)world_node(w, node)[4 + a];
            }
            OK(w->context, pli_node_hold_build(n.hold, n.grid, n.mass, n.v));
            pli_node_hold_apply(n.hold, n.v);
            world_apply(w);
            for (int32_t k = 0; k < n.grid->count; ++k) {
                const int32_t *c = n.grid->at + 3 * k;
                int32_t node = 32 * (c[0] - low[0]) + 8 * (c[1] - low[1]) + c[2] - low[2];
                if (c[0] - low[0] > 3 || c[1] - low[1] > 3) continue;
                // a dozen roundings of floats about 8
                for (int a = 0; a < 3; ++a) {
                    NEAR(n.v[3 * k + a], (double)world_node(w, node)[4 + a], 0, 1e-5);
                }
                held += n.hold->place[k] >= 0;
            }
            nodes_clear(&n);
            w->def.collider_count = 1;
        }
        w->def.collider_count = 0;
    }
    assert_true(held > 1000);
}

// ---- promises

static void as_constraints_they_are_what_is_held(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    pli_node_constraints held = pli_node_hold_constraints(n.hold);
    assert_int_equal(held.count, 16);
    pli_feasible_set set = pli_node_hold_feasible(n.hold);
    pli_active_set active = {0};
    set.ops->release(set.self);
    set.ops->choose_active(set.self, n.v, n.force);
    set.ops->get_active(set.self, &active);
    assert_int_equal(active.count, held.count);
    assert_ptr_equal(active.points, held.nodes);
    assert_ptr_equal(active.tangents, held.tangents);
    AT_LEAST((double)pli_node_hold_memory(n.hold), 64 * sizeof(pli_held_node));
    nodes_clear(&n);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        world *w = world_make(bits.threads);
        for (int k = 0; k < 6; ++k) {
            pli_grid_collider *thing =
                world_add(w, world_sphere(w, 0.2 * k - 0.5, 0.1 * k, 0.2, 0.5),
                          (pli_grid_hold)(k % 3), 0.1 * k);
            if (k % 2 == 1) world_move(&thing->motion);
        }
        nodes n = hold_nodes(w, (int32_t[3]){8, 8, 8}, 4, (double[3]){0.5, -0.3, 0.2});
        pli_node_hold_apply(n.hold, n.v);
        for (int32_t k = 0; k < 3 * n.grid->count; ++k) {
            n.force[k] = pli_random_range((pli_random){1, 1}, (uint64_t)k, -1, 1);
        }
        assert_true(pli_node_hold_revise(n.hold, n.grid, n.v, n.force) > 50);
        // structs have gaps, so the fields one by one
        uint64_t hash = PLI_HASH_START;
        for (int32_t k = 0; k < n.grid->count; ++k) {
            const pli_held_node *held = &n.hold->all[k];
            hash = pli_hash_bytes(hash, held->T, sizeof held->T);
            hash = pli_hash_bytes(hash, held->c, sizeof held->c);
            hash = pli_hash_bytes(hash, held->dual, sizeof held->dual);
        }
        same_bits_keep_hash(&bits, hash);
        nodes_clear(&n);
        world_destroy(w);
    }
}

static void building_again_allocates_nothing(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    int64_t before = pli_context_allocation_count(w->context);
    for (int k = 0; k < 3; ++k) {
        OK(w->context, pli_node_hold_build(n.hold, n.grid, n.mass, n.v));
        n.v[1] = -1;
        pli_node_hold_revise(n.hold, n.grid, n.v, n.force);
        pli_node_hold_brake(n.hold, 1, n.mass, n.force, n.v);
    }
    assert_int_equal(pli_context_allocation_count(w->context), before);
    nodes_clear(&n);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    world *w = *state;
    nodes n = fall_on_floor(w);
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        pli_node_hold *hold = NULL;
        sweep.status = pli_node_hold_create(sweep.context, w->set, &hold);
        if (hold != NULL) sweep.status = pli_node_hold_build(hold, n.grid, n.mass, n.v);
        pli_node_hold_destroy(hold);
    }
    nodes_clear(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_WORLD(each_kind_leaves_what_it_should, 1),
        TEST_IN_WORLD(objects_take_nodes_with_them, 1),
        TEST_IN_WORLD(nodes_without_a_normal_are_held, 1),
        TEST_IN_WORLD(inactive_objects_hold_nothing, 1),
        TEST_IN_WORLD(wedges_respect_both_sides, 1),
        TEST_IN_WORLD(what_is_almost_parallel_counts_as_one, 1),
        TEST_IN_WORLD(three_sides_leave_nothing, 1),
        TEST_IN_WORLD(sticky_objects_win_and_the_last_of_them, 1),
        TEST_IN_WORLD(walls_hold_two_nodes, 1),
        TEST_IN_WORLD(walls_have_the_last_word, 1),
        TEST_IN_WORLD(nodes_without_mass_are_held, 1),
        TEST_IN_WORLD(who_is_pulled_is_released_and_nobody_else, 1),
        TEST_IN_WORLD(who_gets_inside_is_held, 1),
        TEST_IN_WORLD(nobody_changes_for_ever, 1),
        TEST_IN_WORLD(without_forces_nobody_is_released, 1),
        TEST_IN_WORLD(rounding_changes_nothing, 1),
        TEST_IN_WORLD(sides_of_a_corner_let_go_one_by_one, 1),
        TEST_IN_WORLD(pulls_of_slip_objects_release_nobody, 1),
        TEST_IN_WORLD(wedges_let_go_by_their_multipliers, 1),
        TEST_IN_WORLD(crowds_of_objects_are_respected, 1),
        TEST_IN_WORLD(friction_stops_in_its_cone_and_never_reverses, 1),
        TEST_IN_WORLD(friction_of_one_side_acts_along_the_other, 1),
        TEST_IN_WORLD(who_was_released_is_not_braked, 1),
        TEST_IN_WORLD(velocities_are_those_of_explicit_steps, 1),
        TEST_IN_WORLD(as_constraints_they_are_what_is_held, 1),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        TEST_IN_WORLD(building_again_allocates_nothing, 2),
        TEST_IN_WORLD(failing_allocations_leave_nothing_behind, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

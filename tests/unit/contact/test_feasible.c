// SPDX-License-Identifier: Apache-2.0
//
// Projection onto the feasible set: where points end, and how directions are carried along.
#include "solids.h"
#include "unit/geometry/shape_zoo.h"

#include "contact/feasible.h"

static const double tolerance = 1e-13;

static pli_feasible feasible_of(const solids *s)
{
    return (pli_feasible){&s->def, PLI_COLLIDER_CONSTRAINT, tolerance};
}

static bool project(const solids *s, uint8_t held, double x[3], double *d)
{
    pli_feasible feasible = feasible_of(s);
    pli_feasible_point point = {.x = x, .d = d, .held = held};
    return pli_feasible_project(&feasible, &point);
}

static double least_value(const solids *s, const double x[3])
{
    double least = INFINITY;
    for (int32_t b = 0; b < s->def.collider_count; ++b) {
        least = fmin(least, pli_collider_value(&s->colliders[b], x));
    }
    return least;
}

static bool is_same(const double a[3], const double b[3])
{
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

// Feasible points stay to the bit, others end feasible, and projecting again changes no bit.
static void check_projection(const solids *s, const double start[3])
{
    double x[3], again[3];
    pli_vec3_copy(start, x);
    assert_true(project(s, 0, x, NULL));
    AT_LEAST(least_value(s, x), -tolerance);
    if (least_value(s, start) >= -tolerance) assert_true(is_same(x, start));
    pli_vec3_copy(x, again);
    assert_true(project(s, 0, again, NULL));
    assert_true(is_same(x, again));
}

static void points_end_feasible_and_stay(void **state)
{
    (void)state;
    for (solid_kind kind = 0; kind < SOLID_ANALYTIC; ++kind) {
        solids *s = solids_make(1);
        solids_move(solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT));
        for (uint64_t i = 0; i < 500; ++i) {
            double x[3];
            solids_point(1, i, 1.2, x);
            check_projection(s, x);
        }
        solids_destroy(s);
    }
}

// Any analytic shape there is and its inside out, taken apart into at most SOLIDS colliders.
static void every_analytic_shape_can_be_left(void **state)
{
    (void)state;
    for (int index = 0; index < 2 * ZOO_SAMPLED_LINEAR; ++index) {
        solids *s = solids_make(1);
        const pli_shape *shape = NULL, *parts[SOLIDS];
        int32_t count = 0;
        OK(s->context, zoo_build(s->set, (zoo_kind)(index / 2), &shape));
        if (index % 2 == 1) shape = solids_negation(s, shape);
        OK(s->context, pli_shape_parts(s->set, shape, SOLIDS, parts, &count));
        for (int32_t k = 0; k < count; ++k) solids_add(s, parts[k], PLI_COLLIDER_CONSTRAINT);
        for (uint64_t i = 0; i < 300; ++i) {
            double x[3];
            solids_point(10, i, 1.3, x);
            check_projection(s, x);
        }
        solids_destroy(s);
    }
}

static void exact_shapes_send_points_to_the_nearest_place(void **state)
{
    (void)state;
    for (solid_kind kind = 0; kind < SOLID_BLEND; ++kind) {
        solids *s = solids_make(1);
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_move(collider);
        for (uint64_t i = 0; i < 300; ++i) {
            double x[3], start[3];
            solids_point(2, i, 1.2, start);
            double depth = -pli_collider_value(collider, start);
            if (depth <= 0) continue;
            pli_vec3_copy(start, x);
            project(s, 0, x, NULL);
            // an exact distance can't be undercut, and the way there is no longer; rounding apart
            NEAR(pli_vec3_distance(x, start), depth, 0, 1e-12);
        }
        solids_destroy(s);
    }
}

static void middle_of_a_ball_is_left(void **state)
{
    solids *s = *state;
    solids_add(s, solids_sphere(s, 0.7), PLI_COLLIDER_CONSTRAINT);
    double x[3] = {0, 0, 0};
    assert_true(project(s, 0, x, NULL));
    NEAR(pli_vec3_norm(x), 0.7, 1e-12, 0);
}

// Two half-spaces through the z axis that leave a wedge of the given angle around +y.
static void add_wedge(solids *s, double degrees)
{
    double half = 0.5 * degrees * M_PI / 180;
    solids_add_plane(s, cos(half), sin(half), 0, PLI_COLLIDER_CONSTRAINT);
    solids_add_plane(s, -cos(half), sin(half), 0, PLI_COLLIDER_CONSTRAINT);
}

// The nearest point of a wedge: a face if its foot point is feasible, else the edge.
static void nearest_in_wedge(const solids *s, const double start[3], double out[3])
{
    double best = hypot(start[0], start[1]);
    pli_vec3_set(0, 0, start[2], out);
    for (int32_t b = 0; b < 2; ++b) {
        double n[3], foot[3];
        double value = pli_collider_gradient(&s->colliders[b], start, n);
        pli_vec3_add_scaled(start, -value, n, foot);
        double distance = fabs(value);
        if (least_value(s, foot) < -1e-12 || distance >= best) continue;
        best = distance;
        pli_vec3_copy(foot, out);
    }
    if (least_value(s, start) >= 0) pli_vec3_copy(start, out);
}

static void wedges_of_any_angle_are_left_to_the_nearest_place(void **state)
{
    (void)state;
    for (int degrees = 10; degrees <= 170; degrees += 10) {
        solids *s = solids_make(1);
        add_wedge(s, degrees);
        for (uint64_t i = 0; i < 200; ++i) {
            double start[3], x[3], want[3];
            solids_point(3, i, 1, start);
            check_projection(s, start);
            pli_vec3_copy(start, x);
            project(s, 0, x, NULL);
            nearest_in_wedge(s, start, want);
            // rounding of values is stretched by at most 1 / sin(5 degrees)
            AT_MOST(pli_vec3_distance(x, want), 1e-12);
        }
        solids_destroy(s);
    }
}

// Three half-spaces whose planes lean by the same angle around +y.
static void corners_of_three_planes_are_left(void **state)
{
    (void)state;
    for (int degrees = 15; degrees <= 75; degrees += 10) {
        solids *s = solids_make(1);
        double lean = degrees * M_PI / 180;
        for (int k = 0; k < 3; ++k) {
            double turn = 2 * M_PI * k / 3 + 0.1;
            solids_add_plane(s, cos(turn) * cos(lean), sin(lean), sin(turn) * cos(lean),
                             PLI_COLLIDER_CONSTRAINT);
        }
        for (uint64_t i = 0; i < 300; ++i) {
            double x[3];
            solids_point(4, i, 1, x);
            check_projection(s, x);
        }
        // right below the corner, it is the nearest place
        double x[3] = {0.01, -0.5, -0.02};
        assert_true(project(s, 0, x, NULL));
        AT_MOST(pli_vec3_norm(x), 1e-12);
        solids_destroy(s);
    }
}

static void two_curved_solids_are_left_at_once(void **state)
{
    solids *s = *state;
    pli_collider *ball = solids_add(s, solids_sphere(s, 0.7), PLI_COLLIDER_CONSTRAINT);
    ball->now.offset[0] = 0.4;
    ball = solids_add(s, solids_sphere(s, 0.6), PLI_COLLIDER_CONSTRAINT);
    ball->now.offset[0] = -0.4;
    solids_move(solids_add(s, solids_shape(s, SOLID_TORUS), PLI_COLLIDER_CONSTRAINT));
    solids_add_plane(s, 0.1, 1, 0.2, PLI_COLLIDER_CONSTRAINT);
    for (uint64_t i = 0; i < 1000; ++i) {
        double x[3];
        solids_point(5, i, 1.2, x);
        check_projection(s, x);
    }
}

static void pinched_points_stay_finite(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT)->now.offset[1] = 0.1;
    solids_add_plane(s, 0, -1, 0, PLI_COLLIDER_CONSTRAINT)->now.offset[1] = -0.1;
    double x[3] = {0.3, 0.02, -0.4};
    assert_false(project(s, 0, x, NULL));
    assert_true(fabs(x[1]) <= 0.1 + 1e-12 && x[0] == 0.3 && x[2] == -0.4);
}

static void held_coordinates_stay(void **state)
{
    solids *s = *state;
    solids_move(solids_add(s, solids_shape(s, SOLID_SPHERE), PLI_COLLIDER_CONSTRAINT));
    add_wedge(s, 70);
    for (uint64_t i = 0; i < 200; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            uint8_t held = (uint8_t)(1 << axis);
            double start[3], x[3];
            solids_point(6, i, 0.6, start);
            pli_vec3_copy(start, x);
            bool ended = project(s, held, x, NULL);
            for (int k = 0; k < 3; ++k) {
                if (held >> k & 1) assert_true(x[k] == start[k]);
            }
            // along z the wedge can be left in every plane
            if (held == 4) {
                assert_true(ended);
                AT_LEAST(least_value(s, x), -tolerance);
            }
        }
    }
}

// ---- carried directions

typedef struct jvp_case {
    uint8_t held;
    int32_t surface_count;
    int32_t surfaces[3];
} jvp_case;

static void project_case(const solids *s, const jvp_case *c, double x[3], double *d)
{
    pli_feasible feasible = feasible_of(s);
    pli_feasible_point point = {.x = x,
                                .d = d,
                                .held = c->held,
                                .surface_count = c->surface_count,
                                .surfaces = c->surfaces};
    assert_true(pli_feasible_project(&feasible, &point));
}

// Central differences of P along d with step 1e-5: the truncation is of the order 1e-10 times third
// derivatives (1/m^2 of curvatures up to about 10), rounding 1e-13 / 1e-5.
static void check_carried(const solids *s, const jvp_case *c, const double start[3])
{
    double d[3], carried[3], x[3], left[3], right[3];
    const double h = 1e-5;
    solids_point(7, 3, 1, d);
    pli_collision_clear_held(c->held, d);
    pli_vec3_copy(d, carried);
    pli_vec3_copy(start, x);
    project_case(s, c, x, carried);
    pli_vec3_add_scaled(start, h, d, right);
    pli_vec3_add_scaled(start, -h, d, left);
    project_case(s, c, right, NULL);
    project_case(s, c, left, NULL);
    for (int k = 0; k < 3; ++k) NEAR(carried[k], (right[k] - left[k]) / (2 * h), 0, 1e-6);
}

static void direction_is_carried_by_the_derivative(void **state)
{
    (void)state;
    for (solid_kind kind = 0; kind < SOLID_ANALYTIC; ++kind) {
        solids *s = solids_make(1);
        pli_collider *collider = solids_add(s, solids_shape(s, kind), PLI_COLLIDER_CONSTRAINT);
        solids_move(collider);
        const jvp_case violated = {0};
        const jvp_case slab = {.held = 4};
        const jvp_case active = {.surface_count = 1, .surfaces = {0}};
        int32_t checked = 0;
        for (uint64_t i = 0; checked < 20; ++i) {
            double x[3];
            solids_point(8, i, 1.2, x);
            double value = pli_collider_value(collider, x);
            // away from medial axes and from the surface itself, where P has kinks
            if (fabs(value) < 1e-3 || fabs(value) > 0.08) continue;
            if (value < 0) check_carried(s, &violated, x);
            if (value < 0 && kind == SOLID_SPHERE) check_carried(s, &slab, x);
            check_carried(s, &active, x);
            ++checked;
        }
        solids_destroy(s);
    }
}

static void direction_is_carried_along_creases(void **state)
{
    solids *s = *state;
    pli_collider *ball = solids_add(s, solids_sphere(s, 0.7), PLI_COLLIDER_CONSTRAINT);
    solids_add_plane(s, 0.1, 1, 0.2, PLI_COLLIDER_CONSTRAINT);
    ball->now.offset[1] = 0.2;
    const jvp_case both = {.surface_count = 2, .surfaces = {0, 1}};
    const jvp_case violated = {0};
    int32_t checked = 0;
    for (uint64_t i = 0; i < 4000 && checked < 30; ++i) {
        double x[3];
        solids_point(9, i, 0.9, x);
        double a = pli_collider_value(&s->colliders[0], x);
        double b = pli_collider_value(&s->colliders[1], x);
        if (fabs(a) > 0.05 || fabs(b) > 0.05) continue;
        check_carried(s, &both, x);
        // the two meet at an acute angle: from inside of both the crease is nearest
        if (a < -0.02 && b < -0.02 && fabs(a - b) < 0.01) check_carried(s, &violated, x);
        ++checked;
    }
    assert_int_equal(checked, 30);
}

static void direction_of_a_point_at_rest_on_a_surface_turns_tangential(void **state)
{
    solids *s = *state;
    solids_add_plane(s, 0, 1, 0, PLI_COLLIDER_CONSTRAINT);
    const jvp_case active = {.surface_count = 1, .surfaces = {0}};
    double x[3] = {0.2, 0, 0.1}, d[3] = {1, 2, 3};
    project_case(s, &active, x, d);
    assert_true(x[0] == 0.2 && x[1] == 0 && x[2] == 0.1);
    assert_true(d[0] == 1 && d[1] == 0 && d[2] == 3);
    // without the duty to stay it is free
    const jvp_case touching = {0};
    pli_vec3_set(1, 2, 3, d);
    project_case(s, &touching, x, d);
    assert_true(d[1] == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_end_feasible_and_stay),
        cmocka_unit_test(every_analytic_shape_can_be_left),
        cmocka_unit_test(exact_shapes_send_points_to_the_nearest_place),
        TEST_WITH_SOLIDS(middle_of_a_ball_is_left, 1),
        cmocka_unit_test(wedges_of_any_angle_are_left_to_the_nearest_place),
        cmocka_unit_test(corners_of_three_planes_are_left),
        TEST_WITH_SOLIDS(two_curved_solids_are_left_at_once, 1),
        TEST_WITH_SOLIDS(pinched_points_stay_finite, 1),
        TEST_WITH_SOLIDS(held_coordinates_stay, 1),
        cmocka_unit_test(direction_is_carried_by_the_derivative),
        TEST_WITH_SOLIDS(direction_is_carried_along_creases, 1),
        TEST_WITH_SOLIDS(direction_of_a_point_at_rest_on_a_surface_turns_tangential, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

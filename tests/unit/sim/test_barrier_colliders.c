// SPDX-License-Identifier: Apache-2.0
//
// What barriers keep bodies away from besides bodies: obstacles that stand in each other, and
// colliders of any shape as surfaces.
#include "promises.h"

#include "base/context.h"
#include "geometry/collision/crossing.h"
#include "math/vec3.h"
#include "pliant/io.h"
#include "sim/model/model.h"

#define SOFT "materials: {soft: {law: neo-hookean, density: 1000, young: 2e5, poisson: 0.3}}\n"
#define FALLING                                                                              \
    SOFT "bodies:\n"                                                                         \
         "  cube: {geometry: {grid: {cells: [3, 3, 3]}}, material: soft, axis: [1, 0, 1],\n" \
         "    angle: 20, position: [0.1, 1.3, 0.05], velocity: [0, -3, 0]}\n"                \
         "contact: barrier\n"                                                                \
         "time: {fps: 100}\n"

static bool is_pair(const void *user, int32_t triangle, int32_t other)
{
    const bool *passive = user;
    return !passive[triangle] || !passive[other];
}

// The pairs of triangles that cross, those of obstacles and colliders with each other left out.
static int64_t count_crossings(const simulation *s)
{
    const pli_model *model = s->model;
    bool *passive = calloc((size_t)model->surface_triangle_count, sizeof *passive);
    assert_non_null(passive);
    for (int32_t k = 0; k < pli_model_things(model); ++k) {
        const pli_model_body *body = &model->bodies[k];
        for (int32_t i = 0; i < body->surface_triangle_count; ++i) {
            passive[body->first_surface_triangle + i] = body->kind == PLI_BODY_OBSTACLE;
        }
    }
    pli_soup soup = {.vertex_count = s->info.vertex_count,
                     .points = pli_state_get(s->state).positions,
                     .triangle_count = model->surface_triangle_count,
                     .triangles = model->surface_triangles,
                     .is_pair = is_pair,
                     .user = passive};
    int64_t count = 0;
    OK(s->context, pli_soup_find_crossings(s->context, &soup, 0, NULL, &count));
    free(passive);
    return count;
}

// ---- obstacles with each other

// Two boxes that overlap, one of them in the ground, and a surface that goes through itself.
#define OVERLAPPING                                                                                \
    SOFT "bodies:\n"                                                                               \
         "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, position: [0, 1.6, 0]}\n" \
         "  left: {kind: obstacle, geometry: {grid: {cells: [2, 2, 2]}}, position: [-0.3, 0.4, "   \
         "0]}\n"                                                                                   \
         "  right: {kind: obstacle, geometry: {grid: {cells: [2, 2, 2]}}, position: [0.3, 0.5, "   \
         "0.1],\n"                                                                                 \
         "    %s}\n"                                                                               \
         "  touching: {kind: obstacle, geometry: {grid: {}}, position: [0.7, 0.4, 0]}\n"           \
         "colliders: {ground: {shape: plane}, ball: {shape: {sphere: {radius: 0.3}}}}\n"           \
         "contact: {method: barrier, distance: 0.01}\n"                                            \
         "time: {fps: 50}\n"

static void obstacles_that_touch_or_overlap_do_not_keep_a_scene_from_starting(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, OVERLAPPING, "angle: 0");
    simulation s;
    simulation_init(&s, text, 1);
    // long enough to come to rest on both
    pli_step_report report = {0};
    for (int step = 0; step < 30; ++step) {
        report = simulation_step(&s);
        assert_int_equal(count_crossings(&s), 0);
    }
    for (int32_t k = 0; k < report.pair_count; ++k) {
        assert_true(strcmp(report.pairs[k].first, "cube") == 0);
    }
    AT_LEAST(report.pair_count, 1);
    double center[3];
    simulation_center(&s, center);
    assert_true(center[1] > 1.2);
    simulation_clear(&s);
}

static void obstacles_that_move_through_each_other_do_not_stop_each_other(void **state)
{
    (void)state;
    char text[2048];
    snprintf(text, sizeof text, OVERLAPPING,
             "motion: {segments: [{duration: 10, velocity: [-4, -2, 0]}]}");
    simulation s;
    simulation_init(&s, text, 1);
    int32_t first = pli_model_get_body(s.model, 2).first_vertex;
    for (int step = 1; step <= 20; ++step) {
        simulation_step(&s);
        // exactly where the script has it
        const double *x = pli_state_get(s.state).positions + 3 * (int64_t)first;
        const double *rest = pli_model_get_mesh(s.model).rest_positions + 3 * (int64_t)first;
        NEAR(x[0], rest[0] - 4 * 0.02 * step, 0, 1e-12);
        NEAR(x[1], rest[1] - 2 * 0.02 * step, 0, 1e-12);
    }
    simulation_clear(&s);
}

// ---- shapes

typedef struct collider_case {
    const char *name;
    const char *text;
    bool stays_inside; // of a sphere of 2 m about (0, 1, 0), else above y = -2
} collider_case;

static const collider_case cases[] = {
    {"edge of a box", "shape: {box: {size: [1, 1, 4], center: [0.6, -0.2, 0]}}, friction: 0.3", 0},
    {"turned box",
     "shape: {transform: {shape: {box: {size: [1, 1, 1]}}, axis: [0, 0, 1], angle: 45,\n      "
     "translate: [0, -0.4, 0]}}",
     0},
    {"sphere", "shape: {sphere: {radius: 0.5}}, friction: 0.3", 0},
    {"capsule", "shape: {capsule: {radius: 0.3, start: [-1, 0, 0], end: [1, 0.3, 0]}}", 0},
    {"cone", "shape: {cone: {start: [0, -1, 0], end: [0, 0.3, 0], start_radius: 1}}", 0},
    {"stairs",
     "shape: {union: [{box: {size: [1, 1, 1], center: [1, -1, 0]}}, {box: {size: [1, 1, 1], "
     "center: [0.2, -0.8, 0]}}]}",
     0},
    {"rounded and with a margin", "shape: {box: {size: [2, 0.4, 2], rounding: 0.1}}, margin: 0.1",
     0},
    {"sampled", "shape: {sampled: {resolution: 24, shape: {sphere: {radius: 0.5}}}}", 0},
    {"inside of a ball", "shape: {sphere: {radius: 2, center: [0, 1, 0]}}, inside_out: true", 1},
    {"inside of a box",
     "shape: {complement: {shape: {box: {size: [2.2, 2.2, 2.2], center: [0, 1, 0]}}}}, margin: "
     "0.05",
     1},
    {"pusher",
     "shape: {box: {size: [1.5, 0.4, 1.5]}}, motion: {segments: [{duration: 1, velocity: [0, 2, "
     "0], axis: [0, 1, 0], spin: 90}]}",
     0},
};

static void falls_on(const collider_case *c)
{
    char text[2048];
    snprintf(text, sizeof text,
             FALLING "colliders: {ground: {shape: {plane: {point: [0, -2, 0]}}}, thing: {%s}}\n",
             c->text);
    simulation s;
    simulation_init(&s, text, 2);
    assert_int_equal(s.model->surface_count, 1);
    bool met = false;
    for (int step = 0; step < 60; ++step) {
        pli_step_report report = simulation_step(&s);
        for (int32_t k = 0; k < report.pair_count; ++k) {
            met = met || strcmp(report.pairs[k].second, "thing") == 0;
        }
        if (count_crossings(&s) > 0 || report.inverted > 0) {
            fprintf(stderr, "%s: step %d has intersections\n", c->name, step + 1);
            fail();
        }
    }
    if (!met) fprintf(stderr, "%s was never met\n", c->name);
    assert_true(met);
    const double *x = pli_state_get(s.state).positions;
    double middle[3] = {0, 1, 0};
    for (int32_t k = 0; k < pli_model_body_vertices(s.model); ++k) {
        assert_true(c->stays_inside ? pli_vec3_distance(x + 3 * k, middle) < 2 : x[3 * k + 1] > -2);
    }
    simulation_clear(&s);
}

static void colliders_of_every_shape_stop_bodies_without_intersection(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) falls_on(&cases[k]);
}

static const pli_model_collider *make_collider(simulation *s, const char *collider)
{
    char text[2048];
    snprintf(text, sizeof text, FALLING "colliders: {thing: {%s}}\n", collider);
    simulation_init(s, text, 1);
    return &s->model->colliders[0];
}

static int32_t triangles_of(const simulation *s)
{
    return s->model->bodies[s->model->colliders[0].body].triangle_count;
}

static void boxes_are_exact_and_round_shapes_nearly(void **state)
{
    (void)state;
    simulation s;
    const pli_model_collider *collider = make_collider(
        &s, "shape: {transform: {shape: {box: {size: [1, 1, 1]}}, angle: 30, scale: 0.5}}");
    assert_int_equal(triangles_of(&s), 12);
    assert_true(collider->deviation == 0);
    simulation_clear(&s);

    // a chord l = 2r / 24 leaves the circle by l^2 / 8r = r / 1152, a triangle by twice that or so
    collider = make_collider(&s, "shape: {sphere: {radius: 0.4}}");
    AT_MOST(collider->deviation, 3 * 0.4 / 1152);
    assert_true(collider->deviation > 0);
    int32_t chosen = triangles_of(&s);
    simulation_clear(&s);

    collider = make_collider(&s, "shape: {sphere: {radius: 0.4}}, spacing: 0.016");
    AT_LEAST(triangles_of(&s), 3 * chosen);
    AT_MOST(collider->deviation, 0.4 / 1152);
    simulation_clear(&s);
}

static void the_size_of_a_collider_does_not_change_the_distance_of_contact(void **state)
{
    (void)state;
    simulation s, large;
    make_collider(&s, "shape: {box: {size: [1, 1, 1], center: [0, -1, 0]}}");
    make_collider(&large, "shape: {box: {center: [0, -50, 0], size: [100, 99, 100]}}");
    assert_true(s.model->contact.distance == large.model->contact.distance);
    assert_true(s.info.size == large.info.size && s.info.body_count == 1);
    simulation_clear(&large);
    simulation_clear(&s);
}

static void frames_hold_the_surface_that_bodies_are_kept_from(void **state)
{
    (void)state;
    simulation s;
    pli_frame frame;
    pli_frame_findings findings;
    make_collider(&s, "shape: {sphere: {radius: 0.4}}, motion: {segments: [{duration: 1, "
                      "velocity: [0, 0.5, 0]}]}");
    simulation_run(&s, 10);
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(frame.part_count, 2);
    pli_frame_part parts[2] = {frame.parts[0], frame.parts[1]};
    assert_string_equal(parts[1].name, "thing");
    assert_true(parts[1].role == PLI_ROLE_COLLIDER && parts[1].is_barrier);
    assert_int_equal(parts[1].cell_count, triangles_of(&s));
    OK(s.context, pli_frame_check(s.context, &frame, false, &findings));
    assert_false(!findings.is_clean);
    assert_true(findings.triangle_count > triangles_of(&s));

    // the same with the ball put into the cube
    double *moved = malloc(3 * sizeof(double) * (size_t)parts[1].point_count);
    assert_non_null(moved);
    for (int32_t k = 0; k < 3 * parts[1].point_count; ++k) {
        moved[k] = parts[1].points[k] + (k % 3 == 1 ? 0.6 : 0);
    }
    parts[1].points = moved;
    frame.parts = parts;
    OK(s.context, pli_frame_check(s.context, &frame, false, &findings));
    assert_true(findings.intersection_count > 0);
    free(moved);
    simulation_clear(&s);
}

static void shapes_without_end_push_by_penalties(void **state)
{
    (void)state;
    static const char *const endless[] = {
        "shape: {union: [plane, {sphere: {radius: 0.1}}]}",
        "shape: plane, motion: {segments: [{duration: 1, velocity: [0, 1, 0]}]}",
        "shape: {sphere: {radius: 0.1}}, motion: {after: release, segments: [{duration: 1}]}",
    };
    for (size_t k = 0; k < sizeof endless / sizeof *endless; ++k) {
        simulation s;
        assert_int_equal(make_collider(&s, endless[k])->method, PLI_COLLIDER_PENALTY);
        assert_int_equal(s.model->surface_count, 0);
        simulation_clear(&s);
    }
}

// ---- refusals

typedef struct refusal {
    const char *text;
    const char *message;
} refusal;

static const refusal refusals[] = {
    {"method: barrier, shape: {union: [plane, {sphere: {radius: 0.1}}]}",
     "s.yaml:7:45: colliders.thing.shape: found a shape without end, which barriers do not take; "
     "intersect it with a box, or give the collider method: penalty"},
    {"method: barrier, shape: plane, motion: {segments: [{duration: 1}]}",
     "s.yaml:7:71: colliders.thing.motion: found a plane that moves, which barriers do not take; "
     "make it a box, or give the collider method: penalty"},
    {"method: barrier, shape: {sphere: {radius: 0.1}}, motion: {after: release, segments: "
     "[{duration: 1}]}",
     "s.yaml:7:105: colliders.thing.motion: found after: release, which would take it out of the "
     "way of bodies that touch it, which barriers do not take; use after: hold"},
    {"shape: {sphere: {radius: 0.4}}, spacing: 1e-4",
     "s.yaml:7:28: colliders.thing.shape: a spacing of 0.0001 m cuts 0.8 m into more than 1024 "
     "cells; write at least 0.00078 m"},
    {"shape: {shell: {shape: {sphere: {radius: 0.4}}, thickness: 0.01}}, spacing: 0.2",
     "s.yaml:7:28: colliders.thing.shape: triangles of 0.162 m do not enclose this shape, because "
     "parts of it are thinner than that; write a smaller spacing"},
    {"shape: {box: {size: [1, 1, 0.2]}}, inside_out: true, margin: 0.1",
     "s.yaml:7:28: colliders.thing.shape: the margin leaves no room in this box, which is 0.2 m "
     "wide"},
    // crosses the cube, holds it, and leaves it outside of the container
    {"shape: {sphere: {radius: 0.4, center: [0.5, 1.5, 0]}}",
     "s.yaml:3:3: bodies.cube: the surface of body cube crosses or touches collider thing at the "
     "start, in "},
    {"shape: {box: {size: [4, 4, 4], center: [0, 1, 0]}}",
     "s.yaml:7:13: colliders.thing: 64 vertices of body cube start inside of this collider: "},
    {"shape: {sphere: {radius: 1, center: [5, 1, 0]}}, inside_out: true",
     "s.yaml:7:13: colliders.thing: 64 vertices of body cube start inside of this collider: "},
};

static void what_barriers_do_not_take_is_refused_in_words(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; ++k) {
        char text[2048], got[1024];
        pli_context *context = make_context(1);
        pli_scene *scene = NULL;
        pli_model *model = NULL;
        snprintf(text, sizeof text, FALLING "colliders: {thing: {%s}}\n", refusals[k].text);
        pli_status status =
            pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene);
        if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
        pli_context_message(context, got, sizeof got);
        if (status == PLI_OK || strncmp(got, refusals[k].message, strlen(refusals[k].message))) {
            fprintf(stderr, "got:  %s\nwant: %s\n", got, refusals[k].message);
            fail();
        }
        pli_scene_destroy(scene);
        pli_context_destroy(context);
    }
}

// ---- promises

#define ON_A_BALL                                                                               \
    SOFT "bodies:\n"                                                                            \
         "  cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: soft, position: [0, 1.003, " \
         "0],\n"                                                                                \
         "    velocity: [0, -1, 0]}\n"                                                          \
         "colliders: {ball: {shape: {sphere: {radius: 0.5}}, spacing: 0.2, friction: 0.3}}\n"   \
         "contact: {method: barrier, distance: 0.01}\n"

static void surfaces_of_colliders_keep_every_promise(void **state)
{
    (void)state;
    uint64_t one = hash_after(ON_A_BALL, 1, 6, "ipc-pcg");
    assert_true(hash_after(ON_A_BALL, 4, 6, "ipc-pcg") == one);
    expect_no_memory_in_solvers(ON_A_BALL, 4);
    expect_same_after_restoring(ON_A_BALL, 4);
    expect_no_leak(ON_A_BALL, true);
}

static void solvers_with_coarse_spaces_leave_surfaces_out(void **state)
{
    (void)state;
    static const char *const solvers[] = {"pn-mgpcg", "{name: subspace, subspace: {handles: 8}}",
                                          "ipc-llt", "newton-multigrid"};
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k) {
        char text[2048];
        snprintf(text, sizeof text,
                 FALLING "colliders: {thing: {shape: {sphere: {radius: 0.5}}}}\n"
                         "solver: %s\n",
                 solvers[k]);
        simulation s;
        simulation_init(&s, text, 1);
        for (int step = 0; step < 20; ++step) {
            simulation_step(&s);
            assert_int_equal(count_crossings(&s), 0);
        }
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obstacles_that_touch_or_overlap_do_not_keep_a_scene_from_starting),
        cmocka_unit_test(obstacles_that_move_through_each_other_do_not_stop_each_other),
        cmocka_unit_test(colliders_of_every_shape_stop_bodies_without_intersection),
        cmocka_unit_test(boxes_are_exact_and_round_shapes_nearly),
        cmocka_unit_test(the_size_of_a_collider_does_not_change_the_distance_of_contact),
        cmocka_unit_test(frames_hold_the_surface_that_bodies_are_kept_from),
        cmocka_unit_test(shapes_without_end_push_by_penalties),
        cmocka_unit_test(what_barriers_do_not_take_is_refused_in_words),
        cmocka_unit_test(surfaces_of_colliders_keep_every_promise),
        cmocka_unit_test(solvers_with_coarse_spaces_leave_surfaces_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

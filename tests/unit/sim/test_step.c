// SPDX-License-Identifier: Apache-2.0
//
// Steps of meshes: scripts that hold, states that are refused, no leak or crash when memory runs
// out; what models and states tell of themselves. What all steppers promise is in
// conformance/sim/test_steppers.c.
#include "promises.h"
#include "step_scenes.h"

#include "base/context.h"
#include "sim/step/contacts.h"

// Contacts of bodies with themselves (0) and with each other (1).
static void count_body_contacts(const simulation *s, int32_t counts[2])
{
    pli_self_collision *bodies = NULL;
    OK(s->context, pli_contacts_create_bodies(s->model, NULL, &bodies));
    int32_t count = 0;
    const pli_self_contact *contacts =
        pli_self_collision_find(bodies, pli_state_get(s->state).positions, &count);
    counts[0] = counts[1] = 0;
    for (int32_t k = 0; k < count; ++k) {
        const pli_model_body *body = &s->model->bodies[contacts[k].body];
        int32_t id = contacts[k].vertex - body->first_vertex;
        ++counts[id >= 0 && id < body->vertex_count ? 0 : 1];
    }
    pli_self_collision_destroy(bodies);
}

// What the suite of steppers relies on.
static void the_scene_of_contacts_has_every_kind(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, contact_scene, 2);
    pli_step_report report = simulation_run(&s, 10);
    int32_t counts[2];
    count_body_contacts(&s, counts);
    AT_LEAST(counts[0], 1);
    AT_LEAST(counts[1], 1);
    AT_LEAST(report.contacts, counts[0] + counts[1] + 50);
    AT_MOST(report.friction_work, -1e-3);
    AT_LEAST(report.energy.contact, 1e-3);
    simulation_clear(&s);
}

static void running_out_of_memory_anywhere_leaks_and_crashes_nothing(void **state)
{
    (void)state;
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
        "rayleigh: 0.01, drag: 1}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: soft}}\n"
        "constraints: [{body: cube, where: {half_space: {point: [0, -0.4, 0], normal: [0, -1, "
        "0]}},\n"
        "  motion: {segments: [{duration: 1, velocity: [0, -1, 0]}]}}]\n"
        "attachments: [{body: cube, where: {half_space: {point: [0, 0.4, 0], normal: [0, 1, 0]}},\n"
        "  stiffness: 10}]\n",
        true);
    // two cubes, one of which falls on the other, between colliders of every kind; the pictures of
    // colliders are another test's
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies:\n"
        "  lower: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0, 0.53, 0]}\n"
        "  upper: {geometry: {grid: {size: [0.8, 0.8, 0.8], cells: [2, 2, 2]}}, material: soft,\n"
        "    position: [0.05, 1.44, 0.05], velocity: [0, -2, 0]}\n"
        "colliders:\n"
        "  ground: {shape: plane, friction: 0.3}\n"
        "  stone: {shape: {sampled: {shape: {sphere: {center: [0, -0.2, 0], radius: 0.22}},\n"
        "    resolution: 8}}, friction: 0.3}\n"
        "  wall: {shape: {plane: {point: [0.5, 0, 0], normal: [-1, 0, 0]}}, method: postprocess}\n"
        "contact: {method: penalty, friction: 0.3}\n",
        false);
    expect_no_leak(
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
        "rayleigh: 0.01, drag: 1}}\n"
        "contact: none\n"
        "bodies:\n"
        "  cloth: {kind: shell, geometry: {sheet: {columns: 2, rows: 2}}, material: soft}\n"
        "  box: {kind: shell, geometry: {grid: {cells: [1, 1, 1]}}, material: soft}\n"
        "  post: {kind: obstacle, geometry: {scroll: {columns: 4, rows: 1}},\n"
        "    motion: {segments: [{duration: 1, velocity: [0, -1, 0]}]}}\n",
        true);
}

static void nonfinite_states_are_refused(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    int32_t n = 3 * s.info.vertex_count;
    double *x = malloc((size_t)n * sizeof *x);
    memcpy(x, pli_state_get(s.state).positions, (size_t)n * sizeof *x);
    x[17] = NAN;
    assert_int_equal(pli_state_set(s.state, x, NULL), PLI_ERROR_ARGUMENT);
    char text[256];
    pli_context_message(s.context, text, sizeof text);
    assert_string_equal(text, "position of vertex 5 is nan; it must be finite");
    free(x);
    simulation_clear(&s);
}

static void scripts_hold_exactly_and_release_on_time(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    double h = 1.0 / 24;
    const double *start = pli_model_get_mesh(s.model).rest_positions;
    // vertex 0 is a corner of the held face of `left`
    for (int step = 1; step <= 2; ++step) {
        simulation_step(&s);
        const double *x = pli_state_get(s.state).positions;
        NEAR(x[0], start[0] - step * h, 1e-14, 0);
        // turned by 90 degrees per second about the x axis through the face's centroid
        double angle = 0.5 * 3.141592653589793 * step * h;
        NEAR(x[1], start[1] * cos(angle) - start[2] * sin(angle), 1e-13, 1e-13);
        NEAR(x[2], start[1] * sin(angle) + start[2] * cos(angle), 1e-13, 1e-13);
    }
    // the script ends at 0.1 s, before the third step does: the face is free again
    simulation_run(&s, 2);
    double moved = fabs(pli_state_get(s.state).positions[0] - (start[0] - 0.1));
    AT_LEAST(moved, 1e-3);
    simulation_clear(&s);
}

// Bodies lie one after another and fill the mesh.
static void bodies_are_ranges_of_the_mesh(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    pli_mesh_view mesh = pli_model_get_mesh(s.model);
    int32_t vertices = 0, tets = 0, triangles = 0;
    for (int32_t k = 0; k < s.info.body_count; ++k) {
        pli_body_info body = pli_model_get_body(s.model, k);
        assert_int_equal(body.first_vertex, vertices);
        assert_int_equal(body.first_tet, tets);
        for (int32_t i = 0; i < 4 * body.tet_count; ++i) {
            int32_t vertex = mesh.tets[4 * (int64_t)body.first_tet + i] - body.first_vertex;
            assert_in_range(vertex, 0, body.vertex_count - 1);
        }
        for (int32_t i = 0; i < 3 * body.triangle_count; ++i) {
            int32_t vertex = mesh.triangles[3 * (int64_t)body.first_triangle + i];
            assert_in_range(vertex - body.first_vertex, 0, body.vertex_count - 1);
        }
        vertices += body.vertex_count;
        tets += body.tet_count;
        triangles += body.triangle_count;
    }
    assert_int_equal(mesh.vertex_count, vertices);
    assert_int_equal(mesh.tet_count, tets);
    assert_int_equal(mesh.triangle_count, triangles);
    simulation_clear(&s);
}

// A view has the state's own arrays, also after a step.
static void a_view_shows_the_arrays_of_the_state(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, busy_scene, 1);
    pli_state_view before = pli_state_get(s.state);
    assert_int_equal(before.step, 0);
    assert_int_equal(before.vertex_count, s.info.vertex_count);
    simulation_step(&s);
    pli_state_view after = pli_state_get(s.state);
    assert_int_equal(after.step, 1);
    NEAR(after.time, s.info.dt, 0, 0);
    const struct {
        const char *name;
        const double *before, *after;
    } rows[] = {{"positions", before.positions, after.positions},
                {"velocities", before.velocities, after.velocities},
                {"grip_targets", before.grip_targets, after.grip_targets},
                {"grip_stiffnesses", before.grip_stiffnesses, after.grip_stiffnesses},
                {"forces", before.forces, after.forces}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        pli_state_array array;
        assert_ptr_equal(simulation_array(&s, rows[k].name, &array), rows[k].before);
        assert_ptr_equal(rows[k].after, rows[k].before);
    }
    pli_state_array none;
    assert_false(pli_state_get_array(s.state, -1, &none));
    simulation_clear(&s);
}

// Sections that a solver does not look at are keys of the scene.
static void unused_sections_are_keys(void **state)
{
    (void)state;
    const pli_schema *schema = pli_schema_find(pli_scene_schema(), "solver")->schema;
    pli_solver_info info;
    int32_t count = 0;
    for (; pli_solver_info_get(count, &info); ++count) {
        for (int32_t k = 0; k < PLI_SOLVER_SECTIONS && info.unused[k] != NULL; ++k) {
            assert_non_null(pli_schema_find(schema, info.unused[k]));
        }
        assert_null(info.unused[PLI_SOLVER_SECTIONS - 1]);
    }
    AT_LEAST(count, 20);
    assert_false(pli_solver_info_get(-1, &info));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scene_of_contacts_has_every_kind),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_and_crashes_nothing),
        cmocka_unit_test(nonfinite_states_are_refused),
        cmocka_unit_test(scripts_hold_exactly_and_release_on_time),
        cmocka_unit_test(bodies_are_ranges_of_the_mesh),
        cmocka_unit_test(a_view_shows_the_arrays_of_the_state),
        cmocka_unit_test(unused_sections_are_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Cloth of springs in scenes: what is refused, masses and springs of models, how it hangs and
// falls, colliders with the quadratic law (Xian et al. 2019), frames, and what every scene must
// keep.
#include "folder.h"
#include "promises.h"
#include "support/same_bits.h"

#include "math/vec3.h"
#include "sim/model/collider_build.h"
#include "sim/step/mesh_stepper.h"

// ---- scenes

static void expect_refusal(pli_context *context, const char *yaml, const char *message)
{
    char text[1024];
    pli_scene *scene = NULL;
    assert_int_equal(pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene),
                     PLI_ERROR_SCENE);
    pli_context_message(context, text, sizeof text);
    if (strstr(text, message) == NULL) fail_msg("%s\nwant %s", text, message);
}

static void keys_of_another_kind_are_refused_with_what_to_do(void **state)
{
    static const char *const list[][2] = {
        {"materials: {m: rubber}\nbodies: {b: {kind: cloth, geometry: sheet, material: m}}\n",
         "bodies.b.material: is not a key of a cloth: its springs say what it is made of"},
        {"bodies: {b: {kind: cloth, geometry: sheet, thickness: 0.1}}\n",
         "bodies.b.thickness: is not a key of a cloth"},
        {"bodies: {b: {kind: cloth, geometry: sheet, motion: {segments: [{duration: 1}]}}}\n",
         "bodies.b.motion: is not a key of a cloth"},
        {"bodies: {b: {kind: obstacle, geometry: sheet, springs: {bend: 3}}}\n",
         "bodies.b.springs: is not a key of an obstacle: it is for a cloth; write kind: cloth"},
        {"bodies: {b: {kind: cloth, geometry: sheet, springs: {stretch: 0}}}\n",
         "bodies.b.springs.stretch: found '0'"},
        {"bodies: {b: {kind: cloth, geometry: sheet}}\ncontact: penalty\n",
         "body 'b' is a cloth and has none"},
    };
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        expect_refusal(context, list[k][0], list[k][1]);
    }
}

static void cloth_needs_no_more_than_its_kind_and_geometry(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "contact: none\n"
                    "bodies: {b: {kind: cloth, geometry: sheet}}\n",
                    1);
    const pli_springs_def *springs = &pli_scene_get(s.scene)->bodies[0].springs;
    NEAR(springs->stretch, 100, 0, 0);
    NEAR(springs->bend, 20, 0, 0);
    NEAR(springs->area_density, 1, 0, 0);
    NEAR(s.info.mass, 1, 1e-12, 0);
    // the scene with every default filled in is the same scene, and says what the springs are
    char *text = NULL;
    pli_scene *again = NULL;
    OK(s.context, pli_scene_to_yaml(s.scene, NULL, &text));
    assert_non_null(strstr(text, "stretch: 100"));
    OK(s.context, pli_scene_parse(s.context, text, (int64_t)strlen(text), "again", NULL, &again));
    assert_true(pli_scene_hash(again) == pli_scene_hash(s.scene));
    pli_scene_destroy(again);
    pli_text_free(s.context, text);
    simulation_clear(&s);
}

// ---- models

static void springs_rest_in_the_placed_shape(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: rubber}\n"
        "contact: none\n"
        "bodies:\n"
        "  cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}\n"
        "  cloth: {kind: cloth, geometry: {sheet: {columns: 4, rows: 2}},\n"
        "    springs: {stretch: 7, bend: 3, area_density: 0.5, drag: 2, rayleigh: 0.1},\n"
        "    scale: [2, 1, 1], position: [3, 0, 0], axis: [0, 0, 1], angle: 30,\n"
        "    copies: {count: [2, 1, 1], spacing: [5, 0, 0]}}\n"
        "  wall: {kind: obstacle, geometry: {sheet: {columns: 1, rows: 1}}}\n"
        "  shell: {kind: shell, geometry: {sheet: {columns: 1, rows: 1}}, material: m}\n",
        1);
    const pli_model *model = s.model;
    // structural 4 * 3 + 2 * 5, shear 2 * 8, bend 3 * 3 + 1 * 5, of two copies
    assert_int_equal(model->spring_count, 2 * (22 + 16 + 14));
    assert_int_equal(s.info.spring_count, model->spring_count);
    int32_t bends = 0;
    for (int32_t k = 0; k < model->spring_count; ++k) {
        const int32_t *ends = model->spring_ends + 2 * (int64_t)k;
        const pli_model_body *body = &model->bodies[k < 52 ? 1 : 2];
        for (int e = 0; e < 2; ++e) {
            int32_t vertex = ends[e] - body->first_vertex;
            assert_true(vertex >= 0 && vertex < body->vertex_count);
        }
        double length = pli_vec3_distance(model->rest + 3 * (int64_t)ends[0],
                                          model->rest + 3 * (int64_t)ends[1]);
        assert_true(model->spring_length[k] == length && length > 0.4);
        bends += model->spring_stiffness[k] == 3;
        assert_true(model->spring_stiffness[k] == 3 || model->spring_stiffness[k] == 7);
        NEAR(model->spring_rayleigh[k], 0.1, 0, 0);
    }
    assert_int_equal(bends, 2 * 14);
    // mass is area density times area, drag in proportion
    const pli_model_body *cloth = &model->bodies[1];
    double mass = 0;
    for (int64_t k = 0; k < cloth->vertex_count; ++k) {
        int64_t vertex = cloth->first_vertex + k;
        mass += model->mass[vertex];
        NEAR(model->drag[vertex], 2 * model->mass[vertex], 1e-14, 0);
    }
    NEAR(mass, 0.5 * 2, 1e-12, 0);
    assert_true(model->has_drag && model->has_rayleigh);
    // triangles: those of shells first, then cloth, then obstacles
    assert_int_equal(model->shell_triangle_count, 2);
    assert_int_equal(model->bodies[4].first_triangle, 0);
    assert_int_equal(cloth->first_triangle, 2);
    assert_int_equal(model->bodies[3].first_triangle, 2 + 2 * 16);
    simulation_clear(&s);
}

static void cloth_without_bend_has_fewer_springs(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "contact: none\n"
                    "bodies: {b: {kind: cloth, geometry: {sheet: {columns: 4, rows: 2}},\n"
                    "  springs: {bend: 0}}}\n",
                    1);
    assert_int_equal(s.info.spring_count, 22 + 16);
    simulation_clear(&s);
}

// A scene of one cloth from an OBJ file of this content.
static pli_scene *load_obj(folder_fixture *fix, const char *obj)
{
    static const char yaml[] = "contact: none\n"
                               "bodies: {flag: {kind: cloth, geometry: {file: flag.obj}}}\n";
    pli_scene *scene = NULL;
    write_bytes(in_folder(fix, "flag.obj"), obj, strlen(obj));
    write_bytes(in_folder(fix, "scene.yaml"), yaml, strlen(yaml));
    OK(fix->context, pli_scene_load(fix->context, in_folder(fix, "scene.yaml"), NULL, &scene));
    return scene;
}

static void surfaces_from_files_are_cloth(void **state)
{
    folder_fixture *fix = *state;
    pli_scene *scene =
        load_obj(fix, "v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 2 4 3\nf 3 4 5\n");
    pli_model *model = NULL;
    OK(fix->context, pli_model_create(fix->context, scene, NULL, &model));
    // five edges, and one spring across the inner one, as long as the inner one is
    assert_int_equal(model->spring_count, 6);
    int32_t bends = 0;
    for (int32_t k = 0; k < 6; ++k) {
        if (model->spring_stiffness[k] != 20) continue;
        NEAR(model->spring_length[k], sqrt(2), 1e-15, 0);
        ++bends;
    }
    assert_int_equal(bends, 1);
    NEAR(model->total_mass, 1, 1e-12, 0);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
}

static void coincident_vertices_are_refused(void **state)
{
    folder_fixture *fix = *state;
    // the vertices across the edge 1 2 are in one place
    pli_scene *scene = load_obj(fix, "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0 0 1\nf 1 2 3\nf 2 1 4\n");
    pli_model *model = NULL;
    assert_int_equal(pli_model_create(fix->context, scene, NULL, &model), PLI_ERROR_MESH);
    assert_true(message_has(fix->context, "body flag: vertices 2 and 3 are in one place"));
    pli_scene_destroy(scene);
}

// ---- motion

static const char *hanging =
    "contact: none\n"
    "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 12, rows: "
    "12}},\n  springs: {rayleigh: 0.02, drag: 4}}}\n"
    "attachments:\n"
    "  - {where: {box: {min: [-0.51, -1, -0.51], max: [-0.49, 1, -0.49]}}, "
    "stiffness: 100}\n"
    "  - {where: {box: {min: [0.49, -1, -0.51], max: [0.51, 1, -0.49]}}, "
    "stiffness: 100}\n"
    "gravity: [0, -9.8, 0]\n"
    "time: {fps: 30, frames: 60}\n";

// In the end two springs of 100 N/m carry one kilogram, and the energy that was there is damped.
static void cloth_comes_to_hang_from_its_corners(void **state)
{
    (void)state;
    simulation s;
    char yaml[2048];
    snprintf(yaml, sizeof yaml, "%ssolver: {tolerance: 1e-6}\n", hanging);
    simulation_init(&s, yaml, 1);
    pli_step_report report = {0};
    double energy = INFINITY;
    for (int k = 0; k < 240; ++k) {
        report = simulation_step(&s);
        // implicit Euler and damping only take energy
        AT_MOST(report.energy.total, energy + 1e-9);
        energy = report.energy.total;
    }
    AT_MOST(report.energy.kinetic, 1e-6);
    assert_true(report.energy.elastic > 0.05);
    // each attachment's end has dropped by what half the weight takes; what is left of the motion
    // decides on the tolerance
    const double *x = pli_state_get(s.state).positions;
    NEAR(x[1] + x[3 * 12 + 1], -2 * 4.9 / 100, 1e-2, 0);
    double center[3];
    simulation_center(&s, center);
    AT_MOST(center[1], -0.3);
    // edges along the rows, 1/12 m long at rest
    double longest = 0;
    for (int32_t v = 0; v + 1 < s.info.vertex_count; ++v) {
        if (v % 13 < 12) longest = fmax(longest, pli_vec3_distance(x + 3 * v, x + 3 * v + 3));
    }
    AT_LEAST(12 * longest, 1.01);
    AT_MOST(12 * longest, 2);
    simulation_clear(&s);
}

// Free in space, whatever its springs do.
static void springs_keep_momentum(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "contact: none\n"
                    "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 9, rows: 7}},\n"
                    "  start: {stretched: [1.3, 1, 0.8]}, velocity: [1, 2, 3],\n"
                    "  angular_velocity: [0, 90, 0], springs: {rayleigh: 0.01}}}\n"
                    "gravity: [0, 0, 0]\n"
                    "solver: {tolerance: 1e-7}\n"
                    "time: {fps: 60}\n",
                    1);
    for (int k = 0; k < 10; ++k) {
        pli_step_report report = simulation_step(&s);
        // what is left of forces hardly has a sum
        for (int i = 0; i < 3; ++i) NEAR(report.momentum[i], i + 1, 0, 1e-8);
    }
    simulation_clear(&s);
}

static void constraints_hold_cloth(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "contact: none\n"
                    "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 8, rows: 8}}}}\n"
                    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, "
                    "0]}}}]\n"
                    "time: {fps: 30}\n",
                    1);
    simulation_run(&s, 10);
    const double *x = pli_state_get(s.state).positions;
    for (int32_t j = 0; j < 9; ++j) assert_true(x[3 * 9 * j + 1] == 0);
    AT_MOST(x[3 * 8 + 1], -0.3);
    simulation_clear(&s);
}

static void cloth_falls_on_ground_that_is_a_barrier(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 6, rows: 6}},\n"
                    "  position: [0, 0.02, 0], velocity: [0, -3, 0]}}\n"
                    "colliders: {ground: {shape: plane}}\n"
                    "contact: barrier\n"
                    "time: {fps: 30}\n",
                    1);
    assert_int_equal(s.model->colliders[0].method, PLI_COLLIDER_BARRIER);
    for (int k = 0; k < 3; ++k) {
        pli_step_report report = simulation_step(&s);
        AT_LEAST(report.min_gap, 1e-12);
        assert_true(report.contacts > 0);
    }
    simulation_clear(&s);
}

// ---- the quadratic law

// The depths of the vertices that carry a body sum up to m g / k.
static void vertices_rest_at_the_depth_of_their_weight(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {m: {law: fixed-corotated, density: 800, young: 1e6, poisson: 0}}\n"
                    "bodies: {cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: m,\n"
                    "  position: [0, 0.5, 0]}}\n"
                    "colliders: {ground: {shape: plane, method: quadratic, stiffness: 1e5}}\n"
                    "gravity: [0, -10, 0]\n"
                    "time: {fps: 24, mode: quasi-static}\n"
                    "solver: {tolerance: 1e-9, norm: force}\n",
                    1);
    pli_step_report report = simulation_run(&s, 3);
    // four vertices carry 800 kg on springs of 1e5 N/m
    double force = 0;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        force += s.state->contact_force[3 * (int64_t)k + 1];
    }
    NEAR(force, 8000, 1e-9, 0);
    assert_int_equal(report.contacts, 4);
    double depth = 0;
    const double *x = pli_state_get(s.state).positions;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) depth += fmax(0, -x[3 * (int64_t)k + 1]);
    NEAR(depth, 8000 / 1e5, 1e-9, 0);
    simulation_clear(&s);
}

static void methods_are_chosen_and_stiffness_follows_the_edges(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "contact: none\n"
                    "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 4, rows: 4}},\n"
                    "  position: [0, 1, 0]}}\n"
                    "colliders:\n"
                    "  ground: {shape: plane}\n"
                    "  ball: {shape: {sphere: 0.2}, method: quadratic, margin: 0.01}\n"
                    "  soft: {shape: {sphere: 0.1}, method: penalty}\n",
                    1);
    pli_contact_info info = pli_model_get_collider(s.model, 0);
    assert_string_equal(info.method, "constraint");
    info = pli_model_get_collider(s.model, 1);
    assert_string_equal(info.method, "quadratic");
    NEAR(info.stiffness, 10 * 100, 0, 0);
    NEAR(s.model->colliders[1].margin, 0.01, 0, 0);
    // a modulus of k / l
    info = pli_model_get_collider(s.model, 2);
    NEAR(info.stiffness, 10 * 100 / 0.25, 1e-12, 0);
    simulation_clear(&s);
    // solvers that keep their matrix want blocks on its diagonal
    pli_scene_def def;
    pli_scene_def_init(&def);
    pli_collider_def collider = {.method = PLI_COLLIDER_AUTO};
    static const char *const names[] = {"pd-multigrid", "vivace", "newton-multigrid", "newton"};
    for (int k = 0; k < 4; ++k) {
        def.solver.name = names[k];
        assert_int_equal(pli_collider_choose_method(&def, &collider, true),
                         k < 3 ? PLI_COLLIDER_QUADRATIC : PLI_COLLIDER_CONSTRAINT);
    }
    assert_int_equal(pli_collider_choose_method(&def, &collider, false), PLI_COLLIDER_PENALTY);
}

static const char *draped = "contact: none\n"
                            "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 10, rows: "
                            "10}},\n  position: [0, 0.32, 0]}}\n"
                            "colliders:\n"
                            "  ball: {shape: {sphere: 0.3}, method: quadratic, stiffness: 20, "
                            "friction: 0.3}\n"
                            "  peg: {shape: {capsule: {start: [-1, -0.4, 0.4], end: [1, -0.4, "
                            "0.4], radius: 0.1}},\n    method: quadratic, stiffness: 20}\n"
                            "time: {fps: 30}\n";

static void cloth_drapes_over_a_sphere(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, draped, 1);
    pli_step_report report = simulation_run(&s, 30);
    assert_true(report.contacts > 10);
    // the weight of the cloth over the stiffness of some of its 121 vertices
    AT_MOST(report.max_depth, 0.1);
    AT_LEAST(report.energy.contact, 1e-4);
    const double *x = pli_state_get(s.state).positions;
    AT_LEAST(x[3 * 60 + 1], 0.2);
    AT_MOST(x[1], 0.1);
    simulation_clear(&s);
}

// ---- frames

static void frames_carry_cloth_as_triangles(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: rubber}\n"
        "contact: none\n"
        "bodies:\n"
        "  cloth: {kind: cloth, geometry: {sheet: {columns: 3, rows: 2}}}\n"
        "  shell: {kind: shell, geometry: {sheet: {columns: 1, rows: 1}}, material: m}\n",
        1);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    const pli_frame_part *cloth = &frame.parts[0];
    assert_int_equal(cloth->kind, PLI_PART_TRIANGLES);
    assert_int_equal(cloth->cell_count, 12);
    assert_true(cloth->role != PLI_ROLE_OBSTACLE);
    for (int32_t k = 0; k < 36; ++k) assert_in_range(cloth->cells[k], 0, 11);
    for (int32_t k = 0; k < cloth->field_count; ++k) {
        assert_int_equal(cloth->fields[k].place, PLI_PLACE_POINT);
    }
    // energies of springs count as elastic
    pli_step_report report;
    OK(s.context, pli_solver_measure(s.solver, s.state, &report));
    NEAR(report.energy.elastic, 0, 0, 1e-20);
    simulation_clear(&s);
}

// ---- promises

static void same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "contact: none\n"
        "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 70, rows: 60}},\n"
        "  start: {stretched: [1.1, 1, 0.9]}, springs: {rayleigh: 0.001}}}\n"
        "time: {fps: 30}\n",
        "contact: none\n"
        "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 50, rows: 50}},\n"
        "  position: [0, 0.31, 0]}}\n"
        "colliders: {ball: {shape: {sphere: 0.3}, method: quadratic, friction: 0.2}}\n"
        "time: {fps: 30}\n"};
    static const char solver[] = "{name: newton, fixed_iterations: 3}";
    for (int k = 0; k < 2; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(scenes[k], bits.threads, 2, solver));
        }
    }
}

static void states_are_all_there_is(void **state)
{
    (void)state;
    expect_no_memory_in_solvers(hanging, 3);
    expect_same_after_restoring(draped, 4);
}

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    expect_no_leak("contact: none\n"
                   "bodies: {cloth: {kind: cloth, geometry: {sheet: {columns: 3, rows: 3}},\n"
                   "  springs: {rayleigh: 0.01}, copies: {count: [2, 1, 1], spacing: [2, 0, 0]}}}\n"
                   "colliders: {ball: {shape: {sphere: 0.3}, method: quadratic}}\n"
                   "checks: {collider_overlap: ignore}\n"
                   "attachments: [{stiffness: 1}]\n",
                   true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(keys_of_another_kind_are_refused_with_what_to_do, 1),
        cmocka_unit_test(cloth_needs_no_more_than_its_kind_and_geometry),
        cmocka_unit_test(springs_rest_in_the_placed_shape),
        cmocka_unit_test(cloth_without_bend_has_fewer_springs),
        cmocka_unit_test_setup_teardown(surfaces_from_files_are_cloth, folder_set_up,
                                        folder_tear_down),
        cmocka_unit_test_setup_teardown(coincident_vertices_are_refused, folder_set_up,
                                        folder_tear_down),
        cmocka_unit_test(cloth_comes_to_hang_from_its_corners),
        cmocka_unit_test(springs_keep_momentum),
        cmocka_unit_test(constraints_hold_cloth),
        cmocka_unit_test(cloth_falls_on_ground_that_is_a_barrier),
        cmocka_unit_test(vertices_rest_at_the_depth_of_their_weight),
        cmocka_unit_test(methods_are_chosen_and_stiffness_follows_the_edges),
        cmocka_unit_test(cloth_drapes_over_a_sphere),
        cmocka_unit_test(frames_carry_cloth_as_triangles),
        cmocka_unit_test(same_bits_for_any_thread_count),
        cmocka_unit_test(states_are_all_there_is),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

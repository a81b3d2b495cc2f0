// SPDX-License-Identifier: Apache-2.0
//
// Bodies of triangles in scenes and models: what is refused and how, where triangles and masses
// come from, obstacles and their motion, frames.
#include "folder.h"
#include "scene_samples.h"
#include "simulate.h"

#include "sim/model/model.h"

static const char *materials =
    "materials: {cotton: {law: stable-neo-hookean, density: 500, young: 1e6, poisson: 0.3}}\n";

// ---- what is refused

typedef struct refusal {
    const char *bodies; // and more
    const char *message;
} refusal;

static void keys_of_another_kind_are_refused_with_what_to_do(void **state)
{
    static const refusal list[] = {
        {"bodies: {b: {geometry: sheet, material: cotton}}\n",
         "bodies.b.geometry: found triangles, of which a solid cannot be made; write kind: shell "
         "or "
         "kind: obstacle"},
        {"bodies: {b: {geometry: grid, material: cotton, thickness: 0.1}}\n",
         "bodies.b.thickness: is not a key of a solid: it is for a shell or an obstacle; to move "
         "vertices, use constraints"},
        {"bodies: {b: {kind: shell, geometry: sheet, material: cotton, motion: {segments: "
         "[{duration: 1}]}}}\n",
         "bodies.b.motion: is not a key of a shell: it is for an obstacle; to move vertices, use "
         "constraints"},
        {"bodies: {b: {kind: shell, geometry: sheet}}\n",
         "bodies.b.material: is missing; expected a text"},
        {"bodies: {b: {kind: shell, geometry: sheet, material: cotton, start: collapsed}}\n",
         "bodies.b.start: a shell cannot start collapsed, because its energy is infinite where "
         "triangles have no area"},
        {"bodies: {b: {kind: obstacle, geometry: sheet, material: cotton}}\n",
         "bodies.b.material: is not a key of an obstacle: only its motion moves it, and nothing "
         "deforms it"},
        {"bodies: {b: {kind: obstacle, geometry: sheet, bending: 2}}\n",
         "bodies.b.bending: is not a key of an obstacle: only its motion moves it, and nothing "
         "deforms it"},
        {"bodies: {b: {kind: obstacle, geometry: sheet, velocity: [1, 0, 0]}}\n",
         "bodies.b.velocity: is not a key of an obstacle: only its motion moves it, and nothing "
         "deforms it"},
        {"bodies: {b: {kind: obstacle, geometry: sheet, motion: {after: release}}}\n",
         "bodies.b.motion.after: found 'release'; an obstacle has nothing else that moves it: use "
         "after: hold"},
        {"bodies: {b: {kind: obstacle, geometry: sheet}}\nconstraints: [{body: b}]\n",
         "constraints[0].body: 'b' is an obstacle, which follows its own motion: say it there"},
        {"bodies: {b: {kind: shell, geometry: sheet, material: cotton}}\ncontact: penalty\n",
         "contact.method: found 'penalty', which pushes vertices out of tetrahedra; body 'b' is a "
         "shell and has none"},
        {"bodies: {b: {kind: shell, geometry: {sheet: {columns: 30000, rows: 30000}}, material: "
         "cotton}}\n",
         "bodies.b.geometry.sheet.columns: 900000000 squares are too many; allowed are 300000000"},
        {"bodies: {b: {kind: solod, geometry: sheet, material: cotton}}\n",
         "bodies.b.kind: found 'solod'; allowed are solid, shell, obstacle, cloth (did you "
         "mean 'solid'?)"},
    };
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof list / sizeof *list; ++k) {
        char yaml[2048];
        char message[1024];
        snprintf(yaml, sizeof yaml, "%s%s", materials, list[k].bodies);
        pli_scene *scene = NULL;
        pli_status status =
            pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "s", NULL, &scene);
        assert_int_equal(status, PLI_ERROR_SCENE);
        pli_context_message(context, message, sizeof message);
        const char *text = strstr(message, list[k].message);
        if (text == NULL) fail_msg("%s\nwant %s", message, list[k].message);
    }
}

static void shells_get_their_defaults(void **state)
{
    (void)state;
    simulation s;
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "%scontact: none\n"
             "bodies: {b: {kind: shell, geometry: sheet, material: cotton}}\n",
             materials);
    simulation_init(&s, yaml, 1);
    const pli_body_def *body = &pli_scene_get(s.scene)->bodies[0];
    NEAR(body->thickness, 1e-3, 0, 0);
    NEAR(body->bending, 1, 0, 0);
    // a square metre of a millimetre
    NEAR(s.info.mass, 0.5, 1e-12, 0);
    // the scene with every default filled in is the same scene
    char *text = NULL;
    pli_scene *again = NULL;
    OK(s.context, pli_scene_to_yaml(s.scene, NULL, &text));
    assert_null(strstr(text, "motion:"));
    OK(s.context, pli_scene_parse(s.context, text, (int64_t)strlen(text), "again", NULL, &again));
    assert_true(pli_scene_hash(again) == pli_scene_hash(s.scene));
    pli_scene_destroy(again);
    pli_text_free(s.context, text);
    simulation_clear(&s);
}

// ---- triangles of a model

static void models_keep_shells_before_obstacles_and_bodies_in_order(void **state)
{
    (void)state;
    simulation s;
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "%s"
             "contact: none\n"
             "bodies:\n"
             "  wall: {kind: obstacle, geometry: {grid: {cells: [3, 3, 3]}}}\n"
             "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: cotton, position: [3, 0, "
             "0]}\n"
             "  cloth: {kind: shell, geometry: {sheet: {columns: 3, rows: 2}}, material: cotton,\n"
             "    thickness: 0.01, position: [6, 0, 0], scale: [2, 1, 1]}\n"
             "  box: {kind: shell, geometry: {grid: {cells: [2, 2, 2]}}, material: cotton,\n"
             "    position: [9, 0, 0], copies: {count: [1, 2, 1], spacing: [0, 3, 0]}}\n"
             "colliders: {ground: {shape: {plane: {point: [0, -9, 0]}}}}\n",
             materials);
    simulation_init(&s, yaml, 1);
    const pli_model *model = s.model;
    // the boundary of n^3 cells: 12 n^2 triangles, 6 n^2 + 2 vertices
    assert_int_equal(model->body_count, 5);
    assert_int_equal(model->shell_triangle_count, 12 + 2 * 48);
    assert_int_equal(model->triangle_count, 12 + 2 * 48 + 108);
    assert_int_equal(s.info.triangle_count, model->triangle_count);
    const pli_model_body *wall = &model->bodies[0];
    const pli_model_body *cloth = &model->bodies[2];
    assert_int_equal(wall->kind, PLI_BODY_OBSTACLE);
    assert_int_equal(wall->vertex_count, 6 * 9 + 2);
    assert_int_equal(wall->first_triangle, 12 + 2 * 48);
    assert_int_equal(wall->triangle_count, 108);
    assert_int_equal(cloth->first_triangle, 0);
    assert_int_equal(model->bodies[3].vertex_count, 26);
    assert_int_equal(model->bodies[4].first_triangle, 12 + 48);

    // masses: density times thickness times area, nothing for the obstacle
    double mass[5] = {0};
    for (int32_t b = 0; b < 5; ++b) {
        const pli_model_body *body = &model->bodies[b];
        for (int32_t k = 0; k < body->vertex_count; ++k) {
            mass[b] += model->mass[body->first_vertex + k];
        }
    }
    assert_true(mass[0] == 0);
    NEAR(mass[1], 500, 1e-12, 0);
    NEAR(mass[2], 500 * 0.01 * 2, 1e-12, 0);
    NEAR(mass[3], 500 * 1e-3 * 6, 1e-12, 0);
    NEAR(s.info.mass, mass[1] + mass[2] + 2 * mass[3], 1e-12, 0);

    // the surface that collides is made of the same triangles
    for (int32_t b = 0; b < 5; ++b) {
        const pli_model_body *body = &model->bodies[b];
        if (body->kind == PLI_BODY_SOLID) continue;
        assert_int_equal(body->surface_triangle_count, body->triangle_count);
        assert_memory_equal(model->surface_triangles + 3 * body->first_surface_triangle,
                            model->triangles + 3 * body->first_triangle,
                            3 * (size_t)body->triangle_count * sizeof(int32_t));
    }
    // everything of the obstacle is held
    assert_int_equal(s.info.unknown_count, 3 * (model->vertex_count - wall->vertex_count));
    simulation_clear(&s);
}

static void surfaces_come_from_files_without_unused_vertices(void **state)
{
    folder_fixture *fix = *state;
    char path[600];
    snprintf(path, sizeof path, "%s/flag.obj", fix->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 0 1\nv 1 0 1\nf 2 4 3\nf 3 4 5\n", file);
    fclose(file);
    snprintf(path, sizeof path, "%s/scene.yaml", fix->folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "%scontact: none\n"
            "bodies: {flag: {kind: shell, geometry: {file: flag.obj}, material: cotton}}\n"
            "constraints: [{where: {vertices: [1, 3]}}]\n",
            materials);
    fclose(file);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    OK(fix->context, pli_scene_load(fix->context, path, NULL, &scene));
    OK(fix->context, pli_model_create(fix->context, scene, NULL, &model));
    assert_int_equal(model->vertex_count, 4);
    assert_int_equal(model->triangle_count, 2);
    // numbers are those of the file, which counts the vertex that nobody uses
    assert_int_equal(model->constraints[0].vertex_count, 2);
    assert_int_equal(model->constraints[0].vertices[0], 0);
    assert_int_equal(model->constraints[0].vertices[1], 2);
    NEAR(model->total_mass, 0.5, 1e-12, 0);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
}

// ---- obstacles

static void obstacles_follow_their_motion_exactly(void **state)
{
    (void)state;
    simulation s;
    char yaml[2048];
    snprintf(
        yaml, sizeof yaml,
        "%s"
        "contact: none\n"
        "bodies:\n"
        "  cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: cotton, position: [5, 0, "
        "0]}\n"
        "  door: {kind: obstacle, geometry: {sheet: {width: 2, depth: 1, columns: 2, rows: 1}},"
        "\n    motion: {center: [-1, 0, 0], segments: [{duration: 1, axis: [0, 0, 1], spin: "
        "90}]}}\n"
        "  lifts: {kind: obstacle, geometry: {fill: {shape: {sphere: 0.2}, vertices: 60}},\n"
        "    position: [0, 3, 0], copies: {count: [2, 1, 1], spacing: [2, 0, 0]},\n"
        "    motion: {segments: [{duration: 2, velocity: [0, 0.5, 0]}]}}\n"
        "constraints: [{axes: 'x'}]\n" // of every body: not of obstacles
        "time: {fps: 4, frames: 1}\n",
        materials);
    simulation_init(&s, yaml, 1);
    pli_step_report report = simulation_run(&s, 4);
    const double *x = pli_state_get(s.state).positions;
    const double *X = pli_model_get_mesh(s.model).rest_positions;
    const double *v = pli_state_get(s.state).velocities;
    const pli_model_body *door = &s.model->bodies[1];
    for (int32_t k = 0; k < door->vertex_count; ++k) {
        int64_t at = 3 * ((int64_t)door->first_vertex + k);
        // a quarter turn about (-1, 0): (x + 1, 0) goes to (0, x + 1)
        NEAR(x[at], -1, 0, 1e-14);
        NEAR(x[at + 1], X[at] + 1, 0, 1e-14);
        NEAR(x[at + 2], X[at + 2], 0, 1e-14);
    }
    for (int32_t b = 2; b < 4; ++b) {
        const pli_model_body *lift = &s.model->bodies[b];
        for (int32_t k = 0; k < lift->vertex_count; ++k) {
            int64_t at = 3 * ((int64_t)lift->first_vertex + k);
            NEAR(x[at + 1], X[at + 1] + 0.5, 0, 1e-14);
            NEAR(v[at + 1], 0.5, 0, 1e-13);
            NEAR(x[at], X[at], 0, 1e-14);
        }
    }
    // the cube falls freely, and nothing else has momentum
    NEAR(report.momentum[1], -500 * 9.81, 1e-6, 0);
    assert_int_equal(s.model->constraint_count, 4);
    assert_int_equal(s.model->constraints[0].vertex_count, 8);
    simulation_clear(&s);
}

// The norms divide by masses and by what vertices bear: vertices of obstacles have neither.
static void every_norm_copes_with_obstacles_and_shells(void **state)
{
    (void)state;
    static const char *const norms[] = {"velocity", "characteristic", "force"};
    static const char *const modes[] = {"dynamic", "quasi-static"};
    for (int k = 0; k < 6; ++k) {
        simulation s;
        char yaml[2048];
        snprintf(
            yaml, sizeof yaml,
            "%s"
            "contact: none\n"
            "bodies:\n"
            "  wall: {kind: obstacle, geometry: {sheet: {columns: 2, rows: 2}}}\n"
            "  cloth: {kind: shell, geometry: {sheet: {columns: 6, rows: 6}}, material: "
            "cotton,\n    thickness: 0.05, position: [0, 1, 0]}\n"
            "  cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: cotton, position: [3, "
            "0, 0]}\n"
            "constraints: [{where: {half_space: {point: [0, 0, -0.49], normal: [0, 0, -1]}}}]\n"
            "gravity: [0, -0.1, 0]\n"
            "solver: {norm: %s}\n"
            "time: {mode: %s, fps: 24}\n",
            materials, norms[k % 3], modes[k / 3]);
        simulation_init(&s, yaml, 1);
        pli_step_report report = simulation_step(&s);
        assert_true(report.tolerance > 0 && isfinite(report.tolerance));
        assert_true(isfinite(report.residual));
        simulation_clear(&s);
    }
}

static void a_scene_of_obstacles_alone_runs(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {unused: rubber}\n"
                    "bodies: {wall: {kind: obstacle, geometry: sheet,\n"
                    "  motion: {segments: [{duration: 1, velocity: [1, 0, 0]}]}}}\n",
                    1);
    simulation_run(&s, 2);
    simulation_clear(&s);
}

// ---- frames

static const pli_frame_field *find_field(const pli_frame_part *part, const char *name)
{
    for (int32_t k = 0; k < part->field_count; ++k) {
        if (strcmp(part->fields[k].name, name) == 0) return &part->fields[k];
    }
    return NULL;
}

static void frames_carry_shells_and_obstacles_as_triangles(void **state)
{
    (void)state;
    simulation s;
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "%s"
             "contact: none\n"
             "bodies:\n"
             "  wall: {kind: obstacle, geometry: {sheet: {columns: 2, rows: 2}}}\n"
             "  cube: {geometry: {grid: {cells: [1, 1, 1]}}, material: cotton, position: [3, 0, "
             "0]}\n"
             "  cloth: {kind: shell, geometry: {sheet: {columns: 3, rows: 2}}, material: cotton,\n"
             "    start: {stretched: [1.5, 1, 1]}, position: [0, 1, 0]}\n",
             materials);
    simulation_init(&s, yaml, 1);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    assert_int_equal(frame.part_count, 3);
    const pli_frame_part *wall = &frame.parts[0];
    const pli_frame_part *cloth = &frame.parts[2];
    assert_int_equal(wall->kind, PLI_PART_TRIANGLES);
    assert_int_equal(wall->role, PLI_ROLE_OBSTACLE);
    assert_int_equal(wall->cell_count, 8);
    assert_non_null(find_field(wall, "velocity"));
    assert_null(find_field(wall, "von_mises"));
    assert_int_equal(frame.parts[1].kind, PLI_PART_TETS);
    assert_int_equal(cloth->kind, PLI_PART_TRIANGLES);
    assert_int_equal(cloth->role, PLI_ROLE_BODY);
    assert_int_equal(cloth->cell_count, 12);
    assert_int_equal(cloth->point_count, 12);
    for (int32_t k = 0; k < 36; ++k) assert_in_range(cloth->cells[k], 0, 11);
    for (int32_t k = 0; k < 12; ++k) {
        NEAR(find_field(cloth, "J")->values[k], 1.5, 1e-12, 0);
        assert_true(find_field(cloth, "von_mises")->values[k] > 1e5);
        assert_true(find_field(cloth, "material")->values[k] == 0);
    }
    // an intersection of the two surfaces would be found: parts that stand apart have none
    pli_frame_findings findings;
    OK(s.context, pli_frame_check(s.context, &frame, false, &findings));
    assert_int_equal(findings.triangle_count, 8 + 12 + 12);
    assert_int_equal(findings.intersection_count, 0);
    simulation_clear(&s);
}

static void checks_of_frames_find_cloth_in_obstacles_but_not_obstacles_in_each_other(void **state)
{
    (void)state;
    static const char *const kinds[] = {"obstacle", "shell, material: cotton"};
    for (int shell = 0; shell < 2; ++shell) {
        simulation s;
        char yaml[1024];
        snprintf(
            yaml, sizeof yaml,
            "%scontact: none\n"
            "bodies:\n"
            "  wall: {kind: obstacle, geometry: {sheet: {columns: 3, rows: 3}}}\n"
            "  other: {kind: %s, geometry: {sheet: {columns: 4, rows: 4}}, axis: [1, 0.1, 0],\n"
            "    angle: 80}\n",
            materials, kinds[shell]);
        simulation_init(&s, yaml, 1);
        pli_frame frame;
        pli_frame_findings findings;
        OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
        OK(s.context, pli_frame_check(s.context, &frame, false, &findings));
        assert_true((findings.intersection_count > 0) == (shell == 1));
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(keys_of_another_kind_are_refused_with_what_to_do, 1),
        cmocka_unit_test(shells_get_their_defaults),
        cmocka_unit_test(models_keep_shells_before_obstacles_and_bodies_in_order),
        cmocka_unit_test_setup_teardown(surfaces_come_from_files_without_unused_vertices,
                                        folder_set_up, folder_tear_down),
        cmocka_unit_test(obstacles_follow_their_motion_exactly),
        cmocka_unit_test(every_norm_copes_with_obstacles_and_shells),
        cmocka_unit_test(a_scene_of_obstacles_alone_runs),
        cmocka_unit_test(frames_carry_shells_and_obstacles_as_triangles),
        cmocka_unit_test(checks_of_frames_find_cloth_in_obstacles_but_not_obstacles_in_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

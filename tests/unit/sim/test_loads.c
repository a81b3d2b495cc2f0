// SPDX-License-Identifier: Apache-2.0
//
// Loads of a scene: how much of each acts, when, on what; what they do to the energies; what is
// refused.
#include "promises.h"

#include "base/context.h"
#include "math/vec3.h"
#include "sim/step/mesh_stepper.h"

// A box of 1 x 0.2 x 0.1 m and 20 kg, held at its left end.
#define BAR_OF(element)                                                                    \
    "materials: {soft: {law: neo-hookean, density: 1000, young: 1e6, poisson: 0.3}}\n"     \
    "bodies: {bar: {geometry: {grid: {size: [1, 0.2, 0.1], cells: [5, 2, 1]}}, material: " \
    "soft, element: " element "}}\n"                                                       \
    "gravity: [0, 0, 0]\n"
#define BAR BAR_OF("linear")
#define HELD "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
#define END "where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}"
#define TOP "where: {half_space: {point: [0, 0.09, 0], normal: [0, 1, 0]}}"

// The force of the scene's loads after a step.
static void sum_forces(simulation *s, double force[3])
{
    pli_mesh_stepper *meshes = pli_solver_meshes(s->solver);
    int32_t n = s->info.vertex_count;
    double *g = calloc(3 * (size_t)n, sizeof *g);
    const double *x = pli_state_get(s->state).positions;
    if (meshes->dead_force != NULL) pli_load_term.add_gradient(&meshes->dead_load, x, g);
    if (meshes->pressure != NULL) pli_pressure_term.add_gradient(meshes->pressure, x, g);
    pli_vec3_set(0, 0, 0, force);
    for (int32_t k = 0; k < 3 * n; ++k) force[k % 3] -= g[k];
    free(g);
}

static void every_kind_of_load_sums_to_what_it_says(void **state)
{
    (void)state;
    static const struct {
        const char *load;
        double force[3];
    } rows[] = {
        // the end is 0.02 m^2, the top 0.1 m^2, all of the body 20 kg
        {"{traction: [0, -50, 100], " END "}", {0, -1, 2}},
        {"{force: [1, 2, 3], " END "}", {1, 2, 3}},
        {"{force: [1, 2, 3], where: {vertices: {ids: [0, 7]}}}", {1, 2, 3}},
        {"{point_force: [0, 2, 0], " END "}", {0, 2 * 6, 0}},
        {"{acceleration: [0, -2, 0.5], body: bar}", {0, -40, 10}},
        {"{pressure: 30, " TOP "}", {0, -3, 0}},
        {"{pressure: 1e5}", {0, 0, 0}},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml, BAR HELD "loads: [%s]\ntime: {fps: 1e5}\n", rows[k].load);
        simulation s;
        simulation_init(&s, yaml, 1);
        pli_step_report report;
        double force[3];
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        sum_forces(&s, force);
        // pressure on the moved surface, which a step of 10 us hardly moves
        double size = pli_vec3_norm(rows[k].force);
        for (int i = 0; i < 3; ++i) NEAR(force[i], rows[k].force[i], 0, 1e-5 * size + 1e-8);
        simulation_clear(&s);
    }
}

// A body without weight in nothing: v = a t, whatever the load's course.
static void loads_follow_their_keys(void **state)
{
    (void)state;
    static const char *yaml =
        BAR "loads:\n"
            "  - {acceleration: [2, 0, 0], over_time: [{time: 0.1, factor: 0}, {time: 0.3, factor: "
            "1}]}\n"
            "  - {acceleration: [0, 2, 0], over_time: [{time: 0, factor: 1}, {time: 0.4, factor: "
            "3}], ease: smooth}\n"
            "time: {fps: 10, frames: 4}\n"
            "solver: {name: newton, tolerance: 1e-9}\n";
    static const double factors[4][2] = {{0, 1.3125}, {0.5, 2}, {1, 2.6875}, {1, 3}};
    simulation s;
    simulation_init(&s, yaml, 1);
    double v[2] = {0, 0};
    for (int step = 0; step < 4; ++step) {
        simulation_step(&s);
        for (int k = 0; k < 2; ++k) {
            v[k] += 0.1 * 2 * factors[step][k];
            NEAR(pli_state_get(s.state).velocities[k], v[k], 1e-6, 1e-6);
        }
    }
    simulation_clear(&s);
}

// Implicit Euler loses m |dv|^2 / 2 a step and nothing else: with that, kinetic energy and the work
// of loads add up to nothing for a body that is pushed in free space.
static void work_is_in_the_energies(void **state)
{
    (void)state;
    static const char *yaml =
        BAR "loads: [{acceleration: [0, 0, 3]}]\n"
            "time: {fps: 20, frames: 8}\nsolver: {name: newton, tolerance: 1e-10}\n";
    simulation s;
    simulation_init(&s, yaml, 1);
    double lost = 0;
    for (int step = 0; step < 8; ++step) {
        pli_step_report report = simulation_step(&s);
        lost += 0.5 * 20 * pow(3 * 0.05, 2);
        NEAR(report.energy.kinetic, 0.5 * 20 * pow(3 * 0.05 * (step + 1), 2), 1e-6, 0);
        NEAR(report.energy.total + lost, 0, 0, 1e-6);
        AT_MOST(report.energy.load, -1e-3);
    }
    simulation_clear(&s);
}

// A slow ramp without inertia: the work of the load is what the body stores. With a pressure it is
// the same, over an open surface, too. 40 steps of the trapezoidal rule are right to 1e-3.
static void work_of_a_slow_load_is_stored(void **state)
{
    (void)state;
    static const char *const loads[] = {"{force: [300, -20, 0], " END, "{pressure: 2e3, " TOP};
    for (int k = 0; k < 2; ++k) {
        char yaml[1024];
        snprintf(yaml, sizeof yaml,
                 BAR HELD "loads: [%s, over_time: [{time: 0, factor: 0}, {time: 1, factor: 1}]}]\n"
                          "time: {fps: 40, frames: 40, mode: quasi-static}\nsolver: newton\n",
                 loads[k]);
        simulation s;
        simulation_init(&s, yaml, 1);
        pli_step_report report = simulation_run(&s, 40);
        AT_LEAST(report.energy.elastic, 1e-3);
        NEAR(-report.energy.load, report.energy.elastic, 2e-3, 0);
        simulation_clear(&s);
    }
}

// A group of two faces of a tetrahedron has all of its vertices, but not all of its faces.
static void a_group_of_triangles_is_exactly_these(void **state)
{
    (void)state;
    static const double points[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tets[] = {0, 1, 2, 3};
    static const int32_t triangles[] = {0, 2, 1, 0, 1, 3};
    static const int32_t groups[] = {0, 0};
    static const char *const names[] = {"wet"};
    pli_mesh_data mesh = {.point_count = 4,
                          .points = points,
                          .tet_count = 1,
                          .tets = tets,
                          .triangle_count = 2,
                          .triangles = triangles,
                          .group_count = 1,
                          .group_names = names,
                          .triangle_groups = groups};
    simulation s;
    // the selection is made of the body's mesh, which is put in behind the parser
    simulation_init_mesh(&s,
                         "materials: {soft: {law: neo-hookean, density: 1000, young: 1e6, "
                         "poisson: 0.3}}\nbodies: {tet: {geometry: {grid: {}}, material: soft}}\n"
                         "loads: [{traction: [0, 0, 6]}]\n",
                         &mesh);
    pli_load_info all = pli_model_get_load(s.model, 0);
    NEAR(all.force[2], 6 * (1.5 + 0.5 * sqrt(3)), 1e-12, 0);
    pli_scene_def def = *pli_scene_get(s.scene);
    pli_body_load_def load = def.loads[0];
    pli_group_def group = {"wet"};
    load.where = (pli_variant){PLI_SELECT_GROUP, &group};
    def.loads = &load;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    OK(s.context, pli_scene_create(s.context, &def, &scene));
    OK(s.context, pli_model_create(s.context, scene, NULL, &model));
    pli_load_info wet = pli_model_get_load(model, 0);
    assert_string_equal(wet.kind, "traction");
    NEAR(wet.force[2], 6, 1e-12, 0);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    simulation_clear(&s);
}

// ---- promises

#define LOADED(element)                                                                            \
    BAR_OF(element)                                                                                \
    HELD "loads:\n"                                                                                \
         "  - {pressure: 500, " TOP ", over_time: [{time: 0, factor: 0}, {time: 1, factor: 1}]}\n" \
         "  - {traction: [0, 5, 0], " END "}\n"                                                    \
         "time: {fps: 30, frames: 3}\n"
static const char *const loaded[] = {LOADED("linear"), LOADED("quadratic")};

static void states_are_all_there_is(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        expect_no_memory_in_solvers(loaded[k], 3);
        expect_same_after_restoring(loaded[k], 2);
        uint64_t one = hash_after(loaded[k], 1, 3, "newton");
        assert_true(one == hash_after(loaded[k], 2, 3, "newton"));
        assert_true(one == hash_after(loaded[k], 4, 3, "newton"));
    }
}

static void running_out_of_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) expect_no_leak(loaded[k], false);
}

// ---- rules

static void expect_refused(const char *text, const char *message)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    char got[1024];
    pli_status status =
        pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    pli_context_message(context, got, sizeof got);
    if (status == PLI_OK || strstr(got, message) == NULL) {
        fprintf(stderr, "got:  %s\nwant: %s\n", status == PLI_OK ? "no error" : got, message);
        fail();
    }
    assert_null(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void wrong_loads_are_refused(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"loads: [{" TOP "}]\n", "loads[0]: says nothing of how much it is"},
        {"loads: [{force: [1, 2, 3], pressure: 3}]\n", "loads[0]: says several things at once"},
        {"loads: [{force: [1, 2]}]\n", "loads[0].force"},
        {"loads: [{force: [1, 2, 3], body: baar}]\n", "did you mean 'bar'?"},
        {"loads: [{pressure: 1, over_time: [{time: 1, factor: 0}, {time: 1, factor: 2}]}]\n",
         "loads[0].over_time[1].time: found '1', expected a time after"},
        {"loads: [{pressure: 1, where: {sphere: {center: [9, 0, 0], radius: 1}}}]\n",
         "loads[0].where: selects no triangle of a surface; what there is reaches from"},
        {"loads: [{point_force: [0, 0, 1], body: bar, where: {sphere: {center: [9, 0, 0], radius: "
         "1}}}]\n",
         "loads[0].where: selects no vertex; body bar reaches from [-0.5, -0.1, -0.05]"},
        {"loads: [{pressure: 1, " TOP "}]\nsolver: lbfgs\n",
         "here an open one, which solver lbfgs does not take"},
        {"loads: [{pressure: 1}]\nsolver: vbd\n", "which solver vbd does not take; use"},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        char text[1024];
        snprintf(text, sizeof text, BAR "%s", rows[k][0]);
        expect_refused(text, rows[k][1]);
    }
    expect_refused("materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: "
                   "0.3}}\nbodies: {cube: {geometry: {particles: {shape: {box: {size: [0.2, 0.2, "
                   "0.2]}}}}, material: soft}}\ndomain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, "
                   "1]}\nloads: [{force: [1, 0, 0]}]\n",
                   "loads[0]: acts on vertices and surfaces of meshes, and particles have none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_load_sums_to_what_it_says),
        cmocka_unit_test(loads_follow_their_keys),
        cmocka_unit_test(work_is_in_the_energies),
        cmocka_unit_test(work_of_a_slow_load_is_stored),
        cmocka_unit_test(a_group_of_triangles_is_exactly_these),
        cmocka_unit_test(states_are_all_there_is),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(wrong_loads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

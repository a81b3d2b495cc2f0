// SPDX-License-Identifier: Apache-2.0
//
// Bodies that scripts press against something (Li et al. 2020): states of rest, and scripts that
// ask for more than there is room for.
#include "barrier.h"

// ---- pressing what yields

// A column without lateral strain, whose top a script pushes down by `way` (m) in 10 steps.
static void column_init(simulation *s, const char *solver, const char *mode, double way)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0}}\n"
             "bodies: {column: {geometry: {grid: {size: [0.2, 0.4, 0.2], cells: [2, 4, 2]}},\n"
             "  material: m, position: [0, 0.2001, 0]}}\n"
             "constraints: [{body: column, where: {half_space: {point: [0, 0.4, 0], normal:\n"
             "  [0, 1, 0]}}, motion: {segments: [{duration: 1, velocity: [0, %.17g, 0]}]}}]\n"
             "colliders: {ground: {shape: plane, friction: 0.5}}\n"
             "contact: {method: barrier, distance: 1e-4}\n"
             "gravity: [0, 0, 0]\n"
             "solver: {name: %s, tolerance: 1e-8}\n"
             "time: {fps: 10, frames: 1, mode: %s}\n",
             -way, solver, mode);
    simulation_init(s, yaml, 1);
}

// The force is E A (way - what the gap gave way) / L at every stage.
static void expect_column_force(const char *solver, const char *mode)
{
    simulation s;
    double way = 0.02, gap_at_start = 1e-4;
    column_init(&s, solver, mode, way);
    for (int k = 1; k <= 10; ++k) {
        pli_step_report report = barrier_step(&s);
        const pli_contact_pair *pair = find_pair(&report, "column", "ground");
        assert_non_null(pair);
        double squeezed = way * k / 10 - (gap_at_start - pair->min_gap);
        // gaps of vertices that carry different shares differ, by less than the distance of contact
        NEAR(pair->normal_force[1], 1e6 * 0.04 * squeezed / 0.4, 0.01, 0.25e-4 * 1e6 * 0.1);
        if (strcmp(mode, "quasi-static") == 0) assert_true(top_speed(&s) == 0);
    }
    simulation_clear(&s);
}

static void pressing_a_column_takes_the_force_of_its_stiffness(void **state)
{
    (void)state;
    expect_column_force("ipc-llt", "quasi-static");
    expect_column_force("ipc-pcg", "quasi-static");
    // implicit Euler with steps far longer than waves take is at rest, too
    expect_column_force("ipc-llt", "dynamic");
}

// ---- scripts that ask for the impossible

static void count_warnings(void *user, pli_log_level level, const char *text)
{
    int *warnings = user;
    if (level == PLI_LOG_WARNING && strstr(text, "contact keeps scripted vertices") != NULL) {
        ++*warnings;
    }
}

// A scene in a context whose warnings about scripts are counted.
static void pressed_init(simulation *s, const char *bodies, const char *solver, int *warnings)
{
    char yaml[4096];
    snprintf(yaml, sizeof yaml,
             "materials:\n"
             "  soft: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}\n"
             "  hard: {law: neo-hookean, density: 1000, young: 1e8, poisson: 0.3}\n"
             "%s"
             "contact: {method: barrier, distance: 1e-3, friction: 0.2}\n"
             "solver: %s\n"
             "time: {fps: 50, frames: 1}\n",
             bodies, solver);
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.log = count_warnings;
    def.log_level = PLI_LOG_WARNING;
    def.log_user = warnings;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    *warnings = 0;
    simulation_init_in(s, context, yaml);
}

// moves down by 0.2 m in 0.2 s, and up again in the same time
#define DOWN_AND_UP                                                                                \
    "motion: {segments: [{duration: 0.2, velocity: [0, -1, 0]}, {duration: 0.2, velocity: [0, 1, " \
    "0]}]}"

static const struct {
    const char *name;
    const char *bodies;
} presses[] = {
    {"a block, all of it held, into the ground",
     "bodies: {press: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: "
     "hard,\n"
     "  position: [0, 0.15, 0]}}\n"
     "constraints: [{body: press, " DOWN_AND_UP "}]\n"
     "colliders: {ground: {shape: plane, friction: 0.2}}\n"},
    {"a block into one that stands still",
     "bodies:\n"
     "  press: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}}, material: hard,\n"
     "    position: [0.03, 0.25, 0.02]}\n"
     "  anvil: {geometry: {grid: {size: [0.3, 0.1, 0.3], cells: [3, 1, 3]}}, material: hard,\n"
     "    position: [0, 0.05, 0]}\n"
     "constraints: [{body: press, " DOWN_AND_UP "}, {body: anvil}]\n"},
    {"the top of a soft block, farther than it is high",
     "bodies: {press: {geometry: {grid: {size: [0.2, 0.15, 0.2], cells: [2, 2, 2]}}, material:\n"
     "  soft, position: [0, 0.08, 0]}}\n"
     "constraints: [{body: press, where: {half_space: {point: [0, 0.154, 0], normal: [0, 1, 0]}},\n"
     "  " DOWN_AND_UP "}]\n"
     "colliders: {ground: {shape: plane, friction: 0.2}}\n"},
    {"a soft block between a press and the ground",
     "bodies:\n"
     "  press: {geometry: {grid: {size: [0.3, 0.1, 0.3], cells: [2, 1, 2]}}, material: hard,\n"
     "    position: [0, 0.22, 0]}\n"
     "  cube: {geometry: {grid: {size: [0.15, 0.15, 0.15], cells: [2, 2, 2]}}, material: soft,\n"
     "    position: [0.01, 0.08, 0.02]}\n"
     "constraints: [{body: press, " DOWN_AND_UP "}]\n"
     "colliders: {ground: {shape: plane, friction: 0.2}}\n"},
};

// Farthest that a vertex of the first script is from where it should be, in height (m).
static double behind_script(const simulation *s)
{
    const pli_model_handle *handle = &s->model->constraints[0];
    const double *x = pli_state_get(s->state).positions;
    double farthest = 0;
    pli_pose pose;
    pli_motion_get_pose(&handle->motion, pli_state_get(s->state).time, &pose);
    for (int32_t i = 0; i < handle->vertex_count; ++i) {
        double target[3];
        int64_t vertex = handle->vertices[i];
        pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex, target);
        farthest = fmax(farthest, fabs(x[3 * vertex + 1] - target[1]));
    }
    return farthest;
}

// Everything stays apart, whatever the script asks for; it falls behind and says so; and once it
// goes back, it gets where it should be. What is crushed to nothing may need more iterations than a
// step has, but then the step says that.
static void expect_to_stop_short(const char *bodies, const char *solver)
{
    simulation s;
    int warnings;
    double most_behind = 0;
    pressed_init(&s, bodies, solver, &warnings);
    for (int k = 0; k < 25; ++k) {
        int before = warnings;
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        assert_true(report.stop > 0 || report.stop == PLI_STOP_ITERATIONS);
        expect_apart(&s, &report);
        double behind = behind_script(&s);
        // 1e-12: rounding of poses
        assert_int_equal(warnings - before, behind > 1e-12);
        most_behind = fmax(most_behind, behind);
    }
    // there was no room for at least 3 of the 20 cm
    AT_LEAST(most_behind, 0.03);
    AT_MOST(behind_script(&s), 1e-12);
    simulation_clear(&s);
}

static void scripts_stop_short_where_nothing_yields_and_come_back(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof presses / sizeof *presses; ++k) {
        expect_to_stop_short(presses[k].bodies, "ipc-llt");
        expect_to_stop_short(presses[k].bodies, "ipc-pcg");
    }
}

// A soft cube is pushed aside by a press all of which is held.
static void scripts_arrive_where_something_yields(void **state)
{
    (void)state;
    simulation s;
    int warnings;
    pressed_init(
        &s,
        "bodies:\n"
        "  press: {geometry: {grid: {size: [0.1, 0.1, 0.3], cells: [1, 1, 3]}}, material:\n"
        "    hard, position: [-0.2, 0.1, 0]}\n"
        "  cube: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [3, 3, 3]}}, material:\n"
        "    soft, position: [0, 0.101, 0]}\n"
        "constraints: [{body: press, motion: {segments: [{duration: 0.3, velocity: [2, 0,\n"
        "  0]}]}}]\n"
        "colliders: {ground: {shape: plane, friction: 0.2}}\n",
        "auto", &warnings);
    for (int k = 0; k < 20; ++k) barrier_step(&s);
    assert_int_equal(warnings, 0);
    double press[3], cube[3];
    body_mean(&s, 0, pli_state_get(s.state).positions, press);
    body_mean(&s, 1, pli_state_get(s.state).positions, cube);
    NEAR(press[0], 0.4, 1e-12, 0);
    AT_LEAST(cube[0], 0.53);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pressing_a_column_takes_the_force_of_its_stiffness),
        cmocka_unit_test(scripts_stop_short_where_nothing_yields_and_come_back),
        cmocka_unit_test(scripts_arrive_where_something_yields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Scenes with L-BFGS (Wang et al. 2020): agreement with Newton for every operator, what window and
// refresh do, failing allocations, and what is refused.
#include "promises.h"
#include "step_scenes.h"
#include "with_solver.h"

#include "base/context.h"

static const char *const budget = "{name: lbfgs, fixed_iterations: 6}";

// ---- what it computes

static void it_ends_where_newton_ends(void **state)
{
    (void)state;
    static const char *const solvers[] = {
        "{name: lbfgs, tolerance: 1e-7}",
        "{name: lbfgs, tolerance: 1e-7, linear: pcg}",
        "{name: lbfgs, tolerance: 1e-7, linear: pcg, preconditioner: multigrid}",
        "{name: lbfgs, tolerance: 1e-7, linear: multigrid}",
        "{name: lbfgs, tolerance: 1e-7, line_search: wolfe, refresh: 0}",
        "{name: lbfgs, tolerance: 1e-7, window: 0}",
    };
    const char *const scenes[] = {rubber_scene, attached_scene};
    for (int k = 0; k < 2; ++k) {
        simulation reference;
        start(&reference, scenes[k], "{name: newton, tolerance: 1e-9}", 2);
        simulation_run(&reference, 3);
        for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i) {
            simulation s;
            start(&s, scenes[k], solvers[i], 2);
            pli_step_report report = simulation_run(&s, 3);
            assert_string_equal(report.solver, "lbfgs");
            assert_int_equal(report.inverted, 0);
            // the norm bounds the root mean square error of a step's velocity, 1e-7 m/s; what
            // three steps of a thirtieth of a second make of it is far below this
            AT_MOST(distance(&s, &reference), 1e-6);
            simulation_clear(&s);
        }
        simulation_clear(&reference);
    }
}

static int32_t iterations_with(const char *solver)
{
    simulation s;
    start(&s, rubber_scene, solver, 2);
    int32_t iterations = 0;
    for (int k = 0; k < 3; ++k) iterations += simulation_step(&s).iterations;
    simulation_clear(&s);
    return iterations;
}

// With one matrix per step pairs have to tell what it does not.
static void window_and_refresh_save_iterations(void **state)
{
    (void)state;
    int32_t without = iterations_with("{name: lbfgs, window: 0, refresh: 0}");
    int32_t few = iterations_with("{name: lbfgs, window: 2, refresh: 0}");
    int32_t eight = iterations_with("{name: lbfgs, refresh: 0}");
    int32_t renewed = iterations_with("{name: lbfgs, refresh: 1}");
    AT_MOST(few, without - 1);
    AT_MOST(eight, few);
    // a matrix for every iteration is projected Newton
    AT_MOST(renewed, eight - 1);
    NEAR(renewed, iterations_with("{name: pn-pcg, linear: cholesky}"), 0, 2);
}

typedef struct fall {
    double energy;
    int32_t iterations;
} fall;

static void expect_fall(void *user, const pli_iteration_report *report)
{
    fall *f = user;
    // below rounding slopes decide
    if (report->iteration > 0) AT_MOST(report->energy, f->energy + 1e-13 * fabs(f->energy));
    f->energy = report->energy;
    f->iterations += report->iteration > 0;
}

static void energies_fall_in_every_iteration(void **state)
{
    (void)state;
    const char *const scenes[] = {rubber_scene, attached_scene};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        fall f = {0};
        start(&s, scenes[k], "lbfgs", 2);
        pli_solver_set_hooks(s.solver,
                             &(pli_solver_hooks){.iteration = expect_fall, .iteration_user = &f});
        simulation_run(&s, 3);
        AT_LEAST(f.iterations, 3);
        simulation_clear(&s);
    }
}

static void fixed_iterations_are_made_exactly(void **state)
{
    (void)state;
    simulation s;
    start(&s, rubber_scene, budget, 2);
    pli_step_report report = simulation_run(&s, 2);
    assert_int_equal(report.stop, PLI_STOP_FIXED);
    assert_int_equal(report.iterations, 6);
    assert_int_equal(report.linear_iterations, 6);
    simulation_clear(&s);
}

static void penalties_between_bodies_converge(void **state)
{
    (void)state;
    simulation s;
    start(&s, cubes_scene, "lbfgs", 2);
    int64_t contacts = 0;
    for (int k = 0; k < 30; ++k) contacts += simulation_step(&s).contacts;
    AT_LEAST((double)contacts, 100);
    simulation_clear(&s);
}

// A guess that is under the tolerance must not bring slow motion to rest.
static void slow_motion_goes_on(void **state)
{
    (void)state;
    simulation s;
    start(&s,
          "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
          "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: m, velocity: [1e-5, 0, "
          "0]}}\n"
          "gravity: [0, 0, 0]\ntime: {fps: 60}\n",
          "lbfgs", 1);
    simulation_run(&s, 60);
    double center[3];
    simulation_center(&s, center);
    NEAR(center[0], 1e-5, 1e-6, 0);
    simulation_clear(&s);
}

// ---- promises

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {rubber: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
        "contact: none\n"
        "bodies:\n"
        "  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [3, 1, 1]}}, material: rubber}\n"
        "  flag: {kind: cloth, geometry: {sheet: {columns: 2, rows: 2}}, position: [2, 0, 0]}\n"
        "time: {fps: 30, frames: 1}\n";
    char text[4096];
    expect_no_leak(with_solver(scene, "{name: lbfgs, fixed_iterations: 3}", text), false);
}

// ---- refusals

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    expect_refusal(CUBE("contact: barrier\n"), "lbfgs",
                   "contact.method: barrier needs the matrix of every iteration, which solver "
                   "lbfgs does not have; use ipc-pcg or ipc-llt");
    expect_refusal(CUBE("colliders: {ground: {shape: plane, method: constraint}}\n"), "lbfgs",
                   "collider ground is a constraint, which solver lbfgs does not take");
    expect_refusal(CUBE(""), "{name: lbfgs, norm: step}", "solver.norm: found 'step'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_where_newton_ends),
        cmocka_unit_test(window_and_refresh_save_iterations),
        cmocka_unit_test(energies_fall_in_every_iteration),
        cmocka_unit_test(fixed_iterations_are_made_exactly),
        cmocka_unit_test(penalties_between_bodies_converge),
        cmocka_unit_test(slow_motion_goes_on),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

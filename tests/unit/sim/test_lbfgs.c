// SPDX-License-Identifier: Apache-2.0
//
// Scenes with L-BFGS (Wang et al. 2020): agreement with Newton for every operator, what window and
// refresh do, the promises of stepping, and what is refused.
#include "promises.h"
#include "support/same_bits.h"
#include "with_solver.h"

#include "base/context.h"

// A bar of a law that is infinite where elements are inverted, bent by three metres a second.
static const char *rubber =
    "materials: {rubber: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: rubber,\n"
    "  velocity: [0, -3, 0]}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n";

// Two materials with damping and drag, a shell, cloth, attachments, coordinates held one by one,
// and colliders of both laws.
static const char *everything =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, drag: 2, "
    "rayleigh: 0.02}\n"
    "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"
    "contact: none\n"
    "bodies:\n"
    "  bar:\n"
    "    geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [4, 2, 2]}}\n"
    "    material: soft\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]\n"
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 7, rows: 7}}, position: [2, 0, 0],\n"
    "    springs: {rayleigh: 0.01}}\n"
    "  leaf: {kind: shell, geometry: {sheet: {columns: 4, rows: 4}}, position: [4, 0, 0],\n"
    "    material: firm, thickness: 0.02}\n"
    "attachments: [{body: bar, where: {half_space: {point: [0.2, 0, 0], normal: [1, 0, 0]}}, "
    "stiffness: 300}]\n"
    "constraints:\n"
    "  - {body: bar, where: {half_space: {point: [-0.29, 0, 0], normal: [-1, 0, 0]}}}\n"
    "  - {body: cloth, where: {half_space: {point: [1.51, 0, 0], normal: [-1, 0, 0]}}, axes: yz}\n"
    "  - {body: leaf, where: {half_space: {point: [3.51, 0, 0], normal: [-1, 0, 0]}}}\n"
    "colliders:\n"
    "  ground: {shape: {plane: {point: [0, -0.2, 0], normal: [0.1, 1, 0]}}, stiffness: 2e4,\n"
    "    method: quadratic}\n"
    "  ball: {shape: {sphere: {center: [2, -0.3, 0], radius: 0.3}}, stiffness: 2e4, method: "
    "penalty}\n"
    "checks: {collider_overlap: ignore}\n"
    "time: {fps: 60, frames: 1}\n";

// A cube that falls onto another one, with penalties between them.
static const char *cubes =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  low: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [3, 3, 3]}}, material: soft,\n"
    "    position: [0, 0.2, 0]}\n"
    "  high: {geometry: {grid: {size: [0.3, 0.3, 0.3], cells: [3, 3, 3]}}, material: soft,\n"
    "    position: [0.05, 0.56, 0.03], velocity: [0, -1, 0]}\n"
    "colliders: {ground: {shape: plane, stiffness: 2e4, method: quadratic}}\n"
    "contact: penalty\n"
    "time: {fps: 60, frames: 1}\n";

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
    const char *const scenes[] = {rubber, everything};
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
    start(&s, rubber, solver, 2);
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
    const char *const scenes[] = {rubber, everything};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        fall f = {0};
        start(&s, scenes[k], "lbfgs", 2);
        pli_solver_set_monitor(s.solver, expect_fall, &f);
        simulation_run(&s, 3);
        AT_LEAST(f.iterations, 3);
        simulation_clear(&s);
    }
}

static void fixed_iterations_are_made_exactly(void **state)
{
    (void)state;
    simulation s;
    start(&s, rubber, budget, 2);
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
    start(&s, cubes, "lbfgs", 2);
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

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, rubber, cubes};
    static const char *const solvers[] = {budget, "{name: lbfgs, linear: pcg, fixed_iterations: 6}",
                                          "{name: lbfgs, linear: multigrid, fixed_iterations: 6}"};
    for (int k = 0; k < 3; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(scenes[k], bits.threads, 3, solvers[k]));
        }
    }
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, rubber};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        start(&s, scenes[k], k == 0 ? "{name: lbfgs, linear: pcg, fixed_iterations: 6}" : "lbfgs",
              2);
        simulation_run(&s, 3);
        int64_t before = pli_context_allocation_count(s.context);
        simulation_run(&s, 3);
        assert_int_equal(pli_context_allocation_count(s.context), before);
        simulation_clear(&s);
    }
}

static void a_state_is_all_there_is(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, cubes};
    char text[4096];
    for (int k = 0; k < 2; ++k) {
        with_solver(scenes[k], budget, text);
        expect_no_memory_in_solvers(text, 5);
        expect_same_after_restoring(text, 3);
    }
}

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
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_state_is_all_there_is),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

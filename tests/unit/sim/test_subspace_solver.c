// SPDX-License-Identifier: Apache-2.0
//
// Scenes with the solver of three levels: it ends where Newton's method with a factor ends or says
// that it did not, keeps every promise of stepping, and refuses what it cannot take.
#include "promises.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/text.h"
#include "io/file/json.h"
#include "io/run/run_log.h"

// A block falls on the ground and another on it, with friction; an arm that is held at one end
// comes down on both. There are more vertices than one worker takes.
static const char *pile =
    "materials:\n"
    "  soft: {law: neo-hookean, density: 1000, young: 5e4, poisson: 0.3}\n"
    "  firm: {law: neo-hookean, density: 1000, young: 1e6, poisson: 0.3}\n"
    "bodies:\n"
    "  lower: {geometry: {grid: {size: [1, 0.5, 1], cells: [6, 3, 6]}}, material: soft,\n"
    "    position: [0, 0.26, 0], velocity: [0.5, -1, 0],\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]}\n"
    "  upper: {geometry: {grid: {size: [0.8, 0.4, 0.8], cells: [4, 2, 4]}}, material: soft,\n"
    "    position: [0.1, 0.73, 0.05], velocity: [0, -1, 0.3]}\n"
    "  arm: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [4, 1, 1]}}, material: soft,\n"
    "    position: [0.6, 1.04, 0], velocity: [0, -2, 0]}\n"
    "colliders: {ground: {shape: plane, friction: 0.3}}\n"
    "contact: {method: barrier, distance: 5e-3, friction: 0.4}\n"
    "constraints:\n"
    "  - {body: arm, where: {half_space: {point: [1.05, 0, 0], normal: [1, 0, 0]}},\n"
    "     motion: {segments: [{duration: 0.1, velocity: [0, -2, 0]}]}}\n"
    "time: {fps: 100, frames: 20}\n";

// A bar that sags from one end, without contact.
static const char *bar =
    "materials: {soft: {law: stable-neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [16, 4, 4]}}, material: soft}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n";

static const char *const variants[] = {
    "{name: subspace, subspace: {handles: 9, preconditioner: factor, hessian: full, polish: 10}}",
    "{name: subspace, subspace: {handles: 9, preconditioner: blocks, hessian: full, polish: 10}}",
    ("{name: subspace, subspace: {handles: 9, preconditioner: blocks, hessian: cubature, polish: "
     "10}}"),
    ("{name: subspace, subspace: {handles: 9, preconditioner: factor, hessian: cubature, polish: "
     "10, polish_preconditioner: factor}}"),
};
enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

static void start(simulation *s, const char *yaml, const char *solver, int32_t threads)
{
    char text[4096];
    snprintf(text, sizeof text, "%ssolver: %s\n", yaml, solver);
    simulation_init(s, text, threads);
}

// Largest distance of two states' vertices (m).
static double distance(const simulation *a, const simulation *b)
{
    const double *x = pli_state_get(a->state).positions;
    const double *y = pli_state_get(b->state).positions;
    double largest = 0;
    for (int64_t k = 0; k < 3 * (int64_t)a->info.vertex_count; ++k) {
        largest = fmax(largest, fabs(x[k] - y[k]));
    }
    return largest;
}

// Makes the second state that of the first.
static void copy_state(const simulation *from, const simulation *to)
{
    pli_state_array source;
    for (int32_t k = 0; pli_state_get_array(from->state, k, &source); ++k) {
        pli_state_array target;
        assert_true(pli_state_get_array(to->state, k, &target));
        assert_string_equal(source.name, target.name);
        memcpy(target.data, source.data, (size_t)(source.rows * source.columns) * 8);
    }
    assert_true(pli_state_hash(from->state) == pli_state_hash(to->state));
}

// ---- what it computes

// Two blocks pressed together by their speed, with a barrier that does not adapt: what a step
// minimises then does not depend on the way there.
static const char *press =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies:\n"
    "  lower: {geometry: {grid: {size: [1, 0.4, 1], cells: [5, 2, 5]}}, material: soft,\n"
    "    position: [0, 0.204, 0]}\n"
    "  upper: {geometry: {grid: {size: [0.6, 0.4, 0.6], cells: [3, 2, 3]}}, material: soft,\n"
    "    position: [0.1, 0.608, 0.05], velocity: [0, -1, 0]}\n"
    "colliders: {ground: {shape: plane}}\n"
    "contact: {method: barrier, distance: 5e-3, stiffness: 1e6}\n"
    "time: {fps: 100, frames: 1}\n";

// Brings the lower block between the upper one and the ground; the next step is to be compared.
static void meet(simulation *s)
{
    start(s, press, "{name: ipc-llt, norm: velocity, tolerance: 1e-9}", 2);
    pli_step_report report = simulation_run(s, 2);
    assert_int_equal(report.pair_count, 2);
}

// A solver of three levels from the same state.
static void start_beside(simulation *s, const simulation *reference, const char *keys, int polish)
{
    char solver[256];
    snprintf(solver, sizeof solver,
             "{name: subspace, %s, max_iterations: 60, subspace: {handles: 8, polish: %d}}", keys,
             polish);
    start(s, press, solver, 2);
    copy_state(reference, s);
}

static void a_contact_step_ends_where_a_factor_ends_or_says_it_did_not(void **state)
{
    (void)state;
    static const int polishes[] = {0, 10, 20, 40};
    simulation reference;
    simulation s[4];
    meet(&reference);
    for (int k = 0; k < 4; ++k) {
        start_beside(&s[k], &reference, "norm: velocity, tolerance: 1e-7", polishes[k]);
    }
    simulation_step(&reference);
    for (int k = 0; k < 4; ++k) {
        pli_step_report report;
        OK(s[k].context, pli_solver_step(s[k].solver, s[k].state, &report));
        assert_int_equal(report.stop > 0, report.residual <= report.tolerance);
        // the norm bounds the root mean square error of the velocity, 1e-7 m/s; a single vertex may
        // be off by ten times as much, and be changed by as much by the last direction
        if (report.stop > 0) AT_MOST(distance(&s[k], &reference), 10 * 1e-7 / 100);
        AT_LEAST(report.levels.largest_step, report.stop > 0 ? 1e-9 : 10 * 1e-7);
        if (report.stop > 0) AT_MOST(report.levels.largest_step, 10 * 1e-7);
        // a few iterations over all vertices are enough, and handles alone are not
        assert_int_equal(report.stop > 0, k > 0);
        if (k > 0) AT_MOST(report.iterations, 15);
        simulation_clear(&s[k]);
    }
    simulation_clear(&reference);
}

// With a polish small steps of the handles mean a small error; without one they say nothing about
// what the handles cannot do.
static void the_norm_of_steps_sees_what_the_handles_see(void **state)
{
    (void)state;
    static const int polishes[] = {0, 10, 40};
    simulation reference;
    simulation s[3];
    meet(&reference);
    for (int k = 0; k < 3; ++k) {
        start_beside(&s[k], &reference, "tolerance: 1e-9", polishes[k]);
    }
    simulation_step(&reference);
    for (int k = 0; k < 3; ++k) {
        pli_step_report report = simulation_step(&s[k]);
        assert_int_equal(report.stop, PLI_STOP_DIRECTION);
        // a mean of 1e-9 m/s, and a hundred times as much at a single vertex
        if (k > 0) AT_MOST(distance(&s[k], &reference), 100 * 1e-9 / 100);
        if (k == 0) AT_LEAST(distance(&s[k], &reference), 1e-5);
        simulation_clear(&s[k]);
    }
    simulation_clear(&reference);
}

// ---- promises

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANT_COUNT; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(pile, bits.threads, 3, variants[k]));
        }
    }
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANT_COUNT; ++k) {
        simulation s;
        start(&s, bar, variants[k], 2);
        simulation_run(&s, 3);
        int64_t before = pli_context_allocation_count(s.context);
        simulation_run(&s, 3);
        assert_int_equal(pli_context_allocation_count(s.context), before);
        simulation_clear(&s);
    }
    // contacts that come and go ask a factor for another analysis; blocks do not care
    simulation s;
    start(&s, pile, variants[2], 2);
    simulation_run(&s, 12);
    int64_t before = pli_context_allocation_count(s.context);
    simulation_run(&s, 2);
    assert_int_equal(pli_context_allocation_count(s.context), before);
    simulation_clear(&s);
}

static void a_state_is_all_there_is(void **state)
{
    (void)state;
    char text[4096];
    for (int k = 0; k < VARIANT_COUNT; ++k) {
        snprintf(text, sizeof text, "%ssolver: %s\n", pile, variants[k]);
        if (k % 2 == 0) expect_no_memory_in_solvers(text, 3);
        if (k % 2 == 1) expect_same_after_restoring(text, 1);
    }
}

// A brick that meets the ground in its first step, with all three levels.
static const char *brick =
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies: {brick: {geometry: {grid: {cells: [2, 1, 1]}}, material: soft,\n"
    "  position: [0, 0.503, 0], velocity: [0, -1, 0]}}\n"
    "colliders: {ground: {shape: plane}}\n"
    "contact: {method: barrier, distance: 1e-2}\n"
    "solver: {name: subspace, fixed_iterations: 2, subspace: {handles: 2, polish: 3, "
    "hessian: cubature, affine: on, preconditioner: factor}}\n";

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    expect_no_leak(brick, false);
}

static void running_out_of_memory_in_a_step_changes_no_result(void **state)
{
    (void)state;
    expect_steps_survive_shortage(brick);
}

// ---- reports

static void reports_tell_what_the_levels_did(void **state)
{
    (void)state;
    for (int k = 0; k < VARIANT_COUNT; ++k) {
        simulation s;
        start(&s, pile, variants[k], 2);
        pli_step_report report = simulation_run(&s, 2);
        AT_LEAST(report.pair_count, 2);
        const pli_level_counts *levels = &report.levels;
        AT_LEAST(levels->directions, report.iterations);
        assert_true(levels->refreshes >= 1 && levels->refreshes <= levels->directions);
        // an affine level goes with blocks alone
        bool blocks = k == 1 || k == 2;
        assert_int_equal(levels->affine_iterations > 0, blocks);
        AT_LEAST((double)levels->subspace_iterations, 1);
        AT_LEAST((double)levels->polish_iterations, 1);
        AT_MOST((double)levels->polish_iterations, 10.0 * levels->directions);
        assert_int_equal(levels->affine_iterations + levels->subspace_iterations +
                             levels->polish_iterations,
                         report.linear_iterations);
        // all move at 1 to 2 m/s, and the last direction changes that of a single vertex by less
        // than 2 %; over the error of 2e-4 that ends the step it is larger, since that is a mean
        AT_MOST(levels->largest_step, 0.02);
        AT_LEAST(levels->largest_step, 1e-3);
        simulation_clear(&s);
    }
    simulation s;
    start(&s, bar, "newton", 1);
    pli_step_report report = simulation_step(&s);
    assert_int_equal(report.levels.directions, 0);
    simulation_clear(&s);
}

static void lines_of_steps_have_the_levels(void **state)
{
    (void)state;
    static const char *const solvers[] = {"{name: subspace, subspace: {handles: 5}}", "newton"};
    for (int k = 0; k < 2; ++k) {
        simulation s;
        start(&s, bar, solvers[k], 1);
        pli_step_report report = simulation_step(&s);
        pli_text text;
        pli_text_init(&text, s.context);
        pli_log_append_step(&text, &report);
        pli_json json = {.context = s.context};
        OK(s.context, pli_json_parse(&json, text.bytes, text.length));
        const pli_json_node *levels = pli_json_get(&json, &json.nodes[0], "levels");
        assert_int_equal(levels != NULL, k == 0);
        if (k == 0) {
            const pli_level_counts *counts = &report.levels;
            assert_true(pli_json_number(&json, levels, "directions", -1) == counts->directions);
            assert_true(pli_json_number(&json, levels, "refreshes", -1) == counts->refreshes);
            assert_true(pli_json_number(&json, levels, "polish", -1) ==
                        (double)counts->polish_iterations);
            assert_true(pli_json_number(&json, levels, "subspace", -1) ==
                        (double)counts->subspace_iterations);
            assert_true(pli_json_number(&json, levels, "largest_step", -1) == counts->largest_step);
        }
        pli_json_clear(&json);
        pli_text_clear(&text);
        simulation_clear(&s);
    }
}

// ---- refusals

#define SOFT "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
#define CUBE                                                                      \
    SOFT "bodies: {cube: {geometry: {grid: {cells: [2, 2, 2]}}, material: soft, " \
         "position: [0, 2, 0]}}\n"

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *yaml;
        pli_status status;
        const char *message;
    } cases[] = {
        {SOFT "bodies: {flag: {kind: shell, geometry: {sheet: {}}, material: soft}}\n"
              "solver: subspace\n",
         PLI_ERROR_UNSUPPORTED,
         "s:2:23: bodies: body flag is a shell; solver subspace has handles for solids only: use "
         "solver ipc-pcg or newton"},
        {"bodies: {flag: {kind: cloth, geometry: {sheet: {}}}}\nsolver: subspace\n",
         PLI_ERROR_UNSUPPORTED,
         "body flag is a cloth; solver subspace has handles for solids only"},
        {SOFT "bodies: {wall: {kind: obstacle, geometry: {sheet: {}}}}\nsolver: subspace\n",
         PLI_ERROR_UNSUPPORTED,
         "solver: solver subspace has handles for solids, but the scene has none"},
        {CUBE "solver: {name: subspace, subspace: {degree: 3}}\n", PLI_ERROR_SCENE,
         "s:3:45: solver.subspace.degree: found '3'; allowed: 1 or 2, or 0 to 4 with hessian: "
         "polynomial"},
        {CUBE "solver: {name: subspace, subspace: {degree: 0, hessian: cubature}}\n",
         PLI_ERROR_SCENE, "solver.subspace.degree: found '0'; allowed: 1 or 2"},
        {CUBE "solver: {name: subspace, subspace: {tolerance: 1}}\n", PLI_ERROR_SCENE,
         "solver.subspace.tolerance: found '1'"},
        {CUBE "solver: {name: subspace, subspace: {bases: wavelets}}\n", PLI_ERROR_SCENE,
         "found 'wavelets'; allowed are material, radial, eigenmodes, biharmonic"},
        {CUBE "solver: {name: subspace, subspace: {handle: 5}}\n", PLI_ERROR_SCENE, "handles"},
        {CUBE "colliders: {ground: {shape: plane, method: constraint}}\nsolver: subspace\n",
         PLI_ERROR_UNSUPPORTED,
         "collider ground is a constraint, which solver subspace does not take"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        expect_no_model(cases[k].yaml, cases[k].status, cases[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_step_ends_where_a_factor_ends_or_says_it_did_not),
        cmocka_unit_test(the_norm_of_steps_sees_what_the_handles_see),
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_state_is_all_there_is),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(running_out_of_memory_in_a_step_changes_no_result),
        cmocka_unit_test(reports_tell_what_the_levels_did),
        cmocka_unit_test(lines_of_steps_have_the_levels),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

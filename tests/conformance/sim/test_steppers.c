// SPDX-License-Identifier: Apache-2.0
//
// One suite for all steppers: implicit steps of meshes by every minimiser, implicit and explicit
// steps of particles. A row is a scene with a solver:
//
//   - a step advances the state, and its report tells what a fresh solver measures of it;
//   - a state is all there is: solvers that are dropped, and states restored from their arrays,
//     change no result;
//   - a state that is not finite is refused with the culprit, one that is given up stays as it was;
//   - bits do not depend on the number of threads, and a warm step allocates nothing;
//   - frames have no more parts than the model says.
//
// A new solver is a row. (test_cancel.c has what endless steps have to do.)
#include "promises.h"
#include "step_scenes.h"
#include "support/same_bits.h"

#include "sim/step/solver.h"

static const struct {
    const char *scene;
    const char *solver;
    int steps;
    bool allocates; // for contacts that ask for another analysis, and particles that are emitted
} rows[] = {
    {busy_scene, "newton", 4, false},
    {busy_scene, "pn-pcg", 4, false},
    {busy_scene, "pn-sgs", 4, false},
    {busy_scene, "{name: newton, linear: cholesky}", 4, false},
    {busy_scene, "{name: subspace, subspace: {handles: 8}}", 4, false},
    {contact_scene, "newton", 10, false},
    {contact_scene, "pn-pcg", 6, false},
    {shell_scene, "newton", 3, false},
    {shell_scene, "pn-pcg", 3, false},
    {elements_scene, "newton", 4, false},
    {elements_scene, "pn-mgpcg", 4, false},
    {elements_scene, "ipc-pcg", 4, false},
    {yielding_scene, "newton", 6, false},
    {yielding_scene, "lbfgs", 6, false},
    {yielding_scene, "vbd", 6, false},
    {yielding_scene, "newton-multigrid", 6, false},
    {viscoelastic_scene, "newton", 6, false},
    {viscoelastic_scene, "lbfgs", 6, false},
    {viscoelastic_scene, "vbd", 6, false},
    {viscoelastic_scene, "newton-multigrid", 6, false},
    {folding_scene, "newton", 6, false},
    {folding_scene, "newton-multigrid", 6, false},
    {attached_scene, "{name: lbfgs, fixed_iterations: 6}", 4, false},
    {rubber_scene, "{name: lbfgs, linear: pcg, fixed_iterations: 6}", 4, false},
    {cubes_scene, "{name: lbfgs, linear: multigrid, fixed_iterations: 6}", 4, false},
    {collider_scene, "{name: vbd, fixed_iterations: 4}", 4, false},
    {rubber_scene, "{name: vbd, fixed_iterations: 4}", 4, false},
    {cloth_scene, "{name: vbd, fixed_iterations: 4}", 4, false},
    {cloth_scene, "{name: pd-multigrid, fixed_iterations: 3}", 6, false},
    {bars_scene, "{name: pd-multigrid, fixed_iterations: 3}", 5, false},
    {bars_scene,
     "{name: pd-multigrid, fixed_iterations: 3, multigrid: {levels: [3, 12], cycles: 2, dofs: 3,\n"
     "  smoothers: direct/J(4)/GS(1), precision: double}}",
     5, false},
    {bars_scene, "{name: pd-direct, fixed_iterations: 3}", 5, false},
    {bars_scene, "{name: pd-pcg, fixed_iterations: 3}", 5, false},
    {bars_scene, "{name: vivace, fixed_iterations: 3}", 5, false},
    {bars_scene, "{name: chebyshev, fixed_iterations: 15}", 5, false},
    {bars_scene, "{name: newton-multigrid, fixed_iterations: 2}", 5, false},
    {bars_scene, "{name: pn-mgpcg, fixed_iterations: 2}", 5, false},
    {bars_scene, "{name: newton, linear: multigrid, fixed_iterations: 2}", 5, false},
    {barrier_scene, "ipc-pcg", 9, false},
    {barrier_scene, "ipc-llt", 9, true},
    {barrier_scene, "{name: subspace, subspace: {handles: 8}}", 9, true},
    {mixture_scene, "regional", 4, false},
    {mixture_scene, "explicit", 4, false},
    {jet_scene, "regional", 4, true},
    {DROP_SCENE, "{name: hot, grid: {matrix_free_short_steps: false}}", 3, false},
    {DROP_SCENE, "lbfgs-h", 3, false},
    {DROP_SCENE, "lbfgs-gmg", 3, false},
    {DROP_SCENE, "pn-pcg-mf", 3, false},
    {DROP_SCENE, "pn-sgs", 3, false},
    {DROP_SCENE, "newton", 3, false},
    {DROP_SCENE, "{name: admm, tolerance: 1e-3}", 3, false},
    {DROP_SCENE, "semi-implicit", 3, false},
    {WATER_SCENE, "hot", 5, true},
};

enum { ROWS = sizeof rows / sizeof *rows };

static const char *text_of(int row)
{
    static char text[4096];
    print_message("           %d: %s\n", row, rows[row].solver);
    snprintf(text, sizeof text, "%ssolver: %s\n", rows[row].scene, rows[row].solver);
    return text;
}

// ---- a step and what is told of it

// What constraints and post-processes touch is known of the last step of a solver alone.
static bool has_passing_contacts(const pli_model *model)
{
    for (int32_t k = 0; k < model->collider_count; ++k) {
        pli_collider_method method = model->colliders[k].method;
        if (method == PLI_COLLIDER_CONSTRAINT || method == PLI_COLLIDER_POSTPROCESS) return true;
    }
    return false;
}

static void expect_same_measures(const simulation *s, const pli_step_report *a,
                                 const pli_step_report *b)
{
    assert_int_equal(a->step, b->step);
    assert_true(a->time == b->time && a->dt == b->dt);
    assert_memory_equal(&a->energy, &b->energy, sizeof a->energy);
    assert_memory_equal(a->momentum, b->momentum, sizeof a->momentum);
    assert_memory_equal(a->angular_momentum, b->angular_momentum, sizeof a->angular_momentum);
    assert_memory_equal(&a->min_J, &b->min_J, sizeof a->min_J);
    assert_int_equal(a->inverted, b->inverted);
    if (has_passing_contacts(s->model)) return;
    assert_int_equal(a->contacts, b->contacts);
    assert_true(a->min_gap == b->min_gap && a->max_depth == b->max_depth);
}

static void a_step_advances_the_state_and_is_measured_as_it_is(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        simulation s;
        simulation_init(&s, text_of(row), 2);
        pli_step_report report;
        for (int64_t step = 1; step <= rows[row].steps; ++step) {
            uint64_t before = pli_state_hash(s.state);
            report = simulation_step(&s);
            assert_true(pli_state_hash(s.state) != before);
            assert_int_equal(report.step, step);
            assert_int_equal(pli_state_get(s.state).step, step);
            NEAR(report.time, (double)step * report.dt, 1e-12, 0);
            assert_true(report.time == pli_state_get(s.state).time);
        }
        // measuring is looking, whoever does it
        uint64_t before = pli_state_hash(s.state);
        pli_solver *fresh = NULL;
        pli_step_report kept, seen;
        OK(s.context, pli_solver_create(s.model, &fresh));
        OK(s.context, pli_solver_measure(fresh, s.state, &seen));
        OK(s.context, pli_solver_measure(s.solver, s.state, &kept));
        expect_same_measures(&s, &kept, &seen);
        expect_same_measures(&s, &report, &seen);
        assert_true(pli_state_hash(s.state) == before);
        pli_solver_destroy(fresh);
        simulation_clear(&s);
    }
}

static void frames_have_no_more_parts_than_the_model_says(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        simulation s;
        simulation_init(&s, text_of(row), 1);
        simulation_run(&s, rows[row].steps);
        int32_t most = pli_model_part_count(s.model), count = -1;
        pli_frame_part *parts = calloc((size_t)most + 1, sizeof *parts);
        OK(s.context, s.solver->ops->fill_parts(s.solver->stepper, s.state, parts, &count));
        AT_LEAST(count, 1);
        AT_MOST(count, most);
        for (int32_t k = 0; k < count; ++k) assert_non_null(parts[k].name);
        assert_null(parts[most].name);
        free(parts);
        simulation_clear(&s);
    }
}

// ---- promises

static void a_state_is_all_there_is(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        expect_no_memory_in_solvers(text_of(row), rows[row].steps);
        expect_same_after_restoring(text_of(row), 2);
    }
}

static void bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            simulation s;
            simulation_init(&s, text_of(row), bits.threads);
            simulation_run(&s, rows[row].steps);
            same_bits_keep_hash(&bits, pli_state_hash(s.state));
            simulation_clear(&s);
        }
    }
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        if (rows[row].allocates) continue;
        simulation s;
        simulation_init(&s, text_of(row), 2);
        pli_state *first = NULL;
        OK(s.context, pli_state_create(s.model, &first));
        int64_t before = 0;
        for (int round = 0; round < 3; ++round) {
            // the same way again
            pli_frame frame;
            OK(s.context, pli_state_copy(first, s.state));
            before = pli_context_allocation_count(s.context);
            simulation_run(&s, rows[row].steps);
            OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
        }
        assert_int_equal(pli_context_allocation_count(s.context), before);
        pli_state_destroy(first);
        simulation_clear(&s);
    }
}

// ---- steps that are not made

static void what_is_not_finite_is_refused_with_the_culprit(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        simulation s;
        simulation_init(&s, text_of(row), 1);
        simulation_run(&s, rows[row].steps);
        pli_state_array array;
        for (int32_t k = 0; pli_state_get_array(s.state, k, &array); ++k) {
            bool is_place = strcmp(array.name, "positions") == 0 ||
                            strcmp(array.name, "particle_positions") == 0;
            if (is_place && array.rows > 0) ((double *)array.data)[4] = NAN;
        }
        uint64_t before = pli_state_hash(s.state);
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        assert_int_equal(report.stop, PLI_STOP_NONFINITE);
        assert_non_null(report.culprit);
        assert_non_null(strstr(report.culprit, "1 "));
        assert_true(pli_state_hash(s.state) == before);
        simulation_clear(&s);
    }
}

static bool after_some(void *user)
{
    int *left = user;
    return --*left <= 0;
}

// Sooner or later, or when it is over already.
static void a_step_that_is_given_up_leaves_the_state_as_it_was(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        simulation calm;
        simulation given_up;
        simulation_init(&calm, text_of(row), 2);
        simulation_init(&given_up, text_of(row), 2);
        simulation_step(&calm);
        for (int asks = 1; asks <= 3; asks += 2) {
            int left = asks;
            uint64_t before = pli_state_hash(given_up.state);
            pli_step_report report;
            pli_solver_set_hooks(given_up.solver,
                                 &(pli_solver_hooks){.cancel = after_some, .cancel_user = &left});
            pli_status status = pli_solver_step(given_up.solver, given_up.state, &report);
            if (status == PLI_OK) break;
            assert_int_equal(status, PLI_ERROR_INTERRUPTED);
            assert_true(pli_state_hash(given_up.state) == before);
        }
        pli_solver_set_hooks(given_up.solver, NULL);
        if (pli_state_get(given_up.state).step == 0) simulation_step(&given_up);
        assert_true(pli_state_hash(calm.state) == pli_state_hash(given_up.state));
        simulation_clear(&given_up);
        simulation_clear(&calm);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_advances_the_state_and_is_measured_as_it_is),
        cmocka_unit_test(frames_have_no_more_parts_than_the_model_says),
        cmocka_unit_test(a_state_is_all_there_is),
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(what_is_not_finite_is_refused_with_the_culprit),
        cmocka_unit_test(a_step_that_is_given_up_leaves_the_state_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

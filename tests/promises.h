// SPDX-License-Identifier: Apache-2.0
//
// What every scene must keep, as checks that take its text: same bits for any thread count, solvers
// without memory, states that are all there is, failing allocations that leave nothing behind and
// change no result.
#ifndef PLI_TESTS_PROMISES_H
#define PLI_TESTS_PROMISES_H

#include "simulate.h"
#include "support/fault_sweep.h"

static inline uint64_t hash_after(const char *yaml, int32_t threads, int steps, const char *solver)
{
    char text[4096];
    snprintf(text, sizeof text, "%ssolver: %s\n", yaml, solver);
    simulation s;
    simulation_init(&s, text, threads);
    simulation_run(&s, steps);
    uint64_t hash = pli_state_hash(s.state);
    simulation_clear(&s);
    return hash;
}

static inline void expect_no_memory_in_solvers(const char *yaml, int steps)
{
    simulation kept;
    simulation dropped;
    simulation_init(&kept, yaml, 2);
    simulation_init(&dropped, yaml, 2);
    for (int k = 0; k < steps; ++k) {
        simulation_step(&kept);
        simulation_step(&dropped);
        pli_solver_destroy(dropped.solver);
        OK(dropped.context, pli_solver_create(dropped.model, &dropped.solver));
        assert_true(pli_state_hash(kept.state) == pli_state_hash(dropped.state));
    }
    simulation_clear(&dropped);
    simulation_clear(&kept);
}

// Takes steps, moves the arrays of the state into a fresh simulation, and goes on with both.
static inline void expect_same_after_restoring(const char *yaml, int steps)
{
    simulation first;
    simulation second;
    simulation_init(&first, yaml, 1);
    simulation_init(&second, yaml, 1);
    simulation_run(&first, steps);
    pli_state_array from;
    for (int32_t k = 0; pli_state_get_array(first.state, k, &from); ++k) {
        pli_state_array to;
        if (from.of_particles) {
            OK(second.context, pli_state_set_particle_count(second.state, from.rows));
        }
        pli_state_get_array(second.state, k, &to);
        assert_string_equal(from.name, to.name);
        bool is_wide = from.kind == PLI_ARRAY_F64 || from.kind == PLI_ARRAY_I64;
        size_t count = (size_t)(from.rows * from.columns);
        if (count > 0) memcpy(to.data, from.data, count * (is_wide ? 8 : 4));
    }
    // contact forces are part of it, also those of the step before
    assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
    simulation_run(&first, 3);
    simulation_run(&second, 3);
    assert_true(pli_state_hash(first.state) == pli_state_hash(second.state));
    simulation_clear(&second);
    simulation_clear(&first);
}

// Everything from text to the second step and perhaps its frame; returns the first failure.
static inline pli_status attempt(pli_context *context, const char *yaml, bool with_frame)
{
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    pli_frame frame;
    pli_status status = pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "test", NULL, &scene);
    if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
    if (status == PLI_OK) status = pli_state_create(model, &state);
    if (status == PLI_OK) status = pli_solver_create(model, &solver);
    if (status == PLI_OK) status = pli_solver_step(solver, state, &report);
    if (status == PLI_OK) status = pli_solver_step(solver, state, &report);
    if (status == PLI_OK && with_frame) status = pli_solver_frame(solver, state, &frame);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    return status;
}

// Lets the n-th allocation fail for every n that there is.
static inline void expect_no_leak(const char *yaml, bool with_frame)
{
    // an arena that could not grow goes on with what it has, so a failure may stay without effect
    for (fault_sweep sweep = {.absorbs = true, .at_least = 51}; fault_sweep_next(&sweep);) {
        sweep.status = attempt(sweep.context, yaml, with_frame);
    }
}

// Under a shortage of memory a step ends with an error and the state as it was, or with the bits
// that it has without; and the solver is as good as before.
static inline void expect_steps_survive_shortage(const char *yaml)
{
    simulation plain;
    pli_step_report report;
    simulation_init(&plain, yaml, 1);
    OK(plain.context, pli_solver_step(plain.solver, plain.state, &report));
    uint64_t right = pli_state_hash(plain.state);
    simulation_clear(&plain);
    for (fault_sweep sweep = {.absorbs = true, .at_least = 10}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        simulation s;
        simulation_init_in(&s, sweep.context, yaml);
        uint64_t before = pli_state_hash(s.state);
        fault_sweep_resume(&sweep);
        sweep.status = pli_solver_step(s.solver, s.state, &report);
        fault_sweep_pause(&sweep);
        assert_true(pli_state_hash(s.state) == (sweep.status == PLI_OK ? right : before));
        if (sweep.status != PLI_OK) {
            OK(s.context, pli_solver_step(s.solver, s.state, &report));
            assert_true(pli_state_hash(s.state) == right);
        }
        simulation_clear(&s);
        sweep.context = NULL;
    }
}

#endif

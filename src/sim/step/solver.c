// SPDX-License-Identifier: Apache-2.0
#include "sim/step/solver.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "sim/report/culprit.h"
#include "sim/step/solver_table.h"

#include <math.h>

static const double ask_interval = 0.25; // s between questions from within an iteration

// ---- life

// Whether the caller wants the step no more, asked from within an iteration: passed on four times a
// second.
static bool is_cancelled_inside(void *user)
{
    pli_solver *s = user;
    bool is_due = s->hooks.cancel != NULL && pli_clock_seconds() - s->asked > ask_interval;
    return is_due && pli_solver_is_cancelled(s);
}

pli_status pli_solver_create(const pli_model *model, pli_solver **solver)
{
    *solver = NULL;
    pli_solver *made = PLI_NEW(model->context, pli_solver, 1, "solver");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->model = model;
    made->context = model->context;
    made->ops = pli_solver_choose_stepper(model);
    pli_timers_clear(&made->timers);
    pli_status status = pli_arena_create(made->context, 1 << 16, &made->scratch);
    if (status == PLI_OK) {
        pli_arena_set_cancel(made->scratch, is_cancelled_inside, made);
        status = made->ops->create(made, &made->stepper);
    }
    if (status != PLI_OK) {
        pli_solver_destroy(made);
        return status;
    }
    *solver = made;
    return PLI_OK;
}

void pli_solver_destroy(pli_solver *solver)
{
    if (solver == NULL) return;
    pli_frame_parts_destroy(solver->frames);
    if (solver->stepper != NULL) solver->ops->destroy(solver->stepper);
    pli_arena_destroy(solver->scratch);
    pli_release(solver->context, solver);
}

void pli_solver_set_hooks(pli_solver *solver, const pli_solver_hooks *hooks)
{
    solver->hooks = hooks != NULL ? *hooks : (pli_solver_hooks){0};
}

void pli_solver_set_measuring(pli_solver *solver, bool measuring)
{
    solver->unmeasured = !measuring;
}

// ---- who watches

bool pli_solver_is_cancelled(pli_solver *s)
{
    if (s->hooks.cancel == NULL) return false;
    s->asked = pli_clock_seconds();
    return s->hooks.cancel(s->hooks.cancel_user);
}

void pli_solver_tell(pli_solver *s, const pli_iterate *iterate, int32_t piece)
{
    PLI_LOG(s->context, PLI_LOG_TRACE,
            "step %lld, iteration %d: residual %.3e, E %.6e J, alpha %.3g, %d inner, %d energies",
            (long long)s->step, iterate->iteration, iterate->residual, iterate->energy,
            iterate->alpha, iterate->linear_iterations, iterate->energy_evaluations);
    if (s->hooks.iteration == NULL) return;
    pli_iteration_report report = {.step = s->step,
                                   .substep = piece,
                                   .iteration = iterate->iteration,
                                   .residual = iterate->residual,
                                   .gradient = iterate->gradient,
                                   .energy = iterate->energy,
                                   .alpha = iterate->alpha,
                                   .linear_iterations = iterate->linear_iterations,
                                   .energy_evaluations = iterate->energy_evaluations,
                                   .direction = (int32_t)iterate->direction,
                                   .seconds = pli_clock_seconds() - s->step_begin};
    s->hooks.iteration(s->hooks.iteration_user, &report);
}

// ---- a step

static pli_step_report begin_report(const pli_solver *s, const pli_state *state)
{
    return (pli_step_report){.dt = state->dt,
                             .solver = s->model->solver_kind->info.name,
                             .vertices = state->vertex_count};
}

static void leave_open(const pli_state *state, pli_step_report *report)
{
    report->step = state->step;
    report->time = pli_state_time(state);
    report->energy = (pli_energies){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    for (int k = 0; k < 3; ++k) report->momentum[k] = report->angular_momentum[k] = NAN;
    report->min_J = NAN;
    report->min_gap = INFINITY;
}

static pli_status measure(pli_solver *s, const pli_state *state, bool after_step,
                          pli_step_report *report)
{
    report->step = state->step;
    report->time = pli_state_time(state);
    report->min_gap = INFINITY;
    return s->ops->measure(s->stepper, state, after_step, report);
}

static void fill_phases(const pli_solver *s, pli_step_report *report)
{
    const pli_timers *timers = &s->timers;
    for (int32_t k = 0; k < timers->phase_count && k < PLI_REPORT_PHASES; ++k) {
        report->phase_name[k] = timers->name[k];
        report->phase_seconds[k] = timers->seconds[k];
        report->phase_count = k + 1;
    }
    report->seconds = pli_clock_seconds() - s->step_begin;
}

// A state that is not one: nothing is computed from it.
static void reject_state(pli_solver *s, const pli_state *state, pli_step_report *report)
{
    *report = begin_report(s, state);
    report->stop = PLI_STOP_NONFINITE;
    report->residual = INFINITY;
    report->tolerance = s->model->tolerance;
    leave_open(state, report);
    pli_culprit_find(s, state, report);
}

static pli_status step(pli_solver *s, pli_state *state, pli_step_report *report)
{
    *report = begin_report(s, state);
    s->step = state->step + 1;
    s->step_begin = pli_clock_seconds();
    pli_timers_reset(&s->timers);
    PLI_TRY(s->ops->step(s->stepper, state, report));
    pli_timers_begin(&s->timers, "report");
    pli_culprit_find(s, state, report);
    if (s->unmeasured) leave_open(state, report);
    bool is_accepted = report->stop != PLI_STOP_NONFINITE;
    pli_status status = s->unmeasured ? PLI_OK : measure(s, state, is_accepted, report);
    pli_timers_end(&s->timers);
    fill_phases(s, report);
    return status;
}

// a step as a task of a team
typedef struct step_task {
    pli_solver *solver;
    pli_state *state;
    pli_step_report *report;
    pli_status status;
} step_task;

static void run_step(void *user)
{
    step_task *task = user;
    task->status = step(task->solver, task->state, task->report);
}

pli_status pli_solver_step(pli_solver *solver, pli_state *state, pli_step_report *report)
{
    if (!pli_culprit_is_sound(solver, state)) {
        reject_state(solver, state, report);
        return PLI_OK;
    }
    solver->asked = pli_clock_seconds();
    if (!solver->ops->has_short_loops) return step(solver, state, report);
    step_task task = {.solver = solver, .state = state, .report = report};
    pli_parallel_team(solver->context, run_step, &task);
    return task.status;
}

pli_status pli_solver_measure(pli_solver *solver, const pli_state *state, pli_step_report *report)
{
    *report = begin_report(solver, state);
    return measure(solver, state, false, report);
}

// SPDX-License-Identifier: Apache-2.0
//
// One implicit step as a minimisation (Gast et al. 2015, section 2.2):
//     E(x) = 1/(2 a h^2) |x - x~|^2_M + Phi(x),
// implicit Euler: a = 1,   x~ = x_n + h v_n,                               v = (x - x_n) / h
// BDF2:           a = 4/9, x~ = (4 x_n - x_n-1)/3 + (2h/9)(4 v_n - v_n-1), v = (3x - 4 x_n +
// x_n-1)/(2h) The first BDF2 step has no history and is an implicit Euler step.
#include "sim/step/solver.h"

#include "base/hash.h"
#include "linear/matrix/vector.h"
#include "math/vec3.h"
#include "sim/report/culprit.h"
#include "sim/report/matter_frame.h"
#include "sim/step/align.h"
#include "sim/step/guess.h"
#include "sim/step/tets_build.h"
#include "sim/step/travel.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

static const double ask_interval = 0.25; // s between questions from within an iteration

typedef struct step_job {
    pli_solver *solver;
    const pli_state *state;
    bool second_order; // BDF2 with history
    double h;
} step_job;

// ---- before the solve

static void predict_points(void *user, int64_t begin, int64_t end)
{
    const step_job *job = user;
    const pli_state *state = job->state;
    double a = job->second_order ? 4.0 / 9.0 : 1.0;
    double h = job->h;
    for (int64_t point = begin; point < end; ++point) {
        job->solver->inertia_stiffness[point] = job->solver->model->mass[point] / (a * h * h);
        for (int64_t k = 3 * point; k < 3 * point + 3; ++k) {
            job->solver->inertia_target[k] =
                job->second_order ? (4 * state->x[k] - state->x_before[k]) / 3 +
                                        2 * h / 9 * (4 * state->v[k] - state->v_before[k])
                                  : state->x[k] + h * state->v[k];
        }
    }
}

// Masses and drag are those of the model: inertia and drag change with these two numbers alone.
static uint64_t hash_coefficients(const step_job *job)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, &job->h, sizeof job->h);
    return pli_hash_bytes(hash, &job->second_order, sizeof job->second_order);
}

static void apply_scripts(pli_solver *s, double time)
{
    memset(s->attachment_stiffness, 0, (size_t)s->model->vertex_count * sizeof(double));
    for (int32_t k = 0; k < s->model->attachment_count; ++k) {
        const pli_model_handle *handle = &s->model->attachments[k];
        pli_pose pose;
        pli_motion_get_pose(&handle->motion, time, &pose);
        if (!pose.active) continue;
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            int64_t vertex = handle->vertices[i];
            pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex,
                             s->attachment_target + 3 * vertex);
            s->attachment_stiffness[vertex] = handle->stiffness;
        }
    }
}

void pli_solver_attach(pli_solver *s, const pli_state *state, double time)
{
    apply_scripts(s, time);
    s->grip.stiffness = pli_state_has_grips(state) ? state->grip_stiffness : NULL;
    s->grip.target = state->grip_target;
    s->load.force = pli_state_has_forces(state) ? state->force : NULL;
}

static void prepare_damping(pli_solver *s, const pli_state *state, double h)
{
    if (s->model->has_drag) {
        s->drag.target = state->x;
        for (int32_t i = 0; i < s->model->vertex_count; ++i) {
            s->drag_stiffness[i] = s->model->drag[i] / h;
        }
    }
    if (s->rayleigh != NULL) pli_rayleigh_begin_step(s->rayleigh, state->x, h);
}

// ---- after the solve

static void update_points(void *user, int64_t begin, int64_t end)
{
    const step_job *job = user;
    pli_state *state = (pli_state *)job->state;
    const double *x = job->solver->x;
    for (int64_t k = 3 * begin; k < 3 * end; ++k) {
        double v = job->second_order
                       ? (3 * x[k] - 4 * state->x[k] + state->x_before[k]) / (2 * job->h)
                       : (x[k] - state->x[k]) / job->h;
        state->x_before[k] = state->x[k];
        state->v_before[k] = state->v[k];
        state->x[k] = x[k];
        state->v[k] = v;
    }
}

static void clear_velocities(pli_state *state)
{
    memset(state->v, 0, 3 * (size_t)state->vertex_count * sizeof(double));
}

static bool tell_cancel(void *user)
{
    pli_solver *s = user;
    if (s->cancel == NULL) return false;
    s->asked = pli_clock_seconds();
    return s->cancel(s->cancel_user);
}

bool pli_solver_is_cancelled_inside(void *user)
{
    const pli_solver *s = user;
    bool is_due = s->cancel != NULL && pli_clock_seconds() - s->asked > ask_interval;
    return is_due && tell_cancel(user);
}

static void align(void *user, double *x)
{
    pli_solver *s = user;
    pli_align_bodies(s->model, s->inertia_target, s->fixed, x);
}

static void tell_residuals(pli_solver *s, const pli_iterate *iterate)
{
    if (s->implicit == NULL || s->residual_monitor == NULL || iterate->g == NULL) return;
    pli_residual_view view = pli_matter_implicit_view(s->implicit, iterate);
    view.step = s->step;
    s->residual_monitor(s->residual_user, &view);
}

static void tell_monitor(void *user, const pli_iterate *iterate)
{
    pli_solver *s = user;
    tell_residuals(s, iterate);
    PLI_LOG(s->context, PLI_LOG_TRACE,
            "step %lld, iteration %d: residual %.3e, E %.6e J, alpha %.3g, %d inner, %d energies",
            (long long)s->step, iterate->iteration, iterate->residual, iterate->energy,
            iterate->alpha, iterate->linear_iterations, iterate->energy_evaluations);
    if (s->monitor == NULL) return;
    pli_iteration_report report = {.step = s->step,
                                   .iteration = iterate->iteration,
                                   .residual = iterate->residual,
                                   .gradient = iterate->gradient,
                                   .energy = iterate->energy,
                                   .alpha = iterate->alpha,
                                   .linear_iterations = iterate->linear_iterations,
                                   .energy_evaluations = iterate->energy_evaluations,
                                   .direction = (int32_t)iterate->direction,
                                   .seconds = pli_clock_seconds() - s->step_begin};
    if (s->implicit != NULL) report.piece = pli_matter_implicit_current(s->implicit);
    s->monitor(s->monitor_user, &report);
}

static void fill_levels(const pli_solver *s, double dt, pli_level_counts *levels)
{
    if (s->subspace == NULL) return;
    pli_subspace_counts counts = pli_subspace_get_counts(s->subspace);
    levels->directions += counts.directions;
    levels->refreshes += counts.refreshes;
    levels->affine_iterations += counts.affine_iterations;
    levels->subspace_iterations += counts.subspace_iterations;
    levels->polish_iterations += counts.polish_iterations;
    levels->largest_step = counts.largest / dt;
}

static void fill_outcome(const pli_solver *s, const pli_minimize_report *outcome,
                         pli_step_report *report)
{
    report->solver = s->model->solver_kind->info.name;
    report->stop = (pli_stop)outcome->stop; // the two enums agree, see pli_stop_name
    report->iterations += outcome->iterations;
    report->linear_iterations += outcome->linear_iterations;
    report->energy_evaluations += outcome->energy_evaluations;
    fill_levels(s, report->dt, &report->levels);
    report->residual = outcome->residual;
    report->tolerance = s->model->tolerance;
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

pli_status pli_solver_minimize(pli_solver *s, pli_step_report *report)
{
    pli_minimize_env env = {.timers = &s->timers,
                            .scratch = s->scratch,
                            .monitor = tell_monitor,
                            .cancel = tell_cancel,
                            .user = s};
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    if (moves && s->model->solver_kind->safeguard && !barrier) env.improve = align;
    pli_minimize_report outcome;
    // one of many may find nothing to do and ask nobody
    PLI_TRY(pli_arena_go_on(s->scratch));
    if (s->local_global != NULL) {
        PLI_TRY(pli_local_global_begin_step(s->local_global, s->coefficients));
        PLI_TRY(pli_local_global_minimize(s->local_global, &env, s->x, &outcome));
    } else if (s->vertex_descent != NULL) {
        PLI_TRY(pli_vertex_descent_minimize(s->vertex_descent, &env, s->x, &outcome));
    } else if (s->lbfgs != NULL) {
        pli_lbfgs_set_min_iterations(s->lbfgs, s->min_iterations);
        PLI_TRY(pli_lbfgs_minimize(s->lbfgs, &s->objective, &env, s->x, &outcome));
    } else {
        s->newton.min_iterations = s->min_iterations;
        PLI_TRY(pli_newton_minimize(&s->newton, &s->objective, s->linear, &env, s->x, &outcome));
    }
    fill_outcome(s, &outcome, report);
    return PLI_OK;
}

// ---- barriers

// Searches contacts along the way that inertia predicts, and chooses the stiffness of barriers for
// a step that begins with this state.
static pli_status choose_stiffness(pli_solver *s, const pli_state *state)
{
    pli_ipc *ipc = pli_contacts_barrier(s->contacts);
    int64_t count = 3 * (int64_t)state->vertex_count;
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    double *gradient = pli_arena_doubles(s->scratch, count, "gradient");
    double *scratch = pli_arena_doubles(s->scratch, count, "gradient");
    double stiffness = state->barrier_stiffness;
    pli_status status = PLI_ERROR_MEMORY;
    if (gradient == NULL || scratch == NULL) goto done;
    for (int64_t k = 0; k < count; ++k) scratch[k] = s->inertia_target[k] - state->x[k];
    pli_ipc_begin_step(ipc, state->x, scratch);
    memset(gradient, 0, (size_t)count * sizeof *gradient);
    // forces to balance matter only where something touches and the scene leaves the choice
    int64_t contacts = 0;
    const pli_ipc_contact *list;
    status = pli_ipc_find(ipc, state->x, &contacts, &list);
    if (status != PLI_OK) goto done;
    bool balances = contacts > 0 && !(s->model->contact.stiffness > 0);
    for (int32_t k = 0; k < s->objective.term_count && balances; ++k) {
        const pli_term *term = &s->objective.terms[k];
        if (term->self != ipc) term->ops->add_gradient(term->self, state->x, gradient);
    }
    for (int64_t k = 0; k < count; ++k) {
        if (s->fixed[k / 3] & (1u << (k % 3))) gradient[k] = 0;
    }
    status = pli_ipc_choose_stiffness(ipc, state->x, gradient, scratch, &stiffness);
    if (status == PLI_OK) pli_ipc_set_stiffness(ipc, stiffness);

done:
    pli_arena_end(s->scratch, mark);
    return status;
}

// The slip that still counts as none: with BDF2 the velocity is 3 / (2h) (x - start).
static double friction_slip(const pli_solver *s, const step_job *job)
{
    double h = job->second_order ? 2 * job->h / 3 : job->h;
    return s->model->contact.friction_speed * h;
}

// Where points would have to be in order not to slip.
static void set_friction_start(pli_solver *s, const pli_state *state, bool second_order)
{
    for (int64_t k = 0; k < 3 * (int64_t)state->vertex_count; ++k) {
        s->friction_start[k] =
            second_order ? (4 * state->x[k] - state->x_before[k]) / 3 : state->x[k];
    }
}

// How far scripts, or inertia, want to move a vertex in this step, at most (m).
static double largest_travel(const pli_solver *s, const pli_state *state)
{
    double largest = 0;
    for (int64_t k = 0; k < state->vertex_count; ++k) {
        double d[3];
        for (int axis = 0; axis < 3; ++axis) {
            bool held = (s->fixed[k] & (1u << axis)) != 0;
            double to = held ? s->x[3 * k + axis] : s->inertia_target[3 * k + axis];
            d[axis] = to - state->x[3 * k + axis];
        }
        largest = fmax(largest, pli_vec3_norm2(d));
    }
    return sqrt(largest);
}

// Stiffness and friction as they follow from the state alone, whatever was computed before.
static pli_status begin_barrier(pli_solver *s, const step_job *job)
{
    pli_ipc *ipc = pli_contacts_barrier(s->contacts);
    if (ipc == NULL) return PLI_OK;
    pli_solver_hold(s, (double)s->step * job->h);
    PLI_TRY(pli_travel_check(s->model, largest_travel(s, job->state)));
    PLI_TRY(choose_stiffness(s, job->state));
    set_friction_start(s, job->state, job->second_order);
    return pli_ipc_freeze_friction(ipc, job->state->x, s->friction_start, friction_slip(s, job));
}

// Minimises with friction as it was in the step before, and again with what came out, as often as
// the scene asks for.
static pli_status solve_with_barrier(pli_solver *s, const step_job *job, bool arrived,
                                     pli_step_report *report)
{
    enum { LAG_LIMIT = 100 };
    pli_ipc *ipc = pli_contacts_barrier(s->contacts);
    double slip = friction_slip(s, job);
    if (!arrived) PLI_TRY(pli_guess_pursue(s, (double)s->step * job->h, report));
    PLI_TRY(pli_solver_minimize(s, report));
    int32_t wanted = s->model->contact.friction_iterations;
    int32_t limit = wanted > 0 ? wanted : LAG_LIMIT;
    bool settled = wanted > 0 || !pli_ipc_has_friction(ipc);
    for (int32_t k = 1; k < limit && pli_ipc_has_friction(ipc); ++k) {
        int32_t before = report->iterations;
        PLI_TRY(pli_ipc_freeze_friction(ipc, s->x, s->friction_start, slip));
        PLI_TRY(pli_solver_minimize(s, report));
        // the first direction was small at once
        settled = wanted > 0 || report->iterations <= before + 1;
        if (wanted == 0 && settled) break;
    }
    if (!settled) {
        PLI_LOG(s->context, PLI_LOG_WARNING, "step %lld: friction still changes after %d solves",
                (long long)s->step, (int)LAG_LIMIT);
    }
    return pli_ipc_check(ipc);
}

static pli_status step(pli_solver *s, pli_state *state, pli_step_report *report)
{
    *report = (pli_step_report){.dt = state->dt, .vertices = state->vertex_count};
    s->step = state->step + 1;
    s->step_begin = pli_clock_seconds();
    pli_timers_reset(&s->timers);
    double end_time = (double)s->step * state->dt;
    bool second_order = s->model->time.integrator == PLI_BDF2 && state->history > 0 &&
                        s->model->time.mode == PLI_MODE_DYNAMIC;
    step_job job = {s, state, second_order, state->dt};

    // where inertia, scripts and damping want the points to be
    pli_timers_begin(&s->timers, "predict");
    pli_tets_load(s, state);
    pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, predict_points, &job);
    s->coefficients = hash_coefficients(&job);
    pli_solver_attach(s, state, end_time);
    prepare_damping(s, state, state->dt);
    pli_contacts_begin_step(s->contacts, pli_state_time(state), end_time);
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    bool arrived = true;
    pli_status status = begin_barrier(s, &job);
    if (status == PLI_OK) status = pli_guess_choose(s, state, end_time, report, &arrived);
    pli_timers_end(&s->timers);
    if (status != PLI_OK) return status;

    // the minimisation itself
    status =
        barrier ? solve_with_barrier(s, &job, arrived, report) : pli_solver_minimize(s, report);
    if (status != PLI_OK) return status;

    // accept the result, unless it is not a state at all
    pli_timers_begin(&s->timers, "report");
    int64_t count = 3 * (int64_t)state->vertex_count;
    if (!isfinite(pli_vector_max_abs(s->context, count, s->x))) report->stop = PLI_STOP_NONFINITE;
    pli_culprit_find(s, state, report);
    if (report->stop != PLI_STOP_NONFINITE) {
        PLI_TRY(pli_contacts_reserve(s->contacts, s->x));
        pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, update_points, &job);
        if (s->model->time.mode == PLI_MODE_QUASI_STATIC) clear_velocities(state);
        pli_tets_yield(s, state);
        ++state->step;
        ++state->history;
        status = pli_contacts_finish_step(s->contacts, state, &report->friction_work);
        if (status != PLI_OK) return status;
    }
    status = s->unmeasured ? PLI_OK : pli_solver_fill_report(s, state, report);
    if (s->unmeasured) pli_report_leave_open(state, report);
    pli_timers_end(&s->timers);
    if (status != PLI_OK) return status;
    fill_phases(s, report);
    return PLI_OK;
}

// Particles by explicit steps: nothing is minimised.
static pli_status step_explicit(pli_solver *s, pli_state *state, pli_step_report *report)
{
    report->stop = PLI_STOP_EXPLICIT;
    s->matter->cancel = s->cancel;
    s->matter->cancel_user = s->cancel_user;
    return pli_matter_step(s->matter, state, &s->timers, report);
}

// Whether anybody will look at what a step leaves of forces: monitors, or frames, which runs write
// at the end of a frame, and others whenever they like.
static bool has_listener(const pli_solver *s, const pli_state *state)
{
    bool is_field = s->model->frame_fields >> PLI_PARTICLE_RESIDUAL & 1;
    bool ends_frame = (state->step + 1) % s->model->time.steps_per_frame == 0;
    return s->residual_monitor != NULL || (is_field && (ends_frame || s->frames != NULL));
}

static pli_status step_implicit(pli_solver *s, pli_state *state, pli_step_report *report)
{
    pli_minimize_env env = {.timers = &s->timers,
                            .scratch = s->scratch,
                            .monitor = tell_monitor,
                            .cancel = tell_cancel,
                            .user = s};
    s->step = state->step + 1;
    pli_matter_implicit_listen(s->implicit, has_listener(s, state));
    return pli_matter_implicit_step(s->implicit, state, &env, report);
}

static pli_status step_matter(pli_solver *s, pli_state *state, pli_step_report *report)
{
    *report = (pli_step_report){.dt = state->dt, .solver = s->model->solver_kind->info.name};
    s->step_begin = pli_clock_seconds();
    pli_timers_reset(&s->timers);
    PLI_TRY(pli_matter_check_kinds(s->model->matter, &state->matter));
    PLI_TRY(s->implicit != NULL ? step_implicit(s, state, report)
                                : step_explicit(s, state, report));
    pli_culprit_find(s, state, report);
    if (report->stop != PLI_STOP_NONFINITE) {
        ++state->step;
        ++state->history;
    }
    pli_timers_begin(&s->timers, "report");
    pli_status status = s->unmeasured ? PLI_OK : pli_matter_measure(s, state, report);
    if (s->unmeasured) pli_report_leave_open(state, report);
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
    bool matter = task->solver->implicit != NULL;
    task->status = matter ? step_matter(task->solver, task->state, task->report)
                          : step(task->solver, task->state, task->report);
}

// A state that is not one: nothing is computed from it.
static void reject_state(pli_solver *s, const pli_state *state, pli_step_report *report)
{
    *report = (pli_step_report){.dt = state->dt,
                                .solver = s->model->solver_kind->info.name,
                                .stop = PLI_STOP_NONFINITE,
                                .residual = INFINITY,
                                .tolerance = s->model->tolerance,
                                .vertices = state->vertex_count};
    pli_report_leave_open(state, report);
    pli_culprit_find(s, state, report);
}

pli_status pli_solver_step(pli_solver *solver, pli_state *state, pli_step_report *report)
{
    if (!pli_culprit_is_sound(solver, state)) {
        reject_state(solver, state, report);
        return PLI_OK;
    }
    solver->asked = pli_clock_seconds();
    if (solver->matter != NULL) return step_matter(solver, state, report);
    // other steps are many short loops: workers stand by
    step_task task = {.solver = solver, .state = state, .report = report};
    pli_parallel_team(solver->context, run_step, &task);
    return task.status;
}

// SPDX-License-Identifier: Apache-2.0
#include "sim/step/mesh_stepper.h"

#include "base/hash.h"
#include "base/parallel.h"
#include "linear/matrix/vector.h"
#include "math/vec3.h"
#include "sim/step/align.h"
#include "sim/step/guess.h"
#include "sim/step/loads.h"
#include "sim/step/pursuit.h"
#include "sim/step/scripts.h"
#include "sim/step/shells_build.h"
#include "sim/step/solver_table.h"
#include "sim/step/tets_build.h"
#include "sim/step/travel.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

typedef struct step_job {
    pli_mesh_stepper *stepper;
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
        job->stepper->inertia_stiffness[point] = job->stepper->model->mass[point] / (a * h * h);
        for (int64_t k = 3 * point; k < 3 * point + 3; ++k) {
            job->stepper->inertia_target[k] =
                job->second_order ? (4 * state->x[k] - state->x_before[k]) / 3 +
                                        2 * h / 9 * (4 * state->v[k] - state->v_before[k])
                                  : state->x[k] + h * state->v[k];
        }
    }
}

// Masses and drag are those of the model: inertia and drag change with these two numbers alone,
// unless materials change with time, that is, with every step.
static uint64_t hash_coefficients(const step_job *job)
{
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, &job->h, sizeof job->h);
    int64_t step = job->stepper->model->track_count > 0 ? job->state->step : 0;
    hash = pli_hash_bytes(hash, &step, sizeof step);
    return pli_hash_bytes(hash, &job->second_order, sizeof job->second_order);
}

static void prepare_damping(pli_mesh_stepper *s, const pli_state *state, double end_time)
{
    double h = state->dt;
    if (s->model->has_drag) {
        s->drag.target = state->x;
        pli_vector_copy(s->context, s->model->vertex_count, s->model->drag, s->drag_stiffness);
        pli_tets_add_drag(s, end_time, s->drag_stiffness);
        for (int32_t i = 0; i < s->model->vertex_count; ++i) s->drag_stiffness[i] /= h;
    }
    if (s->rayleigh != NULL) pli_rayleigh_begin_step(s->rayleigh, state->x, h);
}

// ---- after the solve

static void update_points(void *user, int64_t begin, int64_t end)
{
    const step_job *job = user;
    pli_state *state = (pli_state *)job->state;
    const double *x = job->stepper->x;
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

// ---- the minimisation

static void tell_iterate(void *user, const pli_iterate *iterate)
{
    const pli_mesh_stepper *s = user;
    pli_solver_tell(s->solver, iterate, 0);
}

static bool is_cancelled(void *user)
{
    const pli_mesh_stepper *s = user;
    return pli_solver_is_cancelled(s->solver);
}

static void align(void *user, double *x)
{
    const pli_mesh_stepper *s = user;
    pli_align_bodies(s->model, s->inertia_target, s->fixed, x);
}

static void fill_levels(const pli_mesh_stepper *s, double dt, pli_level_counts *levels)
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

pli_status pli_mesh_stepper_minimize(pli_mesh_stepper *s, int32_t max_iterations,
                                     pli_step_report *report)
{
    pli_minimize_env env = {.timers = s->timers,
                            .scratch = s->scratch,
                            .monitor = tell_iterate,
                            .cancel = is_cancelled,
                            .user = s,
                            .min_iterations = s->min_iterations,
                            .max_iterations = max_iterations,
                            .energy_noise = s->energy_noise};
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    if (moves && s->model->solver_kind->safeguard && !barrier) env.improve = align;
    pli_minimize_report outcome;
    // one of many may find nothing to do and ask nobody
    PLI_TRY(pli_arena_go_on(s->scratch));
    PLI_TRY(pli_minimizer_minimize(&s->minimizer, &env, s->x, &outcome));
    report->stop = outcome.stop;
    report->iterations += outcome.iterations;
    report->linear_iterations += outcome.linear_iterations;
    report->energy_evaluations += outcome.energy_evaluations;
    report->residual = outcome.residual;
    report->tolerance = s->model->tolerance;
    fill_levels(s, report->dt, &report->levels);
    return PLI_OK;
}

// ---- barriers

// Searches contacts along the way that inertia predicts, and chooses the stiffness of barriers for
// a step that begins with this state.
static pli_status choose_stiffness(pli_mesh_stepper *s, const pli_state *state)
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
        if (term->role != PLI_TERM_BARRIER) term->ops->add_gradient(term->self, state->x, gradient);
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
static double friction_slip(const pli_mesh_stepper *s, const step_job *job)
{
    double h = job->second_order ? 2 * job->h / 3 : job->h;
    return s->model->contact.friction_speed * h;
}

// Where points would have to be in order not to slip.
static void set_friction_start(pli_mesh_stepper *s, const pli_state *state, bool second_order)
{
    for (int64_t k = 0; k < 3 * (int64_t)state->vertex_count; ++k) {
        s->friction_start[k] =
            second_order ? (4 * state->x[k] - state->x_before[k]) / 3 : state->x[k];
    }
}

// How far scripts, or inertia, want to move a vertex in this step, at most (m).
static double largest_travel(const pli_mesh_stepper *s, const pli_state *state)
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
static pli_status begin_barrier(pli_mesh_stepper *s, const step_job *job)
{
    pli_ipc *ipc = pli_contacts_barrier(s->contacts);
    if (ipc == NULL) return PLI_OK;
    pli_scripts_hold(s, (double)s->solver->step * job->h);
    PLI_TRY(pli_travel_check(s->model, largest_travel(s, job->state)));
    PLI_TRY(choose_stiffness(s, job->state));
    set_friction_start(s, job->state, job->second_order);
    return pli_ipc_freeze_friction(ipc, job->state->x, s->friction_start, friction_slip(s, job));
}

// Minimises with friction as it was in the step before, and again with what came out, as often as
// the scene asks for.
static pli_status solve_with_barrier(pli_mesh_stepper *s, const step_job *job, bool arrived,
                                     pli_step_report *report)
{
    enum { LAG_LIMIT = 100 };
    pli_ipc *ipc = pli_contacts_barrier(s->contacts);
    double slip = friction_slip(s, job);
    if (!arrived) PLI_TRY(pli_pursuit_run(s, (double)s->solver->step * job->h, report));
    PLI_TRY(pli_mesh_stepper_minimize(s, 0, report));
    int32_t wanted = s->model->contact.friction_iterations;
    int32_t limit = wanted > 0 ? wanted : LAG_LIMIT;
    bool settled = wanted > 0 || !pli_ipc_has_friction(ipc);
    for (int32_t k = 1; k < limit && pli_ipc_has_friction(ipc); ++k) {
        int32_t before = report->iterations;
        PLI_TRY(pli_ipc_freeze_friction(ipc, s->x, s->friction_start, slip));
        PLI_TRY(pli_mesh_stepper_minimize(s, 0, report));
        // the first direction was small at once
        settled = wanted > 0 || report->iterations <= before + 1;
        if (wanted == 0 && settled) break;
    }
    if (!settled) {
        PLI_LOG(s->context, PLI_LOG_WARNING, "step %lld: friction still changes after %d solves",
                (long long)s->solver->step, (int)LAG_LIMIT);
    }
    return pli_ipc_check(ipc);
}

// ---- a step

// Where inertia, scripts and damping want the points to be.
static pli_status predict(pli_mesh_stepper *s, const step_job *job)
{
    const pli_state *state = job->state;
    double end_time = (double)s->solver->step * job->h;
    pli_tets_begin_step(s, state);
    pli_shells_load(s, state);
    pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, predict_points, (void *)job);
    pli_scripts_attach(s, state, end_time);
    pli_loads_set(s, state, end_time);
    pli_tets_set_time(s, end_time);
    prepare_damping(s, state, end_time);
    pli_contacts_begin_step(s->contacts, pli_state_time(state), end_time);
    return begin_barrier(s, job);
}

static pli_status minimize(pli_mesh_stepper *s, const step_job *job, bool arrived,
                           pli_step_report *report)
{
    PLI_TRY(pli_minimizer_begin_step(&s->minimizer, hash_coefficients(job)));
    bool barrier = pli_contacts_barrier(s->contacts) != NULL;
    return barrier ? solve_with_barrier(s, job, arrived, report)
                   : pli_mesh_stepper_minimize(s, 0, report);
}

// Makes x the state, with what comes after the minimisation.
static pli_status accept(pli_mesh_stepper *s, step_job *job, pli_state *state,
                         pli_step_report *report)
{
    PLI_TRY(pli_contacts_find(s->contacts, s->x));
    pli_loads_add_work(s, state, (double)s->solver->step * job->h);
    pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, update_points, job);
    if (s->model->time.mode == PLI_MODE_QUASI_STATIC) clear_velocities(state);
    pli_tets_end_step(s, state);
    pli_shells_end_step(s, state);
    ++state->step;
    ++state->history;
    report->friction_work = pli_contacts_finish_step(s->contacts, state);
    return PLI_OK;
}

pli_status pli_mesh_stepper_step(pli_mesh_stepper *s, pli_state *state, pli_step_report *report)
{
    bool second_order = s->model->time.integrator == PLI_BDF2 && state->history > 0 &&
                        s->model->time.mode == PLI_MODE_DYNAMIC;
    bool arrived = true;
    step_job job = {s, state, second_order, state->dt};

    pli_timers_begin(s->timers, "predict");
    pli_status status = predict(s, &job);
    double end_time = (double)s->solver->step * job.h;
    if (status == PLI_OK) status = pli_guess_choose(s, state, end_time, report, &arrived);
    pli_timers_end(s->timers);
    if (status != PLI_OK) return status;

    PLI_TRY(minimize(s, &job, arrived, report));

    // the result is accepted, unless it is not a state at all
    pli_timers_begin(s->timers, "report");
    int64_t count = 3 * (int64_t)state->vertex_count;
    if (!isfinite(pli_vector_max_abs(s->context, count, s->x))) report->stop = PLI_STOP_NONFINITE;
    if (report->stop != PLI_STOP_NONFINITE) status = accept(s, &job, state, report);
    pli_timers_end(s->timers);
    return status;
}

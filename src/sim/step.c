// SPDX-License-Identifier: Apache-2.0
//
// One implicit step as a minimisation (Gast et al. 2015, section 2.2):
//     E(x) = 1/(2 a h^2) |x - x~|^2_M + Phi(x),
// implicit Euler: a = 1,   x~ = x_n + h v_n,                               v = (x - x_n) / h
// BDF2:           a = 4/9, x~ = (4 x_n - x_n-1)/3 + (2h/9)(4 v_n - v_n-1), v = (3x - 4 x_n +
// x_n-1)/(2h) The first BDF2 step has no history and is an implicit Euler step.
#include "sim/solver.h"

#include "linear/vector.h"
#include "math/vec3.h"
#include "sim/align.h"

#include <math.h>
#include <string.h>

enum { POINT_GRAIN = 2048 };

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

// Coordinates that scripts hold at the end of the step, and where.
static void apply_constraints(pli_solver *s, double time)
{
    memset(s->fixed, 0, (size_t)s->model->vertex_count);
    for (int32_t k = 0; k < s->model->constraint_count; ++k) {
        const pli_model_handle *handle = &s->model->constraints[k];
        pli_pose pose;
        pli_motion_get_pose(&handle->motion, time, &pose);
        if (!pose.active) continue;
        for (int32_t i = 0; i < handle->vertex_count; ++i) {
            int64_t vertex = handle->vertices[i];
            double x[3];
            pli_motion_apply(&handle->motion, &pose, s->model->start + 3 * vertex, x);
            s->fixed[vertex] |= handle->axes;
            for (int axis = 0; axis < 3; ++axis) {
                if (handle->axes & (1u << axis)) s->x[3 * vertex + axis] = x[axis];
            }
        }
    }
}

static void apply_attachments(pli_solver *s, double time)
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

// ---- initial guess (section 3.1)
//
// The paper takes the better of x~ and x~ + a h^2 M^-1 f(x_n). The second is exact in free fall,
// but it is an explicit step: accepting it again and again amplifies the rounding of elastic
// forces. So there is a third candidate in between, with gravity as the only force, and it wins
// ties. Where there is contact, the positions of before are a candidate: predictions may have
// bodies deep inside each other, from where no minimiser finds out as they came in. Another is for
// bodies that start or end up tangled: their rest shape, aligned rigidly with x~; it costs the
// kinetic energy of moving there and no elastic energy at all.

// Writes a guess into s->x and puts held coordinates where their scripts want them.
static void set_guess(pli_solver *s, const double *guess, double time)
{
    memcpy(s->x, guess, 3 * (size_t)s->model->vertex_count * sizeof(double));
    apply_constraints(s, time);
    pli_objective_project(&s->objective, s->x, NULL);
}

// guess = x~ - a h^2 M^-1 g
static void move_by_forces(void *user, int64_t begin, int64_t end)
{
    double *guess = ((double **)user)[0]; // holds g
    const pli_solver *s = ((pli_solver **)user)[1];
    for (int64_t point = begin; point < end; ++point) {
        // what has no mass is held
        double stiffness = s->inertia_stiffness[point];
        double flexibility = stiffness > 0 ? 1 / stiffness : 0;
        for (int64_t k = 3 * point; k < 3 * point + 3; ++k) {
            guess[k] = s->inertia_target[k] - flexibility * guess[k];
        }
    }
}

typedef enum guess_kind {
    GUESS_INERTIAL,  // no forces: naive, so at least one iteration has to improve it
    GUESS_EXPLICIT,  // all forces at x_n
    GUESS_BALLISTIC, // gravity
    GUESS_STILL,     // where everything is, which at least was free of contact
    GUESS_REST,      // the rest shape of bodies that are tangled
    GUESS_COUNT
} guess_kind;

// a body with this share of inverted tetrahedra is tangled: its state shows no way to follow
static const double tangled_share = 0.1;

static bool is_tangled(const pli_solver *s, const pli_model_body *body)
{
    int32_t inverted = 0;
    for (int32_t k = 0; k < body->tet_count; ++k) inverted += !(s->J[body->first_tet + k] > 0);
    return inverted > tangled_share * body->tet_count;
}

// Puts tangled bodies into their rest shape, where inertia wants them as a whole; false: there are
// none.
static bool compute_rest_guess(pli_solver *s, const pli_state *state, double *guess)
{
    const pli_model *model = s->model;
    bool tangled = false;
    memcpy(guess, s->inertia_target, 3 * (size_t)model->vertex_count * sizeof(double));
    pli_elastic_measure(s->elastic, state->x, s->J, NULL);
    for (int32_t k = 0; k < model->body_count; ++k) {
        const pli_model_body *body = &model->bodies[k];
        if (!is_tangled(s, body)) continue;
        tangled = true;
        int64_t first = 3 * (int64_t)body->first_vertex;
        memcpy(guess + first, model->rest + first, 3 * (size_t)body->vertex_count * sizeof(double));
        pli_align_body(model, body, s->inertia_target, s->fixed, guess);
    }
    return tangled;
}

// Returns false when there is no such guess.
static bool compute_guess(pli_solver *s, const pli_state *state, guess_kind kind, double *guess)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    if (kind == GUESS_REST) {
        return s->model->solver_def.rest_guess && compute_rest_guess(s, state, guess);
    }
    if (kind == GUESS_STILL) {
        memcpy(guess, state->x, bytes);
        return s->contacts != NULL;
    }
    memset(guess, 0, bytes);
    for (int32_t k = 0; k < s->objective.term_count && kind != GUESS_INERTIAL; ++k) {
        const pli_term *term = &s->objective.terms[k];
        bool wanted =
            kind == GUESS_EXPLICIT ? term->self != &s->inertia : term->self == &s->gravity;
        if (wanted) term->ops->add_gradient(term->self, state->x, guess);
    }
    void *job[2] = {guess, s};
    pli_parallel_for(s->context, s->model->vertex_count, POINT_GRAIN, move_by_forces, job);
    return true;
}

// Leaves the best guess in s->x. guess and best are scratch, [vertex_count][3].
static void choose_best_guess(pli_solver *s, const pli_state *state, double time, double *guess,
                              double *best, pli_step_report *report)
{
    size_t bytes = 3 * (size_t)s->model->vertex_count * sizeof(double);
    double best_energy = INFINITY;
    s->newton.min_iterations = 1;
    for (guess_kind kind = GUESS_INERTIAL; kind < GUESS_COUNT; ++kind) {
        if (!compute_guess(s, state, kind, guess)) continue;
        set_guess(s, guess, time);
        double energy = pli_sum_value(pli_objective_energy(&s->objective, s->x));
        ++report->energy_evaluations;
        double noise = 1e-13 * fabs(best_energy);
        if (energy > best_energy + (isfinite(noise) ? noise : 0)) continue;
        best_energy = energy;
        memcpy(best, s->x, bytes);
        s->newton.min_iterations = kind == GUESS_INERTIAL || kind == GUESS_STILL;
    }
    if (best_energy < INFINITY) memcpy(s->x, best, bytes);
}

// Chooses the start of the minimisation.
static pli_status choose_guess(pli_solver *s, const pli_state *state, double time,
                               pli_step_report *report)
{
    s->newton.min_iterations = 1;
    pli_objective_release(&s->objective);
    if (s->model->time.mode == PLI_MODE_QUASI_STATIC) {
        set_guess(s, state->x, time);
        return PLI_OK;
    }
    if (!s->model->solver_kind->best_guess) {
        set_guess(s, s->inertia_target, time);
        return PLI_OK;
    }
    pli_arena_mark mark = pli_arena_begin(s->scratch);
    int64_t count = 3 * (int64_t)s->model->vertex_count;
    double *guess = pli_arena_doubles(s->scratch, count, "initial guess");
    double *best = pli_arena_doubles(s->scratch, count, "initial guess");
    bool complete = guess != NULL && best != NULL;
    if (complete) choose_best_guess(s, state, time, guess, best, report);
    pli_arena_end(s->scratch, mark);
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
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
    return s->cancel != NULL && s->cancel(s->cancel_user);
}

static void align(void *user, double *x)
{
    pli_solver *s = user;
    pli_align_bodies(s->model, s->inertia_target, s->fixed, x);
}

static void tell_monitor(void *user, const pli_iterate *iterate)
{
    pli_solver *s = user;
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
    s->monitor(s->monitor_user, &report);
}

static void fill_outcome(const pli_solver *s, const pli_minimize_report *outcome,
                         pli_step_report *report)
{
    report->solver = s->model->solver_kind->info.name;
    report->stop = (pli_stop)outcome->stop; // the two enums agree, see pli_stop_name
    report->iterations = outcome->iterations;
    report->linear_iterations = outcome->linear_iterations;
    report->energy_evaluations += outcome->energy_evaluations;
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

static pli_status solve(pli_solver *s, pli_step_report *report)
{
    pli_minimize_env env = {.timers = &s->timers,
                            .scratch = s->scratch,
                            .monitor = tell_monitor,
                            .cancel = tell_cancel,
                            .user = s};
    bool moves = s->model->time.mode == PLI_MODE_DYNAMIC;
    if (moves && s->model->solver_kind->safeguard) env.improve = align;
    pli_minimize_report outcome;
    PLI_TRY(pli_newton_minimize(&s->newton, &s->objective, s->linear, &env, s->x, &outcome));
    fill_outcome(s, &outcome, report);
    return PLI_OK;
}

pli_status pli_solver_step(pli_solver *s, pli_state *state, pli_step_report *report)
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
    pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, predict_points, &job);
    apply_attachments(s, end_time);
    prepare_damping(s, state, state->dt);
    pli_contacts_begin_step(s->contacts, pli_state_time(state), end_time);
    pli_status status = choose_guess(s, state, end_time, report);
    pli_timers_end(&s->timers);
    if (status != PLI_OK) return status;

    // the minimisation itself
    status = solve(s, report);
    if (status != PLI_OK) return status;

    // accept the result, unless it is not a state at all
    pli_timers_begin(&s->timers, "report");
    if (report->stop != PLI_STOP_NONFINITE) {
        pli_parallel_for(s->context, state->vertex_count, POINT_GRAIN, update_points, &job);
        if (s->model->time.mode == PLI_MODE_QUASI_STATIC) clear_velocities(state);
        ++state->step;
        ++state->history;
        report->friction_work = pli_contacts_finish_step(s->contacts, state);
    }
    pli_solver_fill_report(s, state, report);
    pli_timers_end(&s->timers);
    fill_phases(s, report);
    return PLI_OK;
}

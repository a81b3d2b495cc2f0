// SPDX-License-Identifier: Apache-2.0
#include "optimize/newton.h"

#include "optimize/rounding.h"
#include "optimize/stopping.h"

#include "base/memory.h"
#include "linear/krylov/krylov.h"
#include "linear/matrix/vector.h"

#include <math.h>

// directions cut short by indefiniteness, one after another, before the projected Hessian takes
// over
enum { PATIENCE = 2 };

// steps in a row that lead nowhere before the minimisation ends
enum { STUCK_STEPS = 3 };

// a line search that ends below this asks the owner of the problem for help
static const double short_step = 0.25;

struct pli_newton {
    pli_context *context;
    pli_newton_def def;
    pli_objective *objective; // borrowed
    double energy_noise;      // of the step (J)
};

// everything one minimisation carries from stage to stage
typedef struct newton {
    const pli_newton *minimizer;
    const pli_newton_def *def;
    pli_objective *objective;
    const pli_minimize_env *env;
    pli_minimize_report *report;
    int64_t n; // unknowns

    double *x;       // [n] current iterate, the caller's
    double *g;       // [n] gradient dE/dx at x
    double *d;       // [n] direction
    double *b;       // [n] right-hand side -g, and scratch
    double *trial_x; // [n]
    double *trial_g; // [n]
    double *trial_d; // [n] NULL without constraints

    pli_sum energy; // E(x)
    double step;    // what is judged of the last Newton direction: its size, or the error
    pli_error_estimate error;
    double source_step; // size of the direction as its source measures it (m)
    double alpha_max;   // that the terms admitted along the last direction
    pli_iterate last;

    int32_t truncated;    // directions in a row that indefiniteness cut short
    double project_until; // > 0: use the projected Hessian until the norm is below this
    bool definite;        // the Hessian of this iteration was projected, or proven to be so
    int32_t frozen_steps; // steps over jumps of E
    int32_t stuck_steps;  // in a row
} newton;

static pli_context *context_of(const newton *s)
{
    return s->objective->context;
}

static pli_status take_scratch(newton *s)
{
    pli_arena *arena = s->env->scratch;
    s->g = pli_arena_doubles(arena, s->n, "gradient");
    s->d = pli_arena_doubles(arena, s->n, "direction");
    s->b = pli_arena_doubles(arena, s->n, "right-hand side");
    bool complete = s->g != NULL && s->d != NULL && s->b != NULL &&
                    pli_line_take_trial(arena, s->objective, &s->trial_x, &s->trial_g, &s->trial_d);
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Which constraints are active at x; g is dE'/dx before and dE/dx afterwards.
static void choose_active(newton *s)
{
    pli_timers_begin(s->env->timers, "constraints");
    pli_objective_choose_active(s->objective, s->x, s->g);
    pli_timers_end(s->env->timers);
}

static void evaluate_start(newton *s)
{
    pli_timers_begin(s->env->timers, "energy");
    pli_objective_release(s->objective);
    pli_objective_project(s->objective, s->x, NULL);
    s->energy = pli_objective_energy(s->objective, s->x);
    ++s->report->energy_evaluations;
    pli_timers_end(s->env->timers);

    pli_timers_begin(s->env->timers, "gradient");
    pli_objective_compute_gradient(s->objective, s->x, s->g);
    pli_timers_end(s->env->timers);
    choose_active(s);
}

static void tell_iterate(newton *s)
{
    pli_stopping_measure(s->objective, s->g, s->report, &s->last);
    if (s->def->judge != PLI_JUDGE_GRADIENT) s->report->residual = s->step;
    s->report->energy = pli_sum_value(s->energy);
    pli_stopping_tell(s->env, s->report, &s->last);
}

// Sets report->stop when the iteration has to end here.
static bool is_over(newton *s)
{
    pli_stopping rules = {.tolerance = s->def->tolerance,
                          .judges = s->def->judge == PLI_JUDGE_GRADIENT,
                          .max_iterations = s->def->max_iterations,
                          .fixed_iterations = s->def->fixed_iterations};
    return pli_stopping_is_over(&rules, s->env, s->report->energy + s->last.gradient, s->report);
}

// Whether too many directions in a row were cut short; see newton.h.
static bool should_project(newton *s)
{
    if (!s->def->safeguard) return false;
    if (s->project_until > 0 && s->report->residual < s->project_until) s->project_until = 0;
    if (s->project_until == 0 && s->truncated >= PATIENCE) {
        s->project_until = 0.1 * s->report->residual;
        s->truncated = 0;
    }
    return s->project_until > 0;
}

// What directions are made from; false: they cannot be.
static pli_status prepare_direction(newton *s, bool *usable)
{
    pli_direction_point at = {.objective = s->objective,
                              .x = s->x,
                              .alpha = s->report->iterations > 0 ? s->last.alpha : 1,
                              .projected = s->def->projected || should_project(s)};
    pli_direction_matrix made = {0};
    pli_status status = s->def->source.ops->prepare(s->def->source.self, &at, &made);
    s->definite = made.definite;
    s->report->indefinite += made.indefinite;
    *usable = made.usable;
    return status;
}

// Gast et al. 2015, section 3.1, with the norm as a pure number
static double inexact_tolerance(const newton *s)
{
    if (s->def->linear_tolerance > 0) return s->def->linear_tolerance;
    double scale = s->objective->norm_scale;
    return pli_krylov_newton_tolerance(s->report->residual / scale, s->def->tolerance / scale,
                                       s->def->linear_scale, s->def->linear_cap);
}

// Scales d to the minimum of the quadratic model along it, so that the line search starts sensibly.
static void scale_to_model(newton *s)
{
    pli_context *context = context_of(s);
    pli_objective_multiply_hessian(s->objective, s->d, s->b);
    double slope = fabs(pli_vector_dot(context, s->n, s->g, s->d));
    double curvature = fabs(pli_vector_dot(context, s->n, s->d, s->b));
    if (curvature > 0 && isfinite(slope / curvature)) {
        pli_vector_scale(context, s->n, slope / curvature, s->d);
    }
    s->last.direction = PLI_DIRECTION_STEEPEST;
}

// Where a source has the only matrix there is, its direction says how long a step is.
static void use_steepest_descent(newton *s)
{
    pli_context *context = context_of(s);
    double length = s->objective->H == NULL ? pli_vector_norm(context, s->n, s->d) : 0;
    pli_vector_copy(context, s->n, s->g, s->d);
    pli_vector_scale(context, s->n, -1, s->d);
    if (s->objective->H != NULL) {
        scale_to_model(s);
    } else if (length > 0) {
        pli_vector_scale(context, s->n, length / s->last.gradient, s->d);
    }
    s->last.direction = PLI_DIRECTION_STEEPEST;
}

static pli_status compute_direction(newton *s)
{
    pli_direction_report report = {.step = -1};
    s->last.direction = PLI_DIRECTION_NEWTON;
    PLI_TRY(s->def->source.ops->solve(s->def->source.self, s->g, inexact_tolerance(s),
                                      s->env->scratch, s->d, &report));
    s->last.linear_iterations = report.linear_iterations;
    s->report->linear_iterations += report.linear_iterations;
    s->source_step = report.step;
    s->truncated = report.truncated ? s->truncated + 1 : 0;
    s->report->indefinite += report.truncated;
    // indefinite at the very first step: all there is, is the preconditioned gradient
    if (report.truncated && report.linear_iterations <= 1) scale_to_model(s);
    return PLI_OK;
}

// Turns d downhill (section 3.1, "downhill direction") and clamps its length.
static void guard_direction(newton *s)
{
    pli_context *context = context_of(s);
    pli_objective_restrict(s->objective, s->d); // against rounding of the linear solve
    double length = sqrt(pli_vector_dot(context, s->n, s->d, s->d));
    double slope = pli_vector_dot(context, s->n, s->d, s->g);
    // with a definite Hessian any descent will do: a stiff problem's direction may well be almost
    // orthogonal to the gradient
    double bound = s->definite ? 0 : s->def->downhill * length * s->last.gradient;
    if (slope > bound) {
        pli_vector_scale(context, s->n, -1, s->d);
        s->last.direction = PLI_DIRECTION_REVERSED;
    } else if (!(slope < -bound)) {
        use_steepest_descent(s);
        length = sqrt(pli_vector_dot(context, s->n, s->d, s->d));
    }
    if (length > s->def->length_clamp) {
        pli_vector_scale(context, s->n, s->def->length_clamp / length, s->d);
    }
}

// The direction changes no coordinate by more than rounding does.
static bool is_negligible(const newton *s)
{
    return s->def->safeguard && pli_stopping_is_negligible(context_of(s), s->n, s->d, s->x);
}

// What a direction says of how far the minimum is; one that indefiniteness cut short says nothing.
static double judge_direction(newton *s)
{
    if (s->def->judge == PLI_JUDGE_ERROR) {
        if (s->truncated > 0) return INFINITY;
        return pli_error_of_step(&s->error, s->objective, s->x, s->g, s->d);
    }
    double size = s->source_step;
    if (size < 0) size = pli_vector_max_abs(context_of(s), s->n, s->d);
    return size / s->def->step_unit;
}

// Newton's own measure of how far the minimum is; see pli_judge.
static bool is_step_small(newton *s)
{
    if (s->def->judge == PLI_JUDGE_GRADIENT) return false;
    // without a force there is nowhere to go, and no direction that could tell
    bool still = !(s->last.gradient > 0);
    if (!still && s->last.direction != PLI_DIRECTION_NEWTON) return false;
    s->step = still ? 0 : judge_direction(s);
    s->report->residual = s->step;
    return s->def->fixed_iterations == 0 && s->step <= s->def->tolerance;
}

static pli_line describe_line(const newton *s)
{
    return (pli_line){
        .objective = s->objective,
        .x = s->x,
        .d = s->d,
        .energy = s->energy,
        .slope = pli_vector_dot(context_of(s), s->n, s->g, s->d),
        .noise = pli_rounding_of_energy(s->report->energy, s->minimizer->energy_noise),
        .alpha_max = pli_objective_max_step(s->objective, s->x, s->d),
        .trial_x = s->trial_x,
        .trial_g = s->trial_g,
        .trial_d = s->trial_d,
    };
}

static void search_along(newton *s, pli_line_report *found)
{
    pli_timers_begin(s->env->timers, "line search");
    pli_line line = describe_line(s);
    s->alpha_max = line.alpha_max;
    pli_line_search(&s->def->line_search, &line, found);
    s->last.energy_evaluations = found->evaluations;
    s->report->energy_evaluations += found->evaluations;
    pli_timers_end(s->env->timers);
}

// Last word when no decrease of E can be seen: a full Newton step is still good when it at least
// halves the norm of the gradient while E moves by no more than the predicted decrease, that is,
// by rounding. On success trial_x and trial_g hold the point and its gradient.
static bool improves_gradient(newton *s, pli_line_report *found)
{
    if (s->alpha_max < 1) return false;
    pli_timers_begin(s->env->timers, "line search");
    pli_context *context = context_of(s);
    pli_vector_copy(context, s->n, s->x, s->trial_x);
    pli_vector_axpy(context, s->n, 1, s->d, s->trial_x);
    pli_objective_project(s->objective, s->trial_x, NULL);
    pli_sum energy = pli_objective_energy(s->objective, s->trial_x);
    pli_objective_compute_gradient(s->objective, s->trial_x, s->trial_g);
    pli_vector_copy(context, s->n, s->trial_g, s->b);
    pli_objective_restrict(s->objective, s->b);
    double norm = pli_objective_norm(s->objective, s->b);
    double slope = pli_vector_dot(context, s->n, s->g, s->d);
    pli_timers_end(s->env->timers);

    ++s->report->energy_evaluations;
    double noise = pli_rounding_of_distant_energy(energy.hi, s->minimizer->energy_noise);
    bool good = norm <= 0.5 * pli_objective_norm(s->objective, s->g) &&
                fabs(pli_sum_difference(energy, s->energy)) <= fabs(slope) + noise;
    if (good) *found = (pli_line_report){.found = true, .alpha = 1, .energy = energy};
    return good;
}

static bool is_stuck(const newton *s, const pli_line_report *found)
{
    return s->def->safeguard && pli_line_is_stuck(found);
}

// Follows E over a jump; see line_search.h.
static void search_frozen(newton *s, pli_line_report *found)
{
    if (s->frozen_steps >= PLI_FROZEN_STEPS) return;
    pli_timers_begin(s->env->timers, "line search");
    pli_line line = describe_line(s);
    int32_t before = found->evaluations;
    if (pli_line_search_frozen(&s->def->line_search, &line, found)) {
        ++s->frozen_steps;
        s->last.energy_evaluations = found->evaluations;
        s->report->energy_evaluations += found->evaluations - before;
    }
    pli_timers_end(s->env->timers);
}

// Tries what is left after a line search that found nothing.
static void search_again(newton *s, pli_line_report *found)
{
    if (improves_gradient(s, found)) return;
    if (s->last.direction == PLI_DIRECTION_STEEPEST) return;
    use_steepest_descent(s);
    search_along(s, found);
}

// The decrease that the quadratic model predicts along steepest descent is below the resolution of
// E.
static bool is_at_rounding(const newton *s)
{
    double slope = pli_vector_dot(context_of(s), s->n, s->g, s->d);
    return pli_rounding_hides_slope(slope, s->report->energy, s->minimizer->energy_noise);
}

static void take_step(newton *s, const pli_line_report *found)
{
    s->last.alpha = found->alpha;
    s->energy = found->energy;
    pli_vector_copy(context_of(s), s->n, s->trial_x, s->x);
    double *swap = s->g;
    s->g = s->trial_g;
    s->trial_g = swap;
    ++s->report->iterations;
}

// Offers the new iterate to the owner of the problem when the step was short; see pli_minimize_env.
static void improve_iterate(newton *s)
{
    if (s->env->improve == NULL || s->last.alpha >= short_step) return;
    pli_timers_begin(s->env->timers, "line search");
    pli_context *context = context_of(s);
    pli_vector_copy(context, s->n, s->x, s->trial_x);
    s->env->improve(s->env->user, s->trial_x);
    pli_objective_release(s->objective);
    pli_objective_project(s->objective, s->trial_x, NULL);
    pli_sum energy = pli_objective_energy(s->objective, s->trial_x);
    ++s->report->energy_evaluations;
    if (pli_sum_difference(energy, s->energy) < 0) {
        s->energy = energy;
        pli_vector_copy(context, s->n, s->trial_x, s->x);
        pli_objective_compute_gradient(s->objective, s->x, s->g);
    }
    pli_timers_end(s->env->timers);
}

// Lets terms adapt themselves, which may make another function of the objective.
static pli_status prepare_terms(newton *s)
{
    bool changed = false;
    PLI_TRY(pli_objective_prepare(s->objective, s->x, &changed));
    if (!changed) return PLI_OK;
    pli_timers_begin(s->env->timers, "gradient");
    s->energy = pli_objective_energy(s->objective, s->x);
    pli_objective_compute_gradient(s->objective, s->x, s->g);
    ++s->report->energy_evaluations;
    pli_timers_end(s->env->timers);
    choose_active(s);
    s->report->energy = pli_sum_value(s->energy);
    s->last.gradient = sqrt(pli_vector_dot(context_of(s), s->n, s->g, s->g));
    return PLI_OK;
}

// One iteration; sets report->stop and *over when it has to be the last.
static pli_status iterate(newton *s, bool *over)
{
    *over = true;
    bool usable = false;
    PLI_TRY(prepare_terms(s));
    PLI_TRY(prepare_direction(s, &usable));
    bool finite = pli_objective_has_finite_hessian(s->objective);
    if (!usable || !finite) {
        s->report->stop = finite ? PLI_STOP_LINEAR : PLI_STOP_NONFINITE;
        return PLI_OK;
    }
    PLI_TRY(compute_direction(s));
    if (!pli_stopping_is_finite(context_of(s), s->n, s->d)) {
        s->report->stop = PLI_STOP_NONFINITE;
        return PLI_OK;
    }
    if (s->def->safeguard) guard_direction(s);
    // a small step is taken, too: what is left after it is smaller by far, and without it slow
    // motion would stand still
    bool small = is_step_small(s);
    if (small) s->report->stop = PLI_STOP_DIRECTION;
    if (s->def->source.ops->is_partial && !small && is_negligible(s)) use_steepest_descent(s);
    if (is_negligible(s)) {
        if (!small) pli_stopping_end(s->def->tolerance, true, s->report);
        return PLI_OK;
    }

    pli_line_report found;
    search_along(s, &found);
    if (small && !found.found) return PLI_OK;
    if (!found.found && s->def->safeguard) search_again(s, &found);
    if (is_stuck(s, &found)) search_frozen(s, &found);
    s->stuck_steps = is_stuck(s, &found) ? s->stuck_steps + 1 : 0;
    if (!found.found || s->stuck_steps >= STUCK_STEPS) {
        pli_stopping_end(s->def->tolerance, is_at_rounding(s), s->report);
        return PLI_OK;
    }
    take_step(s, &found);
    improve_iterate(s);
    choose_active(s);
    *over = small;
    return PLI_OK;
}

static pli_status run(newton *s)
{
    PLI_TRY(take_scratch(s));
    s->def->source.ops->begin(s->def->source.self);
    evaluate_start(s);
    tell_iterate(s);
    while (!is_over(s)) {
        PLI_TRY(pli_stopping_check_cancel(context_of(s), s->env));
        bool over = false;
        int32_t before = s->report->iterations;
        PLI_TRY(iterate(s, &over));
        if (s->report->iterations > before) tell_iterate(s);
        if (over) break;
    }
    return PLI_OK;
}

// ---- the minimiser

pli_status pli_newton_create(pli_context *context, const pli_newton_def *def,
                             pli_objective *objective, pli_newton **created)
{
    *created = NULL;
    if (def->source.ops == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "Newton's method has no source of directions; give it a linear solve");
    }
    pli_newton *made = PLI_NEW(context, pli_newton, 1, "Newton's method");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->objective = objective;
    *created = made;
    return PLI_OK;
}

void pli_newton_destroy(pli_newton *minimizer)
{
    if (minimizer != NULL) pli_release(minimizer->context, minimizer);
}

static pli_status begin_step(void *self, const pli_minimizer_step *step)
{
    pli_newton *minimizer = self;
    minimizer->energy_noise = step->energy_noise;
    return PLI_OK;
}

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    const pli_newton *minimizer = self;
    newton s = {.minimizer = minimizer,
                .def = &minimizer->def,
                .objective = minimizer->objective,
                .env = env,
                .report = report,
                .n = 3 * (int64_t)minimizer->objective->point_count,
                .step = INFINITY,
                .alpha_max = 1,
                .x = x};
    return run(&s);
}

static int64_t memory(const void *self)
{
    return (int64_t)pli_memory_size(self);
}

static void destroy(void *self)
{
    pli_newton_destroy(self);
}

pli_minimizer pli_newton_minimizer(pli_newton *minimizer)
{
    static const pli_minimizer_ops ops = {
        .begin_step = begin_step, .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

// SPDX-License-Identifier: Apache-2.0
#include "optimize/newton.h"

#include "optimize/descent.h"
#include "optimize/rounding.h"

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
};

// What one minimisation carries from stage to stage.
typedef struct newton {
    const pli_newton_def *def;
    pli_descent at;
    double source_step;   // size of the direction as its source measures it (m)
    double alpha_max;     // that the terms admitted along the last direction
    int32_t truncated;    // directions in a row that indefiniteness cut short
    double project_until; // > 0: use the projected Hessian until the norm is below this
    bool definite;        // the Hessian of this iteration was projected, or proven to be so
    int32_t stuck_steps;  // in a row
} newton;

// Which constraints are active at x; g is dE'/dx before and dE/dx afterwards.
static void choose_active(pli_descent *at)
{
    pli_timers_begin(at->env->timers, "constraints");
    pli_objective_choose_active(at->objective, at->x, at->g);
    pli_timers_end(at->env->timers);
}

static void evaluate_start(pli_descent *at)
{
    pli_objective_release(at->objective);
    pli_objective_project(at->objective, at->x, NULL);
    pli_descent_evaluate_energy(at);

    pli_timers_begin(at->env->timers, "gradient");
    pli_objective_compute_gradient(at->objective, at->x, at->g);
    pli_timers_end(at->env->timers);
    choose_active(at);
}

static void tell(void *self)
{
    newton *s = self;
    pli_descent_measure(&s->at);
    s->at.report->energy = pli_sum_value(s->at.energy);
    s->at.measure = s->at.report->energy + s->at.last.gradient;
    pli_descent_tell(&s->at);
}

// Whether too many directions in a row were cut short; see newton.h.
static bool should_project(newton *s)
{
    if (!s->def->safeguard) return false;
    if (s->project_until > 0 && s->at.report->residual < s->project_until) s->project_until = 0;
    if (s->project_until == 0 && s->truncated >= PATIENCE) {
        s->project_until = 0.1 * s->at.report->residual;
        s->truncated = 0;
    }
    return s->project_until > 0;
}

// Gast et al. 2015, section 3.1, with the norm as a pure number
static double inexact_tolerance(const newton *s)
{
    if (s->def->linear_tolerance > 0) return s->def->linear_tolerance;
    double scale = s->at.objective->norm_scale;
    return pli_krylov_newton_tolerance(s->at.report->residual / scale, s->def->tolerance / scale,
                                       s->def->linear_scale, s->def->linear_cap);
}

// Scales d to the minimum of the quadratic model along it, so that the line search starts sensibly.
static void scale_to_model(pli_descent *at)
{
    pli_context *context = at->context;
    pli_objective_multiply_hessian(at->objective, at->d, at->b);
    double slope = fabs(pli_vector_dot(context, at->n, at->g, at->d));
    double curvature = fabs(pli_vector_dot(context, at->n, at->d, at->b));
    if (curvature > 0 && isfinite(slope / curvature)) {
        pli_vector_scale(context, at->n, slope / curvature, at->d);
    }
    at->last.direction = PLI_DIRECTION_STEEPEST;
}

// Where a source has the only matrix there is, its direction says how long a step is.
static void use_steepest_descent(pli_descent *at)
{
    pli_context *context = at->context;
    double length = at->objective->H == NULL ? pli_vector_norm(context, at->n, at->d) : 0;
    pli_vector_copy(context, at->n, at->g, at->d);
    pli_vector_scale(context, at->n, -1, at->d);
    if (at->objective->H != NULL) {
        scale_to_model(at);
    } else if (length > 0) {
        pli_vector_scale(context, at->n, length / at->last.gradient, at->d);
    }
    at->last.direction = PLI_DIRECTION_STEEPEST;
}

static pli_status compute_direction(newton *s)
{
    pli_direction_report report = {.step = -1};
    s->at.last.direction = PLI_DIRECTION_NEWTON;
    PLI_TRY(pli_descent_solve(&s->at, &s->def->source, s->at.g, inexact_tolerance(s), &report));
    s->source_step = report.step;
    s->truncated = report.truncated ? s->truncated + 1 : 0;
    // indefinite at the very first step: all there is, is the preconditioned gradient
    if (report.truncated && report.linear_iterations <= 1) scale_to_model(&s->at);
    return PLI_OK;
}

// Turns d downhill (section 3.1, "downhill direction") and clamps its length.
static void guard_direction(newton *s)
{
    pli_context *context = s->at.context;
    pli_objective_restrict(s->at.objective, s->at.d); // against rounding of the linear solve
    double length = sqrt(pli_vector_dot(context, s->at.n, s->at.d, s->at.d));
    double slope = pli_vector_dot(context, s->at.n, s->at.d, s->at.g);
    // with a definite Hessian any descent will do: a stiff problem's direction may well be almost
    // orthogonal to the gradient
    double bound = s->definite ? 0 : s->def->downhill * length * s->at.last.gradient;
    if (slope > bound) {
        pli_vector_scale(context, s->at.n, -1, s->at.d);
        s->at.last.direction = PLI_DIRECTION_REVERSED;
    } else if (!(slope < -bound)) {
        use_steepest_descent(&s->at);
        length = sqrt(pli_vector_dot(context, s->at.n, s->at.d, s->at.d));
    }
    if (length > s->def->length_clamp) {
        pli_vector_scale(context, s->at.n, s->def->length_clamp / length, s->at.d);
    }
}

// The direction changes no coordinate by more than rounding does.
static bool is_negligible(const newton *s)
{
    return s->def->safeguard && pli_descent_is_negligible(&s->at);
}

// What a direction says of how far the minimum is; one that indefiniteness cut short says nothing.
static double judge_direction(newton *s)
{
    if (s->def->judge == PLI_JUDGE_ERROR) {
        if (s->truncated > 0) return INFINITY;
        return pli_descent_error(&s->at);
    }
    double size = s->source_step;
    if (size < 0) size = pli_vector_max_abs(s->at.context, s->at.n, s->at.d);
    return size / s->def->step_unit;
}

// Newton's own measure of how far the minimum is; see pli_judge.
static bool is_step_small(newton *s)
{
    if (s->def->judge == PLI_JUDGE_GRADIENT) return false;
    // without a force there is nowhere to go, and no direction that could tell
    bool still = !(s->at.last.gradient > 0);
    if (!still && s->at.last.direction != PLI_DIRECTION_NEWTON) return false;
    return pli_descent_judge(&s->at, still ? 0 : judge_direction(s));
}

static double slope_of(const pli_descent *at)
{
    return pli_vector_dot(at->context, at->n, at->g, at->d);
}

static void search_along(newton *s, pli_line_report *found)
{
    pli_timers_begin(s->at.env->timers, "line search");
    pli_line line = pli_descent_line(&s->at, slope_of(&s->at));
    s->alpha_max = line.alpha_max;
    pli_line_search(&s->def->line_search, &line, found);
    s->at.last.energy_evaluations = found->evaluations;
    s->at.report->energy_evaluations += found->evaluations;
    pli_timers_end(s->at.env->timers);
}

// Last word when no decrease of E can be seen: a full Newton step is still good when it at least
// halves the norm of the gradient while E moves by no more than the predicted decrease, that is,
// by rounding. On success trial_x and trial_g hold the point and its gradient.
static bool improves_gradient(newton *s, pli_line_report *found)
{
    if (s->alpha_max < 1) return false;
    pli_timers_begin(s->at.env->timers, "line search");
    pli_context *context = s->at.context;
    pli_vector_copy(context, s->at.n, s->at.x, s->at.trial_x);
    pli_vector_axpy(context, s->at.n, 1, s->at.d, s->at.trial_x);
    pli_objective_project(s->at.objective, s->at.trial_x, NULL);
    pli_sum energy = pli_objective_energy(s->at.objective, s->at.trial_x);
    pli_objective_compute_gradient(s->at.objective, s->at.trial_x, s->at.trial_g);
    pli_vector_copy(context, s->at.n, s->at.trial_g, s->at.b);
    pli_objective_restrict(s->at.objective, s->at.b);
    double norm = pli_objective_norm(s->at.objective, s->at.b);
    double slope = slope_of(&s->at);
    pli_timers_end(s->at.env->timers);

    ++s->at.report->energy_evaluations;
    double noise = pli_rounding_of_distant_energy(energy.hi, s->at.env->energy_noise);
    bool good = norm <= 0.5 * pli_objective_norm(s->at.objective, s->at.g) &&
                fabs(pli_sum_difference(energy, s->at.energy)) <= fabs(slope) + noise;
    if (good) *found = (pli_line_report){.found = true, .alpha = 1, .energy = energy};
    return good;
}

static bool is_stuck(const newton *s, const pli_line_report *found)
{
    return s->def->safeguard && pli_line_is_stuck(found);
}

// Tries what is left after a line search that found nothing.
static void search_again(newton *s, pli_line_report *found)
{
    if (improves_gradient(s, found)) return;
    if (s->at.last.direction == PLI_DIRECTION_STEEPEST) return;
    use_steepest_descent(&s->at);
    search_along(s, found);
}

// Offers the new iterate to the owner of the problem when the step was short; see pli_minimize_env.
static void improve_iterate(pli_descent *at)
{
    if (at->env->improve == NULL || at->last.alpha >= short_step) return;
    pli_timers_begin(at->env->timers, "line search");
    pli_context *context = at->context;
    pli_vector_copy(context, at->n, at->x, at->trial_x);
    at->env->improve(at->env->user, at->trial_x);
    pli_objective_release(at->objective);
    pli_objective_project(at->objective, at->trial_x, NULL);
    pli_sum energy = pli_objective_energy(at->objective, at->trial_x);
    ++at->report->energy_evaluations;
    if (pli_sum_difference(energy, at->energy) < 0) {
        at->energy = energy;
        pli_vector_copy(context, at->n, at->trial_x, at->x);
        pli_objective_compute_gradient(at->objective, at->x, at->g);
    }
    pli_timers_end(at->env->timers);
}

// Lets terms adapt themselves, which may make another function of the objective.
static pli_status prepare_terms(pli_descent *at)
{
    bool changed = false;
    PLI_TRY(pli_objective_prepare(at->objective, at->x, &changed));
    if (!changed) return PLI_OK;
    pli_timers_begin(at->env->timers, "gradient");
    at->energy = pli_objective_energy(at->objective, at->x);
    pli_objective_compute_gradient(at->objective, at->x, at->g);
    ++at->report->energy_evaluations;
    pli_timers_end(at->env->timers);
    choose_active(at);
    at->report->energy = pli_sum_value(at->energy);
    at->last.gradient = sqrt(pli_vector_dot(at->context, at->n, at->g, at->g));
    return PLI_OK;
}

// One iteration; sets report->stop and *over when it has to be the last.
static pli_status iterate(void *self, bool *over)
{
    newton *s = self;
    *over = true;
    PLI_TRY(prepare_terms(&s->at));
    pli_direction_matrix made;
    bool projected = s->def->projected || should_project(s);
    PLI_TRY(pli_descent_prepare(&s->at, &s->def->source, projected, &made));
    if (!made.usable) return PLI_OK;
    s->definite = made.definite;
    PLI_TRY(compute_direction(s));
    if (!pli_descent_has_finite_direction(&s->at)) return PLI_OK;
    if (s->def->safeguard) guard_direction(s);
    // a small step is taken, too: what is left after it is smaller by far, and without it slow
    // motion would stand still
    bool small = is_step_small(s);
    if (small) s->at.report->stop = PLI_STOP_DIRECTION;
    if (s->def->source.ops->is_partial && !small && is_negligible(s)) use_steepest_descent(&s->at);
    if (is_negligible(s)) {
        if (!small) pli_descent_end(&s->at, true);
        return PLI_OK;
    }

    pli_line_report found;
    search_along(s, &found);
    if (small && !found.found) return PLI_OK;
    if (!found.found && s->def->safeguard) search_again(s, &found);
    if (is_stuck(s, &found)) {
        pli_descent_follow_jump(&s->at, &s->def->line_search, slope_of(&s->at), &found);
    }
    s->stuck_steps = is_stuck(s, &found) ? s->stuck_steps + 1 : 0;
    if (!found.found || s->stuck_steps >= STUCK_STEPS) {
        pli_descent_end(&s->at, pli_descent_hides_slope(&s->at, slope_of(&s->at)));
        return PLI_OK;
    }
    pli_descent_accept(&s->at, &found);
    pli_vector_copy(s->at.context, s->at.n, s->at.trial_x, s->at.x);
    improve_iterate(&s->at);
    choose_active(&s->at);
    *over = small;
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

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    static const pli_descent_ops ops = {tell, iterate};
    const pli_newton *minimizer = self;
    const pli_newton_def *def = &minimizer->def;
    newton s = {
        .def = def, .alpha_max = 1, .at = pli_descent_begin(minimizer->objective, env, x, report)};
    s.at.judge = def->judge;
    s.at.rules = (pli_stopping){.tolerance = def->tolerance,
                                .judges = def->judge == PLI_JUDGE_GRADIENT,
                                .max_iterations = def->max_iterations,
                                .fixed_iterations = def->fixed_iterations};
    PLI_TRY(pli_descent_take_vectors(&s.at, true));
    def->source.ops->begin(def->source.self);
    evaluate_start(&s.at);
    return pli_descent_run(&s.at, &ops, &s);
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
        .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

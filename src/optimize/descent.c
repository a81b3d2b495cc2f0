// SPDX-License-Identifier: Apache-2.0
#include "optimize/descent.h"

#include "optimize/rounding.h"

#include "linear/matrix/vector.h"

#include <float.h>
#include <math.h>

// ---- a minimisation

pli_descent pli_descent_begin(pli_objective *objective, const pli_minimize_env *env, double *x,
                              pli_minimize_report *report)
{
    return (pli_descent){.context = objective->context,
                         .objective = objective,
                         .env = env,
                         .report = report,
                         .n = 3 * (int64_t)objective->point_count,
                         .x = x,
                         .judged = INFINITY};
}

pli_status pli_descent_take_vectors(pli_descent *at, bool searches)
{
    pli_arena *arena = at->env->scratch;
    at->g = pli_arena_doubles(arena, at->n, "gradient");
    at->d = pli_arena_doubles(arena, at->n, "direction");
    at->b = pli_arena_doubles(arena, at->n, "right-hand side");
    bool complete = at->g != NULL && at->d != NULL && at->b != NULL;
    if (searches) {
        complete = complete && pli_line_take_trial(arena, at->objective, &at->trial_x, &at->trial_g,
                                                   &at->trial_d);
    }
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// Sets report->stop when the iteration has to end with what the report says.
static bool is_over(pli_descent *at)
{
    const pli_stopping *rules = &at->rules;
    pli_minimize_report *report = at->report;
    if (!isfinite(at->measure)) {
        report->stop = PLI_STOP_NONFINITE;
        return true;
    }
    if (rules->fixed_iterations > 0) {
        if (report->iterations < rules->fixed_iterations) return false;
        report->stop = PLI_STOP_FIXED;
        return true;
    }
    bool judged = rules->judges && report->iterations >= at->env->min_iterations;
    if (judged && report->residual <= rules->tolerance) {
        report->stop = PLI_STOP_GRADIENT;
        return true;
    }
    int32_t limit = at->env->max_iterations > 0 ? at->env->max_iterations : rules->max_iterations;
    if (report->iterations >= limit) {
        report->stop = PLI_STOP_ITERATIONS;
        return true;
    }
    return false;
}

pli_status pli_descent_run(pli_descent *at, const pli_descent_ops *ops, void *self)
{
    ops->tell(self);
    while (!is_over(at)) {
        PLI_TRY(pli_minimizer_check_cancel(at->context, at->env));
        bool over = false;
        int32_t before = at->report->iterations;
        at->last.linear_iterations = 0;
        at->last.energy_evaluations = 0;
        PLI_TRY(ops->iterate(self, &over));
        if (at->report->iterations > before) ops->tell(self);
        if (over) break;
    }
    return PLI_OK;
}

// ---- iterates

void pli_descent_evaluate_energy(pli_descent *at)
{
    pli_timers_begin(at->env->timers, "energy");
    at->energy = pli_objective_energy(at->objective, at->x);
    ++at->report->energy_evaluations;
    pli_timers_end(at->env->timers);
}

void pli_descent_measure(pli_descent *at)
{
    at->report->residual = pli_objective_norm(at->objective, at->g);
    if (at->judge != PLI_JUDGE_GRADIENT) at->report->residual = at->judged;
    at->last.gradient = pli_vector_norm(at->context, at->n, at->g);
    at->last.g = at->g;
}

void pli_descent_tell(pli_descent *at)
{
    at->last.iteration = at->report->iterations;
    at->last.residual = at->report->residual;
    at->last.energy = at->report->energy;
    if (at->env->monitor != NULL) at->env->monitor(at->env->user, &at->last);
}

// ---- directions

pli_status pli_descent_prepare(pli_descent *at, const pli_direction_source *source, bool projected,
                               pli_direction_matrix *made)
{
    pli_direction_point point = {.objective = at->objective,
                                 .x = at->x,
                                 .alpha = at->report->iterations > 0 ? at->last.alpha : 1,
                                 .projected = projected};
    *made = (pli_direction_matrix){0};
    PLI_TRY(source->ops->prepare(source->self, &point, made));
    bool finite = pli_objective_has_finite_hessian(at->objective);
    if (made->usable && finite) return PLI_OK;
    made->usable = false;
    at->report->stop = finite ? PLI_STOP_LINEAR : PLI_STOP_NONFINITE;
    return PLI_OK;
}

pli_status pli_descent_solve(pli_descent *at, const pli_direction_source *source, const double *g,
                             double tolerance, pli_direction_report *report)
{
    pli_status status =
        source->ops->solve(source->self, g, tolerance, at->env->scratch, at->d, report);
    at->last.linear_iterations += report->linear_iterations;
    at->report->linear_iterations += report->linear_iterations;
    return status;
}

// Share of the way to the minimum that a step makes; 0: it is not known.
static double share_of_step(const pli_error_estimate *e)
{
    bool steady = e->rate != PLI_RATE_SUPERLINEAR;
    int32_t window = steady ? PLI_ERROR_WINDOW : 1;
    int32_t back = e->count - 1 < window ? e->count - 1 : window;
    if (back < (steady ? 2 : 1)) return steady ? 0 : 1;
    double newest = e->work[(e->count - 1) % (PLI_ERROR_WINDOW + 1)];
    double oldest = e->work[(e->count - 1 - back) % (PLI_ERROR_WINDOW + 1)];
    // energies fall by the square of the rate
    double share = 1 - pow(newest / oldest, 0.5 / back);
    // what stagnates within rounding is not far from its end
    const double least = 0.01;
    if (!steady) return fmax(share, least);
    if (!(share > 0)) return 0;
    return e->rate == PLI_RATE_ACCELERATED ? 0.5 * share * share : share;
}

double pli_descent_error(pli_descent *at)
{
    pli_error_estimate *e = &at->error;
    double work = -0.5 * pli_vector_dot(at->context, at->n, at->g, at->d);
    if (!(work >= 0)) return INFINITY;
    e->work[e->count++ % (PLI_ERROR_WINDOW + 1)] = work;
    if (!(work > 0)) return 0;
    double share = share_of_step(e);
    if (!(share > 0)) return INFINITY;
    double rounding = DBL_EPSILON * pli_vector_max_abs(at->context, at->n, at->x) *
                      sqrt((double)at->n) * pli_vector_norm(at->context, at->n, at->g);
    if (work <= share * rounding) return 0;
    double stored = pli_objective_stored_energy(at->objective, at->x);
    return stored > 0 ? sqrt(work / (share * stored)) : INFINITY;
}

bool pli_descent_judge(pli_descent *at, double judged)
{
    at->judged = judged;
    at->report->residual = judged;
    return at->rules.fixed_iterations == 0 && judged <= at->rules.tolerance;
}

bool pli_descent_has_finite_direction(pli_descent *at)
{
    if (isfinite(pli_vector_dot(at->context, at->n, at->d, at->d))) return true;
    at->report->stop = PLI_STOP_NONFINITE;
    return false;
}

bool pli_descent_is_negligible(const pli_descent *at)
{
    double largest = pli_vector_max_abs(at->context, at->n, at->x);
    return pli_vector_max_abs(at->context, at->n, at->d) <= pli_rounding_of_coordinate(largest);
}

// ---- steps

pli_line pli_descent_line(const pli_descent *at, double slope)
{
    return (pli_line){
        .objective = at->objective,
        .x = at->x,
        .d = at->d,
        .energy = at->energy,
        .slope = slope,
        .noise = pli_rounding_of_energy(at->report->energy, at->env->energy_noise),
        .alpha_max = pli_objective_max_step(at->objective, at->x, at->d),
        .trial_x = at->trial_x,
        .trial_g = at->trial_g,
        .trial_d = at->trial_d,
    };
}

void pli_descent_follow_jump(pli_descent *at, const pli_line_search_def *def, double slope,
                             pli_line_report *found)
{
    if (at->frozen_steps >= PLI_FROZEN_STEPS) return;
    pli_timers_begin(at->env->timers, "line search");
    pli_line line = pli_descent_line(at, slope);
    int32_t before = found->evaluations;
    at->frozen_steps += pli_line_search_frozen(def, &line, found);
    at->last.energy_evaluations += found->evaluations - before;
    at->report->energy_evaluations += found->evaluations - before;
    pli_timers_end(at->env->timers);
}

void pli_descent_accept(pli_descent *at, const pli_line_report *found)
{
    at->last.alpha = found->alpha;
    at->energy = found->energy;
    double *swap = at->g;
    at->g = at->trial_g;
    at->trial_g = swap;
    ++at->report->iterations;
}

bool pli_descent_hides_slope(const pli_descent *at, double slope)
{
    return pli_rounding_hides_slope(slope, at->report->energy, at->env->energy_noise);
}

void pli_descent_end(pli_descent *at, bool is_rounding)
{
    if (at->report->residual <= at->rules.tolerance) {
        at->report->stop = PLI_STOP_GRADIENT;
    } else {
        at->report->stop = is_rounding ? PLI_STOP_ROUNDING : PLI_STOP_LINESEARCH;
    }
}

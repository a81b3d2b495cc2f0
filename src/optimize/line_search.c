// SPDX-License-Identifier: Apache-2.0
#include "optimize/line_search.h"

#include "linear/matrix/vector.h"

#include <math.h>

// a search that ends below this is stuck
static const double stuck_step = 1e-6;

// phi and phi' at one alpha
typedef struct sample {
    double alpha;
    pli_sum energy;
    double change; // phi(alpha) - phi(0)
    double slope;  // phi'(alpha), valid only once computed
} sample;

typedef struct search {
    const pli_line_search_def *def;
    const pli_line *line;
    pli_line_report *report;
} search;

static int64_t unknown_count(const pli_line *line)
{
    return 3 * (int64_t)line->objective->point_count;
}

// Moves trial_x to the point of the path at alpha.
static void move_to(const pli_line *line, double alpha)
{
    pli_context *context = line->objective->context;
    int64_t n = unknown_count(line);
    pli_vector_copy(context, n, line->x, line->trial_x);
    pli_vector_axpy(context, n, alpha, line->d, line->trial_x);
    if (!pli_objective_is_constrained(line->objective)) return;
    pli_vector_copy(context, n, line->d, line->trial_d);
    pli_objective_project(line->objective, line->trial_x, line->trial_d);
}

// Moves trial_x along the path and computes E there.
static sample evaluate_energy(const search *s, double alpha)
{
    const pli_line *line = s->line;
    move_to(line, alpha);
    ++s->report->evaluations;
    // what is above E(x) by more than noise is refused anyway: expensive terms may be left out
    double limit =
        s->def->kind == PLI_SEARCH_NONE ? INFINITY : pli_sum_value(line->energy) + 2 * line->noise;
    pli_sum energy = pli_objective_energy_below(line->objective, line->trial_x, limit);
    double change = pli_sum_difference(energy, line->energy);
    // a NaN is as unacceptable as an infinite energy
    if (isnan(change)) change = INFINITY;
    return (sample){alpha, energy, change, NAN};
}

// Adds phi' to a sample whose point trial_x still holds.
static void evaluate_slope(const search *s, sample *at)
{
    const pli_line *line = s->line;
    ++s->report->gradients;
    pli_objective_compute_gradient(line->objective, line->trial_x, line->trial_g);
    const double *d = pli_objective_is_constrained(line->objective) ? line->trial_d : line->d;
    at->slope = pli_vector_dot(line->objective->context, unknown_count(line), line->trial_g, d);
}

static void accept(const search *s, const sample *at)
{
    s->report->found = true;
    s->report->alpha = at->alpha;
    s->report->energy = at->energy;
}

// Makes trial_x and trial_g belong to a sample that is not the last one evaluated.
static void accept_again(const search *s, const sample *at)
{
    sample again = evaluate_energy(s, at->alpha);
    evaluate_slope(s, &again);
    accept(s, &again);
}

static bool has_sufficient_decrease(const search *s, const sample *at)
{
    return at->change <= s->def->decrease * at->alpha * s->line->slope;
}

static bool is_within_noise(const search *s, const sample *at)
{
    return fabs(at->change) <= s->line->noise;
}

static bool has_small_slope(const search *s, const sample *at)
{
    return fabs(at->slope) <= s->def->curvature * fabs(s->line->slope);
}

// Whether the slopes at both ends say that the energy falls, where its values cannot: that of the
// trial has not turned upwards as much as it went down at the start. It may well be as steep as
// there, as behind the short steps of methods that creep.
static bool falls_by_slope(const search *s, const sample *at)
{
    return at->slope <= s->def->curvature * fabs(s->line->slope);
}

// Minimiser of the cubic through two samples with slopes, kept well inside their interval
// (Nocedal and Wright 2006, eq. 3.59).
static double interpolate(const sample *low, const sample *high)
{
    double width = high->alpha - low->alpha;
    double middle = low->alpha + 0.5 * width;
    double trial = middle;
    if (isfinite(high->change) && !isnan(high->slope)) {
        double d1 = low->slope + high->slope - 3 * (low->change - high->change) / -width;
        double square = d1 * d1 - low->slope * high->slope;
        if (square >= 0) {
            double d2 = copysign(sqrt(square), width);
            trial =
                high->alpha - width * (high->slope + d2 - d1) / (high->slope - low->slope + 2 * d2);
        }
    } else if (isfinite(high->change)) {
        // quadratic through phi(low), phi'(low), phi(high)
        double curvature = high->change - low->change - low->slope * width;
        if (curvature > 0) trial = low->alpha - 0.5 * low->slope * width * width / curvature;
    }
    double nearest = fmin(low->alpha, high->alpha) + 0.1 * fabs(width);
    double farthest = fmax(low->alpha, high->alpha) - 0.1 * fabs(width);
    if (isnan(trial)) return middle;
    return fmin(fmax(trial, nearest), farthest);
}

// Within [low, high] there are points that satisfy the strong Wolfe conditions; low is the best
// sample so far that has sufficient decrease.
static void zoom(const search *s, sample low, sample high)
{
    while (s->report->evaluations < s->def->max_evaluations) {
        sample trial = evaluate_energy(s, interpolate(&low, &high));
        bool worse = !has_sufficient_decrease(s, &trial) || trial.change >= low.change;
        if (worse && !is_within_noise(s, &trial)) {
            high = trial;
            continue;
        }
        evaluate_slope(s, &trial);
        if (has_small_slope(s, &trial)) {
            accept(s, &trial);
            return;
        }
        if (worse) {
            high = trial;
            continue;
        }
        if (trial.slope * (high.alpha - low.alpha) >= 0) high = low;
        low = trial;
    }
    // out of budget: any decrease is better than none
    if (low.alpha > 0 && low.change < 0) accept_again(s, &low);
}

static void search_wolfe(const search *s)
{
    const pli_line *line = s->line;
    sample previous = {0, line->energy, 0, line->slope};
    double alpha = fmin(1, line->alpha_max);
    while (s->report->evaluations < s->def->max_evaluations) {
        sample trial = evaluate_energy(s, alpha);
        bool rises = !has_sufficient_decrease(s, &trial) ||
                     (previous.alpha > 0 && trial.change >= previous.change);
        if (rises && !is_within_noise(s, &trial)) {
            zoom(s, previous, trial);
            return;
        }
        evaluate_slope(s, &trial);
        if (has_small_slope(s, &trial)) {
            accept(s, &trial);
            return;
        }
        if (rises || trial.slope >= 0) {
            zoom(s, rises ? previous : trial, rises ? trial : previous);
            return;
        }
        // still going down steeply: look further
        if (alpha >= line->alpha_max) {
            accept(s, &trial);
            return;
        }
        previous = trial;
        alpha = fmin(2 * alpha, line->alpha_max);
    }
    if (previous.alpha > 0) accept_again(s, &previous);
}

static void search_backtracking(const search *s)
{
    double alpha = fmin(1, s->line->alpha_max);
    while (s->report->evaluations < s->def->max_evaluations) {
        sample trial = evaluate_energy(s, alpha);
        bool falls = has_sufficient_decrease(s, &trial);
        if (falls || is_within_noise(s, &trial)) {
            evaluate_slope(s, &trial);
            if (falls || falls_by_slope(s, &trial)) {
                accept(s, &trial);
                return;
            }
        }
        alpha *= 0.5;
    }
}

static void take_full_step(const search *s)
{
    sample trial = evaluate_energy(s, fmin(1, s->line->alpha_max));
    evaluate_slope(s, &trial);
    accept(s, &trial);
}

void pli_line_search(const pli_line_search_def *def, const pli_line *line, pli_line_report *report)
{
    *report = (pli_line_report){0};
    search s = {def, line, report};
    // nothing is to be found where it does not go down
    if (def->kind != PLI_SEARCH_NONE && !(line->slope < 0)) return;
    switch (def->kind) {
    case PLI_SEARCH_NONE: take_full_step(&s); break;
    case PLI_SEARCH_WOLFE: search_wolfe(&s); break;
    case PLI_SEARCH_BACKTRACKING: search_backtracking(&s); break;
    }
}

bool pli_line_is_stuck(const pli_line_report *report)
{
    return !report->found || report->alpha < stuck_step;
}

bool pli_line_search_frozen(const pli_line_search_def *def, const pli_line *line,
                            pli_line_report *report)
{
    if (!pli_objective_freeze(line->objective, line->x)) return false;
    pli_line_report before = *report;
    pli_line_search(def, line, report);
    pli_objective_freeze(line->objective, NULL);
    search s = {def, line, report};
    if (report->found) {
        // E as it really is there
        report->energy = pli_objective_energy(line->objective, line->trial_x);
        pli_objective_compute_gradient(line->objective, line->trial_x, line->trial_g);
        ++report->evaluations;
        ++report->gradients;
    } else if (before.found) {
        // what the first search had found is gone from the scratch
        sample again = {.alpha = before.alpha};
        accept_again(&s, &again);
    }
    report->evaluations += before.evaluations;
    report->gradients += before.gradients;
    return true;
}

bool pli_line_take_trial(pli_arena *arena, const pli_objective *objective, double **x, double **g,
                         double **d)
{
    int64_t n = 3 * (int64_t)objective->point_count;
    bool constrained = pli_objective_is_constrained(objective);
    *x = pli_arena_doubles(arena, n, "trial point");
    *g = pli_arena_doubles(arena, n, "trial gradient");
    *d = constrained ? pli_arena_doubles(arena, n, "trial direction") : NULL;
    return *x != NULL && *g != NULL && (!constrained || *d != NULL);
}

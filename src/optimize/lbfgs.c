// SPDX-License-Identifier: Apache-2.0
#include "optimize/lbfgs.h"

#include "optimize/rounding.h"
#include "optimize/stopping.h"

#include "base/memory.h"
#include "linear/matrix/vector.h"

#include <math.h>

// items per block of a loop over a vector, and doubles in the 64 bytes that vectors are aligned to
enum { GRAIN = 8192, ALIGNMENT = 8 };

// cosine between s and y below which a pair is nothing but rounding: that of a matrix with
// condition number k is at least 2 / sqrt(k)
static const double least_cosine = 1e-10;

// one more than the window: the pair that is being made
enum { SLOTS = PLI_LBFGS_WINDOW + 1 };

// steps in a row that lead nowhere before the minimisation ends
enum { STUCK_STEPS = 3 };

struct pli_lbfgs {
    pli_context *context;
    pli_lbfgs_def def;
    pli_objective *objective; // borrowed
    double energy_noise;      // of the step (J)

    // pairs of the minimisation that runs, in a ring of window + 1 slots
    int32_t first; // slot of the oldest
    int32_t count;
    int64_t capacity;  // entries that each vector has room for
    double *vectors;   // [window + 1][2][capacity]  s (m) and y (N) of every slot
    double rho[SLOTS]; // 1 / (y . s) (1/J)
};

// ---- creation

pli_status pli_lbfgs_create(pli_context *context, const pli_lbfgs_def *def,
                            pli_objective *objective, pli_lbfgs **minimizer)
{
    *minimizer = NULL;
    if (def->window < 0 || def->window > PLI_LBFGS_WINDOW) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the window of L-BFGS is %d pairs; it must be 0 to %d", (int)def->window,
                        (int)PLI_LBFGS_WINDOW);
    }
    if (def->initial.ops == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "L-BFGS has no initial operator; give it a source of directions");
    }
    pli_lbfgs *made = PLI_NEW(context, pli_lbfgs, 1, "L-BFGS");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->objective = objective;
    *minimizer = made;
    return PLI_OK;
}

void pli_lbfgs_destroy(pli_lbfgs *minimizer)
{
    if (minimizer == NULL) return;
    pli_release(minimizer->context, minimizer->vectors);
    pli_release(minimizer->context, minimizer);
}

// ---- the pairs

// Room for vectors of n entries; problems that grow a little every time do not ask every time.
static pli_status reserve_pairs(pli_lbfgs *m, int64_t n)
{
    if (m->def.window == 0 || n <= m->capacity) return PLI_OK;
    int64_t wanted = m->capacity > 0 ? n + n / 4 : n;
    int64_t capacity = (wanted + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    pli_release(m->context, m->vectors);
    m->capacity = 0;
    m->vectors = PLI_NEW(m->context, double, 2 * (m->def.window + 1) * capacity, "L-BFGS pairs");
    if (m->vectors == NULL) return PLI_ERROR_MEMORY;
    m->capacity = capacity;
    return PLI_OK;
}

static void forget_pairs(pli_lbfgs *m)
{
    m->first = 0;
    m->count = 0;
}

// Slot of a pair, the oldest first; that of `count` is free.
static int32_t slot_of(const pli_lbfgs *m, int32_t pair)
{
    return (m->first + pair) % (m->def.window + 1);
}

static double *s_of(const pli_lbfgs *m, int32_t pair)
{
    return m->vectors + 2 * slot_of(m, pair) * m->capacity;
}

static double *y_of(const pli_lbfgs *m, int32_t pair)
{
    return s_of(m, pair) + m->capacity;
}

static double rho_of(const pli_lbfgs *m, int32_t pair)
{
    return m->rho[slot_of(m, pair)];
}

// The pair in the free slot joins the others, the oldest of which goes when there is no more room.
static void keep_pair(pli_lbfgs *m, double rho)
{
    m->rho[slot_of(m, m->count)] = rho;
    if (m->count < m->def.window) {
        ++m->count;
    } else {
        m->first = slot_of(m, 1);
    }
}

// ---- one minimisation

// what a direction is made from, every one a fallback of that before
typedef enum origin { FROM_PAIRS, FROM_OPERATOR, FROM_GRADIENT } origin;

// everything one minimisation carries from stage to stage
typedef struct descent {
    pli_lbfgs *minimizer;
    const pli_lbfgs_def *def;
    pli_objective *objective;
    const pli_minimize_env *env;
    pli_minimize_report *report;
    int64_t n; // unknowns

    double *x;       // [n] current iterate, the caller's
    double *g;       // [n] gradient dE/dx at x
    double *d;       // [n] direction
    double *r;       // [n] -q of the two loops
    double *trial_x; // [n]
    double *trial_g; // [n]
    double *trial_d; // [n] NULL without constraints

    pli_sum energy;       // E(x)
    double slope;         // g . d
    double square;        // d . d
    double length;        // of the last step; 0: there was none
    int32_t age;          // iterations since the operator was made
    int32_t frozen_steps; // over jumps of E
    int32_t stuck_steps;  // in a row
    double error;         // that the last direction told of, where errors are judged
    pli_error_estimate estimate;
    pli_iterate last;
} descent;

static pli_context *context_of(const descent *s)
{
    return s->objective->context;
}

static pli_status take_scratch(descent *s)
{
    pli_arena *arena = s->env->scratch;
    s->g = pli_arena_doubles(arena, s->n, "gradient");
    s->d = pli_arena_doubles(arena, s->n, "direction");
    s->r = pli_arena_doubles(arena, s->n, "right-hand side");
    bool complete = s->g != NULL && s->d != NULL && s->r != NULL &&
                    pli_line_take_trial(arena, s->objective, &s->trial_x, &s->trial_g, &s->trial_d);
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

// E and dE/dx at x, with the constraints that are active there.
static void evaluate(descent *s)
{
    pli_timers_begin(s->env->timers, "gradient");
    s->energy = pli_objective_energy(s->objective, s->x);
    ++s->report->energy_evaluations;
    pli_objective_compute_gradient(s->objective, s->x, s->g);
    pli_objective_choose_active(s->objective, s->x, s->g);
    pli_timers_end(s->env->timers);
}

static void measure_iterate(descent *s)
{
    pli_stopping_measure(s->objective, s->g, s->report, &s->last);
    if (s->def->judge == PLI_JUDGE_ERROR) s->report->residual = s->error;
    s->report->energy = pli_sum_value(s->energy);
}

static void tell_iterate(descent *s)
{
    measure_iterate(s);
    pli_stopping_tell(s->env, s->report, &s->last);
}

// Forgets the pairs after an iteration that raised the residual.
static void restart_if_worse(descent *s, double residual_before)
{
    bool is_worse = s->report->residual > residual_before;
    if (s->def->restarts && is_worse) forget_pairs(s->minimizer);
}

// Sets report->stop when the iteration has to end here.
static bool is_over(descent *s)
{
    pli_stopping rules = {.tolerance = s->def->tolerance,
                          .judges = s->def->judge == PLI_JUDGE_GRADIENT,
                          .max_iterations = s->def->max_iterations,
                          .fixed_iterations = s->def->fixed_iterations};
    return pli_stopping_is_over(&rules, s->env, s->report->energy + s->last.gradient, s->report);
}

// ---- the operator

// Makes B at x, and forgets the pairs that belonged to another one.
static pli_status make_operator(descent *s, bool *usable)
{
    bool changed = false;
    PLI_TRY(pli_objective_prepare(s->objective, s->x, &changed));
    if (changed) {
        evaluate(s);
        measure_iterate(s);
    }
    forget_pairs(s->minimizer);
    s->age = 0;
    pli_direction_point at = {.objective = s->objective,
                              .x = s->x,
                              .alpha = s->report->iterations > 0 ? s->last.alpha : 1,
                              .projected = true};
    pli_direction_matrix made = {0};
    const pli_direction_source *initial = &s->def->initial;
    pli_status status = initial->ops->prepare(initial->self, &at, &made);
    *usable = made.usable;
    return status;
}

static bool is_operator_due(const descent *s)
{
    return s->report->iterations == 0 || (s->def->refresh > 0 && s->age >= s->def->refresh);
}

// d = B q with q = -r
static pli_status apply_operator(descent *s)
{
    pli_direction_report report = {0};
    const pli_direction_source *initial = &s->def->initial;
    pli_status status = initial->ops->solve(initial->self, s->r, 0, s->env->scratch, s->d, &report);
    s->last.linear_iterations += report.linear_iterations;
    s->report->linear_iterations += report.linear_iterations;
    return status;
}

// ---- directions

// The first loop: r = g, and for the pairs from the newest a = rho s.r, r -= a y. Every subtraction
// gives the product for the pair after it.
static void subtract_pairs(descent *s, double a[PLI_LBFGS_WINDOW])
{
    const pli_lbfgs *m = s->minimizer;
    pli_context *context = context_of(s);
    pli_vector_copy(context, s->n, s->g, s->r);
    if (m->count == 0) return;
    double product = pli_vector_dot(context, s->n, s_of(m, m->count - 1), s->r);
    for (int32_t k = m->count - 1; k > 0; --k) {
        a[k] = rho_of(m, k) * product;
        product = pli_vector_axpy_dot(context, s->n, -a[k], y_of(m, k), s->r, s_of(m, k - 1));
    }
    a[0] = rho_of(m, 0) * product;
    pli_vector_axpy(context, s->n, -a[0], y_of(m, 0), s->r);
}

// The second loop: for the pairs from the oldest d -= (a + rho y.d) s, since a is that of -q.
static void add_pairs(descent *s, const double a[PLI_LBFGS_WINDOW])
{
    const pli_lbfgs *m = s->minimizer;
    pli_context *context = context_of(s);
    if (m->count == 0) return;
    double product = pli_vector_dot(context, s->n, y_of(m, 0), s->d);
    for (int32_t k = 0; k + 1 < m->count; ++k) {
        double b = a[k] + rho_of(m, k) * product;
        product = pli_vector_axpy_dot(context, s->n, -b, s_of(m, k), s->d, y_of(m, k + 1));
    }
    int32_t newest = m->count - 1;
    double b = a[newest] + rho_of(m, newest) * product;
    pli_vector_axpy(context, s->n, -b, s_of(m, newest), s->d);
}

static pli_status use_pairs(descent *s)
{
    double a[PLI_LBFGS_WINDOW];
    pli_timers_begin(s->env->timers, "pairs");
    subtract_pairs(s, a);
    pli_timers_end(s->env->timers);
    PLI_TRY(apply_operator(s));
    pli_timers_begin(s->env->timers, "pairs");
    add_pairs(s, a);
    pli_objective_restrict(s->objective, s->d); // against rounding of the operator
    pli_timers_end(s->env->timers);
    s->last.direction = PLI_DIRECTION_NEWTON;
    return PLI_OK;
}

// d = -g with the length of the last step, or of what the operator answered when there was none
static void use_gradient(descent *s)
{
    double length = s->length > 0 ? s->length : sqrt(s->square);
    pli_vector_copy(context_of(s), s->n, s->g, s->d);
    pli_vector_scale(context_of(s), s->n, -length / s->last.gradient, s->d);
    s->last.direction = PLI_DIRECTION_STEEPEST;
}

static pli_status compute_direction(descent *s, origin from)
{
    if (from == FROM_OPERATOR) forget_pairs(s->minimizer);
    if (from == FROM_GRADIENT) {
        use_gradient(s);
    } else {
        PLI_TRY(use_pairs(s));
    }
    pli_dots dots = pli_vector_dots(context_of(s), s->n, s->g, s->d, s->d);
    s->slope = dots.first;
    s->square = dots.second;
    return PLI_OK;
}

// ---- steps

static void search_along(descent *s, pli_line_report *found)
{
    pli_timers_begin(s->env->timers, "line search");
    pli_line line = {.objective = s->objective,
                     .x = s->x,
                     .d = s->d,
                     .energy = s->energy,
                     .slope = s->slope,
                     .noise = pli_rounding_of_energy(s->report->energy, s->minimizer->energy_noise),
                     .alpha_max = pli_objective_max_step(s->objective, s->x, s->d),
                     .trial_x = s->trial_x,
                     .trial_g = s->trial_g,
                     .trial_d = s->trial_d};
    pli_line_search(&s->def->line_search, &line, found);
    if (pli_line_is_stuck(found) && s->frozen_steps < PLI_FROZEN_STEPS) {
        s->frozen_steps += pli_line_search_frozen(&s->def->line_search, &line, found);
    }
    s->last.energy_evaluations += found->evaluations;
    s->report->energy_evaluations += found->evaluations;
    pli_timers_end(s->env->timers);
}

// x <- trial_x, and the pair of the step into the free slot; returns y.s and y.y.
static pli_sum_pair move_range(void *user, int64_t begin, int64_t end)
{
    const descent *s = user;
    const pli_lbfgs *m = s->minimizer;
    double *step = s_of(m, m->count) + begin;
    double *change = y_of(m, m->count) + begin;
    int64_t count = end - begin;
    for (int64_t k = 0; k < count; ++k) {
        step[k] = s->trial_x[begin + k] - s->x[begin + k];
        change[k] = s->trial_g[begin + k] - s->g[begin + k];
        s->x[begin + k] = s->trial_x[begin + k];
    }
    return (pli_sum_pair){{pli_vector_dot_part(count, change, step), 0},
                          {pli_vector_dot_part(count, change, change), 0}};
}

// The pair is kept unless y.s is so small, or negative, that it says nothing about the curvature.
static void move_with_pair(descent *s)
{
    pli_sum_pair sums = pli_parallel_sum_pair(context_of(s), s->n, GRAIN, move_range, s);
    double product = pli_sum_value(sums.first);
    double size = s->length * sqrt(pli_sum_value(sums.second));
    bool safe = product > least_cosine * size && isfinite(1 / product);
    if (safe) {
        keep_pair(s->minimizer, 1 / product);
    } else {
        ++s->report->dropped_pairs;
    }
}

static void take_step(descent *s, const pli_line_report *found)
{
    pli_timers_begin(s->env->timers, "pairs");
    s->length = found->alpha * sqrt(s->square);
    pli_objective_restrict(s->objective, s->trial_g);
    if (s->def->window > 0) {
        move_with_pair(s);
    } else {
        pli_vector_copy(context_of(s), s->n, s->trial_x, s->x);
    }
    pli_timers_end(s->env->timers);
    double *swap = s->g;
    s->g = s->trial_g;
    s->trial_g = swap;
    s->energy = found->energy;
    s->last.alpha = found->alpha;
    ++s->age;
    ++s->report->iterations;

    // pairs that lead to next to no step had better go
    s->stuck_steps = pli_line_is_stuck(found) ? s->stuck_steps + 1 : 0;
    if (s->stuck_steps > 0) forget_pairs(s->minimizer);
}

// Whether a direction tells that the error is under the tolerance. The step is taken all the same:
// what is left after it is smaller by far.
static bool is_error_small(descent *s, origin from)
{
    if (s->def->judge != PLI_JUDGE_ERROR || from == FROM_GRADIENT) return false;
    s->error = pli_error_of_step(&s->estimate, s->objective, s->x, s->g, s->d);
    s->report->residual = s->error;
    return s->def->fixed_iterations == 0 && s->error <= s->def->tolerance;
}

// Goes from one kind of direction to the next until a search finds a step; otherwise the report
// tells why there is none. *small: the error was under the tolerance.
static pli_status find_step(descent *s, pli_line_report *found, bool *small)
{
    origin from = s->minimizer->count > 0 ? FROM_PAIRS : FROM_OPERATOR;
    *small = false;
    for (; !found->found && from <= FROM_GRADIENT; ++from) {
        PLI_TRY(compute_direction(s, from));
        if (!isfinite(s->square)) {
            s->report->stop = PLI_STOP_NONFINITE;
            return PLI_OK;
        }
        *small = is_error_small(s, from);
        if (pli_stopping_is_negligible(context_of(s), s->n, s->d, s->x)) {
            if (!*small) pli_stopping_end(s->def->tolerance, true, s->report);
            return PLI_OK;
        }
        if (!(s->slope < 0)) continue;
        search_along(s, found);
        if (*small) return PLI_OK;
        bool rounding =
            pli_rounding_hides_slope(s->slope, s->report->energy, s->minimizer->energy_noise);
        pli_stopping_end(s->def->tolerance, rounding, s->report);
        if (rounding && from == FROM_OPERATOR) break;
    }
    return PLI_OK;
}

// One iteration; sets report->stop and *over when it has to be the last.
static pli_status iterate(descent *s, bool *over)
{
    *over = true;
    s->last.linear_iterations = 0;
    s->last.energy_evaluations = 0;
    if (is_operator_due(s)) {
        bool usable = false;
        PLI_TRY(make_operator(s, &usable));
        bool finite = pli_objective_has_finite_hessian(s->objective);
        if (!usable || !finite) {
            s->report->stop = finite ? PLI_STOP_LINEAR : PLI_STOP_NONFINITE;
            return PLI_OK;
        }
    }
    pli_line_report found = {0};
    bool small = false;
    PLI_TRY(find_step(s, &found, &small));
    if (small) s->report->stop = PLI_STOP_DIRECTION;
    if (!found.found) return PLI_OK;
    take_step(s, &found);
    *over = small || s->stuck_steps >= STUCK_STEPS;
    return PLI_OK;
}

static pli_status run(descent *s)
{
    PLI_TRY(take_scratch(s));
    PLI_TRY(reserve_pairs(s->minimizer, s->n));
    s->def->initial.ops->begin(s->def->initial.self);
    pli_objective_release(s->objective);
    pli_objective_project(s->objective, s->x, NULL);
    evaluate(s);
    tell_iterate(s);
    while (!is_over(s)) {
        PLI_TRY(pli_stopping_check_cancel(context_of(s), s->env));
        bool over = false;
        int32_t iterations = s->report->iterations;
        PLI_TRY(iterate(s, &over));
        double residual = s->report->residual; // of where the iteration began
        if (s->report->iterations > iterations) {
            tell_iterate(s);
            restart_if_worse(s, residual);
        }
        if (over) break;
    }
    return PLI_OK;
}

// ---- the minimiser

static pli_status begin_step(void *self, const pli_minimizer_step *step)
{
    pli_lbfgs *minimizer = self;
    minimizer->energy_noise = step->energy_noise;
    return PLI_OK;
}

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    pli_lbfgs *minimizer = self;
    forget_pairs(minimizer);
    descent s = {.minimizer = minimizer,
                 .def = &minimizer->def,
                 .objective = minimizer->objective,
                 .env = env,
                 .report = report,
                 .n = 3 * (int64_t)minimizer->objective->point_count,
                 .error = INFINITY,
                 .x = x};
    return run(&s);
}

static int64_t memory(const void *self)
{
    const pli_lbfgs *minimizer = self;
    return (int64_t)(pli_memory_size(minimizer) + pli_memory_size(minimizer->vectors));
}

static void destroy(void *self)
{
    pli_lbfgs_destroy(self);
}

pli_minimizer pli_lbfgs_minimizer(pli_lbfgs *minimizer)
{
    static const pli_minimizer_ops ops = {
        .begin_step = begin_step, .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

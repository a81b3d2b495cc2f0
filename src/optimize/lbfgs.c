// SPDX-License-Identifier: Apache-2.0
#include "optimize/lbfgs.h"

#include "optimize/descent.h"

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

// What one minimisation carries from stage to stage; b of `at` is -q of the two loops.
typedef struct lbfgs {
    pli_lbfgs *minimizer;
    const pli_lbfgs_def *def;
    pli_descent at;
    double slope;        // g . d
    double square;       // d . d
    double length;       // of the last step; 0: there was none
    int32_t age;         // iterations since the operator was made
    int32_t stuck_steps; // in a row
} lbfgs;

// E and dE/dx at x, with the constraints that are active there.
static void evaluate(pli_descent *at)
{
    pli_timers_begin(at->env->timers, "gradient");
    at->energy = pli_objective_energy(at->objective, at->x);
    ++at->report->energy_evaluations;
    pli_objective_compute_gradient(at->objective, at->x, at->g);
    pli_objective_choose_active(at->objective, at->x, at->g);
    pli_timers_end(at->env->timers);
}

static void measure_iterate(pli_descent *at)
{
    pli_descent_measure(at);
    at->report->energy = pli_sum_value(at->energy);
}

static void tell(void *self)
{
    lbfgs *s = self;
    double before = s->at.report->residual; // of where the iteration began
    measure_iterate(&s->at);
    s->at.measure = s->at.report->energy + s->at.last.gradient;
    pli_descent_tell(&s->at);
    if (s->def->restarts && s->at.report->residual > before) forget_pairs(s->minimizer);
}

// ---- the operator

// Makes B at x, and forgets the pairs that belonged to another one.
static pli_status make_operator(lbfgs *s, pli_direction_matrix *made)
{
    bool changed = false;
    PLI_TRY(pli_objective_prepare(s->at.objective, s->at.x, &changed));
    if (changed) {
        evaluate(&s->at);
        measure_iterate(&s->at);
    }
    forget_pairs(s->minimizer);
    s->age = 0;
    return pli_descent_prepare(&s->at, &s->def->initial, true, made);
}

// ---- directions

// The first loop: r = g, and for the pairs from the newest a = rho s.r, r -= a y. Every subtraction
// gives the product for the pair after it.
static void subtract_pairs(lbfgs *s, double a[PLI_LBFGS_WINDOW])
{
    const pli_lbfgs *m = s->minimizer;
    pli_context *context = s->at.context;
    pli_vector_copy(context, s->at.n, s->at.g, s->at.b);
    if (m->count == 0) return;
    double product = pli_vector_dot(context, s->at.n, s_of(m, m->count - 1), s->at.b);
    for (int32_t k = m->count - 1; k > 0; --k) {
        a[k] = rho_of(m, k) * product;
        product = pli_vector_axpy_dot(context, s->at.n, -a[k], y_of(m, k), s->at.b, s_of(m, k - 1));
    }
    a[0] = rho_of(m, 0) * product;
    pli_vector_axpy(context, s->at.n, -a[0], y_of(m, 0), s->at.b);
}

// The second loop: for the pairs from the oldest d -= (a + rho y.d) s, since a is that of -q.
static void add_pairs(lbfgs *s, const double a[PLI_LBFGS_WINDOW])
{
    const pli_lbfgs *m = s->minimizer;
    pli_context *context = s->at.context;
    if (m->count == 0) return;
    double product = pli_vector_dot(context, s->at.n, y_of(m, 0), s->at.d);
    for (int32_t k = 0; k + 1 < m->count; ++k) {
        double b = a[k] + rho_of(m, k) * product;
        product = pli_vector_axpy_dot(context, s->at.n, -b, s_of(m, k), s->at.d, y_of(m, k + 1));
    }
    int32_t newest = m->count - 1;
    double b = a[newest] + rho_of(m, newest) * product;
    pli_vector_axpy(context, s->at.n, -b, s_of(m, newest), s->at.d);
}

static pli_status use_pairs(lbfgs *s)
{
    double a[PLI_LBFGS_WINDOW];
    pli_timers_begin(s->at.env->timers, "pairs");
    subtract_pairs(s, a);
    pli_timers_end(s->at.env->timers);
    PLI_TRY(pli_descent_solve(&s->at, &s->def->initial, s->at.b, 0, &(pli_direction_report){0}));
    pli_timers_begin(s->at.env->timers, "pairs");
    add_pairs(s, a);
    pli_objective_restrict(s->at.objective, s->at.d); // against rounding of the operator
    pli_timers_end(s->at.env->timers);
    s->at.last.direction = PLI_DIRECTION_NEWTON;
    return PLI_OK;
}

// d = -g with the length of the last step, or of what the operator answered when there was none
static void use_gradient(lbfgs *s)
{
    double length = s->length > 0 ? s->length : sqrt(s->square);
    pli_vector_copy(s->at.context, s->at.n, s->at.g, s->at.d);
    pli_vector_scale(s->at.context, s->at.n, -length / s->at.last.gradient, s->at.d);
    s->at.last.direction = PLI_DIRECTION_STEEPEST;
}

static pli_status compute_direction(lbfgs *s, origin from)
{
    if (from == FROM_OPERATOR) forget_pairs(s->minimizer);
    if (from == FROM_GRADIENT) {
        use_gradient(s);
    } else {
        PLI_TRY(use_pairs(s));
    }
    pli_dots dots = pli_vector_dots(s->at.context, s->at.n, s->at.g, s->at.d, s->at.d);
    s->slope = dots.first;
    s->square = dots.second;
    return PLI_OK;
}

// ---- steps

static void search_along(lbfgs *s, pli_line_report *found)
{
    pli_timers_begin(s->at.env->timers, "line search");
    pli_line line = pli_descent_line(&s->at, s->slope);
    pli_line_search(&s->def->line_search, &line, found);
    s->at.last.energy_evaluations += found->evaluations;
    s->at.report->energy_evaluations += found->evaluations;
    pli_timers_end(s->at.env->timers);
    if (pli_line_is_stuck(found)) {
        pli_descent_follow_jump(&s->at, &s->def->line_search, s->slope, found);
    }
}

// x <- trial_x, and the pair of the step into the free slot; returns y.s and y.y.
static pli_sum_pair move_range(void *user, int64_t begin, int64_t end)
{
    const lbfgs *s = user;
    const pli_lbfgs *m = s->minimizer;
    double *step = s_of(m, m->count) + begin;
    double *change = y_of(m, m->count) + begin;
    int64_t count = end - begin;
    for (int64_t k = 0; k < count; ++k) {
        step[k] = s->at.trial_x[begin + k] - s->at.x[begin + k];
        change[k] = s->at.trial_g[begin + k] - s->at.g[begin + k];
        s->at.x[begin + k] = s->at.trial_x[begin + k];
    }
    return (pli_sum_pair){{pli_vector_dot_part(count, change, step), 0},
                          {pli_vector_dot_part(count, change, change), 0}};
}

// The pair is kept unless y.s is so small, or negative, that it says nothing about the curvature.
static void move_with_pair(lbfgs *s)
{
    pli_sum_pair sums = pli_parallel_sum_pair(s->at.context, s->at.n, GRAIN, move_range, s);
    double product = pli_sum_value(sums.first);
    double size = s->length * sqrt(pli_sum_value(sums.second));
    bool safe = product > least_cosine * size && isfinite(1 / product);
    if (safe) {
        keep_pair(s->minimizer, 1 / product);
    } else {
        ++s->at.report->dropped_pairs;
    }
}

static void take_step(lbfgs *s, const pli_line_report *found)
{
    pli_timers_begin(s->at.env->timers, "pairs");
    s->length = found->alpha * sqrt(s->square);
    pli_objective_restrict(s->at.objective, s->at.trial_g);
    if (s->def->window > 0) {
        move_with_pair(s);
    } else {
        pli_vector_copy(s->at.context, s->at.n, s->at.trial_x, s->at.x);
    }
    pli_timers_end(s->at.env->timers);
    pli_descent_accept(&s->at, found);
    ++s->age;

    // pairs that lead to next to no step had better go
    s->stuck_steps = pli_line_is_stuck(found) ? s->stuck_steps + 1 : 0;
    if (s->stuck_steps > 0) forget_pairs(s->minimizer);
}

// Whether a direction tells that the error is under the tolerance. The step is taken all the same:
// what is left after it is smaller by far.
static bool is_error_small(lbfgs *s, origin from)
{
    if (s->def->judge != PLI_JUDGE_ERROR || from == FROM_GRADIENT) return false;
    return pli_descent_judge(&s->at, pli_descent_error(&s->at));
}

// Goes from one kind of direction to the next until a search finds a step; otherwise the report
// tells why there is none. *small: the error was under the tolerance.
static pli_status find_step(lbfgs *s, pli_line_report *found, bool *small)
{
    origin from = s->minimizer->count > 0 ? FROM_PAIRS : FROM_OPERATOR;
    *small = false;
    for (; !found->found && from <= FROM_GRADIENT; ++from) {
        PLI_TRY(compute_direction(s, from));
        if (!isfinite(s->square)) {
            s->at.report->stop = PLI_STOP_NONFINITE;
            return PLI_OK;
        }
        *small = is_error_small(s, from);
        if (pli_descent_is_negligible(&s->at)) {
            if (!*small) pli_descent_end(&s->at, true);
            return PLI_OK;
        }
        if (!(s->slope < 0)) continue;
        search_along(s, found);
        if (*small) return PLI_OK;
        bool rounding = pli_descent_hides_slope(&s->at, s->slope);
        pli_descent_end(&s->at, rounding);
        if (rounding && from == FROM_OPERATOR) break;
    }
    return PLI_OK;
}

// One iteration; sets report->stop and *over when it has to be the last.
static pli_status iterate(void *self, bool *over)
{
    lbfgs *s = self;
    *over = true;
    bool is_due =
        s->at.report->iterations == 0 || (s->def->refresh > 0 && s->age >= s->def->refresh);
    if (is_due) {
        pli_direction_matrix made;
        PLI_TRY(make_operator(s, &made));
        if (!made.usable) return PLI_OK;
    }
    pli_line_report found = {0};
    bool small = false;
    PLI_TRY(find_step(s, &found, &small));
    if (small) s->at.report->stop = PLI_STOP_DIRECTION;
    if (!found.found) return PLI_OK;
    take_step(s, &found);
    *over = small || s->stuck_steps >= STUCK_STEPS;
    return PLI_OK;
}

// ---- the minimiser

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    static const pli_descent_ops ops = {tell, iterate};
    pli_lbfgs *minimizer = self;
    const pli_lbfgs_def *def = &minimizer->def;
    lbfgs s = {.minimizer = minimizer,
               .def = def,
               .at = pli_descent_begin(minimizer->objective, env, x, report)};
    s.at.judge = def->judge;
    s.at.rules = (pli_stopping){.tolerance = def->tolerance,
                                .judges = def->judge == PLI_JUDGE_GRADIENT,
                                .max_iterations = def->max_iterations,
                                .fixed_iterations = def->fixed_iterations};
    forget_pairs(minimizer);
    PLI_TRY(pli_descent_take_vectors(&s.at, true));
    PLI_TRY(reserve_pairs(minimizer, s.at.n));
    def->initial.ops->begin(def->initial.self);
    pli_objective_release(minimizer->objective);
    pli_objective_project(minimizer->objective, x, NULL);
    evaluate(&s.at);
    return pli_descent_run(&s.at, &ops, &s);
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
        .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

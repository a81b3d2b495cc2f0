// SPDX-License-Identifier: Apache-2.0
#include "optimize/local_global.h"

#include "optimize/rounding.h"
#include "optimize/stopping.h"

#include "linear/matrix/vector.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { GRAIN = 8192 };

// stiffness of a held coordinate over the diagonal of its vertex
static const double hold_factor = 1e6;

struct pli_local_global {
    pli_context *context;
    pli_local_global_def def;
    pli_objective *objective; // borrowed
    double energy_noise;      // of the step (J)
    pli_lifted *A;
    pli_lifted_solver *solver;

    // what A was assembled for
    bool is_assembled;
    uint64_t coefficients;
    uint8_t *fixed;    // [point_count]  bits of held coordinates
    bool holds_partly; // some vertex has one or two of them

    // what the solver knows
    bool is_built; // the values of A; its blocks are those of A
    bool definite;

    // blocks at the current x
    bool has_blocks; // some term adds to them in this step
    double *sums;    // [point_count][6]  what the terms add; NULL: none ever does
    int32_t block_count;
    int32_t block_capacity;
    int32_t *block_row; // [block_capacity]  increasing
    double *blocks;     // [block_capacity][9]
};

// ---- creation

static pli_status check_term(pli_context *context, const pli_term_ops *ops)
{
    if (ops->add_hessian != NULL && ops->add_lifted == NULL && ops->add_blocks == NULL) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "the term \"%s\" has no part in the constant matrix of a local-global "
                        "minimisation; use a Newton method",
                        ops->name);
    }
    if (ops->prepare != NULL) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "the term \"%s\" couples other points in every iteration, which a constant "
                        "matrix cannot follow; use a Newton method",
                        ops->name);
    }
    return PLI_OK;
}

static pli_status check_objective(pli_context *context, const pli_objective *objective)
{
    if (pli_objective_is_constrained(objective)) {
        return PLI_FAIL(
            context, PLI_ERROR_UNSUPPORTED,
            "a local-global minimisation knows no inequality constraints; use penalties "
            "or a Newton method");
    }
    for (int32_t k = 0; k < objective->term_count; ++k) {
        PLI_TRY(check_term(context, objective->terms[k].ops));
    }
    return PLI_OK;
}

static pli_status check_def(pli_context *context, const pli_local_global_def *def)
{
    if (def->chebyshev_rho == 0) return PLI_OK;
    if (!(def->chebyshev_rho > 0 && def->chebyshev_rho < 1 && def->chebyshev_gamma > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "Chebyshev acceleration has rho %g and gamma %g; it needs rho between 0 "
                        "and 1 and a positive gamma",
                        def->chebyshev_rho, def->chebyshev_gamma);
    }
    if (def->line_search.kind != PLI_SEARCH_NONE) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "Chebyshev acceleration is not monotone; use it without a line search");
    }
    return PLI_OK;
}

static pli_status build_matrix(pli_local_global *made)
{
    pli_context *context = made->context;
    int32_t points = made->objective->point_count;
    pli_clique_list lists[PLI_OBJECTIVE_TERMS];
    int32_t list_count = pli_objective_get_cliques(made->objective, lists);
    PLI_TRY(pli_lifted_create(context, points, list_count, lists, &made->A));
    PLI_TRY(pli_lifted_solver_create(context, &made->def.linear, made->A, &made->solver));

    made->fixed = PLI_NEW(context, uint8_t, points, "held coordinates");
    if (made->fixed == NULL) return PLI_ERROR_MEMORY;
    bool may_have_blocks = false;
    for (int32_t k = 0; k < made->objective->term_count; ++k) {
        if (made->objective->terms[k].ops->add_blocks != NULL) may_have_blocks = true;
    }
    if (!may_have_blocks) return PLI_OK;
    made->sums = PLI_NEW(context, double, 6 * (int64_t)points, "diagonal blocks");
    return made->sums != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_local_global_create(pli_context *context, const pli_local_global_def *def,
                                   pli_objective *objective, pli_local_global **minimizer)
{
    *minimizer = NULL;
    PLI_TRY(check_def(context, def));
    PLI_TRY(check_objective(context, objective));
    pli_local_global *made = PLI_NEW(context, pli_local_global, 1, "local-global minimiser");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->objective = objective;
    pli_status status = build_matrix(made);
    if (status != PLI_OK) {
        pli_local_global_destroy(made);
        return status;
    }
    *minimizer = made;
    return PLI_OK;
}

void pli_local_global_destroy(pli_local_global *minimizer)
{
    if (minimizer == NULL) return;
    pli_context *context = minimizer->context;
    pli_lifted_solver_destroy(minimizer->solver);
    pli_lifted_destroy(minimizer->A);
    pli_release(context, minimizer->fixed);
    pli_release(context, minimizer->sums);
    pli_release(context, minimizer->block_row);
    pli_release(context, minimizer->blocks);
    pli_release(context, minimizer);
}

const pli_lifted *pli_local_global_matrix(const pli_local_global *minimizer)
{
    return minimizer->A;
}

// ---- the matrix

static bool has_same_holds(const pli_local_global *m)
{
    for (int32_t point = 0; point < m->objective->point_count; ++point) {
        if (m->fixed[point] != pli_objective_fixed_axes(m->objective, point)) return false;
    }
    return true;
}

static void take_holds(pli_local_global *m)
{
    m->holds_partly = false;
    for (int32_t point = 0; point < m->objective->point_count; ++point) {
        uint8_t mask = pli_objective_fixed_axes(m->objective, point);
        m->fixed[point] = mask;
        if (mask != 0 && mask != 7) m->holds_partly = true;
    }
}

static pli_status begin_step(void *self, const pli_minimizer_step *step)
{
    pli_local_global *m = self;
    m->energy_noise = step->energy_noise;
    bool is_same = m->is_assembled && m->coefficients == step->coefficients && has_same_holds(m);
    if (is_same) return PLI_OK;
    pli_lifted_set_zero(m->A);
    for (int32_t k = 0; k < m->objective->term_count; ++k) {
        const pli_term *term = &m->objective->terms[k];
        if (term->ops->add_lifted != NULL) term->ops->add_lifted(term->self, m->A);
    }
    take_holds(m);
    pli_lifted_close(m->A, m->fixed);
    m->coefficients = step->coefficients;
    m->is_assembled = true;
    m->is_built = false;
    return PLI_OK;
}

// Makes room for one more block.
static pli_status reserve_block(pli_local_global *m)
{
    if (m->block_count < m->block_capacity) return PLI_OK;
    int32_t capacity = 16 + m->block_capacity + m->block_capacity / 2;
    int32_t *rows =
        pli_reallocate(m->context, m->block_row, capacity, sizeof *rows, "diagonal blocks");
    if (rows == NULL) return PLI_ERROR_MEMORY;
    m->block_row = rows;
    double *blocks = pli_reallocate(m->context, m->blocks, 9 * (int64_t)capacity, sizeof *blocks,
                                    "diagonal blocks");
    if (blocks == NULL) return PLI_ERROR_MEMORY;
    m->blocks = blocks;
    m->block_capacity = capacity;
    return PLI_OK;
}

// D of a vertex: what the terms add (xx, yy, zz, xy, xz, yz), with held coordinates made stiff
static void make_block(const double sum[6], uint8_t mask, double stiffness, double D[9])
{
    const double whole[9] = {sum[0], sum[3], sum[4], sum[3], sum[1],
                             sum[5], sum[4], sum[5], sum[2]};
    for (int k = 0; k < 9; ++k) {
        bool held = (mask & (1u << (k / 3) | 1u << (k % 3))) != 0;
        double instead = k % 4 == 0 ? stiffness : 0;
        D[k] = held ? instead : whole[k];
    }
}

static bool is_zero(const double sum[6])
{
    return sum[0] == 0 && sum[1] == 0 && sum[2] == 0 && sum[3] == 0 && sum[4] == 0 && sum[5] == 0;
}

// Lists the blocks of all vertices that have one; a vertex that is held has none.
static pli_status list_blocks(pli_local_global *m)
{
    static const double nothing[6] = {0};
    for (int32_t point = 0; point < m->objective->point_count; ++point) {
        const double *sum = m->has_blocks ? m->sums + 6 * (int64_t)point : nothing;
        uint8_t mask = m->fixed[point];
        if (mask == 7 || (mask == 0 && is_zero(sum))) continue;
        PLI_TRY(reserve_block(m));
        double stiffness = hold_factor * m->A->values[m->A->diagonal[point]];
        make_block(sum, mask, stiffness, m->blocks + 9 * (int64_t)m->block_count);
        m->block_row[m->block_count++] = point;
    }
    return PLI_OK;
}

static bool adds_blocks(const pli_term *term)
{
    const pli_term_ops *ops = term->ops;
    return ops->add_blocks != NULL && !(ops->is_idle != NULL && ops->is_idle(term->self));
}

// Adds up what the terms have to say; nothing is touched when none of them has anything.
static void sum_blocks(pli_local_global *m, const double *x)
{
    m->has_blocks = false;
    for (int32_t k = 0; k < m->objective->term_count; ++k) {
        const pli_term *term = &m->objective->terms[k];
        if (!adds_blocks(term)) continue;
        if (!m->has_blocks) {
            pli_vector_fill(m->context, 6 * (int64_t)m->objective->point_count, 0, m->sums);
        }
        m->has_blocks = true;
        term->ops->add_blocks(term->self, x, m->sums);
    }
}

static pli_status compute_blocks(pli_local_global *m, const double *x)
{
    m->block_count = 0;
    sum_blocks(m, x);
    return m->has_blocks || m->holds_partly ? list_blocks(m) : PLI_OK;
}

// Whether A has the blocks that were computed.
static bool has_same_blocks(const pli_local_global *m)
{
    size_t count = (size_t)m->block_count;
    if (m->block_count != m->A->block_count) return false;
    if (count == 0) return true;
    return memcmp(m->block_row, m->A->block_row, count * sizeof *m->block_row) == 0 &&
           memcmp(m->blocks, m->A->blocks, 9 * count * sizeof *m->blocks) == 0;
}

// Brings A to x and tells the solver what changed.
static pli_status update_matrix(pli_local_global *m, const double *x)
{
    PLI_TRY(compute_blocks(m, x));
    bool same = has_same_blocks(m);
    if (m->is_built && same) return PLI_OK;
    bool values_changed = !m->is_built;
    m->is_built = false;
    if (!same) {
        PLI_TRY(pli_lifted_set_blocks(m->A, m->block_count, m->block_row, m->blocks));
    }
    PLI_TRY(values_changed ? pli_lifted_solver_build(m->solver, &m->definite)
                           : pli_lifted_solver_update_blocks(m->solver, &m->definite));
    m->is_built = true;
    return PLI_OK;
}

// ---- the loop

// everything one minimisation carries from stage to stage
typedef struct descent {
    pli_local_global *minimizer;
    const pli_local_global_def *def;
    const pli_objective *objective;
    const pli_minimize_env *env;
    pli_minimize_report *report;
    int64_t n; // unknowns

    double *x;       // [n] current iterate, the caller's
    double *g;       // [n] gradient at x
    double *d;       // [n] direction
    double *b;       // [n] right-hand side -g
    double *before;  // [n] iterate before x; NULL without acceleration
    double *trial_x; // [n] of the line search; NULL without it
    double *trial_g; // [n] the same

    pli_sum energy; // E(x), where it is measured
    double omega;   // of the acceleration
    double error;   // that the last direction told of, where errors are judged
    pli_error_estimate estimate;
    pli_iterate last;
} descent;

static bool searches(const descent *s)
{
    return s->def->line_search.kind != PLI_SEARCH_NONE;
}

static bool accelerates(const descent *s)
{
    return s->def->chebyshev_rho > 0;
}

static bool needs_energy(const descent *s)
{
    return searches(s) || s->def->measures_energy;
}

static pli_status take_scratch(descent *s)
{
    pli_arena *arena = s->env->scratch;
    s->g = pli_arena_doubles(arena, s->n, "gradient");
    s->d = pli_arena_doubles(arena, s->n, "direction");
    s->b = pli_arena_doubles(arena, s->n, "right-hand side");
    bool complete = s->g != NULL && s->d != NULL && s->b != NULL;
    if (searches(s)) {
        s->trial_x = pli_arena_doubles(arena, s->n, "trial point");
        s->trial_g = pli_arena_doubles(arena, s->n, "trial gradient");
        complete = complete && s->trial_x != NULL && s->trial_g != NULL;
    }
    if (accelerates(s)) {
        s->before = pli_arena_doubles(arena, s->n, "last iterate");
        complete = complete && s->before != NULL;
    }
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static void evaluate_energy(descent *s)
{
    pli_timers_begin(s->env->timers, "energy");
    s->energy = pli_objective_energy(s->objective, s->x);
    ++s->report->energy_evaluations;
    pli_timers_end(s->env->timers);
}

static void evaluate_gradient(descent *s)
{
    pli_timers_begin(s->env->timers, "gradient");
    pli_objective_compute_gradient(s->objective, s->x, s->g);
    pli_stopping_measure(s->objective, s->g, s->report, &s->last);
    if (s->def->judge == PLI_JUDGE_ERROR) s->report->residual = s->error;
    pli_timers_end(s->env->timers);
}

static void tell_iterate(descent *s)
{
    s->report->energy = needs_energy(s) ? pli_sum_value(s->energy) : NAN;
    pli_stopping_tell(s->env, s->report, &s->last);
}

// Sets report->stop when the iteration has to end here.
static bool is_over(descent *s)
{
    pli_stopping rules = {.tolerance = s->def->tolerance,
                          .judges = s->def->judge == PLI_JUDGE_GRADIENT,
                          .max_iterations = s->def->max_iterations,
                          .fixed_iterations = s->def->fixed_iterations};
    double energy = needs_energy(s) ? s->report->energy : 0;
    return pli_stopping_is_over(&rules, s->env, energy + s->last.gradient, s->report);
}

// d = -A^-1 g; false, with the reason in the report, when there is none
static pli_status compute_direction(descent *s, bool *usable)
{
    pli_context *context = s->objective->context;
    *usable = false;
    pli_timers_begin(s->env->timers, "linear");
    pli_vector_copy(context, s->n, s->g, s->b);
    pli_vector_scale(context, s->n, -1, s->b);
    pli_krylov_report solved;
    pli_status status =
        pli_lifted_solver_solve(s->minimizer->solver, s->b, s->env->scratch, s->d, &solved);
    s->last.linear_iterations = solved.iterations;
    s->report->linear_iterations += solved.iterations;
    if (status == PLI_OK) {
        pli_objective_mask(s->objective, s->d);
        *usable = pli_stopping_is_finite(context, s->n, s->d);
        if (!*usable) s->report->stop = PLI_STOP_NONFINITE;
    }
    pli_timers_end(s->env->timers);
    return status;
}

// omega of the coming iterate (Wang 2015, algorithm 1)
static double next_omega(const descent *s)
{
    double square = s->def->chebyshev_rho * s->def->chebyshev_rho;
    if (s->report->iterations < s->def->chebyshev_delay) return 1;
    if (s->report->iterations == s->def->chebyshev_delay) return 2 / (2 - square);
    return 4 / (4 - square * s->omega);
}

// d <- omega gamma d + (omega - 1) (x - before), so that x + d is the accelerated iterate
static void accelerate_range(void *user, int64_t begin, int64_t end)
{
    const descent *s = user;
    double gamma = s->omega * s->def->chebyshev_gamma;
    double momentum = s->omega - 1;
    for (int64_t i = begin; i < end; ++i) {
        s->d[i] = gamma * s->d[i] + momentum * (s->x[i] - s->before[i]);
        s->before[i] = s->x[i];
    }
}

// Steps as far as the terms admit, at most to x + d.
static bool step_freely(descent *s)
{
    double alpha = fmin(1, pli_objective_max_step(s->objective, s->x, s->d));
    if (!(alpha > 0)) return false;
    pli_vector_axpy(s->objective->context, s->n, alpha, s->d, s->x);
    s->last.alpha = alpha;
    return true;
}

// Steps to where the energy falls; false when that is nowhere.
static bool step_searching(descent *s)
{
    pli_line line = {.objective = s->objective,
                     .x = s->x,
                     .d = s->d,
                     .energy = s->energy,
                     .slope = pli_vector_dot(s->objective->context, s->n, s->g, s->d),
                     .noise = pli_rounding_of_energy(s->report->energy, s->minimizer->energy_noise),
                     .alpha_max = pli_objective_max_step(s->objective, s->x, s->d),
                     .trial_x = s->trial_x,
                     .trial_g = s->trial_g};
    pli_line_report found;
    pli_line_search(&s->def->line_search, &line, &found);
    s->last.energy_evaluations = found.evaluations;
    s->report->energy_evaluations += found.evaluations;
    if (!found.found) {
        // the decrease that the model predicts may be below the resolution of E
        bool rounding =
            pli_rounding_hides_slope(line.slope, s->report->energy, s->minimizer->energy_noise);
        pli_stopping_end(s->def->tolerance, rounding, s->report);
        return false;
    }
    s->last.alpha = found.alpha;
    s->energy = found.energy;
    pli_vector_copy(s->objective->context, s->n, s->trial_x, s->x);
    return true;
}

// x += alpha d; false, with the reason in the report, when there is no such step
static bool take_step(descent *s)
{
    bool judged = s->def->fixed_iterations == 0;
    if (judged && pli_stopping_is_negligible(s->objective->context, s->n, s->d, s->x)) {
        pli_stopping_end(s->def->tolerance, true, s->report);
        return false;
    }
    pli_timers_begin(s->env->timers, "search");
    s->report->stop = PLI_STOP_LINESEARCH;
    bool moved = searches(s) ? step_searching(s) : step_freely(s);
    s->report->iterations += moved;
    pli_timers_end(s->env->timers);
    return moved;
}

// Whether a direction tells that the error is under the tolerance.
static bool is_error_small(descent *s)
{
    if (s->def->judge != PLI_JUDGE_ERROR) return false;
    s->error = pli_error_of_step(&s->estimate, s->objective, s->x, s->g, s->d);
    s->report->residual = s->error;
    return s->def->fixed_iterations == 0 && s->error <= s->def->tolerance;
}

// What the next iteration, or whoever watches, has to know at the new x. Nobody asks for the
// gradient behind the last one of a fixed number of iterations.
static void evaluate_iterate(descent *s)
{
    bool last = s->def->fixed_iterations > 0 && s->report->iterations >= s->def->fixed_iterations;
    s->last.g = NULL;
    if (s->def->measures_energy && !searches(s)) evaluate_energy(s);
    if (!last || s->def->measures_energy) evaluate_gradient(s);
}

// One iteration; *over with the reason in the report when it has to be the last.
static pli_status iterate(descent *s, bool *over)
{
    *over = true;
    pli_timers_begin(s->env->timers, "matrix");
    pli_status status = update_matrix(s->minimizer, s->x);
    pli_timers_end(s->env->timers);
    if (status != PLI_OK) return status;
    if (!s->minimizer->definite) {
        s->report->stop = PLI_STOP_LINEAR;
        return PLI_OK;
    }

    bool usable = false;
    PLI_TRY(compute_direction(s, &usable));
    if (!usable) return PLI_OK;
    if (is_error_small(s)) {
        s->report->stop = PLI_STOP_DIRECTION;
        return PLI_OK;
    }
    if (accelerates(s)) {
        s->omega = next_omega(s);
        pli_parallel_for(s->objective->context, s->n, GRAIN, accelerate_range, s);
    }
    *over = !take_step(s);
    if (!*over) evaluate_iterate(s);
    return PLI_OK;
}

static pli_status run(descent *s)
{
    PLI_TRY(take_scratch(s));
    if (accelerates(s)) pli_vector_copy(s->objective->context, s->n, s->x, s->before);
    if (needs_energy(s)) evaluate_energy(s);
    evaluate_gradient(s);
    tell_iterate(s);
    while (!is_over(s)) {
        PLI_TRY(pli_stopping_check_cancel(s->objective->context, s->env));
        bool over = false;
        PLI_TRY(iterate(s, &over));
        if (over) break;
        tell_iterate(s);
    }
    return PLI_OK;
}

// ---- the minimiser

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    pli_local_global *minimizer = self;
    if (!minimizer->is_assembled) {
        return PLI_FAIL(minimizer->context, PLI_ERROR_ARGUMENT,
                        "the matrix was never assembled; begin a step before the minimisation");
    }
    bool is_accelerated = minimizer->def.chebyshev_rho > 0;
    descent s = {.minimizer = minimizer,
                 .def = &minimizer->def,
                 .objective = minimizer->objective,
                 .env = env,
                 .report = report,
                 .n = 3 * (int64_t)minimizer->objective->point_count,
                 .omega = 1,
                 .error = INFINITY,
                 .estimate = {.rate = is_accelerated ? PLI_RATE_ACCELERATED : PLI_RATE_STEADY},
                 .x = x};
    pli_lifted_solver_set_timers(minimizer->solver, env->timers);
    pli_status status = run(&s);
    pli_lifted_solver_set_timers(minimizer->solver, NULL);
    return status;
}

static int64_t memory(const void *self)
{
    const pli_local_global *m = self;
    const void *arrays[] = {m, m->fixed, m->sums, m->block_row, m->blocks};
    int64_t bytes = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        bytes += (int64_t)pli_memory_size(arrays[k]);
    }
    return bytes;
}

static void destroy(void *self)
{
    pli_local_global_destroy(self);
}

pli_minimizer pli_local_global_minimizer(pli_local_global *minimizer)
{
    static const pli_minimizer_ops ops = {
        .begin_step = begin_step, .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

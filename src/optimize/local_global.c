// SPDX-License-Identifier: Apache-2.0
#include "optimize/local_global.h"

#include "optimize/descent.h"

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

static pli_status begin_step(void *self, uint64_t coefficients)
{
    pli_local_global *m = self;
    bool is_same = m->is_assembled && m->coefficients == coefficients && has_same_holds(m);
    if (is_same) return PLI_OK;
    pli_lifted_set_zero(m->A);
    for (int32_t k = 0; k < m->objective->term_count; ++k) {
        const pli_term *term = &m->objective->terms[k];
        if (term->ops->add_lifted != NULL) term->ops->add_lifted(term->self, m->A);
    }
    take_holds(m);
    pli_lifted_close(m->A, m->fixed);
    m->coefficients = coefficients;
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

// What one minimisation carries from stage to stage.
typedef struct local_global {
    pli_local_global *minimizer;
    const pli_local_global_def *def;
    pli_descent at;
    double *before; // [n] iterate before x; NULL without acceleration
    double omega;   // of the acceleration
} local_global;

static bool searches(const local_global *s)
{
    return s->def->line_search.kind != PLI_SEARCH_NONE;
}

static bool accelerates(const local_global *s)
{
    return s->def->chebyshev_rho > 0;
}

static bool needs_energy(const local_global *s)
{
    return searches(s) || s->def->measures_energy;
}

static void evaluate_gradient(local_global *s)
{
    pli_timers_begin(s->at.env->timers, "gradient");
    pli_objective_compute_gradient(s->at.objective, s->at.x, s->at.g);
    pli_descent_measure(&s->at);
    pli_timers_end(s->at.env->timers);
}

static void tell(void *self)
{
    local_global *s = self;
    s->at.report->energy = needs_energy(s) ? pli_sum_value(s->at.energy) : NAN;
    s->at.measure =
        needs_energy(s) ? s->at.report->energy + s->at.last.gradient : s->at.last.gradient;
    pli_descent_tell(&s->at);
}

// d = -A^-1 g; false, with the reason in the report, when there is none
static pli_status compute_direction(local_global *s, bool *usable)
{
    pli_context *context = s->at.context;
    *usable = false;
    pli_timers_begin(s->at.env->timers, "linear");
    pli_vector_copy(context, s->at.n, s->at.g, s->at.b);
    pli_vector_scale(context, s->at.n, -1, s->at.b);
    pli_krylov_report solved;
    pli_status status = pli_lifted_solver_solve(s->minimizer->solver, s->at.b, s->at.env->scratch,
                                                s->at.d, &solved);
    s->at.last.linear_iterations = solved.iterations;
    s->at.report->linear_iterations += solved.iterations;
    if (status == PLI_OK) {
        pli_objective_mask(s->at.objective, s->at.d);
        *usable = pli_descent_has_finite_direction(&s->at);
    }
    pli_timers_end(s->at.env->timers);
    return status;
}

// omega of the coming iterate (Wang 2015, algorithm 1)
static double next_omega(const local_global *s)
{
    double square = s->def->chebyshev_rho * s->def->chebyshev_rho;
    if (s->at.report->iterations < s->def->chebyshev_delay) return 1;
    if (s->at.report->iterations == s->def->chebyshev_delay) return 2 / (2 - square);
    return 4 / (4 - square * s->omega);
}

// d <- omega gamma d + (omega - 1) (x - before), so that x + d is the accelerated iterate
static void accelerate_range(void *user, int64_t begin, int64_t end)
{
    const local_global *s = user;
    double gamma = s->omega * s->def->chebyshev_gamma;
    double momentum = s->omega - 1;
    for (int64_t i = begin; i < end; ++i) {
        s->at.d[i] = gamma * s->at.d[i] + momentum * (s->at.x[i] - s->before[i]);
        s->before[i] = s->at.x[i];
    }
}

// Steps as far as the terms admit, at most to x + d.
static bool step_freely(local_global *s)
{
    double alpha = fmin(1, pli_objective_max_step(s->at.objective, s->at.x, s->at.d));
    if (!(alpha > 0)) return false;
    pli_vector_axpy(s->at.context, s->at.n, alpha, s->at.d, s->at.x);
    s->at.last.alpha = alpha;
    return true;
}

// Steps to where the energy falls; false when that is nowhere.
static bool step_searching(local_global *s)
{
    pli_line line =
        pli_descent_line(&s->at, pli_vector_dot(s->at.context, s->at.n, s->at.g, s->at.d));
    pli_line_report found;
    pli_line_search(&s->def->line_search, &line, &found);
    s->at.last.energy_evaluations = found.evaluations;
    s->at.report->energy_evaluations += found.evaluations;
    if (!found.found) {
        // the decrease that the model predicts may be below the resolution of E
        pli_descent_end(&s->at, pli_descent_hides_slope(&s->at, line.slope));
        return false;
    }
    s->at.last.alpha = found.alpha;
    s->at.energy = found.energy;
    pli_vector_copy(s->at.context, s->at.n, s->at.trial_x, s->at.x);
    return true;
}

// x += alpha d; false, with the reason in the report, when there is no such step
static bool take_step(local_global *s)
{
    bool judged = s->def->fixed_iterations == 0;
    if (judged && pli_descent_is_negligible(&s->at)) {
        pli_descent_end(&s->at, true);
        return false;
    }
    pli_timers_begin(s->at.env->timers, "search");
    s->at.report->stop = PLI_STOP_LINESEARCH;
    bool moved = searches(s) ? step_searching(s) : step_freely(s);
    s->at.report->iterations += moved;
    pli_timers_end(s->at.env->timers);
    return moved;
}

// What the next iteration, or whoever watches, has to know at the new x. Nobody asks for the
// gradient behind the last one of a fixed number of iterations.
static void evaluate_iterate(local_global *s)
{
    bool last =
        s->def->fixed_iterations > 0 && s->at.report->iterations >= s->def->fixed_iterations;
    s->at.last.g = NULL;
    if (s->def->measures_energy && !searches(s)) pli_descent_evaluate_energy(&s->at);
    if (!last || s->def->measures_energy) evaluate_gradient(s);
}

// One iteration; *over with the reason in the report when it has to be the last.
static pli_status iterate(void *self, bool *over)
{
    local_global *s = self;
    *over = true;
    pli_timers_begin(s->at.env->timers, "matrix");
    pli_status status = update_matrix(s->minimizer, s->at.x);
    pli_timers_end(s->at.env->timers);
    if (status != PLI_OK) return status;
    if (!s->minimizer->definite) {
        s->at.report->stop = PLI_STOP_LINEAR;
        return PLI_OK;
    }

    bool usable = false;
    PLI_TRY(compute_direction(s, &usable));
    if (!usable) return PLI_OK;
    // whether the direction tells that the error is under the tolerance
    if (s->def->judge == PLI_JUDGE_ERROR && pli_descent_judge(&s->at, pli_descent_error(&s->at))) {
        s->at.report->stop = PLI_STOP_DIRECTION;
        return PLI_OK;
    }
    if (accelerates(s)) {
        s->omega = next_omega(s);
        pli_parallel_for(s->at.context, s->at.n, GRAIN, accelerate_range, s);
    }
    *over = !take_step(s);
    if (!*over) evaluate_iterate(s);
    return PLI_OK;
}

// ---- the minimiser

static pli_status run(local_global *s)
{
    static const pli_descent_ops ops = {tell, iterate};
    PLI_TRY(pli_descent_take_vectors(&s->at, searches(s)));
    if (accelerates(s)) {
        s->before = pli_arena_doubles(s->at.env->scratch, s->at.n, "last iterate");
        if (s->before == NULL) return PLI_ERROR_MEMORY;
        pli_vector_copy(s->at.context, s->at.n, s->at.x, s->before);
    }
    if (needs_energy(s)) pli_descent_evaluate_energy(&s->at);
    evaluate_gradient(s);
    return pli_descent_run(&s->at, &ops, s);
}

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    pli_local_global *minimizer = self;
    if (!minimizer->is_assembled) {
        return PLI_FAIL(minimizer->context, PLI_ERROR_ARGUMENT,
                        "the matrix was never assembled; begin a step before the minimisation");
    }
    const pli_local_global_def *def = &minimizer->def;
    local_global s = {.minimizer = minimizer,
                      .def = def,
                      .omega = 1,
                      .at = pli_descent_begin(minimizer->objective, env, x, report)};
    s.at.judge = def->judge;
    s.at.error.rate = accelerates(&s) ? PLI_RATE_ACCELERATED : PLI_RATE_STEADY;
    s.at.rules = (pli_stopping){.tolerance = def->tolerance,
                                .judges = def->judge == PLI_JUDGE_GRADIENT,
                                .max_iterations = def->max_iterations,
                                .fixed_iterations = def->fixed_iterations};
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

// SPDX-License-Identifier: Apache-2.0
#include "optimize/vertex_descent.h"

#include "optimize/descent.h"
#include "optimize/rounding.h"

#include "base/memory.h"
#include "linear/matrix/bcsr_pattern.h"
#include "linear/matrix/coloring.h"
#include "linear/matrix/vector.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    BATCH = 32,       // vertices that terms see together
    VERTEX_GRAIN = 64 // of loops over the vertices of a colour
};

struct pli_vertex_descent {
    pli_context *context;
    pli_vertex_descent_def def;
    pli_objective *objective; // borrowed
    pli_graph_coloring *coloring;
};

// ---- creation

static pli_status check_term(pli_context *context, const pli_term_ops *ops)
{
    bool varies = ops->prepare != NULL || ops->freeze != NULL || ops->max_step != NULL;
    if (ops->add_vertices != NULL && !varies) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                    "the term \"%s\" %s, so vertex descent cannot minimise it; use a Newton method",
                    ops->name,
                    varies ? "couples or limits other vertices in every iteration"
                           : "does not tell what a single vertex sees of it");
}

static pli_status check_objective(pli_context *context, const pli_objective *objective)
{
    if (pli_objective_is_constrained(objective)) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "vertex descent knows no inequality constraints; use penalties or a Newton "
                        "method");
    }
    for (int32_t k = 0; k < objective->term_count; ++k) {
        PLI_TRY(check_term(context, objective->terms[k].ops));
    }
    return PLI_OK;
}

// Colours the vertices by the cliques of all terms.
static pli_status color_vertices(pli_vertex_descent *made)
{
    const pli_objective *objective = made->objective;
    pli_clique_list lists[PLI_OBJECTIVE_TERMS];
    int32_t list_count = pli_objective_get_cliques(objective, lists);
    pli_bcsr_pattern pattern;
    PLI_TRY(
        pli_bcsr_pattern_build(made->context, objective->point_count, list_count, lists, &pattern));
    pli_graph graph = {objective->point_count, pattern.row_start, pattern.column};
    pli_status status =
        pli_graph_coloring_create(made->context, &graph, PLI_COLORING_GREEDY, 0, &made->coloring);
    pli_release(made->context, pattern.row_start);
    pli_release(made->context, pattern.column);
    return status;
}

static pli_status bind_terms(const pli_objective *objective)
{
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        if (term->ops->bind_vertices != NULL) PLI_TRY(term->ops->bind_vertices(term->self));
    }
    return PLI_OK;
}

pli_status pli_vertex_descent_create(pli_context *context, const pli_vertex_descent_def *def,
                                     pli_objective *objective, pli_vertex_descent **minimizer)
{
    *minimizer = NULL;
    PLI_TRY(check_objective(context, objective));
    pli_vertex_descent *made = PLI_NEW(context, pli_vertex_descent, 1, "vertex descent");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->def = *def;
    made->objective = objective;
    pli_status status = color_vertices(made);
    if (status == PLI_OK) status = bind_terms(objective);
    if (status != PLI_OK) {
        pli_vertex_descent_destroy(made);
        return status;
    }
    *minimizer = made;
    return PLI_OK;
}

void pli_vertex_descent_destroy(pli_vertex_descent *minimizer)
{
    if (minimizer == NULL) return;
    pli_graph_coloring_destroy(minimizer->coloring);
    pli_release(minimizer->context, minimizer);
}

int32_t pli_vertex_descent_color_count(const pli_vertex_descent *minimizer)
{
    return minimizer->coloring->color_count;
}

// ---- a vertex

// Solves H d = b by H = L D L^T; H: xx, yy, zz, xy, xz, yz. False when a pivot is not above the
// rounding of its diagonal entry, or d not finite.
static bool solve_block(const double H[6], const double b[3], double d[3])
{
    double p0 = H[0];
    if (!(p0 > 0)) return false;
    double l10 = H[3] / p0;
    double l20 = H[4] / p0;
    double p1 = H[1] - l10 * H[3];
    if (!(p1 > pli_rounding_of_pivot * H[1])) return false;
    double l21 = (H[5] - l20 * H[3]) / p1;
    double p2 = H[2] - l20 * H[4] - l21 * l21 * p1;
    if (!(p2 > pli_rounding_of_pivot * H[2])) return false;
    double y1 = b[1] - l10 * b[0];
    double y2 = b[2] - l20 * b[0] - l21 * y1;
    d[2] = y2 / p2;
    d[1] = y1 / p1 - l21 * d[2];
    d[0] = b[0] / p0 - l10 * d[1] - l20 * d[2];
    return isfinite(d[0] + d[1] + d[2]);
}

// Takes held coordinates out of the block and the gradient of a vertex.
static void hold_coordinates(uint8_t mask, double g[3], double H[6])
{
    static const uint8_t axes[6] = {1, 2, 4, 3, 5, 6};
    for (int k = 0; k < 6; ++k) {
        if (mask & axes[k]) H[k] = k < 3 ? 1 : 0;
    }
    for (int k = 0; k < 3; ++k) {
        if (mask & (1u << k)) g[k] = 0;
    }
}

// ---- a batch of vertices of one colour

// what kept vertices of a sweep from moving, the worse the larger
typedef enum obstacle { MET_NOTHING, MET_NO_DECREASE, MET_SINGULAR, MET_NONFINITE } obstacle;

// one sweep over all colours
typedef struct sweep {
    const pli_vertex_descent *minimizer;
    double *x;    // [point_count][3]
    obstacle met; // so far

    // the colour at work
    const int32_t *vertices; // [any]
} sweep;

// vertices that move together, and what they saw before
typedef struct moving {
    int32_t count;
    int32_t vertices[BATCH];
    double start[3 * BATCH]; // positions (m)
    double d[3 * BATCH];     // steps (m)
    double energy[BATCH];    // at start; of searches only (J)
    double slope[BATCH];     // f . d, twice what the model promises (J)
} moving;

static void evaluate_batch(const sweep *s, const pli_vertex_batch *batch)
{
    const pli_objective *objective = s->minimizer->objective;
    size_t count = (size_t)batch->count;
    if (batch->energy != NULL) memset(batch->energy, 0, count * sizeof(double));
    if (batch->g != NULL) memset(batch->g, 0, 3 * count * sizeof(double));
    if (batch->H != NULL) memset(batch->H, 0, 6 * count * sizeof(double));
    for (int32_t k = 0; k < objective->term_count; ++k) {
        const pli_term *term = &objective->terms[k];
        term->ops->add_vertices(term->self, s->x, batch);
    }
}

static bool is_finite_block(const double H[6], const double g[3])
{
    double sum = 0;
    for (int k = 0; k < 6; ++k) sum += 0 * H[k];
    for (int k = 0; k < 3; ++k) sum += 0 * g[k];
    return sum == 0;
}

// d = -H^-1 g of every vertex, 0 where there is no such thing
static obstacle compute_steps(const sweep *s, moving *m)
{
    obstacle met = MET_NOTHING;
    double g[3 * BATCH];
    double H[6 * BATCH];
    bool searches = s->minimizer->def.searches;
    pli_vertex_batch batch = {m->count, m->vertices, searches ? m->energy : NULL, g, H};
    evaluate_batch(s, &batch);
    for (int32_t i = 0; i < m->count; ++i) {
        double *d = m->d + 3 * i;
        if (!is_finite_block(H + 6 * i, g + 3 * i)) met = MET_NONFINITE;
        hold_coordinates(pli_objective_fixed_axes(s->minimizer->objective, m->vertices[i]),
                         g + 3 * i, H + 6 * i);
        double f[3];
        pli_vec3_scale(-1, g + 3 * i, f);
        m->slope[i] = 0;
        if (solve_block(H + 6 * i, f, d)) {
            m->slope[i] = pli_vec3_dot(f, d);
            continue;
        }
        pli_vec3_set(0, 0, 0, d);
        if (pli_vec3_norm2(f) > 0 && met < MET_SINGULAR) met = MET_SINGULAR;
    }
    return met;
}

// x_i = start + d
static void place_vertices(const sweep *s, const moving *m)
{
    for (int32_t i = 0; i < m->count; ++i) {
        pli_vec3_add(m->start + 3 * i, m->d + 3 * i, s->x + 3 * (int64_t)m->vertices[i]);
    }
}

// Whether an energy that was e counts as not risen; written so that what is not a number has risen.
static bool is_acceptable(double trial, double e)
{
    return trial <= e + pli_rounding_of_local_energy(e) || !isfinite(e);
}

// Halves the steps of vertices whose energy has risen, until it has not; in the end they stay, and
// that is an obstacle where rounding does not explain it.
static obstacle shorten_steps(const sweep *s, moving *m)
{
    enum { HALVINGS = 12 };
    obstacle met = MET_NOTHING;
    double trial[BATCH];
    pli_vertex_batch batch = {.count = m->count, .vertices = m->vertices, .energy = trial};
    for (int k = 0; k <= HALVINGS; ++k) {
        bool done = true;
        evaluate_batch(s, &batch);
        for (int32_t i = 0; i < m->count; ++i) {
            if (is_acceptable(trial[i], m->energy[i])) continue;
            bool last = k == HALVINGS;
            bool hidden = pli_rounding_hides_slope(m->slope[i], m->energy[i], 0);
            if (last && !hidden) met = MET_NO_DECREASE;
            pli_vec3_scale(last ? 0 : 0.5, m->d + 3 * i, m->d + 3 * i);
            done = false;
        }
        if (done) break;
        place_vertices(s, m);
    }
    return met;
}

static obstacle move_batch(const sweep *s, moving *m)
{
    obstacle met = compute_steps(s, m);
    place_vertices(s, m);
    if (!s->minimizer->def.searches) return met;
    obstacle uphill = shorten_steps(s, m);
    return uphill > met ? uphill : met;
}

// Vertices of the colour at work, those that are held altogether left out. Returns the worst
// obstacle.
static double move_range(void *user, int64_t begin, int64_t end)
{
    const sweep *s = user;
    obstacle worst = MET_NOTHING;
    moving m;
    m.count = 0;
    for (int64_t at = begin; at < end; ++at) {
        int32_t vertex = s->vertices[at];
        if (pli_objective_fixed_axes(s->minimizer->objective, vertex) != 7) {
            pli_vec3_copy(s->x + 3 * (int64_t)vertex, m.start + 3 * m.count);
            m.vertices[m.count++] = vertex;
        }
        if (m.count < BATCH && at + 1 < end) continue;
        obstacle met = move_batch(s, &m);
        if (met > worst) worst = met;
        m.count = 0;
    }
    return worst;
}

// One iteration: all colours in order, the vertices of a colour in parallel.
static void sweep_colors(void *user)
{
    sweep *s = user;
    const pli_graph_coloring *coloring = s->minimizer->coloring;
    for (int32_t color = 0; color < coloring->color_count; ++color) {
        int32_t begin = coloring->color_begin[color];
        int32_t end = coloring->color_begin[color + 1];
        s->vertices = coloring->node + begin;
        double worst =
            pli_parallel_max(s->minimizer->context, end - begin, VERTEX_GRAIN, move_range, s);
        obstacle met = worst > 0 ? (obstacle)worst : MET_NOTHING;
        if (met > s->met) s->met = met;
    }
}

// ---- the loop

// What one minimisation carries from stage to stage; d of `at` is what the last sweep moved.
typedef struct vertex_descent {
    const pli_vertex_descent *minimizer;
    const pli_vertex_descent_def *def;
    pli_descent at;
} vertex_descent;

static bool is_judged(const vertex_descent *s)
{
    return s->def->fixed_iterations == 0;
}

static bool is_last(const vertex_descent *s)
{
    return !is_judged(s) && s->at.report->iterations >= s->def->fixed_iterations;
}

// Whether the current iterate decides on how the minimisation ends.
static bool decides(const vertex_descent *s)
{
    return is_judged(s) || is_last(s);
}

// Searches begin at an energy that may be infinite, and nothing else shows whether it still is.
static bool needs_energy(const vertex_descent *s)
{
    return s->def->measures_energy || (s->def->searches && decides(s));
}

static void evaluate_gradient(vertex_descent *s)
{
    pli_timers_begin(s->at.env->timers, "gradient");
    pli_objective_compute_gradient(s->at.objective, s->at.x, s->at.g);
    pli_descent_measure(&s->at);
    pli_timers_end(s->at.env->timers);
}

static void evaluate_energy(vertex_descent *s)
{
    pli_descent_evaluate_energy(&s->at);
    s->at.report->energy = pli_sum_value(s->at.energy);
}

// Computes what somebody wants to know of the current iterate, and tells it.
static void tell(void *self)
{
    vertex_descent *s = self;
    s->at.report->energy = NAN;
    s->at.report->residual = NAN;
    s->at.last.gradient = NAN;
    s->at.last.g = NULL;
    if (decides(s) || s->def->measures_energy) evaluate_gradient(s);
    if (needs_energy(s)) evaluate_energy(s);
    s->at.measure = decides(s) ? s->at.last.gradient : 0;
    if (decides(s) && needs_energy(s)) s->at.measure += s->at.report->energy;
    pli_descent_tell(&s->at);
}

// One sweep; *over, with the reason in the report, when it moved nothing.
static pli_status iterate(void *self, bool *over)
{
    vertex_descent *s = self;
    pli_context *context = s->at.context;
    sweep all = {.minimizer = s->minimizer, .x = s->at.x};
    if (is_judged(s)) pli_vector_copy(context, s->at.n, s->at.x, s->at.d);
    pli_timers_begin(s->at.env->timers, "sweep");
    pli_parallel_team(context, sweep_colors, &all);
    pli_timers_end(s->at.env->timers);
    ++s->at.report->iterations;
    s->at.last.alpha = 1;
    if (all.met == MET_NONFINITE) {
        s->at.report->stop = PLI_STOP_NONFINITE;
        *over = true;
        return PLI_OK;
    }
    if (!is_judged(s)) return PLI_OK;
    pli_vector_subtract(context, s->at.n, s->at.x, s->at.d, s->at.d);
    // g is still that of where the sweep began
    if (s->def->judge == PLI_JUDGE_ERROR) s->at.judged = pli_descent_error(&s->at);
    if (!pli_descent_is_negligible(&s->at)) return PLI_OK;
    static const pli_stop reasons[] = {[MET_NOTHING] = PLI_STOP_ROUNDING,
                                       [MET_NO_DECREASE] = PLI_STOP_LINESEARCH,
                                       [MET_SINGULAR] = PLI_STOP_LINEAR,
                                       [MET_NONFINITE] = PLI_STOP_NONFINITE};
    s->at.report->stop = reasons[all.met];
    *over = true;
    return PLI_OK;
}

// ---- the minimiser

static pli_status minimize(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report)
{
    static const pli_descent_ops ops = {tell, iterate};
    const pli_vertex_descent *minimizer = self;
    const pli_vertex_descent_def *def = &minimizer->def;
    vertex_descent s = {.minimizer = minimizer,
                        .def = def,
                        .at = pli_descent_begin(minimizer->objective, env, x, report)};
    pli_descent *at = &s.at;
    at->judge = def->judge;
    at->error.rate = PLI_RATE_STEADY;
    at->rules = (pli_stopping){.tolerance = def->tolerance,
                               .judges = true,
                               .max_iterations = def->max_iterations,
                               .fixed_iterations = def->fixed_iterations};
    at->g = pli_arena_doubles(env->scratch, at->n, "gradient");
    at->d = pli_arena_doubles(env->scratch, at->n, "steps");
    if (at->g == NULL || at->d == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(pli_descent_run(at, &ops, &s));
    if (report->stop == PLI_STOP_ROUNDING) pli_descent_end(at, true);
    // sweeps see forces alone: an energy that is not finite shows at the end
    if (is_judged(&s) && !needs_energy(&s) && report->stop > 0) {
        evaluate_energy(&s);
        if (!isfinite(report->energy)) report->stop = PLI_STOP_NONFINITE;
    }
    return PLI_OK;
}

static int64_t memory(const void *self)
{
    return (int64_t)pli_memory_size(self);
}

static void destroy(void *self)
{
    pli_vertex_descent_destroy(self);
}

pli_minimizer pli_vertex_descent_minimizer(pli_vertex_descent *minimizer)
{
    static const pli_minimizer_ops ops = {
        .minimize = minimize, .memory = memory, .destroy = destroy};
    return (pli_minimizer){&ops, minimizer};
}

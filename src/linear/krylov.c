// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov.h"

#include "linear/vector.h"

// items per block of the fused updates, as in vector.c, and running sums of a block
enum { GRAIN = 8192, LANES = 4 };

pli_krylov_def pli_krylov_def_default(void)
{
    return (pli_krylov_def){.max_iterations = 10000, .relative_tolerance = 1e-8};
}

const char *pli_krylov_stop_text(pli_krylov_stop stop)
{
    switch (stop) {
    case PLI_KRYLOV_CONVERGED: return "converged";
    case PLI_KRYLOV_INDEFINITE: return "indefinite";
    case PLI_KRYLOV_ITERATIONS: return "iteration limit";
    case PLI_KRYLOV_NONFINITE: return "not finite";
    case PLI_KRYLOV_BREAKDOWN: return "breakdown";
    case PLI_KRYLOV_INTERRUPTED: return "interrupted";
    }
    return "unknown";
}

// What both methods share: the system, its options, and the state of the stopping test.
typedef struct krylov_state {
    const pli_context *context;
    const pli_krylov_def *def;
    const pli_krylov_system *system;
    int64_t n;
    double tolerance; // absolute, in the norm of the def
    pli_krylov_report *report;
} krylov_state;

// z = B r, or a copy without a preconditioner
static void precondition(const krylov_state *state, const double *r, double *z)
{
    if (state->system->B != NULL) {
        pli_operator_apply(state->system->B, r, z);
    } else {
        pli_vector_copy(state->context, state->n, r, z);
    }
}

static double dot(const krylov_state *state, const double *x, const double *y)
{
    return pli_vector_dot(state->context, state->n, x, y);
}

// r = b - A x; sets x to zero first unless it is a start
static void start_residual(const krylov_state *state, double *r)
{
    const pli_krylov_system *system = state->system;
    if (!state->def->use_start) {
        pli_vector_fill(state->context, state->n, 0, system->x);
        pli_vector_copy(state->context, state->n, system->b, r);
        return;
    }
    pli_operator_apply(system->A, system->x, r);
    pli_vector_subtract(state->context, state->n, system->b, r, r);
}

// |b| in the norm of the def; scratch is overwritten
static double reference_norm(const krylov_state *state, double *scratch)
{
    const double *b = state->system->b;
    if (state->def->norm == PLI_KRYLOV_NORM_PLAIN || state->system->B == NULL) {
        return sqrt(dot(state, b, b));
    }
    pli_operator_apply(state->system->B, b, scratch);
    return sqrt(dot(state, b, scratch));
}

static void set_tolerance(krylov_state *state, double reference)
{
    state->tolerance =
        fmax(state->def->relative_tolerance * reference, state->def->absolute_tolerance);
}

// Records the residual of an iterate; true when the solve ends with it.
static bool record_residual(krylov_state *state, int32_t iteration, double residual)
{
    pli_krylov_report *report = state->report;
    report->iterations = iteration;
    report->residual = residual;
    if (iteration == 0) report->initial_residual = residual;
    bool go_on = state->def->callback == NULL ||
                 state->def->callback(state->def->callback_user, iteration, residual);
    if (!isfinite(residual)) {
        report->stop = PLI_KRYLOV_NONFINITE;
    } else if (residual <= state->tolerance) {
        report->stop = PLI_KRYLOV_CONVERGED;
    } else if (!go_on) {
        report->stop = PLI_KRYLOV_INTERRUPTED;
    } else if (iteration >= state->def->max_iterations) {
        report->stop = PLI_KRYLOV_ITERATIONS;
    } else {
        return false;
    }
    return true;
}

// Vectors and scalars of conjugate gradients.
typedef struct pcg_state {
    krylov_state common;
    double *r;  // [n]  residual
    double *z;  // [n]  B r; the same array as r without a preconditioner
    double *p;  // [n]  search direction
    double *q;  // [n]  A p
    double rr;  // r.r
    double rho; // r.z
} pcg_state;

// z = B r and rho = r.z
static void pcg_precondition(pcg_state *state)
{
    if (state->z == state->r) {
        state->rho = state->rr;
        return;
    }
    pli_operator_apply(state->common.system->B, state->r, state->z);
    state->rho = dot(&state->common, state->r, state->z);
}

// Measure of the residual; before B was applied to it only the plain one is known.
static double pcg_measure(const pcg_state *state)
{
    return sqrt(state->common.def->norm == PLI_KRYLOV_NORM_PLAIN ? state->rr : state->rho);
}

// True, with the reason in the report, when B turns out not to be positive at this residual.
static bool pcg_breaks_down(const pcg_state *state, int32_t iteration)
{
    if (state->rho > 0 || state->rr == 0 || isnan(state->rho)) return false;
    state->common.report->iterations = iteration;
    state->common.report->stop = PLI_KRYLOV_BREAKDOWN;
    return true;
}

// Residual, its measure and the first direction; true when the start ends the solve.
static bool pcg_start(pcg_state *state)
{
    krylov_state *common = &state->common;
    start_residual(common, state->r);
    state->rr = dot(common, state->r, state->r);
    pcg_precondition(state);
    if (pcg_breaks_down(state, 0)) return true;
    double residual = pcg_measure(state);
    set_tolerance(common, common->def->use_start ? reference_norm(common, state->q) : residual);
    if (record_residual(common, 0, residual)) return true;
    pli_vector_copy(common->context, common->n, state->z, state->p);
    return false;
}

// Ends the solve at a direction without positive curvature.
static void pcg_stop_indefinite(pcg_state *state, int32_t iteration)
{
    state->common.report->stop = PLI_KRYLOV_INDEFINITE;
    state->common.report->iterations = iteration;
    const pli_krylov_system *system = state->common.system;
    if (iteration == 1) precondition(&state->common, system->b, system->x);
}

// alpha = r.z / p.Ap; false, with the reason in the report, when the solve ends at this direction.
static bool pcg_step_length(pcg_state *state, int32_t iteration, double *alpha)
{
    krylov_state *common = &state->common;
    pli_operator_apply(common->system->A, state->p, state->q);
    double curvature = dot(common, state->p, state->q);
    if (curvature <= 0 && common->def->stop_at_indefinite) {
        pcg_stop_indefinite(state, iteration);
        return false;
    }
    *alpha = state->rho / curvature;
    if (isfinite(*alpha)) return true;
    common->report->iterations = iteration;
    common->report->stop = curvature == 0 ? PLI_KRYLOV_BREAKDOWN : PLI_KRYLOV_NONFINITE;
    return false;
}

typedef struct pcg_update {
    double alpha;
    const double *p;
    const double *q;
    double *x;
    double *r;
} pcg_update;

// x += alpha p, r -= alpha q in one pass; the sum is |r|^2
static pli_sum pcg_update_range(void *user, int64_t begin, int64_t end)
{
    const pcg_update *update = user;
    const double *restrict p = update->p;
    const double *restrict q = update->q;
    double *restrict x = update->x;
    double *restrict r = update->r;
    double alpha = update->alpha;
    double lanes[LANES] = {0};
    int64_t i = begin;
    for (; i + LANES <= end; i += LANES) {
        for (int64_t k = 0; k < LANES; ++k) {
            x[i + k] += alpha * p[i + k];
            r[i + k] -= alpha * q[i + k];
            lanes[k] += r[i + k] * r[i + k];
        }
    }
    for (; i < end; ++i) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        lanes[0] += r[i] * r[i];
    }
    return (pli_sum){(lanes[0] + lanes[1]) + (lanes[2] + lanes[3]), 0};
}

// One iteration; true when the solve ends with it.
static bool pcg_iterate(pcg_state *state, int32_t iteration)
{
    krylov_state *common = &state->common;
    double alpha;
    if (!pcg_step_length(state, iteration, &alpha)) return true;

    // x += alpha p, r -= alpha A p
    pcg_update update = {alpha, state->p, state->q, common->system->x, state->r};
    state->rr = pli_sum_value(
        pli_parallel_sum(common->context, common->n, GRAIN, pcg_update_range, &update));

    // the plain norm may end the solve before B is applied again
    bool plain = common->def->norm == PLI_KRYLOV_NORM_PLAIN;
    if (plain && record_residual(common, iteration, pcg_measure(state))) return true;
    double rho_before = state->rho;
    pcg_precondition(state);
    if (pcg_breaks_down(state, iteration)) return true;
    if (!plain && record_residual(common, iteration, pcg_measure(state))) return true;

    // p = z + beta p
    pli_vector_xpby(common->context, common->n, state->z, state->rho / rho_before, state->p);
    return false;
}

pli_status pli_pcg(const pli_context *context, const pli_krylov_def *def,
                   const pli_krylov_system *system, pli_arena *scratch, pli_krylov_report *report)
{
    *report = (pli_krylov_report){0};
    int64_t n = system->A->size;
    pli_arena_mark mark = pli_arena_begin(scratch);
    pcg_state state = {.common = {context, def, system, n, 0, report},
                       .r = pli_arena_doubles(scratch, n, "pcg residual"),
                       .p = pli_arena_doubles(scratch, n, "pcg direction"),
                       .q = pli_arena_doubles(scratch, n, "pcg product")};
    state.z = system->B != NULL ? pli_arena_doubles(scratch, n, "pcg preconditioned") : state.r;
    pli_status status = PLI_ERROR_MEMORY;
    if (state.r == NULL || state.p == NULL || state.q == NULL || state.z == NULL) goto done;

    bool ended = pcg_start(&state);
    for (int32_t iteration = 1; !ended; ++iteration) ended = pcg_iterate(&state, iteration);
    status = PLI_OK;

done:
    pli_arena_end(scratch, mark);
    return status;
}

// Vectors and scalars of MINRES. The Lanczos vectors u are orthonormal in the inner product of B;
// v = B u. The tridiagonal matrix they give is turned into upper triangular form by reflections
// (c, s), one per iteration.
typedef struct minres_state {
    krylov_state common;
    double *u_old;    // [n]  beta_old times the Lanczos vector before the current one
    double *u;        // [n]  beta times the current Lanczos vector
    double *y;        // [n]  B u
    double *v;        // [n]  y / beta
    double *w_old;    // [n]  update directions of the last two iterations
    double *w;        // [n]
    double *residual; // [n]  b - A x, kept for the plain norm only
    double beta;      // sqrt(u.y)
    double beta_old;
    double c, s;    // last reflection
    double d_bar;   // entry above the diagonal that the next reflection completes
    double epsilon; // entry two above the diagonal
    double phi_bar; // residual in the norm of B
} minres_state;

static bool minres_take_scratch(minres_state *state, pli_arena *scratch)
{
    int64_t n = state->common.n;
    bool plain = state->common.def->norm == PLI_KRYLOV_NORM_PLAIN;
    state->u_old = pli_arena_doubles(scratch, n, "minres");
    state->u = pli_arena_doubles(scratch, n, "minres");
    state->y = pli_arena_doubles(scratch, n, "minres");
    state->v = pli_arena_doubles(scratch, n, "minres");
    state->w_old = pli_arena_doubles(scratch, n, "minres");
    state->w = pli_arena_doubles(scratch, n, "minres");
    state->residual = plain ? pli_arena_doubles(scratch, n, "minres") : NULL;
    return state->u_old != NULL && state->u != NULL && state->y != NULL && state->v != NULL &&
           state->w_old != NULL && state->w != NULL && (!plain || state->residual != NULL);
}

// y = B u and beta = sqrt(u.y); false, with the reason in the report, when that is no norm.
static bool minres_precondition(minres_state *state)
{
    precondition(&state->common, state->u, state->y);
    state->beta_old = state->beta;
    double square = dot(&state->common, state->u, state->y);
    state->beta = sqrt(square);
    if (square >= 0 && isfinite(square)) return true;
    state->common.report->stop = square < 0 ? PLI_KRYLOV_BREAKDOWN : PLI_KRYLOV_NONFINITE;
    return false;
}

static bool minres_start(minres_state *state)
{
    krylov_state *common = &state->common;
    const pli_context *context = common->context;
    start_residual(common, state->u);
    if (!minres_precondition(state)) return true;
    state->phi_bar = state->beta;
    state->c = -1;
    pli_vector_fill(context, common->n, 0, state->w);
    pli_vector_fill(context, common->n, 0, state->w_old);

    double residual = state->beta;
    if (state->residual != NULL) {
        pli_vector_copy(context, common->n, state->u, state->residual);
        residual = pli_vector_norm(context, common->n, state->u);
    }
    set_tolerance(common, common->def->use_start ? reference_norm(common, state->v) : residual);
    return record_residual(common, 0, residual);
}

// The next Lanczos vector: u_new = A v - (beta / beta_old) u_old - (alpha / beta) u; false, with
// the reason in the report, when B is not positive there or a number is not finite.
static bool minres_lanczos(minres_state *state, int32_t iteration, double *alpha)
{
    krylov_state *common = &state->common;
    const pli_context *context = common->context;
    int64_t n = common->n;
    pli_vector_copy(context, n, state->y, state->v);
    pli_vector_scale(context, n, 1 / state->beta, state->v);
    pli_operator_apply(common->system->A, state->v, state->y);
    if (iteration > 1) {
        pli_vector_axpy(context, n, -state->beta / state->beta_old, state->u_old, state->y);
    }
    *alpha = dot(common, state->v, state->y);
    pli_vector_axpy(context, n, -*alpha / state->beta, state->u, state->y);

    // u_old <- u, u <- y; the freed array takes B u
    double *freed = state->u_old;
    state->u_old = state->u;
    state->u = state->y;
    state->y = freed;
    return minres_precondition(state);
}

typedef struct minres_update {
    double delta, epsilon, gamma, phi;
    const double *v;
    const double *w;
    double *w_old; // becomes the new direction
    double *x;
} minres_update;

// w_new = (v - epsilon w_old - delta w) / gamma, x += phi w_new
static void minres_update_range(void *user, int64_t begin, int64_t end)
{
    const minres_update *update = user;
    for (int64_t i = begin; i < end; ++i) {
        double w =
            (update->v[i] - update->epsilon * update->w_old[i] - update->delta * update->w[i]) /
            update->gamma;
        update->w_old[i] = w;
        update->x[i] += update->phi * w;
    }
}

// Residual of the new iterate in the norm of the def: r = s^2 r - phi_bar c u / beta.
static double minres_residual(minres_state *state)
{
    if (state->residual == NULL) return state->phi_bar;
    const pli_context *context = state->common.context;
    int64_t n = state->common.n;
    pli_vector_scale(context, n, state->s * state->s, state->residual);
    if (state->beta > 0) {
        double factor = -state->phi_bar * state->c / state->beta;
        pli_vector_axpy(context, n, factor, state->u, state->residual);
    }
    return pli_vector_norm(context, n, state->residual);
}

static bool minres_iterate(minres_state *state, int32_t iteration)
{
    krylov_state *common = &state->common;
    double alpha;
    if (!minres_lanczos(state, iteration, &alpha)) return true;

    // apply the last reflection to the new column, then choose the one that clears beta
    double epsilon = state->epsilon;
    double delta = state->c * state->d_bar + state->s * alpha;
    double gamma_bar = state->s * state->d_bar - state->c * alpha;
    state->epsilon = state->s * state->beta;
    state->d_bar = -state->c * state->beta;
    double gamma = hypot(gamma_bar, state->beta);
    if (gamma == 0) {
        common->report->stop = PLI_KRYLOV_BREAKDOWN;
        return true;
    }
    state->c = gamma_bar / gamma;
    state->s = state->beta / gamma;
    double phi = state->c * state->phi_bar;
    state->phi_bar *= state->s;

    minres_update update = {delta,    epsilon,  gamma,        phi,
                            state->v, state->w, state->w_old, common->system->x};
    pli_parallel_for(common->context, common->n, GRAIN, minres_update_range, &update);
    double *w_new = state->w_old;
    state->w_old = state->w;
    state->w = w_new;
    return record_residual(common, iteration, minres_residual(state));
}

pli_status pli_minres(const pli_context *context, const pli_krylov_def *def,
                      const pli_krylov_system *system, pli_arena *scratch,
                      pli_krylov_report *report)
{
    *report = (pli_krylov_report){0};
    pli_arena_mark mark = pli_arena_begin(scratch);
    minres_state state = {.common = {context, def, system, system->A->size, 0, report}};
    pli_status status = PLI_ERROR_MEMORY;
    if (!minres_take_scratch(&state, scratch)) goto done;

    bool ended = minres_start(&state);
    for (int32_t iteration = 1; !ended; ++iteration) ended = minres_iterate(&state, iteration);
    status = PLI_OK;

done:
    pli_arena_end(scratch, mark);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov/krylov.h"

#include "linear/krylov/krylov_state.h"

// items per block of the updates, as in vector.c
enum { GRAIN = 8192 };

pli_krylov_def pli_krylov_def_default(void)
{
    return (pli_krylov_def){.max_iterations = 10000, .relative_tolerance = 1e-8};
}

void pli_krylov_precondition(const pli_krylov_state *state, const double *r, double *z)
{
    if (state->system->B != NULL) {
        pli_operator_apply(state->system->B, r, z);
    } else {
        pli_vector_copy(state->context, state->n, r, z);
    }
}

double pli_krylov_dot(const pli_krylov_state *state, const double *x, const double *y)
{
    return pli_vector_dot(state->context, state->n, x, y);
}

void pli_krylov_start_residual(const pli_krylov_state *state, double *r)
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

double pli_krylov_reference_norm(const pli_krylov_state *state, double *scratch)
{
    const double *b = state->system->b;
    if (state->def->norm == PLI_KRYLOV_NORM_PLAIN || state->system->B == NULL) {
        return sqrt(pli_krylov_dot(state, b, b));
    }
    pli_operator_apply(state->system->B, b, scratch);
    return sqrt(pli_krylov_dot(state, b, scratch));
}

void pli_krylov_set_tolerance(pli_krylov_state *state, double reference)
{
    state->tolerance =
        fmax(state->def->relative_tolerance * reference, state->def->absolute_tolerance);
}

bool pli_krylov_record_residual(pli_krylov_state *state, int32_t iteration, double residual)
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

void pli_krylov_run(const pli_krylov_state *state, pli_task_fn body, void *user)
{
    if (state->n < 3 * PLI_KRYLOV_TEAM_ROWS) {
        body(user);
    } else {
        pli_parallel_team(state->context, body, user);
    }
}

// Vectors and scalars of MINRES. The Lanczos vectors u are orthonormal in the inner product of B;
// v = B u. The tridiagonal matrix they give is turned into upper triangular form by reflections
// (c, s), one per iteration.
typedef struct minres_state {
    pli_krylov_state common;
    const pli_arena *scratch; // knows whether the result is still wanted
    pli_status status;
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
    pli_krylov_precondition(&state->common, state->u, state->y);
    state->beta_old = state->beta;
    double square = pli_krylov_dot(&state->common, state->u, state->y);
    state->beta = sqrt(square);
    if (square >= 0 && isfinite(square)) return true;
    state->common.report->stop = square < 0 ? PLI_KRYLOV_BREAKDOWN : PLI_KRYLOV_NONFINITE;
    return false;
}

static bool minres_start(minres_state *state)
{
    pli_krylov_state *common = &state->common;
    const pli_context *context = common->context;
    pli_krylov_start_residual(common, state->u);
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
    pli_krylov_set_tolerance(
        common, common->def->use_start ? pli_krylov_reference_norm(common, state->v) : residual);
    return pli_krylov_record_residual(common, 0, residual);
}

// The next Lanczos vector: u_new = A v - (beta / beta_old) u_old - (alpha / beta) u; false, with
// the reason in the report, when B is not positive there or a number is not finite.
static bool minres_lanczos(minres_state *state, int32_t iteration, double *alpha)
{
    pli_krylov_state *common = &state->common;
    const pli_context *context = common->context;
    int64_t n = common->n;
    pli_vector_copy(context, n, state->y, state->v);
    pli_vector_scale(context, n, 1 / state->beta, state->v);
    pli_operator_apply(common->system->A, state->v, state->y);
    if (iteration > 1) {
        pli_vector_axpy(context, n, -state->beta / state->beta_old, state->u_old, state->y);
    }
    *alpha = pli_krylov_dot(common, state->v, state->y);
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
    pli_krylov_state *common = &state->common;
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
    return pli_krylov_record_residual(common, iteration, minres_residual(state));
}

static void minres_run(void *user)
{
    minres_state *state = user;
    bool ended = minres_start(state);
    for (int32_t iteration = 1; !ended; ++iteration) {
        state->status = pli_arena_go_on(state->scratch);
        ended = state->status != PLI_OK || minres_iterate(state, iteration);
    }
}

pli_status pli_minres(const pli_context *context, const pli_krylov_def *def,
                      const pli_krylov_system *system, pli_arena *scratch,
                      pli_krylov_report *report)
{
    *report = (pli_krylov_report){0};
    pli_arena_mark mark = pli_arena_begin(scratch);
    minres_state state = {.common = {context, def, system, system->A->size, 0, report},
                          .scratch = scratch};
    pli_status status = PLI_ERROR_MEMORY;
    if (!minres_take_scratch(&state, scratch)) goto done;

    pli_krylov_run(&state.common, minres_run, &state);
    status = state.status;

done:
    pli_arena_end(scratch, mark);
    return status;
}

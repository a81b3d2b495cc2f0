// SPDX-License-Identifier: Apache-2.0
//
// Conjugate gradients in three passes over the vectors per iteration, each one parallel loop:
//
//     q = A p                      and p.q          alpha = r.z / p.q
//     r -= alpha q, z = B r        and r.r, r.z     beta = r.z / (r.z before)
//     x += alpha p, p = z + beta p
//
// when A and B give single rows, B from the same rows; otherwise A or B get loops of their own.
#include "linear/krylov/krylov_state.h"

enum {
    PRODUCT_GRAIN = 64, // rows of a product per block
    UPDATE_GRAIN = 256  // rows of an update per block
};

// recurrences with the rough operator aim below the tolerance by this factor, so that its rounding
// seldom makes the residual that A itself gives too large
static const double rough_aim = 0.9;

// a round with the rough operator has to shrink the residual that A gives to this part, else A does
// the rest
static const double rough_progress = 0.5;

// Vectors and scalars of conjugate gradients.
typedef struct pcg_state {
    pli_krylov_state common;
    const pli_arena *scratch; // knows whether the result is still wanted
    pli_status status;
    const pli_operator *A; // what iterations multiply with: the rough operator or A itself
    int32_t iteration;
    bool moved;      // x is not the start any more
    double *r;       // [n]  residual
    double *z;       // [n]  B r; the same array as r without a preconditioner
    double *p;       // [n]  search direction
    double *q;       // [n]  A p
    double alpha;    // of the last step
    double beta;     // of the next direction
    double rr;       // r.r
    double rho;      // r.z
    double wanted;   // tolerance of the solve; that of the recurrences is in common
    double measured; // residual that A gave at the last start
} pcg_state;

static bool is_rough(const pcg_state *state)
{
    return state->A != state->common.system->A;
}

static bool is_plain(const pcg_state *state)
{
    return state->common.def->norm == PLI_KRYLOV_NORM_PLAIN;
}

static double measure(const pcg_state *state)
{
    return sqrt(is_plain(state) ? state->rr : state->rho);
}

// ---- passes

static int64_t row_count(const pcg_state *state)
{
    return (state->common.n + 2) / 3;
}

// Small systems are one block: a team would cost more than it saves.
static int64_t grain(const pcg_state *state, int64_t rows)
{
    return row_count(state) < PLI_KRYLOV_TEAM_ROWS ? PLI_KRYLOV_TEAM_ROWS : rows;
}

// Entries of the rows before `row`.
static int64_t entries_before(const pcg_state *state, int64_t row)
{
    return 3 * row < state->common.n ? 3 * row : state->common.n;
}

// q = A p on a range of rows; the sum is p.q
static pli_sum product_range(void *user, int64_t begin, int64_t end)
{
    const pcg_state *state = user;
    const pli_operator *A = state->A;
    A->apply_rows(A->self, state->p, state->q, begin, end);
    int64_t first = entries_before(state, begin);
    int64_t count = entries_before(state, end) - first;
    return (pli_sum){pli_vector_dot_part(count, state->p + first, state->q + first), 0};
}

// q = A p; returns p.q
static double multiply(pcg_state *state)
{
    if (state->A->apply_rows == NULL) {
        pli_operator_apply(state->A, state->p, state->q);
        return pli_krylov_dot(&state->common, state->p, state->q);
    }
    if (state->A->load != NULL) state->A->load(state->A->self, state->p);
    return pli_sum_value(pli_parallel_sum(state->common.context, row_count(state),
                                          grain(state, PRODUCT_GRAIN), product_range, state));
}

static bool precondition_is_local(const pcg_state *state)
{
    const pli_operator *B = state->common.system->B;
    return B != NULL && B->apply_rows != NULL && B->is_local;
}

// z = B r on a range of rows where B allows it; the sums are r.r and r.z
static pli_sum_pair precondition_range(void *user, int64_t begin, int64_t end)
{
    const pcg_state *state = user;
    const pli_operator *B = state->common.system->B;
    int64_t first = entries_before(state, begin);
    int64_t count = entries_before(state, end) - first;
    const double *r = state->r + first;
    double rr = pli_vector_dot_part(count, r, r);
    if (!precondition_is_local(state)) return (pli_sum_pair){{rr, 0}, {rr, 0}};
    B->apply_rows(B->self, state->r, state->z, begin, end);
    return (pli_sum_pair){{rr, 0}, {pli_vector_dot_part(count, r, state->z + first), 0}};
}

// r -= alpha q on a range of rows, and then as above
static pli_sum_pair residual_range(void *user, int64_t begin, int64_t end)
{
    const pcg_state *state = user;
    const double *restrict q = state->q;
    double *restrict r = state->r;
    double alpha = state->alpha;
    int64_t last = entries_before(state, end);
    for (int64_t i = entries_before(state, begin); i < last; ++i) r[i] -= alpha * q[i];
    return precondition_range(user, begin, end);
}

// Runs a pass over the residual: r.r, and r.z where B is local or missing.
static void pass_residual(pcg_state *state, pli_range_sum_pair_fn body)
{
    pli_sum_pair sums = pli_parallel_sum_pair(state->common.context, row_count(state),
                                              grain(state, UPDATE_GRAIN), body, state);
    state->rr = pli_sum_value(sums.first);
    state->rho = pli_sum_value(sums.second);
}

// z = B r and r.z where the pass over the residual could not give them
static void finish_precondition(pcg_state *state)
{
    if (state->z == state->r || precondition_is_local(state)) return;
    pli_operator_apply(state->common.system->B, state->r, state->z);
    state->rho = pli_krylov_dot(&state->common, state->r, state->z);
}

// x += alpha p, p = z + beta p
static void advance_range(void *user, int64_t begin, int64_t end)
{
    const pcg_state *state = user;
    const double *restrict z = state->z;
    double *restrict p = state->p;
    double *restrict x = state->common.system->x;
    double alpha = state->alpha;
    double beta = state->beta;
    int64_t last = entries_before(state, end);
    for (int64_t i = entries_before(state, begin); i < last; ++i) {
        x[i] += alpha * p[i];
        p[i] = z[i] + beta * p[i];
    }
}

// ---- the method

// True, with the reason in the report, when B turns out not to be positive at this residual.
static bool breaks_down(const pcg_state *state)
{
    if (state->rho > 0 || state->rr == 0 || isnan(state->rho)) return false;
    state->common.report->iterations = state->iteration;
    state->common.report->stop = PLI_KRYLOV_BREAKDOWN;
    return true;
}

// The tolerance that recurrences with the current operator stop at.
static void aim(pcg_state *state)
{
    state->common.tolerance = (is_rough(state) ? rough_aim : 1) * state->wanted;
}

// Residual, its measure and the first direction; true when the start ends the solve.
static bool start(pcg_state *state)
{
    pli_krylov_state *common = &state->common;
    pli_krylov_start_residual(common, state->r);
    pass_residual(state, precondition_range);
    finish_precondition(state);
    if (breaks_down(state)) return true;
    state->measured = measure(state);
    pli_krylov_set_tolerance(common, common->def->use_start
                                         ? pli_krylov_reference_norm(common, state->q)
                                         : state->measured);
    if (pli_krylov_record_residual(common, 0, state->measured)) return true;
    state->wanted = common->tolerance;
    aim(state);
    pli_vector_copy(common->context, common->n, state->z, state->p);
    return false;
}

// Restarts at x with the residual that A itself gives, and without the rough operator when that
// got nowhere; true when the solve ends there.
static bool restart(pcg_state *state, bool drop_rough)
{
    pli_krylov_state *common = &state->common;
    pli_operator_apply(common->system->A, common->system->x, state->r);
    pli_vector_subtract(common->context, common->n, common->system->b, state->r, state->r);
    pass_residual(state, precondition_range);
    finish_precondition(state);
    if (breaks_down(state)) return true;
    double measured = measure(state);
    if (measured <= state->wanted) {
        *common->report = (pli_krylov_report){.stop = PLI_KRYLOV_CONVERGED,
                                              .iterations = state->iteration,
                                              .residual = measured,
                                              .initial_residual = common->report->initial_residual};
        return true;
    }
    if (drop_rough || !(measured <= rough_progress * state->measured)) state->A = common->system->A;
    state->measured = measured;
    aim(state);
    pli_vector_copy(common->context, common->n, state->z, state->p);
    return false;
}

// Whether the rough operator spoils this direction: A gives it positive curvature, or a number.
static bool is_spoilt(pcg_state *state, double curvature)
{
    if (!is_rough(state) ||
        (curvature > 0 && isfinite(state->rho / curvature) && isfinite(curvature))) {
        return false;
    }
    pli_operator_apply(state->common.system->A, state->p, state->q);
    return pli_krylov_dot(&state->common, state->p, state->q) > 0;
}

// alpha = r.z / p.Ap; false, with the reason in the report, when the solve ends at this direction.
static bool take_step_length(pcg_state *state, double curvature)
{
    pli_krylov_report *report = state->common.report;
    if (curvature <= 0 && state->common.def->stop_at_indefinite) {
        const pli_krylov_system *system = state->common.system;
        report->stop = PLI_KRYLOV_INDEFINITE;
        report->iterations = state->iteration;
        if (!state->moved) pli_krylov_precondition(&state->common, system->b, system->x);
        return false;
    }
    state->alpha = state->rho / curvature;
    if (isfinite(state->alpha)) return true;
    report->iterations = state->iteration;
    report->stop = curvature == 0 ? PLI_KRYLOV_BREAKDOWN : PLI_KRYLOV_NONFINITE;
    return false;
}

// x += alpha p at the last iterate; true when the solve ends there.
static bool finish(pcg_state *state)
{
    pli_krylov_state *common = &state->common;
    pli_vector_axpy(common->context, common->n, state->alpha, state->p, common->system->x);
    bool doubtful = is_rough(state) && common->report->stop == PLI_KRYLOV_CONVERGED;
    return !doubtful || restart(state, false);
}

// One iteration; true when the solve ends with it.
static bool iterate(pcg_state *state)
{
    pli_krylov_state *common = &state->common;
    double curvature = multiply(state);
    if (is_spoilt(state, curvature)) {
        // the direction does not count
        --state->iteration;
        return restart(state, true);
    }
    if (!take_step_length(state, curvature)) return true;
    state->moved = true;

    // the plain norm may end the solve before B is applied again
    double rho_before = state->rho;
    pass_residual(state, residual_range);
    if (is_plain(state) && pli_krylov_record_residual(common, state->iteration, measure(state))) {
        return finish(state);
    }
    finish_precondition(state);
    if (breaks_down(state) || (!is_plain(state) && pli_krylov_record_residual(
                                                       common, state->iteration, measure(state)))) {
        return finish(state);
    }

    state->beta = state->rho / rho_before;
    pli_parallel_for(common->context, row_count(state), grain(state, UPDATE_GRAIN), advance_range,
                     state);
    return false;
}

static void run(void *user)
{
    pcg_state *state = user;
    bool ended = start(state);
    for (state->iteration = 1; !ended; ++state->iteration) {
        state->status = pli_arena_go_on(state->scratch);
        ended = state->status != PLI_OK || iterate(state);
    }
}

pli_status pli_pcg(const pli_context *context, const pli_krylov_def *def,
                   const pli_krylov_system *system, pli_arena *scratch, pli_krylov_report *report)
{
    *report = (pli_krylov_report){0};
    int64_t n = system->A->size;
    pli_arena_mark mark = pli_arena_begin(scratch);
    pcg_state state = {.common = {context, def, system, n, 0, report},
                       .scratch = scratch,
                       .A = system->A_rough != NULL ? system->A_rough : system->A,
                       .r = pli_arena_doubles(scratch, n, "pcg residual"),
                       .p = pli_arena_doubles(scratch, n, "pcg direction"),
                       .q = pli_arena_doubles(scratch, n, "pcg product")};
    state.z = system->B != NULL ? pli_arena_doubles(scratch, n, "pcg preconditioned") : state.r;
    pli_status status = PLI_ERROR_MEMORY;
    if (state.r == NULL || state.p == NULL || state.q == NULL || state.z == NULL) goto done;
    pli_krylov_run(&state.common, run, &state);
    status = state.status;

done:
    pli_arena_end(scratch, mark);
    return status;
}

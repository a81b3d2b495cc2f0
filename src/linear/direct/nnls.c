// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/nnls.h"

#include "linear/matrix/columns.h"
#include "linear/matrix/vector.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

// part of a column outside the span of the passive ones under which it counts as dependent
static const double DEPENDENT = 1e-10;
// part of a vector that is left by orthogonalisation under which it is done again
static const double REPEAT = 0.7;
// smallest fall of the residual, relative, that is not taken for rounding
static const double LEAST_GAIN = 1e-15;

typedef enum column_state {
    COLUMN_FREE,    // weight 0, may enter
    COLUMN_PASSIVE, // weight positive
    COLUMN_REFUSED, // not before the residual falls
    COLUMN_EMPTY    // all zeros, never
} column_state;

struct pli_nnls {
    pli_context *context;
    int32_t max_rows;
    int32_t max_columns;
    int32_t max_passive; // the smaller of both

    // the problem at hand
    const double *A; // [column_count][rows], borrowed
    int32_t rows;
    int32_t columns;
    double *norms;  // [max_columns]  lengths of the columns
    double *cosine; // [max_columns]  of a column and the residual, times its length
    uint8_t *state; // [max_columns]  column_state

    // the passive columns A_P = Q R, in the order in which they came
    int32_t passive_count;
    int32_t *passive; // [max_passive]  their numbers
    double *weight;   // [max_passive]  w_P
    double *target;   // [max_passive]  z = R^-1 c, the solution without bounds; scratch of append
    double *c;        // [max_passive]  Q^T b
    double *Q;        // [max_passive][rows]  columns
    double *R;        // [max_passive][max_passive]  columns, of which the upper triangle is used
    double *residual; // [max_rows]  b - Q c
};

static double length(int32_t count, const double *x)
{
    return sqrt(pli_vector_dot_part(count, x, x));
}

static double *q_column(const pli_nnls *n, int32_t position)
{
    return n->Q + (int64_t)position * n->rows;
}

static double *r_column(const pli_nnls *n, int32_t position)
{
    return n->R + (int64_t)position * n->max_passive;
}

static const double *a_column(const pli_nnls *n, int32_t column)
{
    return n->A + (int64_t)column * n->rows;
}

// ---- the factorisation

// v -= Q Q^T v for the passive columns; Q^T v is added to h.
static void orthogonalize(pli_nnls *n, double *v, double *h)
{
    double *s = n->target;
    pli_columns_dot(n->rows, n->passive_count, n->Q, v, s);
    pli_columns_subtract(n->rows, n->passive_count, n->Q, s, v);
    for (int32_t k = 0; k < n->passive_count; ++k) h[k] += s[k];
}

// Makes a column passive with weight 0. False when it depends on the passive ones.
static bool append_column(pli_nnls *n, int32_t column)
{
    int32_t last = n->passive_count;
    if (last == n->max_passive) return false;
    double *q = q_column(n, last);
    double *r = r_column(n, last);
    memcpy(q, a_column(n, column), (size_t)n->rows * sizeof *q);
    memset(r, 0, (size_t)last * sizeof *r);

    // a = Q r + what is left; twice is enough
    double before = n->norms[column];
    orthogonalize(n, q, r);
    double left = length(n->rows, q);
    if (left < REPEAT * before) {
        orthogonalize(n, q, r);
        left = length(n->rows, q);
    }
    if (!(left > DEPENDENT * before)) return false;
    for (int32_t i = 0; i < n->rows; ++i) q[i] /= left;
    r[last] = left;

    // what the new direction takes from the residual
    n->c[last] = pli_vector_dot_part(n->rows, q, n->residual);
    pli_columns_subtract(n->rows, 1, q, &n->c[last], n->residual);
    n->weight[last] = 0;
    n->passive[last] = column;
    n->state[column] = COLUMN_PASSIVE;
    ++n->passive_count;
    return true;
}

// x, y = cs x + sn y, cs y - sn x
static void rotate(int32_t count, double cs, double sn, double *restrict x, double *restrict y)
{
    for (int32_t i = 0; i < count; ++i) {
        double a = x[i];
        double b = y[i];
        x[i] = cs * a + sn * b;
        y[i] = cs * b - sn * a;
    }
}

// Takes the entry under the diagonal of column k of R away by turning rows k and k + 1 of R, and
// with them columns k and k + 1 of Q and these entries of c.
static void rotate_rows(pli_nnls *n, int32_t k, int32_t count)
{
    double *r = r_column(n, k);
    double size = hypot(r[k], r[k + 1]);
    double cs = r[k] / size;
    double sn = r[k + 1] / size;
    for (int32_t j = k; j < count; ++j)
        rotate(1, cs, sn, r_column(n, j) + k, r_column(n, j) + k + 1);
    r[k + 1] = 0;
    rotate(n->rows, cs, sn, q_column(n, k), q_column(n, k + 1));
    rotate(1, cs, sn, n->c + k, n->c + k + 1);
}

// Takes a column out; it may come back once the residual has fallen.
static void remove_column(pli_nnls *n, int32_t position)
{
    n->state[n->passive[position]] = COLUMN_REFUSED;
    int32_t last = n->passive_count - 1;
    for (int32_t k = position; k < last; ++k) {
        n->passive[k] = n->passive[k + 1];
        n->weight[k] = n->weight[k + 1];
        memcpy(r_column(n, k), r_column(n, k + 1), (size_t)(k + 2) * sizeof(double));
    }
    // R has entries under its diagonal from this position on
    for (int32_t k = position; k < last; ++k) rotate_rows(n, k, last);
    // the direction that no column needs any more goes back to the residual
    double back = -n->c[last];
    pli_columns_subtract(n->rows, 1, q_column(n, last), &back, n->residual);
    n->passive_count = last;
}

// z = R^-1 c
static void compute_target(pli_nnls *n)
{
    double *z = n->target;
    memcpy(z, n->c, (size_t)n->passive_count * sizeof *z);
    for (int32_t k = n->passive_count - 1; k >= 0; --k) {
        const double *r = r_column(n, k);
        z[k] /= r[k];
        pli_columns_subtract(k, 1, r, &z[k], z);
    }
}

// ---- the active set

// The step from the weights towards z that the first weight to vanish allows; 1 when none does.
static double admissible_step(const pli_nnls *n, int32_t *blocking)
{
    double step = 1;
    *blocking = -1;
    for (int32_t k = 0; k < n->passive_count; ++k) {
        if (n->target[k] > 0) continue;
        double own = n->weight[k] > 0 ? n->weight[k] / (n->weight[k] - n->target[k]) : 0;
        if (*blocking >= 0 && own >= step) continue;
        step = own;
        *blocking = k;
    }
    return step;
}

// Moves the weights to the solution of the passive columns, of which those leave whose weights
// would become negative. Returns how many did.
static int32_t settle_weights(pli_nnls *n)
{
    int32_t removals = 0;
    for (;;) {
        compute_target(n);
        int32_t blocking;
        double step = admissible_step(n, &blocking);
        if (blocking < 0) break;
        for (int32_t k = 0; k < n->passive_count; ++k) {
            n->weight[k] += step * (n->target[k] - n->weight[k]);
        }
        n->weight[blocking] = 0;
        for (int32_t k = n->passive_count - 1; k >= 0; --k) {
            if (n->target[k] > 0 || n->weight[k] > 0) continue;
            remove_column(n, k);
            ++removals;
        }
    }
    memcpy(n->weight, n->target, (size_t)n->passive_count * sizeof(double));
    return removals;
}

static void compute_cosines(pli_nnls *n)
{
    pli_columns_dot(n->rows, n->columns, n->A, n->residual, n->cosine);
    for (int32_t k = 0; k < n->columns; ++k) {
        n->cosine[k] = n->state[k] != COLUMN_EMPTY ? n->cosine[k] / n->norms[k] : 0;
    }
}

// The column in this state with the largest cosine above a limit; -1: none.
static int32_t best_column(const pli_nnls *n, column_state state, double limit)
{
    int32_t best = -1;
    for (int32_t k = 0; k < n->columns; ++k) {
        if (n->state[k] != state || !(n->cosine[k] > limit)) continue;
        limit = n->cosine[k];
        best = k;
    }
    return best;
}

// Tries to make a column passive with a positive weight; else it is refused.
static bool enter_column(pli_nnls *n, int32_t column)
{
    if (!append_column(n, column)) {
        n->state[column] = COLUMN_REFUSED;
        return false;
    }
    // its own weight has the sign of its cosine, but for rounding
    int32_t last = n->passive_count - 1;
    if (n->c[last] > 0) return true;
    remove_column(n, last);
    return false;
}

static void release_refused(pli_nnls *n)
{
    for (int32_t k = 0; k < n->columns; ++k) {
        if (n->state[k] == COLUMN_REFUSED) n->state[k] = COLUMN_FREE;
    }
}

// After a column was tried: refused ones may try again when the residual fell. When it did not, for
// rounding, they stay out, so that fewer and fewer columns are left to try and none goes in
// circles.
static void note_progress(pli_nnls *n, double *least)
{
    double now = length(n->rows, n->residual);
    if (!(now < *least * (1 - LEAST_GAIN))) return;
    release_refused(n);
    *least = now;
}

// Columns enter until there is a reason to stop.
static pli_nnls_stop run_active_set(pli_nnls *n, const pli_nnls_problem *problem, double b_length,
                                    pli_nnls_report *report)
{
    int32_t limit = problem->max_iterations;
    if (limit == 0) limit = 3 * (n->columns + problem->start_count);
    double least_cosine = problem->dual_tolerance * b_length;
    double least = length(n->rows, n->residual);
    bool stale = true; // cosines are not those of the residual
    for (;;) {
        if (least <= problem->residual_tolerance * b_length) return PLI_NNLS_STOP_RESIDUAL;
        if (stale) compute_cosines(n);
        int32_t column = best_column(n, COLUMN_FREE, least_cosine);
        if (column < 0) break;
        if (report->iterations == limit) return PLI_NNLS_STOP_ITERATIONS;
        ++report->iterations;
        stale = enter_column(n, column);
        if (!stale) continue;
        report->removals += settle_weights(n);
        note_progress(n, &least);
    }
    bool has_refused = best_column(n, COLUMN_REFUSED, least_cosine) >= 0;
    return has_refused ? PLI_NNLS_STOP_ROUNDING : PLI_NNLS_STOP_DUAL;
}

// ---- a solve

static pli_status check_sizes(const pli_nnls *n, const pli_nnls_problem *problem)
{
    if (problem->row_count < 0 || problem->row_count > n->max_rows || problem->column_count < 0 ||
        problem->column_count > n->max_columns) {
        return PLI_FAIL(n->context, PLI_ERROR_ARGUMENT,
                        "a problem of %d x %d is too large for a solver of %d x %d",
                        (int)problem->row_count, (int)problem->column_count, (int)n->max_rows,
                        (int)n->max_columns);
    }
    if (problem->max_iterations < 0 || problem->start_count < 0 ||
        problem->start_count > problem->column_count) {
        return PLI_FAIL(n->context, PLI_ERROR_ARGUMENT,
                        "%d iterations from %d columns; both are at least 0, and the columns are "
                        "among %d",
                        (int)problem->max_iterations, (int)problem->start_count,
                        (int)problem->column_count);
    }
    return PLI_OK;
}

// Lengths of the columns; refuses what is not finite.
static pli_status load_columns(pli_nnls *n, const pli_nnls_problem *problem)
{
    n->A = problem->A;
    n->rows = problem->row_count;
    n->columns = problem->column_count;
    n->passive_count = 0;
    for (int32_t k = 0; k < n->columns; ++k) {
        n->norms[k] = length(n->rows, a_column(n, k));
        n->cosine[k] = 0;
        n->state[k] = n->norms[k] > 0 ? COLUMN_FREE : COLUMN_EMPTY;
        if (isfinite(n->norms[k])) continue;
        return PLI_FAIL(n->context, PLI_ERROR_ARGUMENT, "column %d has entries that are not finite",
                        (int)k);
    }
    return PLI_OK;
}

// Makes the columns of the start passive and takes those out whose weights are not positive.
static pli_status load_start(pli_nnls *n, const pli_nnls_problem *problem, pli_nnls_report *report)
{
    for (int32_t k = 0; k < problem->start_count; ++k) {
        int32_t column = problem->start[k];
        bool is_there = column >= 0 && column < n->columns;
        if (!is_there || n->state[column] == COLUMN_PASSIVE) {
            return PLI_FAIL(n->context, PLI_ERROR_ARGUMENT,
                            "column %d at the start is %s; columns are 0 to %d", (int)column,
                            is_there ? "there twice" : "not there", (int)n->columns - 1);
        }
        if (n->state[column] == COLUMN_FREE) (void)append_column(n, column);
    }
    report->removals += settle_weights(n);
    release_refused(n);
    return PLI_OK;
}

// Writes w and what can be said about it; the residual is computed from w.
static void write_solution(pli_nnls *n, const pli_nnls_problem *problem, double b_length, double *w,
                           pli_nnls_report *report)
{
    memcpy(n->residual, problem->b, (size_t)n->rows * sizeof(double));
    for (int32_t k = 0; k < n->passive_count; ++k) {
        w[n->passive[k]] = n->weight[k];
        pli_columns_subtract(n->rows, 1, a_column(n, n->passive[k]), &n->weight[k], n->residual);
    }
    report->passive_count = n->passive_count;
    if (!(b_length > 0)) return;
    report->residual = length(n->rows, n->residual) / b_length;
    compute_cosines(n);
    for (int32_t k = 0; k < n->columns; ++k) {
        if (n->state[k] == COLUMN_PASSIVE || n->state[k] == COLUMN_EMPTY) continue;
        report->dual = fmax(report->dual, n->cosine[k] / b_length);
    }
}

pli_status pli_nnls_solve(pli_nnls *nnls, const pli_nnls_problem *problem, double *w,
                          pli_nnls_report *report)
{
    *report = (pli_nnls_report){.stop = PLI_NNLS_STOP_RESIDUAL};
    PLI_TRY(check_sizes(nnls, problem));
    memset(w, 0, (size_t)problem->column_count * sizeof *w);
    PLI_TRY(load_columns(nnls, problem));
    double b_length = length(nnls->rows, problem->b);
    if (!isfinite(b_length)) {
        return PLI_FAIL(nnls->context, PLI_ERROR_ARGUMENT,
                        "the right-hand side has entries that are not finite");
    }
    memcpy(nnls->residual, problem->b, (size_t)nnls->rows * sizeof(double));
    PLI_TRY(load_start(nnls, problem, report));
    report->stop = run_active_set(nnls, problem, b_length, report);
    write_solution(nnls, problem, b_length, w, report);
    return PLI_OK;
}

const int32_t *pli_nnls_passive(const pli_nnls *nnls)
{
    return nnls->passive;
}

// ---- creation

static pli_status allocate_arrays(pli_nnls *n)
{
    int64_t rows = n->max_rows;
    int64_t columns = n->max_columns;
    int64_t passive = n->max_passive;
    int64_t q_size = passive * rows;
    int64_t r_size = passive * passive;
    PLI_TRY(PLI_MAKE(n->context, n->norms, columns, "lengths of columns"));
    PLI_TRY(PLI_MAKE(n->context, n->cosine, columns, "cosines of columns"));
    PLI_TRY(PLI_MAKE(n->context, n->state, columns, "states of columns"));
    PLI_TRY(PLI_MAKE(n->context, n->passive, passive, "passive columns"));
    PLI_TRY(PLI_MAKE(n->context, n->weight, passive, "passive weights"));
    PLI_TRY(PLI_MAKE(n->context, n->target, passive, "weights without bounds"));
    PLI_TRY(PLI_MAKE(n->context, n->c, passive, "right-hand side in Q"));
    PLI_TRY(PLI_MAKE(n->context, n->Q, q_size, "Q of passive columns"));
    PLI_TRY(PLI_MAKE(n->context, n->R, r_size, "R of passive columns"));
    return PLI_MAKE(n->context, n->residual, rows, "least squares residual");
}

pli_status pli_nnls_create(pli_context *context, int32_t max_rows, int32_t max_columns,
                           pli_nnls **nnls)
{
    *nnls = NULL;
    if (max_rows < 0 || max_columns < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a solver of %d x %d; rows and columns are at least 0", (int)max_rows,
                        (int)max_columns);
    }
    pli_nnls *made = PLI_NEW(context, pli_nnls, 1, "non-negative least squares");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->max_rows = max_rows;
    made->max_columns = max_columns;
    made->max_passive = max_rows < max_columns ? max_rows : max_columns;
    pli_status status = allocate_arrays(made);
    if (status != PLI_OK) {
        pli_nnls_destroy(made);
        return status;
    }
    *nnls = made;
    return PLI_OK;
}

void pli_nnls_destroy(pli_nnls *nnls)
{
    if (nnls == NULL) return;
    PLI_RELEASE(nnls->context, nnls->residual, nnls->R, nnls->Q, nnls->c, nnls->target,
                nnls->weight, nnls->passive, nnls->state, nnls->cosine, nnls->norms, nnls);
}

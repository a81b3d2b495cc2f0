// SPDX-License-Identifier: Apache-2.0
//
// Block Jacobi for lifted systems, d <- d + D^-1 (r - A d), each iteration one pass that makes the
// product, the residual and the new iterate of a range of rows while they are in the cache. The
// first iteration is D^-1 r alone. It converges where 2 D - A is positive definite, as for springs
// with mass; elsewhere the caller relaxes (Chebyshev's gamma).
#include "linear/multigrid/lifted_solver_ops.h"

#include "linear/krylov/krylov_state.h"
#include "linear/multigrid/lifted_diagonal.h"

#include "base/memory.h"

enum { ROW_GRAIN = 256 };

typedef struct jacobi {
    pli_context *context;
    const pli_lifted_solver_def *def; // borrowed
    const pli_lifted *matrix;         // borrowed
    pli_lifted_diagonal diagonal;
    double *other; // [row_count][3]  every second iterate
} jacobi;

static void destroy(void *self)
{
    jacobi *s = self;
    if (s == NULL) return;
    pli_lifted_diagonal_clear(&s->diagonal);
    PLI_RELEASE(s->context, s->other, s);
}

static pli_status create(pli_context *context, const pli_lifted_solver_def *def,
                         const pli_lifted *matrix, void **self)
{
    jacobi *made = PLI_NEW(context, jacobi, 1, "Jacobi");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (jacobi){.context = context, .def = def, .matrix = matrix};
    pli_status status = pli_lifted_diagonal_init(matrix, &made->diagonal);
    if (status == PLI_OK) {
        made->other = PLI_NEW(context, double, 3 * (int64_t)matrix->row_count, "Jacobi iterate");
        if (made->other == NULL) status = PLI_ERROR_MEMORY;
    }
    if (status != PLI_OK) {
        destroy(made);
        return status;
    }
    *self = made;
    return PLI_OK;
}

static pli_status build(void *self, bool *definite)
{
    return pli_lifted_diagonal_build(&((jacobi *)self)->diagonal, definite);
}

static pli_status update_blocks(void *self, bool *definite)
{
    return pli_lifted_diagonal_update_blocks(&((jacobi *)self)->diagonal, definite);
}

// One solve; `from` is the last iterate and `to` becomes the next one.
typedef struct jacobi_job {
    const jacobi *solver;
    const pli_arena *scratch; // knows whether the result is still wanted
    pli_status status;
    const double *r;
    double *d;
    const double *from; // NULL: zero
    double *to;
    pli_krylov_report *report;
} jacobi_job;

// to = from + D^-1 (r - A from) on a range of rows; the sum is |r - A from|^2
static pli_sum iterate_range(void *user, int64_t begin, int64_t end)
{
    const jacobi_job *job = user;
    const jacobi *s = job->solver;
    const double *r = job->r;
    double *to = job->to;
    if (job->from == NULL) {
        pli_lifted_diagonal_apply_rows(&s->diagonal, r, to, begin, end);
        return (pli_sum){pli_vector_dot_part(3 * (end - begin), r + 3 * begin, r + 3 * begin), 0};
    }
    pli_operator A = pli_lifted_operator(s->matrix);
    A.apply_rows(A.self, job->from, to, begin, end);
    for (int64_t i = 3 * begin; i < 3 * end; ++i) to[i] = r[i] - to[i];
    double square = pli_vector_dot_part(3 * (end - begin), to + 3 * begin, to + 3 * begin);
    pli_lifted_diagonal_apply_rows(&s->diagonal, to, to, begin, end);
    for (int64_t i = 3 * begin; i < 3 * end; ++i) to[i] += job->from[i];
    return (pli_sum){square, 0};
}

// Makes the next iterate; returns the residual of the last one.
static double iterate(jacobi_job *job)
{
    const jacobi *s = job->solver;
    return sqrt(pli_sum_value(
        pli_parallel_sum(s->context, s->matrix->row_count, ROW_GRAIN, iterate_range, job)));
}

// Exactly so many iterations; they begin in the array that lets them end in d.
static void run_fixed(void *user)
{
    jacobi_job *job = user;
    const jacobi *s = job->solver;
    int32_t count = s->def->iterations;
    for (int32_t k = 1; k <= count; ++k) {
        job->status = pli_arena_go_on(job->scratch);
        if (job->status != PLI_OK) return;
        job->to = (count - k) % 2 == 0 ? job->d : s->other;
        (void)iterate(job);
        job->from = job->to;
    }
    *job->report = (pli_krylov_report){.stop = PLI_KRYLOV_ITERATIONS,
                                       .iterations = count,
                                       .residual = NAN,
                                       .initial_residual = NAN};
}

// Iterations until the residual is small enough. The pass that finds this out has made one iterate
// more, which is dropped.
static void run_to_tolerance(void *user)
{
    jacobi_job *job = user;
    const jacobi *s = job->solver;
    pli_krylov_report *report = job->report;
    int64_t n = 3 * (int64_t)s->matrix->row_count;
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = s->def->relative_tolerance;
    def.max_iterations = s->def->iterations;
    pli_krylov_state state = {.context = s->context, .def = &def, .n = n, .report = report};
    for (int32_t k = 0;; ++k) {
        job->status = pli_arena_go_on(job->scratch);
        if (job->status != PLI_OK) return;
        job->to = k % 2 == 0 ? job->d : s->other;
        double residual = iterate(job);
        if (k == 0) pli_krylov_set_tolerance(&state, residual);
        if (pli_krylov_record_residual(&state, k, residual)) break;
        job->from = job->to;
    }
    if (job->from == NULL) {
        pli_vector_fill(s->context, n, 0, job->d);
    } else if (job->from != job->d) {
        pli_vector_copy(s->context, n, job->from, job->d);
    }
}

static pli_status solve(void *self, const double *r, pli_arena *scratch, double *d,
                        pli_krylov_report *report)
{
    const jacobi *s = self;
    jacobi_job job = {.solver = s, .scratch = scratch, .r = r, .d = d, .report = report};
    pli_krylov_state state = {.context = s->context, .n = 3 * (int64_t)s->matrix->row_count};
    pli_krylov_run(&state, s->def->relative_tolerance > 0 ? run_to_tolerance : run_fixed, &job);
    return job.status;
}

const pli_lifted_solver_ops pli_lifted_jacobi_ops = {
    .create = create,
    .destroy = destroy,
    .build = build,
    .update_blocks = update_blocks,
    .solve = solve,
};

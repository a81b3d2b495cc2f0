// SPDX-License-Identifier: Apache-2.0
//
// A matrix with a low-rank part against a dense one: products, and solves by every kind of solver.
#include "unit/linear/problems.h"

#include "linear/krylov/solver.h"
#include "support/fault_sweep.h"

enum { RANK = 3 };

// A box matrix with vectors beside it, whose weights are up to `stiff` times the matrix.
typedef struct problem {
    pli_context *context;
    pli_bcsr *S;
    pli_low_rank *part;
    int64_t n;
    double *b;
    double *dense; // [n][n] of all of it
} problem;

static problem make_problem(double stiff)
{
    problem p = {.context = make_context(1)};
    p.S = box_matrix(p.context, 3, 2, 2, 4, 10);
    p.n = unknown_count(p.S);
    OK(p.context, pli_low_rank_create(p.context, p.n, RANK, &p.part));
    p.dense = dense_copy(p.S);
    p.b = random_vector(p.n, 1);
    for (int k = 0; k < RANK; ++k) {
        double weight = k == 0 ? stiff : 0.5 * k;
        double *u = pli_low_rank_add(p.part, weight);
        double *values = random_vector(p.n, 10 + (uint64_t)k);
        memcpy(u, values, (size_t)p.n * sizeof *u);
        free(values);
        for (int64_t i = 0; i < p.n; ++i) {
            for (int64_t j = 0; j < p.n; ++j) p.dense[p.n * i + j] += weight * u[i] * u[j];
        }
    }
    return p;
}

static void clear_problem(problem *p)
{
    free(p->dense);
    free(p->b);
    pli_low_rank_destroy(p->part);
    pli_bcsr_destroy(p->S);
    pli_context_destroy(p->context);
}

static void a_product_is_that_of_the_dense_matrix(void **state)
{
    (void)state;
    problem p = make_problem(10);
    double *y = new_vector(p.n), *expected = new_vector(p.n);
    pli_bcsr_multiply(p.S, p.b, y);
    pli_low_rank_multiply_add(p.part, p.b, y);
    for (int64_t i = 0; i < p.n; ++i) {
        expected[i] = 0;
        for (int64_t j = 0; j < p.n; ++j) expected[i] += p.dense[p.n * i + j] * p.b[j];
    }
    AT_MOST(relative_difference(p.n, y, expected), 1e-13);
    free(expected);
    free(y);
    clear_problem(&p);
}

static pli_linear_solver *make_solver(const problem *p, pli_linear_solver_kind kind)
{
    pli_linear_solver_def def = {.kind = kind,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 10000,
                                 .stop_at_indefinite = true};
    pli_linear_solver *solver = NULL;
    OK(p->context, pli_linear_solver_create(p->context, &def, p->S, &solver));
    return solver;
}

static int32_t solve(const problem *p, pli_linear_solver_kind kind, bool corrected, double *x)
{
    bool definite = false;
    pli_krylov_report report;
    pli_arena *arena = NULL;
    pli_linear_solver *solver = make_solver(p, kind);
    if (corrected) pli_linear_solver_set_low_rank(solver, p->part);
    OK(p->context, pli_arena_create(p->context, 1024, &arena));
    OK(p->context, pli_linear_solver_build(solver, &definite));
    assert_true(definite);
    OK(p->context, pli_linear_solver_solve(solver, p->b, 1e-12, arena, x, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    pli_arena_destroy(arena);
    pli_linear_solver_destroy(solver);
    return report.iterations;
}

// The weight of the first vector may be larger than the matrix by many orders; what a residual of
// 1e-12 means for the solution then is the conditioning of the rest.
static void solves_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    static const pli_linear_solver_kind kinds[] = {PLI_SOLVER_PCG, PLI_SOLVER_MINRES,
                                                   PLI_SOLVER_CHOLESKY};
    static const double stiff[] = {1, 1e4, 1e8};
    for (int i = 0; i < 3; ++i) {
        problem p = make_problem(stiff[i]);
        double *x = new_vector(p.n), *expected = new_vector(p.n);
        memcpy(expected, p.b, (size_t)p.n * sizeof *x);
        solve_by_elimination(p.n, p.dense, expected);
        for (int k = 0; k < 3; ++k) {
            solve(&p, kinds[k], true, x);
            AT_MOST(relative_difference(p.n, x, expected), 1e-6);
        }
        free(expected);
        free(x);
        clear_problem(&p);
    }
}

// Vectors that are stiffer than anything else cost conjugate gradients next to nothing.
static void a_stiff_vector_costs_no_iterations(void **state)
{
    (void)state;
    int32_t iterations[3];
    static const double stiff[] = {1, 1e4, 1e10};
    for (int i = 0; i < 3; ++i) {
        problem p = make_problem(stiff[i]);
        double *x = new_vector(p.n);
        iterations[i] = solve(&p, PLI_SOLVER_PCG, true, x);
        int32_t without = solve(&p, PLI_SOLVER_PCG, false, x);
        AT_MOST(iterations[i], without + 6);
        free(x);
        clear_problem(&p);
    }
    AT_MOST(iterations[2], iterations[0] + 3);
}

static void every_failing_allocation_is_told(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        pli_low_rank *part = NULL;
        sweep.status = pli_low_rank_create(sweep.context, 30, 2, &part);
        pli_low_rank_destroy(part);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_that_of_the_dense_matrix),
        cmocka_unit_test(solves_are_those_of_the_dense_matrix),
        cmocka_unit_test(a_stiff_vector_costs_no_iterations),
        cmocka_unit_test(every_failing_allocation_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Non-negative least squares: what defines the solution, and all supports by brute force.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/random.h"
#include "linear/direct/nnls.h"
#include "linear/matrix/dense.h"

enum { MAX_ROWS = 300, MAX_COLUMNS = 1000 };

// smallest cosine that counts: some hundred roundings of sums of a thousand terms
static const double DUAL = 1e-13;

typedef struct fixture {
    pli_context *context;
    pli_nnls *nnls;
    double *A;
    double *b;
    double *w;
    pli_nnls_problem problem;
    pli_nnls_report report;
} fixture;

static double *new_doubles(size_t count)
{
    double *x = calloc(count, sizeof *x);
    assert_non_null(x);
    return x;
}

// A random problem: entries normal with mean `mean`, so that a larger mean makes A w = b easier.
static fixture make_fixture(int32_t rows, int32_t columns, uint64_t seed, double mean)
{
    fixture f = {.context = make_context(1)};
    OK(f.context, pli_nnls_create(f.context, MAX_ROWS, MAX_COLUMNS, &f.nnls));
    f.A = new_doubles((size_t)(rows * columns));
    f.b = new_doubles((size_t)rows);
    f.w = new_doubles((size_t)columns);
    pli_random random = {seed, 1};
    for (int32_t k = 0; k < rows * columns; ++k) {
        f.A[k] = mean + pli_random_normal(random, (uint64_t)k);
    }
    random.stream = 2;
    for (int32_t k = 0; k < rows; ++k) f.b[k] = mean + pli_random_normal(random, (uint64_t)k);
    f.problem = (pli_nnls_problem){rows, columns, f.A, f.b, 0, DUAL, 0, 0, NULL};
    return f;
}

static void clear_fixture(fixture *f)
{
    free(f->A);
    free(f->b);
    free(f->w);
    pli_nnls_destroy(f->nnls);
    pli_context_destroy(f->context);
}

static void solve(fixture *f)
{
    OK(f->context, pli_nnls_solve(f->nnls, &f->problem, f->w, &f->report));
}

static double norm(int32_t count, const double *x)
{
    double sum = 0;
    for (int32_t k = 0; k < count; ++k) sum += x[k] * x[k];
    return sqrt(sum);
}

// b - A w
static double *new_residual(const fixture *f, const double *w)
{
    int32_t rows = f->problem.row_count;
    double *r = new_doubles((size_t)rows);
    for (int32_t i = 0; i < rows; ++i) r[i] = f->b[i];
    for (int32_t k = 0; k < f->problem.column_count; ++k) {
        for (int32_t i = 0; i < rows; ++i) r[i] -= f->A[k * rows + i] * w[k];
    }
    return r;
}

// w >= 0, no column has a positive product with the residual, passive ones have none.
static void check_conditions(const fixture *f)
{
    int32_t rows = f->problem.row_count;
    double *r = new_residual(f, f->w);
    double b_norm = norm(rows, f->b);
    // Q and R lose some digits to rounding over hundreds of updates
    double allowed = 1e-11 * b_norm;
    int32_t positive = 0;
    for (int32_t k = 0; k < f->problem.column_count; ++k) {
        const double *a = f->A + k * rows;
        double product = 0;
        for (int32_t i = 0; i < rows; ++i) product += a[i] * r[i];
        AT_LEAST(f->w[k], 0);
        AT_MOST(product, allowed * norm(rows, a));
        if (f->w[k] > 0) {
            AT_LEAST(product, -allowed * norm(rows, a));
            ++positive;
        }
    }
    assert_int_equal(positive, f->report.passive_count);
    assert_true(positive <= rows);
    NEAR(f->report.residual, norm(rows, r) / b_norm, 1e-9, 1e-14);
    free(r);
}

static void solution_meets_the_conditions(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{1, 1}, {5, 3}, {3, 8}, {40, 20}, {20, 60}, {60, 60}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
        for (uint64_t seed = 0; seed < 20; ++seed) {
            fixture f = make_fixture(sizes[s][0], sizes[s][1], seed, seed % 2 == 0 ? 0 : 0.3);
            solve(&f);
            assert_true(f.report.stop > 0);
            check_conditions(&f);
            clear_fixture(&f);
        }
    }
}

static void solution_of_dependent_columns_meets_the_conditions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        fixture f = make_fixture(30, 50, seed, 0.1);
        // half of the columns are multiples and sums of others, two are zero
        for (int32_t k = 25; k < 48; ++k) {
            for (int32_t i = 0; i < 30; ++i) {
                f.A[30 * k + i] = 3 * f.A[30 * (k - 25) + i] + (k % 2) * f.A[30 * (k - 24) + i];
            }
        }
        for (int32_t i = 0; i < 60; ++i) f.A[30 * 48 + i] = 0;
        solve(&f);
        assert_true(f.report.stop > 0);
        check_conditions(&f);
        assert_true(f.w[48] == 0 && f.w[49] == 0);

        // from all columns, most of which depend on others
        int32_t start[50];
        for (int32_t k = 0; k < 50; ++k) start[k] = k;
        f.problem.start = start;
        f.problem.start_count = 50;
        double cold = f.report.residual;
        solve(&f);
        check_conditions(&f);
        NEAR(f.report.residual, cold, 1e-11, 0);
        clear_fixture(&f);
    }
}

static void solution_of_dependent_rows_meets_the_conditions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        fixture f = make_fixture(30, 80, seed, 0.1);
        // rank 10
        for (int32_t k = 0; k < 80; ++k) {
            for (int32_t i = 10; i < 30; ++i) {
                f.A[30 * k + i] = f.A[30 * k + i % 10] - 0.5 * f.A[30 * k + i / 10];
            }
        }
        solve(&f);
        assert_true(f.report.stop > 0);
        assert_true(f.report.passive_count <= 10);
        check_conditions(&f);
        clear_fixture(&f);
    }
}

// The least residual over all supports whose solution without bounds is not negative.
static double brute_force(const fixture *f)
{
    int32_t rows = f->problem.row_count;
    int32_t columns = f->problem.column_count;
    double best = norm(rows, f->b);
    for (uint32_t support = 1; support < 1U << columns; ++support) {
        double gram[64];
        double x[8];
        int32_t member[8];
        int32_t count = 0;
        for (int32_t k = 0; k < columns; ++k) {
            if (support >> k & 1) member[count++] = k;
        }
        for (int32_t p = 0; p < count; ++p) {
            const double *a = f->A + member[p] * rows;
            x[p] = 0;
            for (int32_t i = 0; i < rows; ++i) x[p] += a[i] * f->b[i];
            for (int32_t q = 0; q <= p; ++q) {
                gram[p * count + q] = 0;
                for (int32_t i = 0; i < rows; ++i) {
                    gram[p * count + q] += a[i] * f->A[member[q] * rows + i];
                }
            }
        }
        if (!pli_dense_cholesky_factor(f->context, count, gram)) continue;
        pli_dense_cholesky_solve(f->context, count, gram, 1, x);
        double w[8] = {0};
        bool admissible = true;
        for (int32_t p = 0; p < count; ++p) {
            admissible = admissible && x[p] >= 0;
            w[member[p]] = x[p];
        }
        if (!admissible) continue;
        double *r = new_residual(f, w);
        best = fmin(best, norm(rows, r));
        free(r);
    }
    return best;
}

static void no_support_has_a_smaller_residual(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; ++seed) {
        int32_t rows = 8 + (int32_t)(seed % 5);
        int32_t columns = 1 + (int32_t)(seed % 8);
        fixture f = make_fixture(rows, columns, 100 + seed, seed % 3 == 0 ? 0.5 : 0);
        solve(&f);
        // Cholesky of the normal equations squares condition numbers of up to some hundreds
        NEAR(f.report.residual * norm(rows, f.b), brute_force(&f), 1e-10, 1e-12);
        clear_fixture(&f);
    }
}

static void sparse_weights_are_recovered(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        // more rows than columns: weights are unique
        fixture f = make_fixture(120, 80, seed, 0);
        double want[80] = {0};
        memset(f.b, 0, 120 * sizeof *f.b);
        for (int32_t k = 0; k < 80; k += 7) {
            want[k] = 0.1 + pli_random_uniform((pli_random){seed, 3}, (uint64_t)k);
            for (int32_t i = 0; i < 120; ++i) f.b[i] += f.A[120 * k + i] * want[k];
        }
        f.problem.residual_tolerance = 1e-12;
        solve(&f);
        assert_int_equal(f.report.stop, PLI_NNLS_STOP_RESIDUAL);
        for (int32_t k = 0; k < 80; ++k) NEAR(f.w[k], want[k], 0, 1e-11);
        clear_fixture(&f);
    }
}

static void admissible_right_hand_side_is_met_with_as_many_columns_as_rows(void **state)
{
    (void)state;
    fixture f = make_fixture(100, 600, 5, 0.2);
    memset(f.b, 0, 100 * sizeof *f.b);
    for (int32_t k = 0; k < 600; ++k) {
        for (int32_t i = 0; i < 100; ++i) f.b[i] += f.A[100 * k + i];
    }
    f.problem.residual_tolerance = 1e-12;
    solve(&f);
    assert_int_equal(f.report.stop, PLI_NNLS_STOP_RESIDUAL);
    assert_true(f.report.passive_count <= 100);
    check_conditions(&f);
    clear_fixture(&f);
}

static void warm_start_gives_the_same_solution(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 10; ++seed) {
        fixture f = make_fixture(60, 40, seed, 0.1);
        solve(&f);
        double cold[40];
        int32_t start[40];
        int32_t cold_iterations = f.report.iterations;
        memcpy(cold, f.w, sizeof cold);
        f.problem.start = start;

        // from its own support: nothing is left to do
        f.problem.start_count = f.report.passive_count;
        memcpy(start, pli_nnls_passive(f.nnls), (size_t)f.problem.start_count * sizeof *start);
        solve(&f);
        assert_int_equal(f.report.iterations, 0);
        for (int32_t k = 0; k < 40; ++k) NEAR(f.w[k], cold[k], 0, 1e-12);

        // from a wrong one, and from all columns
        for (int32_t stride = 3; stride > 0; stride -= 2) {
            f.problem.start_count = 0;
            for (int32_t k = 0; k < 40; k += stride) start[f.problem.start_count++] = k;
            solve(&f);
            check_conditions(&f);
            for (int32_t k = 0; k < 40; ++k) NEAR(f.w[k], cold[k], 0, 1e-12);
            // what was right at the start is not thrown away
            assert_true(f.report.iterations < cold_iterations);
        }
        clear_fixture(&f);
    }
}

static void lengths_of_columns_do_not_change_the_fit(void **state)
{
    (void)state;
    fixture f = make_fixture(50, 90, 3, 0.1);
    solve(&f);
    pli_nnls_report plain = f.report;
    // powers of two: products are scaled without rounding
    for (int32_t k = 0; k < 90; ++k) {
        for (int32_t i = 0; i < 50; ++i) f.A[50 * k + i] = ldexp(f.A[50 * k + i], k % 21 - 10);
    }
    solve(&f);
    assert_int_equal(f.report.iterations, plain.iterations);
    NEAR(f.report.residual, plain.residual, 1e-12, 0);
    clear_fixture(&f);
}

static void spent_budget_is_reported(void **state)
{
    (void)state;
    fixture f = make_fixture(60, 60, 1, 0.1);
    f.problem.max_iterations = 3;
    solve(&f);
    assert_int_equal(f.report.stop, PLI_NNLS_STOP_ITERATIONS);
    assert_int_equal(f.report.iterations, 3);
    AT_MOST(f.report.residual, 1);
    for (int32_t k = 0; k < 60; ++k) AT_LEAST(f.w[k], 0);
    clear_fixture(&f);
}

static void nothing_to_fit_is_legal(void **state)
{
    (void)state;
    fixture f = make_fixture(6, 4, 1, 0);
    memset(f.b, 0, 6 * sizeof *f.b);
    solve(&f);
    assert_int_equal(f.report.stop, PLI_NNLS_STOP_RESIDUAL);
    assert_true(f.report.residual == 0);
    f.problem.column_count = 0;
    f.b[0] = 1;
    solve(&f);
    assert_int_equal(f.report.stop, PLI_NNLS_STOP_DUAL);
    assert_true(f.report.residual == 1);
    f.problem.row_count = 0;
    solve(&f);
    clear_fixture(&f);
}

static void wrong_problems_are_refused(void **state)
{
    (void)state;
    fixture f = make_fixture(6, 4, 1, 0);
    int32_t twice[] = {2, 2};
    int32_t outside[] = {4};
    pli_nnls_problem wrong[] = {f.problem, f.problem, f.problem, f.problem, f.problem, f.problem};
    wrong[0].row_count = MAX_ROWS + 1;
    wrong[1].column_count = -1;
    wrong[2].start = twice;
    wrong[2].start_count = 2;
    wrong[3].start = outside;
    wrong[3].start_count = 1;
    wrong[4].max_iterations = -1;
    wrong[5].start_count = 5;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        assert_int_equal(pli_nnls_solve(f.nnls, &wrong[k], f.w, &f.report), PLI_ERROR_ARGUMENT);
    }
    f.A[7] = NAN;
    assert_int_equal(pli_nnls_solve(f.nnls, &f.problem, f.w, &f.report), PLI_ERROR_ARGUMENT);
    f.A[7] = 0;
    f.b[1] = INFINITY;
    assert_int_equal(pli_nnls_solve(f.nnls, &f.problem, f.w, &f.report), PLI_ERROR_ARGUMENT);
    pli_nnls *none = f.nnls;
    assert_int_equal(pli_nnls_create(f.context, -1, 3, &none), PLI_ERROR_ARGUMENT);
    assert_null(none);
    clear_fixture(&f);
}

static void creation_survives_every_failing_allocation(void **state)
{
    (void)state;
    pli_nnls_destroy(NULL);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_nnls *nnls = NULL;
        sweep.status = pli_nnls_create(sweep.context, 20, 30, &nnls);
        assert_int_equal(nnls == NULL, sweep.status != PLI_OK);
        pli_nnls_destroy(nnls);
    }
}

static void solve_allocates_nothing(void **state)
{
    (void)state;
    fixture f = make_fixture(30, 60, 1, 0.1);
    int64_t before = pli_context_allocation_count(f.context);
    solve(&f);
    assert_int_equal(pli_context_allocation_count(f.context), before);
    clear_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solution_meets_the_conditions),
        cmocka_unit_test(solution_of_dependent_columns_meets_the_conditions),
        cmocka_unit_test(solution_of_dependent_rows_meets_the_conditions),
        cmocka_unit_test(no_support_has_a_smaller_residual),
        cmocka_unit_test(sparse_weights_are_recovered),
        cmocka_unit_test(admissible_right_hand_side_is_met_with_as_many_columns_as_rows),
        cmocka_unit_test(warm_start_gives_the_same_solution),
        cmocka_unit_test(lengths_of_columns_do_not_change_the_fit),
        cmocka_unit_test(spent_budget_is_reported),
        cmocka_unit_test(nothing_to_fit_is_legal),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(creation_survives_every_failing_allocation),
        cmocka_unit_test(solve_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

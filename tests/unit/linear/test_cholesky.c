// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/direct/cholesky.h"

#include <dlfcn.h>

static void skip_without_cholmod(void)
{
    if (!pli_cholesky_is_available()) skip();
}

static pli_cholesky *make_cholesky(pli_context *context, const pli_bcsr *matrix,
                                   pli_cholesky_order order)
{
    pli_cholesky *cholesky = NULL;
    pli_cholesky_def def = {.order = order, .seed = 1};
    OK(context, pli_cholesky_create(context, &def, matrix, &cholesky));
    return cholesky;
}

static void factor_positive(pli_context *context, pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    bool positive = false;
    OK(context, pli_cholesky_factor(cholesky, matrix, 0, &positive));
    assert_true(positive);
}

static void a_build_without_cholmod_says_so(void **state)
{
    if (pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 20, 1);
    pli_cholesky_def def = {0};
    pli_cholesky *cholesky = NULL;
    assert_int_equal(pli_cholesky_create(context, &def, matrix, &cholesky), PLI_ERROR_UNSUPPORTED);
    assert_null(cholesky);
    pli_cholesky_destroy(NULL);
    pli_bcsr_destroy(matrix);
}

// residual <= 1e-12, for both orders and for several right-hand sides.
static void solutions_have_small_residuals(void **state)
{
    skip_without_cholmod();
    enum { RHS = 3 };
    pli_context *context = *state;
    pli_bcsr *matrices[] = {random_matrix(context, 300, 1), box_matrix(context, 10, 9, 8, 0.1, 50)};
    for (int m = 0; m < 2; ++m) {
        int64_t n = unknown_count(matrices[m]);
        double *b = random_vector(RHS * n, 3);
        double *x = new_vector(RHS * n);
        for (int order = 0; order <= PLI_CHOLESKY_ORDER_DISSECTION; ++order) {
            pli_cholesky *cholesky = make_cholesky(context, matrices[m], (pli_cholesky_order)order);
            factor_positive(context, cholesky, matrices[m]);
            OK(context, pli_cholesky_solve(cholesky, RHS, b, x));
            for (int k = 0; k < RHS; ++k) {
                AT_MOST(relative_residual(matrices[m], b + k * n, x + k * n), 1e-12);
            }
            pli_cholesky_destroy(cholesky);
        }
        free(b);
        free(x);
        pli_bcsr_destroy(matrices[m]);
    }
}

static void symbolic_part_is_reused_for_new_values(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 6, 6, 6, 0.1, 1);
    int64_t n = unknown_count(matrix);
    double *b = random_vector(n, 3);
    double *x = random_vector(n, 3);
    pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_AUTO);
    for (int round = 0; round < 3; ++round) {
        pli_vector_scale(context, 9 * matrix->block_count, 1.5, matrix->values);
        add_identity(matrix, 0.2);
        factor_positive(context, cholesky, matrix);
        // in place
        memcpy(x, b, (size_t)n * sizeof *x);
        OK(context, pli_cholesky_solve(cholesky, 1, x, x));
        AT_MOST(relative_residual(matrix, b, x), 1e-12);
    }
    free(b);
    free(x);
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
}

static void indefinite_matrices_are_reported_and_a_shift_helps(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    // small systems are factored simplicially, large ones by supernodes: both must notice
    pli_bcsr *matrices[] = {random_matrix(context, 12, 6), box_matrix(context, 9, 9, 9, -0.5, 1)};
    add_identity(matrices[0], -5);
    for (int m = 0; m < 2; ++m) {
        int64_t n = unknown_count(matrices[m]);
        double *b = random_vector(n, 3);
        double *x = new_vector(n);
        pli_cholesky *cholesky = make_cholesky(context, matrices[m], PLI_CHOLESKY_ORDER_AUTO);
        bool positive = true;
        OK(context, pli_cholesky_factor(cholesky, matrices[m], 0, &positive));
        assert_false(positive);
        assert_true(pli_cholesky_get_report(cholesky).failed_row >= 0);
        assert_int_equal(pli_cholesky_solve(cholesky, 1, b, x), PLI_ERROR_ARGUMENT);

        OK(context, pli_cholesky_factor(cholesky, matrices[m], 10, &positive));
        assert_true(positive);
        assert_int_equal(pli_cholesky_get_report(cholesky).failed_row, -1);
        OK(context, pli_cholesky_solve(cholesky, 1, b, x));
        add_identity(matrices[m], 10);
        AT_MOST(relative_residual(matrices[m], b, x), 1e-12);

        // a NaN is no pivot either
        matrices[m]->values[9 * matrices[m]->diagonal[3] + 4] = NAN;
        OK(context, pli_cholesky_factor(cholesky, matrices[m], 0, &positive));
        assert_false(positive);
        free(b);
        free(x);
        pli_cholesky_destroy(cholesky);
        pli_bcsr_destroy(matrices[m]);
    }
}

static void isotropic_matrices_are_factored_as_scalars(void **state)
{
    skip_without_cholmod();
    enum { RHS = 2 };
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 7, 7, 7, 0, 1);
    // graph Laplacian times identity
    pli_bcsr_set_zero(matrix);
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            double weight =
                matrix->column[slot] != row
                    ? -1
                    : 0.5 + (double)(matrix->row_start[row + 1] - matrix->row_start[row]);
            for (int k = 0; k < 9; k += 4) matrix->values[9 * slot + k] = weight;
        }
    }
    int64_t n = unknown_count(matrix);
    double *b = random_vector(RHS * n, 3);
    double *x = new_vector(RHS * n);
    pli_cholesky_def def = {.isotropic = true};
    pli_cholesky *scalar = NULL;
    OK(context, pli_cholesky_create(context, &def, matrix, &scalar));
    factor_positive(context, scalar, matrix);
    OK(context, pli_cholesky_solve(scalar, RHS, b, x));
    for (int k = 0; k < RHS; ++k) {
        AT_MOST(relative_residual(matrix, b + k * n, x + k * n), 1e-12);
    }
    pli_cholesky *blocks = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_AUTO);
    // the 3x3 factor stores nine times as much, less the triangles on the diagonal
    AT_MOST((double)pli_cholesky_get_report(scalar).factor_entries,
            (double)pli_cholesky_get_report(blocks).factor_entries / 8);
    pli_cholesky_destroy(scalar);
    pli_cholesky_destroy(blocks);
    free(b);
    free(x);
    pli_bcsr_destroy(matrix);
}

static void dissection_saves_work_on_large_boxes(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 16, 16, 16, 0.1, 1);
    pli_cholesky *by_degree = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_DEGREE);
    pli_cholesky *automatic = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_AUTO);
    pli_cholesky_report a = pli_cholesky_get_report(by_degree);
    pli_cholesky_report b = pli_cholesky_get_report(automatic);
    assert_false(a.dissected);
    if (b.dissected) assert_true(b.flops < a.flops);
    assert_true(b.supernodal);
    assert_true(b.memory_bytes > 0 && b.factor_entries > matrix->block_count);
    pli_cholesky_destroy(by_degree);
    pli_cholesky_destroy(automatic);
    pli_bcsr_destroy(matrix);
}

static void orders_and_solutions_repeat_to_the_bit(void **state)
{
    (void)state;
    skip_without_cholmod();
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bcsr *matrix = box_matrix(context, 9, 9, 9, 0.1, 1);
        int64_t n = unknown_count(matrix);
        double *x = random_vector(n, 3);
        pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_DISSECTION);
        factor_positive(context, cholesky, matrix);
        OK(context, pli_cholesky_solve(cholesky, 1, x, x));
        same_bits_keep_hash(&bits, vector_hash(n, x));
        free(x);
        pli_cholesky_destroy(cholesky);
        pli_bcsr_destroy(matrix);
        pli_context_destroy(context);
    }
}

// The setting of the process is what it was after every call.
static void blas_threads_are_given_back(void **state)
{
    skip_without_cholmod();
    int (*get_threads)(void) = NULL;
    void (*set_threads)(int) = NULL;
    *(void **)&get_threads = dlsym(RTLD_DEFAULT, "openblas_get_num_threads");
    *(void **)&set_threads = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
    if (get_threads == NULL || set_threads == NULL) skip();
    int before = get_threads();
    set_threads(2);
    int two = get_threads();
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 30, 2);
    pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_AUTO);
    factor_positive(context, cholesky, matrix);
    assert_int_equal(get_threads(), two);
    set_threads(before);
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
}

static void stale_patterns_and_empty_matrices_are_handled(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    pli_bcsr *a = random_matrix(context, 30, 1);
    pli_bcsr *b = random_matrix(context, 30, 2);
    pli_cholesky *cholesky = make_cholesky(context, a, PLI_CHOLESKY_ORDER_AUTO);
    bool positive = true;
    assert_int_equal(pli_cholesky_factor(cholesky, b, 0, &positive), PLI_ERROR_ARGUMENT);
    assert_false(positive);
    pli_cholesky_destroy(cholesky);

    pli_bcsr *empty = NULL;
    OK(context, pli_bcsr_create(context, 0, 0, NULL, &empty));
    cholesky = make_cholesky(context, empty, PLI_CHOLESKY_ORDER_DISSECTION);
    factor_positive(context, cholesky, empty);
    OK(context, pli_cholesky_solve(cholesky, 1, NULL, NULL));
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(empty);

    // rows without couplings, more than the limit of dissection
    OK(context, pli_bcsr_create(context, 3000, 0, NULL, &empty));
    add_identity(empty, 4);
    cholesky = make_cholesky(context, empty, PLI_CHOLESKY_ORDER_DISSECTION);
    factor_positive(context, cholesky, empty);
    double *x = random_vector(9000, 1);
    double *y = new_vector(9000);
    OK(context, pli_cholesky_solve(cholesky, 1, x, y));
    for (int i = 0; i < 9000; ++i) NEAR(y[i], x[i] / 4, 1e-15, 0);
    free(x);
    free(y);
    pli_cholesky_destroy(cholesky);
    pli_cholesky_destroy(NULL);
    pli_bcsr_destroy(empty);
    pli_bcsr_destroy(a);
    pli_bcsr_destroy(b);
}

// Contacts of the rows from `first` on, each with one far away; closed.
static void add_contacts(pli_bcsr *matrix, int32_t first, int32_t count)
{
    OK(matrix->context, pli_bcsr_reserve_extra(matrix, matrix->extra.count + 2 * (int64_t)count));
    for (int32_t row = first; row < first + count; ++row) {
        add_contact(matrix, row, matrix->row_count - 1 - row, (uint64_t)row);
    }
    pli_bcsr_close_extra(matrix);
}

static void remove_contacts(pli_bcsr *matrix, const double *values)
{
    pli_bcsr_set_zero(matrix);
    memcpy(matrix->values, values, 9 * (size_t)matrix->block_count * sizeof *values);
}

static void solve_accurately(pli_cholesky *cholesky, const pli_bcsr *matrix)
{
    int64_t n = unknown_count(matrix);
    double *b = random_vector(n, 3);
    double *x = new_vector(n);
    factor_positive(matrix->context, cholesky, matrix);
    OK(matrix->context, pli_cholesky_solve(cholesky, 1, b, x));
    AT_MOST(relative_residual(matrix, b, x), 1e-12);
    free(b);
    free(x);
}

static void places_of_extra_blocks_are_kept_within_a_series(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 9, 9, 9, 0.1, 1);
    double *values = new_vector(9 * matrix->block_count);
    memcpy(values, matrix->values, 9 * (size_t)matrix->block_count * sizeof *values);
    pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_DISSECTION);
    assert_int_equal(pli_cholesky_get_report(cholesky).analysis_count, 1);
    pli_cholesky_begin(cholesky);

    // two sets, then each alone: the second analysis has both
    static const int32_t sets[][2] = {{0, 20}, {10, 20}, {0, 20}, {0, 30}, {12, 15}, {10, 20}};
    for (size_t k = 0; k < sizeof sets / sizeof *sets; ++k) {
        remove_contacts(matrix, values);
        add_contacts(matrix, sets[k][0], sets[k][1]);
        solve_accurately(cholesky, matrix);
    }
    pli_cholesky_report report = pli_cholesky_get_report(cholesky);
    assert_int_equal(report.order_count, 1);
    assert_int_equal(report.analysis_count, 3);

    // nothing kept any more: a new analysis for the same matrix
    pli_cholesky_begin(cholesky);
    solve_accurately(cholesky, matrix);
    assert_int_equal(pli_cholesky_get_report(cholesky).analysis_count, report.analysis_count + 1);
    free(values);
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
}

static void places_that_are_too_many_are_forgotten(void **state)
{
    skip_without_cholmod();
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 9, 9, 9, 0.1, 1);
    double *values = new_vector(9 * matrix->block_count);
    memcpy(values, matrix->values, 9 * (size_t)matrix->block_count * sizeof *values);
    pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_DISSECTION);
    double alone = (double)pli_cholesky_get_report(cholesky).factor_entries;
    pli_cholesky_begin(cholesky);
    add_contacts(matrix, 0, 400);
    solve_accurately(cholesky, matrix);
    // so many of them want an order of their own
    pli_cholesky_report report = pli_cholesky_get_report(cholesky);
    assert_int_equal(report.order_count, 2);
    AT_LEAST((double)report.factor_entries, 1.5 * alone);

    remove_contacts(matrix, values);
    solve_accurately(cholesky, matrix);
    AT_LEAST(pli_cholesky_get_report(cholesky).analysis_count, report.analysis_count + 1);
    // and after a new begin everything is as at first
    pli_cholesky_begin(cholesky);
    solve_accurately(cholesky, matrix);
    NEAR((double)pli_cholesky_get_report(cholesky).factor_entries, alone, 0, 0);
    free(values);
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
}

// Bits of a solution with contacts, by an object that has factored other systems before or not.
static uint64_t solution_hash(bool with_past, bool with_begin)
{
    pli_context *context = make_context(2);
    pli_bcsr *matrix = box_matrix(context, 9, 9, 9, 0.1, 1);
    double *values = new_vector(9 * matrix->block_count);
    memcpy(values, matrix->values, 9 * (size_t)matrix->block_count * sizeof *values);
    pli_cholesky *cholesky = make_cholesky(context, matrix, PLI_CHOLESKY_ORDER_DISSECTION);
    if (with_past) {
        if (with_begin) pli_cholesky_begin(cholesky);
        add_contacts(matrix, 0, 400);
        factor_positive(context, cholesky, matrix);
        remove_contacts(matrix, values);
        add_contacts(matrix, 5, 60);
        factor_positive(context, cholesky, matrix);
        remove_contacts(matrix, values);
    }
    if (with_begin) pli_cholesky_begin(cholesky);
    add_contacts(matrix, 3, 40);
    factor_positive(context, cholesky, matrix);
    int64_t n = unknown_count(matrix);
    double *x = random_vector(n, 3);
    OK(context, pli_cholesky_solve(cholesky, 1, x, x));
    uint64_t hash = vector_hash(n, x);
    free(x);
    free(values);
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
    pli_context_destroy(context);
    return hash;
}

static void the_past_has_no_influence_on_the_bits(void **state)
{
    (void)state;
    skip_without_cholmod();
    uint64_t want = solution_hash(false, false);
    assert_true(solution_hash(true, false) == want);
    assert_true(solution_hash(false, true) == want);
    assert_true(solution_hash(true, true) == want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(a_build_without_cholmod_says_so, 1),
        TEST_IN_CONTEXT(solutions_have_small_residuals, 2),
        TEST_IN_CONTEXT(symbolic_part_is_reused_for_new_values, 1),
        TEST_IN_CONTEXT(indefinite_matrices_are_reported_and_a_shift_helps, 1),
        TEST_IN_CONTEXT(isotropic_matrices_are_factored_as_scalars, 2),
        TEST_IN_CONTEXT(dissection_saves_work_on_large_boxes, 1),
        cmocka_unit_test(orders_and_solutions_repeat_to_the_bit),
        TEST_IN_CONTEXT(blas_threads_are_given_back, 1),
        TEST_IN_CONTEXT(places_of_extra_blocks_are_kept_within_a_series, 2),
        TEST_IN_CONTEXT(places_that_are_too_many_are_forgotten, 2),
        cmocka_unit_test(the_past_has_no_influence_on_the_bits),
        TEST_IN_CONTEXT(stale_patterns_and_empty_matrices_are_handled, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/matrix/dense.h"

// G G^T / n + I with random G: condition of a few units.
static double *random_dense(int64_t n, uint64_t seed)
{
    double *G = random_vector(n * n, seed);
    double *A = new_vector(n * n);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) sum += G[i * n + k] * G[j * n + k];
            A[i * n + j] = A[j * n + i] = sum / (double)n + (i == j ? 1 : 0);
        }
    }
    free(G);
    return A;
}

// sizes around the tile of 64 and the strips of 8 and 4
static const int32_t sizes[] = {1, 2, 7, 12, 63, 64, 65, 71, 128, 131, 200, 261};
enum { SIZE_COUNT = sizeof sizes / sizeof *sizes };

static void factor_times_its_transpose_is_the_matrix(void **state)
{
    pli_context *context = *state;
    for (int s = 0; s < SIZE_COUNT; ++s) {
        int64_t n = sizes[s];
        double *A = random_dense(n, (uint64_t)n);
        double *L = new_vector(n * n);
        memcpy(L, A, (size_t)(n * n) * sizeof *L);
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = i + 1; j < n; ++j) L[i * n + j] = 1234;
        }
        assert_true(pli_dense_cholesky_factor(context, (int32_t)n, L));
        for (int64_t i = 0; i < n; ++i) {
            for (int64_t j = 0; j <= i; ++j) {
                double sum = 0;
                for (int64_t k = 0; k <= j; ++k) sum += L[i * n + k] * L[j * n + k];
                NEAR(sum, A[i * n + j], 0, 1e-13);
            }
            // the upper triangle is left alone
            for (int64_t j = i + 1; j < n; ++j) NEAR(L[i * n + j], 1234, 0, 0);
        }
        free(A);
        free(L);
    }
}

static void solutions_have_small_residuals(void **state)
{
    enum { N = 150, RHS = 3 };
    pli_context *context = *state;
    double *A = random_dense(N, 4);
    double *L = random_dense(N, 4);
    double *b = random_vector(N * RHS, 1);
    double *x = random_vector(N * RHS, 1);
    assert_true(pli_dense_cholesky_factor(context, N, L));
    pli_dense_cholesky_solve(context, N, L, RHS, x);
    for (int rhs = 0; rhs < RHS; ++rhs) {
        for (int i = 0; i < N; ++i) {
            double sum = 0;
            for (int j = 0; j < N; ++j) sum += A[i * N + j] * x[rhs * N + j];
            NEAR(sum, b[rhs * N + i], 0, 1e-12);
        }
    }
    free(A);
    free(L);
    free(b);
    free(x);
}

static void indefinite_matrices_are_noticed(void **state)
{
    enum { N = 150 };
    pli_context *context = *state;
    static const int bad[] = {0, 63, 64, 149};
    for (int k = 0; k < 4; ++k) {
        double *A = random_dense(N, 4);
        A[bad[k] * N + bad[k]] = -1;
        assert_false(pli_dense_cholesky_factor(context, N, A));
        free(A);
    }
    double *A = random_dense(N, 4);
    A[100 * N + 3] = NAN;
    assert_false(pli_dense_cholesky_factor(context, N, A));
    free(A);
}

static void factors_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    enum { N = 400 };
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        double *A = random_dense(N, 8);
        assert_true(pli_dense_cholesky_factor(context, N, A));
        same_bits_keep_hash(&bits, vector_hash(N * N, A));
        free(A);
        pli_context_destroy(context);
    }
}

static void small_inverse_inverts(void **state)
{
    (void)state;
    const double A[9] = {4, 1, -0.5, 1, 3, 0.25, -0.5, 0.25, 2};
    double W[6];
    double inverse[9];
    double product[9];
    assert_true(pli_dense3_factor(A, W));
    pli_dense3_inverse(W, inverse);
    pli_mat3_multiply(A, inverse, product);
    for (int k = 0; k < 9; ++k) NEAR(product[k], k % 4 == 0 ? 1 : 0, 0, 1e-15);

    // W^T W x is the same as the inverse
    double x[3] = {1, -2, 3};
    double y[3];
    pli_mat3_apply(inverse, x, y);
    pli_dense3_apply(W, x, x);
    pli_dense3_apply_transposed(W, x, x);
    for (int k = 0; k < 3; ++k) NEAR(x[k], y[k], 1e-15, 1e-15);
}

static void small_factor_refuses_what_is_not_safely_positive(void **state)
{
    (void)state;
    const double bad[][9] = {{0},
                             {1, 0, 0, 0, -1, 0, 0, 0, 1},
                             {1, 1, 0, 1, 1, 0, 0, 0, 1},
                             {1, 0, 0, 0, 1, 0, 0, 0, 1e-15},
                             {NAN, 0, 0, 0, 1, 0, 0, 0, 1},
                             {INFINITY, 0, 0, 0, 1, 0, 0, 0, 1},
                             {1, NAN, 0, 0, 1, 0, 0, 0, 1}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        double W[6] = {9, 9, 9, 9, 9, 9};
        assert_false(pli_dense3_factor(bad[k], W));
        for (int i = 0; i < 6; ++i) NEAR(W[i], 9, 0, 0);
        assert_false(pli_dense3_safe_factor(bad[k], W));
        for (int i = 0; i < 6; ++i) assert_true(isfinite(W[i]));
        assert_true(W[0] > 0 && W[2] > 0 && W[5] > 0);
    }
    // a diagonal of wide but honest range is fine
    const double wide[9] = {1e8, 0, 0, 0, 1, 0, 0, 0, 1e-4};
    double W[6];
    assert_true(pli_dense3_factor(wide, W));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(factor_times_its_transpose_is_the_matrix, 2),
        TEST_IN_CONTEXT(solutions_have_small_residuals, 2),
        TEST_IN_CONTEXT(indefinite_matrices_are_noticed, 2),
        cmocka_unit_test(factors_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(small_inverse_inverts),
        cmocka_unit_test(small_factor_refuses_what_is_not_safely_positive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

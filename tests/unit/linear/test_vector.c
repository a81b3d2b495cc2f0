// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

enum { N = 30011 }; // several blocks and a ragged end

static void combinations_equal_their_formulas(void **state)
{
    pli_context *context = *state;
    double *x = random_vector(N, 1);
    double *y = random_vector(N, 2);
    double *out = new_vector(N);

    pli_vector_copy(context, N, y, out);
    pli_vector_axpy(context, N, 2.5, x, out);
    for (int i = 0; i < N; ++i) NEAR(out[i], y[i] + 2.5 * x[i], 1e-15, 1e-15);
    pli_vector_copy(context, N, y, out);
    double dot = pli_vector_axpy_dot(context, N, 2.5, x, out, x);
    for (int i = 0; i < N; ++i) NEAR(out[i], y[i] + 2.5 * x[i], 1e-15, 1e-15);
    // sums in another order
    NEAR(dot, pli_vector_dot(context, N, out, x), 1e-14, 0);
    pli_vector_subtract(context, N, x, y, out);
    for (int i = 0; i < N; ++i) NEAR(out[i], x[i] - y[i], 0, 0);
    pli_vector_scale(context, N, 3, out);
    for (int i = 0; i < N; ++i) NEAR(out[i], 3 * (x[i] - y[i]), 0, 0);
    pli_vector_fill(context, N, 7, out);
    for (int i = 0; i < N; ++i) NEAR(out[i], 7, 0, 0);

    free(x);
    free(y);
    free(out);
}

static void sums_equal_long_double_sums(void **state)
{
    pli_context *context = *state;
    double *x = random_vector(N, 1);
    double *y = random_vector(N, 2);
    long double dot = 0, norm2 = 0;
    for (int i = 0; i < N; ++i) {
        dot += (long double)x[i] * y[i];
        norm2 += (long double)x[i] * x[i];
    }
    // partial sums of 8192 / 8 terms below one: rounding of some 1e-13
    NEAR(pli_vector_dot(context, N, x, y), (double)dot, 0, 1e-12);
    pli_dots dots = pli_vector_dots(context, N, y, x, x);
    NEAR(dots.first, (double)dot, 0, 1e-12);
    NEAR(dots.second, (double)norm2, 1e-14, 0);
    NEAR(pli_vector_norm2(context, N, x), (double)norm2, 1e-14, 0);
    NEAR(pli_vector_norm(context, N, x), sqrt((double)norm2), 1e-14, 0);
    NEAR(pli_vector_dot(context, 0, x, y), 0, 0, 0);
    free(x);
    free(y);
}

static void largest_entry_is_found_and_nan_is_not_hidden(void **state)
{
    pli_context *context = *state;
    double *x = random_vector(N, 1);
    x[20000] = -5;
    NEAR(pli_vector_max_abs(context, N, x), 5, 0, 0);
    x[3] = NAN;
    assert_true(isnan(pli_vector_max_abs(context, N, x)));
    NEAR(pli_vector_max_abs(context, 0, x), 0, 0, 0);
    free(x);
}

static void sums_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    double *x = random_vector(N, 1);
    double *y = random_vector(N, 2);
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        same_bits_keep_double(&bits, pli_vector_dot(context, N, x, y));
        pli_context_destroy(context);
    }
    free(x);
    free(y);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(combinations_equal_their_formulas, 2),
        TEST_IN_CONTEXT(sums_equal_long_double_sums, 2),
        TEST_IN_CONTEXT(largest_entry_is_found_and_nan_is_not_hidden, 2),
        cmocka_unit_test(sums_have_the_same_bits_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

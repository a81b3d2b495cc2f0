// SPDX-License-Identifier: Apache-2.0
//
// The checker of derivatives must itself tell right from wrong.
#include "derivatives.h"

// E = sum exp(x_k) + x_0 x_1^2, with errors of a given size put into its derivatives
typedef struct flawed {
    double gradient_flaw; // relative error of the gradient
    double hessian_flaw;
} flawed;

enum { N = 5 };

static double flawed_energy(void *user, const double *x)
{
    (void)user;
    double sum = x[0] * x[1] * x[1];
    for (int k = 0; k < N; ++k) sum += exp(x[k]);
    return sum;
}

static void flawed_gradient(void *user, const double *x, double *g)
{
    const flawed *given = user;
    for (int k = 0; k < N; ++k) g[k] = exp(x[k]);
    g[0] += x[1] * x[1];
    g[1] += 2 * x[0] * x[1];
    for (int k = 0; k < N; ++k) g[k] *= 1 + given->gradient_flaw;
}

static void flawed_hessian(void *user, const double *x, double *H)
{
    const flawed *given = user;
    memset(H, 0, N * N * sizeof *H);
    for (int k = 0; k < N; ++k) H[(N + 1) * k] = exp(x[k]);
    H[1] += 2 * x[1];
    H[N] += 2 * x[1];
    H[N + 1] += 2 * x[0];
    for (int k = 0; k < N * N; ++k) H[k] *= 1 + given->hessian_flaw;
}

static void flawed_multiply(void *user, const double *x, const double *d, double *Hd)
{
    double H[N * N];
    flawed_hessian(user, x, H);
    for (int k = 0; k < N; ++k) Hd[k] = derivatives_dot(N, H + N * k, d);
}

static const double place[N] = {0.3, -1.2, 0.5, 0.9, -0.1};

static derivatives_report check(double gradient_flaw, double hessian_flaw)
{
    flawed given = {gradient_flaw, hessian_flaw};
    derivatives_case term = {.n = N,
                             .energy = flawed_energy,
                             .gradient = flawed_gradient,
                             .hessian = flawed_hessian,
                             .user = &given,
                             .scale = 1,
                             .magnitude = 1};
    return derivatives_check(&term, place);
}

static void right_derivatives_have_slope_two(void **state)
{
    (void)state;
    derivatives_report report = check(0, 0);
    NEAR(report.gradient_slope, 2, 0, 0.02);
    NEAR(report.hessian_slope, 2, 0, 0.02);
    AT_MOST(report.gradient_error, 1e-8);
    AT_MOST(report.hessian_error, 1e-8);
}

static void product_form_gives_the_same_verdict(void **state)
{
    (void)state;
    flawed given = {0, 0};
    derivatives_case term = {.n = N,
                             .energy = flawed_energy,
                             .gradient = flawed_gradient,
                             .multiply = flawed_multiply,
                             .user = &given,
                             .scale = 1,
                             .magnitude = 1};
    CHECK_DERIVATIVES(&term, place, "product form");
    given.hessian_flaw = 1e-2;
    assert_false(derivatives_is_order(derivatives_check(&term, place).hessian_slope));
}

static void wrong_derivatives_have_slope_one(void **state)
{
    (void)state;
    NEAR(check(0.5, 0).gradient_slope, 1, 0, 0.1);
    NEAR(check(0, 0.5).hessian_slope, 1, 0, 0.1);
    assert_false(derivatives_is_order(check(1e-3, 0).gradient_slope));
    assert_false(derivatives_is_order(check(0, 1e-3).hessian_slope));
}

static void small_errors_are_found_by_differences(void **state)
{
    (void)state;
    assert_true(check(2e-6, 0).gradient_error > 1e-7);
    assert_true(check(0, 2e-5).hessian_error > 1e-6);
}

static double infinite_energy(void *user, const double *x)
{
    (void)user;
    return x[0] > 0.3 ? INFINITY : 0;
}

static void nothing(void *user, const double *x, double *g)
{
    (void)user;
    (void)x;
    memset(g, 0, N * sizeof *g);
}

static void energies_that_are_not_finite_do_not_pass(void **state)
{
    (void)state;
    derivatives_case term = {
        .n = N, .energy = infinite_energy, .gradient = nothing, .scale = 1, .magnitude = 1};
    derivatives_report report = derivatives_check(&term, place);
    assert_false(derivatives_is_order(report.gradient_slope));
    assert_true(report.gradient_error > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_derivatives_have_slope_two),
        cmocka_unit_test(product_form_gives_the_same_verdict),
        cmocka_unit_test(wrong_derivatives_have_slope_one),
        cmocka_unit_test(small_errors_are_found_by_differences),
        cmocka_unit_test(energies_that_are_not_finite_do_not_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

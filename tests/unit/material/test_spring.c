// SPDX-License-Identifier: Apache-2.0
//
// Springs.
#include "derivatives.h"

#include "material/spring.h"
#include "math/eigen.h"

typedef struct spring {
    double stiffness;
    double rest_length;
    pli_projection projection;
} spring;

static double spring_energy(void *user, const double *d)
{
    const spring *given = user;
    pli_springs one = {1, d, &given->stiffness, &given->rest_length};
    double energy;
    pli_springs_evaluate(&one, given->projection, &energy, NULL, NULL);
    return energy;
}

static void spring_gradient(void *user, const double *d, double *g)
{
    const spring *given = user;
    pli_springs one = {1, d, &given->stiffness, &given->rest_length};
    pli_springs_evaluate(&one, given->projection, NULL, g, NULL);
}

static void spring_hessian(void *user, const double *d, double *H)
{
    const spring *given = user;
    pli_springs one = {1, d, &given->stiffness, &given->rest_length};
    pli_springs_evaluate(&one, given->projection, NULL, NULL, H);
}

static const double directions[][3] = {{1, 0, 0}, {0.3, -0.4, 0.1}, {-2, 1, 5}, {0, 0, 1e-3}};

static void gradient_and_hessian_are_derivatives(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const double *d = directions[k];
        double length = derivatives_norm(3, d);
        // rest lengths from none to far longer than the spring
        for (double ratio = 0; ratio <= 4; ratio += 0.5) {
            spring given = {100, ratio * length, PLI_TANGENT_EXACT};
            derivatives_case term = {.n = 3,
                                     .energy = spring_energy,
                                     .gradient = spring_gradient,
                                     .hessian = spring_hessian,
                                     .user = &given,
                                     .scale = length,
                                     .magnitude = 100 * length * length};
            CHECK_DERIVATIVES(&term, d, "spring");
        }
    }
}

static void projected_hessian_is_the_clamped_one(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        for (double ratio = 0; ratio <= 4; ratio += 0.5) {
            spring given = {100, ratio * derivatives_norm(3, directions[k]), PLI_TANGENT_EXACT};
            double exact[9];
            double projected[9];
            spring_hessian(&given, directions[k], exact);
            given.projection = PLI_TANGENT_PROJECTED;
            spring_hessian(&given, directions[k], projected);
            (void)pli_psd_clamp(3, exact);
            for (int i = 0; i < 9; ++i) NEAR(projected[i], exact[i], 0, 1e-12 * 100);
        }
    }
}

static void spring_of_no_length_is_finite(void **state)
{
    (void)state;
    const double d[3] = {0, 0, 0};
    spring given = {100, 0.5, PLI_TANGENT_EXACT};
    double g[3];
    double H[9];
    NEAR(spring_energy(&given, d), 12.5, 1e-15, 0);
    spring_gradient(&given, d, g);
    for (int k = 0; k < 3; ++k) assert_true(g[k] == 0);
    spring_hessian(&given, d, H);
    for (int k = 0; k < 9; ++k) assert_true(isfinite(H[k]));
    given.projection = PLI_TANGENT_PROJECTED;
    spring_hessian(&given, d, H);
    for (int k = 0; k < 9; ++k) assert_true(H[k] == 0);

    // without a rest length nothing is singular: E = k/2 |d|^2
    given.rest_length = 0;
    for (int projection = 0; projection < 2; ++projection) {
        given.projection = (pli_projection)projection;
        spring_hessian(&given, d, H);
        for (int k = 0; k < 9; ++k) assert_true(H[k] == (k % 4 == 0 ? 100 : 0));
    }
}

static void batch_of_any_size_equals_single_springs(void **state)
{
    (void)state;
    enum { MAX = 17 };
    for (int32_t n = 1; n <= MAX; ++n) {
        double d[3 * MAX], k[MAX], l[MAX], E[MAX + 1], g[3 * MAX + 1], H[9 * MAX + 1];
        pli_random random = {.seed = 6, .stream = (uint64_t)n};
        for (int32_t i = 0; i < 3 * n; ++i) d[i] = pli_random_normal(random, (uint64_t)i);
        for (int32_t i = 0; i < n; ++i) k[i] = 10 + i;
        for (int32_t i = 0; i < n; ++i) l[i] = 0.1 * i;
        E[n] = g[3 * n] = H[9 * n] = -7;
        pli_springs springs = {n, d, k, l};
        pli_springs_evaluate(&springs, PLI_TANGENT_PROJECTED, E, g, H);
        assert_true(E[n] == -7 && g[3 * n] == -7 && H[9 * n] == -7);
        for (int32_t i = 0; i < n; ++i) {
            spring one = {k[i], l[i], PLI_TANGENT_PROJECTED};
            double di[3] = {d[i], d[n + i], d[2 * n + i]};
            double gi[3];
            double Hi[9];
            assert_true(spring_energy(&one, di) == E[i]);
            spring_gradient(&one, di, gi);
            spring_hessian(&one, di, Hi);
            for (int c = 0; c < 3; ++c) assert_true(gi[c] == g[c * n + i]);
            for (int c = 0; c < 9; ++c) assert_true(Hi[c] == H[c * n + i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives),
        cmocka_unit_test(projected_hessian_is_the_clamped_one),
        cmocka_unit_test(spring_of_no_length_is_finite),
        cmocka_unit_test(batch_of_any_size_equals_single_springs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

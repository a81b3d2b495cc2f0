// SPDX-License-Identifier: Apache-2.0
#include "toy.h"

static const double c1 = 1e-4;
static const double c2 = 0.9;

static double along_line(const double x[3], double minimum)
{
    double a = x[0] - minimum;
    return 0.5 * a * a;
}

static double unit_quadratic(const double x[3])
{
    return along_line(x, 1);
}

static void unit_quadratic_gradient(const double x[3], double g[3])
{
    g[0] = x[0] - 1;
    g[1] = g[2] = 0;
}

static double far_quadratic(const double x[3])
{
    return along_line(x, 40);
}

static void far_quadratic_gradient(const double x[3], double g[3])
{
    g[0] = x[0] - 40;
    g[1] = g[2] = 0;
}

// 1/2 (x - 1)^2 up to a wall at x = 0.3
static double walled(const double x[3])
{
    return x[0] < 0.3 ? unit_quadratic(x) : INFINITY;
}

static double constant_plus_tiny(const double x[3])
{
    return 1e6 + 1e-12 * unit_quadratic(x);
}

static void tiny_gradient(const double x[3], double g[3])
{
    unit_quadratic_gradient(x, g);
    g[0] *= 1e-12;
}

static void identity_hessian(const double x[3], double H[9])
{
    (void)x;
    memset(H, 0, 9 * sizeof(double));
    H[0] = H[4] = H[8] = 1;
}

typedef struct searched {
    pli_line_report report;
    double slope0;
    double change;
    double slope;
} searched;

static searched search_from(toy function, const double x[3], const double d[3],
                            pli_line_search_def def, double alpha_max)
{
    toy_problem p;
    toy_problem_init(&p, function, PLI_SOLVER_PCG);
    double trial_x[3];
    double trial_g[3];
    double g[3];
    pli_objective_compute_gradient(&p.objective, x, g);
    searched out = {.slope0 = g[0] * d[0] + g[1] * d[1] + g[2] * d[2]};
    pli_line line = {.objective = &p.objective,
                     .x = x,
                     .d = d,
                     .energy = pli_objective_energy(&p.objective, x),
                     .slope = out.slope0,
                     .alpha_max = alpha_max,
                     .trial_x = trial_x,
                     .trial_g = trial_g};
    line.noise = 1e-14 * fabs(pli_sum_value(line.energy));
    pli_line_search(&def, &line, &out.report);
    out.change = pli_sum_difference(out.report.energy, line.energy);
    out.slope = trial_g[0] * d[0] + trial_g[1] * d[1] + trial_g[2] * d[2];
    if (out.report.found) {
        for (int k = 0; k < 3; ++k) NEAR(trial_x[k], x[k] + out.report.alpha * d[k], 1e-14, 1e-300);
    }
    toy_problem_clear(&p);
    return out;
}

static const pli_line_search_def wolfe = {PLI_SEARCH_WOLFE, 1e-4, 0.9, 60};
static const pli_line_search_def halving = {PLI_SEARCH_BACKTRACKING, 0, 0.9, 60};

static void a_newton_step_on_a_quadratic_costs_one_evaluation(void **state)
{
    (void)state;
    toy function = {unit_quadratic, unit_quadratic_gradient, identity_hessian, 0};
    searched s = search_from(function, (double[]){0, 0, 0}, (double[]){1, 0, 0}, wolfe, INFINITY);
    assert_true(s.report.found);
    NEAR(s.report.alpha, 1, 0, 0);
    assert_int_equal(s.report.evaluations, 1);
    assert_int_equal(s.report.gradients, 1);
}

static void the_step_may_exceed_one(void **state)
{
    (void)state;
    toy function = {far_quadratic, far_quadratic_gradient, identity_hessian, 0};
    searched s = search_from(function, (double[]){0, 0, 0}, (double[]){1, 0, 0}, wolfe, INFINITY);
    assert_true(s.report.found);
    AT_LEAST(s.report.alpha, 4.0); // |phi'| <= 0.9 |phi'(0)| holds from 4 on
    AT_MOST(fabs(s.slope), c2 * fabs(s.slope0));
}

static void strong_wolfe_conditions_hold_on_a_curved_valley(void **state)
{
    (void)state;
    toy function = {rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0};
    static const double starts[][3] = {{-1.2, 1, 0.5}, {0, 0, 0}, {2, -3, 1}, {1.1, 1.3, -2}};
    static const double scales[] = {1e-4, 1e-2, 1, 1e3};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
        for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
            double g[3];
            rosenbrock_gradient(starts[i], g);
            double d[3] = {-scales[k] * g[0], -scales[k] * g[1], -scales[k] * g[2]};
            searched s = search_from(function, starts[i], d, wolfe, INFINITY);
            assert_true(s.report.found);
            AT_MOST(s.change, c1 * s.report.alpha * s.slope0);
            AT_MOST(fabs(s.slope), c2 * fabs(s.slope0));
        }
    }
}

static void infinite_energies_are_backed_away_from(void **state)
{
    (void)state;
    toy function = {walled, unit_quadratic_gradient, identity_hessian, 0};
    for (int kind = 0; kind < 2; ++kind) {
        searched s = search_from(function, (double[]){0, 0, 0}, (double[]){1, 0, 0},
                                 kind == 0 ? wolfe : halving, INFINITY);
        assert_true(s.report.found);
        AT_MOST(s.report.alpha, 0.3);
        AT_LEAST(s.report.alpha, 0.05);
        AT_MOST(s.change, 0);
    }
}

static void backtracking_never_lets_the_energy_rise(void **state)
{
    (void)state;
    toy function = {rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0};
    double x[3] = {-1.2, 1, 0.5};
    double g[3];
    rosenbrock_gradient(x, g);
    double d[3] = {-g[0], -g[1], -g[2]};
    searched s = search_from(function, x, d, halving, INFINITY);
    assert_true(s.report.found);
    AT_MOST(s.change, 0);
    double halvings = log2(1 / s.report.alpha);
    NEAR(halvings, round(halvings), 0, 1e-12);
}

static void the_largest_admissible_step_is_respected(void **state)
{
    (void)state;
    toy function = {far_quadratic, far_quadratic_gradient, identity_hessian, 0};
    for (int kind = 0; kind < 2; ++kind) {
        searched s = search_from(function, (double[]){0, 0, 0}, (double[]){1, 0, 0},
                                 kind == 0 ? wolfe : halving, 0.25);
        assert_true(s.report.found);
        NEAR(s.report.alpha, 0.25, 0, 0);
    }
}

static void below_the_noise_of_the_energy_the_slope_decides(void **state)
{
    (void)state;
    toy function = {constant_plus_tiny, tiny_gradient, identity_hessian, 0};
    searched s = search_from(function, (double[]){0, 0, 0}, (double[]){1, 0, 0}, wolfe, INFINITY);
    assert_true(s.report.found);
    NEAR(s.report.alpha, 1, 0, 0);
}

static void an_uphill_direction_finds_nothing(void **state)
{
    (void)state;
    toy function = {unit_quadratic, unit_quadratic_gradient, identity_hessian, 0};
    searched s =
        search_from(function, (double[]){0, 0, 0}, (double[]){-1, 0, 0}, halving, INFINITY);
    assert_false(s.report.found);
    assert_int_equal(s.report.evaluations, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_newton_step_on_a_quadratic_costs_one_evaluation),
        cmocka_unit_test(the_step_may_exceed_one),
        cmocka_unit_test(strong_wolfe_conditions_hold_on_a_curved_valley),
        cmocka_unit_test(infinite_energies_are_backed_away_from),
        cmocka_unit_test(backtracking_never_lets_the_energy_rise),
        cmocka_unit_test(the_largest_admissible_step_is_respected),
        cmocka_unit_test(below_the_noise_of_the_energy_the_slope_decides),
        cmocka_unit_test(an_uphill_direction_finds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

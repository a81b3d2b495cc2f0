// SPDX-License-Identifier: Apache-2.0
#include "toy.h"

static pli_newton_def stabilised(void)
{
    return (pli_newton_def){.tolerance = 1e-8,
                            .max_iterations = 200,
                            .safeguard = true,
                            .downhill = 1e-2,
                            .length_clamp = 1e3,
                            // the valley's conditioning makes crude directions useless
                            .linear_tolerance = 1e-10,
                            .line_search = {PLI_SEARCH_WOLFE, 1e-4, 0.9, 60}};
}

typedef struct heard {
    int count;
    double energy[256];
    pli_direction_kind direction[256];
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    if (h->count >= 256) return;
    h->energy[h->count] = iterate->energy;
    h->direction[h->count] = iterate->direction;
    ++h->count;
}

static pli_status minimize(toy_problem *p, const pli_newton_def *def, double x[3], heard *h,
                           pli_minimize_report *report)
{
    pli_minimize_env env = {
        .timers = &p->timers, .scratch = p->scratch, .monitor = hear, .user = h};
    return newton_minimize(def, &p->objective, p->linear, &env, x, report);
}

static void the_valley_is_descended_to_its_end_from_anywhere(void **state)
{
    (void)state;
    static const double starts[][3] = {{-1.2, 1, 0.5}, {0, 2, 0}, {5, -30, 1}, {-7, 90, -2}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
        toy_problem p;
        toy_problem_init(&p, (toy){rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0},
                         PLI_SOLVER_PCG);
        pli_newton_def def = stabilised();
        heard h = {0};
        pli_minimize_report report;
        double x[3] = {starts[i][0], starts[i][1], starts[i][2]};
        OK(p.context, minimize(&p, &def, x, &h, &report));
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        NEAR(x[0], 1, 1e-7, 0);
        NEAR(x[1], 1, 1e-7, 0);
        NEAR(x[2], 0, 0, 1e-7);
        // the energy falls every iteration
        for (int k = 1; k < h.count; ++k) AT_MOST(h.energy[k], h.energy[k - 1]);
        assert_int_equal(h.count, report.iterations + 1);
        toy_problem_clear(&p);
    }
}

static void the_length_clamp_does_not_change_the_result(void **state)
{
    (void)state;
    for (double clamp = 1e1; clamp <= 1e6; clamp *= 10) {
        toy_problem p;
        toy_problem_init(&p, (toy){rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0},
                         PLI_SOLVER_PCG);
        pli_newton_def def = stabilised();
        def.length_clamp = clamp;
        heard h = {0};
        pli_minimize_report report;
        double x[3] = {-5, 40, 3};
        OK(p.context, minimize(&p, &def, x, &h, &report));
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        NEAR(x[0], 1, 1e-7, 0);
        toy_problem_clear(&p);
    }
}

// f = sum of cos: maximum at 0, minimum at pi
static double hills(const double x[3])
{
    return cos(x[0]) + cos(x[1]) + cos(x[2]);
}

static void hills_gradient(const double x[3], double g[3])
{
    for (int k = 0; k < 3; ++k) g[k] = -sin(x[k]);
}

static void hills_hessian(const double x[3], double H[9])
{
    memset(H, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; ++k) H[4 * k] = -cos(x[k]);
}

static pli_direction_kind first_direction(const double start[3], pli_linear_solver_kind linear)
{
    toy_problem p;
    toy_problem_init(&p, (toy){hills, hills_gradient, hills_hessian, 0}, linear);
    pli_newton_def def = stabilised();
    heard h = {0};
    pli_minimize_report report;
    double x[3] = {start[0], start[1], start[2]};
    OK(p.context, minimize(&p, &def, x, &h, &report));
    assert_true(report.stop > 0);
    NEAR(report.energy, -3, 1e-12, 0);
    assert_true(h.count > 1);
    pli_direction_kind direction = h.direction[1];
    toy_problem_clear(&p);
    return direction;
}

static void every_branch_of_the_downhill_test_is_reached(void **state)
{
    (void)state;
    // near the maximum the exact Newton step climbs, its reverse descends
    assert_int_equal(first_direction((double[]){0.3, 0.2, 0.1}, PLI_SOLVER_MINRES),
                     PLI_DIRECTION_REVERSED);
    // conjugate gradients stop at the first step there and leave the gradient
    assert_int_equal(first_direction((double[]){0.3, 0.2, 0.1}, PLI_SOLVER_PCG),
                     PLI_DIRECTION_STEEPEST);
    // at a saddle d . g = -tan a sin a - tan b sin b can vanish: neither d nor -d will do
    assert_int_equal(first_direction((double[]){0.3, 3.141592653589793 - 0.3, 3.141592653589793},
                                     PLI_SOLVER_MINRES),
                     PLI_DIRECTION_STEEPEST);
    // near the minimum Newton is right
    assert_int_equal(first_direction((double[]){3, 3, 3}, PLI_SOLVER_PCG), PLI_DIRECTION_NEWTON);
}

static void plain_newton_climbs_to_the_maximum(void **state)
{
    (void)state;
    toy_problem p;
    toy_problem_init(&p, (toy){hills, hills_gradient, hills_hessian, 0}, PLI_SOLVER_MINRES);
    pli_newton_def def = stabilised();
    def.safeguard = false;
    def.line_search.kind = PLI_SEARCH_NONE;
    heard h = {0};
    pli_minimize_report report;
    double x[3] = {0.3, 0.2, 0.1};
    OK(p.context, minimize(&p, &def, x, &h, &report));
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    NEAR(report.energy, 3, 1e-12, 0); // a root of the gradient, but no minimum
    toy_problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_valley_is_descended_to_its_end_from_anywhere),
        cmocka_unit_test(the_length_clamp_does_not_change_the_result),
        cmocka_unit_test(every_branch_of_the_downhill_test_is_reached),
        cmocka_unit_test(plain_newton_climbs_to_the_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// A net of springs that hangs from its corners, by vertex block descent with a fixed number of
// iterations per step (Trusty et al. 2025): more of them come closer to the converged motion, and
// at the same number stiff springs are further from it than soft ones.
#include "simulate.h"

enum { STEPS = 20 };

// Height of the lowest vertex after STEPS steps (m).
static double sag(double stretch, const char *solver)
{
    char text[1024];
    snprintf(text, sizeof text,
             "contact: none\n"
             "bodies: {net: {kind: cloth, geometry: {sheet: {columns: 12, rows: 12}},\n"
             "  springs: {stretch: %g, bend: %g}}}\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [0.49, 0, 0.49], normal: [1, 0, 1]}}}\n"
             "  - {where: {half_space: {point: [-0.49, 0, 0.49], normal: [-1, 0, 1]}}}\n"
             "  - {where: {half_space: {point: [0.49, 0, -0.49], normal: [1, 0, -1]}}}\n"
             "  - {where: {half_space: {point: [-0.49, 0, -0.49], normal: [-1, 0, -1]}}}\n"
             "time: {fps: 60, frames: 1}\n"
             "solver: %s\n",
             stretch, 0.05 * stretch, solver);
    simulation s;
    simulation_init(&s, text, 2);
    simulation_run(&s, STEPS);
    const double *x = pli_state_get(s.state).positions;
    double lowest = INFINITY;
    for (int32_t i = 0; i < s.info.vertex_count; ++i) lowest = fmin(lowest, x[3 * i + 1]);
    simulation_clear(&s);
    return lowest;
}

static double error_after(double stretch, int iterations)
{
    char solver[128];
    snprintf(solver, sizeof solver, "{name: vbd, fixed_iterations: %d}", iterations);
    double converged = sag(stretch, "{name: newton, tolerance: 1e-8}");
    assert_true(converged < -0.01);
    return fabs(sag(stretch, solver) / converged - 1);
}

static void more_iterations_converge_to_newton(void **state)
{
    (void)state;
    double last = error_after(1000, 4);
    for (int iterations = 16; iterations <= 256; iterations *= 4) {
        double error = error_after(1000, iterations);
        AT_MOST(error, 0.7 * last);
        last = error;
    }
    AT_MOST(last, 0.01);
}

static void stiff_springs_are_further_off(void **state)
{
    (void)state;
    AT_LEAST(error_after(1e4, 10), 3 * error_after(100, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_iterations_converge_to_newton),
        cmocka_unit_test(stiff_springs_are_further_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

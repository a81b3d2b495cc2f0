// SPDX-License-Identifier: Apache-2.0
//
// Static deflections under loads from those that bend a steel bar by some ten-thousandth of its
// length down to what its coordinates can just tell: linear in the load for every law and solver,
// and never "converged" where nothing has moved.
#include "simulate.h"

#include "pliant/extend.h"

// Steel by laws, in the constants that each has: E = 2e11 Pa, nu = 0.3, mu = 1/2.6 and K = 1/1.2 of
// E.
#define BY_POISSON(law) "law: " law ", young: 2e11, poisson: 0.3"
#define STEEL BY_POISSON("neo-hookean")
static const char *const laws[] = {
    STEEL, BY_POISSON("stable-neo-hookean"), BY_POISSON("fixed-corotated"), BY_POISSON("corotated"),
    BY_POISSON("hencky"), BY_POISSON("linear"), BY_POISSON("st-venant-kirchhoff"),
    "law: mooney-rivlin, parameters: {c10: 3e10, c01: 8.461538e9, bulk: 1.6666667e11}",
    "law: ogden, parameters: {mu1: 5e10, alpha1: 2, mu2: -2.692308e10, alpha2: -2, bulk: "
    "1.6666667e11}",
    // a hundredth of the stiffness is that of fibres along the bar
    BY_POISSON("fibres") ", parameters: {fibre: [1, 0, 0], k1: 5e8, k2: 3, compression: 1}",
    "law: orthotropic, parameters: {young1: 2e11, young2: 2e11, young3: 2e11, poisson12: 0.3, "
    "poisson23: 0.3, poisson13: 0.3, shear12: 7.692308e10, shear23: 7.692308e10, shear13: "
    "7.692308e10}"};

enum { LAW_COUNT = sizeof laws / sizeof *laws };

// Methods whose steps lead to the minimum: they resolve what coordinates do.
static const char *const newtons[] = {
    "auto",    "newton",   "newton-plain",     "pn-pcg",   "pn-sgs", "ipc-pcg",
    "ipc-llt", "pn-mgpcg", "newton-multigrid", "subspace", "lbfgs"};

// Methods that go a small share of the way in every iteration; a step shorter than rounding is
// lost.
static const char *const steady[] = {"pd-direct", "pd-multigrid", "pd-pcg", "vivace", "vbd"};

typedef struct answer {
    double deflection; // mean of the end of the bar (m)
    pli_step_report report;
} answer;

static const double full_load = 200; // m/s^2: bends the bar by 1.5e-4 of its length

static answer bend(const char *law, const char *solver, double load)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {%s, density: 7850}}\n"
             "bodies: {bar: {material: m, geometry: {grid: {size: [1, 0.2, 0.2], cells: [6, 2, "
             "2]}}}}\n"
             "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
             "gravity: [0, %.17g, 0]\n"
             "solver: {name: %s}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             law, -load, solver);
    simulation s;
    answer found = {0};
    simulation_init(&s, yaml, 2);
    OK(s.context, pli_solver_step(s.solver, s.state, &found.report));
    const double *x = pli_state_get(s.state).positions;
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    int32_t count = 0;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        if (rest[3 * k] < 0.49) continue;
        found.deflection += rest[3 * k + 1] - x[3 * k + 1];
        ++count;
    }
    found.deflection /= count;
    simulation_clear(&s);
    return found;
}

// Twelve decades. A bar that is bent by 1.5e-5 of its length is a part in 10^9 away from linear.
// Below, what counts is what coordinates of 1/2 m round to, 1e-16 m, a few times over, and more of
// it where solutions are inexact: from 1e-9 m on the whole 1e-6 can be seen.
static void deflections_are_linear_in_the_load_over_twelve_decades(void **state)
{
    (void)state;
    const double resolution = 2e-15;
    for (int law = 0; law < LAW_COUNT; ++law) {
        for (size_t k = 0; k < sizeof newtons / sizeof *newtons; ++k) {
            bool handles = strcmp(newtons[k], "subspace") == 0;
            double unit = bend(laws[law], newtons[k], 0.1 * full_load).deflection;
            AT_LEAST(unit, 1e-5);
            for (double share = 0.1; share > 0.5e-12; share *= 0.1) {
                answer found = bend(laws[law], newtons[k], 0.1 * share * full_load);
                if (found.report.stop <= 0) {
                    fprintf(stderr, "%s, %s, share %g: %s\n", laws[law], newtons[k], share,
                            pli_stop_name(found.report.stop));
                }
                assert_true(found.report.stop > 0);
                NEAR(found.deflection, share * unit, 1e-6, (handles ? 100 : 1) * resolution);
            }
        }
    }
}

// Methods that creep may end above the tolerance, and say so; what they call converged is right.
static void what_creeping_methods_call_converged_is_right(void **state)
{
    (void)state;
    double unit = bend(BY_POISSON("fixed-corotated"), "newton", 0.1 * full_load).deflection;
    for (size_t k = 0; k < sizeof steady / sizeof *steady; ++k) {
        int32_t converged = 0;
        for (double share = 0.1; share > 0.5e-8; share *= 0.1) {
            answer found = bend(BY_POISSON("fixed-corotated"), steady[k], 0.1 * share * full_load);
            if (found.report.stop <= 0) continue;
            ++converged;
            // within a tenth of a per cent; 1e-13 of what rounds a hundred times over
            NEAR(found.deflection, share * unit, 1e-3, 1e-13);
        }
        // all that moves by a millionth of the length
        AT_LEAST(converged, 2);
    }
}

// A bar of steel under hardly any weight once ended as converged where it had begun.
static void small_loads_do_not_converge_at_zero(void **state)
{
    (void)state;
    for (int law = 0; law < LAW_COUNT; ++law) {
        answer found = bend(laws[law], "auto", 0.01);
        // full_load bends it by 1.5e-4
        NEAR(found.deflection, 1.51e-4 * 0.01 / full_load, 0.02, 0);
    }
}

// Nothing pushes: converged at once, at rest.
static void no_load_is_no_trouble(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof newtons / sizeof *newtons; ++k) {
        answer found = bend(STEEL, newtons[k], 0);
        assert_true(found.report.stop > 0);
        NEAR(found.deflection, 0, 0, 1e-16);
    }
}

// ---- nearly incompressible matter, by default tolerances

static answer sag(const char *solver, double poisson, double tolerance)
{
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "materials: {m: {law: fixed-corotated, young: 1e5, poisson: %g, density: 1000}}\n"
        "bodies: {slab: {material: m, element: linear, geometry: {grid: {size: [2, 1, 0.0625], "
        "cells: [32, 16, 1]}}}}\n"
        "constraints:\n"
        "  - {where: all, axes: z}\n"
        "  - {where: {half_space: {point: [-0.999, 0, 0], normal: [-1, 0, 0]}}}\n"
        "  - {where: {half_space: {point: [0.999, 0, 0], normal: [1, 0, 0]}}}\n"
        "solver: {name: %s, tolerance: %g}\n"
        "time: {fps: 1, frames: 1, mode: quasi-static}\n",
        poisson, solver, tolerance);
    simulation s;
    answer found = {0};
    simulation_init(&s, yaml, 2);
    OK(s.context, pli_solver_step(s.solver, s.state, &found.report));
    const double *x = pli_state_get(s.state).positions;
    const double *rest = pli_model_get_mesh(s.model).rest_positions;
    for (int32_t k = 0; k < s.info.vertex_count; ++k) {
        found.deflection = fmax(found.deflection, rest[3 * k + 1] - x[3 * k + 1]);
    }
    simulation_clear(&s);
    return found;
}

static void defaults_are_right_to_a_thousandth_up_to_incompressibility(void **state)
{
    (void)state;
    static const double ratios[] = {0.3, 0.45, 0.49, 0.499};
    static const char *const quick[] = {"auto",    "newton",   "pn-pcg",   "ipc-pcg",
                                        "ipc-llt", "pn-mgpcg", "subspace", "lbfgs"};
    for (int i = 0; i < 4; ++i) {
        double tight = sag("newton", ratios[i], 1e-10).deflection;
        for (size_t k = 0; k < sizeof quick / sizeof *quick; ++k) {
            answer found = sag(quick[k], ratios[i], 0);
            assert_true(found.report.stop > 0);
            NEAR(found.deflection, tight, 1e-3, 0);
            bool newton = strcmp(quick[k], "newton") == 0 || strcmp(quick[k], "auto") == 0;
            if (newton) assert_true(found.report.iterations <= 30);
        }
        // creeps: the nearer to incompressible, the longer; thousands of iterations at 0.49
        if (ratios[i] > 0.46) continue;
        answer found = sag("pd-direct", ratios[i], 0);
        assert_true(found.report.stop > 0);
        NEAR(found.deflection, tight, 1e-3, 0);
    }
}

// ---- motion that numbers cannot resolve

// Coordinates of 4e7 m round by 7e-9 m: nothing reaches the tolerance there, and that is no
// success.
static void what_rounding_keeps_above_the_tolerance_is_no_success(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
                    "bodies: {cube: {material: m, geometry: {grid: {cells: [3, 3, 3]}},\n"
                    "  velocity: [1e9, 0, 0], angular_velocity: [0, 0, 90]}}\n"
                    "gravity: [0, 0, 0]\n"
                    "solver: {name: newton, tolerance: 1e-9}\n"
                    "time: {fps: 24, frames: 1}\n",
                    1);
    pli_step_report report;
    OK(s.context, pli_solver_step(s.solver, s.state, &report));
    assert_true(report.residual > report.tolerance);
    assert_true(report.stop <= 0);
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deflections_are_linear_in_the_load_over_twelve_decades),
        cmocka_unit_test(what_creeping_methods_call_converged_is_right),
        cmocka_unit_test(small_loads_do_not_converge_at_zero),
        cmocka_unit_test(no_load_is_no_trouble),
        cmocka_unit_test(defaults_are_right_to_a_thousandth_up_to_incompressibility),
        cmocka_unit_test(what_rounding_keeps_above_the_tolerance_is_no_success),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

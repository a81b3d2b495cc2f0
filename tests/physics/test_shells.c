// SPDX-License-Identifier: Apache-2.0
//
// Thin shells against the theory of membranes and plates.
#include "simulate.h"

#include "sim/step/mesh_stepper.h"

static const double young = 2e6;    // Pa
static const double poisson = 0.3;  // -
static const double density = 1000; // kg/m^3

// A strip along x without weight that is pulled by a thousandth, free to get narrower.
static const char *pulled_strip =
    "materials: {m: {law: stable-neo-hookean, density: 1000, young: 2e6, poisson: 0.3}}\n"
    "contact: none\n"
    "bodies: {strip: {kind: shell, geometry: {sheet: {width: 1, depth: 0.2, columns: 20, rows: 4}},"
    " material: m, thickness: 0.002}}\n"
    "gravity: [0, 0, 0]\n"
    "constraints:\n"
    "  - {axes: 'y'}\n"
    "  - {where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, 0]}}, axes: x}\n"
    "  - {where: {half_space: {point: [0.499, 0, 0], normal: [1, 0, 0]}}, axes: x,\n"
    "     motion: {keyframes: [{time: 1, translate: [0.001, 0, 0]}]}}\n"
    "  - {where: {box: {min: [-0.51, -1, -0.001], max: [-0.49, 1, 0.001]}}, axes: z}\n"
    "solver: {name: newton, linear: cholesky, tolerance: 1e-12}\n"
    "time: {fps: 1, frames: 1, mode: quasi-static}\n";

static void a_strip_stretches_with_young_and_narrows_with_poisson(void **state)
{
    (void)state;
    const double t = 0.002, width = 0.2, strain = 1e-3;
    simulation s;
    simulation_init(&s, pulled_strip, 1);
    simulation_step(&s);
    // the force on the pulled end, from the gradient of the elastic energy
    int32_t n = s.info.vertex_count;
    double *g = calloc(3 * (size_t)n, sizeof *g);
    assert_non_null(g);
    const double *x = pli_state_get(s.state).positions;
    const double *X = pli_model_get_mesh(s.model).rest_positions;
    pli_membrane_term.add_gradient(pli_solver_meshes(s.solver)->shell->membrane, x, g);
    double force = 0, narrowest = INFINITY, widest = -INFINITY;
    for (int32_t i = 0; i < n; ++i) {
        if (X[3 * i] > 0.499) force += g[3 * i];
        if (fabs(X[3 * i]) < 1e-9) {
            narrowest = fmin(narrowest, x[3 * i + 2]);
            widest = fmax(widest, x[3 * i + 2]);
        }
    }
    // terms of second order in the strain are of the size of the strain itself, a thousandth
    NEAR(force, young * t * width * strain, 3e-3, 0);
    NEAR(widest - narrowest, width * (1 - poisson * strain), 1e-6, 0);
    free(g);
    simulation_clear(&s);
}

// A cantilever along x that bends under its own weight, clamped by its first two columns.
static void a_cantilever_bends_like_a_beam(void **state)
{
    (void)state;
    enum { COLUMNS = 50 };
    const double length = 1, t = 0.01;
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: stable-neo-hookean, density: 1000, young: 2e6, poisson: 0.3}}\n"
             "contact: none\n"
             "bodies: {strip: {kind: shell, geometry: {sheet: {width: 1, depth: 0.1, columns: %d, "
             "rows: 5}}, material: m, thickness: 0.01}}\n"
             "gravity: [0, -0.002, 0]\n"
             "constraints: [{where: {half_space: {point: [-0.479, 0, 0], normal: [-1, 0, 0]}}}]\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-10}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             COLUMNS);
    simulation s;
    simulation_init(&s, yaml, 1);
    simulation_step(&s);
    const double *x = pli_state_get(s.state).positions;
    const double *X = pli_model_get_mesh(s.model).rest_positions;
    double tip = 0;
    int32_t count = 0;
    for (int32_t i = 0; i < s.info.vertex_count; ++i) {
        if (X[3 * i] < 0.499) continue;
        tip += x[3 * i + 1];
        ++count;
    }
    tip /= count;

    // deflection q L^4 / (8 EI) of a clamped beam, per width; the clamp lies half a square before
    // the first hinge that can turn
    double EI = young * t * t * t / 12;
    double load = density * t * 0.002;
    double free_length = length - 0.5 * length / COLUMNS;
    double deflection = load * pow(free_length, 4) / (8 * EI);
    AT_MOST(deflection, 0.02 * length); // small, as the theory wants it
    // hinges have 8/9 of the rigidity of a plate in a free strip, a beam 1 - nu^2 = 0.91 of it; at
    // the clamp both are stiffer
    NEAR(tip, -deflection, 0.05, 0);
    simulation_clear(&s);
}

// Without anything that holds it, a cloth that spins and crumples keeps its momentum.
static void momentum_of_a_free_cloth_is_kept(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {m: {law: fixed-corotated, density: 400, young: 1e5, poisson: "
                    "0.3}}\n"
                    "contact: none\n"
                    "bodies: {cloth: {kind: shell, geometry: {sheet: {columns: 10, rows: 10}},\n"
                    "  material: m, velocity: [1, 2, 3], angular_velocity: [200, 0, 90],\n"
                    "  start: {stretched: [1.3, 1, 0.7]}}}\n"
                    "gravity: [0, 0, 0]\n"
                    "solver: {tolerance: 1e-9}\n",
                    1);
    pli_step_report report = simulation_run(&s, 10);
    double mass = 400 * 1e-3;
    NEAR(s.info.mass, mass, 1e-12, 0);
    // residuals of 1e-9 m/s a step
    for (int k = 0; k < 3; ++k) NEAR(report.momentum[k], mass * (k + 1), 1e-8, 0);
    simulation_clear(&s);
}

// A square held by two corners comes to rest below them, a little stretched by its weight.
static void a_hanging_cloth_comes_to_rest(void **state)
{
    (void)state;
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: stable-neo-hookean, density: 400, young: 1e6, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies: {cloth: {kind: shell, geometry: {sheet: {columns: 12, rows: 12}}, material: m}}\n"
        "constraints:\n"
        "  - {where: {box: {min: [-0.51, -1, -0.51], max: [-0.49, 1, -0.49]}}}\n"
        "  - {where: {box: {min: [0.49, -1, -0.51], max: [0.51, 1, -0.49]}}}\n"
        "time: {fps: 2, frames: 10}\n",
        2);
    // half a second a step: implicit Euler takes the swinging out
    pli_step_report report = simulation_run(&s, 40);
    double center[3];
    simulation_center(&s, center);
    AT_MOST(report.energy.kinetic, 1e-6);
    // straight down: the centre hangs half a side below the corners, lower by the sagging between
    AT_MOST(center[1], -0.5);
    AT_LEAST(center[1], -0.7);
    NEAR(center[0], 0, 0, 1e-3);
    NEAR(center[2], -0.5, 0, 0.02);
    assert_true(isnan(report.min_J));
    simulation_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_stretches_with_young_and_narrows_with_poisson),
        cmocka_unit_test(a_cantilever_bends_like_a_beam),
        cmocka_unit_test(momentum_of_a_free_cloth_is_kept),
        cmocka_unit_test(a_hanging_cloth_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

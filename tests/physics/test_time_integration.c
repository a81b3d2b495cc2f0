// SPDX-License-Identifier: Apache-2.0
//
// Time integration against the closed forms of the schemes themselves.
#include "simulate.h"

static const char *falling_cube =
    "materials: {jelly: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
    "bodies: {cube: {geometry: {grid: {size: [0.2, 0.2, 0.2], cells: [3, 3, 3]}},\n"
    "                material: jelly, velocity: [1, 2, 0]}}\n"
    "time: {fps: 100, frames: 100}\n";

static void free_fall_is_exact_and_needs_no_iterations(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, falling_cube, 2);
    double start[3];
    simulation_center(&s, start);
    for (int n = 1; n <= 100; ++n) {
        pli_step_report report = simulation_step(&s);
        assert_int_equal(report.iterations, 0);
        double center[3];
        simulation_center(&s, center);
        double h = 0.01;
        // backward Euler: z_n = z_0 + n h v_0 - g h^2 n (n + 1) / 2
        NEAR(center[1] - start[1], n * h * 2 - 9.81 * h * h * n * (n + 1) / 2, 1e-12, 1e-12);
        NEAR(center[0] - start[0], n * h, 1e-12, 1e-12);
    }
    double center[3];
    simulation_center(&s, center);
    NEAR(start[1] + 2 - center[1], 4.95405, 1e-12, 0);
    simulation_clear(&s);
}

// A rigidly moving tetrahedron-filled cell on four equal springs is a linear oscillator with
// omega = sqrt(sum k / sum m).
static void oscillator_yaml(char *text, size_t capacity, const char *integrator, double omega_h)
{
    // one cell of five tetrahedra: eight vertices, mass 1 kg; k per vertex = omega^2 / 8
    double h = 0.01;
    double omega = omega_h / h;
    snprintf(text, capacity,
             "materials: {stiff: {law: fixed-corotated, density: 1, young: 1e8, poisson: 0.3}}\n"
             "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}},\n"
             "  material: stiff}}\n"
             "gravity: [0, 0, 0]\n"
             "attachments: [{body: cube, where: all, stiffness: %.17g}]\n"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-9}\n"
             "time: {fps: 100, frames: 1, integrator: %s}\n",
             omega * omega / 8, integrator);
}

// Masses of the five-tetrahedra cell differ between corners, so springs proportional to mass are
// not possible; a uniform displacement still moves it as a whole when it is stiff. What is compared
// is therefore the decay of the centre of mass over one period.
static double amplitude_after_one_period(const char *integrator, double omega_h)
{
    char yaml[1024];
    oscillator_yaml(yaml, sizeof yaml, integrator, omega_h);
    simulation s;
    simulation_init(&s, yaml, 1);
    int32_t n = s.info.vertex_count;
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, pli_state_positions(s.state), 3 * (size_t)n * sizeof *x);
    for (int32_t i = 0; i < n; ++i) x[3 * i] += 0.1;
    OK(s.context, pli_state_set(s.state, x, NULL));
    free(x);

    // fit the envelope from kinetic and spring energy, which are exact quadratics of the amplitude
    double period_steps = 2 * 3.141592653589793 / omega_h;
    int steps = 200;
    double first = 0;
    double last = 0;
    int first_step = 20;
    for (int k = 1; k <= steps; ++k) {
        pli_step_report report = simulation_step(&s);
        double amplitude = sqrt(report.energy.kinetic + report.energy.attachment);
        if (k == first_step) first = amplitude;
        last = amplitude;
    }
    simulation_clear(&s);
    return pow(last / first, period_steps / (steps - first_step));
}

static void oscillator_decays_as_backward_euler_must(void **state)
{
    (void)state;
    // per step |1/(1 - i w h)|, over the period 2 pi / (w h) steps of the continuum
    static const double omega_h[] = {0.05, 0.1, 0.2};
    static const double kept[] = {0.854804, 0.731543, 0.540059};
    for (int k = 0; k < 3; ++k) {
        NEAR(amplitude_after_one_period("implicit-euler", omega_h[k]), kept[k], 2e-5, 0);
    }
}

static void linear_momentum_is_conserved_and_backward_euler_dissipates(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {jelly: {law: fixed-corotated, density: 1000, young: 1e5, "
                    "poisson: 0.3}}\n"
                    "bodies: {cube: {geometry: {grid: {size: [0.2, 0.3, 0.4], cells: [3, 3, 3]}},\n"
                    "  material: jelly, velocity: [1, 2, 3], angular_velocity: [200, -300, 400],\n"
                    "  start: {stretched: {scale: [1.3, 0.9, 1]}}}}\n"
                    "gravity: [0, 0, 0]\n"
                    "solver: {name: newton, tolerance: 1e-10}\n"
                    "time: {fps: 200, frames: 1}\n",
                    2);
    pli_step_report before;
    OK(s.context, pli_solver_measure(s.solver, s.state, &before));
    double energy = before.energy.total;
    for (int k = 0; k < 50; ++k) {
        pli_step_report report = simulation_step(&s);
        for (int axis = 0; axis < 3; ++axis) {
            NEAR(report.momentum[axis], before.momentum[axis], 1e-10, 0);
        }
        AT_MOST(report.energy.total, energy * (1 + 1e-3));
        energy = report.energy.total;
    }
    simulation_clear(&s);
}

// Largest distance between two runs of the swinging bar at t = 0.25 s.
static void run_bar(const char *integrator, int steps, double *out, int32_t *count)
{
    char yaml[1024];
    snprintf(
        yaml, sizeof yaml,
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {bar: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [5, 1, 1]}},\n"
        "  material: soft}}\n"
        "constraints: [{body: bar, where: {half_space: {point: [-0.499, 0, 0], normal: [-1, 0, "
        "0]}}}]\n"
        "solver: {name: newton, linear: cholesky, tolerance: 1e-11}\n"
        "time: {fps: %.17g, frames: 1, integrator: %s}\n",
        steps / 0.25, integrator);
    simulation s;
    simulation_init(&s, yaml, 1);
    simulation_run(&s, steps);
    *count = 3 * s.info.vertex_count;
    memcpy(out, pli_state_positions(s.state), (size_t)*count * sizeof *out);
    simulation_clear(&s);
}

static double measured_order(const char *integrator)
{
    static double reference[512];
    static double coarse[512];
    static double fine[512];
    int32_t count = 0;
    run_bar(integrator, 12800, reference, &count);
    run_bar(integrator, 400, coarse, &count);
    run_bar(integrator, 800, fine, &count);
    double e1 = 0;
    double e2 = 0;
    for (int32_t k = 0; k < count; ++k) {
        e1 += (coarse[k] - reference[k]) * (coarse[k] - reference[k]);
        e2 += (fine[k] - reference[k]) * (fine[k] - reference[k]);
    }
    return 0.5 * log2(e1 / e2);
}

static void orders_of_convergence_are_one_and_two(void **state)
{
    (void)state;
    // against a run with 32 and 16 times smaller steps; its own first-order error adds
    // log2((32 - 1) / (16 - 1)) - 1 = 0.047 to the measured order 1
    NEAR(measured_order("implicit-euler"), 1.047, 0, 0.05);
    NEAR(measured_order("bdf2"), 2.0, 0, 0.05);
}

static void drag_slows_by_the_implicit_factor(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s,
                    "materials: {jelly: {law: fixed-corotated, density: 1000, young: 1e5, "
                    "poisson: 0.3, drag: 3}}\n"
                    "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [2, 2, 2]}},\n"
                    "  material: jelly, velocity: [1, 0, 0]}}\n"
                    "gravity: [0, 0, 0]\n"
                    "solver: {name: newton, tolerance: 1e-12}\n"
                    "time: {fps: 50, frames: 1}\n",
                    1);
    double h = 0.02;
    for (int n = 1; n <= 20; ++n) {
        simulation_step(&s);
        NEAR(pli_state_velocities(s.state)[0], pow(1 / (1 + 3 * h), n), 1e-9, 0);
    }
    simulation_clear(&s);
}

static double energy_left(double rayleigh)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {jelly: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
             "rayleigh: %g}}\n"
             "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [3, 3, 3]}},\n"
             "  material: jelly, velocity: [3, 0, 0], start: {stretched: {scale: [1.2, 1, 1]}}}}\n"
             "gravity: [0, 0, 0]\n"
             "time: {fps: 500, frames: 1, integrator: bdf2}\n",
             rayleigh);
    simulation s;
    simulation_init(&s, yaml, 1);
    pli_step_report report = simulation_run(&s, 60);
    double rigid = 0.5 * 1000 * 9;
    // a rigid translation is not damped
    NEAR(report.momentum[0], 3000, 1e-6, 0);
    double left = report.energy.total - rigid;
    simulation_clear(&s);
    return left;
}

static void rayleigh_damping_takes_energy_out_of_deformation_only(void **state)
{
    (void)state;
    double undamped = energy_left(0);
    double damped = energy_left(0.01);
    AT_LEAST(damped, 0);
    AT_MOST(damped, 0.5 * undamped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_is_exact_and_needs_no_iterations),
        cmocka_unit_test(oscillator_decays_as_backward_euler_must),
        cmocka_unit_test(linear_momentum_is_conserved_and_backward_euler_dissipates),
        cmocka_unit_test(orders_of_convergence_are_one_and_two),
        cmocka_unit_test(drag_slows_by_the_implicit_factor),
        cmocka_unit_test(rayleigh_damping_takes_energy_out_of_deformation_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

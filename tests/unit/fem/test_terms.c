// SPDX-License-Identifier: Apache-2.0
//
// The energy terms of finite elements: derivatives, symmetry, and the same bits for any number of
// threads, all through the objective of a small scene.
#include "derivatives.h"
#include "simulate.h"
#include "support/matrix_checks.h"
#include "support/same_bits.h"

#include "sim/step/mesh_stepper.h"

// Two materials with different laws, all kinds of terms at once.
static const char *everything =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, drag: 2, "
    "rayleigh: 0.02}\n"
    "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"
    "bodies:\n"
    "  bar:\n"
    "    geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [2, 1, 1]}}\n"
    "    material: soft\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]\n"
    "attachments: [{body: bar, where: {half_space: {point: [0.2, 0, 0], normal: [1, 0, 0]}}, "
    "stiffness: 300}]\n";

typedef struct term_case {
    pli_objective *objective;
} term_case;

static double case_energy(void *user, const double *x)
{
    return pli_sum_value(pli_objective_energy(((term_case *)user)->objective, x));
}

static void case_gradient(void *user, const double *x, double *g)
{
    pli_objective_compute_gradient(((term_case *)user)->objective, x, g);
}

static void case_multiply(void *user, const double *x, const double *d, double *Hd)
{
    pli_objective *objective = ((term_case *)user)->objective;
    pli_objective_compute_hessian(objective, x, false);
    pli_bcsr_multiply(objective->H, d, Hd);
}

static void random_positions(const simulation *s, double amount, double *x)
{
    const double *rest = pli_model_rest_positions(s->model);
    pli_random random = {7, 3};
    for (int32_t k = 0; k < 3 * s->info.vertex_count; ++k) {
        x[k] = rest[k] + pli_random_range(random, (uint64_t)k, -amount, amount);
    }
}

static void gradient_and_hessian_are_derivatives_of_the_energy(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, everything, 2);
    // one step sets targets, damping matrix and inertia of all terms
    simulation_step(&s);
    pli_solver_meshes(s.solver)->objective.fixed = NULL;
    term_case user = {&pli_solver_meshes(s.solver)->objective};
    derivatives_case terms = {.n = 3 * s.info.vertex_count,
                              .energy = case_energy,
                              .gradient = case_gradient,
                              .multiply = case_multiply,
                              .user = &user,
                              .scale = 0.1,
                              .magnitude = 1e4};
    double x[128];
    random_positions(&s, 0.05, x);
    CHECK_DERIVATIVES(&terms, x, "mildly deformed");
    random_positions(&s, 0.3, x);
    CHECK_DERIVATIVES(&terms, x, "tangled");
    simulation_clear(&s);
}

static void hessians_are_symmetric_and_projected_ones_positive(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, everything, 1);
    simulation_step(&s);
    double x[128];
    random_positions(&s, 0.5, x);
    pli_objective *objective = &pli_solver_meshes(s.solver)->objective;
    int32_t n = 3 * s.info.vertex_count;
    for (int projected = 0; projected < 2; ++projected) {
        pli_objective_compute_hessian(objective, x, projected);
        AT_MOST(pli_bcsr_symmetry_error(objective->H), 1e-12);
    }
    // x^T H x >= 0 for many x; inertia alone would make it positive, so it is taken off first
    pli_bcsr_set_zero(objective->H);
    pli_elastic_term.add_hessian(pli_solver_meshes(s.solver)->elastic, x, true, objective->H);
    pli_random random = {11, 5};
    for (uint64_t trial = 0; trial < 200; ++trial) {
        double d[128];
        double Hd[128];
        for (int32_t k = 0; k < n; ++k) {
            d[k] = pli_random_normal(random, 128 * trial + (uint64_t)k);
        }
        pli_bcsr_multiply(objective->H, d, Hd);
        AT_LEAST(derivatives_dot(n, d, Hd), -1e-9 * 1e5);
    }
    simulation_clear(&s);
}

static void internal_forces_have_no_resultant(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, everything, 1);
    double x[128];
    double g[128] = {0};
    random_positions(&s, 0.4, x);
    pli_elastic_term.add_gradient(pli_solver_meshes(s.solver)->elastic, x, g);
    double force[3] = {0};
    double torque[3] = {0};
    double size = 0;
    for (int32_t i = 0; i < s.info.vertex_count; ++i) {
        const double *p = x + 3 * i;
        const double *f = g + 3 * i;
        for (int k = 0; k < 3; ++k) {
            force[k] += f[k];
            torque[k] += p[(k + 1) % 3] * f[(k + 2) % 3] - p[(k + 2) % 3] * f[(k + 1) % 3];
            size = fmax(size, fabs(f[k]));
        }
    }
    for (int k = 0; k < 3; ++k) {
        NEAR(force[k], 0, 0, 1e-11 * size);
        NEAR(torque[k], 0, 0, 1e-11 * size);
    }
    simulation_clear(&s);
}

static void sums_and_scatters_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const char *yaml =
        "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"
        "bodies: {cube: {geometry: {grid: {size: [1, 1, 1], cells: [14, 14, 14]}}, "
        "material: soft, start: random}}\n";
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        simulation_init(&s, yaml, bits.threads);
        const double *x = pli_state_positions(s.state);
        size_t n = 3 * (size_t)s.info.vertex_count;
        double *g = calloc(n, sizeof *g);
        assert_non_null(g);
        same_bits_keep_double(
            &bits, pli_sum_value(pli_elastic_term.energy(pli_solver_meshes(s.solver)->elastic, x)));
        pli_elastic_term.add_gradient(pli_solver_meshes(s.solver)->elastic, x, g);
        same_bits_keep(&bits, g, n * sizeof *g);
        pli_bcsr *H = pli_solver_meshes(s.solver)->objective.H;
        pli_bcsr_set_zero(H);
        pli_elastic_term.add_hessian(pli_solver_meshes(s.solver)->elastic, x, true, H);
        same_bits_keep(&bits, H->values, 9 * (size_t)H->block_count * sizeof *H->values);
        free(g);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives_of_the_energy),
        cmocka_unit_test(hessians_are_symmetric_and_projected_ones_positive),
        cmocka_unit_test(internal_forces_have_no_resultant),
        cmocka_unit_test(sums_and_scatters_have_the_same_bits_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

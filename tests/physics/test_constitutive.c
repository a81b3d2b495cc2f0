// SPDX-License-Identifier: Apache-2.0
//
// The constitutive layer against closed forms: bars under uniaxial stress, simple shear,
// hydrostatic compression, the tangent at rest and its norm (Wang et al. 2020), wave speed.
#include "near.h"

#include "material/material.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "pliant/extend.h"

typedef struct material {
    const pli_material_ops *law;
    double params[4];
} material;

// Whether Young's modulus and Poisson's ratio are all that a law has.
static bool is_solid(const pli_material_ops *law)
{
    return law->input_count == 2 && strcmp(law->inputs[0].key, "young") == 0;
}

static material make_material(const char *law, double young, double poisson)
{
    material made = {.law = pli_material_find(NULL, law)};
    assert_non_null(made.law);
    double inputs[2] = {young, poisson};
    made.law->derive(inputs, made.params);
    return made;
}

static void stress(const material *made, const double F[9], double P[9])
{
    made->law->evaluate(1, F, made->params, PLI_TANGENT_EXACT, NULL, P, NULL);
}

// Cauchy stress P F^T / J
static void cauchy(const material *made, const double F[9], double sigma[9])
{
    double P[9];
    stress(made, F, P);
    pli_mat3_multiply_transposed_right(P, F, sigma);
    double J = pli_mat3_determinant(F);
    for (int k = 0; k < 9; ++k) sigma[k] /= J;
}

// P_11 and P_22 of a bar with the given stretch and side ratio
static void bar(const material *made, double stretch, double side, double *pull, double *squeeze)
{
    double F[9] = {stretch, 0, 0, 0, side, 0, 0, 0, side};
    double P[9];
    stress(made, F, P);
    *pull = P[0];
    *squeeze = P[4];
}

// The side ratio at which the sides are free of stress, by bisection to rounding.
static double free_side(const material *made, double stretch)
{
    double low = 0.3;
    double high = 2;
    for (int step = 0; step < 60; ++step) {
        double middle = (low + high) / 2;
        double pull, squeeze;
        bar(made, stretch, middle, &pull, &squeeze);
        if (squeeze > 0) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return (low + high) / 2;
}

typedef struct uniaxial {
    double stretch;
    double side;
    double pull; // P_11 / E
} uniaxial;

static void check_uniaxial(const char *law, const uniaxial *rows, int count, double tolerance)
{
    double young = 3e5;
    material made = make_material(law, young, 0.3);
    for (int k = 0; k < count; ++k) {
        double pull, squeeze;
        double side = free_side(&made, rows[k].stretch);
        bar(&made, rows[k].stretch, side, &pull, &squeeze);
        NEAR(side, rows[k].side, 0, tolerance);
        NEAR(pull / young, rows[k].pull, 0, tolerance);
    }
}

static void uniaxial_stress_of_neo_hookean(void **state)
{
    (void)state;
    static const uniaxial rows[] = {{0.5, 1.21076739, -0.93535206},
                                    {0.8, 1.06733837, -0.24000538},
                                    {1.5, 0.88017459, 0.37828018},
                                    {2, 0.79807754, 0.64674466},
                                    {3, 0.68811103, 1.09314144}};
    check_uniaxial("neo-hookean", rows, 5, 1e-7);
}

static void uniaxial_stress_of_fixed_corotated(void **state)
{
    (void)state;
    static const uniaxial rows[] = {
        {0.5, 1.14713687, -0.64428635}, {1.5, 0.86933210, 0.44286862}, {2, 0.77317017, 0.83668387}};
    check_uniaxial("fixed-corotated", rows, 3, 1e-7);
}

static void uniaxial_stress_of_hencky(void **state)
{
    (void)state;
    static const uniaxial row = {2, 0.81225240, 0.34657359};
    check_uniaxial("hencky", &row, 1, 1e-8);
    // in closed form: side = stretch^-nu, tau = E log stretch
    uniaxial closed[5];
    for (int k = 0; k < 5; ++k) {
        double stretch = 0.6 + 0.5 * k;
        closed[k] = (uniaxial){stretch, pow(stretch, -0.3), log(stretch) / stretch};
    }
    check_uniaxial("hencky", closed, 5, 1e-12);
}

static void uniaxial_stress_of_linear_is_hooke(void **state)
{
    (void)state;
    uniaxial closed[3];
    for (int k = 0; k < 3; ++k) {
        double strain = -0.2 + 0.3 * k;
        closed[k] = (uniaxial){1 + strain, 1 - 0.3 * strain, strain};
    }
    check_uniaxial("linear", closed, 3, 1e-12);
}

static void small_strain_of_every_law_is_hooke(void **state)
{
    (void)state;
    double young = 2e6;
    double strain = 1e-6;
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        if (!is_solid(pli_material_get(k))) continue;
        material made = make_material(pli_material_get(k)->name, young, 0.4);
        double pull, squeeze;
        double side = free_side(&made, 1 + strain);
        bar(&made, 1 + strain, side, &pull, &squeeze);
        // laws differ by terms of second order in the strain
        NEAR(pull, young * strain, 1e-5, 0);
        NEAR(1 - side, 0.4 * strain, 1e-5, 0);
    }
}

static void simple_shear_of_neo_hookean(void **state)
{
    (void)state;
    double young = 1e5;
    double mu = young / 2.6;
    material made = make_material("neo-hookean", young, 0.3);
    for (double g = -2; g <= 2; g += 0.25) {
        double F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1};
        double sigma[9];
        cauchy(&made, F, sigma);
        NEAR(sigma[1], mu * g, 0, 1e-10 * mu);
        NEAR(sigma[3], mu * g, 0, 1e-10 * mu);
        NEAR(sigma[0], mu * g * g, 0, 1e-10 * mu);
        NEAR(sigma[4], 0, 0, 1e-10 * mu);
        NEAR(sigma[8], 0, 0, 1e-10 * mu);
    }
}

static void hydrostatic_pressure_of_hencky(void **state)
{
    (void)state;
    // p = -K log J / J with K = E / (3 (1 - 2 nu))
    double bulk = 1e5 / (3 * (1 - 2 * 0.3));
    material made = make_material("hencky", 1e5, 0.3);
    for (double stretch = 0.5; stretch < 2; stretch += 0.125) {
        double F[9] = {stretch, 0, 0, 0, stretch, 0, 0, 0, stretch};
        double sigma[9];
        double J = stretch * stretch * stretch;
        cauchy(&made, F, sigma);
        for (int k = 0; k < 9; ++k) {
            NEAR(sigma[k], k % 4 == 0 ? bulk * log(J) / J : 0, 1e-12, 1e-12 * bulk);
        }
    }
}

static void rest_tangent_has_the_eigenvalues_of_hooke(void **state)
{
    (void)state;
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        if (!is_solid(pli_material_get(k))) continue;
        material made = make_material(pli_material_get(k)->name, 1e5, 0.3);
        double dPdF[81];
        double values[9];
        double Q[81];
        made.law->evaluate(1, rest, made.params, PLI_TANGENT_EXACT, NULL, NULL, dPdF);
        pli_eigen_symmetric(9, dPdF, values, Q);
        for (int i = 0; i < 3; ++i) NEAR(values[i], 0, 0, 1e-10 * 250000);
        for (int i = 3; i < 8; ++i) NEAR(values[i], 1e5 / 1.3, 1e-10, 0);
        NEAR(values[4], 76923.08, 0, 0.005);
        NEAR(values[8], 250000, 1e-10, 0);
    }
}

static void rest_norm_of_fixed_corotated(void **state)
{
    (void)state;
    material made = make_material("fixed-corotated", 1, 0.4);
    NEAR(pli_material_rest_norm(made.law, made.params), 5.24891, 0, 5e-6);
}

static void wave_speed_follows_from_young_and_poisson(void **state)
{
    (void)state;
    // c = sqrt(E (1 - nu) / ((1 + nu) (1 - 2 nu) rho)); without transverse strain sqrt(E / rho)
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        if (!is_solid(pli_material_get(k))) continue;
        material made = make_material(pli_material_get(k)->name, 1e6, 0.3);
        NEAR(made.law->sound_speed(made.params, 1000), sqrt(1e3 * 0.7 / (1.3 * 0.4)), 1e-12, 0);
        made = make_material(pli_material_get(k)->name, 1e6, 0);
        NEAR(made.law->sound_speed(made.params, 1000), sqrt(1e3), 1e-12, 0);
    }
}

// Neighbours in a batch may be of quite different stiffness: each gets its own.
static void neighbours_of_any_stiffness_do_not_mix(void **state)
{
    (void)state;
    enum { N = 9 };
    static const double ratios[N] = {1, 6.9e5, 1, 10, 1e-3, 1, 6.9e5, 2, 1};
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        if (!is_solid(pli_material_get(k))) continue;
        double F[9 * N] = {0}, params[2 * N], P[9 * N], want[9];
        const char *name = pli_material_get(k)->name;
        material unit = make_material(name, 1, 0.3);
        double stretched[9] = {1.2, 0.1, 0, 0, 0.9, 0, 0.05, 0, 1};
        stress(&unit, stretched, want);
        for (int i = 0; i < N; ++i) {
            for (int c = 0; c < 9; ++c) F[c * N + i] = stretched[c];
            for (int c = 0; c < 2; ++c) params[c * N + i] = unit.params[c] * ratios[i];
        }
        unit.law->evaluate(N, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
        for (int i = 0; i < N; ++i) {
            for (int c = 0; c < 9; ++c)
                NEAR(P[c * N + i], ratios[i] * want[c], 0, 1e-14 * ratios[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniaxial_stress_of_neo_hookean),
        cmocka_unit_test(uniaxial_stress_of_fixed_corotated),
        cmocka_unit_test(uniaxial_stress_of_hencky),
        cmocka_unit_test(uniaxial_stress_of_linear_is_hooke),
        cmocka_unit_test(small_strain_of_every_law_is_hooke),
        cmocka_unit_test(simple_shear_of_neo_hookean),
        cmocka_unit_test(hydrostatic_pressure_of_hencky),
        cmocka_unit_test(rest_tangent_has_the_eigenvalues_of_hooke),
        cmocka_unit_test(rest_norm_of_fixed_corotated),
        cmocka_unit_test(wave_speed_follows_from_young_and_poisson),
        cmocka_unit_test(neighbours_of_any_stiffness_do_not_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Materials of particles: closed forms of single laws, and what is refused (M4, M6, R4, R5).
#include "material_zoo.h"

// p = -K log J / J (M4)
static void hencky_pressure_is_the_logarithm_of_volume(void **state)
{
    (void)state;
    const pli_material m = material_solid("hencky", 400, 1.04e5, 0.3);
    const double K = m.lambda + 2 * m.mu / 3;
    for (double J = 0.2; J < 4; J *= 1.3) {
        double s = cbrt(J);
        double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
        double tau[6];
        zoo_stress(&m, F, 0, tau);
        NEAR(-zoo_trace(tau) / (3 * J), -K * log(J) / J, 1e-13, 1e-9);
        for (int k = 3; k < 6; ++k) NEAR(tau[k], 0, 0, 1e-9);
    }
}

// J follows the divergence, p = k (J^-gamma - 1), c^2 = k gamma / rho_0 (rho / rho_0)^(gamma - 1)
// (M6, R4), and dev tau = 2 viscosity J dev(sym C)
static void fluids_follow_their_equation_of_state(void **state)
{
    (void)state;
    for (int gamma = 1; gamma <= 7; gamma += 6) {
        pli_material m = material_fluid(400, 1e4, gamma);
        m.viscosity = 2;
        const double C[9] = {1, 5, 0, 3, -2, 0, 0, 0, 0.25};
        double F[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        double history = log(0.96);
        double tau[6];
        double speed2;
        pli_material_advance(&m, 1, 0.01, C, F, &history, tau, &speed2);
        double J = 0.96 * (1 - 0.0075);
        double p = 1e4 * (pow(J, -gamma) - 1);
        NEAR(history, log(J), 1e-14, 0);
        NEAR(pli_material_volume_ratio(&m, F, history), J, 1e-15, 0);
        NEAR(-zoo_trace(tau) / 3, J * p, 1e-13, 0);
        NEAR(tau[0] + J * p, 4 * J * (1 + 0.25), 1e-12, 0);
        NEAR(tau[5], 2 * J * 8, 1e-14, 0);
        NEAR(speed2, 1e4 * gamma / 400.0 * pow(1 / J, gamma - 1), 1e-13, 0);
        for (int k = 0; k < 9; ++k) assert_true(F[k] == k + 1);
        // J d(energy)/dJ = -J p
        double slope =
            material_energy(&m, F, log(J + 1e-5)) - material_energy(&m, F, log(J - 1e-5));
        NEAR(slope / 2e-5, -p, 1e-7, 0);
    }
}

// A divergence of 1e-3 / s in steps of 1e-6 s, below what 1 can be told from, adds up.
static void slow_changes_of_a_fluid_are_kept(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const pli_material m = material_fluid(1000, 1e6, 7);
    pli_f8 C[9] = {{0}}, F[9] = {{0}}, tau[6], history = {0}, speed2;
    C[0] = pli_f8_broadcast(1e-3f);
    for (int k = 0; k < STEPS; ++k)
        pli_material_advance_f8(&m, 1e-6f, C, F, &history, tau, &speed2);
    // each addition rounds the sum by 6e-8 of it
    NEAR((double)history[3], STEPS * 1e-9, STEPS * 6e-8, 0);
    NEAR((double)tau[0][3], 1e6 * 7 * STEPS * 1e-9, STEPS * 6e-8, 0);
}

// Stretched by more than e, the pressure of Hencky falls with density: the shear part remains.
static void speed_of_sound_is_never_less_than_that_of_shear(void **state)
{
    (void)state;
    const pli_material m = material_solid("hencky", 400, 1.04e5, 0.3);
    double s = exp(0.5);
    double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    double tau[6];
    NEAR(zoo_stress(&m, F, 0, tau), 4 * m.mu * exp(1.5) / (3 * m.density), 1e-13, 0);
}

// ---- what is refused

typedef struct wrong_case {
    const char *law;
    double inputs[2];
    double density;
    double viscosity;
    const char *says;
} wrong_case;

static void wrong_numbers_are_refused(void **state)
{
    static const wrong_case cases[] = {
        {"hencky", {1e5, 0.3}, 0, 0, "density"},
        {"hencky", {1e5, 0.3}, NAN, 0, "density"},
        {"hencky", {-1e5, 0.3}, 1, 0, "lambda"},
        {"hencky", {INFINITY, 0.3}, 1, 0, "lambda"},
        {"hencky", {NAN, 0.3}, 1, 0, "lambda"},
        {"hencky", {1e5, -0.2}, 1, 0, "lambda"},
        {"hencky", {1e5, 0.3}, 1, -1, "viscosity"},
        {"fluid", {-1, 7}, 1, 0, "lambda"},
        {"fixed-corotated", {1e5, -0.1}, 1, 0, "lambda"},
    };
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char message[512];
        pli_material made;
        const wrong_case *wrong = &cases[k];
        assert_int_equal(pli_material_init(context, pli_material_find(NULL, wrong->law),
                                           wrong->inputs, wrong->density, wrong->viscosity, &made),
                         PLI_ERROR_ARGUMENT);
        pli_context_message(context, message, sizeof message);
        if (strstr(message, wrong->says) == NULL) fail_msg("%s", message);
    }
}

typedef struct wrong_rule {
    const char *law;
    pli_yield_kind kind;
    double def[5]; // numbers of the rule in the order of its struct
    const char *says;
} wrong_rule;

static void wrong_rules_are_refused(void **state)
{
    static const wrong_rule cases[] = {
        {"fluid", PLI_YIELD_SNOW, {0}, "fluid"},
        {"linear", PLI_YIELD_VON_MISES, {1}, "isotropic"},
        {"hencky", PLI_YIELD_VON_MISES, {0}, "yield stress"},
        {"hencky", PLI_YIELD_VON_MISES, {1, -1}, "strain hardening"},
        {"hencky", PLI_YIELD_DRUCKER_PRAGER, {91}, "friction angle"},
        {"hencky", PLI_YIELD_DRUCKER_PRAGER, {-5}, "friction angle"},
        {"hencky", PLI_YIELD_SNOW, {1, 0, 0, 1, 1}, "compression"},
        {"hencky", PLI_YIELD_SNOW, {0, -1, 0, 1, 1}, "stretch"},
        {"hencky", PLI_YIELD_SNOW, {0, 0, -1, 1, 1}, "hardening"},
        {"hencky", PLI_YIELD_SNOW, {0, 0, 0, 0, 2}, "least volume"},
        {"hencky", PLI_YIELD_SNOW, {0, 0, 0, 1, 0.5}, "most volume"},
        {"hencky", PLI_YIELD_SNOW, {0, 0, 200, 0.1, 1}, "stiffness at the least volume"},
    };
    pli_context *context = *state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char message[512];
        double inputs[] = {1e5, strcmp(cases[k].law, "fluid") == 0 ? 7 : 0.3};
        pli_material made = material_of(pli_material_find(NULL, cases[k].law), 400, inputs);
        assert_int_equal(pli_material_set_yield(context, pli_yield_get((int32_t)cases[k].kind),
                                                cases[k].def, &made),
                         PLI_ERROR_ARGUMENT);
        pli_context_message(context, message, sizeof message);
        if (strstr(message, cases[k].says) == NULL) fail_msg("%s", message);
        assert_null(made.yield);
    }
}

static void laws_with_many_parameters_are_refused(void **state)
{
    pli_material_ops wide = *pli_material_find(NULL, "hencky");
    wide.param_count = PLI_MATERIAL_PARAMS + 1;
    pli_context *context = *state;
    pli_material made;
    assert_int_equal(pli_material_init(context, &wide, (double[]){1e5, 0.3}, 400, 0, &made),
                     PLI_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hencky_pressure_is_the_logarithm_of_volume),
        cmocka_unit_test(fluids_follow_their_equation_of_state),
        cmocka_unit_test(slow_changes_of_a_fluid_are_kept),
        cmocka_unit_test(speed_of_sound_is_never_less_than_that_of_shear),
        TEST_IN_CONTEXT(wrong_numbers_are_refused, 1),
        TEST_IN_CONTEXT(wrong_rules_are_refused, 1),
        TEST_IN_CONTEXT(laws_with_many_parameters_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

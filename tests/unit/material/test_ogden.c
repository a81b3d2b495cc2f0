// SPDX-License-Identifier: Apache-2.0
//
// Ogden's and Mooney and Rivlin's laws: bars and sheets against closed forms, with the volume that
// they have and in the limit where they keep it; and what they hold as special cases.
#include "near.h"

#include "pliant/extend.h"

// mu_i, alpha_i of three terms and the bulk modulus: Ogden's fit to Treloar's rubber (1972)
static const double rubber[7] = {6.3e5, 1.3, 1.2e3, 5, -1e4, -2, 2e7};

typedef struct law_point {
    double psi;
    double g[3]; // of F = diag(s)
} law_point;

static law_point at(const char *name, const double *inputs, const double s[3])
{
    const pli_material_ops *law = pli_material_find(NULL, name);
    double F[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}, P[9], params[24];
    law_point point;
    law->derive(inputs, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, &point.psi, P, NULL);
    for (int k = 0; k < 3; ++k) point.g[k] = P[4 * k];
    return point;
}

// s_k dpsi/ds_k = sum mu_i (z_k^alpha_i - mean) + K/2 (J^2 - 1)
static double closed(const double *inputs, const double s[3], int k)
{
    double J = s[0] * s[1] * s[2], sum = inputs[6] / 2 * (J * J - 1);
    for (int i = 0; i < 3; ++i) {
        double z[3];
        for (int n = 0; n < 3; ++n) z[n] = pow(s[n] / cbrt(J), inputs[2 * i + 1]);
        sum += inputs[2 * i] * (z[k] - (z[0] + z[1] + z[2]) / 3);
    }
    return sum / s[k];
}

// Sides s_k for all that `free` names, at which the closed form says that they are free of stress.
static void free_sides(const double *inputs, const bool free[3], double s[3])
{
    double low = 0.05, high = 4;
    for (int step = 0; step < 80; ++step) {
        double side = (low + high) / 2, tension = 0;
        for (int k = 0; k < 3; ++k) {
            if (free[k]) s[k] = side;
        }
        for (int k = 0; k < 3; ++k) {
            if (free[k]) tension = closed(inputs, s, k);
        }
        if (tension > 0)
            high = side;
        else
            low = side;
    }
}

static void check_at(const char *name, const double *inputs, const double *terms, const double s[3])
{
    law_point point = at(name, inputs, s);
    for (int k = 0; k < 3; ++k) NEAR(point.g[k], closed(terms, s, k), 1e-10, 1e-10 * terms[6]);
}

static void bars_and_sheets_have_the_closed_form(void **state)
{
    (void)state;
    static const double mooney[3] = {1.6e5, 4e4, 1e7};
    static const double as_terms[7] = {3.2e5, 2, -8e4, -2, 0, 1, 1e7};
    for (double stretch = 0.5; stretch < 3; stretch += 0.25) {
        double bar[3] = {stretch, 1, 1}, sheet[3] = {stretch, stretch, 1};
        free_sides(rubber, (bool[3]){false, true, true}, bar);
        free_sides(rubber, (bool[3]){false, false, true}, sheet);
        check_at("ogden", rubber, rubber, bar);
        check_at("ogden", rubber, rubber, sheet);
        free_sides(as_terms, (bool[3]){false, true, true}, bar);
        free_sides(as_terms, (bool[3]){false, false, true}, sheet);
        check_at("mooney-rivlin", mooney, as_terms, bar);
        check_at("mooney-rivlin", mooney, as_terms, sheet);
    }
}

// Textbook formulae of matter that keeps its volume: nominal stress of a bar and of a sheet,
//   sum mu (l^(a - 1) - l^(-a/2 - 1)),   sum mu (l^(a - 1) - l^(-2 a - 1))
//   2 (l - 1/l^2) (C10 + C01 / l),       2 (l - 1/l^5) (C10 + C01 l^2)
// the volume gives way by mu / K = 2e-7, and so do they.
static void hard_to_squeeze_they_are_those_of_the_textbook(void **state)
{
    (void)state;
    double stiff[7], mooney[3] = {1.6e5, 4e4, 2e12}, as_terms[7] = {3.2e5, 2, -8e4, -2, 0, 1, 2e12};
    memcpy(stiff, rubber, sizeof stiff);
    stiff[6] = 2e12;
    for (double l = 0.6; l < 3; l += 0.3) {
        double bar[3] = {l, 1, 1}, sheet[3] = {l, l, 1}, want[2] = {0, 0};
        free_sides(stiff, (bool[3]){false, true, true}, bar);
        free_sides(stiff, (bool[3]){false, false, true}, sheet);
        for (int i = 0; i < 3; ++i) {
            double mu = stiff[2 * i], a = stiff[2 * i + 1];
            want[0] += mu * (pow(l, a - 1) - pow(l, -a / 2 - 1));
            want[1] += mu * (pow(l, a - 1) - pow(l, -2 * a - 1));
        }
        // rounding of J^2 - 1 times K is 4e-4 Pa; the sides are as free as rounding lets them be
        NEAR(at("ogden", stiff, bar).g[0], want[0], 1e-5, 1e-2);
        NEAR(at("ogden", stiff, sheet).g[0], want[1], 1e-5, 1e-2);
        free_sides(as_terms, (bool[3]){false, true, true}, bar);
        free_sides(as_terms, (bool[3]){false, false, true}, sheet);
        double pull = 2 * (l - pow(l, -2)) * (mooney[0] + mooney[1] / l);
        double spread = 2 * (l - pow(l, -5)) * (mooney[0] + mooney[1] * l * l);
        NEAR(at("mooney-rivlin", mooney, bar).g[0], pull, 1e-5, 1e-2);
        NEAR(at("mooney-rivlin", mooney, sheet).g[0], spread, 1e-5, 1e-2);
    }
}

// One term of exponent 2 is mu/2 (I J^(-2/3) - 3) and the volume.
static void one_term_of_two_is_neo_hookean(void **state)
{
    (void)state;
    static const double one[7] = {4e5, 2, 0, 0, 0, 0, 1e7}, plain[3] = {2e5, 0, 1e7};
    static const double states[4][3] = {
        {1.5, 0.9, 0.8}, {1, 1, 1.0001}, {0.3, 0.2, 4}, {2, 2, 0.2}};
    for (int k = 0; k < 4; ++k) {
        const double *s = states[k];
        double J = s[0] * s[1] * s[2], I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
        double want = 2e5 * (I * pow(J, -2.0 / 3) - 3) + 2.5e6 * (J * J - 1 - 2 * log(J));
        NEAR(at("ogden", one, s).psi, want, 1e-12, 1e-9);
        NEAR(at("mooney-rivlin", plain, s).psi, want, 1e-12, 1e-9);
    }
}

// Mooney and Rivlin's invariants are those of F^T F at constant volume.
static void mooney_and_rivlin_is_linear_in_both_invariants(void **state)
{
    (void)state;
    static const double inputs[3] = {1.6e5, 4e4, 1e7}, s[3] = {1.7, 0.8, 0.9};
    double J = s[0] * s[1] * s[2], I1 = 0, I2 = 0;
    for (int k = 0; k < 3; ++k) {
        I1 += s[k] * s[k];
        I2 += pow(J / s[k], 2);
    }
    double want = 1.6e5 * (I1 * pow(J, -2.0 / 3) - 3) + 4e4 * (I2 * pow(J, -4.0 / 3) - 3) +
                  2.5e6 * (J * J - 1 - 2 * log(J));
    NEAR(at("mooney-rivlin", inputs, s).psi, want, 1e-13, 0);
}

static void terms_that_cannot_be_are_refused_in_words(void **state)
{
    (void)state;
    const pli_material_ops *law = pli_material_find(NULL, "ogden");
    char text[256];
    assert_true(law->check(rubber, sizeof text, text));
    assert_false(law->check((double[]){1e5, -2, 0, 1, 0, 1, 1e7}, sizeof text, text));
    assert_non_null(strstr(text, "mu1 = 100000 and alpha1 = -2 must have the same sign"));
    assert_false(law->check((double[]){0, 2, 0, 1, 0, 1, 1e7}, sizeof text, text));
    assert_non_null(strstr(text, "at least one of mu1, mu2 and mu3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_and_sheets_have_the_closed_form),
        cmocka_unit_test(hard_to_squeeze_they_are_those_of_the_textbook),
        cmocka_unit_test(one_term_of_two_is_neo_hookean),
        cmocka_unit_test(mooney_and_rivlin_is_linear_in_both_invariants),
        cmocka_unit_test(terms_that_cannot_be_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

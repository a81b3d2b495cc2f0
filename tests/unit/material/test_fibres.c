// SPDX-License-Identifier: Apache-2.0
//
// Bars of matter with fibres against closed forms: pulled along and across, slack, scattered and
// active; and derivatives where the curves of fibres have their seams.
#include "near.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "pliant/extend.h"

enum {
    YOUNG,
    POISSON,
    FIBRE,
    K1 = 5,
    K2,
    DISPERSION,
    SHARE,
    TOE,
    ACTIVE,
    ACTIVATION,
    OPTIMUM,
    WIDTH
};

static const pli_material_ops *law;

static int find_law(void **state)
{
    (void)state;
    law = pli_material_find(NULL, "fibres");
    return law == NULL;
}

// Flesh of 30 kPa with fibres along an axis that is turned.
static void make_inputs(double inputs[14])
{
    static const double given[14] = {3e4, 0.45, 1, -2, 2, 2e4, 3, 0, 0, 0.02, 3e5, 0, 1.1, 0.6};
    memcpy(inputs, given, sizeof given);
}

static void stress(const double *inputs, const double F[9], double *psi, double P[9])
{
    double params[24];
    law->derive(inputs, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, psi, P, NULL);
}

// Rows of Q: the fibres' direction and two across.
static void make_frame(const double *inputs, double Q[9])
{
    pli_vec3_normalize(inputs + FIBRE, Q);
    pli_vec3_set(2.0 / 3, 2.0 / 3, 1.0 / 3, Q + 3);
    pli_vec3_cross(Q, Q + 3, Q + 6);
}

// P of F = Q^T diag(s) Q, in the frame Q: what is on the diagonal; the rest has to be zero.
static void pull(const double *inputs, const double s[3], double g[3])
{
    double Q[9], D[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}, half[9], F[9], P[9];
    make_frame(inputs, Q);
    pli_mat3_multiply(D, Q, half);
    pli_mat3_multiply_transposed_left(Q, half, F);
    stress(inputs, F, NULL, P);
    pli_mat3_multiply_transposed_right(P, Q, half);
    pli_mat3_multiply(Q, half, D);
    for (int k = 0; k < 9; ++k) {
        if (k % 4 == 0)
            g[k / 4] = D[k];
        else
            NEAR(D[k], 0, 0, 1e-9 * inputs[YOUNG]);
    }
}

// ---- closed forms, for fibres along the first axis that do not scatter

static double ground(const double *inputs, const double s[3], int k)
{
    double mu = inputs[YOUNG] / (2 * (1 + inputs[POISSON]));
    double lambda = 2 * mu * inputs[POISSON] / (1 - 2 * inputs[POISSON]);
    double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6;
    return m * (1 - 1 / (I + 1)) * s[k] + (l * (J - 1) - 0.75 * m) * J / s[k];
}

static double fibre(const double *inputs, double stretch)
{
    double E = stretch * stretch - 1, slack = 0, slope = 0, t = inputs[TOE];
    if (E > t) {
        slack = E - t / 2;
        slope = 1;
    } else if (E > 0) {
        slack = E * E * E / (t * t) - pow(E, 4) / (2 * t * t * t);
        slope = 3 * E * E / (t * t) - 2 * E * E * E / (t * t * t);
    }
    double x = (stretch - inputs[OPTIMUM]) / inputs[WIDTH];
    double own = inputs[ACTIVE] * inputs[ACTIVATION] * (fabs(x) < 1 ? pow(1 - x * x, 2) : 0);
    double share = inputs[SHARE], k1 = inputs[K1], k2 = inputs[K2];
    double tension = (1 - share) * k1 * slack * exp(k2 * slack * slack) * slope +
                     share * k1 * E * exp(k2 * E * E);
    return 2 * stretch * tension + own;
}

static double closed(const double *inputs, const double s[3], int k)
{
    return ground(inputs, s, k) + (k == 0 ? fibre(inputs, s[0]) : 0);
}

// The stretch at which a side is free of stress, the others given; the stress grows with it.
static void free_side(const double *inputs, double s[3], int k)
{
    double low = 0.2, high = 3;
    for (int step = 0; step < 60; ++step) {
        s[k] = (low + high) / 2;
        if (closed(inputs, s, k) > 0)
            high = s[k];
        else
            low = s[k];
    }
}

// A bar pulled along axis `along`, its sides free: what the law says there.
static void check_bar(const double *inputs, int along, double stretch)
{
    double s[3] = {1, 1, 1}, g[3];
    int i = (along + 1) % 3, j = (along + 2) % 3;
    s[along] = stretch;
    for (int round = 0; round < 500; ++round) {
        free_side(inputs, s, i);
        free_side(inputs, s, j);
    }
    pull(inputs, s, g);
    double size = fabs(closed(inputs, s, along)) + inputs[YOUNG] + fabs(fibre(inputs, s[0]));
    NEAR(g[along], closed(inputs, s, along), 1e-8, 0);
    NEAR(g[i], 0, 0, 1e-8 * size);
    NEAR(g[j], 0, 0, 1e-8 * size);
}

static void bars_along_and_across_have_the_closed_form(void **state)
{
    (void)state;
    static const double stretches[] = {0.7, 0.9, 1.004, 1.008, 1.05, 1.3, 1.6};
    for (int variant = 0; variant < 3; ++variant) {
        double inputs[14];
        make_inputs(inputs);
        inputs[SHARE] = variant == 1 ? 1 : variant == 2 ? 0.3 : 0;
        for (size_t k = 0; k < sizeof stretches / sizeof *stretches; ++k) {
            check_bar(inputs, 0, stretches[k]);
            check_bar(inputs, 1, stretches[k]);
        }
    }
}

static void active_bars_have_the_closed_form(void **state)
{
    (void)state;
    double inputs[14], g[3];
    make_inputs(inputs);
    inputs[ACTIVATION] = 0.1;
    // where the sides carry it, a bar that is held pulls by the curve of force over length
    static const double rest[3] = {1, 1, 1};
    pull(inputs, rest, g);
    NEAR(g[0], 3e4 * pow(1 - pow(0.1 / 0.6, 2), 2), 1e-12, 0);
    for (double stretch = 0.6; stretch < 1.8; stretch += 0.1) {
        check_bar(inputs, 0, stretch);
        check_bar(inputs, 1, stretch);
    }
}

static void slack_fibres_do_not_push(void **state)
{
    (void)state;
    double inputs[14], bare[14];
    make_inputs(inputs);
    make_inputs(bare);
    bare[K1] = 0;
    static const double s[3] = {0.8, 1.1, 1.05};
    double with[3], without[3];
    pull(inputs, s, with);
    pull(bare, s, without);
    for (int k = 0; k < 3; ++k) NEAR(with[k], without[k], 1e-15, 0);
    inputs[SHARE] = 1;
    pull(inputs, s, with);
    assert_true(with[0] < without[0] - 1e3);
}

// Fibres in all directions have none: the stress turns with the rest shape.
static void fibres_that_scatter_evenly_are_isotropic(void **state)
{
    (void)state;
    double inputs[14], along[9], across[9];
    make_inputs(inputs);
    inputs[DISPERSION] = 1.0 / 3;
    static const double F[9] = {1.2, 0.1, 0, 0.3, 1.1, -0.2, 0, 0.1, 1.3};
    stress(inputs, F, NULL, along);
    pli_vec3_set(0, 0, 5, inputs + FIBRE);
    stress(inputs, F, NULL, across);
    for (int k = 0; k < 9; ++k) NEAR(across[k], along[k], 1e-12, 1e-12 * inputs[YOUNG]);
}

// The law is a gradient with a symmetric derivative through the toe, the ends of the curve of force
// and the end of the exponential: differences over 2e-6 are good to 1e-9 of the stiffness, times
// what a third derivative that jumps by k1 / toe leaves, 3e-6 / 0.02.
static void derivatives_hold_at_all_seams(void **state)
{
    (void)state;
    static const double seams[] = {0.4999, 0.5,     0.5001, 0.9999, 1,
                                   1.005,  1.00995, 1.0101, 1.7,    1.71};
    double inputs[14];
    make_inputs(inputs);
    inputs[ACTIVATION] = 1;
    inputs[DISPERSION] = 0.05;
    for (size_t k = 0; k < sizeof seams / sizeof *seams; ++k) {
        const double h = 1e-6;
        double params[24], P[9], A[81], F[9], a[3];
        pli_vec3_normalize(inputs + FIBRE, a);
        for (int e = 0; e < 9; ++e) F[e] = (e % 4 == 0) + (seams[k] - 1) * a[e / 3] * a[e % 3];
        law->derive(inputs, params);
        law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, A);
        double size = 0;
        for (int e = 0; e < 81; ++e) size = fmax(size, fabs(A[e]));
        for (int e = 0; e < 9; ++e) {
            double low, high, P_low[9], P_high[9], at = F[e];
            F[e] = at - h;
            stress(inputs, F, &low, P_low);
            F[e] = at + h;
            stress(inputs, F, &high, P_high);
            F[e] = at;
            NEAR(P[e], (high - low) / (2 * h), 0, 1e-7 * size);
            for (int i = 0; i < 9; ++i) {
                NEAR(A[9 * i + e], (P_high[i] - P_low[i]) / (2 * h), 0, 2e-4 * size);
            }
        }
    }
}

static void the_end_of_the_exponential_is_finite(void **state)
{
    (void)state;
    double inputs[14], psi, P[9];
    make_inputs(inputs);
    inputs[K2] = 1000;
    double F[9] = {50, 0, 0, 0, 50, 0, 0, 0, 50};
    stress(inputs, F, &psi, P);
    assert_true(isfinite(psi) && isfinite(P[0]));
    memset(F, 0, sizeof F);
    inputs[ACTIVATION] = 1;
    stress(inputs, F, &psi, P);
    assert_true(isfinite(psi));
    for (int k = 0; k < 9; ++k) NEAR(P[k], 0, 0, 0);
}

static void what_cannot_be_is_refused_in_words(void **state)
{
    (void)state;
    double inputs[14];
    char text[256];
    make_inputs(inputs);
    assert_true(law->check(inputs, sizeof text, text));
    inputs[WIDTH] = 1.2;
    assert_false(law->check(inputs, sizeof text, text));
    assert_string_equal(text, "width = 1.2 must be less than optimum = 1.1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_along_and_across_have_the_closed_form),
        cmocka_unit_test(active_bars_have_the_closed_form),
        cmocka_unit_test(slack_fibres_do_not_push),
        cmocka_unit_test(fibres_that_scatter_evenly_are_isotropic),
        cmocka_unit_test(derivatives_hold_at_all_seams),
        cmocka_unit_test(the_end_of_the_exponential_is_finite),
        cmocka_unit_test(what_cannot_be_is_refused_in_words),
    };
    return cmocka_run_group_tests(tests, find_law, NULL);
}

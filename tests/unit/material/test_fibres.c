// SPDX-License-Identifier: Apache-2.0
//
// Bars of matter with fibres against closed forms: pulled along and across, slack, scattered and
// active; and derivatives where the curves of fibres have their seams.
#include "near.h"

#include "math/vec3.h"
#include "pliant/extend.h"
#include "support/fibre_bar.h"

static const pli_material_ops *law;

static int find_law(void **state)
{
    (void)state;
    law = pli_material_find(NULL, "fibres");
    return law == NULL;
}

static void make_inputs(double inputs[PLI_FIBRE_INPUTS])
{
    memcpy(inputs, pli_fibre_flesh, sizeof pli_fibre_flesh);
}

static void stress(const double *inputs, const double F[9], double *psi, double P[9])
{
    double params[24];
    law->derive(inputs, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, psi, P, NULL);
}

// Diagonal of the stress of a bar; the rest has to be zero.
static void pull(const double *inputs, const double s[3], double g[3])
{
    double P[9];
    pli_fibre_pull(inputs, s, P);
    for (int k = 0; k < 9; ++k) {
        if (k % 4 == 0)
            g[k / 4] = P[k];
        else
            NEAR(P[k], 0, 0, 1e-9 * inputs[PLI_FIBRE_YOUNG]);
    }
}

// A bar pulled along axis `along`, its sides free: what the law says there.
static void check_bar(const double *inputs, int along, double stretch)
{
    double P[9], expected;
    pli_fibre_bar(inputs, along, stretch, P, &expected);
    double size = fabs(expected) + inputs[PLI_FIBRE_YOUNG];
    if (along == 0) size += fabs(pli_fibre_tension(inputs, stretch));
    NEAR(P[4 * along], expected, 1e-8, 0);
    for (int k = 0; k < 9; ++k) {
        if (k != 4 * along) NEAR(P[k], 0, 0, 1e-8 * size);
    }
}

static void bars_along_and_across_have_the_closed_form(void **state)
{
    (void)state;
    static const double stretches[] = {0.7, 0.9, 1.004, 1.008, 1.05, 1.3, 1.6};
    for (int variant = 0; variant < 3; ++variant) {
        double inputs[14];
        make_inputs(inputs);
        inputs[PLI_FIBRE_SHARE] = variant == 1 ? 1 : variant == 2 ? 0.3 : 0;
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
    inputs[PLI_FIBRE_ACTIVATION] = 0.1;
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
    bare[PLI_FIBRE_K1] = 0;
    static const double s[3] = {0.8, 1.1, 1.05};
    double with[3], without[3];
    pull(inputs, s, with);
    pull(bare, s, without);
    for (int k = 0; k < 3; ++k) NEAR(with[k], without[k], 1e-15, 0);
    inputs[PLI_FIBRE_SHARE] = 1;
    pull(inputs, s, with);
    assert_true(with[0] < without[0] - 1e3);
}

// Fibres in all directions have none: the stress turns with the rest shape.
static void fibres_that_scatter_evenly_are_isotropic(void **state)
{
    (void)state;
    double inputs[14], along[9], across[9];
    make_inputs(inputs);
    inputs[PLI_FIBRE_DISPERSION] = 1.0 / 3;
    static const double F[9] = {1.2, 0.1, 0, 0.3, 1.1, -0.2, 0, 0.1, 1.3};
    stress(inputs, F, NULL, along);
    pli_vec3_set(0, 0, 5, inputs + PLI_FIBRE_DIRECTION);
    stress(inputs, F, NULL, across);
    for (int k = 0; k < 9; ++k) NEAR(across[k], along[k], 1e-12, 1e-12 * inputs[PLI_FIBRE_YOUNG]);
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
    inputs[PLI_FIBRE_ACTIVATION] = 1;
    inputs[PLI_FIBRE_DISPERSION] = 0.05;
    for (size_t k = 0; k < sizeof seams / sizeof *seams; ++k) {
        const double h = 1e-6;
        double params[24], P[9], A[81], F[9], a[3];
        pli_vec3_normalize(inputs + PLI_FIBRE_DIRECTION, a);
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
    inputs[PLI_FIBRE_K2] = 1000;
    double F[9] = {50, 0, 0, 0, 50, 0, 0, 0, 50};
    stress(inputs, F, &psi, P);
    assert_true(isfinite(psi) && isfinite(P[0]));
    memset(F, 0, sizeof F);
    inputs[PLI_FIBRE_ACTIVATION] = 1;
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
    inputs[PLI_FIBRE_WIDTH] = 1.2;
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

// SPDX-License-Identifier: Apache-2.0
//
// Nine constants: bars and shear along the axes, the isotropic law that they hold, and what is
// refused.
#include "near.h"

#include "material/material.h"
#include "math/mat3.h"
#include "math/vec3.h"

static const pli_material_ops *law;

static int find_law(void **state)
{
    (void)state;
    law = pli_material_find(NULL, "orthotropic");
    return law == NULL;
}

static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};

// Wood-like, along axes that are turned.
static const double wood[15] = {1e10, 8e8, 5e8, 0.4, 0.5, 0.35, 8e8, 1e8, 7e8, 2, 1, 2, 1, 2, -2};

// Rows of Q: the axes.
static void make_frame(double Q[9])
{
    pli_vec3_normalize(wood + 9, Q);
    pli_vec3_normalize(wood + 12, Q + 3);
    pli_vec3_cross(Q, Q + 3, Q + 6);
}

// Stress in the frame of the axes of F = 1 + Q^T e Q.
static void stress_of(const double *inputs, const double e[9], double out[9])
{
    double Q[9], half[9], F[9], P[9], params[24];
    make_frame(Q);
    pli_mat3_multiply(e, Q, half);
    pli_mat3_multiply_transposed_left(Q, half, F);
    for (int k = 0; k < 9; k += 4) F[k] += 1;
    law->derive(inputs, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
    pli_mat3_multiply_transposed_right(P, Q, half);
    pli_mat3_multiply(Q, half, out);
}

// A bar that is pulled along an axis by a small strain thins by its ratios and has the stress E:
// the rest is of the order of the strain, times stiffnesses whose ratio is 20.
static void bars_along_the_axes_have_their_moduli(void **state)
{
    (void)state;
    const double small = 1e-7;
    double nu[9] = {0};
    for (int k = 0; k < 3; ++k) {
        int i = pairs[k][0], j = pairs[k][1];
        nu[3 * i + j] = wood[3 + k];
        nu[3 * j + i] = wood[3 + k] * wood[j] / wood[i];
    }
    for (int along = 0; along < 3; ++along) {
        double e[9] = {0}, S[9];
        for (int k = 0; k < 3; ++k) e[4 * k] = k == along ? small : -small * nu[3 * along + k];
        stress_of(wood, e, S);
        for (int k = 0; k < 9; ++k) {
            NEAR(S[k], k == 4 * along ? wood[along] * small : 0, 0, 1e-5 * wood[along] * small);
        }
    }
    for (int k = 0; k < 3; ++k) {
        double e[9] = {0}, S[9];
        int i = pairs[k][0], j = pairs[k][1];
        e[3 * i + j] = e[3 * j + i] = small / 2;
        stress_of(wood, e, S);
        NEAR(S[3 * i + j], wood[6 + k] * small, 1e-5, 0);
        for (int d = 0; d < 9; d += 4) NEAR(S[d], 0, 0, 1e-5 * wood[0] * small);
    }
}

static void equal_constants_are_the_isotropic_law(void **state)
{
    (void)state;
    const pli_material_ops *isotropic = pli_material_find(NULL, "st-venant-kirchhoff");
    const double E = 1e5, nu = 0.3, G = E / (2 * (1 + nu));
    double inputs[15] = {E, E, E, nu, nu, nu, G, G, G, 2, 1, 2, 1, 2, -2};
    static const double states[3][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1},
                                        {1.3, 0.2, -0.1, 0.4, 0.9, 0.3, -0.2, 0.1, 1.1},
                                        {0.5, 0.2, 0, 0, 0.4, 0, 0.3, 0, -0.7}};
    double params[24], plain[2];
    law->derive(inputs, params);
    isotropic->derive((double[]){E, nu}, plain);
    for (int k = 0; k < 3; ++k) {
        for (int projection = 0; projection < 2; ++projection) {
            double psi[2], P[2][9], A[2][81];
            law->evaluate(1, states[k], params, (pli_projection)projection, psi, P[0], A[0]);
            isotropic->evaluate(1, states[k], plain, (pli_projection)projection, psi + 1, P[1],
                                A[1]);
            NEAR(psi[0], psi[1], 1e-13, 1e-13 * E);
            for (int e = 0; e < 9; ++e) NEAR(P[0][e], P[1][e], 0, 1e-13 * E);
            for (int e = 0; e < 81; ++e) NEAR(A[0][e], A[1][e], 0, 1e-11 * E);
        }
    }
    NEAR(law->sound_speed(params, 1000), isotropic->sound_speed(plain, 1000), 1e-13, 0);
    NEAR(pli_material_rest_norm(law, params), pli_material_rest_norm(isotropic, plain), 1e-13, 0);
}

// What is along the first axis is taken off the second.
static void axes_are_made_perpendicular(void **state)
{
    (void)state;
    double inputs[15], straight[24], skew[24];
    memcpy(inputs, wood, sizeof inputs);
    law->derive(inputs, straight);
    for (int k = 0; k < 3; ++k) inputs[12 + k] = 7 * (inputs[12 + k] + 3 * inputs[9 + k]);
    law->derive(inputs, skew);
    for (int k = 0; k < law->param_count; ++k) NEAR(skew[k], straight[k], 1e-12, 1e-12 * wood[0]);
}

static void refuse(const double *inputs, const char *words)
{
    char text[256] = "";
    assert_false(law->check(inputs, sizeof text, text));
    if (strstr(text, words) == NULL) fail_msg("'%s' does not say '%s'", text, words);
}

static void stiffness_that_is_not_positive_is_refused_with_the_bound(void **state)
{
    (void)state;
    char text[256];
    double inputs[15];
    memcpy(inputs, wood, sizeof inputs);
    assert_true(law->check(inputs, sizeof text, text));
    inputs[3] = 3.6;
    refuse(inputs, "its size must be less than sqrt(young1 / young2) = 3.536");
    inputs[3] = 0.4;
    inputs[4] = -1.3;
    refuse(inputs, "sqrt(young2 / young3) = 1.265");

    // the bound that is told is the bound
    inputs[3] = 2;
    inputs[4] = 1.2;
    refuse(inputs, "poisson23 = 1.2 must be greater than");
    double bound = 0;
    assert_false(law->check(inputs, sizeof text, text));
    assert_int_equal(sscanf(strstr(text, "less than"), "less than %lf", &bound), 1);
    inputs[4] = bound * (1 - 1e-3);
    assert_true(law->check(inputs, sizeof text, text));
    inputs[4] = bound * (1 + 1e-3);
    assert_false(law->check(inputs, sizeof text, text));

    memcpy(inputs, wood, sizeof inputs);
    for (int k = 0; k < 3; ++k) inputs[12 + k] = -2 * inputs[9 + k];
    refuse(inputs, "axis1 and axis2 must not be parallel");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_along_the_axes_have_their_moduli),
        cmocka_unit_test(equal_constants_are_the_isotropic_law),
        cmocka_unit_test(axes_are_made_perpendicular),
        cmocka_unit_test(stiffness_that_is_not_positive_is_refused_with_the_bound),
    };
    return cmocka_run_group_tests(tests, find_law, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// The suite of law_suite.h over every built-in law and over one that a user could have written; and
// the vector kernels against the plain reference.
#include "law_suite.h"
#include "material_zoo.h"

#include "material/reference.h"

// Singular values so far apart that the reference's quotients lose no digits to speak of.
static bool are_separate(const law_state *state)
{
    const double *s = state->sigma;
    double least = fmin(s[0] - s[1], fmin(s[1] - s[2], s[1] + s[2]));
    return least > 1e-2 * fmax(s[0], 1);
}

static void law_check_reference(const law_case *given, const law_state *state, const double F[9])
{
    if (!law_is_defined(given, state)) return;
    double stiffness = given->mu + given->lambda;
    double length = law_norm(9, F);
    for (int projection = 0; projection < 2; ++projection) {
        double params[LAW_PARAMS_MAX];
        pli_reference_point want;
        law_params(given, params);
        law_point got = law_at(given, F, (pli_projection)projection);
        assert_true(
            pli_reference_evaluate(given->law, params, F, (pli_projection)projection, &want));

        // rounding of the values, and what rounding of F does to them
        double rounding =
            1e-12 * (fabs(want.psi) + stiffness) + 1e-14 * law_norm(9, want.P) * length;
        law_demand(fabs(got.psi - want.psi) <= rounding, given, state,
                   "energy must equal the reference", got.psi - want.psi);

        // at a kink the polar rotation, and with it the stress, is a matter of choice
        if (!law_is_smooth(given, state)) continue;
        double tangent = law_norm(81, want.dPdF);
        rounding = 1e-12 * (law_norm(9, want.P) + stiffness) + 1e-14 * tangent * length;
        double miss = law_distance(9, got.P, want.P);
        law_demand(miss <= rounding, given, state, "stress must equal the reference", miss);
        // the reference takes limits at differences below 1e-5, good to their square
        rounding = (are_separate(state) ? 1e-13 : 1e-9) * (tangent + stiffness);
        miss = law_distance(81, got.dPdF, want.dPdF);
        law_demand(miss <= rounding, given, state, "tangent must equal the reference", miss);
    }
}

static void vector_kernels_equal_the_reference(void **state)
{
    law_for_states(*state, law_check_reference);
}

// A fluid is lambda alone at rest.
static law_case fluid_case(double exponent)
{
    return (law_case){.law = pli_material_find(NULL, "fluid"),
                      .inputs = {1e5, exponent},
                      .lambda = 1e5 * exponent,
                      .is_objective = true};
}

// With the comparison where there is a reference.
static int run_case(law_case *given)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double params[LAW_PARAMS_MAX];
    pli_reference_point point;
    law_params(given, params);
    bool has_reference =
        pli_reference_evaluate(given->law, params, rest, PLI_TANGENT_EXACT, &point);
    static struct CMUnitTest tests[LAW_SUITE_COUNT + 1];
    law_suite_fill(given, tests);
    tests[LAW_SUITE_COUNT] = (struct CMUnitTest)LAW_TEST(vector_kernels_equal_the_reference);
    tests[LAW_SUITE_COUNT].initial_state = given;
    size_t test_count = has_reference ? LAW_SUITE_COUNT + 1 : LAW_SUITE_COUNT;
    return _cmocka_run_group_tests(given->law->name, tests, test_count, NULL, NULL);
}

// ---- laws whose inputs are not young and poisson alone

// The tangent at rest from Hooke's law: symmetric in i and j, k and l.
static void hooke(double mu, double lambda, double C[81])
{
    for (int e = 0; e < 81; ++e) {
        int i = e / 27, j = e / 9 % 3, k = e / 3 % 3, l = e % 3;
        C[e] = mu * ((i == k && j == l) + (i == l && j == k)) + lambda * (i == j && k == l);
    }
}

static law_case rubber_case(const char *name, const double *inputs, int count, double mu,
                            double bulk)
{
    law_case made = {.law = pli_material_find(NULL, name),
                     .mu = mu,
                     .lambda = bulk - 2 * mu / 3,
                     .is_objective = true};
    memcpy(made.inputs, inputs, (size_t)count * sizeof *inputs);
    return made;
}

// H of fibres along (2, 1, 2) / 3 that scatter
static const double dispersion = 0.1;

static double entry_of_H(int j, int l)
{
    static const double a[3] = {2.0 / 3, 1.0 / 3, 2.0 / 3};
    return dispersion * (j == l) + (1 - 3 * dispersion) * a[j] * a[l];
}

// Fibres with the share c in compression; the fastest wave is known where they do not scatter:
// along them, lambda + 2 mu + 4 k1.
static law_case fibre_case(double share, bool scatter)
{
    static double rest[81];
    enum { K1 = 120000 };
    law_case made = {.law = pli_material_find(NULL, "fibres"),
                     .inputs = {1e5, 0.3, 4, 2, 4, K1, 0.7, scatter ? dispersion : 0, share, 0.3,
                                3e5, 0, 1, 0.6},
                     .mu = 1e5 / 2.6,
                     .lambda = 3e4 / (1.3 * 0.4),
                     .is_objective = true,
                     .steepness = 1e10};
    double straight[81], params[LAW_PARAMS_MAX];
    hooke(made.mu, made.lambda, straight);
    memcpy(rest, straight, sizeof rest);
    for (int e = 0; e < 81; ++e) {
        double H = scatter ? entry_of_H(e / 27, e / 9 % 3) * entry_of_H(e / 3 % 3, e % 3) : 0;
        straight[e] += 4 * K1 * H;
        rest[e] += share * 4 * K1 * H;
    }
    if (scatter) made.rest = rest;
    made.modulus = made.lambda + 2 * made.mu + 4 * K1;
    made.law->derive(made.inputs, params);
    if (scatter) made.modulus = pow(pli_material_speed(straight, 1), 2);
    return made;
}

// Wood along turned axes: C = C_ab q_a q_a q_b q_b + G_ab (q_a q_b + q_b q_a) (q_a q_b + q_b q_a)
// by the entries of the inverse compliance.
static law_case wood_case(void)
{
    static double rest[81];
    static const double E[3] = {9e5, 4e5, 2e5}, nu[3] = {0.3, 0.4, 0.2}, G[3] = {2e5, 5e4, 1.5e5};
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    law_case made = {.law = pli_material_find(NULL, "orthotropic"),
                     .inputs = {9e5, 4e5, 2e5, 0.3, 0.4, 0.2, 2e5, 5e4, 1.5e5, 2, 4, 4, -2, 5, 1},
                     .mu = 2e5,
                     .lambda = 3e5,
                     .is_objective = true,
                     .rest = rest};
    // (2, 1, -2) is across (1, 2, 2); (-2, 5, 1) has 10/9 of the first and is turned in the plane
    double q[9] = {1.0 / 3, 2.0 / 3, 2.0 / 3}, S[9], C[9];
    for (int k = 0; k < 3; ++k) q[3 + k] = made.inputs[12 + k] - 10.0 / 3 * q[k];
    pli_vec3_normalize(q + 3, q + 3);
    pli_vec3_cross(q, q + 3, q + 6);
    for (int k = 0; k < 3; ++k) {
        int a = pairs[k][0], b = pairs[k][1];
        S[4 * k] = 1 / E[k];
        S[3 * a + b] = S[3 * b + a] = -nu[k] / E[a];
    }
    pli_mat3_inverse(S, C);
    for (int e = 0; e < 81; ++e) {
        int i = e / 27, j = e / 9 % 3, k = e / 3 % 3, l = e % 3;
        rest[e] = 0;
        for (int ab = 0; ab < 9; ++ab) {
            const double *a = q + 3 * (ab / 3), *b = q + 3 * (ab % 3);
            rest[e] += C[ab] * a[i] * a[j] * b[k] * b[l];
        }
        for (int p = 0; p < 3; ++p) {
            const double *a = q + 3 * pairs[p][0], *b = q + 3 * pairs[p][1];
            rest[e] += G[p] * (a[i] * b[j] + b[i] * a[j]) * (a[k] * b[l] + b[k] * a[l]);
        }
    }
    made.modulus = pow(pli_material_speed(rest, 1), 2);
    return made;
}

// Laws of this file's own list: those that only have young and poisson come by the table.
static bool is_plain(const pli_material_ops *law)
{
    return law->input_count == 2 && strcmp(law->inputs[0].key, "young") == 0;
}

static law_case plain_case(const pli_material_ops *law)
{
    bool polar = strcmp(law->name, "fixed-corotated") == 0 || strcmp(law->name, "corotated") == 0;
    return (law_case){.law = law,
                      .inputs = {1e5, 0.3},
                      .mu = 1e5 / 2.6,
                      .lambda = 3e4 / (1.3 * 0.4),
                      .is_objective = strcmp(law->name, "linear") != 0,
                      .has_polar_kinks = polar};
}

int main(void)
{
    static const double mooney[3] = {3e4, 1e4, 2e5}, one[7] = {4e4, 2, 0, 4, 0, -2, 2e5};
    // the ratios of Ogden's fit to Treloar's rubber (1972); 2 mu = sum mu_i alpha_i
    static const double three[7] = {6.3e4, 1.3, 120, 5, -1e3, -2, 2e5};
    const law_case others[] = {fluid_case(7),
                               fluid_case(1), // where the energy is another formula
                               rubber_case("mooney-rivlin", mooney, 3, 8e4, 2e5),
                               rubber_case("ogden", one, 7, 4e4, 2e5),
                               rubber_case("ogden", three, 7, 42250, 2e5),
                               fibre_case(0, false),
                               fibre_case(1, true),
                               wood_case()};
    int failed = 0;
    int32_t count = 0;
    while (pli_material_get(count) != NULL) ++count;
    for (int32_t k = 0; k <= count; ++k) {
        bool own = k == count;
        static law_case plain;
        const pli_material_ops *law = own ? &zoo_own : pli_material_get(k);
        bool is_listed = own || is_plain(law);
        plain = plain_case(law);
        if (own) plain.inputs[0] = plain.mu;
        if (own) plain.inputs[1] = plain.lambda;
        if (is_plain(law) || own) failed += run_case(&plain);
        for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
            static law_case other;
            other = others[i];
            if (other.law != law) continue;
            is_listed = true;
            failed += run_case(&other);
        }
        if (!is_listed) fprintf(stderr, "law %s has no case\n", law->name);
        failed += !is_listed;
    }
    return failed;
}

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

enum { LAWS_MAX = 16 };

int main(void)
{
    static law_case cases[LAWS_MAX];
    int failed = 0;
    int32_t count = 0;
    while (pli_material_get(count) != NULL) ++count;
    if (count + 2 > LAWS_MAX) return 1;
    for (int32_t k = 0; k <= count; ++k) {
        bool own = k == count;
        const pli_material_ops *law = own ? &zoo_own : pli_material_get(k);
        bool polar =
            strcmp(law->name, "fixed-corotated") == 0 || strcmp(law->name, "corotated") == 0;
        cases[k] = (law_case){.law = law,
                              .inputs = {1e5, 0.3},
                              .mu = 1e5 / 2.6,
                              .lambda = 3e4 / (1.3 * 0.4),
                              .is_objective = strcmp(law->name, "linear") != 0,
                              .has_polar_kinks = polar};
        if (own) {
            cases[k].inputs[0] = cases[k].mu;
            cases[k].inputs[1] = cases[k].lambda;
        }
        if (strcmp(law->name, "fluid") == 0) cases[k] = fluid_case(7);
        failed += run_case(&cases[k]);
    }
    // the exponent at which the energy is another formula
    cases[count + 1] = fluid_case(1);
    return failed + run_case(&cases[count + 1]);
}

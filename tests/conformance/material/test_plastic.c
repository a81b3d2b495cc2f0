// SPDX-License-Identifier: Apache-2.0
//
// The suite of law_suite.h over laws that yield inside of a solve. Limits are chosen so that some
// of its states are inside of them, some outside, and none so close that a difference crosses them:
// there the stress has a kink.
#include "law_suite.h"

#include "material/plastic.h"

static const double young = 1e5, poisson = 0.3;

// Deviators of log s in the suite: 0 to 0.27, and 0.39 to 2.5.
static law_case von_mises_case(const pli_material_ops *law, double hardening)
{
    double mu = young / (2 * (1 + poisson)), limit = 0.33;
    return (law_case){.law = law,
                      .inputs = {young, poisson, limit * 2 * mu / sqrt(2.0 / 3), hardening},
                      .mu = mu,
                      .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                      .is_objective = true};
}

// Singular values are 0.83 and below, 0.9 to 1.1, and 1.2 and more.
static law_case snow_case(void)
{
    return (law_case){.law = &pli_law_snow,
                      .inputs = {young, poisson, 0.135, 0.15},
                      .mu = young / (2 * (1 + poisson)),
                      .lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                      .is_objective = true,
                      .has_polar_kinks = true};
}

int main(void)
{
    law_case cases[] = {von_mises_case(&pli_law_hencky_von_mises, 0),
                        von_mises_case(&pli_law_hencky_von_mises, 2e4),
                        von_mises_case(&pli_law_corotated_von_mises, 0),
                        von_mises_case(&pli_law_corotated_von_mises, 2e4), snow_case()};
    int failed = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        static struct CMUnitTest tests[LAW_SUITE_COUNT];
        law_suite_fill(&cases[k], tests);
        failed += _cmocka_run_group_tests(cases[k].law->name, tests, LAW_SUITE_COUNT, NULL, NULL);
    }
    return failed;
}

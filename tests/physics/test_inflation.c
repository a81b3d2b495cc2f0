// SPDX-License-Identifier: Apache-2.0
//
// Gas and liquid in cavities against closed forms and models of one degree of freedom.
#include "near.h"

#include "support/solid_cavities.h"

static void a_weight_bounces_on_gas_with_its_period(void **state)
{
    double ratio, lowest;
    OK(*state, pli_solid_bounce(*state, &ratio, &lowest));
    NEAR(ratio, 1, 0.02, 0);
    // the weight compresses the gas by far more than linear theory takes
    AT_MOST(lowest, 0.8);
}

static void an_inflated_sphere_has_the_pressure_of_the_closed_form(void **state)
{
    pli_solid_inflation found;
    OK(*state, pli_solid_inflate(*state, &found));
    AT_MOST(found.pressure_error, 0.01);
    AT_MOST(found.volume_error, 1e-4);
    // past its maximum
    AT_MOST(found.fall, 0.95);
}

static void gas_keeps_its_adiabate(void **state)
{
    double change, squeeze;
    OK(*state, pli_solid_adiabate(*state, &change, &squeeze));
    AT_MOST(change, 1e-10);
    AT_MOST(squeeze, 0.999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(a_weight_bounces_on_gas_with_its_period, 1),
        TEST_IN_CONTEXT(an_inflated_sphere_has_the_pressure_of_the_closed_form, 1),
        TEST_IN_CONTEXT(gas_keeps_its_adiabate, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Cavities: what is in them as a function of the volume, and the volume itself.
#include "derivatives.h"

#include "base/context.h"
#include "fem/cavity.h"
#include "math/vec3.h"

static const pli_cavity_law laws[] = {
    {.kind = PLI_CAVITY_GIVEN, .volume = 2, .pressure = 300},
    {.kind = PLI_CAVITY_GAS, .volume = 2, .pressure = 300, .ambient = 1e3, .exponent = 1.4},
    {.kind = PLI_CAVITY_GAS, .volume = 2, .pressure = 300, .ambient = 1e3, .exponent = 1},
    {.kind = PLI_CAVITY_LIQUID, .volume = 2, .bulk = 1e4},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void slopes_and_curvatures_are_derivatives(void **state)
{
    (void)state;
    const double h = 1e-4;
    for (int k = 0; k < LAWS; ++k) {
        for (double volume = 1; volume < 4; volume += 0.7) {
            double factor = 1.3;
            double energies[2], slopes[2];
            for (int side = 0; side < 2; ++side) {
                double at = volume + (side ? h : -h);
                energies[side] = pli_cavity_energy(&laws[k], factor, at);
                slopes[side] = pli_cavity_slope(&laws[k], factor, at);
            }
            NEAR((energies[1] - energies[0]) / (2 * h), pli_cavity_slope(&laws[k], factor, volume),
                 1e-6, 1e-5);
            NEAR((slopes[1] - slopes[0]) / (2 * h), pli_cavity_curvature(&laws[k], factor, volume),
                 1e-6, 1e-5);
        }
    }
}

// At the start nothing is stored, and the gauge pressure is what the law says.
static void cavities_start_from_their_pressure(void **state)
{
    (void)state;
    static const double pressures[LAWS] = {300, 300, 300, 0};
    for (int k = 0; k < LAWS; ++k) {
        NEAR(pli_cavity_energy(&laws[k], 1, 2), 0, 0, 1e-12);
        NEAR(-pli_cavity_slope(&laws[k], 1, 2), pressures[k], 1e-14, 1e-14);
    }
    assert_true(isinf(pli_cavity_energy(&laws[1], 1, 0)));
    assert_true(isinf(pli_cavity_energy(&laws[2], 1, -1)));
}

static void gas_keeps_pressure_times_volume_to_its_exponent(void **state)
{
    (void)state;
    for (int k = 1; k < 3; ++k) {
        double start = 1300 * pow(2, laws[k].exponent);
        for (double volume = 0.1; volume < 100; volume *= 2) {
            double pressure = laws[k].ambient - pli_cavity_slope(&laws[k], 1, volume);
            NEAR(pressure * pow(volume, laws[k].exponent), start, 1e-12, 0);
        }
    }
}

// A box far away from the origin, whose volume is 6 of the unit's; forces add up to nothing.
static void the_volume_does_not_depend_on_the_origin(void **state)
{
    (void)state;
    static const int32_t triangles[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    pli_context *context = make_context(1);
    pli_cavity_patch patch = {12, triangles, laws[0]};
    pli_cavities *cavities = NULL;
    OK(context, pli_cavities_create(context, 8, 1, &patch, &cavities));
    for (double far = 0; far < 2e6; far += 1e6) {
        double x[24], g[24] = {0}, sum[3] = {0};
        for (int k = 0; k < 8; ++k) {
            pli_vec3_set(far + 1 * (k & 1), far + 2 * (k >> 1 & 1), far + 3 * (k >> 2), x + 3 * k);
        }
        NEAR(pli_cavities_volume(cavities, 0, x), 6, 1e-14, 0);
        pli_cavity_term.add_gradient(cavities, x, g);
        for (int k = 0; k < 24; ++k) sum[k % 3] += g[k];
        AT_MOST(pli_vec3_norm(sum), 1e-12 * 300 * 22);
        // a pressure of 300 pushes the corner at the origin outwards
        assert_true(g[0] > 0 && g[1] > 0 && g[2] > 0);
    }
    pli_cavities_destroy(cavities);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_and_curvatures_are_derivatives),
        cmocka_unit_test(cavities_start_from_their_pressure),
        cmocka_unit_test(gas_keeps_pressure_times_volume_to_its_exponent),
        cmocka_unit_test(the_volume_does_not_depend_on_the_origin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

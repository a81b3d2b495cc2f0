// SPDX-License-Identifier: Apache-2.0
//
// Laws that yield inside of a solve, against an elastic trial and its return afterwards.
#include "material_zoo.h"

#include "material/laws.h"
#include "material/plastic.h"

enum { STATES = 200 };

static const double mu = 4e4, lambda = 6e4;

// tau = P F^T, 00, 11, 22, 12, 02, 01
static void stress_of(const pli_material_ops *law, const double *params, const double F[9],
                      double tau[6])
{
    double P[9], T[9];
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
    pli_mat3_multiply_transposed_right(P, F, T);
    const double rows[6] = {T[0], T[4], T[8], T[5], T[2], T[1]};
    memcpy(tau, rows, sizeof rows);
}

static double energy_of(const pli_material_ops *law, const double *params, const double F[9])
{
    double psi;
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, &psi, NULL, NULL);
    return psi;
}

// What a particle does with F: yields, and tells its stress.
static void yield(const pli_material *material, double F[9], double *history, double tau[6])
{
    const double still[9] = {0};
    double speed2;
    pli_material_advance(material, 1, 0, still, F, history, tau, &speed2);
}

// Matter with mu and lambda.
static pli_material make_metal(const char *law, double stress, double hardening)
{
    pli_material solid = material_solid(law, 400, 1.04e5, 0.3);
    return material_yielding(solid, PLI_YIELD_VON_MISES, &(pli_von_mises_def){stress, hardening});
}

static double distance(const double a[6], const double b[6])
{
    double sum = 0;
    for (int k = 0; k < 6; ++k) sum += (k < 3 ? 1 : 2) * (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

// ---- von Mises

static void stress_is_that_after_the_return(void **state)
{
    (void)state;
    for (int hardens = 0; hardens < 2; ++hardens) {
        pli_material material = make_metal("hencky", 2e3, hardens ? 1e4 : 0);
        int yielded = 0;
        for (uint64_t k = 0; k < STATES; ++k) {
            double F[9], own[9], tau[6], want[6], memory = 0.02 * (double)(k % 3), strain = memory;
            zoo_deformation(k, k % 4 == 0 ? 0.01 : 0.4, F);
            double params[PLI_MATERIAL_PARAMS];
            pli_material_step_params(&material, true, memory, params);
            NEAR(params[PLI_PLASTIC_YIELD], 2e3 + (hardens ? 1e4 : 0) * memory, 1e-15, 0);
            stress_of(&pli_law_hencky_von_mises, params, F, tau);
            double before = energy_of(&pli_law_hencky_von_mises, params, F);
            pli_mat3_copy(F, own);
            yielded += pli_material_step_return(&material, true, own, &strain);
            yield(&material, F, &memory, want);
            NEAR(distance(tau, want), 0, 0, 1e-11 * mu);
            // and so are F and what is remembered
            for (int e = 0; e < 9; ++e) NEAR(own[e], F[e], 0, 1e-13);
            NEAR(strain, memory, 0, 1e-13);
            // energy that is left, and what flowing has cost
            double flow = strain - 0.02 * (double)(k % 3);
            double cost =
                flow * (params[PLI_PLASTIC_YIELD] + 0.5 * params[PLI_PLASTIC_HARDENING] * flow);
            double left = energy_of(&pli_law_hencky, params, own);
            NEAR(before, left + cost, 1e-12, 1e-12 * mu);
        }
        AT_LEAST(yielded, STATES / 2);
        AT_MOST(yielded, STATES - 10);
    }
}

// Strains of yielding of metals; both laws return by the strain that is left.
static void corotated_matter_is_met_to_first_order(void **state)
{
    (void)state;
    static const double limits[] = {1e-4, 1e-3, 1e-2};
    for (int j = 0; j < 3; ++j) {
        double stress = limits[j] * 2 * mu / sqrt(2.0 / 3), most = 0;
        pli_material material = make_metal("fixed-corotated", stress, 0);
        double params[] = {mu, lambda, stress, 0};
        for (uint64_t k = 0; k < STATES; ++k) {
            double F[9], tau[6], want[6], memory = 0;
            zoo_deformation(k, 3 * limits[j], F);
            stress_of(&pli_law_corotated_von_mises, params, F, tau);
            yield(&material, F, &memory, want);
            most = fmax(most, distance(tau, want) / stress);
        }
        // strains of up to 5 limits, of which the second order is left
        AT_MOST(most, 10 * limits[j]);
        AT_LEAST(most, limits[j] / 10);
    }
}

static void pressure_is_that_of_corotated_matter(void **state)
{
    (void)state;
    const double params[] = {mu, lambda, 1e3, 0};
    for (double j = 0.3; j < 2; j += 0.1) {
        double F[9], tau[6], want[6];
        zoo_compose(3, (double[]){j, j, j}, F);
        stress_of(&pli_law_corotated_von_mises, params, F, tau);
        stress_of(&pli_law_fixed_corotated, params, F, want);
        NEAR(distance(tau, want), 0, 0, 1e-12 * mu);
        // at rest, what is left of both is the square of rounding
        NEAR(energy_of(&pli_law_corotated_von_mises, params, F),
             energy_of(&pli_law_fixed_corotated, params, F), 1e-12, 1e-28 * mu);
    }
}

// F = diag(exp(m + n x_i)), x a unit deviator: the norm of the deviator is n.
static void stretch_to(double m, double n, double F[9])
{
    const double x[3] = {0.15430334996209191, 0.61721339984836764, -0.77151674981045955};
    memset(F, 0, 9 * sizeof *F);
    for (int k = 0; k < 3; ++k) F[4 * k] = exp(m + n * x[k]);
}

static void energy_goes_on_with_its_slope_at_the_limit(void **state)
{
    (void)state;
    static const pli_material_ops *const laws[] = {&pli_law_hencky_von_mises,
                                                   &pli_law_corotated_von_mises};
    const double limit = 0.05, stress = limit * 2 * mu / sqrt(2.0 / 3), step = 1e-9;
    for (int k = 0; k < 4; ++k) {
        const double params[] = {mu, lambda, stress, k / 2 * 1e4};
        double F[2][9], tau[2][6];
        for (int side = 0; side < 2; ++side) {
            stretch_to(-0.1, limit + (side == 0 ? -step : step), F[side]);
            stress_of(laws[k % 2], params, F[side], tau[side]);
        }
        // twice the step and the stiffness, and the slope times the step
        AT_MOST(distance(tau[0], tau[1]), 1.01 * 2 * step * 2 * mu);
        double rise = energy_of(laws[k % 2], params, F[1]) - energy_of(laws[k % 2], params, F[0]);
        NEAR(rise, 2 * step * 2 * mu * limit, 1e-4, 0);
    }
}

static void energy_and_stress_never_fall_with_strain(void **state)
{
    (void)state;
    const double stress = 0.05 * 2 * mu / sqrt(2.0 / 3);
    for (int hardens = 0; hardens < 2; ++hardens) {
        const double params[] = {mu, lambda, stress, hardens * 1e4};
        double energy = -1, before = -1, tau[6], F[9];
        for (double n = 0; n < 1; n += 1e-3) {
            stretch_to(0.02, n, F);
            double psi = energy_of(&pli_law_hencky_von_mises, params, F);
            stress_of(&pli_law_hencky_von_mises, params, F, tau);
            double shear = zoo_shear(tau);
            assert_true(psi > energy);
            AT_LEAST(shear, before - 1e-9 * stress);
            if (!hardens) AT_MOST(shear, sqrt(2.0 / 3) * stress * (1 + 1e-12));
            energy = psi;
            before = shear;
        }
        if (hardens) AT_LEAST(before, 1.5 * sqrt(2.0 / 3) * stress);
    }
}

static void inverted_matter_has_no_return(void **state)
{
    (void)state;
    double params[] = {mu, lambda, 1e3, 0}, strain = 0.3;
    double F[9] = {1, 0, 0, 0, 1, 0, 0, 0, -0.5};
    pli_material material = make_metal("hencky", 1e3, 0);
    assert_false(pli_material_step_return(&material, true, F, &strain));
    assert_true(F[8] == -0.5 && strain == 0.3);
    assert_true(energy_of(&pli_law_hencky_von_mises, params, F) == INFINITY);
}

// ---- snow

static const double compression = 0.025, stretch = 0.0075;

static void snow_in_its_box_is_corotated(void **state)
{
    (void)state;
    const double params[] = {mu, lambda, compression, stretch};
    for (uint64_t k = 0; k < STATES; ++k) {
        double F[9], tau[6], want[6];
        zoo_deformation(k, stretch - 1e-4, F);
        stress_of(&pli_law_snow, params, F, tau);
        stress_of(&pli_law_fixed_corotated, params, F, want);
        NEAR(distance(tau, want), 0, 0, 1e-12 * mu);
    }
}

// The stress after the clamp is met but for the pressure of what is cut off: closer than a trial.
static void snow_outside_of_its_box_is_off_by_pressure_alone(void **state)
{
    (void)state;
    // of Poisson's ratio 0.2, as snow has
    const double params[] = {mu, 2 * mu / 3, compression, stretch};
    pli_material material = material_yielding(
        material_solid("fixed-corotated", 400, 2.4 * mu, 0.2), PLI_YIELD_SNOW,
        &(pli_snow_def){.compression = compression, .stretch = stretch, .least = 0.1, .most = 10});
    double sum = 0, trial_sum = 0;
    for (uint64_t k = 0; k < STATES; ++k) {
        double F[9], trial[9], tau[6], elastic[6], want[6], memory = 1;
        zoo_deformation(k, 0.06, F);
        pli_mat3_copy(F, trial);
        stress_of(&pli_law_snow, params, F, tau);
        stress_of(&pli_law_fixed_corotated, params, F, elastic);
        yield(&material, F, &memory, want);
        // J before and after, which is 1 + the strain that is cut off
        double J = pli_mat3_determinant(trial), Je = pli_mat3_determinant(F);
        double pressure = sqrt(3) * material.lambda * fabs(J * (J - 1) - Je * (Je - 1));
        // the axes: strain cut off times the stress at the border of the box
        AT_MOST(distance(tau, want), pressure + 2 * mu * compression * 0.12);
        sum += distance(tau, want);
        trial_sum += distance(elastic, want);
    }

    AT_MOST(sum, 0.5 * trial_sum);
}

static void snow_without_pressure_is_convex(void **state)
{
    (void)state;
    const double params[] = {mu, 0, compression, stretch};
    for (uint64_t k = 0; k < STATES; ++k) {
        double F[9], other[9], P[9], other_P[9], product = 0;
        zoo_deformation(k, 0.1, F);
        zoo_deformation(k + 1000, 0.1, other);
        // in one frame: diagonal ones
        for (int e = 0; e < 9; ++e) F[e] = e % 4 == 0 ? F[e] * F[e] + 0.5 : 0;
        for (int e = 0; e < 9; ++e) other[e] = e % 4 == 0 ? other[e] * other[e] + 0.5 : 0;
        pli_law_snow.evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
        pli_law_snow.evaluate(1, other, params, PLI_TANGENT_EXACT, NULL, other_P, NULL);
        for (int e = 0; e < 9; ++e) product += (P[e] - other_P[e]) * (F[e] - other[e]);
        AT_LEAST(product, -1e-12 * mu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_that_after_the_return),
        cmocka_unit_test(corotated_matter_is_met_to_first_order),
        cmocka_unit_test(pressure_is_that_of_corotated_matter),
        cmocka_unit_test(energy_goes_on_with_its_slope_at_the_limit),
        cmocka_unit_test(energy_and_stress_never_fall_with_strain),
        cmocka_unit_test(inverted_matter_has_no_return),
        cmocka_unit_test(snow_in_its_box_is_corotated),
        cmocka_unit_test(snow_outside_of_its_box_is_off_by_pressure_alone),
        cmocka_unit_test(snow_without_pressure_is_convex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

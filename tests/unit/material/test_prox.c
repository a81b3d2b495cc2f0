// SPDX-License-Identifier: Apache-2.0
//
// Laws in singular values, and the point that a spring pulls matter to.
#include "near.h"

#include "base/random.h"
#include "material/laws.h"
#include "material/plastic.h"
#include "material/principal.h"
#include "material/prox.h"
#include "math/mat3.h"
#include "math/svd.h"

enum { POINTS = PLI_PROX_POINTS };

static const pli_material_ops *const laws[] = {&pli_law_fixed_corotated,
                                               &pli_law_corotated,
                                               &pli_law_neo_hookean,
                                               &pli_law_stable_neo_hookean,
                                               &pli_law_hencky,
                                               &pli_law_fluid,
                                               &pli_law_hencky_von_mises,
                                               &pli_law_corotated_von_mises,
                                               &pli_law_snow,
                                               &pli_law_linear};

enum { LAW_COUNT = sizeof laws / sizeof *laws };

static bool needs_positive(const pli_material_ops *law)
{
    return (law->flags & PLI_LAW_INVERTIBLE) == 0;
}

static void make_params(const pli_material_ops *law, double params[PLI_PROX_PARAMS])
{
    double elastic[] = {1e5, 0.3, 1e4, 1e3}, fluid[] = {1e5, 7}, snow[] = {1e5, 0.3, 0.05, 0.02};
    law->derive(law == &pli_law_fluid ? fluid : law == &pli_law_snow ? snow : elastic, params);
}

static double stiffness_of(const pli_material_ops *law, const double *params)
{
    double speed = law->sound_speed(params, 1);
    return speed * speed;
}

// ---- singular values

// Their own functions, and what stands in for them.
static void principal_functions_are_the_law_on_diagonal_matrices(void **state)
{
    (void)state;
    enum { N = 6 };
    static const double states[N][3] = {{1, 1, 1},      {1.3, 0.9, 0.7},  {0.4, 2, 1.1},
                                        {1.2, 1, 1e-3}, {1.1, 0.8, -0.3}, {0.5, 0.5, 0.5}};
    static const int pairs[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int l = 0; l < 2 * LAW_COUNT; ++l) {
        pli_material_ops law = *laws[l / 2];
        if (l % 2 == 1) law.principal = NULL;
        double s[3 * N], params[PLI_PROX_PARAMS * N], psi[N], g[3 * N], H[6 * N];
        double own[PLI_PROX_PARAMS];
        make_params(laws[l / 2], own);
        for (int k = 0; k < 3 * N; ++k) s[k] = states[k % N][k / N];
        for (int k = 0; k < law.param_count * N; ++k) params[k] = own[k / N];
        pli_principal_evaluate(&law, N, s, params, psi, g, H);
        for (int k = 0; k < N; ++k) {
            double F[9] = {s[k], 0, 0, 0, s[N + k], 0, 0, 0, s[2 * N + k]};
            double energy, P[9], dPdF[81], size = 1e5;
            law.evaluate(1, F, own, PLI_TANGENT_EXACT, &energy, P, dPdF);
            for (int j = 0; j < 81; ++j) size = fmax(size, fabs(dPdF[j]));
            NEAR(psi[k], energy, 1e-12, 1e-12 * size);
            for (int j = 0; j < 3; ++j) NEAR(g[j * N + k], P[4 * j], 1e-12, 1e-12 * size);
            for (int j = 0; j < 6; ++j) {
                NEAR(H[j * N + k], dPdF[36 * pairs[j][0] + 4 * pairs[j][1]], 1e-11, 1e-12 * size);
            }
        }
    }
}

// ---- the proximal point

// Deformations: near rest, far from it, inverted, and such that are nearly flat.
static void make_points(const pli_material_ops *law, double stiffness, pli_prox *at)
{
    *at = (pli_prox){.count = POINTS - 5};
    double params[PLI_PROX_PARAMS];
    make_params(law, params);
    for (int n = 0; n < at->count; ++n) {
        double size = (double[]){0.01, 0.2, 0.8, 1.5}[n % 4];
        for (int k = 0; k < 9; ++k) {
            at->y[k * POINTS + n] =
                (k % 4 == 0) +
                size * pli_random_range((pli_random){9, 2}, (uint64_t)(9 * n + k), -1, 1);
        }
        for (int k = 0; k < law->param_count; ++k) at->params[k * POINTS + n] = params[k];
        at->c[n] = stiffness;
    }
}

static void get(const double *planes, int n, double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = planes[k * POINTS + n];
}

// psi(z) + c/2 |z - y|^2
static double value_of(const pli_material_ops *law, const pli_prox *at, int n, const double z[9])
{
    double params[PLI_PROX_PARAMS], psi, sum = 0;
    make_params(law, params);
    law->evaluate(1, z, params, PLI_TANGENT_EXACT, &psi, NULL, NULL);
    for (int k = 0; k < 9; ++k) {
        double d = z[k] - at->y[k * POINTS + n];
        sum += d * d;
    }
    return psi + 0.5 * at->c[n] * sum;
}

// |P(z) + c (z - y)|, over the sizes of both and what rounding of z does to the stress
static double residual_of(const pli_material_ops *law, const pli_prox *at, int n)
{
    double params[PLI_PROX_PARAMS], z[9], P[9], dPdF[81], sum = 0, size = at->c[n], steep = 0;
    make_params(law, params);
    get(at->z, n, z);
    law->evaluate(1, z, params, PLI_TANGENT_EXACT, NULL, P, dPdF);
    for (int k = 0; k < 9; ++k) {
        double r = P[k] + at->c[n] * (z[k] - at->y[k * POINTS + n]);
        sum += r * r;
        size = fmax(size, fabs(P[k]));
    }
    for (int k = 0; k < 81; ++k) steep = fmax(steep, fabs(dPdF[k]));
    return sqrt(sum) / (size + steep);
}

static void force_of_the_spring_balances_the_stress(void **state)
{
    (void)state;
    static const double scales[] = {0.1, 0.25, 1, 10};
    for (int l = 0; l < LAW_COUNT; ++l) {
        double params[PLI_PROX_PARAMS];
        make_params(laws[l], params);
        for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s) {
            pli_prox at;
            make_points(laws[l], scales[s] * stiffness_of(laws[l], params), &at);
            pli_prox_solve(laws[l], &at);
            for (int n = 0; n < at.count; ++n) {
                double z[9];
                get(at.z, n, z);
                if (needs_positive(laws[l])) AT_LEAST(pli_mat3_determinant(z), 0);
                // Newton's last step is 1e-7, the next would be 1e-14
                AT_MOST(residual_of(laws[l], &at, n), 1e-11);
            }
        }
    }
}

// A minimum of three unknowns in the frame of y is one of all nine.
static void no_state_nearby_has_less_energy(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; ++l) {
        double params[PLI_PROX_PARAMS];
        make_params(laws[l], params);
        double stiffness = stiffness_of(laws[l], params);
        pli_prox at;
        make_points(laws[l], stiffness, &at);
        pli_prox_solve(laws[l], &at);
        for (int n = 0; n < at.count; ++n) {
            double z[9];
            get(at.z, n, z);
            double value = value_of(laws[l], &at, n, z);
            for (uint64_t trial = 0; trial < 20; ++trial) {
                double moved[9];
                for (uint64_t k = 0; k < 9; ++k) {
                    moved[k] = z[k] + pli_random_range((pli_random){4, trial}, k, -1e-4, 1e-4);
                }
                // rounding of energies of this size
                AT_LEAST(value_of(laws[l], &at, n, moved),
                         value - 1e-12 * (fabs(value) + stiffness));
            }
        }
    }
}

// A law that nobody knows to be isotropic is solved for nine unknowns.
static void three_unknowns_give_what_nine_do(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; ++l) {
        pli_material_ops stranger = *laws[l];
        stranger.flags &= ~(unsigned)PLI_LAW_ISOTROPIC;
        double params[PLI_PROX_PARAMS];
        pli_prox known, unknown;
        make_params(laws[l], params);
        make_points(laws[l], stiffness_of(laws[l], params), &known);
        make_points(laws[l], stiffness_of(laws[l], params), &unknown);
        assert_int_equal(pli_prox_start_count(laws[l]), laws[l] == &pli_law_linear ? 9 : 3);
        assert_int_equal(pli_prox_start_count(&stranger), 9);
        pli_prox_solve(laws[l], &known);
        pli_prox_solve(&stranger, &unknown);
        for (int n = 0; n < known.count; ++n) {
            // far from rest there may be several minima
            if (n % 4 > 1) continue;
            for (int k = 0; k < 9; ++k) {
                NEAR(known.z[k * POINTS + n], unknown.z[k * POINTS + n], 0, 1e-11);
            }
        }
    }
}

static void a_warm_start_ends_at_the_same_point(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; ++l) {
        double params[PLI_PROX_PARAMS];
        pli_prox at, again;
        make_params(laws[l], params);
        make_points(laws[l], stiffness_of(laws[l], params), &at);
        pli_prox_solve(laws[l], &at);
        again = at;
        again.is_warm = true;
        pli_prox_solve(laws[l], &again);
        for (int n = 0; n < at.count; ++n) {
            for (int k = 0; k < 9; ++k) {
                NEAR(again.z[k * POINTS + n], at.z[k * POINTS + n], 1e-10, 1e-10);
            }
        }
    }
}

static void a_point_does_not_depend_on_its_neighbours(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; ++l) {
        double params[PLI_PROX_PARAMS];
        pli_prox all;
        make_params(laws[l], params);
        make_points(laws[l], 0.3 * stiffness_of(laws[l], params), &all);
        pli_prox_solve(laws[l], &all);
        for (int n = 0; n < all.count; n += 7) {
            pli_prox one = {.count = 1, .c = {all.c[n]}};
            for (int k = 0; k < 9; ++k) one.y[k * POINTS] = all.y[k * POINTS + n];
            for (int k = 0; k < PLI_PROX_PARAMS; ++k) {
                one.params[k * POINTS] = all.params[k * POINTS + n];
            }
            pli_prox_solve(laws[l], &one);
            for (int k = 0; k < 9; ++k) {
                assert_true(one.z[k * POINTS] == all.z[k * POINTS + n]);
            }
        }
    }
}

static void states_that_are_not_numbers_stay_so(void **state)
{
    (void)state;
    for (int l = 0; l < LAW_COUNT; ++l) {
        double params[PLI_PROX_PARAMS];
        pli_prox at;
        make_params(laws[l], params);
        make_points(laws[l], stiffness_of(laws[l], params), &at);
        at.y[4 * POINTS + 3] = NAN;
        pli_prox_solve(laws[l], &at);
        double sum = 0, rest = 0;
        for (int k = 0; k < 9; ++k) sum += at.z[k * POINTS + 3];
        for (int k = 0; k < 9; ++k) rest += at.z[k * POINTS + 2];
        assert_true(!isfinite(sum));
        assert_true(isfinite(rest));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(principal_functions_are_the_law_on_diagonal_matrices),
        cmocka_unit_test(force_of_the_spring_balances_the_stress),
        cmocka_unit_test(no_state_nearby_has_less_energy),
        cmocka_unit_test(three_unknowns_give_what_nine_do),
        cmocka_unit_test(a_warm_start_ends_at_the_same_point),
        cmocka_unit_test(a_point_does_not_depend_on_its_neighbours),
        cmocka_unit_test(states_that_are_not_numbers_stay_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

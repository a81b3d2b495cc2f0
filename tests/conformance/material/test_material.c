// SPDX-License-Identifier: Apache-2.0
//
// What every law, every yield rule and every pair of them keep in a step of a particle, in double
// precision (M4-M6, P1-P6, P8, R1-R5).
#include "material_zoo.h"

enum { STATES = 200 };

static const double no_motion[9] = {0};

// Applies the rule once, without motion.
static void settle(const pli_material *m, double F[9], double *history)
{
    double tau[6], speed2;
    pli_material_advance(m, 1, 0, no_motion, F, history, tau, &speed2);
}

// That of a law which depends on the frame is not symmetric.
static void symmetrize(double T[9])
{
    double flipped[9];
    pli_mat3_transpose(T, flipped);
    for (int k = 0; k < 9; ++k) T[k] = (T[k] + flipped[k]) / 2;
}

// A state of F in which nothing yields.
static bool make_elastic(const pli_material *m, uint64_t index, double *history, double F[9])
{
    *history = pli_material_rest_history(m);
    zoo_deformation(index, m->yield != NULL ? 0.007 : 0.4, F);
    if (zoo_excess(m, F, *history) < -1e-4) return true;
    // what yields by tension at once
    double s[3] = {0.99, 0.9905, 0.989};
    zoo_compose(index, s, F);
    return zoo_excess(m, F, *history) < -1e-4;
}

// Central differences with a step of 1e-5: their error is 1e-10 of the third derivatives, which
// grow with 1/s^3, and rounding is 1e-11 of the energy.
static void stress_is_gradient_of_energy(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        int elastic = 0;
        if (pli_material_is_fluid(m)) continue;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], P[9], want[9], tau[6], got[9], history;
            if (!make_elastic(m, index, &history, F)) continue;
            ++elastic;
            for (int k = 0; k < 9; ++k) {
                double at = F[k];
                F[k] = at + step;
                double high = material_energy(m, F, history);
                F[k] = at - step;
                P[k] = (high - material_energy(m, F, history)) / (2 * step);
                F[k] = at;
            }
            pli_mat3_multiply_transposed_right(P, F, want);
            zoo_stress(m, F, history, tau);
            zoo_matrix(tau, got);
            symmetrize(want);
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 2e-8 * zoo_stiffness(m));
        }
        AT_LEAST(elastic, 10);
    }
}

static void stress_is_that_of_evaluate(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (pli_material_is_fluid(m) || m->yield != NULL) continue;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], P[9], psi, tau[6], got[9], want[9];
            zoo_deformation(index, 0.8, F);
            m->law->evaluate(1, F, m->params, PLI_TANGENT_EXACT, &psi, P, NULL);
            pli_mat3_multiply_transposed_right(P, F, want);
            zoo_stress(m, F, 0, tau);
            zoo_matrix(tau, got);
            symmetrize(want);
            // rounding of the entries of both, of size stiffness |F|^2, or |F|^4
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 1e-13 * zoo_stiffness(m) * 60);
            NEAR(material_energy(m, F, 0), psi, 1e-12, 1e-12 * m->mu);
        }
    }
}

// tau(Q F) = Q tau(F) Q^T, and what yields turns with it
static void laws_do_not_depend_on_the_frame(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (!zoo_is_isotropic(m)) continue;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], Q[9], QF[9], turned[9], product[9], tau[6], tau_Q[6], got[9], want[9];
            double history = pli_material_rest_history(m), history_Q = history, speed2, speed2_Q;
            zoo_deformation(index, 0.3, F);
            zoo_rotation(index + 7777, Q);
            pli_mat3_multiply(Q, F, QF);
            NEAR(material_energy(m, QF, history), material_energy(m, F, history), 1e-12, 1e-10);
            pli_material_advance(m, 1, 0, no_motion, F, &history, tau, &speed2);
            pli_material_advance(m, 1, 0, no_motion, QF, &history_Q, tau_Q, &speed2_Q);
            zoo_matrix(tau, turned);
            pli_mat3_multiply(Q, turned, product);
            pli_mat3_multiply_transposed_right(product, Q, want);
            zoo_matrix(tau_Q, got);
            pli_mat3_multiply(Q, F, turned);
            // rounding, times the share that hardening makes of it
            double error = 1e-12 * zoo_stiffness(m) * zoo_hardness(m, history);
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 2 * error);
            for (int k = 0; k < 9 && !pli_material_is_fluid(m); ++k) {
                NEAR(QF[k], turned[k], 0, 1e-12);
            }
            NEAR(history_Q, history, 0, 1e-12);
            NEAR(speed2_Q, speed2, 1e-11, 0);
        }
    }
}

static void rotations_give_no_stress(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        double Q[9], tau[6], rest = pli_material_rest_history(m);
        if (!zoo_is_isotropic(m)) continue;
        zoo_rotation((uint64_t)z, Q);
        zoo_stress(m, Q, rest, tau);
        for (int k = 0; k < 6; ++k) NEAR(tau[k], 0, 0, 1e-14 * zoo_stiffness(m));
        NEAR(material_energy(m, Q, rest), 0, 0, 1e-14 * zoo_stiffness(m));
        assert_true(fabs(pli_material_volume_ratio(m, Q, rest) - 1) < 1e-14);
    }
}

static void energy_is_finite_and_not_negative(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < STATES; ++index) {
            pli_random random = {.seed = 41, .stream = index};
            double F[9];
            double history = pli_material_rest_history(m);
            if (pli_material_is_fluid(m)) history = pli_random_range(random, 20, -3, 1.4);
            // any matrix: stretched, flat and inverted
            for (uint64_t k = 0; k < 9; ++k) F[k] = pli_random_range(random, k, -2, 2);
            double energy = material_energy(m, F, history);
            assert_true(isfinite(energy));
            AT_LEAST(energy, 0);
        }
    }
}

// c^2 = (4/3) mu / rho + dp/drho against differences of the law's own pressure of a dilated cube
// (R1, R2, R5), multiplied by what hardens.
static void speed_of_sound_follows_the_pressure(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (pli_material_is_fluid(m) || !zoo_is_isotropic(m)) continue;
        for (double J = 0.3; J < 2.5; J *= 1.02) {
            double p[2], rho[2], tau[6], speed2 = 0, history = pli_material_rest_history(m) * 0.8;
            bool yields = false;
            for (int side = 0; side < 3; ++side) {
                double volume = J * (side == 2 ? 1 : side == 0 ? 1 - 1e-5 : 1 + 1e-5);
                double s = cbrt(volume);
                double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
                yields = yields || zoo_excess(m, F, history) > 0;
                speed2 = zoo_stress(m, F, history, tau);
                if (side == 2) continue;
                p[side] = -zoo_trace(tau) / (3 * volume);
                rho[side] = m->density / volume;
            }
            double shear = pli_material_stiffness(m, history) * 4 * m->mu * J / (3 * m->density);
            double slope = (p[1] - p[0]) / (rho[1] - rho[0]);
            // differences of pressure: rounding of 1e-16 over 2e-5
            if (!yields) NEAR(speed2, shear + fmax(0, slope), 1e-8, 1e-8 * m->mu / m->density);
        }
    }
}

// At rest every law has the speed of its row, which doubles as stiffness quadruples (R3, P6).
static void speed_of_sound_at_rest_is_that_of_the_law(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        double F[9], tau[6], rest = pli_material_rest_history(m);
        pli_mat3_identity(F);
        double speed = m->law->sound_speed(m->params, m->density);
        NEAR(zoo_stress(m, F, rest, tau), speed * speed, 1e-13, 0);
    }
}

// ---- what yields

static const double strains[] = {0.004, 0.01, 0.05, 0.3, 1};

// What was beyond ends on the border of what its rule admits, what was within stays there; rounding
// of the return is that of stress over its modulus.
static void return_map_lands_on_the_yield_surface(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        int yielded = 0;
        if (m->yield == NULL) continue;
        for (uint64_t index = 0; index < 3 * STATES; ++index) {
            double F[9], before[9], history = zoo_history(m, index, 0);
            zoo_deformation(index, strains[index % 5], F);
            pli_mat3_copy(F, before);
            double excess = zoo_excess(m, F, history);
            settle(m, F, &history);
            double after = zoo_excess(m, F, history);
            double error = 1e-11 * zoo_stiffness(m) / m->mu;
            if (excess > 0) {
                ++yielded;
                NEAR(after, 0, 0, error);
            } else {
                AT_MOST(after, error);
            }
        }
        AT_LEAST(yielded, STATES / 4);
    }
}

// Once more changes nothing but rounding.
static void return_map_is_a_projection(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (m->yield == NULL) continue;
        for (uint64_t index = 0; index < 3 * STATES; ++index) {
            double F[9], again[9], history = zoo_history(m, index, 0), history_again;
            zoo_deformation(index, strains[index % 5], F);
            settle(m, F, &history);
            pli_mat3_copy(F, again);
            history_again = history;
            settle(m, again, &history_again);
            NEAR(history_again, history, 1e-13, 1e-12);
            for (int k = 0; k < 9; ++k) NEAR(again[k], F[k], 0, 1e-11);
        }
    }
}

// What has never yielded and is at rest stays so, and rules describe themselves.
static void rest_is_admissible(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        if (m->yield == NULL) continue;
        double F[9], want[9], history = pli_material_rest_history(m);
        pli_mat3_identity(F);
        pli_mat3_identity(want);
        settle(m, F, &history);
        assert_memory_equal(F, want, sizeof F);
        assert_true(history == m->yield->history.rest);
        assert_true(pli_material_stiffness(m, history) == 1);
        assert_true(m->yield->history.name[0] != '\0' && m->yield->history.doc[0] != '\0');
        assert_non_null(m->yield->history.unit);
        assert_true(pli_yield_variants[0] == pli_yield_get(0)->schema);
        assert_true(m->yield->schema->doc[0] != '\0');
    }
}

// Where a rule can be within a solve, the stress of its law there is that after its own return map.
static void condensed_laws_have_the_stress_after_the_return(void **state)
{
    (void)state;
    int pairs = 0;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        const pli_material_ops *law = pli_material_step_law(m, true);
        if (law == m->law) continue;
        ++pairs;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], P[9], tau[9], after[9], want[9], params[PLI_MATERIAL_PARAMS];
            double history = zoo_history(m, index, 0);
            zoo_deformation(index, 0.004, F);
            if (zoo_excess(m, F, history) > -1e-4) continue;
            // within, both are the law itself to second order in strain
            pli_material_step_params(m, true, history, params);
            law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
            pli_mat3_multiply_transposed_right(P, F, tau);
            pli_mat3_copy(F, after);
            assert_false(pli_material_step_return(m, true, after, &history));
            m->law->evaluate(1, F, m->params, PLI_TANGENT_EXACT, NULL, P, NULL);
            pli_mat3_multiply_transposed_right(P, F, want);
            for (int k = 0; k < 9; ++k) NEAR(tau[k], want[k], 0, 1e-4 * zoo_stiffness(m));
        }
    }
    AT_LEAST(pairs, 5);
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        const pli_material *m = &zoo[z].material;
        double F[9], tau[6], speed2;
        double history = pli_material_is_fluid(m) ? NAN : pli_material_rest_history(m);
        zoo_deformation(3, 0.1, F);
        F[4] = NAN;
        pli_material_advance(m, 1, 0, no_motion, F, &history, tau, &speed2);
        for (int k = 0; k < 3; ++k) {
            if (zoo_is_isotropic(m)) assert_true(isnan(tau[k]));
        }
        assert_true(isnan(tau[1]) && isnan(speed2));
    }
}

// Laws without any of the optional forms give what they give with them.
static void optional_forms_are_the_law_itself(void **state)
{
    (void)state;
    for (int z = 0; z < zoo_count; ++z) {
        pli_material own = zoo[z].material;
        const pli_material *m = &zoo[z].material;
        pli_material_ops bare = *m->law;
        bare.principal = NULL;
        own.law = &bare;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], tau[6], speed2, own_F[9], own_tau[6], own_speed2;
            double history = zoo_history(m, index, 0.3), own_history = history;
            zoo_deformation(index, strains[index % 4], F);
            pli_mat3_copy(F, own_F);
            pli_material_advance(m, 1, 0, no_motion, F, &history, tau, &speed2);
            pli_material_advance(&own, 1, 0, no_motion, own_F, &own_history, own_tau, &own_speed2);
            for (int k = 0; k < 9; ++k) NEAR(own_F[k], F[k], 0, 1e-12);
            double size = zoo_stiffness(m) * zoo_hardness(m, history);
            if (pli_material_is_fluid(m)) size *= fmax(1, exp(-8 * history));
            for (int k = 0; k < 6; ++k) NEAR(own_tau[k], tau[k], 0, 1e-12 * size);
            NEAR(own_history, history, 0, 1e-12);
            NEAR(own_speed2, speed2, 1e-11, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_gradient_of_energy),
        cmocka_unit_test(stress_is_that_of_evaluate),
        cmocka_unit_test(laws_do_not_depend_on_the_frame),
        cmocka_unit_test(rotations_give_no_stress),
        cmocka_unit_test(energy_is_finite_and_not_negative),
        cmocka_unit_test(speed_of_sound_follows_the_pressure),
        cmocka_unit_test(speed_of_sound_at_rest_is_that_of_the_law),
        cmocka_unit_test(return_map_lands_on_the_yield_surface),
        cmocka_unit_test(return_map_is_a_projection),
        cmocka_unit_test(rest_is_admissible),
        cmocka_unit_test(condensed_laws_have_the_stress_after_the_return),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(optional_forms_are_the_law_itself),
    };
    return cmocka_run_group_tests(tests, zoo_make, NULL);
}

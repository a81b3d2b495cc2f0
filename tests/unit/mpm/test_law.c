// SPDX-License-Identifier: Apache-2.0
//
// Laws of particles in double: stress as the gradient of energy, yielding, speed of sound (M4-M6,
// P1-P6, P8, R1-R5).
#include "law_zoo.h"

#include "material/lame.h"
#include "material/laws.h"
#include "material/reference.h"
#include "math/svd.h"

enum { STATES = 200 };

static const double no_motion[9] = {0};

// The stress as it is; F and memory are not changed by what does not yield.
static double stress_of(const pli_mpm_material *m, const double F[9], double memory, double tau[6])
{
    double copy[9];
    double speed2;
    pli_mat3_copy(F, copy);
    pli_mpm_advance_reference(m, 0, no_motion, copy, &memory, tau, &speed2);
    return speed2;
}

// Central differences with a step of 1e-5: their error is 1e-10 of the third derivatives, which
// grow with 1/s^3, and rounding is 1e-11 of the energy.
static void stress_is_gradient_of_energy(void **state)
{
    (void)state;
    const double step = 1e-5;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->elasticity == PLI_MPM_FLUID || m->yield > PLI_MPM_SNOW) continue;
        // inside of its limits snow is elastic, harder by what its memory says
        double strain = m->yield == PLI_MPM_SNOW ? 0.007 : 0.4;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9];
            double P[9];
            double want[9];
            double tau[6];
            double got[9];
            zoo_deformation(index, strain, F);
            for (int k = 0; k < 9; ++k) {
                double at = F[k];
                F[k] = at + step;
                double high = pli_mpm_energy(m, F, 0.9);
                F[k] = at - step;
                P[k] = (high - pli_mpm_energy(m, F, 0.9)) / (2 * step);
                F[k] = at;
            }
            pli_mat3_multiply_transposed_right(P, F, want);
            stress_of(m, F, 0.9, tau);
            zoo_matrix(tau, got);
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 2e-8 * zoo_stiffness(m));
        }
    }
}

static void stress_is_that_of_the_laws_of_meshes(void **state)
{
    (void)state;
    const pli_material_ops *const laws[] = {
        [PLI_MPM_FIXED_COROTATED] = &pli_law_fixed_corotated,
        [PLI_MPM_NEO_HOOKEAN] = &pli_law_neo_hookean,
        [PLI_MPM_HENCKY] = &pli_law_hencky,
    };
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->elasticity == PLI_MPM_FLUID || m->yield != PLI_MPM_NO_YIELD) continue;
        double params[PLI_LAME_PARAM_COUNT] = {m->mu, m->lambda};
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9];
            double tau[6];
            double got[9];
            double want[9];
            pli_reference_point point;
            zoo_deformation(index, 0.8, F);
            assert_true(
                pli_reference_evaluate(laws[m->elasticity], params, F, PLI_TANGENT_EXACT, &point));
            pli_mat3_multiply_transposed_right(point.P, F, want);
            stress_of(m, F, 0, tau);
            zoo_matrix(tau, got);
            // rounding of the entries of both, of size stiffness |F|^2
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 1e-13 * zoo_stiffness(m) * 15);
            NEAR(pli_mpm_energy(m, F, 0), point.psi, 1e-12, 1e-12 * m->mu);
        }
    }
}

// tau(Q F) = Q tau(F) Q^T, and what yields turns with it
static void laws_do_not_depend_on_the_frame(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], Q[9], QF[9], turned[9], product[9], tau[6], tau_Q[6], got[9], want[9];
            double memory = pli_mpm_material_memory(m);
            double memory_Q = memory;
            double speed2, speed2_Q;
            zoo_deformation(index, 0.3, F);
            zoo_rotation(index + 7777, Q);
            pli_mat3_multiply(Q, F, QF);
            NEAR(pli_mpm_energy(m, QF, memory), pli_mpm_energy(m, F, memory), 1e-12, 1e-10);
            pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
            pli_mpm_advance_reference(m, 0, no_motion, QF, &memory_Q, tau_Q, &speed2_Q);
            zoo_matrix(tau, turned);
            pli_mat3_multiply(Q, turned, product);
            pli_mat3_multiply_transposed_right(product, Q, want);
            zoo_matrix(tau_Q, got);
            pli_mat3_multiply(Q, F, turned);
            // rounding, times the share that hardening (5) makes of it
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, 1e-12 * zoo_stiffness(m) * 10);
            if (m->elasticity != PLI_MPM_FLUID) {
                for (int k = 0; k < 9; ++k) NEAR(QF[k], turned[k], 0, 1e-12);
            }
            NEAR(memory_Q, memory, 0, 1e-12);
            NEAR(speed2_Q, speed2, 1e-11, 0);
        }
    }
}

static void rotations_give_no_stress(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        double Q[9], tau[6];
        zoo_rotation((uint64_t)z, Q);
        double rest = pli_mpm_material_memory(m);
        stress_of(m, Q, rest, tau);
        for (int k = 0; k < 6; ++k) NEAR(tau[k], 0, 0, 1e-14 * zoo_stiffness(m));
        NEAR(pli_mpm_energy(m, Q, rest), 0, 0, 1e-14 * zoo_stiffness(m));
        assert_true(fabs(pli_mpm_volume_ratio(m, Q, rest) - 1) < 1e-14);
    }
}

static void energy_is_never_negative(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        for (uint64_t index = 0; index < STATES; ++index) {
            pli_random random = {.seed = 41, .stream = index};
            double F[9];
            double memory = pli_mpm_material_memory(m);
            if (m->elasticity == PLI_MPM_FLUID) memory = pli_random_range(random, 20, -3, 1.4);
            // any matrix: stretched, flat and inverted
            for (uint64_t k = 0; k < 9; ++k) F[k] = pli_random_range(random, k, -2, 2);
            AT_LEAST(pli_mpm_energy(m, F, memory), 0);
        }
    }
}

// p = -K log J / J (M4)
static void hencky_pressure_is_the_logarithm_of_volume(void **state)
{
    (void)state;
    const pli_mpm_material m = {PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, ZOO_SOLID};
    const double K = m.lambda + 2 * m.mu / 3;
    for (double J = 0.2; J < 4; J *= 1.3) {
        double s = cbrt(J);
        double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
        double tau[6];
        stress_of(&m, F, 0, tau);
        NEAR(-zoo_trace(tau) / (3 * J), -K * log(J) / J, 1e-13, 1e-9);
        for (int k = 3; k < 6; ++k) NEAR(tau[k], 0, 0, 1e-9);
    }
}

// J follows the divergence, p = k (J^-gamma - 1), c^2 = k gamma / rho_0 (rho / rho_0)^(gamma - 1)
// (M6, R4), and dev tau = 2 viscosity J dev(sym C)
static void fluids_follow_their_equation_of_state(void **state)
{
    (void)state;
    for (int gamma = 1; gamma <= 7; gamma += 6) {
        pli_mpm_material m = {PLI_MPM_FLUID, PLI_MPM_NO_YIELD,  .density = 400,
                              .bulk = 1e4,   .exponent = gamma, .viscosity = 2};
        const double C[9] = {1, 5, 0, 3, -2, 0, 0, 0, 0.25};
        double F[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
        double memory = log(0.96);
        double tau[6];
        double speed2;
        pli_mpm_advance_reference(&m, 0.01, C, F, &memory, tau, &speed2);
        double J = 0.96 * (1 - 0.0075);
        double p = 1e4 * (pow(J, -gamma) - 1);
        NEAR(memory, log(J), 1e-14, 0);
        NEAR(pli_mpm_volume_ratio(&m, F, memory), J, 1e-15, 0);
        NEAR(-zoo_trace(tau) / 3, J * p, 1e-13, 0);
        NEAR(tau[0] + J * p, 4 * J * (1 + 0.25), 1e-12, 0);
        NEAR(tau[5], 2 * J * 8, 1e-14, 0);
        NEAR(speed2, 1e4 * gamma / 400.0 * pow(1 / J, gamma - 1), 1e-13, 0);
        for (int k = 0; k < 9; ++k) assert_true(F[k] == k + 1);
        // J d(energy)/dJ = -J p
        double slope = pli_mpm_energy(&m, F, log(J + 1e-5)) - pli_mpm_energy(&m, F, log(J - 1e-5));
        NEAR(slope / 2e-5, -p, 1e-7, 0);
    }
}

// A divergence of 1e-3 / s in steps of 1e-6 s, below what 1 can be told from, adds up.
static void slow_changes_of_a_fluid_are_kept(void **state)
{
    (void)state;
    enum { STEPS = 20000 };
    const pli_mpm_material m = {PLI_MPM_FLUID, PLI_MPM_NO_YIELD, .density = 1000, .bulk = 1e6,
                                .exponent = 7};
    pli_f8 C[9] = {{0}}, F[9] = {{0}}, tau[6], memory = {0}, speed2;
    C[0] = pli_f8_broadcast(1e-3f);
    for (int k = 0; k < STEPS; ++k) pli_mpm_advance_f8(&m, 1e-6f, C, F, &memory, tau, &speed2);
    // each addition rounds the sum by 6e-8 of it
    NEAR((double)memory[3], STEPS * 1e-9, STEPS * 6e-8, 0);
    NEAR((double)tau[0][3], 1e6 * 7 * STEPS * 1e-9, STEPS * 6e-8, 0);
}

// c^2 = (4/3) mu / rho + dp/drho against differences of the law's own pressure of a dilated cube
// (R1, R2, R5); snow by the hardening that its memory says.
static void speed_of_sound_follows_the_pressure(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->elasticity == PLI_MPM_FLUID || m->yield > PLI_MPM_SNOW) continue;
        bool snow = m->yield == PLI_MPM_SNOW;
        for (double J = snow ? 0.97 : 0.3; J < (snow ? 1.01 : 2.5); J *= snow ? 1.01 : 1.2) {
            double p[2];
            double tau[6];
            double rho[2];
            double speed2 = 0;
            for (int side = 0; side < 3; ++side) {
                double volume = J * (side == 2 ? 1 : side == 0 ? 1 - 1e-5 : 1 + 1e-5);
                double s = cbrt(volume);
                double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
                speed2 = stress_of(m, F, 0.8, tau);
                if (side == 2) continue;
                p[side] = -zoo_trace(tau) / (3 * volume);
                rho[side] = m->density / volume;
            }
            double factor = snow ? exp(m->hardening * 0.2) : 1;
            double want =
                factor * 4 * m->mu * J / (3 * m->density) + (p[1] - p[0]) / (rho[1] - rho[0]);
            NEAR(speed2, want, 1e-8, 0);
        }
    }
}

// Stretched by more than e, the pressure of Hencky falls with density: the shear part remains.
static void speed_of_sound_is_never_less_than_that_of_shear(void **state)
{
    (void)state;
    const pli_mpm_material m = {PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, ZOO_SOLID};
    double s = exp(0.5);
    double F[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    double tau[6];
    NEAR(stress_of(&m, F, 0, tau), 4 * m.mu * exp(1.5) / (3 * m.density), 1e-13, 0);
}

// At rest every solid has the speed of linear elasticity (R3), which doubles as stiffness
// quadruples, by its parameters or by hardening (P6).
static void speed_of_sound_at_rest_is_that_of_linear_elasticity(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->elasticity == PLI_MPM_FLUID) continue;
        double F[9], tau[6];
        pli_mat3_identity(F);
        double params[PLI_LAME_PARAM_COUNT] = {m->mu, m->lambda};
        double speed = pli_lame_sound_speed(params, m->density);
        double rest = pli_mpm_material_memory(m);
        NEAR(stress_of(m, F, rest, tau), speed * speed, 1e-13, 0);
        pli_mpm_material stiff = *m;
        stiff.mu *= 4;
        stiff.lambda *= 4;
        NEAR(stress_of(&stiff, F, rest, tau), 4 * speed * speed, 1e-13, 0);
        if (m->yield != PLI_MPM_SNOW) continue;
        NEAR(stress_of(m, F, 1 - log(4) / m->hardening, tau), 4 * speed * speed, 1e-13, 0);
    }
}

// Singular values end inside, the volume is shared out, F_elastic F_plastic is kept, and once more
// changes nothing but rounding (P1, P2, P8).
static void snow_is_clamped_once(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->yield != PLI_MPM_SNOW) continue;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], U[9], V[9], s[3], tau[6], again[9], speed2;
            double memory = 0.9;
            zoo_deformation(index, 0.1, F);
            double total = pli_mat3_determinant(F) * memory;
            pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
            pli_svd(F, U, s, V);
            AT_MOST(s[0], 1.0075 + 1e-14);
            AT_LEAST(s[2], 0.975 - 1e-14);
            NEAR(pli_mat3_determinant(F) * memory, total, 1e-13, 0);
            pli_mat3_copy(F, again);
            double memory_again = memory;
            pli_mpm_advance_reference(m, 0, no_motion, again, &memory_again, tau, &speed2);
            NEAR(memory_again, memory, 1e-13, 0);
            for (int k = 0; k < 9; ++k) NEAR(again[k], F[k], 0, 1e-14);
        }
    }
}

static void snow_keeps_its_plastic_volume_in_bounds(void **state)
{
    (void)state;
    const pli_mpm_material *m = &zoo[1].material;
    for (int side = 0; side < 3; ++side) {
        // pressed to a tenth, blown up, and turned inside out
        const double s[3] = {side == 1 ? 3 : 0.4, 1, side == 2 ? -0.7 : 1.3};
        double F[9], tau[6], speed2;
        double memory = side == 1 ? 1.9 : 0.6;
        zoo_compose((uint64_t)side, s, F);
        pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
        assert_true(memory == (side == 1 ? m->most_volume : m->least_volume));
        AT_LEAST(pli_mat3_determinant(F), 0.92);
    }
}

// After von Mises the deviator is at the limit that has grown on the way, J is what it was, and
// nothing happens inside (P3, P5); with singular values below 1/2 too.
static void metal_ends_at_its_limit(void **state)
{
    (void)state;
    int yielded = 0;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->yield != PLI_MPM_VON_MISES) continue;
        for (uint64_t index = 0; index < 5 * STATES; ++index) {
            double F[9], before[9], tau[6], speed2;
            double memory = 0.01;
            static const double strains[] = {0.01, 0.02, 0.1, 0.5, 1.5};
            zoo_deformation(index, strains[index % 5], F);
            pli_mat3_copy(F, before);
            pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
            double J = pli_mat3_determinant(before);
            NEAR(pli_mat3_determinant(F), J, 1e-10, 0);
            if (memory > 0.01) {
                ++yielded;
                NEAR(zoo_beyond(m, tau, memory), 0, 0, 1e-11 * zoo_stiffness(m));
                double now[6];
                double memory_now = memory;
                double F_now[9];
                pli_mat3_copy(F, F_now);
                pli_mpm_advance_reference(m, 0, no_motion, F_now, &memory_now, now, &speed2);
                for (int k = 0; k < 6; ++k) NEAR(now[k], tau[k], 0, 1e-11 * zoo_stiffness(m));
            } else {
                AT_MOST(zoo_beyond(m, tau, memory), 0);
                assert_memory_equal(F, before, sizeof F);
            }
        }
    }
    assert_true(yielded > STATES);
}

// The return is radial: the deviator of the stress keeps its direction.
static void metal_yields_along_its_stress(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->yield != PLI_MPM_VON_MISES) continue;
        pli_mpm_material elastic = *m;
        elastic.yield = PLI_MPM_NO_YIELD;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], trial[6], tau[6], speed2;
            double memory = 0;
            zoo_deformation(index, 0.2, F);
            stress_of(&elastic, F, 0, trial);
            pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
            double share = zoo_shear(tau) / zoo_shear(trial);
            double shift = zoo_trace(tau) / 3 - share * zoo_trace(trial) / 3;
            for (int k = 0; k < 6; ++k) {
                NEAR(tau[k], share * trial[k] + (k < 3 ? shift : 0), 0, 1e-11 * zoo_stiffness(m));
            }
        }
    }
}

// Sand stays in its cone, has no stress once apart, and the volume that it lost is remembered and
// given back (P4).
static void sand_stays_in_its_cone(void **state)
{
    (void)state;
    int cases[3] = {0};
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        if (m->yield != PLI_MPM_DRUCKER_PRAGER) continue;
        for (uint64_t index = 0; index < STATES; ++index) {
            double F[9], before[9], tau[6], speed2;
            double gained = index % 3 == 0 ? 0.01 : 0;
            double memory = gained;
            zoo_deformation(index, 0.05, F);
            pli_mat3_copy(F, before);
            pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
            double volume = log(pli_mat3_determinant(F));
            double old = log(pli_mat3_determinant(before));
            AT_MOST(zoo_beyond(m, tau, memory), 1e-12 * zoo_stiffness(m));
            if (m->volume_correction) {
                NEAR(volume + memory, old + gained, 0, 1e-13);
                AT_LEAST(memory, 0);
            } else {
                assert_true(memory == gained);
                NEAR(volume, fmin(old, 0), 0, 1e-13);
            }
            bool apart = old + (m->volume_correction ? gained : 0) >= 0;
            if (apart) NEAR(zoo_shear(tau) + fabs(zoo_trace(tau)), 0, 0, 0);
            bool same = memcmp(F, before, sizeof F) == 0;
            ++cases[apart ? 0 : same ? 1 : 2];
        }
    }
    for (int k = 0; k < 3; ++k) AT_LEAST(cases[k], 5);
}

static void what_is_not_finite_stays_so(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        double F[9], tau[6], speed2;
        double memory = m->elasticity == PLI_MPM_FLUID ? NAN : pli_mpm_material_memory(m);
        zoo_deformation(3, 0.1, F);
        F[4] = NAN;
        pli_mpm_advance_reference(m, 0, no_motion, F, &memory, tau, &speed2);
        for (int k = 0; k < 3; ++k) assert_true(isnan(tau[k]));
        assert_true(isnan(speed2));
    }
}

static void memory_at_rest_is_that_of_the_law(void **state)
{
    (void)state;
    for (int z = 0; z < ZOO_COUNT; ++z) {
        const pli_mpm_material *m = &zoo[z].material;
        assert_true(pli_mpm_material_memory(m) == (m->yield == PLI_MPM_SNOW ? 1 : 0));
    }
}

typedef struct wrong_case {
    pli_mpm_material material;
    const char *says;
} wrong_case;

static void wrong_materials_are_refused(void **state)
{
    (void)state;
    static const wrong_case cases[] = {
        {{PLI_MPM_NEO_HOOKEAN, PLI_MPM_VON_MISES, ZOO_SOLID, .yield_stress = 1}, "von Mises"},
        {{PLI_MPM_FIXED_COROTATED, PLI_MPM_DRUCKER_PRAGER, ZOO_SOLID}, "Drucker-Prager"},
        {{PLI_MPM_FLUID, PLI_MPM_SNOW, .density = 1, .bulk = 1, .exponent = 1}, "fluid"},
        {{(pli_mpm_elasticity)9, PLI_MPM_NO_YIELD, ZOO_SOLID}, "elasticity 9"},
        {{PLI_MPM_HENCKY, (pli_mpm_yield)4, ZOO_SOLID}, "yield law 4"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, .density = 0, .mu = 1, .lambda = 1}, "density"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, .density = NAN, .mu = 1, .lambda = 1}, "density"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, .density = 1, .mu = -1, .lambda = 1}, "mu"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, .density = 1, .mu = 1, .lambda = NAN}, "lambda"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, .density = 1, .mu = INFINITY}, "mu"},
        {{PLI_MPM_HENCKY, PLI_MPM_NO_YIELD, ZOO_SOLID, .viscosity = -1}, "viscosity"},
        {{PLI_MPM_FLUID, PLI_MPM_NO_YIELD, .density = 1, .bulk = 0, .exponent = 7}, "bulk"},
        {{PLI_MPM_FLUID, PLI_MPM_NO_YIELD, .density = 1, .bulk = 1, .exponent = 0.5}, "exponent"},
        {{PLI_MPM_HENCKY, PLI_MPM_VON_MISES, ZOO_SOLID}, "yield stress"},
        {{PLI_MPM_HENCKY, PLI_MPM_VON_MISES, .density = 1, .lambda = 1, .yield_stress = 1}, "mu"},
        {{PLI_MPM_HENCKY, PLI_MPM_VON_MISES, ZOO_SOLID, .yield_stress = 1, .strain_hardening = -1},
         "strain hardening"},
        {{PLI_MPM_HENCKY, PLI_MPM_DRUCKER_PRAGER, ZOO_SOLID, .friction_angle = 1.6},
         "friction angle"},
        {{PLI_MPM_HENCKY, PLI_MPM_DRUCKER_PRAGER, ZOO_SOLID, .friction_angle = -0.1},
         "friction angle"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .compression = 1, .least_volume = 1,
          .most_volume = 1},
         "compression"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .stretch = -1, .least_volume = 1,
          .most_volume = 1},
         "stretch"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .hardening = -1, .least_volume = 1,
          .most_volume = 1},
         "hardening"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .most_volume = 2}, "least volume"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .least_volume = 1, .most_volume = 0.5},
         "most volume"},
        {{PLI_MPM_HENCKY, PLI_MPM_SNOW, ZOO_SOLID, .hardening = 200, .least_volume = 0.1,
          .most_volume = 1},
         "stiffness at the least volume"},
    };
    pli_context *context = make_context(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char message[512];
        assert_int_equal(pli_mpm_material_check(context, &cases[k].material), PLI_ERROR_ARGUMENT);
        pli_context_message(context, message, sizeof message);
        if (strstr(message, cases[k].says) == NULL) fail_msg("%s", message);
    }
    for (int z = 0; z < ZOO_COUNT; ++z)
        OK(context, pli_mpm_material_check(context, &zoo[z].material));
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_is_gradient_of_energy),
        cmocka_unit_test(stress_is_that_of_the_laws_of_meshes),
        cmocka_unit_test(laws_do_not_depend_on_the_frame),
        cmocka_unit_test(rotations_give_no_stress),
        cmocka_unit_test(energy_is_never_negative),
        cmocka_unit_test(hencky_pressure_is_the_logarithm_of_volume),
        cmocka_unit_test(fluids_follow_their_equation_of_state),
        cmocka_unit_test(slow_changes_of_a_fluid_are_kept),
        cmocka_unit_test(speed_of_sound_follows_the_pressure),
        cmocka_unit_test(speed_of_sound_is_never_less_than_that_of_shear),
        cmocka_unit_test(speed_of_sound_at_rest_is_that_of_linear_elasticity),
        cmocka_unit_test(snow_is_clamped_once),
        cmocka_unit_test(snow_keeps_its_plastic_volume_in_bounds),
        cmocka_unit_test(metal_ends_at_its_limit),
        cmocka_unit_test(metal_yields_along_its_stress),
        cmocka_unit_test(sand_stays_in_its_cone),
        cmocka_unit_test(what_is_not_finite_stays_so),
        cmocka_unit_test(memory_at_rest_is_that_of_the_law),
        cmocka_unit_test(wrong_materials_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "mpm/law_inside.h"

#include "math/mat3.h"
#include "math/svd.h"

// What floats can still multiply.
static const double largest = 1e30;

static const char *const elasticity_names[] = {
    [PLI_MPM_FIXED_COROTATED] = "fixed corotated",
    [PLI_MPM_NEO_HOOKEAN] = "Neo-Hookean",
    [PLI_MPM_HENCKY] = "Hencky",
    [PLI_MPM_FLUID] = "fluid",
};

static const char *const yield_names[] = {
    [PLI_MPM_NO_YIELD] = "no yield",
    [PLI_MPM_SNOW] = "snow",
    [PLI_MPM_VON_MISES] = "von Mises",
    [PLI_MPM_DRUCKER_PRAGER] = "Drucker-Prager",
};

enum {
    ELASTICITY_COUNT = sizeof elasticity_names / sizeof *elasticity_names,
    YIELD_COUNT = sizeof yield_names / sizeof *yield_names
};

static const bool exists[ELASTICITY_COUNT][YIELD_COUNT] = {
    [PLI_MPM_FIXED_COROTATED] = {true, true, true, false},
    [PLI_MPM_NEO_HOOKEAN] = {true, true, false, false},
    [PLI_MPM_HENCKY] = {true, true, true, true},
    [PLI_MPM_FLUID] = {true, false, false, false},
};

static pli_status check_pair(pli_context *context, const pli_mpm_material *material)
{
    int elasticity = (int)material->elasticity;
    int yield = (int)material->yield;
    if (elasticity < 0 || elasticity >= ELASTICITY_COUNT) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "elasticity %d of a particle material is not one of the %d that exist",
                        elasticity, (int)ELASTICITY_COUNT);
    }
    if (yield < 0 || yield >= YIELD_COUNT) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "yield law %d of a particle material is not one of the %d that exist",
                        yield, (int)YIELD_COUNT);
    }
    if (exists[elasticity][yield]) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%s particles cannot yield by %s; snow needs a solid, von Mises fixed "
                    "corotated or Hencky, Drucker-Prager Hencky",
                    elasticity_names[elasticity], yield_names[yield]);
}

// holds is the number's range, which not-a-number is never in; range says it in words.
static pli_status check_number(pli_context *context, const char *name, double value, bool holds,
                               const char *range)
{
    if (holds && value <= largest) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%s of a particle material is %g; it must be %s, and at most %g", name, value,
                    range, largest);
}

static pli_status check_fluid(pli_context *context, const pli_mpm_material *m)
{
    PLI_TRY(check_number(context, "bulk modulus", m->bulk, m->bulk > 0, "above 0"));
    return check_number(context, "exponent", m->exponent, m->exponent >= 1, "1 or more");
}

static pli_status check_solid(pli_context *context, const pli_mpm_material *m)
{
    PLI_TRY(check_number(context, "mu", m->mu, m->mu >= 0, "0 or more"));
    return check_number(context, "lambda", m->lambda, m->lambda >= 0, "0 or more");
}

static pli_status check_snow(pli_context *context, const pli_mpm_material *m)
{
    PLI_TRY(check_number(context, "compression", m->compression,
                         m->compression >= 0 && m->compression < 1, "in [0, 1)"));
    PLI_TRY(check_number(context, "stretch", m->stretch, m->stretch >= 0, "0 or more"));
    PLI_TRY(check_number(context, "hardening", m->hardening, m->hardening >= 0, "0 or more"));
    PLI_TRY(check_number(context, "least volume", m->least_volume,
                         m->least_volume > 0 && m->least_volume <= 1, "in (0, 1]"));
    PLI_TRY(check_number(context, "most volume", m->most_volume, m->most_volume >= 1, "1 or more"));
    double hardest = fmax(m->mu, m->lambda) * exp(m->hardening * (1 - m->least_volume));
    return check_number(context, "stiffness at the least volume", hardest, hardest >= 0, "finite");
}

// shear that yields must be there
static pli_status check_shear(pli_context *context, const pli_mpm_material *m)
{
    return check_number(context, "mu (where shear yields)", m->mu, m->mu > 0, "above 0");
}

static pli_status check_von_mises(pli_context *context, const pli_mpm_material *m)
{
    PLI_TRY(check_shear(context, m));
    PLI_TRY(check_number(context, "yield stress", m->yield_stress, m->yield_stress > 0, "above 0"));
    return check_number(context, "strain hardening", m->strain_hardening, m->strain_hardening >= 0,
                        "0 or more");
}

static pli_status check_drucker_prager(pli_context *context, const pli_mpm_material *m)
{
    PLI_TRY(check_shear(context, m));
    return check_number(context, "friction angle", m->friction_angle,
                        m->friction_angle >= 0 && m->friction_angle < 1.5707963267948966,
                        "in [0, pi/2) radians");
}

static pli_status check_nothing(pli_context *context, const pli_mpm_material *m)
{
    (void)context;
    (void)m;
    return PLI_OK;
}

typedef pli_status (*check_law)(pli_context *context, const pli_mpm_material *material);

static const check_law elasticity_checks[ELASTICITY_COUNT] = {
    [PLI_MPM_FIXED_COROTATED] = check_solid,
    [PLI_MPM_NEO_HOOKEAN] = check_solid,
    [PLI_MPM_HENCKY] = check_solid,
    [PLI_MPM_FLUID] = check_fluid,
};

static const check_law yield_checks[YIELD_COUNT] = {
    [PLI_MPM_NO_YIELD] = check_nothing,
    [PLI_MPM_SNOW] = check_snow,
    [PLI_MPM_VON_MISES] = check_von_mises,
    [PLI_MPM_DRUCKER_PRAGER] = check_drucker_prager,
};

pli_status pli_mpm_material_check(pli_context *context, const pli_mpm_material *material)
{
    const pli_mpm_material *m = material;
    PLI_TRY(check_pair(context, m));
    PLI_TRY(check_number(context, "density", m->density, m->density >= 1 / largest, "above 1e-30"));
    PLI_TRY(check_number(context, "viscosity", m->viscosity, m->viscosity >= 0, "0 or more"));
    PLI_TRY(elasticity_checks[m->elasticity](context, m));
    return yield_checks[m->yield](context, m);
}

double pli_mpm_material_memory(const pli_mpm_material *material)
{
    return material->yield == PLI_MPM_SNOW ? 1 : 0;
}

double pli_mpm_volume_ratio(const pli_mpm_material *material, const double F[9], double memory)
{
    return material->elasticity == PLI_MPM_FLUID ? exp(memory) : pli_mat3_determinant(F);
}

// mu sum (s - 1)^2 + lambda / 2 (J - 1)^2
static double fixed_corotated_energy(const pli_mpm_material *material, const double s[3])
{
    double stretch = 0;
    for (int k = 0; k < 3; ++k) stretch += (s[k] - 1) * (s[k] - 1);
    double J = s[0] * s[1] * s[2];
    return material->mu * stretch + material->lambda / 2 * (J - 1) * (J - 1);
}

// mu / 2 (sum s^2 - 3) - mu log J + lambda / 2 log^2 J
static double neo_hookean_energy(const pli_mpm_material *material, const double s[3])
{
    double length2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    double L = log(pli_mpm_at_least(PLI_MPM_LEAST_VOLUME, s[0] * s[1] * s[2]));
    return material->mu * ((length2 - 3) / 2 - L) + material->lambda / 2 * L * L;
}

// mu sum L^2 + lambda / 2 (sum L)^2, L = log s
static double hencky_energy(const pli_mpm_material *material, const double s[3])
{
    double squares = 0;
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double L = log(pli_mpm_at_least(PLI_MPM_LEAST_STRETCH, s[k]));
        squares += L * L;
        sum += L;
    }
    return material->mu * squares + material->lambda / 2 * sum * sum;
}

// The work of the pressure, the integral of -p from 1 to J: k (J - 1 + (J^(1 - gamma) - 1) /
// (gamma - 1)), with the limit k (J - 1 - log J) for gamma = 1; L = log J.
static double fluid_energy(const pli_mpm_material *material, double L)
{
    L = pli_mpm_at_least(PLI_MPM_LEAST_FLUID_LOG, L);
    double power = material->exponent - 1;
    double gas = power > 0 ? expm1(-power * L) / power : -L;
    return material->bulk * (expm1(L) + gas);
}

typedef double (*energy_law)(const pli_mpm_material *material, const double s[3]);

static const energy_law energies[] = {
    [PLI_MPM_FIXED_COROTATED] = fixed_corotated_energy,
    [PLI_MPM_NEO_HOOKEAN] = neo_hookean_energy,
    [PLI_MPM_HENCKY] = hencky_energy,
};

double pli_mpm_energy(const pli_mpm_material *material, const double F[9], double memory)
{
    if (material->elasticity == PLI_MPM_FLUID) return fluid_energy(material, memory);
    double U[9];
    double s[3];
    double V[9];
    pli_svd(F, U, s, V);
    double energy = energies[material->elasticity](material, s);
    return material->yield == PLI_MPM_SNOW ? energy * exp(material->hardening * (1 - memory))
                                           : energy;
}

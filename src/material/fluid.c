// SPDX-License-Identifier: Apache-2.0
//
// A fluid that is hardly compressible, after Tait (Monaghan 1994; Tampubolon et al. 2017): it
// resists changes of volume by the pressure p = k (J^-gamma - 1) and nothing else. The energy is
// the work of that pressure,
//
//   psi = k (J - 1 + (J^(1 - gamma) - 1) / (gamma - 1)),     gamma = 1: k (J - 1 - log J)
//   psi_J = -p = k (1 - J^-gamma),                           psi_JJ = k gamma J^(-gamma - 1)
//
// and its bulk modulus at rest is k gamma. Defined for J > 0; everywhere else the energy is
// +infinity. Shear costs nothing, so a mesh of it folds up: it is made for particles, whose F is
// never looked at.
#include "material/invariant.h"
#include "material/lanes.h"
#include "material/laws.h"

#include <math.h>

enum { BULK, EXPONENT, PARAM_COUNT };

PLI_INLINE void energy(const pli_invariant_small *at, const pli_d4 *p, pli_d4 *psi)
{
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
        double power = p[EXPONENT][lane] - 1;
        double j = at->j[lane];
        double L = fabs(j) < 0.5 ? log1p(j) : log(at->J[lane]);
        double gas = power > 0 ? expm1(-power * L) / power : -L;
        (*psi)[lane] = p[BULK][lane] * (j + gas);
    }
}

PLI_INLINE void terms(const pli_d4 *I, const pli_d4 *J, const pli_d4 *p, pli_invariant_terms *out)
{
    (void)I;
    *out = (pli_invariant_terms){0};
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
        double k = p[BULK][lane];
        double gamma = p[EXPONENT][lane];
        double volume = (*J)[lane];
        double excess = expm1(-gamma * log(volume)); // J^-gamma - 1
        out->b[lane] = -k * excess;
        out->d[lane] = k * gamma * (excess + 1) / volume;
    }
}

static const pli_invariant_law law = {PARAM_COUNT, true, energy, terms};

PLI_LAW_FUNCTIONS(law, invariant)

// log(1 + x) without loss near zero: the rounding of 1 + x is made up for.
PLI_INLINE pli_f8 log_growth(pli_f8 x)
{
    pli_f8 growth = pli_at_least_f8(PLI_LEAST_FLUID, 1.0f + x);
    return pli_f8_log(growth) - ((growth - 1.0f) - x) / growth;
}

// tau = -J p 1, rho_0 c^2 = k gamma J^(1 - gamma), eight points at a time
static void advance(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                    pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    (void)F;
    const double k = material->params[BULK], gamma = material->params[EXPONENT];
    pli_f8 L = *history + log_growth(dt * (C[0] + C[4] + C[8]));
    *history = L = pli_at_least_f8(PLI_LEAST_FLUID_LOG, L);

    pli_f8 J = pli_f8_exp(L);
    pli_f8 excess = pli_f8_expm1(-(float)gamma * L); // J^-gamma - 1
    for (int e = 0; e < 6; ++e) tau[e] = e < 3 ? -(float)k * J * excess : (pli_f8){0};
    pli_lanes_add_viscosity(material, C, J, tau);
    *speed2 = (float)(k * gamma / material->density) * J * (excess + 1.0f);
}

static const pli_law_lanes lanes = {.advance = advance};

static const pli_material_input inputs[] = {
    [BULK] = {.key = "bulk",
              .unit = "Pa",
              .fallback = 1e5,
              .min = 0,
              .max = INFINITY,
              .exclusive = true,
              .doc = "Scale of the pressure; times the exponent, the bulk modulus at rest."},
    [EXPONENT] = {.key = "exponent",
                  .unit = "",
                  .fallback = 7,
                  .min = 1,
                  .max = 100,
                  .doc = "How steeply the pressure grows when it is squeezed: 7 for water."},
};

static void derive(const double *values, double *params)
{
    params[BULK] = values[BULK];
    params[EXPONENT] = values[EXPONENT];
}

static double sound_speed(const double *params, double density)
{
    return sqrt(params[BULK] * params[EXPONENT] / density);
}

const pli_material_ops pli_law_fluid = {
    .name = "fluid",
    .doc = "Pressure that keeps the volume, and no shear stress. Not invertible.",
    .flags = PLI_LAW_ISOTROPIC | PLI_LAW_FLUID,
    .input_count = PARAM_COUNT,
    .inputs = inputs,
    .param_count = PARAM_COUNT,
    .derive = derive,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .lanes = &lanes,
    .sound_speed = sound_speed,
};

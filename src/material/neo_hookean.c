// SPDX-License-Identifier: Apache-2.0
//
// Neo-Hookean elasticity with the logarithm of the volume (Bonet and Wood 2008):
//
//   psi = mu/2 (I - 3) - mu log J + lambda/2 log^2 J,    I = |F|^2
//
// Grows without bound as the volume goes to zero. Defined for J > 0; everywhere else the energy is
// +infinity, so a line search that starts inside stays inside.
#include "material/invariant.h"
#include "material/lame.h"
#include "material/lanes.h"
#include "material/laws.h"

#include "math/simd_cbrt.h"
#include "math/simd_log.h"

PLI_INLINE void energy(const pli_invariant_small *at, const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 mu = p[PLI_LAME_MU];
    pli_d4 L = pli_d4_log_above(at->J, at->j);
    *psi = mu * (0.5 * at->i - L) + 0.5 * p[PLI_LAME_LAMBDA] * L * L;
}

PLI_INLINE void terms(const pli_d4 *I, const pli_d4 *J, const pli_d4 *p, pli_invariant_terms *out)
{
    (void)I;
    pli_d4 mu = p[PLI_LAME_MU];
    pli_d4 lambda = p[PLI_LAME_LAMBDA];
    pli_d4 inverse = 1.0 / *J;
    pli_d4 tau = lambda * pli_d4_log(*J) - mu;
    out->a = mu;
    out->b = tau * inverse;
    out->c = (pli_d4){0};
    out->d = (lambda - tau) * inverse * inverse;
}

static const pli_invariant_law law = {PLI_LAME_PARAM_COUNT, true, energy, terms};

PLI_LAW_FUNCTIONS(law, invariant)

// ---- eight points: tau = mu (b - 1) + lambda log(J) 1, q = b / 2

PLI_INLINE pli_f8_mask near(const pli_material *material, const pli_f8 b[6], pli_lanes *at)
{
    const float mu = (float)material->params[PLI_LAME_MU];
    pli_f8 q[6];
    at->J = pli_determinant_f8(at->F);
    at->trace = pli_f8_log(pli_at_least_f8(PLI_LEAST_VOLUME, at->J));

    pli_f8 pressure = (float)material->params[PLI_LAME_LAMBDA] * at->trace;
    for (int k = 0; k < 3; ++k) at->tau[k] = mu * (b[k] - 1.0f) + pressure;
    for (int k = 3; k < 6; ++k) at->tau[k] = mu * b[k];
    if (material->yield == NULL) return ~(pli_f8_mask){0};
    for (int k = 0; k < 6; ++k) q[k] = 0.5f * b[k];
    return pli_lanes_hold(material, b, at->J, q, *at->history);
}

static void far(const pli_material *material, pli_principal_lanes *p)
{
    const float mu = (float)material->params[PLI_LAME_MU];
    p->J = pli_product_f8(p->s);
    p->trace = pli_f8_log(pli_at_least_f8(PLI_LEAST_VOLUME, p->J));
    pli_f8 pressure = (float)material->params[PLI_LAME_LAMBDA] * p->trace;
    for (int k = 0; k < 3; ++k) p->tau[k] = mu * (p->s[k] * p->s[k] - 1.0f) + pressure;
}

static void shear(const pli_f8 s[3], pli_f8 q[3])
{
    for (int k = 0; k < 3; ++k) q[k] = 0.5f * s[k] * s[k];
}

// rho_0 dp/drho = mu (1 - J^(2/3) / 3) + lambda (1 - log J)
PLI_INLINE pli_f8 slope(const pli_material *material, pli_f8 J, pli_f8 trace)
{
    pli_f8 root = pli_f8_cbrt(J);
    return (float)material->params[PLI_LAME_MU] * (1.0f - root * root * (1.0f / 3)) +
           (float)material->params[PLI_LAME_LAMBDA] * (1.0f - trace);
}

static void advance(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                    pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    pli_lanes at = {.F = F, .history = history, .tau = tau};
    pli_lanes_move(material, dt, C, near, slope, &at, speed2);
}

static const pli_law_lanes lanes = {.advance = advance, .far = far, .shear = shear};

const pli_material_ops pli_law_neo_hookean = {
    .name = "neo-hookean",
    .doc = "Rubber with an infinite barrier against collapse. Not invertible.",
    .flags = PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .lanes = &lanes,
    PLI_LAME_FIELDS,
};

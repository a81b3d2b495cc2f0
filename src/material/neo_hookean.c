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
#include "material/laws.h"

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

static void block(const pli_planes *at, pli_projection projection)
{
    pli_invariant_block(&law, at, projection);
}

void pli_principal_neo_hookean(const pli_d4 s[3], const pli_d4 *p, pli_principal *out)
{
    pli_invariant_principal(&law, s, p, out);
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, PLI_LAME_PARAM_COUNT, &batch, projection, block);
}

const pli_material_ops pli_law_neo_hookean = {
    .name = "neo-hookean",
    .doc = "Rubber with an infinite barrier against collapse. Not invertible.",
    .flags = 0,
    .evaluate = evaluate,
    PLI_LAME_FIELDS,
};

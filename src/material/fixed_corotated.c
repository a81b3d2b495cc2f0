// SPDX-License-Identifier: Apache-2.0
//
// Fixed corotated elasticity (Stomakhin et al. 2012):
//
//   psi = mu |F - R|^2 + lambda/2 (J - 1)^2 = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
//
// with R the rotation nearest to F. Finite for every F. Its kinks are ridges (the slope jumps
// downwards, at s_i + s_j = 0), which repel a minimiser.
#include "material/isotropic.h"
#include "material/lame.h"
#include "material/laws.h"

PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 q[3];
    pli_d4 volume = pli_products(s, q) - 1.0;
    pli_d4 length = {0};
    for (int k = 0; k < 3; ++k) length += (s[k] - 1.0) * (s[k] - 1.0);
    *psi = p[PLI_LAME_MU] * length + 0.5 * p[PLI_LAME_LAMBDA] * volume * volume;
}

PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    pli_d4 q[3];
    pli_d4 pressure = p[PLI_LAME_LAMBDA] * (pli_products(s, q) - 1.0);
    for (int k = 0; k < 3; ++k) g[k] = 2.0 * p[PLI_LAME_MU] * (s[k] - 1.0) + pressure * q[k];
}

PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    pli_d4 mu2 = 2.0 * p[PLI_LAME_MU];
    pli_d4 lambda = p[PLI_LAME_LAMBDA];
    pli_d4 q[3];
    pli_d4 J = pli_products(s, q);
    pli_d4 pressure = lambda * (J - 1.0);
    for (int k = 0; k < 3; ++k) {
        // q_i q_j = J s_k
        out->hessian[k] = mu2 + lambda * q[k] * q[k];
        out->hessian[3 + k] = (lambda * J + pressure) * s[k];
        out->stretch[k] = mu2 - pressure * s[k];
        out->twist[k] = mu2 + pressure * s[k] - 2.0 * mu2 / pli_twist_denominator(s, k);
    }
}

static const pli_isotropic_law law = {PLI_LAME_PARAM_COUNT, false, energy, gradient, curvature};

static void block(const pli_planes *at, pli_projection projection)
{
    pli_isotropic_block(&law, at, projection);
}

void pli_principal_fixed_corotated(const pli_d4 s[3], const pli_d4 *p, pli_principal *out)
{
    pli_isotropic_principal(&law, s, p, out);
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, PLI_LAME_PARAM_COUNT, &batch, projection, block);
}

const pli_material_ops pli_law_fixed_corotated = {
    .name = "fixed-corotated",
    .doc = "Springy in every direction, survives inversion; the usual choice for large steps.",
    .flags = PLI_LAW_INVERTIBLE,
    .evaluate = evaluate,
    PLI_LAME_FIELDS,
};

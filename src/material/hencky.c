// SPDX-License-Identifier: Apache-2.0
//
// St. Venant-Kirchhoff elasticity in Hencky (logarithmic) strain:
//
//   psi = mu sum L_i^2 + lambda/2 T^2,   L_i = log s_i,   T = sum L_i = log J
//
// The Kirchhoff stress is tau_i = 2 mu L_i + lambda T, linear in L, which is what plastic flow in
// principal stretches builds on. Defined where all singular values are positive: everywhere else,
// inverted and flat states included, the energy is +infinity and a line search must step back. The
// energy grows without bound towards flat states, but slowly.
//
// The quotients of the 2x2 blocks follow from
//   tau_i / s_i - tau_j / s_j = (tau_i s_j - tau_j s_i) / (s_i s_j)
// and the divided difference D = (L_i - L_j) / (s_i - s_j) of the logarithm.
#include "material/lame.h"
#include "material/laws.h"
#include "material/logarithmic.h"

PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 L[3];
    pli_d4 T = pli_logarithms(s, L);
    *psi = p[PLI_LAME_MU] * (L[0] * L[0] + L[1] * L[1] + L[2] * L[2]) +
           0.5 * p[PLI_LAME_LAMBDA] * T * T;
}

PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    pli_d4 L[3];
    pli_d4 T = pli_logarithms(s, L);
    for (int k = 0; k < 3; ++k) {
        g[k] = (2.0 * p[PLI_LAME_MU] * L[k] + p[PLI_LAME_LAMBDA] * T) / s[k];
    }
}

PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    pli_d4 mu2 = 2.0 * p[PLI_LAME_MU];
    pli_d4 lambda = p[PLI_LAME_LAMBDA];
    pli_d4 L[3];
    pli_d4 T = pli_logarithms(s, L);
    for (int k = 0; k < 3; ++k) {
        int i = pli_next(k);
        int j = pli_after_next(k);
        pli_d4 tau = mu2 * L[k] + lambda * T;
        pli_d4 tau_i = mu2 * L[i] + lambda * T;
        pli_d4 tau_j = mu2 * L[j] + lambda * T;
        pli_d4 inverse = 1.0 / (s[i] * s[j]);
        pli_d4 slope = pli_mean_slope(s[i], s[j], L[i] - L[j]);
        out->hessian[k] = (mu2 + lambda - tau) / (s[k] * s[k]);
        out->hessian[3 + k] = lambda * inverse;
        out->stretch[k] = (mu2 * slope - 0.5 * (tau_i + tau_j)) * inverse;
        out->twist[k] = (tau_i * s[j] + tau_j * s[i]) * inverse / (s[i] + s[j]);
    }
}

static const pli_isotropic_law law = {PLI_LAME_PARAM_COUNT, true, energy, gradient, curvature};

static void block(const pli_planes *at, pli_projection projection)
{
    pli_isotropic_block(&law, at, projection);
}

void pli_principal_hencky(const pli_d4 s[3], const pli_d4 *p, pli_principal *out)
{
    pli_isotropic_principal(&law, s, p, out);
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, PLI_LAME_PARAM_COUNT, &batch, projection, block);
}

const pli_material_ops pli_law_hencky = {
    .name = "hencky",
    .doc = "Quadratic in logarithmic strain; the elastic part of plastic laws. Not invertible.",
    .flags = 0,
    .evaluate = evaluate,
    PLI_LAME_FIELDS,
};

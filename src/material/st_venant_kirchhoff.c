// SPDX-License-Identifier: Apache-2.0
//
// St. Venant-Kirchhoff elasticity: linear in Green strain E = (F^T F - 1) / 2, with the principal
// values e_i = (s_i^2 - 1) / 2,
//
//   psi = mu sum e_i^2 + lambda/2 T^2,   T = sum e_i,   psi_i = s_i (2 mu e_i + lambda T)
//
// For large rotations and small strains, and for comparison with textbooks. It softens under
// compression: a bar that is pressed has its largest force at s = 1/sqrt(3) = 0.577 and none at s =
// 0, and a mirror image of rest is a rest, too. So it is finite for every F, but does not bring
// inverted matter back.
//
// The quotients of the 2x2 blocks have no denominator: with p = lambda T - mu,
//
//   stretch = mu (s_i^2 + s_i s_j + s_j^2) + p,   twist = mu (s_i^2 - s_i s_j + s_j^2) + p
#include "material/isotropic.h"
#include "material/lame.h"
#include "material/laws.h"

// e_i and their sum
PLI_INLINE pli_d4 green_strains(const pli_d4 s[3], pli_d4 e[3])
{
    for (int k = 0; k < 3; ++k) e[k] = 0.5 * (s[k] - 1.0) * (s[k] + 1.0);
    return e[0] + e[1] + e[2];
}

PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 e[3];
    pli_d4 T = green_strains(s, e);
    *psi = p[PLI_LAME_MU] * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]) +
           0.5 * p[PLI_LAME_LAMBDA] * T * T;
}

PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    pli_d4 e[3];
    pli_d4 T = green_strains(s, e);
    for (int k = 0; k < 3; ++k) {
        g[k] = s[k] * (2.0 * p[PLI_LAME_MU] * e[k] + p[PLI_LAME_LAMBDA] * T);
    }
}

PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    pli_d4 mu = p[PLI_LAME_MU];
    pli_d4 lambda = p[PLI_LAME_LAMBDA];
    pli_d4 e[3];
    pli_d4 T = green_strains(s, e);
    for (int k = 0; k < 3; ++k) {
        pli_d4 si = s[pli_next(k)];
        pli_d4 sj = s[pli_after_next(k)];
        pli_d4 squares = si * si + sj * sj;
        out->hessian[k] = 2.0 * mu * e[k] + lambda * T + (2.0 * mu + lambda) * s[k] * s[k];
        out->hessian[3 + k] = lambda * si * sj;
        out->stretch[k] = mu * (squares + si * sj - 1.0) + lambda * T;
        out->twist[k] = mu * (squares - si * sj - 1.0) + lambda * T;
    }
}

static const pli_isotropic_law law = {PLI_LAME_PARAM_COUNT, false, energy, gradient, curvature};

PLI_LAW_FUNCTIONS(law, isotropic)

const pli_material_ops pli_law_st_venant_kirchhoff = {
    .name = "st-venant-kirchhoff",
    .doc = "Linear in Green strain: large rotations, small strains. Gives way under compression.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    PLI_LAME_FIELDS,
};

// SPDX-License-Identifier: Apache-2.0
//
// Corotated linear elasticity:
//
//   psi = mu |F - R|^2 + lambda/2 tr^2(R^T F - I) = mu sum (s_i - 1)^2 + lambda/2 (sum s_i - 3)^2
//
// Cheap and linear in F for a fixed rotation. The volume term is linear too, so strongly stretched
// or inverted states have kinks where the slope jumps upwards (s_i + s_j = 0 with the sum of all
// above 3 + 2 mu / lambda): valleys in which a minimiser gets stuck. With nu = 0 this is the
// as-rigid-as-possible energy of projective dynamics.
#include "material/isotropic.h"
#include "material/lame.h"
#include "material/laws.h"

PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 sum = {0};
    pli_d4 length = {0};
    for (int k = 0; k < 3; ++k) {
        sum += s[k] - 1.0;
        length += (s[k] - 1.0) * (s[k] - 1.0);
    }
    *psi = p[PLI_LAME_MU] * length + 0.5 * p[PLI_LAME_LAMBDA] * sum * sum;
}

// lambda (sum s_i - 3)
PLI_INLINE pli_d4 pressure(const pli_d4 s[3], const pli_d4 *p)
{
    return p[PLI_LAME_LAMBDA] * ((s[0] - 1.0) + (s[1] - 1.0) + (s[2] - 1.0));
}

PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    for (int k = 0; k < 3; ++k) g[k] = 2.0 * p[PLI_LAME_MU] * (s[k] - 1.0) + pressure(s, p);
}

PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    pli_d4 mu2 = 2.0 * p[PLI_LAME_MU];
    pli_d4 turn = 2.0 * (pressure(s, p) - mu2);
    for (int k = 0; k < 3; ++k) {
        out->hessian[k] = mu2 + p[PLI_LAME_LAMBDA];
        out->hessian[3 + k] = p[PLI_LAME_LAMBDA];
        out->stretch[k] = mu2;
        out->twist[k] = mu2 + turn / pli_twist_denominator(s, k);
    }
}

static const pli_isotropic_law law = {PLI_LAME_PARAM_COUNT, false, energy, gradient, curvature};

PLI_LAW_FUNCTIONS(law, isotropic)

const pli_material_ops pli_law_corotated = {
    .name = "corotated",
    .doc = "Linear in the stretch; the element of projective dynamics. Weak against inversion.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_VALLEY_KINKS | PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    PLI_LAME_FIELDS,
};

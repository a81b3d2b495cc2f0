// SPDX-License-Identifier: Apache-2.0
//
// Stable neo-Hookean elasticity (Smith, de Goes and Kim 2018, eq. 14):
//
//   psi = m/2 (I - 3) - m/2 log((I + 1) / 4) + l/2 (J - alpha)^2 - l/2 (1 - alpha)^2,    I = |F|^2
//   m = 4/3 mu,   l = lambda + 5/6 mu,   alpha = 1 + 3 m / (4 l)
//
// m and l are chosen so that the tangent at rest is that of linear elasticity with mu and lambda
// (their reparametrisation), alpha so that the rest state is free of stress; the constants make its
// energy zero. Smooth and finite for every F. Without the logarithm the collapsed state F = 0 would
// be a local minimum; with it, all curvature vanishes there. l > 0 for every admissible Poisson's
// ratio. The ground of fibres, too.
#ifndef PLI_MATERIAL_STABLE_NEO_HOOKEAN_H
#define PLI_MATERIAL_STABLE_NEO_HOOKEAN_H

#include "material/invariant.h"
#include "material/lame.h"

#include "math/simd_log.h"

// m and l at four points
PLI_INLINE void pli_stable_moduli(const pli_d4 *p, pli_d4 *m, pli_d4 *l)
{
    *m = (4.0 / 3.0) * p[PLI_LAME_MU];
    *l = p[PLI_LAME_LAMBDA] + (5.0 / 6.0) * p[PLI_LAME_MU];
}

// l/2 ((J - alpha)^2 - (1 - alpha)^2) = j (l/2 j - 3/4 m), j = J - 1
PLI_INLINE void pli_stable_energy(const pli_invariant_small *at, const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 m, l;
    pli_stable_moduli(p, &m, &l);
    *psi = m * (0.5 * (at->i - pli_d4_log_above(1.0 + 0.25 * at->i, 0.25 * at->i)) - 0.75 * at->j) +
           0.5 * l * at->j * at->j;
}

PLI_INLINE void pli_stable_terms(const pli_d4 *I, const pli_d4 *J, const pli_d4 *p,
                                 pli_invariant_terms *out)
{
    pli_d4 m, l;
    pli_stable_moduli(p, &m, &l);
    pli_d4 inverse = 1.0 / (*I + 1.0);
    out->a = m * (1.0 - inverse);
    // dpsi/dJ = l (J - alpha)
    out->b = l * (*J - 1.0) - 0.75 * m;
    out->c = 2.0 * m * inverse * inverse;
    out->d = l;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Fixed corotated elasticity (Stomakhin et al. 2012):
//
//   psi = mu |F - R|^2 + lambda/2 (J - 1)^2 = mu sum (s_i - 1)^2 + lambda/2 (J - 1)^2
//
// with R the rotation nearest to F. Finite for every F. Its kinks are ridges (the slope jumps
// downwards, at s_i + s_j = 0), which repel a minimiser.
//
// Energy and stress, which line searches ask for again and again, need R alone and no singular
// values:
//
//   P = 2 mu (F - R) + lambda (J - 1) cof F
#include "material/invariant.h"
#include "material/lame.h"
#include "material/laws.h"

#include "math/rotation_simd.h"

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

// Energy and stress of four points whose rotations are known.
PLI_INLINE void store(const pli_d4 F[9], const pli_d4 R[9], const pli_planes *at)
{
    pli_d4 p[PLI_LAME_PARAM_COUNT], C[9], length = {0};
    pli_load_planes(PLI_LAME_PARAM_COUNT, at->params, at->stride, p);
    pli_d4 volume = pli_cofactor(F, C) - 1.0;
    pli_d4 mu2 = 2.0 * p[PLI_LAME_MU], pressure = p[PLI_LAME_LAMBDA] * volume;
    for (int k = 0; k < 9; ++k) {
        pli_d4 strain = F[k] - R[k];
        length += strain * strain;
        if (at->P != NULL) pli_d4_store(mu2 * strain + pressure * C[k], at->P + k * at->stride);
    }
    pli_d4 psi = p[PLI_LAME_MU] * length + 0.5 * pressure * volume;
    if (at->psi != NULL) pli_d4_store(psi, at->psi);
}

// Energy and stress of the eight points of a block.
static void store_block(const pli_planes *at)
{
    pli_d4 F[18], R[18];
    for (int half = 0; half < 2; ++half) {
        pli_load_planes(9, at->F + half * PLI_D4_LANES, at->stride, F + 9 * half);
    }
    pli_rotation_pair_d4(F, R);
    PLI_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        pli_planes planes = pli_planes_half(at, half);
        store(F + 9 * half, R + 9 * half, &planes);
    }
}

static void block(const pli_planes *at, pli_projection projection)
{
    if (at->psi != NULL || at->P != NULL) store_block(at);
    if (at->dPdF == NULL) return;
    pli_planes tangent = *at;
    tangent.psi = tangent.P = NULL;
    pli_isotropic_block(&law, &tangent, projection);
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

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
#include "material/lanes.h"
#include "material/laws.h"

#include "math/rotation_simd.h"
#include "math/simd_cbrt.h"

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

static void law_block(const pli_planes *at, pli_projection projection)
{
    if (at->psi != NULL || at->P != NULL) store_block(at);
    if (at->dPdF == NULL) return;
    pli_planes tangent = *at;
    tangent.psi = tangent.P = NULL;
    pli_isotropic_block(&law, &tangent, projection);
}

PLI_LAW_BATCHES(law, isotropic)

// ---- eight points: tau = 2 mu (b - V) + lambda J (J - 1) 1, V the stretch, q = b - V

PLI_INLINE pli_f8_mask near(const pli_material *material, const pli_f8 b[6], pli_lanes *at)
{
    pli_f8 strain[6];
    pli_f8_mask settled = pli_stretch_f8(at->F, b, strain, &at->J);
    for (int k = 0; k < 6; ++k) strain[k] = b[k] - strain[k];
    settled &= pli_lanes_hold(material, b, at->J, strain, *at->history);

    pli_f8 pressure = (float)material->params[PLI_LAME_LAMBDA] * at->J * (at->J - 1.0f);
    const float mu2 = (float)(2 * material->params[PLI_LAME_MU]);
    for (int k = 0; k < 6; ++k) at->tau[k] = mu2 * strain[k];
    for (int k = 0; k < 3; ++k) at->tau[k] += pressure;
    return settled;
}

static void far(const pli_material *material, pli_principal_lanes *p)
{
    p->J = pli_product_f8(p->s);
    pli_f8 pressure = (float)material->params[PLI_LAME_LAMBDA] * p->J * (p->J - 1.0f);
    const float mu2 = (float)(2 * material->params[PLI_LAME_MU]);
    for (int k = 0; k < 3; ++k) p->tau[k] = mu2 * p->s[k] * (p->s[k] - 1.0f) + pressure;
}

static void shear(const pli_f8 s[3], pli_f8 q[3])
{
    for (int k = 0; k < 3; ++k) q[k] = s[k] * s[k] - s[k];
}

// rho_0 dp/drho = (2/3) mu (2 J^(1/3) - J^(2/3)) + lambda J^2
PLI_INLINE pli_f8 slope(const pli_material *material, pli_f8 J, pli_f8 trace)
{
    (void)trace;
    pli_f8 root = pli_f8_cbrt(J);
    return (float)(2 * material->params[PLI_LAME_MU] / 3) * root * (2.0f - root) +
           (float)material->params[PLI_LAME_LAMBDA] * J * J;
}

// ---- keeping the direction of the stress when it yields

enum {
    NEWTON_STEPS = 12, // most that eight points take
    POINT_STEPS = 60   // of the searches of one: down to rounding
};

// No s below 1/2: s_k^2 - s_k = m + d_k with given d_k and the m that keeps J. With r + 1/2 for the
// least s and D_k >= 0 for d_k less the least d,
//
//   s_k = 1/2 + sqrt(r^2 + D_k),   H(r) = s_0 s_1 s_2 - J = 0
//
// H is convex and grows for r >= 0, so Newton's iteration passes the root at most once and then
// comes down to it.
PLI_INLINE void relax_radially(const pli_f8 D[3], pli_f8 J, pli_f8 r, pli_f8 s[3])
{
    pli_f8_mask done = {0};
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        pli_f8 steepness = {0}; // of log s_0 s_1 s_2: the sum of r / (sqrt(r^2 + D_k) s_k)
        for (int k = 0; k < 3; ++k) {
            pli_f8 root = pli_f8_sqrt(r * r + D[k]);
            s[k] = 0.5f + root;
            steepness += r / (pli_f8_max(root, pli_f8_broadcast(1e-18f)) * s[k]);
        }
        pli_f8 change = (1.0f - J / pli_product_f8(s)) / steepness;
        r = pli_f8_select(done, r, r - change);
        done |= ~(pli_f8_mask)(pli_f8_abs(change) > 1e-4f);
        if (pli_f8_all(done)) break;
    }
    for (int k = 0; k < 3; ++k) s[k] = 0.5f + pli_f8_sqrt(r * r + D[k]);
}

static const pli_law_lanes lanes;

// Where s^2 - s is not monotone the return is that of other laws.
static void relax(pli_f8 keep, pli_f8 s[3])
{
    pli_f8 q[3], radial[3], other[3];
    shear(s, q);
    for (int k = 0; k < 3; ++k) other[k] = s[k];
    pli_f8 norm = pli_deviate_f8(q);
    pli_f8 least = pli_f8_min(pli_f8_min(s[0], s[1]), s[2]);
    pli_f8 bottom = pli_f8_min(pli_f8_min(q[0], q[1]), q[2]);
    pli_f8_mask simple = (pli_f8_mask)(least >= 0.5f);
    for (int k = 0; k < 3; ++k) q[k] = keep * (q[k] - bottom);
    relax_radially(q, pli_product_f8(s), least - 0.5f, radial);
    if (!pli_f8_all(simple)) pli_lanes_return(&lanes, keep * norm, other);
    for (int k = 0; k < 3; ++k) s[k] = pli_f8_select(simple, radial[k], other[k]);
}

// The same for one point; false where s^2 - s is not monotone.
static bool relax_point(double keep, double s[3])
{
    double q[3], least = fmin(fmin(s[0], s[1]), s[2]), J = s[0] * s[1] * s[2], r = least - 0.5;
    if (least < 0.5) return false;
    double bottom = least * least - least;
    for (int k = 0; k < 3; ++k) q[k] = fmax(0, keep * (s[k] * s[k] - s[k] - bottom));
    for (int step = 0; step < POINT_STEPS; ++step) {
        double steepness = 0;
        for (int k = 0; k < 3; ++k) {
            double root = sqrt(r * r + q[k]);
            s[k] = 0.5 + root;
            steepness += root > 0 ? r / root / s[k] : 1 / s[k];
        }
        r -= (1 - J / (s[0] * s[1] * s[2])) / steepness;
    }
    return true;
}

static void advance(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                    pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    pli_lanes at = {.F = F, .history = history, .tau = tau};
    pli_lanes_move(material, dt, C, near, slope, &at, speed2);
}

static const pli_law_lanes lanes = {
    .advance = advance, .far = far, .shear = shear, .relax = relax, .relax_point = relax_point};

const pli_material_ops pli_law_fixed_corotated = {
    .name = "fixed-corotated",
    .doc = "Springy in every direction, survives inversion; the usual choice for large steps.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .lanes = &lanes,
    PLI_LAME_FIELDS,
};

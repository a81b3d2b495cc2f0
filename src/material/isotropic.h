// SPDX-License-Identifier: Apache-2.0
//
// Isotropic laws in diagonal space: what a law says about singular values becomes stress and
// tangent.
//
// An isotropic energy depends on the singular values alone, psi(sigma), F = U diag(sigma) V^T, and
// is symmetric in them. Then
//
//   P = U diag(psi_i) V^T,    psi_i = dpsi / dsigma_i
//
// and in the frame of U and V the tangent falls into one 3x3 block, psi_ij on the diagonal entries,
// and three 2x2 blocks on the entries (i, j) and (j, i), with the eigenvalues
//
//   stretch_ij = (psi_i - psi_j) / (sigma_i - sigma_j)   for the symmetric direction,
//   twist_ij   = (psi_i + psi_j) / (sigma_i + sigma_j)   for the skew one
//
// (Stomakhin et al. 2012, "Energetically consistent invertible elasticity"; Smith et al. 2019).
// Raising negative eigenvalues of these four blocks to zero is the same as doing so with the whole
// 9x9 matrix, because U and V only rotate it.
//
// A law gives both quotients in a form without cancellation, so nothing happens at equal singular
// values. twist is truly singular where an energy has a kink at sigma_i + sigma_j = 0 (laws made of
// the polar rotation, which is not unique there): there, and only there, the denominator is kept
// above PLI_TWIST_FLOOR, so that the exact tangent is finite everywhere.
//
// The functions of a law are inlined into one block function per law; vectors go by pointer.
#ifndef PLI_MATERIAL_ISOTROPIC_H
#define PLI_MATERIAL_ISOTROPIC_H

#include "material/batch.h"
#include "material/principal.h"

#include "math/svd_simd.h"

#include <float.h>
#include <math.h>

// Smallest sigma_i + sigma_j that a twist divides by. Singular values are pure numbers, 1 at rest.
#define PLI_TWIST_FLOOR 1e-6

// Second derivatives of an energy in diagonal space. A pair is named by the index that it leaves
// out: entry k belongs to the other two.
typedef struct pli_curvature {
    pli_d4 hessian[6]; // psi_00, psi_11, psi_22, psi_12, psi_02, psi_01
    pli_d4 stretch[3];
    pli_d4 twist[3];
} pli_curvature;

// A law by its functions of the singular values s; p are its parameters at the same four points.
typedef struct pli_isotropic_law {
    int32_t param_count;
    bool needs_positive; // defined only where all singular values are positive
    void (*energy)(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi);
    void (*gradient)(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3]);
    void (*curvature)(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out);
} pli_isotropic_law;

// The other two indices of a pair, or of the product of the other two singular values.
PLI_INLINE int pli_next(int k)
{
    return k == 2 ? 0 : k + 1;
}

PLI_INLINE int pli_after_next(int k)
{
    return k == 0 ? 2 : k - 1;
}

// q_k = product of the two singular values other than s_k, and their full product J.
PLI_INLINE pli_d4 pli_products(const pli_d4 s[3], pli_d4 q[3])
{
    for (int k = 0; k < 3; ++k) q[k] = s[pli_next(k)] * s[pli_after_next(k)];
    return s[0] * q[0];
}

// sigma_i + sigma_j of the pair without k, kept above the floor
PLI_INLINE pli_d4 pli_twist_denominator(const pli_d4 s[3], int k)
{
    return pli_d4_max(s[pli_next(k)] + s[pli_after_next(k)], pli_d4_broadcast(PLI_TWIST_FLOOR));
}

PLI_INLINE void pli_load_planes(int count, const double *from, int64_t stride, pli_d4 *to)
{
    for (int k = 0; k < count; ++k) to[k] = pli_d4_load(from + k * stride);
}

// A zero where the mask is not set.
PLI_INLINE pli_d4 pli_keep(pli_d4_mask mask, pli_d4 x)
{
    return (pli_d4)(mask & (pli_d4_mask)x);
}

// Raises the negative eigenvalues of all blocks to zero.
PLI_INLINE void pli_curvature_clamp(pli_curvature *curvature)
{
    pli_clamp_psd_d4(curvature->hessian);
    for (int k = 0; k < 3; ++k) {
        curvature->stretch[k] = pli_d4_max(curvature->stretch[k], (pli_d4){0});
        curvature->twist[k] = pli_d4_max(curvature->twist[k], (pli_d4){0});
    }
}

PLI_INLINE void pli_curvature_keep(pli_d4_mask mask, pli_curvature *curvature)
{
    for (int k = 0; k < 6; ++k) curvature->hessian[k] = pli_keep(mask, curvature->hessian[k]);
    for (int k = 0; k < 3; ++k) {
        curvature->stretch[k] = pli_keep(mask, curvature->stretch[k]);
        curvature->twist[k] = pli_keep(mask, curvature->twist[k]);
    }
}

// P = U diag(g) V^T
PLI_INLINE void pli_store_stress(const pli_svd_parts_d4 *parts, const pli_d4 g[3], int64_t stride,
                                 double *P)
{
    for (int i = 0; i < 3; ++i) {
        const pli_d4 *u = parts->U + 3 * i;
        pli_d4 ug[3] = {u[0] * g[0], u[1] * g[1], u[2] * g[2]};
        for (int j = 0; j < 3; ++j) {
            const pli_d4 *v = parts->V + 3 * j;
            pli_d4_store(ug[0] * v[0] + ug[1] * v[1] + ug[2] * v[2], P + (3 * i + j) * stride);
        }
    }
}

// W_ac for one pair (j, l) of columns: M_ij,kl = sum_ac U_ia U_kc W_ac. Entry (a, c) of the block
// form acts on V_j. and V_l. as
//   W_aa = psi_aa V_ja V_la + sum_b A_ab V_jb V_lb,     A = (stretch + twist) / 2 of the pair (a,
//   b) W_ac = psi_ac V_ja V_lc + B_ac V_jc V_la,           B = (stretch - twist) / 2
PLI_INLINE void pli_tangent_inner(const pli_d4 *vj, const pli_d4 *vl, const pli_d4 hessian[6],
                                  const pli_d4 A[3], const pli_d4 B[3], pli_d4 W[9])
{
    for (int a = 0; a < 3; ++a) {
        int b = pli_next(a);
        int c = pli_after_next(a);
        W[4 * a] = hessian[a] * (vj[a] * vl[a]) + A[c] * (vj[b] * vl[b]) + A[b] * (vj[c] * vl[c]);
        pli_d4 bc = vj[b] * vl[c];
        pli_d4 cb = vj[c] * vl[b];
        W[3 * b + c] = hessian[3 + a] * bc + B[a] * cb;
        W[3 * c + b] = hessian[3 + a] * cb + B[a] * bc;
    }
}

// Writes M_ij,kl = M_kl,ij for one pair (j, l) and all i and k, with M = U W U^T.
PLI_INLINE void pli_tangent_outer(const pli_d4 U[9], const pli_d4 W[9], int j, int l,
                                  int64_t stride, double *dPdF)
{
    for (int i = 0; i < 3; ++i) {
        const pli_d4 *u = U + 3 * i;
        pli_d4 y[3];
        for (int c = 0; c < 3; ++c) y[c] = u[0] * W[c] + u[1] * W[3 + c] + u[2] * W[6 + c];
        // for j = l the result is symmetric in i and k
        for (int k = j == l ? i : 0; k < 3; ++k) {
            const pli_d4 *w = U + 3 * k;
            pli_d4 m = y[0] * w[0] + y[1] * w[1] + y[2] * w[2];
            int ij = 3 * i + j;
            int kl = 3 * k + l;
            pli_d4_store(m, dPdF + (9 * ij + kl) * stride);
            if (ij != kl) pli_d4_store(m, dPdF + (9 * kl + ij) * stride);
        }
    }
}

// dP/dF from its blocks in diagonal space.
PLI_INLINE void pli_store_tangent(const pli_svd_parts_d4 *parts, const pli_curvature *curvature,
                                  int64_t stride, double *dPdF)
{
    pli_d4 A[3];
    pli_d4 B[3];
    for (int k = 0; k < 3; ++k) {
        A[k] = 0.5 * (curvature->stretch[k] + curvature->twist[k]);
        B[k] = 0.5 * (curvature->stretch[k] - curvature->twist[k]);
    }
    for (int j = 0; j < 3; ++j) {
        for (int l = j; l < 3; ++l) {
            pli_d4 W[9];
            pli_tangent_inner(parts->V + 3 * j, parts->V + 3 * l, curvature->hessian, A, B, W);
            pli_tangent_outer(parts->U, W, j, l, stride, dPdF);
        }
    }
}

// Four points of a law, loaded. Where the law is not defined, it is evaluated at rest instead and
// the results are thrown away.
typedef struct pli_isotropic_points {
    pli_d4 s[3];
    pli_d4 p[PLI_BLOCK_PARAMS_MAX];
    pli_d4_mask defined;
} pli_isotropic_points;

PLI_INLINE void pli_isotropic_load(const pli_isotropic_law *law, const pli_d4 sigma[3],
                                   const pli_planes *at, pli_isotropic_points *points)
{
    const pli_d4 rest = pli_d4_broadcast(1);
    points->defined = (pli_d4_mask)(sigma[2] >= DBL_MIN);
    for (int k = 0; k < 3; ++k) {
        points->s[k] =
            law->needs_positive ? pli_d4_select(points->defined, sigma[k], rest) : sigma[k];
    }
    pli_load_planes(law->param_count, at->params, at->stride, points->p);
}

// Everything that is wanted at four points whose decomposition is known.
PLI_INLINE void pli_isotropic_store(const pli_isotropic_law *law, const pli_svd_parts_d4 *parts,
                                    const pli_planes *at, pli_projection projection)
{
    pli_isotropic_points points;
    pli_isotropic_load(law, parts->sigma, at, &points);
    if (at->psi != NULL) {
        pli_d4 psi;
        law->energy(points.s, points.p, &psi);
        if (law->needs_positive) {
            psi = pli_d4_select(points.defined, psi, pli_d4_broadcast(INFINITY));
        }
        pli_d4_store(psi, at->psi);
    }
    if (at->P != NULL) {
        pli_d4 g[3];
        law->gradient(points.s, points.p, g);
        if (law->needs_positive) {
            for (int k = 0; k < 3; ++k) g[k] = pli_keep(points.defined, g[k]);
        }
        pli_store_stress(parts, g, at->stride, at->P);
    }
    if (at->dPdF != NULL) {
        pli_curvature curvature;
        law->curvature(points.s, points.p, &curvature);
        if (projection == PLI_TANGENT_PROJECTED) pli_curvature_clamp(&curvature);
        if (law->needs_positive) pli_curvature_keep(points.defined, &curvature);
        pli_store_tangent(parts, &curvature, at->stride, at->dPdF);
    }
}

// The planes of the second four points of a block.
PLI_INLINE pli_planes pli_planes_half(const pli_planes *at, int half)
{
    pli_planes planes = *at;
    int64_t offset = half * PLI_D4_LANES;
    planes.F += offset;
    planes.params += offset;
    planes.psi = at->psi != NULL ? at->psi + offset : NULL;
    planes.P = at->P != NULL ? at->P + offset : NULL;
    planes.dPdF = at->dPdF != NULL ? at->dPdF + offset : NULL;
    return planes;
}

// Decomposes the eight deformation gradients of a block.
PLI_INLINE void pli_block_svd(const pli_planes *at, pli_svd_parts_d4 parts[2])
{
    pli_d4 F[18];
    for (int half = 0; half < 2; ++half) {
        pli_load_planes(9, at->F + half * PLI_D4_LANES, at->stride, F + 9 * half);
    }
    pli_svd_pair_d4(F, parts);
}

// The block function of a law; call it from a function of the law's own with a constant law.
PLI_INLINE void pli_isotropic_block(const pli_isotropic_law *law, const pli_planes *at,
                                    pli_projection projection)
{
    pli_svd_parts_d4 parts[2];
    pli_block_svd(at, parts);
    PLI_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        pli_planes planes = pli_planes_half(at, half);
        pli_isotropic_store(law, &parts[half], &planes, projection);
    }
}

// The law in singular values alone; call it from a function of the law's own with a constant law.
PLI_INLINE void pli_isotropic_principal(const pli_isotropic_law *law, const pli_d4 s[3],
                                        const pli_d4 *p, pli_principal *out)
{
    pli_d4_mask defined = (pli_d4_mask)(pli_d4_min(pli_d4_min(s[0], s[1]), s[2]) >= DBL_MIN);
    pli_d4 at[3];
    pli_curvature curvature;
    for (int k = 0; k < 3; ++k) {
        at[k] = law->needs_positive ? pli_d4_select(defined, s[k], pli_d4_broadcast(1)) : s[k];
    }
    law->energy(at, p, &out->psi);
    law->gradient(at, p, out->g);
    law->curvature(at, p, &curvature);
    if (law->needs_positive) {
        out->psi = pli_d4_select(defined, out->psi, pli_d4_broadcast(INFINITY));
        for (int k = 0; k < 3; ++k) out->g[k] = pli_keep(defined, out->g[k]);
        pli_curvature_keep(defined, &curvature);
    }
    for (int k = 0; k < 6; ++k) out->hessian[k] = curvature.hessian[k];
}

// The functions of a law's table, from a block function of its own and from the constant law, of
// the family isotropic or invariant: law_principal and law_evaluate.
#define PLI_LAW_BATCHES(law, family)                                                            \
    static void law##_four(const pli_d4 s[3], const pli_d4 *p, pli_principal *out)              \
    {                                                                                           \
        pli_##family##_principal(&law, s, p, out);                                              \
    }                                                                                           \
    static void law##_principal(int32_t n, const double *s, const double *params, double *psi,  \
                                double *g, double *hessian)                                     \
    {                                                                                           \
        pli_principal_run(n, law.param_count, s, params, psi, g, hessian, law##_four);          \
    }                                                                                           \
    static void law##_evaluate(int32_t n, const double *F, const double *params,                \
                               pli_projection projection, double *psi, double *P, double *dPdF) \
    {                                                                                           \
        pli_planes batch = {n, F, params, psi, P, dPdF};                                        \
        pli_batch_run(n, law.param_count, &batch, projection, law##_block);                     \
    }

// The same with the block function of the family.
#define PLI_LAW_FUNCTIONS(law, family)                                       \
    static void law##_block(const pli_planes *at, pli_projection projection) \
    {                                                                        \
        pli_##family##_block(&law, at, projection);                          \
    }                                                                        \
    PLI_LAW_BATCHES(law, family)

#endif

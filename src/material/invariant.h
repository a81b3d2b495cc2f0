// SPDX-License-Identifier: Apache-2.0
//
// Laws that are functions of I = |F|^2 and J = det F: no decomposition is needed for energy, stress
// and exact tangent, only for the projected one.
//
// With C = dJ/dF the cofactor matrix of F, and
//
//   a = 2 psi_I,   b = psi_J,   c = 4 psi_II,   d = psi_JJ      (psi_IJ = 0),
//
//   P     = a F + b C
//   dP/dF = a 1 + c F (x) F + d C (x) C + b dC/dF,     dC_ij/dF_kl = e_ikm e_jln F_mn
//
// In diagonal space, with q_k the product of the two singular values other than s_k,
//
//   psi_kk = a + c s_k^2 + d q_k^2,     psi_ij = c s_i s_j + d q_i q_j + b s_k
//   stretch = a - b s_k,                twist = a + b s_k          of the pair without k
//
// (compare the eigenvalues of Smith et al. 2018), with no quotient at all.
//
// Such an energy is a difference of numbers of the size of the stiffness, and near rest nothing
// would be left of it: where strains are 1e-8 it is 1e-16 of them. So a law gives its energy in
// i = I - 3 and j = J - 1, both of them small, and these come from the strain,
//
//   D = F^T F - 1,   i = tr D,   j = y / (1 + sqrt(1 + y)),   y = J^2 - 1 = tr D + tr cof D + det D
//
// What rounds in D is then the same in i and in j, and the parts that are linear in it cancel as
// they do on paper. Farther away, where D has lost to F what it had ahead, they are differences.
#ifndef PLI_MATERIAL_INVARIANT_H
#define PLI_MATERIAL_INVARIANT_H

#include "material/isotropic.h"

typedef struct pli_invariant_terms {
    pli_d4 a; // 2 psi_I
    pli_d4 b; // psi_J
    pli_d4 c; // 4 psi_II
    pli_d4 d; // psi_JJ
} pli_invariant_terms;

// What an energy is given in: invariants that are zero at rest.
typedef struct pli_invariant_small {
    pli_d4 i; // I - 3
    pli_d4 j; // J - 1
    pli_d4 J;
} pli_invariant_small;

// A law by its energy and derivatives; p are its parameters at the same four points.
typedef struct pli_invariant_law {
    int32_t param_count;
    bool needs_positive; // defined only for J > 0
    void (*energy)(const pli_invariant_small *at, const pli_d4 *p, pli_d4 *psi);
    void (*terms)(const pli_d4 *I, const pli_d4 *J, const pli_d4 *p, pli_invariant_terms *out);
} pli_invariant_law;

// Four points of a law, loaded.
typedef struct pli_invariant_points {
    pli_d4 p[PLI_BLOCK_PARAMS_MAX];
    pli_d4 F[9];
    pli_d4 C[9];
    pli_d4 I;
    pli_d4 J; // 1 where the law is not defined
    pli_d4_mask defined;
    pli_invariant_terms terms; // once computed; zero where the law is not defined
} pli_invariant_points;

// |I - 3| and |J - 1| below this: i and j come from the strain
#define PLI_INVARIANT_NEAR 0.05

// C = cof F, rows from cross products; returns det F.
PLI_INLINE pli_d4 pli_cofactor(const pli_d4 F[9], pli_d4 C[9])
{
    for (int i = 0; i < 3; ++i) {
        const pli_d4 *a = F + 3 * pli_next(i);
        const pli_d4 *b = F + 3 * pli_after_next(i);
        for (int j = 0; j < 3; ++j) {
            int k = pli_next(j);
            int l = pli_after_next(j);
            C[3 * i + j] = a[k] * b[l] - a[l] * b[k];
        }
    }
    return F[0] * C[0] + F[1] * C[1] + F[2] * C[2];
}

PLI_INLINE void pli_invariant_load(const pli_invariant_law *law, const pli_planes *at,
                                   pli_invariant_points *points)
{
    pli_load_planes(law->param_count, at->params, at->stride, points->p);
    pli_load_planes(9, at->F, at->stride, points->F);
    points->I = (pli_d4){0};
    for (int k = 0; k < 9; ++k) points->I += points->F[k] * points->F[k];
    points->J = pli_cofactor(points->F, points->C);
    if (!law->needs_positive) return;

    // where the law is not defined, it is evaluated at J = 1 and the results are thrown away
    points->defined = (pli_d4_mask)(points->J >= DBL_MIN);
    points->J = pli_d4_select(points->defined, points->J, pli_d4_broadcast(1));
}

// D = F^T F - 1, twice the Green strain: 00, 11, 22, 12, 02, 01.
PLI_INLINE void pli_strain(const pli_d4 F[9], pli_d4 D[6])
{
    for (int k = 0; k < 3; ++k) {
        int l = pli_next(k);
        int m = pli_after_next(k);
        D[k] = (F[k] * F[k] - 1.0) + F[3 + k] * F[3 + k] + F[6 + k] * F[6 + k];
        D[3 + k] = F[l] * F[m] + F[3 + l] * F[3 + m] + F[6 + l] * F[6 + m];
    }
}

// i and j from the strain.
PLI_INLINE void pli_invariant_strain(const pli_d4 F[9], pli_invariant_small *at)
{
    pli_d4 D[6];
    pli_strain(F, D);
    pli_d4 minor[3]; // of the diagonal
    for (int k = 0; k < 3; ++k) {
        minor[k] = D[pli_next(k)] * D[pli_after_next(k)] - D[3 + k] * D[3 + k];
    }
    pli_d4 determinant =
        D[0] * minor[0] + D[5] * (D[3] * D[4] - D[5] * D[2]) + D[4] * (D[5] * D[3] - D[1] * D[4]);
    at->i = D[0] + D[1] + D[2];
    pli_d4 y = at->i + (minor[0] + minor[1] + minor[2] + determinant);
    at->j = y / (1.0 + pli_d4_sqrt(1.0 + y));
}

PLI_INLINE pli_d4 pli_invariant_energy(const pli_invariant_law *law,
                                       const pli_invariant_points *points)
{
    pli_invariant_small at = {points->I - 3.0, points->J - 1.0, points->J};
    pli_d4 distance = pli_d4_max(pli_d4_abs(at.i), pli_d4_abs(at.j));
    pli_d4_mask is_near = (pli_d4_mask)(distance < PLI_INVARIANT_NEAR);
    if (pli_d4_any(is_near)) {
        pli_invariant_small near_rest;
        pli_invariant_strain(points->F, &near_rest);
        at.i = pli_d4_select(is_near, near_rest.i, at.i);
        at.j = pli_d4_select(is_near, near_rest.j, at.j);
    }
    pli_d4 psi;
    law->energy(&at, points->p, &psi);
    if (!law->needs_positive) return psi;
    return pli_d4_select(points->defined, psi, pli_d4_broadcast(INFINITY));
}

PLI_INLINE void pli_invariant_derive(const pli_invariant_law *law, pli_invariant_points *points)
{
    pli_invariant_terms *terms = &points->terms;
    law->terms(&points->I, &points->J, points->p, terms);
    if (!law->needs_positive) return;
    terms->a = pli_keep(points->defined, terms->a);
    terms->b = pli_keep(points->defined, terms->b);
    terms->c = pli_keep(points->defined, terms->c);
    terms->d = pli_keep(points->defined, terms->d);
}

// One entry of the exact tangent, without the part of the identity and of dC/dF.
PLI_INLINE pli_d4 pli_invariant_products(const pli_invariant_points *points, int ij, int kl)
{
    return points->terms.c * points->F[ij] * points->F[kl] +
           points->terms.d * points->C[ij] * points->C[kl];
}

// b e_ikm e_jln F_mn; zero when i = k or j = l
PLI_INLINE pli_d4 pli_invariant_turn(const pli_invariant_points *points, int ij, int kl)
{
    int i = ij / 3;
    int j = ij % 3;
    int k = kl / 3;
    int l = kl % 3;
    if (i == k || j == l) return (pli_d4){0};
    pli_d4 entry = points->terms.b * points->F[3 * (3 - i - k) + (3 - j - l)];
    bool negative = (k == pli_next(i)) != (l == pli_next(j));
    return negative ? -entry : entry;
}

PLI_INLINE void pli_invariant_store_exact(const pli_invariant_points *points, int64_t stride,
                                          double *dPdF)
{
    for (int ij = 0; ij < 9; ++ij) {
        for (int kl = ij; kl < 9; ++kl) {
            pli_d4 m = pli_invariant_products(points, ij, kl) + pli_invariant_turn(points, ij, kl);
            if (ij == kl) m += points->terms.a;
            pli_d4_store(m, dPdF + (9 * ij + kl) * stride);
            if (ij != kl) pli_d4_store(m, dPdF + (9 * kl + ij) * stride);
        }
    }
}

// Second derivatives in diagonal space, at the singular values s.
PLI_INLINE void pli_invariant_curvature(const pli_invariant_terms *terms, const pli_d4 s[3],
                                        pli_curvature *out)
{
    pli_d4 q[3];
    (void)pli_products(s, q);
    for (int k = 0; k < 3; ++k) {
        int i = pli_next(k);
        int j = pli_after_next(k);
        out->hessian[k] = terms->a + terms->c * s[k] * s[k] + terms->d * q[k] * q[k];
        out->hessian[3 + k] = terms->c * s[i] * s[j] + terms->d * q[i] * q[j] + terms->b * s[k];
        out->stretch[k] = terms->a - terms->b * s[k];
        out->twist[k] = terms->a + terms->b * s[k];
    }
}

PLI_INLINE void pli_invariant_store_projected(const pli_invariant_terms *terms,
                                              const pli_svd_parts_d4 *parts, int64_t stride,
                                              double *dPdF)
{
    pli_curvature curvature;
    pli_invariant_curvature(terms, parts->sigma, &curvature);
    pli_curvature_clamp(&curvature);
    pli_store_tangent(parts, &curvature, stride, dPdF);
}

PLI_INLINE void pli_invariant_store_stress(const pli_invariant_points *points, const pli_planes *at)
{
    for (int k = 0; k < 9; ++k) {
        pli_d4_store(points->terms.a * points->F[k] + points->terms.b * points->C[k],
                     at->P + k * at->stride);
    }
}

// The block function of a law; call it from a function of the law's own with a constant law.
PLI_INLINE void pli_invariant_block(const pli_invariant_law *law, const pli_planes *at,
                                    pli_projection projection)
{
    pli_svd_parts_d4 parts[2];
    bool projects = at->dPdF != NULL && projection == PLI_TANGENT_PROJECTED;
    if (projects) pli_block_svd(at, parts);
    PLI_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        pli_planes planes = pli_planes_half(at, half);
        pli_invariant_points points;
        pli_invariant_load(law, &planes, &points);
        if (at->psi != NULL) pli_d4_store(pli_invariant_energy(law, &points), planes.psi);
        if (at->P == NULL && at->dPdF == NULL) continue;
        pli_invariant_derive(law, &points);
        if (at->P != NULL) pli_invariant_store_stress(&points, &planes);
        if (projects) {
            pli_invariant_store_projected(&points.terms, &parts[half], at->stride, planes.dPdF);
        } else if (at->dPdF != NULL) {
            pli_invariant_store_exact(&points, at->stride, planes.dPdF);
        }
    }
}

// i and j from e_k = s_k - 1, which near rest are exact.
PLI_INLINE void pli_invariant_principal_energy(const pli_invariant_law *law, const pli_d4 s[3],
                                               const pli_d4 *J, const pli_d4 *p,
                                               pli_d4_mask defined, pli_d4 *psi)
{
    pli_d4 e[3];
    pli_invariant_small at = {.J = *J};
    for (int k = 0; k < 3; ++k) {
        e[k] = s[k] - 1.0;
        at.i += e[k] * (s[k] + 1.0);
    }
    pli_d4 pairs = e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
    at.j = (e[0] + e[1] + e[2]) + pairs + e[0] * e[1] * e[2];
    if (law->needs_positive) at.j = pli_keep(defined, at.j);
    law->energy(&at, p, psi);
    if (law->needs_positive) *psi = pli_d4_select(defined, *psi, pli_d4_broadcast(INFINITY));
}

// The law in singular values alone; call it from a function of the law's own with a constant law.
PLI_INLINE void pli_invariant_principal(const pli_invariant_law *law, const pli_d4 s[3],
                                        const pli_d4 *p, pli_principal *out)
{
    // a state with two negative singular values would be one with none, in another frame
    pli_d4_mask defined = (pli_d4_mask)(pli_d4_min(pli_d4_min(s[0], s[1]), s[2]) >= DBL_MIN);
    pli_invariant_terms terms;
    pli_curvature curvature;
    pli_d4 q[3];
    pli_d4 J = pli_products(s, q);
    pli_d4 I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
    defined &= (pli_d4_mask)(J >= DBL_MIN);
    if (law->needs_positive) J = pli_d4_select(defined, J, pli_d4_broadcast(1));
    law->terms(&I, &J, p, &terms);
    pli_invariant_curvature(&terms, s, &curvature);
    pli_invariant_principal_energy(law, s, &J, p, defined, &out->psi);
    for (int k = 0; k < 3; ++k) out->g[k] = terms.a * s[k] + terms.b * q[k];
    if (law->needs_positive) {
        for (int k = 0; k < 3; ++k) out->g[k] = pli_keep(defined, out->g[k]);
        pli_curvature_keep(defined, &curvature);
    }
    for (int k = 0; k < 6; ++k) out->hessian[k] = curvature.hessian[k];
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The far way. Near rest, F = U diag(s) V^T follows from the eigenvectors U and eigenvalues s^2 of
// b = F F^T, with V = F^T U diag(1/s), in half of the time of the full decomposition, which the
// other lanes take. Near is what the logarithm of math/symmetric_simd.h holds for: s^2 within 0.3
// to 1.7 of its mean, so that forming b costs no digits that matter.
#include "material/lanes.h"

#include "math/svd_simd.h"
#include "math/symmetric_simd.h"

enum {
    SWEEPS = 3,   // of Jacobi rotations on dev b: they leave at most 1e-5 of it, and b is near 1
    HALVINGS = 26 // of an interval of one: the resolution of a float, and two more
};

// s_k = exp(m + x d_k), and the norm of dev q
static pli_f8 stretch_along(const pli_law_lanes *law, pli_f8 m, const pli_f8 d[3], pli_f8 x,
                            pli_f8 s[3])
{
    pli_f8 q[3];
    for (int k = 0; k < 3; ++k) s[k] = pli_f8_exp(m + x * d[k]);
    law->shear(s, q);
    return pli_deviate_f8(q);
}

void pli_lanes_return(const pli_law_lanes *law, pli_f8 norm, pli_f8 s[3])
{
    pli_f8 d[3];
    pli_logarithms_f8(s, d);
    pli_f8 m = pli_mean_f8(d);
    (void)pli_deviate_f8(d);
    pli_f8 x = pli_f8_broadcast(1);
    pli_f8_mask fits = (pli_f8_mask)(stretch_along(law, m, d, x, s) <= norm);
    pli_f8 low = pli_f8_select(fits, x, (pli_f8){0});
    float half = 0.5f;
    for (int k = 0; k < HALVINGS; ++k, half *= 0.5f) {
        x = low + half;
        fits = (pli_f8_mask)(stretch_along(law, m, d, x, s) <= norm) & (pli_f8_mask)(x <= 1.0f);
        low = pli_f8_select(fits, x, low);
    }
    (void)stretch_along(law, m, d, low, s);
}

// F <- F + U diag(change of s) V^T, whose rounding is as small as the change, and tau = U diag(tau)
// U^T; settled lanes stay.
static void turn_back(const pli_svd_parts_f8 *parts, const pli_principal_lanes *p,
                      pli_f8_mask settled, pli_lanes *lanes)
{
    static const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    pli_f8_mask same = settled | ~p->moved;
    pli_f8 change[3];
    for (int k = 0; k < 3; ++k) change[k] = p->s[k] - parts->sigma[k];
    for (int k = 0; k < 9; ++k) {
        const pli_f8 *u = parts->U + 3 * (k / 3);
        const pli_f8 *v = parts->V + 3 * (k % 3);
        pli_f8 sum = u[0] * change[0] * v[0] + u[1] * change[1] * v[1] + u[2] * change[2] * v[2];
        lanes->F[k] = pli_f8_select(same, lanes->F[k], lanes->F[k] + sum);
    }
    for (int k = 0; k < 6; ++k) {
        const pli_f8 *u = parts->U + 3 * rows[k][0];
        const pli_f8 *w = parts->U + 3 * rows[k][1];
        pli_f8 sum = u[0] * p->tau[0] * w[0] + u[1] * p->tau[1] * w[1] + u[2] * p->tau[2] * w[2];
        lanes->tau[k] = pli_f8_select(settled, lanes->tau[k], sum);
    }
}

// F = U diag(s) V^T by the eigenvectors of b, given by its deviator D and the rest; s in no order.
PLI_INLINE void decompose_near(const pli_f8 F[9], const pli_f8 D[6], pli_f8 middle,
                               pli_svd_parts_f8 *parts)
{
    pli_f8 S[6];
    for (int k = 0; k < 6; ++k) S[k] = D[k];
    pli_identity_f8(parts->U);
    PLI_NO_UNROLL
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        pli_jacobi_rotate_f8(0, 1, S, parts->U);
        pli_jacobi_rotate_f8(0, 2, S, parts->U);
        pli_jacobi_rotate_f8(1, 2, S, parts->U);
    }
    for (int k = 0; k < 3; ++k) {
        const pli_f8 *U = parts->U + k;
        parts->sigma[k] = pli_f8_sqrt(middle + S[k]);
        pli_f8 inverse = 1.0f / parts->sigma[k];
        for (int i = 0; i < 3; ++i) {
            parts->V[3 * i + k] = inverse * (F[i] * U[0] + F[3 + i] * U[3] + F[6 + i] * U[6]);
        }
    }
}

// Replaces the lanes that are not near.
PLI_INLINE void decompose_far(const pli_f8 F[9], pli_f8_mask near, pli_svd_parts_f8 *parts)
{
    pli_svd_parts_f8 full;
    pli_svd_f8(F, &full);
    for (int k = 0; k < 9; ++k) parts->U[k] = pli_f8_select(near, parts->U[k], full.U[k]);
    for (int k = 0; k < 9; ++k) parts->V[k] = pli_f8_select(near, parts->V[k], full.V[k]);
    for (int k = 0; k < 3; ++k) {
        parts->sigma[k] = pli_f8_select(near, parts->sigma[k], full.sigma[k]);
    }
}

// F = U diag(sigma) V^T in the lanes that are not settled.
static void decompose(const pli_f8 F[9], pli_f8_mask settled, pli_svd_parts_f8 *parts)
{
    pli_f8 D[6];
    pli_symmetric_gram_f8(F, D);
    pli_f8 middle = pli_symmetric_deviate_f8(D); // apart from D, so that small strains keep digits
    pli_f8_mask near = pli_symmetric_is_near_f8(middle, 0.5f * pli_symmetric_norm2_f8(D));
    near &= (pli_f8_mask)(pli_determinant_f8(F) > 0.0f);
    if (pli_f8_any(near & ~settled)) decompose_near(F, D, middle, parts);
    if (!pli_f8_all(near | settled)) decompose_far(F, near, parts);
}

void pli_lanes_go_far(const pli_material *material, pli_f8_mask settled, pli_lanes *lanes)
{
    pli_svd_parts_f8 parts = {0};
    decompose(lanes->F, settled, &parts);
    pli_principal_lanes p = {.history = *lanes->history};
    for (int k = 0; k < 3; ++k) p.s[k] = parts.sigma[k];
    if (material->yield != NULL) material->yield->lanes->restore(material, &p);
    material->lanes->far(material, &p);
    turn_back(&parts, &p, settled, lanes);
    *lanes->history = pli_f8_select(settled, *lanes->history, p.history);
    lanes->J = pli_f8_select(settled, lanes->J, p.J);
    lanes->trace = pli_f8_select(settled, lanes->trace, p.trace);
}

// Plain steps in double precision for what has no kernels.
static void advance_plainly(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                            pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    enum { N = PLI_F8_LANES };
    double gradient[9 * N], deformation[9 * N], own[N], stress[6 * N], speeds[N];
    for (int lane = 0; lane < N; ++lane) {
        for (int k = 0; k < 9; ++k) gradient[k * N + lane] = (double)C[k][lane];
        for (int k = 0; k < 9; ++k) deformation[k * N + lane] = (double)F[k][lane];
        own[lane] = (double)(*history)[lane];
    }
    pli_material_advance_within(material, PLI_YIELD_ROUNDING, N, (double)dt, gradient, deformation,
                                own, stress, speeds);
    for (int lane = 0; lane < N; ++lane) {
        for (int k = 0; k < 9; ++k) F[k][lane] = (float)deformation[k * N + lane];
        for (int k = 0; k < 6; ++k) tau[k][lane] = (float)stress[k * N + lane];
        (*history)[lane] = (float)own[lane];
        (*speed2)[lane] = (float)speeds[lane];
    }
}

void pli_material_advance_f8(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                             pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    if (material->lanes != NULL)
        material->lanes->advance(material, dt, C, F, history, tau, speed2);
    else
        advance_plainly(material, dt, C, F, history, tau, speed2);
}

// SPDX-License-Identifier: Apache-2.0
//
// The long way from F to the stress: by singular values, for whatever F is.
//
// Near rest, F = U diag(s) V^T follows from the eigenvectors U and eigenvalues s^2 of b = F F^T,
// with V = F^T U diag(1/s), in half of the time of the full decomposition, which the other lanes
// take. Near is what the logarithm of math/symmetric_simd.h holds for: s^2 within 0.3 to 1.7 of its
// mean, so that forming b costs no digits that matter.
#include "mpm/law_inside.h"

#include "math/svd_simd.h"
#include "math/symmetric_simd.h"

enum {
    SWEEPS = 3, // of Jacobi rotations on dev b: they leave at most 1e-5 of it, and b is near 1
    NEWTON_STEPS = 12, // most that the radial return takes
    HALVINGS = 26      // of an interval of one: the resolution of a float, and two more
};

// Eight particles in the frame of their singular vectors.
typedef struct principal {
    pli_f8 s[3];   // singular values
    pli_f8 tau[3]; // Kirchhoff stress (Pa)
    pli_f8 J;
    pli_f8 trace; // log J
    pli_f8 memory;
    pli_f8_mask moved; // where s is another one than that of F
} principal;

PLI_INLINE pli_f8 product(const pli_f8 x[3])
{
    return x[0] * x[1] * x[2];
}

PLI_INLINE pli_f8 mean(const pli_f8 x[3])
{
    return (x[0] + x[1] + x[2]) * (1.0f / 3);
}

// x less its mean, as the norm and in place
PLI_INLINE pli_f8 deviate(pli_f8 x[3])
{
    pli_f8 middle = mean(x);
    for (int k = 0; k < 3; ++k) x[k] -= middle;
    return pli_f8_sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

// Snow: s is clamped, and what is cut off goes to the plastic volume, Jp <- Jp prod(s / clamped).
static void clamp(const pli_mpm_material *material, principal *p)
{
    const float low = (float)(1 - material->compression);
    const float high = (float)(1 + material->stretch);
    pli_f8 old = product(p->s);
    p->moved = (pli_f8_mask){0};
    for (int k = 0; k < 3; ++k) {
        pli_f8 clamped = pli_mpm_at_least_f8(low, pli_f8_min(pli_f8_broadcast(high), p->s[k]));
        p->moved |= (pli_f8_mask)(clamped != p->s[k]);
        p->s[k] = clamped;
    }
    pli_f8 volume = p->memory * old / product(p->s);
    const pli_f8 most = pli_f8_broadcast((float)material->most_volume);
    volume = pli_mpm_at_least_f8(material->least_volume, pli_f8_min(most, volume));
    p->memory = pli_f8_select(p->moved, volume, p->memory);
}

// Fixed corotated, no s below 1/2: s_k^2 - s_k = m + d_k with given d_k and the m that keeps J.
// With r + 1/2 for the least s and D_k >= 0 for d_k less the least d,
//
//   s_k = 1/2 + sqrt(r^2 + D_k),   H(r) = s_0 s_1 s_2 - J = 0
//
// H is convex and grows for r >= 0, so Newton's iteration passes the root at most once and then
// comes down to it.
PLI_INLINE void return_radially(const pli_f8 D[3], pli_f8 J, pli_f8 r, pli_f8 s[3])
{
    pli_f8_mask done = {0};
    for (int step = 0; step < NEWTON_STEPS; ++step) {
        pli_f8 slope = {0}; // of log s_0 s_1 s_2: the sum of r / (sqrt(r^2 + D_k) s_k)
        for (int k = 0; k < 3; ++k) {
            pli_f8 root = pli_f8_sqrt(r * r + D[k]);
            s[k] = 0.5f + root;
            slope += r / (pli_f8_max(root, pli_f8_broadcast(1e-18f)) * s[k]);
        }
        pli_f8 change = (1.0f - J / product(s)) / slope;
        r = pli_f8_select(done, r, r - change);
        done |= ~(pli_f8_mask)(pli_f8_abs(change) > 1e-4f);
        if (pli_f8_all(done)) break;
    }
    for (int k = 0; k < 3; ++k) s[k] = 0.5f + pli_f8_sqrt(r * r + D[k]);
}

// s_k = exp(m + x d_k), and the norm of the deviator of s_k^2 - s_k
PLI_INLINE pli_f8 stretch_along(pli_f8 m, const pli_f8 d[3], pli_f8 x, pli_f8 s[3])
{
    pli_f8 q[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = pli_f8_exp(m + x * d[k]);
        q[k] = s[k] * s[k] - s[k];
    }
    return deviate(q);
}

// The same where s^2 - s is not monotone: back along the deviator of log s, which keeps J and ends
// at a sphere, to where the deviator of the stress has the norm that is left.
static void return_along_strain(pli_f8 norm, pli_f8 s[3])
{
    pli_f8 d[3];
    for (int k = 0; k < 3; ++k) d[k] = pli_f8_log(pli_mpm_at_least_f8(PLI_MPM_LEAST_STRETCH, s[k]));
    pli_f8 m = mean(d);
    (void)deviate(d);
    pli_f8 x = pli_f8_broadcast(1);
    pli_f8_mask fits = (pli_f8_mask)(stretch_along(m, d, x, s) <= norm);
    pli_f8 low = pli_f8_select(fits, x, (pli_f8){0});
    float half = 0.5f;
    for (int k = 0; k < HALVINGS; ++k, half *= 0.5f) {
        x = low + half;
        fits = (pli_f8_mask)(stretch_along(m, d, x, s) <= norm) & (pli_f8_mask)(x <= 1.0f);
        low = pli_f8_select(fits, x, low);
    }
    (void)stretch_along(m, d, low, s);
}

// von Mises on fixed corotated: dev tau = 2 mu dev(s^2 - s)
static void yield_corotated(const pli_mpm_material *material, principal *p)
{
    pli_f8 q[3];
    pli_f8 radial[3];
    pli_f8 other[3];
    for (int k = 0; k < 3; ++k) {
        q[k] = p->s[k] * p->s[k] - p->s[k];
        other[k] = p->s[k];
    }
    pli_f8 norm = deviate(q);
    pli_mpm_flow flow;
    pli_mpm_flow_von_mises(material, norm, &p->memory, &flow);
    p->moved = flow.moved;
    if (!pli_f8_any(p->moved)) return;

    pli_f8 least = pli_f8_min(pli_f8_min(p->s[0], p->s[1]), p->s[2]);
    pli_f8 bottom = pli_f8_min(pli_f8_min(q[0], q[1]), q[2]);
    pli_f8_mask simple = (pli_f8_mask)(least >= 0.5f);
    for (int k = 0; k < 3; ++k) q[k] = flow.keep * (q[k] - bottom);
    return_radially(q, product(p->s), least - 0.5f, radial);
    if (pli_f8_any(p->moved & ~simple)) return_along_strain(flow.keep * norm, other);
    for (int k = 0; k < 3; ++k) {
        pli_f8 s = pli_f8_select(simple, radial[k], other[k]);
        p->s[k] = pli_f8_select(p->moved, s, p->s[k]);
    }
}

static void principal_fixed_corotated(const pli_mpm_material *material, principal *p)
{
    if (material->yield == PLI_MPM_VON_MISES) yield_corotated(material, p);
    p->J = product(p->s);
    pli_f8 pressure = (float)material->lambda * p->J * (p->J - 1.0f);
    for (int k = 0; k < 3; ++k) {
        p->tau[k] = (float)(2 * material->mu) * p->s[k] * (p->s[k] - 1.0f) + pressure;
    }
}

static void principal_neo_hookean(const pli_mpm_material *material, principal *p)
{
    p->J = product(p->s);
    p->trace = pli_f8_log(pli_mpm_at_least_f8(PLI_MPM_LEAST_VOLUME, p->J));
    for (int k = 0; k < 3; ++k) {
        p->tau[k] =
            (float)material->mu * (p->s[k] * p->s[k] - 1.0f) + (float)material->lambda * p->trace;
    }
}

static void principal_hencky(const pli_mpm_material *material, principal *p)
{
    const float bulk = (float)(material->lambda + 2 * material->mu / 3);
    pli_f8 d[3];
    for (int k = 0; k < 3; ++k)
        d[k] = pli_f8_log(pli_mpm_at_least_f8(PLI_MPM_LEAST_STRETCH, p->s[k]));
    pli_f8 t = d[0] + d[1] + d[2];
    pli_f8 norm = deviate(d);
    pli_mpm_flow flow;
    pli_mpm_flow_hencky(material, norm, t, &p->memory, &flow);
    for (int k = 0; k < 3; ++k) {
        pli_f8 strain = flow.keep * d[k];
        pli_f8 s = pli_f8_exp(strain + flow.trace * (1.0f / 3));
        p->s[k] = pli_f8_select(flow.moved, s, p->s[k]);
        p->tau[k] = (float)(2 * material->mu) * strain + bulk * flow.trace;
    }
    p->moved |= flow.moved;
    p->trace = flow.trace;
    p->J = pli_f8_exp(flow.trace);
}

typedef void (*principal_law)(const pli_mpm_material *material, principal *p);

static const principal_law laws[] = {
    [PLI_MPM_FIXED_COROTATED] = principal_fixed_corotated,
    [PLI_MPM_NEO_HOOKEAN] = principal_neo_hookean,
    [PLI_MPM_HENCKY] = principal_hencky,
};

// F <- F + U diag(change of s) V^T, whose rounding is as small as the change, and tau = U diag(tau)
// U^T; settled lanes stay.
static void turn_back(const pli_svd_parts_f8 *parts, const principal *p, pli_f8_mask settled,
                      pli_mpm_lanes *lanes)
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

void pli_mpm_principal_f8(const pli_mpm_material *material, pli_f8_mask settled,
                          pli_mpm_lanes *lanes)
{
    pli_svd_parts_f8 parts = {0};
    decompose(lanes->F, settled, &parts);
    principal p = {.memory = *lanes->memory};
    for (int k = 0; k < 3; ++k) p.s[k] = parts.sigma[k];
    if (material->yield == PLI_MPM_SNOW) clamp(material, &p);
    laws[material->elasticity](material, &p);
    turn_back(&parts, &p, settled, lanes);
    *lanes->memory = pli_f8_select(settled, *lanes->memory, p.memory);
    lanes->J = pli_f8_select(settled, lanes->J, p.J);
    lanes->trace = pli_f8_select(settled, lanes->trace, p.trace);
}

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
#include "material/lanes.h"
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

PLI_LAW_FUNCTIONS(law, isotropic)

// ---- eight points: tau = 2 mu dev(log V) + K tr(log V) 1, K = lambda + 2/3 mu, q = log V

// F <- exp(E + w 1) F in lanes that move, with E = (keep - 1) times the deviator of the strain and
// w a third of the change of its trace.
PLI_INLINE void move_back(const pli_f8 deviator[6], pli_f8 trace, const pli_flow *flow,
                          pli_lanes *at)
{
    pli_f8 E[6];
    pli_f8 S[6];
    pli_f8 moved[9];
    for (int k = 0; k < 6; ++k) E[k] = (flow->keep - 1.0f) * deviator[k];
    pli_symmetric_exp_f8(E, S);
    pli_f8 scale = pli_f8_exp((flow->trace - trace) * (1.0f / 3));
    for (int k = 0; k < 6; ++k) S[k] *= scale;
    pli_symmetric_multiply_f8(S, at->F, moved);
    for (int k = 0; k < 9; ++k) at->F[k] = pli_f8_select(flow->moved, moved[k], at->F[k]);
    at->J *= scale * scale * scale;
}

// What yields by shear does so here.
PLI_INLINE void flow_near(const pli_material *material, const pli_f8 deviator[6],
                          pli_f8_mask settled, pli_lanes *at, pli_flow *flow)
{
    pli_f8 norm = pli_f8_sqrt(pli_symmetric_norm2_f8(deviator));
    pli_f8 trace = flow->trace, history = *at->history;
    material->yield->lanes->flow(material, norm, trace, &history, flow);
    flow->moved &= settled;
    *at->history = pli_f8_select(settled, history, *at->history);
    if (pli_f8_any(flow->moved)) move_back(deviator, trace, flow, at);
}

static double bulk_of(const pli_material *material)
{
    return material->params[PLI_LAME_LAMBDA] + 2 * material->params[PLI_LAME_MU] / 3;
}

PLI_INLINE pli_f8_mask near(const pli_material *material, const pli_f8 b[6], pli_lanes *at)
{
    const float bulk = (float)bulk_of(material);
    pli_f8 deviator[6];
    at->J = pli_determinant_f8(at->F);
    pli_f8_mask settled = pli_symmetric_log_f8(b, deviator) & (pli_f8_mask)(at->J > 0.0f);

    // log V is half of log b, its trace log J
    for (int k = 0; k < 6; ++k) deviator[k] *= 0.5f;
    pli_flow flow = {.keep = pli_f8_broadcast(1), .trace = pli_f8_log(at->J)};
    const pli_yield_ops *yield = material->yield;
    if (yield != NULL && yield->lanes->flow != NULL)
        flow_near(material, deviator, settled, at, &flow);
    else
        settled &= pli_lanes_hold(material, b, at->J, deviator, *at->history);

    pli_f8 shear = (float)(2 * material->params[PLI_LAME_MU]) * flow.keep;
    at->trace = flow.trace;
    for (int k = 0; k < 6; ++k) at->tau[k] = shear * deviator[k];
    for (int k = 0; k < 3; ++k) at->tau[k] += bulk * flow.trace;
    return settled;
}

static void far(const pli_material *material, pli_principal_lanes *p)
{
    pli_f8 d[3];
    pli_logarithms_f8(p->s, d);
    p->trace = d[0] + d[1] + d[2];
    p->J = pli_f8_exp(p->trace);
    (void)pli_deviate_f8(d);
    const float mu2 = (float)(2 * material->params[PLI_LAME_MU]);
    const float bulk = (float)bulk_of(material);
    for (int k = 0; k < 3; ++k) p->tau[k] = mu2 * d[k] + bulk * p->trace;
}

static void shear(const pli_f8 s[3], pli_f8 q[3])
{
    pli_logarithms_f8(s, q);
}

// s = exp(t / 3 + keep d)
static void relax(pli_f8 keep, pli_f8 s[3])
{
    pli_f8 d[3];
    pli_logarithms_f8(s, d);
    pli_f8 trace = d[0] + d[1] + d[2];
    (void)pli_deviate_f8(d);
    for (int k = 0; k < 3; ++k) s[k] = pli_f8_exp(keep * d[k] + trace * (1.0f / 3));
}

// rho_0 dp/drho = K (1 - log J)
PLI_INLINE pli_f8 slope(const pli_material *material, pli_f8 J, pli_f8 trace)
{
    (void)J;
    return (float)bulk_of(material) * (1.0f - trace);
}

static void advance(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                    pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2)
{
    pli_lanes at = {.F = F, .history = history, .tau = tau};
    pli_lanes_move(material, dt, C, near, slope, &at, speed2);
}

static const pli_law_lanes lanes = {
    .logarithmic = true, .advance = advance, .far = far, .shear = shear, .relax = relax};

const pli_material_ops pli_law_hencky = {
    .name = "hencky",
    .doc = "Quadratic in logarithmic strain; the elastic part of plastic laws. Not invertible.",
    .flags = PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .lanes = &lanes,
    PLI_LAME_FIELDS,
};

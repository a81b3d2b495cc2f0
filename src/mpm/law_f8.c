// SPDX-License-Identifier: Apache-2.0
//
// The short way from F to the stress, eight particles at a time. One function a law, so that what
// depends on it is decided once a call; what all share is inlined into each.
#include "mpm/law_inside.h"

#include "math/simd_cbrt.h"
#include "math/symmetric_simd.h"

// The velocity gradient C (1/s) for a time dt (s).
typedef struct law_motion {
    float dt;
    const pli_f8 *C; // [9]
} law_motion;

// F <- (1 + dt C) F, and b = F F^T of the new one
PLI_INLINE void deform(const law_motion *motion, pli_f8 F[9], pli_f8 b[6])
{
    const float dt = motion->dt;
    const pli_f8 *C = motion->C;
    pli_f8 out[9];
    for (int i = 0; i < 9; i += 3) {
        pli_f8 x = dt * C[i];
        pli_f8 y = dt * C[i + 1];
        pli_f8 z = dt * C[i + 2];
        for (int j = 0; j < 3; ++j) {
            out[i + j] = F[i + j] + (x * F[j] + y * F[3 + j] + z * F[6 + j]);
        }
    }
    for (int k = 0; k < 9; ++k) F[k] = out[k];
    pli_symmetric_gram_f8(out, b);
}

// tau += 2 viscosity J dev((C + C^T) / 2)
PLI_INLINE void add_viscosity(const pli_mpm_material *material, const pli_f8 C[9], pli_f8 J,
                              pli_f8 tau[6])
{
    if (material->viscosity == 0) return;
    pli_f8 eta = (float)material->viscosity * J;
    pli_f8 rate[6] = {C[0] + C[0], C[4] + C[4], C[8] + C[8], C[5] + C[7], C[2] + C[6], C[1] + C[3]};
    (void)pli_symmetric_deviate_f8(rate);
    for (int k = 0; k < 6; ++k) tau[k] += eta * rate[k];
}

// Where snow stays as it is: the squares of the singular values, eigenvalues of b, are inside the
// squared limits. Anything, when it is not snow.
PLI_INLINE pli_f8_mask is_unclamped(const pli_mpm_material *material, const pli_f8 b[6], pli_f8 J)
{
    if (material->yield != PLI_MPM_SNOW) return ~(pli_f8_mask){0};
    double low = 1 - material->compression;
    double high = 1 + material->stretch;
    float low2 = (float)(low * low) * (1 - 4 * PLI_MPM_ROUNDING);
    float high2 = (float)(high * high) * (1 + 4 * PLI_MPM_ROUNDING);
    return pli_symmetric_is_above_f8(b, low2) & pli_symmetric_is_below_f8(b, high2) &
           (pli_f8_mask)(J > 0.0f);
}

// Once F, tau, J and the slope rho_0 dp/drho of the pressure (Pa) are known:
//
//   rho_0 c^2 = (4/3) mu J + slope, the second part never below zero,
//
// the factor of snow, which mu and lambda have and so all that is linear in them, and viscosity.
PLI_INLINE pli_f8 finish(const pli_mpm_material *material, const pli_f8 C[9], pli_f8 J,
                         pli_f8 slope, const pli_mpm_lanes *lanes)
{
    const float inverse = (float)(1 / material->density);
    pli_f8 speed2 = inverse * ((float)(4 * material->mu / 3) * J + pli_mpm_at_least_f8(0, slope));
    if (material->yield == PLI_MPM_SNOW && material->hardening > 0) {
        pli_f8 factor = pli_f8_exp((float)material->hardening * (1.0f - *lanes->memory));
        for (int k = 0; k < 6; ++k) lanes->tau[k] *= factor;
        speed2 *= factor;
    }
    add_viscosity(material, C, lanes->J, lanes->tau);
    return speed2;
}

// |J|, not zero: inverted matter is as dense as its mirror image
PLI_INLINE pli_f8 volume(const pli_mpm_lanes *lanes)
{
    return pli_mpm_at_least_f8(PLI_MPM_LEAST_VOLUME, pli_f8_abs(lanes->J));
}

// rho_0 dp/drho = (2/3) mu (2 J^(1/3) - J^(2/3)) + lambda J^2
PLI_INLINE pli_f8 corotated_slope(const pli_mpm_material *material, pli_f8 J)
{
    pli_f8 root = pli_f8_cbrt(J);
    return (float)(2 * material->mu / 3) * root * (2.0f - root) + (float)material->lambda * J * J;
}

// Where the deviator of b - V, that of the stress over 2 mu, is bearable.
PLI_INLINE pli_f8_mask is_rigid(const pli_mpm_material *material, const pli_f8 strain[6],
                                pli_f8 memory)
{
    if (material->yield != PLI_MPM_VON_MISES) return ~(pli_f8_mask){0};
    pli_f8 deviator[6];
    for (int k = 0; k < 6; ++k) deviator[k] = strain[k];
    (void)pli_symmetric_deviate_f8(deviator);
    pli_f8 norm = pli_f8_sqrt(pli_symmetric_norm2_f8(deviator));
    pli_mpm_flow flow;
    pli_mpm_flow_von_mises(material, norm, &memory, &flow);
    return ~flow.moved;
}

// tau = 2 mu (b - V) + lambda J (J - 1) 1
static void fixed_corotated(const pli_mpm_material *material, const law_motion *motion,
                            pli_mpm_lanes *lanes, pli_f8 *speed2)
{
    pli_f8 b[6];
    pli_f8 strain[6];
    deform(motion, lanes->F, b);
    pli_f8_mask settled = pli_stretch_f8(lanes->F, b, strain, &lanes->J);
    for (int k = 0; k < 6; ++k) strain[k] = b[k] - strain[k];
    settled &= is_unclamped(material, b, lanes->J);
    settled &= is_rigid(material, strain, *lanes->memory);

    pli_f8 pressure = (float)material->lambda * lanes->J * (lanes->J - 1.0f);
    for (int k = 0; k < 6; ++k) lanes->tau[k] = (float)(2 * material->mu) * strain[k];
    for (int k = 0; k < 3; ++k) lanes->tau[k] += pressure;
    if (!pli_f8_all(settled)) pli_mpm_principal_f8(material, settled, lanes);

    pli_f8 J = volume(lanes);
    *speed2 = finish(material, motion->C, J, corotated_slope(material, J), lanes);
}

// rho_0 dp/drho = mu (1 - J^(2/3) / 3) + lambda (1 - log J)
PLI_INLINE pli_f8 neo_hookean_slope(const pli_mpm_material *material, pli_f8 J, pli_f8 log_J)
{
    pli_f8 root = pli_f8_cbrt(J);
    return (float)material->mu * (1.0f - root * root * (1.0f / 3)) +
           (float)material->lambda * (1.0f - log_J);
}

// tau = mu (b - 1) + lambda log(J) 1
static void neo_hookean(const pli_mpm_material *material, const law_motion *motion,
                        pli_mpm_lanes *lanes, pli_f8 *speed2)
{
    const float mu = (float)material->mu;
    pli_f8 b[6];
    deform(motion, lanes->F, b);
    lanes->J = pli_determinant_f8(lanes->F);
    lanes->trace = pli_f8_log(pli_mpm_at_least_f8(PLI_MPM_LEAST_VOLUME, lanes->J));

    pli_f8 pressure = (float)material->lambda * lanes->trace;
    for (int k = 0; k < 3; ++k) lanes->tau[k] = mu * (b[k] - 1.0f) + pressure;
    for (int k = 3; k < 6; ++k) lanes->tau[k] = mu * b[k];
    pli_f8_mask settled = is_unclamped(material, b, lanes->J);
    if (!pli_f8_all(settled)) pli_mpm_principal_f8(material, settled, lanes);

    pli_f8 J = volume(lanes);
    pli_f8 slope = neo_hookean_slope(material, J, lanes->trace);
    *speed2 = finish(material, motion->C, J, slope, lanes);
}

// F <- exp(E + w 1) F in lanes that move, with E = (keep - 1) times the deviator of the strain and
// w a third of the change of its trace.
PLI_INLINE void move_back(const pli_f8 deviator[6], pli_f8 trace, const pli_mpm_flow *flow,
                          pli_mpm_lanes *lanes)
{
    pli_f8 E[6];
    pli_f8 S[6];
    pli_f8 moved[9];
    for (int k = 0; k < 6; ++k) E[k] = (flow->keep - 1.0f) * deviator[k];
    pli_symmetric_exp_f8(E, S);
    pli_f8 scale = pli_f8_exp((flow->trace - trace) * (1.0f / 3));
    for (int k = 0; k < 6; ++k) S[k] *= scale;
    pli_symmetric_multiply_f8(S, lanes->F, moved);
    for (int k = 0; k < 9; ++k) lanes->F[k] = pli_f8_select(flow->moved, moved[k], lanes->F[k]);
    lanes->J *= scale * scale * scale;
}

// tau = 2 mu dev(log V) + K tr(log V) 1, K = lambda + 2/3 mu, rho_0 dp/drho = K (1 - log J)
static void hencky(const pli_mpm_material *material, const law_motion *motion, pli_mpm_lanes *lanes,
                   pli_f8 *speed2)
{
    const float bulk = (float)(material->lambda + 2 * material->mu / 3);
    pli_f8 b[6];
    pli_f8 deviator[6];
    deform(motion, lanes->F, b);
    lanes->J = pli_determinant_f8(lanes->F);
    pli_f8_mask settled = pli_symmetric_log_f8(b, deviator) & (pli_f8_mask)(lanes->J > 0.0f);
    settled &= is_unclamped(material, b, lanes->J);

    // log V is half of log b, its trace log J
    for (int k = 0; k < 6; ++k) deviator[k] *= 0.5f;
    pli_f8 norm = pli_f8_sqrt(pli_symmetric_norm2_f8(deviator));
    pli_f8 trace = pli_f8_log(lanes->J);
    pli_f8 memory = *lanes->memory;
    pli_mpm_flow flow;
    pli_mpm_flow_hencky(material, norm, trace, &memory, &flow);
    flow.moved &= settled;
    *lanes->memory = pli_f8_select(settled, memory, *lanes->memory);
    if (pli_f8_any(flow.moved)) move_back(deviator, trace, &flow, lanes);

    pli_f8 shear = (float)(2 * material->mu) * flow.keep;
    lanes->trace = flow.trace;
    for (int k = 0; k < 6; ++k) lanes->tau[k] = shear * deviator[k];
    for (int k = 0; k < 3; ++k) lanes->tau[k] += bulk * flow.trace;
    if (!pli_f8_all(settled)) pli_mpm_principal_f8(material, settled, lanes);

    pli_f8 slope = bulk * (1.0f - lanes->trace);
    *speed2 = finish(material, motion->C, volume(lanes), slope, lanes);
}

// log(1 + x) without loss near zero: the rounding of 1 + x is made up for.
PLI_INLINE pli_f8 log_growth(pli_f8 x)
{
    pli_f8 growth = pli_mpm_at_least_f8(PLI_MPM_LEAST_FLUID, 1.0f + x);
    return pli_f8_log(growth) - ((growth - 1.0f) - x) / growth;
}

// tau = -J p 1, p = k (J^-gamma - 1), rho_0 dp/drho = k gamma J^(1 - gamma)
static void fluid(const pli_mpm_material *material, const law_motion *motion, pli_mpm_lanes *lanes,
                  pli_f8 *speed2)
{
    const float bulk = (float)material->bulk;
    const float gamma = (float)material->exponent;
    const pli_f8 *C = motion->C;
    pli_f8 L = *lanes->memory + log_growth(motion->dt * (C[0] + C[4] + C[8]));
    L = pli_mpm_at_least_f8(PLI_MPM_LEAST_FLUID_LOG, L);
    *lanes->memory = L;

    pli_f8 J = pli_f8_exp(L);
    pli_f8 excess = pli_f8_expm1(-gamma * L); // J^-gamma - 1
    for (int k = 0; k < 6; ++k) lanes->tau[k] = k < 3 ? -bulk * J * excess : (pli_f8){0};
    add_viscosity(material, C, J, lanes->tau);
    *speed2 =
        (float)(material->bulk * material->exponent / material->density) * J * (excess + 1.0f);
}

typedef void (*law)(const pli_mpm_material *material, const law_motion *motion,
                    pli_mpm_lanes *lanes, pli_f8 *speed2);

static const law laws[] = {
    [PLI_MPM_FIXED_COROTATED] = fixed_corotated,
    [PLI_MPM_NEO_HOOKEAN] = neo_hookean,
    [PLI_MPM_HENCKY] = hencky,
    [PLI_MPM_FLUID] = fluid,
};

void pli_mpm_advance_f8(const pli_mpm_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                        pli_f8 *memory, pli_f8 tau[6], pli_f8 *speed2)
{
    law_motion motion = {dt, C};
    pli_mpm_lanes lanes = {.F = F, .memory = memory, .tau = tau};
    laws[material->elasticity](material, &motion, &lanes, speed2);
}

// SPDX-License-Identifier: Apache-2.0
//
// Snow: fixed corotated matter whose axes go on straight outside of a box (plastic.h). With c the
// value of s in the box, c = s inside,
//
//   b = (c - 1)^2 + 2 (c - 1) (s - c),   b' = 2 (c - 1),   b'' = 2 inside, 0 outside
#include "material/plastic.h"

#include "material/isotropic.h"

PLI_INLINE pli_d4 clamp(pli_d4 s, const pli_d4 *p)
{
    pli_d4 low = 1.0 - p[PLI_PLASTIC_COMPRESSION], high = 1.0 + p[PLI_PLASTIC_STRETCH];
    // not-a-number stays one
    return pli_d4_max(low, pli_d4_min(high, s));
}

// 1 inside of the box
PLI_INLINE pli_d4 inside(pli_d4 s, pli_d4 c)
{
    return pli_keep((pli_d4_mask)(s == c), pli_d4_broadcast(1));
}

PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_d4 q[3];
    pli_d4 volume = pli_products(s, q) - 1.0;
    pli_d4 sum = {0};
    for (int k = 0; k < 3; ++k) {
        pli_d4 c = clamp(s[k], p);
        sum += (c - 1.0) * ((c - 1.0) + 2.0 * (s[k] - c));
    }
    *psi = p[PLI_LAME_MU] * sum + 0.5 * p[PLI_LAME_LAMBDA] * volume * volume;
}

PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    pli_d4 q[3];
    pli_d4 pressure = p[PLI_LAME_LAMBDA] * (pli_products(s, q) - 1.0);
    for (int k = 0; k < 3; ++k) {
        g[k] = 2.0 * p[PLI_LAME_MU] * (clamp(s[k], p) - 1.0) + pressure * q[k];
    }
}

// (c_i - c_j) / (s_i - s_j)
PLI_INLINE pli_d4 quotient(const pli_d4 s[3], const pli_d4 c[3], int i, int j)
{
    pli_d4 difference = s[i] - s[j];
    pli_d4_mask same = (pli_d4_mask)(difference == 0.0);
    pli_d4 limit = 0.5 * (inside(s[i], c[i]) + inside(s[j], c[j]));
    pli_d4 safe = pli_d4_select(same, pli_d4_broadcast(1), difference);
    return pli_d4_select(same, limit, (c[i] - c[j]) / safe);
}

PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    pli_d4 mu2 = 2.0 * p[PLI_LAME_MU];
    pli_d4 lambda = p[PLI_LAME_LAMBDA];
    pli_d4 q[3], c[3];
    pli_d4 J = pli_products(s, q);
    pli_d4 pressure = lambda * (J - 1.0);
    for (int k = 0; k < 3; ++k) c[k] = clamp(s[k], p);
    for (int k = 0; k < 3; ++k) {
        int i = pli_next(k);
        int j = pli_after_next(k);
        out->hessian[k] = mu2 * inside(s[k], c[k]) + lambda * q[k] * q[k];
        out->hessian[3 + k] = (lambda * J + pressure) * s[k];
        out->stretch[k] = mu2 * quotient(s, c, i, j) - pressure * s[k];
        out->twist[k] = mu2 * (c[i] + c[j] - 2.0) / pli_twist_denominator(s, k) + pressure * s[k];
    }
}

static const pli_isotropic_law law = {PLI_PLASTIC_PARAM_COUNT, false, energy, gradient, curvature};

PLI_LAW_FUNCTIONS(law, isotropic)

static const pli_material_input inputs[] = {
    PLI_LAME_INPUTS,
    {.key = "compression",
     .unit = "",
     .fallback = 0.025,
     .min = 0,
     .max = 1,
     .doc = "Compression of an axis at which it gives way."},
    {.key = "stretch",
     .unit = "",
     .fallback = 0.0075,
     .min = 0,
     .max = INFINITY,
     .doc = "Stretch of an axis at which it gives way."},
};

static void derive(const double *values, double *params)
{
    pli_lame_derive(values, params);
    params[PLI_PLASTIC_COMPRESSION] = values[2];
    params[PLI_PLASTIC_STRETCH] = values[3];
}

const pli_material_ops pli_law_snow = {
    .name = "snow",
    .doc = "Fixed corotated, with stress of axes that stays where they give way.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_ISOTROPIC,
    .input_count = 4,
    .inputs = inputs,
    .param_count = PLI_PLASTIC_PARAM_COUNT,
    .derive = derive,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .sound_speed = pli_lame_sound_speed,
};

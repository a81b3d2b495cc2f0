// SPDX-License-Identifier: Apache-2.0
//
// von Mises. The second derivatives in logarithms are
//
//   dtau_i/de_j = A (delta_ij - 1/3) + B d_i d_j + volume'',   A = phi'/n,  B = (phi'' - A) / n^2
//
// and tau_i - tau_j = A (e_i - e_j), which gives the quotients of the 2x2 blocks as in hencky.c.
#include "material/plastic.h"

#include "material/logarithmic.h"

static const double root_two_thirds = 0.81649658092772603;

// The part of the deviator, at four points.
typedef struct shear {
    pli_d4 L[3];
    pli_d4 t;
    pli_d4 d[3];
    pli_d4 phi;
    pli_d4 A;
    pli_d4 B;
} shear;

// The part of the volume: a function of t, and its derivatives.
typedef struct volume {
    pli_d4 psi;
    pli_d4 slope;
    pli_d4 curve;
} volume;

typedef void (*volume_fn)(const pli_d4 *t, const pli_d4 *p, volume *out);

PLI_INLINE void find_shear(const pli_d4 s[3], const pli_d4 *p, shear *out)
{
    const pli_d4 zero = {0}, tiny = pli_d4_broadcast(1e-100);
    pli_d4 mu = p[PLI_LAME_MU], hardening = p[PLI_PLASTIC_HARDENING];
    pli_d4 square = zero;
    out->t = pli_logarithms(s, out->L);
    for (int k = 0; k < 3; ++k) {
        out->d[k] = out->L[k] - out->t / 3.0;
        square += out->d[k] * out->d[k];
    }
    pli_d4 n = pli_d4_max(pli_d4_sqrt(square), tiny);
    pli_d4 limit = 0.5 * root_two_thirds * p[PLI_PLASTIC_YIELD] / mu;
    pli_d4 inner = pli_d4_min(n, limit), beyond = pli_d4_max(n - limit, zero);
    // mu r
    pli_d4 kept = mu * (hardening / (3.0 * mu + hardening));
    // mu n^2 - mu (1 - r) (n - l)^2, without taking large from large
    out->phi = mu * inner * (inner + 2.0 * beyond) + kept * beyond * beyond;
    out->A = 2.0 * (mu * inner + kept * beyond) / n;
    out->B = pli_keep((pli_d4_mask)(beyond > zero), 2.0 * (kept - mu) * limit / (n * n * n));
}

// K t^2 / 2
PLI_INLINE void hencky_volume(const pli_d4 *t, const pli_d4 *p, volume *out)
{
    out->curve = p[PLI_LAME_LAMBDA] + (2.0 / 3.0) * p[PLI_LAME_MU];
    out->slope = out->curve * *t;
    out->psi = 0.5 * out->slope * *t;
}

// 3 mu (j - 1)^2 + lambda/2 (j^3 - 1)^2
PLI_INLINE void corotated_volume(const pli_d4 *t, const pli_d4 *p, volume *out)
{
    pli_d4 mu = p[PLI_LAME_MU], lambda = p[PLI_LAME_LAMBDA];
    pli_d4 a, b; // j - 1 and J - 1, small ones with all their digits
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
        a[lane] = expm1((*t)[lane] / 3);
        b[lane] = expm1((*t)[lane]);
    }
    pli_d4 j = a + 1.0, J = b + 1.0;
    out->psi = 3.0 * mu * a * a + 0.5 * lambda * b * b;
    out->slope = 2.0 * mu * j * a + lambda * J * b;
    out->curve = (2.0 / 3.0) * mu * j * (j + a) + lambda * J * (J + b);
}

PLI_INLINE void energy_with(volume_fn find_volume, const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    shear part;
    volume size;
    find_shear(s, p, &part);
    find_volume(&part.t, p, &size);
    *psi = part.phi + size.psi;
}

PLI_INLINE void gradient_with(volume_fn find_volume, const pli_d4 s[3], const pli_d4 *p,
                              pli_d4 g[3])
{
    shear part;
    volume size;
    find_shear(s, p, &part);
    find_volume(&part.t, p, &size);
    for (int k = 0; k < 3; ++k) g[k] = (part.A * part.d[k] + size.slope) / s[k];
}

PLI_INLINE void curvature_with(volume_fn find_volume, const pli_d4 s[3], const pli_d4 *p,
                               pli_curvature *out)
{
    shear part;
    volume size;
    pli_d4 tau[3];
    find_shear(s, p, &part);
    find_volume(&part.t, p, &size);
    for (int k = 0; k < 3; ++k) tau[k] = part.A * part.d[k] + size.slope;
    for (int k = 0; k < 3; ++k) {
        int i = pli_next(k);
        int j = pli_after_next(k);
        pli_d4 inverse = 1.0 / (s[i] * s[j]);
        pli_d4 own = (2.0 / 3.0) * part.A + part.B * part.d[k] * part.d[k] + size.curve;
        pli_d4 cross = part.B * part.d[i] * part.d[j] + size.curve - part.A / 3.0;
        pli_d4 slope = pli_mean_slope(s[i], s[j], part.L[i] - part.L[j]);
        out->hessian[k] = (own - tau[k]) / (s[k] * s[k]);
        out->hessian[3 + k] = cross * inverse;
        out->stretch[k] = (part.A * slope - 0.5 * (tau[i] + tau[j])) * inverse;
        out->twist[k] = (tau[i] * s[j] + tau[j] * s[i]) * inverse / (s[i] + s[j]);
    }
}

// ---- the laws

PLI_INLINE void hencky_energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    energy_with(hencky_volume, s, p, psi);
}

PLI_INLINE void hencky_gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    gradient_with(hencky_volume, s, p, g);
}

PLI_INLINE void hencky_curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    curvature_with(hencky_volume, s, p, out);
}

static const pli_isotropic_law hencky = {PLI_PLASTIC_PARAM_COUNT, true, hencky_energy,
                                         hencky_gradient, hencky_curvature};

PLI_LAW_FUNCTIONS(hencky, isotropic)

PLI_INLINE void corotated_energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    energy_with(corotated_volume, s, p, psi);
}

PLI_INLINE void corotated_gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    gradient_with(corotated_volume, s, p, g);
}

PLI_INLINE void corotated_curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)
{
    curvature_with(corotated_volume, s, p, out);
}

static const pli_isotropic_law corotated = {PLI_PLASTIC_PARAM_COUNT, true, corotated_energy,
                                            corotated_gradient, corotated_curvature};

PLI_LAW_FUNCTIONS(corotated, isotropic)

static const pli_material_input inputs[] = {
    PLI_LAME_INPUTS,
    {.key = "yield",
     .unit = "Pa",
     .fallback = 1e3,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc = "Stress at which a bar that is pulled begins to flow."},
    {.key = "hardening",
     .unit = "Pa",
     .fallback = 1,
     .min = 0,
     .max = INFINITY,
     .doc = "Growth of the yield stress per plastic strain."},
};

static void derive(const double *values, double *params)
{
    pli_lame_derive(values, params);
    params[PLI_PLASTIC_YIELD] = values[2];
    params[PLI_PLASTIC_HARDENING] = values[3];
}

const pli_material_ops pli_law_hencky_von_mises = {
    .name = "hencky-von-mises",
    .doc = "Quadratic in logarithmic strain up to a yield stress, and flowing beyond it.",
    .flags = PLI_LAW_ISOTROPIC,
    .input_count = 4,
    .inputs = inputs,
    .param_count = PLI_PLASTIC_PARAM_COUNT,
    .derive = derive,
    .evaluate = hencky_evaluate,
    .principal = hencky_principal,
    .sound_speed = pli_lame_sound_speed,
};

const pli_material_ops pli_law_corotated_von_mises = {
    .name = "corotated-von-mises",
    .doc = "The same with the pressure of fixed corotated matter.",
    .flags = PLI_LAW_ISOTROPIC,
    .input_count = 4,
    .inputs = inputs,
    .param_count = PLI_PLASTIC_PARAM_COUNT,
    .derive = derive,
    .evaluate = corotated_evaluate,
    .principal = corotated_principal,
    .sound_speed = pli_lame_sound_speed,
};

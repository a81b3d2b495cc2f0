// SPDX-License-Identifier: Apache-2.0
//
// Ogden elasticity with a volume of its own: powers of the stretches at constant volume (Ogden
// 1972; split as in Simo and Taylor 1991),
//
//   psi = sum_i mu_i / alpha_i (sum_k z_k^alpha_i - 3) + K/4 (J^2 - 1 - 2 log J),   z_k = J^(-1/3)
//   s_k
//
// The part of the volume is convex and without bound at both ends. With b_k = log z_k and T = log
// J,
//
//   W_k   = sum_i mu_i (exp(alpha_i b_k) - 1),   tau_k = W_k - mean W + K/2 (exp(2 T) - 1)
//   dW_k  = sum_i mu_i alpha_i exp(alpha_i b_k)
//   dtau_k / dlog s_l = dW_k d_kl - (dW_k + dW_l) / 3 + sum dW / 9 + K exp(2 T)
//
// As b_k sum to zero, the energy is also made of exp(x) - 1 - x, which keeps its digits near rest.
// The quotient (W_i - W_j) / (s_i - s_j) is that of the exponentials times that of the logarithms,
// neither of which cancels.
//
// A law has a constant number of terms; its parameters are mu_i, alpha_i of each, and K.
#ifndef PLI_MATERIAL_OGDEN_H
#define PLI_MATERIAL_OGDEN_H

#include "material/logarithmic.h"

#include "math/simd_exp.h"

enum { PLI_OGDEN_TERMS_MAX = 3 };

// largest exponent that is taken as it is: beyond it no number is left for its square
#define PLI_OGDEN_LARGEST 300.0

typedef struct pli_ogden_state {
    pli_d4 L[3]; // log s
    pli_d4 b[3]; // log z
    pli_d4 T;    // log J
} pli_ogden_state;

PLI_INLINE void pli_ogden_load(const pli_d4 s[3], pli_ogden_state *at)
{
    at->T = pli_logarithms(s, at->L);
    for (int k = 0; k < 3; ++k) at->b[k] = at->L[k] - at->T * (1.0 / 3);
}

PLI_INLINE pli_d4 pli_ogden_bounded(pli_d4 x)
{
    const pli_d4 most = pli_d4_broadcast(PLI_OGDEN_LARGEST);
    return pli_d4_max(-most, pli_d4_min(most, x));
}

PLI_INLINE void pli_ogden_energy(int terms, const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)
{
    pli_ogden_state at;
    pli_ogden_load(s, &at);
    *psi = 0.25 * p[2 * terms] * pli_d4_expm1_above(pli_ogden_bounded(2.0 * at.T));
    for (int i = 0; i < terms; ++i) {
        pli_d4 mu = p[2 * i];
        pli_d4 alpha = p[2 * i + 1];
        pli_d4 sum = {0};
        for (int k = 0; k < 3; ++k) {
            sum += pli_d4_expm1_above(pli_ogden_bounded(alpha * at.b[k]));
        }
        *psi += mu / alpha * sum;
    }
}

// Kirchhoff stress
PLI_INLINE void pli_ogden_stress(int terms, const pli_ogden_state *at, const pli_d4 *p,
                                 pli_d4 tau[3])
{
    pli_d4 W[3] = {{0}, {0}, {0}};
    for (int i = 0; i < terms; ++i) {
        for (int k = 0; k < 3; ++k) {
            W[k] += p[2 * i] * pli_d4_expm1(pli_ogden_bounded(p[2 * i + 1] * at->b[k]));
        }
    }
    pli_d4 pressure = 0.5 * p[2 * terms] * pli_d4_expm1(pli_ogden_bounded(2.0 * at->T)) -
                      (W[0] + W[1] + W[2]) * (1.0 / 3);
    for (int k = 0; k < 3; ++k) tau[k] = W[k] + pressure;
}

PLI_INLINE void pli_ogden_gradient(int terms, const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])
{
    pli_ogden_state at;
    pli_ogden_load(s, &at);
    pli_ogden_stress(terms, &at, p, g);
    for (int k = 0; k < 3; ++k) g[k] /= s[k];
}

// dW, and for the pair without k (W_i - W_j) / (b_i - b_j)
PLI_INLINE void pli_ogden_slopes(int terms, const pli_ogden_state *at, const pli_d4 *p,
                                 pli_d4 dW[3], pli_d4 between[3])
{
    for (int k = 0; k < 3; ++k) dW[k] = between[k] = (pli_d4){0};
    for (int i = 0; i < terms; ++i) {
        pli_d4 alpha = p[2 * i + 1];
        pli_d4 modulus = p[2 * i] * alpha;
        pli_d4 power[3];
        for (int k = 0; k < 3; ++k) {
            power[k] = pli_d4_exp(pli_ogden_bounded(alpha * at->b[k]));
            dW[k] += modulus * power[k];
        }
        for (int k = 0; k < 3; ++k) {
            int j = pli_after_next(k);
            pli_d4 x = alpha * (at->L[pli_next(k)] - at->L[j]);
            pli_d4_mask is_close = (pli_d4_mask)(pli_d4_abs(x) < 0.5);
            pli_d4 close = power[j] * (1.0 + x * pli_d4_exp_second(x));
            pli_d4 apart = (power[pli_next(k)] - power[j]) / x;
            between[k] += modulus * pli_d4_select(is_close, close, apart);
        }
    }
}

PLI_INLINE void pli_ogden_curvature(int terms, const pli_d4 s[3], const pli_d4 *p,
                                    pli_curvature *out)
{
    pli_ogden_state at;
    pli_d4 tau[3], dW[3], between[3];
    pli_ogden_load(s, &at);
    pli_ogden_stress(terms, &at, p, tau);
    pli_ogden_slopes(terms, &at, p, dW, between);
    pli_d4 common = (dW[0] + dW[1] + dW[2]) * (1.0 / 9) +
                    p[2 * terms] * pli_d4_exp(pli_ogden_bounded(2.0 * at.T));
    for (int k = 0; k < 3; ++k) {
        int i = pli_next(k);
        int j = pli_after_next(k);
        pli_d4 inverse = 1.0 / (s[i] * s[j]);
        pli_d4 slope = between[k] * pli_mean_slope(s[i], s[j], at.L[i] - at.L[j]);
        out->hessian[k] = (dW[k] * (1.0 / 3) + common - tau[k]) / (s[k] * s[k]);
        out->hessian[3 + k] = (common - (dW[i] + dW[j]) * (1.0 / 3)) * inverse;
        out->stretch[k] = (slope - 0.5 * (tau[i] + tau[j])) * inverse;
        out->twist[k] = (tau[i] * s[j] + tau[j] * s[i]) * inverse / (s[i] + s[j]);
    }
}

// 2 mu = sum mu_i alpha_i, the shear modulus at rest
static inline double pli_ogden_speed(int terms, const double *params, double density)
{
    double twice = 0;
    for (int i = 0; i < terms; ++i) twice += params[2 * i] * params[2 * i + 1];
    return sqrt((params[2 * terms] + twice * 2 / 3) / density);
}

// The law of a file, with its constant number of terms.
#define PLI_OGDEN_FUNCTIONS(terms)                                                             \
    PLI_INLINE void energy(const pli_d4 s[3], const pli_d4 *p, pli_d4 *psi)                    \
    {                                                                                          \
        pli_ogden_energy(terms, s, p, psi);                                                    \
    }                                                                                          \
    PLI_INLINE void gradient(const pli_d4 s[3], const pli_d4 *p, pli_d4 g[3])                  \
    {                                                                                          \
        pli_ogden_gradient(terms, s, p, g);                                                    \
    }                                                                                          \
    PLI_INLINE void curvature(const pli_d4 s[3], const pli_d4 *p, pli_curvature *out)          \
    {                                                                                          \
        pli_ogden_curvature(terms, s, p, out);                                                 \
    }                                                                                          \
    static double speed(const double *params, double density)                                  \
    {                                                                                          \
        return pli_ogden_speed(terms, params, density);                                        \
    }                                                                                          \
    static const pli_isotropic_law law = {2 * (terms) + 1, true, energy, gradient, curvature}; \
    PLI_LAW_FUNCTIONS(law, isotropic)

#endif

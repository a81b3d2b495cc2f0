// SPDX-License-Identifier: Apache-2.0
#include "material/reference.h"

#include "material/isotropic.h"
#include "material/lame.h"
#include "material/laws.h"

#include "math/eigen.h"
#include "math/mat3.h"
#include "math/svd.h"

// An energy of the singular values and of the law's two parameters, mu and lambda but for a fluid;
// H is a full symmetric 3x3 matrix.
typedef struct scalar_law {
    const pli_material_ops *ops;
    bool needs_positive;
    bool has_kink; // at s_i + s_j = 0
    double (*energy)(const double s[3], double mu, double lambda);
    void (*gradient)(const double s[3], double mu, double lambda, double g[3]);
    void (*hessian)(const double s[3], double mu, double lambda, double H[9]);
} scalar_law;

// product of the singular values other than those of i and j (or of i alone when i = j)
static double others(const double s[3], int i, int j)
{
    double product = 1;
    for (int k = 0; k < 3; ++k) {
        if (k != i && k != j) product *= s[k];
    }
    return product;
}

static double volume(const double s[3])
{
    return s[0] * s[1] * s[2];
}

static double length2(const double s[3])
{
    return s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
}

// second derivatives of mu sum (s_i - 1)^2 and of a function of J with first and second derivative
static double stretch_part(int i, int j, double mu)
{
    return i == j ? 2 * mu : 0;
}

static double volume_part(const double s[3], int i, int j, double first, double second)
{
    double mixed = i == j ? 0 : others(s, i, j);
    return second * others(s, i, i) * others(s, j, j) + first * mixed;
}

static double fixed_corotated_energy(const double s[3], double mu, double lambda)
{
    double d[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    double J = volume(s);
    return mu * length2(d) + lambda / 2 * (J - 1) * (J - 1);
}

static void fixed_corotated_gradient(const double s[3], double mu, double lambda, double g[3])
{
    double J = volume(s);
    for (int i = 0; i < 3; ++i) {
        g[i] = 2 * mu * (s[i] - 1) + lambda * (J - 1) * others(s, i, i);
    }
}

static void fixed_corotated_hessian(const double s[3], double mu, double lambda, double H[9])
{
    double J = volume(s);
    for (int k = 0; k < 9; ++k) {
        H[k] =
            stretch_part(k / 3, k % 3, mu) + volume_part(s, k / 3, k % 3, lambda * (J - 1), lambda);
    }
}

static double corotated_energy(const double s[3], double mu, double lambda)
{
    double d[3] = {s[0] - 1, s[1] - 1, s[2] - 1};
    double trace = d[0] + d[1] + d[2];
    return mu * length2(d) + lambda / 2 * trace * trace;
}

static void corotated_gradient(const double s[3], double mu, double lambda, double g[3])
{
    double trace = s[0] + s[1] + s[2] - 3;
    for (int i = 0; i < 3; ++i) g[i] = 2 * mu * (s[i] - 1) + lambda * trace;
}

static void corotated_hessian(const double s[3], double mu, double lambda, double H[9])
{
    (void)s;
    for (int k = 0; k < 9; ++k) H[k] = stretch_part(k / 3, k % 3, mu) + lambda;
}

static double neo_hookean_energy(const double s[3], double mu, double lambda)
{
    double L = log(volume(s));
    return mu / 2 * (length2(s) - 3) - mu * L + lambda / 2 * L * L;
}

static void neo_hookean_gradient(const double s[3], double mu, double lambda, double g[3])
{
    double L = log(volume(s));
    for (int i = 0; i < 3; ++i) g[i] = mu * s[i] + (lambda * L - mu) / s[i];
}

static void neo_hookean_hessian(const double s[3], double mu, double lambda, double H[9])
{
    double L = log(volume(s));
    for (int k = 0; k < 9; ++k) {
        int i = k / 3;
        int j = k % 3;
        H[k] = lambda / (s[i] * s[j]);
        if (i == j) H[k] += mu - (lambda * L - mu) / (s[i] * s[i]);
    }
}

static double stable_energy(const double s[3], double mu, double lambda)
{
    double m = 4.0 / 3.0 * mu;
    double l = lambda + 5.0 / 6.0 * mu;
    double alpha = 1 + 0.75 * m / l;
    double I = length2(s);
    double J = volume(s);
    double at_rest = l / 2 * (1 - alpha) * (1 - alpha) - m / 2 * log(4);
    return m / 2 * (I - 3) + l / 2 * (J - alpha) * (J - alpha) - m / 2 * log(I + 1) - at_rest;
}

static void stable_gradient(const double s[3], double mu, double lambda, double g[3])
{
    double m = 4.0 / 3.0 * mu;
    double l = lambda + 5.0 / 6.0 * mu;
    double alpha = 1 + 0.75 * m / l;
    double I = length2(s);
    double J = volume(s);
    for (int i = 0; i < 3; ++i) {
        g[i] = m * s[i] - m * s[i] / (I + 1) + l * (J - alpha) * others(s, i, i);
    }
}

static void stable_hessian(const double s[3], double mu, double lambda, double H[9])
{
    double m = 4.0 / 3.0 * mu;
    double l = lambda + 5.0 / 6.0 * mu;
    double alpha = 1 + 0.75 * m / l;
    double I = length2(s);
    double J = volume(s);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3;
        int j = k % 3;
        H[k] = volume_part(s, i, j, l * (J - alpha), l) + 2 * m * s[i] * s[j] / ((I + 1) * (I + 1));
        if (i == j) H[k] += m - m / (I + 1);
    }
}

static double hencky_energy(const double s[3], double mu, double lambda)
{
    double L[3] = {log(s[0]), log(s[1]), log(s[2])};
    double trace = L[0] + L[1] + L[2];
    return mu * length2(L) + lambda / 2 * trace * trace;
}

static void hencky_gradient(const double s[3], double mu, double lambda, double g[3])
{
    double L[3] = {log(s[0]), log(s[1]), log(s[2])};
    double trace = L[0] + L[1] + L[2];
    for (int i = 0; i < 3; ++i) g[i] = (2 * mu * L[i] + lambda * trace) / s[i];
}

static void hencky_hessian(const double s[3], double mu, double lambda, double H[9])
{
    double g[3];
    hencky_gradient(s, mu, lambda, g);
    for (int k = 0; k < 9; ++k) {
        int i = k / 3;
        int j = k % 3;
        H[k] = lambda / (s[i] * s[j]);
        if (i == j) H[k] += (2 * mu / s[i] - g[i]) / s[i];
    }
}

static double fluid_energy(const double s[3], double bulk, double exponent)
{
    double J = volume(s);
    if (exponent == 1) return bulk * (J - log(J) - 1);
    return bulk * (pow(J, 1 - exponent) / (exponent - 1) + J - exponent / (exponent - 1));
}

static void fluid_gradient(const double s[3], double bulk, double exponent, double g[3])
{
    double pressure = bulk * (pow(volume(s), -exponent) - 1);
    for (int i = 0; i < 3; ++i) g[i] = -pressure * others(s, i, i);
}

static void fluid_hessian(const double s[3], double bulk, double exponent, double H[9])
{
    double pressure = bulk * (pow(volume(s), -exponent) - 1);
    double second = bulk * exponent * pow(volume(s), -exponent - 1);
    for (int k = 0; k < 9; ++k) H[k] = volume_part(s, k / 3, k % 3, -pressure, second);
}

static const scalar_law laws[] = {
    {&pli_law_fixed_corotated, false, true, fixed_corotated_energy, fixed_corotated_gradient,
     fixed_corotated_hessian},
    {&pli_law_corotated, false, true, corotated_energy, corotated_gradient, corotated_hessian},
    {&pli_law_neo_hookean, true, false, neo_hookean_energy, neo_hookean_gradient,
     neo_hookean_hessian},
    {&pli_law_stable_neo_hookean, false, false, stable_energy, stable_gradient, stable_hessian},
    {&pli_law_hencky, true, false, hencky_energy, hencky_gradient, hencky_hessian},
    {&pli_law_fluid, true, false, fluid_energy, fluid_gradient, fluid_hessian},
};

// (psi_i - psi_j) / (s_i - s_j), or its limit for equal singular values
static double stretch_quotient(const double s[3], const double g[3], const double H[9], int i,
                               int j)
{
    double difference = s[i] - s[j];
    bool close = fabs(difference) <= 1e-5 * fabs(s[i]);
    return close ? (H[4 * i] + H[4 * j]) / 2 - H[3 * i + j] : (g[i] - g[j]) / difference;
}

// (psi_i + psi_j) / (s_i + s_j), or its limit for opposite singular values where there is one
static double twist_quotient(const scalar_law *law, const double s[3], const double g[3],
                             const double H[9], int i, int j)
{
    double sum = s[i] + s[j];
    if (law->has_kink) return (g[i] + g[j]) / fmax(sum, PLI_TWIST_FLOOR);
    bool close = fabs(sum) <= 1e-5 * fabs(s[i]);
    return close ? (H[4 * i] + H[4 * j]) / 2 + H[3 * i + j] : (g[i] + g[j]) / sum;
}

// dPdF += value (u_a v_b^T) (x) (u_c v_d^T)
static void add_mode(double value, const double left[9], const double right[9], double dPdF[81])
{
    for (int k = 0; k < 9; ++k) {
        for (int l = 0; l < 9; ++l) dPdF[9 * k + l] += value * left[k] * right[l];
    }
}

// modes[3 a + b] = u_a v_b^T as nine numbers
static void make_modes(const double U[9], const double V[9], double modes[9][9])
{
    for (int mode = 0; mode < 9; ++mode) {
        for (int k = 0; k < 9; ++k) {
            modes[mode][k] = U[3 * (k / 3) + mode / 3] * V[3 * (k % 3) + mode % 3];
        }
    }
}

static void add_pair(double stretch, double twist, double modes[9][9], int i, int j,
                     double dPdF[81])
{
    double same = (stretch + twist) / 2;
    double crossed = (stretch - twist) / 2;
    add_mode(same, modes[3 * i + j], modes[3 * i + j], dPdF);
    add_mode(same, modes[3 * j + i], modes[3 * j + i], dPdF);
    add_mode(crossed, modes[3 * i + j], modes[3 * j + i], dPdF);
    add_mode(crossed, modes[3 * j + i], modes[3 * i + j], dPdF);
}

typedef struct svd_parts {
    double U[9];
    double s[3];
    double V[9];
} svd_parts;

static void tangent(const scalar_law *law, const double *params, bool projects,
                    const svd_parts *parts, double dPdF[81])
{
    const double *s = parts->s;
    double modes[9][9];
    double g[3];
    double H[9];
    law->gradient(s, params[PLI_LAME_MU], params[PLI_LAME_LAMBDA], g);
    law->hessian(s, params[PLI_LAME_MU], params[PLI_LAME_LAMBDA], H);
    make_modes(parts->U, parts->V, modes);
    for (int i = 0; i < 3; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            double stretch = stretch_quotient(s, g, H, i, j);
            double twist = twist_quotient(law, s, g, H, i, j);
            if (projects) stretch = fmax(stretch, 0);
            if (projects) twist = fmax(twist, 0);
            add_pair(stretch, twist, modes, i, j, dPdF);
        }
    }
    if (projects) (void)pli_psd_clamp(3, H);
    for (int k = 0; k < 9; ++k) add_mode(H[k], modes[4 * (k / 3)], modes[4 * (k % 3)], dPdF);
}

static void isotropic(const scalar_law *law, const double *params, const double F[9], bool projects,
                      pli_reference_point *out)
{
    double mu = params[PLI_LAME_MU];
    double lambda = params[PLI_LAME_LAMBDA];
    svd_parts parts;
    double g[3];
    double Ug[9];
    *out = (pli_reference_point){.psi = INFINITY};
    pli_svd(F, parts.U, parts.s, parts.V);
    if (law->needs_positive && parts.s[2] <= 0) return;
    out->psi = law->energy(parts.s, mu, lambda);
    law->gradient(parts.s, mu, lambda, g);
    for (int k = 0; k < 9; ++k) Ug[k] = parts.U[k] * g[k % 3];
    pli_mat3_multiply_transposed_right(Ug, parts.V, out->P);
    tangent(law, params, projects, &parts, out->dPdF);
}

static void linear(const double *params, const double F[9], pli_reference_point *out)
{
    double mu = params[PLI_LAME_MU];
    double lambda = params[PLI_LAME_LAMBDA];
    double transposed[9];
    double e[9];
    pli_mat3_transpose(F, transposed);
    for (int k = 0; k < 9; ++k) e[k] = (F[k] + transposed[k]) / 2 - (k % 4 == 0);
    double trace = pli_mat3_trace(e);
    out->psi = mu * pli_mat3_contract(e, e) + lambda / 2 * trace * trace;
    for (int k = 0; k < 9; ++k) out->P[k] = 2 * mu * e[k] + (k % 4 == 0) * lambda * trace;

    // columns of the tangent: the stress of unit displacement gradients
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            for (int ij = 0; ij < 9; ++ij) {
                bool same = ij == 3 * k + l;
                bool flipped = ij == 3 * l + k;
                bool both = ij % 4 == 0 && k == l;
                out->dPdF[9 * ij + 3 * k + l] = mu * (same + flipped) + lambda * both;
            }
        }
    }
}

bool pli_reference_evaluate(const pli_material_ops *law, const double *params, const double F[9],
                            pli_projection projection, pli_reference_point *out)
{
    if (law == &pli_law_linear) {
        linear(params, F, out);
        return true;
    }
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        if (laws[k].ops != law) continue;
        isotropic(&laws[k], params, F, projection == PLI_TANGENT_PROJECTED, out);
        return true;
    }
    return false;
}

// SPDX-License-Identifier: Apache-2.0
//
// The laws once more, one particle at a time in double and straight from their formulas: what the
// eight lanes are tested against.
#include "mpm/law_inside.h"

#include "math/mat3.h"
#include "math/svd.h"

enum { REFERENCE_STEPS = 60 }; // of the searches: halvings of one down to rounding

static const double root_two_thirds = 0.81649658092772603;

// A particle in the frame of its singular vectors.
typedef struct point {
    double s[3];   // singular values
    double tau[3]; // Kirchhoff stress (Pa)
    double J;
    double slope; // rho_0 dp/drho (Pa)
    double memory;
    bool moved; // s is another one than that of F
} point;

static double product(const double x[3])
{
    return x[0] * x[1] * x[2];
}

static double mean(const double x[3])
{
    return (x[0] + x[1] + x[2]) / 3;
}

// Takes the mean off x and returns the norm of what remains.
static double deviate(double x[3])
{
    double middle = mean(x);
    for (int k = 0; k < 3; ++k) x[k] -= middle;
    return pli_vec3_norm(x);
}

// x into [low, high]; not-a-number stays one
static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static void clamp_snow(const pli_mpm_material *material, point *p)
{
    double ratio = 1;
    for (int k = 0; k < 3; ++k) {
        double clamped = clamp(p->s[k], 1 - material->compression, 1 + material->stretch);
        if (clamped == p->s[k]) continue;
        ratio *= p->s[k] / clamped;
        p->s[k] = clamped;
        p->moved = true;
    }
    if (!p->moved) return;
    p->memory = clamp(p->memory * ratio, material->least_volume, material->most_volume);
}

// How much of a deviator of the given norm (of strain) von Mises leaves; see law_inside.h.
static double keep_von_mises(const pli_mpm_material *material, double norm, point *p)
{
    double stress = material->yield_stress + material->strain_hardening * p->memory;
    double beyond = norm - root_two_thirds * stress / (2 * material->mu);
    if (!(beyond > 0)) return 1;
    double g = beyond / (1 + material->strain_hardening / (3 * material->mu));
    p->memory += root_two_thirds * g;
    p->moved = true;
    return 1 - g / norm;
}

// s_k^2 - s_k = m + d_k with the m that keeps J; d_2 is the least and no s is below 1/2.
static void return_radially(const double d[3], double J, double s[3])
{
    double r = s[2] - 0.5;
    for (int step = 0; step < REFERENCE_STEPS; ++step) {
        double slope = 0;
        for (int k = 0; k < 3; ++k) {
            double root = sqrt(r * r + fmax(0, d[k] - d[2]));
            s[k] = 0.5 + root;
            slope += root > 0 ? r / root / s[k] : 1 / s[k];
        }
        r -= (1 - J / product(s)) / slope;
    }
}

// s = exp(m + x d), and the norm of the deviator of s^2 - s
static double stretch_along(double m, const double d[3], double x, double s[3])
{
    double q[3];
    for (int k = 0; k < 3; ++k) {
        s[k] = exp(m + x * d[k]);
        q[k] = s[k] * s[k] - s[k];
    }
    return deviate(q);
}

// Back along the deviator of log s until that of s^2 - s has the norm.
static void return_along_strain(double norm, double s[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = log(pli_mpm_at_least(PLI_MPM_LEAST_STRETCH, s[k]));
    double m = mean(d);
    deviate(d);
    if (stretch_along(m, d, 1, s) <= norm) return;
    double low = 0;
    double high = 1;
    for (int step = 0; step < REFERENCE_STEPS; ++step) {
        double x = (low + high) / 2;
        if (stretch_along(m, d, x, s) <= norm)
            low = x;
        else
            high = x;
    }
    stretch_along(m, d, low, s);
}

static void fixed_corotated(const pli_mpm_material *material, point *p)
{
    if (material->yield == PLI_MPM_VON_MISES) {
        double q[3];
        for (int k = 0; k < 3; ++k) q[k] = p->s[k] * (p->s[k] - 1);
        double norm = deviate(q);
        double keep = keep_von_mises(material, norm, p);
        for (int k = 0; k < 3; ++k) q[k] *= keep;
        if (p->moved && p->s[2] >= 0.5)
            return_radially(q, product(p->s), p->s);
        else if (p->moved)
            return_along_strain(keep * norm, p->s);
    }
    double J = product(p->s);
    for (int k = 0; k < 3; ++k) {
        p->tau[k] = 2 * material->mu * p->s[k] * (p->s[k] - 1) + material->lambda * J * (J - 1);
    }
    double size = pli_mpm_at_least(PLI_MPM_LEAST_VOLUME, fabs(J));
    double root = cbrt(size);
    p->J = J;
    p->slope = 2 * material->mu / 3 * (2 * root - root * root) + material->lambda * size * size;
}

static void neo_hookean(const pli_mpm_material *material, point *p)
{
    p->J = product(p->s);
    double L = log(pli_mpm_at_least(PLI_MPM_LEAST_VOLUME, p->J));
    for (int k = 0; k < 3; ++k) {
        p->tau[k] = material->mu * (p->s[k] * p->s[k] - 1) + material->lambda * L;
    }
    double root = cbrt(pli_mpm_at_least(PLI_MPM_LEAST_VOLUME, fabs(p->J)));
    p->slope = material->mu * (1 - root * root / 3) + material->lambda * (1 - L);
}

// The cone of friction on a strain with the deviator d, its norm and the trace t; see law_inside.h.
static double keep_drucker_prager(const pli_mpm_material *material, double norm, double *t,
                                  point *p)
{
    double sine = sin(material->friction_angle);
    double alpha = root_two_thirds * 2 * sine / (3 - sine);
    double total = material->volume_correction ? *t + p->memory : *t;
    double g =
        norm + alpha * (3 * material->lambda + 2 * material->mu) / (2 * material->mu) * total;
    p->moved = total >= 0 || g > 0 || total != *t;
    if (material->volume_correction) p->memory = total >= 0 ? total : 0;
    *t = total >= 0 ? 0 : total;
    if (total >= 0) return 0;
    return g > 0 ? 1 - g / norm : 1;
}

static void hencky(const pli_mpm_material *material, point *p)
{
    double L[3];
    for (int k = 0; k < 3; ++k) L[k] = log(pli_mpm_at_least(PLI_MPM_LEAST_STRETCH, p->s[k]));
    double t = 3 * mean(L);
    double norm = deviate(L);
    double keep = 1;
    if (material->yield == PLI_MPM_VON_MISES) keep = keep_von_mises(material, norm, p);
    if (material->yield == PLI_MPM_DRUCKER_PRAGER)
        keep = keep_drucker_prager(material, norm, &t, p);
    for (int k = 0; k < 3; ++k) {
        L[k] = keep * L[k] + t / 3;
        if (p->moved) p->s[k] = exp(L[k]);
        p->tau[k] = 2 * material->mu * L[k] + material->lambda * t;
    }
    p->J = exp(t);
    p->slope = (2 * material->mu / 3 + material->lambda) * (1 - t);
}

typedef void (*point_law)(const pli_mpm_material *material, point *p);

static const point_law laws[] = {
    [PLI_MPM_FIXED_COROTATED] = fixed_corotated,
    [PLI_MPM_NEO_HOOKEAN] = neo_hookean,
    [PLI_MPM_HENCKY] = hencky,
};

// tau = 00, 11, 22, 12, 02, 01 of U diag(p) U^T
static void turn(const double U[9], const double p[3], double tau[6])
{
    static const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 6; ++k) {
        const double *u = U + 3 * rows[k][0];
        const double *w = U + 3 * rows[k][1];
        tau[k] = u[0] * p[0] * w[0] + u[1] * p[1] * w[1] + u[2] * p[2] * w[2];
    }
}

// Fixes s, J, tau and c^2 for an F that has been deformed already.
static double advance_solid(const pli_mpm_material *material, double F[9], double *memory,
                            double tau[6], double *speed2)
{
    double U[9];
    double V[9];
    point p = {.memory = *memory};
    pli_svd(F, U, p.s, V);
    if (material->yield == PLI_MPM_SNOW) clamp_snow(material, &p);
    laws[material->elasticity](material, &p);
    double hardening = 1;
    if (material->yield == PLI_MPM_SNOW) hardening = exp(material->hardening * (1 - p.memory));
    for (int k = 0; k < 3; ++k) p.tau[k] *= hardening;
    turn(U, p.tau, tau);
    if (p.moved) {
        for (int k = 0; k < 9; ++k) U[k] *= p.s[k % 3];
        pli_mat3_multiply_transposed_right(U, V, F);
    }
    *memory = p.memory;
    double volume = pli_mpm_at_least(PLI_MPM_LEAST_VOLUME, fabs(p.J));
    *speed2 = hardening * (4 * material->mu / 3 * volume + pli_mpm_at_least(0, p.slope)) /
              material->density;
    return p.J;
}

static double advance_fluid(const pli_mpm_material *material, double divergence, double *memory,
                            double tau[6], double *speed2)
{
    double growth = pli_mpm_at_least(PLI_MPM_LEAST_FLUID - 1, divergence);
    double L = pli_mpm_at_least(PLI_MPM_LEAST_FLUID_LOG, *memory + log1p(growth));
    double J = exp(L);
    double excess = expm1(-material->exponent * L);
    for (int k = 0; k < 6; ++k) tau[k] = k < 3 ? -J * material->bulk * excess : 0;
    *memory = L;
    *speed2 = material->bulk * material->exponent / material->density * J * (excess + 1);
    return J;
}

// tau += 2 viscosity J dev((C + C^T) / 2)
static void add_viscosity(const pli_mpm_material *material, const double C[9], double J,
                          double tau[6])
{
    double eta = material->viscosity * J;
    double third = pli_mat3_trace(C) / 3;
    for (int k = 0; k < 3; ++k) tau[k] += 2 * eta * (C[4 * k] - third);
    tau[3] += eta * (C[5] + C[7]);
    tau[4] += eta * (C[2] + C[6]);
    tau[5] += eta * (C[1] + C[3]);
}

void pli_mpm_advance_reference(const pli_mpm_material *material, double dt, const double C[9],
                               double F[9], double *memory, double tau[6], double *speed2)
{
    double J;
    if (material->elasticity == PLI_MPM_FLUID) {
        J = advance_fluid(material, dt * pli_mat3_trace(C), memory, tau, speed2);
    } else {
        double change[9];
        pli_mat3_multiply(C, F, change);
        pli_mat3_add_scaled(F, dt, change, F);
        J = advance_solid(material, F, memory, tau, speed2);
    }
    add_viscosity(material, C, J, tau);
}

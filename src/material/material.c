// SPDX-License-Identifier: Apache-2.0
#include "material/material.h"

#include "material/batch.h"
#include "material/lanes.h"
#include "material/principal.h"
#include "material/wave.h"
#include "material/yield.h"

#include "math/mat3.h"
#include "math/svd.h"

#include <math.h>
#include <string.h>

// What floats can still multiply.
static const double largest = 1e30;

// The least det F of a speed of sound.
static const double least_volume = 1e-12;

// The larger of both; not-a-number stays one, which fmax would hide.
static double at_least(double least, double x)
{
    return x < least ? least : x;
}

static bool is_isotropic(const pli_material *material)
{
    return (material->law->flags & PLI_LAW_ISOTROPIC) != 0;
}

bool pli_material_is_fluid(const pli_material *material)
{
    return (material->law->flags & PLI_LAW_FLUID) != 0;
}

// ---- making

pli_status pli_material_check_number(pli_context *context, const char *name, double value,
                                     bool holds, const char *range)
{
    if (holds && value <= largest) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%s of a particle material is %g; it must be %s, and at most %g", name, value,
                    range, largest);
}

// The mean of three, which is the same if they are.
static double mean_of(double a, double b, double c)
{
    return a + ((b - a) + (c - a)) / 3;
}

// The Lame constants of the tangent at rest. Where a law has directions, mu covers its fastest
// wave.
static void find_moduli(pli_material *m)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double A[81];
    m->law->evaluate(1, rest, m->params, PLI_TANGENT_EXACT, NULL, NULL, A);
    m->mu = mean_of(A[9 * 1 + 1], A[9 * 2 + 2], A[9 * 5 + 5]);
    m->lambda = mean_of(A[4], A[8], A[9 * 4 + 8]);
    if (is_isotropic(m)) return;
    double speed = m->law->sound_speed(m->params, m->density);
    m->mu = fmax(m->mu, (m->density * speed * speed - m->lambda) / 2);
}

// Kernels in single precision, if law and rule have them and they go together.
static const pli_law_lanes *find_lanes(const pli_material *m)
{
    const pli_law_lanes *lanes = m->law->lanes;
    if (lanes == NULL || m->yield == NULL) return lanes;
    const pli_yield_lanes *yield = m->yield->lanes;
    if (yield == NULL || (yield->logarithmic && !lanes->logarithmic)) return NULL;
    return lanes;
}

pli_status pli_material_init(pli_context *context, const pli_material_ops *law,
                             const double *inputs, double density, double viscosity,
                             pli_material *material)
{
    *material = (pli_material){.law = law, .density = density, .viscosity = viscosity};
    if (law->param_count > PLI_MATERIAL_PARAMS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "law '%s' has %d parameters; laws of particles have at most %d", law->name,
                        (int)law->param_count, (int)PLI_MATERIAL_PARAMS);
    }
    law->derive(inputs, material->params);
    PLI_TRY(pli_material_check_number(context, "density", density, density >= 1 / largest,
                                      "above 1e-30"));
    PLI_TRY(
        pli_material_check_number(context, "viscosity", viscosity, viscosity >= 0, "0 or more"));
    find_moduli(material);
    const double mu = material->mu, lambda = material->lambda;
    PLI_TRY(pli_material_check_number(context, "lambda", lambda, lambda >= 0, "0 or more"));
    PLI_TRY(pli_material_check_number(context, "mu", mu, mu >= -1e-9 * lambda, "0 or more"));
    // a fluid has no shear but for rounding
    if (pli_material_is_fluid(material)) material->mu = 0;
    material->lanes = find_lanes(material);
    return PLI_OK;
}

pli_status pli_material_set_yield(pli_context *context, const pli_yield_ops *yield, const void *def,
                                  pli_material *material)
{
    if (yield == NULL || yield->restore == NULL) return PLI_OK;
    if (!pli_yield_fits(yield, material->law)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "law '%s' cannot yield by '%s'; that needs a solid that is isotropic",
                        material->law->name, yield->schema->name);
    }
    // shear that yields must be there
    PLI_TRY(pli_material_check_number(context, "mu (where shear yields)", material->mu,
                                      material->mu > 0, "above 0"));
    PLI_TRY(yield->derive(context, def, material, material->yield_params));
    material->yield = yield;
    material->lanes = find_lanes(material);
    return PLI_OK;
}

// ---- asking

double pli_material_rest_history(const pli_material *material)
{
    return material->yield != NULL ? material->yield->history.rest : 0;
}

double pli_material_stiffness(const pli_material *material, double history)
{
    const pli_yield_ops *yield = material->yield;
    return yield != NULL && yield->stiffness != NULL ? yield->stiffness(material, history) : 1;
}

double pli_material_volume_ratio(const pli_material *material, const double F[9], double history)
{
    return pli_material_is_fluid(material) ? exp(history) : pli_mat3_determinant(F);
}

// Singular values where the law is defined.
static void keep_defined(const pli_material *m, double s[3])
{
    if ((m->law->flags & PLI_LAW_INVERTIBLE) != 0) return;
    for (int k = 0; k < 3; ++k) s[k] = at_least(PLI_LEAST_STRETCH, s[k]);
}

// Of a point where the law is not defined.
static double find_energy(const pli_material *m, const double F[9])
{
    double psi = INFINITY, U[9], V[9], s[3];
    if (!is_isotropic(m)) return psi;
    pli_svd(F, U, s, V);
    keep_defined(m, s);
    pli_principal_evaluate(m->law, 1, s, m->params, &psi, NULL, NULL);
    return psi;
}

void pli_material_energies(const pli_material *material, int32_t n, const double *F,
                           const double *history, double *psi)
{
    double planes[9 * PLI_BLOCK] = {0}, params[PLI_MATERIAL_PARAMS * PLI_BLOCK] = {0};
    bool is_fluid = pli_material_is_fluid(material);
    for (int32_t k = 0; k < material->law->param_count * n; ++k) {
        params[k] = material->params[k / n];
    }
    // a fluid is a cube of its volume
    for (int32_t k = 0; k < n && is_fluid; ++k) {
        double edge = exp(at_least(PLI_LEAST_FLUID_LOG, history[k]) / 3);
        for (int e = 0; e < 9; e += 4) planes[e * n + k] = edge;
    }
    for (int32_t k = 0; k < 9 * n && !is_fluid; ++k) planes[k] = F[9 * (k % n) + k / n];
    material->law->evaluate(n, planes, params, PLI_TANGENT_EXACT, psi, NULL, NULL);
    for (int32_t k = 0; k < n && !is_fluid; ++k) {
        if (!(psi[k] < INFINITY)) psi[k] = find_energy(material, F + 9 * k);
        psi[k] *= pli_material_stiffness(material, history[k]);
    }
}

// ---- the return map

typedef bool (*restore_fn)(const pli_material *material, double s[3], double *history);

// F = U diag(s) V^T <- U diag(restored s) V^T
static bool restore_with(restore_fn restore, const pli_material *m, double F[9], double *history)
{
    double U[9], V[9], s[3];
    pli_svd(F, U, s, V);
    if (!restore(m, s, history)) return false;
    for (int k = 0; k < 9; ++k) U[k] *= s[k % 3];
    pli_mat3_multiply_transposed_right(U, V, F);
    return true;
}

bool pli_material_return(const pli_material *material, double F[9], double *history)
{
    return pli_material_step_return(material, false, F, history);
}

const pli_material_ops *pli_material_step_law(const pli_material *material, bool inside)
{
    const pli_yield_ops *yield = material->yield;
    const pli_material_ops *law = NULL;
    if (inside && yield != NULL && yield->condense != NULL) law = yield->condense(material->law);
    return law != NULL ? law : material->law;
}

void pli_material_step_params(const pli_material *material, bool inside, double history,
                              double params[PLI_MATERIAL_PARAMS])
{
    memcpy(params, material->params, sizeof material->params);
    if (pli_material_step_law(material, inside) == material->law) return;
    material->yield->condense_params(material, history, params);
}

bool pli_material_step_return(const pli_material *material, bool inside, double F[9],
                              double *history)
{
    const pli_yield_ops *yield = material->yield;
    if (yield == NULL) return false;
    bool own = pli_material_step_law(material, inside) != material->law;
    restore_fn restore =
        own && yield->condense_restore != NULL ? yield->condense_restore : yield->restore;
    return restore_with(restore, material, F, history);
}

// ---- a step, plainly

enum { POINTS = PLI_BLOCK };

// Up to eight points on their way; planes are n long, matrices stand one after another.
typedef struct points {
    const pli_material *m;
    double margin; // of what is beyond what a rule admits and taken for rounding
    int32_t n;
    double F[9 * POINTS]; // [n][9]
    double U[9 * POINTS]; // [n][9] of isotropic laws
    double s[3 * POINTS]; // [3][n] their singular values
    double J[POINTS];
    double tau[9 * POINTS]; // [n][9]
    double params[PLI_MATERIAL_PARAMS * POINTS];
} points;

// The return map of a point's singular values.
static bool yield_point(const points *p, double s[3], double *history)
{
    const pli_yield_ops *yield = p->m->yield;
    if (yield == NULL) return false;
    double excess = p->margin > 0 ? yield->excess(p->m, s, *history) : 0;
    bool is_rounding = excess > 0 && excess <= p->margin;
    return !is_rounding && yield->restore(p->m, s, history);
}

// Fixes F, and U, s and J of a point that has been moved.
static void restore_point(points *p, int32_t k, double *history)
{
    double *F = p->F + 9 * k, *U = p->U + 9 * k, V[9], s[3], turned[9];
    if (is_isotropic(p->m)) {
        pli_svd(F, U, s, V);
        if (yield_point(p, s, history)) {
            for (int e = 0; e < 9; ++e) turned[e] = U[e] * s[e % 3];
            pli_mat3_multiply_transposed_right(turned, V, F);
        }
        keep_defined(p->m, s);
        for (int i = 0; i < 3; ++i) p->s[i * p->n + k] = s[i];
        p->J[k] = s[0] * s[1] * s[2];
    } else {
        p->J[k] = pli_mat3_determinant(F);
    }
}

// tau = U diag(s_k psi_k) U^T of isotropic laws.
static void find_principal_stress(points *p)
{
    double g[3 * POINTS];
    pli_principal_evaluate(p->m->law, p->n, p->s, p->params, NULL, g, NULL);
    for (int32_t k = 0; k < p->n; ++k) {
        const double *U = p->U + 9 * k;
        double turned[9];
        for (int e = 0; e < 9; ++e) {
            int32_t at = e % 3 * p->n + k;
            turned[e] = U[e] * (p->s[at] * g[at]);
        }
        pli_mat3_multiply_transposed_right(turned, U, p->tau + 9 * k);
    }
}

// tau = P F^T of others, or its symmetric part, where they depend on the frame.
static void find_stress(points *p)
{
    double F[9 * POINTS], P[9 * POINTS];
    for (int32_t k = 0; k < p->n; ++k) {
        for (int e = 0; e < 9; ++e) F[e * p->n + k] = p->F[9 * k + e];
    }
    p->m->law->evaluate(p->n, F, p->params, PLI_TANGENT_EXACT, NULL, P, NULL);
    for (int32_t k = 0; k < p->n; ++k) {
        double own[9], product[9];
        for (int e = 0; e < 9; ++e) own[e] = P[e * p->n + k];
        pli_mat3_multiply_transposed_right(own, p->F + 9 * k, product);
        for (int e = 0; e < 9; ++e) {
            p->tau[9 * k + e] = (product[e] + product[3 * (e % 3) + e / 3]) / 2;
        }
    }
}

// rho_0 dp/drho = J^2 psi_JJ of cubes with the edges j = J^(1/3), and the stress there: with
// psi' = tr dpsi/dF and psi'' the sum of all second derivatives,
//
//   psi_JJ = (psi'' - 2 psi' / j) / (9 j^4)
static void find_pressure(const points *p, const double *j, double *stress, double *slope)
{
    double s[3 * POINTS], g[3 * POINTS], H[6 * POINTS];
    for (int32_t k = 0; k < 3 * p->n; ++k) s[k] = j[k % p->n];
    pli_principal_evaluate(p->m->law, p->n, s, p->params, NULL, g, H);
    for (int32_t k = 0; k < p->n; ++k) {
        double first = 0, second = 0;
        for (int i = 0; i < 3; ++i) first += g[i * p->n + k];
        for (int i = 0; i < 6; ++i) second += (i < 3 ? 1 : 2) * H[i * p->n + k];
        stress[k] = first / 3 * j[k];
        slope[k] = j[k] * j[k] / 9 * (second - 2 * first / j[k]);
    }
}

// The volume of a fluid after dt, and its stress.
static void flow_points(points *p, double dt, const double *C, double *history)
{
    double j[POINTS] = {0}, stress[POINTS], slope[POINTS];
    int32_t n = p->n;
    for (int32_t k = 0; k < n; ++k) {
        double growth = dt * (C[k] + C[4 * n + k] + C[8 * n + k]);
        double L = history[k] + log1p(at_least(PLI_LEAST_FLUID - 1, growth));
        history[k] = at_least(PLI_LEAST_FLUID_LOG, L);
        p->J[k] = exp(history[k]);
        j[k] = exp(history[k] / 3);
    }
    find_pressure(p, j, stress, slope);
    for (int32_t k = 0; k < n; ++k) {
        for (int e = 0; e < 9; ++e) p->tau[9 * k + e] = e % 4 == 0 ? stress[k] : 0;
    }
}

// F <- (1 + dt C) F, the return map and the stress after it.
static void move_points(points *p, double dt, const double *C, double *F, double *history)
{
    int32_t n = p->n;
    for (int32_t k = 0; k < n; ++k) {
        double old[9], own[9], change[9], *moved = p->F + 9 * k;
        for (int e = 0; e < 9; ++e) old[e] = F[e * n + k];
        for (int e = 0; e < 9; ++e) own[e] = C[e * n + k];
        pli_mat3_multiply(own, old, change);
        pli_mat3_add_scaled(old, dt, change, moved);
        restore_point(p, k, &history[k]);
        for (int e = 0; e < 9; ++e) F[e * n + k] = moved[e];
    }
    if (is_isotropic(p->m))
        find_principal_stress(p);
    else
        find_stress(p);
    for (int32_t k = 0; k < n; ++k) {
        double stiffness = pli_material_stiffness(p->m, history[k]);
        for (int e = 0; e < 9; ++e) p->tau[9 * k + e] *= stiffness;
    }
}

// The fastest wave of laws with directions, no slower than that at rest.
static void find_wave_speeds(const points *p, double *speed2)
{
    double F[9 * POINTS], dPdF[81 * POINTS], A[81];
    const double least = p->m->lambda + 2 * p->m->mu; // find_moduli
    for (int32_t k = 0; k < 9 * p->n; ++k) F[k] = p->F[9 * (k % p->n) + k / p->n];
    p->m->law->evaluate(p->n, F, p->params, PLI_TANGENT_EXACT, NULL, NULL, dPdF);
    for (int32_t k = 0; k < p->n; ++k) {
        for (int e = 0; e < 81; ++e) A[e] = dPdF[e * p->n + k];
        double modulus = pli_wave_deformed_modulus(A, p->F + 9 * k);
        speed2[k] = at_least(least, modulus) / p->m->density;
    }
}

static void find_speeds(const points *p, const double *history, double *speed2)
{
    double J[POINTS] = {0}, j[POINTS] = {0}, stress[POINTS], slope[POINTS];
    for (int32_t k = 0; k < p->n; ++k) {
        J[k] = at_least(least_volume, fabs(p->J[k]));
        j[k] = cbrt(J[k]);
    }
    find_pressure(p, j, stress, slope);
    for (int32_t k = 0; k < p->n; ++k) {
        double stiffness = 4 * p->m->mu / 3 * J[k] + at_least(0, slope[k]);
        speed2[k] = pli_material_stiffness(p->m, history[k]) * stiffness / p->m->density;
    }
}

void pli_material_advance(const pli_material *material, int32_t n, double dt, const double *C,
                          double *F, double *history, double *tau, double *speed2)
{
    pli_material_advance_within(material, 0, n, dt, C, F, history, tau, speed2);
}

void pli_material_advance_within(const pli_material *material, double margin, int32_t n, double dt,
                                 const double *C, double *F, double *history, double *tau,
                                 double *speed2)
{
    static const int entries[6] = {0, 4, 8, 5, 2, 1};
    points p = {.m = material, .margin = margin, .n = n};
    for (int32_t k = 0; k < material->law->param_count * n; ++k) {
        p.params[k] = material->params[k / n];
    }
    if (pli_material_is_fluid(material))
        flow_points(&p, dt, C, history);
    else
        move_points(&p, dt, C, F, history);
    if (is_isotropic(material) || pli_material_is_fluid(material))
        find_speeds(&p, history, speed2);
    else
        find_wave_speeds(&p, speed2);

    // tau += 2 viscosity J dev((C + C^T) / 2)
    for (int32_t k = 0; k < n; ++k) {
        double eta = material->viscosity * p.J[k];
        double third = (C[k] + C[4 * n + k] + C[8 * n + k]) / 3;
        for (int i = 0; i < 6; ++i) {
            int e = entries[i], flipped = 3 * (e % 3) + e / 3;
            double rate = (C[e * n + k] + C[flipped * n + k]) / 2 - (i < 3 ? third : 0);
            tau[i * n + k] = p.tau[9 * k + e] + 2 * eta * rate;
        }
    }
}

// SPDX-License-Identifier: Apache-2.0
//
// Materials of every law and every rule that go together, by the tables, so that a new row is among
// them; one law as a user writes it; and random states of deformation.
#ifndef PLI_TESTS_MATERIAL_ZOO_H
#define PLI_TESTS_MATERIAL_ZOO_H

#include "materials.h"

#include "base/random.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "math/svd.h"

typedef struct zoo_entry {
    char name[96];
    pli_material material;
} zoo_entry;

enum { ZOO_ROOM = 96 };

static zoo_entry zoo[ZOO_ROOM];
static int zoo_count;

// ---- St. Venant-Kirchhoff as a user may have it: S = 2 mu E + lambda tr(E) 1, E = (F^T F - 1) / 2

static inline void zoo_own_derive(const double *inputs, double *params)
{
    params[0] = inputs[0];
    params[1] = inputs[1];
}

static inline double zoo_own_speed(const double *params, double density)
{
    return sqrt((2 * params[0] + params[1]) / density);
}

// dP_ij/dF_kl = d_ik S_lj + mu (F_il F_kj + d_lj (F F^T)_ik) + lambda F_ij F_kl
static inline void zoo_own_point(const double F[9], double mu, double lambda, double *psi,
                                 double P[9], double A[81])
{
    double E[9], S[9], B[9];
    pli_mat3_multiply_transposed_left(F, F, E);
    for (int k = 0; k < 9; ++k) E[k] = (E[k] - (k % 4 == 0)) / 2;
    double trace = pli_mat3_trace(E);
    *psi = mu * pli_mat3_contract(E, E) + lambda / 2 * trace * trace;
    for (int k = 0; k < 9; ++k) S[k] = 2 * mu * E[k] + (k % 4 == 0) * lambda * trace;
    pli_mat3_multiply(F, S, P);
    pli_mat3_multiply_transposed_right(F, F, B);
    for (int e = 0; e < 81; ++e) {
        int i = e / 27, j = e / 9 % 3, k = e / 3 % 3, l = e % 3;
        A[e] = (i == k ? S[3 * l + j] : 0) + (l == j ? mu * B[3 * i + k] : 0) +
               mu * F[3 * i + l] * F[3 * k + j] + lambda * F[3 * i + j] * F[3 * k + l];
    }
    // one half is the mirror of the other
    for (int e = 0; e < 81; ++e) {
        if (e / 9 > e % 9) A[e] = A[9 * (e % 9) + e / 9];
    }
}

static inline void zoo_own_evaluate(int32_t n, const double *F, const double *params,
                                    pli_projection projection, double *psi, double *P, double *dPdF)
{
    for (int32_t point = 0; point < n; ++point) {
        double one[9], energy, stress[9], tangent[81];
        for (int k = 0; k < 9; ++k) one[k] = F[k * n + point];
        zoo_own_point(one, params[point], params[n + point], &energy, stress, tangent);
        if (projection == PLI_TANGENT_PROJECTED) (void)pli_psd_clamp(9, tangent);
        if (psi != NULL) psi[point] = energy;
        for (int k = 0; P != NULL && k < 9; ++k) P[k * n + point] = stress[k];
        for (int k = 0; dPdF != NULL && k < 81; ++k) dPdF[k * n + point] = tangent[k];
    }
}

static const pli_material_input zoo_own_inputs[] = {
    {.key = "mu",
     .unit = "Pa",
     .fallback = 4e4,
     .max = INFINITY,
     .exclusive = true,
     .doc = "First Lame constant."},
    {.key = "lambda",
     .unit = "Pa",
     .fallback = 6e4,
     .max = INFINITY,
     .doc = "Second Lame constant."},
};

static const pli_material_ops zoo_own = {
    .name = "own",
    .doc = "St. Venant-Kirchhoff.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_ISOTROPIC,
    .input_count = 2,
    .inputs = zoo_own_inputs,
    .param_count = 2,
    .derive = zoo_own_derive,
    .evaluate = zoo_own_evaluate,
    .sound_speed = zoo_own_speed,
};

// ---- the list

static inline zoo_entry *zoo_add(const pli_material_ops *law, const char *variation)
{
    double inputs[32];
    (void)pli_material_defaults(law, inputs);
    assert_true(zoo_count < ZOO_ROOM);
    zoo_entry *entry = &zoo[zoo_count++];
    snprintf(entry->name, sizeof entry->name, "%s%s", law->name, variation);
    entry->material = material_of(law, 400, inputs);
    return entry;
}

static inline void zoo_add_yielding(const pli_material_ops *law, pli_yield_kind kind,
                                    const void *def, const char *variation)
{
    zoo_entry *entry = zoo_add(law, variation);
    entry->material = material_yielding(entry->material, kind, def);
}

// Every rule with the defaults of its keys; a stress that has none is that of a preset.
static inline void zoo_add_rules(const pli_material_ops *law)
{
    const pli_material_preset preset = {.yield = 2e3};
    for (int32_t kind = 0; pli_yield_get(kind) != NULL; ++kind) {
        const pli_yield_ops *rule = pli_yield_get(kind);
        double def[8];
        char name[64];
        if (rule->restore == NULL || !pli_yield_fits(rule, law)) continue;
        assert_true(rule->schema->size <= sizeof def);
        pli_schema_init(rule->schema, def);
        if (rule->complete != NULL) rule->complete(&preset, def);
        snprintf(name, sizeof name, ", %s", rule->schema->name);
        zoo_add_yielding(law, (pli_yield_kind)kind, def, name);
    }
}

// A group's setup.
static inline int zoo_make(void **state)
{
    (void)state;
    zoo_count = 0;
    const pli_material_ops *law = NULL;
    for (int32_t k = 0; law != &zoo_own; ++k) {
        law = pli_material_get(k) != NULL ? pli_material_get(k) : &zoo_own;
        zoo_add(law, "");
        zoo_add(law, ", viscous")->material.viscosity = 3;
        zoo_add_rules(law);
        if (!pli_yield_fits(pli_yield_get(PLI_YIELD_VON_MISES), law)) continue;
        zoo_add_yielding(law, PLI_YIELD_VON_MISES, &(pli_von_mises_def){2e3, 1e4},
                         ", von-mises with hardening");
    }
    const pli_material_ops *hencky = pli_material_find(NULL, "hencky");
    zoo_add_yielding(hencky, PLI_YIELD_DRUCKER_PRAGER, &(pli_drucker_prager_def){.angle = 30},
                     ", friction without volume correction");
    zoo_add(pli_material_find(NULL, "fluid"), ", gas")->material = material_fluid(400, 1e5, 1);
    return 0;
}

static inline const pli_material *zoo_find(const char *name)
{
    for (int k = 0; k < zoo_count; ++k) {
        if (strcmp(zoo[k].name, name) == 0) return &zoo[k].material;
    }
    fail_msg("no material %s", name);
    return NULL;
}

static inline bool zoo_yields_by(const pli_material *m, pli_yield_kind kind)
{
    return m->yield != NULL && m->yield == pli_yield_get((int32_t)kind);
}

static inline bool zoo_is_isotropic(const pli_material *m)
{
    return (m->law->flags & PLI_LAW_ISOTROPIC) != 0;
}

// ---- states

static inline void zoo_rotation(uint64_t stream, double Q[9])
{
    pli_random random = {.seed = 31, .stream = stream};
    double axis[3];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_normal(random, k);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, pli_random_range(random, 3, -3.2, 3.2), Q);
}

// F = A diag(s) B^T with random rotations
static inline void zoo_compose(uint64_t stream, const double s[3], double F[9])
{
    double A[9];
    double B[9];
    zoo_rotation(2 * stream, A);
    zoo_rotation(2 * stream + 1, B);
    for (int k = 0; k < 9; ++k) A[k] *= s[k % 3];
    pli_mat3_multiply_transposed_right(A, B, F);
}

// A deformation with principal strains log s up to the given size; returns the least s.
static inline double zoo_deformation(uint64_t stream, double strain, double F[9])
{
    pli_random random = {.seed = 32, .stream = stream};
    double s[3];
    double least = INFINITY;
    for (uint64_t k = 0; k < 3; ++k) {
        s[k] = exp(pli_random_range(random, k, -strain, strain));
        least = fmin(least, s[k]);
    }
    zoo_compose(stream, s, F);
    return least;
}

static inline void zoo_gradient(uint64_t stream, double size, double C[9])
{
    pli_random random = {.seed = 33, .stream = stream};
    for (uint64_t k = 0; k < 9; ++k) C[k] = pli_random_range(random, k, -size, size);
}

// A history that a particle may have; strain: how far a fluid is from rest.
static inline double zoo_history(const pli_material *m, uint64_t index, double strain)
{
    double shift = pli_random_range((pli_random){.seed = 51, .stream = index}, 0, 0, 1);
    if (pli_material_is_fluid(m)) return strain * (2 * shift - 1);
    double rest = pli_material_rest_history(m);
    if (m->yield == NULL || index % 2 == 0) return rest;
    return rest > 0 ? rest * (0.7 + 0.5 * shift) : 0.02 * shift;
}

// ---- stresses

// The stress as it is; F and history stay. Returns c^2.
static inline double zoo_stress(const pli_material *m, const double F[9], double history,
                                double tau[6])
{
    static const double still[9] = {0};
    double copy[9];
    double speed2;
    pli_mat3_copy(F, copy);
    pli_material_advance(m, 1, 0, still, copy, &history, tau, &speed2);
    return speed2;
}

// The whole matrix of a stress.
static inline void zoo_matrix(const double tau[6], double out[9])
{
    double m[9] = {tau[0], tau[5], tau[4], tau[5], tau[1], tau[3], tau[4], tau[3], tau[2]};
    pli_mat3_copy(m, out);
}

static inline double zoo_trace(const double tau[6])
{
    return tau[0] + tau[1] + tau[2];
}

// |dev tau|
static inline double zoo_shear(const double tau[6])
{
    double mean = zoo_trace(tau) / 3;
    double sum = 2 * (tau[3] * tau[3] + tau[4] * tau[4] + tau[5] * tau[5]);
    for (int k = 0; k < 3; ++k) sum += (tau[k] - mean) * (tau[k] - mean);
    return sqrt(sum);
}

// How far a state is beyond what its rule admits, in strain; at most zero where nothing yields.
static inline double zoo_excess(const pli_material *m, const double F[9], double history)
{
    double U[9], V[9], s[3];
    if (m->yield == NULL) return -INFINITY;
    pli_svd(F, U, s, V);
    return m->yield->excess(m, s, history);
}

// A stiffness to measure errors of stress by (Pa).
static inline double zoo_stiffness(const pli_material *m)
{
    return 2 * m->mu + 3 * m->lambda;
}

// How much an error of the history is multiplied by.
static inline double zoo_hardness(const pli_material *m, double history)
{
    double here = pli_material_stiffness(m, history), step = 1e-4;
    return here + fabs(pli_material_stiffness(m, history + step) - here) / step;
}

#endif

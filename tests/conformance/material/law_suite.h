// SPDX-License-Identifier: Apache-2.0
//
// What every material law has to keep, as tests over one law. Run it on a law of your own like
// this:
//
//     law_case mine = {.law = &my_law, .inputs = {1e5, 0.3}, .mu = ..., .lambda = ...,
//                      .is_objective = true};
//     CMUnitTest tests[LAW_SUITE_COUNT];
//     law_suite_fill(&mine, tests);
//
// The states are hard ones: distinct, repeated and nearly repeated singular values, flat,
// line, point, inverted, reflected, very small and very large.
#ifndef PLI_TESTS_LAW_SUITE_H
#define PLI_TESTS_LAW_SUITE_H

#include "derivatives.h"

#include "material/material.h"
#include "math/eigen.h"
#include "math/mat3.h"
#include "math/svd.h"
#include "pliant/extend.h"

typedef struct law_case {
    const pli_material_ops *law;
    double inputs[24];
    double mu; // what the tangent at rest must be made of (Pa)
    double lambda;
    const double *rest; // [81] the tangent at rest of a law with directions; NULL: of mu and lambda
    double modulus;     // of the fastest wave (Pa); 0: lambda + 2 mu
    double
        steepness; // how often the stiffness at rest that far from it is at most; 0: of order one
    bool is_objective;    // the same for every rotation of the frame
    bool has_polar_kinks; // not smooth where two singular values cancel
} law_case;

enum { LAW_PARAMS_MAX = 24 };

static inline void law_params(const law_case *given, double *params)
{
    assert_true(given->law->param_count <= LAW_PARAMS_MAX);
    given->law->derive(given->inputs, params);
}

// One point with all that a law says about it.
typedef struct law_point {
    double psi;
    double P[9];
    double dPdF[81];
} law_point;

static inline law_point law_at(const law_case *given, const double F[9], pli_projection projection)
{
    double params[LAW_PARAMS_MAX];
    law_point point;
    law_params(given, params);
    given->law->evaluate(1, F, params, projection, &point.psi, point.P, point.dPdF);
    return point;
}

typedef struct law_state {
    const char *name;
    double sigma[3];
} law_state;

static const law_state law_states[] = {
    {"rest", {1, 1, 1}},
    {"distinct", {1.4, 0.9, 0.6}},
    {"distinct, less far", {1.2, 1, 0.83}},
    {"upper two equal", {1.3, 1.3, 0.8}},
    {"lower two equal", {1.3, 0.8, 0.8}},
    {"all equal", {1.2, 1.2, 1.2}},
    {"two equal to 1e-6", {1.1 + 1e-6, 1.1, 0.7}},
    {"two equal to 1e-9", {1.1 + 1e-9, 1.1, 0.7}},
    {"all equal to 1e-6", {1 + 1e-6, 1, 1 - 1e-6}},
    {"all equal to 1e-9", {1 + 1e-9, 1, 1 - 1e-9}},
    {"needle", {3, 0.2, 0.1}},
    {"flat", {1.2, 0.8, 0}},
    {"nearly flat", {1.2, 0.8, 1e-9}},
    {"line", {1.2, 0, 0}},
    {"point", {0, 0, 0}},
    {"inverted", {1.2, 0.9, -0.4}},
    {"inverted, upper two equal", {1.2, 1.2, -0.3}},
    {"reflected", {1.3, 1.1, -0.7}},
    {"mirror image of rest", {1, 1, -1}},
    {"mirror image nearly", {1, 1, -1 + 1e-9}},
    {"small", {1.3e-3, 1e-3, 0.7e-3}},
    {"small, inverted", {1.3e-3, 1e-3, -0.5e-3}},
    {"large", {1.3e2, 1e2, 0.7e2}},
    {"large, inverted", {1.3e2, 1e2, -0.5e2}},
};

enum { LAW_STATE_COUNT = sizeof law_states / sizeof *law_states };

static inline bool law_is_defined(const law_case *given, const law_state *state)
{
    return (given->law->flags & PLI_LAW_INVERTIBLE) != 0 || state->sigma[2] > 0;
}

// Distance from the nearest place where the energy is not smooth, or its natural unit.
static inline double law_scale(const law_case *given, const law_state *state)
{
    const double *s = state->sigma;
    double scale = s[0] > 0 ? s[0] : 1;
    if (given->has_polar_kinks) scale = fmin(scale, s[1] + s[2]);
    if ((given->law->flags & PLI_LAW_INVERTIBLE) == 0) scale = fmin(scale, s[2]);
    return scale;
}

static inline bool law_is_smooth(const law_case *given, const law_state *state)
{
    return law_is_defined(given, state) && law_scale(given, state) > 1e-6;
}

static inline void law_random_rotation(uint64_t index, double Q[9])
{
    pli_random random = {.seed = 77, .stream = index};
    double axis[3];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_normal(random, k);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, pli_random_range(random, 9, -3, 3), Q);
}

// F = Q_a diag(sigma) Q_b^T; turn 0 leaves it diagonal.
static inline void law_make_F(const law_state *state, uint64_t turn, double F[9])
{
    double A[9];
    double B[9];
    pli_mat3_identity(A);
    pli_mat3_identity(B);
    if (turn > 0) law_random_rotation(2 * turn, A);
    if (turn > 0) law_random_rotation(2 * turn + 1, B);
    for (int k = 0; k < 9; ++k) A[k] *= state->sigma[k % 3];
    pli_mat3_multiply_transposed_right(A, B, F);
}

enum { LAW_TURNS = 3 };

static inline double law_norm(int32_t n, const double *a)
{
    return derivatives_norm(n, a);
}

static inline double law_distance(int32_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t k = 0; k < n; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(sum);
}

static inline void law_demand(bool holds, const law_case *given, const law_state *state,
                              const char *what, double got)
{
    if (holds) return;
    fprintf(stderr, "%s, %s: %s (%.3g)\n", given->law->name, state != NULL ? state->name : "-",
            what, got);
    fail();
}

// Calls body for every state and turn.
typedef void (*law_state_fn)(const law_case *given, const law_state *state, const double F[9]);

static inline void law_for_states(const law_case *given, law_state_fn body)
{
    for (int k = 0; k < LAW_STATE_COUNT; ++k) {
        for (uint64_t turn = 0; turn < LAW_TURNS; ++turn) {
            double F[9];
            law_make_F(&law_states[k], turn, F);
            body(given, &law_states[k], F);
        }
    }
}

static double law_term_energy(void *user, const double *F)
{
    return law_at(user, F, PLI_TANGENT_EXACT).psi;
}

static void law_term_gradient(void *user, const double *F, double *P)
{
    memcpy(P, law_at(user, F, PLI_TANGENT_EXACT).P, 9 * sizeof *P);
}

static void law_term_hessian(void *user, const double *F, double *dPdF)
{
    memcpy(dPdF, law_at(user, F, PLI_TANGENT_EXACT).dPdF, 81 * sizeof *dPdF);
}

static void law_check_derivatives(const law_case *given, const law_state *state, const double F[9])
{
    if (!law_is_smooth(given, state)) return;
    char what[160];
    snprintf(what, sizeof what, "%s, %s", given->law->name, state->name);
    law_case copy = *given;
    derivatives_case term = {.n = 9,
                             .energy = law_term_energy,
                             .gradient = law_term_gradient,
                             .hessian = law_term_hessian,
                             .user = &copy,
                             .scale = law_scale(given, state),
                             .magnitude = given->mu + given->lambda};
    CHECK_DERIVATIVES(&term, F, what);
}

static void stress_and_tangent_are_derivatives(void **state)
{
    law_for_states(*state, law_check_derivatives);
}

static void law_check_undefined(const law_case *given, const law_state *state, const double F[9])
{
    // flat and line are so up to rounding only after rotation: they may land on either side
    bool is_border = state->sigma[2] == 0 && state->sigma[0] != 0;
    if (law_is_defined(given, state) || is_border) return;
    for (int projection = 0; projection < 2; ++projection) {
        law_point point = law_at(given, F, (pli_projection)projection);
        law_demand(point.psi == INFINITY, given, state, "energy must be infinite", point.psi);
        law_demand(law_norm(9, point.P) == 0, given, state, "stress must be zero", point.P[0]);
        law_demand(law_norm(81, point.dPdF) == 0, given, state, "tangent must be zero",
                   point.dPdF[0]);
    }
}

static void undefined_states_are_infinite_and_free_of_stress(void **state)
{
    const law_case *given = *state;
    law_for_states(given, law_check_undefined);
    if ((given->law->flags & PLI_LAW_INVERTIBLE) != 0) return;
    static const double flat[9] = {1.2, 0, 0, 0, 0, 0, 0, 0, 0.8};
    static const double line[9] = {0, 0, 0, 0, 1.2, 0, 0, 0, 0};
    assert_true(law_at(given, flat, PLI_TANGENT_EXACT).psi == INFINITY);
    assert_true(law_at(given, line, PLI_TANGENT_EXACT).psi == INFINITY);
}

static void law_check_finite(const law_case *given, const law_state *state, const double F[9])
{
    if (!law_is_defined(given, state)) return;
    for (int projection = 0; projection < 2; ++projection) {
        law_point point = law_at(given, F, (pli_projection)projection);
        law_demand(isfinite(point.psi), given, state, "energy must be finite", point.psi);
        for (int k = 0; k < 9; ++k) {
            law_demand(isfinite(point.P[k]), given, state, "stress must be finite", point.P[k]);
        }
        for (int k = 0; k < 81; ++k) {
            law_demand(isfinite(point.dPdF[k]), given, state, "tangent must be finite",
                       point.dPdF[k]);
        }
    }
}

static void defined_states_are_finite(void **state)
{
    law_for_states(*state, law_check_finite);
}

// The energy changes by no more than a steep slope allows when F is moved by 1e-9.
static void law_check_continuity(const law_case *given, const law_state *state, const double F[9])
{
    if ((given->law->flags & PLI_LAW_INVERTIBLE) == 0) return;
    const double step = 1e-9;
    double size = fmax(1, state->sigma[0]);
    // energies are at most of sixth order in F, with factors of the order of the stiffness
    double steep = 100 * fmax(1, given->steepness) * (given->mu + given->lambda) * pow(size, 5);
    double psi = law_at(given, F, PLI_TANGENT_EXACT).psi;
    for (uint64_t index = 0; index < 10; ++index) {
        double d[9];
        double moved[9];
        derivatives_direction(9, index, d);
        derivatives_shift(9, F, step, d, moved);
        double jump = fabs(law_at(given, moved, PLI_TANGENT_EXACT).psi - psi);
        law_demand(jump <= steep * step + 1e-12 * fabs(psi), given, state,
                   "energy must be continuous", jump);
    }
}

static void energy_is_continuous_where_it_claims_to_be_defined(void **state)
{
    law_for_states(*state, law_check_continuity);
}

static void law_check_objectivity(const law_case *given, const law_state *state, const double F[9])
{
    if (!law_is_smooth(given, state) || !given->is_objective) return;
    law_point here = law_at(given, F, PLI_TANGENT_EXACT);
    double size = given->mu + given->lambda + fabs(here.psi);
    // P is good to rounding of the parts it is made of, which near flat states are far larger than
    // F
    double stress = law_norm(9, here.P) + given->mu + given->lambda;
    for (uint64_t index = 0; index < 34; ++index) {
        double Q[9];
        double QF[9];
        double QP[9];
        law_random_rotation(1000 + index, Q);
        pli_mat3_multiply(Q, F, QF);
        pli_mat3_multiply(Q, here.P, QP);
        law_point turned = law_at(given, QF, PLI_TANGENT_EXACT);
        law_demand(fabs(turned.psi - here.psi) <= 1e-12 * size, given, state,
                   "energy must not depend on the frame", turned.psi - here.psi);
        law_demand(law_distance(9, turned.P, QP) <= 1e-12 * stress, given, state,
                   "stress must turn with the frame", law_distance(9, turned.P, QP));
    }
}

static void energy_and_stress_are_objective(void **state)
{
    law_for_states(*state, law_check_objectivity);
}

// psi(F Q) = psi(F) of what claims to be a function of singular values, and that of det F alone.
static void law_check_isotropy(const law_case *given, const law_state *state, const double F[9])
{
    unsigned flags = given->law->flags;
    if (!law_is_smooth(given, state) || (flags & PLI_LAW_ISOTROPIC) == 0) return;
    double psi = law_at(given, F, PLI_TANGENT_EXACT).psi;
    double size = given->mu + given->lambda + fabs(psi);
    for (uint64_t index = 0; index < 10; ++index) {
        double Q[9], FQ[9];
        law_random_rotation(3000 + index, Q);
        pli_mat3_multiply(F, Q, FQ);
        double turned = law_at(given, FQ, PLI_TANGENT_EXACT).psi;
        law_demand(fabs(turned - psi) <= 1e-12 * size, given, state, "energy must be isotropic",
                   turned - psi);
    }
    if ((flags & PLI_LAW_FLUID) == 0) return;
    double s = cbrt(pli_mat3_determinant(F));
    double cube[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
    double alike = law_at(given, cube, PLI_TANGENT_EXACT).psi;
    law_demand(fabs(alike - psi) <= 1e-12 * size, given, state, "a fluid must know J alone",
               alike - psi);
}

static void laws_are_as_isotropic_as_they_claim(void **state)
{
    law_for_states(*state, law_check_isotropy);
}

static void rest_has_no_energy_and_no_stress(void **state)
{
    const law_case *given = *state;
    double F[9];
    law_make_F(&law_states[0], 0, F);
    law_point point = law_at(given, F, PLI_TANGENT_EXACT);
    // sums of terms of the size of mu and lambda that cancel
    NEAR(point.psi, 0, 0, 1e-14 * (given->mu + given->lambda));
    for (int k = 0; k < 9; ++k) NEAR(point.P[k], 0, 0, 1e-14 * (given->mu + given->lambda));
}

// e:C:e / 2 with C the tangent at rest
static inline double law_rest_energy(const law_case *given, const double e[9])
{
    double trace = pli_mat3_trace(e), sum = 0;
    for (int k = 0; given->rest != NULL && k < 81; ++k) {
        sum += given->rest[k] * e[k / 9] * e[k % 9] / 2;
    }
    if (given->rest != NULL) return sum;
    return given->mu * pli_mat3_contract(e, e) + given->lambda / 2 * trace * trace;
}

// Where strains are e, the energy is e:C:e / 2 (1 + O(e)), also when the body is
// turned. F itself is rounded, so that strains are only good to 4e-16 and energies to twice that
// share; what must not be lost is more, as in a difference of energies of large strains.
static void energy_keeps_its_digits_near_rest(void **state)
{
    const law_case *given = *state;
    static const double gradient[9] = {0.7, -0.3, 0.2, 0.5, -0.4, 0.1, -0.6, 0.8, 0.3};
    for (double size = 1e-3; size >= 1e-9; size *= 0.1) {
        for (uint64_t turn = 0; turn < (given->is_objective ? 4 : 1); ++turn) {
            double Q[9];
            double F[9];
            double e[9];
            pli_mat3_identity(Q);
            if (turn > 0) law_random_rotation(turn, Q);
            for (int k = 0; k < 9; ++k) F[k] = (k % 4 == 0) + size * gradient[k];
            for (int k = 0; k < 9; ++k) {
                e[k] = 0.5 * (F[k] + F[3 * (k % 3) + k / 3]) - (k % 4 == 0);
            }
            double want = law_rest_energy(given, e);
            double QF[9];
            pli_mat3_multiply(Q, F, QF);
            double psi = law_at(given, QF, PLI_TANGENT_EXACT).psi;
            // 30: third derivatives of a Tait fluid; 10: norms of the strain over its trace
            NEAR(psi, want, 30 * size + 10 * 4e-16 / size, 0);
        }
    }
}

static void rest_tangent_is_that_of_linear_elasticity(void **state)
{
    const law_case *given = *state;
    double F[9];
    double values[9];
    double Q[81];
    law_make_F(&law_states[0], 0, F);
    for (int projection = 0; projection < 2; ++projection) {
        law_point point = law_at(given, F, (pli_projection)projection);
        if (given->rest != NULL) {
            AT_MOST(law_distance(81, point.dPdF, given->rest), 1e-11 * law_norm(81, given->rest));
            continue;
        }
        pli_eigen_symmetric(9, point.dPdF, values, Q);
        double shear = 2 * given->mu;
        double bulk = shear + 3 * given->lambda;
        for (int k = 0; k < 3; ++k) NEAR(values[k], 0, 0, 1e-10 * bulk);
        // a fluid has no shear, up to rounding of its bulk
        for (int k = 3; k < 8; ++k) NEAR(values[k], shear, 1e-10, 1e-14 * bulk);
        NEAR(values[8], bulk, 1e-10, 0);
    }
}

static void law_check_projection(const law_case *given, const law_state *state, const double F[9])
{
    if (!law_is_defined(given, state)) return;
    double values[9];
    double Q[81];
    law_point exact = law_at(given, F, PLI_TANGENT_EXACT);
    law_point projected = law_at(given, F, PLI_TANGENT_PROJECTED);
    double size = law_norm(81, exact.dPdF);

    for (int k = 0; k < 81; ++k) {
        double flipped = exact.dPdF[9 * (k % 9) + k / 9];
        law_demand(exact.dPdF[k] == flipped, given, state, "tangent must be symmetric",
                   exact.dPdF[k] - flipped);
    }
    pli_eigen_symmetric(9, projected.dPdF, values, Q);
    law_demand(values[0] >= -1e-12 * size, given, state, "projection must be positive", values[0]);

    // the same as clamping the whole matrix, and clamping once more changes nothing
    (void)pli_psd_clamp(9, exact.dPdF);
    double miss = law_distance(81, exact.dPdF, projected.dPdF);
    law_demand(miss <= 1e-10 * size, given, state, "projection must equal the clamped 9x9",
               miss / size);
    double again[81];
    memcpy(again, projected.dPdF, sizeof again);
    (void)pli_psd_clamp(9, again);
    miss = law_distance(81, again, projected.dPdF);
    law_demand(miss <= 1e-10 * size, given, state, "projection must be idempotent", miss / size);

    // energy and stress do not depend on what is asked of the tangent
    law_demand(exact.psi == projected.psi && memcmp(exact.P, projected.P, sizeof exact.P) == 0,
               given, state, "projection must leave energy and stress alone", 0);
}

static void projected_tangent_is_the_nearest_positive_one(void **state)
{
    law_for_states(*state, law_check_projection);
}

// A batch of states with its parameters different at each point, in planes.
typedef struct law_batch {
    int32_t n;
    double F[9 * LAW_STATE_COUNT];
    double params[LAW_PARAMS_MAX * LAW_STATE_COUNT];
    law_case at[LAW_STATE_COUNT]; // inputs of each point
} law_batch;

static inline void law_fill_batch(const law_case *given, int32_t n, law_batch *batch)
{
    batch->n = n;
    for (int32_t point = 0; point < n; ++point) {
        double F[9];
        double params[LAW_PARAMS_MAX];
        law_make_F(&law_states[(point + n) % LAW_STATE_COUNT], (uint64_t)point % LAW_TURNS, F);
        batch->at[point] = *given;
        // the stiffness, which is the first input of every law, differs from point to point
        batch->at[point].inputs[0] *= 1 + point;
        law_params(&batch->at[point], params);
        for (int k = 0; k < 9; ++k) batch->F[k * n + point] = F[k];
        for (int k = 0; k < given->law->param_count; ++k) batch->params[k * n + point] = params[k];
    }
}

static inline law_point law_get_point(const law_batch *batch, int32_t point, const double *psi,
                                      const double *P, const double *dPdF)
{
    law_point one = {.psi = psi[point]};
    for (int k = 0; k < 9; ++k) one.P[k] = P[k * batch->n + point];
    for (int k = 0; k < 81; ++k) one.dPdF[k] = dPdF[k * batch->n + point];
    return one;
}

static inline bool law_same_bits(const law_point *a, const law_point *b)
{
    return memcmp(&a->psi, &b->psi, sizeof a->psi) == 0 && memcmp(a->P, b->P, sizeof a->P) == 0 &&
           memcmp(a->dPdF, b->dPdF, sizeof a->dPdF) == 0;
}

static void batch_of_any_size_equals_single_points(void **state)
{
    const law_case *given = *state;
    static law_batch batch;
    // one more in front and behind: no alignment may be needed and nothing else may be written
    static double psi[LAW_STATE_COUNT + 2];
    static double P[9 * LAW_STATE_COUNT + 2];
    static double dPdF[81 * LAW_STATE_COUNT + 2];
    for (int32_t n = 1; n <= 17; ++n) {
        law_fill_batch(given, n, &batch);
        psi[0] = psi[n + 1] = P[0] = P[9 * n + 1] = dPdF[0] = dPdF[81 * n + 1] = -7;
        given->law->evaluate(n, batch.F, batch.params, PLI_TANGENT_PROJECTED, psi + 1, P + 1,
                             dPdF + 1);
        assert_true(psi[0] == -7 && P[0] == -7 && dPdF[0] == -7);
        assert_true(psi[n + 1] == -7 && P[9 * n + 1] == -7 && dPdF[81 * n + 1] == -7);
        for (int32_t point = 0; point < n; ++point) {
            double F[9];
            for (int k = 0; k < 9; ++k) F[k] = batch.F[k * n + point];
            law_point alone = law_at(&batch.at[point], F, PLI_TANGENT_PROJECTED);
            law_point within = law_get_point(&batch, point, psi + 1, P + 1, dPdF + 1);
            law_demand(law_same_bits(&alone, &within), given, NULL,
                       "a point must not depend on its batch", point);
        }
    }
}

static void outputs_that_are_not_wanted_change_nothing(void **state)
{
    const law_case *given = *state;
    enum { N = 11 };
    static law_batch batch;
    static double all_psi[N], psi[N], all_P[9 * N], P[9 * N], all_dPdF[81 * N], dPdF[81 * N];
    law_fill_batch(given, N, &batch);
    given->law->evaluate(N, batch.F, batch.params, PLI_TANGENT_EXACT, all_psi, all_P, all_dPdF);
    for (int wanted = 0; wanted < 8; ++wanted) {
        given->law->evaluate(N, batch.F, batch.params, PLI_TANGENT_EXACT, wanted & 1 ? psi : NULL,
                             wanted & 2 ? P : NULL, wanted & 4 ? dPdF : NULL);
        if (wanted & 1) assert_memory_equal(psi, all_psi, sizeof psi);
        if (wanted & 2) assert_memory_equal(P, all_P, sizeof P);
        if (wanted & 4) assert_memory_equal(dPdF, all_dPdF, sizeof dPdF);
    }
}

static void sound_speed_is_that_of_the_fastest_wave(void **state)
{
    const law_case *given = *state;
    double params[LAW_PARAMS_MAX];
    law_params(given, params);
    double density = 1234;
    double modulus = given->modulus > 0 ? given->modulus : given->lambda + 2 * given->mu;
    NEAR(given->law->sound_speed(params, density), sqrt(modulus / density), 1e-12, 0);
}

// Along a path through s_1 + s_2 = 0 the slope of the energy may fall (a ridge) but not rise (a
// valley), unless the law says so.
static void slope_never_jumps_upwards_unless_flagged(void **state)
{
    const law_case *given = *state;
    if ((given->law->flags & PLI_LAW_INVERTIBLE) == 0) return;
    bool has_valley = false;
    for (double top = 0.5; top <= 30; top *= 1.5) {
        for (double width = 0.1; width <= 1; width += 0.3) {
            double delta = 1e-7;
            double slope[2];
            for (int side = 0; side < 2; ++side) {
                double last = -width + (side == 0 ? -delta : delta);
                double F[9] = {top + 1, 0, 0, 0, width, 0, 0, 0, last};
                slope[side] = law_at(given, F, PLI_TANGENT_EXACT).P[8];
            }
            // smooth curvature over 2 delta stays far below a thousandth of the stiffness
            double jump = slope[1] - slope[0];
            double stiffness = fmax(1, given->steepness) * (given->mu + given->lambda);
            if (jump > 1e-3 * stiffness) has_valley = true;
        }
    }
    assert_int_equal(has_valley, (given->law->flags & PLI_LAW_VALLEY_KINKS) != 0);
}

static void rest_norm_is_the_norm_of_the_rest_tangent(void **state)
{
    const law_case *given = *state;
    double params[LAW_PARAMS_MAX];
    law_params(given, params);
    double mu = given->mu;
    double lambda = given->lambda;
    double diagonal = 2 * mu + lambda;
    double want = sqrt(3 * diagonal * diagonal + 6 * lambda * lambda + 12 * mu * mu);
    if (given->rest != NULL) want = law_norm(81, given->rest);
    // of laws that stiffen as soon as they move
    want = fmax(want, given->modulus);
    NEAR(pli_material_rest_norm(given->law, params), want, 1e-12, 0);
}

static void inputs_are_described(void **state)
{
    const law_case *given = *state;
    const pli_material_ops *law = given->law;
    assert_true(law->name != NULL && law->name[0] != '\0');
    assert_true(law->doc != NULL && law->doc[0] != '\0');
    for (int32_t k = 0; k < law->input_count; ++k) {
        const pli_material_input *input = &law->inputs[k];
        assert_non_null(input->key);
        assert_non_null(input->unit);
        assert_non_null(input->doc);
        bool is_direction = input->components == 3;
        assert_true(is_direction || input->components == 0);
        if (is_direction) NEAR(pli_vec3_norm(input->direction), 1, 1e-15, 0);
        if (is_direction) continue;
        bool inside = input->min < input->fallback && input->fallback < input->max;
        bool at_end = input->min == input->fallback || input->max == input->fallback;
        assert_true(inside || (at_end && !input->exclusive));
    }
}

#define LAW_TEST(claim)                 \
    {                                   \
#claim, claim, NULL, NULL, NULL \
    }

static const struct CMUnitTest law_suite[] = {
    LAW_TEST(stress_and_tangent_are_derivatives),
    LAW_TEST(undefined_states_are_infinite_and_free_of_stress),
    LAW_TEST(defined_states_are_finite),
    LAW_TEST(energy_is_continuous_where_it_claims_to_be_defined),
    LAW_TEST(energy_and_stress_are_objective),
    LAW_TEST(laws_are_as_isotropic_as_they_claim),
    LAW_TEST(rest_has_no_energy_and_no_stress),
    LAW_TEST(energy_keeps_its_digits_near_rest),
    LAW_TEST(rest_tangent_is_that_of_linear_elasticity),
    LAW_TEST(projected_tangent_is_the_nearest_positive_one),
    LAW_TEST(batch_of_any_size_equals_single_points),
    LAW_TEST(outputs_that_are_not_wanted_change_nothing),
    LAW_TEST(sound_speed_is_that_of_the_fastest_wave),
    LAW_TEST(slope_never_jumps_upwards_unless_flagged),
    LAW_TEST(rest_norm_is_the_norm_of_the_rest_tangent),
    LAW_TEST(inputs_are_described),
};

enum { LAW_SUITE_COUNT = sizeof law_suite / sizeof *law_suite };

// The suite as tests of one law. Lifetime: given must outlive the run.
static inline void law_suite_fill(law_case *given, struct CMUnitTest tests[LAW_SUITE_COUNT])
{
    for (int k = 0; k < LAW_SUITE_COUNT; ++k) {
        tests[k] = law_suite[k];
        tests[k].initial_state = given;
    }
}

#endif

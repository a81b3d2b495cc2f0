// SPDX-License-Identifier: Apache-2.0
//
// Orthotropic St. Venant-Kirchhoff elasticity: linear in Green strain E = (F^T F - 1) / 2, with
// constants of its own along three perpendicular axes q_1, q_2, q_3,
//
//   psi = E:C:E / 2,   S = C:E,   P = F S,   dP_ij/dF_kl = d_ik S_jl + F_im F_kn C_mjnl
//
// In the frame of the axes the normal entries of C are the inverse of the compliance with 1/E_i on
// its diagonal and -nu_ij / E_i = -nu_ji / E_j beside it, and S_ij = 2 G_ij E_ij for i != j
// (Lekhnitskii 1963).
//
// C is positive when the matrix with ones on its diagonal and -r_ij beside it, r_ij = nu_ij
// sqrt(E_j / E_i), is: |r_ij| < 1 and
//
//   |r_23 + r_12 r_13| < sqrt((1 - r_12^2) (1 - r_13^2))
//
// Like its isotropic relative it is for small strains: it gives way under compression. Finite for
// every F.
#include "material/batch.h"
#include "material/clamp.h"
#include "material/invariant.h"
#include "material/laws.h"
#include "material/wave.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { YOUNG, POISSON = 3, SHEAR = 6, AXES = 9, PARAM_COUNT = 21 };

// entries 00, 11, 22, 12, 02, 01 of a symmetric matrix, and where entry (i, j) is among them
static const int first_of[6] = {0, 1, 2, 1, 0, 0};
static const int second_of[6] = {0, 1, 2, 2, 2, 1};
static const int entry_of[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};

// Which parameter holds C of two entries: the upper triangle, row by row.
PLI_INLINE int place_of(int p, int q)
{
    int low = p < q ? p : q;
    int high = p < q ? q : p;
    return low * (11 - low) / 2 + high;
}

// ---- what a scene gives

#define MODULUS(name, value, text)                                                   \
    {                                                                                \
        .key = (name), .unit = "Pa", .fallback = (value), .min = 0, .max = INFINITY, \
        .exclusive = true, .doc = (text)                                             \
    }
#define RATIO(name, value, text)                                                                  \
    {                                                                                             \
        .key = (name), .unit = "", .fallback = (value), .min = -10, .max = 10, .exclusive = true, \
        .doc = (text)                                                                             \
    }
#define AXIS(name, x, y, z, text)                                                         \
    {                                                                                     \
        .key = (name), .unit = "", .components = 3, .direction = {x, y, z}, .doc = (text) \
    }

static const pli_material_input inputs[] = {
    MODULUS("young1", 1e10, "Young's modulus along axis 1."),
    MODULUS("young2", 1e9, "Young's modulus along axis 2."),
    MODULUS("young3", 5e8, "Young's modulus along axis 3."),
    RATIO("poisson12", 0.4, "How much a bar pulled along axis 1 thins along axis 2."),
    RATIO("poisson23", 0.5, "How much a bar pulled along axis 2 thins along axis 3."),
    RATIO("poisson13", 0.4, "How much a bar pulled along axis 1 thins along axis 3."),
    MODULUS("shear12", 8e8, "Shear modulus in the plane of axes 1 and 2."),
    MODULUS("shear23", 8e7, "Shear modulus in the plane of axes 2 and 3."),
    MODULUS("shear13", 7e8, "Shear modulus in the plane of axes 1 and 3."),
    AXIS("axis1", 1, 0, 0, "Axis 1, along the scene's axes in the rest shape."),
    AXIS("axis2", 0, 1, 0, "Axis 2; what it has along axis 1 is taken off. Axis 3 is across both."),
};

// r_12, r_23, r_13
static void find_ratios(const double *given, double r[3])
{
    const double *E = given + YOUNG;
    r[0] = given[POISSON] * sqrt(E[1] / E[0]);
    r[1] = given[POISSON + 1] * sqrt(E[2] / E[1]);
    r[2] = given[POISSON + 2] * sqrt(E[2] / E[0]);
}

static bool check(const double *given, size_t capacity, char *text)
{
    static const char *const names[3] = {"12", "23", "13"};
    const double *E = given + YOUNG;
    double r[3], across[3], length = pli_vec3_norm(given + AXES);
    find_ratios(given, r);
    for (int k = 0; k < 3; ++k) {
        int i = names[k][0] - '1';
        int j = names[k][1] - '1';
        if (fabs(r[k]) < 1) continue;
        snprintf(text, capacity,
                 "poisson%s = %g leaves no positive stiffness; its size must be less than "
                 "sqrt(young%c / young%c) = %.4g",
                 names[k], given[POISSON + k], names[k][0], names[k][1], sqrt(E[i] / E[j]));
        return false;
    }
    double half = sqrt((1 - r[0] * r[0]) * (1 - r[2] * r[2]));
    if (!(fabs(r[1] + r[0] * r[2]) < half)) {
        double unit = sqrt(E[1] / E[2]);
        snprintf(
            text, capacity,
            "poisson12, poisson23 and poisson13 together leave no positive stiffness; with the "
            "other two as they are, poisson23 = %g must be greater than %.4g and less than %.4g",
            given[POISSON + 1], (-half - r[0] * r[2]) * unit, (half - r[0] * r[2]) * unit);
        return false;
    }
    pli_vec3_cross(given + AXES, given + AXES + 3, across);
    if (pli_vec3_norm(across) > 1e-6 * length * pli_vec3_norm(given + AXES + 3)) return true;
    snprintf(text, capacity, "axis1 and axis2 must not be parallel");
    return false;
}

// Rows of Q: the axes, perpendicular and of length one.
static void find_axes(const double *given, double Q[9])
{
    pli_vec3_normalize(given + AXES, Q);
    double along = pli_vec3_dot(given + AXES + 3, Q);
    for (int k = 0; k < 3; ++k) Q[3 + k] = given[AXES + 3 + k] - along * Q[k];
    pli_vec3_normalize(Q + 3, Q + 3);
    pli_vec3_cross(Q, Q + 3, Q + 6);
}

// C_pq += c x_p x_q of vectors of six entries
static void add_product(double c, const double x[6], const double y[6], double *params)
{
    for (int p = 0; p < 6; ++p) {
        for (int q = p; q < 6; ++q) params[place_of(p, q)] += c * x[p] * y[q];
    }
}

// C = sum_ab C_ab (q_a q_a) (x) (q_b q_b) + sum_(a < b) G_ab (q_a q_b + q_b q_a) (x) (the same)
static void derive(const double *given, double *params)
{
    static const int pairs[3][2] = {{0, 1}, {1, 2}, {0, 2}};
    const double *E = given + YOUNG;
    double compliance[9], C[9], Q[9], normal[3][6];
    for (int k = 0; k < 3; ++k) {
        int i = pairs[k][0];
        int j = pairs[k][1];
        compliance[4 * k] = 1 / E[k];
        compliance[3 * i + j] = compliance[3 * j + i] = -given[POISSON + k] / E[i];
    }
    pli_mat3_inverse(compliance, C);
    find_axes(given, Q);
    for (int a = 0; a < 3; ++a) {
        for (int p = 0; p < 6; ++p) normal[a][p] = Q[3 * a + first_of[p]] * Q[3 * a + second_of[p]];
    }
    for (int k = 0; k < PARAM_COUNT; ++k) params[k] = 0;
    for (int ab = 0; ab < 9; ++ab) add_product(C[ab], normal[ab / 3], normal[ab % 3], params);
    for (int k = 0; k < 3; ++k) {
        const double *a = Q + 3 * pairs[k][0];
        const double *b = Q + 3 * pairs[k][1];
        double shear[6];
        for (int p = 0; p < 6; ++p) {
            shear[p] = a[first_of[p]] * b[second_of[p]] + b[first_of[p]] * a[second_of[p]];
        }
        add_product(given[SHEAR + k], shear, shear, params);
    }
}

// ---- four points

typedef struct four {
    pli_d4 C[PARAM_COUNT];
    pli_d4 F[9];
    pli_d4 E[6];
    pli_d4 S[6];
} four;

PLI_INLINE void load(const pli_planes *at, four *points)
{
    pli_load_planes(PARAM_COUNT, at->params, at->stride, points->C);
    pli_load_planes(9, at->F, at->stride, points->F);
    pli_strain(points->F, points->E);
    for (int p = 0; p < 6; ++p) points->E[p] *= 0.5;
    for (int p = 0; p < 6; ++p) {
        pli_d4 sum = {0};
        for (int q = 0; q < 6; ++q) {
            sum += (q < 3 ? 1.0 : 2.0) * points->C[place_of(p, q)] * points->E[q];
        }
        points->S[p] = sum;
    }
}

PLI_INLINE pli_d4 find_energy(const four *points)
{
    pli_d4 sum = {0};
    for (int p = 0; p < 6; ++p) sum += (p < 3 ? 0.5 : 1.0) * points->E[p] * points->S[p];
    return sum;
}

PLI_INLINE void store_stress(const four *points, int64_t stride, double *P)
{
    for (int k = 0; k < 9; ++k) {
        pli_d4 sum = {0};
        for (int m = 0; m < 3; ++m) {
            sum += points->F[3 * (k / 3) + m] * points->S[entry_of[m][k % 3]];
        }
        pli_d4_store(sum, P + k * stride);
    }
}

// dP_ij/dF_kl for one pair (j, l) of columns and all i and k
PLI_INLINE void store_pair(const four *points, int j, int l, int64_t stride, double *dPdF)
{
    const pli_d4 *F = points->F;
    pli_d4 X[9] = {{0}}; // F_im C_mjnl
    for (int in = 0; in < 9; ++in) {
        for (int m = 0; m < 3; ++m) {
            X[in] += F[3 * (in / 3) + m] * points->C[place_of(entry_of[m][j], entry_of[in % 3][l])];
        }
    }
    for (int i = 0; i < 3; ++i) {
        // for j = l the result is symmetric in i and k
        for (int k = j == l ? i : 0; k < 3; ++k) {
            pli_d4 sum = {0};
            for (int n = 0; n < 3; ++n) sum += X[3 * i + n] * F[3 * k + n];
            if (i == k) sum += points->S[entry_of[j][l]];
            pli_d4_store(sum, dPdF + (9 * (3 * i + j) + 3 * k + l) * stride);
            pli_d4_store(sum, dPdF + (9 * (3 * k + l) + 3 * i + j) * stride);
        }
    }
}

static void block(const pli_planes *at, pli_projection projection)
{
    PLI_NO_UNROLL
    for (int half = 0; half < 2; ++half) {
        pli_planes planes = pli_planes_half(at, half);
        four points;
        load(&planes, &points);
        if (at->psi != NULL) pli_d4_store(find_energy(&points), planes.psi);
        if (at->P != NULL) store_stress(&points, at->stride, planes.P);
        for (int jl = 0; at->dPdF != NULL && jl < 6; ++jl) {
            store_pair(&points, first_of[jl], second_of[jl], at->stride, planes.dPdF);
        }
    }
    if (at->dPdF != NULL && projection == PLI_TANGENT_PROJECTED) {
        pli_tangent_clamp(at->stride, at->dPdF);
    }
}

static void evaluate(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF)
{
    pli_planes batch = {n, F, params, psi, P, dPdF};
    pli_batch_run(n, PARAM_COUNT, &batch, projection, block);
}

static double sound_speed(const double *params, double density)
{
    return pli_wave_rest_speed(&pli_law_orthotropic, params, density);
}

const pli_material_ops pli_law_orthotropic = {
    .name = "orthotropic",
    .doc = "Wood, plies and lattices: nine constants along three axes, for small strains.",
    .flags = PLI_LAW_INVERTIBLE,
    .input_count = sizeof inputs / sizeof *inputs,
    .inputs = inputs,
    .param_count = PARAM_COUNT,
    .derive = derive,
    .check = check,
    .evaluate = evaluate,
    .sound_speed = sound_speed,
};

// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/eigen_pairs.h"

#include "linear/direct/arpack.h"
#include "linear/direct/cholesky.h"
#include "linear/direct/dense_eigen.h"
#include "linear/matrix/vector.h"

#include "base/memory.h"
#include "base/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

// random vectors beside those that are wanted, and subspace iterations
enum { GUARDS = 8, LEAST_SWEEPS = 3, MOST_SWEEPS = 60, MOST_RESTARTS = 1000 };

// of the largest K_ii / M_ii, where the shift begins and what it grows by
static const double first_shift = 1e-10;
static const double shift_growth = 100;

// of the residuals where sweeps end, and the largest that is still an answer
static const double small_residual = 1e-10;
static const double bearable_residual = 1e-6;
static const double level_residual = 1e-8; // above, what no longer falls may fall again

typedef struct eigen {
    pli_context *context;
    const pli_eigen_problem *problem;
    pli_cholesky *factor; // of K + s M
    pli_bcsr *shifted;    // K + s M, symmetric to the last bit
    int64_t n;            // unknowns, held ones too
    int32_t wanted;
    int32_t width;  // vectors that are iterated
    double *X;      // [width][n]
    double *Y;      // [width][n]
    double *KX;     // [width][n]
    double *MX;     // [n]
    double *A;      // [width][width] X K X^T
    double *Q;      // [width][width] its eigenvectors
    double *values; // [width] its eigenvalues, descending
    double scale;   // largest K_ii / M_ii
    pli_eigen_report *report;
} eigen;

static bool is_held(const pli_eigen_problem *p, int64_t k)
{
    return p->fixed != NULL && (p->fixed[k / 3] & (1u << (k % 3))) != 0;
}

// ---- products

// y = M x, without what is held
static void multiply_mass(void *user, const double *x, double *y)
{
    const eigen *e = user;
    for (int64_t k = 0; k < e->n; ++k) {
        y[k] = is_held(e->problem, k) ? 0 : e->problem->mass[k / 3] * x[k];
    }
}

// y = K x; Mx is M x
static void multiply_stiffness(const eigen *e, const double *x, const double *Mx, double *y)
{
    pli_bcsr_multiply(e->shifted, x, y);
    pli_vector_axpy(e->context, e->n, -e->report->shift, Mx, y);
}

// y = (K + s M)^-1 M x
static pli_status apply_inverse(void *user, const double *x, double *y)
{
    const eigen *e = user;
    const pli_eigen_problem *p = e->problem;
    if (p->cancel != NULL && p->cancel(p->user)) {
        return PLI_FAIL(e->context, PLI_ERROR_INTERRUPTED, "the modes were cancelled");
    }
    multiply_mass(user, x, y);
    return pli_cholesky_solve(e->factor, 1, y, y);
}

// ---- the shift

// Coordinates that can move, and the largest K_ii / M_ii.
static int64_t survey(eigen *e)
{
    const pli_eigen_problem *p = e->problem;
    int64_t count = 0;
    for (int64_t k = 0; k < e->n; ++k) {
        double mass = p->mass[k / 3];
        if (is_held(p, k) || !(mass > 0)) continue;
        ++count;
        double entry = p->K->values[9 * p->K->diagonal[k / 3] + 4 * (k % 3)];
        e->scale = fmax(e->scale, fabs(entry) / mass);
    }
    return count;
}

// Makes the matrix and its transpose one. Assembly rounds them differently, and a product with both
// triangles has other eigenvectors then than a factor of one of them.
static void symmetrise(pli_bcsr *A)
{
    for (int32_t row = 0; row < A->row_count; ++row) {
        for (int64_t slot = A->row_start[row]; slot < A->row_start[row + 1]; ++slot) {
            if (A->column[slot] > row) break;
            double *here = A->values + 9 * slot;
            double *there = A->values + 9 * pli_bcsr_find(A, A->column[slot], row);
            for (int k = 0; k < 9; ++k) {
                int mirror = 3 * (k % 3) + k / 3;
                here[k] = there[mirror] = 0.5 * (here[k] + there[mirror]);
            }
        }
    }
}

// Copies K and adds s M.
static pli_status shift_matrix(eigen *e, double shift)
{
    const pli_bcsr *K = e->problem->K;
    if (e->shifted == NULL) {
        PLI_TRY(pli_bcsr_create_from_rows(e->context, K->row_count, K->row_start, K->column,
                                          &e->shifted));
    }
    memcpy(e->shifted->values, K->values, 9 * (size_t)K->block_count * sizeof(double));
    symmetrise(e->shifted);
    for (int64_t k = 0; k < e->n; ++k) {
        if (is_held(e->problem, k)) continue;
        double *block = e->shifted->values + 9 * K->diagonal[k / 3];
        block[4 * (k % 3)] += shift * e->problem->mass[k / 3];
    }
    return PLI_OK;
}

static pli_status factor_shifted(eigen *e)
{
    bool positive = false;
    for (double share = first_shift; share < 10 && !positive; share *= shift_growth) {
        e->report->shift = share * e->scale;
        PLI_TRY(shift_matrix(e, e->report->shift));
        if (e->factor == NULL) {
            PLI_TRY(
                pli_cholesky_create(e->context, &(pli_cholesky_def){0}, e->shifted, &e->factor));
        }
        PLI_TRY(pli_cholesky_factor(e->factor, e->shifted, 0, &positive));
    }
    if (positive) return PLI_OK;
    return PLI_FAIL(
        e->context, PLI_ERROR_NUMERIC,
        "the stiffness has no lowest eigenvalue that can be found: it is not finite, or "
        "something without mass is not held");
}

// ---- subspaces

static void fill_random(const eigen *e, int32_t row)
{
    pli_random random = {.seed = 1, .stream = (uint64_t)row};
    for (int64_t k = 0; k < e->n; ++k) {
        double number = pli_random_uniform(random, (uint64_t)k) - 0.5;
        e->X[row * e->n + k] = is_held(e->problem, k) ? 0 : number;
    }
}

// Scales a vector to length 1 in the product of M.
static void normalise(eigen *e, double *x)
{
    multiply_mass(e, x, e->MX);
    double length = sqrt(fmax(pli_vector_dot(e->context, e->n, x, e->MX), 0));
    if (length > 0) pli_vector_scale(e->context, e->n, 1 / length, x);
}

// Takes the vectors before it out of a vector.
static void take_out(eigen *e, int32_t row)
{
    double *x = e->X + row * e->n;
    multiply_mass(e, x, e->MX);
    for (int32_t k = 0; k < row; ++k) {
        const double *other = e->X + k * e->n;
        double part = pli_vector_dot(e->context, e->n, other, e->MX);
        pli_vector_axpy(e->context, e->n, -part, other, x);
    }
}

// Gram and Schmidt in the product of M, twice against rounding. Of a vector in which nothing else
// is left, rounding remains, which is as good as random.
static void orthogonalise(eigen *e)
{
    for (int32_t row = 0; row < e->width; ++row) {
        normalise(e, e->X + row * e->n);
        for (int round = 0; round < 2; ++round) {
            take_out(e, row);
            normalise(e, e->X + row * e->n);
        }
    }
}

// Rayleigh and Ritz: X becomes the best vectors in its space, the lowest eigenvalue last.
static void rotate_to_ritz(eigen *e)
{
    int32_t m = e->width;
    for (int32_t i = 0; i < m; ++i) {
        multiply_mass(e, e->X + i * e->n, e->MX);
        multiply_stiffness(e, e->X + i * e->n, e->MX, e->KX + i * e->n);
        for (int32_t j = 0; j <= i; ++j) {
            double entry = pli_vector_dot(e->context, e->n, e->X + j * e->n, e->KX + i * e->n);
            e->A[i * m + j] = e->A[j * m + i] = entry;
        }
    }
    pli_dense_eigen(m, e->A, e->values, e->Q);
    for (int32_t i = 0; i < m; ++i) {
        double *y = e->Y + i * e->n;
        memset(y, 0, (size_t)e->n * sizeof *y);
        for (int32_t j = 0; j < m; ++j) {
            pli_vector_axpy(e->context, e->n, e->Q[i * m + j], e->X + j * e->n, y);
        }
    }
    double *swap = e->X;
    e->X = e->Y;
    e->Y = swap;
}

// |K phi - lambda M phi| of the wanted ones, the largest, over the largest |lambda| |M phi|.
static double measure_residual(eigen *e)
{
    double largest = 0, unit = 0;
    for (int32_t k = 0; k < e->wanted; ++k) {
        int32_t row = e->width - 1 - k;
        double *r = e->KX + row * e->n;
        multiply_mass(e, e->X + row * e->n, e->MX);
        multiply_stiffness(e, e->X + row * e->n, e->MX, r);
        double length = pli_vector_norm(e->context, e->n, e->MX);
        pli_vector_axpy(e->context, e->n, -e->values[row], e->MX, r);
        largest = fmax(largest, pli_vector_norm(e->context, e->n, r) / length);
        unit = fmax(unit, fabs(e->values[row]));
    }
    return largest / fmax(unit, e->report->shift);
}

// What rounding leaves of a residual: that of K x.
static double rounding_of_residual(const eigen *e)
{
    double unit = e->report->shift;
    for (int32_t k = 0; k < e->wanted; ++k) {
        unit = fmax(unit, fabs(e->values[e->width - 1 - k]));
    }
    return 100 * DBL_EPSILON * e->scale / unit;
}

static pli_status sweep(eigen *e)
{
    for (int32_t row = 0; row < e->width; ++row) {
        PLI_TRY(apply_inverse(e, e->X + row * e->n, e->Y + row * e->n));
    }
    double *swap = e->X;
    e->X = e->Y;
    e->Y = swap;
    orthogonalise(e);
    rotate_to_ritz(e);
    return PLI_OK;
}

// Until the residuals of those wanted are small, or no longer fall.
static pli_status polish(eigen *e)
{
    double before = INFINITY;
    for (int32_t k = 1; k <= MOST_SWEEPS; ++k) {
        PLI_TRY(sweep(e));
        e->report->sweeps = k;
        e->report->residual = measure_residual(e);
        double enough = fmax(small_residual, rounding_of_residual(e));
        bool is_level = e->report->residual > 0.5 * before && e->report->residual < level_residual;
        if (k >= LEAST_SWEEPS && (e->report->residual <= enough || is_level)) break;
        before = e->report->residual;
    }
    if (e->report->residual <= bearable_residual) return PLI_OK;
    return PLI_FAIL(e->context, PLI_ERROR_NUMERIC,
                    "the modes did not converge: a residual of %.1e of its force is left",
                    e->report->residual);
}

// ---- all of it

// The space to begin with: that of Lanczos iterations, and random vectors. Where few coordinates
// can move, random ones alone.
static pli_status begin_space(eigen *e, int64_t free_count)
{
    int32_t window = 2 * e->wanted + 20;
    for (int32_t row = 0; row < e->width; ++row) fill_random(e, row);
    if (window >= free_count) return PLI_OK;
    double *basis = PLI_NEW(e->context, double, window * e->n, "Lanczos vectors");
    if (basis == NULL) return PLI_ERROR_MEMORY;
    pli_arpack_problem lanczos = {.size = e->n,
                                  .count = e->wanted,
                                  .window = window,
                                  .max_iterations = MOST_RESTARTS,
                                  .apply = apply_inverse,
                                  .apply_mass = multiply_mass,
                                  .user = e};
    pli_status status = pli_arpack_largest(e->context, &lanczos, e->X, basis);
    if (status == PLI_OK) memcpy(e->X, basis, (size_t)(e->wanted * e->n) * sizeof(double));
    pli_release(e->context, basis);
    return status;
}

// Lowest first, the largest entry positive. Of entries that are as large but for rounding the first
// counts.
static void hand_out(const eigen *e, double *values, double *vectors)
{
    for (int32_t k = 0; k < e->wanted; ++k) {
        const double *from = e->X + (e->width - 1 - k) * e->n;
        double *to = vectors + k * e->n;
        double largest = pli_vector_max_abs(e->context, e->n, from);
        int64_t first = 0;
        while (first + 1 < e->n && !(fabs(from[first]) >= (1 - 1e-6) * largest)) ++first;
        double sign = from[first] < 0 ? -1 : 1;
        for (int64_t i = 0; i < e->n; ++i) to[i] = sign * from[i];
        values[k] = e->values[e->width - 1 - k];
    }
}

static pli_status allocate(eigen *e)
{
    pli_context *context = e->context;
    int64_t m = e->width;
    e->X = PLI_NEW(context, double, m * e->n, "modes");
    e->Y = PLI_NEW(context, double, m * e->n, "modes");
    e->KX = PLI_NEW(context, double, m * e->n, "modes");
    e->MX = PLI_NEW(context, double, e->n, "modes");
    e->A = PLI_NEW(context, double, m *m, "modes");
    e->Q = PLI_NEW(context, double, m *m, "modes");
    e->values = PLI_NEW(context, double, m, "modes");
    bool complete = e->X != NULL && e->Y != NULL && e->KX != NULL && e->MX != NULL &&
                    e->A != NULL && e->Q != NULL && e->values != NULL;
    return complete ? PLI_OK : PLI_ERROR_MEMORY;
}

static pli_status solve(eigen *e, double *values, double *vectors)
{
    int64_t free_count = survey(e);
    if (free_count < e->wanted) {
        return PLI_FAIL(e->context, PLI_ERROR_ARGUMENT,
                        "%d modes were asked for, but only %lld coordinates can move",
                        (int)e->wanted, (long long)free_count);
    }
    e->width = e->wanted + GUARDS < free_count ? e->wanted + GUARDS : (int32_t)free_count;
    PLI_TRY(allocate(e));
    PLI_TRY(factor_shifted(e));
    PLI_TRY(begin_space(e, free_count));
    PLI_TRY(polish(e));
    hand_out(e, values, vectors);
    // what K rounds off of a length, along vectors that it should not see
    e->report->resolution = 16 * DBL_EPSILON * e->scale;
    return PLI_OK;
}

pli_status pli_eigen_lowest(pli_context *context, const pli_eigen_problem *problem, double *values,
                            double *vectors, pli_eigen_report *report)
{
    *report = (pli_eigen_report){0};
    if (!pli_arpack_is_available()) {
        return pli_arpack_largest(context, NULL, NULL, NULL);
    }
    eigen e = {.context = context,
               .problem = problem,
               .n = 3 * (int64_t)problem->K->row_count,
               .wanted = problem->count,
               .report = report};
    pli_status status = solve(&e, values, vectors);
    PLI_RELEASE(context, e.values, e.Q, e.A, e.MX, e.KX, e.Y, e.X);
    pli_cholesky_destroy(e.factor);
    pli_bcsr_destroy(e.shifted);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
//
// Elementary functions of eight floats, and functions of symmetric matrices without eigenvalues,
// against the C library and the decomposition in double.
#include "near.h"

#include "base/random.h"
#include "math/mat3.h"
#include "math/simd_cbrt.h"
#include "math/simd_exp.h"
#include "math/simd_log.h"
#include "math/svd.h"
#include "math/symmetric_simd.h"

enum { SAMPLES = 200000, MATRICES = 8192, LANES = PLI_F8_LANES };

// One unit in the last place of a float is 1.2e-7 of it at most.
static const double unit = 1.2e-7;

// A number for a lane: over the whole range, around one, and very close to it.
static float positive(uint64_t index)
{
    pli_random random = {.seed = 61, .stream = index % 3};
    double u = pli_random_range(random, index, -1, 1);
    double near_one = index % 3 == 1 ? 1 + 0.7 * u : 1 + pow(10, -6 * fabs(u)) * u;
    return (float)(index % 3 == 0 ? exp(86 * u) : near_one);
}

static void logarithm_is_that_of_the_library(void **state)
{
    (void)state;
    for (uint64_t first = 0; first < SAMPLES; first += LANES) {
        pli_f8 x;
        for (int k = 0; k < LANES; ++k) x[k] = positive(first + (uint64_t)k);
        x[0] = fmaxf(x[0], 1e-37f);
        pli_f8 got = pli_f8_log(x);
        for (int k = 0; k < LANES; ++k) {
            if (!(x[k] > 0)) continue; // 1 + u can be zero
            NEAR((double)got[k], log((double)x[k]), 2 * unit, 0);
        }
    }
    assert_true(pli_f8_log(pli_f8_broadcast(1))[0] == 0);
    static const float bad[] = {0, -1, NAN, INFINITY, -INFINITY, 1e-40f};
    for (int k = 0; k < 6; ++k) assert_true(isnan(pli_f8_log(pli_f8_broadcast(bad[k]))[k]));
}

static void exponential_is_that_of_the_library(void **state)
{
    (void)state;
    pli_random random = {.seed = 62};
    for (uint64_t first = 0; first < SAMPLES; first += LANES) {
        pli_f8 x;
        for (int k = 0; k < LANES; ++k) {
            double u = pli_random_range(random, first + (uint64_t)k, -1, 1);
            x[k] = (float)(k % 2 == 0 ? 87 * u : pow(10, -8 * fabs(u)) * u);
        }
        pli_f8 got = pli_f8_exp(x);
        pli_f8 less = pli_f8_expm1(x);
        for (int k = 0; k < LANES; ++k) {
            NEAR((double)got[k], exp((double)x[k]), 2 * unit, 0);
            NEAR((double)less[k], expm1((double)x[k]), 2 * unit, 0);
        }
    }
    assert_true(pli_f8_exp(pli_f8_broadcast(0))[0] == 1);
    assert_true(isnan(pli_f8_exp(pli_f8_broadcast(NAN))[0]));
    AT_MOST((double)pli_f8_exp(pli_f8_broadcast(-INFINITY))[0], 2e-38);
    AT_LEAST((double)pli_f8_exp(pli_f8_broadcast(INFINITY))[0], 1e38);
}

static void cube_root_is_that_of_the_library(void **state)
{
    (void)state;
    for (uint64_t first = 0; first < SAMPLES; first += LANES) {
        pli_f8 x;
        for (int k = 0; k < LANES; ++k) {
            x[k] = fminf(fmaxf(positive(first + (uint64_t)k), 1e-36f), 1e36f);
        }
        pli_f8 got = pli_f8_cbrt(x);
        for (int k = 0; k < LANES; ++k) NEAR((double)got[k], cbrt((double)x[k]), 3 * unit, 0);
    }
    assert_true(isnan(pli_f8_cbrt(pli_f8_broadcast(NAN))[0]));
}

// Eight matrices with strains log s up to the given size, and their decompositions as they are in
// float.
typedef struct samples {
    pli_f8 F[9];
    double U[LANES][9];
    double s[LANES][3];
} samples;

static void make(uint64_t first, double strain, bool reflected, samples *out)
{
    for (int lane = 0; lane < LANES; ++lane) {
        pli_random random = {.seed = 63, .stream = first + (uint64_t)lane};
        double R[9], A[9], V[9], s[3], product[9];
        for (uint64_t k = 0; k < 9; ++k) R[k] = pli_random_range(random, k, -1, 1);
        pli_svd(R, A, s, V);
        for (uint64_t k = 0; k < 3; ++k)
            s[k] = exp(pli_random_range(random, 20 + k, -strain, strain));
        if (reflected) s[2] = -s[2];
        for (int k = 0; k < 9; ++k) A[k] *= s[k % 3];
        pli_mat3_multiply_transposed_right(A, V, product);
        for (int k = 0; k < 9; ++k) out->F[k][lane] = (float)product[k];
        for (int k = 0; k < 9; ++k) product[k] = (double)out->F[k][lane];
        pli_svd(product, out->U[lane], out->s[lane], V);
    }
}

// entry k, of 00, 11, 22, 12, 02, 01, of U diag(x) U^T
static double entry(const double U[9], const double x[3], int k)
{
    static const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    const double *u = U + 3 * rows[k][0];
    const double *w = U + 3 * rows[k][1];
    return u[0] * x[0] * w[0] + u[1] * x[1] * w[1] + u[2] * x[2] * w[2];
}

static void log_deviator(const double s[3], double L[3])
{
    for (int k = 0; k < 3; ++k) L[k] = 2 * log(s[k]);
    double mean = (L[0] + L[1] + L[2]) / 3;
    for (int k = 0; k < 3; ++k) L[k] -= mean;
}

// Rounding of b, some units, over the least eigenvalue, 0.3 of the mean.
static void matrix_logarithm_is_that_of_eigenvalues(void **state)
{
    (void)state;
    int held = 0;
    for (uint64_t first = 0; first < MATRICES; first += LANES) {
        samples in;
        pli_f8 b[6];
        pli_f8 L[6];
        static const double strains[] = {1e-5, 1e-2, 0.2, 0.4, 2};
        double strain = strains[first / LANES % 5];
        make(first, strain, false, &in);
        pli_symmetric_gram_f8(in.F, b);
        pli_f8_mask right = pli_symmetric_log_f8(b, L);
        for (int lane = 0; lane < LANES; ++lane) {
            double want[3];
            // the range that is promised: no eigenvalue further than 0.7 from their mean
            if (strain <= 0.2) assert_true(right[lane] != 0);
            if (right[lane] == 0) continue;
            ++held;
            log_deviator(in.s[lane], want);
            for (int k = 0; k < 6; ++k) {
                NEAR((double)L[k][lane], entry(in.U[lane], want, k), 0, 10 * unit);
            }
        }
    }
    assert_true(held > MATRICES / 2 && held < MATRICES);
}

static void matrix_exponential_undoes_the_logarithm(void **state)
{
    (void)state;
    for (uint64_t first = 0; first < MATRICES; first += LANES) {
        samples in;
        pli_f8 b[6], E[6], S[6];
        make(first, 0.35, false, &in);
        pli_symmetric_gram_f8(in.F, b);
        pli_f8_mask right = pli_symmetric_log_f8(b, E);
        for (int k = 0; k < 6; ++k) E[k] *= 0.5f;
        pli_symmetric_exp_f8(E, S);
        for (int lane = 0; lane < LANES; ++lane) {
            if (right[lane] == 0) continue;
            double want[3];
            log_deviator(in.s[lane], want);
            for (int k = 0; k < 3; ++k) want[k] = exp(want[k] / 2);
            for (int k = 0; k < 6; ++k) {
                NEAR((double)S[k][lane], entry(in.U[lane], want, k), 0, 10 * unit);
            }
        }
    }
}

// V = U diag(s) U^T. Rounding is that of ((f^2 + I) b - 2 b^2 + 2 f J 1) / d, in sizes of terms
// 20/16 at rest, where it is some units, and up to 35 where d = 0.1 f^3: 28 times as much.
static void stretch_is_that_of_singular_values(void **state)
{
    (void)state;
    int held = 0;
    for (uint64_t first = 0; first < MATRICES; first += LANES) {
        samples in;
        pli_f8 b[6], V[6], J;
        static const double strains[] = {1e-5, 1e-2, 0.3, 1, 2, 4};
        double strain = strains[first / LANES % 6];
        bool reflected = first / LANES % 12 == 3;
        make(first, strain, reflected, &in);
        pli_symmetric_gram_f8(in.F, b);
        pli_f8_mask right = pli_stretch_f8(in.F, b, V, &J);
        for (int lane = 0; lane < LANES; ++lane) {
            const double *s = in.s[lane];
            if (strain <= 1 && !reflected) assert_true(right[lane] != 0);
            NEAR((double)J[lane], s[0] * s[1] * s[2], 0, 10 * unit * s[0] * s[0] * s[0]);
            if (right[lane] == 0) continue;
            ++held;
            double error = (strain <= 0.3 ? 5 : 100) * unit * s[0];
            for (int k = 0; k < 6; ++k) NEAR((double)V[k][lane], entry(in.U[lane], s, k), 0, error);
        }
    }
    assert_true(held > MATRICES / 2 && held < MATRICES);
}

// against the eigenvalues themselves, away from the limit by more than rounding
static void limits_of_eigenvalues_are_told(void **state)
{
    (void)state;
    int above = 0;
    for (uint64_t first = 0; first < MATRICES; first += LANES) {
        samples in;
        pli_f8 b[6];
        make(first, 0.1, false, &in);
        pli_symmetric_gram_f8(in.F, b);
        pli_f8_mask over = pli_symmetric_is_above_f8(b, 0.9f);
        pli_f8_mask under = pli_symmetric_is_below_f8(b, 1.1f);
        for (int lane = 0; lane < LANES; ++lane) {
            double least = in.s[lane][2] * in.s[lane][2];
            double most = in.s[lane][0] * in.s[lane][0];
            if (fabs(least - 0.9) > 1e-5) assert_true((over[lane] != 0) == (least > 0.9));
            if (fabs(most - 1.1) > 1e-5) assert_true((under[lane] != 0) == (most < 1.1));
            above += over[lane] != 0;
        }
    }
    assert_true(above > MATRICES / 10 && above < MATRICES * 9 / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logarithm_is_that_of_the_library),
        cmocka_unit_test(exponential_is_that_of_the_library),
        cmocka_unit_test(cube_root_is_that_of_the_library),
        cmocka_unit_test(matrix_logarithm_is_that_of_eigenvalues),
        cmocka_unit_test(matrix_exponential_undoes_the_logarithm),
        cmocka_unit_test(stretch_is_that_of_singular_values),
        cmocka_unit_test(limits_of_eigenvalues_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

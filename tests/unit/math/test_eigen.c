// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "base/random.h"
#include "math/eigen.h"
#include "math/svd_simd.h"

enum { ENTRIES = PLI_EIGEN_MAX * PLI_EIGEN_MAX };

// Symmetric and random; rank below n when it is positive, and scaled.
static void make_symmetric(int32_t n, int32_t rank, double scale, uint64_t stream, double *A)
{
    pli_random random = {.seed = 21, .stream = stream};
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int32_t term = 0; term < (rank > 0 ? rank : n); ++term) {
        double t[PLI_EIGEN_MAX];
        double sign = pli_random_uniform(random, (uint64_t)term) < 0.5 ? -1 : 1;
        for (int32_t k = 0; k < n; ++k) {
            t[k] = pli_random_normal(random, (uint64_t)(100 + term * n + k));
        }
        for (int32_t k = 0; k < n * n; ++k) A[k] += scale * sign * (t[k / n] * t[k % n]);
    }
}

static double largest(int32_t n, const double *A)
{
    double most = 0;
    for (int32_t k = 0; k < n * n; ++k) most = fmax(most, fabs(A[k]));
    return most;
}

static void check_eigen(int32_t n, const double *A)
{
    double values[PLI_EIGEN_MAX];
    double Q[ENTRIES];
    pli_eigen_symmetric(n, A, values, Q);
    for (int32_t k = 1; k < n; ++k) assert_true(values[k - 1] <= values[k]);
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            double product = 0;
            double rebuilt = 0;
            for (int32_t k = 0; k < n; ++k) {
                product += Q[n * k + i] * Q[n * k + j];
                rebuilt += Q[n * i + k] * values[k] * Q[n * j + k];
            }
            // rounding of some n rotations per entry and sweep
            NEAR(product, i == j, 0, 1e-14);
            NEAR(rebuilt, A[n * i + j], 0, 1e-14 * n * largest(n, A));
        }
    }
}

static void vectors_are_orthonormal_and_rebuild_the_matrix(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e-300, 1e300};
    double A[ENTRIES];
    for (int32_t n = 1; n <= PLI_EIGEN_MAX; ++n) {
        for (uint64_t stream = 0; stream < 30; ++stream) {
            make_symmetric(n, stream % 3 == 0 ? (n + 1) / 2 : 0, scales[stream % 3], stream, A);
            check_eigen(n, A);
        }
    }
}

static void special_matrices_are_handled(void **state)
{
    (void)state;
    double A[ENTRIES] = {0};
    check_eigen(9, A);
    for (int k = 0; k < 81; k += 10) A[k] = 3;
    check_eigen(9, A);
    A[1] = A[9] = 1e-17;
    check_eigen(9, A);
    for (int k = 0; k < 81; ++k) A[k] = 1;
    check_eigen(9, A);
}

// Off-diagonal entries of every size: none may be lost before it is below rounding.
static void nearly_diagonal_matrices_are_handled(void **state)
{
    (void)state;
    for (int32_t n = 2; n <= PLI_EIGEN_MAX; ++n) {
        for (uint64_t decade = 0; decade < 18; ++decade) {
            pli_random random = {.seed = 31, .stream = decade};
            double A[ENTRIES];
            for (int32_t i = 0; i < n; ++i) {
                for (int32_t j = 0; j <= i; ++j) {
                    uint64_t entry = (uint64_t)(n * i + j);
                    double size = pow(10, -(double)decade * pli_random_uniform(random, entry));
                    // clusters of equal values on the diagonal
                    A[n * i + j] = i == j ? i / 3 : size;
                    A[n * j + i] = A[n * i + j];
                }
            }
            check_eigen(n, A);
        }
    }
}

static void known_eigenvalues_are_found(void **state)
{
    (void)state;
    // second difference matrix: 2 - 2 cos(k pi / (n + 1))
    enum { N = 12 };
    double A[N * N] = {0};
    double values[N];
    double Q[N * N];
    for (int k = 0; k < N; ++k) {
        A[N * k + k] = 2;
        if (k > 0) A[N * k + k - 1] = A[N * (k - 1) + k] = -1;
    }
    pli_eigen_symmetric(N, A, values, Q);
    for (int k = 0; k < N; ++k) {
        NEAR(values[k], 2 - 2 * cos((k + 1) * acos(-1) / (N + 1)), 0, 1e-14);
    }
}

// The clamp against its definition by eigenvectors, for indefinite matrices.
static void clamp_raises_negative_eigenvalues_to_zero(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= PLI_EIGEN_MAX; ++n) {
        for (uint64_t stream = 0; stream < 20; ++stream) {
            double A[ENTRIES], clamped[ENTRIES], values[PLI_EIGEN_MAX], Q[ENTRIES];
            make_symmetric(n, stream % 3 == 0 ? (n + 1) / 2 : 0, 10, stream, A);
            memcpy(clamped, A, sizeof A);
            (void)pli_psd_clamp(n, clamped);
            pli_eigen_symmetric(n, A, values, Q);
            double size = largest(n, A);
            for (int32_t k = 0; k < n * n; ++k) {
                double want = 0;
                for (int32_t v = 0; v < n; ++v) {
                    want += fmax(values[v], 0) * Q[n * (k / n) + v] * Q[n * (k % n) + v];
                }
                NEAR(clamped[k], want, 0, 1e-13 * size);
                assert_true(clamped[k] == clamped[n * (k % n) + k / n]);
            }
            pli_eigen_symmetric(n, clamped, values, Q);
            assert_true(values[0] >= -1e-13 * size);
        }
    }
}

static void positive_matrices_keep_their_bits(void **state)
{
    (void)state;
    double A[ENTRIES];
    double copy[ENTRIES];
    for (uint64_t stream = 0; stream < 10; ++stream) {
        make_symmetric(12, 12, 1, stream, A);
        for (int k = 0; k < 144; k += 13) A[k] += 100;
        memcpy(copy, A, sizeof A);
        assert_true(pli_is_positive_definite(12, A));
        assert_false(pli_psd_clamp(12, A));
        assert_memory_equal(A, copy, sizeof A);
    }
    memset(A, 0, sizeof A);
    assert_false(pli_psd_clamp(12, A));
    for (int k = 0; k < 144; ++k) assert_true(A[k] == 0);
}

static void entries_that_are_not_finite_are_left_alone(void **state)
{
    (void)state;
    double A[9] = {1, NAN, 0, NAN, -1, 0, 0, 0, 1};
    double values[3];
    double Q[9];
    assert_false(pli_psd_clamp(3, A));
    assert_true(A[4] == -1);
    pli_eigen_symmetric(3, A, values, Q);
}

// S as six vectors: 00 11 22 12 02 01
static void get_lane(const pli_d4 S[6], int lane, double A[9])
{
    static const int entry[9] = {0, 5, 4, 5, 1, 3, 4, 3, 2};
    for (int k = 0; k < 9; ++k) A[k] = S[entry[k]][lane];
}

static void vector_clamp_equals_the_scalar_one(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 200; ++round) {
        pli_random random = {.seed = 8, .stream = round};
        pli_d4 S[6];
        pli_d4 before[6];
        for (uint64_t k = 0; k < 24; ++k) {
            double value = pli_random_normal(random, k);
            // one lane positive, one with a zero row, one with nearly equal values
            if (k % 4 == 0) value = k / 4 < 3 ? 3 + value * value : 0.1 * value;
            if (k % 4 == 1 && (k / 4 == 0 || k / 4 > 3)) value = 0;
            if (k % 4 == 2) value = k / 4 < 3 ? -1 + 1e-9 * value : 1e-9 * value;
            S[k / 4][k % 4] = value;
        }
        memcpy(before, S, sizeof S);
        pli_clamp_psd_d4(S);
        for (int lane = 0; lane < 4; ++lane) {
            double got[9];
            double want[9];
            get_lane(before, lane, want);
            get_lane(S, lane, got);
            double size = largest(3, want);
            bool positive = pli_is_positive_definite(3, want);
            (void)pli_psd_clamp(3, want);
            for (int k = 0; k < 9; ++k) NEAR(got[k], want[k], 0, positive ? 0 : 1e-14 * size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_orthonormal_and_rebuild_the_matrix),
        cmocka_unit_test(special_matrices_are_handled),
        cmocka_unit_test(nearly_diagonal_matrices_are_handled),
        cmocka_unit_test(known_eigenvalues_are_found),
        cmocka_unit_test(clamp_raises_negative_eigenvalues_to_zero),
        cmocka_unit_test(positive_matrices_keep_their_bits),
        cmocka_unit_test(entries_that_are_not_finite_are_left_alone),
        cmocka_unit_test(vector_clamp_equals_the_scalar_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

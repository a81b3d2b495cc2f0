// SPDX-License-Identifier: Apache-2.0
//
// Decompositions over a set of hard matrices: the scalar one against its definition, the vector
// ones against their definition and against the scalar one.
#include "near.h"

#include "base/random.h"
#include "math/mat3.h"
#include "math/svd.h"
#include "math/svd_simd.h"

enum { HARD_COUNT = 4096 };

static void random_rotation(uint64_t stream, double Q[9])
{
    pli_random random = {.seed = 11, .stream = stream};
    double axis[3];
    for (uint64_t k = 0; k < 3; ++k) axis[k] = pli_random_normal(random, k);
    pli_vec3_normalize(axis, axis);
    pli_mat3_rotation(axis, pli_random_range(random, 3, -3.2, 3.2), Q);
}

// F = A diag(s) B^T with random rotations
static void compose(uint64_t stream, const double s[3], double F[9])
{
    double A[9];
    double B[9];
    random_rotation(2 * stream, A);
    random_rotation(2 * stream + 1, B);
    for (int k = 0; k < 9; ++k) A[k] *= s[k % 3];
    pli_mat3_multiply_transposed_right(A, B, F);
}

// A random number of either sign whose size is spread over many decades.
static double spread(pli_random random, uint64_t index, double decades)
{
    double size = pow(10, -decades * pli_random_uniform(random, 2 * index));
    return pli_random_uniform(random, 2 * index + 1) < 0.5 ? -size : size;
}

// Hard matrices by kind: dense, near the identity at every distance, singular values from equal to
// wildly different, of rank 0, 1 and 2, reflected, integer, entries spread over many decades.
static void make_hard(int index, double F[9])
{
    pli_random random = {.seed = 5, .stream = (uint64_t)index};
    double s[3];
    double near_one = spread(random, 50, 17);
    for (uint64_t k = 0; k < 9; ++k) {
        double value = pli_random_range(random, k, -1, 1);
        switch (index % 8) {
        case 0: F[k] = value; break;
        case 1: F[k] = (k % 4 == 0) + near_one * value; break;
        case 2: F[k] = floor(3 * (value + 1) / 2) - 1; break;
        case 3: F[k] = spread(random, 20 + k, 20); break;
        default: break;
        }
    }
    if (index % 8 < 4) return;
    for (uint64_t k = 0; k < 3; ++k) {
        switch (index % 8) {
        case 4: s[k] = spread(random, k, 18); break;
        case 5: s[k] = floor(3 * pli_random_uniform(random, k)) - 1; break;
        case 6: s[k] = 1 + spread(random, k, 17); break;
        default: s[k] = k == 2 ? spread(random, 9, 17) : 1 + spread(random, k, 17); break;
        }
    }
    compose((uint64_t)index, s, F);
}

static double norm9(const double A[9])
{
    return sqrt(pli_mat3_contract(A, A));
}

// U and V are rotations, sigma is sorted and U diag(sigma) V^T = F, to tolerance |F|.
static void check_parts(const double F[9], const double U[9], const double s[3], const double V[9],
                        double tolerance)
{
    double product[9];
    double scaled[9];
    const double *both[2] = {U, V};
    for (int which = 0; which < 2; ++which) {
        pli_mat3_multiply_transposed_left(both[which], both[which], product);
        for (int k = 0; k < 9; ++k) NEAR(product[k], k % 4 == 0, 0, 2 * tolerance);
        NEAR(pli_mat3_determinant(both[which]), 1, 0, 4 * tolerance);
    }
    assert_true(s[0] >= s[1] && s[1] >= fabs(s[2]));
    for (int k = 0; k < 9; ++k) scaled[k] = U[k] * s[k % 3];
    pli_mat3_multiply_transposed_right(scaled, V, product);
    // scaled before squaring: the norm of 1e-200 would be zero
    double largest = 0;
    for (int k = 0; k < 9; ++k) largest = fmax(largest, fabs(F[k]));
    double size = largest > 0 ? largest : 1;
    double miss[9];
    double whole[9];
    for (int k = 0; k < 9; ++k) miss[k] = (product[k] - F[k]) / size;
    for (int k = 0; k < 9; ++k) whole[k] = F[k] / size;
    AT_MOST(norm9(miss), tolerance * norm9(whole));
}

static void scalar_parts_make_up_every_hard_matrix(void **state)
{
    (void)state;
    for (int index = 0; index < HARD_COUNT; ++index) {
        double F[9];
        double U[9];
        double s[3];
        double V[9];
        make_hard(index, F);
        pli_svd(F, U, s, V);
        check_parts(F, U, s, V, 1e-14);
    }
}

static void scalar_parts_hold_at_every_scale(void **state)
{
    (void)state;
    static const double scales[] = {1e-310, 1e-200, 1e-150, 1e-20, 1e20, 1e150, 1e300};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        for (int index = 0; index < 256; ++index) {
            double F[9];
            double U[9];
            double s[3];
            double V[9];
            make_hard(index, F);
            for (int i = 0; i < 9; ++i) F[i] *= scales[k];
            // entries of 1e-310 are good to 1e-14 only, and matrices of spread entries worse
            if (scales[k] < 1e-300 && index % 8 > 1) continue;
            pli_svd(F, U, s, V);
            check_parts(F, U, s, V, scales[k] < 1e-300 ? 1e-12 : 1e-14);
        }
    }
}

static void known_singular_values_are_found(void **state)
{
    (void)state;
    static const double cases[][3] = {{3, 2, 1},   {3, 2, -1},      {1, 1, 1},    {1, 1, -1},
                                      {2, 0, 0},   {2, 1, 0},       {0, 0, 0},    {5, 5, 1e-3},
                                      {1e8, 1, 1}, {1, 1e-5, 1e-9}, {7, 7, -7e-9}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double F[9];
        double U[9];
        double s[3];
        double V[9];
        compose(100 + k, cases[k], F);
        pli_svd(F, U, s, V);
        for (int i = 0; i < 3; ++i) NEAR(s[i], cases[k][i], 0, 4e-15 * cases[k][0]);
    }
}

// Columns that depend on each other cancel to rounding noise; nothing more may be left of them.
static void singular_integer_matrices_are_singular_to_rounding(void **state)
{
    (void)state;
    for (int code = 0; code < 19683; ++code) { // all entries of -1, 0, 1
        double F[9];
        double U[9];
        double s[3];
        double V[9];
        int digits = code;
        for (int k = 0; k < 9; ++k) {
            F[k] = digits % 3 - 1;
            digits /= 3;
        }
        pli_svd(F, U, s, V);
        check_parts(F, U, s, V, 1e-14);
        if (pli_mat3_determinant(F) == 0) AT_MOST(fabs(s[2]), 1e-15 * s[0]);
    }
}

// One-sided rotations keep the relative accuracy of columns of very different size.
static void graded_columns_keep_their_small_singular_values(void **state)
{
    (void)state;
    double F[9] = {1, 0, 1e-16, 2, 1e-8, 0, 0, 1e-8, 3e-16};
    double U[9];
    double s[3];
    double V[9];
    pli_svd(F, U, s, V);
    check_parts(F, U, s, V, 1e-14);
    NEAR(s[0], sqrt(5), 1e-14, 0);
    // the second column without its part along the first, and det F = s_0 s_1 s_2; both up to the
    // squared ratio of the columns
    NEAR(s[1], sqrt(0.2 + 1) * 1e-8, 1e-14, 0);
    NEAR(s[0] * s[1] * s[2], pli_mat3_determinant(F), 1e-14, 0);
}

static void polar_parts_are_rotation_and_symmetric(void **state)
{
    (void)state;
    for (int index = 0; index < HARD_COUNT; ++index) {
        double F[9];
        double R[9];
        double S[9];
        double product[9];
        make_hard(index, F);
        pli_polar(F, R, S);
        pli_mat3_multiply_transposed_left(R, R, product);
        for (int k = 0; k < 9; ++k) NEAR(product[k], k % 4 == 0, 0, 1e-14);
        NEAR(pli_mat3_determinant(R), 1, 0, 1e-14);
        for (int k = 0; k < 9; ++k) assert_true(S[k] == S[3 * (k % 3) + k / 3]);
        pli_mat3_multiply(R, S, product);
        for (int k = 0; k < 9; ++k) NEAR(product[k], F[k], 0, 1e-14 * norm9(F));
    }
}

static void entries_that_are_not_finite_give_nan_and_end(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        double F[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
        double U[9];
        double s[3];
        double V[9];
        F[4] = bad[k];
        pli_svd(F, U, s, V);
        assert_true(isnan(s[0]) && isnan(s[1]) && isnan(s[2]));
        for (int i = 0; i < 9; ++i) assert_true(isfinite(U[i]) && isfinite(V[i]));

        pli_d4 lanes[9];
        pli_svd_parts_d4 parts;
        for (int i = 0; i < 9; ++i) lanes[i] = (pli_d4){F[i], i + 1.0, F[i], F[i]};
        pli_svd_d4(lanes, &parts);
        assert_true(!isfinite(parts.sigma[0][0] + parts.sigma[1][0] + parts.sigma[2][0]));
        // the neighbour is not touched
        assert_true(isfinite(parts.sigma[0][1]) && isfinite(parts.U[0][1]));
    }
}

// scale turns the set over the range of the format
static void check_d4(double scale)
{
    for (int begin = 0; begin < HARD_COUNT; begin += PLI_D4_LANES) {
        pli_d4 lanes[9];
        pli_svd_parts_d4 parts;
        double F[PLI_D4_LANES][9];
        for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
            make_hard(begin + lane, F[lane]);
            for (int k = 0; k < 9; ++k) lanes[k][lane] = F[lane][k] *= scale;
        }
        pli_svd_d4(lanes, &parts);
        for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
            double U[9], s[3], V[9], want_U[9], want[3], want_V[9];
            for (int k = 0; k < 9; ++k) U[k] = parts.U[k][lane];
            for (int k = 0; k < 9; ++k) V[k] = parts.V[k][lane];
            for (int k = 0; k < 3; ++k) s[k] = parts.sigma[k][lane];
            check_parts(F[lane], U, s, V, 1e-13);
            pli_svd(F[lane], want_U, want, want_V);
            for (int k = 0; k < 3; ++k) NEAR(s[k], want[k], 0, 1e-13 * want[0]);
        }
    }
}

static void four_doubles_equal_the_scalar_one(void **state)
{
    (void)state;
    check_d4(1);
    check_d4(1e-150);
    check_d4(1e150);
}

static void check_f8(double scale)
{
    for (int begin = 0; begin < HARD_COUNT; begin += PLI_F8_LANES) {
        pli_f8 lanes[9];
        pli_svd_parts_f8 parts;
        double F[PLI_F8_LANES][9];
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
            make_hard(begin + lane, F[lane]);
            for (int k = 0; k < 9; ++k) {
                lanes[k][lane] = (float)(F[lane][k] * scale);
                F[lane][k] = (double)lanes[k][lane];
            }
        }
        pli_svd_f8(lanes, &parts);
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
            double U[9], s[3], V[9], want_U[9], want[3], want_V[9];
            for (int k = 0; k < 9; ++k) U[k] = (double)parts.U[k][lane];
            for (int k = 0; k < 9; ++k) V[k] = (double)parts.V[k][lane];
            for (int k = 0; k < 3; ++k) s[k] = (double)parts.sigma[k][lane];
            check_parts(F[lane], U, s, V, 2e-6);
            pli_svd(F[lane], want_U, want, want_V);
            for (int k = 0; k < 3; ++k) NEAR(s[k], want[k], 0, 2e-6 * want[0]);
        }
    }
}

static void eight_floats_equal_the_scalar_one(void **state)
{
    (void)state;
    check_f8(1);
    check_f8(1e-15);
    check_f8(1e15);
}

static void pair_equals_two_single_vectors(void **state)
{
    (void)state;
    for (int begin = 0; begin < 512; begin += 2 * PLI_D4_LANES) {
        pli_d4 lanes[18];
        pli_svd_parts_d4 pair[2];
        pli_svd_parts_d4 single;
        for (int lane = 0; lane < 2 * PLI_D4_LANES; ++lane) {
            double F[9];
            make_hard(begin + lane, F);
            for (int k = 0; k < 9; ++k) lanes[9 * (lane / 4) + k][lane % 4] = F[k];
        }
        pli_svd_pair_d4(lanes, pair);
        for (int half = 0; half < 2; ++half) {
            pli_svd_d4(lanes + 9 * half, &single);
            for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
                double size = single.sigma[0][lane];
                for (int k = 0; k < 3; ++k) {
                    NEAR(pair[half].sigma[k][lane], single.sigma[k][lane], 0, 1e-14 * size);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scalar_parts_make_up_every_hard_matrix),
        cmocka_unit_test(scalar_parts_hold_at_every_scale),
        cmocka_unit_test(known_singular_values_are_found),
        cmocka_unit_test(singular_integer_matrices_are_singular_to_rounding),
        cmocka_unit_test(graded_columns_keep_their_small_singular_values),
        cmocka_unit_test(polar_parts_are_rotation_and_symmetric),
        cmocka_unit_test(entries_that_are_not_finite_give_nan_and_end),
        cmocka_unit_test(four_doubles_equal_the_scalar_one),
        cmocka_unit_test(eight_floats_equal_the_scalar_one),
        cmocka_unit_test(pair_equals_two_single_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

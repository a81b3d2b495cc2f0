// SPDX-License-Identifier: Apache-2.0
//
// Nearest rotations against the decomposition in double, over every kind of matrix that is hard for
// one method or the other.
#include "hard_matrices.h"

#include "math/rotation_simd.h"
#include "math/svd.h"

// Rounding of entries near 1 in float, some products long: R^T R - 1 and R : F.
static const double bound = 1e-6;

static void load_hard(int first, pli_f8 F[9])
{
    for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
        double one[9];
        make_hard((first + lane) % TOTAL, 36, one);
        for (int k = 0; k < 9; ++k) F[k][lane] = (float)one[k];
    }
}

static void get_lane(const pli_f8 planes[9], int lane, double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = (double)planes[k][lane];
}

// R is a rotation, and R : F as large as that of any.
static void check_lane(const pli_f8 F[9], const pli_f8 R[9], int lane)
{
    double f[9], r[9], gram[9], U[9], sigma[3], V[9];
    get_lane(F, lane, f);
    get_lane(R, lane, r);
    pli_mat3_multiply_transposed_left(r, r, gram);
    for (int k = 0; k < 9; ++k) NEAR(gram[k], k % 4 == 0, 0, bound);
    NEAR(pli_mat3_determinant(r), 1, 0, 2 * bound);
    pli_svd(f, U, sigma, V);
    double best = sigma[0] + sigma[1] + sigma[2];
    NEAR(pli_mat3_contract(r, f), best, 0, bound * sqrt(pli_mat3_contract(f, f)));
}

static void rotations_are_nearest_for_every_kind_of_matrix(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; i += PLI_F8_LANES) {
        pli_f8 F[9];
        pli_f8 R[9];
        load_hard(i, F);
        pli_rotation_f8(F, R);
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) check_lane(F, R, lane);
    }
}

static void pairs_are_as_good_as_single_ones(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; i += 2 * PLI_F8_LANES) {
        pli_f8 F[18];
        pli_f8 R[18];
        load_hard(i, F);
        load_hard(i + PLI_F8_LANES, F + 9);
        pli_rotation_pair_f8(F, R);
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
            check_lane(F, R, lane);
            check_lane(F + 9, R + 9, lane);
        }
    }
}

static void decompositions_give_rotations_too(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; i += PLI_F8_LANES) {
        pli_f8 F[9];
        pli_f8 R[9];
        load_hard(i, F);
        pli_rotation_by_svd_f8(F, R);
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) check_lane(F, R, lane);
    }
}

static void half_turns_and_the_identity_are_their_own_rotation(void **state)
{
    (void)state;
    // diagonal entries of the four
    static const float turns[4][3] = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    pli_f8 F[9] = {{0}};
    pli_f8 R[9];
    for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
        // the second four are stretched
        float stretch = lane < 4 ? 1.0f : 3.0f;
        for (int k = 0; k < 3; ++k) F[4 * k][lane] = stretch * turns[lane % 4][k];
    }
    pli_rotation_f8(F, R);
    for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
        for (int k = 0; k < 9; ++k) {
            double want = k % 4 == 0 ? (double)turns[lane % 4][k / 4] : 0;
            NEAR((double)R[k][lane], want, 0, bound);
        }
    }
}

// Neighbours that converge late or are repaired must not change a lane by a bit.
static void lanes_do_not_depend_on_their_neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; ++i) {
        pli_f8 mixed[9], same[9], R_mixed[9], R_same[9];
        load_hard(i, mixed);
        for (int k = 0; k < 9; ++k) same[k] = pli_f8_broadcast(mixed[k][0]);
        pli_rotation_f8(mixed, R_mixed);
        pli_rotation_f8(same, R_same);
        for (int k = 0; k < 9; ++k) {
            float a = R_mixed[k][0];
            float b = R_same[k][0];
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
}

static void entries_that_are_not_finite_stay_in_their_lane(void **state)
{
    (void)state;
    static const float odd[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 27; ++k) {
        pli_f8 F[9];
        pli_f8 R[9];
        load_hard(KIND_COUNT * 8, F);
        F[k % 9][3] = odd[k / 9];
        pli_rotation_f8(F, R);
        double r[9];
        get_lane(R, 3, r);
        bool finite = isfinite(pli_mat3_contract(r, r));
        assert_false(finite);
        for (int lane = 0; lane < PLI_F8_LANES; ++lane) {
            if (lane != 3) check_lane(F, R, lane);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_are_nearest_for_every_kind_of_matrix),
        cmocka_unit_test(pairs_are_as_good_as_single_ones),
        cmocka_unit_test(decompositions_give_rotations_too),
        cmocka_unit_test(half_turns_and_the_identity_are_their_own_rotation),
        cmocka_unit_test(lanes_do_not_depend_on_their_neighbours),
        cmocka_unit_test(entries_that_are_not_finite_stay_in_their_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

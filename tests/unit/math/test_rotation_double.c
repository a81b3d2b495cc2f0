// SPDX-License-Identifier: Apache-2.0
//
// Nearest rotations in double: what test_rotation.c claims for those in float.
#include "hard_matrices.h"

#include "math/rotation_simd.h"
#include "math/svd.h"

// Rounding of entries near 1, some products long; of R : F also that of the decomposition that it
// is compared with.
static const double bound = 4e-15;

static void load_hard(int first, pli_d4 F[9])
{
    for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
        double one[9];
        make_hard((first + lane) % TOTAL, 140, one);
        for (int k = 0; k < 9; ++k) F[k][lane] = one[k];
    }
}

static void get_lane(const pli_d4 planes[9], int lane, double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = planes[k][lane];
}

// R is a rotation, and R : F as large as that of any.
static void check_lane(const pli_d4 F[9], const pli_d4 R[9], int lane)
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
    for (int i = 0; i < TOTAL; i += 2 * PLI_D4_LANES) {
        pli_d4 F[18], single[9], pair[18], exact[9];
        load_hard(i, F);
        load_hard(i + PLI_D4_LANES, F + 9);
        pli_rotation_d4(F, single);
        pli_rotation_pair_d4(F, pair);
        pli_rotation_by_svd_d4(F, exact);
        for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
            check_lane(F, single, lane);
            check_lane(F, exact, lane);
            check_lane(F, pair, lane);
            check_lane(F + 9, pair + 9, lane);
        }
    }
}

// Where the nearest rotation is well-defined, it is that of the decomposition, entry by entry.
static void rotations_are_those_of_the_decomposition(void **state)
{
    (void)state;
    int seen = 0;
    for (int i = 0; i < TOTAL; ++i) {
        double f[9], U[9], sigma[3], V[9], R[9];
        pli_d4 F[9], got[9];
        make_hard(i, 0, f);
        pli_svd(f, U, sigma, V);
        if (!(sigma[1] + sigma[2] > 0.1 * sigma[0])) continue;
        pli_mat3_multiply_transposed_right(U, V, R);
        for (int k = 0; k < 9; ++k) F[k] = pli_d4_broadcast(f[k]);
        pli_rotation_d4(F, got);
        // rounding over the gap (sigma_1 + sigma_2) / sigma_0 of both ways
        for (int k = 0; k < 9; ++k) NEAR(got[k][0], R[k], 0, 1e-13);
        ++seen;
    }
    assert_true(seen > TOTAL / 3);
}

static void rotations_stay_as_they_are(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; i += KIND_COUNT) {
        double f[9];
        pli_d4 F[9], R[9];
        make_hard(i, 0, f);
        for (int k = 0; k < 9; ++k) F[k] = pli_d4_broadcast(f[k]);
        pli_rotation_d4(F, R);
        for (int k = 0; k < 9; ++k) NEAR(R[k][0], f[k], 0, 1e-15);
    }
}

// Neighbours that converge late or are repaired must not change a lane by a bit, nor must the place
// in a pair.
static void lanes_do_not_depend_on_their_neighbours(void **state)
{
    (void)state;
    for (int i = 0; i < TOTAL; ++i) {
        pli_d4 mixed[18], same[9], R_mixed[18], R_same[9];
        load_hard(i + 1, mixed);
        load_hard(i, mixed + 9);
        for (int k = 0; k < 9; ++k) same[k] = pli_d4_broadcast(mixed[9 + k][0]);
        pli_rotation_pair_d4(mixed, R_mixed);
        pli_rotation_d4(same, R_same);
        for (int k = 0; k < 9; ++k) {
            double a = R_mixed[9 + k][0], b = R_same[k][0];
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
}

static void entries_that_are_not_finite_stay_in_their_lane(void **state)
{
    (void)state;
    static const double odd[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 27; ++k) {
        pli_d4 F[9], R[9];
        double r[9];
        load_hard(KIND_COUNT * 8, F);
        F[k % 9][2] = odd[k / 9];
        pli_rotation_d4(F, R);
        get_lane(R, 2, r);
        bool finite = isfinite(pli_mat3_contract(r, r));
        assert_false(finite);
        for (int lane = 0; lane < PLI_D4_LANES; ++lane) {
            if (lane != 2) check_lane(F, R, lane);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_are_nearest_for_every_kind_of_matrix),
        cmocka_unit_test(rotations_are_those_of_the_decomposition),
        cmocka_unit_test(rotations_stay_as_they_are),
        cmocka_unit_test(lanes_do_not_depend_on_their_neighbours),
        cmocka_unit_test(entries_that_are_not_finite_stay_in_their_lane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// The fastest plane wave of a tangent, and tangents raised to their positive part.
#include "near.h"

#include "base/random.h"
#include "material/batch.h"
#include "material/clamp.h"
#include "material/wave.h"
#include "math/eigen.h"
#include "math/vec3.h"

static double random_number(uint64_t stream, uint64_t index)
{
    return pli_random_range((pli_random){.seed = 5, .stream = stream}, index, -1, 1);
}

// The tangents at rest of laws with directions, against directions by the ten thousand.
static void no_direction_is_faster(void **state)
{
    (void)state;
    static const char *const names[] = {"orthotropic", "fibres", "stable-neo-hookean"};
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 3; ++k) {
        const pli_material_ops *law = pli_material_find(NULL, names[k]);
        double inputs[32], params[24], A[81], fastest = 0;
        (void)pli_material_defaults(law, inputs);
        law->derive(inputs, params);
        law->evaluate(1, rest, params, PLI_TANGENT_EXACT, NULL, NULL, A);
        for (uint64_t i = 0; i < 10000; ++i) {
            double n[3] = {random_number(i, 0), random_number(i, 1), random_number(i, 2)};
            double acoustic[9] = {0}, values[3], Q[9];
            pli_vec3_normalize(n, n);
            for (int e = 0; e < 81; ++e) {
                acoustic[3 * (e / 27) + e / 3 % 3] += A[e] * n[e / 9 % 3] * n[e % 3];
            }
            pli_eigen_symmetric(3, acoustic, values, Q);
            fastest = fmax(fastest, values[2]);
        }
        double speed = pli_material_speed(A, 1);
        AT_LEAST(speed * speed, fastest * (1 - 1e-12));
        // directions stand 2 degrees apart
        AT_MOST(speed * speed, fastest * 1.01);
    }
}

// A bar of linear elasticity that is stretched by a factor has that much faster waves along it.
static void stretched_matter_carries_waves_farther(void **state)
{
    (void)state;
    const pli_material_ops *law = pli_material_find(NULL, "linear");
    static const double F[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1};
    double params[24], A[81];
    law->derive((double[]){1e5, 0.3}, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, NULL, A);
    double modulus = params[1] + 2 * params[0];
    NEAR(pli_wave_deformed_modulus(A, F), 4 * modulus, 1e-12, 0);
    A[5] = NAN;
    assert_true(isnan(pli_wave_deformed_modulus(A, F)));
}

// Eight symmetric matrices in planes with a gap: those that are positive, or but for rounding, keep
// their bits; the others become what the plain clamp makes of them.
static void tangents_are_clamped_one_by_one(void **state)
{
    (void)state;
    enum { STRIDE = 11, N = PLI_BLOCK };
    for (uint64_t round = 0; round < 50; ++round) {
        double planes[81 * STRIDE] = {0}, before[81 * STRIDE];
        for (uint64_t point = 0; point < N; ++point) {
            double B[81];
            int rank = (int)((round + point) % 10), sign = point % 3 == 0 ? -1 : 1;
            for (uint64_t k = 0; k < 81; ++k) B[k] = random_number(8 * round + point, k);
            for (int e = 0; e < 81; ++e) {
                double sum = 0;
                // sums of squares: semi-definite of a rank, and now and then less a square
                for (int k = 0; k < rank; ++k) {
                    sum += (k == 0 ? sign : 1) * B[9 * k + e / 9] * B[9 * k + e % 9];
                }
                planes[e * STRIDE + (int)point] = sum;
            }
        }
        memcpy(before, planes, sizeof planes);
        pli_tangent_clamp(STRIDE, planes);
        for (int point = 0; point < STRIDE; ++point) {
            double want[81];
            bool stays = point >= N || point % 3 != 0;
            for (int e = 0; e < 81; ++e) want[e] = before[e * STRIDE + point];
            if (!stays) (void)pli_psd_clamp(9, want);
            for (int e = 0; e < 81; ++e) {
                NEAR(planes[e * STRIDE + point], want[e], 0, stays ? 0 : 1e-12);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_direction_is_faster),
        cmocka_unit_test(stretched_matter_carries_waves_farther),
        cmocka_unit_test(tangents_are_clamped_one_by_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

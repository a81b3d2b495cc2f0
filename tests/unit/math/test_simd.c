// SPDX-License-Identifier: Apache-2.0
//
// The helpers of the vector types, lane by lane against the C library.
#include "near.h"

#include "base/random.h"
#include "math/simd.h"
#include "math/simd_exp.h"
#include "math/simd_log.h"

static const double samples[] = {0.0,   -0.0,    1,      -1,    0.5,       -3.25,    1e-300,
                                 1e300, -1e-300, 1e-310, 2e-16, -INFINITY, INFINITY, 7};

enum { SAMPLE_COUNT = sizeof samples / sizeof *samples };

// A vector that starts at a sample and wraps around.
static pli_d4 d4_from(int start)
{
    double values[4];
    for (int k = 0; k < 4; ++k) values[k] = samples[(start + k) % SAMPLE_COUNT];
    return pli_d4_load(values);
}

static pli_f8 f8_from(int start)
{
    float values[8];
    for (int k = 0; k < 8; ++k) {
        double value = samples[(start + k) % SAMPLE_COUNT];
        values[k] = (float)(fabs(value) < 1e30 ? value : copysign(INFINITY, value));
    }
    return pli_f8_load(values);
}

// equal, or both zero of the same sign
static void same(double got, double want)
{
    assert_true(got == want && signbit(got) == signbit(want));
}

static void arithmetic_helpers_work_lane_by_lane(void **state)
{
    (void)state;
    for (int start = 0; start < SAMPLE_COUNT; ++start) {
        for (int other = 0; other < SAMPLE_COUNT; ++other) {
            pli_d4 x = d4_from(start);
            pli_d4 y = d4_from(other);
            for (int k = 0; k < 4; ++k) {
                double a = x[k];
                double b = y[k];
                assert_true(pli_d4_min(x, y)[k] == fmin(a, b));
                assert_true(pli_d4_max(x, y)[k] == fmax(a, b));
                same(pli_d4_abs(x)[k], fabs(a));
                same(pli_d4_copysign(x, y)[k], copysign(a, b));
                same(pli_d4_flip_sign(x, y)[k], signbit(b) ? -a : a);
                same(pli_d4_select((pli_d4_mask)(x < y), x, y)[k], a < b ? a : b);
                if (a >= 0) assert_true(pli_d4_sqrt(x)[k] == sqrt(a));
                if (a > 0) assert_true(pli_d4_rsqrt(x)[k] == 1 / sqrt(a));
            }
        }
    }
}

static void float_helpers_work_lane_by_lane(void **state)
{
    (void)state;
    for (int start = 0; start < SAMPLE_COUNT; ++start) {
        for (int other = 0; other < SAMPLE_COUNT; ++other) {
            pli_f8 x = f8_from(start);
            pli_f8 y = f8_from(other);
            for (int k = 0; k < 8; ++k) {
                float a = x[k];
                float b = y[k];
                assert_true(pli_f8_min(x, y)[k] == fminf(a, b));
                assert_true(pli_f8_max(x, y)[k] == fmaxf(a, b));
                same((double)pli_f8_abs(x)[k], (double)fabsf(a));
                same((double)pli_f8_copysign(x, y)[k], (double)copysignf(a, b));
                same((double)pli_f8_flip_sign(x, y)[k], (double)(signbit(b) ? -a : a));
                same((double)pli_f8_select((pli_f8_mask)(x < y), x, y)[k], (double)(a < b ? a : b));
                if (a >= 0) assert_true(pli_f8_sqrt(x)[k] == sqrtf(a));
                if (a > 0) assert_true(pli_f8_rsqrt(x)[k] == 1 / sqrtf(a));
            }
        }
    }
}

static void second_operand_wins_against_nan(void **state)
{
    (void)state;
    pli_d4 nan = pli_d4_broadcast(NAN);
    pli_d4 one = pli_d4_broadcast(1);
    assert_true(pli_d4_min(nan, one)[2] == 1 && pli_d4_max(nan, one)[2] == 1);
    assert_true(isnan(pli_d4_min(one, nan)[2]) && isnan(pli_d4_max(one, nan)[2]));
}

static void masks_are_counted_over_lanes(void **state)
{
    (void)state;
    for (int bits = 0; bits < 256; ++bits) {
        pli_d4 x = {0};
        pli_f8 y = {0};
        for (int k = 0; k < 4; ++k) x[k] = bits >> k & 1;
        for (int k = 0; k < 8; ++k) y[k] = (float)(bits >> k & 1);
        assert_true(pli_d4_any((pli_d4_mask)(x > 0.0)) == ((bits & 15) != 0));
        assert_true(pli_d4_all((pli_d4_mask)(x > 0.0)) == ((bits & 15) == 15));
        assert_true(pli_f8_any((pli_f8_mask)(y > 0.0f)) == (bits != 0));
        assert_true(pli_f8_all((pli_f8_mask)(y > 0.0f)) == (bits == 255));
    }
}

static void scaling_is_an_exact_power_of_two(void **state)
{
    (void)state;
    static const double values[] = {1,      3,   0.1,      1e-300, 1e300, 1.7e308,
                                    4e-320, 0.0, 2.5e-308, 1e-150, 1e150, -5};
    for (int k = 0; k < 12; ++k) {
        pli_d4 scale, back;
        pli_d4_scaling(pli_d4_broadcast(values[k]), &scale, &back);
        double size = fabs(values[k]) * scale[0];
        assert_true(scale[0] * back[0] == 1);
        if (fabs(values[k]) > 1e-307) assert_true(size >= 1 && size < 4);
        assert_true(isfinite(scale[0]) && isfinite(back[0]) && size < 4);

        pli_f8 scale_f, back_f;
        float value = (float)fmin(fabs(values[k]), 3e38);
        pli_f8_scaling(pli_f8_broadcast(value), &scale_f, &back_f);
        assert_true(scale_f[0] * back_f[0] == 1);
        assert_true(value * scale_f[0] < 4);
        if (value > 1e-37f) assert_true(value * scale_f[0] >= 1);
    }
}

// Two units in the last place of the C library's logarithm.
static void logarithm_is_that_of_the_library(void **state)
{
    (void)state;
    pli_random random = {.seed = 3, .stream = 1};
    for (uint64_t k = 0; k < 200000; k += 4) {
        double x[4];
        for (uint64_t lane = 0; lane < 4; ++lane) {
            double u = pli_random_range(random, k + lane, -1, 1);
            // over the whole range, around one, and very close to it
            x[lane] = k % 12 == 0   ? exp(700 * u)
                      : k % 12 == 4 ? 1 + 0.7 * u
                                    : 1 + pow(10, -15 * fabs(u)) * u;
        }
        pli_d4 got = pli_d4_log(pli_d4_load(x));
        for (int lane = 0; lane < 4; ++lane) {
            double want = log(x[lane]);
            NEAR(got[lane], want, 4.5e-16, 0);
        }
    }
    assert_true(pli_d4_log(pli_d4_broadcast(1))[0] == 0);
}

// The same of 1 + x, where x itself says how small it is.
static void logarithm_keeps_the_digits_of_what_is_above_one(void **state)
{
    (void)state;
    pli_random random = {.seed = 3, .stream = 2};
    for (uint64_t k = 0; k < 200000; k += 4) {
        double x[4];
        for (uint64_t lane = 0; lane < 4; ++lane) {
            double u = pli_random_range(random, k + lane, -1, 1);
            x[lane] = k % 12 == 0   ? exp(100 * fabs(u))
                      : k % 12 == 4 ? 0.9 * u
                                    : pow(10, -20 * fabs(u)) * u;
        }
        pli_d4 above = pli_d4_load(x);
        pli_d4 got = pli_d4_log_above(1.0 + above, above);
        for (int lane = 0; lane < 4; ++lane) {
            // 1 + x rounds by 1.1e-16, which at x = -0.3, log2 / 2 away from zero, counts threefold
            NEAR(got[lane], log1p(x[lane]), 8e-16, 0);
        }
    }
    assert_true(pli_d4_log_above(pli_d4_broadcast(1), (pli_d4){0})[0] == 0);
}

// Two units in the last place of the C library's exponential, and of what is left of it near zero:
// less one, over the argument, and less the argument, too.
static void exponential_is_that_of_the_library(void **state)
{
    (void)state;
    pli_random random = {.seed = 3, .stream = 3};
    for (uint64_t k = 0; k < 200000; k += 4) {
        double x[4];
        for (uint64_t lane = 0; lane < 4; ++lane) {
            double u = pli_random_range(random, k + lane, -1, 1);
            x[lane] = k % 12 == 0 ? 690 * u : k % 12 == 4 ? 3 * u : pow(10, -18 * fabs(u)) * u;
        }
        pli_d4 at = pli_d4_load(x), power = pli_d4_exp(at), less = pli_d4_expm1(at);
        pli_d4 slope = pli_d4_expm1_slope(at), above = pli_d4_expm1_above(at);
        for (int lane = 0; lane < 4; ++lane) {
            long double exact = expm1l((long double)x[lane]);
            NEAR(power[lane], exp(x[lane]), 4.5e-16, 0);
            NEAR(less[lane], (double)exact, 1e-15, 0);
            if (x[lane] != 0) NEAR(slope[lane], (double)(exact / (long double)x[lane]), 1e-15, 0);
            // from 1/2 on by a difference, of which 1/4 is left
            double want = (double)(exact - (long double)x[lane]);
            if (fabs(x[lane]) > 1e-3) NEAR(above[lane], want, 4e-15, 0);
            if (fabs(x[lane]) < 1e-6) NEAR(above[lane], x[lane] * x[lane] / 2, 1e-6, 0);
        }
    }
    assert_true(pli_d4_exp((pli_d4){0})[0] == 1);
    assert_true(pli_d4_expm1_slope((pli_d4){0})[0] == 1);
    assert_true(pli_d4_expm1_above((pli_d4){0})[0] == 0);
    assert_true(isnan(pli_d4_exp(pli_d4_broadcast(NAN))[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_helpers_work_lane_by_lane),
        cmocka_unit_test(float_helpers_work_lane_by_lane),
        cmocka_unit_test(second_operand_wins_against_nan),
        cmocka_unit_test(masks_are_counted_over_lanes),
        cmocka_unit_test(scaling_is_an_exact_power_of_two),
        cmocka_unit_test(logarithm_is_that_of_the_library),
        cmocka_unit_test(logarithm_keeps_the_digits_of_what_is_above_one),
        cmocka_unit_test(exponential_is_that_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

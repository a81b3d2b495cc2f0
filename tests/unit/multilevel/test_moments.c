// SPDX-License-Identifier: Apache-2.0
//
// Products of functions, and the basis of what they span.
#include "near.h"

#include "base/random.h"
#include "multilevel/moments.h"

enum { POINTS = 60 };

static void products_are_all_monomials_once(void **state)
{
    (void)state;
    // values that tell monomials apart: primes
    static const double primes[] = {2, 3, 5, 7};
    for (int32_t degree = 0; degree <= 4; ++degree) {
        for (int32_t functions = 0; functions <= 4; ++functions) {
            int64_t count = pli_product_count(functions, degree);
            pli_product products[70];
            double values[70];
            assert_true(count <= 70);
            pli_product_list(functions, degree, products);
            pli_product_evaluate((int32_t)count, products, primes, 1, values);
            assert_true(values[0] == 1);
            for (int64_t k = 1; k < count; ++k) {
                AT_MOST(values[k], pow(7, degree));
                for (int64_t j = 0; j < k; ++j) assert_true(values[j] != values[k]);
            }
        }
    }
    assert_int_equal(pli_product_count(3, 4), 35);
    assert_int_equal(pli_product_count(25, 2), 351);
    assert_int_equal(pli_product_count(0, 2), 1);
}

static void products_at_all_points_are_those_at_each(void **state)
{
    (void)state;
    double functions[3 * POINTS];
    for (int32_t k = 0; k < 3 * POINTS; ++k) {
        functions[k] = pli_random_normal((pli_random){2, 1}, (uint64_t)k);
    }
    pli_product products[20];
    double rows[20 * POINTS];
    double values[20];
    assert_int_equal(pli_product_count(3, 3), 20);
    pli_product_list(3, 3, products);
    pli_product_evaluate_all(20, products, functions, POINTS, rows);
    for (int32_t i = 0; i < POINTS; ++i) {
        pli_product_evaluate(20, products, functions + i, POINTS, values);
        for (int32_t k = 0; k < 20; ++k) assert_true(values[k] == rows[k * POINTS + i]);
    }
}

typedef struct family {
    int32_t count;
    double volumes[POINTS];
    double functions[12 * POINTS];
    double rows[12 * POINTS];
    int32_t order[12];
    double norms[12];
    double roots[POINTS];
} family;

// The constant, five random functions, and six sums of these; the last one is off by `off` at a
// single small element.
static family make_family(double off)
{
    family f = {.count = 12};
    for (int32_t i = 0; i < POINTS; ++i) {
        f.volumes[i] = i == 17 ? 1e-9 : pli_random_range((pli_random){3, 1}, (uint64_t)i, 0.5, 2);
        f.functions[i] = 1;
        for (int32_t k = 1; k < 6; ++k) {
            f.functions[k * POINTS + i] =
                pli_random_normal((pli_random){3, 2}, (uint64_t)(POINTS * k + i));
        }
        for (int32_t k = 6; k < 12; ++k) {
            f.functions[k * POINTS + i] =
                f.functions[(k - 6) * POINTS + i] - 0.5 * f.functions[(k - 5) % 6 * POINTS + i];
        }
    }
    f.functions[11 * POINTS + 17] += off;
    memcpy(f.rows, f.functions, sizeof f.rows);
    return f;
}

static int32_t build(family *f, double drop)
{
    pli_span span = {.row_count = f->count,
                     .point_count = POINTS,
                     .volumes = f->volumes,
                     .drop = drop,
                     .rows = f->rows,
                     .order = f->order,
                     .norms = f->norms,
                     .roots = f->roots};
    return pli_span_build(&span);
}

static double product(const family *f, const double *x, const double *y)
{
    double sum = 0;
    for (int32_t i = 0; i < POINTS; ++i) sum += f->volumes[i] * x[i] * y[i];
    return sum;
}

static void basis_is_orthonormal_and_spans_all(void **state)
{
    (void)state;
    family f = make_family(0);
    assert_int_equal(build(&f, 1e-11), 6);
    assert_int_equal(f.order[0], 0);
    for (int32_t a = 0; a < 6; ++a) {
        for (int32_t b = 0; b < 6; ++b) {
            NEAR(product(&f, f.rows + a * POINTS, f.rows + b * POINTS), a == b, 0, 1e-13);
        }
    }
    for (int32_t k = 0; k < 12; ++k) {
        double rest[POINTS];
        const double *function = f.functions + k * POINTS;
        memcpy(rest, function, sizeof rest);
        for (int32_t a = 0; a < 6; ++a) {
            double part = product(&f, f.rows + a * POINTS, function);
            for (int32_t i = 0; i < POINTS; ++i) rest[i] -= part * f.rows[a * POINTS + i];
        }
        for (int32_t i = 0; i < POINTS; ++i) NEAR(rest[i], 0, 0, 1e-11);
    }
}

static void what_is_left_out_is_small_at_every_point(void **state)
{
    (void)state;
    // in the mean over the volume this remainder is 1e-12, at one element it is 1e-7
    family f = make_family(1e-7);
    assert_int_equal(build(&f, 1e-8), 7);
    f = make_family(1e-7);
    assert_int_equal(build(&f, 1e-6), 6);
}

static void rank_is_at_most_the_number_of_points(void **state)
{
    (void)state;
    family f = make_family(0);
    pli_span span = {.row_count = 12,
                     .point_count = 3,
                     .volumes = f.volumes,
                     .drop = 0,
                     .rows = f.rows + POINTS,
                     .order = f.order,
                     .norms = f.norms,
                     .roots = f.roots};
    // twelve random rows of three points; what rounding leaves of nine of them is not counted
    assert_int_equal(pli_span_build(&span), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_all_monomials_once),
        cmocka_unit_test(products_at_all_points_are_those_at_each),
        cmocka_unit_test(basis_is_orthonormal_and_spans_all),
        cmocka_unit_test(what_is_left_out_is_small_at_every_point),
        cmocka_unit_test(rank_is_at_most_the_number_of_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

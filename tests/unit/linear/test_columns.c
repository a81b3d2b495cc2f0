// SPDX-License-Identifier: Apache-2.0
//
// Dense matrices by columns times vectors, against plain loops.
#include "near.h"

#include "base/random.h"
#include "linear/matrix/columns.h"

enum { MOST = 21 };

typedef struct fixture {
    int32_t rows;
    int32_t count;
    double A[MOST * MOST];
    double x[MOST];
    double s[MOST];
} fixture;

static fixture make_fixture(int32_t rows, int32_t count)
{
    fixture f = {.rows = rows, .count = count};
    for (int32_t k = 0; k < rows * count; ++k)
        f.A[k] = pli_random_normal((pli_random){1, 1}, (uint64_t)k);
    for (int32_t k = 0; k < MOST; ++k) {
        f.x[k] = pli_random_normal((pli_random){1, 2}, (uint64_t)k);
        f.s[k] = pli_random_normal((pli_random){1, 3}, (uint64_t)k);
    }
    return f;
}

static void products_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    for (int32_t rows = 0; rows < MOST; ++rows) {
        for (int32_t count = 0; count < MOST; ++count) {
            fixture f = make_fixture(rows, count);
            double got[MOST + 1];
            got[count] = 42;
            pli_columns_dot(rows, count, f.A, f.x, got);
            for (int32_t k = 0; k < count; ++k) {
                double want = 0;
                for (int32_t i = 0; i < rows; ++i) want += f.A[k * rows + i] * f.x[i];
                // sums of up to 20 terms of size 1 in another order
                NEAR(got[k], want, 0, 1e-14);
            }
            assert_true(got[count] == 42);
        }
    }
}

static void combinations_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    for (int32_t rows = 0; rows < MOST; ++rows) {
        for (int32_t count = 0; count < MOST; ++count) {
            fixture f = make_fixture(rows, count);
            double got[MOST];
            memcpy(got, f.x, sizeof got);
            pli_columns_subtract(rows, count, f.A, f.s, got);
            for (int32_t i = 0; i < MOST; ++i) {
                double want = f.x[i];
                for (int32_t k = 0; k < count && i < rows; ++k) want -= f.A[k * rows + i] * f.s[k];
                NEAR(got[i], want, 0, 1e-14);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_a_plain_loop),
        cmocka_unit_test(combinations_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

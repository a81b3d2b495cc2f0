// SPDX-License-Identifier: Apache-2.0
//
// Eigenvalues of dense symmetric matrices of any size.
#include "near.h"

#include "base/random.h"
#include "linear/direct/dense_eigen.h"

enum { SIZE = 57 };

static void pairs_satisfy_their_equation(void **state)
{
    (void)state;
    static double A[SIZE * SIZE];
    static double copy[SIZE * SIZE];
    static double Q[SIZE * SIZE];
    double values[SIZE];
    for (int32_t i = 0; i < SIZE; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double value = pli_random_normal((pli_random){5, 0}, (uint64_t)(i * SIZE + j));
            A[i * SIZE + j] = A[j * SIZE + i] = copy[i * SIZE + j] = copy[j * SIZE + i] = value;
        }
    }
    pli_dense_eigen(SIZE, copy, values, Q);
    for (int32_t k = 0; k < SIZE; ++k) {
        assert_true(k == 0 || values[k] <= values[k - 1]);
        for (int32_t i = 0; i < SIZE; ++i) {
            double image = 0;
            double product = 0;
            for (int32_t j = 0; j < SIZE; ++j) {
                image += A[i * SIZE + j] * Q[k * SIZE + j];
                product += Q[k * SIZE + j] * Q[i * SIZE + j];
            }
            // rounding of some hundred operations with numbers of the size of the norm, 57
            NEAR(image, values[k] * Q[k * SIZE + i], 0, 1e-12);
            NEAR(product, i == k, 0, 1e-13);
        }
    }
}

// -1, 2, -1 along the diagonal: 2 - 2 cos(k pi / (n + 1)).
static void values_of_a_chain_are_known(void **state)
{
    (void)state;
    static double A[SIZE * SIZE];
    static double Q[SIZE * SIZE];
    double values[SIZE];
    for (int32_t i = 0; i < SIZE; ++i) {
        A[i * SIZE + i] = 2;
        if (i > 0) A[i * SIZE + i - 1] = A[(i - 1) * SIZE + i] = -1;
    }
    pli_dense_eigen(SIZE, A, values, Q);
    for (int32_t k = 0; k < SIZE; ++k) {
        NEAR(values[SIZE - 1 - k], 2 - 2 * cos((k + 1) * acos(-1) / (SIZE + 1)), 0, 1e-14 * SIZE);
    }
}

static void small_and_diagonal_matrices_work(void **state)
{
    (void)state;
    double one[1] = {-3};
    double value[1];
    double vector[1];
    pli_dense_eigen(1, one, value, vector);
    NEAR(value[0], -3, 0, 0);
    NEAR(vector[0], 1, 0, 0);

    double zero[4] = {0};
    double values[2];
    double vectors[4];
    pli_dense_eigen(2, zero, values, vectors);
    NEAR(values[0], 0, 0, 0);

    double A[4] = {1, 0, 0, 2};
    pli_dense_eigen(2, A, values, vectors);
    NEAR(values[0], 2, 0, 0);
    NEAR(fabs(vectors[1]), 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_satisfy_their_equation),
        cmocka_unit_test(values_of_a_chain_are_known),
        cmocka_unit_test(small_and_diagonal_matrices_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

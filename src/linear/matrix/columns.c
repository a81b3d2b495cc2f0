// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/columns.h"

#include "linear/matrix/vector.h"

#include "math/simd.h"

enum { WIDTH = 4, STRIDE = 8 };

static double lanes_sum(pli_d4 x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

// Products of four columns with x.
static void dot_four(int32_t rows, const double *A, const double *x, double products[WIDTH])
{
    pli_d4 low[WIDTH] = {0};
    pli_d4 high[WIDTH] = {0};
    int32_t i = 0;
    for (; i + STRIDE <= rows; i += STRIDE) {
        pli_d4 x_low = pli_d4_load(x + i);
        pli_d4 x_high = pli_d4_load(x + i + 4);
        for (int k = 0; k < WIDTH; ++k) {
            const double *a = A + (int64_t)k * rows + i;
            low[k] += pli_d4_load(a) * x_low;
            high[k] += pli_d4_load(a + 4) * x_high;
        }
    }
    for (int k = 0; k < WIDTH; ++k) products[k] = lanes_sum(low[k] + high[k]);
    for (; i < rows; ++i) {
        for (int k = 0; k < WIDTH; ++k) products[k] += A[(int64_t)k * rows + i] * x[i];
    }
}

void pli_columns_dot(int32_t rows, int32_t count, const double *A, const double *x,
                     double *products)
{
    int32_t k = 0;
    for (; k + WIDTH <= count; k += WIDTH) {
        dot_four(rows, A + (int64_t)k * rows, x, products + k);
    }
    for (; k < count; ++k) products[k] = pli_vector_dot_part(rows, A + (int64_t)k * rows, x);
}

// x -= s_0 a_0 + .. + s_3 a_3
static void subtract_four(int32_t rows, const double *restrict A, const double s[WIDTH],
                          double *restrict x)
{
    const double *a0 = A;
    const double *a1 = A + rows;
    const double *a2 = A + 2 * (int64_t)rows;
    const double *a3 = A + 3 * (int64_t)rows;
    double s0 = s[0];
    double s1 = s[1];
    double s2 = s[2];
    double s3 = s[3];
    for (int32_t i = 0; i < rows; ++i) {
        x[i] -= (s0 * a0[i] + s1 * a1[i]) + (s2 * a2[i] + s3 * a3[i]);
    }
}

static void subtract_one(int32_t rows, const double *restrict a, double s, double *restrict x)
{
    for (int32_t i = 0; i < rows; ++i) x[i] -= s * a[i];
}

void pli_columns_subtract(int32_t rows, int32_t count, const double *A, const double *s, double *x)
{
    int32_t k = 0;
    for (; k + WIDTH <= count; k += WIDTH) {
        subtract_four(rows, A + (int64_t)k * rows, s + k, x);
    }
    for (; k < count; ++k) subtract_one(rows, A + (int64_t)k * rows, s[k], x);
}

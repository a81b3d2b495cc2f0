// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/dense_eigen.h"

#include <math.h>
#include <string.h>

enum { MAX_SWEEPS = 40 };

// x, y <- c x - s y, s x + c y for vectors whose entries are `stride` apart
static void rotate(int32_t n, int64_t stride, double c, double s, double *x, double *y)
{
    for (int64_t k = 0; k < n * stride; k += stride) {
        double a = x[k];
        double b = y[k];
        x[k] = c * a - s * b;
        y[k] = s * a + c * b;
    }
}

// Makes A_pq zero by a rotation of rows and columns p and q, the smaller of the two angles.
static void annihilate(int32_t n, int64_t p, int64_t q, double *A, double *vectors)
{
    double a = A[p * n + q];
    double theta = (A[q * n + q] - A[p * n + p]) / (2 * a);
    double t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
    double c = 1 / hypot(t, 1);
    double s = t * c;
    rotate(n, 1, c, s, A + p * n, A + q * n);
    rotate(n, n, c, s, A + p, A + q);
    rotate(n, 1, c, s, vectors + p * n, vectors + q * n);
    A[p * n + q] = 0;
    A[q * n + p] = 0;
}

// One rotation for each pair whose entry is not negligible; returns how many there were.
static int64_t sweep(int32_t n, double negligible, double *A, double *vectors)
{
    int64_t count = 0;
    for (int64_t p = 0; p < n; ++p) {
        for (int64_t q = p + 1; q < n; ++q) {
            if (!(fabs(A[p * n + q]) > negligible)) continue;
            annihilate(n, p, q, A, vectors);
            ++count;
        }
    }
    return count;
}

// Puts values in descending order, vectors with them.
static void sort_values(int32_t n, double *values, double *vectors)
{
    for (int64_t k = 0; k < n; ++k) {
        int64_t largest = k;
        for (int64_t other = k + 1; other < n; ++other) {
            if (values[other] > values[largest]) largest = other;
        }
        if (largest == k) continue;
        double value = values[k];
        values[k] = values[largest];
        values[largest] = value;
        // a quarter turn swaps two vectors up to a sign
        rotate(n, 1, 0, 1, vectors + k * n, vectors + largest * n);
    }
}

void pli_dense_eigen(int32_t n, double *A, double *values, double *vectors)
{
    int64_t size = (int64_t)n * n;
    double norm2 = 0;
    for (int64_t k = 0; k < size; ++k) norm2 += A[k] * A[k];
    memset(vectors, 0, (size_t)size * sizeof *vectors);
    for (int64_t k = 0; k < n; ++k) vectors[k * n + k] = 1;
    double negligible = 1e-16 * sqrt(norm2);
    for (int turn = 0; turn < MAX_SWEEPS; ++turn) {
        if (sweep(n, negligible, A, vectors) == 0) break;
    }
    for (int64_t k = 0; k < n; ++k) values[k] = A[k * n + k];
    sort_values(n, values, vectors);
}

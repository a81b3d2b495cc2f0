// SPDX-License-Identifier: Apache-2.0
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

// six or seven sweeps are usual for twelve rows
enum { SWEEPS_MAX = 40, ENTRIES_MAX = PLI_EIGEN_MAX * PLI_EIGEN_MAX };

// rows p and q of length n become c p - s q and s p + c q
static void turn_rows(int32_t n, double c, double s, double *restrict p, double *restrict q)
{
    for (int32_t k = 0; k < n; ++k) {
        double a = p[k];
        double b = q[k];
        p[k] = c * a - s * b;
        q[k] = s * a + c * b;
    }
}

// One rotation that zeroes A[p][q] of the symmetric A; the rows of T collect the rotations. Both
// triangles are kept, so that only rows are ever turned: the two columns are copies of the rows.
static void rotate(int32_t n, int32_t p, int32_t q, double *A, double *T)
{
    double app = A[n * p + p];
    double aqq = A[n * q + q];
    double apq = A[n * p + q];
    double zeta = (aqq - app) / (2 * apq);
    double t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    double c = 1 / sqrt(1 + t * t);
    double s = c * t;
    turn_rows(n, c, s, A + n * p, A + n * q);
    turn_rows(n, c, s, T + n * p, T + n * q);

    // the block of p and q is known in closed form
    A[n * p + p] = app - t * apq;
    A[n * q + q] = aqq + t * apq;
    A[n * p + q] = A[n * q + p] = 0;
    for (int32_t k = 0; k < n; ++k) {
        A[n * k + p] = A[n * p + k];
        A[n * k + q] = A[n * q + k];
    }
}

// Rotates every pair that matters once; false when none did.
static bool sweep(int32_t n, double floor, double *A, double *T)
{
    bool turned = false;
    for (int32_t p = 0; p < n - 1; ++p) {
        for (int32_t q = p + 1; q < n; ++q) {
            // written so that a NaN ends the iteration
            if (!(fabs(A[n * p + q]) > floor)) continue;
            rotate(n, p, q, A, T);
            turned = true;
        }
    }
    return turned;
}

static double largest_entry(int32_t n, const double *A)
{
    double largest = 0;
    for (int32_t k = 0; k < n * n; ++k) largest = fmax(largest, fabs(A[k]));
    return largest;
}

// A full copy from the lower triangle.
static void copy_symmetric(int32_t n, const double *A, double *copy)
{
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) copy[n * i + j] = copy[n * j + i] = A[n * i + j];
    }
}

// Eigenvalues in the diagonal of S, eigenvectors in the rows of T; S is destroyed.
static void diagonalize(int32_t n, double *S, double *T)
{
    memset(T, 0, (size_t)(n * n) * sizeof *T);
    for (int32_t k = 0; k < n; ++k) T[n * k + k] = 1;
    double floor = 0.25 * DBL_EPSILON * largest_entry(n, S);
    for (int round = 0; round < SWEEPS_MAX; ++round) {
        if (!sweep(n, floor, S, T)) break;
    }
}

void pli_eigen_symmetric(int32_t n, const double *A, double *values, double *Q)
{
    double S[ENTRIES_MAX];
    double T[ENTRIES_MAX];
    int32_t order[PLI_EIGEN_MAX];
    copy_symmetric(n, A, S);
    diagonalize(n, S, T);

    // insertion sort by value
    for (int32_t k = 0; k < n; ++k) {
        int32_t slot = k;
        for (; slot > 0 && S[(n + 1) * order[slot - 1]] > S[(n + 1) * k]; --slot) {
            order[slot] = order[slot - 1];
        }
        order[slot] = k;
    }
    for (int32_t k = 0; k < n; ++k) {
        values[k] = S[(n + 1) * order[k]];
        for (int32_t i = 0; i < n; ++i) Q[n * i + k] = T[n * order[k] + i];
    }
}

bool pli_is_positive_definite(int32_t n, const double *A)
{
    double L[ENTRIES_MAX];
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            double sum = A[n * i + j];
            for (int32_t k = 0; k < j; ++k) sum -= L[n * i + k] * L[n * j + k];
            if (i == j && !(sum > 0)) return false;
            L[n * i + j] = i == j ? sqrt(sum) : sum / L[n * j + j];
        }
    }
    return true;
}

static bool is_finite(int32_t n, const double *A)
{
    for (int32_t k = 0; k < n * n; ++k) {
        if (!isfinite(A[k])) return false;
    }
    return true;
}

// A -= value t t^T, both triangles alike
static void subtract_outer(int32_t n, double value, const double *t, double *A)
{
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) {
            A[n * i + j] -= value * t[i] * t[j];
            A[n * j + i] = A[n * i + j];
        }
    }
}

bool pli_psd_clamp(int32_t n, double *A)
{
    if (pli_is_positive_definite(n, A) || !is_finite(n, A)) return false;
    double S[ENTRIES_MAX];
    double T[ENTRIES_MAX];
    copy_symmetric(n, A, S);
    diagonalize(n, S, T);
    bool changed = false;
    for (int32_t k = 0; k < n; ++k) {
        double value = S[(n + 1) * k];
        if (value >= 0) continue;
        subtract_outer(n, value, T + n * k, A);
        changed = true;
    }
    return changed;
}

// SPDX-License-Identifier: Apache-2.0
#include "math/eigen.h"

#include "math/simd.h"

#include <float.h>
#include <math.h>

enum {
    ROW_VECTORS = PLI_EIGEN_MAX / PLI_D4_LANES, // rows are padded with zeros to this many vectors
    STEPS_MAX = 30 * PLI_EIGEN_MAX              // two or three steps per eigenvalue are usual
};

// A row of a matrix, as numbers or as vectors.
typedef union row {
    double entry[PLI_EIGEN_MAX];
    pli_d4 vector[ROW_VECTORS];
} row;

typedef struct problem {
    int32_t n;
    double back[2];          // their product undoes the scaling of A
    row A[PLI_EIGEN_MAX];    // scaled so that the largest entry is about 1
    row Q[PLI_EIGEN_MAX];    // Q A Q^T is what A has become; in the end the rows are eigenvectors
    double d[PLI_EIGEN_MAX]; // diagonal
    double e[PLI_EIGEN_MAX]; // e[k] couples k and k + 1
} problem;

static inline double dot(const row *a, const row *b)
{
    pli_d4 sum = {0};
    for (int k = 0; k < ROW_VECTORS; ++k) sum += a->vector[k] * b->vector[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// a += s b
static inline void add_scaled(double s, const row *b, row *a)
{
    for (int k = 0; k < ROW_VECTORS; ++k) a->vector[k] += s * b->vector[k];
}

// rows p and q become c p - s q and s p + c q
static inline void turn(double c, double s, row *p, row *q)
{
    for (int k = 0; k < ROW_VECTORS; ++k) {
        pli_d4 a = p->vector[k];
        pli_d4 b = q->vector[k];
        p->vector[k] = c * a - s * b;
        q->vector[k] = s * a + c * b;
    }
}

// A scaled copy from the lower triangle, and Q = I.
static void load(int32_t n, const double *A, problem *work)
{
    double largest = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j <= i; ++j) largest = fmax(largest, fabs(A[n * i + j]));
    }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    // in two halves, which never overflow
    int half = exponent / 2;
    int rest = exponent - half;
    double scale[2] = {ldexp(1, -half), ldexp(1, -rest)};
    memset(work, 0, sizeof *work);
    work->n = n;
    work->back[0] = ldexp(1, half);
    work->back[1] = ldexp(1, rest);
    for (int32_t i = 0; i < n; ++i) {
        work->Q[i].entry[i] = 1;
        for (int32_t j = 0; j <= i; ++j) {
            work->A[i].entry[j] = work->A[j].entry[i] = A[n * i + j] * scale[0] * scale[1];
        }
    }
}

// A <- H A H and Q <- H Q with H = I - beta v v^T; v is zero up to entry k.
static void reflect(problem *work, int32_t k, double beta, const row *v)
{
    row p = {{0}};
    row combined = {{0}};
    for (int32_t i = k + 1; i < work->n; ++i) {
        p.entry[i] = beta * dot(&work->A[i], v);
        add_scaled(beta * v->entry[i], &work->Q[i], &combined);
    }
    // A -= v w^T + w v^T with w = p - (beta/2) (v . p) v
    add_scaled(-0.5 * beta * dot(v, &p), v, &p);
    for (int32_t i = k + 1; i < work->n; ++i) {
        add_scaled(-v->entry[i], &p, &work->A[i]);
        add_scaled(-p.entry[i], v, &work->A[i]);
        add_scaled(-v->entry[i], &combined, &work->Q[i]);
    }
}

// Makes A tridiagonal by reflections, column by column.
static void reduce(problem *work)
{
    int32_t n = work->n;
    for (int32_t k = 0; k < n; ++k) {
        work->d[k] = work->A[k].entry[k];
        if (k == n - 1) break;
        row v = work->A[k];
        double first = v.entry[k + 1];
        for (int32_t i = 0; i <= k + 1; ++i) v.entry[i] = 0;
        double others = dot(&v, &v);
        work->e[k] = first;
        if (others == 0) continue; // tridiagonal here already

        // v - alpha e_first, with the sign that adds up; H v = alpha e_first
        double length = sqrt(first * first + others);
        double alpha = -copysign(length, first);
        v.entry[k + 1] = first - alpha;
        work->e[k] = alpha;
        reflect(work, k, 1 / (length * (length + fabs(first))), &v);
    }
}

// The eigenvalue of the last 2x2 block nearer to its last entry (Wilkinson's shift).
static double choose_shift(double a, double b, double c)
{
    double half = (a - c) / 2;
    double root = sqrt(half * half + b * b);
    return c - b * b / (half + copysign(root, half));
}

// One implicit step of the QR iteration on the rows first .. last.
static void step(problem *work, int32_t first, int32_t last)
{
    double *d = work->d;
    double *e = work->e;
    double x = d[first] - choose_shift(d[last - 1], e[last - 1], d[last]);
    double bulge = e[first];
    for (int32_t k = first; k < last; ++k) {
        double r = sqrt(x * x + bulge * bulge);
        double c = r > 0 ? x / r : 1;
        double s = r > 0 ? -bulge / r : 0;
        double a = d[k];
        double b = e[k];
        double g = d[k + 1];
        if (k > first) e[k - 1] = r;
        d[k] = c * c * a - 2 * c * s * b + s * s * g;
        d[k + 1] = s * s * a + 2 * c * s * b + c * c * g;
        e[k] = c * s * (a - g) + (c * c - s * s) * b;
        x = e[k];
        if (k < last - 1) {
            bulge = -s * e[k + 1];
            e[k + 1] *= c;
        }
        turn(c, s, &work->Q[k], &work->Q[k + 1]);
    }
}

// Below rounding of its neighbours or of the whole matrix, whose largest entry is about 1. Written
// so that a NaN counts as negligible and the iteration ends.
static bool is_negligible(const problem *work, int32_t k)
{
    double size = fmax(fabs(work->d[k]) + fabs(work->d[k + 1]), 0.1);
    return !(fabs(work->e[k]) > DBL_EPSILON * size);
}

// Eigenvalues in d, eigenvectors in the rows of Q.
static void diagonalize(int32_t n, const double *A, problem *work)
{
    load(n, A, work);
    reduce(work);
    int32_t last = n - 1;
    for (int steps = 0; last > 0 && steps < STEPS_MAX; ++steps) {
        while (last > 0 && is_negligible(work, last - 1)) --last;
        int32_t first = last;
        while (first > 0 && !is_negligible(work, first - 1)) --first;
        if (first < last) step(work, first, last);
    }
    for (int32_t k = 0; k < n; ++k) work->d[k] = work->d[k] * work->back[0] * work->back[1];
}

void pli_eigen_symmetric(int32_t n, const double *A, double *values, double *Q)
{
    problem work;
    int32_t order[PLI_EIGEN_MAX];
    diagonalize(n, A, &work);

    // insertion sort by value
    for (int32_t k = 0; k < n; ++k) {
        int32_t slot = k;
        for (; slot > 0 && work.d[order[slot - 1]] > work.d[k]; --slot) {
            order[slot] = order[slot - 1];
        }
        order[slot] = k;
    }
    for (int32_t k = 0; k < n; ++k) {
        values[k] = work.d[order[k]];
        for (int32_t i = 0; i < n; ++i) Q[n * i + k] = work.Q[order[k]].entry[i];
    }
}

bool pli_is_positive_definite(int32_t n, const double *A)
{
    double L[PLI_EIGEN_MAX * PLI_EIGEN_MAX];
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
    problem work;
    bool changed = false;
    diagonalize(n, A, &work);
    for (int32_t k = 0; k < n; ++k) {
        if (work.d[k] >= 0) continue;
        subtract_outer(n, work.d[k], work.Q[k].entry, A);
        changed = true;
    }
    return changed;
}

// SPDX-License-Identifier: Apache-2.0
#include "material/wave.h"

#include "math/eigen.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>

enum { TURNS = 40, FEW_TURNS = 2 };

// a turn that adds less than this is the last
static const double enough = 1e-15;

// The largest eigenvalue of a symmetric matrix, and its vector.
static double find_largest(const double M[9], double vector[3])
{
    double values[3], Q[9];
    pli_eigen_symmetric(3, M, values, Q);
    for (int k = 0; k < 3; ++k) vector[k] = Q[3 * k + 2];
    return values[2];
}

double pli_wave_modulus(const double A[81], int turns, double n[3])
{
    double a[3], last = -INFINITY;
    for (int turn = 0; turn < turns; ++turn) {
        double along_n[9] = {0}, along_a[9] = {0};
        for (int e = 0; e < 81; ++e) {
            along_n[3 * (e / 27) + e / 3 % 3] += A[e] * n[e / 9 % 3] * n[e % 3];
        }
        (void)find_largest(along_n, a);
        for (int e = 0; e < 81; ++e) {
            along_a[3 * (e / 9 % 3) + e % 3] += A[e] * a[e / 27] * a[e / 3 % 3];
        }
        double value = find_largest(along_a, n);
        if (value <= last * (1 + enough)) break;
        last = value;
    }
    return last;
}

double pli_wave_deformed_modulus(const double A[81], const double F[9])
{
    double half[81] = {0}, B[81] = {0}, trace[9] = {0}, n[3], sum = 0;
    for (int e = 0; e < 81; ++e) {
        int row = e / 9, i = row / 3, j = row % 3, k = e / 3 % 3, l = e % 3;
        for (int L = 0; L < 3; ++L) half[e] += A[9 * (3 * i + j) + 3 * k + L] * F[3 * l + L];
    }
    for (int e = 0; e < 81; ++e) {
        int row = e / 9, i = row / 3, j = row % 3;
        for (int J = 0; J < 3; ++J) B[e] += half[9 * (3 * i + J) + e % 9] * F[3 * j + J];
        sum += B[e];
    }
    for (int e = 0; e < 81; ++e) {
        if (e / 27 == e / 3 % 3) trace[3 * (e / 9 % 3) + e % 3] += B[e];
    }
    // what is not a number stays so
    if (!isfinite(sum)) return NAN;
    (void)find_largest(trace, n);
    return pli_wave_modulus(B, FEW_TURNS, n);
}

double pli_material_speed(const double *dPdF, double density)
{
    // from the axes and the diagonals of faces and of the cube
    double largest = 0;
    for (int start = 0; start < 13; ++start) { // the other half of 27 are their opposites
        double n[3] = {start / 9 - 1, start / 3 % 3 - 1, start % 3 - 1};
        pli_vec3_normalize(n, n);
        largest = fmax(largest, pli_wave_modulus(dPdF, TURNS, n));
    }
    return sqrt(largest / density);
}

double pli_wave_rest_speed(const pli_material_ops *law, const double *params, double density)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double A[81];
    law->evaluate(1, rest, params, PLI_TANGENT_EXACT, NULL, NULL, A);
    return pli_material_speed(A, density);
}

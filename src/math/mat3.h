// SPDX-License-Identifier: Apache-2.0
//
// 3x3 matrices as plain double[9], row-major: entry (i, j) is m[3 i + j]. Products must not write
// into their inputs.
#ifndef PLI_MATH_MAT3_H
#define PLI_MATH_MAT3_H

#include "math/vec3.h"

#include <stdbool.h>
#include <string.h>

static inline void pli_mat3_identity(double out[9])
{
    memset(out, 0, 9 * sizeof(double));
    out[0] = out[4] = out[8] = 1;
}

static inline void pli_mat3_copy(const double A[9], double out[9])
{
    memcpy(out, A, 9 * sizeof(double));
}

// Whether A is a multiple of the identity.
static inline bool pli_mat3_is_isotropic(const double A[9])
{
    bool diagonal = A[1] == 0 && A[2] == 0 && A[3] == 0 && A[5] == 0 && A[6] == 0 && A[7] == 0;
    return diagonal && A[0] == A[4] && A[0] == A[8];
}

// out = A + s B
static inline void pli_mat3_add_scaled(const double A[9], double s, const double B[9],
                                       double out[9])
{
    for (int k = 0; k < 9; ++k) out[k] = A[k] + s * B[k];
}

// out = A B
static inline void pli_mat3_multiply(const double A[9], const double B[9], double out[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
        }
    }
}

// out = A^T B
static inline void pli_mat3_multiply_transposed_left(const double A[9], const double B[9],
                                                     double out[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = A[i] * B[j] + A[3 + i] * B[3 + j] + A[6 + i] * B[6 + j];
        }
    }
}

// out = A B^T
static inline void pli_mat3_multiply_transposed_right(const double A[9], const double B[9],
                                                      double out[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[3 * i + j] = pli_vec3_dot(A + 3 * i, B + 3 * j);
        }
    }
}

// out = A x
static inline void pli_mat3_apply(const double A[9], const double x[3], double out[3])
{
    pli_vec3_set(pli_vec3_dot(A, x), pli_vec3_dot(A + 3, x), pli_vec3_dot(A + 6, x), out);
}

// out = A^T x
static inline void pli_mat3_apply_transposed(const double A[9], const double x[3], double out[3])
{
    pli_vec3_set(A[0] * x[0] + A[3] * x[1] + A[6] * x[2], A[1] * x[0] + A[4] * x[1] + A[7] * x[2],
                 A[2] * x[0] + A[5] * x[1] + A[8] * x[2], out);
}

static inline void pli_mat3_transpose(const double A[9], double out[9])
{
    double t[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
    pli_mat3_copy(t, out);
}

static inline double pli_mat3_determinant(const double A[9])
{
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

static inline double pli_mat3_trace(const double A[9])
{
    return A[0] + A[4] + A[8];
}

// sum of products of entries, A : B
static inline double pli_mat3_contract(const double A[9], const double B[9])
{
    double sum = 0;
    for (int k = 0; k < 9; ++k) sum += A[k] * B[k];
    return sum;
}

// Cofactor matrix d det(A) / dA = det(A) A^-T; defined for singular A too.
static inline void pli_mat3_cofactor(const double A[9], double out[9])
{
    double C[9];
    pli_vec3_cross(A + 3, A + 6, C);
    pli_vec3_cross(A + 6, A, C + 3);
    pli_vec3_cross(A, A + 3, C + 6);
    pli_mat3_copy(C, out);
}

// out = A^-1; returns the determinant. A singular A gives entries that are not finite.
static inline double pli_mat3_inverse(const double A[9], double out[9])
{
    double C[9];
    double determinant = pli_mat3_determinant(A);
    pli_mat3_cofactor(A, C);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) out[3 * i + j] = C[3 * j + i] / determinant;
    }
    return determinant;
}

// Whether R R^T = 1 and det R = 1, each entry to within a tolerance; false for entries that are not
// finite.
static inline bool pli_mat3_is_rotation(const double R[9], double tolerance)
{
    double product[9];
    pli_mat3_multiply_transposed_right(R, R, product);
    bool is_close = fabs(pli_mat3_determinant(R) - 1) <= tolerance;
    for (int k = 0; k < 9; ++k) {
        is_close = is_close && fabs(product[k] - (k % 4 == 0 ? 1 : 0)) <= tolerance;
    }
    return is_close;
}

static const double pli_radians_per_degree = 0.017453292519943295;

// Rotation by an angle (radians) about a unit axis (Rodrigues).
static inline void pli_mat3_rotation(const double axis[3], double angle, double out[9])
{
    double c = cos(angle);
    double s = sin(angle);
    const double *a = axis;
    double R[9] = {c + a[0] * a[0] * (1 - c),        a[0] * a[1] * (1 - c) - a[2] * s,
                   a[0] * a[2] * (1 - c) + a[1] * s, a[1] * a[0] * (1 - c) + a[2] * s,
                   c + a[1] * a[1] * (1 - c),        a[1] * a[2] * (1 - c) - a[0] * s,
                   a[2] * a[0] * (1 - c) - a[1] * s, a[2] * a[1] * (1 - c) + a[0] * s,
                   c + a[2] * a[2] * (1 - c)};
    pli_mat3_copy(R, out);
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Functions of symmetric 3x3 matrices without their eigenvalues, eight in float at a time. A matrix
// is six vectors: 00, 11, 22, 12, 02, 01, as in math/svd_simd.h.
//
// A symmetric D without trace satisfies D^3 = p D + q 1, p = tr(D^2) / 2, q = det D (Cayley and
// Hamilton), so every polynomial of D is a_0 1 + a_1 D + a_2 D^2, and one step of Horner's rule,
// multiplication by D and addition of the next coefficient c, is
//
//   (a_0, a_1, a_2) <- (q a_2 + c, a_0 + p a_2, a_1)
//
// two operations whatever the matrix. The eigenvalues of D are at most 2 sqrt(p / 3) in size.
//
//   pli_symmetric_log_f8    the deviator of log b. With D = 3 b / tr b - 1,
//                           dev log b = dev log(1 + D); the polynomial is that of log(1 + d) / d at
//                           the 17 Chebyshev nodes of |d| <= 0.7, right to 4e-8. The trace of log b
//                           is the logarithm of the determinant, which is a number
//   pli_symmetric_exp_f8    exp E of E without trace, the series up to E^8, right to 3e-8 where no
//                           eigenvalue is above 0.6
//   pli_stretch_f8          V = (F F^T)^(1/2), with the sign that R = V^-1 F is a rotation, from
//                           the trace f of V that math/rotation_simd.h finds:
//                           V = ((f^2 + I) b - 2 b^2 + 2 f J 1) / (f (f^2 - I) - 2 J)
//
// Logarithm and stretch tell in which lanes they hold; the others are left to a decomposition.
// These are the states far from rest: strains beyond about -40 % to +35 % for the logarithm, two
// singular values below some hundredth of the first for the stretch, and whatever is not finite.
#ifndef PLI_MATH_SYMMETRIC_SIMD_H
#define PLI_MATH_SYMMETRIC_SIMD_H

#include "math/rotation_simd.h"

// Largest |d| of the polynomial of the logarithm.
#define PLI_SYMMETRIC_RANGE 0.7f

// tr b / 3 for which no product leaves the range of floats
#define PLI_SYMMETRIC_LEAST 1e-7f
#define PLI_SYMMETRIC_MOST 1e7f

// Least share of f^3 that the denominator of V may be: the inverse of how much rounding grows. At
// rest it is 16/27.
#define PLI_STRETCH_LEAST 0.1f

// of any 3x3 matrix, row-major
PLI_INLINE pli_f8 pli_determinant_f8(const pli_f8 A[9])
{
    return A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
           A[2] * (A[3] * A[7] - A[4] * A[6]);
}

// b = F F^T
PLI_INLINE void pli_symmetric_gram_f8(const pli_f8 F[9], pli_f8 b[6])
{
    static const int rows[6][2] = {{0, 0}, {1, 1}, {2, 2}, {1, 2}, {0, 2}, {0, 1}};
    for (int k = 0; k < 6; ++k) {
        const pli_f8 *x = F + 3 * rows[k][0];
        const pli_f8 *y = F + 3 * rows[k][1];
        b[k] = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    }
}

// S^2
PLI_INLINE void pli_symmetric_square_f8(const pli_f8 S[6], pli_f8 out[6])
{
    pli_f8 yz = S[3] * S[3];
    pli_f8 xz = S[4] * S[4];
    pli_f8 xy = S[5] * S[5];
    out[0] = S[0] * S[0] + xy + xz;
    out[1] = S[1] * S[1] + xy + yz;
    out[2] = S[2] * S[2] + xz + yz;
    out[3] = S[3] * (S[1] + S[2]) + S[4] * S[5];
    out[4] = S[4] * (S[0] + S[2]) + S[3] * S[5];
    out[5] = S[5] * (S[0] + S[1]) + S[3] * S[4];
}

PLI_INLINE pli_f8 pli_symmetric_determinant_f8(const pli_f8 S[6])
{
    return S[0] * (S[1] * S[2] - S[3] * S[3]) - S[5] * (S[5] * S[2] - S[3] * S[4]) +
           S[4] * (S[5] * S[3] - S[1] * S[4]);
}

// S : S
PLI_INLINE pli_f8 pli_symmetric_norm2_f8(const pli_f8 S[6])
{
    return S[0] * S[0] + S[1] * S[1] + S[2] * S[2] +
           2.0f * (S[3] * S[3] + S[4] * S[4] + S[5] * S[5]);
}

// Takes a third of the trace off the diagonal and returns that third.
PLI_INLINE pli_f8 pli_symmetric_deviate_f8(pli_f8 S[6])
{
    pli_f8 mean = (S[0] + S[1] + S[2]) * (1.0f / 3);
    for (int k = 0; k < 3; ++k) S[k] -= mean;
    return mean;
}

// out = S A
PLI_INLINE void pli_symmetric_multiply_f8(const pli_f8 S[6], const pli_f8 A[9], pli_f8 out[9])
{
    static const int row[3][3] = {{0, 5, 4}, {5, 1, 3}, {4, 3, 2}};
    for (int i = 0; i < 3; ++i) {
        pli_f8 x = S[row[i][0]];
        pli_f8 y = S[row[i][1]];
        pli_f8 z = S[row[i][2]];
        for (int j = 0; j < 3; ++j) out[3 * i + j] = x * A[j] + y * A[3 + j] + z * A[6 + j];
    }
}

// True where all eigenvalues are above the limit: the leading minors of S - limit 1 are positive.
PLI_INLINE pli_f8_mask pli_symmetric_is_above_f8(const pli_f8 S[6], float limit)
{
    pli_f8 T[6] = {S[0] - limit, S[1] - limit, S[2] - limit, S[3], S[4], S[5]};
    return (pli_f8_mask)(T[0] > 0.0f) & (pli_f8_mask)(T[0] * T[1] > T[5] * T[5]) &
           (pli_f8_mask)(pli_symmetric_determinant_f8(T) > 0.0f);
}

PLI_INLINE pli_f8_mask pli_symmetric_is_below_f8(const pli_f8 S[6], float limit)
{
    pli_f8 T[6];
    for (int k = 0; k < 6; ++k) T[k] = -S[k];
    return pli_symmetric_is_above_f8(T, -limit);
}

// What the algebra of one matrix D without trace needs.
typedef struct pli_symmetric_powers {
    pli_f8 square[6]; // D^2
    pli_f8 p;         // tr(D^2) / 2
    pli_f8 q;         // det D
} pli_symmetric_powers;

PLI_INLINE void pli_symmetric_powers_compute(const pli_f8 D[6], pli_symmetric_powers *powers)
{
    pli_symmetric_square_f8(D, powers->square);
    powers->p = 0.5f * (powers->square[0] + powers->square[1] + powers->square[2]);
    powers->q = pli_symmetric_determinant_f8(D);
}

// The sum of c[k] D^k, k = 0 .. degree, as a[0] 1 + a[1] D + a[2] D^2.
PLI_INLINE void pli_symmetric_horner(const pli_symmetric_powers *powers, int degree, const float *c,
                                     pli_f8 a[3])
{
    a[0] = pli_f8_broadcast(c[degree]);
    a[1] = a[2] = (pli_f8){0};
    for (int k = degree - 1; k >= 0; --k) {
        pli_f8 first = powers->p * a[2] + a[0];
        a[0] = powers->q * a[2] + c[k];
        a[2] = a[1];
        a[1] = first;
    }
}

// True where no eigenvalue of a matrix with the given mean of its diagonal and deviator D is
// further than PLI_SYMMETRIC_RANGE times the mean from it; p = tr(D^2) / 2.
PLI_INLINE pli_f8_mask pli_symmetric_is_near_f8(pli_f8 mean, pli_f8 p)
{
    const float most = 0.75f * PLI_SYMMETRIC_RANGE * PLI_SYMMETRIC_RANGE;
    return (pli_f8_mask)(p <= most * mean * mean) & (pli_f8_mask)(mean > PLI_SYMMETRIC_LEAST) &
           (pli_f8_mask)(mean < PLI_SYMMETRIC_MOST);
}

// L = dev log b; returns where it is right.
PLI_INLINE pli_f8_mask pli_symmetric_log_f8(const pli_f8 b[6], pli_f8 L[6])
{
    static const float slope[17] = {
        1.0f,         -0.499999493f, 0.333332866f,  -0.250048012f,  0.200046018f,   -0.165326387f,
        0.141572192f, -0.141525999f, 0.126952723f,  0.00560408225f, -0.0102999862f, -0.452392459f,
        0.430504411f, 0.613880098f,  -0.589532673f, -0.627953947f,  0.599627912f};
    pli_f8 D[6];
    for (int k = 0; k < 6; ++k) D[k] = b[k];
    pli_f8 mean = pli_symmetric_deviate_f8(D);
    pli_f8 inverse = 1.0f / mean;
    for (int k = 0; k < 6; ++k) D[k] *= inverse;

    // log(1 + D) = D g(D): with g = a_0 + a_1 D + a_2 D^2, its parts by D and D^2 remain
    pli_symmetric_powers powers;
    pli_f8 a[3];
    pli_symmetric_powers_compute(D, &powers);
    pli_symmetric_horner(&powers, 16, slope, a);
    pli_f8 first = a[0] + powers.p * a[2];
    for (int k = 0; k < 6; ++k) L[k] = first * D[k] + a[1] * powers.square[k];
    for (int k = 0; k < 3; ++k) L[k] -= a[1] * powers.p * (2.0f / 3);

    return pli_symmetric_is_near_f8(mean, powers.p * mean * mean);
}

// S = exp E
PLI_INLINE void pli_symmetric_exp_f8(const pli_f8 E[6], pli_f8 S[6])
{
    static const float series[9] = {1.0f,       1.0f,       1.0f / 2,    1.0f / 6,    1.0f / 24,
                                    1.0f / 120, 1.0f / 720, 1.0f / 5040, 1.0f / 40320};
    pli_symmetric_powers powers;
    pli_f8 a[3];
    pli_symmetric_powers_compute(E, &powers);
    pli_symmetric_horner(&powers, 8, series, a);
    for (int k = 0; k < 6; ++k) S[k] = a[1] * E[k] + a[2] * powers.square[k];
    for (int k = 0; k < 3; ++k) S[k] += a[0];
}

// V of b = F F^T, and J = det F; returns where V is right.
PLI_INLINE pli_f8_mask pli_stretch_f8(const pli_f8 F[9], const pli_f8 b[6], pli_f8 V[6], pli_f8 *J)
{
    pli_rotation_work_f8 work;
    pli_f8_mask done = {0};
    pli_rotation_begin_f8(F, &work);
    for (int step = 0; step < PLI_ROTATION_STEPS; ++step) {
        pli_rotation_step_f8(&work, &done);
        if (pli_f8_all(done)) break;
    }
    pli_f8 f = work.f;
    pli_f8 f2 = f * f;
    pli_f8 denominator = f * (f2 - work.I) - 2.0f * work.J;
    pli_f8 inverse = 1.0f / denominator;
    pli_f8 first = (f2 + work.I) * inverse;
    pli_f8 second = -2.0f * inverse;
    pli_f8 rest = 2.0f * f * work.J * inverse;
    pli_f8 square[6];
    pli_symmetric_square_f8(b, square);
    for (int k = 0; k < 6; ++k) V[k] = first * b[k] + second * square[k];
    for (int k = 0; k < 3; ++k) V[k] += rest;
    *J = work.J;
    return done & (pli_f8_mask)(denominator > PLI_STRETCH_LEAST * f2 * f) &
           pli_rotation_is_in_range_f8(&work);
}

#endif

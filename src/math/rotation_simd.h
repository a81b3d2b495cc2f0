// SPDX-License-Identifier: Apache-2.0
//
// The rotation nearest to a 3x3 matrix, eight in float at a time: R maximises R : F over all
// rotations (det R = +1, for reflected F too), which is what polar decomposition and R = U V^T of
// math/svd_simd.h give, without singular vectors.
//
// Method. With the singular values s_0 >= s_1 >= |s_2| of F, s_2 negative when det F is, the
// invariants
//     I = sum s_i^2 = |F|^2,   II = sum s_i^2 s_j^2 = |cof F|^2,   J = s_0 s_1 s_2 = det F
// fix f = s_0 + s_1 + s_2 = R : F as the largest root of
//     p(f) = (f^2 - I)^2 - 4 II - 8 J f,      p'(f) / 4 = d(f) = f (f^2 - I) - 2 J
// (Lin et al. 2022, who derive it from the Cauchy-Green invariants; the four roots are the
// eigenvalues of Horn's quaternion matrix, so all are real). R is the derivative of f with respect
// to F, and implicit differentiation of p gives
//     R = [ ((f^2 + I) 1 - 2 F F^T) F + 2 f cof F ] / d
// whose denominator, 2 (s_0 + s_1) (s_0 + s_2) (s_1 + s_2), is zero only where the nearest rotation
// is not unique.
//
//   1. Start above the root: f^2 = I + 2 e and e^2 = II + 2 J f, e being the sum of products of
//      two singular values, with the bound f <= sqrt(3 I) put in where J is positive.
//   2. Halley's iteration. A polynomial with real roots only is convex beyond the largest one, so
//      every step stays above it. One step is enough for small strains and two for large ones; only
//      reflections take more. A lane stops when a step has been short, whatever its neighbours do.
//   3. R by the formula. An error left in f scales the singular values of R, the singular vectors
//      are those of F; one Newton-Schulz step R (3 - R^T R) / 2 squares that error.
//   4. R^T R - 1 before the Schulz step says whether all this was right. Lanes for which it was not
//      (s_1 + s_2 below some thousandth of s_0: nearly flat to a line, or reflected with nearly
//      equal stretches; and |F| far from 1) are done again by the decomposition.
//
// |R^T R - 1| stays below 1e-6 and R : F within 1e-6 |F| of its maximum for every finite F. A lane
// of entries that are not finite gives such. Stateless: R depends on F alone.
//
//   pli_rotation_f8(F, R)        F and R are nine vectors, row-major
//   pli_rotation_pair_f8(F, R)   eighteen: two matrices per lane in step, which hides the latency
//                                of divisions and roots
#ifndef PLI_MATH_ROTATION_SIMD_H
#define PLI_MATH_ROTATION_SIMD_H

#include "math/simd.h"

enum { PLI_ROTATION_STEPS = 8 }; // most steps of Halley's iteration

// How far R^T R may be from 1 before the Schulz step, which leaves 3/8 of its square.
#define PLI_ROTATION_ERROR 3e-4f

// A step of this share of f is the last one: the next would be shorter than its cube.
#define PLI_ROTATION_SHORT 2e-3f

// |F|^2 for which no product in the iteration, of degree 6 in f, leaves the range of floats
#define PLI_ROTATION_LEAST 1e-8f
#define PLI_ROTATION_MOST 1e8f

// What one matrix carries from stage to stage.
typedef struct pli_rotation_work {
    pli_f8 C[6];   // F^T F: 00, 11, 22, 12, 02, 01
    pli_f8 cof[9]; // cofactors of F
    pli_f8 I;
    pli_f8 II;
    pli_f8 J;
    pli_f8 f;
} pli_rotation_work;

// The same by the singular value decomposition: slower, right for every finite F.
void pli_rotation_by_svd_f8(const pli_f8 F[9], pli_f8 R[9]);

PLI_INLINE pli_f8 pli_rotation_dot_columns(const pli_f8 A[9], int p, int q)
{
    return A[p] * A[q] + A[3 + p] * A[3 + q] + A[6 + p] * A[6 + q];
}

// The products of columns, 00, 11, 22, 12, 02, 01.
PLI_INLINE void pli_rotation_gram(const pli_f8 A[9], pli_f8 C[6])
{
    for (int k = 0; k < 3; ++k) C[k] = pli_rotation_dot_columns(A, k, k);
    C[3] = pli_rotation_dot_columns(A, 1, 2);
    C[4] = pli_rotation_dot_columns(A, 0, 2);
    C[5] = pli_rotation_dot_columns(A, 0, 1);
}

// out = A S for a symmetric S given by six entries
PLI_INLINE void pli_rotation_multiply(const pli_f8 A[9], const pli_f8 S[6], pli_f8 out[9])
{
    for (int row = 0; row < 9; row += 3) {
        const pli_f8 *a = A + row;
        out[row] = a[0] * S[0] + a[1] * S[5] + a[2] * S[4];
        out[row + 1] = a[0] * S[5] + a[1] * S[1] + a[2] * S[3];
        out[row + 2] = a[0] * S[4] + a[1] * S[3] + a[2] * S[2];
    }
}

PLI_INLINE void pli_rotation_begin(const pli_f8 F[9], pli_rotation_work *work)
{
    pli_rotation_gram(F, work->C);
    work->I = work->C[0] + work->C[1] + work->C[2];
    work->II = (pli_f8){0};
    for (int i = 0; i < 3; ++i) {
        const pli_f8 *a = F + 3 * ((i + 1) % 3);
        const pli_f8 *b = F + 3 * ((i + 2) % 3);
        for (int j = 0; j < 3; ++j) {
            int p = (j + 1) % 3;
            int q = (j + 2) % 3;
            pli_f8 c = a[p] * b[q] - a[q] * b[p];
            work->cof[3 * i + j] = c;
            work->II += c * c;
        }
    }
    work->J = F[0] * work->cof[0] + F[1] * work->cof[1] + F[2] * work->cof[2];

    // f = sqrt(I + 2 sqrt(II + 2 J f)) with an upper bound for the f on the right
    pli_f8 bound = pli_f8_sqrt(3.0f * work->I);
    pli_f8 raised = work->II + 2.0f * pli_f8_max(work->J, (pli_f8){0}) * bound;
    work->f = pli_f8_sqrt(work->I + 2.0f * pli_f8_sqrt(raised));
}

// f -= 2 p p' / (2 p'^2 - p p'') in the lanes that are not done; adds to those that are.
PLI_INLINE void pli_rotation_step(pli_rotation_work *work, pli_f8_mask *done)
{
    pli_f8 f = work->f;
    pli_f8 q = f * f - work->I;
    pli_f8 p = q * q - 4.0f * work->II - 8.0f * work->J * f;
    pli_f8 d = f * q - 2.0f * work->J; // p' / 4
    pli_f8 h = 3.0f * f * f - work->I; // p'' / 4
    pli_f8 step = 2.0f * p * d / (8.0f * d * d - p * h);
    work->f = pli_f8_select(*done, f, f - step);
    // a step that is not a number ends here too: the check of the result finds it
    *done |= ~(pli_f8_mask)(pli_f8_abs(step) > PLI_ROTATION_SHORT * f);
}

// R = (F ((f^2 + I) 1 - 2 F^T F) + 2 f cof F) / d
PLI_INLINE void pli_rotation_finish(const pli_f8 F[9], const pli_rotation_work *work, pli_f8 R[9])
{
    pli_f8 f = work->f;
    pli_f8 f2 = f * f;
    pli_f8 scale = 1.0f / (f * (f2 - work->I) - 2.0f * work->J);
    pli_f8 a = (f2 + work->I) * scale;
    pli_f8 b = -2.0f * scale;
    pli_f8 c = 2.0f * f * scale;
    pli_f8 S[6];
    for (int k = 0; k < 3; ++k) S[k] = a + b * work->C[k];
    for (int k = 3; k < 6; ++k) S[k] = b * work->C[k];
    pli_rotation_multiply(F, S, R);
    for (int k = 0; k < 9; ++k) R[k] += c * work->cof[k];
}

// One Newton-Schulz step; returns where R was a rotation well enough for it.
PLI_INLINE pli_f8_mask pli_rotation_polish(pli_f8 R[9])
{
    pli_f8 G[6];
    pli_f8 product[9];
    pli_rotation_gram(R, G);
    for (int k = 0; k < 3; ++k) G[k] -= 1.0f;
    pli_f8 error = {0};
    for (int k = 0; k < 6; ++k) error += G[k] * G[k];
    pli_rotation_multiply(R, G, product);
    for (int k = 0; k < 9; ++k) R[k] -= 0.5f * product[k];
    return (pli_f8_mask)(error < PLI_ROTATION_ERROR * PLI_ROTATION_ERROR);
}

// Replaces the lanes that are not good; rare, so kept out of the way.
PLI_INLINE void pli_rotation_repair(const pli_f8 F[9], pli_f8_mask good, pli_f8 R[9])
{
    pli_f8 exact[9];
    pli_rotation_by_svd_f8(F, exact);
    for (int k = 0; k < 9; ++k) R[k] = pli_f8_select(good, R[k], exact[k]);
}

#define PLI_EACH for (int k = 0; k < count; ++k)

// count (1 or 2) vectors of matrices in step
PLI_INLINE void pli_rotation_run_f8(int count, const pli_f8 *F, pli_f8 *R)
{
    pli_rotation_work work[2];
    pli_f8_mask done[2] = {{0}, {0}};
    PLI_EACH pli_rotation_begin(F + 9 * k, &work[k]);
    for (int step = 0; step < PLI_ROTATION_STEPS; ++step) {
        PLI_EACH pli_rotation_step(&work[k], &done[k]);
        if (pli_f8_all(count == 2 ? done[0] & done[1] : done[0])) break;
    }
    PLI_EACH pli_rotation_finish(F + 9 * k, &work[k], R + 9 * k);
    PLI_EACH
    {
        pli_f8_mask good = pli_rotation_polish(R + 9 * k);
        good &= (pli_f8_mask)(work[k].I > PLI_ROTATION_LEAST);
        good &= (pli_f8_mask)(work[k].I < PLI_ROTATION_MOST);
        if (!pli_f8_all(good)) pli_rotation_repair(F + 9 * k, good, R + 9 * k);
    }
}

#undef PLI_EACH

PLI_INLINE void pli_rotation_f8(const pli_f8 F[9], pli_f8 R[9])
{
    pli_rotation_run_f8(1, F, R);
}

PLI_INLINE void pli_rotation_pair_f8(const pli_f8 F[18], pli_f8 R[18])
{
    pli_rotation_run_f8(2, F, R);
}

#endif

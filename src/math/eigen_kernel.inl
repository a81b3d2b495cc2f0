// SPDX-License-Identifier: Apache-2.0
//
// Symmetric 3x3 eigenvalue problems, one per lane, by a fixed number of cyclic Jacobi sweeps
// without branches. Included by math/svd_simd.h once per vector type; parameters are explained
// there.
//
// A symmetric matrix is six vectors: S[0..2] the diagonal, S[3 + r] the entry whose row and column
// are the two indices other than r, so S[3] = S_12, S[4] = S_02, S[5] = S_01.

// The rotation (c, s) that makes [[a, d], [d, b]] diagonal turning by no more than 45 degrees, and
// the distance h of the two eigenvalues. With x = b - a and h = sqrt(x^2 + 4 d^2), the half angle
// of
// (|x|, 2 d) has the direction (|x| + h, 2 d), so no inverse trigonometry is needed. The floor on
// w keeps (c, s) = (1, 0) for a zero matrix.
PLI_INLINE void PLI_NAME(jacobi_angle)(PLI_T x, PLI_T d, PLI_T *c, PLI_T *s, PLI_T *h)
{
    PLI_T d2 = d + d;
    PLI_T d4 = d2 * d2;
    *h = PLI_OP(sqrt)(x * x + d4);
    PLI_T w = PLI_OP(max)(PLI_OP(abs)(x) + *h, PLI_OP(broadcast)(PLI_TINY));
    PLI_T n = PLI_OP(rsqrt)(w * w + d4);
    *c = w * n;
    *s = PLI_OP(flip_sign)(d2, x) * n;
}

// (p, q) <- (c p - s q, s p + c q)
PLI_INLINE void PLI_NAME(jacobi_turn)(PLI_T c, PLI_T s, PLI_T *p, PLI_T *q)
{
    PLI_T a = *p;
    PLI_T b = *q;
    *p = c * a - s * b;
    *q = s * a + c * b;
}

// Turns columns p and q of the row-major 3x3 matrix V.
PLI_INLINE void PLI_NAME(jacobi_turn_columns)(PLI_T c, PLI_T s, int p, int q, PLI_T V[9])
{
    for (int row = 0; row < 9; row += 3) PLI_NAME(jacobi_turn)(c, s, &V[row + p], &V[row + q]);
}

// One rotation of S in the plane of p and q, p < q, with r the third index; V collects it.
PLI_INLINE void PLI_NAME(jacobi_rotate)(int p, int q, PLI_T S[6], PLI_T V[9])
{
    int r = 3 - p - q;
    PLI_T c, s, h;
    PLI_T x = S[q] - S[p];
    PLI_NAME(jacobi_angle)(x, S[3 + r], &c, &s, &h);

    // the two eigenvalues are their mean -+ h / 2, in the order they had
    PLI_T mean = (PLI_E)0.5 * (S[p] + S[q]);
    PLI_T half = PLI_OP(flip_sign)((PLI_E)0.5 * h, x);
    S[p] = mean - half;
    S[q] = mean + half;
    S[3 + r] = (PLI_T){0};
    PLI_NAME(jacobi_turn)(c, s, &S[3 + q], &S[3 + p]);
    PLI_NAME(jacobi_turn_columns)(c, s, p, q, V);
}

PLI_INLINE void PLI_NAME(identity)(PLI_T V[9])
{
    for (int k = 0; k < 9; ++k) V[k] = PLI_OP(broadcast)(k % 4 == 0 ? 1 : 0);
}

// S = V diag(values) V^T with V a rotation; the values are in no particular order.
PLI_INLINE void PLI_NAME(eigen)(const PLI_T matrix[6], PLI_T values[3], PLI_T V[9])
{
    PLI_T S[6];
    for (int k = 0; k < 6; ++k) S[k] = matrix[k];
    PLI_NAME(identity)(V);
    PLI_NO_UNROLL
    for (int sweep = 0; sweep < PLI_JACOBI_SWEEPS; ++sweep) {
        PLI_NAME(jacobi_rotate)(0, 1, S, V);
        PLI_NAME(jacobi_rotate)(0, 2, S, V);
        PLI_NAME(jacobi_rotate)(1, 2, S, V);
    }
    for (int k = 0; k < 3; ++k) values[k] = S[k];
}

// True where the pivots of the Cholesky decomposition of S are positive.
PLI_INLINE PLI_MASK PLI_NAME(is_positive)(const PLI_T S[6])
{
    PLI_T l10 = S[5] / S[0];
    PLI_T l20 = S[4] / S[0];
    PLI_T pivot1 = S[1] - l10 * S[5];
    PLI_T rest = S[3] - l10 * S[4];
    PLI_T pivot2 = S[2] - l20 * S[4] - rest * rest / pivot1;
    PLI_MASK first = (PLI_MASK)(S[0] > (PLI_E)0);
    return first & (PLI_MASK)(pivot1 > (PLI_E)0) & (PLI_MASK)(pivot2 > (PLI_E)0);
}

// Raises negative eigenvalues of S to zero. Lanes that are positive definite keep their bits, and
// when all are, nothing else is computed.
PLI_INLINE void PLI_NAME(clamp_psd)(PLI_T S[6])
{
    PLI_MASK keep = PLI_NAME(is_positive)(S);
    if (PLI_OP(all)(keep)) return;
    PLI_T values[3];
    PLI_T V[9];
    PLI_NAME(eigen)(S, values, V);
    for (int k = 0; k < 3; ++k) values[k] = PLI_OP(max)(values[k], (PLI_T){0});
    for (int k = 0; k < 6; ++k) {
        // row and column of entry k
        const PLI_T *a = V + 3 * (k < 3 ? k : k == 3 ? 1 : 0);
        const PLI_T *b = V + 3 * (k < 3 ? k : k == 5 ? 1 : 2);
        PLI_T sum = values[0] * a[0] * b[0] + values[1] * a[1] * b[1] + values[2] * a[2] * b[2];
        S[k] = PLI_OP(select)(keep, S[k], sum);
    }
}

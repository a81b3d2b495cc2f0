// SPDX-License-Identifier: Apache-2.0
//
// The rotation nearest to a 3x3 matrix, one per lane. Included by math/rotation_simd.h once per
// vector type; the method and the parameters are explained there.

// What one matrix carries from stage to stage.
typedef struct PLI_NAME(rotation_work) {
    PLI_T C[6];   // F^T F: 00, 11, 22, 12, 02, 01
    PLI_T cof[9]; // cofactors of F
    PLI_T I;
    PLI_T II;
    PLI_T J;
    PLI_T f;
} PLI_NAME(rotation_work);

// The same by the singular value decomposition: slower, right for every finite F.
void PLI_NAME(rotation_by_svd)(const PLI_T F[9], PLI_T R[9]);

PLI_INLINE PLI_T PLI_NAME(rotation_dot_columns)(const PLI_T A[9], int p, int q)
{
    return A[p] * A[q] + A[3 + p] * A[3 + q] + A[6 + p] * A[6 + q];
}

// The products of columns, 00, 11, 22, 12, 02, 01.
PLI_INLINE void PLI_NAME(rotation_gram)(const PLI_T A[9], PLI_T C[6])
{
    for (int k = 0; k < 3; ++k) C[k] = PLI_NAME(rotation_dot_columns)(A, k, k);
    C[3] = PLI_NAME(rotation_dot_columns)(A, 1, 2);
    C[4] = PLI_NAME(rotation_dot_columns)(A, 0, 2);
    C[5] = PLI_NAME(rotation_dot_columns)(A, 0, 1);
}

// out = A S for a symmetric S given by six entries
PLI_INLINE void PLI_NAME(rotation_multiply)(const PLI_T A[9], const PLI_T S[6], PLI_T out[9])
{
    for (int row = 0; row < 9; row += 3) {
        const PLI_T *a = A + row;
        out[row] = a[0] * S[0] + a[1] * S[5] + a[2] * S[4];
        out[row + 1] = a[0] * S[5] + a[1] * S[1] + a[2] * S[3];
        out[row + 2] = a[0] * S[4] + a[1] * S[3] + a[2] * S[2];
    }
}

PLI_INLINE void PLI_NAME(rotation_begin)(const PLI_T F[9], PLI_NAME(rotation_work) * work)
{
    PLI_NAME(rotation_gram)(F, work->C);
    work->I = work->C[0] + work->C[1] + work->C[2];
    work->II = (PLI_T){0};
    for (int i = 0; i < 3; ++i) {
        const PLI_T *a = F + 3 * ((i + 1) % 3);
        const PLI_T *b = F + 3 * ((i + 2) % 3);
        for (int j = 0; j < 3; ++j) {
            int p = (j + 1) % 3;
            int q = (j + 2) % 3;
            PLI_T c = a[p] * b[q] - a[q] * b[p];
            work->cof[3 * i + j] = c;
            work->II += c * c;
        }
    }
    work->J = F[0] * work->cof[0] + F[1] * work->cof[1] + F[2] * work->cof[2];

    // f = sqrt(I + 2 sqrt(II + 2 J f)) with an upper bound for the f on the right
    PLI_T bound = PLI_OP(sqrt)((PLI_E)3 * work->I);
    PLI_T raised = work->II + (PLI_E)2 * PLI_OP(max)(work->J, (PLI_T){0}) * bound;
    work->f = PLI_OP(sqrt)(work->I + (PLI_E)2 * PLI_OP(sqrt)(raised));
}

// Whether |F|^2 is such that no product leaves the range of the format.
PLI_INLINE PLI_MASK PLI_NAME(rotation_is_in_range)(const PLI_NAME(rotation_work) * work)
{
    return (PLI_MASK)(work->I > PLI_ROTATION_LEAST) & (PLI_MASK)(work->I < PLI_ROTATION_MOST);
}

// f -= 2 p p' / (2 p'^2 - p p'') in the lanes that are not done; adds to those that are.
PLI_INLINE void PLI_NAME(rotation_step)(PLI_NAME(rotation_work) * work, PLI_MASK *done)
{
    PLI_T f = work->f;
    PLI_T q = f * f - work->I;
    PLI_T p = q * q - (PLI_E)4 * work->II - (PLI_E)8 * work->J * f;
    PLI_T d = f * q - (PLI_E)2 * work->J; // p' / 4
    PLI_T h = (PLI_E)3 * f * f - work->I; // p'' / 4
    PLI_T step = (PLI_E)2 * p * d / ((PLI_E)8 * d * d - p * h);
    work->f = PLI_OP(select)(*done, f, f - step);
    // a step that is not a number ends here too: the check of the result finds it
    *done |= ~(PLI_MASK)(PLI_OP(abs)(step) > PLI_ROTATION_SHORT * f);
}

// R = (F ((f^2 + I) 1 - 2 F^T F) + 2 f cof F) / d
PLI_INLINE void PLI_NAME(rotation_finish)(const PLI_T F[9], const PLI_NAME(rotation_work) * work,
                                          PLI_T R[9])
{
    PLI_T f = work->f;
    PLI_T f2 = f * f;
    PLI_T scale = (PLI_E)1 / (f * (f2 - work->I) - (PLI_E)2 * work->J);
    PLI_T a = (f2 + work->I) * scale;
    PLI_T b = -(PLI_E)2 * scale;
    PLI_T c = (PLI_E)2 * f * scale;
    PLI_T S[6];
    for (int k = 0; k < 3; ++k) S[k] = a + b * work->C[k];
    for (int k = 3; k < 6; ++k) S[k] = b * work->C[k];
    PLI_NAME(rotation_multiply)(F, S, R);
    for (int k = 0; k < 9; ++k) R[k] += c * work->cof[k];
}

// One Newton-Schulz step; returns where R was a rotation well enough for it.
PLI_INLINE PLI_MASK PLI_NAME(rotation_polish)(PLI_T R[9])
{
    PLI_T G[6];
    PLI_T product[9];
    PLI_NAME(rotation_gram)(R, G);
    for (int k = 0; k < 3; ++k) G[k] -= (PLI_E)1;
    PLI_T error = {0};
    for (int k = 0; k < 6; ++k) error += G[k] * G[k];
    PLI_NAME(rotation_multiply)(R, G, product);
    for (int k = 0; k < 9; ++k) R[k] -= (PLI_E)0.5 * product[k];
    return (PLI_MASK)(error < PLI_ROTATION_ERROR * PLI_ROTATION_ERROR);
}

// Replaces the lanes that are not good; rare, so kept out of the way.
PLI_INLINE void PLI_NAME(rotation_repair)(const PLI_T F[9], PLI_MASK good, PLI_T R[9])
{
    PLI_T exact[9];
    PLI_NAME(rotation_by_svd)(F, exact);
    for (int k = 0; k < 9; ++k) R[k] = PLI_OP(select)(good, R[k], exact[k]);
}

#define PLI_EACH for (int k = 0; k < count; ++k)

// count (1 or 2) vectors of matrices in step
PLI_INLINE void PLI_NAME(rotation_run)(int count, const PLI_T *F, PLI_T *R)
{
    PLI_NAME(rotation_work) work[2];
    PLI_MASK done[2] = {{0}, {0}};
    PLI_EACH PLI_NAME(rotation_begin)(F + 9 * k, &work[k]);
    for (int step = 0; step < PLI_ROTATION_STEPS; ++step) {
        PLI_EACH PLI_NAME(rotation_step)(&work[k], &done[k]);
        if (PLI_OP(all)(count == 2 ? done[0] & done[1] : done[0])) break;
    }
    PLI_EACH PLI_NAME(rotation_finish)(F + 9 * k, &work[k], R + 9 * k);
    PLI_EACH
    {
        PLI_MASK good = PLI_NAME(rotation_polish)(R + 9 * k);
        good &= PLI_NAME(rotation_is_in_range)(&work[k]);
        if (!PLI_OP(all)(good)) PLI_NAME(rotation_repair)(F + 9 * k, good, R + 9 * k);
    }
}

#undef PLI_EACH

PLI_INLINE void PLI_NAME(rotation)(const PLI_T F[9], PLI_T R[9])
{
    PLI_NAME(rotation_run)(1, F, R);
}

PLI_INLINE void PLI_NAME(rotation_pair)(const PLI_T F[18], PLI_T R[18])
{
    PLI_NAME(rotation_run)(2, F, R);
}

#undef PLI_T
#undef PLI_E
#undef PLI_MASK
#undef PLI_OP
#undef PLI_NAME
#undef PLI_ROTATION_ERROR
#undef PLI_ROTATION_SHORT
#undef PLI_ROTATION_LEAST
#undef PLI_ROTATION_MOST

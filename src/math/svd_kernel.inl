// SPDX-License-Identifier: Apache-2.0
//
// Rotation-variant singular value decomposition of 3x3 matrices, one per lane, without branches.
// Included by math/svd_simd.h once per vector type, after eigen_kernel.inl; the method and the
// parameters are explained there.

typedef struct PLI_NAME(svd_parts) {
    PLI_T U[9];     // rotation, row-major
    PLI_T sigma[3]; // sigma_0 >= sigma_1 >= |sigma_2|
    PLI_T V[9];     // rotation, row-major
} PLI_NAME(svd_parts);

// What one decomposition carries from stage to stage.
typedef struct PLI_NAME(svd_work) {
    PLI_T back;    // undoes the scaling
    PLI_T B[9];    // scaled F, later B = F V
    PLI_T S[6];    // F^T F, made diagonal
    PLI_T V[9];    // product of the rotations
    PLI_T u[3][3]; // columns of U
    PLI_T s[3];    // scaled singular values
} PLI_NAME(svd_work);

PLI_INLINE PLI_T PLI_NAME(svd_dot)(const PLI_T a[3], const PLI_T b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// product of columns p and q
PLI_INLINE PLI_T PLI_NAME(svd_dot_columns)(const PLI_T B[9], int p, int q)
{
    return B[p] * B[q] + B[3 + p] * B[3 + q] + B[6 + p] * B[6 + q];
}

// Scales F so that its largest entry is in [1, 2) and forms S = F^T F.
PLI_INLINE void PLI_NAME(svd_begin)(const PLI_T F[9], PLI_NAME(svd_work) * work)
{
    PLI_T largest = PLI_OP(abs)(F[0]);
    for (int k = 1; k < 9; ++k) largest = PLI_OP(max)(largest, PLI_OP(abs)(F[k]));
    PLI_T scale;
    PLI_OP(scaling)(largest, &scale, &work->back);
    for (int k = 0; k < 9; ++k) work->B[k] = F[k] * scale;

    for (int k = 0; k < 3; ++k) work->S[k] = PLI_NAME(svd_dot_columns)(work->B, k, k);
    work->S[3] = PLI_NAME(svd_dot_columns)(work->B, 1, 2);
    work->S[4] = PLI_NAME(svd_dot_columns)(work->B, 0, 2);
    work->S[5] = PLI_NAME(svd_dot_columns)(work->B, 0, 1);
    PLI_NAME(identity)(work->V);
}

// B = F V, whose columns are orthogonal up to the error of forming F^T F.
PLI_INLINE void PLI_NAME(svd_multiply)(PLI_NAME(svd_work) * work)
{
    const PLI_T *V = work->V;
    for (int row = 0; row < 9; row += 3) {
        PLI_T f[3] = {work->B[row], work->B[row + 1], work->B[row + 2]};
        for (int j = 0; j < 3; ++j) {
            work->B[row + j] = f[0] * V[j] + f[1] * V[3 + j] + f[2] * V[6 + j];
        }
    }
}

// Where the mask is set, columns p and q become q and -p, which keeps V a rotation.
PLI_INLINE void PLI_NAME(svd_swap)(PLI_MASK swap, int p, int q, PLI_T A[9])
{
    for (int row = 0; row < 9; row += 3) {
        PLI_T a = A[row + p];
        PLI_T b = A[row + q];
        A[row + p] = PLI_OP(select)(swap, b, a);
        A[row + q] = PLI_OP(select)(swap, -a, b);
    }
}

// Puts the longer of columns p and q first; length2 holds the squared lengths.
PLI_INLINE void PLI_NAME(svd_order)(int p, int q, PLI_T length2[3], PLI_NAME(svd_work) * work)
{
    PLI_T a = length2[p];
    PLI_T b = length2[q];
    PLI_MASK swap = (PLI_MASK)(a < b);
    length2[p] = PLI_OP(max)(b, a);
    length2[q] = PLI_OP(min)(b, a);
    PLI_NAME(svd_swap)(swap, p, q, work->B);
    PLI_NAME(svd_swap)(swap, p, q, work->V);
}

PLI_INLINE void PLI_NAME(svd_sort)(PLI_NAME(svd_work) * work)
{
    PLI_T length2[3];
    for (int k = 0; k < 3; ++k) length2[k] = PLI_NAME(svd_dot_columns)(work->B, k, k);
    PLI_NAME(svd_order)(0, 1, length2, work);
    PLI_NAME(svd_order)(0, 2, length2, work);
    PLI_NAME(svd_order)(1, 2, length2, work);
}

// One rotation on the two shorter columns themselves, whose products F^T F has lost. The first one
// is the longer up to rounding; taking that for certain keeps it first.
PLI_INLINE void PLI_NAME(svd_polish)(PLI_NAME(svd_work) * work)
{
    PLI_T a = PLI_NAME(svd_dot_columns)(work->B, 1, 1);
    PLI_T b = PLI_NAME(svd_dot_columns)(work->B, 2, 2);
    PLI_T d = PLI_NAME(svd_dot_columns)(work->B, 1, 2);
    PLI_T c, s, h;
    PLI_NAME(jacobi_angle)(-PLI_OP(abs)(a - b), d, &c, &s, &h);
    PLI_NAME(jacobi_turn_columns)(c, s, 1, 2, work->B);
    PLI_NAME(jacobi_turn_columns)(c, s, 1, 2, work->V);
}

// u_0 = b_0 / |b_0|, any direction for the zero matrix.
PLI_INLINE void PLI_NAME(svd_first)(PLI_NAME(svd_work) * work)
{
    const PLI_T *B = work->B;
    const PLI_T one = PLI_OP(broadcast)(1);
    PLI_T length = PLI_OP(sqrt)(PLI_NAME(svd_dot_columns)(B, 0, 0));
    PLI_MASK zero = (PLI_MASK)(length == (PLI_E)0);
    PLI_T inverse = (PLI_E)1 / PLI_OP(select)(zero, one, length);
    work->u[0][0] = PLI_OP(select)(zero, one, B[0] * inverse);
    work->u[0][1] = B[3] * inverse;
    work->u[0][2] = B[6] * inverse;
    work->s[0] = length;
}

// u_1 from b_1 by Gram-Schmidt, done twice because b_1 may be little else than rounding; any vector
// across u_0 where nothing is left of it.
PLI_INLINE void PLI_NAME(svd_second)(PLI_NAME(svd_work) * work)
{
    const PLI_T zero = {0};
    const PLI_T *u = work->u[0];
    PLI_T *v = work->u[1];
    for (int k = 0; k < 3; ++k) v[k] = work->B[3 * k + 1];
    for (int pass = 0; pass < 2; ++pass) {
        PLI_T along = PLI_NAME(svd_dot)(u, v);
        for (int k = 0; k < 3; ++k) v[k] -= along * u[k];
    }
    PLI_T negligible = PLI_NEGLIGIBLE * work->s[0];
    PLI_MASK flat = (PLI_MASK)(PLI_NAME(svd_dot)(v, v) <= negligible * negligible);
    PLI_MASK in_plane = (PLI_MASK)(PLI_OP(abs)(u[0]) > PLI_OP(abs)(u[2]));
    PLI_T across[3] = {PLI_OP(select)(in_plane, -u[1], zero), PLI_OP(select)(in_plane, u[0], -u[2]),
                       PLI_OP(select)(in_plane, zero, u[1])};
    for (int k = 0; k < 3; ++k) v[k] = PLI_OP(select)(flat, across[k], v[k]);
    PLI_T length = PLI_OP(sqrt)(PLI_NAME(svd_dot)(v, v));
    PLI_T inverse = (PLI_E)1 / length;
    for (int k = 0; k < 3; ++k) v[k] *= inverse;
    work->s[1] = PLI_OP(select)(flat, zero, PLI_OP(min)(work->s[0], length));
}

// u_2 = u_0 x u_1 and sigma_2 = u_2 . b_2, which may be negative; then undoes the scaling.
PLI_INLINE void PLI_NAME(svd_third)(PLI_NAME(svd_work) * work, PLI_NAME(svd_parts) * parts)
{
    const PLI_T *u = work->u[0];
    const PLI_T *v = work->u[1];
    PLI_T w[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    PLI_T last = w[0] * work->B[2] + w[1] * work->B[5] + w[2] * work->B[8];
    // the second operand wins where one is not a number, so it stays one
    work->s[2] = PLI_OP(max)(-work->s[1], PLI_OP(min)(work->s[1], last));
    for (int k = 0; k < 3; ++k) {
        parts->sigma[k] = work->s[k] * work->back;
        parts->U[3 * k] = u[k];
        parts->U[3 * k + 1] = v[k];
        parts->U[3 * k + 2] = w[k];
    }
    for (int k = 0; k < 9; ++k) parts->V[k] = work->V[k];
}

#define PLI_EACH for (int k = 0; k < count; ++k)

// count (1 or 2) vectors of decompositions, stage by stage in step: the stages are chains of slow
// square roots and divisions, and two chains at once fill each other's gaps.
PLI_INLINE void PLI_NAME(svd_several)(int count, const PLI_T *F, PLI_NAME(svd_parts) * parts)
{
    PLI_NAME(svd_work) work[2];
    PLI_EACH PLI_NAME(svd_begin)(F + 9 * k, &work[k]);
    PLI_NO_UNROLL
    for (int sweep = 0; sweep < PLI_JACOBI_SWEEPS; ++sweep) {
        PLI_EACH PLI_NAME(jacobi_rotate)(0, 1, work[k].S, work[k].V);
        PLI_EACH PLI_NAME(jacobi_rotate)(0, 2, work[k].S, work[k].V);
        PLI_EACH PLI_NAME(jacobi_rotate)(1, 2, work[k].S, work[k].V);
    }
    PLI_EACH PLI_NAME(svd_multiply)(&work[k]);
    PLI_EACH PLI_NAME(svd_sort)(&work[k]);
    PLI_EACH PLI_NAME(svd_polish)(&work[k]);
    PLI_EACH PLI_NAME(svd_first)(&work[k]);
    PLI_EACH PLI_NAME(svd_second)(&work[k]);
    PLI_EACH PLI_NAME(svd_third)(&work[k], &parts[k]);
}

#undef PLI_EACH

PLI_INLINE void PLI_NAME(svd)(const PLI_T F[9], PLI_NAME(svd_parts) * parts)
{
    PLI_NAME(svd_several)(1, F, parts);
}

// Two matrices per lane, nine vectors each.
PLI_INLINE void PLI_NAME(svd_pair)(const PLI_T F[18], PLI_NAME(svd_parts) parts[2])
{
    PLI_NAME(svd_several)(2, F, parts);
}

#undef PLI_T
#undef PLI_E
#undef PLI_MASK
#undef PLI_OP
#undef PLI_NAME
#undef PLI_TINY
#undef PLI_NEGLIGIBLE

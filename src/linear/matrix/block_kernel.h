// SPDX-License-Identifier: Apache-2.0
//
// The inner loop of every block product: a row of 3x3 blocks times a vector, four entries at once.
//
// A block is nine numbers, row-major. They are taken as two groups of four and one single number,
// each multiplied with the fitting entries of x and added to running sums:
//
//     block   a00 a01 a02 a10 | a11 a12 a20 a21 | a22
//     x        x0  x1  x2  x0 |  x1  x2  x0  x1 |  x2
//
// Only when the row is finished are the nine running sums added up to three. No number outside the
// block and outside x[0..2] is touched. Blocks may be stored in single precision; sums are always
// double.
#ifndef PLI_LINEAR_MATRIX_BLOCK_KERNEL_H
#define PLI_LINEAR_MATRIX_BLOCK_KERNEL_H

#include <string.h>

typedef double pli_double2 __attribute__((vector_size(16)));
typedef double pli_double4 __attribute__((vector_size(32)));
typedef float pli_float4 __attribute__((vector_size(16)));

// Nine running sums of one row of blocks.
typedef struct pli_block_sum {
    pli_double4 a; // products with entries 0 to 3
    pli_double4 b; // products with entries 4 to 7
    double c;      // products with entry 8
} pli_block_sum;

// sum += (a, b, c) x with the nine entries given in their three groups. (Vectors go by pointer:
// passing them by value would depend on the instruction set.)
static inline void pli_block_sum_add_groups(pli_block_sum *sum, const pli_double4 *a,
                                            const pli_double4 *b, double c, const double *x)
{
    // two overlapping loads, so that nothing past x[2] is read
    pli_double2 low;
    pli_double2 high;
    memcpy(&low, x, sizeof low);
    memcpy(&high, x + 1, sizeof high);
    sum->a += *a * __builtin_shufflevector(low, high, 0, 1, 3, 0);
    sum->b += *b * __builtin_shufflevector(low, high, 2, 3, 0, 1);
    sum->c += c * x[2];
}

// sum += A x for a block of doubles
static inline void pli_block_sum_add(pli_block_sum *sum, const double *A, const double *x)
{
    pli_double4 a;
    pli_double4 b;
    memcpy(&a, A, sizeof a);
    memcpy(&b, A + 4, sizeof b);
    pli_block_sum_add_groups(sum, &a, &b, A[8], x);
}

// Four floats as doubles. (Entry by entry: GCC makes one instruction of it, and five of
// __builtin_convertvector.)
static inline void pli_block_widen(const float *from, pli_double4 *to)
{
    pli_float4 narrow;
    memcpy(&narrow, from, sizeof narrow);
    *to = (pli_double4){(double)narrow[0], (double)narrow[1], (double)narrow[2], (double)narrow[3]};
}

// sum += A x for a block of floats
static inline void pli_block_sum_add_single(pli_block_sum *sum, const float *A, const double *x)
{
    pli_double4 a;
    pli_double4 b;
    pli_block_widen(A, &a);
    pli_block_widen(A + 4, &b);
    pli_block_sum_add_groups(sum, &a, &b, (double)A[8], x);
}

static inline void pli_block_sum_get(const pli_block_sum *sum, double y[3])
{
    y[0] = (sum->a[0] + sum->a[1]) + sum->a[2];
    y[1] = (sum->a[3] + sum->b[0]) + sum->b[1];
    y[2] = (sum->b[2] + sum->b[3]) + sum->c;
}

#endif

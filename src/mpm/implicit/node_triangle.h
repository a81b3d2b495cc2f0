// SPDX-License-Identifier: Apache-2.0
//
// The parts of a level's matrix before and after the diagonal, in the order of the sweeps, one
// after the other and in single precision: what sweeps read then is less than a third of the bytes
// of a row, all of it in a run.
//
// Rounding. Sweeps and their residual use the same rounded matrix A~, whose diagonal is that of A.
// Their operator S has S^-1 = A~ + L D^-1 U >= A~ whatever A~ is, so that a cycle is symmetric and
// positive as before, as far as A~ is symmetric. Coarse matrices are sums of A itself.
//
// Blocks are kept column by column. A column is read as four numbers, of which the last belongs to
// what follows and is dropped in the end; so each column costs a load, a broadcast of the entry of
// x and a product, and no number is moved between lanes. The last block has room behind it.
//
// Memory is kept from build to build and grows by a quarter more than is needed.
#ifndef PLI_MPM_IMPLICIT_NODE_TRIANGLE_H
#define PLI_MPM_IMPLICIT_NODE_TRIANGLE_H

#include "base/context.h"
#include "linear/matrix/block_kernel.h"

typedef struct pli_node_triangle {
    int64_t *start;  // [node_count + 1]
    int32_t *column; // [block_count]
    float *values;   // [block_count][9]  by columns, and one more number
} pli_node_triangle;

// Room for that many rows and blocks; what was there is lost. Errors: memory.
PLI_CHECKED pli_status pli_node_triangle_reserve(pli_context *context, pli_node_triangle *triangle,
                                                 int64_t rows, int64_t blocks);
void pli_node_triangle_clear(pli_context *context, pli_node_triangle *triangle);
int64_t pli_node_triangle_memory(const pli_node_triangle *triangle);

// sum += column of a block times an entry of x, the last lane means nothing
static inline void pli_node_triangle_add(const float *column, double x, pli_double4 *sum)
{
    pli_double4 wide;
    pli_block_widen(column, &wide);
    *sum += wide * x;
}

// sum += a block times the entries of x that it belongs to
static inline void pli_node_triangle_add_block(const pli_node_triangle *triangle, int64_t block,
                                               const double *x, pli_double4 sums[3])
{
    const double *from = x + 3 * (int64_t)triangle->column[block];
    const float *A = triangle->values + 9 * block;
    for (int c = 0; c < 3; ++c) pli_node_triangle_add(A + 3 * c, from[c], &sums[c]);
}

// y = row of the triangle times x. Whoever takes rows backwards reads them backwards as well: then
// memory is read in one direction all the time, which is twice as fast.
static inline void pli_node_triangle_multiply(const pli_node_triangle *triangle, int64_t row,
                                              bool is_backward, const double *x, double y[3])
{
    pli_double4 sums[3] = {{0}, {0}, {0}};
    int64_t begin = triangle->start[row], end = triangle->start[row + 1];
    if (is_backward) {
        for (int64_t k = end - 1; k >= begin; --k) {
            pli_node_triangle_add_block(triangle, k, x, sums);
        }
    } else {
        for (int64_t k = begin; k < end; ++k) pli_node_triangle_add_block(triangle, k, x, sums);
    }
    pli_double4 sum = sums[0] + sums[1] + sums[2];
    for (int c = 0; c < 3; ++c) y[c] = sum[c];
}

#endif

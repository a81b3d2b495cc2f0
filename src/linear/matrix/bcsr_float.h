// SPDX-License-Identifier: Apache-2.0
//
// Products with a block matrix off its diagonal in single precision throughout, for iterations that
// end after a few steps and are judged by others.
//
// Unlike bcsr_single.h, which rounds the matrix alone, this rounds the vector and the sums as well:
// an error of some 1e-7 of |A| |x| in each entry, about what rounding the matrix costs anyway. In
// return eight products are one instruction, and memory is the limit:
//
//     block   a00 a01 a02 a10 a11 a12 a20 a21 | a22
//     x        x0  x1  x2  x0  x1  x2  x0  x1 |  x2
//
// The diagonal is not part of it but comes with every product, in double precision: what stands
// there may be larger than the rest by many orders, and may change while the rest does not.
//
//     y = D x + (A off its diagonal) x
//
// Extra blocks of the matrix do not count.
//
// The copy borrows the pattern of the matrix; build takes over values, and columns when the pattern
// is new. A product begins with load, which rounds x for all rows.
//
// Threads: one load at a time, and products of its x until the next one; same bits for any number
// of threads.
#ifndef PLI_LINEAR_MATRIX_BCSR_FLOAT_H
#define PLI_LINEAR_MATRIX_BCSR_FLOAT_H

#include "linear/matrix/bcsr.h"

typedef struct pli_bcsr_float {
    pli_context *context;
    const pli_bcsr *matrix; // borrowed; NULL: nothing was built

    // pattern, off the diagonal: row i begins at row_start[i] - i of the matrix
    uint64_t revision; // of the pattern that there is room and columns for
    int32_t *column;   // [block_count - row_count]

    float *values; // [block_count - row_count][9]  row-major
    float *x;      // [row_count][4]  the vector of the present product, and 0
} pli_bcsr_float;

// An empty copy without memory of its own; clear gives back what build took.
void pli_bcsr_float_init(pli_context *context, pli_bcsr_float *copy);
void pli_bcsr_float_clear(pli_bcsr_float *copy);

// Takes over the values of a matrix; allocates for a new pattern only. On failure there is no copy.
// Errors: memory.
PLI_CHECKED pli_status pli_bcsr_float_build(pli_bcsr_float *copy, const pli_bcsr *matrix);

// Rounds x, [row_count][3], for the products that follow.
void pli_bcsr_float_load(const pli_bcsr_float *copy, const double *x);

// Rows begin to end of y = D x + A x with the x that was loaded, by the calling thread.
// D [row_count][9]
void pli_bcsr_float_multiply_rows(const pli_bcsr_float *copy, const double *D, const double *x,
                                  double *y, int64_t begin, int64_t end);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The values of a block matrix in single precision, for products that are good enough to iterate
// with: pli_pcg takes it as its rough operator. A product moves 40 bytes a block instead of 76;
// vectors and sums stay double.
//
// Blocks are stored by columns, so that a product needs neither shuffles nor sums across a vector:
//
//     block   a00 a10 a20 | a01 a11 a21 | a02 a12 a22
//     y      += (a00 a10 a20 .) x0 + (a01 a11 a21 .) x1 + (a02 a12 a22 .) x2
//
// each column is taken as four numbers, the fourth of which belongs to the next one and is never
// looked at.
//
// build takes over the values of pattern and extra blocks; the copy borrows the matrix and is valid
// until that changes. Values beyond the range of a float become infinite, which pli_pcg notices.
#ifndef PLI_LINEAR_MATRIX_BCSR_SINGLE_H
#define PLI_LINEAR_MATRIX_BCSR_SINGLE_H

#include "linear/matrix/operator.h"

typedef struct pli_bcsr_single {
    pli_context *context;
    const pli_bcsr *matrix; // borrowed; NULL: nothing was built
    int64_t capacity;       // blocks of the pattern there is room for
    int64_t extra_capacity; // extra blocks there is room for
    float *values;          // [block_count][9] and one more  blocks by columns
    float *extra;           // [extra.count][9] and one more
} pli_bcsr_single;

// An empty copy without memory of its own; clear gives back what build took.
void pli_bcsr_single_init(pli_context *context, pli_bcsr_single *single);
void pli_bcsr_single_clear(pli_bcsr_single *single);

// Takes over the values of a closed matrix; allocates only when it is larger than any before. On
// failure there is no copy. Errors: memory.
PLI_CHECKED pli_status pli_bcsr_single_build(pli_bcsr_single *single, const pli_bcsr *matrix);

// The product as an operator. Lifetime: until the next build.
pli_operator pli_bcsr_single_operator(const pli_bcsr_single *single);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What bcsr.c and the solvers need of the extra blocks of a matrix; see bcsr.h for what they are.
//
// Blocks live in one array. While open they stand in the order of adding, and a hash table over
// (row, column) finds them; closing sorts them by row and column with a radix sort and cuts them
// into rows, where a binary search finds them. The table is refilled only when a block is added
// one by one after closing. The sort uses scratch that was reserved, so only reserve allocates.
#ifndef PLI_LINEAR_MATRIX_BCSR_EXTRA_H
#define PLI_LINEAR_MATRIX_BCSR_EXTRA_H

#include "linear/matrix/bcsr.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

// No extra blocks any more; the room stays.
void pli_bcsr_extra_forget(pli_bcsr *matrix);

// Gives the room back.
void pli_bcsr_extra_clear(pli_bcsr *matrix);

// The revision of the first k + 1 places from that of the first k; PLI_HASH_START is that of none.
static inline uint64_t pli_bcsr_extra_hash(uint64_t revision, int32_t row, int32_t column)
{
    int32_t place[2] = {row, column};
    return pli_hash_bytes(revision, place, sizeof place);
}

// Gives a matrix without extra blocks sorted ones with the given places, row by row, closed; their
// blocks, row and column included, are for the caller to write. There must be room.
//     rows       [row_count]      increasing, none without blocks
//     row_start  [row_count + 1]  first block of a row
//     revision                    pli_bcsr_extra_hash of all places in order
void pli_bcsr_extra_set_rows(pli_bcsr *matrix, int32_t row_count, const int32_t *rows,
                             const int32_t *row_start, uint64_t revision);

// Appends a zero block at a place that is known to have none and leaves the matrix open. There must
// be room.
void pli_bcsr_extra_append(pli_bcsr *matrix, int32_t row, int32_t column);

// The extra block at (row, column) of a closed matrix, or NULL.
pli_extra_block *pli_bcsr_extra_find(const pli_bcsr *matrix, int32_t row, int32_t column);

// First extra block whose row is `row` or larger, of a closed matrix; the count when there is none.
int64_t pli_bcsr_extra_begin(const pli_bcsr *matrix, int64_t row);

// First of the rows with extra blocks that is `row` or larger, as an index of these rows, of a
// closed matrix; their count when there is none.
int32_t pli_bcsr_extra_first_row(const pli_bcsr *matrix, int64_t row);

// y += scale E x with the extra blocks E.
void pli_bcsr_extra_multiply_add(const pli_bcsr *matrix, double scale, const double *x, double *y);

// Rows begin to end of y += E x, by the calling thread.
void pli_bcsr_extra_multiply_add_rows(const pli_bcsr *matrix, const double *x, double *y,
                                      int64_t begin, int64_t end);

// Zeroes rows and columns of fixed unknowns; closes the matrix.
void pli_bcsr_extra_fix_dofs(pli_bcsr *matrix, const uint8_t *mask);

int64_t pli_bcsr_extra_memory_bytes(const pli_bcsr *matrix);

// Zeroes the rows of a block whose bit of mask is set.
static inline void pli_block_zero_rows(uint8_t mask, double block[9])
{
    for (int i = 0; i < 3; ++i) {
        if ((mask >> i & 1) != 0) memset(block + 3 * i, 0, 3 * sizeof(double));
    }
}

static inline void pli_block_zero_columns(uint8_t mask, double block[9])
{
    for (int k = 0; k < 9; ++k) {
        if ((mask >> k % 3 & 1) != 0) block[k] = 0;
    }
}

#endif

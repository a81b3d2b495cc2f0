// SPDX-License-Identifier: Apache-2.0
//
// Block matrices with the same number of slots in every row: for grids, where a node couples
// to a fixed neighbourhood.
//
// A slot stands for a place in the neighbourhood, such as one of the 5^3 offsets of quadratic
// splines, so an assembler computes it instead of searching, and nothing has to be counted or
// sorted when the set of active nodes changes. Slots without a neighbour have column -1 and are
// skipped; their values are never read. `center` is the slot of the diagonal block.
//
// Products read values and columns in order, like those of bcsr.h.
//
// Halves. Of a symmetric matrix whose slots mirror each other (slot s of row i is the neighbour j
// in whose row i has slot 2 center - s) it is enough to store slots from the diagonal on, for half
// of the memory. Rows and products of a half take longer: whoever needs many of them stores all.
#ifndef PLI_LINEAR_MATRIX_ELL_H
#define PLI_LINEAR_MATRIX_ELL_H

#include "linear/matrix/operator.h"

typedef struct pli_ell {
    pli_context *context;
    int32_t row_count;
    int32_t width;   // slots per row
    int32_t center;  // slot of the diagonal block
    int32_t first;   // slot that is stored; 0: all are. Before the center only for assemblers' sake
    int32_t *column; // [row_count][width]             column of a slot, or -1
    double *values;  // [row_count][width - first][9]  blocks, row-major
} pli_ell;

// The block of a slot that is stored.
static inline double *pli_ell_block(const pli_ell *matrix, int64_t row, int64_t slot)
{
    return matrix->values + 9 * (row * (matrix->width - matrix->first) + slot - matrix->first);
}

// An empty matrix: all columns -1, all values 0. Errors: argument, memory.
PLI_CHECKED pli_status pli_ell_create(pli_context *context, int32_t row_count, int32_t width,
                                      int32_t center, pli_ell **matrix);
// A half, with the diagonal in the middle of the slots. Blocks of `margin` slots before the
// diagonal are there to be added to, and never read. Errors: argument, memory.
PLI_CHECKED pli_status pli_ell_create_half(pli_context *context, int32_t row_count, int32_t width,
                                           int32_t margin, pli_ell **matrix);
void pli_ell_destroy(pli_ell *matrix);

// Empties the matrix and gives it another number of rows; allocates only when it grows beyond what
// it ever had, and then, unless it was empty, a quarter more than that. What it had is given back
// first, so that there are never two of it; on failure it has no rows.
PLI_CHECKED pli_status pli_ell_resize(pli_ell *matrix, int32_t row_count);

// Sets the values to zero and keeps the columns.
void pli_ell_set_zero(pli_ell *matrix);

// Writes the blocks before the diagonal of a matrix whose slots mirror each other: those of the
// other half, transposed. Nothing for halves.
void pli_ell_mirror(pli_ell *matrix);

// Blocks of a row, [width][9], of halves as well; zeros where there is no column.
void pli_ell_get_row(const pli_ell *matrix, int64_t row, double *blocks);

// y = A x; x and y must not overlap.
void pli_ell_multiply(const pli_ell *matrix, const double *x, double *y);

// The same for rows [begin, end).
void pli_ell_multiply_rows(const pli_ell *matrix, const double *x, double *y, int64_t begin,
                           int64_t end);

// Copies the diagonal blocks to blocks, [row_count][9].
void pli_ell_get_diagonal_blocks(const pli_ell *matrix, double *blocks);

// Blocks T_i A_ij T_j, with T of the rows that have a place [row_count] among tangents [places][9]
// (-1: T = 1), and s (1 - T) more on the diagonal, s the mean of what is there, so that A stays
// regular.
void pli_ell_restrict(pli_ell *matrix, const int32_t *place, const double *tangents);

int64_t pli_ell_memory_bytes(const pli_ell *matrix);

pli_operator pli_ell_operator(const pli_ell *matrix);

#endif

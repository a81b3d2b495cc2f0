// SPDX-License-Identifier: Apache-2.0
//
// Scalar matrices lifted to three coordinates: A = S (x) I + blockdiag(D_i).
//
// The matrix of projective dynamics, M/h^2 + L, acts on the x, y and z of all vertices alike
// (Bouaziz et al. 2014, equation 10), so that one number per coupling is enough: a ninth of what
// 3x3 blocks take, and a product streams it once for all three coordinates. What distinguishes
// directions (contact with a plane, k n n^T) stands on the diagonal only and at few vertices; it is
// kept as a list of 3x3 blocks beside S, replaced as a whole in every iteration.
//
//     row i:  row_start[i] <= slot < row_start[i + 1]
//             column[slot]   vertex j, increasing; the diagonal is always there
//             values[slot]   s_ij
//
// Vertices that are held are taken out: couplings with them are zero in `values`, while `pristine`
// keeps what was assembled. A right-hand side that is zero there has a solution that is zero there.
//
// The pattern is structurally symmetric. Threads: const calls may run at the same time.
#ifndef PLI_LINEAR_MULTIGRID_LIFTED_H
#define PLI_LINEAR_MULTIGRID_LIFTED_H

#include "linear/matrix/coloring.h"
#include "linear/matrix/operator.h"

typedef struct pli_lifted {
    pli_context *context;
    uint64_t revision; // hash of the pattern
    int32_t row_count;
    int64_t entry_count;
    int64_t *row_start; // [row_count + 1]
    int64_t *diagonal;  // [row_count]  slot of s_ii
    int32_t *column;    // [entry_count]
    double *pristine;   // [entry_count]  as assembled
    double *values;     // [entry_count]  without the couplings of held vertices

    uint8_t *held; // [row_count]  1: the vertex is held

    // blocks on the diagonal
    int32_t block_count;
    int32_t block_capacity;
    int32_t *block_row; // [block_capacity]  increasing
    double *blocks;     // [block_capacity][9]  symmetric, positive semi-definite
} pli_lifted;

// A matrix of zeros whose pattern couples the vertices of every element of every list. Errors:
// argument (a vertex outside the rows), memory.
PLI_CHECKED pli_status pli_lifted_create(pli_context *context, int32_t row_count,
                                         int32_t list_count, const pli_clique_list *lists,
                                         pli_lifted **matrix);
void pli_lifted_destroy(pli_lifted *matrix);

// Slot of (row, column), or -1.
int64_t pli_lifted_find(const pli_lifted *matrix, int32_t row, int32_t column);

// ---- assembly: set_zero, any number of adds, close

void pli_lifted_set_zero(pli_lifted *matrix);

// s_row,column += value, one of the two mirror entries. The place must be in the pattern.
static inline void pli_lifted_add(pli_lifted *matrix, int64_t slot, double value)
{
    matrix->pristine[slot] += value;
}

// Takes out the vertices with mask[row] == 7 (bits 1, 2, 4: x, y, z is held; NULL: none) and makes
// values from what was assembled.
void pli_lifted_close(pli_lifted *matrix, const uint8_t *mask);

// Replaces the blocks on the diagonal: rows [count] increasing, blocks [count][9]. Allocates only
// when there are more than ever before. Errors: memory.
PLI_CHECKED pli_status pli_lifted_set_blocks(pli_lifted *matrix, int32_t count, const int32_t *rows,
                                             const double *blocks);

// The first block on the diagonal at or behind a row; block_count when there is none.
int32_t pli_lifted_first_block(const pli_lifted *matrix, int64_t row);

// Whether all blocks on the diagonal are multiples of the identity, as those of attachments are: A
// then acts on x, y and z alike.
bool pli_lifted_is_isotropic(const pli_lifted *matrix);

// ---- use

// y = A x; x and y are [row_count][3] and must not overlap.
void pli_lifted_multiply(const pli_lifted *matrix, const double *x, double *y);

// r = b - A x; r may be b.
void pli_lifted_residual(const pli_lifted *matrix, const double *b, const double *x, double *r);

pli_operator pli_lifted_operator(const pli_lifted *matrix);

// The rows and their couplings.
static inline pli_graph pli_lifted_graph(const pli_lifted *matrix)
{
    pli_graph graph = {matrix->row_count, matrix->row_start, matrix->column};
    return graph;
}

#endif

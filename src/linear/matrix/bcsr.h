// SPDX-License-Identifier: Apache-2.0
//
// Sparse symmetric matrices of 3x3 blocks in compressed rows: one row of blocks per vertex.
//
// The pattern is made once, from the element stencils ("cliques": every two vertices of an element
// are coupled), and is refilled as often as needed. It is always structurally symmetric, holds
// every diagonal block, and has its columns in increasing order. An assembler asks once for the
// slots of its elements and then adds element blocks by position, without searching; with the chunk
// colouring of coloring.h it does so in parallel without atomics and with the same bits for any
// number of threads.
//
//     row i:  row_start[i] <= slot < row_start[i + 1]
//             column[slot]         vertex j
//             values[9 slot ...]   block A_ij, row-major, so that (A x)_i = sum of A_ij x_j
//
// Values are meant to be symmetric too, A_ji = A_ij^T; nothing here enforces it, symmetry_error
// measures it. Both triangles are stored: a product then reads the matrix once, in order, and
// writes each entry of the result once, which is what a memory-bound kernel wants.
//
// Extra blocks. Contact couples vertices that no element couples, and others in every iteration; a
// new pattern for each would cost more than the assembly. So a matrix has room for off-diagonal
// blocks beside its pattern:
//
//     reserve_extra   room, the only call that allocates
//     add_block       to the pattern where it has the place, else to an extra block; adding both
//                     (i, j) and (j, i) is up to the caller
//     close_extra     once after the last add: sorts them by rows
//     set_zero        forgets them all
//
// Then A means pattern plus extra blocks in every call that follows. After close their places are
// in an order that does not depend on that of adding, and products run over them in parallel, with
// the same bits for any number of threads; a matrix without extra blocks pays nothing. (A place
// that three or more blocks were added to holds their sum in the order of adding.) Code that reads
// row_start, column and values itself sees the pattern only.
//
// A pattern has a revision, a hash of its content: equal patterns have equal revisions, different
// ones different. Objects made from a pattern (slots, preconditioners, factorisations) remember it
// and refuse a matrix that has moved on; a pattern that was rebuilt and came out the same keeps
// them valid. The places of the extra blocks have a revision of their own.
//
// Threads: products and other const calls may run at the same time; calls that write need the
// matrix for themselves.
#ifndef PLI_LINEAR_MATRIX_BCSR_H
#define PLI_LINEAR_MATRIX_BCSR_H

#include "base/context.h"

// A block beside the pattern, never on the diagonal.
typedef struct pli_extra_block {
    int32_t row;
    int32_t column;
    double values[9]; // row-major
} pli_extra_block;

// All of them, and where to find them.
typedef struct pli_bcsr_extra {
    int64_t capacity;        // blocks there is room for
    int64_t count;           // blocks in use
    bool open;               // some were added since the last close
    pli_extra_block *blocks; // [capacity]  by row and column once closed

    // compressed rows, written by close
    uint64_t revision;  // hash of the places; 0: there are none
    int32_t row_count;  // rows with extra blocks
    int32_t *rows;      // [capacity]      these rows, increasing
    int32_t *row_start; // [capacity + 1]  first block of a row
    int32_t *order;     // [2][capacity]   scratch of the sort

    // hash table of the places, open addressing
    bool table_is_current; // it has all blocks, at their present numbers
    int32_t table_bits;    // the table has 2^table_bits entries, at least twice the capacity
    int32_t *table;        // 1 + block, or 0: free
} pli_bcsr_extra;

typedef struct pli_bcsr {
    pli_context *context;

    // the pattern, replaced by pli_bcsr_build only
    uint64_t revision;   // hash of the pattern
    int32_t row_count;   // rows of blocks; unknowns are three times as many
    int64_t block_count; // stored blocks
    int64_t *row_start;  // [row_count + 1]  first slot of a row
    int64_t *diagonal;   // [row_count]      slot of the diagonal block of a row
    int32_t *column;     // [block_count]    column of a slot, increasing in a row

    // refilled by assemblers
    double *values; // [block_count][9]  blocks, row-major
    pli_bcsr_extra extra;
} pli_bcsr;

// Elements of one kind, each coupling all of its vertices: edges, triangles, tetrahedra, stencils.
typedef struct pli_clique_list {
    int32_t size;            // vertices per element
    int64_t count;           // elements
    const int32_t *vertices; // [count][size]
} pli_clique_list;

// Errors: argument when a vertex lies outside [0, vertex_count) or there are 2^31 corners or more.
PLI_CHECKED pli_status pli_clique_list_check(pli_context *context, int32_t vertex_count,
                                             const pli_clique_list *list);

// Makes a matrix of zeros whose pattern couples the vertices of every element of every list.
// Errors: argument (a vertex outside the rows), memory.
PLI_CHECKED pli_status pli_bcsr_create(pli_context *context, int32_t row_count, int32_t list_count,
                                       const pli_clique_list *lists, pli_bcsr **matrix);

// The same from a finished pattern, which is copied. Errors: argument (columns not increasing,
// out of range, unsymmetric, or a diagonal missing), memory.
PLI_CHECKED pli_status pli_bcsr_create_from_rows(pli_context *context, int32_t row_count,
                                                 const int64_t *row_start, const int32_t *column,
                                                 pli_bcsr **matrix);

void pli_bcsr_destroy(pli_bcsr *matrix);

// Replaces the pattern by that of other lists, sets all blocks to zero and forgets extra ones. On
// failure the matrix is unchanged.
PLI_CHECKED pli_status pli_bcsr_build(pli_bcsr *matrix, int32_t row_count, int32_t list_count,
                                      const pli_clique_list *lists);

// Slots of the blocks of every element: slots[element][a * size + b] is where the block of vertices
// a and b goes. Lifetime: the caller gives the array back with pli_release; valid for the current
// revision. Errors: argument (an element is not in the pattern), unsupported (2^31 blocks or more),
// memory.
PLI_CHECKED pli_status pli_bcsr_slots(pli_context *context, const pli_bcsr *matrix,
                                      const pli_clique_list *list, int32_t **slots);

// Slot of block (row, column) in the pattern, or -1.
int64_t pli_bcsr_find(const pli_bcsr *matrix, int32_t row, int32_t column);

// Sets all blocks to zero and forgets extra ones; their room stays.
void pli_bcsr_set_zero(pli_bcsr *matrix);

// Makes room for at least `count` extra blocks; it grows by half at least and never shrinks. On
// failure the matrix is unchanged. Errors: unsupported (more than 2^30), memory.
PLI_CHECKED pli_status pli_bcsr_reserve_extra(pli_bcsr *matrix, int64_t count);

// A_row,column += block, beside the pattern where that has no such place. False when there is no
// room left for a new extra block; nothing is added then.
PLI_CHECKED bool pli_bcsr_add_block(pli_bcsr *matrix, int32_t row, int32_t column,
                                    const double block[9]);

// Ends the adding of blocks; free when nothing was added to an extra block. Adding more later is
// legal and asks for another close. Restricting and fixing close by themselves.
void pli_bcsr_close_extra(pli_bcsr *matrix);

// A_ii += block
static inline void pli_bcsr_add_diagonal_block(pli_bcsr *matrix, int32_t row, const double block[9])
{
    double *target = matrix->values + 9 * matrix->diagonal[row];
    for (int k = 0; k < 9; ++k) target[k] += block[k];
}

// A_ii += weight_i I; weight has one entry per row.
void pli_bcsr_add_to_diagonal(pli_bcsr *matrix, const double *weight);

// y = A x; x and y are [row_count][3] and must not overlap.
void pli_bcsr_multiply(const pli_bcsr *matrix, const double *x, double *y);

// Rows begin to end of y = A x by the calling thread, extra blocks included.
void pli_bcsr_multiply_rows(const pli_bcsr *matrix, const double *x, double *y, int64_t begin,
                            int64_t end);

// Rows begin to end of y += A x by the calling thread, extra blocks included.
void pli_bcsr_multiply_add_rows(const pli_bcsr *matrix, const double *x, double *y, int64_t begin,
                                int64_t end);

// r = b - A x; r may be b.
void pli_bcsr_residual(const pli_bcsr *matrix, const double *b, const double *x, double *r);

// Copies the diagonal blocks to blocks, [row_count][9].
void pli_bcsr_get_diagonal_blocks(const pli_bcsr *matrix, double *blocks);

// Takes fixed unknowns out of the system: zeroes their rows and columns and puts `diagonal` on
// their diagonal entries, so that the matrix stays symmetric and the solution there is
// b / diagonal. Bits 1, 2, 4 of mask[row] fix x, y, z. Only the fixed rows and their mirror
// entries are touched.
void pli_bcsr_fix_dofs(pli_bcsr *matrix, const uint8_t *mask, double diagonal);

// Restricts the system to the admissible directions of some rows. With T_i the orthogonal projector
// of row i, the identity for rows that are not listed,
//
//     A_ii += additions_i,   A_ij <- T_i A_ij T_j,   A_ii += diagonal (I - T_i)
//
// so that A stays symmetric and a right-hand side T b has its solution in the admissible space.
// diagonal <= 0: each row uses the mean diagonal entry that A_ii had before the call (1 when that
// is not positive), so that the directions taken out lie inside the spectrum of what remains.
// Unknowns that are also held fixed (pli_bcsr_fix_dofs, afterwards) should be outside the T of
// their row: fixing coordinates cuts T, and the rest need not be admissible. The work is
// that of the listed rows and the mirrors of their blocks; other rows are not even read.
//     rows       [count]     increasing
//     tangents   [count][9]  T_i
//     additions  [count][9]  symmetric; NULL: zero
void pli_bcsr_restrict(pli_bcsr *matrix, int32_t count, const int32_t *rows, const double *tangents,
                       const double *additions, double diagonal);

// Bytes held by pattern, values and the room for extra blocks.
int64_t pli_bcsr_memory_bytes(const pli_bcsr *matrix);

#endif

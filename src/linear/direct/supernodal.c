// SPDX-License-Identifier: Apache-2.0
#include "linear/direct/supernodal.h"

#ifdef PLI_HAS_CHOLMOD

#include "math/simd.h"

#include <stdint.h>

enum { TILE = 8 }; // rows below the diagonal that are taken at once: a cache line of a column

// A supernode: columns with the same rows, stored as a dense lower trapezoid.
typedef struct supernode {
    const double *L;              // [column_count][row_count]  column by column
    const SuiteSparse_long *rows; // [row_count]  the first column_count are the columns themselves
    int64_t first;                // column
    int64_t column_count;
    int64_t row_count;
} supernode;

static supernode get_supernode(const cholmod_factor *L, int64_t k)
{
    const SuiteSparse_long *first = L->super;
    const SuiteSparse_long *row_start = L->pi;
    const SuiteSparse_long *start = L->px;
    return (supernode){.L = (const double *)L->x + start[k],
                       .rows = (const SuiteSparse_long *)L->s + row_start[k],
                       .first = first[k],
                       .column_count = first[k + 1] - first[k],
                       .row_count = row_start[k + 1] - row_start[k]};
}

// Rows below the diagonal, from `row` on: X_row -= sum over columns of L x
PLI_INLINE void subtract_products(const supernode *node, int64_t row, int64_t count, double *X)
{
    const double *x = X + 4 * node->first;
    pli_d4 sum[TILE];
    for (int64_t r = 0; r < count; ++r) sum[r] = pli_d4_load(X + 4 * node->rows[row + r]);
    for (int64_t j = 0; j < node->column_count; ++j) {
        const double *column = node->L + j * node->row_count + row;
        pli_d4 xj = pli_d4_load(x + 4 * j);
        for (int64_t r = 0; r < count; ++r) sum[r] -= column[r] * xj;
    }
    for (int64_t r = 0; r < count; ++r) pli_d4_store(sum[r], X + 4 * node->rows[row + r]);
}

// The columns themselves: x <- L11^-1 x
static void solve_triangle(const supernode *node, double *x)
{
    for (int64_t j = 0; j < node->column_count; ++j) {
        const double *column = node->L + j * node->row_count;
        pli_d4 xj = pli_d4_load(x + 4 * j) / column[j];
        pli_d4_store(xj, x + 4 * j);
        for (int64_t r = j + 1; r < node->column_count; ++r) {
            pli_d4_store(pli_d4_load(x + 4 * r) - column[r] * xj, x + 4 * r);
        }
    }
}

static void solve_forward(const supernode *node, double *X)
{
    solve_triangle(node, X + 4 * node->first);
    int64_t row = node->column_count;
    for (; row + TILE <= node->row_count; row += TILE) subtract_products(node, row, TILE, X);
    subtract_products(node, row, node->row_count - row, X);
}

// Columns of a supernode: x_j -= sum over some rows below the diagonal of L X
PLI_INLINE void subtract_transposed(const supernode *node, int64_t row, int64_t count, double *X)
{
    double *x = X + 4 * node->first;
    pli_d4 below[TILE];
    for (int64_t r = 0; r < count; ++r) below[r] = pli_d4_load(X + 4 * node->rows[row + r]);
    for (int64_t j = 0; j < node->column_count; ++j) {
        const double *column = node->L + j * node->row_count + row;
        pli_d4 even = pli_d4_load(x + 4 * j);
        pli_d4 odd = pli_d4_broadcast(0);
        for (int64_t r = 0; r + 1 < count; r += 2) {
            even -= column[r] * below[r];
            odd -= column[r + 1] * below[r + 1];
        }
        if (count % 2 == 1) even -= column[count - 1] * below[count - 1];
        pli_d4_store(even + odd, x + 4 * j);
    }
}

// x <- L11^-T x
static void solve_transposed_triangle(const supernode *node, double *x)
{
    for (int64_t j = node->column_count - 1; j >= 0; --j) {
        const double *column = node->L + j * node->row_count;
        pli_d4 xj = pli_d4_load(x + 4 * j);
        for (int64_t r = j + 1; r < node->column_count; ++r) {
            xj -= column[r] * pli_d4_load(x + 4 * r);
        }
        pli_d4_store(xj / column[j], x + 4 * j);
    }
}

static void solve_backward(const supernode *node, double *X)
{
    int64_t row = node->column_count;
    for (; row + TILE <= node->row_count; row += TILE) subtract_transposed(node, row, TILE, X);
    subtract_transposed(node, row, node->row_count - row, X);
    solve_transposed_triangle(node, X + 4 * node->first);
}

void pli_supernodal_solve(const cholmod_factor *L, double *X)
{
    int64_t count = (int64_t)L->nsuper;
    for (int64_t k = 0; k < count; ++k) {
        supernode node = get_supernode(L, k);
        solve_forward(&node, X);
    }
    for (int64_t k = count - 1; k >= 0; --k) {
        supernode node = get_supernode(L, k);
        solve_backward(&node, X);
    }
}

#else

// keeps the file from being empty where there is no CHOLMOD
typedef int pli_supernodal_unused;

#endif

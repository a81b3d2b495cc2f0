// SPDX-License-Identifier: Apache-2.0
#include "multilevel/galerkin_sum.h"

#include "math/mat3.h"

#include <string.h>

// ---- handles around a vertex

// Keeps the smallest handles, in order; false when one had no place.
static bool insert_handle(pli_galerkin_row *row, int32_t handle)
{
    int32_t at = row->count;
    while (at > 0 && row->handles[at - 1] > handle) --at;
    if (at > 0 && row->handles[at - 1] == handle) return true;
    bool full = row->count == PLI_GALERKIN_ROW_HANDLES;
    if (full && at == row->count) return false;
    int32_t end = full ? row->count - 1 : row->count;
    memmove(row->handles + at + 1, row->handles + at, (size_t)(end - at) * sizeof *row->handles);
    row->handles[at] = handle;
    row->count = end + 1;
    return !full;
}

// The handles from `lowest` on that move vertices of the row of a.
static bool list_handles(const pli_bases *bases, const pli_bcsr *matrix, int32_t a, int32_t lowest,
                         pli_galerkin_row *row)
{
    bool complete = true;
    for (int64_t slot = matrix->row_start[a]; slot < matrix->row_start[a + 1]; ++slot) {
        int32_t b = matrix->column[slot];
        for (int64_t at = bases->start[b]; at < bases->start[b + 1]; ++at) {
            if (bases->handle[at] < lowest) continue;
            complete = insert_handle(row, bases->handle[at]) && complete;
        }
    }
    return complete;
}

// ---- sums

static int32_t find_handle(const pli_galerkin_row *row, int32_t handle)
{
    for (int32_t k = 0; k < row->count && row->handles[k] <= handle; ++k) {
        if (row->handles[k] == handle) return k;
    }
    return -1;
}

// T_j += H_ab (x) s_j(b) for all handles j of b
static void add_block(const pli_space *space, int32_t b, const double H[9], pli_galerkin_row *row)
{
    const pli_bases *bases = space->bases;
    for (int64_t at = bases->start[b]; at < bases->start[b + 1]; ++at) {
        int32_t k = find_handle(row, bases->handle[at]);
        if (k < 0) continue;
        double s[PLI_HANDLE_ROWS];
        pli_space_place(space, b, bases->handle[at], bases->weight[at], s);
        for (int l = 0; l < PLI_HANDLE_ROWS; ++l) {
            for (int e = 0; e < 9; ++e) row->T[k][9 * l + e] += s[l] * H[e];
        }
    }
}

void pli_galerkin_free_diagonal(const pli_space *space, const pli_bcsr *O, int32_t vertex,
                                double block[9])
{
    pli_mat3_copy(O->values + 9 * O->diagonal[vertex], block);
    uint8_t mask = space->fixed != NULL ? space->fixed[vertex] : 0;
    for (int e = 0; e < 9 && mask != 0; ++e) {
        if (mask & (1u << (e / 3)) || mask & (1u << (e % 3))) block[e] = 0;
    }
}

bool pli_galerkin_row_sum(const pli_space *space, const pli_galerkin_matrices *H, int32_t a,
                          int32_t from, bool first, pli_galerkin_row *row)
{
    const pli_bcsr *S = H->S;
    const pli_bcsr *O = H->O;
    int32_t lowest = first ? from : row->last + 1;
    row->count = 0;
    bool complete = list_handles(space->bases, S, a, lowest, row);
    complete = list_handles(space->bases, O, a, lowest, row) && complete;
    row->last = row->count > 0 ? row->handles[row->count - 1] : lowest;
    memset(row->T, 0, (size_t)row->count * sizeof row->T[0]);

    for (int64_t slot = S->row_start[a]; slot < S->row_start[a + 1]; ++slot) {
        add_block(space, S->column[slot], S->values + 9 * slot, row);
    }
    for (int64_t slot = O->row_start[a]; slot < O->row_start[a + 1]; ++slot) {
        double block[9];
        bool diagonal = slot == O->diagonal[a];
        if (diagonal) pli_galerkin_free_diagonal(space, O, a, block);
        add_block(space, O->column[slot], diagonal ? block : O->values + 9 * slot, row);
    }
    return !complete;
}

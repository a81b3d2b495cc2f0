// SPDX-License-Identifier: Apache-2.0
#include "multilevel/galerkin.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/dense.h"

#include <string.h>

enum { BLOCK = PLI_HANDLE_DOFS * PLI_HANDLE_DOFS, HANDLE_GRAIN = 4 };

// of the mean diagonal entry, on the diagonal
static const double regularity = 1e-9;

pli_status pli_handle_blocks_create(pli_context *context, const pli_space *space,
                                    pli_handle_blocks **blocks)
{
    *blocks = NULL;
    pli_handle_blocks *made = PLI_NEW(context, pli_handle_blocks, 1, "handle blocks");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = (pli_handle_blocks){.context = context, .space = space};
    made->partial = PLI_NEW(context, double, BLOCK *(int64_t)space->piece_count, "handle blocks");
    made->factors =
        PLI_NEW(context, double, BLOCK *(int64_t)space->bases->handle_count, "handle blocks");
    if (made->partial == NULL || made->factors == NULL) {
        pli_handle_blocks_destroy(made);
        return PLI_ERROR_MEMORY;
    }
    *blocks = made;
    return PLI_OK;
}

void pli_handle_blocks_destroy(pli_handle_blocks *blocks)
{
    if (blocks == NULL) return;
    PLI_RELEASE(blocks->context, blocks->factors, blocks->partial, blocks);
}

// ---- sums

typedef struct block_job {
    pli_handle_blocks *blocks;
    const pli_galerkin_matrices *H;
} block_job;

// Weight of a handle at a vertex; 0: none.
static double find_weight(const pli_bases *bases, int32_t vertex, int32_t handle)
{
    for (int64_t at = bases->start[vertex]; at < bases->start[vertex + 1]; ++at) {
        if (bases->handle[at] == handle) return bases->weight[at];
    }
    return 0;
}

// T += H_ab (x) s(b), T [4][9]
static void add_column(const pli_space *space, int32_t handle, int32_t b, const double H[9],
                       double *T)
{
    double weight = find_weight(space->bases, b, handle);
    if (weight == 0) return;
    double s[PLI_HANDLE_ROWS];
    pli_space_place(space, b, handle, weight, s);
    for (int l = 0; l < PLI_HANDLE_ROWS; ++l) {
        for (int e = 0; e < 9; ++e) T[9 * l + e] += s[l] * H[e];
    }
}

static void sum_row(const pli_space *space, const pli_galerkin_matrices *H, int32_t handle,
                    int32_t a, double T[PLI_HANDLE_ROWS * 9])
{
    memset(T, 0, PLI_HANDLE_ROWS * 9 * sizeof *T);
    const pli_bcsr *S = H->S;
    for (int64_t slot = S->row_start[a]; slot < S->row_start[a + 1]; ++slot) {
        add_column(space, handle, S->column[slot], S->values + 9 * slot, T);
    }
    const pli_bcsr *O = H->O;
    for (int64_t slot = O->row_start[a]; slot < O->row_start[a + 1]; ++slot) {
        double block[9];
        bool diagonal = slot == O->diagonal[a];
        if (diagonal) pli_space_free_block(space, a, O->values + 9 * slot, block);
        add_column(space, handle, O->column[slot], diagonal ? block : O->values + 9 * slot, T);
    }
}

// block += s (x) T, as a plain matrix of the handle's unknowns
static void add_outer(const double s[PLI_HANDLE_ROWS], const double *T, double *block)
{
    for (int row = 0; row < PLI_HANDLE_DOFS; ++row) {
        double factor = s[row / 3];
        for (int column = 0; column < PLI_HANDLE_DOFS; ++column) {
            block[PLI_HANDLE_DOFS * row + column] +=
                factor * T[9 * (column / 3) + 3 * (row % 3) + column % 3];
        }
    }
}

static void sum_pieces(void *user, int64_t begin, int64_t end)
{
    const block_job *job = user;
    const pli_space *space = job->blocks->space;
    for (int64_t k = begin; k < end; ++k) {
        pli_space_piece piece = space->pieces[k];
        double *block = job->blocks->partial + BLOCK * k;
        memset(block, 0, BLOCK * sizeof *block);
        for (int64_t at = piece.begin; at < piece.end; ++at) {
            double T[PLI_HANDLE_ROWS * 9], s[PLI_HANDLE_ROWS];
            sum_row(space, job->H, piece.handle, space->vertex[at], T);
            pli_space_place(space, space->vertex[at], piece.handle, space->weight[at], s);
            add_outer(s, T, block);
        }
    }
}

// Contacts of a handle with itself: both vertices follow it.
static void add_extra_block(const pli_space *space, const pli_extra_block *extra, double *blocks)
{
    const pli_bases *bases = space->bases;
    for (int64_t at = bases->start[extra->row]; at < bases->start[extra->row + 1]; ++at) {
        int32_t handle = bases->handle[at];
        double T[PLI_HANDLE_ROWS * 9] = {0}, s[PLI_HANDLE_ROWS];
        add_column(space, handle, extra->column, extra->values, T);
        pli_space_place(space, extra->row, handle, bases->weight[at], s);
        add_outer(s, T, blocks + BLOCK * (int64_t)handle);
    }
}

// ---- factors

static void factor_blocks(void *user, int64_t begin, int64_t end)
{
    const block_job *job = user;
    for (int64_t i = begin; i < end; ++i) {
        double *block = job->blocks->factors + BLOCK * i;
        double sum = 0;
        for (int k = 0; k < PLI_HANDLE_DOFS; ++k) sum += block[(PLI_HANDLE_DOFS + 1) * k];
        double mean = sum > 0 ? sum / PLI_HANDLE_DOFS : 1;
        double shift = sum > 0 ? regularity * mean : 1;
        for (int k = 0; k < PLI_HANDLE_DOFS; ++k) block[(PLI_HANDLE_DOFS + 1) * k] += shift;
        if (pli_dense_cholesky_factor(job->blocks->context, PLI_HANDLE_DOFS, block)) continue;
        // rounding of an almost singular block: its mean diagonal serves as well
        memset(block, 0, BLOCK * sizeof *block);
        for (int k = 0; k < PLI_HANDLE_DOFS; ++k) block[(PLI_HANDLE_DOFS + 1) * k] = sqrt(mean);
    }
}

void pli_handle_blocks_build(pli_handle_blocks *blocks, const pli_galerkin_matrices *H)
{
    const pli_space *space = blocks->space;
    block_job job = {blocks, H};
    pli_parallel_for(blocks->context, space->piece_count, 1, sum_pieces, &job);
    int32_t handle_count = space->bases->handle_count;
    memset(blocks->factors, 0, BLOCK * (size_t)handle_count * sizeof *blocks->factors);
    for (int64_t k = 0; k < space->piece_count; ++k) {
        double *sum = blocks->factors + BLOCK * (int64_t)space->pieces[k].handle;
        for (int e = 0; e < BLOCK; ++e) sum[e] += blocks->partial[BLOCK * k + e];
    }
    for (int64_t k = 0; k < H->O->extra.count; ++k) {
        add_extra_block(space, H->O->extra.blocks + k, blocks->factors);
    }
    pli_parallel_for(blocks->context, handle_count, HANDLE_GRAIN, factor_blocks, &job);
}

// ---- application

typedef struct solve_job {
    const pli_handle_blocks *blocks;
    const double *r;
    double *z;
} solve_job;

static void solve_handles(void *user, int64_t begin, int64_t end)
{
    const solve_job *job = user;
    for (int64_t i = begin; i < end; ++i) {
        double *z = job->z + PLI_HANDLE_DOFS * i;
        memmove(z, job->r + PLI_HANDLE_DOFS * i, PLI_HANDLE_DOFS * sizeof *z);
        pli_dense_cholesky_solve(job->blocks->context, PLI_HANDLE_DOFS,
                                 job->blocks->factors + BLOCK * i, 1, z);
    }
}

static void apply(const void *self, const double *r, double *z)
{
    const pli_handle_blocks *blocks = self;
    solve_job job = {blocks, r, z};
    pli_parallel_for(blocks->context, blocks->space->bases->handle_count, 16, solve_handles, &job);
}

pli_operator pli_handle_blocks_operator(const pli_handle_blocks *blocks)
{
    return (pli_operator){.size = pli_space_size(blocks->space), .self = blocks, .apply = apply};
}

// SPDX-License-Identifier: Apache-2.0
//
// The coarsest level when it is large: sparse Cholesky of its matrix, expanded to blocks of 3x3
// numbers. A node of 12 unknowns is four rows of blocks, one for each row of its field.
#include "linear/multigrid/multigrid_inside.h"

#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum {
    DENSE_MOST = 1800, // unknowns up to which a dense factor costs less
    NODE_GRAIN = 32    // nodes that are worth a block of a parallel loop
};

bool pli_mg_sparse_is_wanted(const pli_multigrid *mg)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    return !level->lifted && level->node_count * level->size > DENSE_MOST &&
           pli_cholesky_is_available();
}

static void expand_pattern(const pli_mg_level *level, int64_t *row_start, int32_t *column)
{
    const pli_mg_matrix *natural = &level->natural;
    int32_t rows = level->rows;
    int64_t at = 0;
    for (int32_t node = 0; node < level->node_count; ++node) {
        for (int32_t k = 0; k < rows; ++k) {
            row_start[(int64_t)rows * node + k] = at;
            for (int64_t s = natural->row_start[node]; s < natural->row_start[node + 1]; ++s) {
                for (int32_t l = 0; l < rows; ++l) column[at++] = rows * natural->column[s] + l;
            }
        }
    }
    row_start[(int64_t)rows * level->node_count] = at;
}

static pli_status create_matrix(pli_multigrid *mg, const pli_mg_level *level)
{
    pli_context *context = mg->context;
    int32_t row_count = level->node_count * level->rows;
    int64_t block_count = level->natural.block_count * level->rows * level->rows;
    int64_t *row_start = PLI_NEW(context, int64_t, (int64_t)row_count + 1, "coarsest matrix");
    int32_t *column = PLI_NEW(context, int32_t, block_count, "coarsest matrix");
    pli_status status = PLI_ERROR_MEMORY;
    if (row_start == NULL || column == NULL) goto done;
    expand_pattern(level, row_start, column);
    status = pli_bcsr_create_from_rows(context, row_count, row_start, column, &mg->sparse);

done:
    PLI_RELEASE(context, column, row_start);
    return status;
}

pli_status pli_mg_sparse_create(pli_multigrid *mg)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    PLI_TRY(create_matrix(mg, level));
    int64_t unknowns = (int64_t)level->node_count * level->size;
    mg->dense_vector = PLI_NEW(mg->context, double, unknowns, "coarsest matrix");
    if (mg->dense_vector == NULL) return PLI_ERROR_MEMORY;
    return pli_cholesky_create(mg->context, &(pli_cholesky_def){0}, mg->sparse, &mg->cholesky);
}

void pli_mg_sparse_clear(pli_multigrid *mg)
{
    pli_cholesky_destroy(mg->cholesky);
    pli_bcsr_destroy(mg->sparse);
}

int64_t pli_mg_sparse_memory_bytes(const pli_multigrid *mg)
{
    if (mg->cholesky == NULL) return 0;
    return pli_bcsr_memory_bytes(mg->sparse) + pli_cholesky_get_report(mg->cholesky).memory_bytes;
}

// ---- values

// Block (k, l) of 3x3 numbers out of a natural one [size][size].
static void take_tile(int32_t size, const double *block, int32_t k, int32_t l, double tile[9])
{
    for (int c = 0; c < 3; ++c) {
        memcpy(tile + 3 * c, block + size * (3 * k + c) + 3 * l, 3 * sizeof *tile);
    }
}

static void fill_nodes(void *user, int64_t begin, int64_t end)
{
    const pli_multigrid *mg = user;
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    const pli_mg_matrix *natural = &level->natural;
    int32_t square = level->size * level->size;
    for (int64_t node = begin; node < end; ++node) {
        int64_t first = natural->row_start[node];
        int64_t length = natural->row_start[node + 1] - first;
        double diagonal[PLI_MG_BLOCK];
        pli_mg_get_diagonal(level, (int32_t)node, diagonal);
        for (int64_t tile = 0; tile < length * level->rows * level->rows; ++tile) {
            // tiles of a row of blocks stand together, for all columns
            int32_t k = (int32_t)(tile / (length * level->rows));
            int64_t slot = first + tile / level->rows % length;
            const double *block =
                natural->column[slot] == node ? diagonal : natural->values + slot * square;
            int64_t at = first * level->rows * level->rows + tile;
            take_tile(level->size, block, k, (int32_t)(tile % level->rows),
                      mg->sparse->values + 9 * at);
        }
    }
}

pli_status pli_mg_sparse_factor(pli_multigrid *mg, bool *definite)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    pli_parallel_for(mg->context, level->node_count, NODE_GRAIN, fill_nodes, mg);
    PLI_TRY(pli_cholesky_factor(mg->cholesky, mg->sparse, 0, definite));
    if (!*definite) return PLI_OK;
    // the first solve makes the room that later ones, which cannot fail any more, use again
    memset(mg->dense_vector, 0, (size_t)level->node_count * (size_t)level->size * sizeof(double));
    return pli_cholesky_solve(mg->cholesky, 1, mg->dense_vector, mg->dense_vector);
}

void pli_mg_sparse_solve(const pli_multigrid *mg)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    mg->kernels->get_dense(level, mg->dense_vector);
    pli_status status = pli_cholesky_solve(mg->cholesky, 1, mg->dense_vector, mg->dense_vector);
    // without memory there is no coarse correction: the cycle remains a smoother
    if (status != PLI_OK) {
        memset(mg->dense_vector, 0,
               (size_t)level->node_count * (size_t)level->size * sizeof(double));
    }
    mg->kernels->set_dense(level, mg->dense_vector);
}

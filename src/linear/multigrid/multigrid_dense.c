// SPDX-License-Identifier: Apache-2.0
//
// The coarsest level: dense Cholesky of its matrix, as lifted numbers with three right-hand sides
// where that is possible.
#include "linear/multigrid/multigrid_inside.h"

#include "base/memory.h"
#include "linear/matrix/dense.h"

#include <string.h>

// Unknowns of a node in the dense matrix.
static int32_t node_unknowns(const pli_mg_level *level, bool lifted)
{
    return lifted ? level->rows : 3 * level->rows;
}

static pli_status reserve(pli_multigrid *mg, const pli_mg_level *level)
{
    int64_t wanted = (int64_t)mg->dense_size * mg->dense_size;
    if (wanted <= mg->dense_capacity) return PLI_OK;
    int64_t unknowns = 3 * (int64_t)level->node_count * level->rows;
    double *dense = PLI_NEW(mg->context, double, wanted, "coarsest matrix");
    double *vector = PLI_NEW(mg->context, double, unknowns, "coarsest matrix");
    double *columns = PLI_NEW(mg->context, double, unknowns, "coarsest matrix");
    if (dense == NULL || vector == NULL || columns == NULL) {
        PLI_RELEASE(mg->context, dense, vector, columns);
        return PLI_ERROR_MEMORY;
    }
    PLI_RELEASE(mg->context, mg->dense, mg->dense_vector, mg->dense_columns);
    mg->dense = dense;
    mg->dense_vector = vector;
    mg->dense_columns = columns;
    mg->dense_capacity = wanted;
    return PLI_OK;
}

// Adds a natural block [size^2] at the place of two nodes; a lifted one counts for each coordinate.
static void add_block(pli_multigrid *mg, const pli_mg_level *level, int32_t row, int32_t column,
                      const double *block)
{
    int32_t unknowns = node_unknowns(level, mg->dense_lifted);
    int32_t spread = unknowns / level->size; // 3 where lifted numbers stand for three coordinates
    for (int32_t r = 0; r < level->size; ++r) {
        for (int32_t c = 0; c < level->size; ++c) {
            for (int32_t k = 0; k < spread; ++k) {
                int64_t at = (int64_t)row * unknowns + spread * r + k;
                mg->dense[at * mg->dense_size + (int64_t)column * unknowns + spread * c + k] +=
                    block[level->size * r + c];
            }
        }
    }
}

static void fill(pli_multigrid *mg, const pli_mg_level *level)
{
    const pli_mg_matrix *natural = &level->natural;
    int32_t square = level->size * level->size;
    memset(mg->dense, 0, (size_t)mg->dense_size * (size_t)mg->dense_size * sizeof *mg->dense);
    for (int32_t row = 0; row < level->node_count; ++row) {
        for (int64_t k = natural->row_start[row]; k < natural->row_start[row + 1]; ++k) {
            int32_t column = natural->column[k];
            if (column < row) add_block(mg, level, row, column, natural->values + k * square);
        }
        double diagonal[PLI_MG_BLOCK];
        pli_mg_get_diagonal(level, row, diagonal);
        add_block(mg, level, row, row, diagonal);
    }
    const pli_mg_patches *patches = &level->patches;
    int32_t full = 3 * level->rows;
    for (int32_t k = 0; k < patches->count && !mg->dense_lifted; ++k) {
        const double *block = patches->block + (int64_t)k * full * full;
        for (int32_t r = 0; r < full && patches->is_full[k]; ++r) {
            int64_t at = (int64_t)patches->node[k] * full;
            double *target = mg->dense + (at + r) * mg->dense_size + at;
            for (int32_t c = 0; c < full; ++c) target[c] += block[full * r + c];
        }
    }
}

pli_status pli_mg_dense_factor(pli_multigrid *mg, bool *definite)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    mg->dense_lifted = level->lifted && level->patches.full_count == 0;
    mg->dense_size = level->node_count * node_unknowns(level, mg->dense_lifted);
    PLI_TRY(reserve(mg, level));
    fill(mg, level);
    *definite = pli_dense_cholesky_factor(mg->context, mg->dense_size, mg->dense);
    return PLI_OK;
}

void pli_mg_dense_solve(const pli_multigrid *mg)
{
    const pli_mg_level *level = &mg->levels[mg->level_count - 1];
    mg->kernels->get_dense(level, mg->dense_vector);
    if (!mg->dense_lifted) {
        pli_dense_cholesky_solve(mg->context, mg->dense_size, mg->dense, 1, mg->dense_vector);
    } else {
        int64_t n = mg->dense_size;
        for (int64_t k = 0; k < n; ++k) {
            for (int c = 0; c < 3; ++c) mg->dense_columns[c * n + k] = mg->dense_vector[3 * k + c];
        }
        pli_dense_cholesky_solve(mg->context, mg->dense_size, mg->dense, 3, mg->dense_columns);
        for (int64_t k = 0; k < n; ++k) {
            for (int c = 0; c < 3; ++c) mg->dense_vector[3 * k + c] = mg->dense_columns[c * n + k];
        }
    }
    mg->kernels->set_dense(level, mg->dense_vector);
}

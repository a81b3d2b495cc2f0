// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/lifted.h"

#include "linear/matrix/bcsr_pattern.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum { ROW_GRAIN = 2048 };

// ---- creation

static pli_status build_pattern(pli_lifted *made, int32_t list_count, const pli_clique_list *lists)
{
    pli_bcsr_pattern pattern;
    PLI_TRY(pli_bcsr_pattern_build(made->context, made->row_count, list_count, lists, &pattern));
    made->row_start = pattern.row_start;
    made->column = pattern.column;
    made->entry_count = pattern.block_count;
    return PLI_OK;
}

static pli_status allocate_values(pli_lifted *made)
{
    pli_context *context = made->context;
    PLI_TRY(PLI_MAKE(context, made->diagonal, made->row_count, "diagonal"));
    PLI_TRY(PLI_MAKE(context, made->pristine, made->entry_count, "scalar matrix"));
    PLI_TRY(PLI_MAKE(context, made->values, made->entry_count, "scalar matrix"));
    return PLI_MAKE(context, made->held, made->row_count, "held vertices");
}

pli_status pli_lifted_create(pli_context *context, int32_t row_count, int32_t list_count,
                             const pli_clique_list *lists, pli_lifted **matrix)
{
    *matrix = NULL;
    pli_lifted *made = PLI_NEW(context, pli_lifted, 1, "scalar matrix");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->row_count = row_count;
    pli_status status = build_pattern(made, list_count, lists);
    if (status == PLI_OK) status = allocate_values(made);
    if (status != PLI_OK) {
        pli_lifted_destroy(made);
        return status;
    }
    for (int32_t row = 0; row < row_count; ++row) {
        made->diagonal[row] = pli_lifted_find(made, row, row);
    }
    made->revision = pli_pattern_hash(row_count, made->row_start, made->column);
    *matrix = made;
    return PLI_OK;
}

void pli_lifted_destroy(pli_lifted *matrix)
{
    if (matrix == NULL) return;
    pli_context *context = matrix->context;
    PLI_RELEASE(context, matrix->row_start, matrix->column, matrix->diagonal, matrix->pristine,
                matrix->values, matrix->held, matrix->block_row, matrix->blocks, matrix);
}

int64_t pli_lifted_find(const pli_lifted *matrix, int32_t row, int32_t column)
{
    return pli_pattern_find(matrix->row_start, matrix->column, row, column);
}

// ---- assembly

void pli_lifted_set_zero(pli_lifted *matrix)
{
    memset(matrix->pristine, 0, (size_t)matrix->entry_count * sizeof *matrix->pristine);
}

static void close_rows(void *user, int64_t begin, int64_t end)
{
    pli_lifted *matrix = user;
    for (int64_t row = begin; row < end; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            bool coupled = !matrix->held[row] && !matrix->held[matrix->column[slot]];
            bool kept = coupled || matrix->column[slot] == row;
            matrix->values[slot] = kept ? matrix->pristine[slot] : 0;
        }
    }
}

void pli_lifted_close(pli_lifted *matrix, const uint8_t *mask)
{
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        matrix->held[row] = mask != NULL && mask[row] == 7;
    }
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, close_rows, matrix);
}

pli_status pli_lifted_set_blocks(pli_lifted *matrix, int32_t count, const int32_t *rows,
                                 const double *blocks)
{
    if (count > matrix->block_capacity) {
        int32_t capacity = count + count / 2;
        int32_t *row = PLI_NEW(matrix->context, int32_t, capacity, "diagonal blocks");
        double *block = PLI_NEW(matrix->context, double, 9 * (int64_t)capacity, "diagonal blocks");
        if (row == NULL || block == NULL) {
            PLI_RELEASE(matrix->context, row, block);
            return PLI_ERROR_MEMORY;
        }
        PLI_RELEASE(matrix->context, matrix->block_row, matrix->blocks);
        matrix->block_row = row;
        matrix->blocks = block;
        matrix->block_capacity = capacity;
    }
    matrix->block_count = count;
    if (count > 0) {
        memcpy(matrix->block_row, rows, (size_t)count * sizeof *rows);
        memcpy(matrix->blocks, blocks, 9 * (size_t)count * sizeof *blocks);
    }
    return PLI_OK;
}

int32_t pli_lifted_first_block(const pli_lifted *matrix, int64_t row)
{
    int32_t low = 0;
    int32_t high = matrix->block_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (matrix->block_row[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool pli_lifted_is_isotropic(const pli_lifted *matrix)
{
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        if (!pli_mat3_is_isotropic(matrix->blocks + 9 * (int64_t)k)) return false;
    }
    return true;
}

// ---- use

typedef struct product_job {
    const pli_lifted *matrix;
    const double *b; // NULL: the product alone
    const double *x;
    double *y;
} product_job;

// sum = (A x)_row; *block is the next diagonal block and moves on
static inline void multiply_row(const pli_lifted *matrix, int64_t row, int32_t *block,
                                const double *x, double sum[3])
{
    sum[0] = sum[1] = sum[2] = 0;
    for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
        const double *other = x + 3 * (int64_t)matrix->column[slot];
        double s = matrix->values[slot];
        for (int c = 0; c < 3; ++c) sum[c] += s * other[c];
    }
    if (*block < matrix->block_count && matrix->block_row[*block] == row) {
        const double *D = matrix->blocks + 9 * (int64_t)*block;
        for (int c = 0; c < 3; ++c) {
            for (int d = 0; d < 3; ++d) sum[c] += D[3 * c + d] * x[3 * row + d];
        }
        ++*block;
    }
}

static void multiply_rows(const void *self, const double *x, double *y, int64_t begin, int64_t end)
{
    const pli_lifted *matrix = self;
    int32_t block = pli_lifted_first_block(matrix, begin);
    for (int64_t row = begin; row < end; ++row) {
        multiply_row(matrix, row, &block, x, y + 3 * row);
    }
}

static void residual_range(void *user, int64_t begin, int64_t end)
{
    const product_job *job = user;
    int32_t block = pli_lifted_first_block(job->matrix, begin);
    for (int64_t row = begin; row < end; ++row) {
        double sum[3];
        multiply_row(job->matrix, row, &block, job->x, sum);
        for (int c = 0; c < 3; ++c) job->y[3 * row + c] = job->b[3 * row + c] - sum[c];
    }
}

void pli_lifted_multiply(const pli_lifted *matrix, const double *x, double *y)
{
    pli_operator_apply_by_rows(matrix->context, matrix->row_count, ROW_GRAIN, multiply_rows, matrix,
                               x, y);
}

void pli_lifted_residual(const pli_lifted *matrix, const double *b, const double *x, double *r)
{
    product_job job = {matrix, b, x, r};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, residual_range, &job);
}

static void apply(const void *self, const double *x, double *y)
{
    pli_lifted_multiply(self, x, y);
}

pli_operator pli_lifted_operator(const pli_lifted *matrix)
{
    return (pli_operator){.size = 3 * (int64_t)matrix->row_count,
                          .self = matrix,
                          .apply = apply,
                          .apply_rows = multiply_rows};
}

// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr_single.h"

#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/block_kernel.h"

#include "base/memory.h"
#include "base/parallel.h"

enum {
    ROW_GRAIN = 128,    // rows of a product per block
    BLOCK_GRAIN = 2048, // blocks per block of a conversion
    AHEAD = 32          // blocks that a product fetches ahead
};

void pli_bcsr_single_init(pli_context *context, pli_bcsr_single *single)
{
    *single = (pli_bcsr_single){.context = context};
}

void pli_bcsr_single_clear(pli_bcsr_single *single)
{
    PLI_RELEASE(single->context, single->values, single->extra);
    pli_bcsr_single_init(single->context, single);
}

// ---- conversion

// Room for count blocks; what was there is lost when it has to grow.
static pli_status reserve(pli_context *context, int64_t count, int64_t *capacity, float **values)
{
    if (count <= *capacity && *values != NULL) return PLI_OK;
    pli_release(context, *values);
    *capacity = 0;
    *values = PLI_NEW(context, float, 9 * count + 1, "matrix in single precision");
    if (*values == NULL) return PLI_ERROR_MEMORY;
    *capacity = count;
    return PLI_OK;
}

static inline void convert_block(const double *block, float *columns)
{
    for (int k = 0; k < 9; ++k) columns[k] = (float)block[k % 3 * 3 + k / 3];
}

static void convert_range(void *user, int64_t begin, int64_t end)
{
    const pli_bcsr_single *single = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        convert_block(single->matrix->values + 9 * slot, single->values + 9 * slot);
    }
}

static void convert_extra_range(void *user, int64_t begin, int64_t end)
{
    const pli_bcsr_single *single = user;
    for (int64_t k = begin; k < end; ++k) {
        convert_block(single->matrix->extra.blocks[k].values, single->extra + 9 * k);
    }
}

pli_status pli_bcsr_single_build(pli_bcsr_single *single, const pli_bcsr *matrix)
{
    pli_context *context = single->context;
    PLI_ASSERT(context, !matrix->extra.open);
    single->matrix = NULL;
    PLI_TRY(reserve(context, matrix->block_count, &single->capacity, &single->values));
    // like the room of the matrix itself, so that both grow together
    if (matrix->extra.count > single->extra_capacity) {
        PLI_TRY(reserve(context, matrix->extra.capacity, &single->extra_capacity, &single->extra));
    }
    single->matrix = matrix;
    pli_parallel_for(context, matrix->block_count, BLOCK_GRAIN, convert_range, single);
    pli_parallel_for(context, matrix->extra.count, BLOCK_GRAIN, convert_extra_range, single);
    return PLI_OK;
}

// ---- products

// Sums of a row, one per column of blocks so that their additions do not wait for each other.
typedef struct column_sum {
    pli_double4 part[3];
} column_sum;

static inline void add_block(column_sum *sum, const float *columns, const double *x)
{
    for (int c = 0; c < 3; ++c) {
        pli_double4 column;
        pli_block_widen(columns + 3 * c, &column);
        sum->part[c] += column * x[c];
    }
}

// Adds the extra blocks of one of the rows that have some.
static void add_extra_row(const pli_bcsr_single *single, int32_t k, const double *x,
                          column_sum *sum)
{
    const pli_bcsr_extra *extra = &single->matrix->extra;
    for (int64_t at = extra->row_start[k]; at < extra->row_start[k + 1]; ++at) {
        add_block(sum, single->extra + 9 * at, x + 3 * (int64_t)extra->blocks[at].column);
    }
}

// Rows begin to end of y = A x, by the calling thread.
static void multiply_rows(const void *self, const double *x, double *y, int64_t begin, int64_t end)
{
    const pli_bcsr_single *single = self;
    const pli_bcsr *matrix = single->matrix;
    const pli_bcsr_extra *extra = &matrix->extra;
    const int32_t *column = matrix->column;
    const float *values = single->values;
    int32_t k = extra->row_count > 0 ? pli_bcsr_extra_first_row(matrix, begin) : 0;
    for (int64_t row = begin; row < end; ++row) {
        column_sum sum = {0};
        int64_t last = matrix->row_start[row + 1];
        for (int64_t slot = matrix->row_start[row]; slot < last; ++slot) {
            __builtin_prefetch(values + 9 * (slot + AHEAD));
            add_block(&sum, values + 9 * slot, x + 3 * (int64_t)column[slot]);
        }
        if (k < extra->row_count && extra->rows[k] == row) add_extra_row(single, k++, x, &sum);
        pli_double4 total = (sum.part[0] + sum.part[1]) + sum.part[2];
        for (int i = 0; i < 3; ++i) y[3 * row + i] = total[i];
    }
}

static void multiply(const void *self, const double *x, double *y)
{
    const pli_bcsr_single *single = self;
    pli_operator_apply_by_rows(single->context, single->matrix->row_count, ROW_GRAIN, multiply_rows,
                               single, x, y);
}

pli_operator pli_bcsr_single_operator(const pli_bcsr_single *single)
{
    return (pli_operator){.size = 3 * (int64_t)single->matrix->row_count,
                          .self = single,
                          .apply = multiply,
                          .apply_rows = multiply_rows};
}

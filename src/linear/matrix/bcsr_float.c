// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr_float.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "linear/matrix/block_kernel.h"
#include "math/mat3.h"
#include "math/simd.h"

enum { ROW_GRAIN = 256, LOAD_GRAIN = 1024 };

void pli_bcsr_float_init(pli_context *context, pli_bcsr_float *copy)
{
    *copy = (pli_bcsr_float){.context = context};
}

void pli_bcsr_float_clear(pli_bcsr_float *copy)
{
    PLI_RELEASE(copy->context, copy->x, copy->values, copy->column);
    pli_bcsr_float_init(copy->context, copy);
}

// ---- conversion

// First block of a row off the diagonal.
static inline int64_t first_of_row(const pli_bcsr *matrix, int64_t row)
{
    return matrix->row_start[row] - row;
}

static pli_status take_pattern(pli_bcsr_float *copy, const pli_bcsr *matrix)
{
    if (copy->column != NULL && copy->revision == matrix->revision) return PLI_OK;
    pli_bcsr_float_clear(copy);
    int64_t count = matrix->block_count - matrix->row_count;
    copy->column = PLI_NEW(copy->context, int32_t, count, "matrix in single precision");
    copy->values = PLI_NEW(copy->context, float, 9 * count, "matrix in single precision");
    copy->x = PLI_NEW(copy->context, float, 4 * (int64_t)matrix->row_count, "rounded vector");
    if (copy->column == NULL || copy->values == NULL || copy->x == NULL) {
        pli_bcsr_float_clear(copy);
        return PLI_ERROR_MEMORY;
    }
    copy->revision = matrix->revision;
    int64_t at = 0;
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (slot != matrix->diagonal[row]) copy->column[at++] = matrix->column[slot];
        }
    }
    return PLI_OK;
}

static void convert_blocks(const pli_bcsr *matrix, int64_t begin, int64_t end, float *to)
{
    for (int64_t k = 9 * begin; k < 9 * end; ++k) *to++ = (float)matrix->values[k];
}

static void convert_rows(void *user, int64_t begin, int64_t end)
{
    const pli_bcsr_float *copy = user;
    const pli_bcsr *matrix = copy->matrix;
    for (int64_t row = begin; row < end; ++row) {
        int64_t first = matrix->row_start[row];
        int64_t diagonal = matrix->diagonal[row];
        float *to = copy->values + 9 * first_of_row(matrix, row);
        convert_blocks(matrix, first, diagonal, to);
        convert_blocks(matrix, diagonal + 1, matrix->row_start[row + 1],
                       to + 9 * (diagonal - first));
    }
}

pli_status pli_bcsr_float_build(pli_bcsr_float *copy, const pli_bcsr *matrix)
{
    copy->matrix = NULL;
    PLI_TRY(take_pattern(copy, matrix));
    copy->matrix = matrix;
    pli_parallel_for(copy->context, matrix->row_count, ROW_GRAIN, convert_rows, copy);
    return PLI_OK;
}

// ---- products

typedef struct load_job {
    const double *x;
    float *to;
} load_job;

static void load_range(void *user, int64_t begin, int64_t end)
{
    const load_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        for (int c = 0; c < 3; ++c) job->to[4 * row + c] = (float)job->x[3 * row + c];
    }
}

void pli_bcsr_float_load(const pli_bcsr_float *copy, const double *x)
{
    load_job job = {x, copy->x};
    pli_parallel_for(copy->context, copy->matrix->row_count, LOAD_GRAIN, load_range, &job);
}

void pli_bcsr_float_multiply_rows(const pli_bcsr_float *copy, const double *D, const double *x,
                                  double *y, int64_t begin, int64_t end)
{
    const pli_bcsr *matrix = copy->matrix;
    const int32_t *column = copy->column;
    for (int64_t row = begin; row < end; ++row) {
        pli_f8 sum = {0};
        float last = 0;
        int64_t stop = first_of_row(matrix, row + 1);
        for (int64_t at = first_of_row(matrix, row); at < stop; ++at) {
            const float *A = copy->values + 9 * at;
            const float *x_j = copy->x + 4 * (int64_t)column[at];
            pli_float4 four;
            memcpy(&four, x_j, sizeof four);
            sum += pli_f8_load(A) * __builtin_shufflevector(four, four, 0, 1, 2, 0, 1, 2, 0, 1);
            last += A[8] * x_j[2];
        }
        pli_mat3_apply(D + 9 * row, x + 3 * row, y + 3 * row);
        y[3 * row] += (double)((sum[0] + sum[1]) + sum[2]);
        y[3 * row + 1] += (double)((sum[3] + sum[4]) + sum[5]);
        y[3 * row + 2] += (double)((sum[6] + sum[7]) + last);
    }
}

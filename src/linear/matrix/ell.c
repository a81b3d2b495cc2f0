// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/ell.h"

#include "linear/matrix/block_kernel.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum { ROW_GRAIN = 64 };

// What the loop bodies work on.
typedef struct ell_job {
    const pli_ell *matrix;
    const double *b;
    const double *x;
    double *y;
} ell_job;

static void clear_columns(void *user, int64_t begin, int64_t end)
{
    const ell_job *job = user;
    int64_t width = job->matrix->width;
    memset(job->matrix->column + begin * width, 0xff,
           (size_t)((end - begin) * width) * sizeof(int32_t));
}

static void clear_values(void *user, int64_t begin, int64_t end)
{
    const ell_job *job = user;
    int64_t stored = job->matrix->width - job->matrix->first;
    memset(job->matrix->values + 9 * begin * stored, 0,
           (size_t)(9 * (end - begin) * stored) * sizeof(double));
}

static pli_status create(pli_context *context, int32_t row_count, const pli_ell *shape,
                         pli_ell **matrix)
{
    *matrix = NULL;
    if (row_count < 0 || shape->width < 1 || shape->center < 0 || shape->center >= shape->width ||
        shape->first < 0 || shape->first > shape->center) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a matrix of %d rows with %d slots, the diagonal in slot %d, stored from "
                        "slot %d on",
                        (int)row_count, (int)shape->width, (int)shape->center, (int)shape->first);
    }
    pli_ell *made = PLI_NEW(context, pli_ell, 1, "fixed-width matrix");
    if (made == NULL) return PLI_ERROR_MEMORY;
    *made = *shape;
    made->context = context;
    pli_status status = pli_ell_resize(made, row_count);
    if (status != PLI_OK) {
        pli_ell_destroy(made);
        return status;
    }
    *matrix = made;
    return PLI_OK;
}

pli_status pli_ell_create(pli_context *context, int32_t row_count, int32_t width, int32_t center,
                          pli_ell **matrix)
{
    pli_ell shape = {.width = width, .center = center};
    return create(context, row_count, &shape, matrix);
}

pli_status pli_ell_create_half(pli_context *context, int32_t row_count, int32_t width,
                               int32_t margin, pli_ell **matrix)
{
    pli_ell shape = {.width = width, .center = width / 2, .first = width / 2 - margin};
    return create(context, row_count, &shape, matrix);
}

void pli_ell_destroy(pli_ell *matrix)
{
    if (matrix == NULL) return;
    pli_context *context = matrix->context;
    PLI_RELEASE(context, matrix->column, matrix->values, matrix);
}

// Other arrays of so many rows; without memory for them, none.
static pli_status replace_arrays(pli_ell *matrix, int64_t rows)
{
    pli_context *context = matrix->context;
    matrix->row_count = 0;
    PLI_RELEASE(context, matrix->column, matrix->values);
    matrix->values = NULL;
    matrix->column = PLI_NEW(context, int32_t, rows * matrix->width, "fixed-width columns");
    if (matrix->column == NULL) return PLI_ERROR_MEMORY;
    matrix->values =
        PLI_NEW(context, double, 9 * rows * (matrix->width - matrix->first), "fixed-width values");
    if (matrix->values != NULL) return PLI_OK;
    // what room there is, is told by the columns
    pli_release(context, matrix->column);
    matrix->column = NULL;
    return PLI_ERROR_MEMORY;
}

pli_status pli_ell_resize(pli_ell *matrix, int32_t row_count)
{
    pli_context *context = matrix->context;
    int64_t rows = row_count;
    if (matrix->column == NULL ||
        pli_memory_size(matrix->column) < (size_t)(rows * matrix->width) * sizeof(int32_t)) {
        if (matrix->row_count > 0) rows += rows / 4;
        PLI_TRY(replace_arrays(matrix, rows));
    }
    matrix->row_count = row_count;
    ell_job job = {.matrix = matrix};
    pli_parallel_for(context, row_count, ROW_GRAIN, clear_columns, &job);
    pli_ell_set_zero(matrix);
    return PLI_OK;
}

void pli_ell_set_zero(pli_ell *matrix)
{
    ell_job job = {.matrix = matrix};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, clear_values, &job);
}

// ---- rows

// to = from^T
static inline void transpose_block(const double *from, double *to)
{
    pli_double4 a, b;
    double last = from[8];
    memcpy(&a, from, sizeof a);
    memcpy(&b, from + 4, sizeof b);
    pli_double4 head = __builtin_shufflevector(a, b, 0, 3, 6, 1);
    pli_double4 tail = __builtin_shufflevector(a, b, 4, 7, 2, 5);
    memcpy(to, &head, sizeof head);
    memcpy(to + 4, &tail, sizeof tail);
    to[8] = last;
}

// The block that one before the diagonal mirrors.
static inline const double *mirrored_block(const pli_ell *matrix, int64_t column, int64_t slot)
{
    return pli_ell_block(matrix, column, 2 * (int64_t)matrix->center - slot);
}

// Blocks before the diagonal from other rows to `blocks`, while those of the next row with columns
// `next` are on their way to the cache. Places without a column are left as they are.
static void mirror_row(const pli_ell *matrix, int64_t row, const int32_t *next, double *blocks)
{
    const int32_t *column = matrix->column + row * matrix->width;
    for (int32_t slot = 0; slot < matrix->center; ++slot) {
        if (next[slot] >= 0) {
            const double *expected = mirrored_block(matrix, next[slot], slot);
            __builtin_prefetch(expected, 0);
            __builtin_prefetch(expected + 8, 0);
        }
        if (column[slot] < 0) continue;
        transpose_block(mirrored_block(matrix, column[slot], slot), blocks + 9 * (int64_t)slot);
    }
}

static void mirror_range(void *user, int64_t begin, int64_t end)
{
    const pli_ell *matrix = ((const ell_job *)user)->matrix;
    for (int64_t row = begin; row < end; ++row) {
        const int32_t *next = matrix->column + (row + 1 < end ? row + 1 : row) * matrix->width;
        mirror_row(matrix, row, next, pli_ell_block(matrix, row, 0));
    }
}

void pli_ell_mirror(pli_ell *matrix)
{
    if (matrix->first > 0) return;
    ell_job job = {.matrix = matrix};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, mirror_range, &job);
}

void pli_ell_get_row(const pli_ell *matrix, int64_t row, double *blocks)
{
    const int32_t *column = matrix->column + row * matrix->width;
    int64_t whole = matrix->first > 0 ? matrix->center : 0;
    memcpy(blocks + 9 * whole, pli_ell_block(matrix, row, whole),
           (size_t)(9 * (matrix->width - whole)) * sizeof *blocks);
    if (whole > 0) {
        int64_t next = row + 1 < matrix->row_count ? row + 1 : row;
        mirror_row(matrix, row, matrix->column + next * matrix->width, blocks);
    }
    for (int64_t slot = 0; slot < matrix->width; ++slot) {
        if (column[slot] < 0) memset(blocks + 9 * slot, 0, 9 * sizeof *blocks);
    }
}

// ---- products

static void multiply_row(const pli_ell *matrix, int64_t row, const double *x, double y[3])
{
    const int32_t *column = matrix->column + row * matrix->width;
    int64_t slot = 0;
    pli_block_sum sum = {0};
    for (; matrix->first > 0 && slot < matrix->center; ++slot) {
        double block[9];
        if (column[slot] < 0) continue;
        transpose_block(mirrored_block(matrix, column[slot], slot), block);
        pli_block_sum_add(&sum, block, x + 3 * (int64_t)column[slot]);
    }
    for (; slot < matrix->width; ++slot) {
        if (column[slot] < 0) continue;
        pli_block_sum_add(&sum, pli_ell_block(matrix, row, slot), x + 3 * (int64_t)column[slot]);
    }
    pli_block_sum_get(&sum, y);
}

void pli_ell_multiply_rows(const pli_ell *matrix, const double *x, double *y, int64_t begin,
                           int64_t end)
{
    for (int64_t row = begin; row < end; ++row) multiply_row(matrix, row, x, y + 3 * row);
}

static void multiply_range(void *user, int64_t begin, int64_t end)
{
    const ell_job *job = user;
    pli_ell_multiply_rows(job->matrix, job->x, job->y, begin, end);
}

void pli_ell_multiply(const pli_ell *matrix, const double *x, double *y)
{
    ell_job job = {.matrix = matrix, .x = x, .y = y};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, multiply_range, &job);
}

static void get_diagonal_range(void *user, int64_t begin, int64_t end)
{
    const ell_job *job = user;
    const pli_ell *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        pli_mat3_copy(pli_ell_block(matrix, row, matrix->center), job->y + 9 * row);
    }
}

void pli_ell_get_diagonal_blocks(const pli_ell *matrix, double *blocks)
{
    ell_job job = {.matrix = matrix, .y = blocks};
    pli_parallel_for(matrix->context, matrix->row_count, 16 * ROW_GRAIN, get_diagonal_range, &job);
}

// ---- restriction

typedef struct restrict_job {
    pli_ell *matrix;
    const int32_t *place;
    const double *tangents;
} restrict_job;

static const double *tangent_of(const restrict_job *job, int64_t row)
{
    return job->place[row] >= 0 ? job->tangents + 9 * (int64_t)job->place[row] : NULL;
}

static void restrict_row(const restrict_job *job, int64_t row)
{
    pli_ell *matrix = job->matrix;
    const int32_t *column = matrix->column + row * matrix->width;
    const double *left = tangent_of(job, row);
    double *diagonal = pli_ell_block(matrix, row, matrix->center);
    double mean = pli_mat3_trace(diagonal) / 3;
    for (int64_t slot = matrix->first; slot < matrix->width; ++slot) {
        if (column[slot] < 0) continue;
        const double *right = tangent_of(job, column[slot]);
        double *block = pli_ell_block(matrix, row, slot), scratch[9];
        if (left != NULL) {
            pli_mat3_multiply(left, block, scratch);
            pli_mat3_copy(scratch, block);
        }
        if (right == NULL) continue;
        pli_mat3_multiply(block, right, scratch);
        pli_mat3_copy(scratch, block);
    }
    for (int e = 0; e < 9 && left != NULL; ++e) {
        diagonal[e] += (mean > 0 ? mean : 1) * ((e % 4 == 0) - left[e]);
    }
}

static void restrict_range(void *user, int64_t begin, int64_t end)
{
    const restrict_job *job = user;
    for (int64_t row = begin; row < end; ++row) restrict_row(job, row);
}

void pli_ell_restrict(pli_ell *matrix, const int32_t *place, const double *tangents)
{
    restrict_job job = {matrix, place, tangents};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, restrict_range, &job);
}

int64_t pli_ell_memory_bytes(const pli_ell *matrix)
{
    return (int64_t)(pli_memory_size(matrix) + pli_memory_size(matrix->column) +
                     pli_memory_size(matrix->values));
}

static void apply_operator(const void *self, const double *x, double *y)
{
    pli_ell_multiply(self, x, y);
}

static void apply_rows(const void *self, const double *x, double *y, int64_t begin, int64_t end)
{
    pli_ell_multiply_rows(self, x, y, begin, end);
}

pli_operator pli_ell_operator(const pli_ell *matrix)
{
    return (pli_operator){.size = 3 * (int64_t)matrix->row_count,
                          .self = matrix,
                          .apply = apply_operator,
                          .apply_rows = apply_rows};
}

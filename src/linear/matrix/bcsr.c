// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr.h"

#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/bcsr_pattern.h"
#include "linear/matrix/block_kernel.h"
#include "linear/matrix/vector.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    ROW_GRAIN = 512,     // rows of a product per block, some 10 us of work
    ELEMENT_GRAIN = 256, // elements per block
    AHEAD = 16           // blocks that a product fetches ahead
};

// What the loop bodies work on.
typedef struct matrix_job {
    const pli_bcsr *matrix;
    const double *b;
    const double *x;
    double *y;
    const uint8_t *mask;
    const pli_clique_list *list;
    int32_t *slots;
    double diagonal;
} matrix_job;

static void find_diagonal_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        job->matrix->diagonal[row] = pli_bcsr_find(job->matrix, (int32_t)row, (int32_t)row);
    }
}

// Gives the matrix a new pattern, whose arrays it takes over on success only.
static pli_status take_pattern(pli_bcsr *matrix, int32_t row_count, const pli_bcsr_pattern *pattern)
{
    pli_context *context = matrix->context;
    int64_t *diagonal = PLI_NEW(context, int64_t, row_count, "matrix diagonal");
    if (diagonal == NULL) return PLI_ERROR_MEMORY;

    // values are kept when they are large enough
    int64_t value_count = 9 * pattern->block_count;
    bool keeps_values = matrix->values != NULL &&
                        pli_memory_size(matrix->values) >= (size_t)value_count * sizeof(double);
    if (!keeps_values) {
        double *values = PLI_NEW(context, double, value_count, "matrix values");
        if (values == NULL) {
            pli_release(context, diagonal);
            return PLI_ERROR_MEMORY;
        }
        pli_release(context, matrix->values);
        matrix->values = values;
    }

    PLI_RELEASE(context, matrix->row_start, matrix->column, matrix->diagonal);
    matrix->row_count = row_count;
    matrix->block_count = pattern->block_count;
    matrix->row_start = pattern->row_start;
    matrix->column = pattern->column;
    matrix->diagonal = diagonal;
    matrix->revision = pli_pattern_hash(row_count, pattern->row_start, pattern->column);
    pli_parallel_for(context, row_count, ROW_GRAIN, find_diagonal_range,
                     &(matrix_job){.matrix = matrix});
    pli_bcsr_extra_forget(matrix);
    if (keeps_values) pli_bcsr_set_zero(matrix);
    return PLI_OK;
}

static void pattern_clear(pli_context *context, pli_bcsr_pattern *pattern)
{
    PLI_RELEASE(context, pattern->row_start, pattern->column);
}

pli_status pli_bcsr_build(pli_bcsr *matrix, int32_t row_count, int32_t list_count,
                          const pli_clique_list *lists)
{
    pli_bcsr_pattern pattern;
    PLI_TRY(pli_bcsr_pattern_build(matrix->context, row_count, list_count, lists, &pattern));
    pli_status status = take_pattern(matrix, row_count, &pattern);
    if (status != PLI_OK) pattern_clear(matrix->context, &pattern);
    return status;
}

pli_status pli_bcsr_create(pli_context *context, int32_t row_count, int32_t list_count,
                           const pli_clique_list *lists, pli_bcsr **matrix)
{
    *matrix = NULL;
    pli_bcsr *made = PLI_NEW(context, pli_bcsr, 1, "block matrix");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = pli_bcsr_build(made, row_count, list_count, lists);
    if (status != PLI_OK) {
        pli_bcsr_destroy(made);
        return status;
    }
    *matrix = made;
    return PLI_OK;
}

void pli_bcsr_destroy(pli_bcsr *matrix)
{
    if (matrix == NULL) return;
    pli_context *context = matrix->context;
    PLI_RELEASE(context, matrix->row_start, matrix->column, matrix->diagonal, matrix->values);
    pli_bcsr_extra_clear(matrix);
    pli_release(context, matrix);
}

static bool row_is_increasing(const int64_t *row_start, const int32_t *column, int32_t row_count,
                              int32_t row)
{
    if (row_start[row + 1] < row_start[row]) return false;
    int32_t previous = -1;
    for (int64_t slot = row_start[row]; slot < row_start[row + 1]; ++slot) {
        if (column[slot] <= previous || column[slot] >= row_count) return false;
        previous = column[slot];
    }
    return true;
}

static bool row_has_mirror(const int64_t *row_start, const int32_t *column, int32_t row)
{
    if (pli_pattern_find(row_start, column, row, row) < 0) return false;
    for (int64_t slot = row_start[row]; slot < row_start[row + 1]; ++slot) {
        if (pli_pattern_find(row_start, column, column[slot], row) < 0) return false;
    }
    return true;
}

static pli_status check_rows(pli_context *context, int32_t row_count, const int64_t *row_start,
                             const int32_t *column)
{
    if (row_count < 0 || row_start[0] != 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a pattern of %d rows that starts at slot %lld; it must start at 0",
                        (int)row_count, (long long)row_start[0]);
    }
    for (int32_t row = 0; row < row_count; ++row) {
        if (row_is_increasing(row_start, column, row_count, row)) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "row %d of the pattern: columns must increase and lie in 0 to %d", (int)row,
                        (int)row_count - 1);
    }
    for (int32_t row = 0; row < row_count; ++row) {
        if (row_has_mirror(row_start, column, row)) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "row %d of the pattern: the diagonal or the mirror of an entry is missing",
                        (int)row);
    }
    return PLI_OK;
}

pli_status pli_bcsr_create_from_rows(pli_context *context, int32_t row_count,
                                     const int64_t *row_start, const int32_t *column,
                                     pli_bcsr **matrix)
{
    *matrix = NULL;
    PLI_TRY(check_rows(context, row_count, row_start, column));
    int64_t block_count = row_start[row_count];
    pli_bcsr *made = PLI_NEW(context, pli_bcsr, 1, "block matrix");
    pli_bcsr_pattern pattern = {block_count,
                                PLI_NEW(context, int64_t, (int64_t)row_count + 1, "matrix rows"),
                                PLI_NEW(context, int32_t, block_count, "matrix columns")};
    pli_status status = PLI_ERROR_MEMORY;
    if (made == NULL || pattern.row_start == NULL || pattern.column == NULL) goto failed;
    made->context = context;
    memcpy(pattern.row_start, row_start, ((size_t)row_count + 1) * sizeof *row_start);
    memcpy(pattern.column, column, (size_t)block_count * sizeof *column);
    status = take_pattern(made, row_count, &pattern);
    if (status != PLI_OK) goto failed;
    *matrix = made;
    return PLI_OK;

failed:
    pattern_clear(context, &pattern);
    pli_release(context, made);
    return status;
}

int64_t pli_bcsr_find(const pli_bcsr *matrix, int32_t row, int32_t column)
{
    return pli_pattern_find(matrix->row_start, matrix->column, row, column);
}

// Writes the slots of a range of elements; returns 1 when one of them is not in the pattern.
static double find_slots_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    int32_t size = job->list->size;
    bool missing = false;
    for (int64_t element = begin; element < end; ++element) {
        const int32_t *vertices = job->list->vertices + element * size;
        int32_t *slots = job->slots + element * size * size;
        for (int32_t a = 0; a < size; ++a) {
            for (int32_t b = 0; b < size; ++b) {
                int64_t slot = pli_bcsr_find(job->matrix, vertices[a], vertices[b]);
                missing = missing || slot < 0;
                slots[a * size + b] = (int32_t)slot;
            }
        }
    }
    return missing ? 1 : 0;
}

static double find_strangers_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    int32_t size = job->list->size;
    for (int64_t corner = begin * size; corner < end * size; ++corner) {
        int32_t vertex = job->list->vertices[corner];
        if (vertex < 0 || vertex >= job->matrix->row_count) return 1;
    }
    return 0;
}

pli_status pli_bcsr_slots(pli_context *context, const pli_bcsr *matrix, const pli_clique_list *list,
                          int32_t **slots)
{
    *slots = NULL;
    if (matrix->block_count > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "a matrix of %lld blocks; slots are 32-bit, so 2^31 - 1 is the limit",
                        (long long)matrix->block_count);
    }
    int64_t per_element = (int64_t)list->size * list->size;
    int32_t *made = PLI_NEW(context, int32_t, list->count * per_element, "element slots");
    if (made == NULL) return PLI_ERROR_MEMORY;

    matrix_job job = {.matrix = matrix, .list = list, .slots = made};
    if (pli_parallel_max(context, list->count, ELEMENT_GRAIN, find_strangers_range, &job) > 0 ||
        pli_parallel_max(context, list->count, ELEMENT_GRAIN, find_slots_range, &job) > 0) {
        pli_release(context, made);
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "an element couples vertices that the matrix pattern does not couple");
    }
    *slots = made;
    return PLI_OK;
}

void pli_bcsr_set_zero(pli_bcsr *matrix)
{
    pli_vector_fill(matrix->context, 9 * matrix->block_count, 0, matrix->values);
    pli_bcsr_extra_forget(matrix);
}

static void add_to_diagonal_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        double *block = job->matrix->values + 9 * job->matrix->diagonal[row];
        for (int k = 0; k < 9; k += 4) block[k] += job->x[row];
    }
}

void pli_bcsr_add_to_diagonal(pli_bcsr *matrix, const double *weight)
{
    matrix_job job = {.matrix = matrix, .x = weight};
    pli_parallel_for(matrix->context, matrix->row_count, 8 * ROW_GRAIN, add_to_diagonal_range,
                     &job);
}

// y = A x for one row
static inline void multiply_row(const pli_bcsr *matrix, int64_t row, const double *x, double y[3])
{
    const double *values = matrix->values;
    const int32_t *column = matrix->column;
    int64_t last = matrix->row_start[row + 1];
    pli_block_sum sum = {0};
    for (int64_t slot = matrix->row_start[row]; slot < last; ++slot) {
        // the hardware fetches ahead inside a page only
        int64_t ahead = slot + AHEAD < matrix->block_count ? slot + AHEAD : slot;
        __builtin_prefetch(values + 9 * ahead);
        pli_block_sum_add(&sum, values + 9 * slot, x + 3 * (int64_t)column[slot]);
    }
    pli_block_sum_get(&sum, y);
}

static void multiply_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        multiply_row(job->matrix, row, job->x, job->y + 3 * row);
    }
}

void pli_bcsr_multiply(const pli_bcsr *matrix, const double *x, double *y)
{
    matrix_job job = {.matrix = matrix, .x = x, .y = y};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, multiply_range, &job);
    pli_bcsr_extra_multiply_add(matrix, 1, x, y);
}

void pli_bcsr_multiply_rows(const pli_bcsr *matrix, const double *x, double *y, int64_t begin,
                            int64_t end)
{
    multiply_range(&(matrix_job){.matrix = matrix, .x = x, .y = y}, begin, end);
    pli_bcsr_extra_multiply_add_rows(matrix, x, y, begin, end);
}

void pli_bcsr_multiply_add_rows(const pli_bcsr *matrix, const double *x, double *y, int64_t begin,
                                int64_t end)
{
    for (int64_t row = begin; row < end; ++row) {
        double Ax[3];
        multiply_row(matrix, row, x, Ax);
        pli_vec3_add(y + 3 * row, Ax, y + 3 * row);
    }
    pli_bcsr_extra_multiply_add_rows(matrix, x, y, begin, end);
}

static void residual_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        double Ax[3];
        multiply_row(job->matrix, row, job->x, Ax);
        pli_vec3_subtract(job->b + 3 * row, Ax, job->y + 3 * row);
    }
}

void pli_bcsr_residual(const pli_bcsr *matrix, const double *b, const double *x, double *r)
{
    matrix_job job = {.matrix = matrix, .b = b, .x = x, .y = r};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, residual_range, &job);
    pli_bcsr_extra_multiply_add(matrix, -1, x, r);
}

static void get_diagonal_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        pli_mat3_copy(job->matrix->values + 9 * job->matrix->diagonal[row], job->y + 9 * row);
    }
}

void pli_bcsr_get_diagonal_blocks(const pli_bcsr *matrix, double *blocks)
{
    matrix_job job = {.matrix = matrix, .y = blocks};
    pli_parallel_for(matrix->context, matrix->row_count, 8 * ROW_GRAIN, get_diagonal_range, &job);
}

// Zeroes the fixed rows themselves and sets their diagonal.
static void fix_rows_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    const pli_bcsr *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        uint8_t mask = job->mask[row];
        if (mask == 0) continue;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            pli_block_zero_rows(mask, matrix->values + 9 * slot);
        }
        double *block = matrix->values + 9 * matrix->diagonal[row];
        pli_block_zero_columns(mask, block);
        for (int i = 0; i < 3; ++i) {
            if ((mask >> i & 1) != 0) block[4 * i] = job->diagonal;
        }
    }
}

// Zeroes the mirror entries of the fixed rows; a block is the mirror for one row only.
static void fix_columns_range(void *user, int64_t begin, int64_t end)
{
    const matrix_job *job = user;
    const pli_bcsr *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        uint8_t mask = job->mask[row];
        if (mask == 0) continue;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (slot == matrix->diagonal[row]) continue;
            int64_t mirror = pli_bcsr_find(matrix, matrix->column[slot], (int32_t)row);
            pli_block_zero_columns(mask, matrix->values + 9 * mirror);
        }
    }
}

void pli_bcsr_fix_dofs(pli_bcsr *matrix, const uint8_t *mask, double diagonal)
{
    matrix_job job = {.matrix = matrix, .mask = mask, .diagonal = diagonal};
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, fix_rows_range, &job);
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, fix_columns_range, &job);
    pli_bcsr_extra_fix_dofs(matrix, mask);
}

int64_t pli_bcsr_memory_bytes(const pli_bcsr *matrix)
{
    return (int64_t)(pli_memory_size(matrix) + pli_memory_size(matrix->row_start) +
                     pli_memory_size(matrix->column) + pli_memory_size(matrix->diagonal) +
                     pli_memory_size(matrix->values)) +
           pli_bcsr_extra_memory_bytes(matrix);
}

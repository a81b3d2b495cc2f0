// SPDX-License-Identifier: Apache-2.0
#include "support/matrix_checks.h"

#include "base/memory.h"
#include "linear/matrix/bcsr_extra.h"

#include <math.h>
#include <string.h>

// Compares a block with the transposed of another, NULL for zero.
static void compare(const double *block, const double *mirror, double *error, double *scale)
{
    for (int k = 0; k < 9; ++k) {
        double other = mirror != NULL ? mirror[3 * (k % 3) + k / 3] : 0;
        double difference = fabs(block[k] - other);
        // so that not a number stays
        if (!(difference <= *error)) *error = difference;
        *scale = fmax(*scale, fabs(block[k]));
    }
}

double pli_bcsr_symmetry_error(const pli_bcsr *matrix)
{
    double error = 0, scale = 0;
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int64_t mirror = pli_bcsr_find(matrix, matrix->column[slot], row);
            compare(matrix->values + 9 * slot, matrix->values + 9 * mirror, &error, &scale);
        }
    }
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        const pli_extra_block *block = &matrix->extra.blocks[k];
        const pli_extra_block *mirror = pli_bcsr_extra_find(matrix, block->column, block->row);
        compare(block->values, mirror != NULL ? mirror->values : NULL, &error, &scale);
    }
    return error == 0 ? 0 : error / scale;
}

// Columns of a row in increasing order; returns their number.
static int64_t sort_columns(const pli_ell *matrix, int64_t row, int32_t *column)
{
    int64_t count = 0;
    for (int64_t slot = 0; slot < matrix->width; ++slot) {
        int32_t item = matrix->column[row * matrix->width + slot];
        if (item < 0) continue;
        int64_t k = count++;
        for (; k > 0 && column[k - 1] > item; --k) column[k] = column[k - 1];
        column[k] = item;
    }
    return count;
}

pli_status pli_bcsr_create_from_ell(const pli_ell *matrix, pli_bcsr **copy)
{
    *copy = NULL;
    pli_context *context = matrix->context;
    int64_t rows = matrix->row_count;
    int64_t *row_start = PLI_NEW(context, int64_t, rows + 1, "matrix rows");
    int32_t *column = PLI_NEW(context, int32_t, rows * matrix->width, "matrix columns");
    pli_status status = row_start != NULL && column != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int64_t row = 0; row < rows && status == PLI_OK; ++row) {
        row_start[row + 1] = row_start[row] + sort_columns(matrix, row, column + row_start[row]);
    }
    if (status == PLI_OK) {
        status = pli_bcsr_create_from_rows(context, matrix->row_count, row_start, column, copy);
    }
    for (int64_t slot = 0; slot < rows * matrix->width && status == PLI_OK; ++slot) {
        int32_t row = (int32_t)(slot / matrix->width);
        if (matrix->column[slot] < 0) continue;
        memcpy((*copy)->values + 9 * pli_bcsr_find(*copy, row, matrix->column[slot]),
               matrix->values + 9 * slot, 9 * sizeof *matrix->values);
    }
    pli_release(context, row_start);
    pli_release(context, column);
    return status;
}

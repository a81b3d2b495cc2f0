// SPDX-License-Identifier: Apache-2.0
#include "multilevel/bilaplacian.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

void pli_bilaplacian_apply(const pli_bilaplacian *bilaplacian, const double *x, double *scratch,
                           double *y)
{
    const pli_laplacian *l = bilaplacian->laplacian;
    pli_laplacian_apply(l, x, scratch);
    for (int64_t vertex = 0; vertex < l->vertex_count; ++vertex) {
        double mass = bilaplacian->mass[vertex];
        pli_vec3_scale(mass > 0 ? 1 / mass : 0, scratch + 3 * vertex, scratch + 3 * vertex);
    }
    pli_laplacian_apply(l, scratch, y);
}

// ---- the matrix

// Rows are gathered from the neighbours of neighbours.
typedef struct row_gather {
    const pli_bilaplacian *bilaplacian;
    int32_t *seen_by; // [vertex_count]  last row + 1 that met a vertex
    double *sums;     // [vertex_count]  entries of the row
    int32_t *columns; // [vertex_count]  of the row, in the order in which they are met
} row_gather;

// K_ij = sum_k L_ik L_kj / m_k for the free j, plus the shift. Returns the number of entries.
static int32_t gather_row(row_gather *gather, int32_t row)
{
    const pli_bilaplacian *b = gather->bilaplacian;
    const pli_laplacian *l = b->laplacian;
    int32_t count = 1;
    gather->columns[0] = row;
    gather->seen_by[row] = row + 1;
    gather->sums[row] = b->shift != NULL ? b->shift[row] : 0;
    if (!b->is_free[row]) {
        gather->sums[row] = 1;
        return count;
    }
    for (int64_t k = l->row_start[row]; k < l->row_start[row + 1]; ++k) {
        int32_t middle = l->column[k];
        double factor = l->values[k] / b->mass[middle];
        for (int64_t slot = l->row_start[middle]; slot < l->row_start[middle + 1]; ++slot) {
            int32_t column = l->column[slot];
            if (!b->is_free[column]) continue;
            if (gather->seen_by[column] != row + 1) {
                gather->seen_by[column] = row + 1;
                gather->sums[column] = 0;
                gather->columns[count++] = column;
            }
            gather->sums[column] += factor * l->values[slot];
        }
    }
    return count;
}

static int compare_columns(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a;
    int32_t y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

// The pattern: starts of rows and columns, which the caller releases.
static pli_status build_rows(pli_context *context, row_gather *gather, int64_t **row_start,
                             int32_t **column)
{
    int32_t vertex_count = gather->bilaplacian->laplacian->vertex_count;
    *row_start = PLI_NEW(context, int64_t, (int64_t)vertex_count + 1, "bilaplacian");
    if (*row_start == NULL) return PLI_ERROR_MEMORY;
    for (int32_t row = 0; row < vertex_count; ++row) {
        (*row_start)[row + 1] = (*row_start)[row] + gather_row(gather, row);
    }
    *column = PLI_NEW(context, int32_t, (*row_start)[vertex_count], "bilaplacian");
    if (*column == NULL) return PLI_ERROR_MEMORY;
    memset(gather->seen_by, 0, (size_t)vertex_count * sizeof *gather->seen_by);
    for (int32_t row = 0; row < vertex_count; ++row) {
        size_t count = (size_t)gather_row(gather, row);
        int32_t *columns = *column + (*row_start)[row];
        qsort(gather->columns, count, sizeof *columns, compare_columns);
        memcpy(columns, gather->columns, count * sizeof *columns);
    }
    return PLI_OK;
}

// Isotropic matrices are read from the first entries of their blocks.
static void fill_matrix(row_gather *gather, pli_bcsr *matrix)
{
    memset(gather->seen_by, 0, (size_t)matrix->row_count * sizeof *gather->seen_by);
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        gather_row(gather, row);
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            matrix->values[9 * slot] = gather->sums[matrix->column[slot]];
        }
    }
}

static pli_status build_matrix(pli_context *context, const pli_bilaplacian *bilaplacian,
                               pli_bcsr **matrix)
{
    pli_status status = PLI_ERROR_MEMORY;
    int32_t vertex_count = bilaplacian->laplacian->vertex_count;
    int64_t *row_start = NULL;
    int32_t *column = NULL;
    row_gather gather = {.bilaplacian = bilaplacian};
    gather.seen_by = PLI_NEW(context, int32_t, vertex_count, "bilaplacian");
    gather.sums = PLI_NEW(context, double, vertex_count, "bilaplacian");
    gather.columns = PLI_NEW(context, int32_t, vertex_count, "bilaplacian");
    if (gather.seen_by == NULL || gather.sums == NULL || gather.columns == NULL) goto done;
    status = build_rows(context, &gather, &row_start, &column);
    if (status != PLI_OK) goto done;
    status = pli_bcsr_create_from_rows(context, vertex_count, row_start, column, matrix);
    if (status == PLI_OK) fill_matrix(&gather, *matrix);

done:
    PLI_RELEASE(context, gather.seen_by, gather.sums, gather.columns, row_start, column);
    return status;
}

pli_status pli_bilaplacian_factor(pli_context *context, const pli_bilaplacian *bilaplacian,
                                  const pli_cholesky_def *def, bool *positive,
                                  pli_cholesky **cholesky)
{
    *positive = false;
    *cholesky = NULL;
    pli_bcsr *matrix = NULL;
    pli_cholesky_def isotropic = *def;
    isotropic.isotropic = true;
    pli_status status = build_matrix(context, bilaplacian, &matrix);
    if (status == PLI_OK) status = pli_cholesky_create(context, &isotropic, matrix, cholesky);
    if (status == PLI_OK) status = pli_cholesky_factor(*cholesky, matrix, 0, positive);
    pli_bcsr_destroy(matrix);
    if (!*positive) {
        pli_cholesky_destroy(*cholesky);
        *cholesky = NULL;
    }
    return status;
}

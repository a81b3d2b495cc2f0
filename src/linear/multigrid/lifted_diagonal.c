// SPDX-License-Identifier: Apache-2.0
#include "linear/multigrid/lifted_diagonal.h"

#include "linear/matrix/dense.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

enum { ROW_GRAIN = 4096 };

pli_status pli_lifted_diagonal_init(const pli_lifted *matrix, pli_lifted_diagonal *diagonal)
{
    *diagonal = (pli_lifted_diagonal){.matrix = matrix};
    return PLI_MAKE(matrix->context, diagonal->inverse, matrix->row_count, "inverse diagonal");
}

void pli_lifted_diagonal_clear(pli_lifted_diagonal *diagonal)
{
    if (diagonal->matrix == NULL) return;
    pli_context *context = diagonal->matrix->context;
    PLI_RELEASE(context, diagonal->inverse, diagonal->block_inverse);
    *diagonal = (pli_lifted_diagonal){0};
}

// inverse = 1 / s_ii; the sum counts those that are not positive
static pli_sum invert_range(void *user, int64_t begin, int64_t end)
{
    pli_lifted_diagonal *diagonal = user;
    const pli_lifted *matrix = diagonal->matrix;
    pli_sum wrong = {0, 0};
    for (int64_t row = begin; row < end; ++row) {
        double s = matrix->values[matrix->diagonal[row]];
        bool positive = s > 0 && isfinite(s);
        diagonal->inverse[row] = positive ? 1 / s : 0;
        wrong.hi += positive ? 0 : 1;
    }
    return wrong;
}

pli_status pli_lifted_diagonal_build(pli_lifted_diagonal *diagonal, bool *definite)
{
    const pli_lifted *matrix = diagonal->matrix;
    pli_sum wrong =
        pli_parallel_sum(matrix->context, matrix->row_count, ROW_GRAIN, invert_range, diagonal);
    diagonal->positive = pli_sum_value(wrong) == 0;
    return pli_lifted_diagonal_update_blocks(diagonal, definite);
}

static pli_status reserve_blocks(pli_lifted_diagonal *diagonal)
{
    const pli_lifted *matrix = diagonal->matrix;
    if (matrix->block_count <= diagonal->block_capacity) return PLI_OK;
    int32_t capacity = matrix->block_capacity;
    PLI_TRY(PLI_RESIZE(matrix->context, diagonal->block_inverse, 9 * (int64_t)capacity,
                       "inverse diagonal blocks"));
    diagonal->block_capacity = capacity;
    return PLI_OK;
}

pli_status pli_lifted_diagonal_update_blocks(pli_lifted_diagonal *diagonal, bool *definite)
{
    *definite = false;
    PLI_TRY(reserve_blocks(diagonal));
    const pli_lifted *matrix = diagonal->matrix;
    bool positive = diagonal->positive;
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        // (s I + D)^-1
        double A[9];
        double W[6];
        pli_mat3_copy(matrix->blocks + 9 * (int64_t)k, A);
        double s = matrix->values[matrix->diagonal[matrix->block_row[k]]];
        for (int c = 0; c < 3; ++c) A[4 * c] += s;
        if (!pli_dense3_safe_factor(A, W)) positive = false;
        pli_dense3_inverse(W, diagonal->block_inverse + 9 * (int64_t)k);
    }
    *definite = positive;
    return PLI_OK;
}

// z = inverse r for rows without blocks
static inline void scale_rows(const double *restrict inverse, const double *r, double *z,
                              int64_t begin, int64_t end)
{
    for (int64_t row = begin; row < end; ++row) {
        for (int c = 0; c < 3; ++c) z[3 * row + c] = inverse[row] * r[3 * row + c];
    }
}

void pli_lifted_diagonal_apply_rows(const pli_lifted_diagonal *diagonal, const double *r, double *z,
                                    int64_t begin, int64_t end)
{
    const pli_lifted *matrix = diagonal->matrix;
    int64_t row = begin;
    for (int32_t k = pli_lifted_first_block(matrix, begin); k < matrix->block_count; ++k) {
        int64_t next = matrix->block_row[k];
        if (next >= end) break;
        scale_rows(diagonal->inverse, r, z, row, next);
        double whole[3] = {r[3 * next], r[3 * next + 1], r[3 * next + 2]};
        pli_mat3_apply(diagonal->block_inverse + 9 * (int64_t)k, whole, z + 3 * next);
        row = next + 1;
    }
    scale_rows(diagonal->inverse, r, z, row, end);
}

static void apply_rows(const void *self, const double *x, double *y, int64_t begin, int64_t end)
{
    pli_lifted_diagonal_apply_rows(self, x, y, begin, end);
}

static void apply(const void *self, const double *x, double *y)
{
    const pli_lifted *matrix = ((const pli_lifted_diagonal *)self)->matrix;
    pli_operator_apply_by_rows(matrix->context, matrix->row_count, ROW_GRAIN, apply_rows, self, x,
                               y);
}

pli_operator pli_lifted_diagonal_operator(const pli_lifted_diagonal *diagonal)
{
    return (pli_operator){.size = 3 * (int64_t)diagonal->matrix->row_count,
                          .self = diagonal,
                          .apply = apply,
                          .apply_rows = apply_rows,
                          .is_local = true};
}

// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov/precondition.h"

#include "linear/krylov/gauss_seidel.h"
#include "linear/matrix/bcsr_extra.h"
#include "linear/matrix/block_kernel.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/vector.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <string.h>

enum { ROW_GRAIN = 2048, GROUP_GRAIN = 64, GROUP_SIDE = 3 * PLI_PRECONDITION_GROUP_LIMIT };

// What a kind does. Slots that are NULL: nothing to do, or not offered.
typedef struct precondition_ops {
    const char *name;
    int32_t values_per_row; // doubles of `values` per row, times the group size
    pli_status (*create)(pli_precondition *self, const pli_bcsr *matrix);
    int32_t (*build)(pli_precondition *self, const pli_bcsr *matrix);
    void (*apply)(const pli_precondition *self, const double *r, double *z);
    pli_range_fn apply_range; // the same for single rows, of a precondition_job
} precondition_ops;

struct pli_precondition {
    pli_context *context;
    const precondition_ops *ops;
    int32_t row_count;
    int32_t group_size; // rows per diagonal block
    uint64_t revision;  // of the pattern
    int32_t replaced_count;
    double *values; // the inverse of the diagonal: [row_count][3] or [group_count][3g][3g]
    pli_gauss_seidel *sweep;
};

// What the loop bodies work on.
typedef struct precondition_job {
    const pli_precondition *self;
    const pli_bcsr *matrix;
    const double *r;
    double *z;
} precondition_job;

static const double *diagonal_block(const precondition_job *job, int64_t row)
{
    return job->matrix->values + 9 * job->matrix->diagonal[row];
}

static void copy_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    memcpy(job->z + 3 * begin, job->r + 3 * begin, (size_t)(end - begin) * 3 * sizeof(double));
}

static void apply_none(const pli_precondition *self, const double *r, double *z)
{
    if (z != r) pli_vector_copy(self->context, 3 * (int64_t)self->row_count, r, z);
}

// Scalar Jacobi.

static pli_sum jacobi_build_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    pli_sum replaced = {0, 0};
    for (int64_t row = begin; row < end; ++row) {
        const double *block = diagonal_block(job, row);
        for (int i = 0; i < 3; ++i) {
            double d = block[4 * i];
            bool safe = d > 0 && isfinite(1 / d);
            if (!safe) {
                d = d < 0 && isfinite(1 / d) ? -d : 1;
                replaced.hi += 1;
            }
            job->z[3 * row + i] = 1 / d;
        }
    }
    return replaced;
}

static void jacobi_apply_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    const double *inverse = job->self->values;
    for (int64_t i = 3 * begin; i < 3 * end; ++i) job->z[i] = inverse[i] * job->r[i];
}

static void jacobi_apply(const pli_precondition *self, const double *r, double *z)
{
    precondition_job job = {.self = self, .r = r, .z = z};
    pli_parallel_for(self->context, self->row_count, ROW_GRAIN, jacobi_apply_range, &job);
}

// Block Jacobi with 3x3 blocks.

static pli_sum block_build_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    pli_sum replaced = {0, 0};
    for (int64_t row = begin; row < end; ++row) {
        double W[6];
        if (!pli_dense3_safe_factor(diagonal_block(job, row), W)) replaced.hi += 1;
        pli_dense3_inverse(W, job->z + 9 * row);
    }
    return replaced;
}

static void block_apply_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        pli_block_sum sum = {0};
        pli_block_sum_add(&sum, job->self->values + 9 * row, job->r + 3 * row);
        pli_block_sum_get(&sum, job->z + 3 * row);
    }
}

// Block Jacobi with groups of rows.

// Copies a 3x3 block to its place in a group's block, [side][side].
static void place_block(const double *from, int64_t row, int64_t column, int64_t side,
                        double *block)
{
    double *target = block + 3 * (row * side + column);
    for (int i = 0; i < 3; ++i) memcpy(target + i * side, from + 3 * i, 3 * sizeof(double));
}

// The lower triangle of the diagonal block of a group, [side][side], zero where nothing is stored.
static void gather_group(const pli_bcsr *matrix, int64_t first, int64_t last, double *block)
{
    int64_t side = 3 * (last - first);
    memset(block, 0, (size_t)(side * side) * sizeof(double));
    for (int64_t row = first; row < last; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot <= matrix->diagonal[row]; ++slot) {
            int64_t column = matrix->column[slot] - first;
            if (column >= 0) {
                place_block(matrix->values + 9 * slot, row - first, column, side, block);
            }
        }
    }
    const pli_bcsr_extra *extra = &matrix->extra;
    for (int64_t k = pli_bcsr_extra_begin(matrix, first); k < extra->count; ++k) {
        const pli_extra_block *one = extra->blocks + k;
        if (one->row >= last) break;
        if (one->column < first || one->column > one->row) continue;
        place_block(one->values, one->row - first, one->column - first, side, block);
    }
}

// Inverse of a factored block, exactly symmetric, [side][side].
static void invert_group(const pli_context *context, int32_t side, const double *L, double *inverse)
{
    memset(inverse, 0, (size_t)(side * side) * sizeof(double));
    for (int32_t i = 0; i < side; ++i) inverse[i * side + i] = 1;
    pli_dense_cholesky_solve(context, side, L, side, inverse);
    for (int32_t i = 0; i < side; ++i) {
        for (int32_t j = 0; j < i; ++j) inverse[j * side + i] = inverse[i * side + j];
    }
}

// A group that is not positive is replaced by its 3x3 blocks.
static void replace_group(const precondition_job *job, int64_t first, int64_t last, double *inverse)
{
    int64_t side = 3 * (last - first);
    memset(inverse, 0, (size_t)(side * side) * sizeof(double));
    for (int64_t row = first; row < last; ++row) {
        double W[6];
        double block[9];
        (void)pli_dense3_safe_factor(diagonal_block(job, row), W);
        pli_dense3_inverse(W, block);
        place_block(block, row - first, row - first, side, inverse);
    }
}

static pli_sum group_build_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    int64_t size = job->self->group_size;
    pli_sum replaced = {0, 0};
    for (int64_t group = begin; group < end; ++group) {
        double block[GROUP_SIDE * GROUP_SIDE];
        int64_t first = group * size;
        int64_t last = first + size < job->self->row_count ? first + size : job->self->row_count;
        int32_t side = (int32_t)(3 * (last - first));
        double *inverse = job->z + 9 * size * size * group;
        gather_group(job->matrix, first, last, block);
        if (pli_dense_cholesky_factor(job->self->context, side, block)) {
            invert_group(job->self->context, side, block, inverse);
        } else {
            replace_group(job, first, last, inverse);
            replaced.hi += 1;
        }
    }
    return replaced;
}

static void group_apply_range(void *user, int64_t begin, int64_t end)
{
    const precondition_job *job = user;
    int64_t size = job->self->group_size;
    for (int64_t group = begin; group < end; ++group) {
        int64_t first = group * size;
        int64_t last = first + size < job->self->row_count ? first + size : job->self->row_count;
        int64_t side = 3 * (last - first);
        const double *inverse = job->self->values + 9 * size * size * group;
        for (int64_t i = 0; i < side; ++i) {
            double sum = 0;
            for (int64_t j = 0; j < side; ++j) sum += inverse[i * side + j] * job->r[3 * first + j];
            job->z[3 * first + i] = sum;
        }
    }
}

static int64_t group_count(const pli_precondition *self)
{
    return ((int64_t)self->row_count + self->group_size - 1) / self->group_size;
}

static int32_t build_values(pli_precondition *self, const precondition_job *job, int64_t count,
                            int64_t grain, pli_range_sum_fn body)
{
    return (int32_t)pli_sum_value(
        pli_parallel_sum(self->context, count, grain, body, (void *)(uintptr_t)job));
}

static int32_t jacobi_build(pli_precondition *self, const pli_bcsr *matrix)
{
    precondition_job job = {.self = self, .matrix = matrix, .z = self->values};
    return build_values(self, &job, self->row_count, ROW_GRAIN, jacobi_build_range);
}

static int32_t block_build(pli_precondition *self, const pli_bcsr *matrix)
{
    precondition_job job = {.self = self, .matrix = matrix, .z = self->values};
    if (self->group_size > 1) {
        return build_values(self, &job, group_count(self), GROUP_GRAIN, group_build_range);
    }
    return build_values(self, &job, self->row_count, ROW_GRAIN, block_build_range);
}

static void block_apply(const pli_precondition *self, const double *r, double *z)
{
    precondition_job job = {.self = self, .r = r, .z = z};
    if (self->group_size > 1) {
        pli_parallel_for(self->context, group_count(self), 8 * GROUP_GRAIN, group_apply_range,
                         &job);
    } else {
        pli_parallel_for(self->context, self->row_count, ROW_GRAIN, block_apply_range, &job);
    }
}

static pli_status sweep_create(pli_precondition *self, const pli_bcsr *matrix)
{
    return pli_gauss_seidel_create(self->context, matrix, &self->sweep);
}

static int32_t sweep_build(pli_precondition *self, const pli_bcsr *matrix)
{
    return pli_gauss_seidel_build(self->sweep, matrix);
}

static void sweep_apply(const pli_precondition *self, const double *r, double *z)
{
    pli_gauss_seidel_apply(self->sweep, r, z);
}

static const precondition_ops kinds[PLI_PRECONDITION_KIND_COUNT] = {
    [PLI_PRECONDITION_NONE] = {.name = "none", .apply = apply_none, .apply_range = copy_range},
    [PLI_PRECONDITION_JACOBI] = {.name = "jacobi",
                                 .values_per_row = 3,
                                 .build = jacobi_build,
                                 .apply = jacobi_apply,
                                 .apply_range = jacobi_apply_range},
    [PLI_PRECONDITION_BLOCK_JACOBI] = {.name = "block-jacobi",
                                       .values_per_row = 9,
                                       .build = block_build,
                                       .apply = block_apply,
                                       .apply_range = block_apply_range},
    [PLI_PRECONDITION_GAUSS_SEIDEL] = {.name = "gauss-seidel",
                                       .create = sweep_create,
                                       .build = sweep_build,
                                       .apply = sweep_apply},
};

static pli_status check_def(pli_context *context, const pli_precondition_def *def)
{
    if (def->kind < 0 || def->kind >= PLI_PRECONDITION_KIND_COUNT) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "preconditioner kind %d is unknown",
                        (int)def->kind);
    }
    if (def->group_size < 0 || def->group_size > PLI_PRECONDITION_GROUP_LIMIT) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "blocks of %d rows in a preconditioner, allowed are 1 to %d",
                        (int)def->group_size, (int)PLI_PRECONDITION_GROUP_LIMIT);
    }
    return PLI_OK;
}

// Everything but the part that needs a pattern.
static pli_status precondition_make(pli_context *context, const pli_precondition_def *def,
                                    int32_t row_count, pli_precondition **made)
{
    PLI_TRY(check_def(context, def));
    pli_precondition *self = PLI_NEW(context, pli_precondition, 1, "preconditioner");
    if (self == NULL) return PLI_ERROR_MEMORY;
    self->context = context;
    self->ops = &kinds[def->kind];
    self->row_count = row_count;
    bool grouped = def->kind == PLI_PRECONDITION_BLOCK_JACOBI && def->group_size > 1;
    self->group_size = grouped ? def->group_size : 1;
    int64_t per_group = (int64_t)self->ops->values_per_row * self->group_size * self->group_size;
    if (per_group > 0) {
        self->values = PLI_NEW(context, double, group_count(self) * per_group, "preconditioner");
        if (self->values == NULL) {
            pli_release(context, self);
            return PLI_ERROR_MEMORY;
        }
    }
    *made = self;
    return PLI_OK;
}

pli_status pli_precondition_create(pli_context *context, const pli_precondition_def *def,
                                   const pli_bcsr *matrix, pli_precondition **precondition)
{
    *precondition = NULL;
    pli_precondition *self = NULL;
    PLI_TRY(precondition_make(context, def, matrix->row_count, &self));
    self->revision = matrix->revision;
    pli_status status = self->ops->create != NULL ? self->ops->create(self, matrix) : PLI_OK;
    if (status != PLI_OK) {
        pli_precondition_destroy(self);
        return status;
    }
    *precondition = self;
    return PLI_OK;
}

void pli_precondition_destroy(pli_precondition *precondition)
{
    if (precondition == NULL) return;
    pli_context *context = precondition->context;
    pli_gauss_seidel_destroy(precondition->sweep);
    PLI_RELEASE(context, precondition->values, precondition);
}

pli_status pli_precondition_build(pli_precondition *precondition, const pli_bcsr *matrix)
{
    if (precondition->revision != matrix->revision ||
        precondition->row_count != matrix->row_count) {
        return PLI_FAIL(precondition->context, PLI_ERROR_ARGUMENT,
                        "the preconditioner was made for another pattern (%d rows, the matrix has "
                        "%d); create it for this one",
                        (int)precondition->row_count, (int)matrix->row_count);
    }
    if (precondition->ops->build != NULL) {
        precondition->replaced_count = precondition->ops->build(precondition, matrix);
    }
    return PLI_OK;
}

void pli_precondition_apply(const pli_precondition *precondition, const double *r, double *z)
{
    precondition->ops->apply(precondition, r, z);
}

int32_t pli_precondition_replaced_count(const pli_precondition *precondition)
{
    return precondition->replaced_count;
}

static void apply_operator(const void *self, const double *r, double *z)
{
    pli_precondition_apply(self, r, z);
}

static void apply_rows(const void *self, const double *r, double *z, int64_t begin, int64_t end)
{
    const pli_precondition *precondition = self;
    precondition_job job = {.self = precondition, .r = r, .z = z};
    precondition->ops->apply_range(&job, begin, end);
}

pli_operator pli_precondition_operator(const pli_precondition *precondition)
{
    bool by_rows = precondition->ops->apply_range != NULL && precondition->group_size == 1;
    return (pli_operator){.size = 3 * (int64_t)precondition->row_count,
                          .self = precondition,
                          .apply = apply_operator,
                          .apply_rows = by_rows ? apply_rows : NULL,
                          .is_local = by_rows};
}

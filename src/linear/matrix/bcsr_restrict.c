// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/bcsr_extra.h"

#include "base/parallel.h"
#include "math/mat3.h"

enum { ROW_GRAIN = 64, BLOCK_GRAIN = 512, BATCH = 32 };

typedef struct restrict_job {
    pli_bcsr *matrix;
    int32_t count;
    const int32_t *rows;
    const double *tangents;
    const double *additions;
    double diagonal;
} restrict_job;

// T of a row that stands among the listed rows [low, high), or NULL when it is not there.
static const double *find_tangent(const restrict_job *job, int64_t low, int64_t high, int32_t row)
{
    int64_t end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (job->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && job->rows[low] == row ? job->tangents + 9 * low : NULL;
}

// T of another row than listed row k: as rows increase, it is no further away in the list than in
// the matrix.
static const double *find_near(const restrict_job *job, int64_t k, int32_t row)
{
    int64_t distance = (int64_t)row - job->rows[k];
    if (distance < 0) return find_tangent(job, k + distance > 0 ? k + distance : 0, k, row);
    int64_t end = k + distance + 1;
    return find_tangent(job, k + 1, end < job->count ? end : job->count, row);
}

// A <- T A
static void project_left(const double T[9], double A[9])
{
    double product[9];
    pli_mat3_multiply(T, A, product);
    pli_mat3_copy(product, A);
}

// A <- A T
static void project_right(const double T[9], double A[9])
{
    double product[9];
    pli_mat3_multiply(A, T, product);
    pli_mat3_copy(product, A);
}

// A_ii <- T (A_ii + addition) T + scale (I - T)
static void restrict_diagonal(const restrict_job *job, int64_t k)
{
    const double *T = job->tangents + 9 * k;
    double *block = job->matrix->values + 9 * job->matrix->diagonal[job->rows[k]];
    double mean = pli_mat3_trace(block) / 3;
    double own = mean > 0 && isfinite(mean) ? mean : 1;
    double scale = job->diagonal > 0 ? job->diagonal : own;
    if (job->additions != NULL) {
        pli_mat3_add_scaled(block, 1, job->additions + 9 * k, block);
    }
    project_left(T, block);
    project_right(T, block);
    for (int i = 0; i < 9; ++i) block[i] += scale * ((i % 4 == 0 ? 1 : 0) - T[i]);
}

// A block A_ij, its mirror A_ji, and the projector of j.
typedef struct block_pair {
    double *block;
    double *mirror;
    const double *Tj; // NULL: identity
} block_pair;

// Finds the pairs of listed row k in slots [begin, end), at most BATCH, and returns how many belong
// to it: a pair belongs to the smaller of its rows that are listed. Mirrors lie all over memory, so
// they are fetched together: first where to search, then what was found.
static int32_t gather_pairs(const restrict_job *job, int64_t k, int64_t begin, int64_t end,
                            block_pair *pairs)
{
    const pli_bcsr *matrix = job->matrix;
    int32_t row = job->rows[k];
    int32_t count = 0;
    for (int64_t slot = begin; slot < end; ++slot) {
        __builtin_prefetch(matrix->column + matrix->row_start[matrix->column[slot]]);
    }
    for (int64_t slot = begin; slot < end; ++slot) {
        int32_t column = matrix->column[slot];
        if (column == row) continue;
        const double *Tj = find_near(job, k, column);
        if (Tj != NULL && column < row) continue;
        double *mirror = matrix->values + 9 * pli_bcsr_find(matrix, column, row);
        __builtin_prefetch(mirror, 1);
        __builtin_prefetch(mirror + 8, 1);
        pairs[count++] = (block_pair){matrix->values + 9 * slot, mirror, Tj};
    }
    return count;
}

// A_ij <- T_i A_ij T_j and its mirror; T of the smaller listed row goes first on both sides, so
// that they stay mirror images.
static void restrict_pair(const double Ti[9], const block_pair *pair)
{
    project_left(Ti, pair->block);
    project_right(Ti, pair->mirror);
    if (pair->Tj == NULL) return;
    project_right(pair->Tj, pair->block);
    project_left(pair->Tj, pair->mirror);
}

static void restrict_rows(void *user, int64_t begin, int64_t end)
{
    const restrict_job *job = user;
    const int64_t *row_start = job->matrix->row_start;
    for (int64_t k = begin; k < end; ++k) {
        PLI_ASSERT(job->matrix->context, k == 0 || job->rows[k - 1] < job->rows[k]);
        int64_t last = row_start[job->rows[k] + 1];
        restrict_diagonal(job, k);
        for (int64_t slot = row_start[job->rows[k]]; slot < last; slot += BATCH) {
            block_pair pairs[BATCH];
            int32_t count =
                gather_pairs(job, k, slot, slot + BATCH < last ? slot + BATCH : last, pairs);
            for (int32_t p = 0; p < count; ++p) restrict_pair(job->tangents + 9 * k, &pairs[p]);
        }
    }
}

static void restrict_extra(void *user, int64_t begin, int64_t end)
{
    const restrict_job *job = user;
    for (int64_t k = begin; k < end; ++k) {
        pli_extra_block *block = job->matrix->extra.blocks + k;
        const double *Ti = find_tangent(job, 0, job->count, block->row);
        const double *Tj = find_tangent(job, 0, job->count, block->column);
        bool left_first = block->row < block->column;
        if (left_first && Ti != NULL) project_left(Ti, block->values);
        if (Tj != NULL) project_right(Tj, block->values);
        if (!left_first && Ti != NULL) project_left(Ti, block->values);
    }
}

void pli_bcsr_restrict(pli_bcsr *matrix, int32_t count, const int32_t *rows, const double *tangents,
                       const double *additions, double diagonal)
{
    pli_bcsr_close_extra(matrix);
    if (count == 0) return;
    restrict_job job = {matrix, count, rows, tangents, additions, diagonal};
    pli_parallel_for(matrix->context, count, ROW_GRAIN, restrict_rows, &job);
    pli_parallel_for(matrix->context, matrix->extra.count, BLOCK_GRAIN, restrict_extra, &job);
}

// SPDX-License-Identifier: Apache-2.0
#include "linear/krylov/gauss_seidel.h"

#include "linear/matrix/block_kernel.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/sweep_order.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { ROW_GRAIN = 256 };

// One triangle of the scaled matrix by rows in our order.
typedef struct triangle {
    int64_t *start;  // [row_count + 1]
    int32_t *column; // [count]  place of the other row
    float *values;   // [count][9]
} triangle;

struct pli_gauss_seidel {
    pli_context *context;
    int32_t row_count;

    pli_sweep_order *order; // made by create

    // patterns, made by create; values, made by build
    triangle lower;
    triangle upper;
    int32_t *source; // [lower count]  slot in the matrix that a lower block comes from
    int32_t *mirror; // [lower count]  its transpose among the upper blocks
    double *scale;   // [row_count][6]  C^-1 by place, lower triangle as in dense.h

    // scratch of an application
    double *t; // [row_count][3]  by place
};

// Numbers of blocks before and after the diagonal, by place, summed up to starts.
static void count_triangles(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    for (int32_t place = 0; place < sweep->row_count; ++place) {
        int32_t row = sweep->order->node_of_place[place];
        int64_t lower = 0;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (sweep->order->place_of_node[matrix->column[slot]] < place) ++lower;
        }
        int64_t upper = matrix->row_start[row + 1] - matrix->row_start[row] - 1 - lower;
        sweep->lower.start[place + 1] = sweep->lower.start[place] + lower;
        sweep->upper.start[place + 1] = sweep->upper.start[place] + upper;
    }
}

typedef struct build_job {
    pli_gauss_seidel *sweep;
    const pli_bcsr *matrix;
} build_job;

static void fill_triangles_range(void *user, int64_t begin, int64_t end)
{
    const build_job *job = user;
    pli_gauss_seidel *sweep = job->sweep;
    const pli_bcsr *matrix = job->matrix;
    for (int64_t place = begin; place < end; ++place) {
        int32_t row = sweep->order->node_of_place[place];
        int64_t lower = sweep->lower.start[place];
        int64_t upper = sweep->upper.start[place];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int32_t other = sweep->order->place_of_node[matrix->column[slot]];
            if (other < place) {
                sweep->source[lower] = (int32_t)slot;
                sweep->lower.column[lower++] = other;
            } else if (other > place) {
                sweep->upper.column[upper++] = other;
            }
        }
    }
}

// Where the transpose of each lower block stands among the upper ones.
static void find_mirrors_range(void *user, int64_t begin, int64_t end)
{
    pli_gauss_seidel *sweep = user;
    for (int64_t place = begin; place < end; ++place) {
        for (int64_t k = sweep->lower.start[place]; k < sweep->lower.start[place + 1]; ++k) {
            int64_t mirror = sweep->upper.start[sweep->lower.column[k]];
            while (sweep->upper.column[mirror] != place) ++mirror;
            sweep->mirror[k] = (int32_t)mirror;
        }
    }
}

static pli_status triangle_init(pli_context *context, int64_t row_count, int64_t count,
                                triangle *made)
{
    PLI_TRY(PLI_MAKE(context, made->start, row_count + 1, "sweep rows"));
    PLI_TRY(PLI_MAKE(context, made->column, count, "sweep columns"));
    return PLI_MAKE(context, made->values, 9 * count, "sweep values");
}

static void triangle_clear(pli_context *context, triangle *one)
{
    PLI_RELEASE(context, one->start, one->column, one->values);
}

static pli_status build_patterns(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    pli_context *context = sweep->context;
    int64_t rows = sweep->row_count;
    int64_t count = (matrix->block_count - rows) / 2;
    PLI_TRY(triangle_init(context, rows, count, &sweep->lower));
    PLI_TRY(triangle_init(context, rows, count, &sweep->upper));
    PLI_TRY(PLI_MAKE(context, sweep->source, count, "sweep sources"));
    PLI_TRY(PLI_MAKE(context, sweep->mirror, count, "sweep mirrors"));
    PLI_TRY(PLI_MAKE(context, sweep->scale, 6 * rows, "sweep scale"));
    PLI_TRY(PLI_MAKE(context, sweep->t, 3 * rows, "sweep scratch"));
    count_triangles(sweep, matrix);
    build_job job = {sweep, matrix};
    pli_parallel_for(context, rows, ROW_GRAIN, fill_triangles_range, &job);
    pli_parallel_for(context, rows, ROW_GRAIN, find_mirrors_range, sweep);
    return PLI_OK;
}

pli_status pli_gauss_seidel_create(pli_context *context, const pli_bcsr *matrix,
                                   pli_gauss_seidel **sweep)
{
    *sweep = NULL;
    if (matrix->block_count > INT32_MAX) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "Gauss-Seidel on %lld blocks; 2^31 - 1 is the limit",
                        (long long)matrix->block_count);
    }
    pli_gauss_seidel *made = PLI_NEW(context, pli_gauss_seidel, 1, "sweep");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->row_count = matrix->row_count;
    pli_graph graph = pli_bcsr_graph(matrix);
    pli_status status = pli_sweep_order_create(context, &graph, NULL, false, &made->order);
    if (status == PLI_OK) status = build_patterns(made, matrix);
    if (status != PLI_OK) {
        pli_gauss_seidel_destroy(made);
        return status;
    }
    *sweep = made;
    return PLI_OK;
}

void pli_gauss_seidel_destroy(pli_gauss_seidel *sweep)
{
    if (sweep == NULL) return;
    pli_context *context = sweep->context;
    pli_sweep_order_destroy(sweep->order);
    triangle_clear(context, &sweep->lower);
    triangle_clear(context, &sweep->upper);
    PLI_RELEASE(context, sweep->source, sweep->mirror, sweep->scale, sweep->t, sweep);
}

// C^-1 of every diagonal block; the sum counts the blocks that were replaced.
static pli_sum scale_range(void *user, int64_t begin, int64_t end)
{
    const build_job *job = user;
    pli_sum replaced = {0, 0};
    for (int64_t place = begin; place < end; ++place) {
        int64_t row = job->sweep->order->node_of_place[place];
        const double *D = job->matrix->values + 9 * job->matrix->diagonal[row];
        if (pli_dense3_safe_factor(D, job->sweep->scale + 6 * place)) continue;
        replaced.hi += 1;
    }
    return replaced;
}

// L^_ij = C_i^-1 A_ij C_j^-T, rounded once; U^_ji is its transpose.
static void scale_block(const double Wi[6], const double A[9], const double Wj[6], float *L,
                        float *U)
{
    double half[9]; // rows: (C_j^-1 A_ij^T) transposed, that is A_ij C_j^-T
    for (int r = 0; r < 3; ++r) pli_dense3_apply(Wj, A + 3 * r, half + 3 * r);
    for (int c = 0; c < 3; ++c) {
        double column[3] = {half[c], half[3 + c], half[6 + c]};
        pli_dense3_apply(Wi, column, column);
        for (int r = 0; r < 3; ++r) {
            L[3 * r + c] = (float)column[r];
            U[3 * c + r] = L[3 * r + c];
        }
    }
}

static void scale_triangles_range(void *user, int64_t begin, int64_t end)
{
    const build_job *job = user;
    pli_gauss_seidel *sweep = job->sweep;
    for (int64_t place = begin; place < end; ++place) {
        const double *Wi = sweep->scale + 6 * place;
        for (int64_t k = sweep->lower.start[place]; k < sweep->lower.start[place + 1]; ++k) {
            scale_block(Wi, job->matrix->values + 9 * (int64_t)sweep->source[k],
                        sweep->scale + 6 * (int64_t)sweep->lower.column[k],
                        sweep->lower.values + 9 * k,
                        sweep->upper.values + 9 * (int64_t)sweep->mirror[k]);
        }
    }
}

int32_t pli_gauss_seidel_build(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    build_job job = {sweep, matrix};
    pli_sum replaced =
        pli_parallel_sum(sweep->context, sweep->row_count, ROW_GRAIN, scale_range, &job);
    pli_parallel_for(sweep->context, sweep->row_count, ROW_GRAIN, scale_triangles_range, &job);
    return (int32_t)pli_sum_value(replaced);
}

typedef struct sweep_job {
    const pli_gauss_seidel *sweep;
    const double *r;
    double *z;
} sweep_job;

// t_i minus the sum of blocks times the t of other rows
static inline void subtract_row(const triangle *part, const double *t, int64_t place, double out[3])
{
    pli_block_sum sum = {0};
    int64_t last = part->start[place + 1];
    for (int64_t k = part->start[place]; k < last; ++k) {
        pli_block_sum_add_single(&sum, part->values + 9 * k, t + 3 * (int64_t)part->column[k]);
    }
    double total[3];
    pli_block_sum_get(&sum, total);
    pli_vec3_subtract(out, total, out);
}

// (I + L^) t = C^-1 r on the clusters of one colour
static void forward_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    const pli_gauss_seidel *sweep = job->sweep;
    for (int64_t place = begin; place < end; ++place) {
        double *t = sweep->t + 3 * place;
        pli_dense3_apply(sweep->scale + 6 * place,
                         job->r + 3 * (int64_t)sweep->order->node_of_place[place], t);
        subtract_row(&sweep->lower, sweep->t, place, t);
    }
}

// (I + U^) t = t and z = C^-T t on the clusters of one colour, last row first
static void backward_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    const pli_gauss_seidel *sweep = job->sweep;
    for (int64_t place = end - 1; place >= begin; --place) {
        double *t = sweep->t + 3 * place;
        subtract_row(&sweep->upper, sweep->t, place, t);
        pli_dense3_apply_transposed(sweep->scale + 6 * place, t,
                                    job->z + 3 * (int64_t)sweep->order->node_of_place[place]);
    }
}

void pli_gauss_seidel_apply(const pli_gauss_seidel *sweep, const double *r, double *z)
{
    sweep_job job = {sweep, r, z};
    pli_sweep_order_run(sweep->order, false, forward_range, &job);
    pli_sweep_order_run(sweep->order, true, backward_range, &job);
}

int32_t pli_gauss_seidel_color_count(const pli_gauss_seidel *sweep)
{
    return sweep->order->color_count;
}

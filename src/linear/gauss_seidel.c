// SPDX-License-Identifier: Apache-2.0
#include "linear/gauss_seidel.h"

#include "linear/block_kernel.h"
#include "linear/coloring.h"
#include "linear/dense.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum {
    CLUSTER_LARGEST = 512, // rows: a cluster's part of L^ and U^ fits a second-level cache
    CLUSTER_SMALLEST = 64,
    CLUSTER_COUNT = 64, // clusters wanted before they become as large as that
    FEW_COLORS = 8,     // more than these and clusters are grown along the graph
    ROW_GRAIN = 256,
    SWEEP_GRAIN = 512 // rows that are worth a thread
};

// One triangle of the scaled matrix by rows in our order.
typedef struct triangle {
    int64_t *start;  // [row_count + 1]
    int32_t *column; // [count]  place of the other row
    float *values;   // [count][9]
} triangle;

struct pli_gauss_seidel {
    pli_context *context;
    int32_t row_count;

    // the order, made by create
    int32_t *row_of_place; // [row_count]
    int32_t *place_of_row; // [row_count]
    int32_t cluster_count;
    int32_t *cluster_begin; // [cluster_count + 1]  first place of a cluster
    int32_t grain;          // clusters per block of a parallel loop
    int32_t color_count;
    int32_t *color_begin; // [color_count + 1]  first cluster of a colour

    // patterns, made by create; values, made by build
    triangle lower;
    triangle upper;
    int32_t *source; // [lower count]  slot in the matrix that a lower block comes from
    int32_t *mirror; // [lower count]  its transpose among the upper blocks
    double *scale;   // [row_count][6]  C^-1 by place, lower triangle as in dense.h

    // scratch of an application
    double *t; // [row_count][3]  by place
};

// Scratch of the set-up.
typedef struct cluster_state {
    const pli_bcsr *matrix;
    int32_t *queue;         // [row_count]      rows in the order they joined a cluster
    int32_t *cluster;       // [row_count]      cluster of a row, or -1
    int32_t *cluster_begin; // [row_count + 1]  where a cluster begins in queue
    int32_t cluster_count;

    // couplings of clusters
    int64_t *start;    // [cluster_count + 1]
    int32_t *neighbor; // [start[cluster_count]]
    int32_t *mark;     // [cluster_count]
} cluster_state;

static int32_t cluster_size(int32_t row_count)
{
    int32_t size = row_count / CLUSTER_COUNT;
    if (size < CLUSTER_SMALLEST) return CLUSTER_SMALLEST;
    return size < CLUSTER_LARGEST ? size : CLUSTER_LARGEST;
}

// Adds the free neighbours of a row to the queue until the cluster is full.
static int32_t join_neighbors(cluster_state *state, int32_t row, int32_t count, int32_t limit)
{
    const pli_bcsr *matrix = state->matrix;
    for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
        int32_t other = matrix->column[slot];
        if (count == limit) break;
        if (state->cluster[other] >= 0) continue;
        state->cluster[other] = state->cluster_count;
        state->queue[count++] = other;
    }
    return count;
}

// Clusters of consecutive rows, as good as any when the numbering follows the geometry.
static void cut_clusters(cluster_state *state)
{
    int32_t row_count = state->matrix->row_count;
    int32_t size = cluster_size(row_count);
    for (int32_t row = 0; row < row_count; ++row) {
        if (row % size == 0) state->cluster_begin[state->cluster_count++] = row;
        state->cluster[row] = state->cluster_count - 1;
        state->queue[row] = row;
    }
    state->cluster_begin[state->cluster_count] = row_count;
}

// Grows clusters one after the other, breadth first from the first free row; a cluster that runs
// out of neighbours goes on from the next free row.
static void grow_clusters(cluster_state *state)
{
    int32_t row_count = state->matrix->row_count;
    int32_t size = cluster_size(row_count);
    int32_t seed = 0;
    int32_t count = 0;
    for (int32_t row = 0; row < row_count; ++row) state->cluster[row] = -1;
    while (count < row_count) {
        state->cluster_begin[state->cluster_count] = count;
        int32_t limit = row_count - count < size ? row_count : count + size;
        for (int32_t next = count; count < limit; ++next) {
            if (next == count) {
                while (state->cluster[seed] >= 0) ++seed;
                state->cluster[seed] = state->cluster_count;
                state->queue[count++] = seed;
            }
            count = join_neighbors(state, state->queue[next], count, limit);
        }
        ++state->cluster_count;
    }
    state->cluster_begin[state->cluster_count] = row_count;
}

// Counts, or with fill writes, the other clusters that a cluster is coupled to.
static int64_t visit_neighbors(cluster_state *state, int32_t cluster, bool fill)
{
    const pli_bcsr *matrix = state->matrix;
    int64_t count = 0;
    int32_t stamp = 2 * cluster + (fill ? 2 : 1);
    for (int32_t k = state->cluster_begin[cluster]; k < state->cluster_begin[cluster + 1]; ++k) {
        int32_t row = state->queue[k];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int32_t other = state->cluster[matrix->column[slot]];
            if (other == cluster || state->mark[other] == stamp) continue;
            state->mark[other] = stamp;
            if (fill) state->neighbor[state->start[cluster] + count] = other;
            ++count;
        }
    }
    return count;
}

static void clear_cluster_graph(cluster_state *state)
{
    pli_context *context = state->matrix->context;
    pli_release(context, state->start);
    pli_release(context, state->neighbor);
    pli_release(context, state->mark);
    state->start = NULL;
    state->neighbor = NULL;
    state->mark = NULL;
}

static pli_status build_cluster_graph(cluster_state *state)
{
    pli_context *context = state->matrix->context;
    int32_t n = state->cluster_count;
    state->start = PLI_NEW(context, int64_t, (int64_t)n + 1, "cluster graph");
    state->mark = PLI_NEW(context, int32_t, n, "cluster graph");
    if (state->start == NULL || state->mark == NULL) return PLI_ERROR_MEMORY;
    for (int32_t cluster = 0; cluster < n; ++cluster) {
        state->start[cluster + 1] = state->start[cluster] + visit_neighbors(state, cluster, false);
    }
    state->neighbor = PLI_NEW(context, int32_t, state->start[n], "cluster graph");
    if (state->neighbor == NULL) return PLI_ERROR_MEMORY;
    for (int32_t cluster = 0; cluster < n; ++cluster) visit_neighbors(state, cluster, true);
    return PLI_OK;
}

// Numbers the rows by colour, cluster, and place in the cluster.
static pli_status number_rows(pli_gauss_seidel *sweep, const cluster_state *state,
                              const pli_graph_coloring *coloring)
{
    pli_context *context = sweep->context;
    sweep->cluster_count = state->cluster_count;
    sweep->grain = SWEEP_GRAIN / cluster_size(sweep->row_count);
    sweep->color_count = coloring->color_count;
    sweep->cluster_begin =
        PLI_NEW(context, int32_t, (int64_t)state->cluster_count + 1, "sweep clusters");
    sweep->color_begin =
        PLI_NEW(context, int32_t, (int64_t)coloring->color_count + 1, "sweep colours");
    if (sweep->cluster_begin == NULL || sweep->color_begin == NULL) return PLI_ERROR_MEMORY;
    memcpy(sweep->color_begin, coloring->color_begin,
           ((size_t)coloring->color_count + 1) * sizeof(int32_t));
    int32_t place = 0;
    for (int32_t k = 0; k < state->cluster_count; ++k) {
        int32_t cluster = coloring->node[k];
        int32_t first = state->cluster_begin[cluster];
        sweep->cluster_begin[k] = place;
        for (; first < state->cluster_begin[cluster + 1]; ++first, ++place) {
            sweep->row_of_place[place] = state->queue[first];
            sweep->place_of_row[state->queue[first]] = place;
        }
    }
    sweep->cluster_begin[state->cluster_count] = place;
    return PLI_OK;
}

// Makes clusters and colours them.
static pli_status color_clusters(cluster_state *state, void (*make)(cluster_state *state),
                                 pli_graph_coloring **coloring)
{
    pli_context *context = state->matrix->context;
    pli_graph_coloring_destroy(*coloring);
    *coloring = NULL;
    clear_cluster_graph(state);
    state->cluster_count = 0;
    make(state);
    PLI_TRY(build_cluster_graph(state));
    pli_graph graph = {state->cluster_count, state->start, state->neighbor};
    return pli_graph_coloring_create(context, &graph, PLI_COLORING_GREEDY, 0, coloring);
}

static pli_status order_rows(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    pli_context *context = sweep->context;
    int64_t rows = matrix->row_count;
    pli_graph_coloring *coloring = NULL;
    cluster_state state = {.matrix = matrix,
                           .queue = PLI_NEW(context, int32_t, rows, "sweep clusters"),
                           .cluster = PLI_NEW(context, int32_t, rows, "sweep clusters"),
                           .cluster_begin = PLI_NEW(context, int32_t, rows + 1, "sweep clusters")};
    pli_status status = PLI_ERROR_MEMORY;
    if (state.queue == NULL || state.cluster == NULL || state.cluster_begin == NULL) goto done;

    // the numbering as it is, or clusters of our own when it couples everything with everything
    status = color_clusters(&state, cut_clusters, &coloring);
    if (status == PLI_OK && coloring->color_count > FEW_COLORS) {
        status = color_clusters(&state, grow_clusters, &coloring);
    }
    if (status == PLI_OK) status = number_rows(sweep, &state, coloring);

done:
    pli_graph_coloring_destroy(coloring);
    clear_cluster_graph(&state);
    pli_release(context, state.queue);
    pli_release(context, state.cluster);
    pli_release(context, state.cluster_begin);
    return status;
}

// Numbers of blocks before and after the diagonal, by place, summed up to starts.
static void count_triangles(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    for (int32_t place = 0; place < sweep->row_count; ++place) {
        int32_t row = sweep->row_of_place[place];
        int64_t lower = 0;
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            if (sweep->place_of_row[matrix->column[slot]] < place) ++lower;
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
        int32_t row = sweep->row_of_place[place];
        int64_t lower = sweep->lower.start[place];
        int64_t upper = sweep->upper.start[place];
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int32_t other = sweep->place_of_row[matrix->column[slot]];
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
    made->start = PLI_NEW(context, int64_t, row_count + 1, "sweep rows");
    made->column = PLI_NEW(context, int32_t, count, "sweep columns");
    made->values = PLI_NEW(context, float, 9 * count, "sweep values");
    return made->start != NULL && made->column != NULL && made->values != NULL ? PLI_OK
                                                                               : PLI_ERROR_MEMORY;
}

static void triangle_clear(pli_context *context, triangle *one)
{
    pli_release(context, one->start);
    pli_release(context, one->column);
    pli_release(context, one->values);
}

static pli_status build_patterns(pli_gauss_seidel *sweep, const pli_bcsr *matrix)
{
    pli_context *context = sweep->context;
    int64_t rows = sweep->row_count;
    int64_t count = (matrix->block_count - rows) / 2;
    PLI_TRY(triangle_init(context, rows, count, &sweep->lower));
    PLI_TRY(triangle_init(context, rows, count, &sweep->upper));
    sweep->source = PLI_NEW(context, int32_t, count, "sweep sources");
    sweep->mirror = PLI_NEW(context, int32_t, count, "sweep mirrors");
    sweep->scale = PLI_NEW(context, double, 6 * rows, "sweep scale");
    sweep->t = PLI_NEW(context, double, 3 * rows, "sweep scratch");
    if (sweep->source == NULL || sweep->mirror == NULL || sweep->scale == NULL ||
        sweep->t == NULL) {
        return PLI_ERROR_MEMORY;
    }
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
    made->row_of_place = PLI_NEW(context, int32_t, made->row_count, "sweep order");
    made->place_of_row = PLI_NEW(context, int32_t, made->row_count, "sweep order");
    pli_status status = PLI_ERROR_MEMORY;
    if (made->row_of_place == NULL || made->place_of_row == NULL) goto failed;
    status = order_rows(made, matrix);
    if (status != PLI_OK) goto failed;
    status = build_patterns(made, matrix);
    if (status != PLI_OK) goto failed;
    *sweep = made;
    return PLI_OK;

failed:
    pli_gauss_seidel_destroy(made);
    return status;
}

void pli_gauss_seidel_destroy(pli_gauss_seidel *sweep)
{
    if (sweep == NULL) return;
    pli_context *context = sweep->context;
    pli_release(context, sweep->row_of_place);
    pli_release(context, sweep->place_of_row);
    pli_release(context, sweep->cluster_begin);
    pli_release(context, sweep->color_begin);
    triangle_clear(context, &sweep->lower);
    triangle_clear(context, &sweep->upper);
    pli_release(context, sweep->source);
    pli_release(context, sweep->mirror);
    pli_release(context, sweep->scale);
    pli_release(context, sweep->t);
    pli_release(context, sweep);
}

// C^-1 of every diagonal block; the sum counts the blocks that were replaced.
static pli_sum scale_range(void *user, int64_t begin, int64_t end)
{
    const build_job *job = user;
    pli_sum replaced = {0, 0};
    for (int64_t place = begin; place < end; ++place) {
        int64_t row = job->sweep->row_of_place[place];
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
    int32_t first_cluster; // of the colour
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
    int64_t first = sweep->cluster_begin[job->first_cluster + begin];
    int64_t last = sweep->cluster_begin[job->first_cluster + end];
    for (int64_t place = first; place < last; ++place) {
        double *t = sweep->t + 3 * place;
        pli_dense3_apply(sweep->scale + 6 * place, job->r + 3 * (int64_t)sweep->row_of_place[place],
                         t);
        subtract_row(&sweep->lower, sweep->t, place, t);
    }
}

// (I + U^) t = t and z = C^-T t on the clusters of one colour, last row first
static void backward_range(void *user, int64_t begin, int64_t end)
{
    const sweep_job *job = user;
    const pli_gauss_seidel *sweep = job->sweep;
    int64_t first = sweep->cluster_begin[job->first_cluster + begin];
    int64_t last = sweep->cluster_begin[job->first_cluster + end];
    for (int64_t place = last - 1; place >= first; --place) {
        double *t = sweep->t + 3 * place;
        subtract_row(&sweep->upper, sweep->t, place, t);
        pli_dense3_apply_transposed(sweep->scale + 6 * place, t,
                                    job->z + 3 * (int64_t)sweep->row_of_place[place]);
    }
}

void pli_gauss_seidel_apply(const pli_gauss_seidel *sweep, const double *r, double *z)
{
    sweep_job job = {sweep, r, z, 0};
    for (int32_t color = 0; color < sweep->color_count; ++color) {
        job.first_cluster = sweep->color_begin[color];
        int64_t count = sweep->color_begin[color + 1] - job.first_cluster;
        pli_parallel_for(sweep->context, count, sweep->grain, forward_range, &job);
    }
    for (int32_t color = sweep->color_count - 1; color >= 0; --color) {
        job.first_cluster = sweep->color_begin[color];
        int64_t count = sweep->color_begin[color + 1] - job.first_cluster;
        pli_parallel_for(sweep->context, count, sweep->grain, backward_range, &job);
    }
}

int32_t pli_gauss_seidel_color_count(const pli_gauss_seidel *sweep)
{
    return sweep->color_count;
}

static int64_t triangle_bytes(const triangle *one)
{
    return (int64_t)(pli_memory_size(one->start) + pli_memory_size(one->column) +
                     pli_memory_size(one->values));
}

int64_t pli_gauss_seidel_memory_bytes(const pli_gauss_seidel *sweep)
{
    size_t own = pli_memory_size(sweep) + pli_memory_size(sweep->row_of_place) +
                 pli_memory_size(sweep->place_of_row) + pli_memory_size(sweep->cluster_begin) +
                 pli_memory_size(sweep->color_begin) + pli_memory_size(sweep->source) +
                 pli_memory_size(sweep->mirror) + pli_memory_size(sweep->scale) +
                 pli_memory_size(sweep->t);
    return (int64_t)own + triangle_bytes(&sweep->lower) + triangle_bytes(&sweep->upper);
}

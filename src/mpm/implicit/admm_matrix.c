// SPDX-License-Identifier: Apache-2.0
//
// The matrix of x-steps, cell by cell as that of implicit.h.
#include "mpm/implicit/admm_inside.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "mpm/implicit/cloud_inside.h"

enum { LANES = PLI_CLOUD_LANES, VECTORS = PLI_SPLINE_NODES / 4, ROW_GRAIN = 64 };

void pli_admm_matrix_clear(pli_admm_matrix *matrix)
{
    pli_release(matrix->context, matrix->column);
    pli_release(matrix->context, matrix->values);
    pli_release(matrix->context, matrix->inverse);
    pli_release(matrix->context, matrix->expanded);
    *matrix = (pli_admm_matrix){0};
}

static bool grow(pli_context *context, void **array, int64_t count, size_t size)
{
    void *grown = pli_reallocate(context, *array, count, size, "matrix of ADMM");
    if (grown != NULL) *array = grown;
    return grown != NULL;
}

static pli_status reserve(pli_admm_matrix *matrix, const pli_implicit *implicit)
{
    int32_t side = 2 * pli_implicit_reach(implicit) + 1;
    int32_t count = implicit->cloud->nodes->count;
    pli_context *context = implicit->context;
    matrix->context = context;
    matrix->width = side * side * side;
    matrix->row_count = count;
    if (count <= matrix->row_room) return PLI_OK;
    int64_t room = (int64_t)count + count / 4;
    int64_t slots = room * matrix->width;
    bool good = grow(context, (void **)&matrix->column, slots, sizeof *matrix->column) &&
                grow(context, (void **)&matrix->values, slots, sizeof *matrix->values) &&
                grow(context, (void **)&matrix->inverse, room, sizeof *matrix->inverse) &&
                grow(context, (void **)&matrix->expanded, 4 * room, sizeof *matrix->expanded);
    if (good) matrix->row_room = (int32_t)room;
    return good ? PLI_OK : PLI_ERROR_MEMORY;
}

// ---- cells

// sum_p V_p c_p g_ip . g_jp of the nodes of a cell, [i][j, four at a time], for j from the vector
// of i on
typedef struct cell_matrix {
    pli_d4 K[PLI_SPLINE_NODES][VECTORS];
} cell_matrix;

typedef struct assembly_job {
    const pli_implicit *implicit;
    const double *c;
    pli_admm_matrix *matrix;
    int32_t first; // of the colour, among blocks by colours
} assembly_job;

// g_j = F^T grad w times the root of V c, [particle][component][node], for four particles
PLI_INLINE void pull_nodes(const pli_implicit *implicit, int32_t width, int64_t slot,
                           const double *c, double (*g)[3][PLI_SPLINE_NODES])
{
    const pli_cloud *cloud = implicit->cloud;
    int64_t stride = cloud->slot_room;
    int32_t nodes = width * width * width;
    pli_cloud_weights at;
    pli_d4 F[9], weight = pli_d4_sqrt(pli_cloud_load(implicit->weight + slot) * pli_cloud_load(c));
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int k = 0; k < 9; ++k) F[k] = weight * pli_cloud_load(cloud->F + k * stride + slot);
    for (int n = 0; n < nodes; ++n) {
        pli_d4 w[3];
        pli_cloud_gradient(&at, n / (width * width), n / width % width, n % width, w);
        for (int b = 0; b < 3; ++b) {
            pli_d4 value = F[b] * w[0] + F[3 + b] * w[1] + F[6 + b] * w[2];
            for (int p = 0; p < LANES; ++p) g[p][b][n] = value[p];
        }
    }
    for (int n = nodes; n % 4 != 0; ++n) {
        for (int p = 0; p < 3 * LANES; ++p) g[p / 3][p % 3][n] = 0;
    }
}

PLI_INLINE void add_lanes(const assembly_job *job, int32_t width, int64_t slot, cell_matrix *cell)
{
    int32_t nodes = width * width * width, vectors = (nodes + 3) / 4;
    double g[LANES][3][PLI_SPLINE_NODES];
    pull_nodes(job->implicit, width, slot, job->c + slot, g);
    for (int i = 0; i < nodes; ++i) {
        for (int v = i / 4; v < vectors; ++v) {
            pli_d4 sum = cell->K[i][v];
            for (int p = 0; p < LANES; ++p) {
                for (int b = 0; b < 3; ++b) sum += g[p][b][i] * pli_cloud_load(g[p][b] + 4 * v);
            }
            cell->K[i][v] = sum;
        }
    }
}

PLI_INLINE void assemble_cell(const assembly_job *job, int32_t width, int64_t index,
                              cell_matrix *cell)
{
    const pli_cloud *cloud = job->implicit->cloud;
    pli_admm_matrix *matrix = job->matrix;
    const int32_t *nodes = cloud->cell_node + index * cloud->cell_nodes;
    int32_t count = width * width * width;
    memset(cell, 0, sizeof cell->K[0] * (size_t)count);
    for (int64_t slot = cloud->cell_slot[index]; slot < cloud->cell_slot[index + 1];
         slot += LANES) {
        add_lanes(job, width, slot, cell);
    }
    for (int32_t i = 0; i < count; ++i) {
        double *row = matrix->values + (int64_t)nodes[i] * matrix->width;
        for (int32_t j = i; j < count; ++j) {
            double value = cell->K[i][j / 4][j % 4];
            row[pli_cloud_slot_between(width, i, j)] += value;
            if (j == i) continue;
            matrix
                ->values[(int64_t)nodes[j] * matrix->width + pli_cloud_slot_between(width, j, i)] +=
                value;
        }
    }
}

static void assemble_blocks(void *user, int64_t begin, int64_t end)
{
    const assembly_job *job = user;
    const pli_cloud *cloud = job->implicit->cloud;
    cell_matrix cell;
    for (int64_t k = begin; k < end; ++k) {
        int32_t block = cloud->blocks_by_color[job->first + k];
        for (int64_t c = cloud->block_cell[block]; c < cloud->block_cell[block + 1]; ++c) {
            PLI_WITH_WIDTH(cloud->spline, assemble_cell(job, width, c, &cell));
        }
    }
}

// ---- rows

typedef struct row_job {
    pli_admm_matrix *matrix;
    const double *stiffness;
} row_job;

// Empties rows; nothing is there but inertia.
static void begin_rows(void *user, int64_t begin, int64_t end)
{
    const row_job *job = user;
    pli_admm_matrix *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        double *values = matrix->values + row * matrix->width;
        int32_t *column = matrix->column + row * matrix->width;
        memset(values, 0, (size_t)matrix->width * sizeof *values);
        values[matrix->width / 2] = job->stiffness[row];
        for (int32_t k = 0; k < matrix->width; ++k) {
            if (column[k] < 0) column[k] = (int32_t)row;
        }
    }
}

static void finish_rows(void *user, int64_t begin, int64_t end)
{
    const row_job *job = user;
    const pli_admm_matrix *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        double diagonal = matrix->values[row * matrix->width + matrix->width / 2];
        matrix->inverse[row] = diagonal > 0 ? 1 / diagonal : 1;
    }
}

pli_status pli_admm_matrix_build(pli_admm_matrix *matrix, const pli_implicit *implicit,
                                 const double *c, const double *stiffness)
{
    PLI_TRY(reserve(matrix, implicit));
    const pli_cloud *cloud = implicit->cloud;
    row_job rows = {matrix, stiffness};
    assembly_job job = {.implicit = implicit, .c = c, .matrix = matrix};
    pli_node_grid_neighbors(cloud->nodes, pli_implicit_reach(implicit), matrix->column);
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, begin_rows, &rows);
    for (int color = 0; color < PLI_NODE_COLORS; ++color) {
        job.first = cloud->color_start[color];
        int32_t count = cloud->color_start[color + 1] - job.first;
        if (count > 0) pli_parallel_for(matrix->context, count, 1, assemble_blocks, &job);
    }
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, finish_rows, &rows);
    return PLI_OK;
}

// ---- products

typedef struct product_job {
    const pli_admm_matrix *matrix;
    const double *x;
    double *y;
} product_job;

static void expand_rows(void *user, int64_t begin, int64_t end)
{
    const product_job *job = user;
    for (int64_t row = begin; row < end; ++row) {
        double *to = job->matrix->expanded + 4 * row;
        for (int k = 0; k < 3; ++k) to[k] = job->x[3 * row + k];
        to[3] = 0;
    }
}

static void multiply_rows(void *user, int64_t begin, int64_t end)
{
    const product_job *job = user;
    const pli_admm_matrix *matrix = job->matrix;
    for (int64_t row = begin; row < end; ++row) {
        const double *values = matrix->values + row * matrix->width;
        const int32_t *column = matrix->column + row * matrix->width;
        // two sums, so that additions need not wait for each other; the width is odd
        pli_d4 even = {0}, odd = {0};
        for (int32_t k = 0; k + 1 < matrix->width; k += 2) {
            even += values[k] * pli_cloud_load(matrix->expanded + 4 * (int64_t)column[k]);
            odd += values[k + 1] * pli_cloud_load(matrix->expanded + 4 * (int64_t)column[k + 1]);
        }
        int32_t last = matrix->width - 1;
        even += values[last] * pli_cloud_load(matrix->expanded + 4 * (int64_t)column[last]);
        even += odd;
        for (int k = 0; k < 3; ++k) job->y[3 * row + k] = even[k];
    }
}

void pli_admm_matrix_multiply(const pli_admm_matrix *matrix, const double *x, double *y)
{
    product_job job = {matrix, x, y};
    pli_parallel_for(matrix->context, matrix->row_count, 16 * ROW_GRAIN, expand_rows, &job);
    pli_parallel_for(matrix->context, matrix->row_count, ROW_GRAIN, multiply_rows, &job);
}

static void scale_rows(const void *self, const double *r, double *z, int64_t begin, int64_t end)
{
    const pli_admm_matrix *matrix = self;
    for (int64_t row = begin; row < end; ++row) {
        for (int k = 0; k < 3; ++k) z[3 * row + k] = matrix->inverse[row] * r[3 * row + k];
    }
}

static void scale_all(const void *self, const double *r, double *z)
{
    scale_rows(self, r, z, 0, ((const pli_admm_matrix *)self)->row_count);
}

pli_operator pli_admm_matrix_jacobi(const pli_admm_matrix *matrix)
{
    return (pli_operator){.size = 3 * (int64_t)matrix->row_count,
                          .self = matrix,
                          .apply = scale_all,
                          .apply_rows = scale_rows,
                          .is_local = true};
}

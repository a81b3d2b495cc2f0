// SPDX-License-Identifier: Apache-2.0
//
// The matrix of particles, cell by cell.
#include "mpm/implicit_inside.h"

#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES, SLOTS = PLI_EVALUATION_SLOTS, VECTORS = PLI_SPLINE_NODES / 4 };

// Four particles: where their nodes are pulled to, and how stress answers.
typedef struct lane_pull {
    // g_j of node j, F^T grad w (1/m): [particle][component][node]
    double g[LANES][3][PLI_SPLINE_NODES];
    // sum_d A_abcd g_jd, [particle][9 a + 3 b + c][nodes, four at a time]
    pli_d4 T[LANES][27][VECTORS];
} lane_pull;

// The blocks of a cell: [node i][3 a + c][nodes j, four at a time].
typedef struct cell_matrix {
    pli_d4 K[PLI_SPLINE_NODES][9][VECTORS];
} cell_matrix;

PLI_INLINE void pull_nodes(const pli_cloud *cloud, int32_t width, int64_t slot, lane_pull *pull)
{
    int64_t stride = cloud->slot_room;
    int32_t nodes = width * width * width;
    pli_cloud_weights at;
    pli_d4 F[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int k = 0; k < 9; ++k) F[k] = pli_cloud_load(cloud->F + k * stride + slot);
    for (int i = 0, n = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            for (int k = 0; k < width; ++k, ++n) {
                pli_d4 w[3];
                pli_cloud_gradient(&at, i, j, k, w);
                for (int b = 0; b < 3; ++b) {
                    pli_d4 g = F[b] * w[0] + F[3 + b] * w[1] + F[6 + b] * w[2];
                    for (int p = 0; p < LANES; ++p) pull->g[p][b][n] = g[p];
                }
            }
        }
    }
    for (int n = nodes; n % 4 != 0; ++n) {
        for (int p = 0; p < 3 * LANES; ++p) pull->g[p / 3][p % 3][n] = 0;
    }
}

// T of one particle; A comes as planes of slots, without the volume.
PLI_INLINE void answer(int32_t vectors, const double *A, double volume, int particle,
                       lane_pull *pull)
{
    for (int ab = 0; ab < 9; ++ab) {
        for (int c = 0; c < 3; ++c) {
            const double *row = A + (9 * ab + 3 * c) * SLOTS;
            double a0 = volume * row[0], a1 = volume * row[SLOTS], a2 = volume * row[2 * SLOTS];
            for (int v = 0; v < vectors; ++v) {
                pull->T[particle][3 * ab + c][v] =
                    a0 * pli_cloud_load(pull->g[particle][0] + 4 * v) +
                    a1 * pli_cloud_load(pull->g[particle][1] + 4 * v) +
                    a2 * pli_cloud_load(pull->g[particle][2] + 4 * v);
            }
        }
    }
}

// K_ij += sum over particles and b of g_ib T_abc,j, for j from the vector of i on.
PLI_INLINE void add_pairs(int32_t nodes, int32_t vectors, const lane_pull *pull, cell_matrix *cell)
{
    for (int i = 0; i < nodes; ++i) {
        pli_d4 g[LANES][3];
        for (int p = 0; p < LANES; ++p) {
            for (int b = 0; b < 3; ++b) {
                double value = pull->g[p][b][i];
                g[p][b] = (pli_d4){value, value, value, value};
            }
        }
        for (int a = 0; a < 3; ++a) {
            for (int c = 0; c < 3; ++c) {
                for (int v = i / 4; v < vectors; ++v) {
                    pli_d4 sum = cell->K[i][3 * a + c][v];
                    for (int p = 0; p < LANES; ++p) {
                        for (int b = 0; b < 3; ++b) {
                            sum += g[p][b] * pull->T[p][9 * a + 3 * b + c][v];
                        }
                    }
                    cell->K[i][3 * a + c][v] = sum;
                }
            }
        }
    }
}

// ---- to the matrix

// The slot of a node at j seen from one at i, both of the same cell.
PLI_INLINE int32_t slot_between(int32_t width, int32_t i, int32_t j)
{
    int32_t reach = width - 1, slots = 2 * reach + 1;
    int32_t x = j / (width * width) - i / (width * width) + reach;
    int32_t y = j / width % width - i / width % width + reach;
    int32_t z = j % width - i % width + reach;
    return (x * slots + y) * slots + z;
}

PLI_INLINE void add_to_matrix(int32_t width, const cell_matrix *cell, const int32_t *nodes,
                              pli_ell *matrix)
{
    int32_t count = width * width * width;
    for (int32_t i = 0; i < count; ++i) {
        double *row = matrix->values + 9 * (int64_t)nodes[i] * matrix->width;
        for (int32_t j = i; j < count; ++j) {
            double *block = row + 9 * slot_between(width, i, j);
            double *mirror = matrix->values +
                             9 * ((int64_t)nodes[j] * matrix->width + slot_between(width, j, i));
            for (int a = 0; a < 3; ++a) {
                for (int c = 0; c < 3; ++c) {
                    double value = cell->K[i][3 * a + c][j / 4][j % 4];
                    block[3 * a + c] += value;
                    if (j > i) mirror[3 * c + a] += value;
                }
            }
        }
    }
}

// ---- blocks of cells

typedef struct assembly_job {
    const pli_implicit *implicit;
    const double *x;
    bool projected;
    pli_ell *matrix;
    int32_t first; // of the colour, among blocks by colours
} assembly_job;

// Adds the slots [first, first + count) of a cell, whose tangents are in `at`.
PLI_INLINE void add_slots(const pli_implicit *implicit, int32_t width, int64_t first, int32_t count,
                          const pli_evaluation *at, cell_matrix *cell)
{
    const pli_cloud *cloud = implicit->cloud;
    int32_t nodes = width * width * width, vectors = (nodes + 3) / 4;
    lane_pull pull;
    for (int32_t k = 0; k < count; k += LANES) {
        pull_nodes(cloud, width, first + k, &pull);
        for (int p = 0; p < LANES; ++p) {
            answer(vectors, at->dPdF + (first - at->first) + k + p, cloud->volume[first + k + p], p,
                   &pull);
        }
        add_pairs(nodes, vectors, &pull, cell);
    }
}

static void add_cell_slots(const pli_implicit *implicit, int64_t first, int32_t count,
                           const pli_evaluation *at, cell_matrix *cell)
{
    switch (implicit->cloud->spline) {
    case PLI_SPLINE_LINEAR: add_slots(implicit, 2, first, count, at, cell); break;
    case PLI_SPLINE_QUADRATIC: add_slots(implicit, 3, first, count, at, cell); break;
    case PLI_SPLINE_CUBIC: add_slots(implicit, 4, first, count, at, cell); break;
    }
}

static void write_cell(const assembly_job *job, int64_t index, const cell_matrix *cell)
{
    const pli_cloud *cloud = job->implicit->cloud;
    const int32_t *nodes = cloud->cell_node + index * cloud->cell_nodes;
    switch (cloud->spline) {
    case PLI_SPLINE_LINEAR: add_to_matrix(2, cell, nodes, job->matrix); break;
    case PLI_SPLINE_QUADRATIC: add_to_matrix(3, cell, nodes, job->matrix); break;
    case PLI_SPLINE_CUBIC: add_to_matrix(4, cell, nodes, job->matrix); break;
    }
}

// A cell, SLOTS slots at a time.
static void assemble_cell(const assembly_job *job, int64_t index, pli_evaluation *at,
                          cell_matrix *cell)
{
    const pli_cloud *cloud = job->implicit->cloud;
    memset(cell, 0, sizeof cell->K[0] * (size_t)cloud->cell_nodes);
    int64_t end = cloud->cell_slot[index + 1];
    for (int64_t slot = cloud->cell_slot[index]; slot < end; slot += SLOTS) {
        at->first = slot;
        at->count = (int32_t)(end - slot < SLOTS ? end - slot : SLOTS);
        pli_implicit_deform(job->implicit, index, job->x, slot, at->count, at);
        pli_implicit_evaluate(job->implicit, PLI_WANT_TANGENT, job->projected, at);
        add_cell_slots(job->implicit, slot, at->count, at, cell);
    }
    write_cell(job, index, cell);
}

static void assemble_blocks(void *user, int64_t begin, int64_t end)
{
    const assembly_job *job = user;
    const pli_cloud *cloud = job->implicit->cloud;
    pli_evaluation at;
    cell_matrix cell;
    for (int64_t k = begin; k < end; ++k) {
        int32_t block = cloud->blocks_by_color[job->first + k];
        for (int64_t c = cloud->block_cell[block]; c < cloud->block_cell[block + 1]; ++c) {
            assemble_cell(job, c, &at, &cell);
        }
    }
}

void pli_implicit_assemble(const pli_implicit *implicit, const double *x, bool projected,
                           pli_ell *matrix)
{
    const pli_cloud *cloud = implicit->cloud;
    assembly_job job = {.implicit = implicit, .x = x, .projected = projected, .matrix = matrix};
    for (int color = 0; color < PLI_NODE_COLORS; ++color) {
        job.first = cloud->color_start[color];
        int32_t count = cloud->color_start[color + 1] - job.first;
        if (count > 0) pli_parallel_for(implicit->context, count, 1, assemble_blocks, &job);
    }
}

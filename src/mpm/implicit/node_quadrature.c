// SPDX-License-Identifier: Apache-2.0
#include "mpm/implicit/node_quadrature.h"

#include "base/parallel.h"
#include "mpm/implicit/implicit_inside.h"

enum {
    LANES = PLI_CLOUD_LANES,
    WIDTH = 3,            // nodes of a cell along an axis
    NODES = 27,           // of a cell
    VECTORS = 7,          // of four nodes
    PADDED = 4 * VECTORS, // nodes, the last of which is nobody
    SIDE = 2 * WIDTH - 1, // slots along an axis
    PAIRS = PLI_TANGENT_SIZE
};

// Four particles: gradients of weights that they feel, and how stress answers.
typedef struct lane_answer {
    double g[LANES][3][PADDED];   // F^T grad w (1/m)
    pli_d4 T[LANES][27][VECTORS]; // sum_d A_abcd g_jd, [9 a + 3 b + c][nodes j]
} lane_answer;

// What the particles of a cell give to its nodes.
typedef struct cell_sum {
    pli_d4 K[NODES][9][VECTORS]; // blocks, [node i][3 a + c][nodes j]; only j from the four of i on
    pli_d4 mass[NODES];          // by lanes (kg)
} cell_sum;

// ---- particles

bool pli_quadrature_has_tangents(const pli_implicit *implicit)
{
    return implicit->tangents != NULL;
}

static void weigh_nodes(const pli_cloud *cloud, int64_t slot, lane_answer *lanes, cell_sum *cell)
{
    int64_t stride = cloud->slot_room;
    pli_cloud_weights at;
    pli_d4 F[9], m = pli_cloud_load(cloud->mass + slot);
    pli_cloud_weigh(cloud, WIDTH, slot, &at);
    for (int k = 0; k < 9; ++k) F[k] = pli_cloud_load(cloud->F + k * stride + slot);
    for (int n = 0; n < NODES; ++n) {
        int x = n / 9, y = n / 3 % 3, z = n % 3;
        pli_d4 w[3];
        pli_cloud_gradient(&at, x, y, z, w);
        cell->mass[n] += m * at.w[0][x] * at.w[1][y] * at.w[2][z];
        for (int b = 0; b < 3; ++b) {
            pli_d4 g = F[b] * w[0] + F[3 + b] * w[1] + F[6 + b] * w[2];
            for (int p = 0; p < LANES; ++p) lanes->g[p][b][n] = g[p];
        }
    }
    for (int k = 0; k < 3 * LANES; ++k) lanes->g[k / 3][k % 3][NODES] = 0;
}

// T of one particle
static void answer(const double A[PAIRS], int particle, lane_answer *lanes)
{
    double(*g)[PADDED] = lanes->g[particle];
    pli_d4(*T)[VECTORS] = lanes->T[particle];
    for (int ab = 0; ab < 9; ++ab) {
        for (int c = 0; c < 3; ++c) {
            double a[3];
            for (int d = 0; d < 3; ++d) {
                int cd = 3 * c + d;
                a[d] = A[ab < cd ? pli_tangent_index(ab, cd) : pli_tangent_index(cd, ab)];
            }
            for (int v = 0; v < VECTORS; ++v) {
                T[3 * ab + c][v] = a[0] * pli_cloud_load(g[0] + 4 * v) +
                                   a[1] * pli_cloud_load(g[1] + 4 * v) +
                                   a[2] * pli_cloud_load(g[2] + 4 * v);
            }
        }
    }
}

// K_ij += sum over particles and b of g_ib T_abc,j
static void add_pairs(const lane_answer *lanes, cell_sum *cell)
{
    for (int i = 0; i < NODES; ++i) {
        for (int ac = 0; ac < 9; ++ac) {
            for (int v = i / 4; v < VECTORS; ++v) {
                pli_d4 sum = cell->K[i][ac][v];
                for (int k = 0; k < 3 * LANES; ++k) {
                    int p = k / 3, b = k % 3;
                    sum += lanes->g[p][b][i] * lanes->T[p][9 * (ac / 3) + 3 * b + ac % 3][v];
                }
                cell->K[i][ac][v] = sum;
            }
        }
    }
}

static void add_lanes(const pli_quadrature *self, int64_t slot, lane_answer *lanes, cell_sum *cell)
{
    weigh_nodes(self->cloud, slot, lanes, cell);
    for (int p = 0; p < LANES; ++p) {
        int32_t row = self->cloud->row[slot + p];
        double A[PAIRS] = {0};
        if (row >= 0) pli_implicit_get_tangents(self->implicit, self->slot_of_row[row], A);
        answer(A, p, lanes);
    }
    add_pairs(lanes, cell);
}

// ---- cells

static double *block_at(const pli_ell *matrix, int64_t row, int32_t slot)
{
    return matrix->values + 9 * (row * matrix->width + slot);
}

// Adds the block of nodes i and j >= i of a cell, whose rows are given, and its mirror.
static void add_block(const cell_sum *cell, int32_t i, int32_t j, const int64_t rows[2],
                      pli_ell *matrix)
{
    double *block = block_at(matrix, rows[0], pli_cloud_slot_between(WIDTH, i, j));
    double *mirror = block_at(matrix, rows[1], pli_cloud_slot_between(WIDTH, j, i));
    for (int e = 0; e < 9; ++e) {
        double value = cell->K[i][e][j / 4][j % 4];
        block[e] += value;
        if (j > i) mirror[3 * (e % 3) + e / 3] += value;
    }
}

static void write_cell(const pli_quadrature *self, int64_t index, const cell_sum *cell,
                       pli_ell *matrix)
{
    const int32_t *nodes = self->cloud->cell_node + index * NODES;
    for (int32_t i = 0; i < NODES; ++i) {
        int64_t row = self->row_of_node[nodes[i]];
        double *D = block_at(matrix, row, matrix->center);
        for (int c = 0; c < 3; ++c) D[4 * c] += self->inertia * pli_cloud_sum(cell->mass[i]);
        for (int32_t j = i; j < NODES; ++j) {
            const int64_t rows[2] = {row, self->row_of_node[nodes[j]]};
            add_block(cell, i, j, rows, matrix);
        }
    }
}

typedef struct quadrature_job {
    const pli_quadrature *self;
    pli_ell *matrix;
    const int32_t *cells; // of the colour
} quadrature_job;

static void add_cells(void *user, int64_t begin, int64_t end)
{
    const quadrature_job *job = user;
    const pli_cloud *cloud = job->self->cloud;
    lane_answer lanes;
    cell_sum cell;
    for (int64_t k = begin; k < end; ++k) {
        int64_t index = job->cells[k];
        memset(&cell, 0, sizeof cell);
        for (int64_t slot = cloud->cell_slot[index]; slot < cloud->cell_slot[index + 1];
             slot += LANES) {
            add_lanes(job->self, slot, &lanes, &cell);
        }
        write_cell(job->self, index, &cell, job->matrix);
    }
}

// ---- colours

static int32_t color_of(const int32_t base[3])
{
    return 9 * (base[0] % WIDTH) + 3 * (base[1] % WIDTH) + base[2] % WIDTH;
}

// Cells by colours, in their order.
static void sort_cells(const pli_quadrature *self, int32_t start[PLI_QUADRATURE_COLORS + 1])
{
    const pli_cloud *cloud = self->cloud;
    int32_t place[PLI_QUADRATURE_COLORS] = {0};
    for (int64_t k = 0; k < cloud->cell_count; ++k) ++place[color_of(cloud->cell_base + 3 * k)];
    start[0] = 0;
    for (int c = 0; c < PLI_QUADRATURE_COLORS; ++c) {
        start[c + 1] = start[c] + place[c];
        place[c] = start[c];
    }
    for (int64_t k = 0; k < cloud->cell_count; ++k) {
        self->cells[place[color_of(cloud->cell_base + 3 * k)]++] = (int32_t)k;
    }
}

void pli_quadrature_add(const pli_quadrature *quadrature, pli_ell *matrix)
{
    int32_t start[PLI_QUADRATURE_COLORS + 1];
    sort_cells(quadrature, start);
    for (int c = 0; c < PLI_QUADRATURE_COLORS; ++c) {
        quadrature_job job = {quadrature, matrix, quadrature->cells + start[c]};
        pli_parallel_for(matrix->context, start[c + 1] - start[c], 1, add_cells, &job);
    }
}

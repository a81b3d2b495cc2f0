// SPDX-License-Identifier: Apache-2.0
//
// Tangents of particles, and products without a matrix.
#include "mpm/implicit/implicit_inside.h"

#include "base/memory.h"
#include "math/svd_simd.h"

enum { LANES = PLI_CLOUD_LANES };

// The tangents of the four particles from a slot on, [PLI_TANGENT_SIZE][4].
PLI_INLINE double *tangents_of(const pli_implicit *implicit, int64_t slot)
{
    return implicit->tangents + PLI_TANGENT_SIZE * slot;
}

static void keep_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                      pli_evaluation *at)
{
    pli_implicit *implicit = pass->implicit;
    pli_implicit_deform_part(pass, first_cell, end_cell, at);
    pli_implicit_evaluate(implicit, PLI_WANT_TANGENT, pass->projected, at);
    for (int32_t k = 0; k < at->count; k += LANES) {
        pli_d4 volume = pli_cloud_load(implicit->weight + at->first + k);
        double *to = tangents_of(implicit, at->first + k);
        for (int32_t row = 0; row < 9; ++row) {
            for (int32_t column = row; column < 9; ++column, to += LANES) {
                const double *from = at->dPdF + (9 * row + column) * at->stride + k;
                pli_cloud_save(volume * pli_cloud_load(from), to);
            }
        }
    }
}

pli_status pli_implicit_prepare(pli_implicit *implicit, const double *x, bool projected)
{
    if (implicit->tangents == NULL) {
        PLI_TRY(PLI_MAKE(implicit->context, implicit->tangents,
                         PLI_TANGENT_SIZE * (int64_t)implicit->slot_room, "tangents of particles"));
    }
    pli_implicit_pass pass = {
        .implicit = implicit, .x = x, .projected = projected, .part = keep_part};
    pli_implicit_run(&pass);
    return PLI_OK;
}

void pli_implicit_get_tangents(const pli_implicit *implicit, int64_t slot, double A[45])
{
    for (int32_t k = 0; k < PLI_TANGENT_SIZE; ++k) {
        A[k] = tangents_of(implicit, slot - slot % LANES)[LANES * k + slot % LANES];
    }
}

// ---- products

// Q = (A : dF) F^T of four particles, with dF = (sum d grad w^T) F.
PLI_INLINE void respond_lanes(const pli_implicit *implicit, int32_t width, int64_t slot,
                              const double *own, double *Q)
{
    const pli_cloud *cloud = implicit->cloud;
    int64_t stride = cloud->slot_room;
    pli_cloud_weights at;
    pli_d4 G[9], F[9], dF[9], dP[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    pli_cloud_differentiate(width, &at, own, G);
    for (int k = 0; k < 9; ++k) F[k] = pli_cloud_load(cloud->F + k * stride + slot);
    for (int k = 0; k < 9; ++k) {
        int a = k / 3, b = k % 3;
        dF[k] = G[3 * a] * F[b] + G[3 * a + 1] * F[3 + b] + G[3 * a + 2] * F[6 + b];
        dP[k] = (pli_d4){0};
    }
    const double *tangent = tangents_of(implicit, slot);
    for (int row = 0; row < 9; ++row) {
        for (int column = row; column < 9; ++column, tangent += LANES) {
            pli_d4 entry = pli_cloud_load(tangent);
            dP[row] += entry * dF[column];
            if (column > row) dP[column] += entry * dF[row];
        }
    }
    for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b) {
            pli_d4 sum =
                dP[3 * a] * F[3 * b] + dP[3 * a + 1] * F[3 * b + 1] + dP[3 * a + 2] * F[3 * b + 2];
            pli_cloud_save(sum, Q + (3 * a + b) * LANES);
        }
    }
}

static void product_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                         pli_evaluation *at)
{
    const pli_implicit *implicit = pass->implicit;
    const pli_cloud *cloud = implicit->cloud;
    double Q[9 * PLI_EVALUATION_SLOTS], own[3 * PLI_SPLINE_NODES];
    int64_t first;
    int32_t count;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        if (!pli_evaluation_clip(cloud, cell, at, &first, &count)) continue;
        pli_cloud_take(cloud, cell, pass->x, own);
        for (int64_t slot = first; slot < first + count; slot += LANES) {
            double *to = Q + 9 * (slot - at->first);
            PLI_WITH_WIDTH(cloud->spline, respond_lanes(implicit, width, slot, own, to));
        }
    }
    pli_implicit_push_part(pass, first_cell, end_cell, at, Q);
}

void pli_implicit_multiply(const pli_implicit *implicit, const double *d, double *y)
{
    pli_implicit_pass pass = {
        .implicit = (pli_implicit *)(uintptr_t)implicit, .x = d, .part = product_part, .g = y};
    pli_implicit_run_colors(&pass);
}

// ---- the diagonal

typedef struct diagonal_job {
    const pli_implicit *implicit;
    double *blocks;
} diagonal_job;

// sum += g . A . g, entry (a, c), for four particles and one of their nodes.
PLI_INLINE void add_square(int a, int c, const double *A, const pli_d4 g[3], pli_d4 *sum)
{
    for (int b = 0; b < 3; ++b) {
        // the sum over d; of a diagonal block, what is left of its diagonal is doubled
        pli_d4 inner = {0};
        for (int d = a == c ? b : 0; d < 3; ++d) {
            pli_d4 entry = pli_cloud_load(A + LANES * pli_tangent_index(3 * a + b, 3 * c + d));
            inner += (a == c && d > b ? 2 * g[d] : g[d]) * entry;
        }
        *sum += g[b] * inner;
    }
}

// The same for xx, xy, xz, yy, yz, zz.
PLI_INLINE void add_squares(const double *A, const pli_d4 g[3], pli_d4 sums[6])
{
    add_square(0, 0, A, g, &sums[0]);
    add_square(0, 1, A, g, &sums[1]);
    add_square(0, 2, A, g, &sums[2]);
    add_square(1, 1, A, g, &sums[3]);
    add_square(1, 2, A, g, &sums[4]);
    add_square(2, 2, A, g, &sums[5]);
}

PLI_INLINE void add_squares_of_lanes(const pli_implicit *implicit, int32_t width, int64_t slot,
                                     pli_d4 (*sums)[6])
{
    const pli_cloud *cloud = implicit->cloud;
    pli_cloud_weights at;
    pli_d4 F[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int k = 0; k < 9; ++k) {
        F[k] = pli_cloud_load(cloud->F + k * (int64_t)cloud->slot_room + slot);
    }
    PLI_NO_UNROLL
    for (int n = 0; n < width * width * width; ++n) {
        pli_d4 w[3], g[3];
        pli_cloud_gradient(&at, n / (width * width), n / width % width, n % width, w);
        for (int b = 0; b < 3; ++b) g[b] = F[b] * w[0] + F[3 + b] * w[1] + F[6 + b] * w[2];
        add_squares(tangents_of(implicit, slot), g, sums[n]);
    }
}

static void add_cell_blocks(const diagonal_job *job, int64_t cell)
{
    static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    const pli_cloud *cloud = job->implicit->cloud;
    pli_d4 sums[PLI_SPLINE_NODES][6];
    memset(sums, 0, sizeof sums);
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; slot += LANES) {
        PLI_WITH_WIDTH(cloud->spline, add_squares_of_lanes(job->implicit, width, slot, sums));
    }
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        double *block = job->blocks + 9 * (int64_t)nodes[n];
        for (int e = 0; e < 9; ++e) block[e] += pli_cloud_sum(sums[n][place[e]]);
    }
}

static void add_diagonals(void *user, int64_t first_cell, int64_t end_cell)
{
    for (int64_t cell = first_cell; cell < end_cell; ++cell) add_cell_blocks(user, cell);
}

void pli_implicit_add_diagonal(const pli_implicit *implicit, double *blocks)
{
    diagonal_job job = {implicit, blocks};
    pli_cloud_run_blocks(implicit->cloud, add_diagonals, &job);
}

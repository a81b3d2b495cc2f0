// SPDX-License-Identifier: Apache-2.0
//
// The diagonal that the matrix of particles would have at rest (Gast et al. 2015,
// section 6.2).
#include "mpm/implicit/implicit_inside.h"

#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES, CELL_GRAIN = 8, NODE_GRAIN = 64 };

typedef struct rest_job {
    const pli_implicit *implicit;
    double *blocks;
} rest_job;

// V mu and V lambda of four particles.
PLI_INLINE void get_lame(const pli_implicit *implicit, int64_t slot, pli_d4 *mu, pli_d4 *lambda)
{
    const pli_cloud *cloud = implicit->cloud;
    for (int lane = 0; lane < LANES; ++lane) {
        const pli_material *material = &implicit->kinds[cloud->kind[slot + lane]].material;
        (*mu)[lane] = material->mu;
        (*lambda)[lane] = material->lambda;
    }
    pli_d4 V = pli_cloud_load(implicit->weight + slot);
    *mu *= V;
    *lambda *= V;
}

// What four particles put on the diagonal of the nodes of their cell: with g the gradient of the
// weight, V ((lambda + mu) g_a^2 + mu |g|^2).
PLI_INLINE void rest_lanes(const pli_implicit *implicit, int32_t width, int64_t slot,
                           pli_d4 (*sums)[3])
{
    const pli_cloud *cloud = implicit->cloud;
    pli_cloud_weights at;
    pli_d4 mu, lambda;
    get_lame(implicit, slot, &mu, &lambda);
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int n = 0; n < width * width * width; ++n) {
        pli_d4 g[3];
        pli_cloud_gradient(&at, n / (width * width), n / width % width, n % width, g);
        pli_d4 square = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        for (int a = 0; a < 3; ++a) sums[n][a] += (lambda + mu) * g[a] * g[a] + mu * square;
    }
}

PLI_INLINE void rest_cell(const pli_implicit *implicit, int32_t width, int64_t cell)
{
    const pli_cloud *cloud = implicit->cloud;
    pli_d4 sums[PLI_SPLINE_NODES][3];
    memset(sums, 0, sizeof sums);
    for (int64_t slot = cloud->cell_slot[cell]; slot < cloud->cell_slot[cell + 1]; slot += LANES) {
        rest_lanes(implicit, width, slot, sums);
    }
    double *out = cloud->cell_sums + 4 * cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        for (int a = 0; a < 3; ++a) out[4 * n + a] = pli_cloud_sum(sums[n][a]);
    }
}

static void rest_cells(void *user, int64_t begin, int64_t end)
{
    const rest_job *job = user;
    for (int64_t cell = begin; cell < end; ++cell) {
        PLI_WITH_WIDTH(job->implicit->cloud->spline, rest_cell(job->implicit, width, cell));
    }
}

static void gather_blocks(void *user, int64_t begin, int64_t end)
{
    const rest_job *job = user;
    const pli_cloud *cloud = job->implicit->cloud;
    for (int64_t node = begin; node < end; ++node) {
        double sum[3] = {0, 0, 0};
        for (int32_t k = cloud->node_start[node]; k < cloud->node_start[node + 1]; ++k) {
            const double *given = cloud->cell_sums + 4 * (int64_t)cloud->node_entry[k];
            for (int a = 0; a < 3; ++a) sum[a] += given[a];
        }
        for (int a = 0; a < 3; ++a) job->blocks[9 * node + 4 * a] += sum[a];
    }
}

void pli_implicit_add_rest_diagonal(const pli_implicit *implicit, double *blocks)
{
    rest_job job = {implicit, blocks};
    const pli_cloud *cloud = implicit->cloud;
    pli_parallel_for(implicit->context, cloud->cell_count, CELL_GRAIN, rest_cells, &job);
    pli_parallel_for(implicit->context, cloud->nodes->count, NODE_GRAIN, gather_blocks, &job);
}

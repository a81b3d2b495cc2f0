// SPDX-License-Identifier: Apache-2.0
//
// Passes over particles, run of cells by run of cells.
#include "mpm/implicit/implicit_inside.h"

#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES, SLOTS = PLI_EVALUATION_SLOTS };

void pli_implicit_visit(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                        pli_evaluation *at)
{
    const pli_cloud *cloud = pass->implicit->cloud;
    int64_t end = cloud->cell_slot[end_cell];
    for (int64_t slot = cloud->cell_slot[first_cell]; slot < end; slot += SLOTS) {
        pli_evaluation_begin(at, slot, end - slot < SLOTS ? end - slot : SLOTS);
        pass->part(pass, first_cell, end_cell, at);
    }
}

static void run_chunks(void *user, int64_t begin, int64_t end)
{
    const pli_implicit_pass *pass = user;
    const int32_t *cells = pass->implicit->chunk_cell;
    pli_evaluation at;
    for (int64_t chunk = begin; chunk < end; ++chunk) {
        pli_implicit_visit(pass, cells[chunk], cells[chunk + 1], &at);
    }
}

void pli_implicit_run(pli_implicit_pass *pass)
{
    pli_implicit *implicit = pass->implicit;
    pli_parallel_for(implicit->context, implicit->chunk_count, 1, run_chunks, pass);
}

// Cells from `begin` on whose slots are evaluated at once, at least one.
static int64_t end_of_group(const pli_cloud *cloud, int64_t begin, int64_t end)
{
    int64_t group = begin + 1;
    while (group < end && cloud->cell_slot[group + 1] - cloud->cell_slot[begin] <= SLOTS) ++group;
    return group;
}

static void run_block(void *user, int64_t first_cell, int64_t end_cell)
{
    const pli_implicit_pass *pass = user;
    pli_evaluation at;
    for (int64_t cell = first_cell, next; cell < end_cell; cell = next) {
        next = end_of_group(pass->implicit->cloud, cell, end_cell);
        pli_implicit_visit(pass, cell, next, &at);
    }
}

void pli_implicit_run_colors(pli_implicit_pass *pass)
{
    pli_cloud_run_blocks(pass->implicit->cloud, run_block, pass);
}

void pli_implicit_deform_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                              pli_evaluation *at)
{
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        int64_t first;
        int32_t count;
        if (!pli_evaluation_clip(pass->implicit->cloud, cell, at, &first, &count)) continue;
        pli_implicit_deform(pass->implicit, cell, pass->x, first, count, at);
    }
}

// ---- what particles give to nodes

// Adds Q g, g the gradients of weights, to the nodes of a cell for four particles.
PLI_INLINE void push_lanes(const pli_cloud *cloud, int32_t width, int64_t slot, const double *from,
                           pli_d4 (*sums)[3])
{
    pli_cloud_weights at;
    pli_d4 Q[9];
    pli_cloud_weigh(cloud, width, slot, &at);
    for (int k = 0; k < 9; ++k) Q[k] = pli_cloud_load(from + LANES * k);
    for (int i = 0, n = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j, n += width) {
            pli_d4 g[3] = {at.d[0][i] * at.w[1][j], at.w[0][i] * at.d[1][j],
                           at.w[0][i] * at.w[1][j]};
            for (int a = 0; a < 3; ++a) {
                pli_d4 across = Q[3 * a] * g[0] + Q[3 * a + 1] * g[1];
                pli_d4 along = Q[3 * a + 2] * g[2];
                for (int k = 0; k < width; ++k) {
                    sums[n + k][a] += across * at.w[2][k] + along * at.d[2][k];
                }
            }
        }
    }
}

// Adds what the nodes of a cell get.
PLI_INLINE void add_sums(const pli_cloud *cloud, int32_t width, int64_t cell,
                         const pli_d4 (*sums)[3], double *g)
{
    const int32_t *nodes = cloud->cell_node + cell * cloud->cell_nodes;
    for (int32_t n = 0; n < width * width * width; ++n) {
        const pli_d4 parts[4] = {sums[n][0], sums[n][1], sums[n][2], {0, 0, 0, 0}};
        pli_d4 sum = pli_cloud_sum4(parts);
        for (int c = 0; c < 3; ++c) g[3 * (int64_t)nodes[n] + c] += sum[c];
    }
}

// Slots [first, first + count) of a cell push its nodes.
PLI_INLINE void push_cell(const pli_implicit_pass *pass, int32_t width, int64_t cell, int64_t first,
                          int32_t count, const double *Q)
{
    const pli_cloud *cloud = pass->implicit->cloud;
    pli_d4 sums[PLI_SPLINE_NODES][3];
    memset(sums, 0, (size_t)(width * width * width) * sizeof *sums);
    for (int32_t k = 0; k < count; k += LANES) {
        push_lanes(cloud, width, first + k, Q + 9 * k, sums);
    }
    add_sums(cloud, width, cell, (const pli_d4(*)[3])sums, pass->g);
}

void pli_implicit_push_part(const pli_implicit_pass *pass, int64_t first_cell, int64_t end_cell,
                            const pli_evaluation *at, const double *Q)
{
    const pli_cloud *cloud = pass->implicit->cloud;
    for (int64_t cell = first_cell; cell < end_cell; ++cell) {
        int64_t first;
        int32_t count;
        if (!pli_evaluation_clip(cloud, cell, at, &first, &count)) continue;
        const double *own = Q + 9 * (first - at->first);
        PLI_WITH_WIDTH(cloud->spline, push_cell(pass, width, cell, first, count, own));
    }
}

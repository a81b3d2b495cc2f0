// SPDX-License-Identifier: Apache-2.0
//
// Passes over particles, run of cells by run of cells.
#include "mpm/implicit_inside.h"

#include "base/parallel.h"

enum { LANES = PLI_CLOUD_LANES, SLOTS = PLI_EVALUATION_SLOTS };

void pli_implicit_visit(const pli_implicit_pass *pass, int64_t chunk, pli_evaluation *at)
{
    const pli_implicit *implicit = pass->implicit;
    int64_t first_cell = implicit->chunk_cell[chunk], end_cell = implicit->chunk_cell[chunk + 1];
    int64_t slot = implicit->cloud->cell_slot[first_cell];
    int64_t end = implicit->cloud->cell_slot[end_cell];
    for (; slot < end; slot += SLOTS) {
        pli_evaluation_begin(at, slot, end - slot < SLOTS ? end - slot : SLOTS);
        pass->part(pass, first_cell, end_cell, at);
    }
}

static void run_chunks(void *user, int64_t begin, int64_t end)
{
    pli_evaluation at;
    for (int64_t chunk = begin; chunk < end; ++chunk) pli_implicit_visit(user, chunk, &at);
}

void pli_implicit_run(pli_implicit_pass *pass)
{
    pli_implicit *implicit = pass->implicit;
    pli_parallel_for(implicit->context, implicit->chunk_count, 1, run_chunks, pass);
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

// Writes (is_first) or adds what the nodes of a cell get.
static void write_sums(const pli_cloud *cloud, int64_t cell, const pli_d4 (*sums)[3], bool is_first)
{
    double *out = cloud->cell_sums + 4 * cell * cloud->cell_nodes;
    for (int32_t n = 0; n < cloud->cell_nodes; ++n) {
        const pli_d4 parts[4] = {sums[n][0], sums[n][1], sums[n][2], {0, 0, 0, 0}};
        pli_d4 sum = pli_cloud_sum4(parts);
        pli_cloud_save(is_first ? sum : pli_cloud_load(out + 4 * n) + sum, out + 4 * n);
    }
}

// Slots [first, first + count) of a cell push its nodes.
PLI_INLINE void push_cell(const pli_cloud *cloud, int32_t width, int64_t cell, int64_t first,
                          int32_t count, const double *Q)
{
    pli_d4 sums[PLI_SPLINE_NODES][3];
    memset(sums, 0, (size_t)(width * width * width) * sizeof *sums);
    for (int32_t k = 0; k < count; k += LANES) {
        push_lanes(cloud, width, first + k, Q + 9 * k, sums);
    }
    write_sums(cloud, cell, (const pli_d4(*)[3])sums, first == cloud->cell_slot[cell]);
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
        switch (cloud->spline) {
        case PLI_SPLINE_LINEAR: push_cell(cloud, 2, cell, first, count, own); break;
        case PLI_SPLINE_QUADRATIC: push_cell(cloud, 3, cell, first, count, own); break;
        case PLI_SPLINE_CUBIC: push_cell(cloud, 4, cell, first, count, own); break;
        }
    }
}

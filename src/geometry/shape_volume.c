// SPDX-License-Identifier: Apache-2.0
//
// Volume by sampling. Blocks of 4 x 4 x 4 cells are told to be inside or outside from one value
// where the bound on the slope allows it; otherwise every cell counts by how deep its middle lies,
// from full half a cell inside to nothing half a cell outside.
#include "base/parallel.h"
#include "geometry/shape_node.h"

enum { BLOCK = 4, BLOCK_CELLS = BLOCK * BLOCK * BLOCK };

typedef struct volume_job {
    const pli_shape *shape;
    double origin[3];
    double cell;       // m
    int64_t blocks[3]; // blocks along x, y, z
} volume_job;

static void block_corner(const volume_job *job, int64_t block, double corner[3])
{
    const int64_t at[3] = {block % job->blocks[0], block / job->blocks[0] % job->blocks[1],
                           block / (job->blocks[0] * job->blocks[1])};
    for (int k = 0; k < 3; ++k) {
        corner[k] = job->origin[k] + (double)(at[k] * BLOCK) * job->cell;
    }
}

// Cells of a block that are inside, counted with fractions.
static double sample_block(const volume_job *job, const double corner[3])
{
    double points[3 * BLOCK_CELLS];
    double values[BLOCK_CELLS];
    for (int c = 0; c < BLOCK_CELLS; ++c) {
        const int at[3] = {c % BLOCK, c / BLOCK % BLOCK, c / (BLOCK * BLOCK)};
        for (int k = 0; k < 3; ++k) points[3 * c + k] = corner[k] + (at[k] + 0.5) * job->cell;
    }
    pli_shape_values(job->shape, BLOCK_CELLS, points, values);
    double sum = 0;
    for (int c = 0; c < BLOCK_CELLS; ++c) sum += fmin(fmax(0.5 - values[c] / job->cell, 0), 1);
    return sum;
}

static pli_sum sum_blocks(void *user, int64_t begin, int64_t end)
{
    const volume_job *job = user;
    // from the middle of a block to the middle of its corner cells, and half a cell for the
    // fractions
    double reach = job->shape->lipschitz * job->cell * (0.5 * (BLOCK - 1) * sqrt(3.0) + 0.5);
    pli_sum sum = {0, 0};
    for (int64_t block = begin; block < end; ++block) {
        double corner[3], middle[3];
        block_corner(job, block, corner);
        for (int k = 0; k < 3; ++k) middle[k] = corner[k] + 0.5 * BLOCK * job->cell;
        double value = pli_shape_value(job->shape, middle);
        if (fabs(value) > reach) {
            pli_sum_add(&sum, value < 0 ? BLOCK_CELLS : 0);
        } else {
            pli_sum_add(&sum, sample_block(job, corner));
        }
    }
    return sum;
}

pli_status pli_shape_volume(pli_context *context, const pli_shape *shape, int32_t resolution,
                            double *volume)
{
    *volume = 0;
    const pli_bounds *bounds = &shape->bounds;
    if (!pli_bounds_is_finite(bounds)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the shape is unbounded and has no volume; intersect it with a box");
    }
    if (resolution < 1 || resolution > 1 << 14) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "resolution is %d, allowed is 1 to %d",
                        resolution, 1 << 14);
    }
    if (pli_bounds_is_empty(bounds) || !(pli_bounds_longest(bounds) > 0)) return PLI_OK;

    // one more cell than the bounds need, so that fractions at the border are not cut off
    volume_job job = {.shape = shape, .cell = pli_bounds_longest(bounds) / resolution};
    for (int k = 0; k < 3; ++k) {
        double cells = ceil((bounds->max[k] - bounds->min[k]) / job.cell) + 1;
        job.blocks[k] = (int64_t)ceil(cells / BLOCK);
        double extent = (double)(job.blocks[k] * BLOCK) * job.cell;
        job.origin[k] = 0.5 * (bounds->min[k] + bounds->max[k] - extent);
    }
    int64_t count = job.blocks[0] * job.blocks[1] * job.blocks[2];
    pli_sum cells = pli_parallel_sum(context, count, 16, sum_blocks, &job);
    *volume = pli_sum_value(cells) * job.cell * job.cell * job.cell;
    return PLI_OK;
}

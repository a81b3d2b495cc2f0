// SPDX-License-Identifier: Apache-2.0
//
// Volume by sampling, in three sizes of boxes: a group of 4 x 4 x 4 blocks of 4 x 4 x 4 cells.
// Groups and blocks are told to be inside or outside from one value where the bound on the slope
// allows it; otherwise what they consist of is looked at. Every cell that is looked at counts by
// how deep its middle lies, from full half a cell inside to nothing half a cell outside.
#include "base/parallel.h"
#include "geometry/generate/block.h"
#include "geometry/shapes/shape_node.h"

enum { SIDE = PLI_BLOCK_SIDE, PARTS = PLI_BLOCK_CELLS, GROUP_SIDE = SIDE * SIDE };

typedef struct volume_job {
    const pli_shape *shape;
    double origin[3];
    double cell;       // m
    int64_t groups[3]; // along x, y, z
} volume_job;

// Middles of the 64 parts of a box with this corner.
static void part_middles(const double corner[3], double part, double *points)
{
    for (int p = 0; p < PARTS; ++p) {
        int32_t at[3];
        pli_block_coordinates(p, at);
        for (int k = 0; k < 3; ++k) points[3 * p + k] = corner[k] + (at[k] + 0.5) * part;
    }
}

// How far a value can be from those at the middles of the cells of a box of side * cell, with half
// a cell more for the fractions.
static double reach_of(const volume_job *job, int side)
{
    return job->shape->lipschitz * job->cell * (0.5 * (side - 1) * sqrt(3.0) + 0.5);
}

// Cells of a block that are inside, counted with fractions.
static double count_cells(const volume_job *job, const double corner[3])
{
    double points[3 * PARTS], values[PARTS];
    part_middles(corner, job->cell, points);
    pli_shape_values(job->shape, PARTS, points, values);
    double sum = 0;
    for (int c = 0; c < PARTS; ++c)
        sum += pli_smaller(pli_larger(0.5 - values[c] / job->cell, 0), 1);
    return sum;
}

static double count_group(const volume_job *job, const double corner[3])
{
    double size = SIDE * job->cell;
    double middle[3], points[3 * PARTS], values[PARTS];
    for (int k = 0; k < 3; ++k) middle[k] = corner[k] + 0.5 * SIDE * size;
    double value = pli_shape_value(job->shape, middle);
    if (fabs(value) > reach_of(job, GROUP_SIDE)) return value < 0 ? PARTS * PARTS : 0;

    part_middles(corner, size, points);
    pli_shape_values(job->shape, PARTS, points, values);
    double reach = reach_of(job, SIDE);
    double sum = 0;
    for (int b = 0; b < PARTS; ++b) {
        if (fabs(values[b]) > reach) {
            sum += values[b] < 0 ? PARTS : 0;
            continue;
        }
        double block[3];
        for (int k = 0; k < 3; ++k) block[k] = points[3 * b + k] - 0.5 * size;
        sum += count_cells(job, block);
    }
    return sum;
}

static pli_sum sum_groups(void *user, int64_t begin, int64_t end)
{
    const volume_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t group = begin; group < end; ++group) {
        const int64_t at[3] = {group % job->groups[0], group / job->groups[0] % job->groups[1],
                               group / (job->groups[0] * job->groups[1])};
        double corner[3];
        for (int k = 0; k < 3; ++k) {
            corner[k] = job->origin[k] + (double)(at[k] * GROUP_SIDE) * job->cell;
        }
        pli_sum_add(&sum, count_group(job, corner));
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
        job.groups[k] = (int64_t)ceil(cells / GROUP_SIDE);
        double extent = (double)(job.groups[k] * GROUP_SIDE) * job.cell;
        job.origin[k] = 0.5 * (bounds->min[k] + bounds->max[k] - extent);
    }
    int64_t count = job.groups[0] * job.groups[1] * job.groups[2];
    pli_sum cells = pli_parallel_sum(context, count, 1, sum_groups, &job);
    *volume = pli_sum_value(cells) * job.cell * job.cell * job.cell;
    return PLI_OK;
}

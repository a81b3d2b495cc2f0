// SPDX-License-Identifier: Apache-2.0
//
// Volume of a shape by cells. A cell of width w whose centre has the value v counts with the
// fraction clamp(1/2 - v / w): errors on both sides of the surface cancel. Blocks of cells that the
// Lipschitz constant proves to be on one side are counted at once.
#include "base/parallel.h"
#include "geometry/stuffing.h"
#include "math/vec3.h"

enum { BLOCK = 8 };

typedef struct volume_grid {
    const pli_shape *shape;
    double origin[3];
    double w;
    int64_t blocks[3];
} volume_grid;

// Cells of one block, in units of cells.
static double block_volume(const volume_grid *grid, const double corner[3])
{
    double middle[3];
    for (int i = 0; i < 3; ++i) middle[i] = corner[i] + 0.5 * BLOCK * grid->w;
    double value = pli_shape_value(grid->shape, middle);
    double reach = 1.001 * sqrt(3) * 0.5 * BLOCK * grid->w * pli_shape_lipschitz(grid->shape);
    if (fabs(value) > reach + 0.5 * grid->w) return value < 0 ? BLOCK * BLOCK * BLOCK : 0;
    double sum = 0;
    for (int cell = 0; cell < BLOCK * BLOCK * BLOCK; ++cell) {
        double x[3] = {corner[0] + grid->w * (cell % BLOCK + 0.5),
                       corner[1] + grid->w * (cell / BLOCK % BLOCK + 0.5),
                       corner[2] + grid->w * (cell / BLOCK / BLOCK + 0.5)};
        double v = pli_shape_value(grid->shape, x);
        sum += fmin(fmax(0.5 - v / grid->w, 0), 1);
    }
    return sum;
}

static pli_sum add_blocks(void *user, int64_t begin, int64_t end)
{
    const volume_grid *grid = user;
    pli_sum sum = {0, 0};
    for (int64_t index = begin; index < end; ++index) {
        int64_t at[3] = {index % grid->blocks[0], index / grid->blocks[0] % grid->blocks[1],
                         index / grid->blocks[0] / grid->blocks[1]};
        double corner[3];
        for (int i = 0; i < 3; ++i) {
            corner[i] = grid->origin[i] + grid->w * BLOCK * (double)at[i];
        }
        pli_sum_add(&sum, block_volume(grid, corner));
    }
    return sum;
}

pli_status pli_shape_volume(pli_context *context, const pli_shape *shape, double spacing,
                            double *volume)
{
    *volume = 0;
    double low[3];
    double high[3];
    volume_grid grid = {.shape = shape, .w = spacing};
    pli_shape_bounds(shape, low, high);
    if (!pli_shape_is_bounded(shape) || !(spacing > 0)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the volume of a shape needs finite bounds and a positive spacing, found "
                        "spacing %g",
                        spacing);
    }
    for (int i = 0; i < 3; ++i) {
        double width = BLOCK * spacing;
        grid.blocks[i] = high[i] >= low[i] ? (int64_t)ceil((high[i] - low[i]) / width) + 1 : 0;
        grid.origin[i] = 0.5 * (low[i] + high[i] - width * (double)grid.blocks[i]);
    }
    int64_t count = grid.blocks[0] * grid.blocks[1] * grid.blocks[2];
    pli_sum cells = pli_parallel_sum(context, count, 4, add_blocks, &grid);
    *volume = pli_sum_value(cells) * spacing * spacing * spacing;
    return PLI_OK;
}

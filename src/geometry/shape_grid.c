// SPDX-License-Identifier: Apache-2.0
//
// Sampled distance: trilinear or tricubic interpolation on a grid of cubes.
#include "geometry/shape_node.h"

#include "base/memory.h"
#include "base/parallel.h"

typedef struct grid_node {
    pli_shape base;
    double origin[3];
    double last[3]; // the sample opposite to origin (m)
    double spacing;
    int32_t count[3];
    double *values; // [count[2]][count[1]][count[0]] (m)
    pli_grid_order order;
} grid_node;

// Weights of the samples around a point along one axis: `width` samples from index `first`.
typedef struct grid_stencil {
    int32_t index[4];
    double w[3][4]; // [order of derivative][sample], by the coordinate (1/m)
    int width;
} grid_stencil;

static void linear_weights(double t, double w[3][4])
{
    memset(w, 0, 12 * sizeof(double));
    w[0][0] = 1 - t;
    w[0][1] = t;
    w[1][0] = -1;
    w[1][1] = 1;
}

static grid_stencil grid_stencil_make(const grid_node *grid, int axis, double coordinate)
{
    grid_stencil stencil;
    int32_t count = grid->count[axis];
    double place = fmin(fmax((coordinate - grid->origin[axis]) / grid->spacing, 0), count - 1);
    int32_t cell = (int32_t)fmin(floor(place), count - 2);
    if (grid->order == PLI_GRID_CUBIC) {
        pli_spline_weights(place - cell, stencil.w);
        stencil.width = 4;
        --cell;
    } else {
        linear_weights(place - cell, stencil.w);
        stencil.width = 2;
    }
    for (int k = 0; k < stencil.width; ++k) {
        // border samples are repeated
        int32_t index = cell + k < 0 ? 0 : cell + k;
        stencil.index[k] = index < count ? index : count - 1;
        stencil.w[1][k] /= grid->spacing;
        stencil.w[2][k] /= grid->spacing * grid->spacing;
    }
    return stencil;
}

static const double *grid_row(const grid_node *grid, int32_t j, int32_t k)
{
    return grid->values + ((int64_t)k * grid->count[1] + j) * grid->count[0];
}

// The nearest point of the grid's box; offset gets what is left.
static void grid_clamp(const grid_node *grid, const double x[3], double inside[3], double offset[3])
{
    for (int i = 0; i < 3; ++i) {
        inside[i] = fmin(fmax(x[i], grid->origin[i]), grid->last[i]);
        offset[i] = x[i] - inside[i];
    }
}

static double grid_value(const pli_shape *shape, const double x[3])
{
    const grid_node *grid = (const grid_node *)shape;
    double inside[3];
    double offset[3];
    grid_stencil s[3];
    grid_clamp(grid, x, inside, offset);
    for (int i = 0; i < 3; ++i) s[i] = grid_stencil_make(grid, i, inside[i]);
    double value = 0;
    for (int k = 0; k < s[2].width; ++k) {
        double plane = 0;
        for (int j = 0; j < s[1].width; ++j) {
            const double *row = grid_row(grid, s[1].index[j], s[2].index[k]);
            double line = 0;
            for (int i = 0; i < s[0].width; ++i) line += s[0].w[0][i] * row[s[0].index[i]];
            plane += s[1].w[0][j] * line;
        }
        value += s[2].w[0][k] * plane;
    }
    return value + pli_vec3_norm(offset);
}

// Sums of samples times weights for all derivatives up to the second: by[a][b][c] is the a-th
// derivative by x, b-th by y, c-th by z.
static void grid_sums(const grid_node *grid, const grid_stencil s[3], double by[3][3][3])
{
    memset(by, 0, 27 * sizeof(double));
    for (int k = 0; k < s[2].width; ++k) {
        for (int j = 0; j < s[1].width; ++j) {
            const double *row = grid_row(grid, s[1].index[j], s[2].index[k]);
            double line[3] = {0, 0, 0};
            for (int i = 0; i < s[0].width; ++i) {
                for (int a = 0; a < 3; ++a) line[a] += s[0].w[a][i] * row[s[0].index[i]];
            }
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; a + b < 3; ++b) {
                    for (int c = 0; a + b + c < 3; ++c) {
                        by[a][b][c] += s[1].w[b][j] * s[2].w[c][k] * line[a];
                    }
                }
            }
        }
    }
}

static void grid_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const grid_node *grid = (const grid_node *)shape;
    double inside[3];
    double offset[3];
    grid_stencil s[3];
    double by[3][3][3];
    grid_clamp(grid, x, inside, offset);
    for (int i = 0; i < 3; ++i) s[i] = grid_stencil_make(grid, i, inside[i]);
    grid_sums(grid, s, by);

    // beyond the box: distance to it, plus the border value, which does not change outwards
    double outside[9] = {0};
    for (int i = 0; i < 3; ++i) outside[4 * i] = offset[i] != 0;
    pli_shape_jet_radial(offset, outside, 0, jet);
    double gradient[3] = {by[1][0][0], by[0][1][0], by[0][0][1]};
    double hessian[9] = {by[2][0][0], by[1][1][0], by[1][0][1], by[1][1][0], by[0][2][0],
                         by[0][1][1], by[1][0][1], by[0][1][1], by[0][0][2]};
    jet->value += by[0][0][0];
    for (int i = 0; i < 3; ++i) {
        if (offset[i] != 0) continue;
        jet->gradient[i] += gradient[i];
        for (int j = 0; j < 3; ++j) {
            if (offset[j] == 0) jet->hessian[3 * i + j] += hessian[3 * i + j];
        }
    }
}

static const pli_shape_ops grid_ops = {grid_value, grid_derive};

// Largest change between neighbouring samples, per metre.
static double grid_steepest(const grid_node *grid)
{
    double steepest = 0;
    int64_t stride[3] = {1, grid->count[0], (int64_t)grid->count[0] * grid->count[1]};
    for (int32_t k = 0; k < grid->count[2]; ++k) {
        for (int32_t j = 0; j < grid->count[1]; ++j) {
            const double *row = grid_row(grid, j, k);
            for (int32_t i = 0; i < grid->count[0]; ++i) {
                int32_t place[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    if (place[axis] + 1 == grid->count[axis]) continue;
                    steepest = fmax(steepest, fabs(row[i + stride[axis]] - row[i]));
                }
            }
        }
    }
    return steepest / grid->spacing;
}

// Box of the cells that hold a sample inside or on the surface, one cell wider; cubics may bulge
// by less than that.
static void grid_bounds(grid_node *grid)
{
    double low[3] = {INFINITY, INFINITY, INFINITY};
    double high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double margin = grid->order == PLI_GRID_CUBIC ? 2 : 1;
    for (int32_t k = 0; k < grid->count[2]; ++k) {
        for (int32_t j = 0; j < grid->count[1]; ++j) {
            const double *row = grid_row(grid, j, k);
            for (int32_t i = 0; i < grid->count[0]; ++i) {
                if (row[i] > 0) continue;
                double at[3] = {i, j, k};
                for (int axis = 0; axis < 3; ++axis) {
                    low[axis] = fmin(low[axis], at[axis] - margin);
                    high[axis] = fmax(high[axis], at[axis] + margin);
                }
            }
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        grid->base.low[axis] = grid->origin[axis] + grid->spacing * low[axis];
        grid->base.high[axis] = grid->origin[axis] + grid->spacing * high[axis];
    }
}

static pli_status check_grid(pli_shape_set *set, const pli_shape_samples *samples)
{
    pli_context *context = pli_shape_set_context(set);
    PLI_TRY(pli_shape_check_vector(set, "the origin of a distance grid", samples->origin));
    PLI_TRY(pli_shape_check_length(set, "the spacing of a distance grid", samples->spacing));
    const int32_t *count = samples->count;
    if (count[0] < 2 || count[1] < 2 || count[2] < 2) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a distance grid has %d x %d x %d samples, needs at least 2 along each "
                        "axis",
                        count[0], count[1], count[2]);
    }
    int64_t total = (int64_t)count[0] * count[1] * count[2];
    for (int64_t i = 0; i < total; ++i) {
        if (isfinite(samples->values[i])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "sample %lld of a distance grid is not finite",
                        (long long)i);
    }
    return PLI_OK;
}

pli_status pli_shape_create_from_samples(pli_shape_set *set, const pli_shape_samples *samples,
                                         const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_grid(set, samples));
    grid_node *grid = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *grid, &grid_ops, (void **)&grid));
    const int32_t *count = samples->count;
    int64_t total = (int64_t)count[0] * count[1] * count[2];
    grid->values = pli_shape_set_take(set, total, sizeof(double), "distance samples");
    if (grid->values == NULL) return PLI_ERROR_MEMORY;
    memcpy(grid->values, samples->values, (size_t)total * sizeof(double));
    grid->spacing = samples->spacing;
    grid->order = samples->order;
    for (int i = 0; i < 3; ++i) {
        grid->origin[i] = samples->origin[i];
        grid->count[i] = count[i];
        grid->last[i] = samples->origin[i] + samples->spacing * (count[i] - 1);
    }
    grid_bounds(grid);
    grid->base.is_exact = false;
    grid->base.is_analytic = false;
    grid->base.is_beyond_bounds = false;

    // a partial derivative is a weighted mean of differences of samples; for cubics the weights
    // have absolute sums of 1.5 along it and 1.25 across
    double along = samples->order == PLI_GRID_CUBIC ? 1.5 * 1.25 * 1.25 : 1;
    grid->base.lipschitz = 1 + sqrt(3) * along * grid_steepest(grid);
    *shape = &grid->base;
    return PLI_OK;
}

// ---- sampling another shape

typedef struct sampling {
    const pli_shape *member;
    pli_shape_samples *samples;
    double *values;
} sampling;

static void sample_rows(void *user, int64_t begin, int64_t end)
{
    sampling *job = user;
    const pli_shape_samples *samples = job->samples;
    int32_t columns = samples->count[0];
    for (int64_t row = begin; row < end; ++row) {
        for (int32_t i = 0; i < columns; ++i) {
            double x[3] = {
                samples->origin[0] + samples->spacing * i,
                samples->origin[1] + samples->spacing * (double)(row % samples->count[1]),
                samples->origin[2] + samples->spacing * (double)(row / samples->count[1])};
            job->values[row * columns + i] = pli_shape_eval(job->member, x);
        }
    }
}

// Origin, spacing and counts of a grid over a box with two cells to spare on every side.
static void samples_cover(const double low[3], const double high[3], int32_t resolution,
                          pli_shape_samples *samples)
{
    double longest = fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    samples->spacing = longest / (resolution - 1);
    for (int i = 0; i < 3; ++i) {
        int32_t cells = (int32_t)ceil((high[i] - low[i]) / samples->spacing - 1e-9) + 4;
        samples->count[i] = cells + 1;
        samples->origin[i] = 0.5 * (low[i] + high[i] - samples->spacing * cells);
    }
}

pli_status pli_shape_create_sampled(pli_shape_set *set, const pli_shape *member, int32_t resolution,
                                    pli_grid_order order, const pli_shape **shape)
{
    *shape = NULL;
    pli_context *context = pli_shape_set_context(set);
    PLI_TRY(pli_shape_check_member(set, member));
    if (!pli_shape_is_bounded(member) || !(member->low[0] < member->high[0])) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a shape without end or without inside can not be sampled: intersect it "
                        "with a box first");
    }
    if (resolution < 2 || resolution > 1024) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the resolution of a distance grid is %d, must be between 2 and 1024",
                        resolution);
    }
    pli_shape_samples samples = {.order = order};
    samples_cover(member->low, member->high, resolution, &samples);
    int64_t rows = (int64_t)samples.count[1] * samples.count[2];
    double *values = PLI_NEW(context, double, rows *samples.count[0], "distance samples");
    if (values == NULL) return PLI_ERROR_MEMORY;
    sampling job = {member, &samples, values};
    pli_parallel_for(context, rows, 8, sample_rows, &job);
    samples.values = values;
    pli_status status = pli_shape_create_from_samples(set, &samples, shape);
    pli_release(context, values);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
//
// Height field: value = (y - h(x, z)) / sqrt(1 + slope^2) with the steepest slope of the field, so
// that it never exceeds the true distance.
#include "geometry/shape_node.h"

typedef struct height_node {
    pli_shape base;
    double origin[3];
    double cell[2];    // distance of samples along x and z (m)
    int32_t count[2];  // columns, rows
    double *heights;   // [rows][columns] (m)
    double steepening; // 1 / sqrt(1 + slope^2)
} height_node;

// Height above origin with first and second derivatives by x and z.
typedef struct height_jet {
    double h;
    double x, z;
    double xx, xz, zz;
} height_jet;

// Index of the sample before a coordinate and the fraction to the next; beyond the border the
// fraction stays at its end and *moves is 0, as the height does not change there.
static int32_t height_cell(const height_node *node, int axis, double coordinate, double *fraction,
                           double *moves)
{
    double place = coordinate / node->cell[axis];
    double last = node->count[axis] - 1;
    *moves = place >= 0 && place <= last;
    place = fmin(fmax(place, 0), last);
    int32_t index = (int32_t)fmin(floor(place), last - 1);
    *fraction = place - index;
    return index;
}

static int32_t clamp_index(int32_t index, int32_t count)
{
    if (index < 0) return 0;
    return index < count ? index : count - 1;
}

static height_jet height_compute(const height_node *node, const double p[3])
{
    double t[2];
    double moves[2];
    double wx[3][4];
    double wz[3][4];
    int32_t i0 = height_cell(node, 0, p[0] - node->origin[0], &t[0], &moves[0]);
    int32_t j0 = height_cell(node, 1, p[2] - node->origin[2], &t[1], &moves[1]);
    pli_spline_weights(t[0], wx);
    pli_spline_weights(t[1], wz);

    // rows first, then columns: [derivative by x][derivative by z]
    double sum[3][3] = {{0}};
    for (int j = 0; j < 4; ++j) {
        int32_t row = clamp_index(j0 - 1 + j, node->count[1]);
        for (int i = 0; i < 4; ++i) {
            int32_t column = clamp_index(i0 - 1 + i, node->count[0]);
            double h = node->heights[(int64_t)row * node->count[0] + column];
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; a + b < 3; ++b) sum[a][b] += wx[a][i] * wz[b][j] * h;
            }
        }
    }
    double sx = moves[0] / node->cell[0];
    double sz = moves[1] / node->cell[1];
    return (height_jet){sum[0][0],           sum[1][0] * sx,      sum[0][1] * sz,
                        sum[2][0] * sx * sx, sum[1][1] * sx * sz, sum[0][2] * sz * sz};
}

static double height_value(const pli_shape *shape, const double x[3])
{
    const height_node *node = (const height_node *)shape;
    return node->steepening * (x[1] - node->origin[1] - height_compute(node, x).h);
}

static void height_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const height_node *node = (const height_node *)shape;
    double s = node->steepening;
    height_jet h = height_compute(node, x);
    memset(jet, 0, sizeof *jet);
    jet->value = s * (x[1] - node->origin[1] - h.h);
    pli_vec3_set(-s * h.x, s, -s * h.z, jet->gradient);
    jet->hessian[0] = -s * h.xx;
    jet->hessian[2] = jet->hessian[6] = -s * h.xz;
    jet->hessian[8] = -s * h.zz;
}

static const pli_shape_ops height_ops = {height_value, height_derive};

// Steepest slope over points between the samples, four along each edge of a cell.
static double height_steepest(const height_node *node)
{
    enum { PER_CELL = 4 };
    double steepest = 0;
    for (int32_t j = 0; j <= PER_CELL * (node->count[1] - 1); ++j) {
        for (int32_t i = 0; i <= PER_CELL * (node->count[0] - 1); ++i) {
            double p[3] = {node->origin[0] + node->cell[0] * i / PER_CELL, 0,
                           node->origin[2] + node->cell[1] * j / PER_CELL};
            height_jet h = height_compute(node, p);
            steepest = fmax(steepest, sqrt(h.x * h.x + h.z * h.z));
        }
    }
    return steepest;
}

static pli_status check_samples(pli_shape_set *set, const pli_height_samples *samples)
{
    PLI_TRY(pli_shape_check_vector(set, "the origin of a height field", samples->origin));
    PLI_TRY(pli_shape_check_length(set, "the extent of a height field along x", samples->size[0]));
    PLI_TRY(pli_shape_check_length(set, "the extent of a height field along z", samples->size[1]));
    if (samples->columns < 2 || samples->rows < 2 || samples->heights == NULL) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "a height field has %d x %d samples, needs at least 2 x 2",
                        samples->columns, samples->rows);
    }
    int64_t count = (int64_t)samples->columns * samples->rows;
    for (int64_t i = 0; i < count; ++i) {
        if (isfinite(samples->heights[i])) continue;
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "height %lld of a height field is not finite", (long long)i);
    }
    return PLI_OK;
}

pli_status pli_shape_height_field(pli_shape_set *set, const pli_height_samples *samples,
                                  const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_samples(set, samples));
    height_node *node = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *node, &height_ops, (void **)&node));
    int64_t count = (int64_t)samples->columns * samples->rows;
    node->heights = pli_shape_set_take(set, count, sizeof(double), "heights");
    if (node->heights == NULL) return PLI_ERROR_MEMORY;
    memcpy(node->heights, samples->heights, (size_t)count * sizeof(double));
    pli_vec3_copy(samples->origin, node->origin);
    node->count[0] = samples->columns;
    node->count[1] = samples->rows;
    for (int i = 0; i < 2; ++i) node->cell[i] = samples->size[i] / (node->count[i] - 1);

    double slope = height_steepest(node);
    node->steepening = 1 / sqrt(1 + slope * slope);
    node->base.lipschitz = 1.1;
    node->base.is_exact = false;
    node->base.is_analytic = false;
    node->base.is_beyond_bounds = false;

    // a spline overshoots its samples by at most an eighth of their range per direction
    double top = samples->heights[0];
    double bottom = top;
    for (int64_t i = 1; i < count; ++i) {
        top = fmax(top, samples->heights[i]);
        bottom = fmin(bottom, samples->heights[i]);
    }
    node->base.high[1] = samples->origin[1] + top + 0.3 * (top - bottom);
    *shape = &node->base;
    return PLI_OK;
}

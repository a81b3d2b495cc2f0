// SPDX-License-Identifier: Apache-2.0
//
// Height field, struts, gyroid, cell walls: shapes that fill space.
#include "geometry/shapes/shape_node.h"
#include "geometry/shapes/stencil.h"

#include <string.h>

static const double two_pi = 6.283185307179586;

// ---- height field: (y - h(x, z)) c, c = 1 / sqrt(1 + largest slope^2)

typedef struct height_data {
    double origin[3];
    double spacing[2]; // between samples along x and z (m)
    double scale;      // c
    int32_t columns;
    int32_t rows;
    double heights[]; // [rows][columns] (m)
} height_data;

// value and derivatives of h along x and z
typedef struct height_jet {
    double h;
    double hx;
    double hz;
    double hxx;
    double hxz;
    double hzz;
} height_jet;

static height_jet interpolate_height(const height_data *data, double x, double z)
{
    double u = (x - data->origin[0]) / data->spacing[0];
    double v = (z - data->origin[2]) / data->spacing[1];
    pli_stencil a = pli_stencil_at(u, data->columns, true);
    pli_stencil b = pli_stencil_at(v, data->rows, true);
    height_jet out = {0};
    for (int j = 0; j < 4; ++j) {
        const double *row = data->heights + (int64_t)b.sample[j] * data->columns;
        double h = 0, hx = 0, hxx = 0;
        for (int i = 0; i < 4; ++i) {
            h += a.weight[i] * row[a.sample[i]];
            hx += a.slope[i] * row[a.sample[i]];
            hxx += a.curvature[i] * row[a.sample[i]];
        }
        out.h += b.weight[j] * h;
        out.hx += b.weight[j] * hx;
        out.hz += b.slope[j] * h;
        out.hxx += b.weight[j] * hxx;
        out.hxz += b.slope[j] * hx;
        out.hzz += b.curvature[j] * h;
    }

    // flat beyond the border, and per metre instead of per spacing
    double sx = u >= 0 && u <= data->columns - 1 ? 1 / data->spacing[0] : 0;
    double sz = v >= 0 && v <= data->rows - 1 ? 1 / data->spacing[1] : 0;
    return (height_jet){
        out.h, out.hx * sx, out.hz * sz, out.hxx * sx * sx, out.hxz * sx * sz, out.hzz * sz * sz};
}

static void height_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const height_data *data = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        const double *x = points + 3 * (int64_t)i;
        double h = interpolate_height(data, x[0], x[2]).h;
        values[i] = data->scale * (x[1] - data->origin[1] - h);
    }
}

static void height_shape_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const height_data *data = shape->data;
    height_jet h = interpolate_height(data, x[0], x[2]);
    double c = data->scale;
    const double gradient[3] = {-c * h.hx, c, -c * h.hz};
    *jet = pli_jet_linear(c * (x[1] - data->origin[1] - h.h), gradient);
    jet->hessian[0] = -c * h.hxx;
    jet->hessian[2] = jet->hessian[6] = -c * h.hxz;
    jet->hessian[8] = -c * h.hzz;
}

static const pli_shape_ops height_ops = {"height field", height_values, height_shape_jet};

// The largest slope: differences of samples bound the interpolant's, up to the overshoot of the
// cubic (its weights add up to 5/4 in magnitude across, the slope's to 3/2 along).
static double largest_slope(const height_data *data)
{
    double dx = 0;
    double dz = 0;
    for (int32_t j = 0; j < data->rows; ++j) {
        for (int32_t i = 0; i < data->columns; ++i) {
            const double *h = data->heights + (int64_t)j * data->columns + i;
            if (i + 1 < data->columns) dx = fmax(dx, fabs(h[1] - h[0]));
            if (j + 1 < data->rows) dz = fmax(dz, fabs(h[data->columns] - h[0]));
        }
    }
    const double overshoot = 1.25 * 1.5;
    return overshoot * hypot(dx / data->spacing[0], dz / data->spacing[1]);
}

static pli_status check_ground(pli_shape_set *set, const pli_shape_ground *ground)
{
    PLI_TRY(pli_shape_check_finite(set, "origin of a height field", 3, ground->origin));
    PLI_TRY(pli_shape_check_positive(set, "extent of a height field along x", ground->size[0]));
    PLI_TRY(pli_shape_check_positive(set, "extent of a height field along z", ground->size[1]));
    if (ground->columns < 2 || ground->rows < 2 || ground->heights == NULL) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "a height field has %d x %d samples, needs at least 2 x 2", ground->columns,
                        ground->rows);
    }
    return pli_shape_check_finite(set, "height", (int64_t)ground->rows * ground->columns,
                                  ground->heights);
}

pli_status pli_shape_height_field(pli_shape_set *set, const pli_shape_ground *ground,
                                  const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_ground(set, ground));
    int64_t count = (int64_t)ground->rows * ground->columns;
    size_t bytes = (size_t)count * sizeof(double);
    pli_shape_new description = {.ops = &height_ops, .data_bytes = sizeof(height_data) + bytes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    height_data *data = node->data;
    pli_vec3_copy(ground->origin, data->origin);
    data->columns = ground->columns;
    data->rows = ground->rows;
    data->spacing[0] = ground->size[0] / (ground->columns - 1);
    data->spacing[1] = ground->size[1] / (ground->rows - 1);
    memcpy(data->heights, ground->heights, bytes);
    double slope = largest_slope(data);
    data->scale = 1 / sqrt(1 + slope * slope);

    // cubics overshoot the samples by at most a quarter of their range in each direction
    double low = INFINITY;
    double high = -INFINITY;
    for (int64_t i = 0; i < count; ++i) {
        low = fmin(low, data->heights[i]);
        high = fmax(high, data->heights[i]);
    }
    node->bounds = pli_bounds_infinite();
    node->bounds.max[1] = data->origin[1] + high + 0.5 * (high - low);
    node->is_exact = false;
    node->is_far = false;
    *shape = node;
    return PLI_OK;
}

// ---- struts: distance to the nearest edge of the cubes minus the radius

typedef struct struts_data {
    double cell;
    double radius;
} struts_data;

// Offsets from the nearest multiple of the cell, and the axis of the nearest edge: the one along
// the largest offset.
static int nearest_strut(const struts_data *data, const double x[3], double q[3])
{
    for (int k = 0; k < 3; ++k) q[k] = x[k] - data->cell * round(x[k] / data->cell);
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (fabs(q[k]) > fabs(q[axis])) axis = k;
    }
    q[axis] = 0;
    return axis;
}

static void struts_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const struts_data *data = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        double q[3];
        nearest_strut(data, points + 3 * (int64_t)i, q);
        values[i] = pli_vec3_norm(q) - data->radius;
    }
}

static void struts_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const struts_data *data = shape->data;
    double q[3];
    int axis = nearest_strut(data, x, q);
    double length = pli_vec3_normalize(q, q);
    double curvature = pli_jet_inverse(length);
    *jet = pli_jet_linear(length - data->radius, q);
    for (int k = 0; k < 3; ++k) jet->hessian[4 * k] = k != axis ? curvature : 0;
    pli_jet_add_outer(jet->hessian, -curvature, q, q);
}

static const pli_shape_ops struts_ops = {"lattice of struts", struts_values, struts_jet};

pli_status pli_shape_struts(pli_shape_set *set, double cell, double radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_positive(set, "cell of a lattice", cell));
    PLI_TRY(pli_shape_check_positive(set, "radius of a strut", radius));
    pli_shape_new description = {.ops = &struts_ops, .data_bytes = sizeof(struts_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    *(struts_data *)node->data = (struts_data){cell, radius};
    node->bounds = pli_bounds_infinite();
    node->is_exact = false;
    *shape = node;
    return PLI_OK;
}

// ---- gyroid: |g| / sqrt(|grad g|^2 + g^2) scaled to metres, minus half the thickness, with
//      g = sin X cos Y + sin Y cos Z + sin Z cos X. The root is |grad g| on the middle surface,
//      where the quotient is the distance to first order, and never vanishes.

typedef struct gyroid_data {
    double wave; // 2 pi / cell (1/m)
    double half; // of the thickness (m)
} gyroid_data;

static void gyroid_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const gyroid_data *data = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        double s[3], c[3], g = 0, square = 0;
        for (int k = 0; k < 3; ++k) {
            s[k] = sin(data->wave * points[3 * (int64_t)i + k]);
            c[k] = cos(data->wave * points[3 * (int64_t)i + k]);
        }
        for (int k = 0; k < 3; ++k) {
            int next = (k + 1) % 3;
            int last = (k + 2) % 3;
            g += s[k] * c[next];
            // dg / dX_k
            double slope = c[k] * c[next] - s[last] * s[k];
            square += slope * slope;
        }
        values[i] = fabs(g) / (sqrt(square + g * g) * data->wave) - data->half;
    }
}

static void gyroid_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const gyroid_data *data = shape->data;
    pli_jet s[3], c[3];
    for (int k = 0; k < 3; ++k) {
        double axis[3] = {0, 0, 0};
        axis[k] = data->wave;
        pli_jet angle = pli_jet_linear(data->wave * x[k], axis);
        double sine = sin(angle.value);
        double cosine = cos(angle.value);
        s[k] = pli_jet_apply(&angle, sine, cosine, -sine);
        c[k] = pli_jet_apply(&angle, cosine, -sine, -cosine);
    }
    pli_jet g = {0};
    pli_jet square = {0};
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        int last = (k + 2) % 3;
        pli_jet term = pli_jet_multiply(&s[k], &c[next]);
        g = pli_jet_add_scaled(&g, 1, &term);
        pli_jet slope = pli_jet_multiply(&c[k], &c[next]);
        term = pli_jet_multiply(&s[last], &s[k]);
        slope = pli_jet_add_scaled(&slope, -1, &term);
        slope = pli_jet_multiply(&slope, &slope);
        square = pli_jet_add_scaled(&square, 1, &slope);
    }
    pli_jet g2 = pli_jet_multiply(&g, &g);
    square = pli_jet_add_scaled(&square, 1, &g2);

    // q^(-1/2) with derivatives, then times |g| / wave
    double q = square.value;
    double root = 1 / sqrt(q);
    pli_jet inverse = pli_jet_apply(&square, root, -0.5 * root / q, 0.75 * root / (q * q));
    *jet = pli_jet_multiply(&g, &inverse);
    *jet = pli_jet_scale((g.value >= 0 ? 1 : -1) / data->wave, jet);
    jet->value -= data->half;
}

static const pli_shape_ops gyroid_ops = {"gyroid", gyroid_values, gyroid_jet};

pli_status pli_shape_gyroid(pli_shape_set *set, double cell, double thickness,
                            const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_positive(set, "period of a gyroid", cell));
    PLI_TRY(pli_shape_check_positive(set, "thickness of a gyroid", thickness));
    pli_shape_new description = {.ops = &gyroid_ops, .data_bytes = sizeof(gyroid_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    *(gyroid_data *)node->data = (gyroid_data){two_pi / cell, 0.5 * thickness};
    node->bounds = pli_bounds_infinite();
    node->is_exact = false;
    // largest slope of the quotient, found by search over a period: 1.003
    node->lipschitz = 1.01;
    *shape = node;
    return PLI_OK;
}

// ---- cell walls: with s the nearest seed, the least over the other seeds t of the distance to the
//      plane half way, ((x - t)^2 - (x - s)^2) / (2 |t - s|), minus half the thickness

typedef struct cells_data {
    double half; // of the thickness (m)
    int32_t count;
    double seeds[]; // [count][3]
} cells_data;

// The two seeds between which the nearest wall stands; returns the distance to its middle.
static double nearest_wall(const cells_data *data, const double x[3], int32_t pair[2])
{
    double least = INFINITY;
    pair[0] = pair[1] = 0;
    for (int32_t i = 0; i < data->count; ++i) {
        double d = pli_vec3_distance(x, data->seeds + 3 * (int64_t)i);
        if (d < least) {
            least = d;
            pair[0] = i;
        }
    }
    const double *own = data->seeds + 3 * (int64_t)pair[0];
    double wall = INFINITY;
    for (int32_t i = 0; i < data->count; ++i) {
        if (i == pair[0]) continue;
        const double *other = data->seeds + 3 * (int64_t)i;
        double d[3], e[3], apart = pli_vec3_distance(own, other);
        pli_vec3_subtract(x, other, d);
        pli_vec3_subtract(x, own, e);
        double gap = (pli_vec3_norm2(d) - pli_vec3_norm2(e)) / (2 * apart);
        if (apart > 0 && gap < wall) {
            wall = gap;
            pair[1] = i;
        }
    }
    return wall;
}

static void cells_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const cells_data *data = shape->data;
    int32_t pair[2];
    for (int32_t i = 0; i < n; ++i) {
        values[i] = nearest_wall(data, points + 3 * (int64_t)i, pair) - data->half;
    }
}

static void cells_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const cells_data *data = shape->data;
    int32_t pair[2];
    double wall = nearest_wall(data, x, pair);
    double normal[3];
    pli_vec3_subtract(data->seeds + 3 * (int64_t)pair[0], data->seeds + 3 * (int64_t)pair[1],
                      normal);
    pli_vec3_normalize(normal, normal);
    *jet = pli_jet_linear(wall - data->half, normal);
}

static const pli_shape_ops cells_ops = {"cell walls", cells_values, cells_jet};

pli_status pli_shape_cells(pli_shape_set *set, int32_t seed_count, const double *seeds,
                           double thickness, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_positive(set, "thickness of cell walls", thickness));
    if (seed_count < 2 || seeds == NULL) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "cell walls have %d seeds, need at least 2", seed_count);
    }
    PLI_TRY(pli_shape_check_finite(set, "seed of a cell", 3 * (int64_t)seed_count, seeds));
    size_t bytes = 3 * (size_t)seed_count * sizeof(double);
    pli_shape_new description = {.ops = &cells_ops, .data_bytes = sizeof(cells_data) + bytes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    cells_data *data = node->data;
    data->half = 0.5 * thickness;
    data->count = seed_count;
    memcpy(data->seeds, seeds, bytes);
    node->bounds = pli_bounds_infinite();
    node->is_exact = false;
    *shape = node;
    return PLI_OK;
}

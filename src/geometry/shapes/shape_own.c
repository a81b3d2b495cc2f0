// SPDX-License-Identifier: Apache-2.0
//
// Shapes whose distance is told by functions of the embedding program.
#include "geometry/shapes/shape_node.h"
#include "pliant/extend.h"

typedef struct own_data {
    const pli_distance_ops *ops;
    double inputs[]; // [ops->input_count]
} own_data;

static void own_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const own_data *data = shape->data;
    data->ops->values(data->ops->user, data->inputs, n, points, values);
}

// ---- derivatives by differences; steps of 1e-4 of the detail leave errors of some 1e-8 both by
//      what is cut off and by rounding

enum { SIDES = 6 }; // -x, +x, -y, ...

static double difference_step(const own_data *data)
{
    return 1e-4 * data->ops->detail;
}

// The six neighbours of a point at a distance h along the axes.
static void set_neighbours(const double x[3], double h, double around[SIDES][3])
{
    for (int side = 0; side < SIDES; ++side) {
        pli_vec3_copy(x, around[side]);
        around[side][side / 2] += side % 2 == 0 ? -h : h;
    }
}

// Hessian by central differences of gradients, symmetric.
static void difference_gradients(const own_data *data, const double x[3], pli_jet *jet)
{
    double h = difference_step(data);
    double around[SIDES][3], gradients[SIDES][3];
    set_neighbours(x, h, around);
    data->ops->gradients(data->ops->user, data->inputs, SIDES, around[0], gradients[0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double ij = gradients[2 * i + 1][j] - gradients[2 * i][j];
            double ji = gradients[2 * j + 1][i] - gradients[2 * j][i];
            jet->hessian[3 * i + j] = (ij + ji) / (4 * h);
        }
    }
}

// The value at the four corners (-, -), (-, +), (+, -), (+, +) of a square across two axes:
// d2 / dxi dxj.
static double mixed_difference(const own_data *data, const double x[3], int i, int j)
{
    double h = difference_step(data);
    double corners[4][3], values[4];
    for (int k = 0; k < 4; ++k) {
        pli_vec3_copy(x, corners[k]);
        corners[k][i] += k / 2 == 0 ? -h : h;
        corners[k][j] += k % 2 == 0 ? -h : h;
    }
    data->ops->values(data->ops->user, data->inputs, 4, corners[0], values);
    return (values[0] - values[1] - values[2] + values[3]) / (4 * h * h);
}

// Gradient and Hessian by central differences of values.
static void difference_values(const own_data *data, const double x[3], pli_jet *jet)
{
    double h = difference_step(data);
    double around[SIDES][3], values[SIDES];
    set_neighbours(x, h, around);
    data->ops->values(data->ops->user, data->inputs, SIDES, around[0], values);
    for (int i = 0; i < 3; ++i) {
        jet->gradient[i] = (values[2 * i + 1] - values[2 * i]) / (2 * h);
        jet->hessian[4 * i] = (values[2 * i + 1] - 2 * jet->value + values[2 * i]) / (h * h);
        for (int j = 0; j < i; ++j) {
            jet->hessian[3 * i + j] = jet->hessian[3 * j + i] = mixed_difference(data, x, i, j);
        }
    }
}

static void own_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const own_data *data = shape->data;
    data->ops->values(data->ops->user, data->inputs, 1, x, &jet->value);
    if (data->ops->gradients == NULL) {
        difference_values(data, x, jet);
        return;
    }
    data->ops->gradients(data->ops->user, data->inputs, 1, x, jet->gradient);
    difference_gradients(data, x, jet);
}

static const pli_shape_ops own_ops = {"shape of one's own", own_values, own_jet};

// ---- making

static pli_status check_ops(pli_shape_set *set, const pli_distance_ops *ops)
{
    if (ops->values == NULL) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "shape '%s' has no function of values", ops->name);
    }
    PLI_TRY(pli_shape_check_positive(set, "detail of a shape of one's own", ops->detail));
    return pli_shape_check_not_negative(set, "slope of a shape of one's own", ops->slope);
}

static pli_status set_bounds(pli_shape_set *set, const own_data *data, pli_bounds *bounds)
{
    const pli_distance_ops *ops = data->ops;
    *bounds = pli_bounds_infinite();
    if (ops->bounds == NULL) return PLI_OK;
    ops->bounds(ops->user, data->inputs, bounds->min, bounds->max);
    for (int k = 0; k < 3; ++k) {
        if (bounds->min[k] < bounds->max[k]) continue;
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "bounds of shape '%s' along %c are from %g to %g", ops->name, 'x' + k,
                        bounds->min[k], bounds->max[k]);
    }
    return PLI_OK;
}

pli_status pli_shape_own(pli_shape_set *set, const pli_distance_ops *borrowed_ops,
                         const double *inputs, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_ops(set, borrowed_ops));
    size_t bytes = (size_t)borrowed_ops->input_count * sizeof(double);
    pli_shape_new description = {.ops = &own_ops, .data_bytes = sizeof(own_data) + bytes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    own_data *data = node->data;
    data->ops = borrowed_ops;
    for (int32_t k = 0; k < borrowed_ops->input_count; ++k) data->inputs[k] = inputs[k];
    PLI_TRY(set_bounds(set, data, &node->bounds));
    node->lipschitz = borrowed_ops->slope > 0 ? borrowed_ops->slope : INFINITY;
    node->is_exact = false;
    node->is_far = false;
    *shape = node;
    return PLI_OK;
}

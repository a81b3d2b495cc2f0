// SPDX-License-Identifier: Apache-2.0
//
// Plane, sphere, box.
#include "geometry/shapes/shape_node.h"

// ---- plane: n . (x - p)

typedef struct plane_data {
    double normal[3]; // unit
    double offset;    // n . p (m)
} plane_data;

static void plane_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const plane_data *plane = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        values[i] = pli_vec3_dot(plane->normal, points + 3 * (int64_t)i) - plane->offset;
    }
}

static void plane_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const plane_data *plane = shape->data;
    *jet = pli_jet_linear(pli_vec3_dot(plane->normal, x) - plane->offset, plane->normal);
}

static const pli_shape_ops plane_ops = {"plane", plane_values, plane_jet};

// The half-space is bounded on one side when its normal is an axis.
static pli_bounds plane_bounds(const plane_data *plane)
{
    pli_bounds bounds = pli_bounds_infinite();
    for (int k = 0; k < 3; ++k) {
        if (plane->normal[k] == 1) bounds.max[k] = plane->offset;
        if (plane->normal[k] == -1) bounds.min[k] = -plane->offset;
    }
    return bounds;
}

pli_status pli_shape_plane(pli_shape_set *set, const double point[3], const double normal[3],
                           const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "point of a plane", 3, point));
    PLI_TRY(pli_shape_check_positive(set, "length of a plane's normal", pli_vec3_norm(normal)));
    pli_shape_new description = {.ops = &plane_ops, .data_bytes = sizeof(plane_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    plane_data *plane = node->data;
    pli_vec3_normalize(normal, plane->normal);
    plane->offset = pli_vec3_dot(plane->normal, point);
    node->bounds = plane_bounds(plane);
    *shape = node;
    return PLI_OK;
}

// ---- sphere: |x - c| - r

typedef struct sphere_data {
    double center[3];
    double radius;
} sphere_data;

static void sphere_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const sphere_data *sphere = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        values[i] = pli_vec3_distance(points + 3 * (int64_t)i, sphere->center) - sphere->radius;
    }
}

static void sphere_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const sphere_data *sphere = shape->data;
    double d[3];
    pli_vec3_subtract(x, sphere->center, d);
    double length = pli_vec3_normalize(d, d);
    *jet = pli_jet_linear(length - sphere->radius, d);

    // H = (I - n n^T) / |d|
    double curvature = pli_jet_inverse(length);
    for (int k = 0; k < 3; ++k) jet->hessian[4 * k] = curvature;
    pli_jet_add_outer(jet->hessian, -curvature, d, d);
}

static const pli_shape_ops sphere_ops = {"sphere", sphere_values, sphere_jet};

pli_status pli_shape_sphere(pli_shape_set *set, const double center[3], double radius,
                            const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "centre of a sphere", 3, center));
    PLI_TRY(pli_shape_check_positive(set, "radius of a sphere", radius));
    pli_shape_new description = {.ops = &sphere_ops, .data_bytes = sizeof(sphere_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    sphere_data *sphere = node->data;
    pli_vec3_copy(center, sphere->center);
    sphere->radius = radius;
    pli_vec3_copy(center, node->bounds.min);
    pli_vec3_copy(center, node->bounds.max);
    node->bounds = pli_bounds_expand(node->bounds, radius);
    *shape = node;
    return PLI_OK;
}

// ---- box: with q = |x - c| - b, |max(q, 0)| + min(max(q), 0) - r

typedef struct box_data {
    double center[3];
    double half[3]; // half edge lengths without the rounding (m)
    double rounding;
} box_data;

// q of one point; returns its largest component.
static double box_offsets(const box_data *box, const double x[3], double q[3])
{
    for (int k = 0; k < 3; ++k) q[k] = fabs(x[k] - box->center[k]) - box->half[k];
    return pli_larger(q[0], pli_larger(q[1], q[2]));
}

static void box_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const box_data *box = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        double q[3];
        double largest = box_offsets(box, points + 3 * (int64_t)i, q);
        for (int k = 0; k < 3; ++k) q[k] = pli_larger(q[k], 0);
        values[i] = pli_vec3_norm(q) + pli_smaller(largest, 0) - box->rounding;
    }
}

static void box_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const box_data *box = shape->data;
    double q[3];
    double largest = box_offsets(box, x, q);
    *jet = pli_jet_constant(largest - box->rounding);

    // inside: the nearest face alone
    if (largest <= 0) {
        int axis = q[0] == largest ? 0 : q[1] == largest ? 1 : 2;
        jet->gradient[axis] = x[axis] >= box->center[axis] ? 1 : -1;
        return;
    }

    // outside: distance to the nearest face, edge or corner
    double g[3];
    for (int k = 0; k < 3; ++k) g[k] = pli_larger(q[k], 0);
    double length = pli_vec3_normalize(g, g);
    jet->value = length - box->rounding;
    for (int k = 0; k < 3; ++k) {
        jet->gradient[k] = x[k] >= box->center[k] ? g[k] : -g[k];
        jet->hessian[4 * k] = q[k] > 0 ? 1 / length : 0;
    }
    pli_jet_add_outer(jet->hessian, -1 / length, jet->gradient, jet->gradient);
}

static const pli_shape_ops box_ops = {"box", box_values, box_jet};

bool pli_shape_is_sharp_box(const pli_shape *shape)
{
    return shape->ops == &box_ops && ((const box_data *)shape->data)->rounding == 0;
}

pli_status pli_shape_box(pli_shape_set *set, const double center[3], const double size[3],
                         double rounding, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "centre of a box", 3, center));
    PLI_TRY(pli_shape_check_not_negative(set, "rounding of a box", rounding));
    for (int k = 0; k < 3; ++k) {
        PLI_TRY(pli_shape_check_positive(set, "edge of a box", size[k]));
        if (rounding <= 0.5 * size[k]) continue;
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "rounding of a box is %g, must be at most half of its shortest edge, %g",
                        rounding, 0.5 * size[k]);
    }
    pli_shape_new description = {.ops = &box_ops, .data_bytes = sizeof(box_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    box_data *box = node->data;
    pli_vec3_copy(center, box->center);
    box->rounding = rounding;
    for (int k = 0; k < 3; ++k) {
        box->half[k] = 0.5 * size[k] - rounding;
        node->bounds.min[k] = center[k] - 0.5 * size[k];
        node->bounds.max[k] = center[k] + 0.5 * size[k];
    }
    *shape = node;
    return PLI_OK;
}

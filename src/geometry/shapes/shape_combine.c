// SPDX-License-Identifier: Apache-2.0
//
// Union, intersection and difference. All three are one signed minimum,
//     value = outer * smin_i (sign_i child_i),
// with outer and signs +1 for a union, -1 for an intersection, and for a difference an intersection
// with the other parts turned inside out.
#include "geometry/shapes/shape_node.h"

#include <string.h>

typedef struct combination_data {
    double smooth; // blending radius (m)
    double outer;
    double sign[]; // [child_count]
} combination_data;

// smin(a, b) = min(a, b) - k h^3 / 6 with h = max(1 - |a - b| / k, 0)
static double smooth_minimum(double a, double b, double k)
{
    double least = pli_smaller(a, b);
    double gap = fabs(a - b);
    if (gap >= k) return least;
    double h = 1 - gap / k;
    return least - k * h * h * h / 6;
}

static pli_jet2 smooth_minimum_jet(double a, double b, double k)
{
    double gap = fabs(a - b);
    double h = gap < k ? 1 - gap / k : 0;
    // share of the larger one: half where they are equal
    double share = 0.5 * h * h;
    double bend = k > 0 ? h / k : 0;
    return (pli_jet2){.f = smooth_minimum(a, b, k),
                      .fa = a <= b ? 1 - share : share,
                      .fb = a <= b ? share : 1 - share,
                      .faa = -bend,
                      .fab = bend,
                      .fbb = -bend};
}

// How far the blend of count shapes can lie below their minimum: the worst case is when all are
// equal one after the other.
static double blend_depth(int32_t count, double k)
{
    double depth = 0;
    for (int32_t i = 1; i < count; ++i) depth = -smooth_minimum(-depth, 0, k);
    return depth;
}

// a ball around a bunch of points
typedef struct ball {
    double center[3];
    double radius;
} ball;

static ball ball_around(int32_t n, const double *points)
{
    ball out;
    pli_bounds box = pli_bounds_of_points(n, points);
    pli_vec3_add(box.min, box.max, out.center);
    pli_vec3_scale(0.5, out.center, out.center);
    double radius2 = 0;
    for (int32_t i = 0; i < n; ++i) {
        double d[3];
        pli_vec3_subtract(points + 3 * (int64_t)i, out.center, d);
        radius2 = pli_larger(radius2, pli_vec3_norm2(d));
    }
    out.radius = sqrt(radius2);
    return out;
}

// A cheap lower bound of a part's signed value at a point; -infinity when nothing is known.
static double lower_bound(const pli_shape *part, double sign, const double x[3])
{
    if (sign < 0 || !part->is_far) return -INFINITY;
    double distance = pli_bounds_distance(&part->bounds, x);
    return distance > 0 ? distance : -INFINITY;
}

// the parts that take part, and their values at the middle of the bunch where these are known
typedef struct part_list {
    int32_t count;
    int16_t part[PLI_SHAPE_CHILDREN];
    double value[PLI_SHAPE_CHILDREN]; // NaN: not evaluated
} part_list;

// Of the listed parts, those that can matter anywhere in a bunch of points. A part matters if its
// value can come within two blending radii of the least: one for the blend itself, one because the
// parts before the least may have been pulled down by one at most. Parts are looked at from the
// nearest box on, so that most of the others are told to be too far by their boxes alone.
static void choose_parts(const pli_shape *shape, const part_list *all, const ball *around,
                         part_list *out)
{
    const combination_data *data = shape->data;
    double low[PLI_SHAPE_CHILDREN], value[PLI_SHAPE_CHILDREN];
    int32_t first = 0;
    for (int32_t k = 0; k < all->count; ++k) {
        int32_t i = all->part[k];
        low[k] = lower_bound(shape->children[i], data->sign[i], around->center);
        value[k] = NAN;
        if (low[k] < low[first]) first = k;
    }
    double least = INFINITY;
    for (int32_t turn = 0; turn < all->count; ++turn) {
        int32_t k = (first + turn) % all->count;
        int32_t i = all->part[k];
        const pli_shape *part = shape->children[i];
        // a little more than the bound, so that rounding can't make a difference
        double reach = part->lipschitz * around->radius * (1 + 1e-12);
        if (!isfinite(reach) || low[k] - reach > least + 2 * data->smooth) continue;
        pli_shape_child_values(part, 1, around->center, &value[k]);
        reach += 1e-12 * fabs(value[k]);
        low[k] = data->sign[i] * value[k] - reach;
        least = pli_smaller(least, data->sign[i] * value[k] + reach);
    }
    out->count = 0;
    for (int32_t k = 0; k < all->count; ++k) {
        bool was_far = isnan(value[k]) && low[k] > -INFINITY;
        if (was_far || low[k] > least + 2 * data->smooth) continue;
        out->value[out->count] = value[k];
        out->part[out->count++] = all->part[k];
    }
}

// Blends the listed parts at some points.
static void blend_parts(const pli_shape *shape, const part_list *list, int32_t n,
                        const double *points, double *values)
{
    const combination_data *data = shape->data;
    double part[PLI_SHAPE_CHUNK];
    for (int32_t k = 0; k < list->count; ++k) {
        int32_t c = list->part[k];
        // a single point is the middle of its bunch
        if (n == 1 && !isnan(list->value[k])) {
            part[0] = list->value[k];
        } else {
            pli_shape_child_values(shape->children[c], n, points, part);
        }
        for (int32_t i = 0; i < n; ++i) {
            double value = data->sign[c] * part[i];
            values[i] = k == 0 ? value : smooth_minimum(values[i], value, data->smooth);
        }
    }
    for (int32_t i = 0; i < n; ++i) values[i] *= data->outer;
}

// Leaves out what does not matter, and looks at halves of the bunch while much is left.
static void blend_bunch(const pli_shape *shape, const part_list *all, int32_t n,
                        const double *points, double *values)
{
    enum { FEW_POINTS = 6 };
    if ((n > 1 && n < FEW_POINTS) || all->count == 1) {
        blend_parts(shape, all, n, points, values);
        return;
    }
    part_list list;
    ball around = ball_around(n, points);
    choose_parts(shape, all, &around, &list);
    if (n < 2 * FEW_POINTS || list.count == 1) {
        blend_parts(shape, &list, n, points, values);
        return;
    }
    int32_t half = n / 2;
    blend_bunch(shape, &list, half, points, values);
    blend_bunch(shape, &list, n - half, points + 3 * (int64_t)half, values + half);
}

static void combine_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    part_list all;
    all.count = shape->child_count;
    for (int32_t i = 0; i < all.count; ++i) {
        all.part[i] = (int16_t)i;
        all.value[i] = NAN;
    }
    blend_bunch(shape, &all, n, points, values);
}

static void combine_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const combination_data *data = shape->data;
    pli_jet least = {0};
    for (int32_t c = 0; c < shape->child_count; ++c) {
        const pli_shape *child = shape->children[c];
        pli_jet part = {0};
        child->ops->jet(child, x, &part);
        part = pli_jet_scale(data->sign[c], &part);
        if (c == 0) {
            least = part;
            continue;
        }
        // a part that changes nothing costs nothing more
        if (part.value >= least.value + data->smooth) continue;
        pli_jet2 f = smooth_minimum_jet(least.value, part.value, data->smooth);
        least = pli_jet_apply2(&least, &part, &f);
    }
    *jet = pli_jet_scale(data->outer, &least);
}

static const pli_shape_ops union_ops = {"union", combine_values, combine_jet};
static const pli_shape_ops intersection_ops = {"intersection", combine_values, combine_jet};
static const pli_shape_ops difference_ops = {"difference", combine_values, combine_jet};

bool pli_shape_get_sharp(const pli_shape *shape, double *outer, const double **signs)
{
    bool is_combination = shape->ops == &union_ops || shape->ops == &intersection_ops ||
                          shape->ops == &difference_ops;
    if (!is_combination) return false;
    const combination_data *data = shape->data;
    *outer = data->outer;
    *signs = data->sign;
    return data->smooth == 0 || shape->child_count == 1;
}

// A node without bounds. `signs` are those of the combination, of its first part and of the others.
static pli_status create_combination(pli_shape_set *set, const pli_shape_ops *ops,
                                     const double signs[3], int32_t count,
                                     const pli_shape *const *shapes, double smooth, pli_shape **out)
{
    *out = NULL;
    PLI_TRY(pli_shape_check_not_negative(set, "blending radius", smooth));
    if (count < 1 || count > PLI_SHAPE_CHILDREN) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "%s has %d parts, allowed is 1 to %d", ops->name, count,
                        PLI_SHAPE_CHILDREN);
    }
    size_t bytes = sizeof(combination_data) + (size_t)count * sizeof(double);
    pli_shape_new description = {ops, bytes, count, shapes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    combination_data *data = node->data;
    data->smooth = smooth;
    data->outer = signs[0];
    for (int32_t i = 0; i < count; ++i) data->sign[i] = signs[i == 0 ? 1 : 2];
    node->lipschitz = 0;
    for (int32_t i = 0; i < node->child_count; ++i) {
        node->lipschitz = pli_larger(node->lipschitz, node->children[i]->lipschitz);
    }
    node->is_exact = node->child_count == 1 && node->children[0]->is_exact;
    *out = node;
    return PLI_OK;
}

pli_status pli_shape_union(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                           double smooth, const pli_shape **shape)
{
    static const double signs[3] = {1, 1, 1};
    *shape = NULL;
    pli_shape *node = NULL;
    PLI_TRY(create_combination(set, &union_ops, signs, count, shapes, smooth, &node));
    node->bounds = pli_bounds_empty();
    for (int32_t i = 0; i < count; ++i) {
        node->bounds = pli_bounds_union(node->bounds, shapes[i]->bounds);
    }
    node->bounds = pli_bounds_expand(node->bounds, blend_depth(count, smooth));
    *shape = node;
    return PLI_OK;
}

pli_status pli_shape_intersection(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                  double smooth, const pli_shape **shape)
{
    static const double signs[3] = {-1, -1, -1};
    *shape = NULL;
    pli_shape *node = NULL;
    PLI_TRY(create_combination(set, &intersection_ops, signs, count, shapes, smooth, &node));
    node->bounds = pli_bounds_infinite();
    for (int32_t i = 0; i < count; ++i) {
        node->bounds = pli_bounds_intersection(node->bounds, shapes[i]->bounds);
    }
    *shape = node;
    return PLI_OK;
}

pli_status pli_shape_difference(pli_shape_set *set, int32_t count, const pli_shape *const *shapes,
                                double smooth, const pli_shape **shape)
{
    static const double signs[3] = {-1, -1, 1};
    *shape = NULL;
    pli_shape *node = NULL;
    PLI_TRY(create_combination(set, &difference_ops, signs, count, shapes, smooth, &node));
    node->bounds = shapes[0]->bounds;
    *shape = node;
    return PLI_OK;
}

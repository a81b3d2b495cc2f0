// SPDX-License-Identifier: Apache-2.0
//
// Negation, shell, offset, transform, repetition, twist.
#include "geometry/shapes/shape_node.h"

#include <string.h>

static pli_status create_changed(pli_shape_set *set, const pli_shape_ops *ops, size_t data_bytes,
                                 const pli_shape *source, pli_shape **out)
{
    pli_shape_new description = {ops, data_bytes, 1, &source};
    PLI_TRY(pli_shape_node_create(set, &description, out));
    (*out)->lipschitz = source->lipschitz;
    (*out)->is_exact = source->is_exact;
    (*out)->bounds = source->bounds;
    return PLI_OK;
}

static void source_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    shape->children[0]->ops->jet(shape->children[0], x, jet);
}

// ---- negation: -d

static void negation_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    pli_shape_child_values(shape->children[0], n, points, values);
    for (int32_t i = 0; i < n; ++i) values[i] = -values[i];
}

static void negation_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    source_jet(shape, x, jet);
    *jet = pli_jet_scale(-1, jet);
}

static const pli_shape_ops negation_ops = {"negation", negation_values, negation_jet};

bool pli_shape_is_negation(const pli_shape *shape)
{
    return shape->ops == &negation_ops;
}

pli_status pli_shape_negation(pli_shape_set *set, const pli_shape *source, const pli_shape **shape)
{
    *shape = NULL;
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &negation_ops, 0, source, &node));
    node->bounds = pli_bounds_infinite();
    *shape = node;
    return PLI_OK;
}

// ---- shell: |d| - thickness / 2

typedef struct shell_data {
    double half; // of the thickness (m)
} shell_data;

static void shell_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const shell_data *shell = shape->data;
    pli_shape_child_values(shape->children[0], n, points, values);
    for (int32_t i = 0; i < n; ++i) values[i] = fabs(values[i]) - shell->half;
}

static void shell_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const shell_data *shell = shape->data;
    source_jet(shape, x, jet);
    *jet = pli_jet_scale(jet->value >= 0 ? 1 : -1, jet);
    jet->value -= shell->half;
}

static const pli_shape_ops shell_ops = {"shell", shell_values, shell_jet};

pli_status pli_shape_shell(pli_shape_set *set, const pli_shape *source, double thickness,
                           const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_positive(set, "thickness of a shell", thickness));
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &shell_ops, sizeof(shell_data), source, &node));
    ((shell_data *)node->data)->half = 0.5 * thickness;
    node->is_exact = false;
    node->bounds = pli_bounds_expand(source->bounds, 0.5 * thickness);
    *shape = node;
    return PLI_OK;
}

// ---- offset: d - distance

typedef struct offset_data {
    double distance; // m
} offset_data;

static void offset_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const offset_data *offset = shape->data;
    pli_shape_child_values(shape->children[0], n, points, values);
    for (int32_t i = 0; i < n; ++i) values[i] -= offset->distance;
}

static void offset_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const offset_data *offset = shape->data;
    source_jet(shape, x, jet);
    jet->value -= offset->distance;
}

static const pli_shape_ops offset_ops = {"offset", offset_values, offset_jet};

pli_status pli_shape_offset(pli_shape_set *set, const pli_shape *source, double distance,
                            const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "offset", 1, &distance));
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &offset_ops, sizeof(offset_data), source, &node));
    ((offset_data *)node->data)->distance = distance;
    node->is_exact = source->is_exact && distance >= 0;
    node->is_far = source->is_far && distance >= 0;
    node->bounds = pli_bounds_expand(source->bounds, distance);
    *shape = node;
    return PLI_OK;
}

// ---- transform: s d(R^T (x - t) / s)

static void to_source(const pli_shape_placement *p, const double x[3], double out[3])
{
    double d[3];
    pli_vec3_subtract(x, p->translation, d);
    pli_mat3_apply_transposed(p->rotation, d, out);
    pli_vec3_scale(1 / p->scale, out, out);
}

static void transform_values(const pli_shape *shape, int32_t n, const double *points,
                             double *values)
{
    const pli_shape_placement *p = shape->data;
    double moved[3 * PLI_SHAPE_CHUNK];
    if (n < 1) return;
    for (int32_t i = 0; i < n; ++i) to_source(p, points + 3 * (int64_t)i, moved + 3 * (int64_t)i);
    pli_shape_child_values(shape->children[0], n, moved, values);
    for (int32_t i = 0; i < n; ++i) values[i] *= p->scale;
}

static void transform_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const pli_shape_placement *p = shape->data;
    double moved[3], RH[9];
    pli_jet inner = {0};
    to_source(p, x, moved);
    source_jet(shape, moved, &inner);
    // gradient = R g, Hessian = R H R^T / s
    *jet = pli_jet_constant(p->scale * inner.value);
    pli_mat3_apply(p->rotation, inner.gradient, jet->gradient);
    pli_mat3_multiply(p->rotation, inner.hessian, RH);
    pli_mat3_multiply_transposed_right(RH, p->rotation, jet->hessian);
    for (int k = 0; k < 9; ++k) jet->hessian[k] /= p->scale;
}

static const pli_shape_ops transform_ops = {"transform", transform_values, transform_jet};

const pli_shape_placement *pli_shape_get_placement(const pli_shape *shape)
{
    return shape->ops == &transform_ops ? shape->data : NULL;
}

// The box around the image of a box; infinite faces stay infinite where they can be seen.
static pli_bounds transform_bounds(const pli_shape_placement *p, const pli_bounds *source)
{
    pli_bounds out;
    for (int i = 0; i < 3; ++i) {
        out.min[i] = out.max[i] = p->translation[i];
        for (int j = 0; j < 3; ++j) {
            double factor = p->scale * p->rotation[3 * i + j];
            if (factor == 0) continue;
            double a = factor * source->min[j];
            double b = factor * source->max[j];
            out.min[i] += fmin(a, b);
            out.max[i] += fmax(a, b);
        }
    }
    return out;
}

static pli_status check_rotation(pli_shape_set *set, const double R[9])
{
    double product[9];
    pli_mat3_multiply_transposed_right(R, R, product);
    double error = fabs(pli_mat3_determinant(R) - 1);
    for (int k = 0; k < 9; ++k) error = fmax(error, fabs(product[k] - (k % 4 == 0 ? 1 : 0)));
    // written so that a NaN fails
    if (error <= 1e-9) return PLI_OK;
    return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                    "the matrix of a transform is not a rotation (off by %g)", error);
}

pli_status pli_shape_transform(pli_shape_set *set, const pli_shape *source,
                               const pli_shape_placement *placement, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_rotation(set, placement->rotation));
    PLI_TRY(pli_shape_check_positive(set, "scale of a transform", placement->scale));
    PLI_TRY(pli_shape_check_finite(set, "translation", 3, placement->translation));
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &transform_ops, sizeof *placement, source, &node));
    memcpy(node->data, placement, sizeof *placement);
    node->bounds = transform_bounds(placement, &source->bounds);
    *shape = node;
    return PLI_OK;
}

// ---- repetition: the least of the copies that can be nearest

typedef struct repetition_data {
    double spacing[3];
    double first[3]; // position of the first copy relative to the original (m)
    int32_t count[3];
} repetition_data;

// copies low .. high along one axis
typedef struct copy_range {
    int32_t low;
    int32_t high;
} copy_range;

static int32_t clamp_copy(double index, int32_t count)
{
    if (!(index > 0)) return 0;
    return index >= count - 1 ? count - 1 : (int32_t)index;
}

// Of the copies on one side of the point only the nearest can matter, besides those whose box the
// point is level with.
static copy_range relevant_copies(const repetition_data *data, const pli_bounds *box, int axis,
                                  double x)
{
    if (data->count[axis] == 1) return (copy_range){0, 0};
    double relative = x - data->first[axis];
    double low = floor((relative - box->max[axis]) / data->spacing[axis]);
    double high = ceil((relative - box->min[axis]) / data->spacing[axis]);
    return (copy_range){clamp_copy(low, data->count[axis]), clamp_copy(high, data->count[axis])};
}

// The least value over the copies, and the point relative to the copy that has it.
static double nearest_copy(const pli_shape *shape, const double x[3], double local[3])
{
    const repetition_data *data = shape->data;
    const pli_shape *source = shape->children[0];
    copy_range range[3];
    for (int k = 0; k < 3; ++k) range[k] = relevant_copies(data, &source->bounds, k, x[k]);
    double least = INFINITY;
    for (int32_t i = range[0].low; i <= range[0].high; ++i) {
        for (int32_t j = range[1].low; j <= range[1].high; ++j) {
            for (int32_t k = range[2].low; k <= range[2].high; ++k) {
                const int32_t copy[3] = {i, j, k};
                double p[3], value;
                for (int m = 0; m < 3; ++m) {
                    p[m] = x[m] - data->first[m] - copy[m] * data->spacing[m];
                }
                pli_shape_child_values(source, 1, p, &value);
                if (value < least) {
                    least = value;
                    pli_vec3_copy(p, local);
                }
            }
        }
    }
    return least;
}

static void repetition_values(const pli_shape *shape, int32_t n, const double *points,
                              double *values)
{
    double local[3];
    for (int32_t i = 0; i < n; ++i) values[i] = nearest_copy(shape, points + 3 * (int64_t)i, local);
}

static void repetition_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    double local[3] = {0, 0, 0};
    nearest_copy(shape, x, local);
    source_jet(shape, local, jet);
}

static const pli_shape_ops repetition_ops = {"repetition", repetition_values, repetition_jet};

static pli_status check_repetition(pli_shape_set *set, const pli_shape *source,
                                   const double spacing[3], const int32_t count[3])
{
    pli_context *context = pli_shape_set_context(set);
    if (source == NULL) return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "nothing to repeat");
    for (int k = 0; k < 3; ++k) {
        PLI_TRY(pli_shape_check_not_negative(set, "spacing of a repetition", spacing[k]));
        if (count[k] < 1 || count[k] > 1 << 20) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "number of copies is %d, allowed is 1 to %d", count[k], 1 << 20);
        }
        bool repeated = spacing[k] > 0 && count[k] > 1;
        bool bounded = isfinite(source->bounds.min[k]) && isfinite(source->bounds.max[k]);
        if (repeated && !bounded) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "an unbounded shape can't be repeated along %c; intersect it with a "
                            "box first",
                            "xyz"[k]);
        }
    }
    return PLI_OK;
}

pli_status pli_shape_repetition(pli_shape_set *set, const pli_shape *source,
                                const double spacing[3], const int32_t count[3],
                                const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_repetition(set, source, spacing, count));
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &repetition_ops, sizeof(repetition_data), source, &node));
    repetition_data *data = node->data;
    for (int k = 0; k < 3; ++k) {
        data->count[k] = spacing[k] > 0 ? count[k] : 1;
        data->spacing[k] = spacing[k];
        double reach = 0.5 * spacing[k] * (data->count[k] - 1);
        data->first[k] = -reach;
        node->bounds.min[k] -= reach;
        node->bounds.max[k] += reach;
        double extent = source->bounds.max[k] - source->bounds.min[k];
        if (data->count[k] > 1 && extent > spacing[k]) node->is_exact = false;
    }
    *shape = node;
    return PLI_OK;
}

// ---- twist: d(m(x)) with m turning x about the y axis by -rate y

typedef struct twist_data {
    double rate; // radians per metre
} twist_data;

// m(x) = (c x - s z, y, s x + c z) with c, s the cosine and sine of rate y: the twist undone.
static void untwist(double rate, const double x[3], double out[3])
{
    double c = cos(rate * x[1]);
    double s = sin(rate * x[1]);
    pli_vec3_set(c * x[0] - s * x[2], x[1], s * x[0] + c * x[2], out);
}

static void twist_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const twist_data *twist = shape->data;
    double moved[3 * PLI_SHAPE_CHUNK];
    if (n < 1) return;
    for (int32_t i = 0; i < n; ++i) {
        untwist(twist->rate, points + 3 * (int64_t)i, moved + 3 * (int64_t)i);
    }
    pli_shape_child_values(shape->children[0], n, moved, values);
}

static void twist_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const twist_data *twist = shape->data;
    double k = twist->rate;
    double c = cos(k * x[1]);
    double s = sin(k * x[1]);
    double m[3];
    untwist(k, x, m);
    pli_jet inner = {0};
    source_jet(shape, m, &inner);

    // dm/dx; the derivatives of m by y are (-k m_z, 1, k m_x)
    const double J[9] = {c, -k * m[2], -s, 0, 1, 0, s, k * m[0], c};
    double HJ[9];
    *jet = pli_jet_constant(inner.value);
    pli_mat3_apply_transposed(J, inner.gradient, jet->gradient);
    pli_mat3_multiply(inner.hessian, J, HJ);
    pli_mat3_multiply_transposed_left(J, HJ, jet->hessian);

    // + sum_i g_i d2 m_i / dx2: only the row and column of y
    const double *g = inner.gradient;
    double xy = k * (-s * g[0] + c * g[2]);
    double yz = k * (-c * g[0] - s * g[2]);
    double yy = -k * k * (m[0] * g[0] + m[2] * g[2]);
    jet->hessian[1] += xy;
    jet->hessian[3] += xy;
    jet->hessian[5] += yz;
    jet->hessian[7] += yz;
    jet->hessian[4] += yy;
}

static const pli_shape_ops twist_ops = {"twist", twist_values, twist_jet};

pli_status pli_shape_twist(pli_shape_set *set, const pli_shape *source, double rate,
                           const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "rate of a twist", 1, &rate));
    pli_shape *node = NULL;
    PLI_TRY(create_changed(set, &twist_ops, sizeof(twist_data), source, &node));
    ((twist_data *)node->data)->rate = rate;
    node->is_exact = source->is_exact && rate == 0;
    if (rate != 0) {
        // cross-sections sweep the circle around their farthest corner
        const pli_bounds *box = &source->bounds;
        double reach = hypot(fmax(fabs(box->min[0]), fabs(box->max[0])),
                             fmax(fabs(box->min[2]), fabs(box->max[2])));
        node->bounds.min[0] = node->bounds.min[2] = -reach;
        node->bounds.max[0] = node->bounds.max[2] = reach;
        node->lipschitz = INFINITY;
    }
    *shape = node;
    return PLI_OK;
}

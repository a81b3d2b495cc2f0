// SPDX-License-Identifier: Apache-2.0
#include "geometry/shape_node.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/parallel.h"

struct pli_shape_set {
    pli_context *context;
    pli_arena *nodes; // everything made in the set; given back with it
};

// ---- sets

pli_status pli_shape_set_create(pli_context *context, pli_shape_set **set)
{
    *set = NULL;
    pli_shape_set *made = PLI_NEW(context, pli_shape_set, 1, "shape set");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_status status = pli_arena_create(context, 16384, &made->nodes);
    if (status != PLI_OK) {
        pli_release(context, made);
        return status;
    }
    *set = made;
    return PLI_OK;
}

void pli_shape_set_destroy(pli_shape_set *set)
{
    if (set == NULL) return;
    pli_arena_destroy(set->nodes);
    pli_release(set->context, set);
}

void *pli_shape_set_take(pli_shape_set *set, int64_t count, size_t size, const char *what)
{
    return pli_arena_take(set->nodes, count, size, what);
}

pli_context *pli_shape_set_context(const pli_shape_set *set)
{
    return set->context;
}

pli_status pli_shape_node_create(pli_shape_set *set, size_t size, const pli_shape_ops *ops,
                                 void **node)
{
    *node = NULL;
    pli_shape *made = pli_shape_set_take(set, 1, size, "shape");
    if (made == NULL) return PLI_ERROR_MEMORY;
    memset(made, 0, size);
    made->ops = ops;
    made->context = set->context;
    for (int i = 0; i < 3; ++i) {
        made->low[i] = -INFINITY;
        made->high[i] = INFINITY;
    }
    made->lipschitz = 1;
    made->is_exact = true;
    made->is_analytic = true;
    made->is_beyond_bounds = true;
    *node = made;
    return PLI_OK;
}

void pli_shape_node_inherit(pli_shape *node, const pli_shape *member)
{
    node->is_exact = node->is_exact && member->is_exact;
    node->is_analytic = node->is_analytic && member->is_analytic;
    node->is_beyond_bounds = node->is_beyond_bounds && member->is_beyond_bounds;
    node->lipschitz = fmax(node->lipschitz, member->lipschitz);
}

// ---- checks of arguments

pli_status pli_shape_check_length(pli_shape_set *set, const char *what, double value)
{
    if (isfinite(value) && value > 0) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "%s is %g, must be positive and finite", what,
                    value);
}

pli_status pli_shape_check_vector(pli_shape_set *set, const char *what, const double value[3])
{
    if (isfinite(value[0]) && isfinite(value[1]) && isfinite(value[2])) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "%s is (%g, %g, %g), must be finite", what,
                    value[0], value[1], value[2]);
}

pli_status pli_shape_check_member(pli_shape_set *set, const pli_shape *member)
{
    if (member != NULL) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "a member shape is missing");
}

// ---- evaluation

double pli_shape_value(const pli_shape *shape, const double x[3])
{
    return shape->ops->value(shape, x);
}

void pli_shape_jet_compute(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    shape->ops->derive(shape, x, jet);
}

void pli_shape_gradient(const pli_shape *shape, const double x[3], double gradient[3])
{
    pli_shape_jet jet;
    shape->ops->derive(shape, x, &jet);
    pli_vec3_copy(jet.gradient, gradient);
}

void pli_shape_hessian(const pli_shape *shape, const double x[3], double hessian[9])
{
    pli_shape_jet jet;
    shape->ops->derive(shape, x, &jet);
    pli_mat3_copy(jet.hessian, hessian);
}

typedef struct value_batch {
    const pli_shape *shape;
    const double *points; // [count][3]
    double *values;       // [count]
} value_batch;

static void fill_values(void *user, int64_t begin, int64_t end)
{
    value_batch *batch = user;
    for (int64_t i = begin; i < end; ++i) {
        batch->values[i] = pli_shape_eval(batch->shape, batch->points + 3 * i);
    }
}

void pli_shape_values(const pli_shape *shape, int64_t count, const double *points, double *values)
{
    value_batch batch = {shape, points, values};
    pli_parallel_for(shape->context, count, 256, fill_values, &batch);
}

void pli_shape_bounds(const pli_shape *shape, double low[3], double high[3])
{
    pli_vec3_copy(shape->low, low);
    pli_vec3_copy(shape->high, high);
}

bool pli_shape_is_bounded(const pli_shape *shape)
{
    bool bounded = true;
    for (int i = 0; i < 3; ++i) {
        bounded = bounded && isfinite(shape->low[i]) && isfinite(shape->high[i]);
    }
    return bounded;
}

bool pli_shape_is_exact(const pli_shape *shape)
{
    return shape->is_exact;
}

bool pli_shape_is_analytic(const pli_shape *shape)
{
    return shape->is_analytic;
}

double pli_shape_lipschitz(const pli_shape *shape)
{
    return shape->lipschitz;
}

// ---- helpers of several kinds

void pli_shape_jet_radial(const double d[3], const double *projector, double radius,
                          pli_shape_jet *jet)
{
    double n[3];
    double length = pli_vec3_normalize(d, n);
    double inverse = length > 0 ? 1 / length : 0;
    jet->value = length - radius;
    pli_vec3_copy(n, jet->gradient);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double p = projector != NULL ? projector[3 * i + j] : i == j;
            jet->hessian[3 * i + j] = inverse * (p - n[i] * n[j]);
        }
    }
}

void pli_shape_orthogonal(const double axis[3], double out[3])
{
    // cross with the coordinate axis that is least aligned
    int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
    if (fabs(axis[2]) < fabs(axis[least])) least = 2;
    double unit[3] = {least == 0, least == 1, least == 2};
    pli_vec3_cross(axis, unit, out);
    pli_vec3_normalize(out, out);
}

void pli_spline_weights(double t, double w[3][4])
{
    double t2 = t * t;
    double t3 = t2 * t;
    w[0][0] = 0.5 * (-t3 + 2 * t2 - t);
    w[0][1] = 0.5 * (3 * t3 - 5 * t2 + 2);
    w[0][2] = 0.5 * (-3 * t3 + 4 * t2 + t);
    w[0][3] = 0.5 * (t3 - t2);
    w[1][0] = 0.5 * (-3 * t2 + 4 * t - 1);
    w[1][1] = 0.5 * (9 * t2 - 10 * t);
    w[1][2] = 0.5 * (-9 * t2 + 8 * t + 1);
    w[1][3] = 0.5 * (3 * t2 - 2 * t);
    w[2][0] = -3 * t + 2;
    w[2][1] = 9 * t - 5;
    w[2][2] = -9 * t + 4;
    w[2][3] = 3 * t - 1;
}

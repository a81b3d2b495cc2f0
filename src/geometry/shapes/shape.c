// SPDX-License-Identifier: Apache-2.0
#include "geometry/shapes/shape.h"

#include "base/memory.h"
#include "geometry/shapes/shape_node.h"

#include <string.h>

struct pli_shape_set {
    pli_context *context;
    pli_shape *first; // the node made last
};

pli_status pli_shape_set_create(pli_context *context, pli_shape_set **out)
{
    *out = PLI_NEW(context, pli_shape_set, 1, "shape set");
    if (*out == NULL) return PLI_ERROR_MEMORY;
    (*out)->context = context;
    return PLI_OK;
}

void pli_shape_set_destroy(pli_shape_set *set)
{
    if (set == NULL) return;
    while (set->first != NULL) {
        pli_shape *node = set->first;
        set->first = node->next;
        pli_release(set->context, node);
    }
    pli_release(set->context, set);
}

pli_context *pli_shape_set_context(const pli_shape_set *set)
{
    return set->context;
}

pli_status pli_shape_node_create(pli_shape_set *set, const pli_shape_new *description,
                                 pli_shape **out)
{
    *out = NULL;
    int32_t depth = 1;
    for (int32_t i = 0; i < description->child_count; ++i) {
        const pli_shape *child = description->children[i];
        if (child == NULL) {
            return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "part %d of a %s is missing", i,
                            description->ops->name);
        }
        if (child->depth >= depth) depth = child->depth + 1;
    }
    if (depth > PLI_SHAPE_DEPTH) {
        return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "shapes are nested more than %d deep",
                        PLI_SHAPE_DEPTH);
    }

    // one block: the node, its data, the list of children
    size_t unit = sizeof(double);
    size_t data_bytes = (description->data_bytes + unit - 1) / unit * unit;
    size_t child_bytes = (size_t)description->child_count * sizeof(pli_shape *);
    pli_shape *node =
        pli_allocate(set->context, (int64_t)(sizeof(pli_shape) + data_bytes + child_bytes), 1,
                     description->ops->name);
    if (node == NULL) return PLI_ERROR_MEMORY;
    *node = (pli_shape){.ops = description->ops, .lipschitz = 1, .is_exact = true};
    node->data = node + 1;
    node->children = (const pli_shape **)(void *)((char *)node->data + data_bytes);
    node->child_count = description->child_count;
    if (child_bytes > 0) memcpy(node->children, description->children, child_bytes);
    node->depth = depth;
    node->is_analytic = true;
    node->is_far = true;
    for (int32_t i = 0; i < node->child_count; ++i) {
        node->is_analytic = node->is_analytic && node->children[i]->is_analytic;
        node->is_far = node->is_far && node->children[i]->is_far;
    }
    node->next = set->first;
    set->first = node;
    *out = node;
    return PLI_OK;
}

pli_status pli_shape_check_positive(pli_shape_set *set, const char *what, double value)
{
    if (isfinite(value) && value > 0) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "%s is %g, must be positive", what, value);
}

pli_status pli_shape_check_not_negative(pli_shape_set *set, const char *what, double value)
{
    if (isfinite(value) && value >= 0) return PLI_OK;
    return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "%s is %g, must not be negative", what,
                    value);
}

pli_status pli_shape_check_finite(pli_shape_set *set, const char *what, int64_t count,
                                  const double *values)
{
    for (int64_t i = 0; i < count; ++i) {
        if (isfinite(values[i])) continue;
        return PLI_FAIL(set->context, PLI_ERROR_ARGUMENT, "%s is not a finite number", what);
    }
    return PLI_OK;
}

double pli_shape_value(const pli_shape *shape, const double x[3])
{
    double value;
    shape->ops->values(shape, 1, x, &value);
    return value;
}

double pli_shape_gradient(const pli_shape *shape, const double x[3], double gradient[3])
{
    pli_jet jet = {0};
    shape->ops->jet(shape, x, &jet);
    pli_vec3_copy(jet.gradient, gradient);
    return jet.value;
}

double pli_shape_hessian(const pli_shape *shape, const double x[3], double gradient[3],
                         double hessian[9])
{
    pli_jet jet = {0};
    shape->ops->jet(shape, x, &jet);
    pli_vec3_copy(jet.gradient, gradient);
    pli_mat3_copy(jet.hessian, hessian);
    return jet.value;
}

void pli_shape_values(const pli_shape *shape, int64_t count, const double *points, double *values)
{
    for (int64_t begin = 0; begin < count; begin += PLI_SHAPE_CHUNK) {
        int64_t n = count - begin < PLI_SHAPE_CHUNK ? count - begin : PLI_SHAPE_CHUNK;
        shape->ops->values(shape, (int32_t)n, points + 3 * begin, values + begin);
    }
}

pli_bounds pli_shape_bounds(const pli_shape *shape)
{
    return shape->bounds;
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

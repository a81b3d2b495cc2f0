// SPDX-License-Identifier: Apache-2.0
//
// Union, intersection and difference. All three are one fold: with signs s_i of the members and an
// outer sign s, the value is s fold(smin, s_i v_i):
//     union          s = +1, s_i = +1
//     intersection   s = -1, s_i = -1
//     difference     s = -1, s_0 = -1, others +1
#include "geometry/shape_node.h"

typedef struct combination_node {
    pli_shape base;
    int32_t count;
    const pli_shape **members; // [count]
    double first_sign;
    double other_sign;
    double outer_sign;
    double smooth; // blending radius k (m)
    bool prunes;   // members may be skipped by their bounds
} combination_node;

static double member_sign(const combination_node *node, int32_t member)
{
    return member == 0 ? node->first_sign : node->other_sign;
}

// smin(a, b) = min(a, b) - max(k - |a - b|, 0)^2 / (4 k)
static double smooth_minimum(double a, double b, double k)
{
    double overlap = k - fabs(a - b);
    return fmin(a, b) - (overlap > 0 ? overlap * overlap / (4 * k) : 0);
}

// True when the member cannot lower the folded value: it is at least k above it.
static bool can_skip(const combination_node *node, const pli_shape *member, const double x[3],
                     double folded)
{
    if (!node->prunes || !member->is_beyond_bounds) return false;
    double limit = folded + node->smooth;
    return limit <= 0 ? pli_shape_box_distance2(member->low, member->high, x) > 0
                      : pli_shape_box_distance2(member->low, member->high, x) >= limit * limit;
}

static double combination_value(const pli_shape *shape, const double x[3])
{
    const combination_node *node = (const combination_node *)shape;
    double folded = INFINITY;
    for (int32_t i = 0; i < node->count; ++i) {
        if (can_skip(node, node->members[i], x, folded)) continue;
        double value = member_sign(node, i) * pli_shape_eval(node->members[i], x);
        folded = i == 0 ? value : smooth_minimum(folded, value, node->smooth);
    }
    return node->outer_sign * folded;
}

static void jet_scale(double s, pli_shape_jet *jet)
{
    jet->value *= s;
    for (int i = 0; i < 3; ++i) jet->gradient[i] *= s;
    for (int i = 0; i < 9; ++i) jet->hessian[i] *= s;
}

// *a = smin(*a, b): with h = k - |a - b| > 0 the lower one weighs 1 - h / (2k), the upper h / (2k),
// and the Hessian gets - d d^T / (2k), d the difference of gradients.
static void jet_smooth_minimum(pli_shape_jet *a, const pli_shape_jet *b, double k)
{
    double overlap = k - fabs(a->value - b->value);
    if (!(overlap > 0)) {
        if (b->value < a->value) *a = *b;
        return;
    }
    double weight = overlap / (2 * k);
    double weight_a = a->value <= b->value ? 1 - weight : weight;
    double d[3];
    pli_vec3_subtract(a->gradient, b->gradient, d);
    a->value = smooth_minimum(a->value, b->value, k);
    for (int i = 0; i < 3; ++i) {
        a->gradient[i] = weight_a * a->gradient[i] + (1 - weight_a) * b->gradient[i];
    }
    for (int i = 0; i < 9; ++i) {
        a->hessian[i] = weight_a * a->hessian[i] + (1 - weight_a) * b->hessian[i] -
                        d[i / 3] * d[i % 3] / (2 * k);
    }
}

static void combination_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const combination_node *node = (const combination_node *)shape;
    jet->value = INFINITY;
    for (int32_t i = 0; i < node->count; ++i) {
        if (can_skip(node, node->members[i], x, jet->value)) continue;
        pli_shape_jet next;
        pli_shape_jet_compute(node->members[i], x, &next);
        jet_scale(member_sign(node, i), &next);
        if (i == 0) {
            *jet = next;
        } else {
            jet_smooth_minimum(jet, &next, node->smooth);
        }
    }
    jet_scale(node->outer_sign, jet);
}

static const pli_shape_ops combination_ops = {combination_value, combination_derive};

// How far the fold of count equal values lies below them, in units of k; the fold is monotone, so
// this is the most that blending can swell a solid.
static double swelling(int32_t count)
{
    double depth = 0;
    for (int32_t i = 1; i < count && depth < 0.99; ++i) depth += 0.25 * (1 - depth) * (1 - depth);
    return count > 1 && depth >= 0.99 ? 1 : depth;
}

static pli_status check_members(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                                double smooth)
{
    if (count < 1) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "a combination has %d members, needs at least one", count);
    }
    if (!(smooth >= 0 && isfinite(smooth))) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "the blending radius is %g, must be finite and not negative", smooth);
    }
    for (int32_t i = 0; i < count; ++i) PLI_TRY(pli_shape_check_member(set, members[i]));
    return PLI_OK;
}

// The node with its members and the flags that follow from them; bounds and signs are the caller's.
static pli_status combination_create(pli_shape_set *set, int32_t count,
                                     const pli_shape *const *members, double smooth,
                                     combination_node **node)
{
    *node = NULL;
    combination_node *made = NULL;
    PLI_TRY(check_members(set, count, members, smooth));
    PLI_TRY(pli_shape_node_create(set, sizeof *made, &combination_ops, (void **)&made));
    made->members = pli_shape_set_take(set, count, sizeof *made->members, "shape members");
    if (made->members == NULL) return PLI_ERROR_MEMORY;
    made->count = count;
    made->smooth = smooth;
    for (int32_t i = 0; i < count; ++i) {
        made->members[i] = members[i];
        pli_shape_node_inherit(&made->base, members[i]);
    }
    if (count > 1) made->base.is_exact = false;
    *node = made;
    return PLI_OK;
}

pli_status pli_shape_union(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                           double smooth, const pli_shape **shape)
{
    *shape = NULL;
    combination_node *node = NULL;
    PLI_TRY(combination_create(set, count, members, smooth, &node));
    node->first_sign = node->other_sign = node->outer_sign = 1;
    node->prunes = true;
    double margin = smooth * swelling(count);
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t k = 0; k < count; ++k) {
            low = fmin(low, members[k]->low[i]);
            high = fmax(high, members[k]->high[i]);
        }
        node->base.low[i] = low - margin;
        node->base.high[i] = high + margin;
    }
    *shape = &node->base;
    return PLI_OK;
}

pli_status pli_shape_intersection(pli_shape_set *set, int32_t count,
                                  const pli_shape *const *members, double smooth,
                                  const pli_shape **shape)
{
    *shape = NULL;
    combination_node *node = NULL;
    PLI_TRY(combination_create(set, count, members, smooth, &node));
    node->first_sign = node->other_sign = node->outer_sign = -1;
    // the largest of several distances can be less than the distance to the common box
    if (count > 1) node->base.is_beyond_bounds = false;
    for (int32_t k = 0; k < count; ++k) {
        for (int i = 0; i < 3; ++i) {
            node->base.low[i] = fmax(node->base.low[i], members[k]->low[i]);
            node->base.high[i] = fmin(node->base.high[i], members[k]->high[i]);
        }
    }
    *shape = &node->base;
    return PLI_OK;
}

pli_status pli_shape_difference(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                                double smooth, const pli_shape **shape)
{
    *shape = NULL;
    combination_node *node = NULL;
    PLI_TRY(combination_create(set, count, members, smooth, &node));
    node->first_sign = node->outer_sign = -1;
    node->other_sign = 1;
    // never less than the first member's value, whose bounds these are
    node->base.is_beyond_bounds = members[0]->is_beyond_bounds;
    pli_vec3_copy(members[0]->low, node->base.low);
    pli_vec3_copy(members[0]->high, node->base.high);
    *shape = &node->base;
    return PLI_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Union, intersection and difference. All three are one fold: with signs s_i of the members and an
// outer sign s, the value is s fold(smin, s_i v_i):
//     union          s = +1, s_i = +1
//     intersection   s = -1, s_i = -1
//     difference     s = -1, s_0 = -1, others +1
//
// The members of a union are sorted along a Morton curve and grouped by eight, so that far groups
// are skipped by one box.
#include "geometry/morton.h"
#include "geometry/shape_node.h"

#include "base/memory.h"

enum { GROUP_SIZE = 8 };

// Box of a group of members that may be skipped together.
typedef struct member_group {
    double low[3];
    double high[3];
    bool is_skippable;
} member_group;

typedef struct combination_node {
    pli_shape base;
    int32_t count;
    const pli_shape **members; // [count]
    double first_sign;
    double other_sign;
    double outer_sign;
    double smooth;        // blending radius k (m)
    member_group *groups; // [(count + 7) / 8]; NULL: no member may be skipped
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

// True when what is in the box cannot lower the folded value: it is at least k above it.
static bool is_far(const double low[3], const double high[3], const double x[3], double limit)
{
    double distance2 = pli_shape_box_distance2(low, high, x);
    return limit <= 0 ? distance2 > 0 : distance2 >= limit * limit;
}

// The first member from i on that matters at x; whole groups are passed over.
static int32_t next_member(const combination_node *node, int32_t i, const double x[3],
                           double folded)
{
    if (node->groups == NULL) return i;
    double limit = folded + node->smooth;
    while (i < node->count) {
        const member_group *group = node->groups + i / GROUP_SIZE;
        if (i % GROUP_SIZE == 0 && group->is_skippable &&
            is_far(group->low, group->high, x, limit)) {
            i += GROUP_SIZE;
            continue;
        }
        const pli_shape *member = node->members[i];
        if (!member->is_beyond_bounds || !is_far(member->low, member->high, x, limit)) return i;
        ++i;
    }
    return i;
}

// A value that a sharp union does not exceed, so that most members can be skipped from the start:
// that of the member whose box is nearest in the group whose box is nearest. (A smooth fold depends
// on its order, so there the first members have to be taken as they come.)
static double seed_value(const combination_node *node, const double x[3])
{
    if (node->groups == NULL || node->smooth > 0 || node->count <= GROUP_SIZE) return INFINITY;
    int32_t best = 0;
    double nearest = INFINITY;
    for (int32_t k = 0; k < node->count; k += GROUP_SIZE) {
        const member_group *group = node->groups + k / GROUP_SIZE;
        double distance2 = pli_shape_box_distance2(group->low, group->high, x);
        if (distance2 >= nearest) continue;
        nearest = distance2;
        best = k;
    }
    int32_t end = best + GROUP_SIZE < node->count ? best + GROUP_SIZE : node->count;
    nearest = INFINITY;
    for (int32_t k = best; k < end; ++k) {
        const pli_shape *member = node->members[k];
        double distance2 = pli_shape_box_distance2(member->low, member->high, x);
        if (distance2 >= nearest) continue;
        nearest = distance2;
        best = k;
    }
    return pli_shape_eval(node->members[best], x);
}

static double combination_value(const pli_shape *shape, const double x[3])
{
    const combination_node *node = (const combination_node *)shape;
    double folded = seed_value(node, x);
    for (int32_t i = 0; (i = next_member(node, i, x, folded)) < node->count; ++i) {
        double value = member_sign(node, i) * pli_shape_eval(node->members[i], x);
        folded = isinf(folded) ? value : smooth_minimum(folded, value, node->smooth);
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
    for (int32_t i = 0; (i = next_member(node, i, x, jet->value)) < node->count; ++i) {
        pli_shape_jet next;
        pli_shape_jet_compute(node->members[i], x, &next);
        jet_scale(member_sign(node, i), &next);
        if (isinf(jet->value)) {
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

// Sorts the members by the middles of their boxes; unbounded ones stay where they are.
static pli_status union_sort(pli_shape_set *set, combination_node *node)
{
    pli_context *context = pli_shape_set_context(set);
    pli_status status = PLI_ERROR_MEMORY;
    double *middles = PLI_NEW(context, double, 3 * (int64_t)node->count, "middles of members");
    int32_t *order = PLI_NEW(context, int32_t, node->count, "order of members");
    const pli_shape **sorted = PLI_NEW(context, const pli_shape *, node->count, "sorted members");
    if (middles == NULL || order == NULL || sorted == NULL) goto done;
    for (int32_t k = 0; k < node->count; ++k) {
        const pli_shape *member = node->members[k];
        for (int i = 0; i < 3; ++i) middles[3 * k + i] = 0.5 * (member->low[i] + member->high[i]);
    }
    status = pli_morton_order(context, node->count, middles, order);
    if (status != PLI_OK) goto done;
    for (int32_t k = 0; k < node->count; ++k) sorted[k] = node->members[order[k]];
    memcpy(node->members, sorted, (size_t)node->count * sizeof *sorted);

done:
    pli_release(context, sorted);
    pli_release(context, order);
    pli_release(context, middles);
    return status;
}

// Boxes of groups; larger unions of bounded members are sorted first.
static pli_status union_group(pli_shape_set *set, combination_node *node)
{
    bool bounded = true;
    for (int32_t k = 0; k < node->count; ++k) {
        bounded = bounded && pli_shape_is_bounded(node->members[k]);
    }
    if (bounded && node->count > GROUP_SIZE) PLI_TRY(union_sort(set, node));
    int32_t group_count = (node->count + GROUP_SIZE - 1) / GROUP_SIZE;
    node->groups = pli_shape_set_take(set, group_count, sizeof *node->groups, "groups of members");
    if (node->groups == NULL) return PLI_ERROR_MEMORY;
    for (int32_t k = 0; k < node->count; ++k) {
        member_group *group = node->groups + k / GROUP_SIZE;
        const pli_shape *member = node->members[k];
        bool is_first = k % GROUP_SIZE == 0;
        group->is_skippable = (is_first || group->is_skippable) && member->is_beyond_bounds;
        for (int i = 0; i < 3; ++i) {
            group->low[i] = is_first ? member->low[i] : fmin(group->low[i], member->low[i]);
            group->high[i] = is_first ? member->high[i] : fmax(group->high[i], member->high[i]);
        }
    }
    return PLI_OK;
}

pli_status pli_shape_union(pli_shape_set *set, int32_t count, const pli_shape *const *members,
                           double smooth, const pli_shape **shape)
{
    *shape = NULL;
    combination_node *node = NULL;
    PLI_TRY(combination_create(set, count, members, smooth, &node));
    node->first_sign = node->other_sign = node->outer_sign = 1;
    PLI_TRY(union_group(set, node));
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

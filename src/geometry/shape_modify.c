// SPDX-License-Identifier: Apache-2.0
//
// Negation, shell, rigid motion with scaling, repetition, twist.
#include "geometry/shape_node.h"

// ---- negation

typedef struct member_node {
    pli_shape base;
    const pli_shape *member;
    double amount; // shell: half thickness (m); twist: rate (rad/m)
} member_node;

static double negation_value(const pli_shape *shape, const double x[3])
{
    return -pli_shape_eval(((const member_node *)shape)->member, x);
}

static void jet_negate(pli_shape_jet *jet)
{
    jet->value = -jet->value;
    for (int i = 0; i < 3; ++i) jet->gradient[i] = -jet->gradient[i];
    for (int i = 0; i < 9; ++i) jet->hessian[i] = -jet->hessian[i];
}

static void negation_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    pli_shape_jet_compute(((const member_node *)shape)->member, x, jet);
    jet_negate(jet);
}

static const pli_shape_ops negation_ops = {negation_value, negation_derive};

static pli_status member_node_create(pli_shape_set *set, const pli_shape *member,
                                     const pli_shape_ops *ops, member_node **node)
{
    *node = NULL;
    PLI_TRY(pli_shape_check_member(set, member));
    PLI_TRY(pli_shape_node_create(set, sizeof **node, ops, (void **)node));
    (*node)->member = member;
    pli_shape_node_inherit(&(*node)->base, member);
    return PLI_OK;
}

pli_status pli_shape_negation(pli_shape_set *set, const pli_shape *member, const pli_shape **shape)
{
    *shape = NULL;
    member_node *node = NULL;
    PLI_TRY(member_node_create(set, member, &negation_ops, &node));
    // all of space is the box of a complement: nothing lies outside it
    node->base.is_beyond_bounds = true;
    *shape = &node->base;
    return PLI_OK;
}

// ---- shell

static double shell_value(const pli_shape *shape, const double x[3])
{
    const member_node *shell = (const member_node *)shape;
    return fabs(pli_shape_eval(shell->member, x)) - shell->amount;
}

static void shell_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const member_node *shell = (const member_node *)shape;
    pli_shape_jet_compute(shell->member, x, jet);
    if (jet->value < 0) jet_negate(jet);
    jet->value -= shell->amount;
}

static const pli_shape_ops shell_ops = {shell_value, shell_derive};

pli_status pli_shape_shell(pli_shape_set *set, const pli_shape *member, double thickness,
                           const pli_shape **shape)
{
    *shape = NULL;
    member_node *node = NULL;
    PLI_TRY(pli_shape_check_length(set, "the thickness of a shell", thickness));
    PLI_TRY(member_node_create(set, member, &shell_ops, &node));
    node->amount = 0.5 * thickness;
    // where the value grows slower than the distance, the layer is thicker than it says; only a
    // solid that is never nearer than its box stays within the widened box
    bool inside = member->is_beyond_bounds;
    for (int i = 0; i < 3; ++i) {
        node->base.low[i] = inside ? member->low[i] - node->amount : -INFINITY;
        node->base.high[i] = inside ? member->high[i] + node->amount : INFINITY;
    }
    *shape = &node->base;
    return PLI_OK;
}

// ---- transform

typedef struct transform_node {
    pli_shape base;
    const pli_shape *member;
    double translate[3];
    double R[9];
    double scale;
} transform_node;

// q = R^T (x - translate) / scale
static void transform_point(const transform_node *node, const double x[3], double q[3])
{
    double d[3];
    pli_vec3_subtract(x, node->translate, d);
    pli_mat3_apply_transposed(node->R, d, q);
    pli_vec3_scale(1 / node->scale, q, q);
}

static double transform_value(const pli_shape *shape, const double x[3])
{
    const transform_node *node = (const transform_node *)shape;
    double q[3];
    transform_point(node, x, q);
    return node->scale * pli_shape_eval(node->member, q);
}

static void transform_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const transform_node *node = (const transform_node *)shape;
    double q[3];
    double turned[9];
    pli_shape_jet inner;
    transform_point(node, x, q);
    pli_shape_jet_compute(node->member, q, &inner);

    // gradient R g, Hessian R H R^T / scale
    jet->value = node->scale * inner.value;
    pli_mat3_apply(node->R, inner.gradient, jet->gradient);
    pli_mat3_multiply(node->R, inner.hessian, turned);
    pli_mat3_multiply_transposed_right(turned, node->R, jet->hessian);
    for (int i = 0; i < 9; ++i) jet->hessian[i] /= node->scale;
}

static const pli_shape_ops transform_ops = {transform_value, transform_derive};

pli_placement pli_placement_identity(void)
{
    return (pli_placement){.axis = {0, 1, 0}, .scale = 1};
}

// Box around the turned box; an infinite side makes every side it leans on infinite.
static void transform_bounds(transform_node *node)
{
    const pli_shape *member = node->member;
    for (int i = 0; i < 3; ++i) {
        double low = node->translate[i];
        double high = node->translate[i];
        for (int j = 0; j < 3; ++j) {
            double r = node->scale * node->R[3 * i + j];
            if (r == 0) continue;
            low += fmin(r * member->low[j], r * member->high[j]);
            high += fmax(r * member->low[j], r * member->high[j]);
        }
        node->base.low[i] = low;
        node->base.high[i] = high;
    }
}

pli_status pli_shape_transform(pli_shape_set *set, const pli_shape *member,
                               const pli_placement *placement, const pli_shape **shape)
{
    *shape = NULL;
    double axis[3] = {0, 1, 0};
    PLI_TRY(pli_shape_check_member(set, member));
    PLI_TRY(pli_shape_check_vector(set, "a translation", placement->translate));
    PLI_TRY(pli_shape_check_length(set, "a scale", placement->scale));
    if (placement->angle != 0) {
        double angle[3] = {placement->angle, 0, 0};
        PLI_TRY(pli_shape_check_vector(set, "an angle of rotation", angle));
        PLI_TRY(pli_shape_check_vector(set, "an axis of rotation", placement->axis));
        PLI_TRY(pli_shape_check_length(set, "the length of an axis of rotation",
                                       pli_vec3_norm(placement->axis)));
        pli_vec3_normalize(placement->axis, axis);
    }
    transform_node *node = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *node, &transform_ops, (void **)&node));
    pli_shape_node_inherit(&node->base, member);
    node->base.lipschitz = member->lipschitz;
    node->member = member;
    pli_vec3_copy(placement->translate, node->translate);
    pli_mat3_rotation(axis, placement->angle, node->R);
    node->scale = placement->scale;
    transform_bounds(node);
    *shape = &node->base;
    return PLI_OK;
}

// ---- repetition

typedef struct repetition_node {
    pli_shape base;
    const pli_shape *member;
    double spacing[3];
    int32_t count[3];
} repetition_node;

// Offset of copy i along an axis from the original.
static double copy_offset(const repetition_node *node, int axis, int32_t i)
{
    return node->spacing[axis] * ((double)i - 0.5 * (node->count[axis] - 1));
}

// Squared distance along one axis from x to the box of copy i; 0 when boxes say nothing.
static double copy_gap2(const repetition_node *node, const double x[3], int axis, int32_t i)
{
    const pli_shape *member = node->member;
    if (!member->is_beyond_bounds) return 0;
    double q = x[axis] - copy_offset(node, axis, i);
    double gap = fmax(fmax(member->low[axis] - q, q - member->high[axis]), 0);
    return gap * gap;
}

// Copies from the one nearest to x outwards: rank 0, 1, 2, ... to a copy along an axis.
static int32_t copy_by_rank(const repetition_node *node, const double x[3], int axis, int32_t rank)
{
    int32_t count = node->count[axis];
    if (count == 1) return 0;
    const pli_shape *member = node->member;
    double middle = 0.5 * (member->low[axis] + member->high[axis]);
    if (!isfinite(middle)) middle = 0;
    double place = (x[axis] - middle) / node->spacing[axis] + 0.5 * (count - 1);
    int32_t nearest = (int32_t)lround(fmin(fmax(place, 0), count - 1));
    int32_t reach = nearest < count - 1 - nearest ? nearest : count - 1 - nearest;

    // alternate while both sides have copies, then follow the longer side
    if (rank <= 2 * reach) return nearest + (rank % 2 != 0 ? (rank + 1) / 2 : -(rank / 2));
    int32_t beyond = rank - reach;
    return nearest == reach ? nearest + beyond : nearest - beyond;
}

// The smallest value over all copies, and the point of the original it belongs to.
static double repetition_best(const repetition_node *node, const double x[3], double best_q[3])
{
    double best = INFINITY;
    double best2 = INFINITY; // squared; 0 once x is inside a copy's box
    for (int32_t rz = 0; rz < node->count[2]; ++rz) {
        int32_t z = copy_by_rank(node, x, 2, rz);
        double gap_z = copy_gap2(node, x, 2, z);
        if (gap_z > best2) continue;
        for (int32_t ry = 0; ry < node->count[1]; ++ry) {
            int32_t y = copy_by_rank(node, x, 1, ry);
            double gap_y = gap_z + copy_gap2(node, x, 1, y);
            if (gap_y > best2) continue;
            for (int32_t rx = 0; rx < node->count[0]; ++rx) {
                int32_t i = copy_by_rank(node, x, 0, rx);
                if (gap_y + copy_gap2(node, x, 0, i) > best2) continue;
                double q[3] = {x[0] - copy_offset(node, 0, i), x[1] - copy_offset(node, 1, y),
                               x[2] - copy_offset(node, 2, z)};
                double value = pli_shape_eval(node->member, q);
                if (!(value < best)) continue;
                best = value;
                best2 = best > 0 ? best * best : 0;
                pli_vec3_copy(q, best_q);
            }
        }
    }
    return best;
}

static double repetition_value(const pli_shape *shape, const double x[3])
{
    double q[3] = {0, 0, 0};
    return repetition_best((const repetition_node *)shape, x, q);
}

static void repetition_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const repetition_node *node = (const repetition_node *)shape;
    double q[3] = {x[0], x[1], x[2]};
    repetition_best(node, x, q);
    pli_shape_jet_compute(node->member, q, jet);
}

static const pli_shape_ops repetition_ops = {repetition_value, repetition_derive};

pli_status pli_shape_repetition(pli_shape_set *set, const pli_shape *member,
                                const double spacing[3], const int32_t count[3],
                                const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_member(set, member));
    PLI_TRY(pli_shape_check_vector(set, "the spacing of a repetition", spacing));
    for (int i = 0; i < 3; ++i) {
        bool repeated = spacing[i] != 0;
        if (spacing[i] < 0 || (repeated && count[i] < 1)) {
            return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                            "a repetition has %d copies at spacing %g along %c; needs at least "
                            "one copy and a spacing that is not negative",
                            count[i], spacing[i], "xyz"[i]);
        }
    }
    repetition_node *node = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *node, &repetition_ops, (void **)&node));
    pli_shape_node_inherit(&node->base, member);
    node->base.is_exact = false;
    node->member = member;
    for (int i = 0; i < 3; ++i) {
        node->spacing[i] = spacing[i];
        node->count[i] = spacing[i] == 0 ? 1 : count[i];
        double reach = 0.5 * spacing[i] * (node->count[i] - 1);
        node->base.low[i] = member->low[i] - reach;
        node->base.high[i] = member->high[i] + reach;
    }
    *shape = &node->base;
    return PLI_OK;
}

// ---- twist

// q = x turned about y by -rate y; c and s are the cosine and sine of the angle.
static void twist_point(double rate, const double x[3], double q[3], double *c, double *s)
{
    *c = cos(rate * x[1]);
    *s = sin(rate * x[1]);
    pli_vec3_set(*c * x[0] - *s * x[2], x[1], *s * x[0] + *c * x[2], q);
}

static double twist_value(const pli_shape *shape, const double x[3])
{
    const member_node *node = (const member_node *)shape;
    double q[3];
    double c;
    double s;
    twist_point(node->amount, x, q, &c, &s);
    return pli_shape_eval(node->member, q);
}

static void twist_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const member_node *node = (const member_node *)shape;
    double k = node->amount;
    double q[3];
    double c;
    double s;
    pli_shape_jet inner;
    twist_point(k, x, q, &c, &s);
    pli_shape_jet_compute(node->member, q, &inner);

    // J = dq/dx; the middle column is the turning, d(q_x, q_z)/dy = k (-q_z, q_x)
    const double *g = inner.gradient;
    double J[9] = {c, -k * q[2], -s, 0, 1, 0, s, k * q[0], c};
    double HJ[9];
    jet->value = inner.value;
    pli_mat3_apply_transposed(J, g, jet->gradient);
    pli_mat3_multiply(inner.hessian, J, HJ);
    pli_mat3_multiply_transposed_left(J, HJ, jet->hessian);

    // sum over g_m of the second derivatives of q_m
    double xy = k * (-s * g[0] + c * g[2]);
    double zy = k * (-c * g[0] - s * g[2]);
    double yy = -k * k * (q[0] * g[0] + q[2] * g[2]);
    jet->hessian[1] += xy;
    jet->hessian[3] += xy;
    jet->hessian[5] += zy;
    jet->hessian[7] += zy;
    jet->hessian[4] += yy;
}

static const pli_shape_ops twist_ops = {twist_value, twist_derive};

pli_status pli_shape_twist(pli_shape_set *set, const pli_shape *member, double rate,
                           const pli_shape **shape)
{
    *shape = NULL;
    member_node *node = NULL;
    double rates[3] = {rate, 0, 0};
    PLI_TRY(pli_shape_check_vector(set, "the rate of a twist", rates));
    PLI_TRY(member_node_create(set, member, &twist_ops, &node));
    node->amount = rate;
    node->base.is_exact = false;
    node->base.is_beyond_bounds = false;

    // everything stays within the cylinder around the member's box
    double x = fmax(fabs(member->low[0]), fabs(member->high[0]));
    double z = fmax(fabs(member->low[2]), fabs(member->high[2]));
    double radius = sqrt(x * x + z * z);
    for (int i = 0; i < 3; ++i) {
        node->base.low[i] = i == 1 ? member->low[1] : -radius;
        node->base.high[i] = i == 1 ? member->high[1] : radius;
    }
    // stretch of the map at that cylinder; points far beyond it are not what the constant is for
    double shear = fabs(rate) * radius;
    node->base.lipschitz = member->lipschitz * (0.5 * shear + sqrt(1 + 0.25 * shear * shear)) * 1.5;
    *shape = &node->base;
    return PLI_OK;
}

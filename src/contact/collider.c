// SPDX-License-Identifier: Apache-2.0
#include "contact/collider.h"

#include "math/mat3.h"

void pli_collider_init(pli_collider *collider, const pli_shape *shape, pli_collider_method method)
{
    *collider = (pli_collider){.name = "", .shape = shape, .method = method, .active = true};
    pli_mat3_identity(collider->before.R);
    pli_mat3_identity(collider->now.R);
}

static bool is_rigid(const pli_rigid_pose *pose)
{
    return pli_mat3_is_rotation(pose->R, 1e-9) && isfinite(pli_vec3_norm(pose->offset));
}

pli_status pli_collider_check(pli_context *context, const pli_collider *collider)
{
    const char *name = collider->name != NULL ? collider->name : "";
    if (collider->shape == NULL || collider->method == PLI_COLLIDER_AUTO) {
        return PLI_FAIL(context, PLI_ERROR_SCENE, "collider \"%s\" has no %s", name,
                        collider->shape == NULL ? "shape" : "definite method");
    }
    bool is_constraint = collider->method == PLI_COLLIDER_CONSTRAINT;
    if (is_constraint && !pli_shape_is_analytic(collider->shape)) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "collider \"%s\" is sampled on a grid, whose kinks make projections stick: "
                        "it can't be a constraint; use `method: penalty`",
                        name);
    }
    if (!(collider->friction >= 0 && isfinite(collider->friction))) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "friction of collider \"%s\" is %g, must not be negative", name,
                        collider->friction);
    }
    bool is_penalty =
        collider->method == PLI_COLLIDER_PENALTY || collider->method == PLI_COLLIDER_QUADRATIC;
    if (is_penalty && !(collider->stiffness > 0 && isfinite(collider->stiffness))) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "stiffness of collider \"%s\" is %g, must be positive", name,
                        collider->stiffness);
    }
    if (!(collider->margin >= 0 && isfinite(collider->margin))) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "margin of collider \"%s\" is %g, must not be negative", name,
                        collider->margin);
    }
    if (!is_rigid(&collider->before) || !is_rigid(&collider->now)) {
        return PLI_FAIL(context, PLI_ERROR_SCENE,
                        "motion of collider \"%s\" is not rigid: it may only move and turn", name);
    }
    return PLI_OK;
}

pli_status pli_collision_check(pli_context *context, const pli_collision_def *def)
{
    if (def->point_count < 0 || def->collider_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d points and %d colliders can't be",
                        def->point_count, def->collider_count);
    }
    if (!(def->size > 0 && isfinite(def->size))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "size of the scene is %g, must be positive",
                        def->size);
    }
    for (int32_t b = 0; b < def->collider_count; ++b) {
        PLI_TRY(pli_collider_check(context, &def->colliders[b]));
    }
    return PLI_OK;
}

// x0 = c + R^T (x - c - u)
static void to_start(const pli_collider *collider, const pli_rigid_pose *pose, const double x[3],
                     double x0[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) d[k] = x[k] - collider->center[k] - pose->offset[k];
    pli_mat3_apply_transposed(pose->R, d, x0);
    pli_vec3_add(x0, collider->center, x0);
}

double pli_collider_value(const pli_collider *collider, const double x[3])
{
    double x0[3];
    to_start(collider, &collider->now, x, x0);
    return pli_shape_value(collider->shape, x0) - collider->margin;
}

double pli_collider_gradient(const pli_collider *collider, const double x[3], double gradient[3])
{
    double x0[3], g[3];
    to_start(collider, &collider->now, x, x0);
    double value = pli_shape_gradient(collider->shape, x0, g);
    pli_mat3_apply(collider->now.R, g, gradient);
    return value - collider->margin;
}

double pli_collider_hessian(const pli_collider *collider, const double x[3], double gradient[3],
                            double hessian[9])
{
    double x0[3], g[3], H[9], RH[9];
    to_start(collider, &collider->now, x, x0);
    double value = pli_shape_hessian(collider->shape, x0, g, H);
    pli_mat3_apply(collider->now.R, g, gradient);
    pli_mat3_multiply(collider->now.R, H, RH);
    pli_mat3_multiply_transposed_right(RH, collider->now.R, hessian);
    return value - collider->margin;
}

// The box around the image of the shape's box, a little larger than rounding could make it. Values
// outside need not be distances, so that a margin can reach anywhere.
pli_bounds pli_collider_bounds(const pli_collider *collider)
{
    pli_bounds source = pli_shape_bounds(collider->shape);
    pli_bounds out;
    if (collider->margin > 0) return pli_bounds_infinite();
    if (pli_bounds_is_empty(&source)) return source;
    for (int i = 0; i < 3; ++i) {
        double base = collider->center[i] + collider->now.offset[i];
        double low = base, high = base, size = fabs(base);
        for (int j = 0; j < 3; ++j) {
            double factor = collider->now.R[3 * i + j];
            if (factor == 0) continue;
            double a = factor * (source.min[j] - collider->center[j]);
            double b = factor * (source.max[j] - collider->center[j]);
            low += pli_smaller(a, b);
            high += pli_larger(a, b);
            size += fabs(a) + fabs(b);
        }
        double margin = isfinite(size) ? 1e-14 * size : 0;
        out.min[i] = low - margin;
        out.max[i] = high + margin;
    }
    return out;
}

static bool are_apart(const pli_bounds *a, const pli_bounds *b)
{
    for (int k = 0; k < 3; ++k) {
        if (a->min[k] > b->max[k] || b->min[k] > a->max[k]) return true;
    }
    return false;
}

// Whether the values at all points of a box are at least limit, told by the box of the collider or
// by the value at the middle and the bound on its change.
static bool is_far(const pli_collider *collider, const pli_bounds *box, double limit)
{
    if (limit <= 0) {
        pli_bounds inside = pli_collider_bounds(collider);
        if (are_apart(&inside, box)) return true;
    }
    double slope = pli_shape_lipschitz(collider->shape);
    if (!isfinite(slope)) return false;
    double middle[3], edges[3];
    pli_vec3_add(box->min, box->max, middle);
    pli_vec3_scale(0.5, middle, middle);
    pli_vec3_subtract(box->max, box->min, edges);
    double reach = 0.5 * slope * pli_vec3_norm(edges);
    double value = pli_collider_value(collider, middle);
    // a little less than the bound, so that rounding can't make a difference
    double rounding = 1e-12 * (reach + fabs(value) + pli_vec3_norm(middle));
    return value - reach - rounding > limit;
}

bool pli_collider_values(const pli_collider *collider, int32_t n, const double *points,
                         double limit, double *values)
{
    // fewer points than this are evaluated at once
    enum { FEW = 4 };
    if (n >= FEW) {
        pli_bounds box = pli_bounds_of_points(n, points);
        if (is_far(collider, &box, limit)) return false;
    }
    double moved[3 * PLI_COLLIDER_CHUNK] = {0};
    for (int32_t i = 0; i < n; ++i) {
        to_start(collider, &collider->now, points + 3 * (int64_t)i, moved + 3 * (int64_t)i);
    }
    pli_shape_values(collider->shape, n, moved, values);
    for (int32_t i = 0; i < n; ++i) values[i] -= collider->margin;
    return true;
}

static int32_t chunk_length(int64_t begin, int64_t end)
{
    return (int32_t)(end - begin < PLI_COLLIDER_CHUNK ? end - begin : PLI_COLLIDER_CHUNK);
}

// One collider and one chunk of points.
static void visit_chunk(const pli_collision_scan *scan, int32_t b, int64_t begin, int32_t n,
                        pli_pair_fn visit, void *user)
{
    const pli_collider *collider = &scan->def->colliders[b];
    double values[PLI_COLLIDER_CHUNK];
    if (!pli_collider_values(collider, n, scan->x + 3 * begin, scan->limit, values)) return;
    for (int32_t i = 0; i < n; ++i) {
        bool is_near = values[i] < scan->limit;
        if (is_near && pli_collision_held(scan->def, begin + i) != PLI_HELD) {
            visit(user, begin + i, b);
        }
    }
}

void pli_collision_visit(const pli_collision_scan *scan, int64_t begin, int64_t end,
                         pli_pair_fn visit, void *user)
{
    for (int64_t chunk = begin; chunk < end; chunk += PLI_COLLIDER_CHUNK) {
        for (int32_t b = 0; b < scan->def->collider_count; ++b) {
            if (!pli_collider_is(&scan->def->colliders[b], scan->method)) continue;
            visit_chunk(scan, b, chunk, chunk_length(chunk, end), visit, user);
        }
    }
}

// The smaller of `least` and the values of one collider at a chunk of points.
static double least_value(const pli_collision_scan *scan, int32_t b, int64_t begin, int32_t n,
                          double least)
{
    double values[PLI_COLLIDER_CHUNK];
    const double *points = scan->x + 3 * begin;
    if (!pli_collider_values(&scan->def->colliders[b], n, points, least, values)) return least;
    for (int32_t i = 0; i < n; ++i) {
        bool is_held = pli_collision_held(scan->def, begin + i) == PLI_HELD;
        if (!is_held) least = pli_smaller(least, values[i]);
    }
    return least;
}

static double largest_depth(void *user, int64_t begin, int64_t end)
{
    const pli_collision_scan *scan = user;
    double least = INFINITY;
    for (int64_t chunk = begin; chunk < end; chunk += PLI_COLLIDER_CHUNK) {
        for (int32_t b = 0; b < scan->def->collider_count; ++b) {
            if (!pli_collider_is(&scan->def->colliders[b], scan->method)) continue;
            least = least_value(scan, b, chunk, chunk_length(chunk, end), least);
        }
    }
    return -least;
}

static void count_pair(void *user, int64_t point, int32_t collider)
{
    (void)point;
    (void)collider;
    ++*(int64_t *)user;
}

static pli_sum count_inside(void *user, int64_t begin, int64_t end)
{
    int64_t count = 0;
    pli_collision_visit(user, begin, end, count_pair, &count);
    return (pli_sum){(double)count, 0};
}

void pli_collision_measure(const pli_context *context, const pli_collision_def *def,
                           pli_collider_method method, const double *x,
                           pli_collision_report *report)
{
    enum { POINT_GRAIN = 256 };
    pli_collision_scan scan = {.def = def, .method = method, .x = x};
    int64_t n = def->point_count;
    pli_sum inside = pli_parallel_sum(context, n, POINT_GRAIN, count_inside, &scan);
    double depth = pli_parallel_max(context, n, POINT_GRAIN, largest_depth, &scan);
    *report = (pli_collision_report){.contacts = (int64_t)pli_sum_value(inside),
                                     .min_gap = -depth,
                                     .max_depth = pli_larger(0, depth)};
}

// The difference of the poses applied to where the point was at time 0, so that a collider that
// stands still has velocity zero exactly.
void pli_collider_velocity(const pli_collider *collider, const double x[3], double h, double v[3])
{
    const pli_rigid_pose *now = &collider->now;
    const pli_rigid_pose *before = &collider->before;
    double d[3], dR[9], turned[3];
    to_start(collider, now, x, d);
    pli_vec3_subtract(d, collider->center, d);
    pli_mat3_add_scaled(now->R, -1, before->R, dR);
    pli_mat3_apply(dR, d, turned);
    pli_vec3_subtract(now->offset, before->offset, v);
    pli_vec3_add(v, turned, v);
    pli_vec3_scale(1 / h, v, v);
}

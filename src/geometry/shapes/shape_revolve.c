// SPDX-License-Identifier: Apache-2.0
//
// Solids of revolution: capsule, cylinder, cone, round cone, torus, lathe; and the prism.
// The distance to a solid of revolution is that of its profile in the half plane (r, y), r the
// distance from the axis and y the height along it. With f the profile's distance, a the axis, u
// the unit vector away from it and t = a x u:
//     gradient = f_r u + f_y a
//     Hessian  = f_rr u u^T + f_ry (u a^T + a u^T) + f_yy a a^T + (f_r / r) t t^T
#include "geometry/shapes/polygon.h"
#include "geometry/shapes/shape_node.h"

#include <string.h>

// what comes first in the data of every kind: the axis, and the distance of the profile, which gets
// the same data
typedef struct axis_data {
    double origin[3];
    double direction[3]; // unit
    pli_jet2 (*profile)(const void *data, double r, double y);
} axis_data;

// a point in the half plane
typedef struct half_plane {
    double r;
    double y;
    double away[3]; // unit vector from the axis, zero on it
} half_plane;

static half_plane to_half_plane(const axis_data *axis, const double x[3])
{
    half_plane at;
    double d[3];
    pli_vec3_subtract(x, axis->origin, d);
    at.y = pli_vec3_dot(d, axis->direction);
    pli_vec3_add_scaled(d, -at.y, axis->direction, d);
    at.r = pli_vec3_normalize(d, at.away);
    return at;
}

static void revolve_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const axis_data *axis = shape->data;
    for (int32_t i = 0; i < n; ++i) {
        half_plane at = to_half_plane(axis, points + 3 * (int64_t)i);
        values[i] = axis->profile(axis, at.r, at.y).f;
    }
}

static void revolve_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const axis_data *axis = shape->data;
    half_plane at = to_half_plane(axis, x);
    pli_jet2 f = axis->profile(axis, at.r, at.y);
    const double *a = axis->direction;
    const double *u = at.away;
    double t[3];
    pli_vec3_cross(a, u, t);
    *jet = pli_jet_constant(f.f);
    pli_vec3_scale(f.fa, u, jet->gradient);
    pli_vec3_add_scaled(jet->gradient, f.fb, a, jet->gradient);
    pli_jet_add_outer(jet->hessian, f.faa, u, u);
    pli_jet_add_outer(jet->hessian, 2 * f.fab, u, a);
    pli_jet_add_outer(jet->hessian, f.fbb, a, a);
    pli_jet_add_outer(jet->hessian, f.fa * pli_jet_inverse(at.r), t, t);
    if (at.r > 0) return;

    // on the axis f_r / r tends to f_rr in both directions across it, where f is smooth there
    double across[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pli_jet_add_outer(across, -1, a, a);
    pli_mat3_add_scaled(jet->hessian, f.fa == 0 ? f.faa : 0, across, jet->hessian);
}

// Sets the axis from start to end and returns its length.
static double set_axis(axis_data *axis, const double start[3], const double end[3])
{
    pli_vec3_copy(start, axis->origin);
    pli_vec3_subtract(end, start, axis->direction);
    double length = pli_vec3_normalize(axis->direction, axis->direction);
    // a ball has any axis
    if (length == 0) axis->direction[1] = 1;
    return length;
}

// Adds the disc of radius r at height y of the axis to a box.
static void add_disc(pli_bounds *bounds, const axis_data *axis, double r, double y)
{
    for (int k = 0; k < 3; ++k) {
        double a = axis->direction[k];
        double center = axis->origin[k] + y * a;
        double reach = r * sqrt(pli_larger(1 - a * a, 0));
        bounds->min[k] = pli_smaller(bounds->min[k], center - reach);
        bounds->max[k] = pli_larger(bounds->max[k], center + reach);
    }
}

static pli_status check_segment(pli_shape_set *set, const double start[3], const double end[3])
{
    PLI_TRY(pli_shape_check_finite(set, "start of an axis", 3, start));
    return pli_shape_check_finite(set, "end of an axis", 3, end);
}

// ---- round cone and capsule: two circles and the line that touches both

typedef struct round_cone_data {
    axis_data axis;
    double length;
    double radius[2]; // at the start and at the end
    double sine;      // of the angle between flank and axis
    double cosine;
} round_cone_data;

static pli_jet2 round_cone_profile(const void *data, double r, double y)
{
    const round_cone_data *cone = data;
    // position along the touching line, which runs from 0 to cosine * length
    double along = cone->cosine * y - cone->sine * r;
    if (along > 0 && along < cone->cosine * cone->length) {
        return (pli_jet2){.f = cone->cosine * r + cone->sine * y - cone->radius[0],
                          .fa = cone->cosine,
                          .fb = cone->sine};
    }
    bool at_end = along > 0;
    pli_jet2 d = pli_jet2_length(r, at_end ? y - cone->length : y);
    d.f -= cone->radius[at_end];
    return d;
}

static const pli_shape_ops round_cone_ops = {"round cone", revolve_values, revolve_jet};

pli_status pli_shape_round_cone(pli_shape_set *set, const double start[3], const double end[3],
                                double start_radius, double end_radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_segment(set, start, end));
    PLI_TRY(pli_shape_check_positive(set, "radius at the start", start_radius));
    PLI_TRY(pli_shape_check_positive(set, "radius at the end", end_radius));
    // a ball that contains the other one is all there is
    double length = pli_vec3_distance(start, end);
    if (length <= fabs(start_radius - end_radius)) {
        bool at_end = end_radius > start_radius;
        return pli_shape_sphere(set, at_end ? end : start, pli_larger(start_radius, end_radius),
                                shape);
    }

    pli_shape_new description = {.ops = &round_cone_ops, .data_bytes = sizeof(round_cone_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    round_cone_data *cone = node->data;
    cone->axis.profile = round_cone_profile;
    cone->length = set_axis(&cone->axis, start, end);
    cone->radius[0] = start_radius;
    cone->radius[1] = end_radius;
    cone->sine = (start_radius - end_radius) / cone->length;
    cone->cosine = sqrt(pli_larger(1 - cone->sine * cone->sine, 0));
    for (int k = 0; k < 3; ++k) {
        node->bounds.min[k] = pli_smaller(start[k] - start_radius, end[k] - end_radius);
        node->bounds.max[k] = pli_larger(start[k] + start_radius, end[k] + end_radius);
    }
    *shape = node;
    return PLI_OK;
}

pli_status pli_shape_capsule(pli_shape_set *set, const double start[3], const double end[3],
                             double radius, const pli_shape **shape)
{
    return pli_shape_round_cone(set, start, end, radius, radius, shape);
}

// ---- torus: a circle off the axis

typedef struct torus_data {
    axis_data axis;
    double radius;
    double tube;
} torus_data;

static pli_jet2 torus_profile(const void *data, double r, double y)
{
    const torus_data *torus = data;
    pli_jet2 d = pli_jet2_length(r - torus->radius, y);
    d.f -= torus->tube;
    return d;
}

static const pli_shape_ops torus_ops = {"torus", revolve_values, revolve_jet};

pli_status pli_shape_torus(pli_shape_set *set, const double center[3], const double axis[3],
                           double radius, double tube_radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "centre of a torus", 3, center));
    PLI_TRY(pli_shape_check_positive(set, "length of a torus's axis", pli_vec3_norm(axis)));
    PLI_TRY(pli_shape_check_positive(set, "radius of a torus", radius));
    PLI_TRY(pli_shape_check_positive(set, "tube radius of a torus", tube_radius));
    pli_shape_new description = {.ops = &torus_ops, .data_bytes = sizeof(torus_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    torus_data *torus = node->data;
    torus->axis.profile = torus_profile;
    pli_vec3_copy(center, torus->axis.origin);
    pli_vec3_normalize(axis, torus->axis.direction);
    torus->radius = radius;
    torus->tube = tube_radius;
    node->bounds = pli_bounds_empty();
    add_disc(&node->bounds, &torus->axis, radius, 0);
    node->bounds = pli_bounds_expand(node->bounds, tube_radius);
    // a tube that closes the hole covers part of its own circle
    node->is_exact = tube_radius <= radius;
    *shape = node;
    return PLI_OK;
}

// ---- lathe, cylinder and cone: a polygon

typedef struct lathe_data {
    axis_data axis;
    int32_t count;
    double points[]; // [count][2]
} lathe_data;

static pli_jet2 lathe_profile(const void *data, double r, double y)
{
    const lathe_data *lathe = data;
    pli_polygon polygon = {lathe->count, lathe->points, true};
    return pli_polygon_distance(&polygon, r, y);
}

static const pli_shape_ops lathe_ops = {"lathe", revolve_values, revolve_jet};

static pli_status create_lathe(pli_shape_set *set, int32_t count, const double *points,
                               const double start[3], const double end[3], const pli_shape **shape)
{
    size_t point_bytes = 2 * (size_t)count * sizeof(double);
    pli_shape_new description = {.ops = &lathe_ops, .data_bytes = sizeof(lathe_data) + point_bytes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    lathe_data *lathe = node->data;
    lathe->axis.profile = lathe_profile;
    set_axis(&lathe->axis, start, end);
    lathe->count = count;
    memcpy(lathe->points, points, point_bytes);
    node->bounds = pli_bounds_empty();
    for (int32_t i = 0; i < count; ++i) {
        add_disc(&node->bounds, &lathe->axis, points[2 * i], points[2 * i + 1]);
    }
    *shape = node;
    return PLI_OK;
}

static pli_status check_polygon(pli_shape_set *set, const char *what, int32_t count,
                                const double *points)
{
    pli_context *context = pli_shape_set_context(set);
    if (count < 3 || points == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%s has %d points, needs at least 3", what,
                        count);
    }
    PLI_TRY(pli_shape_check_finite(set, what, 2 * (int64_t)count, points));
    pli_polygon polygon = {count, points, false};
    if (pli_polygon_area2(&polygon) > 0) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "%s has no area or runs clockwise; list its points counter-clockwise", what);
}

pli_status pli_shape_lathe(pli_shape_set *set, int32_t point_count, const double *polygon,
                           const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_polygon(set, "profile of a lathe", point_count, polygon));
    for (int32_t i = 0; i < point_count; ++i) {
        PLI_TRY(pli_shape_check_not_negative(set, "radius of a lathe's profile", polygon[2 * i]));
    }
    const double origin[3] = {0, 0, 0};
    const double up[3] = {0, 1, 0};
    return create_lathe(set, point_count, polygon, origin, up, shape);
}

pli_status pli_shape_cone(pli_shape_set *set, const double start[3], const double end[3],
                          double start_radius, double end_radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_segment(set, start, end));
    PLI_TRY(pli_shape_check_not_negative(set, "radius at the start", start_radius));
    PLI_TRY(pli_shape_check_not_negative(set, "radius at the end", end_radius));
    PLI_TRY(pli_shape_check_positive(set, "larger radius", pli_larger(start_radius, end_radius)));
    double length = pli_vec3_distance(start, end);
    PLI_TRY(pli_shape_check_positive(set, "length of the axis", length));
    const double profile[4][2] = {{0, 0}, {start_radius, 0}, {end_radius, length}, {0, length}};
    return create_lathe(set, 4, &profile[0][0], start, end, shape);
}

pli_status pli_shape_cylinder(pli_shape_set *set, const double start[3], const double end[3],
                              double radius, const pli_shape **shape)
{
    return pli_shape_cone(set, start, end, radius, radius, shape);
}

// ---- prism: with d the polygon's distance and e = |z| - depth / 2,
//      |(max(d, 0), max(e, 0))| + min(max(d, e), 0)

typedef struct prism_data {
    double half; // of the depth (m)
    int32_t count;
    double points[]; // [count][2]
} prism_data;

static pli_jet2 prism_distance(double d, double e)
{
    if (d > 0 && e > 0) return pli_jet2_length(d, e);
    return d > e ? (pli_jet2){.f = d, .fa = 1} : (pli_jet2){.f = e, .fb = 1};
}

static void prism_values(const pli_shape *shape, int32_t n, const double *points, double *values)
{
    const prism_data *prism = shape->data;
    pli_polygon polygon = {prism->count, prism->points, false};
    for (int32_t i = 0; i < n; ++i) {
        const double *x = points + 3 * (int64_t)i;
        double d = pli_polygon_distance(&polygon, x[0], x[1]).f;
        values[i] = prism_distance(d, fabs(x[2]) - prism->half).f;
    }
}

static void prism_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const prism_data *prism = shape->data;
    pli_polygon polygon = {prism->count, prism->points, false};
    pli_jet2 flat = pli_polygon_distance(&polygon, x[0], x[1]);
    pli_jet2 f = prism_distance(flat.f, fabs(x[2]) - prism->half);
    pli_jet u = pli_jet_linear(x[0], (const double[3]){1, 0, 0});
    pli_jet v = pli_jet_linear(x[1], (const double[3]){0, 1, 0});
    pli_jet d = pli_jet_apply2(&u, &v, &flat);
    pli_jet e =
        pli_jet_linear(fabs(x[2]) - prism->half, (const double[3]){0, 0, x[2] >= 0 ? 1 : -1});
    *jet = pli_jet_apply2(&d, &e, &f);
}

static const pli_shape_ops prism_ops = {"prism", prism_values, prism_jet};

pli_status pli_shape_prism(pli_shape_set *set, int32_t point_count, const double *polygon,
                           double depth, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(check_polygon(set, "polygon of a prism", point_count, polygon));
    PLI_TRY(pli_shape_check_positive(set, "depth of a prism", depth));
    size_t point_bytes = 2 * (size_t)point_count * sizeof(double);
    pli_shape_new description = {.ops = &prism_ops, .data_bytes = sizeof(prism_data) + point_bytes};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    prism_data *prism = node->data;
    prism->half = 0.5 * depth;
    prism->count = point_count;
    memcpy(prism->points, polygon, point_bytes);
    node->bounds = pli_bounds_empty();
    for (int32_t i = 0; i < point_count; ++i) {
        for (int side = -1; side <= 1; side += 2) {
            double x[3] = {polygon[2 * i], polygon[2 * i + 1], side * prism->half};
            pli_bounds_add_point(&node->bounds, x);
        }
    }
    *shape = node;
    return PLI_OK;
}

// SPDX-License-Identifier: Apache-2.0
//
// Solids of revolution: cylinder, truncated cone, tapered capsule, torus. Each is a distance
// f(r, y) in the half plane of radius r >= 0 and height y along the axis, turned about the axis:
//     gradient = f_r e + f_y a
//     Hessian  = f_rr e e^T + f_ry (e a^T + a e^T) + f_yy a a^T + (f_r / r) (I - a a^T - e e^T)
// with unit vectors a along the axis and e away from it.
#include "geometry/shape_node.h"

typedef struct profile_jet {
    double value;
    double r, y;       // first derivatives
    double rr, ry, yy; // second derivatives
} profile_jet;

typedef struct revolution_node revolution_node;
typedef void (*profile_fn)(const revolution_node *node, double r, double y, profile_jet *jet);

struct revolution_node {
    pli_shape base;
    profile_fn profile;
    double origin[3];
    double axis[3];  // unit
    double length;   // along the axis; torus: 0
    double radii[2]; // at start and end; torus: to the tube's middle, and of the tube
    double lean[2];  // round cone: sine and cosine of the angle between axis and tangent line
};

// ---- profiles

// distance to a point of the half plane, less a radius
static void profile_point(double dr, double dy, double radius, profile_jet *jet)
{
    double length = sqrt(dr * dr + dy * dy);
    double inverse = length > 0 ? 1 / length : 0;
    double nr = dr * inverse;
    double ny = dy * inverse;
    *jet = (profile_jet){.value = length - radius,
                         .r = nr,
                         .y = ny,
                         .rr = inverse * ny * ny,
                         .ry = -inverse * nr * ny,
                         .yy = inverse * nr * nr};
}

// Signed distance to the segment from p to q whose outside is on its right; replaces *jet when the
// segment is nearer. The distance is positive where outside says so.
static void profile_segment(const double p[2], const double q[2], const double x[2], bool outside,
                            profile_jet *jet)
{
    double edge[2] = {q[0] - p[0], q[1] - p[1]};
    double d[2] = {x[0] - p[0], x[1] - p[1]};
    double length2 = edge[0] * edge[0] + edge[1] * edge[1];
    double t = length2 > 0 ? (d[0] * edge[0] + d[1] * edge[1]) / length2 : 0;
    profile_jet found;
    if (t > 0 && t < 1) {
        double length = sqrt(length2);
        double n[2] = {edge[1] / length, -edge[0] / length};
        found = (profile_jet){.value = d[0] * n[0] + d[1] * n[1], .r = n[0], .y = n[1]};
    } else {
        double end = t >= 1;
        profile_point(d[0] - end * edge[0], d[1] - end * edge[1], 0, &found);
        if (!outside) {
            found =
                (profile_jet){-found.value, -found.r, -found.y, -found.rr, -found.ry, -found.yy};
        }
    }
    if (fabs(found.value) < fabs(jet->value)) *jet = found;
}

static void profile_cone(const revolution_node *node, double r, double y, profile_jet *jet)
{
    double height = node->length;
    double corners[4][2] = {{0, 0}, {node->radii[0], 0}, {node->radii[1], height}, {0, height}};
    double x[2] = {r, y};
    double slant = (node->radii[1] - node->radii[0]) / height;
    bool outside = y < 0 || y > height || r > node->radii[0] + slant * y;
    *jet = (profile_jet){.value = INFINITY};
    for (int i = 0; i < 3; ++i) {
        // a cap of radius 0 is the corner of its neighbour
        if (corners[i][0] == corners[i + 1][0] && i != 1) continue;
        profile_segment(corners[i], corners[i + 1], x, outside, jet);
    }
}

static void profile_round_cone(const revolution_node *node, double r, double y, profile_jet *jet)
{
    double b = node->lean[0];
    double a = node->lean[1];
    double along = a * y - b * r;
    if (b >= 1 || (b > -1 && along < 0)) {
        profile_point(r, y, node->radii[0], jet);
    } else if (b <= -1 || along > a * node->length) {
        profile_point(r, y - node->length, node->radii[1], jet);
    } else {
        *jet = (profile_jet){.value = a * r + b * y - node->radii[0], .r = a, .y = b};
    }
}

static void profile_torus(const revolution_node *node, double r, double y, profile_jet *jet)
{
    profile_point(r - node->radii[0], y, node->radii[1], jet);
}

// ---- turning a profile about its axis

static double revolution_value(const pli_shape *shape, const double x[3])
{
    const revolution_node *node = (const revolution_node *)shape;
    double d[3];
    profile_jet jet;
    pli_vec3_subtract(x, node->origin, d);
    double y = pli_vec3_dot(d, node->axis);
    pli_vec3_add_scaled(d, -y, node->axis, d);
    node->profile(node, pli_vec3_norm(d), y, &jet);
    return jet.value;
}

static void revolution_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const revolution_node *node = (const revolution_node *)shape;
    const double *a = node->axis;
    double d[3];
    double e[3];
    profile_jet profile;
    pli_vec3_subtract(x, node->origin, d);
    double y = pli_vec3_dot(d, a);
    pli_vec3_add_scaled(d, -y, a, d);
    double r = pli_vec3_normalize(d, e);
    node->profile(node, r, y, &profile);

    // on the axis f_r / r tends to f_rr, and any direction may be called e
    double hoop = r > 0 ? profile.r / r : profile.rr;
    if (r == 0) pli_shape_orthogonal(a, e);
    jet->value = profile.value;
    for (int i = 0; i < 3; ++i) jet->gradient[i] = profile.r * e[i] + profile.y * a[i];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double rest = (i == j) - a[i] * a[j] - e[i] * e[j];
            jet->hessian[3 * i + j] = profile.rr * e[i] * e[j] + profile.yy * a[i] * a[j] +
                                      profile.ry * (e[i] * a[j] + a[i] * e[j]) + hoop * rest;
        }
    }
}

static const pli_shape_ops revolution_ops = {revolution_value, revolution_derive};

// Extent of a disc of the given radius along coordinate i.
static double disc_extent(const revolution_node *node, double radius, int i)
{
    return radius * sqrt(fmax(1 - node->axis[i] * node->axis[i], 0));
}

// A node with its axis from start to end, which must not coincide.
static pli_status axis_node_create(pli_shape_set *set, const double start[3], const double end[3],
                                   profile_fn profile, revolution_node **node)
{
    *node = NULL;
    double span[3];
    PLI_TRY(pli_shape_check_vector(set, "the start of an axis", start));
    PLI_TRY(pli_shape_check_vector(set, "the end of an axis", end));
    pli_vec3_subtract(end, start, span);
    PLI_TRY(pli_shape_check_length(set, "the length of an axis", pli_vec3_norm(span)));
    PLI_TRY(pli_shape_node_create(set, sizeof **node, &revolution_ops, (void **)node));
    (*node)->profile = profile;
    pli_vec3_copy(start, (*node)->origin);
    (*node)->length = pli_vec3_normalize(span, (*node)->axis);
    return PLI_OK;
}

static pli_status check_radii(pli_shape_set *set, pli_cone_radii radii)
{
    bool right = radii.start >= 0 && radii.end >= 0 && isfinite(radii.start) && isfinite(radii.end);
    if (right && fmax(radii.start, radii.end) > 0) return PLI_OK;
    return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                    "the radii of a cone are %g and %g, must be finite, not negative, and one of "
                    "them positive",
                    radii.start, radii.end);
}

pli_status pli_shape_cylinder(pli_shape_set *set, const double start[3], const double end[3],
                              double radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_length(set, "the radius of a cylinder", radius));
    return pli_shape_cone(set, start, end, (pli_cone_radii){radius, radius}, shape);
}

pli_status pli_shape_cone(pli_shape_set *set, const double start[3], const double end[3],
                          pli_cone_radii radii, const pli_shape **shape)
{
    *shape = NULL;
    revolution_node *node = NULL;
    PLI_TRY(check_radii(set, radii));
    PLI_TRY(axis_node_create(set, start, end, profile_cone, &node));
    node->radii[0] = radii.start;
    node->radii[1] = radii.end;
    for (int i = 0; i < 3; ++i) {
        double first = disc_extent(node, radii.start, i);
        double last = disc_extent(node, radii.end, i);
        node->base.low[i] = fmin(start[i] - first, end[i] - last);
        node->base.high[i] = fmax(start[i] + first, end[i] + last);
    }
    *shape = &node->base;
    return PLI_OK;
}

pli_status pli_shape_round_cone(pli_shape_set *set, const double start[3], const double end[3],
                                pli_cone_radii radii, const pli_shape **shape)
{
    *shape = NULL;
    revolution_node *node = NULL;
    PLI_TRY(check_radii(set, radii));
    PLI_TRY(axis_node_create(set, start, end, profile_round_cone, &node));
    node->radii[0] = radii.start;
    node->radii[1] = radii.end;
    node->lean[0] = (radii.start - radii.end) / node->length;
    node->lean[1] = sqrt(fmax(1 - node->lean[0] * node->lean[0], 0));
    for (int i = 0; i < 3; ++i) {
        node->base.low[i] = fmin(start[i] - radii.start, end[i] - radii.end);
        node->base.high[i] = fmax(start[i] + radii.start, end[i] + radii.end);
    }
    *shape = &node->base;
    return PLI_OK;
}

pli_status pli_shape_torus(pli_shape_set *set, const double center[3], const double axis[3],
                           double radius, double tube_radius, const pli_shape **shape)
{
    *shape = NULL;
    revolution_node *node = NULL;
    PLI_TRY(pli_shape_check_length(set, "the radius of a torus", radius));
    PLI_TRY(pli_shape_check_length(set, "the tube radius of a torus", tube_radius));
    PLI_TRY(pli_shape_check_vector(set, "the axis of a torus", axis));
    PLI_TRY(pli_shape_check_length(set, "the length of the axis of a torus", pli_vec3_norm(axis)));
    PLI_TRY(pli_shape_check_vector(set, "the centre of a torus", center));
    PLI_TRY(pli_shape_node_create(set, sizeof *node, &revolution_ops, (void **)&node));
    node->profile = profile_torus;
    pli_vec3_copy(center, node->origin);
    pli_vec3_normalize(axis, node->axis);
    node->radii[0] = radius;
    node->radii[1] = tube_radius;
    for (int i = 0; i < 3; ++i) {
        double extent = disc_extent(node, radius, i) + tube_radius;
        node->base.low[i] = center[i] - extent;
        node->base.high[i] = center[i] + extent;
    }
    *shape = &node->base;
    return PLI_OK;
}

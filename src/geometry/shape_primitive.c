// SPDX-License-Identifier: Apache-2.0
//
// Plane, box, sphere, ellipsoid, capsule.
#include "geometry/shape_node.h"

// ---- plane

typedef struct plane_node {
    pli_shape base;
    double point[3];
    double normal[3]; // unit
} plane_node;

static double plane_value(const pli_shape *shape, const double x[3])
{
    const plane_node *plane = (const plane_node *)shape;
    double d[3];
    pli_vec3_subtract(x, plane->point, d);
    return pli_vec3_dot(d, plane->normal);
}

static void plane_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const plane_node *plane = (const plane_node *)shape;
    memset(jet, 0, sizeof *jet);
    jet->value = plane_value(shape, x);
    pli_vec3_copy(plane->normal, jet->gradient);
}

static const pli_shape_ops plane_ops = {plane_value, plane_derive};

pli_status pli_shape_plane(pli_shape_set *set, const double point[3], const double normal[3],
                           const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_vector(set, "the point of a plane", point));
    PLI_TRY(pli_shape_check_vector(set, "the normal of a plane", normal));
    PLI_TRY(
        pli_shape_check_length(set, "the length of the normal of a plane", pli_vec3_norm(normal)));
    plane_node *plane = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *plane, &plane_ops, (void **)&plane));
    pli_vec3_copy(point, plane->point);
    pli_vec3_normalize(normal, plane->normal);
    *shape = &plane->base;
    return PLI_OK;
}

// ---- box

typedef struct box_node {
    pli_shape base;
    double center[3];
    double core[3]; // half edges less the rounding
    double rounding;
} box_node;

static double box_value(const pli_shape *shape, const double x[3])
{
    const box_node *box = (const box_node *)shape;
    double outside2 = 0;
    double inside = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        double q = fabs(x[i] - box->center[i]) - box->core[i];
        if (q > 0) outside2 += q * q;
        inside = fmax(inside, q);
    }
    return (inside > 0 ? sqrt(outside2) : inside) - box->rounding;
}

static void box_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const box_node *box = (const box_node *)shape;
    double d[3] = {0, 0, 0};
    double projector[9] = {0};
    double deepest = -INFINITY;
    int axis = 0;
    for (int i = 0; i < 3; ++i) {
        double offset = x[i] - box->center[i];
        double q = fabs(offset) - box->core[i];
        if (q > deepest) {
            deepest = q;
            axis = i;
        }
        if (q <= 0) continue;
        d[i] = copysign(q, offset);
        projector[4 * i] = 1;
    }
    if (deepest > 0) {
        pli_shape_jet_radial(d, projector, box->rounding, jet);
        return;
    }

    // inside the core the nearest face counts alone
    memset(jet, 0, sizeof *jet);
    jet->value = deepest - box->rounding;
    jet->gradient[axis] = copysign(1, x[axis] - box->center[axis]);
}

static const pli_shape_ops box_ops = {box_value, box_derive};

pli_status pli_shape_box(pli_shape_set *set, const double center[3], const double size[3],
                         double rounding, const pli_shape **shape)
{
    *shape = NULL;
    double shortest = fmin(size[0], fmin(size[1], size[2]));
    PLI_TRY(pli_shape_check_vector(set, "the centre of a box", center));
    PLI_TRY(pli_shape_check_vector(set, "the size of a box", size));
    PLI_TRY(pli_shape_check_length(set, "the shortest edge of a box", shortest));
    if (!(rounding >= 0 && rounding <= 0.5 * shortest)) {
        return PLI_FAIL(pli_shape_set_context(set), PLI_ERROR_ARGUMENT,
                        "the rounding of a box is %g, must be between 0 and half its shortest "
                        "edge, %g",
                        rounding, 0.5 * shortest);
    }
    box_node *box = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *box, &box_ops, (void **)&box));
    box->rounding = rounding;
    for (int i = 0; i < 3; ++i) {
        box->center[i] = center[i];
        box->core[i] = 0.5 * size[i] - rounding;
        box->base.low[i] = center[i] - 0.5 * size[i];
        box->base.high[i] = center[i] + 0.5 * size[i];
    }
    *shape = &box->base;
    return PLI_OK;
}

// ---- sphere

typedef struct sphere_node {
    pli_shape base;
    double center[3];
    double radius;
} sphere_node;

static double sphere_value(const pli_shape *shape, const double x[3])
{
    const sphere_node *sphere = (const sphere_node *)shape;
    return pli_vec3_distance(x, sphere->center) - sphere->radius;
}

static void sphere_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const sphere_node *sphere = (const sphere_node *)shape;
    double d[3];
    pli_vec3_subtract(x, sphere->center, d);
    pli_shape_jet_radial(d, NULL, sphere->radius, jet);
}

static const pli_shape_ops sphere_ops = {sphere_value, sphere_derive};

pli_status pli_shape_sphere(pli_shape_set *set, const double center[3], double radius,
                            const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_vector(set, "the centre of a sphere", center));
    PLI_TRY(pli_shape_check_length(set, "the radius of a sphere", radius));
    sphere_node *sphere = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *sphere, &sphere_ops, (void **)&sphere));
    sphere->radius = radius;
    for (int i = 0; i < 3; ++i) {
        sphere->center[i] = center[i];
        sphere->base.low[i] = center[i] - radius;
        sphere->base.high[i] = center[i] + radius;
    }
    *shape = &sphere->base;
    return PLI_OK;
}

// ---- ellipsoid

typedef struct ellipsoid_node {
    pli_shape base;
    double center[3];
    double radii[3];
    double ratio2[3]; // (radius / smallest radius)^2
    double smallest;
} ellipsoid_node;

// Sum of (ratio2 z / (u + ratio2 - 1))^2 and its derivative by u; z is the offset over the radii.
static double ellipsoid_sum(const ellipsoid_node *ellipsoid, const double z[3], double u,
                            double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < 3; ++i) {
        if (z[i] == 0) continue;
        double denominator = u + (ellipsoid->ratio2[i] - 1);
        double part = ellipsoid->ratio2[i] * z[i] / denominator;
        sum += part * part;
        *slope -= 2 * part * part / denominator;
    }
    return sum;
}

// Root u >= 0 of sum(u) = 1: the sum is convex and falls, so Newton from the left never passes it.
// Measured from the pole of the smallest radius, so that points near planes of symmetry lose no
// digits.
static double ellipsoid_root(const ellipsoid_node *ellipsoid, const double z[3])
{
    // no term alone may exceed 1
    double u = 0;
    for (int i = 0; i < 3; ++i) {
        double r = ellipsoid->ratio2[i];
        u = fmax(u, r == 1 ? z[i] : r * (z[i] - 1) + 1);
    }
    double slope;
    double sum = ellipsoid_sum(ellipsoid, z, u, &slope);
    for (int round = 0; round < 512 && sum > 1 && slope < 0; ++round) {
        double next = u - (sum - 1) / slope;
        if (!(next > u)) break;
        u = next;
        sum = ellipsoid_sum(ellipsoid, z, u, &slope);
    }
    return u;
}

// The nearest point of the surface, as an offset from the centre; returns the signed distance.
static double ellipsoid_nearest(const ellipsoid_node *ellipsoid, const double offset[3],
                                double foot[3])
{
    double z[3];
    double level = 0;
    for (int i = 0; i < 3; ++i) {
        z[i] = fabs(offset[i]) / ellipsoid->radii[i];
        // squares of less are nothing
        if (z[i] < 1e-100) z[i] = 0;
        level += z[i] * z[i];
    }
    double u = ellipsoid_root(ellipsoid, z);

    // on planes of symmetry the root may sit on the pole of a term that vanished: what is missing
    // to the surface then lies along that axis
    double used = 0;
    int pole = -1;
    for (int i = 0; i < 3; ++i) {
        double denominator = u + (ellipsoid->ratio2[i] - 1);
        if (z[i] == 0 && denominator == 0 && pole < 0) pole = i;
        foot[i] = z[i] == 0 ? 0 : offset[i] * (ellipsoid->ratio2[i] / denominator);
        used += foot[i] * foot[i] / (ellipsoid->radii[i] * ellipsoid->radii[i]);
    }
    if (pole >= 0) foot[pole] = ellipsoid->radii[pole] * sqrt(fmax(1 - used, 0));
    return copysign(pli_vec3_distance(offset, foot), level - 1);
}

static double ellipsoid_value(const pli_shape *shape, const double x[3])
{
    const ellipsoid_node *ellipsoid = (const ellipsoid_node *)shape;
    double offset[3];
    double foot[3];
    pli_vec3_subtract(x, ellipsoid->center, offset);
    return ellipsoid_nearest(ellipsoid, offset, foot);
}

static void ellipsoid_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const ellipsoid_node *ellipsoid = (const ellipsoid_node *)shape;
    double offset[3];
    double foot[3];
    pli_vec3_subtract(x, ellipsoid->center, offset);
    jet->value = ellipsoid_nearest(ellipsoid, offset, foot);

    // normal of the level set sum (y / r)^2 = 1 at the foot
    double scaled[3];
    double weight[3];
    for (int i = 0; i < 3; ++i) {
        weight[i] = 1 / (ellipsoid->radii[i] * ellipsoid->radii[i]);
        scaled[i] = foot[i] * weight[i];
    }
    double steepness = pli_vec3_normalize(scaled, jet->gradient);
    const double *n = jet->gradient;

    // shape operator S = T diag(weight) T / |scaled| with T = I - n n^T
    double T[9];
    double S[9] = {0};
    double M[9];
    for (int i = 0; i < 9; ++i) T[i] = (i % 4 == 0) - n[i / 3] * n[i % 3];
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 9; ++i) {
            S[i] += T[3 * (i / 3) + k] * weight[k] / steepness * T[3 * k + i % 3];
        }
    }

    // H = S (I + d S)^-1
    double inverse[9];
    for (int i = 0; i < 9; ++i) M[i] = (i % 4 == 0) + jet->value * S[i];
    pli_mat3_inverse(M, inverse);
    pli_mat3_multiply(S, inverse, jet->hessian);
}

static const pli_shape_ops ellipsoid_ops = {ellipsoid_value, ellipsoid_derive};

pli_status pli_shape_ellipsoid(pli_shape_set *set, const double center[3], const double radii[3],
                               const pli_shape **shape)
{
    *shape = NULL;
    double smallest = fmin(radii[0], fmin(radii[1], radii[2]));
    PLI_TRY(pli_shape_check_vector(set, "the centre of an ellipsoid", center));
    PLI_TRY(pli_shape_check_vector(set, "the radii of an ellipsoid", radii));
    PLI_TRY(pli_shape_check_length(set, "the smallest radius of an ellipsoid", smallest));
    ellipsoid_node *ellipsoid = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *ellipsoid, &ellipsoid_ops, (void **)&ellipsoid));
    ellipsoid->smallest = smallest;
    for (int i = 0; i < 3; ++i) {
        ellipsoid->center[i] = center[i];
        ellipsoid->radii[i] = radii[i];
        ellipsoid->ratio2[i] = (radii[i] / smallest) * (radii[i] / smallest);
        ellipsoid->base.low[i] = center[i] - radii[i];
        ellipsoid->base.high[i] = center[i] + radii[i];
    }
    *shape = &ellipsoid->base;
    return PLI_OK;
}

// ---- capsule

typedef struct capsule_node {
    pli_shape base;
    double start[3];
    double direction[3]; // unit
    double length;
    double radius;
} capsule_node;

// Parameter of the axis point nearest to x, before clamping to [0, length].
static double capsule_parameter(const capsule_node *capsule, const double x[3], double d[3])
{
    pli_vec3_subtract(x, capsule->start, d);
    return pli_vec3_dot(d, capsule->direction);
}

static double capsule_value(const pli_shape *shape, const double x[3])
{
    const capsule_node *capsule = (const capsule_node *)shape;
    double d[3];
    double t = fmin(fmax(capsule_parameter(capsule, x, d), 0), capsule->length);
    pli_vec3_add_scaled(d, -t, capsule->direction, d);
    return pli_vec3_norm(d) - capsule->radius;
}

static void capsule_derive(const pli_shape *shape, const double x[3], pli_shape_jet *jet)
{
    const capsule_node *capsule = (const capsule_node *)shape;
    const double *a = capsule->direction;
    double d[3];
    double projector[9];
    double t = capsule_parameter(capsule, x, d);
    bool beside = t > 0 && t < capsule->length;
    t = fmin(fmax(t, 0), capsule->length);
    pli_vec3_add_scaled(d, -t, a, d);
    for (int i = 0; i < 9; ++i) projector[i] = (i % 4 == 0) - beside * a[i / 3] * a[i % 3];
    pli_shape_jet_radial(d, projector, capsule->radius, jet);
}

static const pli_shape_ops capsule_ops = {capsule_value, capsule_derive};

pli_status pli_shape_capsule(pli_shape_set *set, const double start[3], const double end[3],
                             double radius, const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_vector(set, "the start of a capsule", start));
    PLI_TRY(pli_shape_check_vector(set, "the end of a capsule", end));
    PLI_TRY(pli_shape_check_length(set, "the radius of a capsule", radius));
    capsule_node *capsule = NULL;
    PLI_TRY(pli_shape_node_create(set, sizeof *capsule, &capsule_ops, (void **)&capsule));
    pli_vec3_copy(start, capsule->start);
    pli_vec3_subtract(end, start, capsule->direction);
    capsule->length = pli_vec3_normalize(capsule->direction, capsule->direction);
    capsule->radius = radius;
    for (int i = 0; i < 3; ++i) {
        capsule->base.low[i] = fmin(start[i], end[i]) - radius;
        capsule->base.high[i] = fmax(start[i], end[i]) + radius;
    }
    *shape = &capsule->base;
    return PLI_OK;
}

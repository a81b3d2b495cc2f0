// SPDX-License-Identifier: Apache-2.0
//
// Ellipsoid: the true distance. The closest surface point y to x satisfies x - y = t (y_i / a_i^2),
// so y_i = a_i^2 x_i / (t + a_i^2), and t is the largest root of
//     |p(t)| = 1,   p_i = a_i x_i / (t + a_i^2).
// It is found as the root of 1 / |p| - 1, which is almost straight (Hebden 1973, as in trust-region
// methods): in s = t + min a^2 all denominators are positive, |p| falls, and at
// s0 = max(0, max_i (min a^2 - a_i^2 + a_i |x_i|)) it is at most sqrt(3) and, unless x lies in the
// middle plane close to the centre, at least 1; Newton from there climbs to the root without
// overshooting, in three or four steps. The distance is t |y_i / a_i^2|, signed and accurate at the
// surface.
#include "geometry/shapes/shape_node.h"

enum { MAX_NEWTON = 60 };

typedef struct ellipsoid_data {
    double center[3];
    double radii[3];
    double excess[3]; // a_i^2 - min a^2
    double least2;    // min a^2
    int shortest;     // axis of the smallest radius
} ellipsoid_data;

// The root s for a point with x_i >= 0; 0 when the closest point is not determined by it alone.
static double find_root(const ellipsoid_data *e, const double x[3])
{
    double ax[3], s = 0;
    for (int k = 0; k < 3; ++k) {
        ax[k] = e->radii[k] * x[k];
        s = pli_larger(s, ax[k] - e->excess[k]);
    }
    for (int iteration = 0; iteration < MAX_NEWTON; ++iteration) {
        double square = 0;
        double slope = 0; // -|p| d|p|/ds
        for (int k = 0; k < 3; ++k) {
            if (ax[k] == 0) continue;
            double inverse = 1 / (s + e->excess[k]);
            double p = ax[k] * inverse;
            square += p * p;
            slope += p * p * inverse;
        }
        if (!(square > 1)) break;
        double step = (sqrt(square) - 1) * square / slope;
        s += step;
        if (step <= 1e-15 * s) break;
    }
    return s;
}

// Closest surface point to x (relative to the centre); returns t.
static double closest_point(const ellipsoid_data *e, const double x[3], double y[3])
{
    double p[3] = {fabs(x[0]), fabs(x[1]), fabs(x[2])};
    double s = find_root(e, p);
    double rest = 1;
    for (int k = 0; k < 3; ++k) {
        double a = e->radii[k];
        double denominator = s + e->excess[k];
        y[k] = denominator > 0 ? a * a * x[k] / denominator : 0;
        if (k != e->shortest) rest -= y[k] * y[k] / (a * a);
    }
    // in the middle plane the component along the shortest axis follows from the others
    if (s == 0) y[e->shortest] = e->radii[e->shortest] * sqrt(pli_larger(rest, 0));
    return s - e->least2;
}

// Distance and, from the closest point, the unit normal there.
static double distance_and_normal(const ellipsoid_data *e, const double x[3], double n[3],
                                  double *gradient_length)
{
    double d[3], y[3];
    pli_vec3_subtract(x, e->center, d);
    double t = closest_point(e, d, y);
    for (int k = 0; k < 3; ++k) n[k] = y[k] / (e->radii[k] * e->radii[k]);
    *gradient_length = pli_vec3_normalize(n, n);
    return t * *gradient_length;
}

static void ellipsoid_values(const pli_shape *shape, int32_t n, const double *points,
                             double *values)
{
    double normal[3], length;
    for (int32_t i = 0; i < n; ++i) {
        values[i] = distance_and_normal(shape->data, points + 3 * (int64_t)i, normal, &length);
    }
}

// H = W (I + d W)^-1 with the shape operator W = P diag(1 / a^2) P / |y / a^2|, P = I - n n^T.
static void ellipsoid_jet(const pli_shape *shape, const double x[3], pli_jet *jet)
{
    const ellipsoid_data *e = shape->data;
    double n[3], length;
    double distance = distance_and_normal(e, x, n, &length);
    *jet = pli_jet_linear(distance, n);

    double P[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    pli_jet_add_outer(P, -1, n, n);
    double scaled[9], W[9], M[9], inverse[9];
    for (int i = 0; i < 9; ++i) scaled[i] = P[i] / (e->radii[i / 3] * e->radii[i / 3] * length);
    pli_mat3_multiply(P, scaled, W);
    pli_mat3_identity(M);
    pli_mat3_add_scaled(M, distance, W, M);
    // singular on the focal surface, where the distance has no second derivative
    if (fabs(pli_mat3_inverse(M, inverse)) > 1e-14) {
        pli_mat3_multiply(inverse, W, jet->hessian);
    }
}

static const pli_shape_ops ellipsoid_ops = {"ellipsoid", ellipsoid_values, ellipsoid_jet};

pli_status pli_shape_ellipsoid(pli_shape_set *set, const double center[3], const double radii[3],
                               const pli_shape **shape)
{
    *shape = NULL;
    PLI_TRY(pli_shape_check_finite(set, "centre of an ellipsoid", 3, center));
    for (int k = 0; k < 3; ++k) {
        PLI_TRY(pli_shape_check_positive(set, "radius of an ellipsoid", radii[k]));
    }
    pli_shape_new description = {.ops = &ellipsoid_ops, .data_bytes = sizeof(ellipsoid_data)};
    pli_shape *node = NULL;
    PLI_TRY(pli_shape_node_create(set, &description, &node));
    ellipsoid_data *e = node->data;
    pli_vec3_copy(center, e->center);
    pli_vec3_copy(radii, e->radii);
    for (int k = 1; k < 3; ++k) {
        if (radii[k] < radii[e->shortest]) e->shortest = k;
    }
    double least = radii[e->shortest];
    e->least2 = least * least;
    for (int k = 0; k < 3; ++k) {
        e->excess[k] = (radii[k] - least) * (radii[k] + least);
        node->bounds.min[k] = center[k] - radii[k];
        node->bounds.max[k] = center[k] + radii[k];
    }
    *shape = node;
    return PLI_OK;
}

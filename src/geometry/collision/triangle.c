// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/triangle.h"

#include "geometry/collision/bounds.h"

// sin^2 of the angle below which a triangle is a segment: the normal has lost half its digits, and
// an edge is nearer than 1e-8 of its length to everything inside
static const double sliver = 1e-16;

double pli_segment_closest(const double p[3], const double a[3], const double b[3])
{
    double ab[3], ap[3];
    pli_vec3_subtract(b, a, ab);
    pli_vec3_subtract(p, a, ap);
    double length2 = pli_vec3_norm2(ab);
    if (!(length2 > 0)) return 0;
    return pli_smaller(pli_larger(pli_vec3_dot(ap, ab) / length2, 0), 1);
}

static double weighted_distance2(const double p[3], const double *corner[3], const double w[3])
{
    double d[3];
    for (int k = 0; k < 3; ++k) {
        d[k] = w[0] * (corner[0][k] - p[k]) + w[1] * (corner[1][k] - p[k]) +
               w[2] * (corner[2][k] - p[k]);
    }
    return pli_vec3_norm2(d);
}

// The closest point of the three edges.
static double closest_on_edges(const double p[3], const double *corner[3], double w[3])
{
    double best = INFINITY;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double t = pli_segment_closest(p, corner[i], corner[j]);
        double candidate[3] = {0, 0, 0};
        candidate[i] = 1 - t;
        candidate[j] = t;
        double d2 = weighted_distance2(p, corner, candidate);
        if (d2 < best) {
            best = d2;
            pli_vec3_copy(candidate, w);
        }
    }
    return best;
}

double pli_triangle_closest(const double p[3], const double a[3], const double b[3],
                            const double c[3], double w[3])
{
    const double *corner[3] = {a, b, c};
    double ab[3], ac[3], ap[3], n[3], t[3];
    pli_vec3_subtract(b, a, ab);
    pli_vec3_subtract(c, a, ac);
    pli_vec3_subtract(p, a, ap);
    pli_vec3_cross(ab, ac, n);
    double n2 = pli_vec3_norm2(n);

    // n^2 times the weights of the foot of the perpendicular from p
    pli_vec3_cross(ap, ac, t);
    w[1] = pli_vec3_dot(n, t);
    pli_vec3_cross(ab, ap, t);
    w[2] = pli_vec3_dot(n, t);
    w[0] = n2 - w[1] - w[2];
    bool is_flat = !(n2 > sliver * pli_vec3_norm2(ab) * pli_vec3_norm2(ac));
    if (is_flat || !(w[0] > 0 && w[1] > 0 && w[2] > 0)) return closest_on_edges(p, corner, w);

    pli_vec3_scale(1 / n2, w, w);
    double height = pli_vec3_dot(n, ap);
    return height * height / n2;
}

// Twice the signed area of (p, a, b) seen along an axis; the same number with opposite sign when a
// and b change places.
static double edge_side(const double p[3], int u, int v, const double a[3], const double b[3])
{
    double au = a[u] - p[u];
    double av = a[v] - p[v];
    double bu = b[u] - p[u];
    double bv = b[v] - p[v];
    // both products are rounded before the difference, whatever contraction the compiler likes
    volatile double left = au * bv;
    volatile double right = av * bu;
    return left - right;
}

// On which side of an edge the line passes, 1 or -1. A line right through the edge is taken to pass
// at p + (e, e^2) with e infinitely small, so that an answer always exists and fits with those of
// all other edges (Edelsbrunner and Mucke 1990).
static int side_sign(double value, int u, int v, const double a[3], const double b[3])
{
    if (value == 0) value = a[v] - b[v];
    if (value == 0) value = b[u] - a[u];
    return value > 0 ? 1 : -1;
}

int pli_triangle_cross_axis(const double p[3], int axis, const double a[3], const double b[3],
                            const double c[3], double *where)
{
    int u = (axis + 1) % 3;
    int v = (axis + 2) % 3;
    double wa = edge_side(p, u, v, b, c);
    double wb = edge_side(p, u, v, c, a);
    double wc = edge_side(p, u, v, a, b);
    int sign = side_sign(wa, u, v, b, c);
    if (side_sign(wb, u, v, c, a) != sign || side_sign(wc, u, v, a, b) != sign) return 0;
    double sum = wa + wb + wc;
    if (sum == 0) return 0;
    *where = (wa * a[axis] + wb * b[axis] + wc * c[axis]) / sum;
    return sign;
}

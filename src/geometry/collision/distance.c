// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/distance.h"

#include "geometry/collision/triangle.h"
#include "math/eigen.h"

#include <string.h>

enum { BASIS_SIZE = 5 }; // most dimensions that the Hessian of a distance acts on

// sin^2 of the angle below which two directions count as one: the perpendicular part of the second
// has lost half its digits
static const double parallel = 1e-16;

// sum_i weights_i x_i of weights that sum to 0, relative to x_0 for the sake of accuracy
static void combine(int32_t count, const double *const *x, const double *weights, double out[3])
{
    pli_vec3_set(0, 0, 0, out);
    for (int32_t i = 1; i < count; ++i) {
        double edge[3];
        pli_vec3_subtract(x[i], x[0], edge);
        pli_vec3_add_scaled(out, weights[i], edge, out);
    }
}

// a += s b for weights of a stencil
static void add_weights(double s, const double *b, double *a)
{
    for (int i = 0; i < PLI_DISTANCE_POINTS; ++i) a[i] += s * b[i];
}

// A unit vector perpendicular to the unit vector n.
static void find_perpendicular(const double n[3], double out[3])
{
    // the axis that n points along least
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (fabs(n[k]) < fabs(n[axis])) axis = k;
    }
    double e[3] = {0, 0, 0};
    e[axis] = 1;
    pli_vec3_add_scaled(e, -n[axis], n, out);
    pli_vec3_normalize(out, out);
}

// Makes u_s and c_s orthonormal, leaving out directions that are zero or parallel to earlier ones.
static void orthonormalize_slides(const double *const *x, pli_distance *distance)
{
    int32_t kept = 0;
    for (int32_t s = 0; s < distance->slide_count; ++s) {
        double u[3];
        double c[PLI_DISTANCE_POINTS];
        memcpy(c, distance->slides[s], sizeof c);
        combine(distance->point_count, x, c, u);
        double before = pli_vec3_norm2(u);
        // Gram-Schmidt, twice, so that nearly parallel directions end up perpendicular too
        for (int32_t pass = 0; pass < 2 * kept; ++pass) {
            double along = pli_vec3_dot(u, distance->tangents[0]);
            pli_vec3_add_scaled(u, -along, distance->tangents[0], u);
            add_weights(-along, distance->slides[0], c);
        }
        double after = pli_vec3_norm2(u);
        if (!(after > parallel * before)) continue;
        double scale = 1 / sqrt(after);
        pli_vec3_scale(scale, u, distance->tangents[kept]);
        for (int i = 0; i < PLI_DISTANCE_POINTS; ++i) distance->slides[kept][i] = scale * c[i];
        ++kept;
    }
    distance->slide_count = kept;
}

// The frame of normal and tangents from r, which is perpendicular to the slides up to rounding.
static void complete_frame(const double r[3], pli_distance *distance)
{
    double *n = distance->normal;
    double(*t)[3] = distance->tangents;
    if (distance->slide_count == 2) {
        pli_vec3_cross(t[0], t[1], n);
        double height = pli_vec3_dot(n, r);
        if (height < 0) pli_vec3_scale(-1, n, n);
        distance->length = fabs(height);
        return;
    }
    distance->length = pli_vec3_normalize(r, n);
    if (distance->slide_count == 1) {
        if (!(distance->length > 0)) find_perpendicular(t[0], n);
        pli_vec3_cross(n, t[0], t[1]);
        return;
    }
    if (!(distance->length > 0)) pli_vec3_set(1, 0, 0, n);
    find_perpendicular(n, t[0]);
    pli_vec3_cross(n, t[0], t[1]);
}

// Finishes a distance of which some weights and raw slides are set: slides to the closest points.
static void settle(const double *const *x, pli_distance *distance)
{
    double r[3];
    orthonormalize_slides(x, distance);
    combine(distance->point_count, x, distance->weights, r);
    // the second round takes off what rounding left of the first
    for (int32_t pass = 0; pass < 2; ++pass) {
        for (int32_t s = 0; s < distance->slide_count; ++s) {
            double along = pli_vec3_dot(r, distance->tangents[s]);
            pli_vec3_add_scaled(r, -along, distance->tangents[s], r);
            add_weights(-along, distance->slides[s], distance->weights);
        }
    }
    complete_frame(r, distance);
    distance->value = distance->length * distance->length;
}

// point 0 against point a of the stencil
static void set_point_point(const double *const *x, int a, pli_distance *distance)
{
    distance->slide_count = 0;
    distance->weights[0] = 1;
    distance->weights[a] = -1;
    settle(x, distance);
}

// point p of the stencil, with weight 1 or -1, against the line through its points a and b
static void set_point_line(const double *const *x, int p, double weight, int a, int b,
                           pli_distance *distance)
{
    distance->slide_count = 1;
    distance->weights[p] = weight;
    distance->weights[a] = -weight;
    distance->slides[0][a] = 1;
    distance->slides[0][b] = -1;
    settle(x, distance);
}

static void start_distance(int32_t point_count, pli_distance *distance)
{
    memset(distance, 0, sizeof *distance);
    distance->point_count = point_count;
}

void pli_distance_point_point(const double p[3], const double q[3], pli_distance *distance)
{
    const double *x[] = {p, q};
    start_distance(2, distance);
    set_point_point(x, 1, distance);
}

void pli_distance_point_plane(const double p[3], const double a[3], const double b[3],
                              const double c[3], pli_distance *distance)
{
    const double *x[] = {p, a, b, c};
    start_distance(4, distance);
    distance->slide_count = 2;
    distance->weights[0] = 1;
    distance->weights[1] = -1;
    distance->slides[0][1] = 1;
    distance->slides[0][2] = -1;
    distance->slides[1][1] = 1;
    distance->slides[1][3] = -1;
    settle(x, distance);
}

void pli_distance_line_line(const double a[3], const double b[3], const double c[3],
                            const double d[3], pli_distance *distance)
{
    const double *x[] = {a, b, c, d};
    start_distance(4, distance);
    distance->slide_count = 2;
    distance->weights[0] = 1;
    distance->weights[2] = -1;
    distance->slides[0][0] = -1;
    distance->slides[0][1] = 1;
    distance->slides[1][2] = 1;
    distance->slides[1][3] = -1;
    settle(x, distance);
}

pli_edge_feature pli_closest_point_edge(const double p[3], const double a[3], const double b[3],
                                        double weights[2], double *distance2)
{
    double r[3];
    double t = pli_segment_closest(p, a, b);
    weights[0] = 1 - t;
    weights[1] = t;
    for (int k = 0; k < 3; ++k) r[k] = weights[0] * (p[k] - a[k]) + weights[1] * (p[k] - b[k]);
    *distance2 = pli_vec3_norm2(r);
    if (weights[1] == 0) return PLI_EDGE_VERTEX_0;
    return weights[0] == 0 ? PLI_EDGE_VERTEX_1 : PLI_EDGE_INSIDE;
}

pli_triangle_feature pli_closest_point_triangle(const double p[3], const double a[3],
                                                const double b[3], const double c[3],
                                                double weights[3], double *distance2)
{
    *distance2 = pli_triangle_closest(p, a, b, c, weights);
    // bits 1, 2, 4 tell which corners have weight
    static const pli_triangle_feature feature_of_corners[8] = {
        PLI_TRIANGLE_VERTEX_0, PLI_TRIANGLE_VERTEX_0, PLI_TRIANGLE_VERTEX_1, PLI_TRIANGLE_EDGE_0,
        PLI_TRIANGLE_VERTEX_2, PLI_TRIANGLE_EDGE_2,   PLI_TRIANGLE_EDGE_1,   PLI_TRIANGLE_FACE};
    int corners = (weights[0] > 0) + 2 * (weights[1] > 0) + 4 * (weights[2] > 0);
    return feature_of_corners[corners];
}

// The closest points of two lines if both lie inside their edges and the edges are not parallel.
static bool find_inside_edges(const double *const x[4], double weights[4], double *distance2)
{
    double u[3], v[3], w[3], n[3], t[3];
    pli_vec3_subtract(x[1], x[0], u);
    pli_vec3_subtract(x[3], x[2], v);
    pli_vec3_subtract(x[2], x[0], w);
    pli_vec3_cross(u, v, n);
    double n2 = pli_vec3_norm2(n);
    if (!(n2 > parallel * pli_vec3_norm2(u) * pli_vec3_norm2(v))) return false;

    // a + s u + (height) n = c + t v; the parameters times n^2
    pli_vec3_cross(w, v, t);
    double on_first = pli_vec3_dot(t, n);
    pli_vec3_cross(w, u, t);
    double on_second = pli_vec3_dot(t, n);
    if (!(on_first > 0 && on_first < n2 && on_second > 0 && on_second < n2)) return false;
    weights[1] = on_first / n2;
    weights[0] = 1 - weights[1];
    weights[3] = on_second / n2;
    weights[2] = 1 - weights[3];
    double height = pli_vec3_dot(w, n);
    *distance2 = height * height / n2;
    return true;
}

// the end of one edge that is tried against the other edge
typedef struct edge_end {
    int point;          // of the stencil
    int other;          // first point of the other edge
    int32_t feature[3]; // of the pair, for the three features of the other edge
} edge_end;

int32_t pli_closest_edge_edge(const double a[3], const double b[3], const double c[3],
                              const double d[3], double weights[4], double *distance2)
{
    static const edge_end ends[4] = {
        {0, 2, {0, 1, 2}}, {1, 2, {3, 4, 5}}, {2, 0, {0, 3, 6}}, {3, 0, {1, 4, 7}}};
    const double *const x[4] = {a, b, c, d};
    if (find_inside_edges(x, weights, distance2)) return PLI_EDGE_EDGE_INSIDE;

    // otherwise the closest pair has an end of one of the edges
    int32_t feature = 0;
    *distance2 = INFINITY;
    for (int k = 0; k < 4; ++k) {
        const edge_end *end = &ends[k];
        double w[2], d2;
        pli_edge_feature on_other =
            pli_closest_point_edge(x[end->point], x[end->other], x[end->other + 1], w, &d2);
        if (!(d2 < *distance2)) continue;
        *distance2 = d2;
        feature = end->feature[on_other];
        memset(weights, 0, 4 * sizeof *weights);
        weights[end->point] = 1;
        memcpy(weights + end->other, w, sizeof w);
    }
    return feature;
}

void pli_distance_point_edge_feature(pli_edge_feature feature, const double p[3], const double a[3],
                                     const double b[3], pli_distance *distance)
{
    const double *x[] = {p, a, b};
    start_distance(3, distance);
    if (feature == PLI_EDGE_INSIDE) {
        set_point_line(x, 0, 1, 1, 2, distance);
    } else {
        set_point_point(x, 1 + (int)feature, distance);
    }
}

void pli_distance_point_triangle_feature(pli_triangle_feature feature, const double p[3],
                                         const double a[3], const double b[3], const double c[3],
                                         pli_distance *distance)
{
    const double *x[] = {p, a, b, c};
    if (feature == PLI_TRIANGLE_FACE) {
        pli_distance_point_plane(p, a, b, c, distance);
        return;
    }
    start_distance(4, distance);
    if (feature >= PLI_TRIANGLE_EDGE_0) {
        int edge = (int)feature - PLI_TRIANGLE_EDGE_0;
        set_point_line(x, 0, 1, 1 + edge, 1 + (edge + 1) % 3, distance);
    } else {
        set_point_point(x, 1 + (int)feature, distance);
    }
}

void pli_distance_edge_edge_feature(int32_t feature, const double a[3], const double b[3],
                                    const double c[3], const double d[3], pli_distance *distance)
{
    const double *x[] = {a, b, c, d};
    int32_t first = feature / 3;
    int32_t second = feature % 3;
    if (feature == PLI_EDGE_EDGE_INSIDE) {
        pli_distance_line_line(a, b, c, d, distance);
        return;
    }
    start_distance(4, distance);
    if (second == PLI_EDGE_INSIDE) {
        set_point_line(x, first, 1, 2, 3, distance);
    } else if (first == PLI_EDGE_INSIDE) {
        set_point_line(x, 2 + second, -1, 0, 1, distance);
    } else {
        distance->weights[first] = 1;
        distance->weights[2 + second] = -1;
        settle(x, distance);
    }
}

pli_edge_feature pli_distance_point_edge(const double p[3], const double a[3], const double b[3],
                                         pli_distance *distance)
{
    double weights[2], distance2;
    pli_edge_feature feature = pli_closest_point_edge(p, a, b, weights, &distance2);
    pli_distance_point_edge_feature(feature, p, a, b, distance);
    return feature;
}

pli_triangle_feature pli_distance_point_triangle(const double p[3], const double a[3],
                                                 const double b[3], const double c[3],
                                                 pli_distance *distance)
{
    double weights[3], distance2;
    pli_triangle_feature feature = pli_closest_point_triangle(p, a, b, c, weights, &distance2);
    pli_distance_point_triangle_feature(feature, p, a, b, c, distance);
    return feature;
}

int32_t pli_distance_edge_edge(const double a[3], const double b[3], const double c[3],
                               const double d[3], pli_distance *distance)
{
    double weights[4], distance2;
    int32_t feature = pli_closest_edge_edge(a, b, c, d, weights, &distance2);
    pli_distance_edge_edge_feature(feature, a, b, c, d, distance);
    return feature;
}

// The space the Hessian acts on: columns e_l x n for l <= slides, then e_0 x t_0 and e_0 x t_1.
typedef struct hessian_basis {
    int32_t size;
    double norm;                                  // |w|, so that w = norm e_0
    double slide[2][3];                           // c_s = sum_l slide[s][l] e_l (1/m)
    double vector[BASIS_SIZE][PLI_DISTANCE_DOFS]; // orthonormal
} hessian_basis;

static double dot_weights(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void set_column(const double *weights, const double direction[3], double *column)
{
    for (int i = 0; i < PLI_DISTANCE_POINTS; ++i) {
        pli_vec3_scale(weights[i], direction, column + 3 * i);
    }
}

static void build_basis(const pli_distance *distance, hessian_basis *basis)
{
    double e[3][PLI_DISTANCE_POINTS] = {{0}};
    memset(basis->slide, 0, sizeof basis->slide);
    basis->size = distance->slide_count + 3;
    basis->norm = sqrt(dot_weights(distance->weights, distance->weights));
    add_weights(1 / basis->norm, distance->weights, e[0]);
    for (int32_t s = 0; s < distance->slide_count; ++s) {
        // weights and slides are independent: a slide leaves the sums of both sides as they are
        double *own = e[s + 1];
        memcpy(own, distance->slides[s], sizeof e[0]);
        for (int32_t pass = 0; pass < 2; ++pass) {
            for (int32_t l = 0; l <= s; ++l) {
                double along = dot_weights(own, e[l]);
                add_weights(-along, e[l], own);
                basis->slide[s][l] += along;
            }
        }
        double length = sqrt(dot_weights(own, own));
        basis->slide[s][s + 1] = length;
        for (int i = 0; i < PLI_DISTANCE_POINTS; ++i) own[i] /= length;
    }
    for (int32_t l = 0; l <= distance->slide_count; ++l) {
        set_column(e[l], distance->normal, basis->vector[l]);
    }
    for (int32_t m = 0; m < 2; ++m) {
        set_column(e[0], distance->tangents[m], basis->vector[basis->size - 2 + m]);
    }
}

// The Hessian of phi(d) in that basis, [size][size].
static void build_reduced(const pli_distance *distance, const hessian_basis *basis, double phi1,
                          double phi2, double *M)
{
    int32_t n = basis->size;
    int32_t tangent = n - 2;
    double w2 = basis->norm * basis->norm;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    M[0] = (2 * phi1 + 4 * phi2 * distance->value) * w2;
    for (int32_t m = distance->slide_count; m < 2; ++m) M[(tangent + m) * (n + 1)] = 2 * phi1 * w2;
    for (int32_t s = 0; s < distance->slide_count; ++s) {
        const double *c = basis->slide[s];
        for (int32_t l = 0; l <= s + 1; ++l) {
            for (int32_t k = 0; k <= s + 1; ++k) {
                M[n * l + k] -= 2 * phi1 * distance->value * c[l] * c[k];
            }
            double cross = -2 * phi1 * distance->length * basis->norm * c[l];
            M[n * l + tangent + s] += cross;
            M[n * (tangent + s) + l] += cross;
        }
    }
}

// hessian = B M B^T, written to both triangles.
static void expand(const hessian_basis *basis, const double *M, int32_t dofs, double *hessian)
{
    double MB[BASIS_SIZE][PLI_DISTANCE_DOFS] = {{0}};
    for (int32_t a = 0; a < basis->size; ++a) {
        for (int32_t b = 0; b < basis->size; ++b) {
            double entry = M[basis->size * a + b];
            for (int i = 0; i < PLI_DISTANCE_DOFS; ++i) MB[a][i] += entry * basis->vector[b][i];
        }
    }
    for (int32_t i = 0; i < dofs; ++i) {
        double row[PLI_DISTANCE_DOFS] = {0};
        for (int32_t a = 0; a < basis->size; ++a) {
            double entry = basis->vector[a][i];
            for (int j = 0; j < PLI_DISTANCE_DOFS; ++j) row[j] += entry * MB[a][j];
        }
        for (int32_t j = 0; j <= i; ++j) hessian[dofs * i + j] = hessian[dofs * j + i] = row[j];
    }
}

void pli_distance_compose_hessian(const pli_distance *distance, double phi1, double phi2,
                                  bool projected, double *hessian)
{
    hessian_basis basis;
    double M[BASIS_SIZE * BASIS_SIZE];
    build_basis(distance, &basis);
    build_reduced(distance, &basis, phi1, phi2, M);
    if (projected) pli_psd_clamp(basis.size, M);
    expand(&basis, M, 3 * distance->point_count, hessian);
}

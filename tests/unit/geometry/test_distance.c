// SPDX-License-Identifier: Apache-2.0
// Distances of points, edges and triangles: closest features, derivatives, degenerate input.
#include "near.h"

#include "derivatives.h"
#include "geometry/collision/distance.h"
#include "geometry/collision/triangle.h"
#include "math/eigen.h"

enum { DOFS = PLI_DISTANCE_DOFS };

static void random_points(uint64_t stream, int32_t count, double *x)
{
    pli_random random = {.seed = 53, .stream = stream};
    for (int32_t k = 0; k < 3 * count; ++k) x[k] = pli_random_range(random, (uint64_t)k, -1, 1);
}

// ---- derivatives

// A distance of `kind` as an energy of its points; phi(d) = d, or k d sqrt(d + e) when `composed`.
typedef enum distance_kind {
    POINT_POINT,
    POINT_PLANE,
    LINE_LINE,
    POINT_EDGE_FEATURE,     // + feature
    TRIANGLE_FEATURE = 10,  // + feature
    EDGE_EDGE_FEATURE = 20, // + feature
    KIND_END = 29
} distance_kind;

typedef struct distance_energy {
    int kind;
    bool composed;
    bool projected;
} distance_energy;

static int32_t points_of_kind(int kind)
{
    if (kind == POINT_POINT) return 2;
    return kind >= POINT_EDGE_FEATURE && kind < TRIANGLE_FEATURE ? 3 : 4;
}

static bool is_kind(int kind)
{
    return kind < POINT_EDGE_FEATURE + 3 || (kind >= TRIANGLE_FEATURE && kind < 17) ||
           (kind >= EDGE_EDGE_FEATURE && kind < KIND_END);
}

static void measure(int kind, const double *x, pli_distance *D)
{
    const double *a = x, *b = x + 3, *c = x + 6, *d = x + 9;
    if (kind >= EDGE_EDGE_FEATURE) {
        pli_distance_edge_edge_feature(kind - EDGE_EDGE_FEATURE, a, b, c, d, D);
    } else if (kind >= TRIANGLE_FEATURE) {
        pli_distance_point_triangle_feature((pli_triangle_feature)(kind - TRIANGLE_FEATURE), a, b,
                                            c, d, D);
    } else if (kind >= POINT_EDGE_FEATURE) {
        pli_distance_point_edge_feature((pli_edge_feature)(kind - POINT_EDGE_FEATURE), a, b, c, D);
    } else if (kind == LINE_LINE) {
        pli_distance_line_line(a, b, c, d, D);
    } else if (kind == POINT_PLANE) {
        pli_distance_point_plane(a, b, c, d, D);
    } else {
        pli_distance_point_point(a, b, D);
    }
}

// phi and its derivatives by d: the identity, or d sqrt(d + 1/100)
static double phi(bool composed, double d, double *phi1, double *phi2)
{
    double e = 0.01;
    double s = sqrt(d + e);
    *phi1 = composed ? (3 * d + 2 * e) / (2 * s) : 1;
    *phi2 = composed ? (3 * d + 4 * e) / (4 * s * s * s) : 0;
    return composed ? d * s : d;
}

static double distance_energy_value(void *user, const double *x)
{
    const distance_energy *energy = user;
    pli_distance D;
    double phi1, phi2;
    measure(energy->kind, x, &D);
    return phi(energy->composed, D.value, &phi1, &phi2);
}

static void distance_energy_gradient(void *user, const double *x, double *g)
{
    const distance_energy *energy = user;
    pli_distance D;
    double phi1, phi2;
    measure(energy->kind, x, &D);
    phi(energy->composed, D.value, &phi1, &phi2);
    pli_distance_gradient(&D, phi1, g);
}

static void distance_energy_hessian(void *user, const double *x, double *H)
{
    const distance_energy *energy = user;
    pli_distance D;
    double phi1, phi2;
    measure(energy->kind, x, &D);
    phi(energy->composed, D.value, &phi1, &phi2);
    if (energy->composed) {
        pli_distance_compose_hessian(&D, phi1, phi2, energy->projected, H);
    } else {
        pli_distance_compose_hessian(&D, 1, 0, false, H);
    }
}

// triangles and edges of a decent shape, so that one length scale describes the energy
static void shape_points(uint64_t trial, double *x)
{
    static const double base[DOFS] = {0.3, 0.2, 0.5, 0, 0, 0, 1, 0, 0, 0.2, 0.9, 0.1};
    random_points(trial, 4, x);
    for (int k = 0; k < DOFS; ++k) x[k] = base[k] + 0.2 * x[k];
}

static void gradient_and_hessian_are_derivatives_of_the_distance(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_END; ++kind) {
        if (!is_kind(kind)) continue;
        for (uint64_t trial = 0; trial < 6; ++trial) {
            double x[DOFS];
            char what[64];
            shape_points(trial, x);
            distance_energy energy = {.kind = kind, .composed = trial % 2 == 1};
            derivatives_case term = {.n = 3 * points_of_kind(kind),
                                     .energy = distance_energy_value,
                                     .gradient = distance_energy_gradient,
                                     .hessian = distance_energy_hessian,
                                     .user = &energy,
                                     .scale = 0.3,
                                     .magnitude = 1};
            snprintf(what, sizeof what, "kind %d trial %d", kind, (int)trial);
            CHECK_DERIVATIVES(&term, x, what);
        }
    }
}

// The textbook formulas, which the code does not use.
static void distances_equal_the_formulas_by_cross_products(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 300; ++trial) {
        double x[DOFS], e[3], f[3], g[3], n[3];
        pli_distance D;
        random_points(trial, 4, x);

        // |(a - p) x (b - p)|^2 / |b - a|^2
        pli_vec3_subtract(x + 3, x, e);
        pli_vec3_subtract(x + 6, x, f);
        pli_vec3_subtract(x + 6, x + 3, g);
        pli_vec3_cross(e, f, n);
        pli_distance_point_edge_feature(PLI_EDGE_INSIDE, x, x + 3, x + 6, &D);
        NEAR(D.value, pli_vec3_norm2(n) / pli_vec3_norm2(g), 1e-10, 1e-14);

        // ((a - p).n)^2 / |n|^2, n = (b - a) x (c - a)
        pli_vec3_subtract(x + 9, x + 3, f);
        pli_vec3_cross(g, f, n);
        double height = pli_vec3_dot(e, n);
        pli_distance_point_plane(x, x + 3, x + 6, x + 9, &D);
        NEAR(D.value, height * height / pli_vec3_norm2(n), 1e-9, 1e-13);

        // ((c - a).n)^2 / |n|^2, n = (b - a) x (d - c)
        pli_vec3_subtract(x + 9, x + 6, f);
        pli_vec3_cross(e, f, n);
        pli_vec3_subtract(x + 6, x, g);
        height = pli_vec3_dot(g, n);
        pli_distance_line_line(x, x + 3, x + 6, x + 9, &D);
        NEAR(D.value, height * height / pli_vec3_norm2(n), 1e-9, 1e-13);
    }
}

static void projected_hessian_is_the_clamped_one(void **state)
{
    (void)state;
    for (int kind = 0; kind < KIND_END; ++kind) {
        if (!is_kind(kind)) continue;
        double x[DOFS], H[DOFS * DOFS], P[DOFS * DOFS], values[DOFS], Q[DOFS * DOFS];
        shape_points((uint64_t)kind, x);
        distance_energy energy = {.kind = kind, .composed = true};
        int32_t n = 3 * points_of_kind(kind);
        distance_energy_hessian(&energy, x, H);
        energy.projected = true;
        distance_energy_hessian(&energy, x, P);
        pli_eigen_symmetric(n, P, values, Q);
        AT_LEAST(values[0], -1e-13);
        // the clamp of the whole matrix is the same projection
        pli_psd_clamp(n, H);
        for (int32_t k = 0; k < n * n; ++k) NEAR(P[k], H[k], 0, 1e-12);
    }
}

// ---- closest features

static void weighted_point(int32_t count, const double *x, const double *w, double out[3])
{
    pli_vec3_set(0, 0, 0, out);
    for (int32_t i = 0; i < count; ++i) pli_vec3_add_scaled(out, w[i], x + 3 * i, out);
}

// No point of a dense sample of the two primitives is nearer, and one is nearly as near.
static void check_samples(const double *x, int32_t first_count, double d2, double spacing)
{
    enum { N = 24 };
    double least = INFINITY;
    for (int i = 0; i <= N; ++i) {
        for (int j = 0; j <= N; ++j) {
            double p[3], q[3], r[3];
            double s = (double)i / N, t = (double)j / N;
            if (first_count == 1) {
                if (i + j > N) continue;
                double w[3] = {1 - s - t, s, t};
                pli_vec3_copy(x, p);
                weighted_point(3, x + 3, w, q);
            } else {
                double w[2] = {1 - s, s}, v[2] = {1 - t, t};
                weighted_point(2, x, w, p);
                weighted_point(2, x + 6, v, q);
            }
            pli_vec3_subtract(p, q, r);
            least = fmin(least, pli_vec3_norm2(r));
        }
    }
    AT_LEAST(least, d2 - 1e-13);
    // a sample lies within the spacing of the closest points
    AT_MOST(sqrt(least), sqrt(d2) + spacing / N);
}

static void check_weights(int32_t count, const double *w)
{
    double sum = 0;
    for (int32_t i = 0; i < count; ++i) {
        assert_true(w[i] >= 0 && w[i] <= 1);
        sum += w[i];
    }
    NEAR(sum, 1, 1e-14, 0);
}

// Distance, weights and features of one stencil fit with each other.
static void check_triangle(const double *x)
{
    double w[3], d2, q[3], r[3];
    pli_distance D;
    pli_triangle_feature feature = pli_closest_point_triangle(x, x + 3, x + 6, x + 9, w, &d2);
    check_weights(3, w);
    weighted_point(3, x + 3, w, q);
    pli_vec3_subtract(x, q, r);
    NEAR(pli_vec3_norm2(r), d2, 1e-7, 1e-14);
    assert_int_equal(pli_distance_point_triangle(x, x + 3, x + 6, x + 9, &D), feature);
    assert_int_equal(D.point_count, 4);
    NEAR(D.value, d2, 1e-7, 1e-14);
    NEAR(D.weights[0], 1, 0, 0);
    for (int i = 0; i < 3; ++i) {
        assert_true((w[i] == 0) == (D.weights[1 + i] == 0));
        NEAR(-D.weights[1 + i], w[i], 0, 1e-7);
    }
}

static void check_edges(const double *x)
{
    double w[4], d2, p[3], q[3], r[3];
    pli_distance D;
    int32_t feature = pli_closest_edge_edge(x, x + 3, x + 6, x + 9, w, &d2);
    check_weights(2, w);
    check_weights(2, w + 2);
    weighted_point(2, x, w, p);
    weighted_point(2, x + 6, w + 2, q);
    pli_vec3_subtract(p, q, r);
    NEAR(pli_vec3_norm2(r), d2, 1e-7, 1e-14);
    assert_int_equal(pli_distance_edge_edge(x, x + 3, x + 6, x + 9, &D), feature);
    NEAR(D.value, d2, 1e-7, 1e-14);
    for (int i = 0; i < 4; ++i) {
        assert_true((w[i] == 0) == (D.weights[i] == 0));
        NEAR(i < 2 ? D.weights[i] : -D.weights[i], w[i], 0, 1e-7);
    }
}

static void closest_features_equal_dense_sampling(void **state)
{
    (void)state;
    int seen_triangle[7] = {0};
    int seen_edges[PLI_EDGE_EDGE_FEATURES] = {0};
    for (uint64_t trial = 0; trial < 400; ++trial) {
        double x[DOFS], w[4], d2;
        random_points(1000 + trial, 4, x);
        ++seen_triangle[pli_closest_point_triangle(x, x + 3, x + 6, x + 9, w, &d2)];
        check_samples(x, 1, d2, 2 * sqrt(12.0));
        check_triangle(x);
        ++seen_edges[pli_closest_edge_edge(x, x + 3, x + 6, x + 9, w, &d2)];
        check_samples(x, 2, d2, 2 * sqrt(12.0));
        check_edges(x);
    }
    // every case occurred
    for (int k = 0; k < 7; ++k) assert_true(seen_triangle[k] > 0);
    for (int k = 0; k < PLI_EDGE_EDGE_FEATURES; ++k) assert_true(seen_edges[k] > 0);
}

static void distances_do_not_depend_on_the_order_of_corners(void **state)
{
    (void)state;
    static const int turns[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    for (uint64_t trial = 0; trial < 200; ++trial) {
        double x[DOFS];
        pli_distance D, E;
        random_points(3000 + trial, 4, x);
        pli_distance_point_triangle(x, x + 3, x + 6, x + 9, &D);
        for (int t = 1; t < 6; ++t) {
            const double *c[3];
            for (int i = 0; i < 3; ++i) c[i] = x + 3 + 3 * turns[t][i];
            pli_distance_point_triangle(x, c[0], c[1], c[2], &E);
            NEAR(E.value, D.value, 1e-10, 1e-14);
            for (int i = 0; i < 3; ++i) {
                NEAR(E.weights[1 + i], D.weights[1 + turns[t][i]], 0, 1e-9);
            }
        }
        pli_distance_edge_edge(x, x + 3, x + 6, x + 9, &D);
        pli_distance_edge_edge(x + 9, x + 6, x, x + 3, &E);
        NEAR(E.value, D.value, 1e-10, 1e-14);
        NEAR(E.weights[0], -D.weights[3], 0, 1e-9);
        NEAR(E.weights[3], -D.weights[1], 0, 1e-9);
    }
}

// ---- degenerate input

static void check_finite(const double *x)
{
    for (int kind = 0; kind < KIND_END; ++kind) {
        if (!is_kind(kind)) continue;
        pli_distance D;
        double g[DOFS], H[DOFS * DOFS], P[DOFS * DOFS];
        measure(kind, x, &D);
        int32_t n = 3 * D.point_count;
        assert_true(isfinite(D.value) && D.value >= 0);
        NEAR(pli_vec3_norm(D.normal), 1, 1e-12, 0);
        pli_distance_gradient(&D, 1, g);
        pli_distance_compose_hessian(&D, 1, 0, false, H);
        pli_distance_compose_hessian(&D, 1, 1, true, P);
        for (int32_t k = 0; k < n; ++k) assert_true(isfinite(g[k]));
        for (int32_t k = 0; k < n * n; ++k) assert_true(isfinite(H[k]) && isfinite(P[k]));
    }
}

static void degenerate_input_gives_finite_results_and_true_distances(void **state)
{
    (void)state;
    enum { MERGES = 256 };
    // every way of giving the four points the places of some of them
    for (int merge = 0; merge < MERGES; ++merge) {
        double base[DOFS], x[DOFS], d2, w[4];
        random_points((uint64_t)merge + 7000, 4, base);
        for (int i = 0; i < 4; ++i) {
            pli_vec3_copy(base + 3 * ((merge >> 2 * i) & 3), x + 3 * i);
        }
        check_finite(x);
        check_triangle(x);
        check_edges(x);
        pli_closest_point_triangle(x, x + 3, x + 6, x + 9, w, &d2);
        check_samples(x, 1, d2, 2 * sqrt(12.0));
        pli_closest_edge_edge(x, x + 3, x + 6, x + 9, w, &d2);
        check_samples(x, 2, d2, 2 * sqrt(12.0));
    }
}

// Slivers and nearly parallel edges of every degree: x_3 approaches the line through x_1 and x_2,
// the second edge the direction of the first.
static void slivers_and_parallel_edges_have_true_distances(void **state)
{
    (void)state;
    for (uint64_t trial = 0; trial < 200; ++trial) {
        double height = pow(10, -(double)(trial % 20));
        double x[DOFS], offset[3], edge[3], w[4], d2;
        random_points(9000 + trial, 4, x);
        pli_vec3_scale(height, x + 9, offset);

        double sliver[DOFS];
        memcpy(sliver, x, sizeof x);
        pli_vec3_subtract(x + 6, x + 3, edge);
        pli_vec3_add_scaled(x + 3, 0.05 * (double)(trial % 23), edge, sliver + 9);
        pli_vec3_add(sliver + 9, offset, sliver + 9);
        pli_closest_point_triangle(sliver, sliver + 3, sliver + 6, sliver + 9, w, &d2);
        check_samples(sliver, 1, d2, 2 * sqrt(12.0));
        check_triangle(sliver);
        check_finite(sliver);

        double parallel[DOFS];
        memcpy(parallel, x, sizeof x);
        pli_vec3_subtract(x + 3, x, edge);
        pli_vec3_add(x + 6, edge, parallel + 9);
        pli_vec3_add(parallel + 9, offset, parallel + 9);
        pli_closest_edge_edge(parallel, parallel + 3, parallel + 6, parallel + 9, w, &d2);
        check_samples(parallel, 2, d2, 2 * sqrt(12.0));
        check_edges(parallel);
        check_finite(parallel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_and_hessian_are_derivatives_of_the_distance),
        cmocka_unit_test(distances_equal_the_formulas_by_cross_products),
        cmocka_unit_test(projected_hessian_is_the_clamped_one),
        cmocka_unit_test(closest_features_equal_dense_sampling),
        cmocka_unit_test(distances_do_not_depend_on_the_order_of_corners),
        cmocka_unit_test(degenerate_input_gives_finite_results_and_true_distances),
        cmocka_unit_test(slivers_and_parallel_edges_have_true_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Triangle meshes, the bounding-volume hierarchy, distance and inside queries.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "geometry/collision/tri_query.h"
#include "geometry/collision/triangle.h"
#include "geometry/mesh/sort.h"

static void random_point(uint64_t stream, uint64_t index, double low, double high, double out[3])
{
    pli_random random = {11, stream};
    for (uint64_t k = 0; k < 3; ++k) out[k] = pli_random_range(random, 3 * index + k, low, high);
}

// A sphere of unit radius: rows x columns quads around the y axis, halved.
static pli_tri_mesh *make_sphere(pli_context *context, int32_t rows, int32_t columns, double radius)
{
    const double pi = 3.14159265358979323846;
    int32_t vertex_count = (rows - 1) * columns + 2;
    int32_t triangle_count = 2 * (rows - 1) * columns;
    double *points = calloc((size_t)vertex_count * 3, sizeof *points);
    int32_t *triangles = calloc((size_t)triangle_count * 3, sizeof *triangles);
    assert_non_null(points);
    assert_non_null(triangles);
    for (int32_t i = 0; i < rows - 1; ++i) {
        double latitude = pi * (i + 1) / rows;
        for (int32_t j = 0; j < columns; ++j) {
            double longitude = 2 * pi * j / columns;
            pli_vec3_set(radius * sin(latitude) * sin(longitude), radius * cos(latitude),
                         radius * sin(latitude) * cos(longitude), points + 3 * (i * columns + j));
        }
    }
    int32_t north = vertex_count - 2;
    int32_t south = vertex_count - 1;
    points[3 * north + 1] = radius;
    points[3 * south + 1] = -radius;
    int32_t *t = triangles;
    for (int32_t j = 0; j < columns; ++j) {
        int32_t next = (j + 1) % columns;
        int32_t last = (rows - 2) * columns;
        const int32_t caps[6] = {north, j, next, south, last + next, last + j};
        memcpy(t, caps, sizeof caps);
        t += 6;
        for (int32_t i = 0; i < rows - 2; ++i) {
            int32_t a = i * columns;
            int32_t b = a + columns;
            const int32_t quad[6] = {a + j, b + j, b + next, a + j, b + next, a + next};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    }
    pli_tri_mesh *mesh = NULL;
    OK(context,
       pli_tri_mesh_create(context, vertex_count, points, triangle_count, triangles, &mesh));
    free(points);
    free(triangles);
    return mesh;
}

static void closest_point_of_a_triangle_is_the_nearest_sample(void **state)
{
    (void)state;
    enum { N = 60 };
    for (uint64_t trial = 0; trial < 200; ++trial) {
        double a[3], b[3], c[3], p[3], w[3];
        random_point(1, trial, -1, 1, a);
        random_point(2, trial, -1, 1, b);
        random_point(3, trial, -1, 1, c);
        random_point(4, trial, -2, 2, p);
        double d2 = pli_triangle_closest(p, a, b, c, w);
        assert_true(w[0] >= 0 && w[1] >= 0 && w[2] >= 0);
        NEAR(w[0] + w[1] + w[2], 1.0, 1e-14, 0);

        // the distance is that of the point with these weights, and no sample is nearer
        double q[3];
        for (int k = 0; k < 3; ++k) q[k] = w[0] * a[k] + w[1] * b[k] + w[2] * c[k];
        NEAR(pli_vec3_distance(p, q), sqrt(d2), 1e-9, 1e-12);
        for (int i = 0; i <= N; ++i) {
            for (int j = 0; i + j <= N; ++j) {
                double u = (double)i / N;
                double v = (double)j / N;
                for (int k = 0; k < 3; ++k) q[k] = a[k] + u * (b[k] - a[k]) + v * (c[k] - a[k]);
                AT_MOST(sqrt(d2), pli_vec3_distance(p, q) + 1e-12);
            }
        }
    }
}

static void degenerate_triangles_have_a_closest_point(void **state)
{
    (void)state;
    const double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {2, 0, 0}, p[3] = {1.5, 1, 0};
    double w[3];
    NEAR(pli_triangle_closest(p, a, b, c, w), 1.0, 1e-15, 0);
    NEAR(pli_triangle_closest(p, a, a, a, w), 3.25, 1e-15, 0);
}

static void report_describes_open_twisted_and_pinched_surfaces(void **state)
{
    pli_context *context = *state;
    const double points[7][3] = {{0, 0, 0},  {1, 0, 0},  {0, 1, 0}, {0, 0, 1},
                                 {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    pli_tri_mesh *mesh = NULL;
    pli_tri_mesh_report report;

    const int32_t closed[] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1};
    OK(context, pli_tri_mesh_create(context, 4, &points[0][0], 4, closed, &mesh));
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_true(report.is_closed && report.is_oriented && report.is_manifold);
    NEAR(report.volume, 1.0 / 6, 1e-15, 0);
    NEAR(report.area, 1.5 + sqrt(3) / 2, 1e-15, 0);
    pli_tri_mesh_destroy(mesh);

    // without its last triangle
    OK(context, pli_tri_mesh_create(context, 5, &points[0][0], 3, closed, &mesh));
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_false(report.is_closed);
    assert_true(report.is_oriented && report.is_manifold);
    assert_int_equal(report.open_edges, 3);
    assert_int_equal(report.unused_vertices, 1);
    pli_tri_mesh_destroy(mesh);

    const int32_t twisted[] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 1, 2};
    OK(context, pli_tri_mesh_create(context, 4, &points[0][0], 4, twisted, &mesh));
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_false(report.is_closed || report.is_oriented);
    assert_int_equal(report.misoriented_edges, 3);
    pli_tri_mesh_destroy(mesh);

    // two tetrahedra that touch in vertex 0
    const int32_t pinched[] = {1, 2, 3, 0, 3, 2, 0, 1, 3, 0, 2, 1,
                               4, 6, 5, 0, 5, 6, 0, 4, 5, 0, 6, 4};
    OK(context, pli_tri_mesh_create(context, 7, &points[0][0], 8, pinched, &mesh));
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_true(report.is_closed && report.is_oriented);
    assert_false(report.is_manifold);
    assert_int_equal(report.pinched_vertices, 1);
    assert_int_equal(report.crowded_edges, 0);
    assert_int_equal(report.component_count, 1);
    pli_tri_mesh_destroy(mesh);

    const int32_t outside[] = {0, 1, 9};
    assert_int_equal(pli_tri_mesh_create(context, 7, &points[0][0], 1, outside, &mesh),
                     PLI_ERROR_MESH);
    assert_null(mesh);
}

static void sphere_has_area_and_volume_of_a_sphere(void **state)
{
    const double pi = 3.14159265358979323846;
    pli_context *context = *state;
    pli_tri_mesh *mesh = make_sphere(context, 40, 80, 1);
    pli_tri_mesh_report report;
    OK(context, pli_tri_mesh_check(mesh, &report));
    assert_true(report.is_closed && report.is_oriented && report.is_manifold);
    // an inscribed polyhedron with edges up to e = pi / 40 misses about e^2 / 4 of the area
    NEAR(report.area, 4 * pi, 0.003, 0);
    NEAR(report.volume, 4 * pi / 3, 0.006, 0);
    pli_tri_mesh_destroy(mesh);
}

typedef struct box_hits {
    int32_t *count;
} box_hits;

static bool count_hit(void *user, int32_t primitive)
{
    box_hits *hits = user;
    ++hits->count[primitive];
    return true;
}

static bool boxes_touch(const pli_bounds *a, const pli_bounds *b)
{
    pli_bounds both = pli_bounds_intersection(*a, *b);
    return !pli_bounds_is_empty(&both);
}

static void random_boxes(int32_t count, uint64_t stream, pli_bounds *boxes)
{
    for (int32_t i = 0; i < count; ++i) {
        double p[3], q[3];
        random_point(stream, 2 * (uint64_t)i, 0, 1, p);
        random_point(stream, 2 * (uint64_t)i + 1, 0, 0.05, q);
        boxes[i] = pli_bounds_empty();
        pli_bounds_add_point(&boxes[i], p);
        pli_vec3_add(p, q, q);
        pli_bounds_add_point(&boxes[i], q);
    }
}

// every box of the query is found once, and nothing that lies clearly apart
static void check_box_query(const pli_bvh *bvh, int32_t count, const pli_bounds *boxes,
                            const pli_bounds *query)
{
    box_hits hits = {calloc((size_t)count + 1, sizeof(int32_t))};
    pli_bvh_query_box(bvh, query, count_hit, &hits);
    for (int32_t i = 0; i < count; ++i) {
        assert_true(hits.count[i] <= 1);
        if (boxes_touch(&boxes[i], query)) assert_int_equal(hits.count[i], 1);
    }
    free(hits.count);
}

static void box_queries_find_what_brute_force_finds(void **state)
{
    static const int32_t counts[] = {0, 1, 2, 4, 5, 6, 7, 33, 1000, 5000};
    pli_bounds *boxes = calloc(5000, sizeof *boxes);
    pli_context *context = *state;
    for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
        random_boxes(counts[n], n, boxes);
        pli_bvh *bvh = NULL;
        OK(context, pli_bvh_create(context, counts[n], boxes, &bvh));
        for (uint64_t q = 0; q < 50; ++q) {
            pli_bounds query;
            random_boxes(1, 100 + q, &query);
            check_box_query(bvh, counts[n], boxes, &query);
        }
        // everything moves, the tree stays
        random_boxes(counts[n], 50 + n, boxes);
        pli_bvh_refit(bvh, boxes);
        for (uint64_t q = 0; q < 20; ++q) {
            pli_bounds query;
            random_boxes(1, 200 + q, &query);
            check_box_query(bvh, counts[n], boxes, &query);
        }
        pli_bvh_destroy(bvh);
    }
    free(boxes);
}

static bool stop_at_once(void *user, int32_t primitive)
{
    (void)primitive;
    ++*(int *)user;
    return false;
}

static void a_visitor_can_end_the_query(void **state)
{
    pli_context *context = *state;
    pli_bounds boxes[100];
    random_boxes(100, 3, boxes);
    pli_bvh *bvh = NULL;
    OK(context, pli_bvh_create(context, 100, boxes, &bvh));
    int visits = 0;
    pli_bounds everything = pli_bvh_bounds(bvh);
    pli_bvh_query_box(bvh, &everything, stop_at_once, &visits);
    assert_int_equal(visits, 1);
    pli_bvh_destroy(bvh);

    boxes[7].max[1] = NAN;
    assert_int_equal(pli_bvh_create(context, 100, boxes, &bvh), PLI_ERROR_ARGUMENT);
    assert_null(bvh);
}

// order in which a tree hands out its primitives
typedef struct visit_list {
    int32_t count;
    int32_t *primitive;
} visit_list;

static bool note_visit(void *user, int32_t primitive)
{
    visit_list *list = user;
    list->primitive[list->count++] = primitive;
    return true;
}

static void tree_is_the_same_for_any_thread_count(void **state)
{
    (void)state;
    enum { N = 20000 };
    pli_bounds *boxes = calloc(N, sizeof *boxes);
    visit_list list = {0, calloc(N, sizeof(int32_t))};
    random_boxes(N, 9, boxes);
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bvh *bvh = NULL;
        OK(context, pli_bvh_create(context, N, boxes, &bvh));
        pli_bounds all = pli_bvh_bounds(bvh);
        list.count = 0;
        pli_bvh_query_box(bvh, &all, note_visit, &list);
        assert_int_equal(list.count, N);
        same_bits_keep(&bits, list.primitive, N * sizeof(int32_t));
        pli_bvh_destroy(bvh);
        pli_context_destroy(context);
    }
    free(list.primitive);
    free(boxes);
}

static void nearest_triangle_is_that_of_brute_force(void **state)
{
    pli_context *context = *state;
    pli_tri_mesh *mesh = make_sphere(context, 12, 24, 1);
    pli_tri_query *query = NULL;
    OK(context, pli_tri_query_create(mesh, &query));
    for (uint64_t i = 0; i < 300; ++i) {
        double p[3], w[3];
        random_point(5, i, -1.5, 1.5, p);
        double best = INFINITY;
        for (int32_t t = 0; t < mesh->triangle_count; ++t) {
            const int32_t *v = mesh->triangles + 3 * t;
            best =
                fmin(best, pli_triangle_closest(p, mesh->points + 3 * v[0], mesh->points + 3 * v[1],
                                                mesh->points + 3 * v[2], w));
        }
        pli_tri_hit hit = pli_tri_query_nearest(query, p, INFINITY);
        NEAR(hit.distance, sqrt(best), 0, 0);
        NEAR(pli_vec3_distance(hit.point, p), hit.distance, 1e-12, 1e-13);
        // beyond the limit there is nothing
        assert_int_equal(pli_tri_query_nearest(query, p, 0.999 * hit.distance).triangle, -1);
    }
    pli_tri_query_destroy(query);
    pli_tri_mesh_destroy(mesh);
}

// By the majority of rows along the axes.
static bool contains(const pli_tri_query *query, const double point[3])
{
    uint8_t votes = 0;
    for (int axis = 0; axis < 3; ++axis) {
        pli_tri_row row = {.axis = axis, .start = point[axis], .step = 1, .count = 1};
        pli_vec3_copy(point, row.base);
        pli_tri_query_vote_row(query, &row, &votes);
    }
    return votes >= 2;
}

static void inside_is_inside_even_through_vertices_and_holes(void **state)
{
    pli_context *context = *state;
    pli_tri_mesh *mesh = make_sphere(context, 12, 24, 1);
    // one triangle is missing and one is turned around
    memcpy(mesh->triangles + 30, mesh->triangles + 33, 3 * sizeof(int32_t));
    int32_t t = mesh->triangles[300];
    mesh->triangles[300] = mesh->triangles[301];
    mesh->triangles[301] = t;
    pli_tri_query *query = NULL;
    OK(context, pli_tri_query_create(mesh, &query));
    // the centre's rays run through vertices and along edges of the mesh
    assert_true(contains(query, (const double[3]){0, 0, 0}));
    for (uint64_t i = 0; i < 1000; ++i) {
        double p[3];
        random_point(6, i, -1.2, 1.2, p);
        double r = pli_vec3_norm(p);
        // the polyhedron lies between the spheres of radius 0.96 and 1
        if (r > 0.96 && r < 1) continue;
        assert_int_equal(contains(query, p), r < 1);
        // facets of edge 0.26 lie within 0.02 of the sphere, the missing one adds its own size
        NEAR(pli_tri_query_nearest(query, p, INFINITY).distance, fabs(r - 1), 0, 0.05);
    }
    pli_tri_query_destroy(query);
    pli_tri_mesh_destroy(mesh);
}

static void rays_through_edges_and_corners_count_once(void **state)
{
    pli_context *context = *state;
    // meridians in the coordinate planes, poles on the axis: rays from these points run along edges
    // and through corners
    pli_tri_mesh *mesh = make_sphere(context, 8, 16, 1);
    pli_tri_query *query = NULL;
    OK(context, pli_tri_query_create(mesh, &query));
    for (int i = -9; i <= 9; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            double p[3] = {0, 0, 0};
            p[axis] = 0.125 * i;
            assert_int_equal(contains(query, p), abs(i) <= 7);
            // in the plane of a meridian
            p[(axis + 1) % 3] = 0.3125;
            double r = pli_vec3_norm(p);
            if (r < 0.95 || r > 1) assert_int_equal(contains(query, p), r < 1);
        }
    }
    pli_tri_query_destroy(query);
    pli_tri_mesh_destroy(mesh);
}

static void rows_vote_like_single_points(void **state)
{
    pli_context *context = *state;
    pli_tri_mesh *mesh = make_sphere(context, 9, 13, 1);
    pli_tri_query *query = NULL;
    OK(context, pli_tri_query_create(mesh, &query));
    enum { N = 700 };
    uint8_t votes[N] = {0};
    for (int axis = 0; axis < 3; ++axis) {
        pli_tri_row row = {.base = {0.123, -0.217, 0.311},
                           .axis = axis,
                           .start = -1.5,
                           .step = 3.0 / N,
                           .count = N,
                           .stride = 1};
        memset(votes, 0, sizeof votes);
        pli_tri_query_vote_row(query, &row, votes);
        for (int i = 0; i < N; ++i) {
            double p[3];
            pli_vec3_copy(row.base, p);
            p[axis] = row.start + i * row.step;
            assert_int_equal(votes[i], contains(query, p));
        }
    }
    pli_tri_query_destroy(query);
    pli_tri_mesh_destroy(mesh);
}

static void sorting_is_stable_and_complete(void **state)
{
    pli_context *context = *state;
    enum { N = 5000 };
    uint64_t *keys = calloc(N, sizeof *keys);
    int32_t *order = calloc(N, sizeof *order);
    pli_random random = {5, 5};
    for (uint64_t i = 0; i < N; ++i) {
        keys[i] = pli_random_bits(random, i) >> (i % 2 == 0 ? 0 : 55);
    }
    OK(context, pli_sort_order(context, N, keys, order));
    for (int32_t i = 1; i < N; ++i) {
        assert_true(keys[order[i - 1]] < keys[order[i]] ||
                    (keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]));
    }
    free(keys);
    free(order);
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void hilbert_curve_takes_unit_steps(void **state)
{
    (void)state;
    // cells of a 16^3 grid in the order of the curve: each is a face neighbour of the one before
    enum { N = 16 };
    static uint64_t keys[N * N * N][2];
    pli_bounds bounds = {{0, 0, 0}, {N, N, N}};
    for (uint64_t c = 0; c < N * N * N; ++c) {
        double x[3] = {(double)(c % N) + 0.5, (double)(c / N % N) + 0.5, (double)(c / N / N) + 0.5};
        keys[c][0] = pli_hilbert_key(&bounds, x);
        keys[c][1] = c;
    }
    qsort(keys, N * N * N, sizeof keys[0], compare_keys);
    for (int i = 1; i < N * N * N; ++i) {
        int a = (int)keys[i - 1][1];
        int b = (int)keys[i][1];
        int steps = abs(a % N - b % N) + abs(a / N % N - b / N % N) + abs(a / N / N - b / N / N);
        assert_int_equal(steps, 1);
    }
}

static void failing_allocations_leak_nothing(void **state)
{
    (void)state;
    pli_context *good = make_context(1);
    pli_tri_mesh *source = make_sphere(good, 4, 6, 1);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_tri_mesh *mesh = NULL;
        pli_tri_query *query = NULL;
        sweep.status = pli_tri_mesh_create(sweep.context, source->vertex_count, source->points,
                                           source->triangle_count, source->triangles, &mesh);
        if (sweep.status == PLI_OK) sweep.status = pli_tri_query_create(mesh, &query);
        pli_tri_query_destroy(query);
        pli_tri_mesh_destroy(mesh);
    }
    pli_tri_mesh_destroy(source);
    pli_context_destroy(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_point_of_a_triangle_is_the_nearest_sample),
        cmocka_unit_test(degenerate_triangles_have_a_closest_point),
        TEST_IN_CONTEXT(report_describes_open_twisted_and_pinched_surfaces, 1),
        TEST_IN_CONTEXT(sphere_has_area_and_volume_of_a_sphere, 1),
        TEST_IN_CONTEXT(box_queries_find_what_brute_force_finds, 2),
        TEST_IN_CONTEXT(a_visitor_can_end_the_query, 1),
        cmocka_unit_test(tree_is_the_same_for_any_thread_count),
        TEST_IN_CONTEXT(nearest_triangle_is_that_of_brute_force, 1),
        TEST_IN_CONTEXT(inside_is_inside_even_through_vertices_and_holes, 1),
        TEST_IN_CONTEXT(rays_through_edges_and_corners_count_once, 1),
        TEST_IN_CONTEXT(rows_vote_like_single_points, 1),
        TEST_IN_CONTEXT(sorting_is_stable_and_complete, 1),
        cmocka_unit_test(hilbert_curve_takes_unit_steps),
        cmocka_unit_test(failing_allocations_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

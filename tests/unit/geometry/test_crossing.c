// SPDX-License-Identifier: Apache-2.0
//
// Which triangles cross: cases with known answers, in every order of corners, and the search
// against all pairs.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/random.h"
#include "geometry/collision/crossing.h"

#include <time.h>

// ---- pairs with known answers

// Whether triangles (0, 1, 2) and second cross, asked in every order of corners and triangles,
// which must not matter.
static bool cross(const double *points, const int32_t second[3])
{
    static const int32_t orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                         {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
    bool answer = false;
    for (int i = 0; i < 36; ++i) {
        int32_t a[3];
        int32_t b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = orders[i / 6][k];
            b[k] = second[orders[i % 6][k]];
        }
        bool got = pli_triangles_cross(points, a, b);
        if (i == 0) answer = got;
        assert_int_equal(got, answer);
        assert_int_equal(pli_triangles_cross(points, b, a), answer);
    }
    return answer;
}

static const int32_t apart[3] = {3, 4, 5};

static void an_edge_through_the_inside_crosses(void **state)
{
    (void)state;
    double points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.3, 0.2, 1, 5, 5, 1};
    assert_true(cross(points, apart));
    // beside the triangle
    for (int i = 3; i < 6; ++i) points[3 * i] += 1;
    assert_false(cross(points, apart));
}

static void touching_in_a_point_crosses(void **state)
{
    (void)state;
    // a corner on the inside, on an edge, on a corner
    static const double touched[3][2] = {{0.25, 0.25}, {0.5, 0}, {1, 0}};
    for (int i = 0; i < 3; ++i) {
        double x = touched[i][0];
        double y = touched[i][1];
        double points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, x, y, 0, x, y + 1, 2, x + 1, y, 2};
        assert_true(cross(points, apart));
        // off by the smallest step that the predicates promise to see
        points[11] = 1e-92;
        assert_false(cross(points, apart));
        points[11] = -1e-92;
        // what leaves the corner behind the plane goes through inside of the first two places
        assert_int_equal(cross(points, apart), i < 2);
    }
}

// A slanted triangle whose plane is x + y + z = 3, and a corner one ulp before and behind it.
static void one_ulp_decides(void **state)
{
    (void)state;
    double points[18] = {3, 0, 0, 0, 3, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 2, 3, 2};
    assert_true(cross(points, apart));
    points[9] = nextafter(1, 2);
    assert_false(cross(points, apart));
    points[9] = nextafter(1, 0);
    assert_true(cross(points, apart));
}

static void overlap_in_a_plane_crosses(void **state)
{
    (void)state;
    // edges cross; one inside the other; apart; a common stretch of an edge
    static const double offsets[4][2] = {{0.2, 0.2}, {0.1, 0.1}, {1, 1}, {0.5, -1}};
    static const double sizes[4] = {1, 0.25, 1, 1};
    static const bool answers[4] = {true, true, false, true};
    for (int i = 0; i < 4; ++i) {
        double x = offsets[i][0];
        double y = offsets[i][1];
        double s = sizes[i];
        // in the plane z = x, which no axis looks along
        double points[18] = {0, 0, 0, 1, 0, 1, 0, 1, 0, x, y, x, x + s, y, x + s, x, y + s, x};
        assert_int_equal(cross(points, apart), answers[i]);
    }
}

static void neighbours_of_a_clean_mesh_do_not_cross(void **state)
{
    (void)state;
    double points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, -1, 0.5, 0, -1, -1, 0};
    const int32_t by_edge[3] = {1, 2, 3};
    const int32_t by_vertex[3] = {0, 4, 5};
    // flat, bent either way
    for (int i = 0; i < 3; ++i) {
        points[11] = points[14] = 0.3 * (i - 1);
        assert_false(cross(points, by_edge));
        assert_false(cross(points, by_vertex));
    }
}

static void a_shared_vertex_does_not_hide_a_crossing(void **state)
{
    (void)state;
    // shares vertex 0; its opposite edge goes through the inside, through edge 1-2, and past it
    static const double at[3] = {0.25, 0.5, 0.75};
    for (int i = 0; i < 3; ++i) {
        double points[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, at[i], at[i], -1, at[i], at[i], 1};
        const int32_t second[3] = {0, 3, 4};
        // past edge 1-2, that edge goes through the second triangle
        assert_true(cross(points, second));
        // to the other side of the vertex
        points[9] = points[10] = points[12] = points[13] = -at[i];
        assert_false(cross(points, second));
        // one end in the plane, along an edge
        points[9] = 0.5;
        points[10] = points[11] = 0;
        assert_true(cross(points, second));
    }
}

static void folded_flat_upon_each_other_crosses(void **state)
{
    (void)state;
    double points[12] = {0, 0, 0, 1, 0, 1, 0, 1, 0, 0.3, 2, 0.3};
    const int32_t by_edge[3] = {0, 1, 3};
    const int32_t same[3] = {2, 1, 0};
    assert_true(cross(points, by_edge));
    points[11] = nextafter(0.3, 1);
    assert_false(cross(points, by_edge));
    assert_true(cross(points, same));
}

static void triangles_without_area_meet_what_they_touch(void **state)
{
    (void)state;
    // a needle through the triangle, and one beside it
    double points[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, -1, 0.2, 0.2, 1, 0.2, 0.2, 0.5};
    assert_true(pli_triangle_is_flat(points + 9, points + 12, points + 15));
    assert_false(pli_triangle_is_flat(points, points + 3, points + 6));
    assert_true(cross(points, apart));
    for (int i = 3; i < 6; ++i) points[3 * i] = 2;
    assert_false(cross(points, apart));
    // two needles: crossing, and on one line with a gap
    double needles[18] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 2, 1, 1, 1, 1, 2, 0, 1};
    assert_true(cross(needles, apart));
    double line[18] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};
    assert_false(cross(line, apart));
    line[9] = line[10] = line[11] = 2;
    assert_true(cross(line, apart));
    // a point
    double dot[18] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 0, 0.2, 0.2, 0, 0.2, 0.2, 0};
    assert_true(cross(dot, apart));
    dot[11] = dot[14] = dot[17] = 0.1;
    assert_false(cross(dot, apart));
    // its neighbours are not held against it
    const int32_t neighbour[3] = {0, 3, 4};
    assert_false(cross(needles, neighbour));
}

// ---- another way to the answer

// How deep pq goes through the triangle abc, by solving p + t (q - p) = a + u (b - a) + v (c - a):
// the smallest of t, 1 - t, u, v, 1 - u - v; negative when it does not.
static double pierce_depth(const double *p, const double *q, const double *a, const double *b,
                           const double *c)
{
    double m[3][4];
    for (int k = 0; k < 3; ++k) {
        m[k][0] = q[k] - p[k];
        m[k][1] = a[k] - b[k];
        m[k][2] = a[k] - c[k];
        m[k][3] = a[k] - p[k];
    }
    double det[4];
    for (int column = 0; column < 4; ++column) {
        // Cramer: the right-hand side in place of a column; the last is the matrix itself
        int at[3] = {column == 0 ? 3 : 0, column == 1 ? 3 : 1, column == 2 ? 3 : 2};
        det[column] = 0;
        for (int k = 0; k < 3; ++k) {
            int i = (k + 1) % 3;
            int j = (k + 2) % 3;
            det[column] += m[k][at[0]] * (m[i][at[1]] * m[j][at[2]] - m[j][at[1]] * m[i][at[2]]);
        }
    }
    double t = det[0] / det[3];
    double u = det[1] / det[3];
    double v = det[2] / det[3];
    return fmin(fmin(fmin(t, 1 - t), fmin(u, v)), 1 - u - v);
}

static void answers_agree_with_solving_for_the_piercing_point(void **state)
{
    (void)state;
    pli_random random = {.seed = 5};
    int32_t crossings = 0;
    for (int32_t trial = 0; trial < 20000; ++trial) {
        double x[18];
        for (int i = 0; i < 18; ++i) {
            x[i] = pli_random_range(random, (uint64_t)(18 * trial + i), -1, 1);
        }
        double depth = -INFINITY;
        for (int k = 0; k < 3; ++k) {
            int next = (k + 1) % 3;
            const double *y = x + 9;
            depth = fmax(depth, pierce_depth(x + 3 * k, x + 3 * next, y, y + 3, y + 6));
            depth = fmax(depth, pierce_depth(y + 3 * k, y + 3 * next, x, x + 3, x + 6));
        }
        // nearer to the border than rounding allows to say
        if (fabs(depth) < 1e-9) continue;
        const int32_t first[3] = {0, 1, 2};
        assert_int_equal(pli_triangles_cross(x, first, apart), depth > 0);
        crossings += depth > 0;
    }
    assert_true(crossings > 1000 && crossings < 19000);
}

// ---- the search

typedef struct soup_fixture {
    double *points;
    int32_t *triangles;
    bool *passive;
    pli_soup soup;
} soup_fixture;

static bool is_pair(const void *user, int32_t triangle, int32_t other)
{
    const bool *passive = user;
    return !passive[triangle] || !passive[other];
}

// Triangles of a given size in a unit cube. On a lattice many touch; some share vertices.
static soup_fixture make_soup(uint64_t seed, int32_t count, double size, bool lattice)
{
    pli_random random = {.seed = seed};
    int32_t vertex_count = 3 * count;
    soup_fixture fix = {.points = calloc((size_t)vertex_count * 3, sizeof(double)),
                        .triangles = calloc((size_t)count * 3, sizeof(int32_t)),
                        .passive = calloc((size_t)count, sizeof(bool))};
    uint64_t next = 0;
    for (int32_t t = 0; t < count; ++t) {
        double middle[3];
        for (int k = 0; k < 3; ++k) middle[k] = pli_random_uniform(random, next++);
        for (int32_t i = 0; i < 9; ++i) {
            double x = middle[i % 3] + size * pli_random_range(random, next++, -1, 1);
            fix.points[9 * t + i] = lattice ? round(x * 8) / 8 : x;
        }
        for (int32_t k = 0; k < 3; ++k) {
            // now and then a vertex of the triangle before
            bool shared = t > 0 && pli_random_uniform(random, next++) < 0.3;
            fix.triangles[3 * t + k] = shared ? 3 * (t - 1) + k : 3 * t + k;
        }
        fix.passive[t] = pli_random_uniform(random, next++) < 0.2;
    }
    fix.soup = (pli_soup){vertex_count, fix.points, count, fix.triangles, is_pair, fix.passive};
    return fix;
}

static void clear_soup(soup_fixture *fix)
{
    free(fix->points);
    free(fix->triangles);
    free(fix->passive);
}

enum { KEPT = 100 };

static int64_t find_by_all_pairs(const pli_soup *soup, pli_crossing *kept)
{
    int64_t count = 0;
    for (int32_t i = 0; i < soup->triangle_count; ++i) {
        for (int32_t j = i + 1; j < soup->triangle_count; ++j) {
            if (!is_pair(soup->user, i, j)) continue;
            if (!pli_triangles_cross(soup->points, soup->triangles + 3 * i,
                                     soup->triangles + 3 * j)) {
                continue;
            }
            if (count < KEPT) kept[count] = (pli_crossing){{i, j}};
            ++count;
        }
    }
    return count;
}

static void the_search_finds_what_all_pairs_find(void **state)
{
    (void)state;
    static const int32_t counts[5] = {1, 9, 64, 200, 500};
    for (int trial = 0; trial < 20; ++trial) {
        pli_context *context = make_context(1 + trial % 3);
        double size = trial % 4 < 2 ? 0.05 : 0.3;
        soup_fixture fix = make_soup((uint64_t)trial, counts[trial % 5], size, trial % 2 == 0);
        pli_crossing want[KEPT];
        pli_crossing got[KEPT];
        int64_t want_count = find_by_all_pairs(&fix.soup, want);
        int64_t got_count = 0;
        OK(context, pli_soup_find_crossings(context, &fix.soup, KEPT, got, &got_count));
        assert_int_equal(got_count, want_count);
        size_t kept = (size_t)(want_count < KEPT ? want_count : KEPT);
        assert_memory_equal(got, want, kept * sizeof *got);
        if (fix.soup.triangle_count > 100) assert_true(want_count > 0);
        // a short list is the beginning of the long one
        OK(context, pli_soup_find_crossings(context, &fix.soup, 3, got, &got_count));
        assert_int_equal(got_count, want_count);
        assert_memory_equal(got, want, (kept < 3 ? kept : 3) * sizeof *got);
        clear_soup(&fix);
        pli_context_destroy(context);
    }
}

static soup_fixture make_pile(int32_t count)
{
    soup_fixture fix = make_soup(1, count, 0.1, false);
    for (int32_t i = 0; i < 9 * count; ++i) fix.points[i] = fix.points[i % 9];
    for (int32_t i = 0; i < 3 * count; ++i) fix.triangles[i] = i;
    fix.soup.is_pair = NULL;
    return fix;
}

// Triangles that are all the same: no split is any good.
static void a_pile_of_equal_triangles_is_searched(void **state)
{
    pli_context *context = *state;
    soup_fixture fix = make_pile(200);
    int64_t count = 0;
    OK(context, pli_soup_find_crossings(context, &fix.soup, 0, NULL, &count));
    assert_int_equal(count, 200 * 199 / 2);
    clear_soup(&fix);
}

// All pairs of them would be 2e10, and take an hour.
static void a_huge_pile_is_not_counted_to_its_end(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
        pli_context *context = make_context(threads);
        soup_fixture fix = make_pile(COUNT);
        pli_crossing found[3];
        int64_t count = 0;
        OK(context, pli_soup_find_crossings(context, &fix.soup, 3, found, &count));
        assert_int_equal(count, PLI_CROSSINGS_COUNTED);
        for (int32_t k = 0; k < 3; ++k) {
            assert_int_equal(found[k].triangles[0], 0);
            assert_int_equal(found[k].triangles[1], 1 + k);
        }
        clear_soup(&fix);
        pli_context_destroy(context);
    }
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    soup_fixture fix = make_soup(3, 50, 0.3, false);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_crossing kept[4];
        int64_t count = 0;
        sweep.status = pli_soup_find_crossings(sweep.context, &fix.soup, 4, kept, &count);
    }
    clear_soup(&fix);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// A wavy sheet of 200k triangles in a turned plane: clean, and with all neighbours to be judged.
static void a_large_sheet_is_clean(void **state)
{
    enum { SIDE = 317 };
    pli_context *context = *state;
    double *points = calloc(SIDE * SIDE * 3, sizeof *points);
    int32_t *triangles = calloc(SIDE * SIDE * 6, sizeof *triangles);
    int32_t count = 0;
    for (int32_t i = 0; i < SIDE * SIDE; ++i) {
        double u = 0.01 * (i % SIDE);
        double v = 0.01 * (i / SIDE);
        // a half of it is flat, so that the exact stage has work
        double w = u < 1.5 ? 0 : 0.1 * sin(9 * u) * cos(7 * v);
        points[3 * i] = 0.6 * u - 0.8 * w;
        points[3 * i + 1] = 0.8 * u + 0.6 * w;
        points[3 * i + 2] = v + 0.3 * u;
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        int32_t corners[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        memcpy(triangles + 3 * count, corners, sizeof corners);
        count += 2;
    }
    pli_soup soup = {SIDE * SIDE, points, count, triangles, NULL, NULL};
    int64_t found = -1;
    double start = now();
    OK(context, pli_soup_find_crossings(context, &soup, 0, NULL, &found));
    print_message("%d triangles: %.2f s of processor time\n", (int)count, now() - start);
    assert_int_equal(found, 0);
    // one vertex of the flat half pulled beyond its neighbours, along the sheet, in twenty rows
    soup.triangles = triangles + 6 * (SIDE - 1) * 90;
    soup.triangle_count = 2 * (SIDE - 1) * 20;
    points[3 * (SIDE * 100 + 50) + 0] += 0.6 * 0.03;
    points[3 * (SIDE * 100 + 50) + 1] += 0.8 * 0.03;
    points[3 * (SIDE * 100 + 50) + 2] += 0.3 * 0.03;
    OK(context, pli_soup_find_crossings(context, &soup, 0, NULL, &found));
    assert_true(found > 0);
    free(points);
    free(triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_through_the_inside_crosses),
        cmocka_unit_test(touching_in_a_point_crosses),
        cmocka_unit_test(one_ulp_decides),
        cmocka_unit_test(overlap_in_a_plane_crosses),
        cmocka_unit_test(neighbours_of_a_clean_mesh_do_not_cross),
        cmocka_unit_test(a_shared_vertex_does_not_hide_a_crossing),
        cmocka_unit_test(folded_flat_upon_each_other_crosses),
        cmocka_unit_test(triangles_without_area_meet_what_they_touch),
        cmocka_unit_test(answers_agree_with_solving_for_the_piercing_point),
        cmocka_unit_test(the_search_finds_what_all_pairs_find),
        TEST_IN_CONTEXT(a_pile_of_equal_triangles_is_searched, 2),
        cmocka_unit_test(a_huge_pile_is_not_counted_to_its_end),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
        TEST_IN_CONTEXT(a_large_sheet_is_clean, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Triangles of polygons: they cover the polygon once, and what is no simple polygon is found.
#include "near.h"

#include "base/random.h"
#include "geometry/collision/predicates.h"
#include "geometry/mesh/triangulate.h"
#include "math/vec3.h"

#include <unistd.h>

enum { CAPACITY = 1 << 17 };

typedef struct figure {
    int32_t count;
    double (*p)[2];   // [CAPACITY]
    double (*x)[3];   // [CAPACITY]  the same in space
    int32_t *corners; // [CAPACITY]
    int32_t (*triangles)[3];
    pli_polygon_report report;
    pli_context *context;
    pli_arena *scratch;
} figure;

static int setup(void **state)
{
    figure *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->p = calloc(CAPACITY, sizeof *f->p);
    f->x = calloc(CAPACITY, sizeof *f->x);
    f->corners = calloc(CAPACITY, sizeof *f->corners);
    f->triangles = calloc(CAPACITY, sizeof *f->triangles);
    assert_true(f->p != NULL && f->x != NULL && f->corners != NULL && f->triangles != NULL);
    for (int32_t i = 0; i < CAPACITY; ++i) f->corners[i] = i;
    pli_context_def def = {0};
    assert_int_equal(pli_context_create(&def, &f->context), PLI_OK);
    OK(f->context, pli_arena_create(f->context, 0, &f->scratch));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    figure *f = *state;
    pli_arena_destroy(f->scratch);
    pli_context_destroy(f->context);
    free(f->p);
    free(f->x);
    free(f->corners);
    free(f->triangles);
    free(f);
    return 0;
}

static void add(figure *f, double x, double y)
{
    assert_true(f->count < CAPACITY);
    f->p[f->count][0] = x;
    f->p[f->count][1] = y;
    ++f->count;
}

// The polygon in the plane of two axes of the world.
static void lay(figure *f, int first, int second)
{
    for (int32_t i = 0; i < f->count; ++i) {
        f->x[i][0] = f->x[i][1] = f->x[i][2] = 0.5;
        f->x[i][first] = f->p[i][0];
        f->x[i][second] = f->p[i][1];
    }
}

static void triangulate(figure *f)
{
    OK(f->context,
       pli_triangulate(f->scratch, f->count, f->corners, f->x[0], f->triangles, &f->report));
}

// Twice the area, exactly for whole coordinates.
static double shoelace(const figure *f)
{
    double sum = 0;
    for (int32_t i = 0; i < f->count; ++i) {
        const double *a = f->p[i];
        const double *b = f->p[(i + 1) % f->count];
        sum +=
            (a[0] - f->p[0][0]) * (b[1] - f->p[0][1]) - (a[1] - f->p[0][1]) * (b[0] - f->p[0][0]);
    }
    return sum;
}

static int compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(int32_t));
}

// Every side of the polygon bounds one triangle in its own direction, and every other edge two, in
// both directions: then triangles that all turn the same way cover the polygon once.
static void expect_edges_match(const figure *f)
{
    int32_t count = 3 * (f->count - 2);
    int32_t(*edges)[2] = calloc((size_t)count, sizeof *edges);
    assert_non_null(edges);
    for (int32_t i = 0; i < count; ++i) {
        edges[i][0] = f->triangles[i / 3][i % 3];
        edges[i][1] = f->triangles[i / 3][(i + 1) % 3];
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    int32_t sides = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (i > 0) assert_true(memcmp(edges[i - 1], edges[i], sizeof *edges) != 0);
        int32_t back[2] = {edges[i][1], edges[i][0]};
        bool is_side = back[0] == (back[1] + 1) % f->count;
        bool twice = bsearch(back, edges, (size_t)count, sizeof *edges, compare_edges) != NULL;
        assert_true(is_side != twice);
        sides += is_side;
    }
    assert_int_equal(sides, f->count);
    free(edges);
}

static void expect_covered(figure *f)
{
    double area = shoelace(f);
    double sum = 0;
    triangulate(f);
    assert_int_equal(f->report.fault, PLI_POLYGON_SIMPLE);
    for (int32_t i = 0; i + 2 < f->count; ++i) {
        const int32_t *t = f->triangles[i];
        const double *a = f->p[t[0]];
        const double *b = f->p[t[1]];
        const double *c = f->p[t[2]];
        assert_int_equal(pli_orient2d(a, b, c), area > 0 ? 1 : -1);
        sum += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    }
    // rounding of a sum of as many products
    NEAR(sum, area, 1e-15 * f->count, 0);
    expect_edges_match(f);
}

// In both directions, from several first corners, and in every plane of two axes.
static void expect_covered_always(figure *f)
{
    static const int planes[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    double(*turned)[2] = calloc((size_t)f->count, sizeof *turned);
    assert_non_null(turned);
    for (int k = 0; k < 6; ++k) {
        int32_t shift = (int32_t)((int64_t)f->count * k / 7);
        for (int32_t i = 0; i < f->count; ++i) {
            memcpy(turned[i], f->p[(i + shift) % f->count], sizeof *turned);
        }
        for (int32_t i = 0; i < f->count; ++i) {
            memcpy(f->p[i], turned[k % 2 == 0 ? i : f->count - 1 - i], sizeof *turned);
        }
        lay(f, planes[k % 3][0], planes[k % 3][1]);
        expect_covered(f);
    }
    free(turned);
}

static void dart_has_one_cut_wherever_it_begins(void **state)
{
    figure *f = *state;
    static const double dart[4][2] = {{0, 0}, {2, 1}, {0, 2}, {0.5, 1}};
    f->count = 0;
    for (int i = 0; i < 4; ++i) add(f, dart[i][0], dart[i][1]);
    expect_covered_always(f);
}

static void convex_polygon_keeps_its_fan(void **state)
{
    figure *f = *state;
    f->count = 0;
    for (int i = 0; i < 40; ++i) add(f, cos(0.157 * i), sin(0.157 * i));
    lay(f, 0, 1);
    expect_covered(f);
    for (int32_t i = 0; i < 38; ++i) {
        int32_t fan[3] = {0, i + 1, i + 2};
        assert_memory_equal(f->triangles[i], fan, sizeof fan);
    }
}

static void corners_on_straight_sides_make_no_flat_triangles(void **state)
{
    figure *f = *state;
    for (int per_side = 1; per_side < 6; ++per_side) {
        f->count = 0;
        for (int i = 0; i < per_side; ++i) add(f, i, 0);
        for (int i = 0; i < per_side; ++i) add(f, per_side, i);
        for (int i = 0; i < per_side; ++i) add(f, per_side - i, per_side);
        for (int i = 0; i < per_side; ++i) add(f, 0, per_side - i);
        expect_covered_always(f);
    }
    // a triangle with corners on one side only
    f->count = 0;
    add(f, 3, 5);
    for (int i = 0; i < 7; ++i) add(f, i, 0);
    expect_covered_always(f);
}

static void star_is_covered_once(void **state)
{
    figure *f = *state;
    for (int points = 2; points < 60; points += 3) {
        f->count = 0;
        for (int i = 0; i < 2 * points; ++i) {
            double angle = 3.14159265358979 * i / points;
            double radius = i % 2 == 0 ? 1 : 0.05;
            add(f, radius * cos(angle), radius * sin(angle));
        }
        expect_covered_always(f);
    }
}

static void make_spiral(figure *f, int32_t count, double turns)
{
    f->count = 0;
    double pitch = 1 / turns;
    for (int32_t i = 0; i < count; ++i) {
        double t = turns * (i + 1) / count;
        add(f, (1 + pitch * t) * cos(6.2831853 * t), (1 + pitch * t) * sin(6.2831853 * t));
    }
    for (int32_t i = count; i-- > 0;) {
        double t = turns * (i + 1) / count;
        double radius = 1 + pitch * (t - 0.4);
        add(f, radius * cos(6.2831853 * t), radius * sin(6.2831853 * t));
    }
}

static void spiral_is_covered_once(void **state)
{
    figure *f = *state;
    make_spiral(f, 300, 7.3);
    expect_covered_always(f);
}

static void make_comb(figure *f, int32_t teeth, double slant)
{
    f->count = 0;
    add(f, 0, -1);
    add(f, teeth, -1);
    for (int32_t i = teeth; i-- > 0;) {
        add(f, i + 0.75, 0);
        add(f, i + 0.75 + slant, 10);
        add(f, i + 0.25 + slant, 10);
        add(f, i + 0.25, 0);
    }
}

static void comb_is_covered_once(void **state)
{
    figure *f = *state;
    make_comb(f, 50, 0);
    expect_covered_always(f);
    make_comb(f, 50, 20);
    expect_covered_always(f);
}

// The way around a random tree of cells: right angles and many corners on straight sides.
static void make_tree_outline(figure *f, uint64_t seed, int32_t size)
{
    enum { MOST = 128 };
    static unsigned char open[MOST * MOST][4]; // ways out of a cell: right, up, left, down
    static int32_t stack[MOST * MOST];
    static const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    static unsigned char seen[MOST * MOST];
    assert_true(size <= MOST);
    memset(open, 0, sizeof open);
    memset(seen, 0, sizeof seen);
    pli_random random = {seed, 3};
    uint64_t draws = 0;
    int32_t depth = 1;
    stack[0] = 0;
    seen[0] = 1;
    while (depth > 0) {
        int32_t cell = stack[depth - 1];
        int first = (int)(pli_random_bits(random, draws++) % 4);
        int32_t found = -1;
        for (int k = 0; k < 4 && found < 0; ++k) {
            int way = (first + k) % 4;
            int32_t x = cell % size + step[way][0];
            int32_t y = cell / size + step[way][1];
            if (x < 0 || y < 0 || x >= size || y >= size || seen[y * size + x]) continue;
            found = y * size + x;
            open[cell][way] = open[found][(way + 2) % 4] = 1;
            seen[found] = 1;
        }
        if (found >= 0) {
            stack[depth++] = found;
        } else {
            --depth;
        }
    }
    // with the wall to the right: a cell is a square of two, and a way out one of its corners more
    f->count = 0;
    int32_t cell = 0;
    int way = 0;
    do {
        int right = (way + 3) % 4;
        int32_t x = 3 * (cell % size);
        int32_t y = 3 * (cell / size);
        // the corner of the cell ahead to the right
        int ahead[2] = {step[way][0] + step[right][0], step[way][1] + step[right][1]};
        if (open[cell][right]) {
            way = right;
            cell += step[way][0] + size * step[way][1];
            continue;
        }
        add(f, x + 1 + ahead[0], y + 1 + ahead[1]);
        if (open[cell][way]) {
            cell += step[way][0] + size * step[way][1];
            int back[2] = {step[right][0] - step[way][0], step[right][1] - step[way][1]};
            add(f, 3 * (cell % size) + 1 + back[0], 3 * (cell / size) + 1 + back[1]);
        } else {
            way = (way + 1) % 4;
        }
    } while (cell != 0 || way != 0 || f->count < 4);
}

static void outline_of_a_maze_is_covered_once(void **state)
{
    figure *f = *state;
    for (uint64_t seed = 0; seed < 6; ++seed) {
        make_tree_outline(f, seed, 5 + 6 * (int32_t)seed);
        expect_covered_always(f);
    }
}

// ---- against all pairs of sides

static bool is_between(const double a[2], const double b[2], const double c[2])
{
    return pli_orient2d(a, b, c) == 0 && c[0] >= fmin(a[0], b[0]) && c[0] <= fmax(a[0], b[0]) &&
           c[1] >= fmin(a[1], b[1]) && c[1] <= fmax(a[1], b[1]);
}

static bool is_simple(const figure *f)
{
    int32_t n = f->count;
    for (int32_t i = 0; i < n; ++i) {
        const double *a = f->p[i];
        const double *b = f->p[(i + 1) % n];
        // no corner lies on a side but its own
        for (int32_t k = 0; k < n; ++k) {
            if (k != i && k != (i + 1) % n && is_between(a, b, f->p[k])) return false;
        }
        if (a[0] == b[0] && a[1] == b[1]) return false;
        for (int32_t j = 0; j < n; ++j) {
            const double *c = f->p[j];
            const double *d = f->p[(j + 1) % n];
            if (pli_orient2d(a, b, c) * pli_orient2d(a, b, d) < 0 &&
                pli_orient2d(c, d, a) * pli_orient2d(c, d, b) < 0) {
                return false;
            }
        }
    }
    return true;
}

static void self_crossing_polygons_are_told_from_simple_ones(void **state)
{
    figure *f = *state;
    pli_random random = {5, 8};
    uint64_t draws = 0;
    int simple = 0;
    for (int round = 0; round < 60000; ++round) {
        int32_t size = 2 + round % 5;
        int32_t count = 4 + round / 5 % 6;
        f->count = 0;
        for (int32_t i = 0; i < count; ++i) {
            uint64_t bits = pli_random_bits(random, draws++);
            add(f, (double)(bits % (uint64_t)size), (double)((bits >> 20) % (uint64_t)size));
        }
        lay(f, 0, 1);
        if (is_simple(f)) {
            expect_covered(f);
            ++simple;
        } else {
            triangulate(f);
            assert_int_not_equal(f->report.fault, PLI_POLYGON_SIMPLE);
        }
    }
    // both happen often
    AT_LEAST(simple, 3000);
    AT_MOST(simple, 57000);
}

static void random_polygons_are_covered_once(void **state)
{
    figure *f = *state;
    pli_random random = {5, 9};
    uint64_t draws = 0;
    for (int round = 0; round < 40; ++round) {
        f->count = 0;
        for (int32_t i = 0; i < 10 + 2 * round; ++i) {
            double x = pli_random_uniform(random, draws++);
            add(f, x, pli_random_uniform(random, draws++));
        }
        // turning round the way between two sides that cross makes it shorter, so this ends
        for (bool again = true; again;) {
            again = false;
            for (int32_t i = 0; i < f->count; ++i) {
                for (int32_t j = i + 2; j < f->count; ++j) {
                    const double *a = f->p[i];
                    const double *b = f->p[i + 1];
                    const double *c = f->p[j];
                    const double *d = f->p[(j + 1) % f->count];
                    if (pli_orient2d(a, b, c) * pli_orient2d(a, b, d) >= 0 ||
                        pli_orient2d(c, d, a) * pli_orient2d(c, d, b) >= 0) {
                        continue;
                    }
                    for (int32_t k = 0; 2 * k < j - i - 1; ++k) {
                        double kept[2] = {f->p[i + 1 + k][0], f->p[i + 1 + k][1]};
                        memcpy(f->p[i + 1 + k], f->p[j - k], sizeof kept);
                        memcpy(f->p[j - k], kept, sizeof kept);
                    }
                    again = true;
                }
            }
        }
        assert_true(is_simple(f));
        expect_covered_always(f);
    }
}

// ---- in space

static void polygon_that_is_not_plane_is_covered_from_any_side(void **state)
{
    figure *f = *state;
    pli_random random = {5, 10};
    for (int round = 0; round < 200; ++round) {
        make_comb(f, 3, 4);
        double area = 0.5 * shoelace(f);
        // turned anywhere, with its corners moved across by some hundredths of its size
        double axis[3][3], sum[3] = {0};
        for (uint64_t k = 0; k < 6; ++k) {
            axis[k / 3][k % 3] = pli_random_range(random, 6 * (uint64_t)round + k, -1, 1);
        }
        (void)pli_vec3_normalize(axis[0], axis[0]);
        pli_vec3_cross(axis[0], axis[1], axis[2]);
        (void)pli_vec3_normalize(axis[2], axis[2]);
        pli_vec3_cross(axis[2], axis[0], axis[1]);
        for (int32_t i = 0; i < f->count; ++i) {
            double across =
                pli_random_range(random, 5000 + 20 * (uint64_t)round + (uint64_t)i, -0.2, 0.2);
            for (int k = 0; k < 3; ++k) {
                f->x[i][k] =
                    f->p[i][0] * axis[0][k] + f->p[i][1] * axis[1][k] + across * axis[2][k] + 7;
            }
        }
        triangulate(f);
        assert_int_equal(f->report.fault, PLI_POLYGON_SIMPLE);
        for (int32_t i = 0; i + 2 < f->count; ++i) {
            double a[3], b[3], normal[3];
            const int32_t *t = f->triangles[i];
            pli_vec3_subtract(f->x[t[1]], f->x[t[0]], a);
            pli_vec3_subtract(f->x[t[2]], f->x[t[0]], b);
            pli_vec3_cross(a, b, normal);
            pli_vec3_add_scaled(sum, 0.5, normal, sum);
        }
        // the vector of the area is that of the outline, whatever the triangles
        NEAR(fabs(pli_vec3_dot(sum, axis[2])), fabs(area), 1e-12, 0);
        expect_edges_match(f);
    }
}

static void no_polygon_is_named_for_what_it_is(void **state)
{
    figure *f = *state;
    static const struct {
        double x[4][3];
        pli_polygon_fault fault;
    } cases[] = {
        // a bow tie in each plane, with equal lobes and with others
        {{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}, PLI_POLYGON_CROSSING},
        {{{0, 0, 0}, {0, 1, 1}, {0, 1, 0}, {0, 0, 1}}, PLI_POLYGON_CROSSING},
        {{{0, 0, 0}, {1, 0, 1}, {1, 0, 0}, {0, 0, 1}}, PLI_POLYGON_CROSSING},
        {{{0, 0, 0}, {3, 1, 0}, {3, 0, 0}, {0, 2, 0}}, PLI_POLYGON_CROSSING},
        // the same, not quite plane
        {{{0, 0, 0}, {1, 1, 1e-9}, {1, 0, 0}, {0, 1, 0}}, PLI_POLYGON_CROSSING},
        {{{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}}, PLI_POLYGON_COINCIDENT},
        {{{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}, PLI_POLYGON_FLAT},
        {{{2, 3, 4}, {2, 3, 4}, {2, 3, 4}, {2, 3, 4}}, PLI_POLYGON_FLAT},
        // a corner on the side across
        {{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}, {1, 0, 0}}, PLI_POLYGON_CROSSING},
        // the same in a slanting plane, where no other view can be exact
        {{{0, 0, 0}, {0.2, 0.4, 0.6}, {0.1, 0.9, 1.7}, {0.1, 0.2, 0.3}}, PLI_POLYGON_CROSSING},
        // half open like a book
        {{{0, 0, 0}, {1, 0, 0}, {0, 0, 2}, {0.9, 0.5, 0.1}}, PLI_POLYGON_SIMPLE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        f->count = 4;
        memcpy(f->x, cases[i].x, sizeof cases[i].x);
        triangulate(f);
        if (f->report.fault == cases[i].fault) continue;
        fprintf(stderr, "case %zu: fault %d\n", i, (int)f->report.fault);
        fail();
    }
}

static void bent_face_is_not_taken_for_one_that_crosses_itself(void **state)
{
    figure *f = *state;
    // a floor and half of the wall behind it, in one face
    static const double bent[5][3] = {{-5, 0, 5}, {5, 0, 5}, {5, 0, -5}, {-5, 0, -5}, {0, 5, -5}};
    f->count = 5;
    memcpy(f->x, bent, sizeof bent);
    triangulate(f);
    assert_int_equal(f->report.fault, PLI_POLYGON_BENT);
    expect_edges_match(f);
}

static void size_and_place_of_a_polygon_do_not_matter(void **state)
{
    figure *f = *state;
    static const double scales[] = {1e-300, 1e-200, 1, 1e150, 1e300};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        make_comb(f, 4, 3);
        for (int32_t i = 0; i < f->count; ++i) {
            for (int c = 0; c < 2; ++c) f->x[i][c] = f->p[i][c] * scales[k];
            f->x[i][2] = 0;
        }
        triangulate(f);
        assert_int_equal(f->report.fault, PLI_POLYGON_SIMPLE);
        expect_edges_match(f);
    }
}

// a hundred thousand corners in a second even under sanitizers: the order of n log n is meant
static void many_corners_take_no_minutes(void **state)
{
    figure *f = *state;
    alarm(30);
    make_comb(f, 25000, 3000.5);
    lay(f, 0, 1);
    expect_covered(f);
    make_spiral(f, 50000, 200);
    lay(f, 1, 2);
    expect_covered(f);
    make_tree_outline(f, 1, 120);
    lay(f, 0, 2);
    expect_covered(f);
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dart_has_one_cut_wherever_it_begins),
        cmocka_unit_test(convex_polygon_keeps_its_fan),
        cmocka_unit_test(corners_on_straight_sides_make_no_flat_triangles),
        cmocka_unit_test(star_is_covered_once),
        cmocka_unit_test(spiral_is_covered_once),
        cmocka_unit_test(comb_is_covered_once),
        cmocka_unit_test(outline_of_a_maze_is_covered_once),
        cmocka_unit_test(self_crossing_polygons_are_told_from_simple_ones),
        cmocka_unit_test(random_polygons_are_covered_once),
        cmocka_unit_test(polygon_that_is_not_plane_is_covered_from_any_side),
        cmocka_unit_test(no_polygon_is_named_for_what_it_is),
        cmocka_unit_test(bent_face_is_not_taken_for_one_that_crosses_itself),
        cmocka_unit_test(size_and_place_of_a_polygon_do_not_matter),
        cmocka_unit_test(many_corners_take_no_minutes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}

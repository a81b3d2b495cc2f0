// SPDX-License-Identifier: Apache-2.0
// Broad phase and edges of triangles.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/random.h"
#include "geometry/collision/broad_phase.h"
#include "geometry/mesh/edges.h"

enum { MAX_VERTICES = 700, MAX_PRIMITIVES = 700, MAX_PAIRS = 400000 };

// a surface with what is asked about it
typedef struct scene {
    pli_broad_phase_def def;
    double reach;
    double x0[3 * MAX_VERTICES];
    double x1[3 * MAX_VERTICES];
    int32_t points[MAX_VERTICES];
    int32_t edges[2 * MAX_PRIMITIVES];
    int32_t triangles[3 * MAX_PRIMITIVES];
    int32_t groups[MAX_VERTICES];
    bool is_fixed[MAX_VERTICES];
} scene;

typedef struct pair_array {
    int64_t count;
    int32_t pairs[MAX_PAIRS][2];
} pair_array;

// primitives of one kind, as brute force sees them
typedef struct kind {
    int32_t count;
    int32_t size;
    const int32_t *corners;
    const bool *is_wanted; // NULL: all
} kind;

static float float_below(double x)
{
    float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

// min and max of a primitive's box at positions x, rounded outwards
static void find_box(const scene *s, const double *x, const kind *k, int32_t i, float box[6])
{
    for (int axis = 0; axis < 3; ++axis) {
        double low = INFINITY;
        double high = -INFINITY;
        for (int32_t c = 0; c < k->size; ++c) {
            int32_t v = 3 * k->corners[k->size * i + c] + axis;
            low = fmin(low, x[v]);
            high = fmax(high, x[v]);
        }
        box[axis] = float_below(low - 0.5 * s->reach);
        box[3 + axis] = -float_below(-high - 0.5 * s->reach);
    }
}

static bool is_pair_wanted(const scene *s, const kind *a, int32_t i, const kind *b, int32_t j)
{
    bool all_fixed = true;
    for (int32_t c = 0; c < a->size + b->size; ++c) {
        int32_t v =
            c < a->size ? a->corners[a->size * i + c] : b->corners[b->size * j + c - a->size];
        for (int32_t k = 0; c < a->size && k < b->size; ++k) {
            if (v == b->corners[b->size * j + k]) return false;
        }
        if (s->def.is_fixed == NULL || !s->is_fixed[v]) all_fixed = false;
    }
    if (all_fixed) return false;
    if (s->def.collides == NULL) return true;
    int32_t g = s->groups[a->corners[a->size * i]];
    return s->def.collides(s->def.user, g, s->groups[b->corners[b->size * j]]);
}

// Whether no axis has one box beyond the other, on the same side at both ends of the way.
static bool do_boxes_meet(float p[2][6], float q[2][6])
{
    for (int k = 0; k < 3; ++k) {
        if (p[0][k] > q[0][3 + k] && p[1][k] > q[1][3 + k]) return false;
        if (q[0][k] > p[0][3 + k] && q[1][k] > p[1][3 + k]) return false;
    }
    return true;
}

// All pairs of boxes, in order.
static void find_by_force(const scene *s, const kind *a, const kind *b, pair_array *out)
{
    out->count = 0;
    for (int32_t i = 0; i < a->count; ++i) {
        if (a->is_wanted != NULL && !a->is_wanted[i]) continue;
        float p[2][6];
        find_box(s, s->x0, a, i, p[0]);
        find_box(s, s->x1, a, i, p[1]);
        for (int32_t j = a == b ? i + 1 : 0; j < b->count; ++j) {
            if (b->is_wanted != NULL && !b->is_wanted[j]) continue;
            float q[2][6];
            find_box(s, s->x0, b, j, q[0]);
            find_box(s, s->x1, b, j, q[1]);
            if (!do_boxes_meet(p, q) || !is_pair_wanted(s, a, i, b, j)) continue;
            assert_true(out->count < MAX_PAIRS);
            out->pairs[out->count][0] = i;
            out->pairs[out->count++][1] = j;
        }
    }
}

static void check_list(const pli_pair_list *list, const scene *s, const kind *a, const kind *b)
{
    static pair_array want;
    find_by_force(s, a, b, &want);
    assert_int_equal(list->count, want.count);
    if (want.count > 0) {
        assert_memory_equal(list->pairs, want.pairs, (size_t)want.count * sizeof *want.pairs);
    }
}

// Marks points without edges and triangles, and edges that are no side of a triangle.
static void mark_lone(const scene *s, bool *points, bool *edges)
{
    for (int32_t i = 0; i < s->def.point_count; ++i) {
        points[i] = true;
        for (int32_t e = 0; e < 2 * s->def.edge_count; ++e) {
            points[i] &= s->edges[e] != s->points[i];
        }
        for (int32_t t = 0; t < 3 * s->def.triangle_count; ++t) {
            points[i] &= s->triangles[t] != s->points[i];
        }
    }
    for (int32_t e = 0; e < s->def.edge_count; ++e) {
        edges[e] = true;
        for (int32_t t = 0; t < s->def.triangle_count; ++t) {
            int32_t common = 0;
            for (int k = 0; k < 6; ++k)
                common += s->triangles[3 * t + k / 2] == s->edges[2 * e + k % 2];
            if (common >= 2) edges[e] = false;
        }
    }
}

static void check_pairs(const scene *s, const pli_broad_phase_pairs *pairs)
{
    static bool lone_points[MAX_VERTICES];
    static bool lone_edges[MAX_PRIMITIVES];
    mark_lone(s, lone_points, lone_edges);
    const kind points = {s->def.point_count, 1, s->points, NULL};
    const kind edges = {s->def.edge_count, 2, s->edges, NULL};
    const kind triangles = {s->def.triangle_count, 3, s->triangles, NULL};
    const kind grains = {s->def.point_count, 1, s->points, lone_points};
    const kind rods = {s->def.edge_count, 2, s->edges, lone_edges};
    check_list(&pairs->point_triangle, s, &points, &triangles);
    check_list(&pairs->edge_edge, s, &edges, &edges);
    check_list(&pairs->point_edge, s, &grains, &rods);
    check_list(&pairs->point_point, s, &grains, &grains);
}

static void check_scene(const scene *s)
{
    pli_context *context = make_context(2);
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s->def, &broad));
    // the first call sorts and makes room, the second refits and reuses
    for (int k = 0; k < 2; ++k) {
        OK(context, pli_broad_phase_find_swept(broad, s->x0, s->x1, s->reach, &pairs));
        check_pairs(s, &pairs);
    }
    pli_broad_phase_destroy(broad);
    pli_context_destroy(context);
}

static bool others_collide(void *user, int32_t group, int32_t other)
{
    (void)user;
    return group != other;
}

static bool some_collide(void *user, int32_t group, int32_t other)
{
    return ((group + other) % *(int32_t *)user) != 0;
}

static void attach_lists(scene *s)
{
    s->def.points = s->points;
    s->def.edges = s->edges;
    s->def.triangles = s->triangles;
}

// Triangles with their edges, rods and grains, all of random places, sizes and motions, in groups
// of neighbours; some vertices are in no list of points.
static void make_random_scene(uint64_t seed, scene *s)
{
    memset(s, 0, sizeof *s);
    pli_random r = {seed, 5};
    int32_t triangle_count = (int32_t)pli_random_range(r, 1000000, 0, 120);
    int32_t rod_count = (int32_t)pli_random_range(r, 1000001, 0, 60);
    int32_t grain_count = (int32_t)pli_random_range(r, 1000002, 0, 60);
    double size = pow(10, pli_random_range(r, 1000003, -2, 0));
    double speed = pow(10, pli_random_range(r, 1000004, -4, -1)) * (seed % 3 != 0);
    s->reach = pow(10, pli_random_range(r, 1000005, -4, -1)) * (seed % 5 != 0);

    // corners of a strip of triangles, of a chain of rods, then grains
    int32_t n = 0;
    for (int32_t t = 0; t < triangle_count; ++t) {
        // every other triangle is joined to the one before
        int32_t first = t % 2 == 1 ? n - 2 : n;
        n = first + 3;
        for (int32_t c = 0; c < 3; ++c) {
            s->triangles[3 * t + c] = first + c;
            s->edges[2 * s->def.edge_count] = first + c;
            s->edges[2 * s->def.edge_count++ + 1] = first + (c + 1) % 3;
        }
    }
    s->def.triangle_count = triangle_count;
    for (int32_t e = 0; e < rod_count; ++e) {
        s->edges[2 * s->def.edge_count] = n;
        s->edges[2 * s->def.edge_count++ + 1] = n + 1;
        n += 1 + (e % 4 == 3 || e == rod_count - 1);
    }
    n += grain_count;
    s->def.vertex_count = n;
    for (int32_t v = 0; v < n; ++v) {
        int32_t cluster = v / 10 * 10;
        s->groups[v] = 0;
        s->is_fixed[v] = pli_random_uniform(r, (uint64_t)(5000 + v)) < 0.4;
        if (v % 7 != 3) s->points[s->def.point_count++] = v;
        for (int32_t k = 0; k < 3; ++k) {
            uint64_t i = (uint64_t)(10000 + 3 * v + k);
            s->x0[3 * v + k] = pli_random_uniform(r, (uint64_t)(3 * cluster + k)) +
                               pli_random_range(r, i, -size, size);
            s->x1[3 * v + k] = s->x0[3 * v + k] + pli_random_range(r, i + 20000, -speed, speed);
        }
    }
    attach_lists(s);
}

// Gives connected vertices one group each.
static void set_groups(scene *s)
{
    for (int32_t v = 0; v < s->def.vertex_count; ++v) s->groups[v] = v;
    for (int32_t e = 0; e < s->def.edge_count; ++e) {
        int32_t a = s->groups[s->edges[2 * e]];
        int32_t b = s->groups[s->edges[2 * e + 1]];
        for (int32_t v = 0; v < s->def.vertex_count; ++v) {
            if (s->groups[v] == a) s->groups[v] = b;
        }
    }
    s->def.groups = s->groups;
}

static void pairs_equal_brute_force_on_random_scenes(void **state)
{
    (void)state;
    static scene s;
    for (uint64_t seed = 0; seed < 50; ++seed) {
        make_random_scene(seed, &s);
        int32_t divisor = 3;
        if (seed % 2 == 1) s.def.is_fixed = s.is_fixed;
        if (seed % 4 >= 2) {
            set_groups(&s);
            s.def.user = &divisor;
            s.def.collides = seed % 8 >= 4 ? some_collide : others_collide;
        }
        check_scene(&s);
    }
}

static void scale_positions(scene *s, double scale, double shift)
{
    s->reach *= scale;
    for (int32_t i = 0; i < 3 * s->def.vertex_count; ++i) {
        s->x0[i] = scale * s->x0[i] + shift;
        s->x1[i] = scale * s->x1[i] + shift;
    }
}

static void pairs_equal_brute_force_at_any_scale(void **state)
{
    (void)state;
    static scene s;
    // past the ends of single precision, and where its spacing is wider than the surface
    const double scales[] = {1e-300, 1e-42, 1e-20, 1e10, 1e37, 1e39, 1e200};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k) {
        make_random_scene(7, &s);
        scale_positions(&s, scales[k], 0);
        check_scene(&s);
        make_random_scene(8, &s);
        scale_positions(&s, scales[k], -scales[k] / 2);
        check_scene(&s);
    }
    make_random_scene(9, &s);
    scale_positions(&s, 1e-3, 1e5);
    check_scene(&s);
}

static void coincident_and_flat_surfaces_are_survived(void **state)
{
    (void)state;
    static scene s;
    for (int32_t axes = 0; axes < 3; ++axes) {
        // all in one point, on a line, in a plane; reach 0 and not
        for (int32_t k = 0; k < 2; ++k) {
            make_random_scene(11, &s);
            s.reach = 1e-3 * k;
            for (int32_t i = 0; i < 3 * s.def.vertex_count; ++i) {
                if (i % 3 < axes) continue;
                s.x0[i] = s.x1[i] = 0.25;
            }
            check_scene(&s);
        }
    }
}

static void huge_primitives_among_small_ones_find_all(void **state)
{
    (void)state;
    static scene s;
    make_random_scene(14, &s);
    assert_true(s.def.triangle_count > 20);
    for (int32_t v = 0; v < 3; ++v) {
        for (int32_t k = 0; k < 3; ++k) {
            s.x0[3 * v + k] = s.x1[3 * v + k] = (v == k ? 1e3 : -1e3);
        }
    }
    check_scene(&s);
}

static void primitives_with_repeated_corners_and_twins_are_survived(void **state)
{
    static scene s;
    make_random_scene(14, &s);
    assert_true(s.def.triangle_count > 10 && s.def.edge_count > 10);
    s.triangles[1] = s.triangles[2] = s.triangles[0];
    s.edges[1] = s.edges[0];
    memcpy(s.triangles + 9, s.triangles + 12, 3 * sizeof *s.triangles);
    memcpy(s.edges + 6, s.edges + 8, 2 * sizeof *s.edges);
    s.points[3] = s.points[4];
    // a repeated corner makes an edge no side of the triangle, so lone edges are not compared here
    pli_context *context = *state;
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s.def, &broad));
    OK(context, pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs));
    const kind points = {s.def.point_count, 1, s.points, NULL};
    const kind edges = {s.def.edge_count, 2, s.edges, NULL};
    const kind triangles = {s.def.triangle_count, 3, s.triangles, NULL};
    check_list(&pairs.point_triangle, &s, &points, &triangles);
    check_list(&pairs.edge_edge, &s, &edges, &edges);
    pli_broad_phase_destroy(broad);
}

static void empty_surfaces_have_no_pairs(void **state)
{
    (void)state;
    static scene s;
    memset(&s, 0, sizeof s);
    attach_lists(&s);
    check_scene(&s);
    s.def.vertex_count = 1;
    s.def.point_count = 1;
    check_scene(&s);
    pli_broad_phase_destroy(NULL);
}

static void resting_call_is_motion_by_nothing(void **state)
{
    static scene s;
    make_random_scene(21, &s);
    memcpy(s.x1, s.x0, sizeof s.x1);
    pli_context *context = *state;
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s.def, &broad));
    OK(context, pli_broad_phase_find(broad, s.x0, s.reach, &pairs));
    assert_true(pairs.edge_edge.count > 0);
    check_pairs(&s, &pairs);
    pli_broad_phase_destroy(broad);
}

// A sheet of quads, random in height, with more primitives than one block of the search has.
static void make_sheet(scene *s)
{
    enum { N = 14 };
    memset(s, 0, sizeof *s);
    pli_random r = {3, 3};
    for (int32_t v = 0; v < (N + 1) * (N + 1); ++v) {
        const double x[3] = {v / (N + 1), v % (N + 1), pli_random_range(r, (uint64_t)v, 0, 2)};
        memcpy(s->x0 + 3 * v, x, sizeof x);
        s->points[v] = v;
    }
    memcpy(s->x1, s->x0, sizeof s->x1);
    s->def.vertex_count = s->def.point_count = (N + 1) * (N + 1);
    for (int32_t q = 0; q < N * N; ++q) {
        int32_t a = q / N * (N + 1) + q % N;
        const int32_t two[6] = {a, a + N + 1, a + N + 2, a, a + N + 2, a + 1};
        memcpy(s->triangles + 3 * s->def.triangle_count, two, sizeof two);
        s->def.triangle_count += 2;
    }
    attach_lists(s);
    s->reach = 0.1;
    pli_context *context = make_context(1);
    int32_t *edges = NULL;
    OK(context,
       pli_edges_build(context, s->def.triangle_count, s->triangles, &s->def.edge_count, &edges));
    assert_int_equal(s->def.edge_count, 3 * N * N + 2 * N);
    memcpy(s->edges, edges, 2 * (size_t)s->def.edge_count * sizeof *edges);
    pli_release(context, edges);
    pli_context_destroy(context);
}

static bool are_lists_equal(const pli_pair_list *a, const pli_pair_list *b)
{
    if (a->count != b->count) return false;
    return a->count == 0 || memcmp(a->pairs, b->pairs, (size_t)a->count * sizeof *a->pairs) == 0;
}

static void any_number_of_threads_and_any_past_give_the_same_pairs(void **state)
{
    (void)state;
    static scene s;
    make_sheet(&s);
    pli_context *contexts[3];
    pli_broad_phase *broads[3];
    pli_broad_phase_pairs pairs[3];
    for (int k = 0; k < 3; ++k) {
        contexts[k] = make_context(1 << k);
        OK(contexts[k], pli_broad_phase_create(contexts[k], &s.def, &broads[k]));
        // the trees come from different pasts
        scale_positions(&s, k + 1.0, 0);
        for (int32_t v = 0; v < s.def.vertex_count; v += 1 + k) s.x1[3 * v + 2] += 3 * k;
        OK(contexts[k], pli_broad_phase_find_swept(broads[k], s.x0, s.x1, s.reach, &pairs[k]));
        make_sheet(&s);
        OK(contexts[k], pli_broad_phase_find(broads[k], s.x0, s.reach, &pairs[k]));
        assert_true(pairs[k].point_triangle.count > 0 && pairs[k].edge_edge.count > 0);
        assert_true(are_lists_equal(&pairs[k].point_triangle, &pairs[0].point_triangle));
        assert_true(are_lists_equal(&pairs[k].edge_edge, &pairs[0].edge_edge));
    }
    check_pairs(&s, &pairs[2]);
    for (int k = 0; k < 3; ++k) {
        pli_broad_phase_destroy(broads[k]);
        pli_context_destroy(contexts[k]);
    }
}

static void tangled_motion_keeps_equal_to_brute_force(void **state)
{
    static scene s;
    make_sheet(&s);
    pli_context *context = *state;
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s.def, &broad));
    pli_random r = {8, 8};
    for (uint64_t step = 0; step < 12; ++step) {
        for (int32_t i = 0; i < 3 * s.def.vertex_count; ++i) {
            s.x0[i] = s.x1[i];
            s.x1[i] += pli_random_range(r, 10000 * step + (uint64_t)i, -0.6, 0.6);
        }
        OK(context, pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs));
        check_pairs(&s, &pairs);
    }
    pli_broad_phase_destroy(broad);
}

static void warm_call_allocates_nothing(void **state)
{
    static scene s;
    make_sheet(&s);
    pli_context *context = *state;
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s.def, &broad));
    OK(context, pli_broad_phase_find(broad, s.x0, 2 * s.reach, &pairs));
    int64_t before = pli_context_allocation_count(context);

    // fewer pairs, as many, and as many as without reach but stretched, so that trees are sorted
    OK(context, pli_broad_phase_find(broad, s.x0, s.reach, &pairs));
    OK(context, pli_broad_phase_find(broad, s.x0, 2 * s.reach, &pairs));
    for (int32_t i = 0; i < 3 * s.def.vertex_count; i += 3) s.x0[i] *= 10;
    OK(context, pli_broad_phase_find(broad, s.x0, 0, &pairs));
    assert_int_equal(pli_context_allocation_count(context), before);
    pli_broad_phase_destroy(broad);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    static scene s;
    make_random_scene(33, &s);
    for (fault_sweep sweep = {.at_least = 20}; fault_sweep_next(&sweep);) {
        pli_broad_phase *broad = NULL;
        pli_broad_phase_pairs pairs = {0};
        sweep.status = pli_broad_phase_create(sweep.context, &s.def, &broad);
        assert_int_equal(broad == NULL, sweep.status != PLI_OK);
        if (broad != NULL) {
            sweep.status = pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs);
        }
        // the next call succeeds
        if (broad != NULL && sweep.status != PLI_OK) {
            assert_true(pairs.point_triangle.count == 0 && pairs.edge_edge.count == 0);
            OK(sweep.context, pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs));
            check_pairs(&s, &pairs);
        }
        pli_broad_phase_destroy(broad);
    }
}

static void bad_input_is_refused_and_the_object_stays_usable(void **state)
{
    static scene s;
    make_random_scene(40, &s);
    pli_context *context = *state;
    pli_broad_phase *broad = NULL;
    pli_broad_phase_pairs pairs;
    OK(context, pli_broad_phase_create(context, &s.def, &broad));
    const double wrong[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        double kept = s.x1[3 * s.points[2] + k];
        s.x1[3 * s.points[2] + k] = wrong[k];
        assert_int_equal(pli_broad_phase_find(broad, s.x1, s.reach, &pairs), PLI_ERROR_ARGUMENT);
        assert_int_equal(pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs),
                         PLI_ERROR_ARGUMENT);
        assert_int_equal(pairs.edge_edge.count, 0);
        s.x1[3 * s.points[2] + k] = kept;
    }
    assert_int_equal(pli_broad_phase_find(broad, s.x0, -1, &pairs), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_broad_phase_find(broad, s.x0, NAN, &pairs), PLI_ERROR_ARGUMENT);
    OK(context, pli_broad_phase_find_swept(broad, s.x0, s.x1, s.reach, &pairs));
    check_pairs(&s, &pairs);
    pli_broad_phase_destroy(broad);

    // lists
    s.edges[3] = s.def.vertex_count;
    assert_int_equal(pli_broad_phase_create(context, &s.def, &broad), PLI_ERROR_MESH);
    s.edges[3] = -1;
    assert_int_equal(pli_broad_phase_create(context, &s.def, &broad), PLI_ERROR_MESH);
    assert_null(broad);
    make_random_scene(40, &s);
    s.def.groups = s.groups;
    s.groups[s.edges[3]] = 5;
    assert_int_equal(pli_broad_phase_create(context, &s.def, &broad), PLI_ERROR_MESH);
    make_random_scene(40, &s);
    s.def.triangle_count = -1;
    assert_int_equal(pli_broad_phase_create(context, &s.def, &broad), PLI_ERROR_ARGUMENT);
}

static void edges_and_vertices_of_triangles_are_unique_and_sorted(void **state)
{
    pli_context *context = *state;
    const int32_t triangles[] = {5, 2, 9, 9, 2, 7, 2, 5, 9, 4, 4, 7};
    const int32_t want[][2] = {{2, 5}, {2, 7}, {2, 9}, {4, 7}, {5, 9}, {7, 9}};
    const int32_t want_used[] = {2, 4, 5, 7, 9};
    int32_t count;
    int32_t *list = NULL;
    OK(context, pli_edges_build(context, 4, triangles, &count, &list));
    assert_int_equal(count, 6);
    assert_memory_equal(list, want, sizeof want);
    pli_release(context, list);
    OK(context, pli_used_vertices_build(context, 11, 12, triangles, &count, &list));
    assert_int_equal(count, 5);
    assert_memory_equal(list, want_used, sizeof want_used);
    pli_release(context, list);
    OK(context, pli_edges_build(context, 0, NULL, &count, &list));
    assert_int_equal(count, 0);
    pli_release(context, list);
    assert_int_equal(pli_edges_build(context, -1, NULL, &count, &list), PLI_ERROR_ARGUMENT);
    assert_null(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_equal_brute_force_on_random_scenes),
        cmocka_unit_test(pairs_equal_brute_force_at_any_scale),
        cmocka_unit_test(coincident_and_flat_surfaces_are_survived),
        cmocka_unit_test(huge_primitives_among_small_ones_find_all),
        TEST_IN_CONTEXT(primitives_with_repeated_corners_and_twins_are_survived, 1),
        cmocka_unit_test(empty_surfaces_have_no_pairs),
        TEST_IN_CONTEXT(resting_call_is_motion_by_nothing, 1),
        cmocka_unit_test(any_number_of_threads_and_any_past_give_the_same_pairs),
        TEST_IN_CONTEXT(tangled_motion_keeps_equal_to_brute_force, 2),
        TEST_IN_CONTEXT(warm_call_allocates_nothing, 2),
        cmocka_unit_test(failed_allocations_release_everything),
        TEST_IN_CONTEXT(bad_input_is_refused_and_the_object_stays_usable, 1),
        TEST_IN_CONTEXT(edges_and_vertices_of_triangles_are_unique_and_sorted, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
// Point location in deforming tetrahedra (Gast et al. 2015): equal to trying every tetrahedron,
// whatever the mesh.
#include "near.h"
#include "support/fault_sweep.h"

#include "base/parallel.h"
#include "base/random.h"
#include "geometry/collision/tet_locate.h"
#include "geometry/generate/grid_mesh.h"
#include "math/vec3.h"

enum { MAX_TETS = 4096 };

typedef struct hit_list {
    int32_t count;
    uint8_t is_hit[MAX_TETS];
} hit_list;

static bool note_hit(void *user, int32_t tet)
{
    hit_list *hits = user;
    assert_int_equal(hits->is_hit[tet], 0); // no tetrahedron comes twice
    hits->is_hit[tet] = 1;
    ++hits->count;
    return true;
}

static void get_corners(const double *x, const int32_t *tet, const double *corners[4])
{
    for (int k = 0; k < 4; ++k) corners[k] = x + 3 * (int64_t)tet[k];
}

// Least barycentric coordinate of a point in extended precision; NAN without volume.
static long double least_weight(const double *const corners[4], const double p[3])
{
    long double r[4][3], V[4];
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < 3; ++k) r[i][k] = (long double)corners[i][k] - (long double)p[k];
    }
    for (int i = 0; i < 4; ++i) {
        const long double *a = r[(i + 1) % 4], *b = r[(i + 2) % 4], *c = r[(i + 3) % 4];
        V[i] = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
        if (i % 2 == 1) V[i] = -V[i];
    }
    long double whole = V[0] + V[1] + V[2] + V[3];
    long double least = INFINITY;
    for (int i = 0; i < 4; ++i) least = V[i] / whole < least ? V[i] / whole : least;
    return whole == 0 ? (long double)NAN : least;
}

static bool has_corner(const int32_t *tet, int32_t vertex)
{
    return tet[0] == vertex || tet[1] == vertex || tet[2] == vertex || tet[3] == vertex;
}

typedef struct locate_case {
    pli_context *context;
    int32_t vertex_count;
    double *x;
    int32_t tet_count;
    int32_t *tets;
    pli_tet_locate *locate;
} locate_case;

// Asks for one point and compares with all tetrahedra, by the rule and by exact volumes.
static void check_point(const locate_case *mesh, const double p[3], int32_t skip)
{
    hit_list hits = {0};
    pli_tet_query query = {.point = p, .skip_vertex = skip, .visit = note_hit, .user = &hits};
    pli_tet_locate_query(mesh->locate, &query);
    for (int32_t t = 0; t < mesh->tet_count; ++t) {
        const int32_t *tet = mesh->tets + 4 * (int64_t)t;
        const double *corners[4];
        get_corners(mesh->x, tet, corners);
        bool want = !has_corner(tet, skip) && pli_tet_contains(corners, p);
        assert_int_equal(hits.is_hit[t], want);
        if (has_corner(tet, skip)) continue;
        // 1e-9: rounding of the volumes of the thinnest elements here over their own volume
        long double least = least_weight(corners, p);
        if (least > 1e-9L) assert_true(want);
        if (want) assert_true(least > -1e-9L);
    }
}

static void check_points(const locate_case *mesh, uint64_t stream, int32_t count)
{
    pli_random random = {71, stream};
    for (int32_t i = 0; i < count; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = pli_random_range(random, (uint64_t)(3 * i + k), -0.2, 1.2);
        }
        check_point(mesh, p, -1);
    }
    for (int32_t v = 0; v < mesh->vertex_count; v += 7) {
        check_point(mesh, mesh->x + 3 * (int64_t)v, v);
        check_point(mesh, mesh->x + 3 * (int64_t)v, -1);
    }
}

static locate_case make_case(int32_t threads, int32_t vertex_count, int32_t tet_count)
{
    locate_case mesh = {
        .context = make_context(threads), .vertex_count = vertex_count, .tet_count = tet_count};
    mesh.x = calloc(3 * (size_t)vertex_count, sizeof *mesh.x);
    mesh.tets = calloc(4 * (size_t)tet_count, sizeof *mesh.tets);
    assert_non_null(mesh.x);
    assert_non_null(mesh.tets);
    return mesh;
}

static void build_case(locate_case *mesh)
{
    OK(mesh->context, pli_tet_locate_create(mesh->context, mesh->vertex_count, mesh->x,
                                            mesh->tet_count, mesh->tets, &mesh->locate));
}

static void clear_case(locate_case *mesh)
{
    pli_tet_locate_destroy(mesh->locate);
    pli_context_destroy(mesh->context);
    free(mesh->x);
    free(mesh->tets);
}

static locate_case make_grid(int32_t threads, int32_t cells)
{
    pli_context *context = make_context(1);
    pli_tet_mesh *grid = NULL;
    pli_grid_mesh_def def = {.bounds = {{0, 0, 0}, {1, 1, 1}},
                             .cells = {cells, cells, cells},
                             .split = PLI_GRID_MESH_SIX};
    OK(context, pli_grid_mesh_create(context, &def, &grid));
    locate_case mesh = make_case(threads, grid->vertex_count, grid->tet_count);
    memcpy(mesh.x, grid->points, 3 * (size_t)grid->vertex_count * sizeof *mesh.x);
    memcpy(mesh.tets, grid->tets, 4 * (size_t)grid->tet_count * sizeof *mesh.tets);
    pli_tet_mesh_destroy(grid);
    pli_context_destroy(context);
    build_case(&mesh);
    return mesh;
}

// Random corners: every second element is inverted, some are flat, some vertices coincide.
static void location_equals_brute_force_in_random_soups(void **state)
{
    (void)state;
    static const int32_t counts[] = {0, 1, 2, 5, 17, 300};
    for (int n = 0; n < 6; ++n) {
        pli_random random = {72, (uint64_t)n};
        locate_case mesh = make_case(1, 40, counts[n]);
        for (int32_t k = 0; k < 120; ++k) mesh.x[k] = pli_random_uniform(random, (uint64_t)k);
        for (int32_t v = 30; v < 40; ++v) pli_vec3_copy(mesh.x + 3 * (v - 30), mesh.x + 3 * v);
        for (int32_t k = 0; k < 4 * counts[n]; ++k) {
            mesh.tets[k] = (int32_t)(pli_random_bits(random, (uint64_t)(500 + k)) % 40);
        }
        build_case(&mesh);
        check_points(&mesh, (uint64_t)n, 60);
        clear_case(&mesh);
    }
}

static void location_equals_brute_force_while_the_mesh_deforms(void **state)
{
    (void)state;
    locate_case mesh = make_grid(2, 5);
    double *rest = calloc(3 * (size_t)mesh.vertex_count, sizeof *rest);
    memcpy(rest, mesh.x, 3 * (size_t)mesh.vertex_count * sizeof *rest);
    int64_t before = pli_context_allocation_count(mesh.context);
    for (int step = 0; step <= 8; ++step) {
        // from smooth to torn to pieces and inside out, which makes the tree be rebuilt
        pli_random random = {73, (uint64_t)step};
        double noise = step < 4 ? 0.02 * step : 0.3 * (step - 3);
        for (int32_t k = 0; k < 3 * mesh.vertex_count; ++k) {
            double turned = step == 8 ? 1 - rest[k] : rest[k];
            mesh.x[k] = turned + noise * pli_random_normal(random, (uint64_t)k);
        }
        pli_tet_locate_refit(mesh.locate, mesh.x);
        check_points(&mesh, (uint64_t)step, 30);
    }
    assert_int_equal(pli_context_allocation_count(mesh.context), before);
    free(rest);
    clear_case(&mesh);
}

// Points on faces, edges and corners of the lattice are found, in spite of coordinates like 0.1.
static void points_between_elements_belong_to_them(void **state)
{
    (void)state;
    enum { CELLS = 5, FINE = 4 * CELLS };
    locate_case mesh = make_grid(1, CELLS);
    for (int32_t index = 0; index < (FINE + 1) * (FINE + 1) * (FINE + 1); ++index) {
        const int32_t at[3] = {index % (FINE + 1), index / (FINE + 1) % (FINE + 1),
                               index / ((FINE + 1) * (FINE + 1))};
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = (double)at[k] / FINE;
        hit_list hits = {0};
        pli_tet_query query = {.point = p, .skip_vertex = -1, .visit = note_hit, .user = &hits};
        pli_tet_locate_query(mesh.locate, &query);
        assert_true(hits.count >= 1);
    }
    clear_case(&mesh);
}

static void elements_without_volume_or_numbers_contain_nothing(void **state)
{
    (void)state;
    locate_case mesh = make_case(1, 8, 3);
    static const double x[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, // flat
                                 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tets[12] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 1, 2};
    memcpy(mesh.x, x, sizeof x);
    memcpy(mesh.tets, tets, sizeof tets);
    build_case(&mesh);
    double p[3] = {0.2, 0.2, 0};
    hit_list hits = {0};
    pli_tet_query query = {.point = p, .skip_vertex = -1, .visit = note_hit, .user = &hits};
    pli_tet_locate_query(mesh.locate, &query);
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.is_hit[1], 1);

    // positions that are not numbers, of the point and of the mesh
    double nothing[3] = {0.2, NAN, 0};
    hits = (hit_list){0};
    query.point = nothing;
    pli_tet_locate_query(mesh.locate, &query);
    mesh.x[12] = NAN;
    mesh.x[0] = INFINITY;
    pli_tet_locate_refit(mesh.locate, mesh.x);
    query.point = p;
    pli_tet_locate_query(mesh.locate, &query);
    assert_int_equal(hits.count, 0);
    clear_case(&mesh);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tets[4] = {0, 1, 2, 3};
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_tet_locate *locate = NULL;
        sweep.status = pli_tet_locate_create(sweep.context, 4, x, 1, tets, &locate);
        assert_int_equal(locate == NULL, sweep.status != PLI_OK);
        pli_tet_locate_destroy(locate);
    }
}

static void corners_outside_the_vertices_are_refused(void **state)
{
    static const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const int32_t tets[4] = {0, 1, 2, 4};
    pli_context *context = *state;
    pli_tet_locate *locate = NULL;
    assert_int_equal(pli_tet_locate_create(context, 4, x, 1, tets, &locate), PLI_ERROR_ARGUMENT);
    assert_null(locate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(location_equals_brute_force_in_random_soups),
        cmocka_unit_test(location_equals_brute_force_while_the_mesh_deforms),
        cmocka_unit_test(points_between_elements_belong_to_them),
        cmocka_unit_test(elements_without_volume_or_numbers_contain_nothing),
        cmocka_unit_test(failed_allocations_release_everything),
        TEST_IN_CONTEXT(corners_outside_the_vertices_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

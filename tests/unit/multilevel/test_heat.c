// SPDX-License-Identifier: Apache-2.0
//
// Distances from the flow of heat: lengths where they are known, the weighting by stiffness,
// and what happens where heat does not get to.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/multilevel/solids.h"

#include "linear/direct/cholesky.h"
#include "multilevel/heat.h"

enum { MAX_SOURCES = 400 };

// A regular box of cells of size 1 / cells[2], or solids of solids.h, with heat in it.
typedef struct fixture {
    pli_context *context;
    pli_tet_mesh *mesh;
    pli_heat *heat;
    double *distance;
    int32_t source_count;
    int32_t sources[MAX_SOURCES];
} fixture;

static pli_tet_mesh *new_box(pli_context *context, int32_t nx, int32_t ny, int32_t nz)
{
    pli_tet_mesh *mesh = NULL;
    pli_grid_mesh_def def = {
        .bounds = {{0, 0, 0}, {(double)nx / nz, (double)ny / nz, 1}},
        .cells = {nx, ny, nz},
        .split = PLI_GRID_MESH_FIVE,
    };
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    return mesh;
}

static pli_simplices simplices_of(const pli_tet_mesh *mesh)
{
    return (pli_simplices){mesh->vertex_count, mesh->points, 4, mesh->tet_count, mesh->tets};
}

// stiffness as a function of the centroid; NULL: all the same
static fixture make_fixture(pli_tet_mesh *mesh, double (*stiffness)(const double x[3]))
{
    fixture f = {.context = mesh->context, .mesh = mesh};
    double *values = malloc((size_t)mesh->tet_count * sizeof *values);
    assert_non_null(values);
    for (int32_t k = 0; stiffness != NULL && k < mesh->tet_count; ++k) {
        double x[3];
        pli_tet_centroid(mesh->points, mesh->tets + 4 * k, x);
        values[k] = stiffness(x);
    }
    pli_heat_def def = {simplices_of(mesh), stiffness != NULL ? values : NULL};
    OK(f.context, pli_heat_create(f.context, &def, &f.heat));
    f.distance = malloc((size_t)mesh->vertex_count * sizeof *f.distance);
    assert_non_null(f.distance);
    free(values);
    return f;
}

static void clear_fixture(fixture *f)
{
    pli_heat_destroy(f->heat);
    pli_tet_mesh_destroy(f->mesh);
    free(f->distance);
}

// Distances from the vertices whose first `fixed` coordinates are zero.
static void compute_from(fixture *f, int fixed)
{
    f->source_count = 0;
    for (int32_t v = 0; v < f->mesh->vertex_count; ++v) {
        bool is_source = true;
        for (int k = 0; k < fixed; ++k) is_source = is_source && f->mesh->points[3 * v + k] < 1e-9;
        if (is_source) f->sources[f->source_count++] = v;
    }
    OK(f->context, pli_heat_compute(f->heat, f->source_count, f->sources, f->distance));
}

static double mean_error_from_corner(const fixture *f)
{
    double error = 0;
    double length = 0;
    for (int32_t v = 0; v < f->mesh->vertex_count; ++v) {
        double want = pli_vec3_norm(f->mesh->points + 3 * v);
        error += fabs(f->distance[v] - want);
        length += want;
    }
    return error / length;
}

static void box_distances_are_lengths(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    fixture f = make_fixture(new_box(context, 12, 10, 10), NULL);

    // all the way from one corner
    compute_from(&f, 3);
    assert_int_equal(f.source_count, 1);
    AT_MOST(mean_error_from_corner(&f), 0.05);
    NEAR(f.distance[f.sources[0]], 0, 0, 0);

    // from a face, where the answer is linear
    compute_from(&f, 1);
    assert_int_equal(f.source_count, 11 * 11);
    double error = 0;
    double length = 0;
    for (int32_t v = 0; v < f.mesh->vertex_count; ++v) {
        error += fabs(f.distance[v] - f.mesh->points[3 * v]);
        length += f.mesh->points[3 * v];
    }
    AT_MOST(error / length, 0.05);
    for (int32_t k = 0; k < f.source_count; ++k) NEAR(f.distance[f.sources[k]], 0, 0, 0);
    clear_fixture(&f);
}

static double two_halves(const double x[3])
{
    return x[0] < 3 ? 1e5 : 1e7;
}

static double four_halves(const double x[3])
{
    return x[0] < 3 ? 1e5 : 4e5;
}

static double hard_halves(const double x[3])
{
    return x[0] < 3 ? 1e5 : 1e9;
}

// Mean distance of the vertices in the plane x.
static double mean_at(const fixture *f, double x)
{
    double sum = 0;
    int32_t count = 0;
    for (int32_t v = 0; v < f->mesh->vertex_count; ++v) {
        if (fabs(f->mesh->points[3 * v] - x) > 1e-9) continue;
        sum += f->distance[v];
        ++count;
    }
    return sum / count;
}

static void stiff_half_of_a_bar_is_shorter_by_the_root(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    double (*const stiffness[])(const double x[3]) = {NULL, four_halves, two_halves, hard_halves};
    static const double want[] = {3, 1.5, 0.3, 0.03};
    double last = INFINITY;
    for (int k = 0; k < 4; ++k) {
        fixture f = make_fixture(new_box(context, 24, 4, 4), stiffness[k]);
        compute_from(&f, 1);
        double soft = mean_at(&f, 3);
        double stiff = mean_at(&f, 6) - soft;
        // directions are wrong by the size of a cell, of twelve, at the ends and at the interface
        NEAR(soft, 3, 0.02, 0);
        NEAR(stiff, want[k], 0.02, 0);
        // the stiffer the nearer
        AT_MOST(soft + stiff, last);
        last = soft + stiff;
        clear_fixture(&f);
    }
}

static double stiff_floor(const double x[3])
{
    return x[2] < 0.25 ? 1e7 : 1e5;
}

static void paths_go_through_stiff_matter(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    fixture f = make_fixture(new_box(context, 32, 4, 8), stiff_floor);
    compute_from(&f, 3);
    // from the lower edge along the floor to x = 4, then up to the top, not straight through
    double last = 0;
    for (int32_t v = 0; v < f.mesh->vertex_count; ++v) {
        const double *x = f.mesh->points + 3 * v;
        if (x[0] > 3.9 && x[1] < 1e-9 && x[2] > 1 - 1e-9) last = f.distance[v];
    }
    // (a corner is cut, and heat smooths over a cell, an eighth of the way)
    NEAR(last, 4 / 10.0 + 0.75, 0.1, 0);
    clear_fixture(&f);
}

static void heat_that_is_lost_gives_way_to_paths(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    // heat falls by more than e^-1 per cell: none is left after 1500 of them
    fixture f = make_fixture(new_box(context, 1500, 1, 1), NULL);
    compute_from(&f, 1);
    double last = 0;
    for (int k = 0; k <= 1500; ++k) {
        double d = mean_at(&f, k);
        AT_LEAST(d, last);
        last = d;
    }
    // the same mean error as from a corner
    NEAR(last, 1500, 0.02, 0);
    clear_fixture(&f);
}

static void components_without_source_are_infinitely_far(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    solid s = make_solids(context, 3, 4, 3, 2);
    pli_heat_def def = {simplices_of(s.mesh), NULL};
    pli_heat *heat = NULL;
    OK(context, pli_heat_create(context, &def, &heat));
    assert_int_equal(heat->component_count, 3);
    int32_t n = s.mesh->vertex_count / 3;
    double *distance = malloc(3 * (size_t)n * sizeof *distance);
    assert_non_null(distance);
    int32_t sources[] = {n / 2, 2 * n + 5};
    OK(context, pli_heat_compute(heat, 2, sources, distance));
    for (int32_t v = 0; v < 3 * n; ++v) {
        if (v / n == 1) assert_true(isinf(distance[v]) && distance[v] > 0);
        // no farther than the longest way through a box of 4 x 3 x 2
        if (v / n != 1) AT_MOST(distance[v], 9);
    }
    // both components have their own level
    NEAR(distance[n / 2], 0, 0, 0);
    NEAR(distance[2 * n + 5], 0, 0, 0);

    // no source at all, and one that is not there
    OK(context, pli_heat_compute(heat, 0, NULL, distance));
    for (int32_t v = 0; v < 3 * n; ++v) assert_true(isinf(distance[v]));
    sources[0] = 3 * n;
    assert_int_equal(pli_heat_compute(heat, 1, sources, distance), PLI_ERROR_ARGUMENT);
    free(distance);
    pli_heat_destroy(heat);
    clear_solids(&s);
}

static void stiff_components_are_as_exact_as_soft_ones(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    solid s = make_solids(context, 2, 10, 8, 8);
    int32_t tet_count = s.mesh->tet_count;
    int32_t n = s.mesh->vertex_count / 2;
    double *stiffness = malloc((size_t)tet_count * sizeof *stiffness);
    double *distance = malloc(2 * (size_t)n * sizeof *distance);
    assert_true(stiffness != NULL && distance != NULL);
    for (int32_t k = 0; k < tet_count; ++k) stiffness[k] = s.mesh->tets[4 * k] < n ? 1e5 : 1e9;
    pli_heat_def def = {simplices_of(s.mesh), stiffness};
    pli_heat *heat = NULL;
    OK(context, pli_heat_create(context, &def, &heat));
    int32_t sources[] = {0, n};
    OK(context, pli_heat_compute(heat, 2, sources, distance));
    double error[2] = {0};
    double length[2] = {0};
    for (int32_t v = 0; v < 2 * n; ++v) {
        const double *points = s.mesh->points;
        double want = pli_vec3_distance(points + 3 * v, points + 3 * sources[v / n]);
        // metres in the softest matter, a hundredth in the other
        error[v / n] += fabs(distance[v] * (v < n ? 1 : 100) - want);
        length[v / n] += want;
    }
    for (int k = 0; k < 2; ++k) AT_MOST(error[k] / length[k], 0.05);
    pli_heat_destroy(heat);
    free(stiffness);
    free(distance);
    clear_solids(&s);
}

static void triangles_have_distances_too(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    enum { N = 30, SIDE = N + 1 };
    static double points[SIDE * SIDE][3];
    static int32_t triangles[2 * N * N][3];
    static double distance[SIDE * SIDE];
    // a square of cells, two triangles each
    for (int32_t k = 0; k < SIDE * SIDE; ++k) pli_vec3_set(k % SIDE, k / SIDE, 0, points[k]);
    for (int32_t k = 0; k < N * N; ++k) {
        int32_t a = k % N + SIDE * (k / N);
        int32_t turned = (k % N + k / N) % 2;
        int32_t quad[4] = {a, a + 1, a + SIDE + 1, a + SIDE};
        for (int c = 0; c < 3; ++c) {
            triangles[2 * k][c] = quad[(c + turned) % 4];
            triangles[2 * k + 1][c] = quad[(c + 2 + turned) % 4];
        }
    }
    pli_context *context = *state;
    pli_heat_def def = {{SIDE * SIDE, points[0], 3, 2 * N * N, triangles[0]}, NULL};
    pli_heat *heat = NULL;
    OK(context, pli_heat_create(context, &def, &heat));
    int32_t middle = SIDE * SIDE / 2;
    OK(context, pli_heat_compute(heat, 1, &middle, distance));
    double error = 0;
    double length = 0;
    for (int32_t k = 0; k < SIDE * SIDE; ++k) {
        double want = pli_vec3_distance(points[k], points[middle]);
        error += fabs(distance[k] - want);
        length += want;
    }
    AT_MOST(error / length, 0.05);
    pli_heat_destroy(heat);
}

static void bits_do_not_depend_on_threads_and_compute_allocates_nothing(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        fixture f = make_fixture(new_box(context, 24, 8, 8), two_halves);
        int64_t before = pli_context_allocation_count(context);
        compute_from(&f, 2);
        assert_int_equal(pli_context_allocation_count(context), before);
        same_bits_keep(&bits, f.distance, (size_t)f.mesh->vertex_count * sizeof *f.distance);
        clear_fixture(&f);
        pli_context_destroy(context);
    }
}

static void wrong_input_is_refused(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    pli_tet_mesh *mesh = new_box(context, 1, 1, 1);
    double stiffness[5] = {1, 1, 0, 1, 1};
    pli_heat *heat = NULL;
    pli_heat_def def = {simplices_of(mesh), stiffness};
    assert_int_equal(pli_heat_create(context, &def, &heat), PLI_ERROR_ARGUMENT);
    assert_null(heat);
    def.stiffness = NULL;
    def.mesh.element_count = 0;
    assert_int_equal(pli_heat_create(context, &def, &heat), PLI_ERROR_ARGUMENT);
    pli_heat_destroy(NULL);
    pli_tet_mesh_destroy(mesh);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    pli_context *plain = make_context(1);
    pli_tet_mesh *mesh = new_box(plain, 3, 2, 2);
    pli_heat_def def = {simplices_of(mesh), NULL};
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_heat *heat = NULL;
        sweep.status = pli_heat_create(sweep.context, &def, &heat);
        assert_int_equal(heat == NULL, sweep.status != PLI_OK);
        pli_heat_destroy(heat);
    }
    pli_tet_mesh_destroy(mesh);
    pli_context_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(box_distances_are_lengths, 2),
        TEST_IN_CONTEXT(stiff_half_of_a_bar_is_shorter_by_the_root, 2),
        TEST_IN_CONTEXT(paths_go_through_stiff_matter, 1),
        TEST_IN_CONTEXT(heat_that_is_lost_gives_way_to_paths, 1),
        TEST_IN_CONTEXT(components_without_source_are_infinitely_far, 1),
        TEST_IN_CONTEXT(stiff_components_are_as_exact_as_soft_ones, 1),
        TEST_IN_CONTEXT(triangles_have_distances_too, 1),
        cmocka_unit_test(bits_do_not_depend_on_threads_and_compute_allocates_nothing),
        TEST_IN_CONTEXT(wrong_input_is_refused, 1),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

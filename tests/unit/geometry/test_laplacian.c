// SPDX-License-Identifier: Apache-2.0
//
// The Laplacian of tetrahedra and triangles against what is known in closed form.
#include "near.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "base/random.h"
#include "geometry/generate/grid_mesh.h"
#include "geometry/mesh/laplacian.h"
#include "math/vec3.h"

enum { CELLS = 4, SIDE = 6 };

// A box of irregular tetrahedra: a grid whose inner vertices are moved about.
static pli_tet_mesh *make_box(pli_context *context)
{
    pli_tet_mesh *mesh = NULL;
    pli_grid_mesh_def def = {.bounds = {{0, 0, 0}, {2, 1, 1.5}},
                             .cells = {CELLS, CELLS, CELLS},
                             .split = PLI_GRID_MESH_SIX};
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        for (int c = 0; c < 3; ++c) {
            double *x = &mesh->points[3 * v + c];
            bool is_inside = *x > def.bounds.min[c] + 1e-9 && *x < def.bounds.max[c] - 1e-9;
            uint64_t index = 3 * (uint64_t)v + (uint64_t)c;
            if (is_inside) *x += pli_random_range((pli_random){1, 1}, index, -0.05, 0.05);
        }
    }
    return mesh;
}

static pli_simplices tets_of(const pli_tet_mesh *mesh)
{
    return (pli_simplices){mesh->vertex_count, mesh->points, 4, mesh->tet_count, mesh->tets};
}

static bool is_inside_box(const double x[3])
{
    static const double size[3] = {2, 1, 1.5};
    for (int c = 0; c < 3; ++c) {
        if (x[c] < 1e-9 || x[c] > size[c] - 1e-9) return false;
    }
    return true;
}

// A sheet of squares in two triangles each, z = bend x^2.
typedef struct sheet {
    double points[(SIDE + 1) * (SIDE + 1)][3];
    int32_t triangles[2 * SIDE * SIDE][3];
} sheet;

static void make_sheet(double bend, sheet *s)
{
    for (int v = 0; v < (SIDE + 1) * (SIDE + 1); ++v) {
        double x = 0.3 * (v % (SIDE + 1));
        double y = 0.2 * (v / (SIDE + 1)) + 0.07 * x;
        pli_vec3_set(x, y, bend * x * x, s->points[v]);
    }
    for (int cell = 0; cell < SIDE * SIDE; ++cell) {
        int32_t corner = cell % SIDE + (SIDE + 1) * (cell / SIDE);
        int32_t quad[4] = {corner, corner + 1, corner + SIDE + 1, corner + SIDE + 2};
        int32_t split[2][3] = {{quad[0], quad[1], quad[3]}, {quad[0], quad[3], quad[2]}};
        memcpy(s->triangles[2 * cell], split, sizeof split);
    }
}

static pli_simplices triangles_of(const sheet *s)
{
    return (pli_simplices){(SIDE + 1) * (SIDE + 1), s->points[0], 3, 2 * SIDE * SIDE,
                           s->triangles[0]};
}

static double *new_vectors(const pli_laplacian *laplacian)
{
    double *x = calloc(3 * (size_t)laplacian->vertex_count, sizeof *x);
    assert_non_null(x);
    return x;
}

static double dot(int64_t count, const double *x, const double *y)
{
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += x[k] * y[k];
    return sum;
}

static double total_mass(const pli_laplacian *laplacian)
{
    double sum = 0;
    for (int32_t v = 0; v < laplacian->vertex_count; ++v) sum += laplacian->mass[v];
    return sum;
}

static void linear_functions_are_reproduced_on_tetrahedra(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_box(context);
    pli_simplices simplices = tets_of(mesh);
    pli_laplacian *laplacian = NULL;
    OK(context, pli_laplacian_create(context, &simplices, NULL, &laplacian));
    NEAR(total_mass(laplacian), 3, 1e-13, 0);

    // u = x, y and z at once; entries are about 1, so rounding is about 1e-16 times a row's length
    double *y = new_vectors(laplacian);
    pli_laplacian_apply(laplacian, mesh->points, y);
    int32_t inside_count = 0;
    for (int32_t v = 0; v < mesh->vertex_count; ++v) {
        if (!is_inside_box(mesh->points + 3 * (int64_t)v)) continue;
        ++inside_count;
        for (int c = 0; c < 3; ++c) NEAR(y[3 * v + c], 0, 0, 1e-13);
    }
    assert_int_equal(inside_count, (CELLS - 1) * (CELLS - 1) * (CELLS - 1));

    // Dirichlet integrals of three functions with unit gradients: the volume each
    NEAR(dot(3 * (int64_t)mesh->vertex_count, mesh->points, y), 3 * 3.0, 1e-13, 0);
    free(y);
    pli_laplacian_destroy(laplacian);
    pli_tet_mesh_destroy(mesh);
}

static void linear_functions_are_reproduced_on_flat_triangles(void **state)
{
    pli_context *context = *state;
    sheet s;
    make_sheet(0, &s);
    pli_simplices simplices = triangles_of(&s);
    pli_laplacian *laplacian = NULL;
    OK(context, pli_laplacian_create(context, &simplices, NULL, &laplacian));
    double area = 0.3 * 0.2 * SIDE * SIDE;
    NEAR(total_mass(laplacian), area, 1e-13, 0);

    double *y = new_vectors(laplacian);
    pli_laplacian_apply(laplacian, s.points[0], y);
    for (int i = 1; i < SIDE; ++i) {
        for (int j = 1; j < SIDE; ++j) {
            for (int c = 0; c < 3; ++c) NEAR(y[3 * (i + (SIDE + 1) * j) + c], 0, 0, 1e-13);
        }
    }
    // x and y have unit gradients in the plane, z none
    NEAR(dot(3 * (int64_t)laplacian->vertex_count, s.points[0], y), 2 * area, 1e-13, 0);
    free(y);
    pli_laplacian_destroy(laplacian);
}

static void triangles_give_halved_cotangents(void **state)
{
    pli_context *context = *state;
    // a right triangle with legs 1 and 2, somewhere in space: cotangents 0, 2 and 1/2
    double points[3][3] = {{1, 1, 1}, {1, 2, 1}, {1, 1, 3}};
    int32_t triangle[3] = {0, 1, 2};
    pli_simplices simplices = {3, points[0], 3, 1, triangle};
    pli_laplacian *laplacian = NULL;
    double weight = 3;
    OK(context, pli_laplacian_create(context, &simplices, &weight, &laplacian));
    static const double want[9] = {1.25, -1, -0.25, -1, 1, 0, -0.25, 0, 0.25};
    for (int k = 0; k < 9; ++k) {
        assert_int_equal(laplacian->column[k], k % 3);
        NEAR(laplacian->values[k], 3 * want[k], 1e-14, 1e-15);
    }
    for (int v = 0; v < 3; ++v) NEAR(laplacian->mass[v], 1.0 / 3, 1e-14, 0);
    pli_laplacian_destroy(laplacian);
}

// Symmetric to the bit, zero for constants, never negative.
static void check_form(const pli_laplacian *l)
{
    for (int32_t row = 0; row < l->vertex_count; ++row) {
        double sum = 0;
        for (int64_t k = l->row_start[row]; k < l->row_start[row + 1]; ++k) {
            int32_t column = l->column[k];
            assert_true(k == l->row_start[row] || l->column[k - 1] < column);
            int64_t mirror = l->row_start[column];
            while (l->column[mirror] != row) ++mirror;
            assert_true(mirror < l->row_start[column + 1]);
            assert_true(l->values[mirror] == l->values[k]);
            sum += l->values[k];
        }
        NEAR(sum, 0, 0, 1e-13);
    }
    double *x = new_vectors(l);
    double *y = new_vectors(l);
    for (uint64_t trial = 0; trial < 20; ++trial) {
        for (int64_t k = 0; k < 3 * (int64_t)l->vertex_count; ++k) {
            x[k] = pli_random_range((pli_random){trial, 2}, (uint64_t)k, -1, 1);
        }
        pli_laplacian_apply(l, x, y);
        AT_LEAST(dot(3 * (int64_t)l->vertex_count, x, y), 1e-3);
    }
    free(x);
    free(y);
}

static void matrix_is_symmetric_and_semidefinite(void **state)
{
    pli_context *context = *state;
    pli_tet_mesh *mesh = make_box(context);
    pli_simplices solid = tets_of(mesh);
    sheet s;
    make_sheet(0.4, &s);
    pli_simplices surface = triangles_of(&s);
    double weights[6 * CELLS * CELLS * CELLS];
    for (int k = 0; k < 6 * CELLS * CELLS * CELLS; ++k) weights[k] = 0.5 + k % 7;

    pli_laplacian *laplacian = NULL;
    OK(context, pli_laplacian_create(context, &solid, weights, &laplacian));
    check_form(laplacian);
    pli_laplacian_destroy(laplacian);
    OK(context, pli_laplacian_create(context, &surface, NULL, &laplacian));
    check_form(laplacian);
    pli_laplacian_destroy(laplacian);
    pli_tet_mesh_destroy(mesh);
}

static uint64_t values_hash(int32_t thread_count)
{
    pli_context *context = make_context(thread_count);
    pli_tet_mesh *mesh = NULL;
    pli_grid_mesh_def def = {
        .bounds = {{0, 0, 0}, {1, 1, 1}}, .cells = {12, 11, 10}, .split = PLI_GRID_MESH_FIVE};
    OK(context, pli_grid_mesh_create(context, &def, &mesh));
    pli_simplices simplices = tets_of(mesh);
    pli_laplacian *laplacian = NULL;
    OK(context, pli_laplacian_create(context, &simplices, NULL, &laplacian));
    uint64_t hash = pli_hash_bytes(PLI_HASH_START, laplacian->values,
                                   (size_t)laplacian->entry_count * sizeof(double));
    double *y = new_vectors(laplacian);
    pli_laplacian_apply(laplacian, mesh->points, y);
    hash = pli_hash_bytes(hash, y, 3 * (size_t)laplacian->vertex_count * sizeof *y);
    free(y);
    pli_laplacian_destroy(laplacian);
    pli_tet_mesh_destroy(mesh);
    pli_context_destroy(context);
    return hash;
}

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        same_bits_keep_hash(&bits, values_hash(bits.threads));
    }
}

static void bad_meshes_are_refused(void **state)
{
    pli_context *context = *state;
    double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}};
    int32_t corners[4] = {0, 1, 2, 3};
    pli_laplacian *laplacian = NULL;
    pli_simplices edge = {4, points[0], 2, 1, corners};
    pli_simplices line = {4, points[0], 3, 1, corners};
    pli_simplices flat = {4, points[0], 4, 1, corners};
    pli_simplices outside = {3, points[0], 4, 1, corners};
    assert_int_equal(pli_laplacian_create(context, &edge, NULL, &laplacian), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_laplacian_create(context, &line, NULL, &laplacian), PLI_ERROR_MESH);
    assert_int_equal(pli_laplacian_create(context, &flat, NULL, &laplacian), PLI_ERROR_MESH);
    assert_int_equal(pli_laplacian_create(context, &outside, NULL, &laplacian), PLI_ERROR_ARGUMENT);
    assert_null(laplacian);

    // a mesh without elements is a matrix of zeros
    pli_simplices empty = {4, points[0], 4, 0, corners};
    OK(context, pli_laplacian_create(context, &empty, NULL, &laplacian));
    assert_int_equal(laplacian->entry_count, 4);
    NEAR(total_mass(laplacian), 0, 0, 0);
    pli_laplacian_destroy(laplacian);
    pli_laplacian_destroy(NULL);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    sheet s;
    make_sheet(0.1, &s);
    pli_simplices simplices = triangles_of(&s);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_laplacian *laplacian = NULL;
        sweep.status = pli_laplacian_create(sweep.context, &simplices, NULL, &laplacian);
        assert_int_equal(laplacian == NULL, sweep.status != PLI_OK);
        pli_laplacian_destroy(laplacian);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(linear_functions_are_reproduced_on_tetrahedra, 1),
        TEST_IN_CONTEXT(linear_functions_are_reproduced_on_flat_triangles, 1),
        TEST_IN_CONTEXT(triangles_give_halved_cotangents, 1),
        TEST_IN_CONTEXT(matrix_is_symmetric_and_semidefinite, 1),
        cmocka_unit_test(bits_do_not_depend_on_threads),
        TEST_IN_CONTEXT(bad_meshes_are_refused, 1),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

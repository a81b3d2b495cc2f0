// SPDX-License-Identifier: Apache-2.0
//
// The two-grid instrument (Xian et al. 2019) on elasticity of small boxes with hand-made coarse
// spaces: the box is cut into boxes of cells, and every vertex follows the node of the box it is
// in.
#include "support/fault_sweep.h"
#include "unit/linear/problems.h"

#include "linear/direct/cholesky.h"
#include "support/two_grid.h"

typedef struct problem {
    pli_context *context;
    box_mesh mesh;
    pli_bcsr *matrix;
    pli_hierarchy *hierarchy;
    pli_arena *arena;
} problem;

static void skip_without_cholmod(void)
{
    if (!pli_cholesky_is_available()) skip();
}

// Which of `parts` equal parts of the box a vertex is in, along x.
static int32_t part_of(const box_mesh *mesh, int32_t vertex, int32_t parts)
{
    int32_t i = vertex % (mesh->cells[0] + 1);
    return i * parts / (mesh->cells[0] + 1);
}

// A hierarchy of one level, slices along x; frames of size 1 about the middle of each slice.
static pli_hierarchy *slice_hierarchy(pli_context *context, const box_mesh *mesh, int32_t parts,
                                      int32_t dofs)
{
    pli_hierarchy *hierarchy = PLI_NEW(context, pli_hierarchy, 1, "hierarchy");
    assert_non_null(hierarchy);
    *hierarchy = (pli_hierarchy){.context = context, .dofs = dofs, .level_count = 1};
    pli_interpolation_map *transfer = &hierarchy->transfers[0];
    int32_t n = mesh->vertex_count;
    OK(context, pli_interpolation_map_init(context, n, parts, n, false, transfer));
    for (int32_t vertex = 0; vertex < n; ++vertex) {
        int32_t part = part_of(mesh, vertex, parts);
        double middle = (part + 0.5) * (mesh->cells[0] + 1) / parts;
        transfer->start[vertex + 1] = vertex + 1;
        transfer->parent[vertex] = part;
        for (int k = 0; k < 3; ++k) {
            double x = mesh->x[3 * (int64_t)vertex + k];
            transfer->place[4 * (int64_t)vertex + k] = k == 0 ? x - middle : x;
        }
    }
    return hierarchy;
}

static void make_problem(problem *p, pli_context *context, int32_t parts, int32_t dofs)
{
    *p = (problem){.context = context};
    assert_true(box_mesh_init(&p->mesh, 11, 3, 3));
    OK(context, box_matrix_create(context, &p->mesh, 0.01, 1, &p->matrix));
    p->hierarchy = slice_hierarchy(context, &p->mesh, parts, dofs);
    OK(context, pli_arena_create(context, 1 << 16, &p->arena));
}

static void clear_problem(problem *p)
{
    pli_arena_destroy(p->arena);
    pli_hierarchy_destroy(p->hierarchy);
    pli_bcsr_destroy(p->matrix);
    box_mesh_clear(&p->mesh);
    pli_context_destroy(p->context);
}

static pli_two_grid *make_grid(const problem *p, const uint8_t *mask, bool isotropic)
{
    pli_two_grid *grid = NULL;
    pli_two_grid_def def = {p->matrix, p->hierarchy, mask, isotropic};
    OK(p->context, pli_two_grid_create(p->context, &def, &grid));
    return grid;
}

// |S S v - S v| / |S v| for a random v
static double idempotence_error(const problem *p, const pli_two_grid *grid)
{
    int64_t n = unknown_count(p->matrix);
    double *v = random_vector(n, 3);
    double *once = new_vector(n);
    OK(p->context, pli_two_grid_project(grid, v, p->arena, once));
    OK(p->context, pli_two_grid_project(grid, once, p->arena, v));
    pli_vector_subtract(p->context, n, v, once, v);
    double error = pli_vector_norm(p->context, n, v) / pli_vector_norm(p->context, n, once);
    free(v);
    free(once);
    return error;
}

// Rounding is amplified by the condition of U^T A U, about 1e4 here.
static void projecting_twice_is_projecting_once(void **state)
{
    (void)state;
    skip_without_cholmod();
    for (int32_t dofs = 3; dofs <= 12; dofs += 9) {
        problem p;
        make_problem(&p, make_context(2), 4, dofs);
        pli_two_grid *grid = make_grid(&p, NULL, false);
        assert_int_equal(pli_two_grid_unknown_count(grid), 4 * dofs);
        AT_MOST(idempotence_error(&p, grid), 1e-10);
        pli_two_grid_destroy(grid);
        clear_problem(&p);
    }
}

// A slice one vertex thick does not determine what happens along x: its unknowns are left out, and
// an affine field is still reproduced.
static void nodes_of_flat_pieces_are_handled(void **state)
{
    (void)state;
    skip_without_cholmod();
    problem p;
    make_problem(&p, make_context(2), 12, 12);
    pli_two_grid *grid = make_grid(&p, NULL, false);
    AT_MOST(idempotence_error(&p, grid), 1e-10);
    int64_t n = unknown_count(p.matrix);
    double *affine = new_vector(n);
    double *projected = new_vector(n);
    for (int64_t k = 0; k < n; ++k) {
        const double *X = p.mesh.x + 3 * (k / 3);
        affine[k] = k % 3 == 0 ? 1 + X[0] - 2 * X[1] : 0.5 * X[2] + X[k % 3];
    }
    OK(p.context, pli_two_grid_project(grid, affine, p.arena, projected));
    for (int64_t k = 0; k < n; ++k) NEAR(projected[k], affine[k], 1e-9, 1e-9);
    free(affine);
    free(projected);
    pli_two_grid_destroy(grid);
    clear_problem(&p);
}

// The matrix S (x) I of a box: both ways to handle it give the same projection.
static void isotropic_matrices_give_the_same(void **state)
{
    (void)state;
    skip_without_cholmod();
    problem p;
    make_problem(&p, make_context(2), 4, 12);
    for (int64_t slot = 0; slot < p.matrix->block_count; ++slot) {
        double *block = p.matrix->values + 9 * slot;
        double trace = block[0] + block[4] + block[8];
        for (int k = 0; k < 9; ++k) block[k] = k % 4 == 0 ? trace / 3 : 0;
    }
    pli_two_grid *blocks = make_grid(&p, NULL, false);
    pli_two_grid *scalar = make_grid(&p, NULL, true);
    assert_int_equal(pli_two_grid_unknown_count(scalar), pli_two_grid_unknown_count(blocks));
    assert_int_equal(pli_two_grid_entry_count(scalar), pli_two_grid_entry_count(blocks));
    int64_t n = unknown_count(p.matrix);
    double *b = random_vector(n, 4);
    pli_two_grid_report first;
    pli_two_grid_report second;
    OK(p.context, pli_two_grid_measure(blocks, b, 3, p.arena, &first));
    OK(p.context, pli_two_grid_measure(scalar, b, 3, p.arena, &second));
    NEAR(second.error_before, first.error_before, 1e-9, 0);
    NEAR(second.reduction, first.reduction, 1e-9, 0);
    free(b);
    pli_two_grid_destroy(scalar);
    pli_two_grid_destroy(blocks);
    clear_problem(&p);
}

// What S leaves has no energy in common with the range of U, so nothing is left in that range, and
// the energy of the error cannot grow.
static void the_energy_of_the_error_falls(void **state)
{
    (void)state;
    skip_without_cholmod();
    problem p;
    make_problem(&p, make_context(2), 4, 12);
    pli_two_grid *grid = make_grid(&p, NULL, false);
    int64_t n = unknown_count(p.matrix);
    double *e = random_vector(n, 5);
    double *s = new_vector(n);
    double *Ae = new_vector(n);
    pli_bcsr_multiply(p.matrix, e, Ae);
    double before = pli_vector_dot(p.context, n, e, Ae);
    OK(p.context, pli_two_grid_project(grid, e, p.arena, s));
    pli_vector_subtract(p.context, n, e, s, e);
    pli_bcsr_multiply(p.matrix, e, Ae);
    // orthogonal to rounding of the two numbers' own size
    NEAR(pli_vector_dot(p.context, n, s, Ae), 0, 0, 1e-9 * before);
    AT_MOST(pli_vector_dot(p.context, n, e, Ae), before);
    free(e);
    free(s);
    free(Ae);
    pli_two_grid_destroy(grid);
    clear_problem(&p);
}

// As table 3 of Xian et al. 2019 says, small: affine nodes take away more than translations, and
// more sweeps leave less.
static void affine_nodes_beat_translations(void **state)
{
    (void)state;
    skip_without_cholmod();
    double reduction[2];
    for (int k = 0; k < 2; ++k) {
        problem p;
        make_problem(&p, make_context(2), 4, k == 0 ? 12 : 3);
        pli_two_grid *grid = make_grid(&p, NULL, false);
        int64_t n = unknown_count(p.matrix);
        double *b = new_vector(n);
        for (int64_t i = 1; i < n; i += 3) b[i] = -1 + 0.1 * p.mesh.x[i - 1];
        pli_two_grid_report report;
        pli_two_grid_report fewer;
        OK(p.context, pli_two_grid_measure(grid, b, 3, p.arena, &report));
        OK(p.context, pli_two_grid_measure(grid, b, 1, p.arena, &fewer));
        AT_MOST(report.error_before, fewer.error_before);
        reduction[k] = report.reduction;
        free(b);
        pli_two_grid_destroy(grid);
        clear_problem(&p);
    }
    AT_MOST(reduction[0], 0.5 * reduction[1]);
}

static void held_coordinates_are_never_moved(void **state)
{
    (void)state;
    skip_without_cholmod();
    problem p;
    make_problem(&p, make_context(2), 4, 12);
    int32_t rows = p.matrix->row_count;
    uint8_t *mask = calloc((size_t)rows, 1);
    assert_non_null(mask);
    for (int32_t vertex = 0; vertex < rows; ++vertex) {
        if (p.mesh.x[3 * (int64_t)vertex] < 1.5) mask[vertex] = 7;
        if (p.mesh.x[3 * (int64_t)vertex] > 10.5) mask[vertex] = 2;
    }
    pli_bcsr_fix_dofs(p.matrix, mask, 1);
    pli_two_grid *grid = make_grid(&p, mask, false);
    AT_MOST(idempotence_error(&p, grid), 1e-10);
    int64_t n = unknown_count(p.matrix);
    double *v = random_vector(n, 6);
    double *out = new_vector(n);
    OK(p.context, pli_two_grid_project(grid, v, p.arena, out));
    for (int64_t k = 0; k < n; ++k) {
        if (mask[k / 3] >> k % 3 & 1) assert_true(out[k] == 0);
    }
    free(v);
    free(out);
    free(mask);
    pli_two_grid_destroy(grid);
    clear_problem(&p);
}

static void wrong_sizes_are_refused(void **state)
{
    (void)state;
    problem p;
    make_problem(&p, make_context(1), 4, 12);
    pli_bcsr *other = random_matrix(p.context, 20, 1);
    pli_two_grid_def def = {other, p.hierarchy, NULL, false};
    pli_two_grid *grid = NULL;
    assert_int_equal(pli_two_grid_create(p.context, &def, &grid), PLI_ERROR_ARGUMENT);
    assert_null(grid);
    pli_two_grid_destroy(NULL);
    pli_bcsr_destroy(other);
    clear_problem(&p);
}

// The n-th allocation of a creation fails, for all n.
static void failed_creations_leave_nothing(void **state)
{
    (void)state;
    skip_without_cholmod();
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        problem p;
        make_problem(&p, sweep.context, 4, 12);
        pli_two_grid_def def = {p.matrix, p.hierarchy, NULL, false};
        pli_two_grid *grid = NULL;
        fault_sweep_resume(&sweep);
        sweep.status = pli_two_grid_create(p.context, &def, &grid);
        assert_int_equal(grid == NULL, sweep.status != PLI_OK);
        pli_two_grid_destroy(grid);
        clear_problem(&p);
        sweep.context = NULL;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projecting_twice_is_projecting_once),
        cmocka_unit_test(nodes_of_flat_pieces_are_handled),
        cmocka_unit_test(isotropic_matrices_give_the_same),
        cmocka_unit_test(the_energy_of_the_error_falls),
        cmocka_unit_test(affine_nodes_beat_translations),
        cmocka_unit_test(held_coordinates_are_never_moved),
        cmocka_unit_test(wrong_sizes_are_refused),
        cmocka_unit_test(failed_creations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

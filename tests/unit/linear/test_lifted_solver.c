// SPDX-License-Identifier: Apache-2.0
//
// Solvers of lifted systems on the same matrices. The multigrid, which needs a hierarchy, has tests
// of its own; here it is asked for what every kind has to do.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/linear/coarse_boxes.h"

#include "linear/direct/cholesky.h"
#include "linear/multigrid/lifted_solver.h"

enum { ROWS = 40, BLOCKS = 7 };

static const pli_lifted_solver_kind kinds[] = {PLI_LIFTED_DIRECT, PLI_LIFTED_VIVACE,
                                               PLI_LIFTED_JACOBI, PLI_LIFTED_PCG};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

// Whether this build has the kind.
static bool is_offered(pli_lifted_solver_kind kind)
{
    return kind != PLI_LIFTED_DIRECT || pli_cholesky_is_available();
}

// Adds w times the Laplacian of the edge between two rows.
static void add_edge(pli_lifted *matrix, int32_t i, int32_t j, double w)
{
    if (i == j) return;
    pli_lifted_add(matrix, pli_lifted_find(matrix, i, i), w);
    pli_lifted_add(matrix, pli_lifted_find(matrix, j, j), w);
    pli_lifted_add(matrix, pli_lifted_find(matrix, i, j), -w);
    pli_lifted_add(matrix, pli_lifted_find(matrix, j, i), -w);
}

// Springs of random stiffness along the edges of random triangles, and mass: diagonally dominant,
// so that Jacobi converges, too.
static void fill_matrix(pli_lifted *matrix, const int32_t *triangles, double mass, uint64_t seed)
{
    pli_lifted_set_zero(matrix);
    for (int32_t t = 0; t < 2 * matrix->row_count; ++t) {
        for (int e = 0; e < 3; ++e) {
            double w = pli_random_range((pli_random){seed, 11}, (uint64_t)(3 * t + e), 0.1, 2);
            add_edge(matrix, triangles[3 * t + e], triangles[3 * t + (e + 1) % 3], w);
        }
    }
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        pli_lifted_add(matrix, matrix->diagonal[row], mass);
    }
    pli_lifted_close(matrix, NULL);
}

static pli_lifted *make_matrix(pli_context *context, int32_t row_count, double mass, uint64_t seed)
{
    pli_lifted *matrix = NULL;
    int32_t *triangles = random_triangles(row_count, seed);
    pli_clique_list list = {3, 2 * (int64_t)row_count, triangles};
    OK(context, pli_lifted_create(context, row_count, 1, &list, &matrix));
    fill_matrix(matrix, triangles, mass, seed);
    free(triangles);
    return matrix;
}

// Contacts k n n^T, every third one an attachment k I, or attachments alone.
static void set_random_blocks(pli_lifted *matrix, int32_t count, bool attachments, uint64_t seed)
{
    int32_t *rows = malloc((size_t)count * sizeof *rows);
    double *blocks = new_vector(9 * (int64_t)count);
    assert_non_null(rows);
    for (int32_t k = 0; k < count; ++k) {
        double n[3];
        double stiffness = 3 + k % 5;
        for (int c = 0; c < 3; ++c) {
            n[c] = pli_random_range((pli_random){seed, 12}, (uint64_t)(3 * k + c), -1, 1);
        }
        rows[k] = k * (matrix->row_count / count) + (int32_t)(seed % 3);
        for (int c = 0; c < 9; ++c) {
            bool attachment = attachments || k % 3 == 0;
            double identity = c % 4 == 0 ? 1 : 0;
            blocks[9 * k + c] = stiffness * (attachment ? identity : n[c / 3] * n[c % 3]);
        }
    }
    OK(matrix->context, pli_lifted_set_blocks(matrix, count, rows, blocks));
    free(rows);
    free(blocks);
}

// Holds every eleventh row.
static void hold_rows(pli_lifted *matrix)
{
    uint8_t *mask = calloc((size_t)matrix->row_count, 1);
    assert_non_null(mask);
    for (int32_t row = 4; row < matrix->row_count; row += 11) mask[row] = 7;
    pli_lifted_close(matrix, mask);
    free(mask);
}

static double *random_right_hand_side(const pli_lifted *matrix, uint64_t seed)
{
    double *r = random_vector(3 * (int64_t)matrix->row_count, seed);
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        if (matrix->held[row]) memset(r + 3 * row, 0, 3 * sizeof *r);
    }
    return r;
}

// The solution by elimination of the matrix written out.
static double *solve_dense(const pli_lifted *matrix, const double *r)
{
    int64_t n = 3 * (int64_t)matrix->row_count;
    double *A = new_vector(n * n);
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            double s = matrix->values[slot];
            double block[9] = {s, 0, 0, 0, s, 0, 0, 0, s};
            add_to_dense(n, row, matrix->column[slot], block, A);
        }
    }
    for (int32_t k = 0; k < matrix->block_count; ++k) {
        add_to_dense(n, matrix->block_row[k], matrix->block_row[k], matrix->blocks + 9 * k, A);
    }
    double *x = new_vector(n);
    memcpy(x, r, (size_t)n * sizeof *x);
    solve_by_elimination(n, A, x);
    free(A);
    return x;
}

static pli_lifted_solver *make_solver(const pli_lifted *matrix, const pli_lifted_solver_def *def)
{
    bool definite = false;
    pli_lifted_solver *solver = NULL;
    OK(matrix->context, pli_lifted_solver_create(matrix->context, def, matrix, &solver));
    OK(matrix->context, pli_lifted_solver_build(solver, &definite));
    assert_true(definite);
    return solver;
}

static pli_krylov_report solve(pli_lifted_solver *solver, pli_context *context, const double *r,
                               double *d)
{
    pli_arena *arena = NULL;
    pli_krylov_report report;
    OK(context, pli_arena_create(context, 0, &arena));
    OK(context, pli_lifted_solver_solve(solver, r, arena, d, &report));
    pli_arena_destroy(arena);
    return report;
}

// Solves with all kinds and compares with elimination.
static void check_against_elimination(const pli_lifted *matrix)
{
    int64_t n = 3 * (int64_t)matrix->row_count;
    double *r = random_right_hand_side(matrix, 5);
    double *want = solve_dense(matrix, r);
    double *d = new_vector(n);
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        pli_lifted_solver_def def = {
            .kind = kinds[k], .iterations = 4000, .relative_tolerance = 1e-12, .seed = 3};
        pli_lifted_solver *solver = make_solver(matrix, &def);
        pli_krylov_report report = solve(solver, matrix->context, r, d);
        assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
        // condition numbers are below 100
        AT_MOST(relative_difference(n, d, want), 1e-10);
        for (int32_t row = 0; row < matrix->row_count; ++row) {
            if (matrix->held[row]) assert_true(d[3 * row] == 0);
        }
        pli_lifted_solver_destroy(solver);
    }
    free(r);
    free(want);
    free(d);
}

static void every_kind_finds_the_solution(void **state)
{
    pli_context *context = *state;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        pli_lifted *matrix = make_matrix(context, ROWS, 0.7, seed);
        check_against_elimination(matrix);
        set_random_blocks(matrix, BLOCKS, false, seed);
        check_against_elimination(matrix);
        hold_rows(matrix);
        check_against_elimination(matrix);
        set_random_blocks(matrix, BLOCKS, true, seed + 1);
        check_against_elimination(matrix);
        pli_lifted_destroy(matrix);
    }
}

// e.A e for e = d - x
static double energy_of_error(const pli_lifted *matrix, const double *d, const double *x)
{
    int64_t n = 3 * (int64_t)matrix->row_count;
    double *e = new_vector(n);
    double *Ae = new_vector(n);
    pli_vector_subtract(matrix->context, n, d, x, e);
    pli_lifted_multiply(matrix, e, Ae);
    double energy = pli_vector_dot(matrix->context, n, e, Ae);
    free(e);
    free(Ae);
    return energy;
}

static void more_iterations_are_never_worse(void **state)
{
    static const pli_lifted_solver_kind iterative[] = {PLI_LIFTED_VIVACE, PLI_LIFTED_JACOBI,
                                                       PLI_LIFTED_PCG};
    pli_context *context = *state;
    pli_lifted *matrix = make_matrix(context, ROWS, 0.05, 9);
    set_random_blocks(matrix, BLOCKS, false, 2);
    int64_t n = 3 * ROWS;
    double *r = random_right_hand_side(matrix, 8);
    double *want = solve_dense(matrix, r);
    double *d = new_vector(n);
    for (int k = 0; k < 3; ++k) {
        double start = pli_vector_dot(context, n, r, want);
        double before = start;
        for (int32_t count = 1; count <= 12; ++count) {
            pli_lifted_solver_def def = {.kind = iterative[k], .iterations = count, .seed = 1};
            pli_lifted_solver *solver = make_solver(matrix, &def);
            pli_krylov_report report = solve(solver, context, r, d);
            assert_int_equal(report.stop, PLI_KRYLOV_ITERATIONS);
            assert_int_equal(report.iterations, count);
            double now = energy_of_error(matrix, d, want);
            // sweeps in single precision end at the square of its rounding
            AT_MOST(now, before > 1e-11 * start ? 0.999 * before : 1e-11 * start);
            before = now;
            pli_lifted_solver_destroy(solver);
        }
    }
    free(r);
    free(want);
    free(d);
    pli_lifted_destroy(matrix);
}

// The textbook sweep in double, rows by colour.
static void sweep_plainly(const pli_lifted *matrix, const pli_graph_coloring *coloring,
                          const double *r, double *d)
{
    for (int32_t k = 0; k < 2 * matrix->row_count; ++k) {
        int32_t last = 2 * matrix->row_count - 1;
        int32_t row = coloring->node[k < matrix->row_count ? k : last - k];
        for (int c = 0; c < 3; ++c) {
            double sum = r[3 * row + c];
            for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
                int32_t other = matrix->column[slot];
                if (other != row) sum -= matrix->values[slot] * d[3 * other + c];
            }
            d[3 * row + c] = sum / matrix->values[matrix->diagonal[row]];
        }
    }
}

static void sweeps_are_those_of_symmetric_gauss_seidel(void **state)
{
    pli_context *context = *state;
    pli_lifted *matrix = make_matrix(context, ROWS, 0.05, 6);
    pli_graph graph = pli_lifted_graph(matrix);
    pli_graph_coloring *coloring = NULL;
    OK(context, pli_graph_coloring_create(context, &graph, PLI_COLORING_RANDOM, 77, &coloring));
    double *r = random_right_hand_side(matrix, 4);
    double *want = new_vector(3 * ROWS);
    double *d = new_vector(3 * ROWS);
    // tiny, so that single precision would underflow without scaling
    for (int i = 0; i < 3 * ROWS; ++i) r[i] *= 1e-60;
    for (int32_t count = 1; count <= 3; ++count) {
        sweep_plainly(matrix, coloring, r, want);
        pli_lifted_solver_def def = {.kind = PLI_LIFTED_VIVACE, .iterations = count, .seed = 77};
        pli_lifted_solver *solver = make_solver(matrix, &def);
        (void)solve(solver, context, r, d);
        // some roundings of single precision
        AT_MOST(relative_difference(3 * ROWS, d, want), 1e-6);
        pli_lifted_solver_destroy(solver);
    }
    free(r);
    free(want);
    free(d);
    pli_graph_coloring_destroy(coloring);
    pli_lifted_destroy(matrix);
}

static void a_budget_that_is_spent_is_told(void **state)
{
    pli_context *context = *state;
    pli_lifted *matrix = make_matrix(context, ROWS, 0.05, 6);
    double *r = random_right_hand_side(matrix, 4);
    double *d = new_vector(3 * ROWS);
    double *residual = new_vector(3 * ROWS);
    for (int k = 1; k < KIND_COUNT; ++k) {
        pli_lifted_solver_def def = {
            .kind = kinds[k], .iterations = 3, .relative_tolerance = 1e-9, .seed = 3};
        pli_lifted_solver *solver = make_solver(matrix, &def);
        pli_krylov_report report = solve(solver, context, r, d);
        assert_int_equal(report.stop, PLI_KRYLOV_ITERATIONS);
        assert_int_equal(report.iterations, 3);
        pli_lifted_residual(matrix, r, d, residual);
        NEAR(report.residual, pli_vector_norm(context, 3 * ROWS, residual), 1e-9, 0);
        NEAR(report.initial_residual, pli_vector_norm(context, 3 * ROWS, r), 1e-12, 0);

        // nothing to do is done at once
        double zero[3 * ROWS] = {0};
        report = solve(solver, context, zero, d);
        assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
        NEAR(pli_vector_max_abs(context, 3 * ROWS, d), 0, 0, 0);
        pli_lifted_solver_destroy(solver);
    }
    free(r);
    free(d);
    free(residual);
    pli_lifted_destroy(matrix);
}

// Hash of a solution with a few iterations.
static uint64_t hash_of_solution(pli_lifted_solver *solver, const pli_lifted *matrix)
{
    int64_t n = 3 * (int64_t)matrix->row_count;
    double *r = random_right_hand_side(matrix, 21);
    double *d = new_vector(n);
    (void)solve(solver, matrix->context, r, d);
    uint64_t hash = vector_hash(n, d);
    free(r);
    free(d);
    return hash;
}

static void bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            pli_lifted *matrix = make_matrix(context, 3000, 0.5, 3);
            set_random_blocks(matrix, 100, true, 3);
            for (int judged = 0; judged < 2; ++judged) {
                pli_lifted_solver_def def = {
                    .kind = kinds[k], .iterations = 5, .relative_tolerance = judged * 1e-9};
                pli_lifted_solver *solver = make_solver(matrix, &def);
                same_bits_keep_hash(&bits, hash_of_solution(solver, matrix));
                pli_lifted_solver_destroy(solver);
            }
            pli_lifted_destroy(matrix);
            pli_context_destroy(context);
        }
    }
}

static void an_update_of_blocks_is_as_good_as_a_new_solver(void **state)
{
    pli_context *context = *state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        pli_lifted *matrix = make_matrix(context, 200, 0.5, 4);
        pli_lifted_solver_def def = {.kind = kinds[k], .iterations = 4, .seed = 5};
        pli_lifted_solver *solver = make_solver(matrix, &def);
        uint64_t plain = hash_of_solution(solver, matrix);
        // more and fewer of them, with and without directions of their own, in other places, none
        static const int32_t counts[] = {5, 90, 40, 40, 0};
        for (int pass = 0; pass < 5; ++pass) {
            bool definite = false;
            set_random_blocks(matrix, counts[pass], pass == 2, (uint64_t)pass);
            OK(context, pli_lifted_solver_update_blocks(solver, &definite));
            assert_true(definite);
            pli_lifted_solver *fresh = make_solver(matrix, &def);
            uint64_t hash = hash_of_solution(solver, matrix);
            assert_true(hash == hash_of_solution(fresh, matrix));
            assert_int_equal(hash == plain, counts[pass] == 0);
            pli_lifted_solver_destroy(fresh);
        }
        pli_lifted_solver_destroy(solver);
        pli_lifted_destroy(matrix);
    }
}

static void a_matrix_that_is_not_definite_is_refused(void **state)
{
    pli_context *context = *state;
    pli_lifted *matrix = make_matrix(context, ROWS, 0.5, 4);
    double diagonal = matrix->values[matrix->diagonal[7]];
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        pli_lifted_solver_def def = {.kind = kinds[k], .iterations = 4};
        double r[3 * ROWS] = {1};
        double d[3 * ROWS];
        pli_krylov_report report;
        pli_lifted_solver *solver = make_solver(matrix, &def);

        // a block that outweighs the rest
        bool definite = true;
        int32_t row = 7;
        double block[9] = {0, 0, 0, 0, 0, 0, 0, 0, -2 * diagonal};
        OK(context, pli_lifted_set_blocks(matrix, 1, &row, block));
        OK(context, pli_lifted_solver_update_blocks(solver, &definite));
        assert_false(definite);
        assert_int_equal(pli_lifted_solver_solve(solver, r, NULL, d, &report), PLI_ERROR_ARGUMENT);
        OK(context, pli_lifted_set_blocks(matrix, 0, NULL, NULL));

        // a number that is not positive
        definite = true;
        matrix->values[matrix->diagonal[7]] = -1;
        OK(context, pli_lifted_solver_build(solver, &definite));
        assert_false(definite);
        matrix->values[matrix->diagonal[7]] = diagonal;
        OK(context, pli_lifted_solver_build(solver, &definite));
        assert_true(definite);
        pli_lifted_solver_destroy(solver);
    }
    pli_lifted_solver *none = NULL;
    pli_lifted_solver_def idle = {.kind = PLI_LIFTED_JACOBI};
    assert_int_equal(pli_lifted_solver_create(context, &idle, matrix, &none), PLI_ERROR_ARGUMENT);
    pli_lifted_solver_def rootless = {.kind = PLI_LIFTED_MULTIGRID, .iterations = 1};
    assert_int_equal(pli_lifted_solver_create(context, &rootless, matrix, &none),
                     PLI_ERROR_ARGUMENT);
    assert_null(none);
    pli_lifted_destroy(matrix);
}

// Everything a solver does, with blocks that grow.
static pli_status attempt(pli_context *context, pli_lifted *matrix, pli_lifted_solver_kind kind,
                          pli_arena *arena)
{
    pli_lifted_solver_def def = {.kind = kind, .iterations = 3, .relative_tolerance = 1e-3};
    pli_lifted_solver *solver = NULL;
    pli_krylov_report report;
    bool definite = false;
    double r[3 * ROWS] = {1, 2, 3};
    double d[3 * ROWS];
    pli_status status = pli_lifted_solver_create(context, &def, matrix, &solver);
    assert_int_equal(solver == NULL, status != PLI_OK);
    if (status == PLI_OK) status = pli_lifted_solver_build(solver, &definite);
    int32_t rows[ROWS];
    double blocks[9 * ROWS] = {0};
    for (int k = 0; k < ROWS; ++k) {
        rows[k] = k;
        blocks[9 * k] = k;
    }
    if (status == PLI_OK) status = pli_lifted_set_blocks(matrix, ROWS, rows, blocks);
    if (status == PLI_OK) status = pli_lifted_solver_update_blocks(solver, &definite);
    if (status == PLI_OK) status = pli_lifted_solver_solve(solver, r, arena, d, &report);
    pli_lifted_solver_destroy(solver);
    return status;
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
            fault_sweep_pause(&sweep);
            pli_arena *arena = NULL;
            OK(sweep.context, pli_arena_create(sweep.context, 0, &arena));
            pli_lifted *matrix = make_matrix(sweep.context, ROWS, 0.5, 4);
            fault_sweep_resume(&sweep);
            sweep.status = attempt(sweep.context, matrix, kinds[k], arena);
            pli_lifted_destroy(matrix);
            pli_arena_destroy(arena);
        }
    }
}

static void warm_solves_allocate_nothing(void **state)
{
    (void)state;
    for (int k = 0; k < KIND_COUNT; ++k) {
        if (!is_offered(kinds[k])) continue;
        pli_context *context = make_context(1);
        pli_arena *arena = NULL;
        OK(context, pli_arena_create(context, 0, &arena));
        pli_lifted *matrix = make_matrix(context, ROWS, 0.5, 4);
        set_random_blocks(matrix, BLOCKS, false, 1);
        pli_lifted_solver_def solver_def = {
            .kind = kinds[k], .iterations = 3, .relative_tolerance = 1e-3};
        pli_lifted_solver *solver = make_solver(matrix, &solver_def);
        double r[3 * ROWS] = {1, 2, 3};
        double d[3 * ROWS];
        int64_t calls = 0;
        for (int pass = 0; pass < 3; ++pass) {
            bool definite = false;
            pli_krylov_report report;
            if (pass == 2) calls = pli_context_allocation_count(context);
            OK(context, pli_lifted_solver_update_blocks(solver, &definite));
            OK(context, pli_lifted_solver_solve(solver, r, arena, d, &report));
        }
        assert_int_equal(pli_context_allocation_count(context), calls);
        pli_lifted_solver_destroy(solver);
        pli_lifted_destroy(matrix);
        pli_arena_destroy(arena);
        pli_context_destroy(context);
    }
}

// ---- on a box

// Springs between all vertices of a tetrahedron of the box, and mass.
static pli_lifted *make_box(pli_context *context, const box_mesh *mesh)
{
    pli_lifted *matrix = NULL;
    pli_clique_list list = box_cliques(mesh);
    OK(context, pli_lifted_create(context, mesh->vertex_count, 1, &list, &matrix));
    for (int32_t i = 0; i < matrix->row_count; ++i) {
        pli_lifted_add(matrix, matrix->diagonal[i], 0.05);
        for (int64_t slot = matrix->row_start[i]; slot < matrix->row_start[i + 1]; ++slot) {
            int32_t j = matrix->column[slot];
            if (j > i) add_edge(matrix, i, j, 1 + 0.1 * (j % 7));
        }
    }
    pli_lifted_close(matrix, NULL);
    return matrix;
}

// Supernodes of all widths, with rows beyond and within whole tiles.
static void large_direct_solves_are_exact(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    box_mesh mesh;
    assert_true(box_mesh_init(&mesh, 14, 12, 10));
    pli_lifted *matrix = make_box(context, &mesh);
    int64_t n = 3 * (int64_t)matrix->row_count;
    double *d = new_vector(n);
    double *r = random_right_hand_side(matrix, 3);
    pli_lifted_solver_def def = {.kind = PLI_LIFTED_DIRECT};
    pli_lifted_solver *solver = make_solver(matrix, &def);
    (void)solve(solver, context, r, d);
    double scale = pli_vector_norm(context, n, r);
    pli_lifted_residual(matrix, r, d, r);
    // rounding of sums of some hundred products
    AT_MOST(pli_vector_norm(context, n, r), 1e-13 * scale);
    pli_lifted_solver_destroy(solver);
    free(d);
    free(r);
    pli_lifted_destroy(matrix);
    box_mesh_clear(&mesh);
}

static void cycles_do_what_the_other_kinds_do(void **state)
{
    pli_context *context = *state;
    box_mesh mesh;
    assert_true(box_mesh_init(&mesh, 7, 6, 5));
    pli_lifted *matrix = make_box(context, &mesh);
    static const int32_t widths[] = {2, 4};
    pli_hierarchy *hierarchy = make_boxes(context, &mesh, 12, 2, widths);
    pli_lifted_solver_def def = {.kind = PLI_LIFTED_MULTIGRID,
                                 .iterations = 60,
                                 .relative_tolerance = 1e-10,
                                 .hierarchy = hierarchy};
    OK(context, pli_multigrid_parse(context, "direct/GS(2)", 3, &def.multigrid));
    def.multigrid.single = true;
    pli_lifted_solver_def reference = {
        .kind = PLI_LIFTED_PCG, .iterations = 1000, .relative_tolerance = 1e-13};
    pli_lifted_solver_def once = def;
    once.iterations = 2;
    once.relative_tolerance = 0;

    int64_t n = 3 * (int64_t)matrix->row_count;
    double *d = new_vector(n);
    double *want = new_vector(n);
    pli_lifted_solver *solver = make_solver(matrix, &def);
    pli_lifted_solver *few = make_solver(matrix, &once);
    static const int32_t counts[] = {0, 30, 50, 5, 0};
    for (int pass = 0; pass < 5; ++pass) {
        bool definite = false;
        set_random_blocks(matrix, counts[pass], pass == 2, (uint64_t)pass);
        if (pass == 3) {
            hold_rows(matrix);
            OK(context, pli_lifted_solver_build(solver, &definite));
            OK(context, pli_lifted_solver_build(few, &definite));
        } else {
            OK(context, pli_lifted_solver_update_blocks(solver, &definite));
            OK(context, pli_lifted_solver_update_blocks(few, &definite));
        }
        assert_true(definite);
        double *r = random_right_hand_side(matrix, 3);
        pli_lifted_solver *other = make_solver(matrix, &reference);
        (void)solve(other, context, r, want);
        assert_int_equal(solve(solver, context, r, d).stop, PLI_KRYLOV_CONVERGED);
        // condition numbers are below 10^4
        AT_MOST(relative_difference(n, d, want), 1e-7);
        pli_lifted_solver_destroy(other);

        // changes leave no trace
        pli_lifted_solver *fresh = make_solver(matrix, &once);
        assert_true(hash_of_solution(few, matrix) == hash_of_solution(fresh, matrix));
        pli_krylov_report report = solve(few, context, r, d);
        assert_int_equal(report.stop, PLI_KRYLOV_ITERATIONS);
        assert_int_equal(report.iterations, 2);
        AT_MOST(energy_of_error(matrix, d, want), 0.1 * pli_vector_dot(context, n, r, want));
        pli_lifted_solver_destroy(fresh);
        free(r);
    }
    pli_lifted_solver_destroy(solver);
    pli_lifted_solver_destroy(few);
    free(d);
    free(want);
    pli_hierarchy_destroy(hierarchy);
    pli_lifted_destroy(matrix);
    box_mesh_clear(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(every_kind_finds_the_solution, 2),
        TEST_IN_CONTEXT(more_iterations_are_never_worse, 1),
        TEST_IN_CONTEXT(sweeps_are_those_of_symmetric_gauss_seidel, 1),
        TEST_IN_CONTEXT(a_budget_that_is_spent_is_told, 1),
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
        TEST_IN_CONTEXT(an_update_of_blocks_is_as_good_as_a_new_solver, 1),
        TEST_IN_CONTEXT(a_matrix_that_is_not_definite_is_refused, 1),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(warm_solves_allocate_nothing),
        TEST_IN_CONTEXT(large_direct_solves_are_exact, 2),
        TEST_IN_CONTEXT(cycles_do_what_the_other_kinds_do, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

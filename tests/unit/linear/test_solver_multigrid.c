// SPDX-License-Identifier: Apache-2.0
//
// The multigrid behind the face of linear solvers: alone, as a preconditioner, and where the matrix
// is none for it.
#include "problems.h"

#include "linear/krylov/solver.h"
#include "linear/matrix/bcsr_extra.h"

enum { CELLS = 8, BLOCK = 3 };

typedef struct problem {
    pli_context *context;
    pli_arena *arena;
    box_mesh mesh;
    pli_bcsr *matrix;
    pli_hierarchy hierarchy; // one coarse level, a node for every cube of BLOCK cells
    uint8_t *fixed;          // [row_count] the side x = 0, and y of the side x = CELLS
    double *b;               // zero where coordinates are held
    double *x;
    int32_t log_lines;
} problem;

static void count_line(void *user, pli_log_level level, const char *text)
{
    (void)level;
    if (strstr(text, "not positive definite") != NULL) ++((problem *)user)->log_lines;
}

static int32_t node_of(const problem *p, int32_t vertex)
{
    enum { SIDE = CELLS / BLOCK + 1 };
    const double *x = p->mesh.x + 3 * (int64_t)vertex;
    return (int32_t)x[0] / BLOCK + SIDE * ((int32_t)x[1] / BLOCK + SIDE * ((int32_t)x[2] / BLOCK));
}

// Frames are centred in the middle of their cubes and have the size of a cell.
static void make_hierarchy(problem *p)
{
    enum { SIDE = CELLS / BLOCK + 1 };
    p->hierarchy = (pli_hierarchy){.context = p->context, .dofs = 12, .level_count = 1};
    pli_interpolation_map *transfer = &p->hierarchy.transfers[0];
    int32_t n = p->mesh.vertex_count;
    OK(p->context,
       pli_interpolation_map_init(p->context, n, SIDE * SIDE * SIDE, n, false, transfer));
    for (int32_t vertex = 0; vertex < n; ++vertex) {
        int32_t node = node_of(p, vertex);
        int32_t corner[3] = {node % SIDE, node / SIDE % SIDE, node / (SIDE * SIDE)};
        transfer->start[vertex + 1] = vertex + 1;
        transfer->parent[vertex] = node;
        for (int k = 0; k < 3; ++k) {
            double center = BLOCK * corner[k] + 0.5 * (BLOCK - 1);
            transfer->place[4 * (int64_t)vertex + k] = p->mesh.x[3 * (int64_t)vertex + k] - center;
        }
        transfer->place[4 * (int64_t)vertex + 3] = 0;
    }
}

static void hold(problem *p)
{
    for (int32_t vertex = 0; vertex < p->mesh.vertex_count; ++vertex) {
        double x = p->mesh.x[3 * (int64_t)vertex];
        p->fixed[vertex] = (uint8_t)(x == 0 ? 7 : (x == CELLS ? 2 : 0));
        for (int k = 0; k < 3; ++k) {
            if (p->fixed[vertex] & (1u << k)) p->b[3 * (int64_t)vertex + k] = 0;
        }
    }
    pli_bcsr_fix_dofs(p->matrix, p->fixed, 1);
}

static void problem_init(problem *p, double mass)
{
    *p = (problem){0};
    pli_context_def def = pli_context_def_default();
    def.thread_count = 2;
    def.log = count_line;
    def.log_level = PLI_LOG_INFO;
    def.log_user = p;
    assert_int_equal(pli_context_create(&def, &p->context), PLI_OK);
    OK(p->context, pli_arena_create(p->context, 1 << 16, &p->arena));
    assert_true(box_mesh_init(&p->mesh, CELLS, CELLS, CELLS));
    OK(p->context, box_matrix_create(p->context, &p->mesh, mass, 1, &p->matrix));
    p->fixed = calloc((size_t)p->mesh.vertex_count, 1);
    assert_non_null(p->fixed);
    p->b = random_vector(unknown_count(p->matrix), 5);
    p->x = new_vector(unknown_count(p->matrix));
    make_hierarchy(p);
    hold(p);
}

static void problem_clear(problem *p)
{
    pli_interpolation_map *transfer = &p->hierarchy.transfers[0];
    pli_release(p->context, transfer->place);
    pli_release(p->context, transfer->parent);
    pli_release(p->context, transfer->start);
    pli_bcsr_destroy(p->matrix);
    box_mesh_clear(&p->mesh);
    free(p->fixed);
    free(p->b);
    free(p->x);
    pli_arena_destroy(p->arena);
    pli_context_destroy(p->context);
}

static pli_linear_solver_def multigrid_def(const problem *p, pli_linear_solver_kind kind)
{
    pli_linear_solver_def def = {.kind = kind,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 500,
                                 .precondition_by_multigrid = true,
                                 .hierarchy = &p->hierarchy,
                                 .fixed = p->fixed};
    OK(p->context, pli_multigrid_parse(p->context, "direct/GS(2)", 2, &def.multigrid));
    def.multigrid.single = true;
    return def;
}

static pli_krylov_report solve(problem *p, const pli_linear_solver_def *def, double tolerance)
{
    pli_linear_solver *solver = NULL;
    pli_krylov_report report;
    bool definite = false;
    OK(p->context, pli_linear_solver_create(p->context, def, p->matrix, &solver));
    OK(p->context, pli_linear_solver_build(solver, &definite));
    assert_true(definite);
    OK(p->context, pli_linear_solver_solve(solver, p->b, tolerance, p->arena, p->x, &report));
    pli_linear_solver_destroy(solver);
    return report;
}

static double residual(const problem *p)
{
    return relative_residual(p->matrix, p->b, p->x);
}

static void cycles_solve_held_systems_alone_and_inside(void **state)
{
    (void)state;
    problem p;
    problem_init(&p, 1e-3);
    pli_linear_solver_def plain = {.kind = PLI_SOLVER_PCG,
                                   .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                   .max_iterations = 500};
    int32_t without = solve(&p, &plain, 1e-8).iterations;
    static const pli_linear_solver_kind kinds[] = {PLI_SOLVER_PCG, PLI_SOLVER_MINRES,
                                                   PLI_SOLVER_MULTIGRID};
    for (int k = 0; k < 3; ++k) {
        pli_linear_solver_def def = multigrid_def(&p, kinds[k]);
        pli_krylov_report report = solve(&p, &def, 1e-8);
        assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
        // residuals of recurrences drift from the true one by rounding
        AT_MOST(residual(&p), kinds[k] == PLI_SOLVER_MINRES ? 1e-6 : 1.01e-8);
        AT_MOST(report.iterations, without / 2);
        for (int64_t i = 0; i < unknown_count(p.matrix); ++i) {
            if (p.fixed[i / 3] & (1u << (i % 3))) NEAR(p.x[i], 0, 0, 0);
        }
    }
    assert_int_equal(p.log_lines, 0);
    problem_clear(&p);
}

static void a_number_of_cycles_is_made_exactly(void **state)
{
    (void)state;
    problem p;
    problem_init(&p, 1e-3);
    double before = 1;
    for (int32_t cycles = 1; cycles <= 4; ++cycles) {
        pli_linear_solver_def def = multigrid_def(&p, PLI_SOLVER_MULTIGRID);
        def.cycles = cycles;
        assert_int_equal(solve(&p, &def, 0.5).iterations, cycles);
        AT_MOST(residual(&p), 0.7 * before);
        before = residual(&p);
    }
    problem_clear(&p);
}

// A negative mass makes the matrix indefinite; the answer is that of block Jacobi, bit by bit.
static void matrices_that_are_not_definite_fall_back_to_block_jacobi(void **state)
{
    (void)state;
    problem p;
    problem_init(&p, -8);
    pli_linear_solver_def plain = {.kind = PLI_SOLVER_PCG,
                                   .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                   .max_iterations = 500,
                                   .stop_at_indefinite = true};
    int64_t n = unknown_count(p.matrix);
    pli_krylov_report expected = solve(&p, &plain, 1e-8);
    assert_int_equal(expected.stop, PLI_KRYLOV_INDEFINITE);
    uint64_t hash = vector_hash(n, p.x);
    static const pli_linear_solver_kind kinds[] = {PLI_SOLVER_PCG, PLI_SOLVER_MULTIGRID};
    for (int k = 0; k < 2; ++k) {
        pli_linear_solver_def def = multigrid_def(&p, kinds[k]);
        def.stop_at_indefinite = true;
        pli_linear_solver *solver = NULL;
        OK(p.context, pli_linear_solver_create(p.context, &def, p.matrix, &solver));
        for (int round = 0; round < 2; ++round) {
            bool definite = false;
            pli_krylov_report report;
            OK(p.context, pli_linear_solver_build(solver, &definite));
            assert_true(definite);
            OK(p.context, pli_linear_solver_solve(solver, p.b, 1e-8, p.arena, p.x, &report));
            assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
            assert_true(vector_hash(n, p.x) == hash);
        }
        pli_linear_solver_destroy(solver);
        assert_int_equal(p.log_lines, k + 1);
    }
    problem_clear(&p);
}

// Stiff springs between the two sides, which the pattern knows nothing of.
static void conjugate_gradients_stay_right_beside_contacts(void **state)
{
    (void)state;
    problem p;
    problem_init(&p, 1e-3);
    OK(p.context, pli_bcsr_reserve_extra(p.matrix, 200));
    for (int32_t j = 1; j < CELLS; ++j) {
        int32_t a = box_vertex(&p.mesh, 1, j, 2);
        add_contact(p.matrix, a, box_vertex(&p.mesh, CELLS - 1, j, 5), (uint64_t)j);
    }
    pli_bcsr_close_extra(p.matrix);
    pli_linear_solver_def def = multigrid_def(&p, PLI_SOLVER_PCG);
    assert_int_equal(solve(&p, &def, 1e-8).stop, PLI_KRYLOV_CONVERGED);
    AT_MOST(residual(&p), 1.01e-8);
    problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles_solve_held_systems_alone_and_inside),
        cmocka_unit_test(a_number_of_cycles_is_made_exactly),
        cmocka_unit_test(matrices_that_are_not_definite_fall_back_to_block_jacobi),
        cmocka_unit_test(conjugate_gradients_stay_right_beside_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

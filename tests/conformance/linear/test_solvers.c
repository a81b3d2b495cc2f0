// SPDX-License-Identifier: Apache-2.0
//
// One suite for all linear solvers: the same matrices, the same demands.
//
//   - the residual of the solution is what was asked for, on every matrix;
//   - the solution is that of the dense reference on small matrices;
//   - a solve is linear and symmetric as an operator: x.S y = y.S x;
//   - iterations grow with the number of cells along a side no faster than in proportion, and a
//     better preconditioner never needs more.
#include "unit/linear/problems.h"

#include "linear/direct/cholesky.h"
#include "linear/krylov/krylov.h"
#include "linear/krylov/precondition.h"
#include "linear/krylov/solver.h"
#include "linear/matrix/dense.h"
#include "linear/matrix/ell.h"

// A solver under test: solves A x = b and returns its iterations (0: direct).
typedef struct solver {
    const char *name;
    int32_t (*solve)(const struct solver *self, const pli_bcsr *matrix, const double *b, double *x);
    pli_precondition_def precondition;
    bool minres;
    pli_cholesky_order order;
    double tolerance; // of the relative residual
    pli_linear_solver_kind kind;
} solver;

static int32_t run_krylov(const solver *self, pli_context *context, const pli_operator *A,
                          const pli_operator *B, const double *b, double *x)
{
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = 0.5 * self->tolerance;
    pli_krylov_system system = {.A = A, .B = B, .b = b, .x = x};
    pli_krylov_report report;
    pli_arena *arena = NULL;
    OK(context, pli_arena_create(context, 1024, &arena));
    OK(context, self->minres ? pli_minres(context, &def, &system, arena, &report)
                             : pli_pcg(context, &def, &system, arena, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    pli_arena_destroy(arena);
    return report.iterations;
}

static int32_t solve_krylov(const solver *self, const pli_bcsr *matrix, const double *b, double *x)
{
    pli_context *context = matrix->context;
    pli_precondition *precondition = NULL;
    OK(context, pli_precondition_create(context, &self->precondition, matrix, &precondition));
    OK(context, pli_precondition_build(precondition, matrix));
    pli_operator A = pli_bcsr_operator(matrix);
    pli_operator B = pli_precondition_operator(precondition);
    int32_t iterations = run_krylov(self, context, &A, &B, b, x);
    pli_precondition_destroy(precondition);
    return iterations;
}

// The plain sequential sweep in the order of the rows, z = (D + U)^-1 D (D + L)^-1 r.
static void sweep_in_row_order(const void *self, const double *r, double *z)
{
    const pli_bcsr *matrix = self;
    for (int64_t step = 0; step < 2 * (int64_t)matrix->row_count; ++step) {
        bool forward = step < matrix->row_count;
        int64_t row = forward ? step : 2 * (int64_t)matrix->row_count - 1 - step;
        const double *D = matrix->values + 9 * matrix->diagonal[row];
        double rest[3];
        pli_mat3_apply(D, z + 3 * row, rest);
        if (forward) pli_vec3_copy(r + 3 * row, rest);
        int64_t first = forward ? matrix->row_start[row] : matrix->diagonal[row] + 1;
        int64_t last = forward ? matrix->diagonal[row] : matrix->row_start[row + 1];
        for (int64_t slot = first; slot < last; ++slot) {
            double part[3];
            pli_mat3_apply(matrix->values + 9 * slot, z + 3 * (int64_t)matrix->column[slot], part);
            pli_vec3_subtract(rest, part, rest);
        }
        double inverse[9];
        pli_mat3_inverse(D, inverse);
        pli_mat3_apply(inverse, rest, z + 3 * row);
    }
}

static int32_t solve_sequential_sweep(const solver *self, const pli_bcsr *matrix, const double *b,
                                      double *x)
{
    pli_operator A = pli_bcsr_operator(matrix);
    pli_operator B = {.size = unknown_count(matrix), .self = matrix, .apply = sweep_in_row_order};
    return run_krylov(self, matrix->context, &A, &B, b, x);
}

static void apply_by_rows(const void *self, const double *x, double *y)
{
    const pli_bcsr *matrix = self;
    for (int64_t row = 0; row < matrix->row_count; ++row) {
        pli_vec3_set(0, 0, 0, y + 3 * row);
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            double part[3];
            pli_mat3_apply(matrix->values + 9 * slot, x + 3 * (int64_t)matrix->column[slot], part);
            pli_vec3_add(y + 3 * row, part, y + 3 * row);
        }
    }
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        const pli_extra_block *block = matrix->extra.blocks + k;
        double part[3];
        pli_mat3_apply(block->values, x + 3 * (int64_t)block->column, part);
        pli_vec3_add(y + 3 * (int64_t)block->row, part, y + 3 * (int64_t)block->row);
    }
}

// An operator of the caller's own.
static int32_t solve_matrix_free(const solver *self, const pli_bcsr *matrix, const double *b,
                                 double *x)
{
    pli_context *context = matrix->context;
    pli_precondition *precondition = NULL;
    OK(context, pli_precondition_create(context, &self->precondition, matrix, &precondition));
    OK(context, pli_precondition_build(precondition, matrix));
    pli_operator A = {.size = unknown_count(matrix), .self = matrix, .apply = apply_by_rows};
    pli_operator B = pli_precondition_operator(precondition);
    int32_t iterations = run_krylov(self, context, &A, &B, b, x);
    pli_precondition_destroy(precondition);
    return iterations;
}

// Copies a row with its extra blocks to the slots of a row of fixed width; returns how many there
// are. ell NULL: only counts.
static int64_t copy_row(const pli_bcsr *matrix, int64_t row, pli_ell *ell)
{
    int64_t length = matrix->row_start[row + 1] - matrix->row_start[row];
    int64_t first = ell != NULL ? row * ell->width : 0;
    if (ell != NULL) {
        memcpy(ell->column + first, matrix->column + matrix->row_start[row],
               (size_t)length * sizeof(int32_t));
        memcpy(ell->values + 9 * first, matrix->values + 9 * matrix->row_start[row],
               (size_t)(9 * length) * sizeof(double));
    }
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        const pli_extra_block *block = matrix->extra.blocks + k;
        if (block->row != row) continue;
        if (ell != NULL) {
            ell->column[first + length] = block->column;
            pli_mat3_copy(block->values, ell->values + 9 * (first + length));
        }
        ++length;
    }
    return length;
}

// The same matrix in rows of fixed width.
static int32_t solve_ell(const solver *self, const pli_bcsr *matrix, const double *b, double *x)
{
    pli_context *context = matrix->context;
    int64_t width = 0;
    for (int32_t row = 0; row < matrix->row_count; ++row) {
        int64_t length = copy_row(matrix, row, NULL);
        width = length > width ? length : width;
    }
    pli_ell *ell = NULL;
    OK(context, pli_ell_create(context, matrix->row_count, (int32_t)width, 0, &ell));
    for (int64_t row = 0; row < matrix->row_count; ++row) copy_row(matrix, row, ell);
    pli_operator A = pli_ell_operator(ell);
    int32_t iterations = run_krylov(self, context, &A, NULL, b, x);
    pli_ell_destroy(ell);
    return iterations;
}

static int32_t solve_cholesky(const solver *self, const pli_bcsr *matrix, const double *b,
                              double *x)
{
    pli_context *context = matrix->context;
    pli_cholesky *cholesky = NULL;
    pli_cholesky_def def = {.order = self->order, .seed = 1};
    bool positive = false;
    OK(context, pli_cholesky_create(context, &def, matrix, &cholesky));
    OK(context, pli_cholesky_factor(cholesky, matrix, 0, &positive));
    assert_true(positive);
    OK(context, pli_cholesky_solve(cholesky, 1, b, x));
    pli_cholesky_destroy(cholesky);
    return 0;
}

// Any kind behind the face that minimisers know.
static int32_t solve_by_kind(const solver *self, const pli_bcsr *matrix, const double *b, double *x)
{
    pli_context *context = matrix->context;
    pli_linear_solver_def def = {.kind = self->kind,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 10000};
    pli_linear_solver *linear = NULL;
    pli_arena *arena = NULL;
    pli_krylov_report report;
    bool definite = false;
    OK(context, pli_arena_create(context, 1024, &arena));
    OK(context, pli_linear_solver_create(context, &def, matrix, &linear));
    pli_linear_solver_begin(linear);
    OK(context, pli_linear_solver_build(linear, &definite));
    assert_true(definite);
    OK(context, pli_linear_solver_solve(linear, b, 0.5 * self->tolerance, arena, x, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    pli_linear_solver_destroy(linear);
    pli_arena_destroy(arena);
    return report.iterations;
}

static int32_t solve_dense(const solver *self, const pli_bcsr *matrix, const double *b, double *x)
{
    (void)self;
    int32_t n = (int32_t)unknown_count(matrix);
    double *A = dense_copy(matrix);
    memcpy(x, b, (size_t)n * sizeof *x);
    assert_true(pli_dense_cholesky_factor(matrix->context, n, A));
    pli_dense_cholesky_solve(matrix->context, n, A, 1, x);
    free(A);
    return 0;
}

#define KRYLOV(name, kind, group, minres)                                                        \
    {                                                                                            \
        name, solve_krylov, {kind, group}, minres, PLI_CHOLESKY_ORDER_AUTO, 1e-9, PLI_SOLVER_PCG \
    }
static const solver solvers[] = {
    KRYLOV("pcg", PLI_PRECONDITION_NONE, 0, false),
    KRYLOV("pcg, jacobi", PLI_PRECONDITION_JACOBI, 0, false),
    KRYLOV("pcg, block jacobi", PLI_PRECONDITION_BLOCK_JACOBI, 1, false),
    KRYLOV("pcg, block jacobi of 4", PLI_PRECONDITION_BLOCK_JACOBI, 4, false),
    KRYLOV("pcg, gauss-seidel", PLI_PRECONDITION_GAUSS_SEIDEL, 0, false),
    KRYLOV("minres", PLI_PRECONDITION_NONE, 0, true),
    KRYLOV("minres, block jacobi", PLI_PRECONDITION_BLOCK_JACOBI, 1, true),
    KRYLOV("minres, gauss-seidel", PLI_PRECONDITION_GAUSS_SEIDEL, 0, true),
    {"pcg, sequential sweep", solve_sequential_sweep, {0}, false, 0, 1e-9, PLI_SOLVER_PCG},
    {"matrix-free pcg",
     solve_matrix_free,
     {PLI_PRECONDITION_BLOCK_JACOBI, 1},
     false,
     0,
     1e-9,
     PLI_SOLVER_PCG},
    {"pcg, fixed width", solve_ell, {0}, false, 0, 1e-9, PLI_SOLVER_PCG},
    {"cholesky, degree",
     solve_cholesky,
     {0},
     false,
     PLI_CHOLESKY_ORDER_DEGREE,
     1e-12,
     PLI_SOLVER_PCG},
    {"cholesky, dissection",
     solve_cholesky,
     {0},
     false,
     PLI_CHOLESKY_ORDER_DISSECTION,
     1e-12,
     PLI_SOLVER_PCG},
    {"dense cholesky", solve_dense, {0}, false, 0, 1e-12, PLI_SOLVER_PCG},
    {"kind pcg", solve_by_kind, {0}, false, 0, 1e-9, PLI_SOLVER_PCG},
    {"kind minres", solve_by_kind, {0}, false, 0, 1e-9, PLI_SOLVER_MINRES},
    {"kind cholesky", solve_by_kind, {0}, false, 0, 1e-12, PLI_SOLVER_CHOLESKY},
};
enum {
    SOLVER_COUNT = sizeof solvers / sizeof *solvers,
    PLAIN = 0,
    BLOCK_JACOBI = 2,
    SWEEP = 4,
    MINRES_BLOCK_JACOBI = 6,
    MINRES_SWEEP = 7,
    SEQUENTIAL = 8
};

static bool is_available(const solver *one)
{
    bool is_sparse_cholesky = one->solve == solve_cholesky || one->kind == PLI_SOLVER_CHOLESKY;
    return !is_sparse_cholesky || pli_cholesky_is_available();
}

static void restrict_every_fifth(pli_bcsr *matrix)
{
    enum { LIMIT = 100 };
    int32_t rows[LIMIT];
    double tangents[9 * LIMIT];
    int32_t count = 0;
    for (int32_t row = 0; row < matrix->row_count && count < LIMIT; row += 5) {
        random_tangent(1 + row % 2, (uint64_t)row, tangents + 9 * count);
        rows[count++] = row;
    }
    pli_bcsr_restrict(matrix, count, rows, tangents, NULL, 0);
}

// Reference problems, all positive definite and of a few hundred unknowns.
static pli_bcsr *make_problem(pli_context *context, int which)
{
    switch (which) {
    case 0: return random_matrix(context, 120, 1);
    case 1: return box_matrix(context, 6, 5, 4, 0.1, 1);
    case 2: return box_matrix(context, 12, 3, 3, 0.1, 1e3); // stiff layers
    case 3: {
        // a box clamped at one end
        pli_bcsr *matrix = box_matrix(context, 8, 3, 3, 0, 1);
        uint8_t *mask = calloc((size_t)matrix->row_count, 1);
        assert_non_null(mask);
        for (int32_t row = 0; row < matrix->row_count; row += 9) mask[row] = 7;
        pli_bcsr_fix_dofs(matrix, mask, 1);
        free(mask);
        return matrix;
    }
    case 4: {
        // a diagonal matrix of entries from 1e-3 to 1e3
        pli_bcsr *matrix = NULL;
        OK(context, pli_bcsr_create(context, 60, 0, NULL, &matrix));
        for (int32_t row = 0; row < 60; ++row) {
            for (int k = 0; k < 9; k += 4) {
                matrix->values[9 * row + k] = pow(10, (row - 30 + k / 4) / 10.0);
            }
        }
        return matrix;
    }
    case 5: {
        // contacts across a box
        pli_bcsr *matrix = box_matrix(context, 7, 4, 4, 0.1, 1);
        add_random_contacts(matrix, 40, 12);
        assert_true(matrix->extra.count > 70);
        return matrix;
    }
    case 6: {
        // the same with every fifth row on a plane or a line
        pli_bcsr *matrix = box_matrix(context, 7, 4, 4, 0.1, 1);
        add_random_contacts(matrix, 40, 12);
        restrict_every_fifth(matrix);
        return matrix;
    }
    default: return NULL;
    }
}

static void residuals_are_as_small_as_asked(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    for (int which = 0; (matrix = make_problem(context, which)) != NULL; ++which) {
        int64_t n = unknown_count(matrix);
        double *b = random_vector(n, 5);
        double *x = new_vector(n);
        double *want = random_vector(n, 5);
        double *A = dense_copy(matrix);
        solve_by_elimination(n, A, want);
        for (int k = 0; k < SOLVER_COUNT; ++k) {
            if (!is_available(&solvers[k])) continue;
            memset(x, 0, (size_t)n * sizeof *x);
            solvers[k].solve(&solvers[k], matrix, b, x);
            double residual = relative_residual(matrix, b, x);
            if (residual > solvers[k].tolerance) {
                print_error("%s on problem %d\n", solvers[k].name, which);
            }
            AT_MOST(residual, solvers[k].tolerance);
            // condition below 1e6
            AT_MOST(relative_difference(n, x, want), 1e6 * solvers[k].tolerance);
        }
        free(b);
        free(x);
        free(want);
        free(A);
        pli_bcsr_destroy(matrix);
    }
}

static void solves_are_symmetric_operators(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = make_problem(context, 1);
    int64_t n = unknown_count(matrix);
    double *b[2] = {random_vector(n, 5), random_vector(n, 6)};
    double *x[2] = {new_vector(n), new_vector(n)};
    for (int k = 0; k < SOLVER_COUNT; ++k) {
        if (!is_available(&solvers[k])) continue;
        for (int i = 0; i < 2; ++i) solvers[k].solve(&solvers[k], matrix, b[i], x[i]);
        double scale = pli_vector_norm(context, n, b[0]) * pli_vector_norm(context, n, x[1]);
        // an inexact solve is off by its tolerance times the condition, below 1e3 here
        double allowed = fmax(1e-12, 1e3 * solvers[k].tolerance) * scale;
        NEAR(pli_vector_dot(context, n, b[0], x[1]), pli_vector_dot(context, n, b[1], x[0]), 0,
             allowed);
    }
    for (int i = 0; i < 2; ++i) {
        free(b[i]);
        free(x[i]);
    }
    pli_bcsr_destroy(matrix);
}

// A clamped box without mass has a condition that grows with the square of the cells along a side,
// so iterations of conjugate gradients grow in proportion to them.
static void iterations_grow_at_most_in_proportion(void **state)
{
    enum { SIZES = 3 };
    static const int32_t cells[SIZES] = {4, 8, 12};
    pli_context *context = *state;
    int32_t counts[SOLVER_COUNT][SIZES] = {{0}};
    for (int s = 0; s < SIZES; ++s) {
        int32_t side = cells[s];
        pli_bcsr *matrix = box_matrix(context, side, side, side, 0, 1);
        uint8_t *mask = calloc((size_t)matrix->row_count, 1);
        assert_non_null(mask);
        for (int32_t row = 0; row < (side + 1) * (side + 1); ++row) mask[row] = 7;
        pli_bcsr_fix_dofs(matrix, mask, 1);
        int64_t n = unknown_count(matrix);
        double *b = new_vector(n);
        double *x = new_vector(n);
        for (int64_t i = 0; i < n; ++i) b[i] = mask[i / 3] == 0 && i % 3 == 1 ? -1 : 0;
        for (int k = 0; k < SOLVER_COUNT; ++k) {
            if (solvers[k].solve != solve_krylov && k != SEQUENTIAL) continue;
            counts[k][s] = solvers[k].solve(&solvers[k], matrix, b, x);
            AT_MOST(relative_residual(matrix, b, x), solvers[k].tolerance);
        }
        free(b);
        free(x);
        free(mask);
        pli_bcsr_destroy(matrix);
    }
    for (int k = 0; k < SOLVER_COUNT; ++k) {
        if (solvers[k].solve != solve_krylov) continue;
        for (int s = 0; s + 1 < SIZES; ++s) {
            AT_MOST(counts[k][s + 1], 1.1 * counts[k][s] * cells[s + 1] / cells[s]);
        }
    }
    // a better preconditioner needs fewer iterations, for both methods
    AT_MOST(counts[BLOCK_JACOBI][2], counts[PLAIN][2]);
    AT_MOST(counts[SWEEP][2], 0.8 * counts[BLOCK_JACOBI][2]);
    AT_MOST(counts[MINRES_SWEEP][2], 0.8 * counts[MINRES_BLOCK_JACOBI][2]);
    // colours cost little against the plain sweep
    AT_MOST(counts[SWEEP][2], 1.15 * counts[SEQUENTIAL][2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(residuals_are_as_small_as_asked, 2),
        TEST_IN_CONTEXT(solves_are_symmetric_operators, 2),
        TEST_IN_CONTEXT(iterations_grow_at_most_in_proportion, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

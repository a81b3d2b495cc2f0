// SPDX-License-Identifier: Apache-2.0
#include "unit/linear/problems.h"

#include "linear/krylov/gauss_seidel.h"
#include "linear/krylov/precondition.h"
#include "linear/matrix/dense.h"

static pli_precondition *make_precondition(pli_context *context, const pli_bcsr *matrix,
                                           pli_precondition_kind kind, int32_t group_size)
{
    pli_precondition *precondition = NULL;
    pli_precondition_def def = {kind, group_size};
    OK(context, pli_precondition_create(context, &def, matrix, &precondition));
    OK(context, pli_precondition_build(precondition, matrix));
    return precondition;
}

static void jacobi_divides_by_the_diagonal(void **state)
{
    enum { ROWS = 50 };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 9);
    pli_precondition *precondition = make_precondition(context, matrix, PLI_PRECONDITION_JACOBI, 0);
    double *r = random_vector(3 * ROWS, 1);
    double *z = new_vector(3 * ROWS);
    pli_precondition_apply(precondition, r, z);
    for (int i = 0; i < 3 * ROWS; ++i) {
        NEAR(z[i], r[i] / matrix->values[9 * matrix->diagonal[i / 3] + i % 3 * 4], 1e-15, 0);
    }
    assert_int_equal(pli_precondition_replaced_count(precondition), 0);
    free(r);
    free(z);
    pli_precondition_destroy(precondition);
    pli_bcsr_destroy(matrix);
}

// D z = r, with D the diagonal blocks of the given group size, the last group being shorter.
static void block_jacobi_solves_with_diagonal_blocks(void **state)
{
    enum { ROWS = 50, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 9);
    double *r = random_vector(SIZE, 1);
    double *z = new_vector(SIZE);
    for (int group = 1; group <= PLI_PRECONDITION_GROUP_LIMIT; ++group) {
        pli_precondition *precondition =
            make_precondition(context, matrix, PLI_PRECONDITION_BLOCK_JACOBI, group);
        pli_precondition_apply(precondition, r, z);
        double *A = dense_copy(matrix);
        for (int i = 0; i < SIZE; ++i) {
            for (int j = 0; j < SIZE; ++j) {
                if (i / (3 * group) != j / (3 * group)) A[i * SIZE + j] = 0;
            }
        }
        double *want = new_vector(SIZE);
        memcpy(want, r, SIZE * sizeof *want);
        solve_by_elimination(SIZE, A, want);
        AT_MOST(relative_difference(SIZE, z, want), 1e-12);
        free(A);
        free(want);
        pli_precondition_destroy(precondition);
    }
    free(r);
    free(z);
    pli_bcsr_destroy(matrix);
}

static void unsafe_diagonals_are_replaced_and_counted(void **state)
{
    enum { ROWS = 20 };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 9);
    memset(matrix->values + 9 * matrix->diagonal[2], 0, 9 * sizeof(double));
    matrix->values[9 * matrix->diagonal[7] + 4] = -3;
    matrix->values[9 * matrix->diagonal[9] + 8] = NAN;
    static const int32_t want[PLI_PRECONDITION_KIND_COUNT] = {0, 5, 3, 3};
    double *r = random_vector(3 * ROWS, 1);
    double *z = new_vector(3 * ROWS);
    for (int kind = 1; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
        pli_precondition *precondition =
            make_precondition(context, matrix, (pli_precondition_kind)kind, 1);
        assert_int_equal(pli_precondition_replaced_count(precondition), want[kind]);
        pli_precondition_apply(precondition, r, z);
        for (int i = 0; i < 3 * ROWS; ++i) assert_true(isfinite(z[i]));
        pli_precondition_destroy(precondition);
    }
    // a group with an indefinite member falls back to 3x3 blocks
    pli_precondition *precondition =
        make_precondition(context, matrix, PLI_PRECONDITION_BLOCK_JACOBI, 4);
    assert_int_equal(pli_precondition_replaced_count(precondition), 3);
    pli_precondition_destroy(precondition);
    free(r);
    free(z);
    pli_bcsr_destroy(matrix);
}

// A symmetric sweep never increases the energy norm of the error of a positive definite system.
static void sweep_error_is_a_contraction(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 12, 11, 10, 0.01, 100);
    int64_t n = unknown_count(matrix);
    pli_gauss_seidel *sweep = NULL;
    OK(context, pli_gauss_seidel_create(context, matrix, &sweep));
    assert_int_equal(pli_gauss_seidel_build(sweep, matrix), 0);
    AT_MOST(pli_gauss_seidel_color_count(sweep), 8);

    // x += B (b - A x) with b = 0: the energy norm of x must fall in every sweep
    double *x = random_vector(n, 5);
    double *r = new_vector(n);
    double *b = new_vector(n);
    double before = INFINITY;
    for (int k = 0; k < 10; ++k) {
        pli_bcsr_residual(matrix, b, x, r);
        double energy = -pli_vector_dot(context, n, x, r);
        assert_true(energy < before);
        before = energy;
        pli_gauss_seidel_apply(sweep, r, r);
        pli_vector_axpy(context, n, 1, r, x);
    }
    free(x);
    free(r);
    free(b);
    pli_gauss_seidel_destroy(sweep);
    pli_bcsr_destroy(matrix);
}

// A small matrix is one cluster in its own order: the sweep is then the textbook one.
static void sweep_equals_the_textbook_sweep(void **state)
{
    enum { ROWS = 40, SIZE = 3 * ROWS };
    pli_context *context = *state;
    int32_t edges[2 * (ROWS - 1)];
    for (int32_t k = 0; k < ROWS - 1; ++k) {
        edges[2 * k] = k;
        edges[2 * k + 1] = k + 1;
    }
    pli_clique_list list = {2, ROWS - 1, edges};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 1, &list, &matrix));
    for (int32_t row = 0; row < ROWS; ++row) {
        for (int64_t slot = matrix->row_start[row]; slot < matrix->row_start[row + 1]; ++slot) {
            int32_t other = matrix->column[slot];
            uint64_t key = (uint64_t)(row < other ? row * ROWS + other : other * ROWS + row);
            for (int k = 0; k < 9; ++k) {
                int kk = row < other ? k : k % 3 * 3 + k / 3;
                matrix->values[9 * slot + k] =
                    row == other
                        ? (k % 4 == 0 ? 6 : 0.5)
                        : pli_random_range((pli_random){4, 1}, 9 * key + (uint64_t)kk, -1, 1);
            }
        }
    }
    double *A = dense_copy(matrix);
    double *r = random_vector(SIZE, 3);
    double *z = new_vector(SIZE);
    pli_precondition *precondition =
        make_precondition(context, matrix, PLI_PRECONDITION_GAUSS_SEIDEL, 0);
    pli_precondition_apply(precondition, r, z);

    // (D + L) w = r, then (D + U) z = D w, each as a dense solve
    double *part = new_vector(SIZE * SIZE);
    double *w = new_vector(SIZE);
    memcpy(w, r, SIZE * sizeof *w);
    for (int k = 0; k < SIZE * SIZE; ++k) part[k] = k % SIZE / 3 <= k / SIZE / 3 ? A[k] : 0;
    solve_by_elimination(SIZE, part, w);
    double *want = new_vector(SIZE);
    for (int i = 0; i < SIZE; ++i) {
        for (int j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) want[i] += A[i * SIZE + j] * w[j];
    }
    for (int k = 0; k < SIZE * SIZE; ++k) part[k] = k % SIZE / 3 >= k / SIZE / 3 ? A[k] : 0;
    solve_by_elimination(SIZE, part, want);
    // couplings are kept in single precision: 6e-8 each
    AT_MOST(relative_difference(SIZE, z, want), 2e-7);
    free(A);
    free(r);
    free(z);
    free(part);
    free(w);
    free(want);
    pli_precondition_destroy(precondition);
    pli_bcsr_destroy(matrix);
}

static void shuffled_numbering_keeps_colours_few(void **state)
{
    pli_context *context = *state;
    box_mesh mesh;
    assert_true(box_mesh_init(&mesh, 24, 24, 24));
    int32_t *number = malloc((size_t)mesh.vertex_count * sizeof *number);
    assert_non_null(number);
    for (int32_t v = 0; v < mesh.vertex_count; ++v) {
        int32_t k = (int32_t)pli_random_range((pli_random){1, 1}, (uint64_t)v, 0, v + 1);
        number[v] = k == v ? v : number[k];
        number[k] = v;
    }
    for (int64_t k = 0; k < 4 * mesh.tet_count; ++k) mesh.tets[k] = number[mesh.tets[k]];
    pli_clique_list list = box_cliques(&mesh);
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, mesh.vertex_count, 1, &list, &matrix));
    pli_gauss_seidel *sweep = NULL;
    OK(context, pli_gauss_seidel_create(context, matrix, &sweep));
    AT_MOST(pli_gauss_seidel_color_count(sweep), 14);
    pli_gauss_seidel_destroy(sweep);
    pli_bcsr_destroy(matrix);
    free(number);
    box_mesh_clear(&mesh);
}

static void wrong_defs_are_refused(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 30, 1);
    pli_precondition *none = NULL;
    pli_precondition_def wrong[] = {{(pli_precondition_kind)99, 1},
                                    {PLI_PRECONDITION_BLOCK_JACOBI, 9},
                                    {PLI_PRECONDITION_BLOCK_JACOBI, -1}};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(pli_precondition_create(context, &wrong[k], matrix, &none),
                         PLI_ERROR_ARGUMENT);
        assert_null(none);
    }
    pli_precondition_destroy(NULL);
    pli_bcsr_destroy(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(jacobi_divides_by_the_diagonal, 1),
        TEST_IN_CONTEXT(block_jacobi_solves_with_diagonal_blocks, 2),
        TEST_IN_CONTEXT(unsafe_diagonals_are_replaced_and_counted, 1),
        TEST_IN_CONTEXT(sweep_error_is_a_contraction, 2),
        TEST_IN_CONTEXT(sweep_equals_the_textbook_sweep, 1),
        TEST_IN_CONTEXT(shuffled_numbering_keeps_colours_few, 1),
        TEST_IN_CONTEXT(wrong_defs_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Restriction of a block matrix to the tangent spaces of some of its rows.
#include "support/matrix_checks.h"
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/krylov/solver.h"

enum { ROWS = 70, SIZE = 3 * ROWS };

// Tangent spaces of all dimensions for about a third of the rows, neighbours among them.
typedef struct tangent_list {
    int32_t count;
    int32_t rows[ROWS];
    double tangents[9 * ROWS];
    double additions[9 * ROWS];
} tangent_list;

static void make_tangents(tangent_list *list, uint64_t seed)
{
    list->count = 0;
    for (int32_t row = 0; row < ROWS; ++row) {
        if (pli_random_uniform((pli_random){seed, 1}, (uint64_t)row) > 0.35) continue;
        double G[9];
        double *addition = list->additions + 9 * list->count;
        for (uint64_t k = 0; k < 9; ++k) {
            G[k] = pli_random_range((pli_random){seed, 2}, 9 * (uint64_t)row + k, -1, 1);
        }
        for (int k = 0; k < 9; ++k) addition[k] = G[k] + G[k % 3 * 3 + k / 3];
        random_tangent(row % 4, seed + (uint64_t)row, list->tangents + 9 * list->count);
        list->rows[list->count++] = row;
    }
}

// T of all rows as one matrix, [SIZE][SIZE]
static double *dense_tangents(const tangent_list *list)
{
    double *T = new_vector(SIZE * SIZE);
    for (int i = 0; i < SIZE; ++i) T[i * SIZE + i] = 1;
    for (int32_t k = 0; k < list->count; ++k) {
        for (int i = 0; i < 3; ++i) T[(3 * list->rows[k] + i) * (SIZE + 1)] = 0;
        add_to_dense(SIZE, list->rows[k], list->rows[k], list->tangents + 9 * k, T);
    }
    return T;
}

static double *dense_product(const double *A, const double *B)
{
    double *C = new_vector(SIZE * SIZE);
    for (int i = 0; i < SIZE; ++i) {
        for (int k = 0; k < SIZE; ++k) {
            for (int j = 0; j < SIZE; ++j) C[i * SIZE + j] += A[i * SIZE + k] * B[k * SIZE + j];
        }
    }
    return C;
}

// T (A + additions) T + diagonal (I - T), diagonal from the rows when not positive
static double *dense_restricted(const pli_bcsr *matrix, const tangent_list *list, bool adds,
                                double diagonal)
{
    double *A = dense_copy(matrix);
    double *T = dense_tangents(list);
    double scale[ROWS];
    for (int row = 0; row < ROWS; ++row) {
        double mean = 0;
        for (int i = 0; i < 3; ++i) mean += A[(3 * row + i) * (SIZE + 1)] / 3;
        scale[row] = diagonal > 0 ? diagonal : mean > 0 ? mean : 1;
    }
    for (int32_t k = 0; adds && k < list->count; ++k) {
        add_to_dense(SIZE, list->rows[k], list->rows[k], list->additions + 9 * k, A);
    }
    double *TA = dense_product(T, A);
    double *TAT = dense_product(TA, T);
    for (int i = 0; i < SIZE; ++i) {
        for (int j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) {
            TAT[i * SIZE + j] += scale[i / 3] * ((i == j ? 1 : 0) - T[i * SIZE + j]);
        }
    }
    free(A);
    free(T);
    free(TA);
    return TAT;
}

static pli_bcsr *contact_matrix(pli_context *context, uint64_t seed)
{
    pli_bcsr *matrix = random_matrix(context, ROWS, seed);
    add_random_contacts(matrix, 80, seed);
    return matrix;
}

static void restriction_equals_the_dense_one(void **state)
{
    pli_context *context = *state;
    for (int variant = 0; variant < 4; ++variant) {
        bool adds = variant % 2 == 1;
        double diagonal = variant < 2 ? 0 : 2.5;
        tangent_list list;
        make_tangents(&list, 10 + (uint64_t)variant);
        pli_bcsr *matrix = contact_matrix(context, 5);
        double *want = dense_restricted(matrix, &list, adds, diagonal);
        pli_bcsr_restrict(matrix, list.count, list.rows, list.tangents,
                          adds ? list.additions : NULL, diagonal);
        double *got = dense_copy(matrix);
        // entries are sums of a few products of numbers up to the largest entry
        AT_MOST(relative_difference(SIZE * SIZE, got, want), 1e-15);
        AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
        free(want);
        free(got);
        pli_bcsr_destroy(matrix);
    }
}

static void rows_without_stiffness_get_a_unit_diagonal(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 0, NULL, &matrix));
    matrix->values[9 * 3] = -7;
    matrix->values[9 * 4] = NAN;
    const int32_t rows[] = {2, 3};
    double tangents[18] = {0};
    pli_bcsr_restrict(matrix, 2, rows, tangents, NULL, 0);
    for (int k = 0; k < 9; ++k) {
        NEAR(matrix->values[9 * 2 + k], k % 4 == 0 ? 1 : 0, 0, 0);
        NEAR(matrix->values[9 * 3 + k], k % 4 == 0 ? 1 : 0, 0, 0);
    }
    // no rows, no change
    pli_bcsr_restrict(matrix, 0, NULL, NULL, NULL, 0);
    assert_true(isnan(matrix->values[9 * 4]));
    pli_bcsr_destroy(matrix);
}

static void restriction_has_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    enum { CELLS = 16 };
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bcsr *matrix = box_matrix(context, CELLS, CELLS, CELLS, 0.1, 10);
        add_random_contacts(matrix, 2000, 3);
        int64_t n = unknown_count(matrix);
        int32_t *rows = malloc((size_t)matrix->row_count * sizeof *rows);
        double *tangents = new_vector(9 * (int64_t)matrix->row_count);
        assert_non_null(rows);
        int32_t count = 0;
        for (int32_t row = 0; row < matrix->row_count; row += 1 + row % 3) {
            random_tangent(row % 3, (uint64_t)row, tangents + 9 * (int64_t)count);
            rows[count++] = row;
        }
        pli_bcsr_restrict(matrix, count, rows, tangents, NULL, 0);
        double *x = random_vector(n, 1);
        double *y = new_vector(n);
        pli_bcsr_multiply(matrix, x, y);
        same_bits_keep_hash(&bits, vector_hash(9 * matrix->block_count, matrix->values) ^
                                       vector_hash(n, y));
        free(rows);
        free(tangents);
        free(x);
        free(y);
        pli_bcsr_destroy(matrix);
        pli_context_destroy(context);
    }
}

// Largest |x - T x| of the listed rows.
static double off_tangent(const tangent_list *list, const double *x)
{
    double largest = 0;
    for (int32_t k = 0; k < list->count; ++k) {
        const double *at = x + 3 * list->rows[k];
        double Tx[3];
        pli_mat3_apply(list->tangents + 9 * k, at, Tx);
        for (int i = 0; i < 3; ++i) largest = fmax(largest, fabs(at[i] - Tx[i]));
    }
    return largest;
}

static void solutions_of_restricted_systems_are_tangential(void **state)
{
    static const pli_linear_solver_def defs[] = {{.kind = PLI_SOLVER_PCG,
                                                  .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                                  .max_iterations = 2000},
                                                 {.kind = PLI_SOLVER_PCG,
                                                  .preconditioner = PLI_PRECONDITION_GAUSS_SEIDEL,
                                                  .max_iterations = 2000},
                                                 {.kind = PLI_SOLVER_MINRES,
                                                  .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                                  .max_iterations = 2000}};
    pli_context *context = *state;
    pli_arena *arena = NULL;
    OK(context, pli_arena_create(context, 1 << 16, &arena));
    tangent_list list;
    make_tangents(&list, 4);
    pli_bcsr *matrix = contact_matrix(context, 6);
    pli_bcsr_restrict(matrix, list.count, list.rows, list.tangents, NULL, 0);
    double *b = random_vector(SIZE, 3);
    for (int32_t k = 0; k < list.count; ++k) {
        double Tb[3];
        pli_mat3_apply(list.tangents + 9 * k, b + 3 * list.rows[k], Tb);
        pli_vec3_copy(Tb, b + 3 * list.rows[k]);
    }
    double *want = random_vector(SIZE, 3);
    memcpy(want, b, SIZE * sizeof *want);
    double *A = dense_copy(matrix);
    solve_by_elimination(SIZE, A, want);
    double *x = new_vector(SIZE);
    for (int k = 0; k < 3; ++k) {
        pli_linear_solver *solver = NULL;
        bool definite = false;
        pli_krylov_report report;
        OK(context, pli_linear_solver_create(context, &defs[k], matrix, &solver));
        OK(context, pli_linear_solver_build(solver, &definite));
        OK(context, pli_linear_solver_solve(solver, b, 1e-13, arena, x, &report));
        // condition below 1e3
        AT_MOST(relative_difference(SIZE, x, want), 1e-10);
        AT_MOST(off_tangent(&list, x) / pli_vector_max_abs(context, SIZE, x), 1e-13);
        pli_linear_solver_destroy(solver);
    }
    free(b);
    free(x);
    free(A);
    free(want);
    pli_bcsr_destroy(matrix);
    pli_arena_destroy(arena);
}

static void fixing_after_restricting_zeroes_what_is_left(void **state)
{
    pli_context *context = *state;
    tangent_list list;
    make_tangents(&list, 8);
    pli_bcsr *matrix = contact_matrix(context, 7);
    double *want = dense_restricted(matrix, &list, true, 0);
    pli_bcsr_restrict(matrix, list.count, list.rows, list.tangents, list.additions, 0);
    uint8_t mask[ROWS];
    make_mask(ROWS, 2, mask);
    fix_dense(SIZE, mask, 1, want);
    pli_bcsr_fix_dofs(matrix, mask, 1);
    double *got = dense_copy(matrix);
    AT_MOST(relative_difference(SIZE * SIZE, got, want), 1e-15);
    free(want);
    free(got);
    pli_bcsr_destroy(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(restriction_equals_the_dense_one, 2),
        TEST_IN_CONTEXT(rows_without_stiffness_get_a_unit_diagonal, 1),
        cmocka_unit_test(restriction_has_the_same_bits_for_any_thread_count),
        TEST_IN_CONTEXT(solutions_of_restricted_systems_are_tangential, 2),
        TEST_IN_CONTEXT(fixing_after_restricting_zeroes_what_is_left, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

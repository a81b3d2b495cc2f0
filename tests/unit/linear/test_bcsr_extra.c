// SPDX-License-Identifier: Apache-2.0
//
// Extra blocks of a block matrix: blocks beside the pattern, and everything that must know them.
#include "support/fault_sweep.h"
#include "support/matrix_checks.h"
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/direct/cholesky.h"
#include "linear/krylov/gauss_seidel.h"
#include "linear/krylov/solver.h"
#include "linear/matrix/bcsr_extra.h"

// y = A x with a dense A
static void dense_multiply(int64_t n, const double *A, const double *x, double *y)
{
    for (int64_t i = 0; i < n; ++i) {
        y[i] = 0;
        for (int64_t j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];
    }
}

static void random_block(uint64_t seed, double block[9])
{
    for (uint64_t k = 0; k < 9; ++k) block[k] = pli_random_range((pli_random){seed, 4}, k, -1, 1);
}

// What is added block by block, to the matrix and to a dense one, is what products see.
static void products_with_extra_blocks_equal_dense_products(void **state)
{
    enum { ROWS = 90, SIZE = 3 * ROWS, ADDED = 400 };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 21);
    double *A = dense_copy(matrix);
    double *x = random_vector(SIZE, 1);
    double *b = random_vector(SIZE, 2);
    double *want = new_vector(SIZE);
    double *got = new_vector(SIZE);
    OK(context, pli_bcsr_reserve_extra(matrix, ADDED));
    for (uint64_t k = 0; k < ADDED; ++k) {
        double block[9];
        random_block(k, block);
        // few rows, so that places meet again; the diagonal and the pattern are among them
        int32_t row = (int32_t)pli_random_range((pli_random){1, 1}, k, 0, 20);
        int32_t column = (int32_t)pli_random_range((pli_random){1, 2}, k, 0, ROWS);
        assert_true(pli_bcsr_add_block(matrix, row, column, block));
        add_to_dense(SIZE, row, column, block, A);
    }
    assert_true(matrix->extra.count > ADDED / 2 && matrix->extra.count < ADDED);
    pli_bcsr_close_extra(matrix);
    dense_multiply(SIZE, A, x, want);
    pli_bcsr_multiply(matrix, x, got);
    AT_MOST(relative_difference(SIZE, got, want), 1e-14);
    pli_operator view = pli_bcsr_operator(matrix);
    pli_operator_apply(&view, x, got);
    AT_MOST(relative_difference(SIZE, got, want), 1e-14);
    for (int i = 0; i < SIZE; ++i) want[i] = b[i] - want[i];
    pli_bcsr_residual(matrix, b, x, b);
    AT_MOST(relative_difference(SIZE, b, want), 1e-14);
    free(A);
    free(x);
    free(b);
    free(want);
    free(got);
    pli_bcsr_destroy(matrix);
}

static void blocks_of_the_pattern_stay_there(void **state)
{
    pli_context *context = *state;
    const int32_t edges[] = {0, 1, 1, 2};
    pli_clique_list list = {2, 2, edges};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 4, 1, &list, &matrix));
    double one[9];
    random_block(1, one);
    // no room is needed for these
    assert_true(pli_bcsr_add_block(matrix, 0, 1, one));
    assert_true(pli_bcsr_add_block(matrix, 3, 3, one));
    pli_bcsr_add_diagonal_block(matrix, 3, one);
    assert_false(pli_bcsr_add_block(matrix, 0, 2, one));
    assert_int_equal(matrix->extra.count, 0);
    for (int k = 0; k < 9; ++k) {
        NEAR(matrix->values[9 * pli_bcsr_find(matrix, 0, 1) + k], one[k], 0, 0);
        NEAR(matrix->values[9 * matrix->diagonal[3] + k], 2 * one[k], 0, 0);
    }
    pli_bcsr_destroy(matrix);
}

static void a_full_list_refuses_new_places_and_takes_old_ones(void **state)
{
    enum { ROWS = 50 };
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 0, NULL, &matrix));
    double one[9];
    random_block(1, one);
    OK(context, pli_bcsr_reserve_extra(matrix, 5));
    assert_int_equal(matrix->extra.capacity, 5);
    for (int32_t k = 0; k < 5; ++k) assert_true(pli_bcsr_add_block(matrix, 9 - k, 40 + k, one));
    assert_false(pli_bcsr_add_block(matrix, 1, 2, one));
    assert_int_equal(matrix->extra.count, 5);
    assert_null(pli_bcsr_extra_find(matrix, 1, 2));
    assert_true(pli_bcsr_add_block(matrix, 9, 40, one));

    // more room keeps what is there, grows by half at least, and stays
    OK(context, pli_bcsr_reserve_extra(matrix, 6));
    assert_int_equal(matrix->extra.capacity, 7);
    OK(context, pli_bcsr_reserve_extra(matrix, 3));
    assert_int_equal(matrix->extra.capacity, 7);
    assert_true(pli_bcsr_add_block(matrix, 1, 2, one));
    pli_bcsr_close_extra(matrix);
    assert_int_equal(matrix->extra.row_count, 6);
    assert_int_equal(matrix->extra.rows[0], 1);
    NEAR(pli_bcsr_extra_find(matrix, 9, 40)->values[4], 2 * one[4], 0, 0);
    NEAR(pli_bcsr_extra_find(matrix, 5, 44)->values[4], one[4], 0, 0);
    assert_int_equal(pli_bcsr_reserve_extra(matrix, (int64_t)1 << 31), PLI_ERROR_UNSUPPORTED);
    pli_bcsr_destroy(matrix);
}

// Rows from several thousands, so that the sort needs more than one digit.
static void places_are_sorted_whatever_the_order_of_adding(void **state)
{
    enum { ROWS = 6000, ADDED = 3000, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 0, NULL, &matrix));
    OK(context, pli_bcsr_reserve_extra(matrix, ADDED));
    double *x = random_vector(SIZE, 1);
    double *y = new_vector(SIZE);
    uint64_t revision = 0;
    uint64_t product = 0;
    for (int32_t step = 1; step <= 7; step += 2) {
        pli_bcsr_set_zero(matrix);
        for (int32_t k = 0; k < ADDED; ++k) {
            // 3001 is prime, so all items come in another order for each step
            int64_t item = (int64_t)(k + 1) * step % (ADDED + 1);
            double block[9];
            random_block((uint64_t)item, block);
            int32_t row = (int32_t)(item * item % 977 * 6);
            int32_t column = (int32_t)(item * 1999 % ROWS);
            if (row != column) assert_true(pli_bcsr_add_block(matrix, row, column, block));
        }
        pli_bcsr_close_extra(matrix);
        for (int64_t k = 1; k < matrix->extra.count; ++k) {
            const pli_extra_block *block = matrix->extra.blocks + k;
            assert_true(block[-1].row < block->row ||
                        (block[-1].row == block->row && block[-1].column < block->column));
            assert_true(pli_bcsr_extra_find(matrix, block->row, block->column) == block);
        }
        pli_bcsr_multiply(matrix, x, y);
        if (step == 1) {
            revision = matrix->extra.revision;
            product = vector_hash(SIZE, y);
        }
        assert_true(matrix->extra.revision == revision && revision != 0);
        assert_true(vector_hash(SIZE, y) == product);
    }
    // one place more is another set
    assert_true(pli_bcsr_extra_find(matrix, 5999, 5998) == NULL);
    OK(context, pli_bcsr_reserve_extra(matrix, ADDED + 1));
    double one[9] = {1};
    assert_true(pli_bcsr_add_block(matrix, 5999, 5998, one));
    pli_bcsr_close_extra(matrix);
    assert_true(matrix->extra.revision != revision);
    free(x);
    free(y);
    pli_bcsr_destroy(matrix);
}

static void results_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bcsr *matrix = box_matrix(context, 16, 16, 16, 0.1, 10);
        add_random_contacts(matrix, 4000, 3);
        int64_t n = unknown_count(matrix);
        double *x = random_vector(n, 1);
        double *y = new_vector(n);
        uint8_t *mask = calloc((size_t)matrix->row_count, 1);
        assert_non_null(mask);
        for (int32_t row = 0; row < matrix->row_count; row += 11) mask[row] = (uint8_t)(row % 8);
        pli_bcsr_fix_dofs(matrix, mask, 1);
        pli_bcsr_multiply(matrix, x, y);
        uint64_t hash = vector_hash(n, y) ^ matrix->extra.revision;
        pli_bcsr_residual(matrix, y, x, y);
        hash ^= 3 * vector_hash(n, y);
        same_bits_keep_hash(&bits, hash);
        AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
        free(mask);
        free(x);
        free(y);
        pli_bcsr_destroy(matrix);
        pli_context_destroy(context);
    }
}

static void fixed_unknowns_leave_extra_blocks_too(void **state)
{
    enum { ROWS = 50, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 31);
    add_random_contacts(matrix, 60, 5);
    double *want = dense_copy(matrix);
    uint8_t mask[ROWS];
    make_mask(ROWS, 3, mask);
    fix_dense(SIZE, mask, 2.5, want);
    pli_bcsr_fix_dofs(matrix, mask, 2.5);
    double *got = dense_copy(matrix);
    for (int k = 0; k < SIZE * SIZE; ++k) NEAR(got[k], want[k], 0, 0);
    free(want);
    free(got);
    pli_bcsr_destroy(matrix);
}

static void asymmetry_of_extra_blocks_is_measured(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 10, 0, NULL, &matrix));
    OK(context, pli_bcsr_reserve_extra(matrix, 4));
    const double block[9] = {0, 4, 0, 0, 0, 0, 0, 0, 0};
    const double mirror[9] = {0, 0, 0, 3, 0, 0, 0, 0, 0};
    assert_true(pli_bcsr_add_block(matrix, 2, 7, block));
    pli_bcsr_close_extra(matrix);
    NEAR(pli_bcsr_symmetry_error(matrix), 1, 0, 0);
    assert_true(pli_bcsr_add_block(matrix, 7, 2, mirror));
    pli_bcsr_close_extra(matrix);
    NEAR(pli_bcsr_symmetry_error(matrix), 0.25, 0, 0);
    pli_bcsr_destroy(matrix);
}

static void zeroing_and_rebuilding_forget_extra_blocks(void **state)
{
    pli_context *context = *state;
    const int32_t edges[] = {0, 1, 0, 30};
    pli_clique_list list = {2, 2, edges};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 40, 1, &list, &matrix));
    int64_t before = pli_bcsr_memory_bytes(matrix);
    for (int round = 0; round < 2; ++round) {
        add_random_contacts(matrix, 30, 1);
        assert_true(matrix->extra.count > 30);
        assert_null(pli_bcsr_extra_find(matrix, 0, 1));
        if (round == 0) {
            pli_bcsr_set_zero(matrix);
        } else {
            OK(context, pli_bcsr_build(matrix, 35, 1, &list));
        }
        assert_int_equal(matrix->extra.count, 0);
        assert_int_equal(matrix->extra.row_count, 0);
        assert_true(matrix->extra.revision == 0);
        assert_int_equal(matrix->extra.capacity, 60);
        double x[120] = {0};
        double y[120];
        for (int k = 0; k < 120; ++k) x[k] = 1;
        pli_bcsr_multiply(matrix, x, y);
        NEAR(pli_vector_max_abs(context, 3 * (int64_t)matrix->row_count, y), 0, 0, 0);
    }
    // 60 blocks, rows, starts, scratch of the sort, and a table of 128
    OK(context, pli_bcsr_build(matrix, 40, 1, &list));
    int64_t room = 60 * (80 + 4 + 4 + 8) + 4 + 128 * 4;
    assert_int_equal(pli_bcsr_memory_bytes(matrix), before + room);
    pli_bcsr_destroy(matrix);
}

// Multiples of the identity in the places of the matrix: a weight on the diagonal, small numbers on
// extra blocks.
static void make_isotropic(pli_bcsr *matrix, double weight)
{
    memset(matrix->values, 0, (size_t)(9 * matrix->block_count) * sizeof(double));
    add_identity(matrix, weight);
    for (int64_t k = 0; k < matrix->extra.count; ++k) {
        double *values = matrix->extra.blocks[k].values;
        for (int i = 0; i < 9; ++i) values[i] = i % 4 == 0 ? -0.01 : 0;
    }
}

// Contacts that come, stay with other values, and go: one factorisation object for all.
static void cholesky_follows_changing_contacts(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    static const uint64_t seeds[] = {1, 1, 2, 0, 0, 2, 3};
    for (int isotropic = 0; isotropic <= 1; ++isotropic) {
        pli_bcsr *matrix = NULL;
        int32_t *triangles = random_triangles(200, 5);
        pli_clique_list list = {3, 50, triangles};
        OK(context, pli_bcsr_create(context, 200, 1, &list, &matrix));
        pli_cholesky *cholesky = NULL;
        pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_DISSECTION,
                                .isotropic = isotropic != 0};
        OK(context, pli_cholesky_create(context, &def, matrix, &cholesky));
        int64_t plain = pli_cholesky_get_report(cholesky).factor_entries;
        int64_t n = unknown_count(matrix);
        double *b = random_vector(n, 3);
        double *x = new_vector(n);
        for (int round = 0; round < 7; ++round) {
            pli_bcsr_set_zero(matrix);
            add_identity(matrix, 1 + round);
            if (seeds[round] > 0) add_random_contacts(matrix, 150, seeds[round]);
            if (isotropic != 0) make_isotropic(matrix, 1 + round);
            bool positive = false;
            OK(context, pli_cholesky_factor(cholesky, matrix, 0, &positive));
            assert_true(positive);
            OK(context, pli_cholesky_solve(cholesky, 1, b, x));
            AT_MOST(relative_residual(matrix, b, x), 1e-13);
            int64_t entries = pli_cholesky_get_report(cholesky).factor_entries;
            assert_int_equal(entries == plain, seeds[round] == 0);
            assert_true(entries >= plain);
        }
        free(b);
        free(x);
        free(triangles);
        pli_cholesky_destroy(cholesky);
        pli_bcsr_destroy(matrix);
    }
}

// An extra block alone would make METIS read an unsymmetric graph.
static void cholesky_refuses_half_a_contact_and_open_lists(void **state)
{
    if (!pli_cholesky_is_available()) skip();
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 20, 0, NULL, &matrix));
    OK(context, pli_bcsr_reserve_extra(matrix, 10));
    pli_cholesky *cholesky = NULL;
    pli_cholesky_def def = {0};
    OK(context, pli_cholesky_create(context, &def, matrix, &cholesky));
    add_identity(matrix, 9);
    const double block[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    bool positive = true;
    assert_true(pli_bcsr_add_block(matrix, 3, 8, block));
    pli_bcsr_close_extra(matrix);
    assert_int_equal(pli_cholesky_factor(cholesky, matrix, 0, &positive), PLI_ERROR_ARGUMENT);
    assert_false(positive);
    assert_false(pli_cholesky_get_report(cholesky).supernodal);
    assert_true(pli_bcsr_add_block(matrix, 8, 3, block));
    assert_int_equal(pli_cholesky_factor(cholesky, matrix, 0, &positive), PLI_ERROR_ARGUMENT);
    pli_bcsr_close_extra(matrix);
    OK(context, pli_cholesky_factor(cholesky, matrix, 0, &positive));
    pli_cholesky_destroy(cholesky);
    pli_bcsr_destroy(matrix);
}

static void every_solver_sees_extra_blocks_that_change(void **state)
{
    static const pli_linear_solver_def defs[] = {{.kind = PLI_SOLVER_PCG,
                                                  .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                                  .max_iterations = 2000},
                                                 {.kind = PLI_SOLVER_PCG,
                                                  .preconditioner = PLI_PRECONDITION_GAUSS_SEIDEL,
                                                  .max_iterations = 2000},
                                                 {.kind = PLI_SOLVER_MINRES,
                                                  .preconditioner = PLI_PRECONDITION_GAUSS_SEIDEL,
                                                  .max_iterations = 2000},
                                                 {.kind = PLI_SOLVER_CHOLESKY,
                                                  .preconditioner = PLI_PRECONDITION_NONE,
                                                  .max_iterations = 0}};
    pli_context *context = *state;
    pli_arena *arena = NULL;
    OK(context, pli_arena_create(context, 1 << 16, &arena));
    for (int k = 0; k < 4; ++k) {
        if (defs[k].kind == PLI_SOLVER_CHOLESKY && !pli_cholesky_is_available()) continue;
        pli_bcsr *matrix = box_matrix(context, 6, 6, 6, 0.1, 1);
        int64_t n = unknown_count(matrix);
        double *b = random_vector(n, 3);
        double *x = new_vector(n);
        pli_linear_solver *solver = NULL;
        OK(context, pli_linear_solver_create(context, &defs[k], matrix, &solver));
        for (uint64_t round = 1; round <= 3; ++round) {
            // contacts pile up, at other places each time
            add_random_contacts(matrix, 50 * (int32_t)round, round);
            bool definite = false;
            pli_krylov_report report;
            OK(context, pli_linear_solver_build(solver, &definite));
            assert_true(definite);
            OK(context, pli_linear_solver_solve(solver, b, 1e-13, arena, x, &report));
            AT_MOST(relative_residual(matrix, b, x), 1e-12);
        }
        free(b);
        free(x);
        pli_linear_solver_destroy(solver);
        pli_bcsr_destroy(matrix);
    }
    pli_arena_destroy(arena);
}

// Groups of all rows: the preconditioner is the inverse.
static void grouped_block_jacobi_has_the_extra_blocks_of_a_group(void **state)
{
    enum { ROWS = 8, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 0, NULL, &matrix));
    add_identity(matrix, 0.5);
    add_random_contacts(matrix, 12, 2);
    pli_precondition_def def = {PLI_PRECONDITION_BLOCK_JACOBI, ROWS};
    pli_precondition *inverse = NULL;
    OK(context, pli_precondition_create(context, &def, matrix, &inverse));
    OK(context, pli_precondition_build(inverse, matrix));
    double *b = random_vector(SIZE, 1);
    double x[SIZE];
    pli_precondition_apply(inverse, b, x);
    // condition below 100
    AT_MOST(relative_residual(matrix, b, x), 1e-13);
    free(b);
    pli_precondition_destroy(inverse);
    pli_bcsr_destroy(matrix);
}

// The preconditioner leaves extra blocks out but stays symmetric and positive.
static void gauss_seidel_stays_symmetric_and_positive_beside_contacts(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 100, 4);
    add_random_contacts(matrix, 300, 2);
    pli_gauss_seidel *sweep = NULL;
    OK(context, pli_gauss_seidel_create(context, matrix, &sweep));
    assert_int_equal(pli_gauss_seidel_build(sweep, matrix), 0);
    int64_t n = unknown_count(matrix);
    double *x = random_vector(n, 1);
    double *y = random_vector(n, 2);
    double *Bx = new_vector(n);
    double *By = new_vector(n);
    pli_gauss_seidel_apply(sweep, x, Bx);
    pli_gauss_seidel_apply(sweep, y, By);
    double xBx = pli_vector_dot(context, n, x, Bx);
    double yBy = pli_vector_dot(context, n, y, By);
    AT_LEAST(fmin(xBx, yBy), 1e-6);
    NEAR(pli_vector_dot(context, n, y, Bx), pli_vector_dot(context, n, x, By), 0,
         1e-13 * sqrt(xBx * yBy));
    free(x);
    free(y);
    free(Bx);
    free(By);
    pli_gauss_seidel_destroy(sweep);
    pli_bcsr_destroy(matrix);
}

static void a_warm_cycle_allocates_nothing(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 100, 4);
    int64_t n = unknown_count(matrix);
    double *x = random_vector(n, 1);
    double *y = new_vector(n);
    OK(context, pli_bcsr_reserve_extra(matrix, 600));
    int64_t before = pli_context_allocation_count(context);
    uint8_t mask[100] = {7, 0, 3};
    const int32_t rows[] = {5, 17};
    double tangents[18];
    random_tangent(2, 1, tangents);
    random_tangent(1, 2, tangents + 9);
    for (uint64_t round = 0; round < 5; ++round) {
        pli_bcsr_set_zero(matrix);
        add_identity(matrix, 1);
        add_random_contacts(matrix, 300, round);
        pli_bcsr_restrict(matrix, 2, rows, tangents, NULL, 0);
        pli_bcsr_fix_dofs(matrix, mask, 1);
        pli_bcsr_multiply(matrix, x, y);
        pli_bcsr_residual(matrix, y, x, y);
    }
    assert_int_equal(pli_context_allocation_count(context), before);
    free(x);
    free(y);
    pli_bcsr_destroy(matrix);
}

// The n-th allocation of two reservations fails, for all n: blocks stay, and a second try works.
static void failed_reservations_leave_the_matrix_as_it_was(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.at_least = 5}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        pli_bcsr *matrix = NULL;
        OK(sweep.context, pli_bcsr_create(sweep.context, 40, 0, NULL, &matrix));
        add_random_contacts(matrix, 20, 1);
        uint64_t revision = matrix->extra.revision;
        fault_sweep_resume(&sweep);
        sweep.status = pli_bcsr_reserve_extra(matrix, 500);
        fault_sweep_pause(&sweep);
        assert_int_equal(matrix->extra.capacity, sweep.status == PLI_OK ? 500 : 40);
        assert_true(matrix->extra.revision == revision);
        for (int64_t k = 0; k < matrix->extra.count; ++k) {
            const pli_extra_block *block = matrix->extra.blocks + k;
            assert_true(pli_bcsr_extra_find(matrix, block->row, block->column) == block);
        }
        add_random_contacts(matrix, 250, 2);
        AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
        pli_bcsr_destroy(matrix);
    }
}

static pli_status factor_twice(pli_context *context, pli_bcsr *matrix, pli_cholesky **cholesky)
{
    pli_cholesky_def def = {.order = PLI_CHOLESKY_ORDER_DISSECTION};
    bool positive = false;
    PLI_TRY(pli_cholesky_create(context, &def, matrix, cholesky));
    PLI_TRY(pli_cholesky_factor(*cholesky, matrix, 0, &positive));
    pli_bcsr_set_zero(matrix);
    add_identity(matrix, 1);
    add_random_contacts(matrix, 20, 2);
    return pli_cholesky_factor(*cholesky, matrix, 0, &positive);
}

static void a_failed_analysis_is_made_up_for(void **state)
{
    (void)state;
    if (!pli_cholesky_is_available()) skip();
    for (fault_sweep sweep = {.at_least = 7}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        pli_bcsr *matrix = NULL;
        OK(sweep.context, pli_bcsr_create(sweep.context, 40, 0, NULL, &matrix));
        add_identity(matrix, 1);
        add_random_contacts(matrix, 20, 1);
        fault_sweep_resume(&sweep);
        pli_cholesky *cholesky = NULL;
        sweep.status = factor_twice(sweep.context, matrix, &cholesky);
        fault_sweep_pause(&sweep);
        bool positive = false;
        if (cholesky != NULL) {
            OK(sweep.context, pli_cholesky_factor(cholesky, matrix, 0, &positive));
            assert_true(positive);
        }
        pli_cholesky_destroy(cholesky);
        pli_bcsr_destroy(matrix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(products_with_extra_blocks_equal_dense_products, 2),
        TEST_IN_CONTEXT(blocks_of_the_pattern_stay_there, 1),
        TEST_IN_CONTEXT(a_full_list_refuses_new_places_and_takes_old_ones, 1),
        TEST_IN_CONTEXT(places_are_sorted_whatever_the_order_of_adding, 2),
        cmocka_unit_test(results_have_the_same_bits_for_any_thread_count),
        TEST_IN_CONTEXT(fixed_unknowns_leave_extra_blocks_too, 2),
        TEST_IN_CONTEXT(asymmetry_of_extra_blocks_is_measured, 1),
        TEST_IN_CONTEXT(zeroing_and_rebuilding_forget_extra_blocks, 1),
        TEST_IN_CONTEXT(cholesky_follows_changing_contacts, 2),
        TEST_IN_CONTEXT(cholesky_refuses_half_a_contact_and_open_lists, 1),
        TEST_IN_CONTEXT(every_solver_sees_extra_blocks_that_change, 2),
        TEST_IN_CONTEXT(grouped_block_jacobi_has_the_extra_blocks_of_a_group, 1),
        TEST_IN_CONTEXT(gauss_seidel_stays_symmetric_and_positive_beside_contacts, 2),
        TEST_IN_CONTEXT(a_warm_cycle_allocates_nothing, 1),
        cmocka_unit_test(failed_reservations_leave_the_matrix_as_it_was),
        cmocka_unit_test(a_failed_analysis_is_made_up_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

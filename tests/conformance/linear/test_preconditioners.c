// SPDX-License-Identifier: Apache-2.0
//
// One suite for all preconditioners, on matrices that are positive definite, badly scaled,
// indefinite and singular. As an operator B
//
//   - it is linear, symmetric and positive, whatever the matrix is;
//   - it has the same bits for any number of threads, and applying it allocates nothing;
//   - building it again leaves no trace of the values before;
//   - it refuses a matrix with another pattern, takes one without rows, and leaves nothing behind
//   when
//     an allocation fails.
#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "base/context.h"
#include "linear/krylov/precondition.h"

// A row is what create takes.
static const struct {
    const char *name;
    pli_precondition_def def;
    bool allocates; // there is something that can fail besides the object itself
} rows[] = {
    {"none", {PLI_PRECONDITION_NONE, 0}, false},
    {"jacobi", {PLI_PRECONDITION_JACOBI, 0}, true},
    {"block jacobi", {PLI_PRECONDITION_BLOCK_JACOBI, 1}, true},
    {"block jacobi of 2", {PLI_PRECONDITION_BLOCK_JACOBI, 2}, true},
    {"block jacobi of 3", {PLI_PRECONDITION_BLOCK_JACOBI, 3}, true},
    {"block jacobi of 4", {PLI_PRECONDITION_BLOCK_JACOBI, 4}, true},
    {"gauss-seidel", {PLI_PRECONDITION_GAUSS_SEIDEL, 0}, true},
};
enum { ROWS = sizeof rows / sizeof *rows, MATRICES = 5 };

static pli_precondition *make(int row, const pli_bcsr *matrix)
{
    pli_precondition *made = NULL;
    OK(matrix->context, pli_precondition_create(matrix->context, &rows[row].def, matrix, &made));
    OK(matrix->context, pli_precondition_build(made, matrix));
    return made;
}

static pli_bcsr *make_matrix(pli_context *context, int which)
{
    switch (which) {
    case 0: return random_matrix(context, 150, 1);
    case 1: return box_matrix(context, 9, 8, 7, 1e-3, 1e6);
    case 2: {
        pli_bcsr *matrix = random_matrix(context, 150, 2);
        add_identity(matrix, -4);
        return matrix;
    }
    case 3: {
        // diagonals that are zero, negative and not a number
        pli_bcsr *matrix = random_matrix(context, 150, 9);
        memset(matrix->values + 9 * matrix->diagonal[2], 0, 9 * sizeof *matrix->values);
        matrix->values[9 * matrix->diagonal[7] + 4] = -3;
        matrix->values[9 * matrix->diagonal[9] + 8] = NAN;
        return matrix;
    }
    default: return box_matrix(context, 4, 4, 4, 0, 1);
    }
}

static void every_kind_has_a_row(void **state)
{
    (void)state;
    for (int kind = 0; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
        bool found = false;
        for (int row = 0; row < ROWS; ++row) found |= (int)rows[row].def.kind == kind;
        assert_true(found);
    }
}

static void they_are_linear_symmetric_and_positive(void **state)
{
    pli_context *context = *state;
    for (int m = 0; m < MATRICES; ++m) {
        pli_bcsr *matrix = make_matrix(context, m);
        int64_t n = unknown_count(matrix);
        double *x = random_vector(n, 1), *y = random_vector(n, 2), *z = new_vector(n);
        double *Bx = new_vector(n), *By = new_vector(n), *Bz = new_vector(n);
        for (int row = 0; row < ROWS; ++row) {
            pli_precondition *made = make(row, matrix);
            pli_operator B = pli_precondition_operator(made);
            assert_int_equal(B.size, n);
            for (int64_t i = 0; i < n; ++i) z[i] = 2 * x[i] - 3 * y[i];
            pli_operator_apply(&B, x, Bx);
            pli_operator_apply(&B, y, By);
            pli_operator_apply(&B, z, Bz);
            double size = pli_vector_max_abs(context, n, Bx) + pli_vector_max_abs(context, n, By);
            for (int64_t i = 0; i < n; ++i) NEAR(Bz[i], 2 * Bx[i] - 3 * By[i], 0, 1e-12 * size);
            double scale = pli_vector_norm(context, n, x) * pli_vector_norm(context, n, By);
            NEAR(pli_vector_dot(context, n, x, By), pli_vector_dot(context, n, y, Bx), 0,
                 1e-12 * scale);
            assert_true(pli_vector_dot(context, n, x, Bx) > 0);
            assert_true(pli_vector_dot(context, n, y, By) > 0);
            pli_precondition_destroy(made);
        }
        double *all[] = {x, y, z, Bx, By, Bz};
        for (int k = 0; k < 6; ++k) free(all[k]);
        pli_bcsr_destroy(matrix);
    }
}

static void bits_are_those_of_any_thread_count_and_of_these_values_alone(void **state)
{
    (void)state;
    for (int row = 0; row < ROWS; ++row) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            pli_bcsr *matrix = box_matrix(context, 14, 14, 14, 1e-2, 10);
            int64_t n = unknown_count(matrix);
            double *r = random_vector(n, 3), *z = new_vector(n);
            pli_precondition *made = make(row, matrix);
            int64_t calls = pli_context_allocation_count(context);
            pli_precondition_apply(made, r, z);
            assert_int_equal(pli_context_allocation_count(context), calls);
            same_bits_keep(&bits, z, (size_t)n * sizeof *z);
            // others in between
            double *kept = new_vector(9 * matrix->block_count);
            memcpy(kept, matrix->values, 9 * (size_t)matrix->block_count * sizeof *kept);
            add_identity(matrix, 1e4);
            OK(context, pli_precondition_build(made, matrix));
            memcpy(matrix->values, kept, 9 * (size_t)matrix->block_count * sizeof *kept);
            OK(context, pli_precondition_build(made, matrix));
            double *again = new_vector(n);
            pli_precondition_apply(made, r, again);
            assert_memory_equal(again, z, (size_t)n * sizeof *z);
            pli_precondition_destroy(made);
            pli_bcsr_destroy(matrix);
            free(again);
            free(kept);
            free(r);
            free(z);
            pli_context_destroy(context);
        }
    }
}

static void other_patterns_are_refused_and_empty_ones_are_legal(void **state)
{
    pli_context *context = *state;
    pli_bcsr *a = random_matrix(context, 30, 1), *b = random_matrix(context, 30, 2), *empty = NULL;
    OK(context, pli_bcsr_create(context, 0, 0, NULL, &empty));
    for (int row = 0; row < ROWS; ++row) {
        pli_precondition *made = make(row, a);
        assert_int_equal(pli_precondition_build(made, b), PLI_ERROR_ARGUMENT);
        pli_precondition_destroy(made);
        made = make(row, empty);
        // there is no entry that it might touch
        double nothing = 7, out = 5;
        pli_precondition_apply(made, &nothing, &out);
        NEAR(nothing, 7, 0, 0);
        NEAR(out, 5, 0, 0);
        pli_precondition_destroy(made);
    }
    pli_bcsr_destroy(a);
    pli_bcsr_destroy(b);
    pli_bcsr_destroy(empty);
}

static void failed_allocations_are_survived(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 30, 1);
    for (int row = 0; row < ROWS; ++row) {
        for (int stays = 0; stays < 2; ++stays) {
            fault_sweep sweep = {.stays_short = stays == 1,
                                 .at_least = rows[row].allocates ? 2 : 1};
            while (fault_sweep_next(&sweep)) {
                pli_precondition *made = NULL;
                sweep.status =
                    pli_precondition_create(sweep.context, &rows[row].def, matrix, &made);
                assert_int_equal(made == NULL, sweep.status != PLI_OK);
                if (made != NULL) sweep.status = pli_precondition_build(made, matrix);
                pli_precondition_destroy(made);
            }
        }
    }
    pli_bcsr_destroy(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_has_a_row),
        TEST_IN_CONTEXT(they_are_linear_symmetric_and_positive, 2),
        cmocka_unit_test(bits_are_those_of_any_thread_count_and_of_these_values_alone),
        TEST_IN_CONTEXT(other_patterns_are_refused_and_empty_ones_are_legal, 2),
        TEST_IN_CONTEXT(failed_allocations_are_survived, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "support/matrix_checks.h"
#include "support/same_bits.h"
#include "unit/linear/problems.h"

// Whether vertices i and j meet in a triangle, by looking at all of them.
static bool are_coupled(const int32_t *triangles, int64_t count, int32_t i, int32_t j)
{
    if (i == j) return true;
    for (int64_t t = 0; t < count; ++t) {
        bool has_i = false;
        bool has_j = false;
        for (int a = 0; a < 3; ++a) {
            has_i = has_i || triangles[3 * t + a] == i;
            has_j = has_j || triangles[3 * t + a] == j;
        }
        if (has_i && has_j) return true;
    }
    return false;
}

static void pattern_holds_exactly_the_couplings(void **state)
{
    enum { ROWS = 60 };
    pli_context *context = *state;
    int32_t *triangles = random_triangles(ROWS, 11);
    // vertex 5 is left without elements
    for (int k = 0; k < 6 * ROWS; ++k) triangles[k] = triangles[k] == 5 ? 6 : triangles[k];
    pli_clique_list list = {3, 2 * ROWS, triangles};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 1, &list, &matrix));
    int64_t count = 0;
    for (int32_t i = 0; i < ROWS; ++i) {
        for (int32_t j = 0; j < ROWS; ++j) {
            bool coupled = are_coupled(triangles, list.count, i, j);
            assert_int_equal(pli_bcsr_find(matrix, i, j) >= 0, coupled);
            count += coupled;
        }
        assert_int_equal(matrix->column[matrix->diagonal[i]], i);
        for (int64_t slot = matrix->row_start[i] + 1; slot < matrix->row_start[i + 1]; ++slot) {
            assert_true(matrix->column[slot - 1] < matrix->column[slot]);
        }
    }
    assert_int_equal(matrix->block_count, count);
    pli_bcsr_destroy(matrix);
    free(triangles);
}

static void lists_of_different_kinds_share_a_pattern(void **state)
{
    pli_context *context = *state;
    const int32_t tets[] = {0, 1, 2, 3};
    const int32_t springs[] = {3, 4, 4, 5};
    const pli_clique_list lists[] = {{4, 1, tets}, {2, 2, springs}};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 7, 2, lists, &matrix));
    assert_int_equal(matrix->block_count, 16 + 4 + 3);
    assert_true(pli_bcsr_find(matrix, 3, 4) >= 0);
    assert_true(pli_bcsr_find(matrix, 2, 4) < 0);
    int32_t *slots = NULL;
    OK(context, pli_bcsr_slots(context, matrix, &lists[1], &slots));
    assert_int_equal(slots[1], pli_bcsr_find(matrix, 3, 4));
    assert_int_equal(slots[4 + 2], pli_bcsr_find(matrix, 5, 4));
    pli_release(context, slots);
    pli_bcsr_destroy(matrix);
}

// One vertex in all elements: its row is longer than a batch of short rows would be.
static void a_vertex_of_many_elements_has_a_long_row(void **state)
{
    enum { ROWS = 5000 };
    pli_context *context = *state;
    int32_t *edges = malloc(2 * (ROWS - 1) * sizeof *edges);
    assert_non_null(edges);
    for (int32_t k = 0; k < ROWS - 1; ++k) {
        edges[2 * k] = 2500;
        edges[2 * k + 1] = k < 2500 ? k : k + 1;
    }
    pli_clique_list list = {2, ROWS - 1, edges};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, ROWS, 1, &list, &matrix));
    assert_int_equal(matrix->row_start[2501] - matrix->row_start[2500], ROWS);
    for (int32_t k = 0; k < ROWS; ++k)
        assert_int_equal(matrix->column[matrix->row_start[2500] + k], k);
    assert_int_equal(matrix->block_count, 3 * ROWS - 2);
    free(edges);
    pli_bcsr_destroy(matrix);
}

static void bad_elements_are_refused(void **state)
{
    pli_context *context = *state;
    const int32_t edges[] = {0, 1, 1, 4};
    pli_clique_list list = {2, 2, edges};
    pli_bcsr *matrix = NULL;
    assert_int_equal(pli_bcsr_create(context, 4, 1, &list, &matrix), PLI_ERROR_ARGUMENT);
    assert_null(matrix);
    char text[200];
    pli_context_message(context, text, sizeof text);
    assert_string_equal(text, "element 1 has vertex 4, allowed are 0 to 3");

    // slots of an element that the pattern does not know
    OK(context, pli_bcsr_create(context, 5, 1, &list, &matrix));
    const int32_t stranger[] = {0, 4};
    pli_clique_list other = {2, 1, stranger};
    int32_t *slots = NULL;
    assert_int_equal(pli_bcsr_slots(context, matrix, &other, &slots), PLI_ERROR_ARGUMENT);
    assert_null(slots);
    const int32_t outside[] = {0, 5};
    other.vertices = outside;
    assert_int_equal(pli_bcsr_slots(context, matrix, &other, &slots), PLI_ERROR_ARGUMENT);
    pli_bcsr_destroy(matrix);
}

static void an_empty_matrix_is_legal(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 0, 0, NULL, &matrix));
    double y = 0;
    pli_bcsr_multiply(matrix, &y, &y);
    NEAR(pli_bcsr_symmetry_error(matrix), 0, 0, 0);
    pli_bcsr_destroy(matrix);
    pli_bcsr_destroy(NULL);
}

static void a_finished_pattern_is_copied_or_refused(void **state)
{
    pli_context *context = *state;
    const int64_t start[] = {0, 2, 4, 5};
    const int32_t column[] = {0, 1, 0, 1, 2};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create_from_rows(context, 3, start, column, &matrix));
    assert_int_equal(matrix->diagonal[1], 3);
    pli_bcsr_destroy(matrix);

    const int32_t unsorted[] = {1, 0, 0, 1, 2};
    const int32_t one_sided[] = {0, 2, 0, 1, 2};
    const int32_t no_diagonal[] = {1, 2, 0, 1, 0};
    const int32_t outside[] = {0, 3, 0, 1, 2};
    const int32_t *bad[] = {unsorted, one_sided, no_diagonal, outside};
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(pli_bcsr_create_from_rows(context, 3, start, bad[k], &matrix),
                         PLI_ERROR_ARGUMENT);
        assert_null(matrix);
    }
}

static void products_equal_dense_products(void **state)
{
    enum { ROWS = 90, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 21);
    double *A = dense_copy(matrix);
    double *x = random_vector(SIZE, 1);
    double *b = random_vector(SIZE, 2);
    double *want = new_vector(SIZE);
    double *got = new_vector(SIZE);
    for (int i = 0; i < SIZE; ++i) {
        for (int j = 0; j < SIZE; ++j) want[i] += A[i * SIZE + j] * x[j];
    }
    pli_bcsr_multiply(matrix, x, got);
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

// Rigid translations have no elastic energy: K t = 0; this also checks assembly through slots.
static void stiffness_of_a_box_ignores_translations(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 5, 6, 7, 0, 100);
    int64_t n = unknown_count(matrix);
    double *x = new_vector(n);
    double *y = new_vector(n);
    for (int64_t i = 0; i < n; ++i) x[i] = (double)(i % 3) - 0.5;
    pli_bcsr_multiply(matrix, x, y);
    // entries are sums of some hundred terms of size 100
    AT_MOST(pli_vector_max_abs(context, n, y), 1e-11);
    AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
    free(x);
    free(y);
    pli_bcsr_destroy(matrix);
}

static void diagonal_blocks_are_got_and_added_to(void **state)
{
    enum { ROWS = 40 };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 5);
    double *before = new_vector(9 * ROWS);
    double *after = new_vector(9 * ROWS);
    double *weight = random_vector(ROWS, 9);
    pli_bcsr_get_diagonal_blocks(matrix, before);
    pli_bcsr_add_to_diagonal(matrix, weight);
    pli_bcsr_get_diagonal_blocks(matrix, after);
    for (int k = 0; k < 9 * ROWS; ++k) {
        double want = before[k] + (k % 9 % 4 == 0 ? weight[k / 9] : 0);
        NEAR(after[k], want, 1e-15, 0);
    }
    pli_bcsr_set_zero(matrix);
    NEAR(pli_vector_max_abs(context, 9 * matrix->block_count, matrix->values), 0, 0, 0);
    free(before);
    free(after);
    free(weight);
    pli_bcsr_destroy(matrix);
}

static void fixed_unknowns_leave_the_system(void **state)
{
    enum { ROWS = 50, SIZE = 3 * ROWS };
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, ROWS, 31);
    double *want = dense_copy(matrix);
    uint8_t mask[ROWS];
    make_mask(ROWS, 3, mask);
    fix_dense(SIZE, mask, 2.5, want);
    pli_bcsr_fix_dofs(matrix, mask, 2.5);
    double *got = dense_copy(matrix);
    for (int k = 0; k < SIZE * SIZE; ++k) NEAR(got[k], want[k], 0, 0);
    AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
    free(want);
    free(got);
    pli_bcsr_destroy(matrix);
}

static void asymmetry_is_measured(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 30, 8);
    AT_MOST(pli_bcsr_symmetry_error(matrix), 1e-15);
    double largest = pli_vector_max_abs(context, 9 * matrix->block_count, matrix->values);
    matrix->values[9 * pli_bcsr_find(matrix, 4, matrix->column[matrix->row_start[4]]) + 1] +=
        0.25 * largest;
    AT_LEAST(pli_bcsr_symmetry_error(matrix), 0.15);
    pli_bcsr_destroy(matrix);
}

static void revision_tells_patterns_apart(void **state)
{
    pli_context *context = *state;
    const int32_t edges[] = {0, 1, 1, 2, 0, 3};
    pli_clique_list two = {2, 2, edges};
    pli_clique_list three = {2, 3, edges};
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 4, 1, &two, &matrix));
    uint64_t first = matrix->revision;
    matrix->values[0] = 1;
    OK(context, pli_bcsr_build(matrix, 4, 1, &three));
    assert_true(matrix->revision != first);
    assert_int_equal(matrix->block_count, 4 + 6);
    OK(context, pli_bcsr_build(matrix, 4, 1, &two));
    assert_true(matrix->revision == first);
    NEAR(pli_vector_max_abs(context, 9 * matrix->block_count, matrix->values), 0, 0, 0);

    // a failed build leaves the matrix as it was
    const int32_t wrong[] = {0, 9};
    pli_clique_list bad = {2, 1, wrong};
    assert_int_equal(pli_bcsr_build(matrix, 4, 1, &bad), PLI_ERROR_ARGUMENT);
    assert_true(matrix->revision == first);
    assert_int_equal(matrix->block_count, 4 + 4);
    pli_bcsr_destroy(matrix);
}

static void memory_is_accounted_for(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = random_matrix(context, 100, 8);
    int64_t arrays = 76 * matrix->block_count + 8 * 101 + 8 * 100;
    assert_int_equal(pli_bcsr_memory_bytes(matrix), arrays + (int64_t)sizeof(pli_bcsr));
    pli_bcsr_destroy(matrix);
}

static void products_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        pli_context *context = make_context(bits.threads);
        pli_bcsr *matrix = box_matrix(context, 16, 16, 16, 0.1, 10);
        int64_t n = unknown_count(matrix);
        double *x = random_vector(n, 1);
        double *y = new_vector(n);
        pli_bcsr_multiply(matrix, x, y);
        // assembly by colours, pattern and product
        same_bits_keep_hash(&bits, vector_hash(9 * matrix->block_count, matrix->values) ^
                                       matrix->revision ^ vector_hash(n, y));
        free(x);
        free(y);
        pli_bcsr_destroy(matrix);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(pattern_holds_exactly_the_couplings, 2),
        TEST_IN_CONTEXT(lists_of_different_kinds_share_a_pattern, 1),
        TEST_IN_CONTEXT(a_vertex_of_many_elements_has_a_long_row, 2),
        TEST_IN_CONTEXT(bad_elements_are_refused, 1),
        TEST_IN_CONTEXT(an_empty_matrix_is_legal, 2),
        TEST_IN_CONTEXT(a_finished_pattern_is_copied_or_refused, 1),
        TEST_IN_CONTEXT(products_equal_dense_products, 2),
        TEST_IN_CONTEXT(stiffness_of_a_box_ignores_translations, 2),
        TEST_IN_CONTEXT(diagonal_blocks_are_got_and_added_to, 1),
        TEST_IN_CONTEXT(fixed_unknowns_leave_the_system, 2),
        TEST_IN_CONTEXT(asymmetry_is_measured, 1),
        TEST_IN_CONTEXT(revision_tells_patterns_apart, 1),
        TEST_IN_CONTEXT(memory_is_accounted_for, 1),
        cmocka_unit_test(products_have_the_same_bits_for_any_thread_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

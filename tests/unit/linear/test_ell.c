// SPDX-License-Identifier: Apache-2.0
#include "support/matrix_checks.h"
#include "unit/linear/problems.h"

#include "linear/matrix/ell.h"

enum { SIDE = 7, ROWS = SIDE * SIDE * SIDE, WIDTH = 27, CENTER = 13 };

// A grid with 3^3 neighbourhoods, symmetric positive by a dominant diagonal.
static pli_ell *make_grid(pli_context *context)
{
    pli_ell *matrix = NULL;
    OK(context, pli_ell_create(context, ROWS, WIDTH, CENTER, &matrix));
    for (int32_t row = 0; row < ROWS; ++row) {
        for (int32_t slot = 0; slot < WIDTH; ++slot) {
            int32_t i = row % SIDE + slot % 3 - 1;
            int32_t j = row / SIDE % SIDE + slot / 3 % 3 - 1;
            int32_t k = row / (SIDE * SIDE) + slot / 9 - 1;
            if (i < 0 || i >= SIDE || j < 0 || j >= SIDE || k < 0 || k >= SIDE) continue;
            int32_t column = i + SIDE * (j + SIDE * k);
            matrix->column[row * WIDTH + slot] = column;
            double *block = matrix->values + 9 * ((int64_t)row * WIDTH + slot);
            int32_t low = row < column ? row : column;
            int32_t high = row < column ? column : row;
            for (int e = 0; e < 9; ++e) {
                int mirrored = row <= column ? e : e % 3 * 3 + e / 3;
                block[e] = row == column ? (e % 4 == 0 ? 90 : 1)
                                         : pli_random_range((pli_random){2, (uint64_t)low},
                                                            (uint64_t)(9 * high + mirrored), -1, 1);
            }
        }
    }
    return matrix;
}

static void products_equal_those_of_compressed_rows(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = make_grid(context);
    pli_bcsr *copy = NULL;
    OK(context, pli_bcsr_create_from_ell(grid, &copy));
    assert_int_equal(copy->block_count, 19 * 19 * 19); // (3 SIDE - 2)^3
    AT_MOST(pli_bcsr_symmetry_error(copy), 0);
    double *x = random_vector(3 * ROWS, 1);
    double *b = random_vector(3 * ROWS, 2);
    double *want = new_vector(3 * ROWS);
    double *got = new_vector(3 * ROWS);
    pli_bcsr_multiply(copy, x, want);
    pli_operator A = pli_ell_operator(grid);
    assert_int_equal(A.size, 3 * ROWS);
    pli_operator_apply(&A, x, got);
    AT_MOST(relative_difference(3 * ROWS, got, want), 1e-14);

    double *blocks = new_vector(9 * ROWS);
    double *want_blocks = new_vector(9 * ROWS);
    pli_ell_get_diagonal_blocks(grid, blocks);
    pli_bcsr_get_diagonal_blocks(copy, want_blocks);
    assert_memory_equal(blocks, want_blocks, 9 * ROWS * sizeof *blocks);
    free(x);
    free(b);
    free(want);
    free(got);
    free(blocks);
    free(want_blocks);
    pli_bcsr_destroy(copy);
    pli_ell_destroy(grid);
}

static void empty_slots_are_never_read(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = make_grid(context);
    for (int64_t k = 0; k < ROWS * WIDTH; ++k) {
        if (grid->column[k] < 0) grid->values[9 * k] = NAN;
    }
    double *x = random_vector(3 * ROWS, 1);
    double *y = new_vector(3 * ROWS);
    pli_ell_multiply(grid, x, y);
    for (int i = 0; i < 3 * ROWS; ++i) assert_true(isfinite(y[i]));
    pli_ell_set_zero(grid);
    pli_ell_multiply(grid, x, y);
    NEAR(pli_vector_max_abs(context, 3 * ROWS, y), 0, 0, 0);
    free(x);
    free(y);
    pli_ell_destroy(grid);
}

static void resizing_empties_and_allocates_only_to_grow(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = make_grid(context);
    int64_t bytes = pli_ell_memory_bytes(grid);
    assert_int_equal(bytes, ROWS * WIDTH * 76 + (int64_t)sizeof(pli_ell));
    int64_t before = pli_context_allocation_count(context);
    OK(context, pli_ell_resize(grid, ROWS / 2));
    assert_int_equal(grid->row_count, ROWS / 2);
    for (int64_t k = 0; k < ROWS / 2 * WIDTH; ++k) assert_int_equal(grid->column[k], -1);
    OK(context, pli_ell_resize(grid, ROWS));
    assert_int_equal(pli_context_allocation_count(context), before);
    OK(context, pli_ell_resize(grid, ROWS + 1));
    assert_true(pli_context_allocation_count(context) > before);
    pli_ell_destroy(grid);
    pli_ell_destroy(NULL);
}

static void wrong_shapes_are_refused(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = NULL;
    assert_int_equal(pli_ell_create(context, 5, 0, 0, &grid), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_ell_create(context, 5, 3, 3, &grid), PLI_ERROR_ARGUMENT);
    assert_int_equal(pli_ell_create(context, -1, 3, 1, &grid), PLI_ERROR_ARGUMENT);
    assert_null(grid);
}

// Rows one range at a time, as solvers ask for them, are the rows of the whole product.
static void rows_alone_equal_the_whole(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = make_grid(context);
    double *x = random_vector(3 * ROWS, 4), *want = new_vector(3 * ROWS);
    double *got = new_vector(3 * ROWS);
    pli_ell_multiply(grid, x, want);
    for (int i = 0; i < 3 * ROWS; ++i) got[i] = NAN;
    pli_operator A = pli_ell_operator(grid);
    for (int32_t begin = 0, length = 1; begin < ROWS; begin += length, length = length % 7 + 1) {
        int32_t end = begin + length < ROWS ? begin + length : ROWS;
        A.apply_rows(A.self, x, got, begin, end);
        // and nothing beyond them
        for (int32_t row = end; row < ROWS; ++row) assert_true(isnan(got[3 * row]));
    }
    assert_memory_equal(got, want, 3 * ROWS * sizeof *got);
    free(x);
    free(want);
    free(got);
    pli_ell_destroy(grid);
}

// ---- restriction

enum { SIZE = 3 * ROWS };

// Tangent spaces of all dimensions for a third of the rows, neighbours among them; places are not
// in the order of rows.
static int32_t make_tangents(int32_t *place, double *tangents)
{
    int32_t count = 0;
    for (int32_t row = ROWS - 1; row >= 0; --row) {
        place[row] = -1;
        if (pli_random_uniform((pli_random){3, 1}, (uint64_t)row) > 0.35) continue;
        random_tangent(row % 4, (uint64_t)row, tangents + 9 * (int64_t)count);
        place[row] = count++;
    }
    return count;
}

static double entry_of(const double *tangents, int32_t place, int i, int j)
{
    return place < 0 ? i == j : tangents[9 * (int64_t)place + 3 * i + j];
}

// T A T + s (1 - T), entry by entry; A and the result are [SIZE][SIZE]
static double *restrict_plainly(const double *A, const int32_t *place, const double *tangents)
{
    double *TA = new_vector((int64_t)SIZE * SIZE), *TAT = new_vector((int64_t)SIZE * SIZE);
    for (int64_t i = 0; i < SIZE; ++i) {
        for (int64_t j = 0; j < SIZE; ++j) {
            for (int k = 0; k < 3; ++k) {
                TA[i * SIZE + j] += entry_of(tangents, place[i / 3], (int)(i % 3), k) *
                                    A[(i / 3 * 3 + k) * SIZE + j];
            }
        }
    }
    for (int64_t i = 0; i < SIZE; ++i) {
        for (int64_t j = 0; j < SIZE; ++j) {
            for (int k = 0; k < 3; ++k) {
                TAT[i * SIZE + j] += TA[i * SIZE + j / 3 * 3 + k] *
                                     entry_of(tangents, place[j / 3], k, (int)(j % 3));
            }
        }
        double mean = 0;
        for (int k = 0; k < 3; ++k) mean += A[(i / 3 * 3 + k) * (SIZE + 1)] / 3;
        if (!(mean > 0)) mean = 1;
        for (int k = 0; k < 3; ++k) {
            TAT[i * SIZE + i / 3 * 3 + k] +=
                mean * ((k == i % 3) - entry_of(tangents, place[i / 3], (int)(i % 3), k));
        }
    }
    free(TA);
    return TAT;
}

static double *dense_grid(const pli_ell *grid)
{
    double *A = new_vector((int64_t)SIZE * SIZE);
    for (int64_t slot = 0; slot < ROWS * WIDTH; ++slot) {
        if (grid->column[slot] < 0) continue;
        add_to_dense(SIZE, (int32_t)(slot / WIDTH), grid->column[slot], grid->values + 9 * slot, A);
    }
    return A;
}

static void restriction_is_the_projected_matrix(void **state)
{
    (void)state;
    static int32_t place[ROWS];
    static double tangents[9 * ROWS];
    for (int32_t threads = 1; threads <= 2; ++threads) {
        pli_context *context = make_context(threads);
        pli_ell *grid = make_grid(context);
        assert_true(make_tangents(place, tangents) > ROWS / 5);
        // what is in slots without a neighbour must not matter; a row without matter is kept
        // regular
        int32_t empty = 0;
        while (place[empty] < 0 || empty % 4 != 0) ++empty;
        for (int64_t slot = 0; slot < ROWS * WIDTH; ++slot) {
            if (grid->column[slot] < 0) grid->values[9 * slot + 4] = NAN;
            if (slot / WIDTH != empty && grid->column[slot] != empty) continue;
            memset(grid->values + 9 * slot, 0, 9 * sizeof *grid->values);
        }
        double *A = dense_grid(grid), *want = restrict_plainly(A, place, tangents);
        pli_ell_restrict(grid, place, tangents);
        double *got = dense_grid(grid);
        // products of numbers up to 90
        for (int64_t k = 0; k < (int64_t)SIZE * SIZE; ++k) NEAR(got[k], want[k], 0, 1e-13);
        NEAR(got[(int64_t)3 * empty * (SIZE + 1)], 1, 0, 1e-15);
        free(A);
        free(want);
        free(got);
        pli_ell_destroy(grid);
        pli_context_destroy(context);
    }
}

// ---- halves

enum { MARGIN = 2 };

// The half of a grid, with numbers that nobody may read in its margin.
static pli_ell *halve_grid(pli_context *context, const pli_ell *grid)
{
    pli_ell *half = NULL;
    OK(context, pli_ell_create_half(context, ROWS, WIDTH, MARGIN, &half));
    memcpy(half->column, grid->column, (size_t)(ROWS * WIDTH) * sizeof *half->column);
    for (int32_t row = 0; row < ROWS; ++row) {
        for (int32_t slot = CENTER - MARGIN; slot < WIDTH; ++slot) {
            double *block = pli_ell_block(half, row, slot);
            memcpy(block, pli_ell_block(grid, row, slot), 9 * sizeof *block);
            if (slot < CENTER || grid->column[row * WIDTH + slot] < 0) block[4] = NAN;
        }
    }
    return half;
}

static void expect_equal_rows(const pli_ell *half, const pli_ell *grid)
{
    double got[9 * WIDTH], want[9 * WIDTH];
    for (int32_t row = 0; row < ROWS; ++row) {
        pli_ell_get_row(half, row, got);
        pli_ell_get_row(grid, row, want);
        for (int32_t k = 0; k < 9 * WIDTH; ++k) assert_true(got[k] == want[k]);
    }
}

static void halves_are_as_good_as_the_whole(void **state)
{
    static int32_t place[ROWS];
    static double tangents[9 * ROWS], got[3 * ROWS], want[3 * ROWS];
    static double blocks[9 * ROWS], want_blocks[9 * ROWS];
    pli_context *context = *state;
    pli_ell *grid = make_grid(context), *half = halve_grid(context, grid);
    assert_true(10 * pli_ell_memory_bytes(half) < 7 * pli_ell_memory_bytes(grid));
    expect_equal_rows(half, grid);
    double *x = random_vector(3 * ROWS, 1);
    pli_ell_multiply(half, x, got);
    pli_ell_multiply(grid, x, want);
    assert_memory_equal(got, want, sizeof got);
    pli_ell_get_diagonal_blocks(half, blocks);
    pli_ell_get_diagonal_blocks(grid, want_blocks);
    assert_memory_equal(blocks, want_blocks, sizeof blocks);
    // T_i A_ij T_j and its mirror differ by rounding of numbers up to 90
    make_tangents(place, tangents);
    pli_ell_restrict(half, place, tangents);
    pli_ell_restrict(grid, place, tangents);
    pli_ell_multiply(half, x, got);
    pli_ell_multiply(grid, x, want);
    AT_MOST(relative_difference(3 * ROWS, got, want), 1e-14);
    free(x);
    pli_ell_destroy(half);
    pli_ell_destroy(grid);
}

static void a_mirror_fills_the_half_before_the_diagonal(void **state)
{
    pli_context *context = *state;
    pli_ell *grid = make_grid(context), *mirrored = make_grid(context);
    for (int64_t slot = 0; slot < ROWS * WIDTH; ++slot) {
        if (slot % WIDTH < CENTER) mirrored->values[9 * slot + 5] = NAN;
    }
    pli_ell_mirror(mirrored);
    expect_equal_rows(mirrored, grid);
    pli_ell_destroy(mirrored);
    pli_ell_destroy(grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(products_equal_those_of_compressed_rows, 2),
        TEST_IN_CONTEXT(empty_slots_are_never_read, 1),
        TEST_IN_CONTEXT(rows_alone_equal_the_whole, 2),
        cmocka_unit_test(restriction_is_the_projected_matrix),
        TEST_IN_CONTEXT(resizing_empties_and_allocates_only_to_grow, 1),
        TEST_IN_CONTEXT(wrong_shapes_are_refused, 1),
        TEST_IN_CONTEXT(halves_are_as_good_as_the_whole, 2),
        TEST_IN_CONTEXT(a_mirror_fills_the_half_before_the_diagonal, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Products in single precision off the diagonal, against the product in double precision.
#include "unit/linear/problems.h"

#include "linear/matrix/bcsr_float.h"

#include <float.h>

enum { ROWS = 3000 };

typedef struct fixture {
    pli_context *context;
    pli_bcsr *matrix;
    pli_bcsr_float copy;
    int64_t n;
    double *D; // [ROWS][9]
    double *x;
    double *y;
    double *exact;
} fixture;

static fixture make_fixture(int32_t threads)
{
    fixture f = {.context = make_context(threads)};
    f.matrix = random_matrix(f.context, ROWS, 11);
    f.n = unknown_count(f.matrix);
    f.x = random_vector(f.n, 12);
    f.y = new_vector(f.n);
    f.exact = new_vector(f.n);
    f.D = new_vector(9 * (int64_t)ROWS);
    pli_bcsr_float_init(f.context, &f.copy);
    OK(f.context, pli_bcsr_float_build(&f.copy, f.matrix));
    pli_bcsr_get_diagonal_blocks(f.matrix, f.D);
    return f;
}

static void clear_fixture(fixture *f)
{
    pli_bcsr_float_clear(&f->copy);
    pli_bcsr_destroy(f->matrix);
    free(f->D);
    free(f->exact);
    free(f->y);
    free(f->x);
    pli_context_destroy(f->context);
}

// y and the product it stands for
static void multiply(fixture *f)
{
    pli_bcsr_float_load(&f->copy, f->x);
    pli_bcsr_float_multiply_rows(&f->copy, f->D, f->x, f->y, 0, ROWS);
    pli_bcsr_multiply(f->matrix, f->x, f->exact);
}

// sum over a row of |A_ij| |x_j| off the diagonal
static double row_bound(const fixture *f, int32_t row)
{
    double sum = 0;
    const pli_bcsr *A = f->matrix;
    for (int64_t slot = A->row_start[row]; slot < A->row_start[row + 1]; ++slot) {
        if (slot == A->diagonal[row]) continue;
        for (int k = 0; k < 9; ++k) {
            sum += fabs(A->values[9 * slot + k] * f->x[3 * (int64_t)A->column[slot] + k % 3]);
        }
    }
    return sum;
}

// the same of the diagonal block, for one entry of the product
static double diagonal_bound(const fixture *f, int64_t i)
{
    double sum = 0;
    for (int64_t k = 0; k < 3; ++k) sum += fabs(f->D[3 * i + k] * f->x[i - i % 3 + k]);
    return sum;
}

static void product_is_that_of_the_matrix_but_for_rounding(void **state)
{
    (void)state;
    fixture f = make_fixture(2);
    multiply(&f);
    for (int64_t i = 0; i < f.n; ++i) {
        // three roundings a term, and one for each of at most 64 blocks in a row
        double single = 0.5 * 67 * FLT_EPSILON * row_bound(&f, (int32_t)(i / 3));
        NEAR(f.y[i], f.exact[i], 0, single + 4 * DBL_EPSILON * diagonal_bound(&f, i));
    }
    clear_fixture(&f);
}

static void diagonal_keeps_its_precision(void **state)
{
    (void)state;
    fixture f = make_fixture(1);
    // 1e9 times what couples the rows: rounding of that would hide everything else
    for (int32_t row = 0; row < ROWS; ++row) {
        double *block = f.matrix->values + 9 * f.matrix->diagonal[row];
        for (int k = 0; k < 9; ++k) block[k] *= 1e9;
    }
    pli_bcsr_get_diagonal_blocks(f.matrix, f.D);
    multiply(&f);
    for (int64_t i = 0; i < f.n; ++i) {
        double single = 0.5 * 67 * FLT_EPSILON * row_bound(&f, (int32_t)(i / 3));
        NEAR(f.y[i], f.exact[i], 0, single + 4 * DBL_EPSILON * diagonal_bound(&f, i));
    }
    clear_fixture(&f);
}

static void build_follows_values_and_pattern(void **state)
{
    (void)state;
    fixture f = make_fixture(1);
    for (int64_t k = 0; k < 9 * f.matrix->block_count; ++k) f.matrix->values[k] *= -2;
    OK(f.context, pli_bcsr_float_build(&f.copy, f.matrix));
    pli_bcsr_get_diagonal_blocks(f.matrix, f.D);
    multiply(&f);
    NEAR(f.y[5], f.exact[5], 0, 1e-5 * row_bound(&f, 1));

    pli_bcsr_destroy(f.matrix);
    f.matrix = random_matrix(f.context, ROWS, 99);
    OK(f.context, pli_bcsr_float_build(&f.copy, f.matrix));
    pli_bcsr_get_diagonal_blocks(f.matrix, f.D);
    multiply(&f);
    NEAR(f.y[5], f.exact[5], 0, 1e-5 * row_bound(&f, 1));
    clear_fixture(&f);
}

static void ranges_of_rows_make_the_whole_product(void **state)
{
    (void)state;
    fixture f = make_fixture(4);
    multiply(&f);
    uint64_t whole = vector_hash(f.n, f.y);
    for (int64_t row = 0; row < ROWS; row += 7) {
        int64_t end = row + 7 < ROWS ? row + 7 : ROWS;
        pli_bcsr_float_multiply_rows(&f.copy, f.D, f.x, f.y, row, end);
    }
    assert_true(whole == vector_hash(f.n, f.y));
    clear_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(product_is_that_of_the_matrix_but_for_rounding),
        cmocka_unit_test(diagonal_keeps_its_precision),
        cmocka_unit_test(build_follows_values_and_pattern),
        cmocka_unit_test(ranges_of_rows_make_the_whole_product),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

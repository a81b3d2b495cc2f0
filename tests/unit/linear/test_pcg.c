// SPDX-License-Identifier: Apache-2.0
//
// Conjugate gradients in fused passes against the plain method, and with a matrix in single
// precision inside.
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/krylov/krylov.h"
#include "linear/krylov/precondition.h"
#include "linear/krylov/solver.h"
#include "linear/matrix/bcsr_single.h"

// A system with contacts, its preconditioner and its copy in single precision.
typedef struct fixture {
    pli_context *context;
    pli_arena *arena;
    pli_bcsr *matrix;
    pli_precondition *precondition;
    pli_bcsr_single single;
    int64_t n;
    double *b;
    double *x;
} fixture;

static void take_values(fixture *f)
{
    OK(f->context, pli_precondition_build(f->precondition, f->matrix));
    OK(f->context, pli_bcsr_single_build(&f->single, f->matrix));
}

static fixture make_fixture(int32_t threads, int32_t cells, int32_t contacts)
{
    fixture f = {.context = make_context(threads)};
    OK(f.context, pli_arena_create(f.context, 1024, &f.arena));
    f.matrix = box_matrix(f.context, cells, cells, cells, 0.05, 10);
    add_random_contacts(f.matrix, contacts, 5);
    pli_precondition_def def = {.kind = PLI_PRECONDITION_BLOCK_JACOBI};
    OK(f.context, pli_precondition_create(f.context, &def, f.matrix, &f.precondition));
    pli_bcsr_single_init(f.context, &f.single);
    take_values(&f);
    f.n = unknown_count(f.matrix);
    f.b = random_vector(f.n, 77);
    f.x = new_vector(f.n);
    return f;
}

static void clear_fixture(fixture *f)
{
    free(f->b);
    free(f->x);
    pli_bcsr_single_clear(&f->single);
    pli_precondition_destroy(f->precondition);
    pli_bcsr_destroy(f->matrix);
    pli_arena_destroy(f->arena);
    pli_context_destroy(f->context);
}

static pli_krylov_report solve(fixture *f, const pli_krylov_def *def, bool rough)
{
    pli_operator A = pli_bcsr_operator(f->matrix);
    pli_operator B = pli_precondition_operator(f->precondition);
    pli_operator R = pli_bcsr_single_operator(&f->single);
    pli_krylov_system system = {.A = &A, .B = &B, .b = f->b, .x = f->x};
    if (rough) system.A_rough = &R;
    pli_krylov_report report;
    OK(f->context, pli_pcg(f->context, def, &system, f->arena, &report));
    return report;
}

// The method as textbooks have it: every operation a loop of its own.
static void plain_pcg(const fixture *f, int32_t iterations, double *x)
{
    const pli_context *context = f->context;
    int64_t n = f->n;
    double *r = new_vector(n);
    double *z = new_vector(n);
    double *p = new_vector(n);
    double *q = new_vector(n);
    pli_vector_fill(context, n, 0, x);
    pli_vector_copy(context, n, f->b, r);
    pli_precondition_apply(f->precondition, r, z);
    pli_vector_copy(context, n, z, p);
    double rho = pli_vector_dot(context, n, r, z);
    for (int32_t k = 0; k < iterations; ++k) {
        pli_bcsr_multiply(f->matrix, p, q);
        double alpha = rho / pli_vector_dot(context, n, p, q);
        pli_vector_axpy(context, n, alpha, p, x);
        pli_vector_axpy(context, n, -alpha, q, r);
        pli_precondition_apply(f->precondition, r, z);
        double before = rho;
        rho = pli_vector_dot(context, n, r, z);
        for (int64_t i = 0; i < n; ++i) p[i] = z[i] + rho / before * p[i];
    }
    free(r);
    free(z);
    free(p);
    free(q);
}

static void iterates_are_those_of_the_plain_method(void **state)
{
    (void)state;
    // below and above the size from which a team works
    static const int32_t cells[] = {4, 12};
    for (int c = 0; c < 2; ++c) {
        fixture f = make_fixture(2, cells[c], 40);
        double *want = new_vector(f.n);
        pli_krylov_def def = pli_krylov_def_default();
        for (int32_t iterations = 1; iterations <= 16; iterations *= 2) {
            def.max_iterations = iterations;
            (void)solve(&f, &def, false);
            plain_pcg(&f, iterations, want);
            // sums are cut in other places, and every iteration carries their rounding on
            AT_MOST(relative_difference(f.n, f.x, want), 1e-12);
        }
        free(want);
        clear_fixture(&f);
    }
}

static void the_copy_in_single_precision_multiplies_alike(void **state)
{
    (void)state;
    fixture f = make_fixture(2, 9, 60);
    double *want = new_vector(f.n);
    pli_operator R = pli_bcsr_single_operator(&f.single);
    assert_true(f.matrix->extra.count > 60);
    pli_bcsr_multiply(f.matrix, f.b, want);
    pli_operator_apply(&R, f.b, f.x);
    // half a unit in the last place of a float, for entries of any sign
    AT_MOST(relative_difference(f.n, f.x, want), 4 * 6e-8);
    assert_true(relative_difference(f.n, f.x, want) > 0);

    // rows alone are the same
    memset(f.x, 0, (size_t)f.n * sizeof *f.x);
    R.apply_rows(R.self, f.b, f.x, 100, 300);
    AT_MOST(relative_difference(600, f.x + 300, want + 300), 4 * 6e-8);
    NEAR(f.x[299], 0, 0, 0);
    NEAR(f.x[900], 0, 0, 0);
    pli_bcsr_multiply_rows(f.matrix, f.b, f.x, 100, 300);
    assert_memory_equal(f.x + 300, want + 300, 600 * sizeof *want);
    free(want);
    clear_fixture(&f);
}

static void single_precision_converges_to_the_same_tolerance(void **state)
{
    (void)state;
    fixture f = make_fixture(2, 12, 60);
    pli_krylov_def def = pli_krylov_def_default();
    for (int norm = 0; norm < 2; ++norm) {
        def.norm = (pli_krylov_norm)norm;
        for (double tolerance = 1e-2; tolerance > 1e-13; tolerance *= 1e-2) {
            def.relative_tolerance = tolerance;
            int32_t exact = solve(&f, &def, false).iterations;
            pli_krylov_report report = solve(&f, &def, true);
            assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
            AT_MOST(report.residual, tolerance * report.initial_residual);
            if (norm == PLI_KRYLOV_NORM_PLAIN) {
                double true_residual = relative_residual(f.matrix, f.b, f.x);
                AT_MOST(true_residual, tolerance * (1 + 1e-6));
                NEAR(report.residual / report.initial_residual, true_residual, 1e-6, 0);
            }
            // while a float resolves the tolerance no round is wasted
            if (tolerance > 1e-5) AT_MOST(report.iterations, exact + 3);
        }
    }
    clear_fixture(&f);
}

static void stiff_contacts_do_not_mislead_single_precision(void **state)
{
    (void)state;
    fixture f = make_fixture(2, 9, 0);
    OK(f.context, pli_bcsr_reserve_extra(f.matrix, 200));
    pli_vector_scale(f.context, 9 * f.matrix->block_count, 1e-9, f.matrix->values);
    for (int32_t k = 0; k < 40; ++k) add_contact(f.matrix, k, 900 - 7 * k, 3 + (uint64_t)k);
    pli_bcsr_close_extra(f.matrix);
    take_values(&f);
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = 1e-6;
    pli_krylov_report report = solve(&f, &def, true);
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    AT_MOST(relative_residual(f.matrix, f.b, f.x), 1e-6 * (1 + 1e-6));
    clear_fixture(&f);
}

static void numbers_beyond_floats_fall_back_to_doubles(void **state)
{
    (void)state;
    // infinite in single precision, and zero
    static const double scales[] = {1e60, 1e-60};
    for (int k = 0; k < 2; ++k) {
        fixture f = make_fixture(1, 9, 0);
        pli_krylov_def def = pli_krylov_def_default();
        int32_t exact = solve(&f, &def, false).iterations;
        pli_vector_scale(f.context, 9 * f.matrix->block_count, scales[k], f.matrix->values);
        take_values(&f);
        for (int stop = 0; stop < 2; ++stop) {
            def.stop_at_indefinite = stop == 1;
            pli_krylov_report report = solve(&f, &def, true);
            assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
            AT_MOST(abs(report.iterations - exact), 1);
        }
        clear_fixture(&f);
    }
}

static void indefiniteness_is_found_in_single_precision_too(void **state)
{
    (void)state;
    fixture f = make_fixture(1, 9, 0);
    add_identity(f.matrix, -4);
    take_values(&f);
    pli_krylov_def def = pli_krylov_def_default();
    def.stop_at_indefinite = true;
    pli_krylov_report report = solve(&f, &def, true);
    assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
    assert_true(pli_vector_dot(f.context, f.n, f.b, f.x) > 0);

    // from the first direction on: B b
    pli_vector_scale(f.context, 9 * f.matrix->block_count, -1, f.matrix->values);
    add_identity(f.matrix, -100);
    take_values(&f);
    report = solve(&f, &def, true);
    assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
    assert_int_equal(report.iterations, 1);
    double *want = new_vector(f.n);
    pli_precondition_apply(f.precondition, f.b, want);
    assert_memory_equal(f.x, want, (size_t)f.n * sizeof *want);
    free(want);
    clear_fixture(&f);
}

static void single_precision_has_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        fixture f = make_fixture(bits.threads, 14, 80);
        pli_krylov_def def = pli_krylov_def_default();
        def.relative_tolerance = 1e-9;
        (void)solve(&f, &def, true);
        same_bits_keep_hash(&bits, vector_hash(f.n, f.x));
        clear_fixture(&f);
    }
}

// A matrix large enough for the solver to choose single precision, and what it converges to.
static void the_solver_keeps_its_promise_for_large_matrices(void **state)
{
    pli_context *context = *state;
    pli_bcsr *matrix = box_matrix(context, 28, 28, 28, 0.5, 1);
    pli_linear_solver_def def = {.kind = PLI_SOLVER_PCG,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 1000};
    pli_linear_solver *solver = NULL;
    pli_arena *arena = NULL;
    assert_true(matrix->block_count > 1 << 18);
    OK(context, pli_arena_create(context, 1024, &arena));
    OK(context, pli_linear_solver_create(context, &def, matrix, &solver));
    bool definite = false;
    pli_linear_solver_begin(solver);
    OK(context, pli_linear_solver_build(solver, &definite));
    assert_true(definite);
    double *b = random_vector(unknown_count(matrix), 7);
    double *x = new_vector(unknown_count(matrix));
    pli_krylov_report report;
    OK(context, pli_linear_solver_solve(solver, b, 1e-6, arena, x, &report));
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    AT_MOST(relative_residual(matrix, b, x), 1e-6 * (1 + 1e-6));
    free(b);
    free(x);
    pli_linear_solver_destroy(solver);
    pli_arena_destroy(arena);
    pli_bcsr_destroy(matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(iterates_are_those_of_the_plain_method),
        cmocka_unit_test(the_copy_in_single_precision_multiplies_alike),
        cmocka_unit_test(single_precision_converges_to_the_same_tolerance),
        cmocka_unit_test(stiff_contacts_do_not_mislead_single_precision),
        cmocka_unit_test(numbers_beyond_floats_fall_back_to_doubles),
        cmocka_unit_test(indefiniteness_is_found_in_single_precision_too),
        cmocka_unit_test(single_precision_has_the_same_bits_for_any_thread_count),
        TEST_IN_CONTEXT(the_solver_keeps_its_promise_for_large_matrices, 2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "support/same_bits.h"
#include "unit/linear/problems.h"

#include "linear/krylov/krylov.h"
#include "linear/krylov/precondition.h"

// A solve and what it needs.
typedef struct setup {
    pli_context *context;
    pli_arena *arena;
    pli_bcsr *matrix;
    pli_operator A;
    double *b;
    double *x;
    int64_t n;
} setup;

static setup make_setup(int32_t threads, pli_bcsr *(*make)(pli_context *context))
{
    setup s = {.context = make_context(threads)};
    OK(s.context, pli_arena_create(s.context, 1024, &s.arena));
    s.matrix = make(s.context);
    s.A = pli_bcsr_operator(s.matrix);
    s.n = unknown_count(s.matrix);
    s.b = random_vector(s.n, 77);
    s.x = new_vector(s.n);
    return s;
}

static void clear_setup(setup *s)
{
    free(s->b);
    free(s->x);
    pli_bcsr_destroy(s->matrix);
    pli_arena_destroy(s->arena);
    pli_context_destroy(s->context);
}

static pli_bcsr *make_positive(pli_context *context)
{
    return random_matrix(context, 60, 3);
}

static pli_bcsr *make_box(pli_context *context)
{
    return box_matrix(context, 8, 8, 8, 0.05, 10);
}

static pli_bcsr *make_large_box(pli_context *context)
{
    return box_matrix(context, 20, 20, 20, 0.05, 10);
}

// Positive minus a multiple of the identity: some negative eigenvalues, none close to zero by the
// choice of the shift.
static pli_bcsr *make_indefinite(pli_context *context)
{
    pli_bcsr *matrix = random_matrix(context, 60, 3);
    add_identity(matrix, -2);
    return matrix;
}

static pli_bcsr *make_negative(pli_context *context)
{
    pli_bcsr *matrix = random_matrix(context, 40, 3);
    pli_vector_scale(context, 9 * matrix->block_count, -1, matrix->values);
    return matrix;
}

typedef pli_status (*krylov_fn)(const pli_context *, const pli_krylov_def *,
                                const pli_krylov_system *, pli_arena *, pli_krylov_report *);

static pli_krylov_report solve(setup *s, krylov_fn method, const pli_krylov_def *def,
                               const pli_operator *B)
{
    pli_krylov_system system = {.A = &s->A, .B = B, .b = s->b, .x = s->x};
    pli_krylov_report report;
    OK(s->context, method(s->context, def, &system, s->arena, &report));
    return report;
}

static double *reference_solution(const setup *s)
{
    double *A = dense_copy(s->matrix);
    double *x = new_vector(s->n);
    memcpy(x, s->b, (size_t)s->n * sizeof *x);
    solve_by_elimination(s->n, A, x);
    free(A);
    return x;
}

static pli_precondition *make_precondition(const setup *s, pli_precondition_kind kind)
{
    pli_precondition *precondition = NULL;
    pli_precondition_def def = {.kind = kind};
    OK(s->context, pli_precondition_create(s->context, &def, s->matrix, &precondition));
    OK(s->context, pli_precondition_build(precondition, s->matrix));
    return precondition;
}

static void methods_match_the_dense_solution(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(2, make_positive);
    double *want = reference_solution(&s);
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = 1e-12;
    for (int m = 0; m < 2; ++m) {
        for (int kind = 0; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
            pli_precondition *precondition = make_precondition(&s, (pli_precondition_kind)kind);
            pli_operator B = pli_precondition_operator(precondition);
            for (int norm = 0; norm < 2; ++norm) {
                def.norm = (pli_krylov_norm)norm;
                pli_krylov_report report = solve(&s, methods[m], &def, kind == 0 ? NULL : &B);
                assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
                // condition about 1e3
                AT_MOST(relative_difference(s.n, s.x, want), 1e-9);
            }
            pli_precondition_destroy(precondition);
        }
    }
    free(want);
    clear_setup(&s);
}

static void reported_residuals_are_the_true_ones(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_box);
    pli_precondition *precondition = make_precondition(&s, PLI_PRECONDITION_BLOCK_JACOBI);
    pli_operator B = pli_precondition_operator(precondition);
    double *r = new_vector(s.n);
    double *z = new_vector(s.n);
    for (int k = 0; k < 4; ++k) {
        pli_krylov_def def = pli_krylov_def_default();
        def.max_iterations = 17;
        def.norm = (pli_krylov_norm)(k / 2);
        pli_krylov_report report = solve(&s, methods[k % 2], &def, &B);
        assert_int_equal(report.stop, PLI_KRYLOV_ITERATIONS);
        assert_int_equal(report.iterations, 17);
        pli_bcsr_residual(s.matrix, s.b, s.x, r);
        pli_operator_apply(&B, r, z);
        double want = sqrt(k / 2 == 0 ? pli_vector_norm2(s.context, s.n, r)
                                      : pli_vector_dot(s.context, s.n, r, z));
        NEAR(report.residual, want, 1e-10, 0);
        pli_operator_apply(&B, s.b, z);
        want = sqrt(k / 2 == 0 ? pli_vector_norm2(s.context, s.n, s.b)
                               : pli_vector_dot(s.context, s.n, s.b, z));
        NEAR(report.initial_residual, want, 1e-14, 0);
    }
    free(r);
    free(z);
    pli_precondition_destroy(precondition);
    clear_setup(&s);
}

static void a_good_start_saves_iterations(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_box);
    pli_krylov_def def = pli_krylov_def_default();
    for (int m = 0; m < 2; ++m) {
        def.use_start = false;
        int32_t cold = solve(&s, methods[m], &def, NULL).iterations;
        for (int64_t i = 0; i < s.n; ++i) s.x[i] *= 1 + 1e-5;
        def.use_start = true;
        pli_krylov_report warm = solve(&s, methods[m], &def, NULL);
        assert_int_equal(warm.stop, PLI_KRYLOV_CONVERGED);
        AT_MOST(warm.iterations, 0.7 * cold);
        AT_MOST(relative_residual(s.matrix, s.b, s.x), 1.01e-8);
        // from the solution nothing is left to do
        def.relative_tolerance = 1e-7;
        assert_int_equal(solve(&s, methods[m], &def, NULL).iterations, 0);
        def.relative_tolerance = 1e-8;
    }
    clear_setup(&s);
}

// at negative curvature the last iterate is returned, and it points downhill.
static void indefinite_systems_give_a_downhill_direction(void **state)
{
    (void)state;
    setup s = make_setup(1, make_indefinite);
    pli_krylov_def def = pli_krylov_def_default();
    def.stop_at_indefinite = true;
    for (int kind = 0; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
        pli_precondition *precondition = make_precondition(&s, (pli_precondition_kind)kind);
        pli_operator B = pli_precondition_operator(precondition);
        pli_krylov_report report = solve(&s, pli_pcg, &def, kind == 0 ? NULL : &B);
        assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
        AT_LEAST(report.iterations, 2);
        assert_true(pli_vector_dot(s.context, s.n, s.b, s.x) > 0);

        // it is the iterate that a solve with one iteration less ends with
        double *before = new_vector(s.n);
        memcpy(before, s.x, (size_t)s.n * sizeof *before);
        pli_krylov_def shorter = def;
        shorter.max_iterations = report.iterations - 1;
        assert_int_equal(solve(&s, pli_pcg, &shorter, kind == 0 ? NULL : &B).stop,
                         PLI_KRYLOV_ITERATIONS);
        assert_memory_equal(before, s.x, (size_t)s.n * sizeof *before);
        free(before);
        pli_precondition_destroy(precondition);
    }
    clear_setup(&s);
}

// on the first step the right-hand side, or its preconditioned form, is returned.
static void negative_systems_give_steepest_descent(void **state)
{
    (void)state;
    setup s = make_setup(1, make_negative);
    pli_krylov_def def = pli_krylov_def_default();
    def.stop_at_indefinite = true;
    pli_krylov_report report = solve(&s, pli_pcg, &def, NULL);
    assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
    assert_int_equal(report.iterations, 1);
    assert_memory_equal(s.x, s.b, (size_t)s.n * sizeof *s.b);

    pli_precondition *precondition = make_precondition(&s, PLI_PRECONDITION_BLOCK_JACOBI);
    pli_operator B = pli_precondition_operator(precondition);
    double *z = new_vector(s.n);
    pli_operator_apply(&B, s.b, z);
    // also when a start was given: x is then that direction, not a correction of the start
    for (int use_start = 0; use_start < 2; ++use_start) {
        def.use_start = use_start == 1;
        report = solve(&s, pli_pcg, &def, &B);
        assert_int_equal(report.stop, PLI_KRYLOV_INDEFINITE);
        assert_memory_equal(s.x, z, (size_t)s.n * sizeof *z);
        assert_true(pli_vector_dot(s.context, s.n, s.b, s.x) > 0);
    }
    free(z);
    pli_precondition_destroy(precondition);
    clear_setup(&s);
}

// MINRES solves what CG with early exit refuses.
static void minres_solves_indefinite_systems(void **state)
{
    (void)state;
    setup s = make_setup(2, make_indefinite);
    double *want = reference_solution(&s);
    pli_precondition *precondition = make_precondition(&s, PLI_PRECONDITION_BLOCK_JACOBI);
    pli_operator B = pli_precondition_operator(precondition);
    pli_krylov_def def = pli_krylov_def_default();
    def.relative_tolerance = 1e-11;
    for (int k = 0; k < 2; ++k) {
        pli_krylov_report report = solve(&s, pli_minres, &def, k == 0 ? NULL : &B);
        assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
        AT_MOST(relative_residual(s.matrix, s.b, s.x), 1e-10);
        // the eigenvalue closest to zero is some hundredths, the largest some tens
        AT_MOST(relative_difference(s.n, s.x, want), 1e-7);
    }
    free(want);
    pli_precondition_destroy(precondition);
    clear_setup(&s);
}

typedef struct history {
    int32_t count;
    double last;
    double initial;
    bool grew;
    int32_t stop_at;
} history;

static bool record(void *user, int32_t iteration, double residual)
{
    history *h = user;
    assert_int_equal(iteration, h->count);
    if (iteration == 0) h->initial = residual;
    if (iteration > 0 && residual > h->last * (1 + 1e-12)) h->grew = true;
    h->last = residual;
    ++h->count;
    return iteration != h->stop_at;
}

static void minres_residuals_never_grow(void **state)
{
    (void)state;
    setup s = make_setup(1, make_indefinite);
    history h = {.stop_at = -1};
    pli_krylov_def def = pli_krylov_def_default();
    def.norm = PLI_KRYLOV_NORM_PRECONDITIONED;
    def.callback = record;
    def.callback_user = &h;
    pli_krylov_report report = solve(&s, pli_minres, &def, NULL);
    assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
    assert_int_equal(h.count, report.iterations + 1);
    assert_false(h.grew);
    NEAR(h.last, report.residual, 0, 0);
    NEAR(h.initial, report.initial_residual, 0, 0);
    clear_setup(&s);
}

static void the_callback_can_stop_a_solve(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_box);
    for (int m = 0; m < 2; ++m) {
        history h = {.stop_at = 5};
        pli_krylov_def def = pli_krylov_def_default();
        def.callback = record;
        def.callback_user = &h;
        pli_krylov_report report = solve(&s, methods[m], &def, NULL);
        assert_int_equal(report.stop, PLI_KRYLOV_INTERRUPTED);
        assert_int_equal(report.iterations, 5);
    }
    clear_setup(&s);
}

static void trivial_and_broken_input_is_reported(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_positive);
    pli_krylov_def def = pli_krylov_def_default();
    for (int m = 0; m < 2; ++m) {
        // no right-hand side: x = 0 at once
        memset(s.b, 0, (size_t)s.n * sizeof *s.b);
        s.x[3] = 5;
        pli_krylov_report report = solve(&s, methods[m], &def, NULL);
        assert_int_equal(report.stop, PLI_KRYLOV_CONVERGED);
        assert_int_equal(report.iterations, 0);
        NEAR(pli_vector_max_abs(s.context, s.n, s.x), 0, 0, 0);

        // a NaN on the right-hand side, and one in the matrix
        s.b[7] = NAN;
        assert_int_equal(solve(&s, methods[m], &def, NULL).stop, PLI_KRYLOV_NONFINITE);
        s.b[7] = 1;
        double kept = s.matrix->values[100];
        s.matrix->values[100] = NAN;
        assert_int_equal(solve(&s, methods[m], &def, NULL).stop, PLI_KRYLOV_NONFINITE);
        s.matrix->values[100] = kept;

        // a budget of nothing
        def.max_iterations = 0;
        assert_int_equal(solve(&s, methods[m], &def, NULL).stop, PLI_KRYLOV_ITERATIONS);
        def.max_iterations = 10000;
    }
    clear_setup(&s);
}

static pli_bcsr *make_empty(pli_context *context)
{
    pli_bcsr *matrix = NULL;
    OK(context, pli_bcsr_create(context, 0, 0, NULL, &matrix));
    return matrix;
}

static void empty_systems_are_solved_at_once(void **state)
{
    (void)state;
    setup s = make_setup(2, make_empty);
    pli_krylov_def def = pli_krylov_def_default();
    assert_int_equal(solve(&s, pli_pcg, &def, NULL).stop, PLI_KRYLOV_CONVERGED);
    assert_int_equal(solve(&s, pli_minres, &def, NULL).stop, PLI_KRYLOV_CONVERGED);
    clear_setup(&s);
}

static void negate(const void *self, const double *x, double *y)
{
    const setup *s = self;
    for (int64_t i = 0; i < s->n; ++i) y[i] = -x[i];
}

static void erase(const void *self, const double *x, double *y)
{
    (void)x;
    const setup *s = self;
    memset(y, 0, (size_t)s->n * sizeof *y);
}

static void preconditioners_that_are_not_positive_are_noticed(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_positive);
    pli_operator B = {.size = s.n, .self = &s, .apply = negate};
    for (int k = 0; k < 4; ++k) {
        pli_krylov_def def = pli_krylov_def_default();
        def.norm = (pli_krylov_norm)(k / 2);
        assert_int_equal(solve(&s, methods[k % 2], &def, &B).stop, PLI_KRYLOV_BREAKDOWN);
    }
    clear_setup(&s);
}

static void a_zero_operator_is_a_breakdown(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(1, make_positive);
    s.A = (pli_operator){.size = s.n, .self = &s, .apply = erase};
    pli_krylov_def def = pli_krylov_def_default();
    for (int m = 0; m < 2; ++m) {
        assert_int_equal(solve(&s, methods[m], &def, NULL).stop, PLI_KRYLOV_BREAKDOWN);
    }
    clear_setup(&s);
}

static void solves_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        setup s = make_setup(bits.threads, make_large_box);
        pli_krylov_def def = pli_krylov_def_default();
        def.max_iterations = 20;
        for (int kind = 0; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
            pli_precondition *precondition = make_precondition(&s, (pli_precondition_kind)kind);
            pli_operator B = pli_precondition_operator(precondition);
            for (int m = 0; m < 2; ++m) {
                (void)solve(&s, methods[m], &def, &B);
                same_bits_keep(&bits, s.x, (size_t)s.n * sizeof *s.x);
            }
            pli_precondition_destroy(precondition);
        }
        clear_setup(&s);
    }
}

static void warm_solves_allocate_nothing(void **state)
{
    (void)state;
    static const krylov_fn methods[] = {pli_pcg, pli_minres};
    setup s = make_setup(2, make_box);
    pli_krylov_def def = pli_krylov_def_default();
    for (int kind = 0; kind < PLI_PRECONDITION_KIND_COUNT; ++kind) {
        pli_precondition *precondition = make_precondition(&s, (pli_precondition_kind)kind);
        pli_operator B = pli_precondition_operator(precondition);
        for (int m = 0; m < 2; ++m) {
            (void)solve(&s, methods[m], &def, &B);
            int64_t before = pli_context_allocation_count(s.context);
            OK(s.context, pli_precondition_build(precondition, s.matrix));
            (void)solve(&s, methods[m], &def, &B);
            assert_int_equal(pli_context_allocation_count(s.context), before);
        }
        pli_precondition_destroy(precondition);
    }
    clear_setup(&s);
}

static void newton_tolerance_tightens_with_the_gradient(void **state)
{
    (void)state;
    NEAR(pli_krylov_newton_tolerance(100, 1e-8, 1, 0.5), 0.5, 0, 0);
    NEAR(pli_krylov_newton_tolerance(1e-4, 1e-8, 1, 0.5), 1e-2, 1e-15, 0);
    NEAR(pli_krylov_newton_tolerance(1e-4, 1e-8, 0.5, 0.5), 5e-3, 1e-15, 0);
    // below tau it stays
    NEAR(pli_krylov_newton_tolerance(1e-12, 1e-8, 1, 0.5), 1e-4, 1e-15, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_match_the_dense_solution),
        cmocka_unit_test(reported_residuals_are_the_true_ones),
        cmocka_unit_test(a_good_start_saves_iterations),
        cmocka_unit_test(indefinite_systems_give_a_downhill_direction),
        cmocka_unit_test(negative_systems_give_steepest_descent),
        cmocka_unit_test(minres_solves_indefinite_systems),
        cmocka_unit_test(minres_residuals_never_grow),
        cmocka_unit_test(the_callback_can_stop_a_solve),
        cmocka_unit_test(trivial_and_broken_input_is_reported),
        cmocka_unit_test(empty_systems_are_solved_at_once),
        cmocka_unit_test(preconditioners_that_are_not_positive_are_noticed),
        cmocka_unit_test(a_zero_operator_is_a_breakdown),
        cmocka_unit_test(solves_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(warm_solves_allocate_nothing),
        cmocka_unit_test(newton_tolerance_tightens_with_the_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

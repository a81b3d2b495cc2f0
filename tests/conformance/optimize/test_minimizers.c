// SPDX-License-Identifier: Apache-2.0
//
// One suite for all minimisers of objectives that know no particles, on a chain of springs with
// attachments, a leaning floor and fixed coordinates. A row is a minimiser and the linear solver
// that it uses:
//
//   - it finds the minimum of Newton's method, and energies fall where that is promised;
//   - fixed coordinates stay, limits are kept, and every end has its reason;
//   - what one minimisation has learnt has no influence on the next;
//   - bits do not depend on the number of threads, a warm minimisation allocates nothing, and
//     failing allocations are survived.
//
// A new minimiser is a function that creates it, and a row.
#include "chain.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "linear/direct/cholesky.h"

enum { POINTS = 24, SIZE = 3 * POINTS };

// what an iterate has to say, and when to give up
typedef struct heard {
    int count;
    double start; // energy of the first (J)
    double last;  // of the last
    double rise;  // largest from one to the next
    double residual;
    int cancel_at;
} heard;

typedef struct run {
    chain_problem p;
    pli_term_ops springs; // without the limit of steps, which vertex descent does not take
    double tolerance;
    int32_t max_iterations;
    int32_t fixed_iterations;
    uint64_t coefficients; // changes with the constant parts of Hessians
    pli_linear_solver *linear;
    pli_linear_source source;
    pli_minimizer minimizer;
    heard heard;
} run;

// ---- the minimisers

static pli_status create_source(run *r, int kind, double tolerance)
{
    pli_linear_solver_def def = {.kind = (pli_linear_solver_kind)kind,
                                 .preconditioner = PLI_PRECONDITION_BLOCK_JACOBI,
                                 .max_iterations = 1000,
                                 .stop_at_indefinite = true};
    PLI_TRY(pli_objective_build_pattern(&r->p.objective));
    PLI_TRY(pli_linear_solver_create(r->p.context, &def, r->p.objective.H, &r->linear));
    r->source = (pli_linear_source){
        .linear = r->linear, .relative_tolerance = tolerance, .timers = &r->p.timers};
    return PLI_OK;
}

static pli_status create_newton(run *r, int kind, bool projected)
{
    PLI_TRY(create_source(r, kind, 1e-8));
    pli_newton_def def = {.tolerance = r->tolerance,
                          .max_iterations = r->max_iterations,
                          .fixed_iterations = r->fixed_iterations,
                          .projected = projected,
                          .safeguard = true,
                          .downhill = 1e-4,
                          .length_clamp = 1e3,
                          .line_search = {PLI_SEARCH_WOLFE, 1e-4, 0.9, 60},
                          .source = pli_linear_source_get(&r->source)};
    pli_newton *made = NULL;
    PLI_TRY(pli_newton_create(r->p.context, &def, &r->p.objective, &made));
    r->minimizer = pli_newton_minimizer(made);
    return PLI_OK;
}

static pli_status create_lbfgs(run *r, int kind, bool crude)
{
    PLI_TRY(create_source(r, kind, crude ? 0.5 : 1e-2));
    pli_lbfgs_def def = {.tolerance = r->tolerance,
                         .window = 8,
                         .max_iterations = r->max_iterations,
                         .fixed_iterations = r->fixed_iterations,
                         .line_search = {PLI_SEARCH_BACKTRACKING, 0, 0.9, 60},
                         .initial = pli_linear_source_get(&r->source)};
    pli_lbfgs *made = NULL;
    PLI_TRY(pli_lbfgs_create(r->p.context, &def, &r->p.objective, &made));
    r->minimizer = pli_lbfgs_minimizer(made);
    return PLI_OK;
}

static pli_status create_local_global(run *r, int kind, bool searches)
{
    pli_local_global_def def = {
        .tolerance = r->tolerance,
        .max_iterations = r->max_iterations,
        .fixed_iterations = r->fixed_iterations,
        .line_search = {searches ? PLI_SEARCH_BACKTRACKING : PLI_SEARCH_NONE, 0, 0, 30},
        .measures_energy = true,
        .linear = {.kind = (pli_lifted_solver_kind)kind, .iterations = 3, .seed = 1}};
    pli_local_global *made = NULL;
    PLI_TRY(pli_local_global_create(r->p.context, &def, &r->p.objective, &made));
    r->minimizer = pli_local_global_minimizer(made);
    return PLI_OK;
}

static pli_status create_vertex_descent(run *r, int kind, bool searches)
{
    (void)kind;
    pli_vertex_descent_def def = {.tolerance = r->tolerance,
                                  .max_iterations = r->max_iterations,
                                  .fixed_iterations = r->fixed_iterations,
                                  .searches = searches,
                                  .measures_energy = true};
    pli_vertex_descent *made = NULL;
    PLI_TRY(pli_vertex_descent_create(r->p.context, &def, &r->p.objective, &made));
    r->minimizer = pli_vertex_descent_minimizer(made);
    return PLI_OK;
}

static const struct {
    const char *name;
    pli_status (*create)(run *r, int kind, bool option);
    int kind; // of the linear solver
    bool option;
    bool is_monotone; // energies never rise
    bool is_direct;   // left out where the build has no Cholesky
} rows[] = {
    {"Newton", create_newton, PLI_SOLVER_PCG, false, true, false},
    {"Newton, projected", create_newton, PLI_SOLVER_PCG, true, true, false},
    {"Newton, direct", create_newton, PLI_SOLVER_CHOLESKY, false, true, true},
    {"L-BFGS", create_lbfgs, PLI_SOLVER_PCG, false, true, false},
    {"L-BFGS, crude", create_lbfgs, PLI_SOLVER_PCG, true, true, false},
    {"L-BFGS, direct", create_lbfgs, PLI_SOLVER_CHOLESKY, false, true, true},
    {"local-global", create_local_global, PLI_LIFTED_DIRECT, false, true, true},
    {"local-global, search", create_local_global, PLI_LIFTED_DIRECT, true, true, true},
    {"local-global, Vivace", create_local_global, PLI_LIFTED_VIVACE, false, false, false},
    {"local-global, Vivace, search", create_local_global, PLI_LIFTED_VIVACE, true, true, false},
    {"local-global, Jacobi", create_local_global, PLI_LIFTED_JACOBI, false, false, false},
    {"local-global, gradients", create_local_global, PLI_LIFTED_PCG, false, false, false},
    {"vertex descent", create_vertex_descent, 0, false, false, false},
    {"vertex descent, search", create_vertex_descent, 0, true, true, false},
};

enum { ROWS = sizeof rows / sizeof *rows };

// The next row that this build has; what fails says which it was.
static bool next_row(int *row)
{
    do {
        ++*row;
    } while (*row < ROWS && rows[*row].is_direct && !pli_cholesky_is_available());
    if (*row < ROWS) print_message("           %s\n", rows[*row].name);
    return *row < ROWS;
}

// ---- a run

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    assert_int_equal(iterate->iteration, h->count);
    if (h->count == 0) h->start = iterate->energy;
    if (h->count > 0) h->rise = fmax(h->rise, iterate->energy - h->last);
    h->last = iterate->energy;
    h->residual = iterate->residual;
    ++h->count;
}

static bool want_cancel(void *user)
{
    const heard *h = user;
    return h->cancel_at > 0 && h->count >= h->cancel_at;
}

static void start(run *r, pli_context *context, int32_t points)
{
    *r = (run){.tolerance = 1e-9, .max_iterations = 5000};
    chain_problem_init(&r->p, context, points);
    r->springs = chain_spring_term;
    r->springs.max_step = NULL;
    r->p.objective.terms[1].ops = &r->springs;
    chain_make_hard(&r->p);
}

static void clear(run *r)
{
    pli_minimizer_destroy(&r->minimizer);
    assert_null(r->minimizer.ops);
    assert_int_equal(pli_minimizer_memory(&r->minimizer), 0);
    pli_minimizer_destroy(&r->minimizer);
    pli_linear_solver_destroy(r->linear);
    chain_problem_clear(&r->p);
}

static pli_status create(run *r, int row)
{
    return rows[row].create(r, rows[row].kind, rows[row].option);
}

static pli_status minimize(run *r, pli_minimize_env env, double *x, pli_minimize_report *report)
{
    r->heard = (heard){.cancel_at = r->heard.cancel_at, .rise = -INFINITY};
    env.timers = &r->p.timers;
    env.scratch = r->p.scratch;
    env.monitor = hear;
    env.cancel = want_cancel;
    env.user = &r->heard;
    PLI_TRY(pli_minimizer_begin_step(&r->minimizer, r->coefficients));
    return pli_minimizer_minimize(&r->minimizer, &env, x, report);
}

static pli_minimize_report must_minimize(run *r, pli_minimize_env env, double *x)
{
    pli_minimize_report report;
    OK(r->p.context, minimize(r, env, x, &report));
    assert_int_equal(r->heard.count, report.iterations + 1);
    return report;
}

// ---- what it finds

static void the_minimum_is_that_of_newton(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    run want;
    start(&want, context, POINTS);
    double begin[SIZE];
    memcpy(begin, want.p.x, sizeof begin);
    chain_minimize(&want.p);
    for (int row = -1; next_row(&row);) {
        run r;
        start(&r, context, POINTS);
        OK(context, create(&r, row));
        AT_LEAST((double)pli_minimizer_memory(&r.minimizer), 1);
        pli_minimize_report report = must_minimize(&r, (pli_minimize_env){0}, r.p.x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        AT_MOST(report.residual, r.tolerance);
        NEAR(report.residual, r.heard.residual, 0, 0);
        NEAR(report.energy, r.heard.last, 0, 0);
        AT_LEAST(report.iterations, 3);
        for (int k = 0; k < SIZE; ++k) {
            // the softest curvature is that of inertia, 1: distances are at most the gradients
            NEAR(r.p.x[k], want.p.x[k], 0, 2e-9);
            if (r.p.fixed[k / 3] >> k % 3 & 1) assert_true(r.p.x[k] == begin[k]);
        }
        // where the change is below the rounding of a few dozen parts, slopes decide
        if (rows[row].is_monotone) AT_MOST(r.heard.rise, 1e-14 * r.heard.start);
        AT_MOST(r.heard.last, 0.9 * r.heard.start);
        clear(&r);
    }
    clear(&want);
    pli_context_destroy(context);
}

// ---- limits and ends

static void limits_are_kept(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    run want;
    start(&want, context, POINTS);
    chain_minimize(&want.p);
    for (int row = -1; next_row(&row);) {
        run r;
        start(&r, context, POINTS);
        OK(context, create(&r, row));
        double x[SIZE];
        for (int32_t most = 1; most <= 2; ++most) {
            memcpy(x, r.p.x, sizeof x);
            pli_minimize_env env = {.max_iterations = most};
            pli_minimize_report report = must_minimize(&r, env, x);
            assert_int_equal(report.stop, PLI_STOP_ITERATIONS);
            assert_int_equal(report.iterations, most);
        }

        // a start at the minimum costs nothing unless it is asked for
        memcpy(x, want.p.x, sizeof x);
        x[6] += 2e-12; // well under the tolerance, above rounding
        for (int32_t least = 0; least <= 1; ++least) {
            pli_minimize_report report =
                must_minimize(&r, (pli_minimize_env){.min_iterations = least}, x);
            assert_int_equal(report.stop, PLI_STOP_GRADIENT);
            assert_int_equal(report.iterations, least);
        }
        clear(&r);

        for (int32_t count = 1; count <= 4; count += 3) {
            start(&r, context, POINTS);
            r.fixed_iterations = count;
            OK(context, create(&r, row));
            pli_minimize_report report = must_minimize(&r, (pli_minimize_env){0}, r.p.x);
            assert_int_equal(report.stop, PLI_STOP_FIXED);
            assert_int_equal(report.iterations, count);
            clear(&r);
        }
    }
    clear(&want);
    pli_context_destroy(context);
}

static void every_end_has_its_own_reason(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    for (int row = -1; next_row(&row);) {
        run r;
        start(&r, context, POINTS);
        r.tolerance = 0; // nothing is under it: the end is where rounding hides any decrease
        OK(context, create(&r, row));
        double x[SIZE];
        memcpy(x, r.p.x, sizeof x);
        assert_int_equal(must_minimize(&r, (pli_minimize_env){0}, x).stop, PLI_STOP_ROUNDING);

        x[4] = NAN;
        pli_minimize_report report = must_minimize(&r, (pli_minimize_env){0}, x);
        assert_int_equal(report.stop, PLI_STOP_NONFINITE);
        assert_int_equal(report.iterations, 0);

        memcpy(x, r.p.x, sizeof x);
        r.heard.cancel_at = 2;
        pli_status status = minimize(&r, (pli_minimize_env){0}, x, &report);
        assert_int_equal(status, PLI_ERROR_INTERRUPTED);
        assert_int_equal(r.heard.count, 2);
        clear(&r);
    }
    pli_context_destroy(context);
}

// ---- what it keeps

// An attachment comes, others go; coordinates that are fixed, mass and rest length change.
static void change(run *r, int step)
{
    chain *body = &r->p.body;
    if (step == 1) chain_attach(body, 7, 8, 1, 0.5);
    if (step == 2) body->attachment_count = 0;
    if (step == 2) r->p.fixed[3] = 7;
    if (step == 3) r->p.fixed[3] = 4;
    if (step == 4) body->mass = 1.5;
    if (step == 4) body->rest = 0.9;
    if (step == 4) ++r->coefficients;
}

static void what_was_learnt_before_has_no_influence(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    for (int row = -1; next_row(&row);) {
        run r;
        start(&r, context, POINTS);
        r.fixed_iterations = 3;
        OK(context, create(&r, row));
        for (int step = 0; step < 5; ++step) {
            change(&r, step);
            double far[SIZE];
            for (int k = 0; k < SIZE; ++k) far[k] = k % 2 == 0 ? 0.2 * r.p.x[k] : 3 * r.p.x[k];
            must_minimize(&r, (pli_minimize_env){0}, far);
            run fresh;
            start(&fresh, context, POINTS);
            fresh.fixed_iterations = 3;
            fresh.coefficients = 99;
            for (int k = 0; k <= step; ++k) change(&fresh, k);
            memcpy(fresh.p.x, r.p.x, sizeof far);
            OK(context, create(&fresh, row));
            must_minimize(&fresh, (pli_minimize_env){0}, fresh.p.x);
            must_minimize(&r, (pli_minimize_env){0}, r.p.x);
            assert_memory_equal(r.p.x, fresh.p.x, sizeof far);
            clear(&fresh);
        }
        clear(&r);
    }
    pli_context_destroy(context);
}

static void a_warm_minimisation_allocates_nothing(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    for (int row = -1; next_row(&row);) {
        run r;
        start(&r, context, POINTS);
        OK(context, create(&r, row));
        int64_t before = 0;
        for (int round = 0; round < 2; ++round) {
            before = pli_context_allocation_count(context);
            r.p.x[30] += 0.1;
            AT_LEAST(must_minimize(&r, (pli_minimize_env){0}, r.p.x).iterations, 3);
        }
        assert_int_equal(pli_context_allocation_count(context), before);
        clear(&r);
    }
    pli_context_destroy(context);
}

static void bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    enum { MANY = 5000 }; // blocks of vectors have 8192 entries
    for (int row = -1; next_row(&row);) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            run r;
            start(&r, context, MANY);
            r.fixed_iterations = 4;
            OK(context, create(&r, row));
            must_minimize(&r, (pli_minimize_env){0}, r.p.x);
            same_bits_keep(&bits, r.p.x, 3 * MANY * sizeof *r.p.x);
            clear(&r);
            pli_context_destroy(context);
        }
    }
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (int row = -1; next_row(&row);) {
        for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
            fault_sweep_pause(&sweep);
            run r;
            start(&r, sweep.context, POINTS);
            r.fixed_iterations = 2;
            fault_sweep_resume(&sweep);
            sweep.status = create(&r, row);
            assert_int_equal(r.minimizer.ops == NULL, sweep.status != PLI_OK);
            if (sweep.status == PLI_OK) {
                pli_minimize_report report;
                sweep.status = minimize(&r, (pli_minimize_env){0}, r.p.x, &report);
                // a second attempt is as good as the first would have been
                fault_sweep_pause(&sweep);
                must_minimize(&r, (pli_minimize_env){0}, r.p.x);
            }
            clear(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_minimum_is_that_of_newton),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(every_end_has_its_own_reason),
        cmocka_unit_test(what_was_learnt_before_has_no_influence),
        cmocka_unit_test(a_warm_minimisation_allocates_nothing),
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(every_failed_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

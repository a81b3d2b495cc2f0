// SPDX-License-Identifier: Apache-2.0
#include "chain.h"

#include "linear/direct/cholesky.h"

enum { POINTS = 24 };

static pli_local_global_def with_kind(pli_lifted_solver_kind kind, int32_t iterations)
{
    return (pli_local_global_def){.tolerance = 1e-9,
                                  .max_iterations = 3000,
                                  .line_search = {PLI_SEARCH_NONE, 0, 0, 30},
                                  .measures_energy = true,
                                  .linear = {.kind = kind, .iterations = iterations, .seed = 1}};
}

// Cholesky where the build has it, conjugate gradients to rounding elsewhere.
static pli_local_global_def exact(void)
{
    if (pli_cholesky_is_available()) return with_kind(PLI_LIFTED_DIRECT, 1);
    pli_local_global_def def = with_kind(PLI_LIFTED_PCG, 500);
    def.linear.relative_tolerance = 1e-14;
    return def;
}

typedef struct heard {
    int count;
    double energy[4096];
    double residual[4096];
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    assert_int_equal(iterate->iteration, h->count);
    assert_true(h->count < 4096);
    h->energy[h->count] = iterate->energy;
    h->residual[h->count++] = iterate->residual;
}

static pli_minimize_env env_of(chain_problem *p, heard *h)
{
    *h = (heard){0};
    return (pli_minimize_env){
        .timers = &p->timers, .scratch = p->scratch, .monitor = hear, .user = h};
}

static pli_minimize_report minimize(chain_problem *p, const pli_local_global_def *def, heard *h)
{
    pli_local_global *minimizer = NULL;
    OK(p->context, pli_local_global_create(p->context, def, &p->objective, &minimizer));
    pli_minimize_report report;
    pli_minimize_env env = env_of(p, h);
    OK(p->context, local_global_begin_step(minimizer, 1));
    OK(p->context, local_global_minimize(minimizer, &env, p->x, &report));
    pli_local_global_destroy(minimizer);
    return report;
}

static double distance(int64_t n, const double *x, const double *y)
{
    double largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

static void a_fixed_number_of_iterations_is_made(void **state)
{
    (void)state;
    for (int32_t count = 1; count <= 4; ++count) {
        pli_context *context = make_context(1);
        chain_problem p;
        chain_problem watched;
        chain_problem_init(&p, context, POINTS);
        chain_problem_init(&watched, context, POINTS);
        pli_local_global_def def = exact();
        def.fixed_iterations = count;
        heard h;
        pli_minimize_report seen = minimize(&watched, &def, &h);
        assert_int_equal(seen.iterations, count);
        assert_int_equal(h.count, count + 1);
        NEAR(seen.residual, h.residual[count], 0, 0);

        // without energies there is one gradient less, and the same result
        def.measures_energy = false;
        pli_timers_clear(&p.timers);
        pli_minimize_report report = minimize(&p, &def, &h);
        assert_int_equal(report.stop, PLI_STOP_FIXED);
        assert_int_equal(report.iterations, count);
        assert_int_equal(report.energy_evaluations, 0);
        assert_true(isnan(report.energy));
        assert_int_equal(distance(3 * POINTS, p.x, watched.x) == 0, 1);
        for (int k = 0; k < p.timers.phase_count; ++k) {
            if (strcmp(p.timers.name[k], "gradient") == 0) {
                assert_int_equal(p.timers.calls[k], count);
            }
        }
        chain_problem_clear(&p);
        chain_problem_clear(&watched);
        pli_context_destroy(context);
    }
}

// Iterations to the tolerance with one Jacobi each.
static int32_t count_iterations(double rho, int32_t delay, double gamma)
{
    pli_context *context = make_context(1);
    chain_problem p;
    chain_problem_init(&p, context, POINTS);
    p.body.floor = 0;
    heard h;
    pli_local_global_def def = with_kind(PLI_LIFTED_JACOBI, 1);
    def.tolerance = 1e-6;
    def.chebyshev_rho = rho;
    def.chebyshev_gamma = gamma;
    def.chebyshev_delay = delay;
    pli_minimize_report report = minimize(&p, &def, &h);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    chain_problem_clear(&p);
    pli_context_destroy(context);
    return report.iterations;
}

static void chebyshev_is_faster_than_jacobi(void **state)
{
    (void)state;
    int32_t plain = count_iterations(0, 0, 0);
    // eigenvalues of I - D^-1 A reach 100 / 101
    int32_t accelerated = count_iterations(0.99, 10, 1);
    AT_MOST(3.0 * accelerated, plain);
    // half a step each takes longer
    AT_LEAST(count_iterations(0.99, 10, 0.5), accelerated + 1);
}

// One point: x^ is the minimum itself, whatever x is.
static void chebyshev_makes_the_iterates_of_the_formula(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    chain_problem p;
    chain_problem_init(&p, context, 2);
    p.body.floor = 0;
    p.body.stiffness = 0;
    const double rho = 0.6;
    const double gamma = 0.8;
    double before = p.x[0];
    double now = p.x[0];
    double omega = 1;
    p.body.target[0] = 3;
    for (int32_t count = 1; count <= 6; ++count) {
        // delay 2: omega is 1, 1, 2 / (2 - rho^2), 4 / (4 - rho^2 omega), ...
        int32_t k = count - 1;
        if (k == 2) omega = 2 / (2 - rho * rho);
        if (k > 2) omega = 4 / (4 - rho * rho * omega);
        double next = omega * (gamma * (3 - now) + now - before) + before;
        before = now;
        now = next;
        heard h;
        pli_local_global_def def = with_kind(PLI_LIFTED_JACOBI, 1);
        def.fixed_iterations = count;
        def.chebyshev_rho = rho;
        def.chebyshev_gamma = gamma;
        def.chebyshev_delay = 2;
        p.x[0] = 0;
        (void)minimize(&p, &def, &h);
        NEAR(p.x[0], now, 1e-14, 1e-15);
    }
    chain_problem_clear(&p);
    pli_context_destroy(context);
}

static void steps_stay_within_what_the_terms_admit(void **state)
{
    (void)state;
    for (int searching = 0; searching < 2; ++searching) {
        pli_context *context = make_context(1);
        chain_problem p;
        chain_problem_init(&p, context, POINTS);
        p.body.largest_step = 0.01;
        double *start = malloc(3 * POINTS * sizeof *start);
        assert_non_null(start);
        memcpy(start, p.x, 3 * POINTS * sizeof *start);
        pli_local_global_def def = exact();
        def.fixed_iterations = 1;
        if (searching) def.line_search.kind = PLI_SEARCH_BACKTRACKING;
        heard h;
        (void)minimize(&p, &def, &h);
        NEAR(distance(3 * POINTS, p.x, start), 0.01, 1e-9, 0);
        free(start);
        chain_problem_clear(&p);
        pli_context_destroy(context);
    }
}

static void a_matrix_that_is_not_there_or_not_definite_is_told(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    heard h;
    chain_problem p;
    chain_problem_init(&p, context, POINTS);
    pli_local_global *minimizer = NULL;
    pli_minimize_report report;
    pli_minimize_env env = env_of(&p, &h);
    pli_local_global_def def = exact();
    OK(context, pli_local_global_create(context, &def, &p.objective, &minimizer));
    // no step has begun
    assert_int_equal(local_global_minimize(minimizer, &env, p.x, &report), PLI_ERROR_ARGUMENT);
    pli_local_global_destroy(minimizer);
    p.body.mass = -1000;
    assert_int_equal(minimize(&p, &def, &h).stop, PLI_STOP_LINEAR);
    chain_problem_clear(&p);
    pli_context_destroy(context);
}

static pli_status prepare_nothing(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)self;
    (void)x;
    (void)H;
    *changed = false;
    return PLI_OK;
}

static void what_a_constant_matrix_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    char message[512];
    for (int k = 0; k < 3; ++k) {
        chain_problem p;
        chain_problem_init(&p, context, POINTS);
        pli_term_ops ops = chain_contact_term;
        pli_projection_ops feasible = {0};
        ops.name = "culprit";
        if (k == 0) ops.add_blocks = NULL;
        if (k == 1) ops.prepare = prepare_nothing;
        p.objective.terms[2].ops = &ops;
        if (k == 2) p.objective.projection = (pli_feasible_set){.ops = &feasible};
        pli_local_global *minimizer = NULL;
        pli_local_global_def def = with_kind(PLI_LIFTED_PCG, 1);
        assert_int_equal(pli_local_global_create(context, &def, &p.objective, &minimizer),
                         PLI_ERROR_UNSUPPORTED);
        assert_null(minimizer);
        pli_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, k == 2 ? "constraints" : "culprit"));
        chain_problem_clear(&p);
    }
    // acceleration that cannot work
    chain_problem p;
    chain_problem_init(&p, context, POINTS);
    pli_local_global *minimizer = NULL;
    pli_local_global_def def = with_kind(PLI_LIFTED_JACOBI, 1);
    def.chebyshev_rho = 1.5;
    def.chebyshev_gamma = 1;
    assert_int_equal(pli_local_global_create(context, &def, &p.objective, &minimizer),
                     PLI_ERROR_ARGUMENT);
    def.chebyshev_rho = 0.5;
    def.line_search.kind = PLI_SEARCH_BACKTRACKING;
    assert_int_equal(pli_local_global_create(context, &def, &p.objective, &minimizer),
                     PLI_ERROR_ARGUMENT);
    chain_problem_clear(&p);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_number_of_iterations_is_made),
        cmocka_unit_test(chebyshev_is_faster_than_jacobi),
        cmocka_unit_test(chebyshev_makes_the_iterates_of_the_formula),
        cmocka_unit_test(steps_stay_within_what_the_terms_admit),
        cmocka_unit_test(a_matrix_that_is_not_there_or_not_definite_is_told),
        cmocka_unit_test(what_a_constant_matrix_cannot_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

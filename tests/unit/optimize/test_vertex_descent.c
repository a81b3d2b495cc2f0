// SPDX-License-Identifier: Apache-2.0
//
// Vertex block descent (E12) on a chain: minima, falling energies, held coordinates, reasons to
// end, refusals, bits and memory.
#include "chain.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

#include "base/hash.h"
#include "optimize/vertex_descent.h"

enum { POINTS = 24 };

// The springs of the chain without their limit of steps, which vertex descent does not take.
static pli_term_ops free_springs(void)
{
    pli_term_ops ops = chain_spring_term;
    ops.max_step = NULL;
    return ops;
}

typedef struct fixture {
    chain_problem p;
    pli_term_ops springs;
} fixture;

static void fixture_init(fixture *f, pli_context *context, int32_t point_count)
{
    chain_problem_init(&f->p, context, point_count);
    f->springs = free_springs();
    f->p.objective.terms[1].ops = &f->springs;
}

// Attachments, a leaning floor, and coordinates that are held one by one or all together.
static void make_it_hard(chain_problem *p)
{
    p->body.turn = 0.3;
    chain_attach(&p->body, 5, 6, 1, 0.5);
    chain_attach(&p->body, POINTS - 1, 24, 0, 1);
    p->fixed[0] = 7;
    p->fixed[9] = 2;
    p->fixed[14] = 5;
}

static pli_vertex_descent_def judged(void)
{
    return (pli_vertex_descent_def){
        .tolerance = 1e-9, .max_iterations = 5000, .measures_energy = true};
}

typedef struct heard {
    int count;
    double energy[8192];
    double residual[8192];
    int cancel_at;
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    assert_int_equal(iterate->iteration, h->count);
    assert_true(h->count < 8192);
    h->energy[h->count] = iterate->energy;
    h->residual[h->count++] = iterate->residual;
}

static bool want_cancel(void *user)
{
    heard *h = user;
    return h->cancel_at > 0 && h->count >= h->cancel_at;
}

static pli_minimize_env env_of(chain_problem *p, heard *h)
{
    *h = (heard){0};
    return (pli_minimize_env){.timers = &p->timers,
                              .scratch = p->scratch,
                              .monitor = hear,
                              .cancel = want_cancel,
                              .user = h};
}

static pli_minimize_report minimize(chain_problem *p, const pli_vertex_descent_def *def, heard *h)
{
    pli_vertex_descent *minimizer = NULL;
    pli_minimize_report report;
    pli_minimize_env env = env_of(p, h);
    OK(p->context, pli_vertex_descent_create(p->context, def, &p->objective, &minimizer));
    OK(p->context, vertex_descent_minimize(minimizer, &env, p->x, &report));
    pli_vertex_descent_destroy(minimizer);
    return report;
}

static double distance(int64_t n, const double *x, const double *y)
{
    double largest = 0;
    for (int64_t i = 0; i < n; ++i) largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

// ---- what it computes

static void the_fixed_point_is_the_minimum_of_newton(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        bool hard = k % 2 == 1;
        pli_context *context = make_context(1);
        fixture f;
        fixture want;
        fixture_init(&f, context, POINTS);
        fixture_init(&want, context, POINTS);
        if (hard) make_it_hard(&f.p);
        if (hard) make_it_hard(&want.p);
        double held[3] = {f.p.x[3 * 14], f.p.x[3 * 14 + 2], f.p.x[0]};
        heard h;
        pli_vertex_descent_def def = judged();
        def.searches = k >= 2;
        pli_minimize_report report = minimize(&f.p, &def, &h);
        chain_minimize(&want.p);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        assert_int_equal(h.count, report.iterations + 1);
        AT_MOST(report.residual, 1e-9);
        // the Hessian is at least the mass, 1: distances are at most the gradients
        AT_MOST(distance(3 * POINTS, f.p.x, want.p.x), 2e-9);
        if (hard) {
            assert_true(f.p.x[3 * 14] == held[0] && f.p.x[3 * 14 + 2] == held[1]);
            assert_true(f.p.x[0] == held[2]);
        }
        chain_problem_clear(&f.p);
        chain_problem_clear(&want.p);
        pli_context_destroy(context);
    }
}

static void the_energy_falls_in_every_iteration(void **state)
{
    (void)state;
    for (int hard = 0; hard < 2; ++hard) {
        pli_context *context = make_context(1);
        fixture f;
        fixture_init(&f, context, POINTS);
        if (hard) make_it_hard(&f.p);
        // far from every rest length, so that the blocks change a lot
        for (int i = 0; i < 3 * POINTS; ++i) f.p.x[i] *= i % 2 == 0 ? 0.2 : 3;
        heard h;
        pli_vertex_descent_def def = judged();
        def.searches = true;
        minimize(&f.p, &def, &h);
        AT_LEAST(h.count, 10);
        for (int k = 1; k < h.count; ++k) {
            // the sum of a few dozen parts rounds
            AT_MOST(h.energy[k], h.energy[k - 1] * (1 + 1e-14));
        }
        AT_MOST(h.energy[1], 0.5 * h.energy[0]);
        chain_problem_clear(&f.p);
        pli_context_destroy(context);
    }
}

static void stiffer_springs_take_more_iterations(void **state)
{
    (void)state;
    int32_t iterations[2];
    for (int k = 0; k < 2; ++k) {
        pli_context *context = make_context(1);
        fixture f;
        fixture_init(&f, context, POINTS);
        if (k == 1) f.p.body.stiffness *= 10;
        heard h;
        pli_vertex_descent_def def = judged();
        def.tolerance = 1e-6;
        pli_minimize_report report = minimize(&f.p, &def, &h);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        iterations[k] = report.iterations;
        chain_problem_clear(&f.p);
        pli_context_destroy(context);
    }
    // Gauss-Seidel on a chain longer than news travel: its rate goes with stiffness over mass,
    // until the length of the chain takes over
    AT_LEAST(iterations[1], 3 * iterations[0]);
}

static void a_fixed_number_of_iterations_is_made(void **state)
{
    (void)state;
    for (int measured = 0; measured < 2; ++measured) {
        pli_context *context = make_context(1);
        fixture f;
        fixture_init(&f, context, POINTS);
        heard h;
        pli_vertex_descent_def def = {.fixed_iterations = 7, .measures_energy = measured == 1};
        pli_minimize_report report = minimize(&f.p, &def, &h);
        assert_int_equal(report.stop, PLI_STOP_FIXED);
        assert_int_equal(report.iterations, 7);
        assert_int_equal(h.count, 8);
        // the last iterate is always judged; those before when energies are
        assert_true(isfinite(report.residual) && h.residual[7] == report.residual);
        assert_int_equal(isfinite(h.residual[3]), measured);
        assert_int_equal(isfinite(h.energy[7]), measured);
        chain_problem_clear(&f.p);
        pli_context_destroy(context);
    }
}

static void a_chain_has_two_colors(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    fixture f;
    fixture_init(&f, context, POINTS);
    pli_vertex_descent *minimizer = NULL;
    pli_vertex_descent_def def = judged();
    OK(context, pli_vertex_descent_create(context, &def, &f.p.objective, &minimizer));
    assert_int_equal(pli_vertex_descent_color_count(minimizer), 2);
    pli_vertex_descent_destroy(minimizer);
    pli_vertex_descent_destroy(NULL);
    chain_problem_clear(&f.p);
    pli_context_destroy(context);
}

// ---- how it ends

static void every_end_has_its_own_reason(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    heard h;
    fixture f;

    // budget
    fixture_init(&f, context, POINTS);
    pli_vertex_descent_def def = judged();
    def.max_iterations = 2;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_ITERATIONS);
    // no progress that numbers could show
    def.max_iterations = 5000;
    def.tolerance = 0;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_ROUNDING);
    def.searches = true;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_ROUNDING);
    // a start that is not a number, judged at once or in the end
    f.p.x[4] = NAN;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_NONFINITE);
    def.fixed_iterations = 3;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_NONFINITE);
    chain_problem_clear(&f.p);

    // forces where no block is definite
    fixture_init(&f, context, POINTS);
    def = judged();
    f.p.body.mass = -1000;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_LINEAR);
    chain_problem_clear(&f.p);

    // cancelled
    fixture_init(&f, context, POINTS);
    pli_vertex_descent *minimizer = NULL;
    pli_minimize_report report;
    pli_minimize_env env = env_of(&f.p, &h);
    h.cancel_at = 2;
    OK(context, pli_vertex_descent_create(context, &def, &f.p.objective, &minimizer));
    assert_int_equal(vertex_descent_minimize(minimizer, &env, f.p.x, &report),
                     PLI_ERROR_INTERRUPTED);
    pli_vertex_descent_destroy(minimizer);
    chain_problem_clear(&f.p);
    pli_context_destroy(context);
}

static pli_sum infinite_energy(void *self, const double *x)
{
    (void)self;
    (void)x;
    return (pli_sum){INFINITY, 0};
}

// Where nothing finite is to be found, a fixed number of iterations is no success.
static void an_energy_that_stays_infinite_is_told(void **state)
{
    (void)state;
    for (int judging = 0; judging < 2; ++judging) {
        pli_context *context = make_context(1);
        fixture f;
        fixture_init(&f, context, POINTS);
        f.springs.energy = infinite_energy;
        heard h;
        pli_vertex_descent_def def = judged();
        def.searches = true;
        def.measures_energy = false;
        if (!judging) def.fixed_iterations = 3;
        assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_NONFINITE);
        chain_problem_clear(&f.p);
        pli_context_destroy(context);
    }
}

static pli_status prepare_nothing(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)self;
    (void)x;
    (void)H;
    *changed = false;
    return PLI_OK;
}

static void what_single_vertices_cannot_do_is_refused_by_name(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    char message[512];
    for (int k = 0; k < 4; ++k) {
        fixture f;
        fixture_init(&f, context, POINTS);
        pli_term_ops ops = chain_contact_term;
        pli_projection_ops feasible = {0};
        ops.name = "culprit";
        if (k == 0) ops.add_vertices = NULL;
        if (k == 1) ops.prepare = prepare_nothing;
        if (k == 2) ops.max_step = chain_max_step;
        f.p.objective.terms[2].ops = &ops;
        if (k == 3) f.p.objective.projection = (pli_feasible_set){.ops = &feasible};
        pli_vertex_descent *minimizer = NULL;
        pli_vertex_descent_def def = judged();
        assert_int_equal(pli_vertex_descent_create(context, &def, &f.p.objective, &minimizer),
                         PLI_ERROR_UNSUPPORTED);
        assert_null(minimizer);
        pli_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, k == 3 ? "constraints" : "culprit"));
        chain_problem_clear(&f.p);
    }
    pli_context_destroy(context);
}

// ---- promises

static void bits_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    for (int searching = 0; searching < 2; ++searching) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            pli_context *context = make_context(bits.threads);
            fixture f;
            fixture_init(&f, context, 5000);
            chain_attach(&f.p.body, 77, 80, 1, 1);
            pli_vertex_descent_def def = {.fixed_iterations = 4, .searches = searching == 1};
            heard h;
            (void)minimize(&f.p, &def, &h);
            same_bits_keep_hash(&bits,
                                pli_hash_bytes(PLI_HASH_START, f.p.x, 15000 * sizeof *f.p.x));
            chain_problem_clear(&f.p);
            pli_context_destroy(context);
        }
    }
}

static void every_failed_allocation_is_survived(void **state)
{
    (void)state;
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        fault_sweep_pause(&sweep);
        fixture f;
        fixture_init(&f, sweep.context, POINTS);
        fault_sweep_resume(&sweep);
        pli_vertex_descent *minimizer = NULL;
        pli_vertex_descent_def def = {.fixed_iterations = 2, .searches = true};
        sweep.status = pli_vertex_descent_create(sweep.context, &def, &f.p.objective, &minimizer);
        assert_int_equal(minimizer == NULL, sweep.status != PLI_OK);
        pli_vertex_descent_destroy(minimizer);
        chain_problem_clear(&f.p);
    }
}

static void a_warm_minimisation_allocates_nothing(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    fixture f;
    fixture_init(&f, context, POINTS);
    make_it_hard(&f.p);
    pli_vertex_descent *minimizer = NULL;
    pli_vertex_descent_def def = judged();
    OK(context, pli_vertex_descent_create(context, &def, &f.p.objective, &minimizer));
    int64_t calls = 0;
    for (int pass = 0; pass < 2; ++pass) {
        heard h;
        pli_minimize_report report;
        pli_minimize_env env = env_of(&f.p, &h);
        f.p.x[30] += 0.1;
        if (pass == 1) calls = pli_context_allocation_count(context);
        OK(context, vertex_descent_minimize(minimizer, &env, f.p.x, &report));
        AT_LEAST(report.iterations, 3);
    }
    assert_int_equal(pli_context_allocation_count(context), calls);
    pli_vertex_descent_destroy(minimizer);
    chain_problem_clear(&f.p);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fixed_point_is_the_minimum_of_newton),
        cmocka_unit_test(the_energy_falls_in_every_iteration),
        cmocka_unit_test(stiffer_springs_take_more_iterations),
        cmocka_unit_test(a_fixed_number_of_iterations_is_made),
        cmocka_unit_test(a_chain_has_two_colors),
        cmocka_unit_test(every_end_has_its_own_reason),
        cmocka_unit_test(an_energy_that_stays_infinite_is_told),
        cmocka_unit_test(what_single_vertices_cannot_do_is_refused_by_name),
        cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(every_failed_allocation_is_survived),
        cmocka_unit_test(a_warm_minimisation_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

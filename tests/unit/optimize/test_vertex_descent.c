// SPDX-License-Identifier: Apache-2.0
//
// Vertex block descent (E12) on a chain: falling energies from far, rates, reasons to end and
// refusals; the rest is claimed by conformance/optimize/test_minimizers.c.
#include "chain.h"

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

static pli_vertex_descent_def judged(void)
{
    return (pli_vertex_descent_def){
        .tolerance = 1e-9, .max_iterations = 5000, .measures_energy = true};
}

typedef struct heard {
    int count;
    double energy[8192];
    double residual[8192];
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    assert_int_equal(iterate->iteration, h->count);
    assert_true(h->count < 8192);
    h->energy[h->count] = iterate->energy;
    h->residual[h->count++] = iterate->residual;
}

static pli_minimize_env env_of(chain_problem *p, heard *h)
{
    *h = (heard){0};
    return (pli_minimize_env){
        .timers = &p->timers, .scratch = p->scratch, .monitor = hear, .user = h};
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

// ---- what it computes

static void the_energy_falls_in_every_iteration(void **state)
{
    (void)state;
    for (int hard = 0; hard < 2; ++hard) {
        pli_context *context = make_context(1);
        fixture f;
        fixture_init(&f, context, POINTS);
        if (hard) chain_make_hard(&f.p);
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

    // a start that is not a number, judged in the end
    fixture_init(&f, context, POINTS);
    pli_vertex_descent_def def = judged();
    f.p.x[4] = NAN;
    def.fixed_iterations = 3;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_NONFINITE);
    chain_problem_clear(&f.p);

    // forces where no block is definite
    fixture_init(&f, context, POINTS);
    def = judged();
    f.p.body.mass = -1000;
    assert_int_equal(minimize(&f.p, &def, &h).stop, PLI_STOP_LINEAR);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_energy_falls_in_every_iteration),
        cmocka_unit_test(stiffer_springs_take_more_iterations),
        cmocka_unit_test(a_fixed_number_of_iterations_is_made),
        cmocka_unit_test(a_chain_has_two_colors),
        cmocka_unit_test(every_end_has_its_own_reason),
        cmocka_unit_test(an_energy_that_stays_infinite_is_told),
        cmocka_unit_test(what_single_vertices_cannot_do_is_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

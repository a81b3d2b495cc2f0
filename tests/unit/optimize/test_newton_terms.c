// SPDX-License-Identifier: Apache-2.0
//
// Newton's method and terms with a say in it: how far a step may go, functions that change while
// they are minimised, and steps as the measure of convergence.
#include "toy.h"

static pli_newton_def projected(void)
{
    return (pli_newton_def){.tolerance = 1e-10,
                            .max_iterations = 100,
                            .safeguard = true,
                            .projected = true,
                            .length_clamp = 1e3,
                            .linear_tolerance = 1e-12,
                            .line_search = {PLI_SEARCH_BACKTRACKING, 1e-4, 0.9, 60}};
}

typedef struct heard {
    int32_t count;
    double largest_alpha;
    pli_iterate last;
    int32_t min_iterations; // asked for
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    ++h->count;
    h->largest_alpha = fmax(h->largest_alpha, iterate->alpha);
    h->last = *iterate;
}

static pli_minimize_report minimize(toy_problem *p, const pli_newton_def *def, double x[3],
                                    heard *h)
{
    pli_minimize_env env = {.timers = &p->timers,
                            .scratch = p->scratch,
                            .monitor = hear,
                            .user = h,
                            .min_iterations = h->min_iterations};
    pli_minimize_report report;
    *h = (heard){0};
    OK(p->context, newton_minimize(def, &p->objective, p->linear, &env, x, &report));
    return report;
}

// ---- how far a step may go

// f = exp(-x) + (y^2 + z^2) / 2: Newton's step is 1 along x from anywhere, and never far enough
static double slide(const double x[3])
{
    return exp(-x[0]) + 0.5 * (x[1] * x[1] + x[2] * x[2]);
}

static void slide_gradient(const double x[3], double g[3])
{
    g[0] = -exp(-x[0]);
    g[1] = x[1];
    g[2] = x[2];
}

static void slide_hessian(const double x[3], double H[9])
{
    memset(H, 0, 9 * sizeof(double));
    H[0] = exp(-x[0]);
    H[4] = H[8] = 1;
}

// a wall that may not be reached; a term without energy
typedef struct wall {
    double at;
    double farthest; // where an energy was asked for
} wall;

static pli_sum wall_energy(void *self, const double *x)
{
    wall *w = self;
    w->farthest = fmax(w->farthest, x[0]);
    return (pli_sum){0, 0};
}

static void wall_gradient(void *self, const double *x, double *g)
{
    (void)self;
    (void)x;
    (void)g;
}

static double wall_step(void *self, const double *x, const double *d)
{
    double room = 0.9 * (((const wall *)self)->at - x[0]);
    return d[0] > room ? room / d[0] : 1;
}

static const pli_term_ops wall_term = {
    .name = "wall", .energy = wall_energy, .add_gradient = wall_gradient, .max_step = wall_step};

static const pli_search_kind searches[] = {PLI_SEARCH_WOLFE, PLI_SEARCH_BACKTRACKING,
                                           PLI_SEARCH_NONE};

static void steps_stay_within_what_terms_admit(void **state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        toy_problem p;
        heard h = {0};
        wall w = {.at = 5.5, .farthest = -INFINITY};
        toy_problem_init(&p, (toy){slide, slide_gradient, slide_hessian, 0}, PLI_SOLVER_PCG);
        pli_objective_add(&p.objective, &wall_term, &w);
        pli_newton_def def = projected();
        // so hard to please that a Wolfe search wants to go four times as far
        def.line_search = (pli_line_search_def){searches[k], 1e-4, 0.1, 60};
        def.fixed_iterations = 9;
        double x[3] = {0, 0.1, 0};
        minimize(&p, &def, x, &h);
        // what is admitted is at most the whole direction, five times, then nine tenths of the rest
        AT_MOST(h.largest_alpha, 1);
        assert_true(w.farthest < w.at);
        NEAR(x[0], 5.5 - 0.5e-4, 1e-9, 0);
        toy_problem_clear(&p);
    }
}

static void without_such_terms_a_wolfe_search_goes_farther(void **state)
{
    (void)state;
    toy_problem p;
    heard h = {0};
    toy_problem_init(&p, (toy){slide, slide_gradient, slide_hessian, 0}, PLI_SOLVER_PCG);
    pli_newton_def def = projected();
    def.line_search = (pli_line_search_def){PLI_SEARCH_WOLFE, 1e-4, 0.1, 60};
    def.fixed_iterations = 1;
    double x[3] = {0, 0, 0};
    minimize(&p, &def, x, &h);
    // exp(-4) is the first below a tenth of the slope
    NEAR(h.largest_alpha, 4, 1e-12, 0);
    toy_problem_clear(&p);
}

// ---- functions that change

// k/2 (x - 1)^2, whose k doubles when an iteration begins, a few times
typedef struct spring {
    double k;
    int doublings;
} spring;

static pli_sum spring_energy(void *self, const double *x)
{
    return (pli_sum){0.5 * ((const spring *)self)->k * (x[0] - 1) * (x[0] - 1), 0};
}

static void spring_gradient(void *self, const double *x, double *g)
{
    g[0] += ((const spring *)self)->k * (x[0] - 1);
}

static void spring_hessian(void *self, const double *x, bool psd, pli_bcsr *H)
{
    (void)x;
    (void)psd;
    H->values[0] += ((const spring *)self)->k;
}

static pli_status spring_prepare(void *self, const double *x, pli_bcsr *H, bool *changed)
{
    (void)x;
    (void)H;
    spring *s = self;
    if (s->doublings == 0) return PLI_OK;
    --s->doublings;
    s->k *= 2;
    *changed = true;
    return PLI_OK;
}

static const pli_term_ops spring_term = {.name = "spring",
                                         .energy = spring_energy,
                                         .add_gradient = spring_gradient,
                                         .add_hessian = spring_hessian,
                                         .prepare = spring_prepare};

static double bowl(const double x[3])
{
    return 0.5 * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void bowl_gradient(const double x[3], double g[3])
{
    memcpy(g, x, 3 * sizeof(double));
}

static void bowl_hessian(const double x[3], double H[9])
{
    (void)x;
    memset(H, 0, 9 * sizeof(double));
    H[0] = H[4] = H[8] = 1;
}

static void a_function_that_changes_is_evaluated_again(void **state)
{
    (void)state;
    for (int doublings = 0; doublings <= 6; ++doublings) {
        toy_problem p;
        // so many that it changes even where the gradient is small already
        heard h = {.min_iterations = 6};
        spring s = {1, doublings};
        toy_problem_init(&p, (toy){bowl, bowl_gradient, bowl_hessian, 0}, PLI_SOLVER_PCG);
        pli_objective_add(&p.objective, &spring_term, &s);
        pli_newton_def def = projected();
        double x[3] = {4, -2, 1};
        pli_minimize_report report = minimize(&p, &def, x, &h);
        assert_true(report.stop > 0);
        // a stale gradient would give a wrong direction: every minimisation ends at x = k / (1 + k)
        double k = ldexp(1, doublings);
        NEAR(x[0], k / (1 + k), 1e-9, 0);
        NEAR(report.energy, 0.5 * k / (1 + k), 1e-9, 0);
        assert_int_equal(s.doublings, 0);
        toy_problem_clear(&p);
    }
}

// ---- steps as the measure

static double faint_bowl(const double x[3])
{
    return 1e-14 * bowl(x);
}

static void faint_bowl_gradient(const double x[3], double g[3])
{
    for (int k = 0; k < 3; ++k) g[k] = 1e-14 * x[k];
}

static void faint_bowl_hessian(const double x[3], double H[9])
{
    bowl_hessian(x, H);
    for (int k = 0; k < 9; ++k) H[k] *= 1e-14;
}

static void steps_tell_how_far_the_minimum_is_whatever_the_forces(void **state)
{
    (void)state;
    toy_problem p;
    heard h = {0};
    toy_problem_init(&p, (toy){faint_bowl, faint_bowl_gradient, faint_bowl_hessian, 0},
                     PLI_SOLVER_PCG);
    pli_newton_def def = projected();
    // by its gradient the start is good enough
    double x[3] = {3, -1, 2};
    pli_minimize_report report = minimize(&p, &def, x, &h);
    assert_true(report.stop == PLI_STOP_GRADIENT && report.iterations == 0);
    // by the step it is not: 3 m in 0.5 s
    def.judge = PLI_JUDGE_STEP;
    def.step_unit = 0.5;
    def.max_iterations = 1;
    report = minimize(&p, &def, x, &h);
    assert_int_equal(report.iterations, 1);
    NEAR(h.last.residual, 6, 1e-9, 0);
    for (int k = 0; k < 3; ++k) NEAR(x[k], 0, 0, 1e-9);
    toy_problem_clear(&p);
}

static void short_steps_are_the_last_that_are_made(void **state)
{
    (void)state;
    static const double units[] = {1e-3, 1, 1e3};
    for (int k = 0; k < 3; ++k) {
        toy_problem p;
        heard h = {0};
        toy_problem_init(&p, (toy){rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0},
                         PLI_SOLVER_PCG);
        pli_newton_def def = projected();
        def.judge = PLI_JUDGE_STEP;
        def.step_unit = units[k];
        def.tolerance = 1e-4 / units[k]; // the same 1e-4 m
        double x[3] = {-1.2, 1, 0.5};
        pli_minimize_report report = minimize(&p, &def, x, &h);
        assert_int_equal(report.stop, PLI_STOP_DIRECTION);
        AT_MOST(report.residual, def.tolerance);
        // what is told is the last step; it was made, and its end is the minimum, to second order
        double distance = fmax(fabs(x[0] - 1), fmax(fabs(x[1] - 1), fabs(x[2])));
        AT_MOST(distance, 1e-2 * report.residual * units[k] + 1e-12);
        // the start and all iterations were told
        assert_int_equal(h.count, report.iterations + 1);
        toy_problem_clear(&p);
    }
}

static void budgets_hold_where_steps_are_judged(void **state)
{
    (void)state;
    toy_problem p;
    heard h = {0};
    toy_problem_init(&p, (toy){rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0},
                     PLI_SOLVER_PCG);
    pli_newton_def def = projected();
    def.judge = PLI_JUDGE_STEP;
    def.step_unit = 1;
    def.max_iterations = 3;
    double x[3] = {-1.2, 1, 0};
    assert_int_equal(minimize(&p, &def, x, &h).stop, PLI_STOP_ITERATIONS);
    def.fixed_iterations = 2;
    double y[3] = {1, 1, 0};
    assert_true(minimize(&p, &def, y, &h).stop > 0);
    toy_problem_clear(&p);
}

// ---- directions from elsewhere

static void begin_nothing(void *self)
{
    (void)self;
}

static pli_status prepare_hessian(void *self, const pli_direction_point *at,
                                  pli_direction_matrix *made)
{
    (void)self;
    *made = (pli_direction_matrix){.usable = true, .definite = true};
    pli_objective_compute_hessian(at->objective, at->x, true);
    return PLI_OK;
}

// A source that sees nothing of y: along x and z it is steepest descent.
static pli_status solve_blindly(void *self, const double *g, double tolerance, pli_arena *scratch,
                                double *d, pli_direction_report *report)
{
    (void)self;
    (void)tolerance;
    (void)scratch;
    d[0] = -g[0];
    d[1] = -1e-18 * g[1];
    d[2] = -g[2];
    report->step = 1;
    return PLI_OK;
}

static void what_a_source_does_not_see_is_not_taken_for_a_minimum(void **state)
{
    (void)state;
    static const pli_direction_ops ops = {.is_partial = true,
                                          .begin = begin_nothing,
                                          .prepare = prepare_hessian,
                                          .solve = solve_blindly};
    toy_problem p;
    heard h = {0};
    toy_problem_init(&p, (toy){bowl, bowl_gradient, bowl_hessian, 0}, PLI_SOLVER_PCG);
    pli_newton_def def = projected();
    def.source = (pli_direction_source){&ops, NULL};
    double x[3] = {3, 5, -2};
    pli_minimize_report report = minimize(&p, &def, x, &h);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    assert_int_equal(h.last.direction, PLI_DIRECTION_STEEPEST);
    for (int k = 0; k < 3; ++k) NEAR(x[k], 0, 0, 1e-10);
    toy_problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_stay_within_what_terms_admit),
        cmocka_unit_test(without_such_terms_a_wolfe_search_goes_farther),
        cmocka_unit_test(a_function_that_changes_is_evaluated_again),
        cmocka_unit_test(steps_tell_how_far_the_minimum_is_whatever_the_forces),
        cmocka_unit_test(short_steps_are_the_last_that_are_made),
        cmocka_unit_test(budgets_hold_where_steps_are_judged),
        cmocka_unit_test(what_a_source_does_not_see_is_not_taken_for_a_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

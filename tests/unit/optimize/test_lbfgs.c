// SPDX-License-Identifier: Apache-2.0
//
// L-BFGS with an initial operator from outside (N13, H13, H18): quadratics, where it is exact, the
// dense formula, fallbacks and ends; the rest is claimed by conformance/optimize/test_minimizers.c.
#include "toy.h"

#include "base/random.h"
#include "linear/matrix/dense.h"
#include "math/vec3.h"
#include "optimize/lbfgs.h"

// ---- a quadratic of several points: E = 1/2 x.Ax - b.x

enum { N = 12 }; // unknowns

typedef struct quadratic {
    double A[N * N];
    double b[N];
    bool is_wrong; // the gradient points the wrong way
} quadratic;

static void quadratic_multiply(const double A[N * N], const double *x, double y[N])
{
    for (int i = 0; i < N; ++i) {
        y[i] = 0;
        for (int j = 0; j < N; ++j) y[i] += A[N * i + j] * x[j];
    }
}

static double dot(const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += x[i] * y[i];
    return sum;
}

static pli_sum quadratic_energy(void *self, const double *x)
{
    const quadratic *q = self;
    double Ax[N];
    quadratic_multiply(q->A, x, Ax);
    return (pli_sum){0.5 * dot(x, Ax) - dot(q->b, x), 0};
}

static void quadratic_gradient(void *self, const double *x, double *g)
{
    const quadratic *q = self;
    double Ax[N];
    quadratic_multiply(q->A, x, Ax);
    for (int i = 0; i < N; ++i) g[i] += (q->is_wrong ? -1 : 1) * (Ax[i] - q->b[i]);
}

static const pli_term_ops quadratic_term = {
    .name = "quadratic", .energy = quadratic_energy, .add_gradient = quadratic_gradient};

// ---- operators: d = -B g with a dense B

typedef struct given {
    int32_t size;
    double B[N * N];
    int32_t begins;
    int32_t prepares;
    int32_t solves;
    bool is_unusable;
    int32_t climbs_from; // from this solve on -d is told; 0: never
    double asked[512];   // lengths of the gradients that were given
} given;

static void given_begin(void *self)
{
    ++((given *)self)->begins;
}

static pli_status given_prepare(void *self, const pli_direction_point *at,
                                pli_direction_matrix *made)
{
    given *o = self;
    (void)at;
    ++o->prepares;
    made->usable = !o->is_unusable;
    return PLI_OK;
}

static double dot_of(int32_t size, const double *a, const double *b)
{
    double sum = 0;
    for (int32_t i = 0; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

static pli_status given_solve(void *self, const double *g, double tolerance, pli_arena *scratch,
                              double *d, pli_direction_report *report)
{
    given *o = self;
    (void)tolerance;
    (void)scratch;
    if (o->solves < 512) o->asked[o->solves] = sqrt(dot_of(o->size, g, g));
    ++o->solves;
    double sign = o->climbs_from > 0 && o->solves >= o->climbs_from ? 1 : -1;
    for (int i = 0; i < o->size; ++i) {
        d[i] = 0;
        for (int j = 0; j < o->size; ++j) d[i] += sign * o->B[o->size * i + j] * g[j];
    }
    report->linear_iterations = 1;
    return PLI_OK;
}

static const pli_direction_ops given_ops = {
    .begin = given_begin, .prepare = given_prepare, .solve = given_solve};

static given scaled_identity(int32_t size, double scale)
{
    given o = {.size = size};
    for (int i = 0; i < size; ++i) o.B[size * i + i] = scale;
    return o;
}

// ---- what is heard on the way

typedef struct heard {
    int count;
    double energy[512];
    double residual[512];
    double gradient[512];
    pli_direction_kind direction[512];
} heard;

static void hear(void *user, const pli_iterate *iterate)
{
    heard *h = user;
    if (h->count >= 512) return;
    h->energy[h->count] = iterate->energy;
    h->residual[h->count] = iterate->residual;
    h->gradient[h->count] = iterate->gradient;
    h->direction[h->count] = iterate->direction;
    ++h->count;
}

// ---- a problem

typedef struct problem {
    pli_context *context;
    quadratic quadratic;
    pli_objective objective;
    double weights[N / 3];
    pli_arena *scratch;
    pli_timers timers;
    given op;
    heard heard;
    pli_lbfgs *minimizer;
} problem;

static pli_lbfgs_def backtracking(int32_t window)
{
    return (pli_lbfgs_def){.tolerance = 1e-9,
                           .window = window,
                           .max_iterations = 400,
                           .line_search = {PLI_SEARCH_BACKTRACKING, 0, 0.9, 60}};
}

// A random matrix.
static void problem_init(problem *p)
{
    pli_random random = {11, 0};
    *p = (problem){.op = scaled_identity(N, 1)};
    p->context = make_context(1);
    double R[N * N];
    for (int i = 0; i < N * N; ++i) R[i] = pli_random_range(random, (uint64_t)i, -1, 1);
    for (int i = 0; i < N; ++i) {
        p->quadratic.b[i] = pli_random_range(random, (uint64_t)(1000 + i), -1, 1);
        for (int j = 0; j < N; ++j) {
            p->quadratic.A[N * i + j] = (i == j ? 0.2 : 0) + dot(R + N * i, R + N * j);
        }
    }
    pli_objective_init(&p->objective, p->context, N / 3);
    pli_objective_add(&p->objective, &quadratic_term, &p->quadratic);
    for (int i = 0; i < N / 3; ++i) p->weights[i] = 1;
    p->objective.norm_weights = p->weights;
    OK(p->context, pli_arena_create(p->context, 1 << 14, &p->scratch));
    pli_timers_clear(&p->timers);
}

static void problem_clear(problem *p)
{
    pli_lbfgs_destroy(p->minimizer);
    pli_arena_destroy(p->scratch);
    pli_objective_clear(&p->objective);
    pli_context_destroy(p->context);
}

static pli_minimize_report minimize(problem *p, pli_lbfgs_def def, double *x)
{
    p->heard.count = 0;
    def.initial = (pli_direction_source){&given_ops, &p->op};
    pli_lbfgs_destroy(p->minimizer);
    OK(p->context, pli_lbfgs_create(p->context, &def, &p->objective, &p->minimizer));
    pli_minimize_env env = {
        .timers = &p->timers, .scratch = p->scratch, .monitor = hear, .user = &p->heard};
    pli_minimize_report report;
    OK(p->context, lbfgs_minimize(p->minimizer, &env, x, &report));
    return report;
}

// B = A^-1
static void invert(problem *p)
{
    double L[N * N];
    memcpy(L, p->quadratic.A, sizeof L);
    assert_true(pli_dense_cholesky_factor(p->context, N, L));
    for (int j = 0; j < N; ++j) {
        double e[N] = {0};
        e[j] = 1;
        pli_dense_cholesky_solve(p->context, N, L, 1, e);
        for (int i = 0; i < N; ++i) p->op.B[N * i + j] = e[i];
    }
}

static void expect_minimum(problem *p, const double *x, double tolerance)
{
    double Ax[N];
    quadratic_multiply(p->quadratic.A, x, Ax);
    for (int i = 0; i < N; ++i) NEAR(Ax[i], p->quadratic.b[i], 0, tolerance);
}

static void expect_falling_energies(const heard *h)
{
    AT_LEAST(h->count, 3);
    // where the change is below rounding, slopes decide
    for (int k = 1; k < h->count; ++k) {
        AT_MOST(h->energy[k], h->energy[k - 1] + 1e-14 * fabs(h->energy[k]));
    }
}

// ---- quadratics

static void an_exact_inverse_takes_one_iteration(void **state)
{
    (void)state;
    for (int32_t window = 0; window <= 8; window += 8) {
        problem p;
        problem_init(&p);
        invert(&p);
        double x[N] = {0};
        pli_minimize_report report = minimize(&p, backtracking(window), x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        assert_int_equal(report.iterations, 1);
        assert_int_equal(report.linear_iterations, 1);
        expect_minimum(&p, x, 1e-9);
        problem_clear(&p);
    }
}

// What the operator is given is the gradient itself as long as there are no pairs.
static void restarts_follow_a_residual_that_rose(void **state)
{
    (void)state;
    for (int restarts = 0; restarts < 2; ++restarts) {
        problem p;
        problem_init(&p);
        invert(&p);
        // an inverse that is a few times off, by another factor for every two unknowns
        for (int k = 0; k < N * N; ++k) {
            p.op.B[k] *= (1 + 0.4 * cos(k / N)) * (1 + 0.4 * cos(k % N));
        }
        pli_lbfgs_def def = backtracking(8);
        def.restarts = restarts == 1;
        double x[N] = {0};
        pli_minimize_report report = minimize(&p, def, x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        expect_minimum(&p, x, 1e-8);
        int32_t rises = 0;
        for (int32_t k = 1; k < report.iterations; ++k) {
            bool rose = p.heard.residual[k] > p.heard.residual[k - 1];
            bool has_pairs = fabs(p.op.asked[k] / p.heard.gradient[k] - 1) > 1e-9;
            assert_true(has_pairs != (rose && restarts == 1));
            rises += rose;
        }
        AT_LEAST(rises, 1);
        problem_clear(&p);
    }
}

// With exact line searches directions are conjugate, as those of conjugate gradients.
static void n_unknowns_take_n_steps_whatever_the_operator(void **state)
{
    (void)state;
    static const double scales[] = {1, 5, 30};
    for (int k = 0; k < 3; ++k) {
        for (int32_t window = N; window <= PLI_LBFGS_WINDOW; window += PLI_LBFGS_WINDOW - N) {
            problem p;
            problem_init(&p);
            p.op = scaled_identity(N, scales[k]);
            pli_lbfgs_def def = backtracking(window);
            def.line_search = (pli_line_search_def){PLI_SEARCH_WOLFE, 1e-4, 1e-9, 200};
            def.tolerance = 1e-11;
            double x[N] = {0};
            pli_minimize_report report = minimize(&p, def, x);
            assert_int_equal(report.stop, PLI_STOP_GRADIENT);
            assert_int_equal(report.iterations, N);
            expect_minimum(&p, x, 1e-11);
            problem_clear(&p);
        }
    }
}

// H <- (1 - rho s y^T) H (1 - rho y s^T) + rho s s^T (Nocedal and Wright 2006, equation 6.17)
static void update_inverse(double H[N * N], const double s[N], const double y[N])
{
    double rho = 1 / dot(s, y);
    double V[N * N], HV[N * N], next[N * N];
    for (int i = 0; i < N * N; ++i) V[i] = (i / N == i % N) - rho * y[i / N] * s[i % N];
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            HV[N * i + j] = 0;
            for (int k = 0; k < N; ++k) HV[N * i + j] += H[N * i + k] * V[N * k + j];
        }
    }
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            next[N * i + j] = rho * s[i] * s[j];
            for (int k = 0; k < N; ++k) next[N * i + j] += V[N * k + i] * HV[N * k + j];
        }
    }
    memcpy(H, next, sizeof next);
}

// Full steps with matrices that are written out.
static void iterate_densely(problem *p, int32_t window, int32_t steps, double x[N])
{
    double s[20][N], y[20][N], g[N] = {0}, d[N];
    quadratic_gradient(&p->quadratic, x, g);
    for (int32_t k = 0; k < steps; ++k) {
        double H[N * N];
        memcpy(H, p->op.B, sizeof H);
        for (int32_t pair = k > window ? k - window : 0; pair < k; ++pair) {
            update_inverse(H, s[pair], y[pair]);
        }
        quadratic_multiply(H, g, d);
        double before[N];
        memcpy(before, g, sizeof before);
        for (int i = 0; i < N; ++i) x[i] -= d[i];
        memset(g, 0, sizeof g);
        quadratic_gradient(&p->quadratic, x, g);
        for (int i = 0; i < N; ++i) {
            s[k][i] = -d[i];
            y[k][i] = g[i] - before[i];
        }
    }
}

static void iterates_are_those_of_the_dense_formula(void **state)
{
    (void)state;
    static const int32_t windows[] = {0, 1, 3, 8};
    for (int k = 0; k < 4; ++k) {
        for (int32_t steps = 1; steps <= 12; ++steps) {
            problem p;
            problem_init(&p);
            for (int i = 0; i < N; ++i) p.op.B[(N + 1) * i] = 0.1 + 0.02 * i;
            pli_lbfgs_def def = backtracking(windows[k]);
            def.line_search.kind = PLI_SEARCH_NONE;
            def.fixed_iterations = steps;
            double x[N] = {0}, want[N] = {0};
            pli_minimize_report report = minimize(&p, def, x);
            assert_int_equal(report.stop, PLI_STOP_FIXED);
            assert_int_equal(report.iterations, steps);
            assert_int_equal(report.dropped_pairs, 0);
            iterate_densely(&p, windows[k], steps, want);
            // rounding grows with the steps, which need not converge at all
            double size = sqrt(dot(want, want));
            for (int i = 0; i < N; ++i) NEAR(x[i], want[i], 0, 1e-10 * size);
            problem_clear(&p);
        }
    }
}

static void a_window_helps(void **state)
{
    (void)state;
    int32_t last = 0;
    static const int32_t windows[] = {0, 2, 8};
    for (int k = 0; k < 3; ++k) {
        problem p;
        problem_init(&p);
        double x[N] = {0};
        pli_lbfgs_def def = backtracking(windows[k]);
        def.line_search.decrease = 0.25; // descent alone zigzags when energies may stay
        def.max_iterations = 5000;
        def.tolerance = 1e-6;
        pli_minimize_report report = minimize(&p, def, x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        expect_falling_energies(&p.heard);
        expect_minimum(&p, x, 1e-6);
        // descent alone goes by the condition number, thousands of steps
        if (k > 0) AT_MOST(report.iterations, last - 1);
        last = report.iterations;
        problem_clear(&p);
    }
}

// ---- curvature and fallbacks

// f = sum of cos: maximum at 0, minimum at pi
static double hills(const double x[3])
{
    return cos(x[0]) + cos(x[1]) + cos(x[2]);
}

static void hills_gradient(const double x[3], double g[3])
{
    for (int k = 0; k < 3; ++k) g[k] = -sin(x[k]);
}

// A function of one point instead of the quadratic.
static void use_toy(problem *p, toy *function)
{
    pli_objective_clear(&p->objective);
    pli_objective_init(&p->objective, p->context, 1);
    pli_objective_add(&p->objective, &toy_term, function);
    p->objective.norm_weights = p->weights;
    p->op = scaled_identity(3, 1);
}

static void pairs_of_no_curvature_are_dropped_and_counted(void **state)
{
    (void)state;
    problem p;
    problem_init(&p);
    toy function = {hills, hills_gradient, NULL, 0};
    use_toy(&p, &function);
    double x[3] = {0.3, 0.2, 0.1};
    pli_minimize_report report = minimize(&p, backtracking(8), x);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    NEAR(report.energy, -3, 1e-12, 0);
    // gradients grow on the way down the hilltop: y.s < 0
    AT_LEAST(report.dropped_pairs, 1);
    expect_falling_energies(&p.heard);
    for (int k = 1; k < p.heard.count; ++k) {
        assert_int_equal(p.heard.direction[k], PLI_DIRECTION_NEWTON);
    }

    // the count is that of the last minimisation
    double y[3] = {3, 3, 3};
    pli_minimize_env env = {.timers = &p.timers, .scratch = p.scratch};
    OK(p.context, lbfgs_minimize(p.minimizer, &env, y, &report));
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    assert_int_equal(report.dropped_pairs, 0);
    problem_clear(&p);
}

static void the_valley_is_descended_to_its_end(void **state)
{
    (void)state;
    static const double starts[][3] = {{-1.2, 1, 0.5}, {0, 2, 0}, {5, -30, 1}, {-7, 90, -2}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; ++i) {
        problem p;
        problem_init(&p);
        toy function = {rosenbrock, rosenbrock_gradient, NULL, 0};
        use_toy(&p, &function);
        double x[3] = {starts[i][0], starts[i][1], starts[i][2]};
        pli_minimize_report report = minimize(&p, backtracking(8), x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        // the softest curvature there is 0.4
        for (int k = 0; k < 3; ++k) NEAR(x[k], k < 2 ? 1 : 0, 0, 1e-8);
        expect_falling_energies(&p.heard);
        assert_int_equal(p.heard.count, report.iterations + 1);
        problem_clear(&p);
    }
}

// The operator's answers point uphill, from the start or later on.
static void directions_that_climb_give_way_to_the_gradient(void **state)
{
    (void)state;
    for (int32_t from = 1; from <= 5; from += 2) {
        problem p;
        problem_init(&p);
        p.op = scaled_identity(N, 0.05);
        p.op.climbs_from = from;
        double x[N] = {0};
        pli_lbfgs_def def = backtracking(from == 5 ? 0 : 8);
        def.max_iterations = 5000;
        def.tolerance = 1e-6;
        pli_minimize_report report = minimize(&p, def, x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        expect_minimum(&p, x, 1e-6);
        expect_falling_energies(&p.heard);
        for (int k = 1; k < from && k < p.heard.count; ++k) {
            assert_int_equal(p.heard.direction[k], PLI_DIRECTION_NEWTON);
        }
        assert_int_equal(p.heard.direction[from], PLI_DIRECTION_STEEPEST);
        problem_clear(&p);
    }
}

static void the_operator_is_made_anew_after_so_many_iterations(void **state)
{
    (void)state;
    static const int32_t periods[] = {0, 1, 3, 16};
    for (int k = 0; k < 4; ++k) {
        problem p;
        problem_init(&p);
        p.op = scaled_identity(N, 0.05);
        pli_lbfgs_def def = backtracking(8);
        def.refresh = periods[k];
        def.fixed_iterations = 10;
        double x[N] = {0};
        pli_minimize_report report = minimize(&p, def, x);
        assert_int_equal(report.iterations, 10);
        assert_int_equal(p.op.begins, 1);
        assert_int_equal(p.op.prepares, k == 1 ? 10 : k == 2 ? 4 : 1);
        problem_clear(&p);
    }
}

// ---- ends

static void every_end_has_its_own_reason(void **state)
{
    (void)state;
    problem p;
    problem_init(&p);
    p.op = scaled_identity(N, 0.05);
    pli_lbfgs_def def = backtracking(8);

    double c[N] = {NAN};
    assert_int_equal(minimize(&p, def, c).stop, PLI_STOP_NONFINITE);
    assert_int_equal(p.op.prepares, 0); // not asked any more

    p.op.is_unusable = true;
    double d[N] = {0};
    assert_int_equal(minimize(&p, def, d).stop, PLI_STOP_LINEAR);

    p.op.is_unusable = false;
    p.op.B[0] = NAN;
    double e[N] = {0};
    assert_int_equal(minimize(&p, def, e).stop, PLI_STOP_NONFINITE);

    // an energy that rises wherever the gradient says that it falls
    p.op = scaled_identity(N, 0.05);
    p.quadratic.is_wrong = true;
    double f[N] = {0};
    pli_minimize_report report = minimize(&p, def, f);
    assert_int_equal(report.stop, PLI_STOP_LINESEARCH);
    assert_int_equal(report.iterations, 0);
    for (int k = 0; k < N; ++k) NEAR(f[k], 0, 0, 0);
    problem_clear(&p);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    given op = scaled_identity(3, 1);
    for (int k = 0; k < 3; ++k) {
        pli_lbfgs_def def = backtracking(k == 0 ? -1 : k == 1 ? PLI_LBFGS_WINDOW + 1 : 8);
        if (k < 2) def.initial = (pli_direction_source){&given_ops, &op};
        pli_lbfgs *minimizer = NULL;
        pli_objective objective = {.context = context};
        pli_status status = pli_lbfgs_create(context, &def, &objective, &minimizer);
        assert_int_equal(status, PLI_ERROR_ARGUMENT);
        assert_null(minimizer);
    }
    pli_lbfgs_destroy(NULL);
    pli_context_destroy(context);
}

// ---- constraints

// A point that slides on the plane n.x = 0.5.
typedef struct plane {
    double n[3];
    int32_t point;
    double tangent[9];
    double curvature[9];
} plane;

static void plane_project(void *self, double *x, double *d)
{
    const plane *p = self;
    pli_vec3_add_scaled(x, 0.5 - pli_vec3_dot(p->n, x), p->n, x);
    if (d != NULL) pli_vec3_add_scaled(d, -pli_vec3_dot(p->n, d), p->n, d);
}

static void plane_choose_active(void *self, const double *x, const double *g)
{
    (void)self;
    (void)x;
    (void)g;
}

static void plane_release(void *self)
{
    (void)self;
}

static void plane_get_active(const void *self, pli_active_set *set)
{
    const plane *p = self;
    *set = (pli_active_set){1, &p->point, p->tangent, p->curvature};
}

static const pli_projection_ops plane_ops = {"plane", plane_project, plane_choose_active,
                                             plane_release, plane_get_active};

static void a_point_on_a_plane_finds_the_minimum_there(void **state)
{
    (void)state;
    problem p;
    problem_init(&p);
    toy function = {rosenbrock, rosenbrock_gradient, NULL, 0};
    use_toy(&p, &function);
    plane wall = {.n = {0.6, 0, 0.8}};
    for (int k = 0; k < 9; ++k) wall.tangent[k] = (k % 4 == 0) - wall.n[k / 3] * wall.n[k % 3];
    p.objective.projection = (pli_feasible_set){&plane_ops, &wall};
    double x[3] = {-2, 1, 3};
    pli_minimize_report report = minimize(&p, backtracking(8), x);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    NEAR(pli_vec3_dot(wall.n, x), 0.5, 1e-14, 0);
    // y = x^2, and x, z minimise (1 - x)^2 + z^2 on 0.6 x + 0.8 z = 0.5: (1, 0) - 0.1 n
    NEAR(x[0], 0.94, 0, 1e-8);
    NEAR(x[1], 0.94 * 0.94, 0, 1e-8);
    NEAR(x[2], -0.08, 0, 1e-8);
    problem_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_follow_a_residual_that_rose),
        cmocka_unit_test(an_exact_inverse_takes_one_iteration),
        cmocka_unit_test(n_unknowns_take_n_steps_whatever_the_operator),
        cmocka_unit_test(iterates_are_those_of_the_dense_formula),
        cmocka_unit_test(a_window_helps),
        cmocka_unit_test(pairs_of_no_curvature_are_dropped_and_counted),
        cmocka_unit_test(the_valley_is_descended_to_its_end),
        cmocka_unit_test(directions_that_climb_give_way_to_the_gradient),
        cmocka_unit_test(the_operator_is_made_anew_after_so_many_iterations),
        cmocka_unit_test(every_end_has_its_own_reason),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(a_point_on_a_plane_finds_the_minimum_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

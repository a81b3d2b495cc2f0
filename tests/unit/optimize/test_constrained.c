// SPDX-License-Identifier: Apache-2.0
//
// Minimisation on projected constraints (O7-O9), energies that are left out (O10) and steps over
// jumps (O12), on functions of one point.
#include "toy.h"

#include "math/vec3.h"

static pli_newton_def stabilised(void)
{
    return (pli_newton_def){.tolerance = 1e-9,
                            .max_iterations = 100,
                            .safeguard = true,
                            .downhill = 1e-2,
                            .length_clamp = 1e3,
                            .linear_tolerance = 1e-12,
                            .line_search = {PLI_SEARCH_WOLFE, 1e-4, 0.9, 60}};
}

static pli_minimize_report minimize(toy_problem *p, double x[3])
{
    pli_newton_def def = stabilised();
    pli_minimize_env env = {.timers = &p->timers, .scratch = p->scratch};
    pli_minimize_report report;
    OK(p->context, newton_minimize(&def, &p->objective, p->linear, &env, x, &report));
    return report;
}

// ---- outside of the unit ball: phi = |x| - 1

typedef struct ball {
    bool active;
    int32_t point;
    double tangent[9];
    double curvature[9];
} ball;

static void ball_project(void *self, double *x, double *d)
{
    const ball *b = self;
    double r = pli_vec3_norm(x);
    if (r >= 1 && !b->active) return;
    // DP = (I - n n^T) / r
    double n[3];
    pli_vec3_scale(1 / r, x, n);
    if (d != NULL) {
        pli_vec3_add_scaled(d, -pli_vec3_dot(n, d), n, d);
        pli_vec3_scale(1 / r, d, d);
    }
    pli_vec3_copy(n, x);
}

static void ball_choose_active(void *self, const double *x, const double *g)
{
    ball *b = self;
    double lambda = pli_vec3_dot(x, g); // |x| = 1: x is the normal
    b->active = pli_vec3_norm(x) <= 1 + 1e-12 && lambda >= 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b->tangent[3 * i + j] = (i == j) - x[i] * x[j];
            b->curvature[3 * i + j] = -lambda * b->tangent[3 * i + j];
        }
    }
}

static void ball_release(void *self)
{
    ((ball *)self)->active = false;
}

static void ball_get_active(const void *self, pli_active_set *set)
{
    const ball *b = self;
    *set = (pli_active_set){b->active, &b->point, b->tangent, b->curvature};
}

static const pli_projection_ops ball_ops = {"ball", ball_project, ball_choose_active, ball_release,
                                            ball_get_active};

// f = x^2 + 2 y^2 + 3 z^2 + c . x with c = (-0.4, 0.3, 0.2)
static double bowl(const double x[3])
{
    return x[0] * x[0] + 2 * x[1] * x[1] + 3 * x[2] * x[2] - 0.4 * x[0] + 0.3 * x[1] + 0.2 * x[2];
}

static void bowl_gradient(const double x[3], double g[3])
{
    g[0] = 2 * x[0] - 0.4;
    g[1] = 4 * x[1] + 0.3;
    g[2] = 6 * x[2] + 0.2;
}

static void bowl_hessian(const double x[3], double H[9])
{
    (void)x;
    for (int k = 0; k < 9; ++k) H[k] = 0;
    H[0] = 2;
    H[4] = 4;
    H[8] = 6;
}

static void a_minimum_inside_of_an_obstacle_ends_on_its_surface(void **state)
{
    (void)state;
    static const double starts[][3] = {{2, 1, 1}, {0.1, 0.2, 0.1}, {-3, 0.5, 2}, {0, 0, 5}};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; ++k) {
        toy_problem p;
        ball b = {0};
        toy_problem_init(&p, (toy){bowl, bowl_gradient, bowl_hessian, 0}, PLI_SOLVER_PCG);
        p.objective.projection = (pli_feasible_set){&ball_ops, &b};
        double x[3], g[3];
        pli_vec3_copy(starts[k], x);
        pli_minimize_report report = minimize(&p, x);
        assert_int_equal(report.stop, PLI_STOP_GRADIENT);
        assert_true(report.iterations < 15);
        // on the sphere, and the force is normal to it and points inwards
        NEAR(pli_vec3_norm(x), 1, 1e-14, 0);
        bowl_gradient(x, g);
        double lambda = pli_vec3_dot(x, g);
        assert_true(lambda > 0);
        pli_vec3_add_scaled(g, -lambda, x, g);
        NEAR(pli_vec3_norm(g), 0, 0, 1e-8);
        // second order: a minimum, the lowest of which is near (1, 0, 0)
        assert_true(bowl(x) < 0.65);
        toy_problem_clear(&p);
    }
}

static void a_minimum_outside_is_found_as_if_there_were_no_obstacle(void **state)
{
    (void)state;
    toy_problem p;
    ball b = {0};
    toy_problem_init(&p, (toy){rosenbrock, rosenbrock_gradient, rosenbrock_hessian, 0},
                     PLI_SOLVER_PCG);
    p.objective.projection = (pli_feasible_set){&ball_ops, &b};
    double x[3] = {2, 3, 0.5};
    pli_minimize_report report = minimize(&p, x);
    assert_int_equal(report.stop, PLI_STOP_GRADIENT);
    NEAR(x[0], 1, 1e-6, 0);
    NEAR(x[1], 1, 1e-6, 0);
    toy_problem_clear(&p);
}

// ---- expensive terms

typedef struct expensive {
    int evaluations;
} expensive;

static pli_sum expensive_energy(void *self, const double *x)
{
    ++((expensive *)self)->evaluations;
    return (pli_sum){x[2] * x[2], 0};
}

static void expensive_gradient(void *self, const double *x, double *g)
{
    (void)self;
    g[2] += 2 * x[2];
}

static const pli_term_ops expensive_term = {.name = "expensive",
                                            .energy = expensive_energy,
                                            .add_gradient = expensive_gradient,
                                            .deferred = true};

static void expensive_terms_are_left_out_above_the_limit(void **state)
{
    (void)state;
    toy_problem p;
    expensive e = {0};
    toy_problem_init(&p, (toy){bowl, bowl_gradient, bowl_hessian, 0}, PLI_SOLVER_PCG);
    pli_objective_add(&p.objective, &expensive_term, &e);
    const double x[3] = {1, 1, 1};
    double rest = bowl(x);
    // above: a lower bound that is above the limit, too
    double told = pli_sum_value(pli_objective_energy_below(&p.objective, x, rest - 1e-3));
    assert_int_equal(e.evaluations, 0);
    assert_true(told > rest - 1e-3 && told <= rest + 1);
    // below: the whole
    NEAR(pli_sum_value(pli_objective_energy_below(&p.objective, x, rest + 1e-3)), rest + 1, 1e-15,
         0);
    assert_int_equal(e.evaluations, 1);
    NEAR(pli_sum_value(pli_objective_energy(&p.objective, x)), rest + 1, 1e-15, 0);
    toy_problem_clear(&p);
}

// ---- jumps: a wall of height 20 beyond x = 2 that is there or not by a choice, (x - 4)^2
// otherwise

typedef struct wall {
    bool frozen;
    bool beyond; // the choice
} wall;

static bool is_beyond(const wall *w, const double *x)
{
    return w->frozen ? w->beyond : x[0] > 2;
}

static pli_sum wall_energy(void *self, const double *x)
{
    double a = x[0] - 4;
    return (pli_sum){a * a + x[1] * x[1] + x[2] * x[2] + (is_beyond(self, x) ? 20 : 0), 0};
}

static void wall_gradient(void *self, const double *x, double *g)
{
    (void)self;
    g[0] += 2 * (x[0] - 4);
    g[1] += 2 * x[1];
    g[2] += 2 * x[2];
}

static void wall_hessian(void *self, const double *x, bool projected, pli_bcsr *H)
{
    (void)self;
    (void)x;
    (void)projected;
    for (int k = 0; k < 9; k += 4) H->values[k] += 2;
}

static void wall_freeze(void *self, const double *x)
{
    wall *w = self;
    w->frozen = false;
    if (x == NULL) return;
    w->beyond = is_beyond(w, x);
    w->frozen = true;
}

static void jumps_are_stepped_over_where_a_term_can_freeze_its_choice(void **state)
{
    (void)state;
    for (int can_freeze = 0; can_freeze < 2; ++can_freeze) {
        pli_term_ops ops = {.name = "wall",
                            .energy = wall_energy,
                            .add_gradient = wall_gradient,
                            .add_hessian = wall_hessian,
                            .freeze = can_freeze ? wall_freeze : NULL};
        toy_problem p;
        wall w = {0};
        toy_problem_init(&p, (toy){bowl, bowl_gradient, bowl_hessian, 0}, PLI_SOLVER_PCG);
        p.objective.terms[0] = (pli_term){.ops = &ops, .self = &w};
        double x[3] = {0, 0, 0};
        pli_minimize_report report = minimize(&p, x);
        if (can_freeze) {
            assert_int_equal(report.stop, PLI_STOP_GRADIENT);
            NEAR(x[0], 4, 1e-8, 0);
        } else {
            // stuck at the foot of the wall, and it says so soon
            assert_int_equal(report.stop, PLI_STOP_LINESEARCH);
            NEAR(x[0], 2, 1e-3, 0);
            assert_true(report.energy_evaluations < 400);
        }
        toy_problem_clear(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_minimum_inside_of_an_obstacle_ends_on_its_surface),
        cmocka_unit_test(a_minimum_outside_is_found_as_if_there_were_no_obstacle),
        cmocka_unit_test(expensive_terms_are_left_out_above_the_limit),
        cmocka_unit_test(jumps_are_stepped_over_where_a_term_can_freeze_its_choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

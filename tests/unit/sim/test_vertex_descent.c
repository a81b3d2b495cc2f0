// SPDX-License-Identifier: Apache-2.0
//
// Scenes with vertex block descent: what every term tells a single vertex, agreement with
// Newton, failing allocations, and what is refused.
#include "promises.h"
#include "step_scenes.h"
#include "with_solver.h"

#include "base/context.h"
#include "base/random.h"
#include "sim/step/mesh_stepper.h"

static const char *const budget = "{name: vbd, fixed_iterations: 4}";

// ---- the terms

enum { MOST = 200 }; // vertices

typedef struct views {
    simulation s;
    int32_t count;
    int32_t vertices[MOST];
    double x[3 * MOST];
} views;

// Everything, with a grip and a force, after one step, which sets targets and damping, at random
// positions.
static void views_init(views *v, double amount, uint64_t stream)
{
    pli_random random = {7, stream};
    static const double target[3] = {0.1, 0.2, 0.3};
    start(&v->s, collider_scene, "vbd", 1);
    OK(v->s.context, pli_state_set_grip(v->s.state, 20, 100, target));
    assert_true(v->s.info.vertex_count <= MOST);
    static const double forces[3 * MOST] = {[60] = 1, [61] = -2, [62] = 3};
    OK(v->s.context, pli_state_set_forces(v->s.state, forces));
    simulation_step(&v->s);
    v->count = v->s.info.vertex_count;
    const double *rest = pli_model_get_mesh(v->s.model).rest_positions;
    for (int32_t k = 0; k < 3 * v->count; ++k) {
        v->x[k] = rest[k] + pli_random_range(random, (uint64_t)k, -amount, amount);
    }
    for (int32_t i = 0; i < v->count; ++i) v->vertices[i] = i;
    OK(v->s.context, pli_objective_build_pattern(&pli_solver_meshes(v->s.solver)->objective));
}

// Where the six numbers of a block stand in all nine.
static const int places[6] = {0, 4, 8, 1, 2, 5};

static void every_term_tells_gradient_and_projected_diagonal(void **state)
{
    (void)state;
    static const double amounts[] = {0.05, 0.3};
    for (int k = 0; k < 2; ++k) {
        views v;
        views_init(&v, amounts[k], (uint64_t)k);
        pli_objective *objective = &pli_solver_meshes(v.s.solver)->objective;
        assert_int_equal(objective->term_count, 11);
        for (int32_t t = 0; t < objective->term_count; ++t) {
            const pli_term *term = &objective->terms[t];
            double want[3 * MOST] = {0};
            double g[3 * MOST] = {0};
            double H[6 * MOST] = {0};
            pli_bcsr_set_zero(objective->H);
            term->ops->add_gradient(term->self, v.x, want);
            if (term->ops->add_hessian != NULL) {
                term->ops->add_hessian(term->self, v.x, true, objective->H);
            }
            pli_vertex_batch batch = {v.count, v.vertices, NULL, g, H};
            term->ops->add_vertices(term->self, v.x, &batch);
            double largest = 0;
            // both are sums over the same parts in another order
            for (int32_t i = 0; i < 3 * v.count; ++i) NEAR(g[i], want[i], 1e-9, 1e-9);
            for (int32_t i = 0; i < 6 * v.count; ++i) {
                const double *block = objective->H->values + 9 * objective->H->diagonal[i / 6];
                NEAR(H[i], block[places[i % 6]], 1e-9, 1e-8);
                largest = fmax(largest, fabs(H[i]));
            }
            // nothing was compared with nothing; gravity and forces are linear
            bool is_linear = term->ops->add_hessian == NULL;
            for (int32_t i = 0; i < 3 * v.count && is_linear; ++i) {
                largest = fmax(largest, fabs(g[i]));
            }
            AT_LEAST(largest, is_linear ? 1e-2 : 1);
        }
        simulation_clear(&v.s);
    }
}

static void energies_of_a_vertex_differ_as_those_of_all(void **state)
{
    (void)state;
    views v;
    views_init(&v, 0.1, 3);
    pli_objective *objective = &pli_solver_meshes(v.s.solver)->objective;
    for (int32_t t = 0; t < objective->term_count; ++t) {
        const pli_term *term = &objective->terms[t];
        for (int32_t i = 0; i < v.count; i += 7) {
            double own[2] = {0, 0};
            pli_sum all[2];
            double kept = v.x[3 * i + 1];
            for (int k = 0; k < 2; ++k) {
                pli_vertex_batch batch = {.count = 1, .vertices = &i, .energy = &own[k]};
                v.x[3 * i + 1] = kept + 0.02 * k;
                all[k] = term->ops->energy(term->self, v.x);
                term->ops->add_vertices(term->self, v.x, &batch);
            }
            v.x[3 * i + 1] = kept;
            // energies of all are up to 1e4 J, so that their differences are good to 1e-11
            NEAR(own[1] - own[0], pli_sum_difference(all[1], all[0]), 1e-9, 1e-9);
        }
    }
    simulation_clear(&v.s);
}

// ---- what it computes

static void it_ends_where_newton_ends(void **state)
{
    (void)state;
    const struct {
        const char *scene;
        const char *solver;
        double fps;
    } cases[] = {
        {rubber_scene, "{name: vbd, tolerance: 1e-5, max_iterations: 5000}", 30},
        {cloth_scene, "{name: vbd, tolerance: 1e-5, max_iterations: 5000}", 60},
        {cloth_scene,
         "{name: vbd, tolerance: 1e-5, max_iterations: 5000, line_search: backtracking}", 60},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        simulation reference;
        simulation s;
        start(&reference, cases[k].scene, "{name: newton, tolerance: 1e-9}", 2);
        start(&s, cases[k].scene, cases[k].solver, 2);
        simulation_run(&reference, 3);
        simulation_run(&s, 3);
        // the norm bounds the root mean square error of a step's velocity, 1e-5 m/s; over three
        // steps a single vertex may be off by ten times as much
        AT_MOST(distance(&s, &reference), 10 * 3 * 1e-5 / cases[k].fps);
        simulation_clear(&s);
        simulation_clear(&reference);
    }
}

// At three metres a second elements are led to inversion, where this law is not defined.
static void vertices_do_not_cross_into_inverted_elements(void **state)
{
    (void)state;
    simulation s;
    start(&s, rubber_scene, "{name: vbd, fixed_iterations: 10}", 2);
    pli_step_report report = simulation_run(&s, 10);
    assert_int_equal(report.inverted, 0);
    AT_LEAST(report.min_J, 1e-3);
    simulation_clear(&s);
}

static void fixed_iterations_are_made_exactly(void **state)
{
    (void)state;
    simulation s;
    start(&s, cloth_scene, "{name: vbd, fixed_iterations: 7}", 2);
    pli_step_report report = simulation_run(&s, 2);
    assert_int_equal(report.stop, PLI_STOP_FIXED);
    assert_int_equal(report.iterations, 7);
    assert_int_equal(report.linear_iterations, 0);
    assert_true(isfinite(report.residual));
    assert_string_equal(report.solver, "vbd");
    simulation_clear(&s);
}

static void colliders_become_quadratic_by_themselves(void **state)
{
    (void)state;
    simulation s;
    start(&s,
          "contact: none\n"
          "bodies: {flag: {kind: cloth, geometry: {sheet: {}}, position: [0, 1, 0]}}\n"
          "colliders: {ground: {shape: plane}}\n",
          "vbd", 1);
    assert_int_equal(s.model->colliders[0].method, PLI_COLLIDER_QUADRATIC);
    simulation_clear(&s);
}

// ---- promises

static void no_failing_allocation_leaves_anything_behind(void **state)
{
    (void)state;
    static const char *scene =
        "materials: {rubber: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
        "contact: none\n"
        "bodies:\n"
        "  bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [3, 1, 1]}}, material: rubber}\n"
        "  flag: {kind: cloth, geometry: {sheet: {columns: 2, rows: 2}}, position: [2, 0, 0]}\n"
        "time: {fps: 30, frames: 1}\n";
    char text[4096];
    expect_no_leak(with_solver(scene, budget, text), false);
}

// ---- refusals

static void what_does_not_go_together_is_refused(void **state)
{
    (void)state;
    expect_refusal(CUBE("contact: barrier\n"), "vbd",
                   "contact.method: barrier needs the matrix of every iteration, which solver vbd "
                   "does not have; use ipc-pcg or ipc-llt");
    expect_refusal(CUBE("contact: penalty\n"), "vbd",
                   "found 'penalty', whose couplings change with every iteration; solver vbd "
                   "colours vertices once: use solver newton or newton-multigrid");
    expect_refusal(CUBE("colliders: {ground: {shape: plane, method: constraint}}\n"), "vbd",
                   "collider ground is a constraint, which solver vbd does not take");
    expect_refusal("materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
                   "bodies: {flag: {kind: shell, geometry: {sheet: {}}, material: soft}}\n",
                   "vbd", "body flag is a shell; solver vbd takes solids and cloth");
    expect_refusal(CUBE(""), "{name: vbd, norm: step}", "solver.norm: found 'step'");
    expect_refusal(CUBE(""), "{name: vbd, line_search: wolfe}",
                   "found 'wolfe', which solver vbd does not have");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_term_tells_gradient_and_projected_diagonal),
        cmocka_unit_test(energies_of_a_vertex_differ_as_those_of_all),
        cmocka_unit_test(it_ends_where_newton_ends),
        cmocka_unit_test(vertices_do_not_cross_into_inverted_elements),
        cmocka_unit_test(fixed_iterations_are_made_exactly),
        cmocka_unit_test(colliders_become_quadratic_by_themselves),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Scenes with vertex block descent: what every term tells a single vertex, agreement with
// Newton, the promises of stepping, and what is refused.
#include "promises.h"
#include "support/same_bits.h"
#include "with_solver.h"

#include "base/context.h"
#include "base/random.h"
#include "sim/step/mesh_stepper.h"

// Laws with and without an energy at inverted elements, damping and drag, attachments, springs,
// held coordinates, and colliders of both laws that all of it is inside of here and there.
static const char *everything =
    "materials:\n"
    "  soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, drag: 2, "
    "rayleigh: 0.02}\n"
    "  firm: {law: stable-neo-hookean, density: 2000, young: 4e5, poisson: 0.4}\n"
    "contact: none\n"
    "bodies:\n"
    "  bar:\n"
    "    geometry: {grid: {size: [0.6, 0.3, 0.3], cells: [4, 2, 2]}}\n"
    "    material: soft\n"
    "    regions: [{where: {half_space: {point: [0, 0, 0], normal: [1, 0, 0]}}, material: firm}]\n"
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 7, rows: 7}}, position: [2, 0, 0],\n"
    "    springs: {rayleigh: 0.01}}\n"
    "attachments: [{body: bar, where: {half_space: {point: [0.2, 0, 0], normal: [1, 0, 0]}}, "
    "stiffness: 300}]\n"
    "constraints:\n"
    "  - {body: bar, where: {half_space: {point: [-0.29, 0, 0], normal: [-1, 0, 0]}}}\n"
    "  - {body: cloth, where: {half_space: {point: [1.51, 0, 0], normal: [-1, 0, 0]}}, axes: yz}\n"
    "colliders:\n"
    "  ground: {shape: {plane: {point: [0, -0.1, 0], normal: [0.1, 1, 0]}}, stiffness: 2e4,\n"
    "    method: quadratic}\n"
    "  ball: {shape: {sphere: {center: [2, 0, 0], radius: 0.3}}, stiffness: 2e4, method: penalty}\n"
    "checks: {collider_overlap: ignore}\n"
    "time: {fps: 60, frames: 1}\n";

// A bar of a law that is infinite where elements are inverted, which makes vertices search.
static const char *rubber =
    "materials: {rubber: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.4}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [10, 3, 3]}}, material: rubber,\n"
    "  velocity: [0, -3, 0]}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "time: {fps: 30, frames: 1}\n";

// A cloth on two springs, and a cube that falls on a plane and a ball.
static const char *cloth_and_cube =
    "materials: {soft: {law: corotated, density: 1000, mu: 2e4}}\n"
    "contact: none\n"
    "bodies:\n"
    "  cloth: {kind: cloth, geometry: {sheet: {columns: 14, rows: 14}}}\n"
    "  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [4, 4, 4]}}, material: soft,\n"
    "    position: [2, 0.205, 0], velocity: [0, -1, 0]}\n"
    "attachments:\n"
    "  - {body: cloth, where: {half_space: {point: [0.45, 0, -0.45], normal: [1, 0, -1]}},\n"
    "     stiffness: 100}\n"
    "  - {body: cloth, where: {half_space: {point: [-0.45, 0, -0.45], normal: [-1, 0, -1]}},\n"
    "     stiffness: 100}\n"
    "colliders:\n"
    "  ground: {shape: plane, stiffness: 2e4, method: quadratic}\n"
    "  ball: {shape: {sphere: {center: [2, -0.2, 0], radius: 0.18}}, stiffness: 2e4,\n"
    "    method: quadratic}\n"
    "checks: {collider_overlap: ignore}\n"
    "time: {fps: 60, frames: 1}\n";

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
    start(&v->s, everything, "vbd", 1);
    OK(v->s.context, pli_state_set_grip(v->s.state, 20, 100, target));
    assert_true(v->s.info.vertex_count <= MOST);
    static const double forces[3 * MOST] = {[60] = 1, [61] = -2, [62] = 3};
    OK(v->s.context, pli_state_set_forces(v->s.state, forces));
    simulation_step(&v->s);
    v->count = v->s.info.vertex_count;
    const double *rest = pli_model_rest_positions(v->s.model);
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
        {rubber, "{name: vbd, tolerance: 1e-5, max_iterations: 5000}", 30},
        {cloth_and_cube, "{name: vbd, tolerance: 1e-5, max_iterations: 5000}", 60},
        {cloth_and_cube,
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
    start(&s, rubber, "{name: vbd, fixed_iterations: 10}", 2);
    pli_step_report report = simulation_run(&s, 10);
    assert_int_equal(report.inverted, 0);
    AT_LEAST(report.min_J, 1e-3);
    simulation_clear(&s);
}

static void fixed_iterations_are_made_exactly(void **state)
{
    (void)state;
    simulation s;
    start(&s, cloth_and_cube, "{name: vbd, fixed_iterations: 7}", 2);
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

static void states_have_the_same_bits_for_any_thread_count(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, rubber, cloth_and_cube};
    for (int k = 0; k < 3; ++k) {
        for (same_bits bits = {0}; same_bits_next(&bits);) {
            same_bits_keep_hash(&bits, hash_after(scenes[k], bits.threads, 4, budget));
        }
    }
}

static void a_warm_step_allocates_nothing(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, rubber, cloth_and_cube};
    for (int k = 0; k < 3; ++k) {
        simulation s;
        start(&s, scenes[k], budget, 2);
        simulation_run(&s, 3);
        int64_t before = pli_context_allocation_count(s.context);
        simulation_run(&s, 3);
        assert_int_equal(pli_context_allocation_count(s.context), before);
        simulation_clear(&s);
    }
}

static void a_state_is_all_there_is(void **state)
{
    (void)state;
    const char *const scenes[] = {everything, cloth_and_cube};
    char text[4096];
    for (int k = 0; k < 2; ++k) {
        with_solver(scenes[k], budget, text);
        expect_no_memory_in_solvers(text, 5);
        expect_same_after_restoring(text, 3);
    }
}

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
        cmocka_unit_test(states_have_the_same_bits_for_any_thread_count),
        cmocka_unit_test(a_warm_step_allocates_nothing),
        cmocka_unit_test(a_state_is_all_there_is),
        cmocka_unit_test(no_failing_allocation_leaves_anything_behind),
        cmocka_unit_test(what_does_not_go_together_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

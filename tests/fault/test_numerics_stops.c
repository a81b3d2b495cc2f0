// SPDX-License-Identifier: Apache-2.0
//
// Solves that cannot go on: pivots that are not positive, gaps as small as numbers get, line
// searches without progress. Each ends after a bounded number of attempts, with a reason, and with
// a state that is none that could not be.
#include "barrier.h"

#include "pliant/extend.h"

#include <float.h>

// ---- pivots that are not positive

typedef void (*evaluate_fn)(int32_t n, const double *F, const double *params,
                            pli_projection projection, double *psi, double *P, double *dPdF);

static int tangents; // that were asked for

static const pli_material_ops *true_law(void)
{
    return pli_material_find(NULL, "fixed-corotated");
}

// Energy and stress are right, and the tangent has the wrong sign, projected or not.
static void evaluate_upside_down(int32_t n, const double *F, const double *params,
                                 pli_projection projection, double *psi, double *P, double *dPdF)
{
    true_law()->evaluate(n, F, params, projection, psi, P, dPdF);
    if (dPdF == NULL) return;
    ++tangents;
    for (int64_t k = 0; k < 81 * (int64_t)n; ++k) dPdF[k] = -dPdF[k];
}

// A context with a law of our own that is fixed-corotated but for what it evaluates.
static pli_context *make_law(const char *name, evaluate_fn evaluate)
{
    static pli_material_ops law;
    static const pli_material_ops *laws[1] = {&law};
    law = *true_law();
    law.name = name;
    law.evaluate = evaluate;
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.laws = laws;
    def.law_count = 1;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

static void bar_yaml(char *text, size_t room, const char *law, const char *solver)
{
    snprintf(text, room,
             "materials: {m: {law: %s, density: 1000, young: 1e6, poisson: 0.3}}\n"
             "bodies: {bar: {geometry: {grid: {size: [0.4, 0.1, 0.1], cells: [4, 1, 1]}}, "
             "material: m}}\n"
             "constraints: [{where: {half_space: {point: [-0.199, 0, 0], normal: [-1, 0, 0]}}}]\n"
             "solver: %s\n"
             "time: {fps: 10, frames: 1}\n",
             law, solver);
}

// Newton asks for the true matrix and then for the projected one, the others for the projected one
// at once. 20 tetrahedra are three batches of eight.
static void a_matrix_that_stays_indefinite_is_tried_twice_and_told(void **state)
{
    (void)state;
    static const struct {
        const char *solver;
        int matrices;
    } cases[] = {{"{name: newton, linear: cholesky}", 2},
                 {"{name: pn-pcg, linear: cholesky}", 1},
                 {"{name: lbfgs, linear: cholesky}", 1}};
    for (int k = 0; k < 3; ++k) {
        char yaml[1024];
        bar_yaml(yaml, sizeof yaml, "upside-down", cases[k].solver);
        simulation s;
        simulation_init_in(&s, make_law("upside-down", evaluate_upside_down), yaml);
        pli_step_report report;
        tangents = 0;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        assert_int_equal(report.stop, PLI_STOP_LINEAR);
        assert_int_equal(tangents, 3 * cases[k].matrices);
        assert_int_equal(report.iterations, 0);
        assert_true(report.residual > report.tolerance);
        assert_true(isfinite(report.energy.total));
        simulation_clear(&s);
    }
}

// A bar that is pushed together to half its length has a matrix with eigenvalues below zero, and
// the projected one leads out of it.
static void a_matrix_that_is_indefinite_is_projected_and_the_step_converges(void **state)
{
    (void)state;
    char yaml[1024];
    bar_yaml(yaml, sizeof yaml, "fixed-corotated", "{name: newton, linear: cholesky}");
    simulation s;
    simulation_init(&s, yaml, 1);
    int32_t n = s.info.vertex_count;
    double *x = malloc(3 * (size_t)n * sizeof *x);
    memcpy(x, pli_state_get(s.state).positions, 3 * (size_t)n * sizeof *x);
    for (int32_t i = 0; i < n; ++i) x[3 * i] = 0.4 * (x[3 * i] + 0.2) - 0.2;
    OK(s.context, pli_state_set(s.state, x, NULL));
    free(x);
    pli_objective_compute_hessian(&pli_solver_meshes(s.solver)->objective,
                                  pli_state_get(s.state).positions, false);
    bool definite = true;
    OK(s.context, pli_linear_solver_build(pli_solver_meshes(s.solver)->linear, &definite));
    assert_false(definite);
    simulation_step(&s);
    simulation_clear(&s);
}

// ---- gaps as small as numbers get

static void block_init(simulation *s, const char *solver)
{
    char yaml[1024];
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: neo-hookean, density: 1000, young: 1e6, poisson: 0.3}}\n"
             "bodies: {block: {geometry: {grid: {size: [0.2, 0.1, 0.2], cells: [2, 1, 2]}}, "
             "material: m, position: [0, 0.06, 0]}}\n"
             "colliders: {ground: {shape: plane, friction: 0.5}}\n"
             "contact: {method: barrier}\n"
             "solver: %s\n"
             "time: {fps: 50, frames: 1}\n",
             solver);
    simulation_init(s, yaml, 1);
}

// Its lower face at a height above the ground, and falling (m, m/s).
static void put_block(simulation *s, double gap, double speed)
{
    int32_t n = s->info.vertex_count;
    double *x = malloc(3 * (size_t)n * sizeof *x), *v = calloc(3 * (size_t)n, sizeof *v);
    memcpy(x, pli_state_get(s->state).positions, 3 * (size_t)n * sizeof *x);
    for (int32_t i = 0; i < n; ++i) {
        bool is_low = x[3 * i + 1] < 0.05;
        x[3 * i + 1] = is_low ? gap : x[3 * i + 1] - 0.01;
        v[3 * i + 1] = -speed;
    }
    OK(s->context, pli_state_set(s->state, x, v));
    free(v);
    free(x);
}

static const char *const barrier_solvers[] = {"ipc-llt", "ipc-pcg", "subspace"};

// Gaps whose barrier can be computed open again, slowly; those that cannot leave the state, and
// the pair is told.
static void gaps_down_to_the_smallest_number_never_close(void **state)
{
    (void)state;
    static const double gaps[] = {1e-8, 1e-16, 1e-30, 1e-100, 1e-200, DBL_MIN, 4.94e-324};
    for (int k = 0; k < 3 * 7; ++k) {
        double gap = gaps[k / 3], before = gap;
        simulation s;
        block_init(&s, barrier_solvers[k % 3]);
        put_block(&s, gap, 1);
        for (int i = 0; i < 5; ++i) {
            pli_step_report report;
            OK(s.context, pli_solver_step(s.solver, s.state, &report));
            expect_apart(&s, &report);
            AT_LEAST(report.min_gap, before);
            before = report.min_gap;
            if (gap > 1e-50) {
                assert_true(report.stop > 0);
                continue;
            }
            assert_int_equal(report.stop, PLI_STOP_NONFINITE);
            assert_non_null(report.culprit);
            assert_non_null(strstr(report.culprit, "the gap between block and ground is"));
        }
        simulation_clear(&s);
    }
}

// ---- line searches without progress

// Forces push the wrong way, so that no step along them lowers the energy.
static bool is_lying = false;

static void evaluate_liar(int32_t n, const double *F, const double *params,
                          pli_projection projection, double *psi, double *P, double *dPdF)
{
    true_law()->evaluate(n, F, params, projection, psi, P, dPdF);
    for (int64_t k = 0; k < 9 * (int64_t)n && is_lying && P != NULL; ++k) P[k] = -P[k];
}

static void a_line_search_without_progress_ends_with_that_reason(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "pn-pcg", "newton-multigrid"};
    for (int k = 0; k < 3; ++k) {
        char yaml[1024];
        bar_yaml(yaml, sizeof yaml, "liar", solvers[k]);
        simulation s;
        simulation_init_in(&s, make_law("liar", evaluate_liar), yaml);
        is_lying = false;
        simulation_run(&s, 3);
        is_lying = true;
        pli_step_report report;
        OK(s.context, pli_solver_step(s.solver, s.state, &report));
        is_lying = false;
        if (report.stop != PLI_STOP_LINESEARCH) {
            fail_msg("%s: %s", solvers[k], pli_stop_name(report.stop));
        }
        assert_true(report.residual > report.tolerance);
        assert_true(isfinite(report.energy.total));
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_that_stays_indefinite_is_tried_twice_and_told),
        cmocka_unit_test(a_matrix_that_is_indefinite_is_projected_and_the_step_converges),
        cmocka_unit_test(gaps_down_to_the_smallest_number_never_close),
        cmocka_unit_test(a_line_search_without_progress_ends_with_that_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

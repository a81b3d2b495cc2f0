// SPDX-License-Identifier: Apache-2.0
//
// Promises of scenes whose tetrahedra yield: threads, solvers without memory, states that are all
// there is, failing allocations; and solvers that do without.
#include "promises.h"

// A bar that is pulled, and a block of snow that falls.
static const char bar[] =
    "materials:\n"
    "  m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, rayleigh: 1e-3,\n"
    "      yield: {von-mises: {stress: 500, hardening: 1e4}}}\n"
    "  n: {law: hencky, density: 400, young: 1e5, poisson: 0.2, yield: {snow: {}}}\n"
    "  o: {law: neo-hookean, density: 1000, young: 1e5, poisson: 0.3}\n"
    "bodies:\n"
    "  a: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [6, 2, 2]}}, material: m}\n"
    "  b: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [5, 2, 2]}}, material: n, position: [0, "
    "1, 0]}\n"
    "  c: {geometry: {grid: {size: [1, 0.3, 0.3], cells: [4, 2, 2]}}, material: o, position: [0, "
    "2, 0]}\n"
    "constraints:\n"
    "  - {where: {half_space: {point: [0.49, 0, 0], normal: [1, 0, 0]}}, motion: {segments: "
    "[{velocity: [0.5, 0, 0], duration: 1}]}}\n"
    "  - {where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}\n"
    "contact: none\n"
    "time: {fps: 50, frames: 4}\n";

enum { STEPS = 6 };

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const char *const solvers[] = {"newton", "lbfgs", "vbd", "newton-multigrid"};
    for (int k = 0; k < 4; ++k) {
        uint64_t one = hash_after(bar, 1, STEPS, solvers[k]);
        assert_true(hash_after(bar, 2, STEPS, solvers[k]) == one);
        assert_true(hash_after(bar, 4, STEPS, solvers[k]) == one);
    }
}

static void solvers_have_no_memory(void **state)
{
    (void)state;
    expect_no_memory_in_solvers(bar, STEPS);
}

static void a_state_is_all_there_is(void **state)
{
    (void)state;
    expect_same_after_restoring(bar, STEPS);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    expect_no_leak(bar, true);
}

// History that is not zero, in the arrays of the state.
static void what_yields_is_remembered(void **state)
{
    (void)state;
    simulation s;
    double most = 0;
    simulation_init(&s, bar, 1);
    simulation_run(&s, STEPS);
    for (int32_t k = 0; k < pli_state_array_count(s.state); ++k) {
        pli_state_array array;
        pli_state_get_array(s.state, k, &array);
        if (strcmp(array.name, "plastic_histories") != 0) continue;
        assert_int_equal(array.rows, s.info.tet_count);
        for (int64_t row = 0; row < array.rows; ++row) {
            most = fmax(most, fabs(((const double *)array.data)[row]));
        }
    }
    AT_LEAST(most, 0.01);
    simulation_clear(&s);
}

static void solvers_without_yielding_say_so(void **state)
{
    (void)state;
    static const char *const solvers[] = {"subspace", "chebyshev"};
    for (int k = 0; k < 2; ++k) {
        char text[4096];
        pli_context *context = make_context(1);
        pli_scene *scene = NULL;
        pli_model *model = NULL;
        snprintf(text, sizeof text, "%ssolver: %s\n", bar, solvers[k]);
        pli_status status =
            pli_scene_parse(context, text, (int64_t)strlen(text), "s", NULL, &scene);
        if (status == PLI_OK) status = pli_model_create(context, scene, &model);
        assert_int_equal(status, PLI_ERROR_UNSUPPORTED);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(solvers_have_no_memory),
        cmocka_unit_test(a_state_is_all_there_is),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(what_yields_is_remembered),
        cmocka_unit_test(solvers_without_yielding_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

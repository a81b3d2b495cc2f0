// SPDX-License-Identifier: Apache-2.0
//
// Scenes whose tetrahedra yield or relax: what is kept of it, failing allocations, and solvers that
// do without. What all steps promise is in conformance/sim/test_steppers.c.
#include "promises.h"
#include "step_scenes.h"

enum { STEPS = 6 };

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    expect_no_leak(yielding_scene, true);
    expect_no_leak(viscoelastic_scene, true);
    expect_no_leak(folding_scene, true);
}

// History that is not zero, in the arrays of the state.
static void what_yields_is_remembered(void **state)
{
    (void)state;
    simulation s;
    double most = 0;
    simulation_init(&s, yielding_scene, 1);
    simulation_run(&s, STEPS);
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(s.state, k, &array); ++k) {
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
        snprintf(text, sizeof text, "%ssolver: %s\n", yielding_scene, solvers[k]);
        pli_status status =
            pli_scene_parse(context, text, (int64_t)strlen(text), "s", NULL, &scene);
        if (status == PLI_OK) status = pli_model_create(context, scene, NULL, &model);
        assert_int_equal(status, PLI_ERROR_UNSUPPORTED);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
        pli_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(what_yields_is_remembered),
        cmocka_unit_test(solvers_without_yielding_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Folds of shells that stay, against the return map of one hinge.
#include "simulate.h"

#include "support/solid_laws.h"

static const double degree = 0.017453292519943295;

static double fold_along(pli_context *context, const double *angles, int count, const char *fold,
                         pli_solid *s)
{
    double rest;
    OK(context, pli_solid_fold(s, context, angles, count, fold, &rest));
    return rest;
}

static const double *array_of(const pli_solid *s, const char *name, pli_state_array *array)
{
    for (int32_t k = 0; pli_state_get_array(s->state, k, array); ++k) {
        if (strcmp(array->name, name) == 0) return array->data;
    }
    fail_msg("no array %s", name);
    return NULL;
}

static void a_fold_stays_at_the_angle_of_the_closed_form(void **state)
{
    static const double paths[4][3] = {
        {1.2, 1.2, 1.2}, {0.6, -0.9, 1.5}, {-0.7, -1.4, -2.2}, {2.5, 0.1, 0.3}};
    static const double hardening[] = {0, 0.05, 0.4};
    for (int path = 0; path < 4; ++path) {
        for (int k = 0; k < 3; ++k) {
            char fold[64];
            pli_solid s;
            snprintf(fold, sizeof fold, "angle: 20, hardening: %g", hardening[k]);
            double rest = fold_along(*state, paths[path], 3, fold, &s);
            NEAR(rest, pli_solid_fold_map(paths[path], 3, 20 * degree, hardening[k]), 1e-6, 1e-9);
            // told in frames
            pli_frame frame;
            OK(*state, pli_solver_frame(s.solver, s.state, &frame));
            bool found = false;
            for (int32_t field = 0; field < frame.parts[0].field_count; ++field) {
                if (strcmp(frame.parts[0].fields[field].name, "fold") != 0) continue;
                found = true;
                NEAR(frame.parts[0].fields[field].values[1], fabs(rest), 1e-6, 1e-9);
            }
            assert_true(found);
            pli_solid_clear(&s);
        }
    }
}

static void what_is_bent_less_comes_back(void **state)
{
    static const double angles[] = {0.3};
    pli_solid s;
    pli_state_array array;
    NEAR(fold_along(*state, angles, 1, "angle: 20", &s), 0, 0, 1e-9);
    const double *fold = array_of(&s, "fold_angles", &array);
    assert_int_equal(array.rows, 1);
    assert_true(fold[0] == 0);
    pli_solid_clear(&s);
    NEAR(fold_along(*state, angles, 1, "angle: 10, hardening: 0", &s), 0.3 - 10 * degree, 1e-6, 0);
    pli_solid_clear(&s);
}

// The moment of a step is that after yielding: stationary at once, as it is when the step is taken
// again.
static void a_held_fold_changes_once(void **state)
{
    static const double angles[] = {1, 1, 1, 1};
    pli_solid s;
    pli_state_array array;
    double rest = fold_along(*state, angles, 4, "angle: 20, hardening: 0.3", &s);
    NEAR(rest, 0.7 * (1 - 20 * degree), 1e-6, 0);
    NEAR(array_of(&s, "fold_paths", &array)[0], fabs(rest), 1e-6, 0);
    pli_solid_clear(&s);
}

static void what_cannot_fold_says_so(void **state)
{
    (void)state;
    static const char text[] =
        "materials: {m: {law: stable-neo-hookean, density: 800, young: 1e8, poisson: 0.3}}\n"
        "bodies: {b: {%s}}\n";
    static const struct {
        const char *body;
        const char *message;
    } cases[] = {
        {"kind: shell, geometry: sheet, material: m, fold: 10, bending_model: plate",
         "has no folds that stay"},
        {"geometry: grid, material: m, fold: 10", "is not a key of a solid"},
        {"geometry: grid, material: m, bending_model: plate", "is not a key of a solid"},
        {"kind: cloth, geometry: sheet, fold: 10", "is not a key of a cloth"},
        {"kind: shell, geometry: sheet, material: m, fold: -3", "fold"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char whole[512];
        snprintf(whole, sizeof whole, text, cases[k].body);
        expect_no_model(whole, PLI_ERROR_SCENE, cases[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(a_fold_stays_at_the_angle_of_the_closed_form, 1),
        TEST_IN_CONTEXT(what_is_bent_less_comes_back, 1),
        TEST_IN_CONTEXT(a_held_fold_changes_once, 1),
        cmocka_unit_test(what_cannot_fold_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

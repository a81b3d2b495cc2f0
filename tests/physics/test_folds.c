// SPDX-License-Identifier: Apache-2.0
//
// Folds of shells that stay, against the return map of one hinge.
#include "simulate.h"

#include "fem/hinge_angle.h"

static const double degree = 0.017453292519943295;

// Two triangles; the script turns one of them about the edge that they share, and lets go.
static const char hinge_text[] =
    "materials: {paper: {law: stable-neo-hookean, density: 800, young: 1e8, poisson: 0.3}}\n"
    "contact: none\ngravity: [0, 0, 0]\n"
    "bodies: {b: {kind: shell, material: paper, thickness: 0.03, fold: {%s},\n"
    "  geometry: {sheet: {columns: 1, rows: 1, width: 0.1, depth: 0.1}}}}\n"
    "constraints:\n"
    "  - {where: {vertices: [%d, %d, %d]}}\n"
    "  - {where: {vertices: [%d]}, motion: {center: [0, 0, 0], after: release, keyframes: [{time: "
    "0}%s]}}\n"
    "solver: {name: newton, linear: cholesky, norm: error, tolerance: 1e-11}\n"
    "time: {mode: quasi-static, fps: 1, frames: 1}\n";

// The hinge of the sheet: its edge, then the corners.
static void find_hinge(int32_t hinge[4])
{
    simulation s;
    simulation_init(
        &s,
        "materials: {m: {law: stable-neo-hookean, density: 800, young: 1e8, poisson: 0.3}}\n"
        "contact: none\n"
        "bodies: {b: {kind: shell, material: m, geometry: {sheet: {columns: 1, rows: 1}}}}\n",
        1);
    pli_frame frame;
    OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
    const int32_t *c = frame.parts[0].cells;
    assert_int_equal(frame.parts[0].cell_count, 2);
    int shared = 0;
    for (int k = 0; k < 3; ++k) {
        bool other = false;
        for (int j = 0; j < 3; ++j) other = other || c[k] == c[3 + j];
        if (other) hinge[shared++] = c[k];
        if (!other) hinge[2] = c[k];
        other = false;
        for (int j = 0; j < 3; ++j) other = other || c[3 + k] == c[j];
        if (!other) hinge[3] = c[3 + k];
    }
    assert_int_equal(shared, 2);
    simulation_clear(&s);
}

// The angle at rest after a path of angles: moves by (1 - r) of what is beyond a, which grows by r
// of it.
static double follow(const double *angles, int count, double a, double r)
{
    double rest = 0;
    for (int k = 0; k < count; ++k) {
        double beyond = fabs(angles[k] - rest) - a;
        if (!(beyond > 0)) continue;
        rest += copysign((1 - r) * beyond, angles[k] - rest);
        a += r * beyond;
    }
    return rest;
}

static double fold_along(const double *angles, int count, const char *fold, simulation *s)
{
    char keys[512] = "", text[2048];
    int32_t hinge[4];
    find_hinge(hinge);
    // the diagonal from the first to the second vertex of the edge
    for (int k = 0; k < count; ++k) {
        double x = hinge[0] == 0 ? 1 : -1;
        size_t length = strlen(keys);
        snprintf(keys + length, sizeof keys - length,
                 ", {time: %d, axis: [%g, 0, 1], angle: %.17g}", k + 1, x, angles[k] / degree);
    }
    snprintf(text, sizeof text, hinge_text, fold, hinge[0], hinge[1], hinge[2], hinge[3], keys);
    simulation_init(s, text, 1);
    for (int k = 0; k < count; ++k) {
        simulation_step(s);
        double angle = pli_hinge_angle(pli_state_get(s->state).positions, hinge);
        NEAR(fabs(angle), fabs(angles[k]), 1e-9, 1e-12);
    }
    double last = pli_hinge_angle(pli_state_get(s->state).positions, hinge);
    simulation_run(s, 3);
    double rest = pli_hinge_angle(pli_state_get(s->state).positions, hinge);
    // as the script counts them
    return last * angles[count - 1] < 0 ? -rest : rest;
}

static void a_fold_stays_at_the_angle_of_the_closed_form(void **state)
{
    (void)state;
    static const double paths[4][3] = {
        {1.2, 1.2, 1.2}, {0.6, -0.9, 1.5}, {-0.7, -1.4, -2.2}, {2.5, 0.1, 0.3}};
    static const double hardening[] = {0, 0.05, 0.4};
    for (int path = 0; path < 4; ++path) {
        for (int k = 0; k < 3; ++k) {
            char fold[64];
            simulation s;
            snprintf(fold, sizeof fold, "angle: 20, hardening: %g", hardening[k]);
            double rest = fold_along(paths[path], 3, fold, &s);
            NEAR(rest, follow(paths[path], 3, 20 * degree, hardening[k]), 1e-6, 1e-9);
            // told in frames
            pli_frame frame;
            OK(s.context, pli_solver_frame(s.solver, s.state, &frame));
            bool found = false;
            for (int32_t field = 0; field < frame.parts[0].field_count; ++field) {
                if (strcmp(frame.parts[0].fields[field].name, "fold") != 0) continue;
                found = true;
                NEAR(frame.parts[0].fields[field].values[1], fabs(rest), 1e-6, 1e-9);
            }
            assert_true(found);
            simulation_clear(&s);
        }
    }
}

static void what_is_bent_less_comes_back(void **state)
{
    (void)state;
    static const double angles[] = {0.3};
    simulation s;
    pli_state_array array;
    NEAR(fold_along(angles, 1, "angle: 20", &s), 0, 0, 1e-9);
    const double *fold = simulation_array(&s, "fold_angles", &array);
    assert_int_equal(array.rows, 1);
    assert_true(fold[0] == 0);
    simulation_clear(&s);
    NEAR(fold_along(angles, 1, "angle: 10, hardening: 0", &s), 0.3 - 10 * degree, 1e-6, 0);
    simulation_clear(&s);
}

// The moment of a step is that after yielding: stationary at once, as it is when the step is taken
// again.
static void a_held_fold_changes_once(void **state)
{
    (void)state;
    static const double angles[] = {1, 1, 1, 1};
    simulation s;
    pli_state_array array;
    double rest = fold_along(angles, 4, "angle: 20, hardening: 0.3", &s);
    NEAR(rest, 0.7 * (1 - 20 * degree), 1e-6, 0);
    NEAR(simulation_array(&s, "fold_paths", &array)[0], fabs(rest), 1e-6, 0);
    simulation_clear(&s);
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
        cmocka_unit_test(a_fold_stays_at_the_angle_of_the_closed_form),
        cmocka_unit_test(what_is_bent_less_comes_back),
        cmocka_unit_test(a_held_fold_changes_once),
        cmocka_unit_test(what_cannot_fold_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

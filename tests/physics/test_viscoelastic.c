// SPDX-License-Identifier: Apache-2.0
//
// Viscoelastic branches against closed forms: relaxation, creep, oscillation, their limits, energy,
// and what must not touch them.
#include "simulate.h"

#include "support/solid_laws.h"

// A cube all of whose vertices follow a script, so that its deformation is what the script says.
#define HELD(law, branches, motion, time)                                      \
    "materials: {m: {law: " law ", density: 1000, young: 1e6, poisson: 0.3,\n" \
    "  viscoelastic: " branches "}}\n"                                         \
    "bodies: {b: {geometry: {grid: {cells: [2, 2, 2]}}, material: m}}\n"       \
    "gravity: [0, 0, 0]\n"                                                     \
    "constraints: [{motion: {center: [0, 0, 0], " motion "}}]\n"               \
    "time: {mode: quasi-static, " time "}\n"

static double von_mises(const simulation *s)
{
    pli_frame frame;
    OK(s->context, pli_solver_frame(s->solver, s->state, &frame));
    for (int32_t k = 0; k < frame.parts[0].field_count; ++k) {
        const pli_frame_field *field = &frame.parts[0].fields[k];
        if (strcmp(field->name, "von_mises") != 0) continue;
        for (int64_t i = 1; i < frame.parts[0].point_count; ++i) {
            NEAR(field->values[i], field->values[0], 1e-9, 0);
        }
        return field->values[0];
    }
    fail_msg("no stress");
    return 0;
}

// ---- relaxation

// Whatever the law and the strain, and with a second branch.
static void a_held_stretch_relaxes_by_exponentials(void **state)
{
    static const char *const laws[] = {"neo-hookean", "stable-neo-hookean", "hencky",
                                       "fixed-corotated"};
    for (int k = 0; k < 8; ++k) {
        double error;
        OK(*state, pli_solid_relaxation(*state, laws[k / 2], 1 + k % 2, &error));
        AT_MOST(error, 1e-12);
    }
}

// A ramp of a strain so small that S grows linearly: H = gamma S' tau (1 - exp(-t / tau)), which
// the update meets in every step, long or short beside tau.
static void a_ramp_is_followed_exactly(void **state)
{
    (void)state;
    static const double fps[] = {1, 10, 1000};
    for (int k = 0; k < 3; ++k) {
        char text[2048];
        simulation s;
        pli_state_array array;
        snprintf(text, sizeof text,
                 HELD("linear", "[{ratio: 0.5, time: 0.07}]",
                      "keyframes: [{time: 0}, {time: 100, scale: [1, 1.0001, 1]}]",
                      "fps: %g, frames: 1"),
                 fps[k]);
        simulation_init(&s, text, 1);
        for (int step = 1; step <= 8; ++step) {
            simulation_step(&s);
            double t = step / fps[k];
            const double *S = simulation_array(&s, "law_stresses", &array);
            double rate = S[1] / t;
            const double *H = simulation_array(&s, "branch_stresses", &array);
            assert_int_equal(array.columns, 6);
            NEAR(H[1], 0.5 * rate * 0.07 * (1 - exp(-t / 0.07)), 2e-5, 0);
        }
        simulation_clear(&s);
    }
}

// ---- creep

// Steps are taken to be linear in time, of which the error is a twelfth of (h / tau)^2, 3e-7.
static void a_constant_load_creeps(void **state)
{
    double error;
    OK(*state, pli_solid_creep(*state, &error));
    AT_MOST(error, 1e-6);
}

// ---- oscillation

// Amplitudes of the branch in phase with the strain and before it, over that of the law, in the
// tenth period; periods of `steps` steps.
static void oscillate(int steps, double omega, double *storage, double *loss)
{
    const double pi = 3.14159265358979323846, amplitude = 1e-6;
    const int periods = 10;
    size_t size = 512 + 96 * (size_t)(steps * periods + 1);
    char *text = malloc(size), *at = text;
    at += sprintf(at,
                  "materials: {m: {law: linear, density: 1000, young: 1e6, poisson: 0.3,\n"
                  "  viscoelastic: [{ratio: 0.5, time: 1}]}}\n"
                  "bodies: {b: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n"
                  "gravity: [0, 0, 0]\ntime: {mode: quasi-static, fps: %.17g, frames: 1}\n"
                  "constraints: [{motion: {center: [0, 0, 0], keyframes: [{time: 0}",
                  steps * omega / (2 * pi));
    for (int k = 1; k <= steps * periods; ++k) {
        at += sprintf(at, ",\n{time: %.17g, scale: [1, %.17g, 1]}", k * 2 * pi / (omega * steps),
                      1 + amplitude * sin(2 * pi * k / steps));
    }
    strcpy(at, "]}}]\n");
    simulation s;
    pli_state_array array;
    simulation_init(&s, text, 1);
    simulation_run(&s, steps * (periods - 1));
    double in = 0, before = 0, size_of_law = 0;
    for (int k = 1; k <= steps; ++k) {
        simulation_step(&s);
        double phase = 2 * pi * k / steps;
        double H = simulation_array(&s, "branch_stresses", &array)[1];
        in += 2 * sin(phase) * H / steps;
        before += 2 * cos(phase) * H / steps;
        size_of_law += 2 * sin(phase) * simulation_array(&s, "law_stresses", &array)[1] / steps;
    }
    *storage = in / size_of_law;
    *loss = before / size_of_law;
    simulation_clear(&s);
    free(text);
}

// gamma w^2 / (1 + w^2) and gamma w / (1 + w^2), w = omega tau, to second order in the step.
static void storage_and_loss_are_those_of_a_maxwell_element(void **state)
{
    (void)state;
    static const double frequencies[] = {0.3, 1, 5};
    for (int k = 0; k < 3; ++k) {
        double w = frequencies[k], error[2];
        for (int fine = 0; fine < 2; ++fine) {
            double storage, loss;
            oscillate(fine ? 80 : 40, w, &storage, &loss);
            error[fine] = hypot(storage - 0.5 * w * w / (1 + w * w), loss - 0.5 * w / (1 + w * w));
        }
        AT_MOST(error[1], 1e-3 * 0.5);
        NEAR(error[0] / error[1], 4, 0.05, 0);
    }
}

// ---- limits and other ways to say it

static double stress_after(const char *material, double fps, int steps)
{
    char text[2048];
    simulation s;
    snprintf(text, sizeof text,
             "materials: {m: {law: neo-hookean, density: 1000, poisson: 0.3, %s}}\n"
             "bodies: {b: {geometry: {grid: {cells: [1, 1, 1]}}, material: m}}\n"
             "gravity: [0, 0, 0]\n"
             "constraints: [{motion: {center: [0, 0, 0], keyframes: [{time: 0}, {time: %.17g, "
             "scale: [1, 1.2, 1]}]}}]\n"
             "time: {mode: quasi-static, fps: %.17g, frames: 1}\n",
             material, 1 / fps, fps);
    simulation_init(&s, text, 1);
    simulation_run(&s, steps);
    double stress = von_mises(&s);
    simulation_clear(&s);
    return stress;
}

static void sudden_loads_feel_all_of_it_and_slow_ones_the_law(void **state)
{
    (void)state;
    double law = stress_after("young: 1e6", 1, 1);
    const char *branches = "young: 1e6, viscoelastic: [{ratio: 0.5, time: 1}, {ratio: 2, time: 3}]";
    NEAR(stress_after(branches, 1e9, 1), 3.5 * law, 1e-8, 0);
    NEAR(stress_after(branches, 1e-2, 2), law, 1e-12, 0);
    // ratios to the modulus of sudden loads, 3.5e6
    const char *sudden = "young: 3.5e6, moduli: instantaneous, viscoelastic: [{ratio: "
                         "0.14285714285714285, time: 1}, {ratio: 0.5714285714285714, time: 3}]";
    NEAR(stress_after(sudden, 10, 7), stress_after(branches, 10, 7), 1e-12, 0);
}

// The history is of the material's frame: a turn on the way changes nothing.
static void a_rotation_leaves_the_branches_alone(void **state)
{
    (void)state;
    double stress[2];
    for (int turns = 0; turns < 2; ++turns) {
        char text[2048];
        simulation s;
        snprintf(text, sizeof text,
                 HELD("neo-hookean", "[{ratio: 2, time: 0.5}]",
                      "keyframes: [{time: 0}, {time: 0.1, scale: [1.1, 1.3, 0.9]},\n"
                      "  {time: 0.8, axis: [1, 2, 3], angle: %d, scale: [1.1, 1.3, 0.9]}]",
                      "fps: 10, frames: 1"),
                 turns ? 140 : 0);
        simulation_init(&s, text, 1);
        simulation_run(&s, 12);
        stress[turns] = von_mises(&s);
        simulation_clear(&s);
    }
    NEAR(stress[1], stress[0], 1e-9, 0);
}

// ---- motion

// A bar that was stretched and is let go gives its energy to the branches, step by step; without
// them implicit Euler alone would take less.
static void energy_never_grows_once_nothing_holds(void **state)
{
    (void)state;
    static const char text[] =
        "materials: {m: {law: %s, density: 1000, young: 1e6, poisson: 0.3%s}}\n"
        "bodies: {b: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [5, 1, 1]}}, material: m}}\n"
        "gravity: [0, 0, 0]\n"
        "constraints: [{motion: {center: [0, 0, 0], keyframes: [{time: 0}, {time: 0.01, scale: "
        "[1.02, 1, 1]}], after: release}}]\n"
        "solver: {name: newton, norm: error, tolerance: 1e-9}\n"
        "time: {fps: 1000, frames: 1, integrator: %s}\n";
    static const char *const branches =
        ", viscoelastic: [{ratio: 1, time: 0.005}, {ratio: 1, time: 0.1}]";
    static const char *const integrators[] = {"implicit-euler", "bdf2"};
    for (int k = 0; k < 2; ++k) {
        double left[2];
        for (int relaxes = 0; relaxes < 2; ++relaxes) {
            char whole[2048];
            simulation s;
            snprintf(whole, sizeof whole, text, "fixed-corotated", relaxes ? branches : "",
                     integrators[k]);
            simulation_init(&s, whole, 1);
            double before = simulation_run(&s, 11).energy.total, first = before;
            for (int step = 0; step < 150; ++step) {
                double now = simulation_step(&s).energy.total;
                // BDF2 keeps its own energy, of two states
                AT_MOST(now, k == 0 ? before * (1 + 1e-9) : first);
                before = now;
            }
            left[relaxes] = before / first;
            simulation_clear(&s);
        }
        AT_MOST(left[1], 0.1 * left[0]);
    }
}

// Elements that are turned inside out and flat have no stress in their own frame; they come back.
static void inverted_elements_recover(void **state)
{
    (void)state;
    static const char *const starts[] = {"random: 1", "collapsed: {}",
                                         "stretched: {scale: [-1, 1, 1]}"};
    for (int k = 0; k < 3; ++k) {
        char text[1024];
        simulation s;
        snprintf(text, sizeof text,
                 "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3,\n"
                 "  viscoelastic: [{ratio: 1, time: 0.1}]}}\n"
                 "gravity: [0, 0, 0]\nchecks: {inverted_start: ignore}\n"
                 "bodies: {b: {geometry: {grid: {cells: [3, 3, 3]}}, material: m, start: {%s}}}\n"
                 "time: {fps: 20, frames: 1}\n",
                 starts[k]);
        simulation_init(&s, text, 1);
        pli_step_report report = {0};
        for (int step = 0; step < 60; ++step) {
            OK(s.context, pli_solver_step(s.solver, s.state, &report));
            AT_LEAST(report.stop, PLI_STOP_ITERATIONS);
            assert_true(isfinite(report.energy.total));
        }
        if (k < 2) assert_int_equal(report.inverted, 0);
        simulation_clear(&s);
    }
}

// ---- words

static void what_cannot_be_viscoelastic_says_so(void **state)
{
    (void)state;
    static const struct {
        const char *material;
        const char *rest;
        pli_status status;
        const char *message;
    } cases[] = {
        {"viscoelastic: [{ratio: 0, time: 1}]", "", PLI_ERROR_SCENE, "ratio"},
        {"viscoelastic: [{ratio: 1}]", "", PLI_ERROR_SCENE, "time"},
        {"moduli: instantaneous", "", PLI_ERROR_SCENE, "beside viscoelastic branches"},
        {"moduli: instantaneous, viscoelastic: [{ratio: 0.5, time: 1}, {ratio: 0.5, time: 2}]", "",
         PLI_ERROR_SCENE, "sum is 1"},
        {"yield: {von-mises: {stress: 1}}, viscoelastic: [{ratio: 1, time: 1}]", "",
         PLI_ERROR_SCENE, "does not yield"},
        {"viscoelastic: [{ratio: 1, time: 1}]", "solver: subspace\n", PLI_ERROR_UNSUPPORTED,
         "no viscoelastic tetrahedra"},
        {"viscoelastic: [{ratio: 1, time: 1}]",
         "bodies: {b: {kind: shell, geometry: sheet, material: m}}\n", PLI_ERROR_SCENE,
         "is for tetrahedra"},
        {"viscoelastic: [{ratio: 1, time: 1}]",
         "bodies: {b: {geometry: {particles: {shape: {sphere: 0.2}}}, material: m}}\n"
         "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n",
         PLI_ERROR_SCENE, "is for tetrahedra"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        char text[2048];
        bool own = strstr(cases[k].rest, "bodies") != NULL;
        snprintf(text, sizeof text,
                 "materials: {m: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3, "
                 "%s}}\n%s%s",
                 cases[k].material,
                 own ? "" : "bodies: {b: {geometry: {grid: {cells: [2, 2, 2]}}, material: m}}\n",
                 cases[k].rest);
        expect_no_model(text, cases[k].status, cases[k].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(a_held_stretch_relaxes_by_exponentials, 1),
        cmocka_unit_test(a_ramp_is_followed_exactly),
        TEST_IN_CONTEXT(a_constant_load_creeps, 1),
        cmocka_unit_test(storage_and_loss_are_those_of_a_maxwell_element),
        cmocka_unit_test(sudden_loads_feel_all_of_it_and_slow_ones_the_law),
        cmocka_unit_test(a_rotation_leaves_the_branches_alone),
        cmocka_unit_test(energy_never_grows_once_nothing_holds),
        cmocka_unit_test(inverted_elements_recover),
        cmocka_unit_test(what_cannot_be_viscoelastic_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

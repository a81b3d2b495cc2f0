// SPDX-License-Identifier: Apache-2.0
//
// Natural vibrations against closed forms and against what swings in time.
#include "simulate.h"

#include "support/fault_sweep.h"
#include "support/same_bits.h"
#include "support/solid_modes.h"

#include <math.h>

enum { MOST = 16 };

static const double young = 1e6; // Pa

typedef struct found_modes {
    pli_modes *modes;
    pli_modes_report report;
    pli_vibration mode[MOST];
} found_modes;

static found_modes find(simulation *s, const pli_state *state, int32_t count)
{
    found_modes found = {0};
    pli_modes_def def = {0};
    def.count = count;
    OK(s->context, pli_modes_compute(s->model, state, &def, &found.modes));
    found.report = pli_modes_get_report(found.modes);
    for (int32_t k = 0; k < count; ++k) found.mode[k] = pli_modes_get(found.modes, k);
    return found;
}

// A beam along x from 0, held at x = 0, and at its other end too if asked for.
typedef struct beam {
    double length, height, width; // m
    int32_t cells[3];
    const char *law;
    const char *axes; // that are held everywhere; "": none
    double stretch;   // of a beam that is held at both ends; 0: it is not
} beam;

static void beam_init(simulation *s, const beam *b)
{
    char yaml[2048], held[128] = "", end[256] = "";
    if (b->axes[0] != '\0') {
        snprintf(held, sizeof held, "  - {where: all, axes: %s}\n", b->axes);
    }
    if (b->stretch > 0) {
        snprintf(end, sizeof end,
                 "  - {where: {half_space: {point: [%.17g, 0, 0], normal: [1, 0, 0]}}, motion: "
                 "{keyframes: [{time: 0}, {time: 1, translate: [%.17g, 0, 0]}]}}\n",
                 b->length - 1e-9, b->stretch * b->length);
    }
    snprintf(yaml, sizeof yaml,
             "materials: {m: {law: %s, density: 1000, young: %.17g, poisson: 0}}\n"
             "bodies: {beam: {geometry: {grid: {center: [%.17g, 0, 0], size: [%.17g, %.17g, "
             "%.17g],\n"
             "  cells: [%d, %d, %d]}}, material: m}}\n"
             "gravity: [0, 0, 0]\n"
             "constraints:\n"
             "  - {where: {half_space: {point: [1e-9, 0, 0], normal: [-1, 0, 0]}}}\n"
             "%s%s"
             "solver: {name: newton, linear: cholesky, tolerance: 1e-9}\n"
             "time: {fps: 1, frames: 1, mode: quasi-static}\n",
             b->law, young, b->length / 2, b->length, b->height, b->width, (int)b->cells[0],
             (int)b->cells[1], (int)b->cells[2], held, end);
    simulation_init(s, yaml, 2);
}

// ---- frequencies of beams

// What test_beams.c finds for the same meshes by iterating on one vector at a time, and the closed
// forms that go with them.
static void beams_have_the_frequencies_of_validation(void **state)
{
    (void)state;
    simulation s;
    beam bending = {1, 0.1, 0.1, {80, 8, 8}, "linear", "", 0};
    beam_init(&s, &bending);
    found_modes found = find(&s, NULL, 8);
    NEAR(found.mode[0].frequency, 0.51630, 5e-5, 0);
    NEAR(found.mode[1].frequency, 0.51630, 5e-5, 0);
    NEAR(found.mode[2].frequency, 3.11592, 5e-5, 0);
    // Euler and Bernoulli, whose theory has no shear
    NEAR(found.mode[0].frequency, 0.510835, 0.02, 0);
    NEAR(found.mode[5].frequency, 7.905694, 0.01, 0);
    // the first two modes of a cantilever take 61.3 % of the mass along, the next two 18.8 %
    NEAR(found.mode[0].share[1] + found.mode[1].share[1], 0.613, 0.02, 0);
    NEAR(found.mode[2].share[1] + found.mode[3].share[1], 0.188, 0.05, 0);
    AT_MOST(found.report.residual, 1e-7);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);

    beam stretching = {1, 0.1, 0.1, {40, 2, 2}, "linear", "yz", 0};
    beam_init(&s, &stretching);
    found = find(&s, NULL, 2);
    NEAR(found.mode[0].frequency, 7.90498, 5e-5, 0);
    NEAR(found.mode[1].frequency, 23.6979, 5e-5, 0);
    NEAR(found.mode[0].frequency, 7.905694, 0.002, 0);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);
}

// Struck in the shape of a mode, BDF2 in 150 steps a period.
static void beams_swing_in_time_as_their_modes_say(void **state)
{
    static const char *const axes[] = {"", "yz"};
    for (int k = 0; k < 4; ++k) {
        const pli_solid_beam struck = {{20, 2, 2}, "fixed-corotated", axes[k / 2], "linear"};
        double ratio;
        OK(*state, pli_solid_struck_beam(*state, &struck, 2 * (k % 2), &ratio));
        NEAR(ratio, 1, 0.005, 0);
    }
}

// ---- loaded states

// A slender beam that is pulled along: a string with stiffness, both ends held,
// f = f0 (1 + 2 e + (4 + pi^2 / 2) e^2), e^2 = E I / T L^2 (Morse 1948, section 16).
static void strings_sound_by_their_tension(void **state)
{
    (void)state;
    double stretch = 0.1;
    beam b = {1, 0.02, 0.01, {150, 6, 1}, "fixed-corotated", "z", stretch};
    simulation s;
    beam_init(&s, &b);
    simulation_step(&s);
    found_modes found = find(&s, s.state, 2);
    double long_now = b.length * (1 + stretch);
    double tension = young * b.height * b.width * stretch;
    double per_length = 1000 * b.height * b.width / (1 + stretch);
    double f0 = sqrt(tension / per_length) / (2 * long_now);
    double e2 = young * b.width * pow(b.height, 3) / 12 / (tension * long_now * long_now);
    double f = f0 * (1 + 2 * sqrt(e2) + (4 + M_PI * M_PI / 2) * e2);
    NEAR(found.mode[0].frequency, f, 0.01, 0);
    NEAR(found.mode[1].frequency, 2 * f, 0.02, 0);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);
}

// omega^2 of a cantilever under a load along it, in parts of Euler's.
static double pressed(int32_t n, double share)
{
    beam b = {1, 0.1, 0.1 / n, {10 * n, n, 1}, "fixed-corotated", "z", 0};
    simulation s;
    beam_init(&s, &b);
    double load = share * M_PI * M_PI * young * b.width * pow(b.height, 3) / 12 / 4;
    double *force = calloc(3 * (size_t)s.info.vertex_count, sizeof *force), sum = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (int32_t k = 0; k < s.info.vertex_count; ++k) {
            const double *X = pli_model_get_mesh(s.model).rest_positions + 3 * k;
            if (X[0] < 1 - 1e-9) continue;
            double part = fabs(fabs(X[1]) - b.height / 2) < 1e-9 ? 0.5 : 1;
            if (pass == 0) sum += part;
            if (pass == 1) force[3 * k] = -load * part / sum;
        }
    }
    OK(s.context, pli_state_set_forces(s.state, force));
    simulation_step(&s);
    found_modes found = find(&s, s.state, 1);
    double omega2 = found.mode[0].omega2;
    assert_int_equal(found.report.unstable, omega2 < 0);
    free(force);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);
    return omega2;
}

// omega^2 of the first mode falls linearly, nearly so, to zero at the load of buckling: by
// inverse interpolation through loads below and above it. The straight column above is there, but
// not stable.
static double critical_share(int32_t n)
{
    double below = pressed(n, 0.95), above = pressed(n, 1.15);
    assert_true(below > 0 && above < 0);
    return 0.95 + 0.2 * below / (below - above);
}

static void columns_swing_slower_until_they_buckle(void **state)
{
    (void)state;
    double before = INFINITY;
    for (double share = 0; share < 0.9; share += 0.2) {
        double omega2 = pressed(4, share);
        assert_true(omega2 < before);
        before = omega2;
    }
    double coarse = critical_share(4), fine = critical_share(8);
    // coarse meshes are too stiff in bending, by c / n^2; shear takes 0.5 %
    NEAR(fine + (fine - coarse) / 3, 1, 0.01, 0);
}

// ---- free bodies

static const char free_cube[] =
    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "bodies: {cube: {material: m, geometry: {grid: {size: [1, 1, 1], cells: [6, 6, 6]}}}}\n"
    "time: {fps: 24, frames: 1}\n";

static double dot_mass(const simulation *s, const double *a, const double *b)
{
    const double *mass = pli_model_get_mesh(s->model).masses;
    double sum = 0;
    for (int64_t k = 0; k < 3 * (int64_t)s->info.vertex_count; ++k) {
        sum += mass[k / 3] * a[k] * b[k];
    }
    return sum;
}

// Six motions of a free body that nothing resists, and the next ones far above; three of them are
// all there is along an axis. Shapes are orthogonal and of length 1.
static void free_bodies_have_six_rigid_modes(void **state)
{
    (void)state;
    simulation s;
    simulation_init(&s, free_cube, 2);
    found_modes found = find(&s, NULL, 12);
    for (int k = 0; k < 6; ++k) {
        AT_MOST(sqrt(fabs(found.mode[k].omega2)), 1e-6 * sqrt(found.mode[6].omega2));
    }
    assert_int_equal(found.report.rigid, 6);
    for (int axis = 0; axis < 3; ++axis) {
        double share = 0;
        for (int k = 0; k < 6; ++k) share += found.mode[k].share[axis];
        NEAR(share, 1, 1e-9, 0);
    }
    for (int i = 0; i < 12; ++i) {
        for (int k = 0; k <= i; ++k) {
            NEAR(dot_mass(&s, found.mode[i].shape, found.mode[k].shape), i == k, 0, 1e-10);
        }
    }
    AT_MOST(found.report.residual, 1e-7);
    pli_modes_destroy(found.modes);
    simulation_clear(&s);
}

// Two free cubes far from each other: every frequency is there twice, and none is missed.
static void multiple_frequencies_are_all_found(void **state)
{
    (void)state;
    simulation s, two;
    simulation_init(&s, free_cube, 1);
    simulation_init(&two,
                    "materials: {m: {law: neo-hookean, young: 1e6, poisson: 0.3, density: 1000}}\n"
                    "bodies:\n"
                    "  a: {material: m, geometry: {grid: {size: [1, 1, 1], cells: [6, 6, 6]}}}\n"
                    "  b: {material: m, position: [3, 0, 0], geometry: {grid: {size: [1, 1, 1], "
                    "cells: [6, 6, 6]}}}\n"
                    "time: {fps: 24, frames: 1}\n",
                    1);
    found_modes one = find(&s, NULL, 8), both = find(&two, NULL, 16);
    for (int k = 0; k < 16; ++k) {
        NEAR(both.mode[k].frequency, one.mode[k / 2].frequency, 1e-8, 1e-8);
    }
    pli_modes_destroy(both.modes);
    pli_modes_destroy(one.modes);
    simulation_clear(&two);
    simulation_clear(&s);
}

// ---- promises

static void modes_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        simulation_init(&s, free_cube, bits.threads);
        for (int round = 0; round < 2; ++round) {
            found_modes found = find(&s, NULL, 9);
            for (int k = 0; k < 9; ++k) {
                same_bits_keep_double(&bits, found.mode[k].omega2 + k);
                same_bits_keep(&bits, found.mode[k].shape,
                               3 * (size_t)s.info.vertex_count * sizeof(double));
            }
            pli_modes_destroy(found.modes);
        }
        simulation_clear(&s);
    }
}

static const char small_cube[] =
    "materials: {m: {law: linear, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "bodies: {cube: {material: m, geometry: {grid: {cells: [2, 2, 2]}}}}\n"
    "time: {fps: 24, frames: 1}\n";

static void failing_allocations_leave_nothing_behind(void **state)
{
    (void)state;
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        simulation s = {.context = sweep.context};
        fault_sweep_pause(&sweep);
        OK(s.context, pli_scene_parse(s.context, small_cube, (int64_t)strlen(small_cube), "test",
                                      NULL, &s.scene));
        OK(s.context, pli_model_create(s.context, s.scene, NULL, &s.model));
        fault_sweep_resume(&sweep);
        pli_modes *modes = NULL;
        pli_modes_def def = {0};
        def.count = 7;
        sweep.status = pli_modes_compute(s.model, NULL, &def, &modes);
        pli_modes_destroy(modes);
        pli_model_destroy(s.model);
        pli_scene_destroy(s.scene);
    }
}

static void expect_refusal(const char *yaml, int32_t count, pli_status expected, const char *words)
{
    char found[1024] = "";
    simulation s;
    simulation_init(&s, yaml, 1);
    pli_modes *modes = NULL;
    pli_modes_def def = {0};
    def.count = count;
    assert_int_equal(pli_modes_compute(s.model, s.state, &def, &modes), expected);
    pli_context_message(s.context, found, sizeof found);
    if (strstr(found, words) == NULL) fail_msg("expected '%s', found '%s'", words, found);
    assert_null(modes);
    simulation_clear(&s);
}

static void what_has_no_modes_is_refused(void **state)
{
    (void)state;
    expect_refusal(small_cube, -1, PLI_ERROR_ARGUMENT, "at least 1");
    expect_refusal(small_cube, 82, PLI_ERROR_ARGUMENT, "only 81 coordinates");
    expect_refusal(
        "materials: {m: {law: linear, young: 1e6, poisson: 0.3, density: 1000}}\n"
        "bodies: {cube: {material: m, geometry: {grid: {cells: [2, 2, 2]}}}}\n"
        "colliders: {floor: {shape: {plane: {point: [0, -0.49, 0]}}, method: quadratic}}\n"
        "checks: {collider_overlap: ignore}\n"
        "time: {fps: 24, frames: 1}\n",
        3, PLI_ERROR_UNSUPPORTED, "touch something");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beams_have_the_frequencies_of_validation),
        TEST_IN_CONTEXT(beams_swing_in_time_as_their_modes_say, 2),
        cmocka_unit_test(strings_sound_by_their_tension),
        cmocka_unit_test(columns_swing_slower_until_they_buckle),
        cmocka_unit_test(free_bodies_have_six_rigid_modes),
        cmocka_unit_test(multiple_frequencies_are_all_found),
        cmocka_unit_test(modes_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(failing_allocations_leave_nothing_behind),
        cmocka_unit_test(what_has_no_modes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

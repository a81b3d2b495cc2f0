// SPDX-License-Identifier: Apache-2.0
//
// Barrier contact without tuning (Li et al. 2020): stacks of bodies whose masses and stiffnesses
// differ by a thousand, and materials from jelly to steel. Nothing numerical is given, except where
// the claim is about rest: there the tolerance of velocities is.
#include "barrier.h"

typedef struct layer {
    double density; // kg/m^3
    double young;   // Pa
} layer;

static const double edge = 0.1; // of a cube (m)

// Two cubes, one on the other, dropped by 1 mm.
static void tower_init(simulation *s, const layer *lower, const layer *upper, const char *solver)
{
    char yaml[2048];
    snprintf(yaml, sizeof yaml,
             "materials:\n"
             "  a: {law: neo-hookean, density: %.17g, young: %.17g, poisson: 0.3}\n"
             "  b: {law: neo-hookean, density: %.17g, young: %.17g, poisson: 0.3}\n"
             "bodies:\n"
             "  lower: {geometry: {grid: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3]}}, material: a,\n"
             "    position: [0, 0.051, 0]}\n"
             "  upper: {geometry: {grid: {size: [0.1, 0.1, 0.1], cells: [3, 3, 3]}}, material: b,\n"
             "    position: [0.002, 0.152, 0.001], axis: [0, 1, 0], angle: 3}\n"
             "colliders: {ground: {shape: plane, friction: 0.5}}\n"
             "contact: {method: barrier, friction: 0.5}\n"
             "solver: %s\n"
             "time: {fps: 50, frames: 1}\n",
             lower->density, lower->young, upper->density, upper->young, solver);
    simulation_init(s, yaml, 1);
}

// Largest distance of a coordinate from where it was (m).
static double moved(const simulation *s, const double *before)
{
    const double *x = pli_state_get(s->state).positions;
    double most = 0;
    for (int64_t k = 0; k < 3 * s->info.vertex_count; ++k) {
        most = fmax(most, fabs(x[k] - before[k]));
    }
    return most;
}

// Steps in which nothing touches or inverts; then none in which anything moves by 1e-4 of an edge.
static void expect_rest(const layer *lower, const layer *upper, const char *solver)
{
    simulation s;
    tower_init(&s, lower, upper, solver);
    size_t bytes = 3 * (size_t)s.info.vertex_count * sizeof(double);
    double *before = malloc(bytes);
    for (int k = 0; k < 80; ++k) barrier_step(&s);
    memcpy(before, pli_state_get(s.state).positions, bytes);
    for (int k = 0; k < 25; ++k) {
        barrier_step(&s);
        AT_MOST(moved(&s, before), 1e-4 * edge);
    }
    free(before);
    // the upper one still is on the lower one
    double centers[2][3];
    for (int k = 0; k < 2; ++k) body_mean(&s, k, pli_state_get(s.state).positions, centers[k]);
    NEAR(centers[1][1] - centers[0][1], edge, 0.02, 0);
    NEAR(centers[1][0] - centers[0][0], 0.002, 0, 0.01 * edge);
    simulation_clear(&s);
}

static void stacks_of_unequal_bodies_come_to_rest(void **state)
{
    (void)state;
    // the heaviest compresses the softest by 1 %
    static const layer light = {100, 1e7}, heavy = {1e5, 1e7}, stiff = {100, 1e10};
    static const layer heavy_stiff = {1e5, 1e10};
    static const layer *const towers[][2] = {
        {&light, &heavy}, {&heavy, &light}, {&light, &stiff},       {&stiff, &light},
        {&heavy, &stiff}, {&stiff, &heavy}, {&light, &heavy_stiff}, {&heavy_stiff, &light}};
    for (size_t k = 0; k < sizeof towers / sizeof *towers; ++k) {
        expect_rest(towers[k][0], towers[k][1], "{name: ipc-llt, tolerance: 1e-6}");
        expect_rest(towers[k][0], towers[k][1], "{name: ipc-pcg, tolerance: 1e-6}");
    }
}

// Two seconds are enough to fall by 1 mm and come to rest, even for jelly.
static void every_stiffness_settles_without_tuning(void **state)
{
    (void)state;
    for (double young = 1e4; young < 2e11; young *= 10) {
        // the softest column of this weight buckles at 0.28 m, this one is 0.2 m high
        layer cube = {300, young};
        simulation s;
        tower_init(&s, &cube, &cube, "auto");
        int32_t iterations = 0;
        for (int k = 0; k < 100; ++k) iterations += barrier_step(&s).iterations;
        AT_MOST(top_speed(&s), 0.01);
        AT_MOST(iterations, 100 * 5);
        simulation_clear(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_unequal_bodies_come_to_rest),
        cmocka_unit_test(every_stiffness_settles_without_tuning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

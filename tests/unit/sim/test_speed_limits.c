// SPDX-License-Identifier: Apache-2.0
//
// Velocities at which a step would not end: they are refused with words, before anything is
// computed or as soon as they arise.
#include "scene_samples.h"

#include "pliant/io.h"
#include "pliant/sim.h"

static void check_says(const pli_context *context, const char *const says[3])
{
    char message[1024];
    pli_context_message(context, message, sizeof message);
    for (int k = 0; k < 3; ++k) {
        if (says[k] != NULL && strstr(message, says[k]) == NULL) {
            fail_msg("'%s' does not say '%s'", message, says[k]);
        }
    }
}

static pli_scene *read_scene(pli_context *context, const char *text)
{
    pli_scene *scene = NULL;
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene));
    return scene;
}

// The model is refused.
static void check_refused(const char *text, const char *first, const char *second)
{
    const char *const says[3] = {first, second, "Check the units and velocities"};
    pli_context *context = make_context(1);
    pli_scene *scene = read_scene(context, text);
    pli_model *model = NULL;
    assert_int_equal(pli_model_create(context, scene, NULL, &model), PLI_ERROR_SCENE);
    check_says(context, says);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void check_taken(const char *text)
{
    pli_context *context = make_context(1);
    pli_scene *scene = read_scene(context, text);
    pli_model *model = NULL;
    OK(context, pli_model_create(context, scene, NULL, &model));
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

#define PARTICLES(material, velocity, solver)                                                      \
    "materials: {m: " material "}\n"                                                               \
    "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"                                     \
    "bodies: {b: {geometry: {particles: {shape: {sphere: 0.2}}}, material: m, velocity: " velocity \
    "}}\n"                                                                                         \
    "solver: " solver "\n"

#define CUBES(velocity, rest)                                                            \
    "materials: {m: rubber}\n"                                                           \
    "bodies:\n"                                                                          \
    "  a: {geometry: {grid: {cells: [1, 1, 1]}}, material: m, velocity: " velocity "}\n" \
    "  b: {geometry: {grid: {cells: [1, 1, 1]}}, material: m, position: [5, 0, 0]}\n"    \
    "contact: barrier\n" rest

// ---- before anything is computed

static void particles_too_fast_for_implicit_steps_are_refused_at_once(void **state)
{
    (void)state;
    check_refused(PARTICLES("snow", "[0, 1e4, 0]", "hot"), "s.yaml:3:84: bodies.b.velocity",
                  "would take 6.94e+03 substeps, because matter moves at up to 1e+04 m/s");
    check_taken(PARTICLES("snow", "[0, 1e4, 0]", "{name: hot, max_substeps: 7000}"));
    check_taken(PARTICLES("snow", "[0, 1e3, 0]", "hot"));
}

static void particles_too_fast_for_explicit_steps_are_refused_at_once(void **state)
{
    (void)state;
    check_refused(PARTICLES("water", "[0, 1e6, 0]", "explicit"), "s.yaml:3:84: bodies.b.velocity",
                  "would take 8.33e+05 substeps");
    check_refused(PARTICLES("snow", "[0, 1e6, 0]", "regional"), "s.yaml:3:84: bodies.b.velocity",
                  "at most 20000 are made (solver.max_substeps)");
    check_taken(PARTICLES("water", "[0, 1e4, 0]", "explicit"));
}

static void emitters_too_fast_are_refused_at_once(void **state)
{
    (void)state;
    check_refused("materials: {m: water}\n"
                  "domain: {cell: 0.1, min: [-1, -1, -1], max: [1, 1, 1]}\n"
                  "emitters: {e: {shape: {sphere: 0.2}, material: m, velocity: [0, 1e6, 0]}}\n",
                  "s.yaml:3:61: emitters.e.velocity", "substeps");
}

static void bodies_that_cross_everything_in_a_step_are_refused_at_once(void **state)
{
    (void)state;
    check_refused(CUBES("[1e4, 0, 0]", ""),
                  "s.yaml:3:", "bodies.a.velocity: a step of 0.0417 s would move it by 417 m");
    check_refused(CUBES("[0, 0, 0]", "constraints: [{body: a, motion: {segments: [{duration: 1, "
                                     "velocity: [0, 0, 1e4]}]}}]\n"),
                  "constraints[0].motion.segments[0].velocity", "write time.steps_per_frame: 21");
    check_taken(CUBES("[1e4, 0, 0]", "solver: {max_travel: 1000}\n"));
    check_taken(CUBES("[1e4, 0, 0]", "time: {steps_per_frame: 21}\n"));
    // small things fall far in a step, and stiff ones bear it
    check_taken("materials: {m: rubber}\n"
                "bodies: {a: {geometry: {grid: {size: [0.01, 0.01, 0.01], cells: [1, 1, 1]}}, "
                "material: m, velocity: [50, 0, 0]}}\n"
                "contact: barrier\n");
    check_taken(CUBES("[600, 0, 0]", ""));
}

// Bodies that nothing can touch may be as fast as they like.
static void speed_is_no_matter_without_contact(void **state)
{
    (void)state;
    check_taken("materials: {m: rubber}\n"
                "bodies: {a: {geometry: grid, material: m, velocity: [1e6, 0, 0]}}\n"
                "contact: none\n");
}

// ---- in a run

// Gives everything a velocity along y.
static void make_fast(pli_state *state, double speed)
{
    pli_particle_view particles = pli_state_get(state).particles;
    const double *velocities =
        particles.count > 0 ? particles.velocities : pli_state_get(state).velocities;
    int32_t changed = 0;
    pli_state_array array;
    for (int32_t k = 0; pli_state_get_array(state, k, &array); ++k) {
        if (array.data != (const void *)velocities || array.rows == 0) continue;
        for (int64_t row = 0; row < array.rows; ++row) ((double *)array.data)[3 * row + 1] = speed;
        ++changed;
    }
    assert_int_equal(changed, 1);
}

// A step with velocities that are not those of the scene fails and leaves the state as it was.
static void check_step(const char *text, double speed, const char *says)
{
    const char *const expected[3] = {says, "Check the units", NULL};
    pli_context *context = make_context(1);
    pli_scene *scene = read_scene(context, text);
    pli_model *model = NULL;
    pli_state *state = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    OK(context, pli_model_create(context, scene, NULL, &model));
    OK(context, pli_state_create(model, &state));
    OK(context, pli_solver_create(model, &solver));
    OK(context, pli_solver_step(solver, state, &report));

    make_fast(state, speed);
    uint64_t before = pli_state_hash(state);
    assert_int_equal(pli_solver_step(solver, state, &report), PLI_ERROR_NUMERIC);
    check_says(context, expected);
    assert_true(pli_state_hash(state) == before);
    pli_solver_destroy(solver);
    pli_state_destroy(state);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void speeds_that_arise_in_a_run_end_it_with_words(void **state)
{
    (void)state;
    check_step(PARTICLES("snow", "[0, 0, 0]", "hot"), 1e4, "(solver.max_substeps)");
    check_step(PARTICLES("water", "[0, 0, 0]", "explicit"), 1e6, "(solver.max_substeps)");
    check_step(CUBES("[0, 0, 0]", ""), 1e4, "the fastest vertex: a step of 0.0417 s would move");
}

// Sound alone can want more steps than anybody has time for.
static void stiffness_that_wants_millions_of_steps_is_refused(void **state)
{
    const char *const says[3] = {"matter is so stiff or light that sound takes that many",
                                 "Check the units of young and density", NULL};
    pli_context *context = *state;
    pli_scene *scene = read_scene(
        context, PARTICLES("{law: fixed-corotated, density: 1e-3, young: 1e12, poisson: 0.3}",
                           "[0, 0, 0]", "explicit"));
    pli_model *model = NULL;
    pli_state *begin = NULL;
    pli_solver *solver = NULL;
    pli_step_report report;
    OK(context, pli_model_create(context, scene, NULL, &model));
    OK(context, pli_state_create(model, &begin));
    OK(context, pli_solver_create(model, &solver));
    assert_int_equal(pli_solver_step(solver, begin, &report), PLI_ERROR_NUMERIC);
    check_says(context, says);
    pli_solver_destroy(solver);
    pli_state_destroy(begin);
    pli_model_destroy(model);
    pli_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(particles_too_fast_for_implicit_steps_are_refused_at_once),
        cmocka_unit_test(particles_too_fast_for_explicit_steps_are_refused_at_once),
        cmocka_unit_test(emitters_too_fast_are_refused_at_once),
        cmocka_unit_test(bodies_that_cross_everything_in_a_step_are_refused_at_once),
        cmocka_unit_test(speed_is_no_matter_without_contact),
        cmocka_unit_test(speeds_that_arise_in_a_run_end_it_with_words),
        TEST_IN_CONTEXT(stiffness_that_wants_millions_of_steps_is_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

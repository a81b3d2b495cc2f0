// SPDX-License-Identifier: Apache-2.0
//
// Shapes that a context brings along, in scenes: they collide like built-in ones, scenes hold their
// names and numbers, and what is wrong is refused at its place.
#include "scene_samples.h"
#include "simulate.h"
#include "support/fault_sweep.h"
#include "support/same_bits.h"

// ---- a ball of the test's own

static const pli_material_input ball_inputs[] = {
    {.key = "radius", .unit = "m", .fallback = 0.5, .max = 10, .exclusive = true, .doc = "Radius."},
    {.key = "depth", .unit = "m", .fallback = 0.6, .max = 10, .doc = "Of its middle."},
};

static void ball_values(const void *user, const double *inputs, int32_t n, const double *x,
                        double *values)
{
    (void)user;
    for (int32_t i = 0; i < n; ++i, x += 3) {
        values[i] = hypot(hypot(x[0], x[1] + inputs[1]), x[2]) - inputs[0];
    }
}

static void ball_bounds(const void *user, const double *inputs, double min[3], double max[3])
{
    (void)user;
    for (int k = 0; k < 3; ++k) {
        min[k] = -inputs[0] - (k == 1 ? inputs[1] : 0);
        max[k] = inputs[0] - (k == 1 ? inputs[1] : 0);
    }
}

static const pli_distance_ops ball = {.name = "ball",
                                      .doc = "A ball below the origin.",
                                      .input_count = 2,
                                      .inputs = ball_inputs,
                                      .slope = 1,
                                      .detail = 1,
                                      .values = ball_values,
                                      .bounds = ball_bounds};
static const pli_distance_ops endless = {
    .name = "endless", .slope = 1, .detail = 1, .values = ball_values};
static const pli_distance_ops empty = {.name = "empty", .slope = 1, .detail = 1};
static const pli_distance_ops *const shapes[] = {&ball, &endless, &empty};

static pli_context_def own_context_def(int32_t thread_count)
{
    pli_context_def def = pli_context_def_default();
    def.thread_count = thread_count;
    def.shapes = shapes;
    def.shape_count = 3;
    return def;
}

static pli_context *own_context(int32_t thread_count)
{
    pli_context_def def = own_context_def(thread_count);
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    return context;
}

// A cube of 27 vertices that falls, with a collider whose shape stands in line 7.
#define FALL_BEFORE                                                                           \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e5, poisson: 0.3}}\n"    \
    "bodies:\n"                                                                               \
    "  cube: {geometry: {grid: {size: [0.4, 0.4, 0.4], cells: [2, 2, 2]}}, material: soft,\n" \
    "    position: [0.03, 0.25, 0.01]}\n"                                                     \
    "time: {fps: 50}\n"                                                                       \
    "colliders:\n"
#define FALL(shape) FALL_BEFORE "  it: {shape: " shape "}\n"

// ---- as a collider

static void an_own_ball_collides_like_the_built_in_one(void **state)
{
    (void)state;
    // not postprocess: it puts vertices upon the surface, where rounding decides who touches
    static const char *const methods[] = {"constraint", "penalty", "quadratic"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        char own_text[1024], built_in_text[1024];
        const char *form = FALL_BEFORE "  it: {method: %s, friction: 0.2, shape: %s}\n";
        snprintf(own_text, sizeof own_text, form, methods[k],
                 "{own: {name: ball, parameters: {radius: 0.4, depth: 0.4}}}");
        snprintf(built_in_text, sizeof built_in_text, form, methods[k],
                 "{sphere: {center: [0, -0.4, 0], radius: 0.4}}");
        simulation own, built_in;
        simulation_init_in(&own, own_context(1), own_text);
        simulation_init(&built_in, built_in_text, 1);
        for (int step = 0; step < 10; ++step) {
            simulation_step(&own);
            simulation_step(&built_in);
        }
        // second derivatives are differences, good to 1e-8: the solver goes other ways to the same
        // end, which its tolerance says to some 1e-6 m
        const double *x = pli_state_get(own.state).positions;
        const double *y = pli_state_get(built_in.state).positions;
        for (int32_t i = 0; i < 3 * own.info.vertex_count; ++i) NEAR(x[i], y[i], 0, 1e-5);
        // the middle of its lower face lies upon the ball, which penalties let it dent by 2 cm;
        // in free fall it would be at -0.15 m
        AT_LEAST(x[3 * 10 + 1], -0.03);
        simulation_clear(&own);
        simulation_clear(&built_in);
    }
}

static void results_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    for (same_bits bits = {0}; same_bits_next(&bits);) {
        simulation s;
        simulation_init_in(&s, own_context(bits.threads), FALL("{own: ball}"));
        for (int step = 0; step < 4; ++step) simulation_step(&s);
        same_bits_keep_hash(&bits, pli_state_hash(s.state));
        simulation_clear(&s);
    }
}

static void bodies_can_be_filled_from_own_shapes(void **state)
{
    (void)state;
    simulation s;
    simulation_init_in(&s, own_context(1),
                       "materials: {soft: {preset: rubber}}\n"
                       "bodies: {b: {geometry: {fill: {shape: {own: ball}, vertices: 500}},\n"
                       "  material: soft}}\n");
    pli_model_info info = pli_model_get_info(s.model);
    // 4/3 pi r^3 times the density of rubber; tetrahedra cut some per cent off a ball this coarse
    const double pi = 3.14159265358979323846;
    NEAR(info.mass, 4 * pi / 3 * 0.125 * pli_material_preset_find("rubber")->density, 0.05, 0);
    simulation_clear(&s);
}

static void particles_rest_on_own_shapes_and_fill_them(void **state)
{
    (void)state;
    simulation s;
    simulation_init_in(&s, own_context(1),
                       "materials: {soft: {preset: tissue, young: 1e5}}\n"
                       "bodies: {b: {geometry: {particles: {shape: {own: {name: ball,\n"
                       "  parameters: {radius: 0.2, depth: 0.4}}}}}, material: soft}}\n"
                       "domain: {cell: 0.05, min: [-0.6, -1, -0.6], max: [0.6, 0, 0.6]}\n"
                       "colliders: {it: {shape: {own: {name: ball, parameters: {radius: 0.5,\n"
                       "  depth: 1.1}}}, boundary: sticky}}\n"
                       "solver: explicit\n"
                       "time: {fps: 50}\n");
    pli_particle_view view = pli_state_get(s.state).particles;
    // eight to a cell of 0.05 m, within what a surface this coarse cuts
    const double pi = 3.14159265358979323846;
    NEAR((double)view.count, 8 * 4 * pi / 3 * 0.008 / 1.25e-4, 0.05, 0);
    for (int step = 0; step < 20; ++step) simulation_step(&s);
    view = pli_state_get(s.state).particles;
    double lowest = 0;
    for (int64_t i = 0; i < view.count; ++i) lowest = fmin(lowest, view.positions[3 * i + 1]);
    // the top of the collider is at -0.6 m and holds; free fall would be 0.8 m
    AT_LEAST(lowest, -0.65 - 0.05);
    simulation_clear(&s);
}

// ---- texts

static void scenes_hold_name_and_numbers(void **state)
{
    (void)state;
    pli_context *context = own_context(1);
    const char *text = FALL("{own: ball}");
    pli_scene *scene = NULL, *again = NULL;
    char *yaml = NULL;
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene));
    OK(context, pli_scene_to_yaml(scene, NULL, &yaml));
    // defaults are filled in
    assert_non_null(strstr(yaml, "name: ball"));
    assert_non_null(strstr(yaml, "value: 0.6"));
    OK(context, pli_scene_parse(context, yaml, (int64_t)strlen(yaml), "s.yaml", NULL, &again));
    assert_int_equal(pli_scene_hash(scene), pli_scene_hash(again));
    pli_scene_destroy(again);

    // another number, another scene
    text = FALL("{own: {name: ball, parameters: {radius: 0.25}}}");
    OK(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &again));
    assert_int_not_equal(pli_scene_hash(scene), pli_scene_hash(again));

    pli_text_free(context, yaml);
    pli_scene_destroy(again);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void what_is_wrong_is_refused_at_its_place(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {FALL("{own: bal}"), "s.yaml:7:21: colliders.it.shape.own.name: found 'bal', a shape that "
                             "this program does not bring along; it brings ball, endless, empty "
                             "(did you mean 'ball'?)"},
        {FALL("{own: {name: ball, parameters: {radius: 0}}}"),
         "s.yaml:7:55: colliders.it.shape.own.parameters.radius: found '0'; shape 'ball' allows: "
         "greater than 0 and less than 10 m"},
        {FALL("{own: {name: ball, parameters: {radios: 1}}}"),
         "s.yaml:7:47: colliders.it.shape.own.parameters.radios: shape 'ball' has no such "
         "parameter; it has radius, depth (did you mean 'radius'?)"},
        {FALL("{own: empty}"), "s.yaml:7:15: colliders.it.shape: shape 'empty' has no function of "
                               "values"},
        {FALL("{sampled: {shape: {own: endless}}}"),
         "s.yaml:7:33: colliders.it.shape.sampled.shape: found a shape of one's own without end, "
         "which no grid "
         "can cover; intersect it with a box"},
    };
    pli_context *context = own_context(1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_scene *scene = NULL;
        REFUSED(context,
                pli_scene_parse(context, cases[k][0], (int64_t)strlen(cases[k][0]), "s.yaml", NULL,
                                &scene),
                cases[k][1]);
    }
    pli_context_destroy(context);
}

static void a_program_without_the_shape_says_so(void **state)
{
    pli_context *context = *state;
    const char *text = FALL("{own: ball}");
    pli_scene *scene = NULL;
    REFUSED(context, pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene),
            "s.yaml:7:21: colliders.it.shape.own.name: found 'ball', a shape that this program "
            "does not bring along; it brings none");
}

static void a_context_refuses_a_list_that_is_not_there(void **state)
{
    (void)state;
    pli_context_def def = pli_context_def_default();
    pli_context *context = NULL;
    def.shape_count = 1;
    assert_int_equal(pli_context_create(&def, &context), PLI_ERROR_ARGUMENT);
    def.shape_count = -1;
    def.shapes = shapes;
    assert_int_equal(pli_context_create(&def, &context), PLI_ERROR_ARGUMENT);
}

static void failed_allocations_release_everything(void **state)
{
    (void)state;
    const char *text = FALL("{own: ball}");
    pli_context_def def = own_context_def(1);
    for (fault_sweep sweep = {.base = &def}; fault_sweep_next(&sweep);) {
        pli_scene *scene = NULL;
        pli_model *model = NULL;
        sweep.status =
            pli_scene_parse(sweep.context, text, (int64_t)strlen(text), "s.yaml", NULL, &scene);
        if (sweep.status == PLI_OK)
            sweep.status = pli_model_create(sweep.context, scene, NULL, &model);
        pli_model_destroy(model);
        pli_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_own_ball_collides_like_the_built_in_one),
        cmocka_unit_test(results_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(bodies_can_be_filled_from_own_shapes),
        cmocka_unit_test(particles_rest_on_own_shapes_and_fill_them),
        cmocka_unit_test(scenes_hold_name_and_numbers),
        cmocka_unit_test(what_is_wrong_is_refused_at_its_place),
        TEST_IN_CONTEXT(a_program_without_the_shape_says_so, 1),
        cmocka_unit_test(a_context_refuses_a_list_that_is_not_there),
        cmocka_unit_test(failed_allocations_release_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

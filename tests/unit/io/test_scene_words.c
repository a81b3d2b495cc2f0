// SPDX-License-Identifier: Apache-2.0
//
// What newcomers type, and what they are told.
#include "scene_samples.h"

#include "pliant/io.h"
#include "pliant/scene_reader.h"
#include "pliant/sim.h"

#define HEAD                                                                    \
    "materials:\n"                                                              \
    "  soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}\n" \
    "bodies:\n"                                                                 \
    "  cube:\n"                                                                 \
    "    geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}\n"               \
    "    material: soft\n"

typedef struct told {
    const char *text;
    const char *says; // begins the message, or stands in it
} told;

static pli_status parse(pli_context *context, const char *text, pli_scene **scene)
{
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, scene);
}

static void check_refused(const told *cases, size_t count)
{
    pli_context *context = make_context(1);
    for (size_t k = 0; k < count; ++k) {
        pli_scene *scene = NULL;
        char message[1024];
        if (parse(context, cases[k].text, &scene) == PLI_OK) {
            pli_scene_destroy(scene);
            fail_msg("accepted: %s", cases[k].text);
        }
        pli_context_message(context, message, sizeof message);
        if (strstr(message, cases[k].says) == NULL) {
            fail_msg("'%s' does not say '%s'", message, cases[k].says);
        }
    }
    pli_context_destroy(context);
}

#define ALL_REFUSED(cases) check_refused(cases, sizeof(cases) / sizeof *(cases))

// ---- the language

static void a_tab_is_called_a_tab(void **state)
{
    (void)state;
    static const told cases[] = {
        {HEAD "\tposition: [0, 0, 0]\n", "s.yaml:7:1: a tab; YAML indents by spaces"},
        {HEAD "time:\n\tfps: 24\n", "s.yaml:8:1: a tab; YAML indents by spaces"},
        {HEAD "time:\n  \tfps: 24\n", "s.yaml:8:3: a tab; YAML indents by spaces"},
        {HEAD "about: x\n\tseed: 2\n", "s.yaml:8:1: a tab; YAML indents by spaces"},
        {HEAD "time:\n\tfps 24\nseed: 1\n", "s.yaml:8:1: a tab; YAML indents by spaces"},
    };
    ALL_REFUSED(cases);
    // between brackets tabs are allowed and not to blame
    static const told between[] = {
        {"{\n\t\"seed\": 1\n\t\"about\": 2\n}\n", "did not find expected ',' or '}'"}};
    ALL_REFUSED(between);
}

static void merge_keys_are_explained(void **state)
{
    (void)state;
    static const told cases[] = {
        {"materials:\n  a: &a {density: 1}\n  b: {<<: *a}\n", "s.yaml:3:7: '<<', which merges"},
        {"materials:\n  a: &a {density: 1}\n  <<: *a\n", "'include' takes over another file"},
    };
    ALL_REFUSED(cases);
}

static void slips_of_the_language_are_told_in_its_terms(void **state)
{
    (void)state;
    static const told cases[] = {
        {HEAD "seed:1\nup: y\n", "a key is followed by a colon and a blank"},
        {HEAD "time:\n    fps: 24\n   frames: 3\n", "keys of one map begin in the same column"},
        {HEAD "about: a cube: soft\n", "a text that holds a colon and a blank goes in quotes"},
        {HEAD "about: \"x\n", "is a quote missing?"},
        {HEAD "gravity: [0, 0, 0\n", "is a comma or a bracket missing?"},
        {HEAD "time: {fps: 3\n", "is a comma or a brace missing?"},
    };
    ALL_REFUSED(cases);
}

// ---- words

static void words_of_other_programs_lead_to_ours(void **state)
{
    (void)state;
    static const told cases[] = {
        {HEAD "dt: 0.01\n", "s.yaml:7:1: unknown key 'dt': a step lasts 1 / (fps x "
                            "steps_per_frame) seconds"},
        {HEAD "time: {time_step: 0.01}\n", "write time: {fps: 100}"},
        {HEAD "solver: {dt: 0.01}\n", "steps_per_frame"},
        {HEAD "duration: 3\n", "frames / fps seconds"},
        {HEAD "units: mm\n", "SI units"},
        {HEAD "ground: 0\n", "colliders: {floor: {shape: {plane:"},
        {HEAD "objects: {}\n", "write bodies"},
        {HEAD "boundary_conditions: []\n", "constraints: [{body: cube, where: all}]"},
        {"materials: {a: {youngs_modulus: 1e5}}\n", "write young (Pa)"},
        {"materials: {a: {YoungsModulus: 1e5}}\n", "write young (Pa)"},
        {"materials: {a: {poisson_ratio: 0.3}}\n", "write poisson"},
        {"materials: {a: {friction_coefficient: 0.3}}\n", "contact: {friction: 0.3}"},
        {"materials: {a: {bulk_modulus: 3}}\n", "K = young / (3 (1 - 2 poisson))"},
        {HEAD "    mesh: bunny.obj\n", "geometry: {file: name.msh}"},
        {HEAD "    file: bunny.obj\n", "geometry: {file: name.msh}"},
        {HEAD "    type: cloth\n", "write kind"},
        {HEAD "    mass: 3\n", "density (kg/m^3) of the material"},
        {HEAD "    fixed: true\n", "section constraints"},
        {HEAD "    initial_velocity: [1, 0, 0]\n", "write velocity (m/s)"},
        {HEAD "    rotation: [0, 90, 0]\n", "write axis and angle"},
        {HEAD "colliders: {f: {shape: {sphere: 1}, friction_coefficient: 1}}\n", "write friction"},
        {HEAD "contact: {method: barrier, dhat: 1e-3}\n", "write distance (m)"},
        {HEAD "contact: ipc\n", "'barrier'"},
        {HEAD "solver: {type: newton}\n", "write name"},
        {HEAD "output: {dir: x}\n", "pliant run -o DIR"},
        {"bodies: {a: {geometry: bunny.obj}}\n", "geometry: {file: name.msh}"},
    };
    ALL_REFUSED(cases);
}

static void keys_in_the_wrong_place_are_told_where_they_belong(void **state)
{
    (void)state;
    static const told cases[] = {
        {HEAD "tolerance: 1e-3\n", "unknown key 'tolerance': it is a key of solver"},
        {HEAD "fps: 24\n", "it is a key of time"},
        {HEAD "young: 3\n", "it is a key of materials.NAME"},
        {HEAD "    density: 3\n", "it is a key of materials.NAME"},
        {HEAD "    cells: [1, 1, 1]\n", "it is a key of geometry.grid"},
        {HEAD "    grid: {}\n", "it goes into 'geometry', as in geometry: {grid: ...}"},
        {HEAD "colliders: {f: {plane: {}}}\n", "it goes into 'shape', as in shape: {plane: ...}"},
        {HEAD "constraints: [{sphere: 1}]\n", "it goes into 'where'"},
        {"bodies: {a: {geometry: {sphere: 1}}}\n",
         "it goes into 'fill', as in geometry: {fill: {shape: {sphere: ...}}}"},
    };
    ALL_REFUSED(cases);
}

// ---- units

static void numbers_with_units_are_read_in_those_of_their_keys(void **state)
{
    (void)state;
    static const char text[] =
        "materials:\n  a: {law: fluid, density: 1.1 g/cm^3, parameters: {bulk: 0.1 kPa}}\n"
        "  b: {law: neo-hookean, young: \"30 MPa\", poisson: 45%, density: 1100}\n"
        "bodies:\n  cube:\n    geometry: {grid: {size: [12 cm, 1/3 mm, 30e-3], cells: [1, 1, 1]}}\n"
        "    material: b\n    angle: 1 rev\ntime: {fps: 24 Hz}\n";
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    OK(context, parse(context, text, &scene));
    const pli_scene_def *def = pli_scene_get(scene);
    const pli_grid_def *grid = def->bodies[0].geometry.data;
    assert_true(def->materials[0].density == 1100);
    assert_true(def->materials[0].parameters[0].value == 100);
    assert_string_equal(def->materials[0].parameters[0].unit, "");
    assert_true(def->materials[1].young == 30e6 && def->materials[1].poisson == 0.45);
    assert_true(grid->size[0] == 0.12 && grid->size[1] == 1.0 / 3000 && grid->size[2] == 0.03);
    assert_true(def->bodies[0].angle == 360 && def->time.fps == 24);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void a_unit_of_a_parameter_is_checked_by_its_law(void **state)
{
    (void)state;
    static const told cases[] = {
        {"materials: {b: {law: fluid, density: 1, parameters: {bulk: 3 kg}}}\n"
         "bodies: {c: {geometry: {grid: {}}, material: b}}\n",
         "materials.b.parameters.bulk: expected Pa (stress), found 'kg'"},
    };
    ALL_REFUSED(cases);
}

static void a_wrong_unit_is_told_with_the_one_expected(void **state)
{
    (void)state;
    static const told cases[] = {
        {"materials: {a: {young: 30 kg}}\n",
         "s.yaml:1:24: materials.a.young: expected Pa (stress), found 'kg'"},
        {"materials: {a: {young: \"0.2 J\"}}\n", "expected Pa (stress), found 'J'"},
        {"materials: {a: {poisson: 30 m}}\n", "expected a pure number, found 'm'"},
        {"materials: {a: {density: 3 stone}}\n",
         "expected kg/m^3 (density), found 'stone', which is no known unit"},
        {HEAD "    angle: 3 m\n", "expected deg (angle), found 'm'"},
        {HEAD "    position: [10 s, 0, 0]\n", "expected m (length), found 's'"},
        {"materials: {a: {young: 1e7 GPa}}\n", "found '1e7 GPa'; allowed: greater than 0"},
        {HEAD "time: {frames: 10 s}\n", "expected a pure number, found 's'"},
        {"materials: {a: {young: \"1,5\"}}\n", "decimals have a point: write 1.5"},
        {"materials: {a: {poisson: 0,3}}\n", "write decimals with a point"},
        {"materials: {a: {density: 1_000}}\n", "digits are not grouped"},
        {"materials: {a: {density: 0x10}}\n", "expected a number such as 0.5, 1e5 or 1/24"},
    };
    ALL_REFUSED(cases);
}

// ---- what is found while the model is made

static void check_model_refused(const char *text, const char *says)
{
    pli_context *context = make_context(1);
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    char message[1024];
    OK(context, parse(context, text, &scene));
    assert_true(pli_model_create(context, scene, NULL, &model) != PLI_OK);
    pli_context_message(context, message, sizeof message);
    if (strstr(message, says) == NULL) fail_msg("'%s' does not say '%s'", message, says);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void an_empty_selection_names_file_and_line(void **state)
{
    (void)state;
    check_model_refused(HEAD "constraints:\n  - where: {sphere: {center: [9, 9, 9], radius: 1}}\n",
                        "s.yaml:8:12: constraints[0].where: selects no vertex; what there is "
                        "reaches from [-0.5, -0.5, -0.5] to [0.5, 0.5, 0.5]");
    check_model_refused(HEAD "attachments:\n  - {body: cube, stiffness: 1, where: {box: {min: [5, "
                             "5, 5], max: [6, 6, 6]}}}\n",
                        "s.yaml:8:39: attachments[0].where: selects no vertex; body cube reaches");
}

static void chebyshev_names_the_key_of_its_line_search(void **state)
{
    (void)state;
    check_model_refused(HEAD "solver: chebyshev\n", "s.yaml:7:9: solver.line_search: found 'auto'");
    check_model_refused(HEAD "solver: {name: chebyshev, line_search: backtracking}\n",
                        "s.yaml:7:40: solver.line_search: found 'backtracking'; the energy need "
                        "not fall in every iteration of solver chebyshev: write line_search: none");
}

// ---- magnitudes

typedef struct ear {
    int32_t count;
    char texts[8][512];
} ear;

static void hear(void *user, pli_log_level level, const char *text)
{
    ear *heard = user;
    if (level != PLI_LOG_WARNING || heard->count == 8) return;
    snprintf(heard->texts[heard->count++], 512, "%s", text);
}

// The warnings of a scene and its model.
static void listen(const char *text, ear *heard)
{
    heard->count = 0;
    pli_context_def def = pli_context_def_default();
    def.log = hear;
    def.log_user = heard;
    pli_context *context = NULL;
    pli_scene *scene = NULL;
    pli_model *model = NULL;
    OK(NULL, pli_context_create(&def, &context));
    OK(context, parse(context, text, &scene));
    OK(context, pli_model_create(context, scene, NULL, &model));
    pli_model_destroy(model);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void check_warned(const char *text, const char *says)
{
    ear heard;
    listen(text, &heard);
    for (int32_t k = 0; k < heard.count; ++k) {
        if (strstr(heard.texts[k], says) != NULL) return;
    }
    fail_msg("nothing says '%s', but '%s'", says, heard.count > 0 ? heard.texts[0] : "");
}

#define BODY(density, size)                                                              \
    "materials: {soft: {law: linear, density: " density ", young: 1e6, poisson: 0.3}}\n" \
    "bodies: {cube: {geometry: {grid: {size: " size ", cells: [1, 1, 1]}}, material: soft}}\n"

static void a_slip_in_the_units_is_warned_of_at_its_place(void **state)
{
    (void)state;
    check_warned(HEAD "time: {fps: 0.001}\n",
                 "s.yaml:7:13: time.fps: a step lasts 16.7 minutes, which is unusually long");
    check_warned("materials: {a: {preset: rubber, young: 0.03}}\n"
                 "bodies: {c: {geometry: grid, material: a}}\n",
                 "s.yaml:1:40: materials.a.young: 0.03 Pa is unusually soft");
    check_warned(BODY("1000", "[1000, 1, 1]"),
                 "s.yaml:2:27: bodies.cube.geometry: it is 1 km across, which is unusually large");
    check_warned(BODY("1000", "[1e-6, 1e-6, 1e-6]"), "it is 1 um across, which is unusually small");
    check_warned(BODY("1000", "[215.45, 215.45, 215.45]"), "it has a mass of 1e7 t");
    check_warned(BODY("1e9", "[1, 1, 1]"), "denser than any metal");
    check_warned(HEAD "    velocity: [0, -1e6, 0]\n",
                 "s.yaml:7:15: bodies.cube.velocity: 1000 km/s is unusually fast");
    check_warned(HEAD "    angular_velocity: [0, 0, 3.6e6]\n", "1e+04 turns per second");
    check_warned(HEAD "gravity: [0, -9810, 0]\n", "times the gravity of the Earth is unusual");
    check_warned("materials: {m: rubber}\n"
                 "bodies: {c: {kind: shell, geometry: sheet, material: m, thickness: 1}}\n",
                 "a shell of 1 m is unusually thick");
}

static void what_is_usual_is_not_warned_of(void **state)
{
    (void)state;
    ear heard;
    listen(HEAD "time: {fps: 1000}\n", &heard);
    assert_int_equal(heard.count, 0);
    listen(HEAD "time: {mode: quasi-static, fps: 0.001}\n", &heard);
    assert_int_equal(heard.count, 0);
}

static void warnings_of_a_scene_are_kept_for_its_report(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    OK(context, parse(context, HEAD "gravity: [0, -9810, 0]\n", &scene));
    assert_non_null(strstr(pli_scene_get_info(scene).warnings[0], "s.yaml:7:10: gravity"));
    assert_int_equal(pli_scene_get_info(scene).warning_count, 1);
    // validating it again does not repeat them
    OK(context, pli_scene_validate(scene));
    assert_true(pli_scene_get_info(scene).warning_count > 0);
    assert_int_equal(pli_scene_get_info(scene).warning_count, 1);
    pli_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tab_is_called_a_tab),
        cmocka_unit_test(merge_keys_are_explained),
        cmocka_unit_test(slips_of_the_language_are_told_in_its_terms),
        cmocka_unit_test(words_of_other_programs_lead_to_ours),
        cmocka_unit_test(keys_in_the_wrong_place_are_told_where_they_belong),
        cmocka_unit_test(numbers_with_units_are_read_in_those_of_their_keys),
        cmocka_unit_test(a_unit_of_a_parameter_is_checked_by_its_law),
        cmocka_unit_test(a_wrong_unit_is_told_with_the_one_expected),
        cmocka_unit_test(an_empty_selection_names_file_and_line),
        cmocka_unit_test(chebyshev_names_the_key_of_its_line_search),
        cmocka_unit_test(a_slip_in_the_units_is_warned_of_at_its_place),
        cmocka_unit_test(what_is_usual_is_not_warned_of),
        TEST_IN_CONTEXT(warnings_of_a_scene_are_kept_for_its_report, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"
#include "support/fault_sweep.h"

#include "base/memory.h"

#include <locale.h>
#include <time.h>

// ---- helpers

static pli_status parse(pli_context *context, const char *text, pli_scene **scene)
{
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", NULL, scene);
}

static pli_status try_text(pli_context *context, const char *text)
{
    pli_scene *scene = NULL;
    pli_status status = parse(context, text, &scene);
    assert_true((status == PLI_OK) == (scene != NULL));
    pli_scene_destroy(scene);
    return status;
}

// The smallest scene, with further lines behind it.
#define SMALL                       \
    "materials: {rubber: rubber}\n" \
    "bodies:\n"                     \
    "  cube:\n"                     \
    "    geometry: grid\n"          \
    "    material: rubber\n"

static uint64_t hash_text(pli_context *context, const char *text)
{
    pli_scene *scene = NULL;
    OK(context, parse(context, text, &scene));
    uint64_t hash = pli_scene_hash(scene);
    pli_scene_destroy(scene);
    return hash;
}

static char *read_everything(pli_context *context)
{
    return read_sample(context, everything_of_meshes);
}

// ---- what is read

static void small_scene_gets_every_default(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    OK(context, parse(context, SMALL, &scene));
    const pli_scene_def *def = pli_scene_get(scene);
    assert_string_equal(pli_scene_get_info(scene).name, "s");
    assert_int_equal(def->body_count, 1);
    assert_string_equal(def->bodies[0].name, "cube");
    assert_int_equal(def->bodies[0].geometry.kind, PLI_GEOMETRY_GRID);
    const pli_grid_def *grid = def->bodies[0].geometry.data;
    assert_int_equal(grid->cells[2], 8);
    NEAR(def->gravity[1], -9.81, 0, 0);
    assert_int_equal(def->time.frames, 48);
    pli_scene_destroy(scene);

    OK(context, parse(context, SMALL "up: z\n", &scene));
    NEAR(pli_scene_get(scene)->gravity[2], -9.81, 0, 0);
    NEAR(pli_scene_get(scene)->gravity[1], 0, 0, 0);
    pli_scene_destroy(scene);
}

static void everything_is_read_as_written(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = load_everything(context);
    const pli_scene_def *def = pli_scene_get(scene);
    assert_string_equal(pli_scene_get_info(scene).name, "scene_everything");
    assert_string_equal(def->about, "Every key once: \"quotes\", a tab\t, and an umlaut \xC3\xBC");
    assert_int_equal(def->material_count, 4);
    assert_string_equal(def->materials[0].preset, "tissue");
    NEAR(def->materials[1].young, 2e6, 0, 0);
    NEAR(def->materials[2].rayleigh, 1e-3, 0, 0);
    assert_int_equal(def->bodies[0].region_count, 2);
    const pli_select_box_def *box = def->bodies[0].regions[0].where.data;
    NEAR(box->max[1], 2.5, 0, 0);
    const pli_start_stretched_def *stretched = def->bodies[0].start.data;
    NEAR(stretched->scale[0], 1.5, 0, 0);
    const pli_fill_def *fill = def->bodies[1].geometry.data;
    const pli_combination_def *difference = fill->shape.data;
    assert_int_equal(fill->shape.kind, PLI_SHAPE_DIFFERENCE);
    assert_int_equal(difference->shape_count, 3);
    const pli_combination_def *join = difference->shapes[0].data;
    const pli_sphere_def *sphere = join->shapes[1].data;
    NEAR(sphere->radius, 0.6, 0, 0);
    const pli_combination_def *cut = difference->shapes[2].data;
    const pli_height_field_def *field = cut->shapes[1].data;
    NEAR(field->heights[4], 0.3, 0, 0);
    NEAR(field->size[1], 2, 0, 0);
    NEAR(def->constraints[0].motion.segments[0].duration, 0.5, 0, 0);
    assert_int_equal(def->constraints[0].motion.after, PLI_MOTION_RELEASE);
    NEAR(def->constraints[1].motion.keyframes[1].angle, 90, 0, 0);
    assert_int_equal(def->solver.preconditioner, PLI_PRECONDITIONER_BLOCK_JACOBI);
    assert_true(def->output.compress);
    assert_string_equal(def->output.fields[1], "von_mises");
    assert_int_equal(def->checks.inverted_start, PLI_SEVERITY_IGNORE);
    assert_int_equal(def->checks.collider_overlap, PLI_SEVERITY_WARNING);
    assert_int_equal(def->checks.body_overlap, PLI_SEVERITY_IGNORE);
    assert_int_equal(def->collider_count, 4);
    assert_string_equal(def->colliders[0].name, "ground");
    NEAR(def->colliders[0].friction, 0.5, 0, 0);
    assert_true(def->colliders[1].inside_out);
    assert_int_equal(def->colliders[2].method, PLI_COLLIDER_POSTPROCESS);
    NEAR(def->colliders[2].motion.segments[0].spin, 90, 0, 0);
    const pli_sampled_def *sampled = def->colliders[3].shape.data;
    assert_int_equal(sampled->resolution, 48);
    assert_int_equal(sampled->interpolation, PLI_INTERPOLATE_LINEAR);
    const pli_combination_def *bowl = sampled->shape.data;
    assert_int_equal(bowl->shapes[1].kind, PLI_SHAPE_COMPLEMENT);
    NEAR(def->colliders[3].stiffness, 1e7, 0, 0);
    assert_int_equal(def->contact.method, PLI_CONTACT_PENALTY);
    assert_false(def->contact.self);
    NEAR(def->contact.stiffness, 2e6, 0, 0);
    NEAR(def->contact.friction, 0.3, 0, 0);
    pli_scene_destroy(scene);
}

// Every field of a scene with its path and values, one a line.
static pli_status list_field(void *user, const pli_visit *visit)
{
    FILE *list = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    fprintf(list, "%s (%d):", visit->path, items.count);
    for (int32_t i = 0; items.kind <= PLI_ITEM_CHOICE && i < items.count; ++i) {
        char buffer[PLI_FIELD_TEXT_CAPACITY];
        const char *item = (const char *)items.first + (size_t)i * items.stride;
        fprintf(list, " %s", pli_field_print(visit->field, item, buffer));
    }
    fprintf(list, "\n");
    return PLI_OK;
}

static char *list_fields(pli_context *context, const pli_scene *scene)
{
    char *text = NULL;
    size_t size = 0;
    FILE *list = open_memstream(&text, &size);
    assert_non_null(list);
    fprintf(list, "\n");
    OK(context,
       pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene), list_field, list));
    fclose(list);
    return text;
}

static void resolved_text_gives_the_same_scene(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_scene *scene = load_everything(context);
    char *fields = list_fields(context, scene);
    for (int round = 0; round < 3; ++round) {
        pli_yaml_def def = {.comments = round == 1, .absolute_paths = round == 2};
        char *text = NULL;
        char *again_text = NULL;
        pli_scene *again = NULL;
        OK(context, pli_scene_to_yaml(scene, &def, &text));
        OK(context, parse(context, text, &again));
        char *again_fields = list_fields(context, again);
        assert_string_equal(fields, again_fields);
        assert_true(pli_scene_hash(scene) == pli_scene_hash(again));
        OK(context, pli_scene_to_yaml(again, &def, &again_text));
        assert_string_equal(text, again_text);
        free(again_fields);
        pli_text_free(context, text);
        pli_text_free(context, again_text);
        pli_scene_destroy(again);
    }
    free(fields);
    pli_scene_destroy(scene);
    pli_context_destroy(context);
}

static void odd_texts_survive_writing(void **state)
{
    static const char *const texts[] = {"",
                                        "null",
                                        "~",
                                        "yes",
                                        "1e5",
                                        "a: b",
                                        "# no",
                                        "line\nbreak",
                                        " lead",
                                        "\x01\x7F",
                                        "\"'\\",
                                        "\xC2\x85\xC2\x80",
                                        "\xE2\x80\xA8",
                                        "\xEF\xBB\xBF",
                                        "\xEF\xBF\xBE",
                                        "\xF0\x9F\x98\x80",
                                        "- x",
                                        "[",
                                        "tab\t",
                                        "%",
                                        "@",
                                        "`",
                                        "!",
                                        "&a",
                                        "*a",
                                        "?",
                                        "|",
                                        ">",
                                        "...",
                                        "---"};
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        pli_scene *scene = NULL;
        pli_scene *again = NULL;
        char *text = NULL;
        OK(context, parse(context, SMALL, &scene));
        pli_scene_edit(scene)->about = texts[i];
        OK(context, pli_scene_validate(scene));
        OK(context, pli_scene_to_yaml(scene, NULL, &text));
        OK(context, parse(context, text, &again));
        assert_string_equal(pli_scene_get(again)->about, texts[i]);
        pli_text_free(context, text);
        pli_scene_destroy(again);
        pli_scene_destroy(scene);
    }
}

static void long_lists_are_written_in_lines(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    pli_scene *again = NULL;
    char *text = NULL;
    OK(context, parse(context, SMALL "constraints: [{where: {vertices: [7]}}]\n", &scene));
    pli_vertices_def *vertices =
        (pli_vertices_def *)(uintptr_t)pli_scene_get(scene)->constraints[0].where.data;
    int32_t ids[1000];
    for (int32_t i = 0; i < 1000; ++i) ids[i] = 12345 * i;
    vertices->ids = ids;
    vertices->id_count = 1000;
    OK(context, pli_scene_to_yaml(scene, NULL, &text));
    int32_t column = 0, longest = 0;
    for (const char *c = text; *c != '\0'; ++c) {
        column = *c == '\n' ? 0 : column + 1;
        longest = column > longest ? column : longest;
    }
    AT_MOST(longest, 100);
    OK(context, parse(context, text, &again));
    assert_true(pli_scene_hash(again) == pli_scene_hash(scene));
    pli_text_free(context, text);
    pli_scene_destroy(again);
    pli_scene_destroy(scene);
}

// ---- every class of error, at its place

typedef struct fault_case {
    const char *text;
    const char *message;
} fault_case;

static const fault_case fault_cases[] = {
    // keys
    {SMALL "tme: {fps: 30}\n",
     "s.yaml:6:1: unknown key 'tme'; allowed are about, seed, up, gravity, materials, bodies, "
     "emitters, domain, constraints, attachments, colliders, contact, time, solver, output, checks "
     "(did you mean 'time'?)"},
    {SMALL "time:\n  frams: 3\n",
     "s.yaml:7:3: time: unknown key 'frams'; allowed are frames, fps, steps_per_frame, integrator, "
     "mode (did you mean 'frames'?)"},
    {SMALL "checks: {zzz: 1}\n",
     "s.yaml:6:10: checks: unknown key 'zzz'; allowed are inverted_start, collider_overlap, "
     "body_overlap"},
    {SMALL "seed: 1\nup: y\nseed: 2\n", "s.yaml:8:1: the key 'seed' is there twice, first in line "
                                        "6"},
    {"materials: {a: {E: 1, young: 2}}\n",
     "s.yaml:1:23: materials.a: 'E' and 'young' are two names of one key"},
    {"bodies: {a: {geometry: grid, material: b}}\n",
     "s.yaml:1:40: bodies.a.material: found 'b', which is not defined; defined are none"},
    {"materials: {a: rubber}\n",
     "s.yaml:1:1: bodies: is missing; a scene needs bodies, or emitters of particles"},
    {"", "s.yaml:1:1: bodies: is missing; a scene needs bodies, or emitters of particles"},
    {"materials: {a: rubber}\nbodies:\n  b:\n    material: a\n",
     "s.yaml:4:5: bodies.b: the key 'geometry' is missing: Where its tetrahedra, triangles or "
     "particles come from."},
    {SMALL "? [a, b]\n: 1\n", "s.yaml:6:3: a key must be a plain text"},
    {SMALL "? *a\n: 1\n", "s.yaml:6:3: a key must be a plain text"},
    {"materials: {}\nbodies: {a: {geometry: grid, material: b}}",
     "s.yaml:2:40: bodies.a.material: found 'b', which is not defined; defined are none"},
    {"materials:\nbodies: {a: {geometry: grid, material: b}}",
     "s.yaml:2:40: bodies.a.material: found 'b', which is not defined; defined are none"},
    {"materials: {a: rubber}\nbodies: {}",
     "s.yaml:2:9: bodies: is missing; a scene needs bodies, or emitters of particles"},
    {"materials: {a: rubber}\nbodies:",
     "s.yaml:2:8: bodies: is missing; a scene needs bodies, or emitters of particles"},
    // names that refer
    {"materials: {rubber: rubber}\nbodies:\n  cube:\n    geometry: grid\n    material: rubbr\n",
     "s.yaml:5:15: bodies.cube.material: found 'rubbr', which is not defined; defined are rubber "
     "(did you mean 'rubber'?)"},
    {SMALL "constraints:\n  - body: cub\n",
     "s.yaml:7:11: constraints[0].body: found 'cub', which is not defined; defined are cube (did "
     "you mean 'cube'?)"},
    {SMALL "constraints:\n  - where: {group: top}\n",
     "s.yaml:7:20: constraints[0].where.group.name: found 'top', which is not a group of any "
     "body; groups are none"},
    {"materials: {a b: rubber}\nbodies: {c: {geometry: grid, material: a b}}\n",
     "s.yaml:1:13: materials: found the name 'a b'; allowed are 1 to 64 letters, digits, '-' and "
     "'_'"},
    // kinds of values
    {SMALL "time: {fps: fast}\n",
     "s.yaml:6:13: time.fps: found 'fast', expected a number such as 0.5, 1e5 or 1/24"},
    {SMALL "time: {fps: [1]}\n", "s.yaml:6:13: time.fps: found a list, expected a number"},
    {SMALL "time: {fps: {}}\n", "s.yaml:6:13: time.fps: found a map of keys, expected a number"},
    {SMALL "time:\n  fps:\n", "s.yaml:7:7: time.fps: found nothing, expected a number"},
    {SMALL "time: {fps: \"24\"}\n",
     "s.yaml:6:13: time.fps: found \"24\" in quotes, expected a number without"},
    {SMALL "time: {frames: 2.5}\n",
     "s.yaml:6:16: time.frames: found '2.5', expected a whole number"},
    {SMALL "time: {frames: 3000000000}\n",
     "s.yaml:6:16: time.frames: found '3000000000'; allowed: from 0 to 1e8"},
    {SMALL "output: {compress: yes}\n",
     "s.yaml:6:20: output.compress: found 'yes', expected true or false (did you mean 'true'?)"},
    {SMALL "output: {compress: maybe}\n",
     "s.yaml:6:20: output.compress: found 'maybe', expected true or false"},
    {SMALL "time: {mode: statc}\n",
     "s.yaml:6:14: time.mode: found 'statc'; allowed are dynamic, quasi-static"},
    {SMALL "time: {integrator: bdf}\n",
     "s.yaml:6:20: time.integrator: found 'bdf'; allowed are implicit-euler, bdf2 (did you mean "
     "'bdf2'?)"},
    {SMALL "time: {mode: [dynamic]}\n",
     "s.yaml:6:14: time.mode: found a list, expected one of dynamic, quasi-static"},
    {SMALL "time: 3\n",
     "s.yaml:6:7: time: found '3', expected a map of keys: frames, fps, steps_per_frame, "
     "integrator, mode"},
    {SMALL "about: [a]\n", "s.yaml:6:8: about: found a list, expected a text"},
    {SMALL "gravity: -9.81\n", "s.yaml:6:10: gravity: found '-9.81', expected a list of numbers, "
                               "such as [0, -9.81, 0]"},
    {SMALL "gravity: [0, -9.81]\n", "s.yaml:6:10: gravity: found 2 numbers, expected three"},
    {SMALL "gravity: [0, down, 0]\n",
     "s.yaml:6:14: gravity[1]: found 'down', expected a number such as 0.5, 1e5 or 1/24"},
    {SMALL "    position: [1, 2]\n",
     "s.yaml:6:15: bodies.cube.position: found 2 items, expected a list of three numbers"},
    {SMALL "    position: 1\n",
     "s.yaml:6:15: bodies.cube.position: found '1', expected a list of three numbers, such "
     "as [0, 0, 0]"},
    {SMALL "constraints: {where: all}\n",
     "s.yaml:6:14: constraints: found a map of keys, expected a list of maps of keys, each of "
     "which begins with a dash"},
    {"materials: [a]\n", "s.yaml:1:12: materials: found a list, expected a map of names, each of "
                         "which is followed by a colon"},
    {"[1, 2]\n", "s.yaml:1:1: expected a map of keys, such as bodies: {...}"},
    {"hello\n", "s.yaml:1:1: expected a map of keys, such as bodies: {...}"},
    // ranges
    {"materials: {a: {nu: 0.5}}\n", "s.yaml:1:21: materials.a.poisson: found '0.5'; allowed: "
                                    "greater than -1 and less than 0.5"},
    {"materials: {a: {nu: -1.2}}\n", "s.yaml:1:21: materials.a.poisson: found '-1.2'; allowed: "
                                     "greater than -1 and less than 0.5"},
    {"materials: {a: {E: 0}}\n", "s.yaml:1:20: materials.a.young: found '0'; allowed: greater than "
                                 "0 and at most 1e15 Pa"},
    {"materials: {a: {rho: 0}}\n", "s.yaml:1:22: materials.a.density: found '0'; allowed: greater "
                                   "than 0 and at most 1e9 kg/m^3"},
    {SMALL "time: {fps: -24}\n",
     "s.yaml:6:13: time.fps: found '-24'; allowed: from 1e-6 to 1e9 1/s"},
    {SMALL "time: {fps: 1e400}\n",
     "s.yaml:6:13: time.fps: found '1e400'; allowed: from 1e-6 to 1e9 1/s"},
    {SMALL "solver: {tolerance: 1e-320}\n",
     "s.yaml:6:21: solver.tolerance: found '1e-320', which is too close to zero; numbers other "
     "than 0 start at 2.3e-308"},
    {SMALL "solver: {tolerance: nan}\n",
     "s.yaml:6:21: solver.tolerance: found 'nan', expected a number such as 0.5, 1e5 or 1/24"},
    {SMALL "solver: {tolerance: 0x10}\n",
     "s.yaml:6:21: solver.tolerance: found '0x10', expected a number such as 0.5, 1e5 or 1/24"},
    {SMALL "    axis: [0, 0, 0]\n",
     "s.yaml:6:11: bodies.cube.axis: found [0, 0, 0]; a direction needs a length"},
    // variants
    {"materials: {a: rubber}\nbodies: {b: {geometry: {gird: {}}, material: a}}\n",
     "s.yaml:2:25: bodies.b.geometry: found 'gird'; allowed are grid, fill, file, arch, "
     "card_house, spikes, rod, ring, sheet, scroll, particles (did you mean 'grid'?)"},
    {"materials: {a: rubber}\nbodies: {b: {geometry: gird, material: a}}\n",
     "s.yaml:2:24: bodies.b.geometry: found 'gird'; allowed are grid, fill, file, arch, "
     "card_house, spikes, rod, ring, sheet, scroll, particles (did you mean 'grid'?)"},
    {"materials: {a: rubber}\nbodies: {b: {geometry: {grid: {}, file: x}, material: a}}\n",
     "s.yaml:2:24: bodies.b.geometry: found a map of keys with several, expected a map with one "
     "key, one of grid, fill, file, arch, card_house, spikes, rod, ring, sheet, scroll, particles"},
    {"materials: {a: rubber}\nbodies: {b: {geometry: [], material: a}}\n",
     "s.yaml:2:24: bodies.b.geometry: found a list, expected a map with one key, one of grid, "
     "fill, file, arch, card_house, spikes, rod, ring, sheet, scroll, particles"},
    {"materials: {a: rubber}\nbodies: {b: {geometry: fill, material: a}}\n",
     "s.yaml:2:24: bodies.b.geometry.fill: the key 'shape' is missing: The shape that is filled."},
    {"materials: {a: rubber}\nbodies: {b: {geometry: {fill: {shape: sphere}}, material: a}}\n",
     "s.yaml:2:39: bodies.b.geometry.fill.shape.sphere: the key 'radius' is missing: Radius."},
    // combinations
    {SMALL "constraints:\n- motion:\n    segments: [{duration: 1}]\n    keyframes: [{time: 0}]\n",
     "s.yaml:9:16: constraints[0].motion.keyframes: there are segments as well; a motion has one "
     "of the two"},
    {SMALL "constraints:\n- motion: {keyframes: [{time: 1}, {time: 1}]}\n",
     "s.yaml:7:42: constraints[0].motion.keyframes[1].time: found '1', expected a time after that "
     "of the keyframe before, 1"},
    {SMALL "constraints:\n- {axes: xw}\n", "s.yaml:7:10: constraints[0].axes: found 'xw'; allowed "
                                           "are x, y and z, each once, such as 'xz'"},
    {"materials: {a: {preset: rubber, mu: 1, E: 2}}\nbodies: {b: {geometry: grid, material: a}}\n",
     "s.yaml:1:37: materials.a.mu: young and poisson, or mu and lambda: both pairs together "
     "contradict"},
    {"materials: {a: {preset: rubber, parameters: {grip: 2}}}\n"
     "bodies: {b: {geometry: grid, material: a}}\n",
     "s.yaml:1:46: materials.a.parameters.grip: law 'fixed-corotated' has no such parameter; it "
     "has none"},
    {"materials:\n  a: {law: hencky, rho: 1, nu: 0.3}\nbodies: {b: {geometry: grid, material: a}}",
     "s.yaml:2:3: materials.a.young: is missing, and there is no preset; law 'hencky' needs it"},
    // the language itself
    {SMALL "time: {fps: 3\n",
     "s.yaml:7:1: did not find expected ',' or '}', while parsing a flow mapping that begins in "
     "line 6; is a comma or a brace missing?"},
    {SMALL "\ttime: 3\n",
     "s.yaml:6:1: a tab; YAML indents by spaces, so write spaces instead of it"},
    {SMALL "about: !!str 3\n", "s.yaml:6:8: tags such as !!str are not used in scenes"},
    {SMALL "---\nabout: x\n", "s.yaml:6:1: a second document; a scene is one document"},
    {SMALL "about: *nobody\n", "s.yaml:6:8: an alias to an anchor that is not there"},
    {SMALL "gravity: &g [0, *g, 0]\n", "s.yaml:6:17: an alias to something that contains it"},
    {SMALL "about: \"\\0\"\n", "s.yaml:6:8: a text must not hold a zero byte"},
    {SMALL "about: \x01\n", "s.yaml:6:8: control characters are not allowed"},
    {SMALL "about: \xC3(\n", "s.yaml:6:9: invalid trailing UTF-8 octet"},
    {"include: {a: b}\n", "s.yaml:1:10: include: expected the name of a file or a list of them"},
    {"include: [[a]]\n", "s.yaml:1:11: include: expected the name of a file or a list of them"},
};

static void every_fault_is_told_with_its_place(void **state)
{
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof fault_cases / sizeof *fault_cases; ++i) {
        REFUSED(context, try_text(context, fault_cases[i].text), fault_cases[i].message);
    }
}

// ---- shorthands and forms

static void shorthands_mean_what_they_stand_for(void **state)
{
    static const char *const pairs[][2] = {
        {SMALL "solver: newton\n", SMALL "solver: {name: newton}\n"},
        {SMALL "contact: penalty\n", SMALL "contact: {method: penalty, self: true}\n"},
        {SMALL "constraints: [{where: all}]\n", SMALL "constraints: [{}]\n"},
        {SMALL "constraints:\n- \n", SMALL "constraints: [{}]\n"},
        {SMALL "constraints: [{where: {all: {}}}]\n", SMALL "constraints: [null]\n"},
        {SMALL "constraints: [{where: {vertices: [3]}}]\n",
         SMALL "constraints: [{where: {vertices: {ids: [3]}}}]\n"},
        {SMALL "    start: rest\n", SMALL "    start: {rest: null}\n"},
        {SMALL "    start: {random: 2}\n", SMALL "    start: {random: {scale: 2}}\n"},
        {SMALL "    start: random\n", SMALL "    start: {random: {scale: 1}}\n"},
        {SMALL "constraints:\n", SMALL},
        {SMALL "time:\n", SMALL "time: {}\n"},
        {SMALL "about: ~\n", SMALL "about: ''\n"},
        {SMALL "time: {fps: 1/0.04}\n", SMALL "time: {fps: 25}\n"},
        {SMALL "time: {frames: 1e2}\n", SMALL "time: {frames: 100}\n"},
        {SMALL "solver: {linear: 'pcg'}\n", SMALL "solver: {linear: pcg}\n"},
        {SMALL "gravity: &g [1, 2, 3]\nconstraints: [{motion: {center: *g}}]\n",
         SMALL "gravity: [1, 2, 3]\nconstraints: [{motion: {center: [1, 2, 3]}}]\n"},
        {SMALL "solver: &a newton\nabout: *a\n", SMALL "solver: newton\nabout: newton\n"},
    };
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        if (hash_text(context, pairs[i][0]) != hash_text(context, pairs[i][1])) {
            fail_msg("%s", pairs[i][0]);
        }
    }
}

static void json_is_read_as_well(void **state)
{
    pli_context *context = *state;
    const char *json = "{\n\t\"materials\":{\"rubber\":{\"preset\":\"rubber\",\"E\":2.0e6}},\n"
                       "\t\"bodies\":{\"cube\":{\"geometry\":{\"grid\":{\"cells\":[2,2,2]}},"
                       "\"material\":\"rubber\"}},\n\t\"output\":{\"compress\":true,"
                       "\"fields\":[]},\n\t\"constraints\":null,\"about\":\"\\u00fc \\/\"\n}";
    const char *yaml = "materials: {rubber: {preset: rubber, young: 2e6}}\n"
                       "bodies:\n  cube:\n    geometry: {grid: {cells: [2, 2, 2]}}\n"
                       "    material: rubber\noutput: {compress: true}\nabout: \xC3\xBC /\n";
    assert_true(hash_text(context, json) == hash_text(context, yaml));
    REFUSED(context, try_text(context, "{\"materials\":{\"a\":{\"E\":\"1\"}}}"),
            "s.yaml:1:24: materials.a.young: found \"1\" in quotes, expected a number without");
}

static void line_ends_and_byte_order_marks_do_not_matter(void **state)
{
    pli_context *context = *state;
    char *text = read_everything(context);
    uint64_t hash = hash_text(context, text);

    // CRLF
    char *crlf = calloc(2 * strlen(text) + 1, 1);
    assert_non_null(crlf);
    char *out = crlf;
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\n') *out++ = '\r';
        *out++ = *c;
    }
    assert_true(hash_text(context, crlf) == hash);
    free(crlf);

    // UTF-8 with a mark, and UTF-16
    char *marked = calloc(strlen(text) + 4, 1);
    assert_non_null(marked);
    strcpy(marked, "\xEF\xBB\xBF");
    strcat(marked, text);
    assert_true(hash_text(context, marked) == hash);
    free(marked);
    char wide[2 + 2 * sizeof SMALL] = {(char)0xFF, (char)0xFE};
    for (size_t i = 0; i < strlen(SMALL); ++i) wide[2 + 2 * i] = SMALL[i];
    pli_scene *scene = NULL;
    OK(context, pli_scene_parse(context, wide, 2 + 2 * (int64_t)strlen(SMALL), "w", NULL, &scene));
    assert_true(pli_scene_hash(scene) == hash_text(context, SMALL));
    pli_scene_destroy(scene);
    REFUSED(context,
            try_text(context, "\xEF\xBB\xBF"
                              "seed: x\r\n"),
            "s.yaml:1:7: seed: found 'x', expected a number such as 0.5, 1e5 or 1/24");
    pli_release(context, text);
}

static void comma_locale_changes_nothing(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    char *text = read_everything(context);
    uint64_t hash = hash_text(context, text);
    // the build makes this locale where it can
    bool made = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    if (made) {
        assert_true(localeconv()->decimal_point[0] == ',');
        assert_true(hash_text(context, text) == hash);
        resolved_text_gives_the_same_scene(NULL);
        setlocale(LC_ALL, "C");
    }
    pli_release(context, text);
    pli_context_destroy(context);
    if (!made) skip();
}

// ---- limits

static void deep_nesting_is_refused(void **state)
{
    pli_context *context = *state;
    enum { DEPTH = 100000 };
    char *text = calloc(DEPTH + 16, 1);
    assert_non_null(text);
    strcpy(text, "about: ");
    memset(text + 7, '[', DEPTH);
    REFUSED(context, try_text(context, text), "s.yaml:1:71: nested more than 64 deep");
    memset(text + 7, '{', DEPTH);
    assert_int_equal(try_text(context, text), PLI_ERROR_SCENE);
    // block style, a level a line
    strcpy(text, "");
    char *out = text;
    for (int i = 0; i < 200; ++i) out += sprintf(out, "%*sa:\n", i, "");
    assert_int_equal(try_text(context, text), PLI_ERROR_SCENE);
    free(text);

    // aliases that deepen each other
    char chain[4096] = "a0: &a0 [1]\n";
    out = chain + strlen(chain);
    for (int i = 1; i < 100; ++i) out += sprintf(out, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    REFUSED(context, try_text(context, chain), "s.yaml:1:10: nested more than 64 deep");
}

static void aliases_cannot_explode(void **state)
{
    pli_context *context = *state;
    char text[4096] = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n";
    char *out = text + strlen(text);
    for (int i = 1; i < 12; ++i) {
        out += sprintf(out, "l%d: &l%d [", i, i);
        for (int k = 0; k < 9; ++k) out += sprintf(out, "%s*l%d", k > 0 ? ", " : "", i - 1);
        out += sprintf(out, "]\n");
    }
    clock_t start = clock();
    REFUSED(context, try_text(context, text),
            "s.yaml: has more than 1048576 values and keys, aliases written out; that is too many");
    // a few tenths of a second at most; the bound only tells an explosion from none
    AT_MOST((double)(clock() - start) / CLOCKS_PER_SEC, 20);
}

static void large_texts_are_refused_or_read(void **state)
{
    pli_context *context = *state;
    pli_scene *scene = NULL;
    int64_t limit = 16 << 20;
    REFUSED(context, pli_scene_parse(context, "", limit + 1, "big", NULL, &scene),
            "big: has 16777217 bytes; at most 16777216 can be read");
    assert_null(scene);

    // a long list is fine, ten thousand bodies as well
    char *text = calloc(1 << 20, 1);
    assert_non_null(text);
    char *out = text + sprintf(text, SMALL "constraints: [{where: {vertices: [");
    for (int i = 0; i < 100000; ++i) out += sprintf(out, "%d,", i);
    sprintf(out, "0]}}]\n");
    OK(context, try_text(context, text));
    out = text + sprintf(text, SMALL);
    for (int i = 0; i < 10000; ++i) {
        out += sprintf(out, "  b%d: {geometry: grid, material: rubber}\n", i);
    }
    OK(context, try_text(context, text));
    sprintf(out, "  b77: {geometry: grid, material: rubber}\n");
    REFUSED(context, try_text(context, text),
            "s.yaml:10006:3: the key 'b77' is there twice, first in line 83");
    free(text);
}

// ---- settings

static pli_status try_sets(pli_context *context, const char *text, const char *first,
                           const char *second, pli_scene **scene)
{
    const char *sets[] = {first, second};
    pli_load_def def = {.sets = sets, .set_count = second != NULL ? 2 : 1};
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", &def, scene);
}

static void set_is(pli_context *context, const char *setting, const char *text)
{
    pli_scene *scene = NULL;
    char *base = read_everything(context);
    OK(context, try_sets(context, base, setting, NULL, &scene));
    char *fields = list_fields(context, scene);
    char line[256];
    snprintf(line, sizeof line, "\n%s\n", text);
    if (strstr(fields, line) == NULL) fail_msg("%s does not give %s", setting, text);
    free(fields);
    pli_release(context, base);
    pli_scene_destroy(scene);
}

static void settings_change_any_value(void **state)
{
    pli_context *context = *state;
    set_is(context, "time.fps=30", "time.fps (1): 30");
    set_is(context, "solver=newton-plain", "solver.name (1): newton-plain");
    set_is(context, "solver=newton-plain", "solver.max_iterations (1): 200");
    set_is(context, "solver={max_iterations: 7}", "solver.name (1): newton");
    set_is(context, "gravity=[1, 2, 3]", "gravity (3): 1 2 3");
    set_is(context, "gravity[1]=5", "gravity (3): 0 5 0");
    set_is(context, "bodies.block.position.2=5", "bodies.block.position (3): 0 0.5 5");
    set_is(context, "materials.tyre.young=7", "materials.tyre.young (1): 7");
    set_is(context, "materials.tyre.E=7", "materials.tyre.young (1): 7");
    set_is(context, "materials.skin.E=7", "materials.skin.preset (1): tissue");
    set_is(context, "materials.new=rubber", "materials.new.preset (1): rubber");
    set_is(context, "constraints[2].axes=z", "constraints[2].axes (1): z");
    set_is(context, "constraints[0].where=all", "constraints[0].where (1):");
    set_is(context, "constraints[2].where.sphere.radius=3",
           "constraints[2].where.sphere.radius (1): 3");
    set_is(context, "constraints=[{axes: y}]", "constraints (1):");
    set_is(context, "bodies.block.start=rest", "bodies.block.start (1):");
    set_is(context, "bodies.block.start.stretched.scale[1]=9",
           "bodies.block.start.stretched.scale (3): 1.5 9 1");
    set_is(context, "bodies.block.geometry.grid.cells=[1,2,3]",
           "bodies.block.geometry.grid.cells (3): 1 2 3");
    set_is(context, "bodies.carved.geometry.fill.shape.difference.shapes[1].torus.radius=0.5",
           "bodies.carved.geometry.fill.shape.difference.shapes[1].torus.radius (1): 0.5");
    set_is(context, "bodies.carved.geometry.fill.shape.difference.shapes[1].sphere=2",
           "bodies.carved.geometry.fill.shape.difference.shapes[1].sphere.radius (1): 2");
    set_is(context, "about=", "about (1): ");
    set_is(context, "about=a=b", "about (1): a=b");
    set_is(context, "output.fields=[]", "output.fields (0):");

    // later ones win, and what the file lacks is made
    pli_scene *scene = NULL;
    OK(context,
       try_sets(context, SMALL, "constraints=[{axes: y}]", "constraints[0].axes=x", &scene));
    assert_string_equal(pli_scene_get(scene)->constraints[0].axes, "x");
    pli_scene_destroy(scene);
}

static const fault_case set_faults[] = {
    {"time.fpss=1", "--set time.fpss=1: time: unknown key 'fpss'; allowed are frames, fps, "
                    "steps_per_frame, integrator, mode (did you mean 'fps'?)"},
    {"tim=1", "--set tim=1: unknown key 'tim'; allowed are about, seed, up, gravity, materials, "
              "bodies, emitters, domain, constraints, attachments, colliders, contact, time, "
              "solver, output, checks (did you mean 'time'?)"},
    {"time.fps", "--set time.fps: expected PATH=VALUE, such as time.fps=30"},
    {"=3", "--set =3: expected PATH=VALUE, such as time.fps=30"},
    {"time.fps=0", "--set time.fps=0: time.fps: found '0'; allowed: from 1e-6 to 1e9 1/s"},
    {"time.fps=[",
     "--set time.fps=[: did not find expected node content, while parsing a flow node"},
    {"time.fps.x=1", "--set time.fps.x=1: time.fps: has no parts"},
    {"gravity[1]=1", "--set gravity[1]=1: gravity: there is no list to change an item of; give all "
                     "of it"},
    {"gravity.x=1", "--set gravity.x=1: gravity: expected the index of an item, such as [0]"},
    {"constraints[0].axes=x", "--set constraints[0].axes=x: constraints: there is no list to "
                              "change an item of; give all of it"},
    {"bodies.cube.start.randm=2", "--set bodies.cube.start.randm=2: bodies.cube.start: found "
                                  "'randm'; allowed are rest, random, collapsed, stretched (did "
                                  "you mean 'random'?)"},
    {"bodies.cube.material=steel", "--set bodies.cube.material=steel: bodies.cube.material: found "
                                   "'steel', which is not defined; defined are rubber"},
    {"bodies.b.material=rubber",
     "--set bodies.b.material=rubber: bodies.b: the key 'geometry' is missing: Where its "
     "tetrahedra, triangles or particles come from."},
};

static void settings_are_checked_like_the_file(void **state)
{
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof set_faults / sizeof *set_faults; ++i) {
        pli_scene *scene = NULL;
        REFUSED(context, try_sets(context, SMALL, set_faults[i].text, NULL, &scene),
                set_faults[i].message);
        assert_null(scene);
    }
    pli_scene *scene = NULL;
    REFUSED(context, try_sets(context, SMALL "gravity: [1, 2, 3]\n", "gravity[3]=1", NULL, &scene),
            "--set gravity[3]=1: gravity: there is no item 3; the list has 3");
    // the way to a value must not care what stood there before
    OK(context, try_sets(context, SMALL "time: [3]\n", "time.fps=3", NULL, &scene));
    NEAR(pli_scene_get(scene)->time.fps, 3, 0, 0);
    pli_scene_destroy(scene);
}

// ---- numbers in every numeric field

typedef struct number_paths {
    int32_t count;
    char path[512][160];
} number_paths;

static pli_status collect_path(void *user, const pli_visit *visit)
{
    number_paths *paths = user;
    if (visit->field == NULL) return PLI_OK;
    pli_items items = pli_field_get_items(visit->field, visit->holder);
    if (items.kind != PLI_ITEM_REAL && items.kind != PLI_ITEM_INTEGER) return PLI_OK;
    if (items.count == 0) return PLI_OK;
    assert_true(paths->count < 512);
    snprintf(paths->path[paths->count++], 160, "%s%s", visit->path, items.is_list ? "[0]" : "");
    return PLI_OK;
}

static void every_number_is_read_or_refused_with_its_range(void **state)
{
    static const char *const values[] = {
        "0",     "-1",     "NaN",   ".nan",       "-.inf",
        "1e308", "1e-320", "1e999", "2147483648", "9223372036854775808"};
    pli_context *context = *state;
    pli_scene *scene = load_everything(context);
    // the resolved text, in which every number can be reached by its path
    char *text = NULL;
    OK(context, pli_scene_to_yaml(scene, NULL, &text));
    number_paths *paths = calloc(1, sizeof *paths);
    assert_non_null(paths);
    OK(context,
       pli_schema_walk(context, pli_scene_schema(), pli_scene_get(scene), collect_path, paths));
    pli_scene_destroy(scene);
    AT_LEAST(paths->count, 100);
    for (int32_t i = 0; i < paths->count; ++i) {
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v) {
            char setting[256];
            char message[1024];
            snprintf(setting, sizeof setting, "%s=%s", paths->path[i], values[v]);
            pli_status status = try_sets(context, text, setting, NULL, &scene);
            if (v >= 2 && v != 5 && v < 8) assert_int_equal(status, PLI_ERROR_SCENE);
            if (status == PLI_OK) {
                pli_scene_destroy(scene);
                continue;
            }
            assert_int_equal(status, PLI_ERROR_SCENE);
            pli_context_message(context, message, sizeof message);
            bool is_told = strstr(message, "allowed: ") != NULL ||
                           strstr(message, "expected ") != NULL || strstr(message, "must be") ||
                           strstr(message, "too close") != NULL || strstr(message, "too many") ||
                           strstr(message, "contradict") != NULL || strstr(message, "needs") ||
                           strstr(message, "go up to") != NULL || strstr(message, " is ") != NULL;
            if (!is_told) fail_msg("%s: %s", setting, message);
        }
    }
    free(paths);
    pli_text_free(context, text);
}

// ---- memory

static pli_status read_and_write(pli_context *context, const char *text)
{
    pli_scene *scene = NULL;
    char *yaml = NULL;
    char *json = NULL;
    char *markdown = NULL;
    pli_status status = try_sets(context, text, "solver=newton", "materials.skin.E=5e4", &scene);
    if (status == PLI_OK) status = pli_scene_to_yaml(scene, NULL, &yaml);
    if (status == PLI_OK) status = pli_schema_to_json(context, &json);
    if (status == PLI_OK) status = pli_schema_to_markdown(context, &markdown);
    pli_text_free(context, markdown);
    pli_text_free(context, json);
    pli_text_free(context, yaml);
    pli_scene_destroy(scene);
    return status;
}

static void any_failing_allocation_leaves_nothing_behind(void **state)
{
    (void)state;
    pli_context *reader = make_context(1);
    char *text = read_everything(reader);
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        sweep.status = read_and_write(sweep.context, text);
    }
    pli_release(reader, text);
    pli_context_destroy(reader);
}

static void hear(void *user, pli_log_level level, const char *text)
{
    if (level == PLI_LOG_WARNING) snprintf(user, 256, "%s", text);
}

#define MOVED "bodies:\n  tray:\n    kind: obstacle\n    geometry: grid\n"

static void one_number_scales_all_three_directions(void **state)
{
    static const char *const pairs[][2] = {
        {SMALL "    scale: 5\n", SMALL "    scale: [5, 5, 5]\n"},
        {SMALL "    start: {stretched: 1.5}\n", SMALL "    start: {stretched: [1.5, 1.5, 1.5]}\n"},
        {SMALL "    start: {stretched: {scale: 2}}\n",
         SMALL "    start: {stretched: {scale: [2, 2, 2]}}\n"},
        {MOVED "    motion: {keyframes: [{time: 0}, {time: 1, scale: 2}]}\n",
         MOVED "    motion: {keyframes: [{time: 0}, {time: 1, scale: [2, 2, 2]}]}\n"},
        {MOVED "    motion: {segments: [{duration: 1, stretch: 0.5}]}\n",
         MOVED "    motion: {segments: [{duration: 1, stretch: [0.5, 0.5, 0.5]}]}\n"},
    };
    pli_context *context = *state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        assert_true(hash_text(context, pairs[i][0]) == hash_text(context, pairs[i][1]));
        assert_true(hash_text(context, pairs[i][0]) != hash_text(context, SMALL));
    }

    // what is no factor stays three numbers
    assert_int_equal(try_text(context, SMALL "    position: 5\n"), PLI_ERROR_SCENE);
    assert_int_equal(try_text(context, SMALL "    scale: [5, 5]\n"), PLI_ERROR_SCENE);
    char message[512];
    pli_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "expected a number or a list of three numbers"));
    assert_int_equal(try_text(context, SMALL "    scale: 0\n"), PLI_ERROR_SCENE);
}

static void warnings_tell_the_place_as_well(void **state)
{
    (void)state;
    char heard[256] = "";
    pli_context_def def = pli_context_def_default();
    def.log = hear;
    def.log_user = heard;
    pli_context *context = NULL;
    OK(NULL, pli_context_create(&def, &context));
    OK(context, try_text(context, "materials:\n  a: {preset: rubber, E: 50}\n"
                                  "bodies: {b: {geometry: grid, material: a}}\n"));
    assert_string_equal(heard, "s.yaml:2:26: materials.a.young: 50 Pa is unusually soft; check the "
                               "units (rubber has 1e6, steel 2e11)");
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(small_scene_gets_every_default, 1),
        TEST_IN_CONTEXT(everything_is_read_as_written, 1),
        cmocka_unit_test(resolved_text_gives_the_same_scene),
        TEST_IN_CONTEXT(odd_texts_survive_writing, 1),
        TEST_IN_CONTEXT(long_lists_are_written_in_lines, 1),
        TEST_IN_CONTEXT(every_fault_is_told_with_its_place, 1),
        cmocka_unit_test(warnings_tell_the_place_as_well),
        TEST_IN_CONTEXT(one_number_scales_all_three_directions, 1),
        TEST_IN_CONTEXT(shorthands_mean_what_they_stand_for, 1),
        TEST_IN_CONTEXT(json_is_read_as_well, 1),
        TEST_IN_CONTEXT(line_ends_and_byte_order_marks_do_not_matter, 1),
        cmocka_unit_test(comma_locale_changes_nothing),
        TEST_IN_CONTEXT(deep_nesting_is_refused, 1),
        TEST_IN_CONTEXT(aliases_cannot_explode, 1),
        TEST_IN_CONTEXT(large_texts_are_refused_or_read, 1),
        TEST_IN_CONTEXT(settings_change_any_value, 1),
        TEST_IN_CONTEXT(settings_are_checked_like_the_file, 1),
        TEST_IN_CONTEXT(every_number_is_read_or_refused_with_its_range, 1),
        cmocka_unit_test(any_failing_allocation_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

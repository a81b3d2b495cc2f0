// SPDX-License-Identifier: Apache-2.0
#include "scene_samples.h"

#include "io/scene/schema_list.h"

// what comes before the key or variant that a row is about
#define MESHES "materials: {m: rubber}\nbodies: {b: {geometry: grid, material: m}}\n"
#define PARTICLES                                                                          \
    "domain: 0.1\nbodies: {b: {geometry: {particles: {shape: {box: {size: [1, 1, 1]}}}}, " \
    "material: m}}\n"

typedef struct former_row {
    const char *holder; // struct of the key, or field of the variant
    const char *former;
    const char *name;
    const char *text; // %s is the key with its value, or the variant
    const char *value;
    const char *place; // of the warning
} former_row;

static const former_row rows[] = {
    {"yield", "friction", "drucker-prager",
     PARTICLES "materials: {m: {preset: sand, yield: {%s}}}\n", ": 40",
     "s.yaml:3:39: materials.m.yield"},
    {"collider", "hold", "boundary",
     PARTICLES "materials: {m: sand}\ncolliders: {c: {shape: plane, %s}}\n", ": slip",
     "s.yaml:4:31: colliders.c"},
    {"solver", "rest_guess", "rest_shape_guess", MESHES "solver: {%s}\n", ": false",
     "s.yaml:3:10: solver"},
    {"grid", "eases", "matrix_free_short_steps",
     PARTICLES "materials: {m: sand}\nsolver: {name: hot, grid: {%s}}\n", ": false",
     "s.yaml:4:28: solver.grid"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static pli_status parse(pli_context *context, const char *text, const char *set, pli_scene **scene)
{
    pli_load_def def = {.sets = &set, .set_count = set != NULL ? 1 : 0};
    return pli_scene_parse(context, text, (int64_t)strlen(text), "s.yaml", &def, scene);
}

// The text of a row with one name, or with both.
static void write_text(const former_row *row, const char *name, const char *also, char text[512])
{
    char item[128];
    int count = snprintf(item, sizeof item, "%s%s", name, row->value);
    if (also != NULL) {
        snprintf(item + count, sizeof item - (size_t)count, ", %s%s", also, row->value);
    }
    snprintf(text, 512, row->text, item); // NOLINT: the format is one of the table above
}

static void former_names_give_a_warning_and_the_same_scene(void **state)
{
    pli_context *context = *state;
    for (int k = 0; k < ROWS; ++k) {
        char text[512], want[256];
        pli_scene *now = NULL, *before = NULL;
        char *written = NULL;
        write_text(&rows[k], rows[k].name, NULL, text);
        OK(context, parse(context, text, NULL, &now));
        assert_int_equal(pli_scene_get_info(now).warning_count, 0);
        write_text(&rows[k], rows[k].former, NULL, text);
        OK(context, parse(context, text, NULL, &before));
        snprintf(want, sizeof want, "%s: '%s' is called '%s' now", rows[k].place, rows[k].former,
                 rows[k].name);
        assert_string_equal(pli_scene_get_info(before).warnings[0], want);
        assert_true(pli_scene_hash(now) == pli_scene_hash(before));

        // what is written says the new name
        OK(context, pli_scene_to_yaml(before, NULL, &written));
        char key[64];
        snprintf(key, sizeof key, " %s: ", rows[k].name);
        assert_non_null(strstr(written, rows[k].name));
        snprintf(key, sizeof key, " %s: %s\n", rows[k].former, rows[k].value + 2);
        assert_null(strstr(written, key));
        pli_text_free(context, written);
        pli_scene_destroy(before);
        pli_scene_destroy(now);
    }
}

static void both_names_at_once_are_refused(void **state)
{
    pli_context *context = *state;
    for (int k = 0; k < ROWS; ++k) {
        char text[512], message[512];
        pli_scene *scene = NULL;
        write_text(&rows[k], rows[k].name, rows[k].former, text);
        assert_int_equal(parse(context, text, NULL, &scene), PLI_ERROR_SCENE);
        pli_context_message(context, message, sizeof message);
        // a variant says one thing only, whatever its names are
        bool is_variant = strcmp(rows[k].holder, "yield") == 0;
        char want[128];
        snprintf(want, sizeof want, "'%s' and '%s' are two names of one key", rows[k].name,
                 rows[k].former);
        assert_non_null(strstr(message, is_variant ? "with several" : want));
    }

    // where files are merged as well
    pli_scene *scene = NULL;
    REFUSED(context,
            parse(context,
                  "include: []\n" MESHES "solver: {rest_shape_guess: true, rest_guess: true}\n",
                  NULL, &scene),
            "s.yaml:4:34: solver: 'rest_shape_guess' and 'rest_guess' are two names of one key");
}

static void settings_know_both_names(void **state)
{
    pli_context *context = *state;
    static const char *const texts[] = {MESHES, MESHES "solver: {rest_shape_guess: true}\n",
                                        MESHES "solver: {rest_guess: true}\n"};
    static const char *const sets[] = {"solver.rest_shape_guess=false", "solver.rest_guess=false",
                                       "solver={rest_guess: false}"};
    for (int k = 0; k < 9; ++k) {
        pli_scene *scene = NULL;
        OK(context, parse(context, texts[k / 3], sets[k % 3], &scene));
        assert_false(pli_scene_get(scene)->solver.rest_shape_guess);
        // the name that was said last counts
        assert_true((pli_scene_get_info(scene).warning_count > 0) == (k % 3 > 0));
        pli_scene_destroy(scene);
    }
    pli_scene *scene = NULL;
    OK(context,
       parse(context, PARTICLES "materials: {m: sand}\n", "materials.m.yield.friction=33", &scene));
    assert_string_equal(pli_scene_get_info(scene).warnings[0],
                        "--set materials.m.yield.friction=33: "
                        "materials.m.yield: 'friction' is called 'drucker-prager' now");
    pli_scene_destroy(scene);
}

static bool is_in_rows(const char *holder, const char *former)
{
    for (int k = 0; k < ROWS; ++k) {
        if (strcmp(rows[k].holder, holder) == 0 && strcmp(rows[k].former, former) == 0) return true;
    }
    return false;
}

static void every_former_name_is_tested_here(void **state)
{
    (void)state;
    static pli_schema_list list;
    pli_schema_list_build(&list, pli_scene_schema());
    int count = 0;
    for (int32_t i = 0; i < list.count; ++i) {
        const pli_schema *schema = list.parts[i].schema;
        for (int32_t k = 0; schema != NULL && k < schema->field_count; ++k) {
            const pli_field *field = &schema->fields[k];
            if (field->former == NULL) continue;
            assert_true(is_in_rows(schema->name, field->former));
            ++count;
        }
        const pli_field *choice = list.parts[i].choice;
        for (int32_t k = 0; choice != NULL && choice->variants[k] != NULL; ++k) {
            if (choice->variants[k]->former == NULL) continue;
            assert_true(is_in_rows(choice->key, choice->variants[k]->former));
            ++count;
        }
    }
    assert_int_equal(count, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(former_names_give_a_warning_and_the_same_scene, 1),
        TEST_IN_CONTEXT(both_names_at_once_are_refused, 1),
        TEST_IN_CONTEXT(settings_know_both_names, 1),
        cmocka_unit_test(every_former_name_is_tested_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

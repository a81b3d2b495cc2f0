// SPDX-License-Identifier: Apache-2.0
//
// Views as the page saves them: what they say reaches the picture, and anything else is refused
// with the file, the key, and what would be right.
#include "folder.h"
#include "support/fault_sweep.h"

#include "pliant/io.h"

static const char whole_view[] =
    "{\"pliant_view\": 1, \"camera\": {\"position\": [3, 2, 4], \"target\": [0, 1, 0], \"up\": "
    "[0, 0, 1], \"fov\": 35}, \"color\": {\"field\": \"velocity\", \"component\": 2, \"range\": "
    "[-1, 2.5], \"map\": \"diverging\"}, \"edges\": true, \"dark\": true, \"colliders\": "
    "\"glass\", \"hidden\": [\"lid\", \"\\u00e4\"], \"section\": {\"normal\": [1, 0, 0], "
    "\"offset\": 0.1}, \"size\": [960, 602]}";

static void write_text(folder_fixture *fix, const char *text, size_t count)
{
    FILE *file = fopen(in_folder(fix, "view.json"), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static pli_status load(folder_fixture *fix, const char *text, pli_view **view)
{
    write_text(fix, text, strlen(text));
    return pli_view_load(fix->context, in_folder(fix, "view.json"), view);
}

static void everything_a_view_says_reaches_the_picture(void **state)
{
    folder_fixture *fix = *state;
    pli_view *view = NULL;
    OK(fix->context, load(fix, whole_view, &view));
    pli_picture_def def = pli_picture_def_default();
    pli_view_apply(view, &def);
    assert_false(def.camera.automatic);
    const double position[] = {3, 2, 4}, target[] = {0, 1, 0}, up[] = {0, 0, 1};
    assert_memory_equal(def.camera.position, position, sizeof position);
    assert_memory_equal(def.camera.target, target, sizeof target);
    assert_memory_equal(def.camera.up, up, sizeof up);
    assert_true(def.camera.fov == 35);
    assert_string_equal(def.field, "velocity");
    assert_int_equal(def.component, 2);
    assert_false(def.automatic_range);
    assert_true(def.range[0] == -1 && def.range[1] == 2.5);
    assert_int_equal(def.colormap, PLI_COLORMAP_DIVERGING);
    assert_true(def.edges);
    assert_int_equal(def.background, PLI_BACKGROUND_DARK);
    assert_int_equal(def.colliders, PLI_COLLIDERS_GLASS);
    assert_int_equal(def.hidden_count, 2);
    assert_string_equal(def.hidden[0], "lid");
    assert_string_equal(def.hidden[1], "\xc3\xa4");
    assert_true(def.section.cuts && def.section.normal[0] == 1 && def.section.offset == 0.1);
    assert_int_equal(def.width, 960);
    assert_int_equal(def.height, 602);
    pli_view_destroy(view);
}

static void what_a_view_leaves_out_stays(void **state)
{
    folder_fixture *fix = *state;
    static const char *const texts[] = {
        "{\"pliant_view\": 1}",
        "{\"pliant_view\": 1, \"color\": null, \"section\": null, \"hidden\": []}",
        " {\"pliant_view\": 1.0, \"color\": {\"field\": null, \"range\": null}, \"edges\": false}"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        pli_view *view = NULL;
        OK(fix->context, load(fix, texts[k], &view));
        pli_picture_def def = pli_picture_def_default();
        def.width = 77;
        def.camera.azimuth = 12;
        pli_view_apply(view, &def);
        assert_int_equal(def.width, 77);
        assert_int_equal(def.height, 600);
        assert_true(def.camera.automatic && def.camera.azimuth == 12 && def.camera.fov == 28);
        assert_string_equal(def.field, "");
        assert_true(def.automatic_range);
        assert_false(def.section.cuts);
        assert_int_equal(def.hidden_count, 0);
        pli_view_destroy(view);
    }
}

static void anything_wrong_is_refused_with_its_key(void **state)
{
    folder_fixture *fix = *state;
#define VIEW(members) "{\"pliant_view\": 1, " members "}"
#define CAMERA(members) \
    VIEW("\"camera\": {\"position\": [1, 0, 0], \"target\": [0, 0, 0]" members "}")
    static const struct {
        const char *text;
        const char *message;
    } cases[] = {
        // not a view
        {"", "not JSON at byte 0"},
        {"NaN", "not JSON"},
        {"{\"pliant_view\": 1", "not JSON"},
        {"[]", "a view: found a list; allowed is an object"},
        {"null", "a view: found null"},
        {"{}", "'pliant_view' is missing"},
        {"{\"pliant_view\": 2}", "pliant_view: found 2; allowed are 1 to 1"},
        {"{\"pliant_view\": \"1\"}", "pliant_view: found a text; allowed is a number"},
        {"{\"pliant_view\": 1, \"pliant_view\": 1}", "pliant_view: is there twice"},
        // keys
        {VIEW("\"camara\": {}"), "unknown key 'camara'; allowed are"},
        {VIEW("\"camara\": {}"), "did you mean 'camera'?"},
        {CAMERA(", \"fow\": 3"), "camera: unknown key 'fow'"},
        {CAMERA(", \"fow\": 3"), "did you mean 'fov'?"},
        {VIEW("\"color\": {\"feild\": \"x\"}"), "did you mean 'field'?"},
        {VIEW("\"section\": {\"norml\": 1}"), "did you mean 'normal'?"},
        // camera
        {VIEW("\"camera\": null"), "camera: found null; allowed is an object"},
        {VIEW("\"camera\": {\"position\": [1, 2, 3]}"), "camera: 'target' is missing"},
        {VIEW("\"camera\": {\"target\": [1, 2, 3]}"), "camera: 'position' is missing"},
        {VIEW("\"camera\": {\"position\": [1, 2]}"), "camera.position: found 2 numbers; 3 are"},
        {VIEW("\"camera\": {\"position\": [1, 2, 3, 4]}"), "camera.position: found 4 numbers"},
        {VIEW("\"camera\": {\"position\": [1, null, 3]}"), "camera.position: found null"},
        {VIEW("\"camera\": {\"position\": 7}"), "found a number; allowed is a list of 3 numbers"},
        {VIEW("\"camera\": {\"position\": [1e300, 0, 0]}"), "camera.position: found 1e+300"},
        {VIEW("\"camera\": {\"position\": [0, 0, 1], \"target\": [0, 0, 1]}"), "two points"},
        {CAMERA(", \"up\": [0, 0, 0]"), "camera.up: must not be zero"},
        {CAMERA(", \"fov\": 0"), "camera.fov: found 0; allowed are 1 to 150"},
        {CAMERA(", \"fov\": \"wide\""), "camera.fov: found a text; allowed is a number"},
        // colours
        {VIEW("\"color\": \"velocity\""), "color: found a text; allowed is an object"},
        {VIEW("\"color\": {\"field\": 3}"), "color.field: found a number"},
        {VIEW("\"color\": {\"component\": 6}"), "color.component: found 6; allowed are -1 to 5"},
        {VIEW("\"color\": {\"component\": 0.5}"), "color.component: a whole number is needed"},
        {VIEW("\"color\": {\"range\": [1, 1]}"), "color.range: the first value must be less"},
        {VIEW("\"color\": {\"range\": [0]}"), "color.range: found 1 numbers; 2 are needed"},
        {VIEW("\"color\": {\"range\": \"auto\"}"), "color.range: found a text"},
        {VIEW("\"color\": {\"map\": \"divergent\"}"), "found 'divergent'; allowed are sequential"},
        {VIEW("\"color\": {\"map\": 1}"), "color.map: found a number; allowed is a text"},
        // the rest
        {VIEW("\"edges\": 1"), "edges: found a number; allowed is true or false"},
        {VIEW("\"dark\": \"yes\""), "dark: found a text; allowed is true or false"},
        {VIEW("\"colliders\": \"glas\""), "did you mean 'glass'?"},
        {VIEW("\"colliders\": false"), "colliders: found true or false; allowed is a text"},
        {VIEW("\"hidden\": \"lid\""), "hidden: found a text; allowed is a list of names"},
        {VIEW("\"hidden\": [\"lid\", 3]"), "hidden: found a number"},
        {VIEW("\"section\": true"), "section: found true or false; allowed is an object"},
        {VIEW("\"section\": {\"normal\": [1, 0, 0]}"), "section: 'offset' is missing"},
        {VIEW("\"section\": {\"offset\": 1}"), "section: 'normal' is missing"},
        {VIEW("\"section\": {\"normal\": [0, 0, 0]}"), "section.normal: must not be zero"},
        {VIEW("\"section\": {\"offset\": null}"), "section.offset: found null"},
        {VIEW("\"size\": [0, 10]"), "size: found 0; allowed are 1 to 16384"},
        {VIEW("\"size\": [10, 20000]"), "size: found 20000"},
        {VIEW("\"size\": [10.5, 20]"), "size: whole numbers are needed"},
        {VIEW("\"size\": 10"), "size: found a number; allowed is a list of 2 numbers"},
        {VIEW("\"edges\": NaN"), "not JSON"},
        {VIEW("\"size\": [1e999, 1]"), "view.json"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pli_view *view = (pli_view *)fix;
        char text[1024];
        assert_int_equal(load(fix, cases[k].text, &view), PLI_ERROR_ARGUMENT);
        assert_null(view);
        pli_context_message(fix->context, text, sizeof text);
        if (strstr(text, cases[k].message) == NULL) fail_msg("%s: %s", cases[k].text, text);
        assert_non_null(strstr(text, "view.json: "));
    }
}

static void files_that_are_no_views_are_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_view *view = NULL;
    // too large: 64 kB and a byte
    enum { SIZE = (1 << 16) + 1 };
    char *large = malloc(SIZE);
    assert_non_null(large);
    memset(large, ' ', SIZE);
    memcpy(large, "{\"pliant_view\": 1}", 18);
    write_text(fix, large, SIZE);
    assert_int_equal(pli_view_load(fix->context, in_folder(fix, "view.json"), &view), PLI_ERROR_IO);
    write_text(fix, large, SIZE - 1);
    OK(fix->context, pli_view_load(fix->context, in_folder(fix, "view.json"), &view));
    pli_view_destroy(view);
    free(large);
    // missing, and a folder
    assert_int_equal(pli_view_load(fix->context, in_folder(fix, "nothing"), &view), PLI_ERROR_IO);
    assert_int_equal(pli_view_load(fix->context, fix->folder, &view), PLI_ERROR_IO);
    assert_null(view);
}

static void names_are_counted(void **state)
{
    folder_fixture *fix = *state;
    pli_view *view = NULL;
    static char text[16384];
    size_t used = (size_t)snprintf(text, sizeof text, "{\"pliant_view\": 1, \"hidden\": [\"a\"");
    for (int k = 1; k < 1024; ++k) {
        used += (size_t)snprintf(text + used, sizeof text - used, ", \"b%d\"", k);
    }
    snprintf(text + used, sizeof text - used, "]}");
    OK(fix->context, load(fix, text, &view));
    pli_picture_def def = pli_picture_def_default();
    pli_view_apply(view, &def);
    assert_int_equal(def.hidden_count, 1024);
    assert_string_equal(def.hidden[1023], "b1023");
    pli_view_destroy(view);
    snprintf(text + used, sizeof text - used, ", \"more\"]}");
    assert_int_equal(load(fix, text, &view), PLI_ERROR_ARGUMENT);
    assert_true(message_has(fix->context, "hidden: has too many names"));
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    write_text(fix, whole_view, strlen(whole_view));
    for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
        pli_view *view = NULL;
        sweep.status = pli_view_load(sweep.context, in_folder(fix, "view.json"), &view);
        pli_view_destroy(view);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(everything_a_view_says_reaches_the_picture),
        TEST_IN_FOLDER(what_a_view_leaves_out_stays),
        TEST_IN_FOLDER(anything_wrong_is_refused_with_its_key),
        TEST_IN_FOLDER(files_that_are_no_views_are_refused),
        TEST_IN_FOLDER(names_are_counted),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("view", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// The folder residuals/ of a run: a frame and a line for every iterate, over stopping, going on,
// restarting, and without memory.
#include "folder.h"
#include "support/fault_sweep.h"

#include "io/file/json.h"
#include "pliant/pliant.h"

// A block that falls on a floor, while another kind of matter is poured.
#define SCENE                                                                              \
    "domain: {cell: 0.2, min: [0, 0, 0], max: [1.6, 1.6, 1.6]}\n"                          \
    "materials: {soft: {law: fixed-corotated, density: 1000, young: 1e4, poisson: 0.3}}\n" \
    "bodies: {cube: {geometry: {particles: {shape: {box: {size: [0.4, 0.4, 0.4]}}}},\n"    \
    "  position: [0.8, 0.4, 0.8], material: soft, velocity: [0, -2, 0]}}\n"                \
    "emitters: {jet: {shape: {box: {center: [0.4, 1.2, 0.8], size: [0.2, 0.2, 0.2]}},\n"   \
    "  material: soft, velocity: [0, -2, 0]}}\n"                                           \
    "time: {fps: 20, frames: 4}\n"                                                         \
    "output: {residuals: true}\n"

static const char *const implicit = SCENE "solver: hot\n";
static const char *const explicit_steps = SCENE "solver: regional\n";

typedef struct run_options {
    const char *yaml;
    const char *folder;
    int64_t steps;
    bool resume;
    bool force;
} run_options;

static pli_status execute(pli_context *context, const run_options *options)
{
    pli_scene *scene = NULL;
    pli_run *run = NULL;
    pli_status status = pli_scene_parse(context, options->yaml, (int64_t)strlen(options->yaml),
                                        "test", NULL, &scene);
    pli_run_def def = {0};
    def.scene = scene;
    def.folder = options->folder;
    def.steps = options->steps;
    def.resume = options->resume;
    def.force = options->force;
    if (status == PLI_OK) status = pli_run_create(&def, &run);
    if (status == PLI_OK) status = pli_run_execute(run);
    pli_run_destroy(run);
    pli_scene_destroy(scene);
    return status;
}

static char *path_in(const folder_fixture *fix, const char *name, char path[512])
{
    snprintf(path, 512, "%s/%s", fix->folder, name);
    return path;
}

// Every line of iterates.jsonl of folder/name stands for a frame; returns how many there are.
static int check_lines(folder_fixture *fix, const char *name)
{
    char path[512], file[256];
    snprintf(file, sizeof file, "%s/residuals/iterates.jsonl", name);
    size_t size = 0;
    char *bytes = read_bytes(path_in(fix, file, path), &size);
    pli_json json = {.context = fix->context};
    int count = 0;
    double before = 0;
    for (char *line = bytes, *end;
         (end = memchr(line, '\n', size - (size_t)(line - bytes))) != NULL;
         line = end + 1, ++count) {
        OK(fix->context, pli_json_parse(&json, line, end - line));
        const pli_json_node *root = &json.nodes[0];
        assert_true(pli_json_number(&json, root, "frame", -1) == count);
        double step = pli_json_number(&json, root, "step", -1);
        assert_true(step == before || step == before + 1);
        before = step;
        assert_true(pli_json_number(&json, root, "substep", 0) >= 1);
        assert_true(pli_json_number(&json, root, "round", 0) >= 1);
        assert_true(pli_json_number(&json, root, "iteration", -1) >= 0);
        assert_true(pli_json_number(&json, root, "residual", -1) >= 0);
    }
    pli_json_clear(&json);
    free(bytes);
    return count;
}

static void assert_same_file(folder_fixture *fix, const char *a, const char *b, const char *name)
{
    char paths[2][512], file[256];
    size_t counts[2];
    snprintf(file, sizeof file, "%s/residuals/%s", a, name);
    char *first = read_bytes(path_in(fix, file, paths[0]), &counts[0]);
    snprintf(file, sizeof file, "%s/residuals/%s", b, name);
    char *second = read_bytes(path_in(fix, file, paths[1]), &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(first, second, counts[0]);
    free(first);
    free(second);
}

static void every_iterate_is_a_frame(void **state)
{
    folder_fixture *fix = *state;
    char folder[512];
    run_options options = {.yaml = implicit, .folder = path_in(fix, "run", folder)};
    OK(fix->context, execute(fix->context, &options));
    int count = check_lines(fix, "run");
    // the start and an iteration at least, in each of four steps
    AT_LEAST(count, 8);
    assert_int_equal(count_entries(fix, "run/residuals/frames"), count);
    char path[512];
    pli_series *series = NULL;
    OK(fix->context, pli_series_create(fix->context, path_in(fix, "run/residuals", path), &series));
    assert_int_equal(pli_series_count(series), count);
    for (int32_t k = 0; k < count; ++k) {
        pli_frame *frame = NULL;
        OK(fix->context, pli_series_load(series, k, &frame));
        assert_int_equal(frame->part_count, 1);
        const pli_frame_part *part = &frame->parts[0];
        assert_string_equal(part->name, "particles");
        assert_true(part->point_count >= 64);
        assert_string_equal(part->fields[0].name, "residual");
        assert_string_equal(part->fields[1].name, "id");
        double largest = 0;
        for (int32_t i = 0; i < part->point_count; ++i) {
            assert_true(part->fields[0].values[i] >= 0);
            largest = fmax(largest, part->fields[0].values[i]);
        }
        AT_LEAST(largest, 1e-30);
        // a film of 24 a second; times are written with all digits
        NEAR(frame->time, k / 24.0, 1e-12, 0);
        pli_frame_destroy(frame);
    }
    pli_series_destroy(series);
}

static void stopping_and_going_on_gives_the_same_frames(void **state)
{
    folder_fixture *fix = *state;
    char folder[512];
    run_options options = {.yaml = implicit, .folder = path_in(fix, "whole", folder)};
    OK(fix->context, execute(fix->context, &options));
    int count = check_lines(fix, "whole");
    options.folder = path_in(fix, "parts", folder);
    options.steps = 2;
    OK(fix->context, execute(fix->context, &options));
    int some = check_lines(fix, "parts");
    assert_true(some > 0 && some < count);
    // the newest state is damaged, so that the second step is made once more
    write_bytes(in_folder(fix, "parts/checkpoint/step_00000002.h5"), "half", 4);
    options.steps = 0;
    options.resume = true;
    OK(fix->context, execute(fix->context, &options));
    assert_int_equal(check_lines(fix, "parts"), count);
    assert_int_equal(count_entries(fix, "parts/residuals/frames"), count);
    assert_same_file(fix, "whole", "parts", "iterates.jsonl");
    assert_same_file(fix, "whole", "parts", "series.pvd");
    for (int k = 0; k < count; ++k) {
        char name[64];
        snprintf(name, sizeof name, "frames/particles_%05d.vtp", k);
        assert_same_file(fix, "whole", "parts", name);
    }
    // restarting with steps that have none leaves none
    options = (run_options){.yaml = explicit_steps, .folder = folder, .force = true};
    OK(fix->context, execute(fix->context, &options));
    assert_int_not_equal(access(in_folder(fix, "parts/residuals"), F_OK), 0);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    folder_fixture *fix = *state;
    char folder[512];
    for (fault_sweep sweep = {.dense = 13, .stride = 29}; fault_sweep_next(&sweep);) {
        run_options options = {
            .yaml = implicit, .folder = path_in(fix, "run", folder), .steps = 2, .force = true};
        sweep.status = execute(sweep.context, &options);
    }
    check_lines(fix, "run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(every_iterate_is_a_frame),
        TEST_IN_FOLDER(stopping_and_going_on_gives_the_same_frames),
        TEST_IN_FOLDER(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("run_residuals", tests, NULL, NULL);
}

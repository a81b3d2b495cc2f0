// SPDX-License-Identifier: Apache-2.0
//
// Runs: what a folder holds, how a run ends, and that one which was stopped, killed or starved goes
// on as if nothing had happened.
#include "folder.h"
#include "support/fault_sweep.h"

#include "fake_sim.h"

#include "base/random.h"
#include "base/timers.h"
#include "io/file/json.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { FRAMES = 8 };

static pli_run_def run_def(const pli_scene *scene, const char *folder)
{
    pli_run_def def = {0};
    def.scene = scene;
    def.folder = folder;
    return def;
}

// A run of the scene in folder/a.
typedef struct run_fixture {
    folder_fixture *files;
    pli_context *context; // that of the files
    pli_scene scene;
    char folder[512];
    char reference[512]; // see make_reference
    pli_run_def def;
    pli_run_info info; // of what was executed last
} run_fixture;

// Creates and executes; returns what the first failing call returned.
static pli_status execute_def(const pli_run_def *def, pli_run_info *info)
{
    pli_run *run = NULL;
    memset(info, 0, sizeof *info);
    pli_status status = pli_run_create(def, &run);
    if (status != PLI_OK) return status;
    status = pli_run_execute(run);
    *info = pli_run_get_info(run);
    pli_run_destroy(run);
    return status;
}

static pli_status execute(run_fixture *fix)
{
    return execute_def(&fix->def, &fix->info);
}

static char *path_in(const char *folder, const char *name, char path[512])
{
    int length = snprintf(path, 512, "%s/%s", folder, name);
    assert_true(length > 0 && length < 512);
    return path;
}

static int count_lines(const char *folder, const char *name)
{
    char path[512];
    size_t count = 0;
    char *bytes = read_bytes(path_in(folder, name, path), &count);
    int lines = 0;
    for (size_t i = 0; i < count; ++i) lines += bytes[i] == '\n';
    free(bytes);
    return lines;
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    char path[512];
    size_t count_a = 0;
    size_t count_b = 0;
    char *bytes_a = read_bytes(path_in(a, name, path), &count_a);
    char *bytes_b = read_bytes(path_in(b, name, path), &count_b);
    assert_int_equal(count_a, count_b);
    assert_memory_equal(bytes_a, bytes_b, count_a);
    free(bytes_a);
    free(bytes_b);
}

// Frames, series and newest checkpoint of two folders are the same, byte by byte.
static void assert_same_results(const char *a, const char *b)
{
    char name[64];
    for (int32_t frame = 0; frame <= FRAMES; ++frame) {
        snprintf(name, sizeof name, "frames/springs_%05d.vtu", frame);
        assert_same_file(a, b, name);
    }
    assert_same_file(a, b, "series.pvd");
    snprintf(name, sizeof name, "checkpoint/step_%08d.h5", 2 * FRAMES);
    assert_same_file(a, b, name);
    assert_int_equal(count_lines(a, "steps.jsonl"), 2 * FRAMES);
    assert_int_equal(count_lines(b, "steps.jsonl"), 2 * FRAMES);
}

// An undisturbed run to compare with, in folder/reference.
static void make_reference(run_fixture *fix)
{
    pli_run_def def =
        run_def(&fix->scene, path_in(fix->files->folder, "reference", fix->reference));
    OK(fix->context, execute_def(&def, &fix->info));
    assert_int_equal(fix->info.outcome, PLI_RUN_DONE);
}

static int run_set_up(void **state)
{
    run_fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    folder_set_up((void **)&fix->files);
    fix->context = fix->files->context;
    fake_scene_init(&fix->scene, fix->context, FRAMES);
    fix->def = run_def(&fix->scene, path_in(fix->files->folder, "a", fix->folder));
    *state = fix;
    return 0;
}

static int run_tear_down(void **state)
{
    run_fixture *fix = *state;
    folder_tear_down((void **)&fix->files);
    free(fix);
    return 0;
}

#define TEST_OF_RUN(test) cmocka_unit_test_setup_teardown(test, run_set_up, run_tear_down)

static void read_run_json(run_fixture *fix, pli_json *json)
{
    char path[512];
    size_t count = 0;
    char *bytes = read_bytes(path_in(fix->folder, "run.json", path), &count);
    *json = (pli_json){.context = fix->context};
    OK(fix->context, pli_json_parse(json, bytes, (int64_t)count));
    free(bytes);
}

static void assert_status(run_fixture *fix, const char *status)
{
    pli_json json;
    read_run_json(fix, &json);
    assert_string_equal(pli_json_text(&json, &json.nodes[0], "status", ""), status);
    pli_json_clear(&json);
}

static void folder_holds_what_is_promised(void **state)
{
    run_fixture *fix = *state;
    fix->scene.def.output.iterations = true;
    fix->def = run_def(&fix->scene, path_in(fix->files->folder, "out/a", fix->folder));
    fix->def.command = "pliant run springs";
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.outcome, PLI_RUN_DONE);
    assert_int_equal(fix->info.step, 2 * FRAMES);
    assert_int_equal(fix->info.frame, FRAMES);
    assert_int_equal(count_entries(fix->files, "out/a/frames"), FRAMES + 1);
    assert_int_equal(count_entries(fix->files, "out/a/checkpoint"), 2);
    // scene, steps, iterations, series, run, report, lock, list of files and two folders
    assert_int_equal(count_entries(fix->files, "out/a"), 10);
    assert_int_equal(count_lines(fix->folder, "steps.jsonl"), 2 * FRAMES);
    assert_int_equal(count_lines(fix->folder, "iterations.jsonl"), 4 * FRAMES);

    pli_json json;
    read_run_json(fix, &json);
    const pli_json_node *root = &json.nodes[0];
    assert_string_equal(pli_json_text(&json, root, "status", ""), "done");
    assert_string_equal(pli_json_text(&json, root, "command", ""), "pliant run springs");
    assert_string_equal(pli_json_text(&json, root, "health", ""), "good");
    assert_string_equal(pli_json_text(&json, root, "up", ""), "y");
    assert_true(pli_json_number(&json, root, "seed", 0) == 7);
    assert_true(pli_json_number(&json, root, "steps", 0) == 2 * FRAMES);
    assert_true(pli_json_number(&json, root, "peak_memory", 0) > 1e6);
    const pli_json_node *seconds = pli_json_get(&json, root, "seconds");
    // sixteen equal terms
    NEAR(pli_json_number(&json, seconds, "springs", 0), 2 * FRAMES * 1e-5, 1e-14, 0);
    pli_json_clear(&json);
}

static void folder_of_another_run_is_refused_without_force(void **state)
{
    run_fixture *fix = *state;
    OK(fix->context, execute(fix));
    assert_int_equal(mkdir(in_folder(fix->files, "a/pictures"), 0777), 0);
    write_bytes(in_folder(fix->files, "a/pictures/frame_00000.png"), "mine", 4);
    assert_int_equal(execute(fix), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "already holds a run"));
    assert_int_equal(count_lines(fix->folder, "steps.jsonl"), 2 * FRAMES);

    // by force, a shorter run leaves nothing of the longer one, and pictures of it stay
    fix->def.force = true;
    fix->def.frames = 1;
    OK(fix->context, execute(fix));
    assert_int_equal(count_entries(fix->files, "a/frames"), 2);
    assert_int_equal(count_entries(fix->files, "a/checkpoint"), 1);
    assert_int_equal(access(in_folder(fix->files, "a/pictures/frame_00000.png"), R_OK), 0);
    fix->def.resume = true;
    assert_int_equal(execute(fix), PLI_ERROR_ARGUMENT);
}

static void two_runs_never_share_a_folder(void **state)
{
    run_fixture *fix = *state;
    pli_run *run = NULL;
    bool more = false;
    OK(fix->context, pli_run_create(&fix->def, &run));
    OK(fix->context, pli_run_advance(run, &more));
    pli_run_def other = fix->def;
    other.force = true;
    assert_int_equal(execute_def(&other, &fix->info), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "in use by another run"));
    other.force = false;
    other.resume = true;
    assert_int_equal(execute_def(&other, &fix->info), PLI_ERROR_IO);
    OK(fix->context, pli_run_execute(run));
    pli_run_destroy(run);
    assert_int_equal(count_lines(fix->folder, "steps.jsonl"), 2 * FRAMES);
}

static void unusable_folders_are_refused_and_left_alone(void **state)
{
    run_fixture *fix = *state;
    write_bytes(in_folder(fix->files, "file"), "x", 1);
    fix->def = run_def(&fix->scene, path_in(fix->files->folder, "file", fix->folder));
    assert_int_equal(execute(fix), PLI_ERROR_IO);
    fix->def.folder = "";
    assert_int_equal(execute(fix), PLI_ERROR_ARGUMENT);
    fix->def.folder = path_in(fix->files->folder, "a", fix->folder);
    fix->def.frames = -1;
    assert_int_equal(execute(fix), PLI_ERROR_ARGUMENT);

    // the scene file itself stands in the folder
    fix->def.frames = 0;
    assert_int_equal(mkdir(fix->folder, 0777), 0);
    char source[512];
    write_bytes(path_in(fix->folder, "scene.yaml", source), "about: mine\n", 12);
    fix->scene.source = source;
    fix->def.force = true;
    assert_int_equal(execute(fix), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "is the scene itself"));
    size_t count = 0;
    char *bytes = read_bytes(source, &count);
    assert_int_equal(count, 12);
    free(bytes);
}

// Stops after a number of questions.
static bool cancel_later(void *user)
{
    int *left = user;
    return --*left < 0;
}

static void interrupted_run_resumes_bit_for_bit(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    // three questions a step: stops before, within and between steps, often in mid-frame
    for (int questions = 0; questions < 3 * 2 * FRAMES; questions += 5) {
        int left = questions;
        char name[64];
        snprintf(name, sizeof name, "a%d", questions);
        fix->def = run_def(&fix->scene, path_in(fix->files->folder, name, fix->folder));
        fix->def.cancel = cancel_later;
        fix->def.cancel_user = &left;
        assert_int_equal(execute(fix), PLI_ERROR_INTERRUPTED);
        assert_int_equal(fix->info.outcome, PLI_RUN_INTERRUPTED);
        assert_int_equal(fix->info.step, questions / 3);
        assert_true(message_has(fix->context, "is saved in"));
        assert_status(fix, "interrupted");
        assert_int_equal(access(path_in(fix->folder, "report.html", fix->files->path), R_OK), 0);

        fix->def.cancel = NULL;
        fix->def.resume = true;
        OK(fix->context, execute(fix));
        assert_int_equal(fix->info.first_step, questions / 3);
        assert_same_results(fix->reference, fix->folder);
        assert_status(fix, "done");
    }
}

static void limits_stop_and_are_no_failure(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    fix->def.steps = 5;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.outcome, PLI_RUN_LIMITED);
    assert_int_equal(fix->info.step, 5);
    fix->def.resume = true;
    fix->def.steps = 0;
    fix->def.seconds = 1e-9;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.outcome, PLI_RUN_LIMITED);
    assert_int_equal(fix->info.step, 5);
    fix->def.seconds = 0;
    fix->def.frames = 3;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.outcome, PLI_RUN_DONE);
    // a longer run may go on from a finished one
    fix->def.frames = 0;
    OK(fix->context, execute(fix));
    assert_same_results(fix->reference, fix->folder);
    // and a finished one has nothing left to do
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.outcome, PLI_RUN_DONE);
    assert_same_results(fix->reference, fix->folder);
}

static void rejected_step_fails_with_the_state_saved(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    fake.reject_at = 8;
    assert_int_equal(execute(fix), PLI_ERROR_NUMERIC);
    assert_int_equal(fix->info.outcome, PLI_RUN_FAILED);
    assert_true(message_has(fix->context, "step 8 was rejected (nonfinite)"));
    assert_true(message_has(fix->context, "the state of step 7 is saved in"));
    assert_status(fix, "failed");
    fake.reject_at = 0;
    fix->def.resume = true;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.first_step, 7);
    assert_same_results(fix->reference, fix->folder);
}

static void broken_state_does_not_push_out_good_ones(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    fake.nonfinite_at = 7;
    assert_int_equal(execute(fix), PLI_ERROR_NUMERIC);
    assert_int_equal(fix->info.outcome, PLI_RUN_BROKEN);
    assert_true(message_has(fix->context, "the state of step 4 is saved in"));
    fake.nonfinite_at = 0;
    fix->def.resume = true;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.first_step, 4);
    assert_same_results(fix->reference, fix->folder);
}

static void unconverged_steps_are_never_silent(void **state)
{
    run_fixture *fix = *state;
    fake.stall_at = 3;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.unconverged, 1);
    pli_json json;
    read_run_json(fix, &json);
    const pli_json_node *warnings = pli_json_get(&json, &json.nodes[0], "warnings");
    assert_non_null(pli_json_child(&json, warnings));
    assert_true(pli_json_number(&json, &json.nodes[0], "unconverged", 0) == 1);
    pli_json_clear(&json);
}

static void warnings_of_the_log_stand_in_the_record(void **state)
{
    run_fixture *fix = *state;
    pli_run *run = NULL;
    OK(fix->context, pli_run_create(&fix->def, &run));
    PLI_LOG(fix->context, PLI_LOG_WARNING, "step 3: something is odd");
    PLI_LOG(fix->context, PLI_LOG_INFO, "all is well");
    OK(fix->context, pli_run_execute(run));
    pli_run_destroy(run);
    // nobody listens any more
    PLI_LOG(fix->context, PLI_LOG_WARNING, "too late");
    pli_json json;
    read_run_json(fix, &json);
    const pli_json_node *logged = pli_json_get(&json, &json.nodes[0], "logged");
    const pli_json_node *first = pli_json_child(&json, logged);
    assert_non_null(first);
    assert_string_equal(first->text, "step 3: something is odd");
    assert_null(pli_json_next(&json, first));
    pli_json_clear(&json);
}

static void checkpoint_of_another_scene_is_refused(void **state)
{
    run_fixture *fix = *state;
    fix->def.steps = 9;
    OK(fix->context, execute(fix));
    fix->def.resume = true;
    fix->scene.def.seed = 8;
    assert_int_equal(execute(fix), PLI_ERROR_SCENE);
    assert_true(message_has(fix->context, "belongs to another scene"));
    // what changes no result is not another scene
    fix->scene.def.seed = 7;
    fix->scene.def.about = "other words";
    fix->scene.def.output.every = 2;
    OK(fix->context, execute(fix));
    // without checkpoints, resuming may begin again, but only for the same scene
    remove_folder(path_in(fix->folder, "checkpoint", fix->files->path));
    fix->scene.def.seed = 8;
    assert_int_equal(execute(fix), PLI_ERROR_SCENE);
    fix->scene.def.seed = 7;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.first_step, 0);
}

static void damaged_checkpoint_falls_back_to_the_one_before(void **state)
{
    run_fixture *fix = *state;
    char path[512];
    make_reference(fix);
    fix->def.steps = 9;
    OK(fix->context, execute(fix));
    // checkpoints of steps 8 and 9 are there; 9 loses its end
    assert_int_equal(truncate(path_in(fix->folder, "checkpoint/step_00000009.h5", path), 3000), 0);
    fix->def.resume = true;
    fix->def.steps = 0;
    OK(fix->context, execute(fix));
    assert_int_equal(fix->info.first_step, 8);
    assert_same_results(fix->reference, fix->folder);
    // none is whole
    assert_int_equal(truncate(path_in(fix->folder, "checkpoint/step_00000012.h5", path), 3000), 0);
    assert_int_equal(truncate(path_in(fix->folder, "checkpoint/step_00000016.h5", path), 100), 0);
    assert_int_equal(execute(fix), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "no checkpoint can be used"));
}

static void full_disk_is_an_io_failure_and_resumable(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    assert_int_equal(mkdir(fix->folder, 0777), 0);
    for (int kib = 40; kib <= 160; kib += 24) {
        char size[32];
        snprintf(size, sizeof size, "size=%dk", kib);
        if (mount("none", fix->folder, "tmpfs", 0, size) != 0) skip();
        fix->def = run_def(&fix->scene, fix->folder);
        pli_status status = execute(fix);
        bool full = status == PLI_ERROR_IO;
        assert_true(status == PLI_OK || full);
        if (full) assert_true(message_has(fix->context, fix->folder));
        // room again
        assert_int_equal(mount("none", fix->folder, "tmpfs", MS_REMOUNT, "size=4m"), 0);
        fix->def.resume = true;
        if (full) OK(fix->context, execute(fix));
        assert_same_results(fix->reference, fix->folder);
        assert_int_equal(umount(fix->folder), 0);
    }
}

static void folder_removed_during_the_run_stops_it(void **state)
{
    run_fixture *fix = *state;
    pli_run *run = NULL;
    bool more = false;
    OK(fix->context, pli_run_create(&fix->def, &run));
    OK(fix->context, pli_run_advance(run, &more));
    remove_folder(fix->folder);
    assert_int_equal(pli_run_execute(run), PLI_ERROR_IO);
    assert_int_equal(pli_run_advance(run, &more), PLI_ERROR_ARGUMENT);
    assert_false(more);
    pli_run_destroy(run);
    assert_int_not_equal(access(fix->folder, F_OK), 0);
}

typedef struct heard {
    int count;
    pli_run_progress last;
} heard;

static void hear_progress(void *user, const pli_run_progress *progress)
{
    heard *h = user;
    ++h->count;
    h->last = *progress;
    assert_int_equal(progress->step, progress->report->step);
}

static void progress_is_told_at_every_step(void **state)
{
    run_fixture *fix = *state;
    heard h = {0};
    fix->def.progress = hear_progress;
    fix->def.progress_user = &h;
    OK(fix->context, execute(fix));
    assert_int_equal(h.count, 2 * FRAMES);
    assert_int_equal(h.last.frame, FRAMES);
    assert_int_equal(h.last.frame_count, FRAMES);
    assert_true(h.last.seconds_left == 0);
    NEAR(h.last.time, FRAMES / 24.0, 1e-15, 0);
}

// Runs in a process of its own, which is killed after some time; returns whether it finished.
static bool run_in_process(const char *folder, useconds_t lifetime)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        pli_context *context = make_context(1);
        pli_scene scene;
        pli_run_info info;
        fake_scene_init(&scene, context, FRAMES);
        fake.step_microseconds = 300;
        pli_run_def def = run_def(&scene, folder);
        def.resume = true;
        _exit(execute_def(&def, &info) == PLI_OK ? 0 : 1);
    }
    if (lifetime > 0) {
        usleep(lifetime);
        kill(child, SIGKILL);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) assert_int_equal(WEXITSTATUS(status), 0);
    return WIFEXITED(status);
}

static void killed_run_goes_on_bit_for_bit(void **state)
{
    folder_fixture *fix = *state;
    char reference[512];
    char folder[512];
    path_in(fix->folder, "reference", reference);
    double began = pli_clock_seconds();
    assert_true(run_in_process(reference, 0));
    double whole = 1e6 * (pli_clock_seconds() - began); // of a run that nobody kills (us)
    pli_random random = {11, 1};
    int kills = 0;
    for (uint64_t i = 0; i < 12; ++i) {
        char name[64];
        snprintf(name, sizeof name, "a%d", (int)i);
        path_in(fix->folder, name, folder);
        uint64_t attempt = 0;
        // each life a little longer, so that it ends
        for (;;) {
            double longest = (0.5 + 0.1 * (double)attempt) * whole;
            double life = pli_random_range(random, 100 * i + attempt, 0.01 * whole, longest);
            if (run_in_process(folder, (useconds_t)life)) break;
            ++attempt;
            ++kills;
        }
        assert_same_results(reference, folder);
        // no draft of a killed process is left
        snprintf(name, sizeof name, "a%d/frames", (int)i);
        assert_int_equal(count_entries(fix, name), FRAMES + 1);
    }
    assert_true(kills > 10);
}

static void any_failed_allocation_leaks_nothing(void **state)
{
    run_fixture *fix = *state;
    make_reference(fix);
    for (fault_sweep sweep = {.dense = 60, .stride = 7}; fault_sweep_next(&sweep);) {
        fake_scene_init(&fix->scene, sweep.context, FRAMES);
        pli_run_def run = run_def(&fix->scene, fix->folder);
        run.resume = true;
        sweep.status = execute_def(&run, &fix->info);
    }
    // however often it was starved, the results are those of an undisturbed run
    assert_same_results(fix->reference, fix->folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        // first: processes are best made before threads
        TEST_IN_FOLDER(killed_run_goes_on_bit_for_bit),
        TEST_OF_RUN(folder_holds_what_is_promised),
        TEST_OF_RUN(folder_of_another_run_is_refused_without_force),
        TEST_OF_RUN(two_runs_never_share_a_folder),
        TEST_OF_RUN(unusable_folders_are_refused_and_left_alone),
        TEST_OF_RUN(interrupted_run_resumes_bit_for_bit),
        TEST_OF_RUN(limits_stop_and_are_no_failure),
        TEST_OF_RUN(rejected_step_fails_with_the_state_saved),
        TEST_OF_RUN(broken_state_does_not_push_out_good_ones),
        TEST_OF_RUN(unconverged_steps_are_never_silent),
        TEST_OF_RUN(warnings_of_the_log_stand_in_the_record),
        TEST_OF_RUN(checkpoint_of_another_scene_is_refused),
        TEST_OF_RUN(damaged_checkpoint_falls_back_to_the_one_before),
        TEST_OF_RUN(full_disk_is_an_io_failure_and_resumable),
        TEST_OF_RUN(folder_removed_during_the_run_stops_it),
        TEST_OF_RUN(progress_is_told_at_every_step),
        TEST_OF_RUN(any_failed_allocation_leaks_nothing),
    };
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// A simulation that a person reaches into (Xian et al. 2019): hands, pins, settings, the log and
// its replay.
#include "folder.h"
#include "serve/live.h"
#include "serve/live_log.h"
#include "serve/live_settings.h"

#include "pliant/serve.h"

#include <math.h>

static const char *bar_text =
    "materials: {soft: {law: corotated, density: 1000, young: 5e4, poisson: 0, drag: 2}}\n"
    "bodies: {bar: {geometry: {grid: {size: [1, 0.2, 0.2], cells: [10, 2, 2]}}, material: soft}}\n"
    "constraints: [{where: {half_space: {point: [-0.49, 0, 0], normal: [-1, 0, 0]}}}]\n"
    "gravity: [0, 0, 0]\n"
    "time: {fps: 60, frames: 10}\n"
    "solver: pd-multigrid\n";

static pli_live *make_live(folder_fixture *fix, const char *text, const char *folder)
{
    pli_scene *scene = NULL;
    pli_live *live = NULL;
    assert_int_equal(
        pli_scene_parse(fix->context, text, (int64_t)strlen(text), "bar.yaml", NULL, &scene),
        PLI_OK);
    pli_live_options options = {.scene = scene, .folder = folder, .logs = folder != NULL};
    assert_int_equal(pli_live_create(fix->context, &options, &live), PLI_OK);
    pli_scene_destroy(scene);
    return live;
}

static pli_status tell(pli_live *live, pli_live_command command)
{
    if (command.strength == 0) command.strength = 1;
    return pli_live_do(live, &command);
}

static void take_steps(pli_live *live, int32_t count)
{
    for (int32_t k = 0; k < count; ++k) {
        pli_step_report report;
        assert_int_equal(pli_live_step(live, &report), PLI_OK);
        assert_true(report.stop > 0);
    }
}

// the vertex at the middle of the far end
static int32_t find_tip(const pli_live *live)
{
    const double *x = pli_model_get_mesh(pli_live_model(live)).rest_positions;
    pli_model_info info = pli_model_get_info(pli_live_model(live));
    for (int32_t i = 0; i < info.vertex_count; ++i) {
        if (x[3 * i] > 0.49 && fabs(x[3 * i + 1]) < 1e-9 && fabs(x[3 * i + 2]) < 1e-9) return i;
    }
    fail();
    return 0;
}

static const double *place_of(const pli_live *live, int32_t vertex)
{
    return pli_state_get(pli_live_state(live)).positions + 3 * (int64_t)vertex;
}

static pli_live_command drag_to(int32_t vertex, double x, double y, double z)
{
    return (pli_live_command){
        .kind = PLI_LIVE_DRAG, .hand = 1, .body = "bar", .vertex = vertex, .target = {x, y, z}};
}

static void body_follows_the_hand_and_returns(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    int32_t tip = find_tip(live);
    assert_int_equal(tell(live, drag_to(tip, 0.5, 0.2, 0)), PLI_OK);
    take_steps(live, 120);
    // the hand is stronger than the bar
    NEAR(place_of(live, tip)[1], 0.2, 0, 0.05);
    int32_t count = 0;
    assert_int_equal(pli_live_hands(live, &count)[0].id, 1);
    assert_int_equal(count, 1);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RELEASE, .hand = 1}), PLI_OK);
    take_steps(live, 400);
    // drag takes the swinging away within a second
    NEAR(place_of(live, tip)[1], 0, 0, 0.02);
    pli_live_destroy(live);
}

static void hand_takes_a_patch_not_a_point(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    int32_t tip = find_tip(live);
    pli_live_command wide = drag_to(tip, 0.5, 0.1, 0);
    wide.radius = 0.15;
    assert_int_equal(tell(live, wide), PLI_OK);
    const double *stiffness = pli_state_get(pli_live_state(live)).grip_stiffnesses;
    const double *rest = pli_model_get_mesh(pli_live_model(live)).rest_positions;
    pli_model_info info = pli_model_get_info(pli_live_model(live));
    int32_t held = 0;
    for (int32_t i = 0; i < info.vertex_count; ++i) {
        double distance =
            sqrt(pow(rest[3 * i] - 0.5, 2) + pow(rest[3 * i + 1], 2) + pow(rest[3 * i + 2], 2));
        assert_int_equal(stiffness[i] > 0, distance < 0.15 - 1e-9);
        if (stiffness[i] > 0) {
            ++held;
            assert_true(stiffness[i] <= stiffness[tip]);
            // every vertex of the patch is drawn by the same way
            NEAR(pli_state_get(pli_live_state(live)).grip_targets[3 * i + 1] - rest[3 * i + 1], 0.1,
                 0, 1e-12);
        }
    }
    assert_true(held > 5);
    pli_live_destroy(live);
}

static void pin_holds_where_matter_is(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    int32_t tip = find_tip(live);
    pli_live_command pin = {.kind = PLI_LIVE_PIN, .body = "bar", .vertex = tip, .strength = 1};
    assert_int_equal(pli_live_do(live, &pin), PLI_OK);
    assert_int_equal(pin.hand, -1);
    pli_live_command fall = {.kind = PLI_LIVE_SET, .path = "gravity", .value = "[0, -9.81, 0]"};
    assert_int_equal(tell(live, fall), PLI_OK);
    take_steps(live, 200);
    NEAR(place_of(live, tip)[1], 0, 0, 0.01);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_UNPIN}), PLI_OK);
    int32_t count = 1;
    pli_live_hands(live, &count);
    assert_int_equal(count, 0);
    take_steps(live, 200);
    assert_true(place_of(live, tip)[1] < -0.05);
    pli_live_destroy(live);
}

static void setting_changes_the_model_and_keeps_the_state(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    assert_int_equal(tell(live, drag_to(find_tip(live), 0.5, 0.1, 0)), PLI_OK);
    take_steps(live, 10);
    double before[3];
    memcpy(before, place_of(live, find_tip(live)), sizeof before);
    uint64_t hash = pli_state_hash(pli_live_state(live));
    pli_live_command stiffer = {
        .kind = PLI_LIVE_SET, .path = "materials.soft.young", .value = "1e6"};
    assert_int_equal(tell(live, stiffer), PLI_OK);
    NEAR(pli_scene_get(pli_live_scene(live))->materials[0].young, 1e6, 0, 0);
    // hands hold on to what they hold, with the strength they had
    assert_int_equal(pli_state_hash(pli_live_state(live)), hash);
    assert_memory_equal(place_of(live, find_tip(live)), before, sizeof before);
    assert_int_equal(pli_state_get(pli_live_state(live)).step, 10);
    pli_live_command solver = {.kind = PLI_LIVE_SET, .path = "solver.name", .value = "newton"};
    assert_int_equal(tell(live, solver), PLI_OK);
    take_steps(live, 5);
    pli_live_destroy(live);
}

// Refuses a command, says why, and changes nothing.
static void refuse(folder_fixture *fix, pli_live *live, pli_live_command command, const char *why)
{
    char message[1024];
    uint64_t hash = pli_state_hash(pli_live_state(live));
    assert_true(tell(live, command) != PLI_OK);
    pli_context_message(fix->context, message, sizeof message);
    if (strstr(message, why) == NULL) fail_msg("'%s' does not say '%s'", message, why);
    assert_int_equal(pli_state_hash(pli_live_state(live)), hash);
}

static void wrong_commands_are_refused_and_change_nothing(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    take_steps(live, 2);
    pli_live_command strange = drag_to(0, 0, 0, 0);
    strcpy(strange.body, "<b>none</b>");
    refuse(*state, live, strange, "no body");
    refuse(*state, live, drag_to(1000000, 0, 0, 0), "no vertex");
    refuse(*state, live, (pli_live_command){.kind = PLI_LIVE_RELEASE, .hand = 7},
           "nothing is held");
    pli_live_command set = {.kind = PLI_LIVE_SET, .path = "materials.soft.young", .value = "-1"};
    refuse(*state, live, set, "young");
    strcpy(set.value, "nan");
    refuse(*state, live, set, "young");
    // what would read files or change what there is
    strcpy(set.path, "bodies.bar.geometry");
    strcpy(set.value, "{file: {path: /etc/passwd}}");
    refuse(*state, live, set, "can't be changed");
    strcpy(set.path, "include");
    refuse(*state, live, set, "can't be changed");
    refuse(*state, live, (pli_live_command){.kind = PLI_LIVE_RECORD, .on = true}, "no folder");
    take_steps(live, 2);
    pli_live_destroy(live);
}

static void too_many_hands_are_refused(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    pli_live_command drag = drag_to(0, 0, 0, 0);
    for (int32_t k = 1; k <= PLI_LIVE_HANDS; ++k) {
        drag.hand = k;
        assert_int_equal(tell(live, drag), PLI_OK);
    }
    drag.hand = PLI_LIVE_HANDS + 1;
    refuse(*state, live, drag, "more than");
    drag.hand = 1; // one that is there still moves
    assert_int_equal(tell(live, drag), PLI_OK);
    pli_live_destroy(live);
}

static void reset_goes_back_to_the_beginning_and_keeps_settings(void **state)
{
    pli_live *live = make_live(*state, bar_text, NULL);
    uint64_t hash = pli_state_hash(pli_live_state(live));
    pli_live_command fall = {.kind = PLI_LIVE_SET, .path = "gravity", .value = "[0, -9.81, 0]"};
    assert_int_equal(tell(live, drag_to(find_tip(live), 0, 1, 0)), PLI_OK);
    assert_int_equal(tell(live, fall), PLI_OK);
    take_steps(live, 10);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RESET}), PLI_OK);
    assert_int_equal(pli_state_hash(pli_live_state(live)), hash);
    NEAR(pli_scene_get(pli_live_scene(live))->gravity[1], -9.81, 0, 0);
    assert_int_equal(pli_live_steps(live), 10);
    pli_live_destroy(live);
}

// A session with a bit of everything, logged into the folder; returns the hash of its last state.
static uint64_t play_session(folder_fixture *fix, const char *folder)
{
    pli_live *live = make_live(fix, bar_text, folder);
    int32_t tip = find_tip(live);
    for (int32_t k = 0; k < 30; ++k) {
        assert_int_equal(tell(live, drag_to(tip, 0.5 + 0.01 * k, 0.2 * sin(0.3 * k), 1.0 / 3)),
                         PLI_OK);
        take_steps(live, 1 + k % 3);
    }
    assert_int_equal(
        tell(live, (pli_live_command){.kind = PLI_LIVE_PIN, .body = "bar", .vertex = 3}), PLI_OK);
    pli_live_command young = {
        .kind = PLI_LIVE_SET, .path = "materials.soft.young", .value = "123456.7"};
    assert_int_equal(tell(live, young), PLI_OK);
    take_steps(live, 25);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RELEASE, .hand = 1}), PLI_OK);
    take_steps(live, 5);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RESET}), PLI_OK);
    assert_int_equal(tell(live, drag_to(tip, 0.4, 0.1, 0.1)), PLI_OK);
    take_steps(live, 33);
    uint64_t hash = pli_state_hash(pli_live_state(live));
    pli_live_destroy(live);
    return hash;
}

static void log_replays_bit_for_bit(void **state)
{
    folder_fixture *fix = *state;
    uint64_t hash = play_session(fix, fix->folder);
    static const int32_t threads[] = {1, 2, 4};
    for (int32_t k = 0; k < 3; ++k) {
        pli_context *context = make_context(threads[k]);
        pli_replay_def def = {.log = in_folder(fix, PLI_LIVE_LOG_FILE)};
        pli_replay_report report;
        assert_int_equal(pli_live_replay(context, &def, &report), PLI_OK);
        assert_int_equal(report.hash, hash);
        assert_int_equal(report.wrong_marks, 0);
        assert_true(report.marks >= 2);
        assert_int_equal(report.steps, 60 + 25 + 5 + 33);
        assert_int_equal(report.commands, 30 + 2 + 1 + 2);
        pli_context_destroy(context);
    }
}

static void replay_notices_another_course(void **state)
{
    folder_fixture *fix = *state;
    play_session(fix, fix->folder);
    size_t count = 0;
    const char *path = in_folder(fix, PLI_LIVE_LOG_FILE);
    char *bytes = read_bytes(path, &count);
    // another way of the hand after the reset
    char *target = strstr(bytes, "\"target\":[0.4,");
    assert_non_null(target);
    target[10] = '1';
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, count, file);
    fclose(file);
    free(bytes);
    pli_replay_def def = {.log = path};
    pli_replay_report report;
    assert_int_equal(pli_live_replay(fix->context, &def, &report), PLI_OK);
    assert_true(report.wrong_marks > 0);
    assert_int_equal(report.first_wrong, 100);
}

// Replays a log whose bytes after the first `keep` are replaced.
static pli_status replay_damaged(folder_fixture *fix, const char *bytes, size_t count,
                                 const char *tail)
{
    const char *path = in_folder(fix, "damaged.jsonl");
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, count, file);
    fwrite(tail, 1, strlen(tail), file);
    fclose(file);
    pli_replay_def def = {.log = path};
    pli_replay_report report;
    return pli_live_replay(fix->context, &def, &report);
}

static void damaged_logs_are_refused_and_cut_ones_end_early(void **state)
{
    folder_fixture *fix = *state;
    play_session(fix, fix->folder);
    size_t count = 0;
    char *bytes = read_bytes(in_folder(fix, PLI_LIVE_LOG_FILE), &count);
    size_t head = (size_t)(strchr(bytes, '\n') - bytes) + 1;
    // half a line at the end is what a killed program leaves
    assert_int_equal(replay_damaged(fix, bytes, head, "{\"step\":3,\"ty"), PLI_OK);
    assert_int_equal(replay_damaged(fix, bytes, head, "rubbish\n"), PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, head, "{\"step\":-1,\"type\":\"reset\"}\n"),
                     PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, head, "{\"step\":1e300,\"type\":\"reset\"}\n"),
                     PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, head,
                                    "{\"step\":2,\"type\":\"reset\"}\n{\"step\":1,\"type\":"
                                    "\"reset\"}\n"),
                     PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, head, "{\"step\":1,\"type\":\"explode\"}\n"),
                     PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, head / 2, "\n"), PLI_ERROR_IO);
    assert_int_equal(replay_damaged(fix, bytes, 0, ""), PLI_ERROR_IO);
    free(bytes);
}

static void recording_is_a_runs_folder(void **state)
{
    folder_fixture *fix = *state;
    pli_live *live = make_live(fix, bar_text, fix->folder);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RECORD, .on = true}), PLI_OK);
    assert_non_null(strstr(pli_live_recording(live), "recording-1"));
    assert_int_equal(tell(live, drag_to(find_tip(live), 0.5, 0.2, 0)), PLI_OK);
    take_steps(live, 6);
    double tip[3];
    int32_t vertex = find_tip(live);
    memcpy(tip, place_of(live, vertex), sizeof tip);
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RECORD}), PLI_OK);
    assert_string_equal(pli_live_recording(live), "");
    take_steps(live, 3);

    pli_series *series = NULL;
    assert_int_equal(pli_series_create(fix->context, in_folder(fix, "recording-1"), &series),
                     PLI_OK);
    assert_int_equal(pli_series_count(series), 7);
    pli_frame *frame = NULL;
    assert_int_equal(pli_series_load(series, 6, &frame), PLI_OK);
    assert_memory_equal(frame->parts[0].points + 3 * (int64_t)vertex, tip, sizeof tip);
    pli_frame_destroy(frame);
    pli_series_destroy(series);
    static const char *const files[] = {"recording-1/scene.yaml", "recording-1/steps.jsonl",
                                        "recording-1/run.json", "recording-1/report.html"};
    for (int32_t k = 0; k < 4; ++k) assert_int_equal(access(in_folder(fix, files[k]), F_OK), 0);

    // the next one has a folder of its own, and a reset ends it
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RECORD, .on = true}), PLI_OK);
    assert_non_null(strstr(pli_live_recording(live), "recording-2"));
    assert_int_equal(tell(live, (pli_live_command){.kind = PLI_LIVE_RESET}), PLI_OK);
    assert_string_equal(pli_live_recording(live), "");
    pli_live_destroy(live);
}

static void settings_list_what_the_scene_has(void **state)
{
    folder_fixture *fix = *state;
    pli_live *live = make_live(fix, bar_text, NULL);
    pli_text text;
    pli_text_init(&text, fix->context);
    assert_int_equal(pli_live_settings_append(pli_live_scene(live), &text), PLI_OK);
    pli_json json = {.context = fix->context};
    assert_int_equal(pli_json_parse(&json, text.bytes, text.length), PLI_OK);
    static const char *const wanted[] = {"gravity", "materials.soft.young", "materials.soft.drag",
                                         "solver.name", "solver.fixed_iterations"};
    for (int32_t k = 0; k < 5; ++k) {
        bool found = false;
        const pli_json_node *item = pli_json_child(&json, json.nodes);
        for (; item != NULL; item = pli_json_next(&json, item)) {
            const char *path = pli_json_text(&json, item, "path", "");
            assert_int_equal(pli_live_settings_check(pli_live_scene(live), path), PLI_OK);
            assert_true(strlen(pli_json_text(&json, item, "label", "")) > 0);
            found = found || strcmp(path, wanted[k]) == 0;
        }
        if (!found) fail_msg("%s is not offered: %s", wanted[k], text.bytes);
    }
    // a list that offers friction of bodies that do not touch would lie
    assert_null(strstr(text.bytes, "contact.friction"));
    // and so would one that offers springs of bodies that have none
    assert_null(strstr(text.bytes, "springs"));
    pli_json_clear(&json);
    pli_text_clear(&text);
    pli_live_destroy(live);
}

static void settings_offer_springs_of_cloth_alone(void **state)
{
    folder_fixture *fix = *state;
    static const char *text_of_both =
        "materials: {soft: {law: corotated, density: 1000, young: 5e4, poisson: 0}}\n"
        "contact: none\n"
        "bodies:\n"
        "  bar: {geometry: {grid: {size: [1, 1, 1], cells: [1, 1, 1]}}, material: soft}\n"
        "  flag: {kind: cloth, geometry: {sheet: {columns: 4, rows: 4}},\n"
        "         springs: {stretch: 100, bend: 1, area_density: 0.1}, position: [3, 0, 0]}\n"
        "time: {fps: 60, frames: 10}\n";
    pli_live *live = make_live(fix, text_of_both, NULL);
    pli_text text;
    pli_text_init(&text, fix->context);
    assert_int_equal(pli_live_settings_append(pli_live_scene(live), &text), PLI_OK);
    assert_non_null(strstr(text.bytes, "bodies.flag.springs.drag"));
    assert_non_null(strstr(text.bytes, "bodies.flag.springs.stretch"));
    assert_null(strstr(text.bytes, "bodies.bar.springs"));
    pli_text_clear(&text);
    pli_live_destroy(live);
}

static void commands_survive_the_log(void **state)
{
    folder_fixture *fix = *state;
    pli_live_command drag = {.kind = PLI_LIVE_DRAG,
                             .hand = 12,
                             .body = "a \"quoted\" <name>\n",
                             .vertex = 77,
                             .target = {1.0 / 3, -1e-300, 12345.678901234567},
                             .strength = 0.1,
                             .radius = 2.0 / 7};
    pli_live_command set = {.kind = PLI_LIVE_SET, .path = "gravity", .value = "[0, \"1\", 2]"};
    const pli_live_command commands[] = {drag, set};
    for (int32_t k = 0; k < 2; ++k) {
        pli_text text;
        pli_text_init(&text, fix->context);
        pli_live_command_append(&text, &commands[k], 5);
        pli_json json = {.context = fix->context};
        assert_int_equal(pli_json_parse(&json, text.bytes, text.length), PLI_OK);
        pli_live_command back;
        assert_int_equal(pli_live_command_read(&json, &back), PLI_OK);
        if (k == 1) back.strength = 0; // has no meaning for a setting
        assert_memory_equal(&back, &commands[k], sizeof back);
        pli_json_clear(&json);
        pli_text_clear(&text);
    }
}

static void malformed_messages_are_refused(void **state)
{
    folder_fixture *fix = *state;
    static const char *const texts[] = {
        "null",
        "[]",
        "3",
        "{}",
        "{\"type\":3}",
        "{\"type\":\"explode\"}",
        "{\"type\":\"drag\"}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1,2,3]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1,\"2\"]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1,1e99]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0.5,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":-1,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":1e10,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":0,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":-1,\"body\":\"bar\",\"vertex\":0,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":7,\"vertex\":0,\"target\":[0,1,2]}",
        "{\"type\":\"drag\",\"id\":1,\"body\":\"bar\",\"vertex\":0,\"strength\":-1}",
        "{\"type\":\"unpin\",\"id\":1}",
        "{\"type\":\"set\",\"path\":\"gravity\"}",
        "{\"type\":\"set\",\"path\":\"gravity\",\"value\":[0,0,0]}",
        "{\"type\":\"record\"}",
        "{\"type\":\"record\",\"on\":1}"};
    pli_json json = {.context = fix->context};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        pli_live_command command;
        assert_int_equal(pli_json_parse(&json, texts[k], (int64_t)strlen(texts[k])), PLI_OK);
        if (pli_live_command_read(&json, &command) == PLI_OK) fail_msg("%s was taken", texts[k]);
    }
    pli_json_clear(&json);
}

static void a_log_is_never_overwritten(void **state)
{
    folder_fixture *fix = *state;
    pli_live_destroy(make_live(fix, bar_text, fix->folder));
    pli_scene *scene = NULL;
    assert_int_equal(pli_scene_parse(fix->context, bar_text, (int64_t)strlen(bar_text), "bar.yaml",
                                     NULL, &scene),
                     PLI_OK);
    pli_live_options options = {.scene = scene, .folder = fix->folder, .logs = true};
    pli_live *live = NULL;
    assert_int_equal(pli_live_create(fix->context, &options, &live), PLI_ERROR_IO);
    assert_null(live);
    pli_scene_destroy(scene);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_set_up, folder_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(body_follows_the_hand_and_returns),
        TEST(hand_takes_a_patch_not_a_point),
        TEST(pin_holds_where_matter_is),
        TEST(setting_changes_the_model_and_keeps_the_state),
        TEST(wrong_commands_are_refused_and_change_nothing),
        TEST(too_many_hands_are_refused),
        TEST(reset_goes_back_to_the_beginning_and_keeps_settings),
        TEST(log_replays_bit_for_bit),
        TEST(replay_notices_another_course),
        TEST(damaged_logs_are_refused_and_cut_ones_end_early),
        TEST(recording_is_a_runs_folder),
        TEST(settings_list_what_the_scene_has),
        TEST(settings_offer_springs_of_cloth_alone),
        TEST(commands_survive_the_log),
        TEST(malformed_messages_are_refused),
        TEST(a_log_is_never_overwritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

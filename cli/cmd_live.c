// SPDX-License-Identifier: Apache-2.0
//
// A scene that is simulated in front of a person, and what they did to it done again.
#include "json.h"
#include "scene_source.h"
#include "serving.h"
#include "signals.h"

#include <inttypes.h>
#include <unistd.h>

// ---- live

// A folder of its own for each time: out/live/<scene>-1, -2, ...
static const char *choose_folder(const pli_cli_session *session, const pli_scene *scene, char *text,
                                 size_t capacity)
{
    enum { MOST = 9999 };
    if (session->arguments.output != NULL) return session->arguments.output;
    for (int number = 1; number <= MOST; ++number) {
        snprintf(text, capacity, "out/live/%s-%d", pli_scene_get_info(scene).name, number);
        if (access(text, F_OK) != 0) break;
    }
    return text;
}

static int simulate(pli_cli_session *session, const pli_scene *scene)
{
    char text[512];
    pli_live_def live = {0};
    live.scene = scene;
    live.folder = choose_folder(session, scene, text, sizeof text);
    live.paused = session->arguments.paused;
    live.unpaced = session->arguments.unpaced;
    pli_cli_page options;
    int code = pli_cli_page_init(session, &options);
    if (code != PLI_CLI_DONE) return code;
    pli_page *page = NULL;
    pli_status status = pli_page_create_live(session->context, &options.def, &live, &page);
    if (status == PLI_OK) {
        status = pli_cli_serve(session, page, pli_scene_get_info(scene).name, live.folder);
    }
    code = status == PLI_OK ? PLI_CLI_DONE : pli_cli_report(session, status);
    bool was_served = page != NULL;
    pli_page_destroy(page);
    if (was_served) {
        pli_cli_say(&session->console,
                    "what was done is in %s/live.jsonl; 'pliant live --replay' does it again",
                    live.folder);
    }
    return code;
}

// ---- replay

static void show_step(void *user, int64_t step)
{
    char text[64];
    snprintf(text, sizeof text, "step %" PRId64, step);
    pli_cli_set_status(user, text);
}

static void print_report(const pli_replay_report *report)
{
    char hash[32];
    snprintf(hash, sizeof hash, "%016" PRIx64, report->hash);
    pli_cli_json json;
    pli_cli_json_init(&json, stdout);
    pli_cli_json_begin(&json, NULL, '{');
    pli_cli_json_integer(&json, "steps", report->steps);
    pli_cli_json_integer(&json, "commands", report->commands);
    pli_cli_json_integer(&json, "states_compared", report->marks);
    pli_cli_json_integer(&json, "states_different", report->wrong_marks);
    pli_cli_json_text(&json, "hash", hash);
    pli_cli_json_end(&json, '}');
}

static int judge(pli_cli_session *session, const pli_replay_report *report)
{
    pli_cli_say(&session->console, "done: %" PRId64 " steps, %" PRId64 " commands", report->steps,
                report->commands);
    if (report->wrong_marks == 0) {
        pli_cli_say(&session->console, "%" PRId64 " states compared: the same, bit for bit",
                    report->marks);
        return PLI_CLI_DONE;
    }
    pli_cli_error(&session->console,
                  "%" PRId64 " of %" PRId64 " states differ from what the log says, the first one "
                  "after step %" PRId64 ": another build or machine computes other bits",
                  report->wrong_marks, report->marks, report->first_wrong);
    return PLI_CLI_FAILED;
}

static int replay(pli_cli_session *session)
{
    pli_replay_def def = {.log = session->arguments.replay,
                          .folder = session->arguments.output,
                          .progress = show_step,
                          .progress_user = &session->console,
                          .cancel = pli_cli_ask_cancel};
    pli_replay_report report;
    pli_status status = pli_live_replay(session->context, &def, &report);
    pli_cli_set_status(&session->console, "");
    int code = status == PLI_OK ? judge(session, &report)
                                : pli_cli_end(session, status, session->arguments.output);
    if (session->arguments.json) print_report(&report);
    return code;
}

// ---- the command

static int run_live(pli_cli_session *session)
{
    const pli_cli_arguments *arguments = &session->arguments;
    if ((arguments->replay != NULL) == (arguments->operand_count > 0)) {
        pli_cli_error(&session->console, "a scene is simulated, or a log replayed: give one of "
                                         "SCENE and --replay LOG");
        return PLI_CLI_USAGE;
    }
    pli_cli_signals_catch();
    if (arguments->replay != NULL) return replay(session);
    pli_scene *scene = NULL;
    int code = pli_cli_load_scene(session, &scene);
    if (code == PLI_CLI_DONE) pli_cli_say_contact(session, scene);
    if (code == PLI_CLI_DONE) code = simulate(session, scene);
    pli_scene_destroy(scene);
    return code;
}

static const pli_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, output),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "folder of the log and of recordings (default: out/live/<scene>-<number>); with "
            "--replay, folder that it is recorded to (default: it is not)"},
    {.name = "paused",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, paused),
     .doc = "waits until the page says play"},
    {.name = "unpaced",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, unpaced),
     .doc = "simulates as fast as it can instead of as fast as the clock"},
    {.name = "replay",
     .value = "LOG",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, replay),
     .hint = PLI_CLI_HINT_FILE,
     .doc = "does again, without a page, what a log (live.jsonl) tells, and compares the states "
            "with those of then, bit for bit; exit code 1 when one differs"},
};

const pli_cli_command pli_cli_command_live = {
    .name = "live",
    .operands = "[SCENE]",
    .min_operands = 0,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SCENE,
    .computes = true,
    .summary = "simulates a scene in front of you: drag with the mouse, pause, change it",
    .about =
        "Simulates a scene and shows it in the browser while it goes on. Drag bodies with the "
        "mouse, pin them, pause, step, reset; change gravity, stiffness, damping, solver and "
        "iterations; record what happens into the folder of a run. The simulation runs as fast as "
        "the clock where it can, and nobody who watches slows it down.\n\n"
        "Everything that is done goes to a log, from which --replay does it again.",
    .examples = "  pliant live rubber/creature\n"
                "  pliant live cloth/ball-drop --set contact.friction=0\n"
                "  pliant live --replay out/live/creature-1/live.jsonl -o out/again\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_page_options, &pli_cli_scene_options, &pli_cli_talk_options,
               &pli_cli_json_options},
    .run = run_live,
};

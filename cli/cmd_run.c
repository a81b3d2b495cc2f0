// SPDX-License-Identifier: Apache-2.0
#include "json.h"
#include "progress.h"
#include "scene_source.h"
#include "signals.h"

#include "pliant/io.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

// ---- what the run asks and tells while it goes on

static bool ask_cancel(void *user)
{
    pli_cli_progress *progress = user;
    if (progress->stepping) pli_cli_progress_iterate(progress);
    return pli_cli_stop_requested();
}

static void hear_step(void *user, const pli_run_progress *progress)
{
    pli_cli_progress *shown = user;
    if (pli_cli_was_paused()) {
        pli_cli_warn(shown->console,
                     "the run was paused before the end of step %" PRId64
                     ": the times of that step include the pause",
                     progress->step);
    }
    pli_cli_progress_step(shown, progress);
}

// The command line as it was typed, for the record.
static void join_command(const pli_cli_session *session, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (int index = 0; index < session->value_count && used < capacity; ++index) {
        int written = snprintf(text + used, capacity - used, "%s%s", index > 0 ? " " : "",
                               session->values[index]);
        used += written > 0 ? (size_t)written : 0;
    }
}

// ---- how it ended

static const char *scene_word(const pli_cli_session *session)
{
    return session->arguments.operands[0];
}

// Tells that a run ended early, what is left of it, and how to go on; nothing is promised that is
// not there.
static void say_how_to_go_on(pli_cli_session *session, const pli_run_info *info, const char *ending)
{
    if (info->saved_step < 0) {
        pli_cli_error(&session->console, "%s after step %" PRId64 "; no state could be saved in %s",
                      ending, info->step, info->folder);
        return;
    }
    pli_cli_error(&session->console, "%s after step %" PRId64 "; the state%s is in %s", ending,
                  info->step, info->saved_step == info->step ? "" : " of an earlier step",
                  info->folder);
    pli_cli_say(&session->console, "to go on: pliant run %s -o %s --resume", scene_word(session),
                info->folder);
}

// The run reached what it was asked for; what is left to judge is whether it can be trusted.
static int judge_finished(pli_cli_session *session, const pli_run_info *info)
{
    char duration[32];
    pli_cli_format_duration(info->seconds, duration, sizeof duration);
    if (info->step == info->first_step && info->step > 0) {
        pli_cli_say(&session->console, "nothing to do: all %d frames are already in %s",
                    (int)info->frame, info->folder);
    } else {
        pli_cli_say(&session->console,
                    "done: %d frames, %" PRId64
                    " steps, %.4g s simulated in %s; see %s/report.html",
                    (int)info->frame, info->step, info->time, duration, info->folder);
    }
    if (info->unconverged == 0) return PLI_CLI_DONE;
    pli_cli_error(&session->console,
                  "%" PRId64 " of %" PRId64 " steps did not converge: do not trust the result; "
                  "%s/report.html shows which. %s",
                  info->unconverged, info->step, info->folder, info->advice);
    return PLI_CLI_FAILED;
}

// Tells people how the run ended and returns the exit code. status is what ended it.
static int judge(pli_cli_session *session, const pli_run_info *info, pli_status status)
{
    char ending[64];
    if (status != PLI_OK && info->outcome != PLI_RUN_INTERRUPTED) {
        pli_cli_report(session, status);
    }
    switch (info->outcome) {
    case PLI_RUN_GOING:
    case PLI_RUN_DONE: return status == PLI_OK ? judge_finished(session, info) : PLI_CLI_FAILED;
    case PLI_RUN_LIMITED:
        // a number of steps was asked for and made; time was only allowed
        if (session->arguments.steps.given && info->step >= session->arguments.steps.value) {
            return judge_finished(session, info);
        }
        if (info->step == info->first_step) {
            pli_cli_error(&session->console, "no step ended within --max-wall, so that going on "
                                             "with the same limit may never end: allow more");
        }
        say_how_to_go_on(session, info, "out of time");
        return PLI_CLI_INTERRUPTED;
    case PLI_RUN_INTERRUPTED:
        snprintf(ending, sizeof ending, "stopped by %s", pli_cli_stop_signal());
        say_how_to_go_on(session, info, ending);
        return PLI_CLI_INTERRUPTED;
    case PLI_RUN_FAILED: return PLI_CLI_FAILED;
    case PLI_RUN_BROKEN: return PLI_CLI_BROKEN;
    case PLI_RUN_UNWRITTEN: return PLI_CLI_IO;
    }
    return PLI_CLI_FAILED;
}

static void print_summary(const pli_cli_session *session, const pli_run_info *info)
{
    pli_cli_json json;
    pli_cli_json_init(&json, stdout);
    pli_cli_json_begin(&json, NULL, '{');
    pli_cli_json_text(&json, "scene", scene_word(session));
    pli_cli_json_text(&json, "folder", info->folder);
    pli_cli_json_text(&json, "outcome",
                      session->arguments.dry_run ? "dry run" : pli_run_outcome_name(info->outcome));
    pli_cli_json_integer(&json, "frames", info->frame);
    pli_cli_json_integer(&json, "steps", info->step);
    pli_cli_json_integer(&json, "resumed_after", info->first_step);
    pli_cli_json_integer(&json, "unconverged", info->unconverged);
    pli_cli_json_real(&json, "time", info->time);
    pli_cli_json_real(&json, "seconds", info->seconds);
    pli_cli_json_end(&json, '}');
}

// ---- the command

// Whether a folder holds a run that the options do not say what to do with.
static bool holds_run(const pli_cli_session *session, const char *folder)
{
    char record[4096];
    snprintf(record, sizeof record, "%s/run.json", folder);
    bool chosen = session->arguments.force || session->arguments.resume;
    return !chosen && access(record, F_OK) == 0;
}

static void say_what_to_do(pli_cli_session *session)
{
    pli_cli_error(&session->console, "--resume goes on with it, --force replaces it, -o takes "
                                     "another folder");
}

// A folder that cannot be taken may hold a run: say which options deal with that.
// had_run: it looked like one before anything was written.
static int refuse_folder(pli_cli_session *session, const char *folder, bool had_run,
                         pli_status status)
{
    if (status == PLI_ERROR_INTERRUPTED && !pli_cli_stop_requested()) {
        pli_cli_error(
            &session->console,
            "out of time before the first step, since the model takes longer to make than "
            "--max-wall allows; %s is as it was",
            folder);
        return PLI_CLI_INTERRUPTED;
    }
    if (status == PLI_ERROR_INTERRUPTED) {
        pli_cli_error(&session->console, "stopped by %s before the first step; %s is as it was",
                      pli_cli_stop_signal(), folder);
        return PLI_CLI_INTERRUPTED;
    }
    int code = pli_cli_report(session, status);
    if (status == PLI_ERROR_IO && had_run) say_what_to_do(session);
    return code;
}

static pli_status advance_to_end(pli_run *run, pli_cli_progress *progress)
{
    bool more = true;
    pli_run_info info = pli_run_get_info(run);
    int32_t frame = info.frame;
    while (more) {
        pli_status status = pli_run_advance(run, &more);
        if (status != PLI_OK) return status;
        info = pli_run_get_info(run);
        if (info.frame > frame) pli_cli_progress_frame(progress, info.frame);
        frame = info.frame;
    }
    return PLI_OK;
}

// What is left of --max-wall, which counts from the start of the program; 0: no limit.
static double remaining_seconds(const pli_cli_session *session)
{
    double allowed = session->arguments.max_wall;
    if (!(allowed > 0)) return 0;
    double left = allowed - (pli_cli_seconds() - session->begun);
    return left > 1e-3 ? left : 1e-3;
}

static int simulate(pli_cli_session *session, const pli_scene *scene, const char *folder)
{
    const pli_cli_arguments *arguments = &session->arguments;
    pli_cli_progress progress;
    pli_cli_progress_init(&progress, &session->console);
    char command[2048];
    join_command(session, command, sizeof command);

    pli_run_def def = {0};
    def.scene = scene;
    def.folder = folder;
    def.force = arguments->force;
    def.resume = arguments->resume;
    def.steps = arguments->steps.given ? arguments->steps.value : 0;
    def.seconds = remaining_seconds(session);
    def.checkpoint_seconds = arguments->checkpoint_every.seconds;
    def.command = command;
    def.progress = hear_step;
    def.progress_user = &progress;
    def.cancel = ask_cancel;
    def.cancel_user = &progress;
    def.prepare = pli_cli_progress_prepare;
    def.prepare_user = &progress;

    pli_run *run = NULL;
    bool had_run = holds_run(session, folder);
    pli_status status = pli_run_create(&def, &run);
    pli_cli_progress_end(&progress);
    if (status != PLI_OK) return refuse_folder(session, folder, had_run, status);
    pli_model_info model_info = pli_model_get_info(pli_run_get_info(run).model);
    progress.matter = model_info.cell > 0;
    progress.sweeps_only = progress.matter && !(model_info.cfl > 0);
    progress.stepping = true;
    status = advance_to_end(run, &progress);
    pli_cli_progress_end(&progress);

    pli_run_info info = pli_run_get_info(run);
    int code = judge(session, &info, status);
    if (arguments->json) print_summary(session, &info);
    pli_run_destroy(run);
    return code;
}

// What a run would do, as far as that is known before it; nothing is written.
static int rehearse(pli_cli_session *session, const pli_scene *scene, const char *folder)
{
    if (holds_run(session, folder)) {
        pli_cli_error(&session->console, "%s: holds a run already", folder);
        say_what_to_do(session);
        return PLI_CLI_IO;
    }
    pli_model *model = NULL;
    pli_status status = pli_cli_create_model(session, scene, &model);
    if (status != PLI_OK) return pli_cli_report(session, status);
    const pli_time_def *time = &pli_scene_get(scene)->time;
    int64_t steps = (int64_t)time->frames * time->steps_per_frame;
    if (session->arguments.steps.given && session->arguments.steps.value < steps) {
        steps = session->arguments.steps.value;
    }
    pli_model_info model_info = pli_model_get_info(model);
    pli_cli_say(&session->console,
                "would simulate %.4g s in %" PRId64 " steps by %s, %" PRId64
                " %s, into %s; 'pliant check' tells more",
                (double)steps * model_info.dt, steps, model_info.solver,
                model_info.cell > 0 ? model_info.particle_count : model_info.vertex_count,
                model_info.cell > 0 ? "particles" : "vertices", folder);
    pli_run_info info = {.outcome = PLI_RUN_GOING,
                         .step = steps,
                         .frame = (int32_t)(steps / time->steps_per_frame),
                         .time = (double)steps * model_info.dt,
                         .folder = folder};
    if (session->arguments.json) print_summary(session, &info);
    pli_model_destroy(model);
    return PLI_CLI_DONE;
}

static int run_run(pli_cli_session *session)
{
    const pli_cli_arguments *arguments = &session->arguments;
    if (arguments->force && arguments->resume) {
        pli_cli_error(&session->console,
                      "--force begins again and --resume goes on: only one of them is possible");
        return PLI_CLI_USAGE;
    }
    pli_cli_signals_catch();
    pli_cli_signals_watch_pauses();
    pli_scene *scene = NULL;
    int code = pli_cli_load_scene(session, &scene);
    if (code == PLI_CLI_DONE) {
        char text[512];
        const char *folder = pli_cli_choose_output(session, "out", pli_scene_get_info(scene).name,
                                                   text, sizeof text);
        pli_cli_say_contact(session, scene);
        code = arguments->dry_run ? rehearse(session, scene, folder)
                                  : simulate(session, scene, folder);
    }
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
     .doc = "folder of the run (default: out/<scene>)"},
    {.name = "resume",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, resume),
     .doc = "goes on from the newest state in the folder, bit for bit as if never stopped"},
    {.name = "force",
     .letter = 'f',
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, force),
     .doc = "replaces an earlier run in the folder"},
    {.name = "dry-run",
     .letter = 'n',
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, dry_run),
     .doc = "builds everything, says what would be simulated and where to, and writes nothing"},
    {.name = "steps",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, steps),
     .min = 1,
     .max = INT32_MAX,
     .doc = "stops after step N, counted from the beginning of the simulation"},
    {.name = "max-wall",
     .value = "TIME",
     .kind = PLI_CLI_DURATION,
     .offset = offsetof(pli_cli_arguments, max_wall),
     .doc = "saves the state and stops before so long has passed, such as 90s, 15m or 2h, in the "
            "middle of a step if need be; exit code 130"},
    {.name = "checkpoint-every",
     .value = "N|TIME",
     .kind = PLI_CLI_INTERVAL,
     .offset = offsetof(pli_cli_arguments, checkpoint_every),
     .doc = "saves the state every N frames, or after so long, such as 10s or 15m (default: as the "
            "scene says)"},
};

const pli_cli_command pli_cli_command_run = {
    .name = "run",
    .operands = "SCENE",
    .min_operands = 1,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SCENE,
    .computes = true,
    .summary = "simulates a scene into a folder",
    .about =
        "Simulates a scene: a file, the name of a shipped scene (see 'pliant scenes'), or - for "
        "standard input. The folder holds the scene with every default (scene.yaml), a line per "
        "step "
        "(steps.jsonl), the frames (series.pvd, which ParaView opens also while the run goes on), "
        "the newest states (checkpoint), and a page that says whether the run is healthy "
        "(report.html).\n\n"
        "Ctrl-C once saves the state and stops; --resume goes on from there. Twice stops at once.",
    .examples = "  pliant run demo\n"
                "  pliant run rubber/stretch -o out/stiff --set materials.rubber.young=1e6\n"
                "  pliant run mine.yaml --max-wall 2h || pliant run mine.yaml --resume\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_scene_options, &pli_cli_talk_options, &pli_cli_json_options},
    .run = run_run,
};

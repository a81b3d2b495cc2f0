// SPDX-License-Identifier: Apache-2.0
#include "session.h"
#include "signals.h"

#include "pliant/io.h"

// The formats of the library, for the option table.
static bool list_formats(int32_t index, pli_cli_choice *choice)
{
    const pli_export_format *format = pli_export_format_get(index);
    if (format != NULL) *choice = (pli_cli_choice){format->name, format->doc};
    return format != NULL;
}

static void hear_progress(void *user, int32_t done, int32_t total)
{
    char line[64];
    snprintf(line, sizeof line, "converting, %d of %d", (int)done, (int)total);
    pli_cli_set_status(user, line);
}

static int run_export(pli_cli_session *session)
{
    pli_cli_signals_catch();
    const pli_cli_arguments *arguments = &session->arguments;
    const char *folder = arguments->operands[0];
    char target[4096];
    pli_export_def def = pli_export_def_default();
    def.folder = folder;
    def.target = pli_cli_choose_output(session, folder, "export", target, sizeof target);
    def.format = pli_export_format_get(arguments->format)->name;
    if (arguments->first.given) def.first = arguments->first.value;
    if (arguments->last.given) def.last = arguments->last.value;
    if (arguments->every.given) def.every = arguments->every.value;
    if (arguments->rate.given) def.fps = arguments->rate.value;
    if (arguments->max_targets.given) def.max_targets = arguments->max_targets.value;
    def.progress = hear_progress;
    def.progress_user = &session->console;
    def.cancel = pli_cli_ask_cancel;

    pli_export_report report;
    int code = pli_cli_end(session, pli_export(session->context, &def, &report), def.target);
    if (code != PLI_CLI_DONE) return code;
    if (report.frame_count < report.frames_found) {
        pli_cli_warn(&session->console, "%d of %d frames were taken; --max-targets takes more",
                     (int)report.frame_count, (int)report.frames_found);
    }
    pli_cli_say(&session->console, "wrote %d files with %d frames into %s", (int)report.file_count,
                (int)report.frame_count, def.target);
    return PLI_CLI_DONE;
}

static const pli_cli_option options[] = {
    {.name = "format",
     .value = "FORMAT",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, format),
     .list = list_formats,
     .fallback = "ply",
     .doc = "what to write"},
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, output),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "folder for the files (default: export inside the run's folder)"},
    {.name = "first",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, first),
     .max = INT32_MAX,
     .doc = "first frame (default: 0)"},
    {.name = "last",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, last),
     .max = INT32_MAX,
     .doc = "last frame (default: the last there is)"},
    {.name = "every",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, every),
     .min = 1,
     .max = INT32_MAX,
     .doc = "takes every N-th frame (default: 1)"},
    {.name = "rate",
     .value = "FPS",
     .kind = PLI_CLI_REAL,
     .offset = offsetof(pli_cli_arguments, rate),
     .doc = "frames per second of the animation (default: as in the simulation)"},
    {.name = "max-targets",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, max_targets),
     .min = 1,
     .max = INT32_MAX,
     .doc =
         "glb: at most so many frames, each of which costs a full set of vertices (default: 60)"},
};

const pli_cli_command pli_cli_command_export = {
    .name = "export",
    .operands = "DIR",
    .min_operands = 1,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_FOLDER,
    .computes = true,
    .summary = "converts the frames of a run for other programs",
    .about = "Converts the frames in the folder of a run. Bodies of tetrahedra are shown by their "
             "surface, except in vtkhdf.",
    .examples = "  pliant export out/demo --format glb -o demo\n"
                "  pliant export out/demo --format ply --every 2\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_talk_options, &pli_cli_help_options},
    .run = run_export,
};

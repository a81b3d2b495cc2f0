// SPDX-License-Identifier: Apache-2.0
//
// Natural vibrations of a scene: a table, modes.json, and frames to play.
#include "json.h"
#include "scene_source.h"
#include "signals.h"

#include "pliant/io.h"
#include "pliant/modes.h"
#include "pliant/scene_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// frames of a period, and the largest displacement over the size of the scene
enum { PERIOD_FRAMES = 20 };
static const double amplitude = 0.1;

typedef enum state_choice { STATE_REST, STATE_LOADED } state_choice;
static const char *const state_names[] = {"rest", "loaded", NULL};

typedef struct mode_study {
    pli_cli_session *session;
    pli_scene *scene;
    pli_model *model;
    pli_state *state; // NULL: the rest shape
    pli_modes *modes;
    pli_modes_report report;
} mode_study;

// ---- the state

// Equilibria one after another, up to the end of a frame.
static pli_status load_state(mode_study *m)
{
    pli_cli_session *session = m->session;
    const pli_time_def *time = &pli_scene_get(m->scene)->time;
    int32_t frame = session->arguments.at.given ? session->arguments.at.value : 1;
    pli_solver *solver = NULL;
    pli_status status = pli_solver_create(m->model, &solver);
    for (int64_t k = 0; k < (int64_t)frame * time->steps_per_frame && status == PLI_OK; ++k) {
        pli_step_report report;
        if (pli_cli_stop_requested()) break;
        status = pli_solver_step(solver, m->state, &report);
        if (status == PLI_OK && report.stop <= 0) {
            pli_cli_warn(&session->console,
                         "step %lld did not come to rest (%s): modes of a state that is none mean "
                         "little",
                         (long long)report.step, pli_stop_name(report.stop));
        }
    }
    pli_solver_destroy(solver);
    return status;
}

static pli_status make_state(mode_study *m)
{
    const pli_cli_arguments *arguments = &m->session->arguments;
    bool is_rest = arguments->mode_state == STATE_REST && arguments->checkpoint == NULL;
    if (is_rest) return PLI_OK;
    pli_status status = pli_state_create(m->model, &m->state);
    if (status != PLI_OK) return status;
    if (arguments->checkpoint == NULL) return load_state(m);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s/checkpoint", arguments->checkpoint);
    return pli_checkpoint_load(m->scene, m->model, folder, m->state);
}

// ---- what is told

static void print_table(const mode_study *m)
{
    printf("# mode  frequency (Hz)  omega (rad/s)     x %%    y %%    z %%\n");
    for (int32_t k = 0; k < m->report.count; ++k) {
        pli_vibration mode = pli_modes_get(m->modes, k);
        const char *note = mode.unstable ? "  unstable" : mode.rigid ? "  rigid" : "";
        printf("%6d  %14.6g  %13.6g  %5.1f  %5.1f  %5.1f%s\n", (int)k + 1, mode.frequency,
               2 * acos(-1) * mode.frequency, 100 * mode.share[0], 100 * mode.share[1],
               100 * mode.share[2], note);
    }
}

static void write_mode(pli_cli_json *json, const mode_study *m, int32_t index)
{
    pli_vibration mode = pli_modes_get(m->modes, index);
    pli_cli_json_begin(json, NULL, '{');
    pli_cli_json_integer(json, "mode", index + 1);
    pli_cli_json_real(json, "frequency", mode.frequency);
    pli_cli_json_real(json, "omega2", mode.omega2);
    pli_cli_json_begin(json, "share", '[');
    for (int axis = 0; axis < 3; ++axis) pli_cli_json_real(json, NULL, mode.share[axis]);
    pli_cli_json_end(json, ']');
    pli_cli_json_integer(json, "first_frame", (int64_t)index * PERIOD_FRAMES);
    pli_cli_json_integer(json, "frames", PERIOD_FRAMES);
    pli_cli_json_end(json, '}');
}

static void write_json(FILE *out, const mode_study *m)
{
    pli_cli_json json;
    pli_cli_json_init(&json, out);
    pli_cli_json_begin(&json, NULL, '{');
    pli_cli_json_text(&json, "scene", pli_scene_get_info(m->scene).name);
    pli_cli_json_text(&json, "state", m->state == NULL ? "rest" : "loaded");
    pli_cli_json_real(&json, "time", m->state != NULL ? pli_state_get(m->state).time : 0);
    pli_cli_json_integer(&json, "unknowns", m->report.unknowns);
    pli_cli_json_integer(&json, "rigid", m->report.rigid);
    pli_cli_json_integer(&json, "unstable", m->report.unstable);
    pli_cli_json_real(&json, "residual", m->report.residual);
    pli_cli_json_begin(&json, "modes", '[');
    for (int32_t k = 0; k < m->report.count; ++k) write_mode(&json, m, k);
    pli_cli_json_end(&json, ']');
    pli_cli_json_end(&json, '}');
}

// modes.json, which appears whole or not at all.
static int write_file(mode_study *m, const char *folder)
{
    char path[4096], made[4200];
    snprintf(path, sizeof path, "%s/modes.json", folder);
    snprintf(made, sizeof made, "%s.part", path);
    FILE *out = fopen(made, "we");
    bool is_written = out != NULL;
    if (is_written) {
        write_json(out, m);
        is_written = fflush(out) == 0 && !ferror(out);
        is_written = fclose(out) == 0 && is_written;
    }
    if (is_written && rename(made, path) == 0) return PLI_CLI_DONE;
    pli_cli_error(&m->session->console, "%s could not be written: %s", path, strerror(errno));
    remove(made);
    return PLI_CLI_IO;
}

// ---- frames

static double largest_of(const double *shape, int32_t count)
{
    double largest = 0;
    for (int32_t k = 0; k < count; ++k) {
        const double *u = shape + 3 * (int64_t)k;
        largest = fmax(largest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    }
    return largest;
}

// A period of every mode, one after the other: x = x0 + a sin(phase) phi, the k-th from time k on.
static pli_status write_frames(mode_study *m, pli_frame_writer *writer, pli_solver *solver,
                               pli_state *swung, const double *x0, double *x)
{
    pli_model_info info = pli_model_get_info(m->model);
    for (int32_t k = 0; k < m->report.count * PERIOD_FRAMES; ++k) {
        if (pli_cli_stop_requested()) return PLI_OK;
        pli_frame frame;
        pli_vibration mode = pli_modes_get(m->modes, k / PERIOD_FRAMES);
        double phase = 2 * acos(-1) * (k % PERIOD_FRAMES) / PERIOD_FRAMES;
        double size = amplitude * info.size / largest_of(mode.shape, info.vertex_count);
        for (int64_t i = 0; i < 3 * (int64_t)info.vertex_count; ++i) {
            x[i] = x0[i] + size * sin(phase) * mode.shape[i];
        }
        pli_status status = pli_state_set(swung, x, NULL);
        if (status == PLI_OK) status = pli_solver_frame(solver, swung, &frame);
        frame.index = k;
        frame.step = k;
        frame.time = 1 + (double)k / PERIOD_FRAMES;
        if (status == PLI_OK) status = pli_frame_writer_add(writer, &frame);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}

static pli_status write_series(mode_study *m, const char *folder)
{
    static const char *const fields[] = {"displacement"};
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.fields = fields;
    def.field_count = 1;
    pli_frame_writer *writer = NULL;
    pli_solver *solver = NULL;
    pli_state *swung = NULL;
    pli_model_info info = pli_model_get_info(m->model);
    double *x = malloc(3 * (size_t)info.vertex_count * sizeof *x);
    pli_status status = x != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_frame_writer_create(m->session->context, &def, &writer);
    if (status == PLI_OK) status = pli_solver_create(m->model, &solver);
    if (status == PLI_OK) status = pli_state_create(m->model, &swung);
    if (status == PLI_OK) {
        const double *x0 = m->state != NULL ? pli_state_get(m->state).positions
                                            : pli_model_get_mesh(m->model).rest_positions;
        status = write_frames(m, writer, solver, swung, x0, x);
    }
    pli_state_destroy(swung);
    pli_solver_destroy(solver);
    pli_frame_writer_destroy(writer);
    free(x);
    return status;
}

// ---- the command

static pli_status compute(mode_study *m)
{
    const pli_cli_arguments *arguments = &m->session->arguments;
    pli_modes_def def = {0};
    if (arguments->count.given) def.count = arguments->count.value;
    def.cancel = pli_cli_ask_cancel;
    pli_status status = pli_model_create(m->session->context, m->scene, NULL, &m->model);
    if (status == PLI_OK) status = make_state(m);
    if (status == PLI_OK) status = pli_modes_compute(m->model, m->state, &def, &m->modes);
    if (status == PLI_OK) m->report = pli_modes_get_report(m->modes);
    return status;
}

static int tell(mode_study *m)
{
    pli_cli_session *session = m->session;
    if (session->arguments.json) {
        write_json(stdout, m);
    } else {
        print_table(m);
    }
    if (m->report.unstable > 0) {
        pli_cli_warn(&session->console,
                     "%d modes are unstable: the state is not one at rest, or it buckles",
                     (int)m->report.unstable);
    }
    const char *folder = session->arguments.output;
    if (folder == NULL) return PLI_CLI_DONE;
    pli_status status = write_series(m, folder);
    int code = pli_cli_end(session, status, folder);
    if (code == PLI_CLI_DONE) code = write_file(m, folder);
    if (code == PLI_CLI_DONE) {
        pli_cli_say(&session->console, "%d modes to play: pliant view %s", (int)m->report.count,
                    folder);
    }
    return code;
}

static int run_modes(pli_cli_session *session)
{
    const pli_cli_arguments *arguments = &session->arguments;
    if (arguments->checkpoint != NULL && arguments->at.given) {
        pli_cli_error(&session->console, "--at says where a loaded state is computed to, and "
                                         "--resume where one is read from: give one of them");
        return PLI_CLI_USAGE;
    }
    pli_cli_signals_catch();
    mode_study study = {.session = session};
    int code = pli_cli_load_scene(session, &study.scene);
    if (code != PLI_CLI_DONE) return code;
    bool computes = arguments->mode_state == STATE_LOADED && arguments->checkpoint == NULL;
    if (computes) pli_scene_edit(study.scene)->time.mode = PLI_MODE_QUASI_STATIC;
    pli_status status = compute(&study);
    code = status == PLI_OK ? tell(&study) : pli_cli_end(session, status, NULL);
    pli_modes_destroy(study.modes);
    pli_state_destroy(study.state);
    pli_model_destroy(study.model);
    pli_scene_destroy(study.scene);
    return code;
}

static const pli_cli_option options[] = {
    {.name = "count",
     .letter = 'n',
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, count),
     .min = 1,
     .max = 1000,
     .doc = "modes, the lowest ones (default: 10)"},
    {.name = "output",
     .letter = 'o',
     .value = "DIR",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, output),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "folder for modes.json and the frames to play (default: nothing is written)"},
    {.name = "state",
     .value = "STATE",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, mode_state),
     .choices = state_names,
     .fallback = "rest",
     .doc = "of the rest shape, or of the equilibrium under the loads of the scene"},
    {.name = "at",
     .value = "FRAME",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, at),
     .min = 1,
     .max = INT32_MAX,
     .doc = "with --state loaded: the frame whose equilibrium is taken (default: 1)"},
    {.name = "resume",
     .value = "DIR",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, checkpoint),
     .hint = PLI_CLI_HINT_FOLDER,
     .doc = "takes the newest state that a run of this scene saved in its folder"},
};

const pli_cli_command pli_cli_command_modes = {
    .name = "modes",
    .operands = "SCENE",
    .min_operands = 1,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_SCENE,
    .computes = true,
    .summary = "computes how the bodies of a scene vibrate: frequencies and shapes",
    .about =
        "Computes the lowest natural frequencies of the bodies of meshes in a scene (a file, the "
        "name of a shipped scene, or - for standard input), with what constraints hold taken out, "
        "and prints a table: frequency, and how much of the mass takes part along x, y and z. "
        "With --state loaded the scene is brought to rest under its loads first, and its stress "
        "counts.\n\n"
        "With --output, writes modes.json and a series of frames that plays one period of each "
        "mode after the other, for 'pliant view' and ParaView.",
    .examples = "  pliant modes rubber/stretch -n 6\n"
                "  pliant modes mine.yaml --state loaded -o out/modes\n  pliant view out/modes\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_scene_options, &pli_cli_talk_options, &pli_cli_json_options},
    .run = run_modes,
};

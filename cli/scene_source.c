// SPDX-License-Identifier: Apache-2.0
#include "scene_source.h"

#include "listing.h"
#include "signals.h"

#include "pliant/io.h"
#include "pliant/scene_reader.h"
#include "pliant/sim.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_SCENES = 511,
    MAX_CHANGES = PLI_CLI_MAX_TEXTS + 4,
    LONGEST_INPUT = 16 << 20,
    MOST_FRAMES = 100000000 // that a scene may have
};

// ---- shipped scenes

static const pli_cli_embedded *find_scene(const char *name)
{
    for (const pli_cli_embedded *scene = pli_cli_embedded_scenes; scene->name != NULL; ++scene) {
        if (strcmp(scene->name, name) == 0) return scene;
    }
    return NULL;
}

const pli_cli_embedded *pli_cli_find_scene(pli_cli_session *session, const char *name)
{
    for (const pli_cli_former_name *row = pli_cli_former_names; row->name != NULL; ++row) {
        if (strcmp(row->former, name) != 0) continue;
        pli_cli_warn(&session->console, "the scene '%s' is called '%s' now", name, row->name);
        name = row->name;
        break;
    }
    return find_scene(name);
}

// "stretch" of "rubber/stretch": what people remember of a name.
static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash != NULL ? slash + 1 : name;
}

const char *pli_cli_nearest_scene(const char *name)
{
    const char *names[MAX_SCENES + 1] = {NULL};
    const char *parts[MAX_SCENES + 1] = {NULL};
    for (int32_t index = 0; index < pli_cli_embedded_scene_count && index < MAX_SCENES; ++index) {
        names[index] = pli_cli_embedded_scenes[index].name;
        parts[index] = last_part(names[index]);
    }
    const char *nearest = pli_cli_nearest(name, names);
    if (nearest != NULL) return nearest;
    nearest = pli_cli_nearest(last_part(name), parts);
    for (int32_t index = 0; nearest != NULL && names[index] != NULL; ++index) {
        if (parts[index] == nearest) return names[index];
    }
    return NULL;
}

// ---- changes

// What the options change in a scene, in the words of --set.
typedef struct changes {
    const char *items[MAX_CHANGES];
    int32_t count;
    char solver[128];
    char frames[48];
    char seed[48];
    char checkpoints[48];
} changes;

static bool check_solver(pli_cli_session *session, const char *name)
{
    enum { MAX_SOLVERS = 63 };
    const char *names[MAX_SOLVERS + 1] = {"auto", NULL};
    pli_solver_info info;
    for (int32_t index = 0; index + 1 < MAX_SOLVERS && pli_solver_info_get(index, &info); ++index) {
        names[index + 1] = info.name;
        names[index + 2] = NULL;
    }
    for (int32_t index = 0; names[index] != NULL; ++index) {
        if (strcmp(names[index], name) == 0) return true;
    }
    pli_cli_refuse_name(session, "solver", name, pli_cli_nearest(name, names));
    return false;
}

// Collects the changes; an option of its own wins over --set of the same key.
static bool collect_changes(pli_cli_session *session, changes *collected)
{
    const pli_cli_arguments *arguments = &session->arguments;
    collected->count = 0;
    for (int32_t index = 0; index < arguments->settings.count; ++index) {
        collected->items[collected->count++] = arguments->settings.items[index];
    }
    if (arguments->solver != NULL) {
        if (!check_solver(session, arguments->solver)) return false;
        snprintf(collected->solver, sizeof collected->solver, "solver.name=%s", arguments->solver);
        collected->items[collected->count++] = collected->solver;
    }
    if (arguments->frames.given) {
        snprintf(collected->frames, sizeof collected->frames, "time.frames=%d",
                 (int)arguments->frames.value);
        collected->items[collected->count++] = collected->frames;
    }
    if (arguments->seed.given) {
        snprintf(collected->seed, sizeof collected->seed, "seed=%d", (int)arguments->seed.value);
        collected->items[collected->count++] = collected->seed;
    }
    if (arguments->checkpoint_every.count > 0) {
        snprintf(collected->checkpoints, sizeof collected->checkpoints,
                 "output.checkpoint_every=%d", (int)arguments->checkpoint_every.count);
        collected->items[collected->count++] = collected->checkpoints;
    }
    return true;
}

// ---- loading

// Says why a scene was not read. Returns an exit code.
static int refuse_scene(pli_cli_session *session, pli_status status)
{
    if (status != PLI_ERROR_INTERRUPTED) return pli_cli_report(session, status);
    pli_cli_error(&session->console, "stopped by %s while the scene was read",
                  pli_cli_stop_signal());
    return PLI_CLI_INTERRUPTED;
}

// Reads up to `room` bytes; less when there is no more, or a signal asks to stop. -1: it cannot be
// read.
static int64_t read_standard_input(char *text, int64_t room)
{
    int64_t length = 0;
    ssize_t got = 1;
    while (length < room && got > 0) {
        // unlike reading, waiting ends with a signal
        struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
        bool waits = poll(&input, 1, -1) < 0 && errno == EINTR;
        if (pli_cli_stop_requested()) break;
        if (waits) continue;
        got = read(STDIN_FILENO, text + length, (size_t)(room - length));
        if (got < 0) return -1;
        length += got;
    }
    return length;
}

static int parse_standard_input(pli_cli_session *session, const pli_load_def *def,
                                pli_scene **scene)
{
    char *text = malloc(LONGEST_INPUT + 1);
    if (text == NULL) return pli_cli_fail(&session->console, NULL, PLI_ERROR_MEMORY);
    // one byte more than allowed, so that the reader can see that it is too long
    int64_t length = read_standard_input(text, LONGEST_INPUT + 1);
    int code = PLI_CLI_DONE;
    if (length < 0) {
        pli_cli_error(&session->console, "standard input cannot be read: %s", strerror(errno));
        code = PLI_CLI_IO;
    } else {
        pli_status status = pli_scene_parse(session->context, text, length, "stdin", def, scene);
        if (status != PLI_OK) code = refuse_scene(session, status);
    }
    free(text);
    return code;
}

static int parse_embedded(pli_cli_session *session, const pli_cli_embedded *embedded,
                          const pli_load_def *def, pli_scene **scene)
{
    char name[256];
    snprintf(name, sizeof name, "%s.yaml", embedded->name);
    pli_status status = pli_scene_parse(session->context, embedded->begin,
                                        embedded->end - embedded->begin, name, def, scene);
    return status == PLI_OK ? PLI_CLI_DONE : refuse_scene(session, status);
}

static int refuse_name(pli_cli_session *session, const char *name, bool is_folder)
{
    const char *nearest = pli_cli_nearest_scene(name);
    const char *what = is_folder ? "is a folder, not a scene file"
                                 : "is neither a file nor the name of a shipped scene";
    if (nearest != NULL) {
        pli_cli_error(&session->console, "'%s' %s; did you mean %s?", name, what, nearest);
    } else {
        pli_cli_error(&session->console, "'%s' %s; 'pliant scenes' lists the shipped ones", name,
                      what);
    }
    return PLI_CLI_USAGE;
}

// Loads the scene from wherever the operand says. Returns an exit code.
static int read_scene(pli_cli_session *session, pli_scene **scene)
{
    const char *name = session->arguments.operands[0];
    changes collected;
    if (!collect_changes(session, &collected)) return PLI_CLI_USAGE;
    pli_load_def def = {.sets = collected.items,
                        .set_count = collected.count,
                        .allow_outside = session->arguments.allow_outside,
                        .cancel = pli_cli_ask_cancel};
    if (strcmp(name, "-") == 0) return parse_standard_input(session, &def, scene);

    // a file of the user's comes before a shipped scene of the same name
    struct stat found;
    bool exists = stat(name, &found) == 0;
    bool is_missing = !exists && (errno == ENOENT || errno == ENOTDIR);
    bool is_folder = exists && S_ISDIR(found.st_mode);
    if (is_missing || is_folder) {
        const pli_cli_embedded *embedded = pli_cli_find_scene(session, name);
        if (embedded != NULL) return parse_embedded(session, embedded, &def, scene);
    }
    if (is_missing || is_folder) return refuse_name(session, name, is_folder);
    pli_status status = pli_scene_load(session->context, name, &def, scene);
    return status == PLI_OK ? PLI_CLI_DONE : refuse_scene(session, status);
}

// The frames up to --end-time, by the rate of the scene. Returns an exit code.
static int set_end_time(pli_cli_session *session, pli_scene *scene)
{
    const pli_cli_arguments *arguments = &session->arguments;
    if (!(arguments->end_time > 0)) return PLI_CLI_DONE;
    if (arguments->frames.given) {
        pli_cli_error(
            &session->console,
            "--frames and --end-time both say where to end: only one of them is possible");
        return PLI_CLI_USAGE;
    }
    // a time that is meant as that of a frame counts as such in spite of rounding
    pli_time_def *time = &pli_scene_edit(scene)->time;
    double frames = ceil(arguments->end_time * time->fps * (1 - 1e-12));
    if (frames > MOST_FRAMES) {
        pli_cli_error(&session->console,
                      "--end-time is %.4g frames away, at %.4g frames per second; at most %d are "
                      "possible",
                      frames, time->fps, MOST_FRAMES);
        return PLI_CLI_USAGE;
    }
    time->frames = (int32_t)frames;
    return PLI_CLI_DONE;
}

int pli_cli_load_scene(pli_cli_session *session, pli_scene **scene)
{
    *scene = NULL;
    int code = read_scene(session, scene);
    if (code == PLI_CLI_DONE) code = set_end_time(session, *scene);
    if (code != PLI_CLI_DONE) {
        pli_scene_destroy(*scene);
        *scene = NULL;
    }
    return code;
}

void pli_cli_say_contact(pli_cli_session *session, const pli_scene *scene)
{
    const char *text = pli_scene_get_info(scene).contact;
    if (text[0] != '\0') pli_cli_say(&session->console, "contact: %s", text);
}

// SPDX-License-Identifier: Apache-2.0
//
// Pictures and films of the frames in a folder, without a display.
#include "session.h"
#include "signals.h"

#include "pliant/io.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// What is drawn and where to.
typedef struct rendering {
    pli_cli_session *session;
    pli_series *series;
    pli_picture *picture;
    pli_film *film;    // NULL: pictures
    uint8_t *rgb;      // [height][width][3]
    pli_view *view;    // NULL: none
    const char *color; // field that colours, "": none. Lifetime: that of view and arguments
    pli_cli_size size;
    const char *folder; // of the pictures; NULL for a film or a single picture
    const char *file;   // of a single picture, or NULL
    int32_t first;      // positions in the series, from first on, `every` apart
    int32_t every;
} rendering;

// ---- options

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text);
    size_t tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool is_film(const char *path)
{
    return ends_with(path, ".mp4") || ends_with(path, ".mov") || ends_with(path, ".mkv");
}

// Whether a field holds whole numbers, which have an order but no distance.
static bool has_categories(const char *field)
{
    return strcmp(field, "material") == 0 || strcmp(field, "partition") == 0 ||
           strcmp(field, "status") == 0;
}

static void set_colors(const pli_cli_arguments *arguments, pli_picture_def *def)
{
    if (arguments->color != NULL) {
        // component, range and map of a view belong to the field of the view
        def->field = arguments->color;
        def->component = PLI_COMPONENT_MAGNITUDE;
        def->automatic_range = true;
        def->colormap =
            has_categories(def->field) ? PLI_COLORMAP_CATEGORIES : PLI_COLORMAP_SEQUENTIAL;
    }
    if (arguments->color_range.given) {
        def->automatic_range = false;
        def->range[0] = arguments->color_range.low;
        def->range[1] = arguments->color_range.high;
    }
}

static void set_camera(const pli_cli_arguments *arguments, pli_camera_def *camera)
{
    // whoever says where the camera stands does not want the place of the view
    if (arguments->azimuth.given || arguments->elevation.given) camera->automatic = true;
    if (arguments->azimuth.given) camera->azimuth = arguments->azimuth.value;
    if (arguments->elevation.given) camera->elevation = arguments->elevation.value;
    if (arguments->orbit.given) camera->orbit = arguments->orbit.value;
    if (arguments->up == 0) return;
    const double up[3] = {0, arguments->up == PLI_UP_Y + 1, arguments->up == PLI_UP_Z + 1};
    memcpy(camera->up, up, sizeof up);
}

// The view, and over it what the command line says.
static pli_picture_def make_def(const pli_cli_arguments *arguments, const pli_view *view)
{
    pli_picture_def def = pli_picture_def_default();
    if (view != NULL) pli_view_apply(view, &def);
    if (arguments->size.width > 0) {
        def.width = arguments->size.width;
        def.height = arguments->size.height;
    }
    set_colors(arguments, &def);
    set_camera(arguments, &def.camera);
    def.particle_radius = arguments->radius.metres;
    if (arguments->radius.factor > 0) def.particle_scale = arguments->radius.factor;
    if (arguments->samples.given) def.samples = arguments->samples.value;
    if (arguments->edges) def.edges = true;
    if (arguments->colliders > 0) def.colliders = (pli_collider_look)(arguments->colliders - 1);
    if (arguments->dark) def.background = PLI_BACKGROUND_DARK;
    return def;
}

// Frames per second: as asked, or so that the film runs in the time of the simulation.
static double choose_rate(const rendering *job)
{
    const pli_cli_real *asked = &job->session->arguments.rate;
    if (asked->given) return asked->value;
    int32_t count = pli_series_count(job->series);
    if (job->first + job->every >= count) return 24;
    pli_series_info first = pli_series_get_info(job->series, job->first);
    pli_series_info second = pli_series_get_info(job->series, job->first + job->every);
    double rate = 1 / (second.time - first.time);
    return isfinite(rate) && rate >= 1 && rate <= 120 ? rate : 24;
}

// ---- drawing

// Loads every frame that will be drawn and hands it to body.
static pli_status visit_frames(rendering *job, const char *what,
                               pli_status (*body)(rendering *job, const pli_frame *frame))
{
    int32_t count = pli_series_count(job->series);
    for (int32_t position = job->first; position < count; position += job->every) {
        if (pli_cli_stop_requested()) return PLI_ERROR_INTERRUPTED;
        char status_line[96];
        snprintf(status_line, sizeof status_line, "%s frame %d of %d", what, (int)position + 1,
                 (int)count);
        pli_cli_set_status(&job->session->console, status_line);

        pli_frame *frame = NULL;
        pli_status status = pli_series_load(job->series, position, &frame);
        if (status == PLI_OK) status = body(job, frame);
        pli_frame_destroy(frame);
        if (status != PLI_OK) return status;
    }
    return PLI_OK;
}

static pli_status survey_frame(rendering *job, const pli_frame *frame)
{
    return pli_picture_survey(job->picture, frame);
}

static pli_status draw_frame(rendering *job, const pli_frame *frame)
{
    pli_status status = pli_picture_draw(job->picture, frame, job->rgb);
    if (status != PLI_OK) return status;
    if (job->film != NULL) return pli_film_add(job->film, job->rgb);
    char path[4096];
    if (job->file != NULL) {
        snprintf(path, sizeof path, "%s", job->file);
    } else {
        snprintf(path, sizeof path, "%s/frame_%05d.png", job->folder, (int)frame->index);
    }
    return pli_picture_write_png(job->session->context, path, job->size.width, job->size.height,
                                 job->rgb);
}

// A single picture shows --frame, or the last one. Returns an exit code.
static int pick_frame(rendering *job)
{
    const pli_cli_integer *wanted = &job->session->arguments.frame;
    int32_t count = pli_series_count(job->series);
    job->every = count;
    job->first = count - 1;
    if (!wanted->given) return PLI_CLI_DONE;
    pli_series_info info = {0};
    for (job->first = 0; job->first < count; ++job->first) {
        info = pli_series_get_info(job->series, job->first);
        if (info.index == wanted->value) return PLI_CLI_DONE;
    }
    pli_cli_error(&job->session->console, "there is no frame %d; the last one is %d",
                  (int)wanted->value, (int)info.index);
    return PLI_CLI_USAGE;
}

// Decides by the output's name what is made, and opens it. Returns an exit code.
static int open_output(rendering *job, const char *output)
{
    pli_cli_session *session = job->session;
    if (ends_with(output, ".png")) {
        job->file = output;
        return pick_frame(job);
    }
    if (!is_film(output)) {
        job->folder = output;
        if (mkdir(output, 0777) == 0 || errno == EEXIST) return PLI_CLI_DONE;
        pli_cli_error(&session->console, "%s: the folder cannot be made: %s", output,
                      strerror(errno));
        return PLI_CLI_IO;
    }
    if (job->size.width % 2 != 0 || job->size.height % 2 != 0) {
        pli_cli_error(&session->console, "--size %dx%d: a film needs an even width and height",
                      (int)job->size.width, (int)job->size.height);
        return PLI_CLI_USAGE;
    }
    pli_film_def def = pli_film_def_default();
    def.path = output;
    def.width = job->size.width;
    def.height = job->size.height;
    def.rate = choose_rate(job);
    pli_status status = pli_film_create(session->context, &def, &job->film);
    return status == PLI_OK ? PLI_CLI_DONE : pli_cli_report(session, status);
}

// Whether a part before this one has a field of this name.
static bool was_seen(const pli_frame *frame, int32_t part, const char *name)
{
    for (int32_t before = 0; before < part; ++before) {
        for (int32_t index = 0; index < frame->parts[before].field_count; ++index) {
            if (strcmp(frame->parts[before].fields[index].name, name) == 0) return true;
        }
    }
    return false;
}

// Says which fields a frame has, unless one of them is the one that is to colour it.
static bool has_color(rendering *job, const pli_frame *frame)
{
    const char *color = job->color;
    char names[512] = "";
    for (int32_t part = 0; part < frame->part_count; ++part) {
        const pli_frame_part *body = &frame->parts[part];
        for (int32_t index = 0; index < body->field_count; ++index) {
            const char *name = body->fields[index].name;
            if (strcmp(name, color) == 0) return true;
            if (was_seen(frame, part, name)) continue;
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, " %s", name);
        }
    }
    pli_cli_error(&job->session->console, "the frames have no field '%s'; they have%s", color,
                  names[0] != '\0' ? names : " none");
    return false;
}

// Refuses to colour by a field that the first frame does not have. Returns an exit code.
static int check_color(rendering *job)
{
    if (job->color[0] == '\0') return PLI_CLI_DONE;
    pli_frame *frame = NULL;
    pli_status status = pli_series_load(job->series, job->first, &frame);
    if (status != PLI_OK) return pli_cli_report(job->session, status);
    int code = has_color(job, frame) ? PLI_CLI_DONE : PLI_CLI_USAGE;
    pli_frame_destroy(frame);
    return code;
}

// Opens what is read and what is written. Returns an exit code.
static int prepare(rendering *job, const char *folder, const char *output)
{
    pli_cli_session *session = job->session;
    const pli_cli_arguments *arguments = &session->arguments;
    pli_status status = PLI_OK;
    if (arguments->view != NULL) {
        status = pli_view_load(session->context, arguments->view, &job->view);
    }
    if (status != PLI_OK) return pli_cli_report(session, status);
    pli_picture_def def = make_def(arguments, job->view);
    job->size = (pli_cli_size){def.width, def.height};
    job->color = def.field;
    status = pli_series_create(session->context, folder, &job->series);
    if (status == PLI_OK) status = pli_picture_create(session->context, &def, &job->picture);
    if (status != PLI_OK) return pli_cli_report(session, status);
    if (pli_series_count(job->series) == 0) {
        pli_cli_error(&session->console, "%s has no frames yet", folder);
        return PLI_CLI_USAGE;
    }
    job->rgb = malloc((size_t)job->size.width * (size_t)job->size.height * 3);
    if (job->rgb == NULL) return pli_cli_fail(&session->console, NULL, PLI_ERROR_MEMORY);
    int code = check_color(job);
    return code == PLI_CLI_DONE ? open_output(job, output) : code;
}

static pli_status draw_all(rendering *job)
{
    // the whole series decides on camera and colours, so that nothing jumps
    pli_status status = visit_frames(job, "looking at", survey_frame);
    if (status == PLI_OK) status = visit_frames(job, "drawing", draw_frame);
    if (status == PLI_OK && job->film != NULL) status = pli_film_finish(job->film);
    // what a signal did to ffmpeg is no failure of its own
    return status != PLI_OK && pli_cli_stop_requested() ? PLI_ERROR_INTERRUPTED : status;
}

static int run_render(pli_cli_session *session)
{
    pli_cli_signals_catch();
    const pli_cli_arguments *arguments = &session->arguments;
    rendering job = {.session = session,
                     .every = arguments->every.given ? arguments->every.value : 1};
    const char *folder = arguments->operands[0];
    char pictures[4096];
    const char *output =
        pli_cli_choose_output(session, folder, "pictures", pictures, sizeof pictures);

    int code = prepare(&job, folder, output);
    if (code == PLI_CLI_DONE) {
        code = pli_cli_end(session, draw_all(&job), output);
        if (code == PLI_CLI_DONE) pli_cli_say(&session->console, "wrote %s", output);
    }
    free(job.rgb);
    pli_film_destroy(job.film);
    pli_picture_destroy(job.picture);
    pli_series_destroy(job.series);
    pli_view_destroy(job.view);
    return code;
}

// ---- the command

// the first stands for "not given"
static const char *const collider_looks[] = {"default", "show", "hide", "glass", NULL};
static const char *const up_axes[] = {"default", "y", "z", NULL};

static const pli_cli_option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "PATH",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, output),
     .hint = PLI_CLI_HINT_FILE,
     .doc =
         "folder for pictures, one per frame; or a .mp4, .mov or .mkv film; or a .png of the last "
         "frame (default: DIR/pictures)"},
    {.name = "size",
     .value = "WxH",
     .kind = PLI_CLI_SIZE,
     .offset = offsetof(pli_cli_arguments, size),
     .min = 16,
     .max = 16384,
     .doc = "width and height in pixels (default: those of the view, or 960x600)"},
    {.name = "view",
     .value = "FILE",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, view),
     .hint = PLI_CLI_HINT_FILE,
     .doc = "camera, colours, hidden parts and section as saved by the page; other options go "
            "before it"},
    {.name = "color",
     .value = "FIELD",
     .kind = PLI_CLI_TEXT,
     .offset = offsetof(pli_cli_arguments, color),
     .doc = "field that colours, such as velocity or von_mises (default: one colour per body)"},
    {.name = "range",
     .value = "LOW:HIGH",
     .kind = PLI_CLI_RANGE,
     .offset = offsetof(pli_cli_arguments, color_range),
     .doc = "values at both ends of the colours (default: those that occur)"},
    {.name = "radius",
     .value = "R",
     .kind = PLI_CLI_LENGTH,
     .offset = offsetof(pli_cli_arguments, radius),
     .doc = "radius of particles in metres, or as a factor such as 1.5x (default: as the run says, "
            "or by their spacing)"},
    {.name = "azimuth",
     .value = "DEGREES",
     .kind = PLI_CLI_REAL,
     .offset = offsetof(pli_cli_arguments, azimuth),
     .doc = "how far to the right of the front the camera stands"},
    {.name = "elevation",
     .value = "DEGREES",
     .kind = PLI_CLI_REAL,
     .offset = offsetof(pli_cli_arguments, elevation),
     .doc = "how far above the horizon the camera stands"},
    {.name = "orbit",
     .value = "DEGREES",
     .kind = PLI_CLI_REAL,
     .offset = offsetof(pli_cli_arguments, orbit),
     .doc = "how far the camera goes round from one frame to the next"},
    {.name = "up",
     .value = "AXIS",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, up),
     .choices = up_axes,
     .doc = "direction that is up (default: that of the view, or y)"},
    {.name = "frame",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, frame),
     .max = INT32_MAX,
     .doc = "which frame a single .png shows (default: the last)"},
    {.name = "every",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, every),
     .min = 1,
     .max = INT32_MAX,
     .doc = "draws every N-th frame (default: 1)"},
    {.name = "rate",
     .value = "FPS",
     .kind = PLI_CLI_REAL,
     .offset = offsetof(pli_cli_arguments, rate),
     .doc = "pictures per second of a film (default: as in the simulation)"},
    {.name = "samples",
     .value = "N",
     .kind = PLI_CLI_INTEGER,
     .offset = offsetof(pli_cli_arguments, samples),
     .min = 1,
     .max = 8,
     .doc = "smoothing of borders: N x N rays a pixel"},
    {.name = "edges",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, edges),
     .doc = "draws the edges of the mesh"},
    {.name = "colliders",
     .value = "LOOK",
     .kind = PLI_CLI_CHOICE,
     .offset = offsetof(pli_cli_arguments, colliders),
     .choices = collider_looks,
     .doc = "how colliders are drawn: show them in grey, cut open where bodies are inside, hide "
            "them, or make them of glass (default: as the view says, or show)"},
    {.name = "dark",
     .kind = PLI_CLI_FLAG,
     .offset = offsetof(pli_cli_arguments, dark),
     .doc = "dark background"},
};

const pli_cli_command pli_cli_command_render = {
    .name = "render",
    .operands = "DIR",
    .min_operands = 1,
    .max_operands = 1,
    .hint = PLI_CLI_HINT_FOLDER,
    .computes = true,
    .summary = "draws the frames of a run as pictures or as a film, without a display",
    .about = "Draws the frames in the folder of a run. What the output is called decides what is "
             "made: a folder of pictures, one picture, or a film, for which ffmpeg must be "
             "installed.",
    .examples = "  pliant render out/demo\n"
                "  pliant render out/demo -o demo.mp4 --color velocity --size 1280x720\n"
                "  pliant render out/demo -o last.png --edges\n"
                "  pliant render out/demo -o film.mp4 --view out/demo/view.json\n",
    .own = PLI_CLI_OPTIONS(options),
    .shared = {&pli_cli_talk_options, &pli_cli_help_options},
    .run = run_render,
};

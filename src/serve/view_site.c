// SPDX-License-Identifier: Apache-2.0
#include "serve/view_site.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/timers.h"
#include "io/file/file.h"
#include "io/file/file_below.h"
#include "io/file/json.h"
#include "io/frames/series.h"
#include "io/frames/view.h"
#include "io/report/report.h"
#include "io/run/run_folder.h"
#include "io/run/run_json.h"
#include "serve/answer.h"
#include "serve/frame_cache.h"
#include "serve/frame_packet.h"
#include "serve/instance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    WATCH_SECONDS = 15,
    FIELDS_CAPACITY = 4096, // bytes of the names that a request asks for
    MAX_FIELDS = 64,
    MAX_REPORT_BYTES = 1 << 28
};

struct pli_view_site {
    pli_context *context;
    char *folder;
    char *list; // path of series.pvd
    pli_frame_encoder *encoder;
    pli_frame_cache cache;

    pli_series *series;  // NULL: there are no frames yet
    uint64_t list_stamp; // of the series.pvd that was read; 0: none
    uint64_t beginning;  // of the first frame's files: tells one run in the folder from the next
    char instance[PLI_INSTANCE_CAPACITY]; // of this server and the run it shows

    pli_text text; // of the answer that is being made
    double heard;  // when somebody last asked (s); negative: nobody did
};

// ---- the folder

static char *path_in(const pli_view_site *site, const char *name)
{
    return pli_path_join(site->context, site->folder, name);
}

// Drops what was kept of a run when another one has begun in its folder.
static void notice_beginning(pli_view_site *site)
{
    uint64_t beginning = 0;
    if (pli_series_count(site->series) > 0) {
        beginning = pli_frame_stamp(site->context, site->series, site->folder, 0);
    }
    if (beginning == site->beginning) return;
    bool known = site->beginning != 0;
    site->beginning = beginning;
    if (!known) return;
    pli_frame_cache_clear(&site->cache);
    pli_instance_make(site->beginning, site->instance);
}

// Reads series.pvd again if it has changed. Errors: io (missing or damaged; what was known stays),
// memory.
static pli_status refresh(pli_view_site *site)
{
    uint64_t stamp = pli_file_stamp(site->list);
    if (stamp == 0) {
        return PLI_FAIL(site->context, PLI_ERROR_IO, "%s: holds no frames; there is no %s in it",
                        site->folder, PLI_SERIES_FILE);
    }
    if (stamp != site->list_stamp) {
        pli_status status = site->series != NULL
                                ? pli_series_update(site->series)
                                : pli_series_create(site->context, site->folder, &site->series);
        if (status != PLI_OK) return status;
        site->list_stamp = stamp;
    }
    notice_beginning(site);
    return PLI_OK;
}

static void read_record(const pli_view_site *site, pli_run_summary *summary)
{
    *summary = (pli_run_summary){0};
    char *path = path_in(site, PLI_RUN_FILE);
    // without it, everything has a default
    if (path != NULL) (void)!pli_run_json_read(site->context, path, summary);
    pli_release(site->context, path);
}

// ---- session and series

static void answer_session(pli_view_site *site, const pli_http_request *request, const char *rest,
                           pli_http_response *response)
{
    (void)request;
    (void)rest;
    // words about a folder without frames are those of the series
    (void)!refresh(site);
    pli_run_summary record;
    read_record(site, &record);
    pli_text *text = &site->text;
    pli_text_append(text, "{\"protocol\":1,\"mode\":\"view\"");
    pli_json_add_string(text, "title",
                        record.scene[0] != '\0' ? record.scene : pli_path_name(site->folder));
    pli_json_add_string(text, "version", pli_version());
    pli_json_add_string(text, "instance", site->instance);
    pli_json_add_string(text, "up", record.z_up ? "z" : "y");
    pli_json_add_string(text, "contact", record.contact);
    pli_json_add_string(text, "folder", site->folder);
    pli_text_format(text, ",\"report\":%s,\"max_message\":%d}",
                    pli_file_is_below(site->folder, PLI_REPORT_FILE) ? "true" : "false",
                    PLI_SERVE_MAX_MESSAGE);
    pli_answer_json(site->context, response, text);
}

// Frames per second: as the run says, or so that they are shown in the time they were made for.
static double choose_rate(const pli_view_site *site, const pli_run_summary *record, int32_t count)
{
    if (record->fps > 0 && isfinite(record->fps)) return record->fps;
    if (count < 2) return 24;
    pli_series_info first = pli_series_get_info(site->series, 0);
    pli_series_info second = pli_series_get_info(site->series, 1);
    double rate = 1 / (second.time - first.time);
    return rate >= 1e-3 && rate <= 1e6 ? rate : 24;
}

static const char *outcome_of(const pli_run_summary *record, bool going)
{
    const char *running = pli_run_outcome_name(PLI_RUN_GOING);
    if (going) return running;
    // a run that could not say how it ended
    return strcmp(record->status, running) == 0 ? "killed" : record->status;
}

static void append_series(pli_view_site *site, bool going, int32_t count)
{
    pli_text *text = &site->text;
    pli_run_summary record;
    read_record(site, &record);
    pli_text_append(text, "{\"frames\":[");
    for (int32_t i = 0; i < count; ++i) {
        pli_series_info info = pli_series_get_info(site->series, i);
        pli_text_format(text, "%s[%d,", i > 0 ? "," : "", info.index);
        pli_json_append_number(text, info.time);
        pli_text_append(text, "]");
    }
    pli_text_append(text, "],\"fps\":");
    pli_json_append_number(text, choose_rate(site, &record, count));
    pli_text_format(text, ",\"going\":%s,\"unconverged\":%" PRId64, going ? "true" : "false",
                    record.unconverged);
    pli_json_add_string(text, "outcome", outcome_of(&record, going));
    pli_json_add_string(text, "instance", site->instance);
    pli_text_append(text, "}");
}

static void answer_series(pli_view_site *site, const pli_http_request *request, const char *rest,
                          pli_http_response *response)
{
    (void)request;
    (void)rest;
    // the lock first: what a run wrote before it ended is in the list that is read afterwards
    bool going = pli_run_folder_is_taken(site->context, site->folder);
    pli_status status = refresh(site);
    if (status != PLI_OK && !(status == PLI_ERROR_IO && going)) {
        pli_answer_failure(site->context, response, status == PLI_ERROR_IO ? 404 : 500);
        return;
    }
    // a run that goes and has no list is about to write one
    append_series(site, going, status == PLI_OK ? pli_series_count(site->series) : 0);
    pli_answer_json(site->context, response, &site->text);
}

// ---- frames

// Reads digits up to an end; false: there are none, others, or too many.
static bool read_number(const char **at, char end, int32_t *number)
{
    int64_t value = 0;
    const char *digit = *at;
    for (; *digit >= '0' && *digit <= '9'; ++digit) {
        value = 10 * value + (*digit - '0');
        if (value > INT32_MAX) return false;
    }
    if (digit == *at || *digit != end) return false;
    *at = end != '\0' ? digit + 1 : digit;
    *number = (int32_t)value;
    return true;
}

// The position of a frame in the series; -1: there is none with this number.
static int32_t find_position(const pli_view_site *site, int32_t number)
{
    int32_t low = 0;
    int32_t high = site->series != NULL ? pli_series_count(site->series) : 0;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        pli_series_info info = pli_series_get_info(site->series, middle);
        if (info.index == number) return middle;
        if (info.index < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

// What a failure of a frame means for who asked: it is not to be had, or the server could not.
static int32_t status_of(pli_status status)
{
    return status == PLI_ERROR_MEMORY ? 500 : 404;
}

// Loads a frame; NULL: the response says why not.
static const pli_frame *load_frame(pli_view_site *site, int32_t number, pli_http_response *response)
{
    pli_status status = refresh(site);
    int32_t position = status == PLI_OK ? find_position(site, number) : -1;
    if (status == PLI_OK && position < 0) {
        pli_answer_words(site->context, response, 404, "there is no frame %d", number);
        return NULL;
    }
    const pli_frame *frame = NULL;
    if (status == PLI_OK) {
        status = pli_frame_cache_get(&site->cache, site->series, site->folder, position, &frame);
    }
    if (status != PLI_OK) pli_answer_failure(site->context, response, status_of(status));
    return frame;
}

// Cuts "a,b" into its names.
static int32_t split_names(char *text, const char *names[MAX_FIELDS])
{
    int32_t count = 0;
    while (*text != '\0' && count < MAX_FIELDS) {
        char *comma = strchr(text, ',');
        if (comma != NULL) *comma = '\0';
        if (*text != '\0') names[count++] = text;
        if (comma == NULL) break;
        text = comma + 1;
    }
    return count;
}

static void answer_frame(pli_view_site *site, const pli_http_request *request, const char *rest,
                         pli_http_response *response)
{
    int32_t number = 0;
    if (!read_number(&rest, '\0', &number)) {
        pli_answer_words(site->context, response, 404, "frames have numbers: /api/frame/12");
        return;
    }
    const pli_frame *frame = load_frame(site, number, response);
    if (frame == NULL) return;
    char text[FIELDS_CAPACITY] = "";
    const char *names[MAX_FIELDS];
    if (!pli_http_query(request, "fields", text, sizeof text)) text[0] = '\0';
    int32_t count = split_names(text, names);
    pli_packet *packet = NULL;
    pli_status status = pli_frame_encode(site->encoder, frame, names, count, number, &packet);
    if (status != PLI_OK) {
        pli_answer_failure(site->context, response, status_of(status));
        return;
    }
    pli_answer_packet(response, packet);
}

static void answer_topology(pli_view_site *site, const pli_http_request *request, const char *rest,
                            pli_http_response *response)
{
    (void)request;
    int32_t number = 0;
    int32_t part = 0;
    if (!read_number(&rest, '/', &number) || !read_number(&rest, '\0', &part)) {
        pli_answer_words(site->context, response, 404,
                         "topologies have two numbers, of frame and part: /api/topology/12/0");
        return;
    }
    const pli_frame *frame = load_frame(site, number, response);
    if (frame == NULL) return;
    pli_packet *packet = NULL;
    pli_status status = pli_frame_encode_topology(site->encoder, frame, part, &packet);
    if (status != PLI_OK) {
        pli_answer_failure(site->context, response, status_of(status));
        return;
    }
    pli_answer_packet(response, packet);
}

// ---- report and view

// The report has a script of its own, which may draw and nothing else: whoever made the folder
// must not get at what the page can do. In a sandbox it has an origin of its own, which is sent no
// cookie, and its address holds no secret.
static const char report_policy[] =
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

static void answer_report(pli_view_site *site, const pli_http_request *request, const char *rest,
                          pli_http_response *response)
{
    (void)request;
    (void)rest;
    char *bytes = NULL;
    int64_t count = 0;
    char *path = path_in(site, PLI_REPORT_FILE);
    if (path == NULL || !pli_path_exists(path)) {
        pli_answer_words(site->context, response, 404,
                         "there is no report; it is written when the run ends");
    } else if (pli_file_read_below(site->context, site->folder, PLI_REPORT_FILE, MAX_REPORT_BYTES,
                                   &bytes, &count) != PLI_OK) {
        pli_answer_failure(site->context, response, 500);
    } else {
        pli_answer_bytes(site->context, response, "text/html; charset=utf-8", bytes, count);
        response->policy = report_policy;
    }
    pli_release(site->context, bytes);
    pli_release(site->context, path);
}

// Whether bytes are a view that pictures can be made by. Errors: argument (says what is wrong),
// memory.
static pli_status check_view(pli_context *context, const char *bytes, int64_t count)
{
    pli_view *view = NULL;
    PLI_TRY(pli_view_parse(context, "the view", bytes, count, &view));
    pli_view_destroy(view);
    return PLI_OK;
}

static void keep_view(pli_view_site *site, const pli_http_request *request, const char *rest,
                      pli_http_response *response)
{
    (void)rest;
    pli_context *context = site->context;
    if (request->body_size > PLI_SERVE_MAX_BODY) {
        pli_answer_words(context, response, 413, "a view has at most %d bytes", PLI_SERVE_MAX_BODY);
        return;
    }
    pli_status status = check_view(context, request->body, request->body_size);
    if (status != PLI_OK) {
        pli_answer_failure(context, response, status == PLI_ERROR_MEMORY ? 500 : 400);
        return;
    }
    char *path = path_in(site, PLI_VIEW_FILE);
    status = path != NULL ? pli_file_write(context, path, request->body, request->body_size)
                          : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        pli_text_append(&site->text, "{");
        pli_json_add_string(&site->text, "file", path);
        pli_text_append(&site->text, "}");
        pli_answer_json(context, response, &site->text);
    } else {
        pli_answer_failure(context, response, 500);
    }
    pli_release(context, path);
}

// ---- requests

typedef struct route {
    const char *method;
    const char *path; // one that ends with '/' is followed by more, which is handed over as rest
    void (*answer)(pli_view_site *site, const pli_http_request *request, const char *rest,
                   pli_http_response *response);
} route;

static const route routes[] = {
    {"GET", "/api/session", answer_session}, {"GET", "/api/series", answer_series},
    {"GET", "/api/frame/", answer_frame},    {"GET", "/api/topology/", answer_topology},
    {"GET", "/report", answer_report},       {"POST", "/api/view", keep_view},
};

// What follows a route's path; NULL: the path is another.
static const char *match(const route *it, const char *path)
{
    size_t length = strlen(it->path);
    if (strncmp(path, it->path, length) != 0) return NULL;
    bool open = it->path[length - 1] == '/';
    return open || path[length] == '\0' ? path + length : NULL;
}

static bool is_method(const route *it, const char *method)
{
    bool reads = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    return reads == (strcmp(it->method, "GET") == 0);
}

static void respond(void *user, const pli_http_request *request, pli_http_response *response)
{
    pli_view_site *site = user;
    pli_text_reset(&site->text);
    site->text.failed = false;
    if (strcmp(request->path, "/") == 0) {
        if (strcmp(request->method, "POST") == 0) {
            pli_answer_words(site->context, response, 405, "the page takes nothing");
            return;
        }
        pli_answer_page(site->context, response);
        return;
    }
    if (!request->authorized) {
        pli_answer_words(site->context, response, 403,
                         "this browser was not let in; open an address that pliant printed");
        return;
    }
    site->heard = pli_clock_seconds();
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; ++i) {
        const char *rest = match(&routes[i], request->path);
        if (rest == NULL) continue;
        if (is_method(&routes[i], request->method)) {
            routes[i].answer(site, request, rest, response);
        } else {
            pli_answer_words(site->context, response, 405, "only %s works here", routes[i].method);
        }
        return;
    }
    pli_answer_words(site->context, response, 404, "there is nothing under this address");
}

const pli_site_ops pli_view_site_ops = {.respond = respond};

int32_t pli_view_site_watchers(const pli_view_site *site)
{
    bool recent = site->heard >= 0 && pli_clock_seconds() - site->heard < WATCH_SECONDS;
    return recent ? 1 : 0;
}

// ---- life

// A path without slashes at its end, so that its last part has a name.
static char *copy_folder(pli_context *context, const char *folder)
{
    char *copy = pli_string_copy(context, folder);
    size_t length = copy != NULL ? strlen(copy) : 0;
    while (length > 1 && copy[length - 1] == '/') copy[--length] = '\0';
    return copy;
}

// Refuses folders that will never have something to show.
static pli_status check_folder(pli_view_site *site)
{
    struct stat about;
    if (stat(site->folder, &about) != 0 || !S_ISDIR(about.st_mode)) {
        return PLI_FAIL(site->context, PLI_ERROR_IO, "%s: there is no such folder", site->folder);
    }
    bool going = pli_run_folder_is_taken(site->context, site->folder);
    pli_status status = refresh(site);
    if (status == PLI_OK && !going && pli_series_count(site->series) == 0) {
        status = PLI_FAIL(site->context, PLI_ERROR_IO, "%s: holds no frames", site->folder);
    }
    return status == PLI_ERROR_IO && going ? PLI_OK : status;
}

pli_status pli_view_site_create(pli_context *context, const char *folder, pli_view_site **site)
{
    *site = NULL;
    pli_view_site *made = PLI_NEW(context, pli_view_site, 1, "view site");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->heard = -1;
    pli_text_init(&made->text, context);
    pli_frame_cache_init(&made->cache, context);
    made->folder = copy_folder(context, folder);
    made->list = made->folder != NULL ? path_in(made, PLI_SERIES_FILE) : NULL;
    pli_status status = made->list != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_frame_encoder_create(context, &made->encoder);
    if (status == PLI_OK) status = check_folder(made);
    if (status != PLI_OK) {
        pli_view_site_destroy(made);
        return status;
    }
    pli_instance_make(0, made->instance);
    *site = made;
    return PLI_OK;
}

void pli_view_site_destroy(pli_view_site *site)
{
    if (site == NULL) return;
    pli_frame_cache_clear(&site->cache);
    pli_series_destroy(site->series);
    pli_frame_encoder_destroy(site->encoder);
    pli_text_clear(&site->text);
    pli_release(site->context, site->list);
    pli_release(site->context, site->folder);
    pli_release(site->context, site);
}

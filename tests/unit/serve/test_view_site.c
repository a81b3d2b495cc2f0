// SPDX-License-Identifier: Apache-2.0
//
// What the page is told about a folder: every request, wrong ones, and folders that grow, are begun
// anew or vanish.
#include "folder.h"
#include "packet_reader.h"
#include "sample_series.h"
#include "support/fault_sweep.h"

#include "io/run/run_folder.h"
#include "serve/view_site.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { SIDE = 4 };

// An answer with its body as text.
typedef struct answer {
    int32_t status;
    const char *type;
    const char *policy;
    bool gzip;
    pli_packet *packet;
    char *text; // with a zero byte behind it
    int64_t size;
} answer;

static answer ask_with(pli_view_site *site, pli_http_request request)
{
    pli_http_response response = {.status = 404};
    if (request.query == NULL) request.query = "";
    if (request.body == NULL) request.body = "";
    pli_view_site_ops.respond(site, &request, &response);
    answer got = {.status = response.status,
                  .type = response.content_type,
                  .policy = response.policy,
                  .gzip = response.gzip,
                  .packet = response.packet};
    got.size = got.packet != NULL ? pli_packet_size(got.packet) : 0;
    got.text = calloc((size_t)got.size + 1, 1);
    assert_non_null(got.text);
    if (got.size > 0) memcpy(got.text, pli_packet_bytes(got.packet), (size_t)got.size);
    return got;
}

static answer ask(pli_view_site *site, const char *path)
{
    return ask_with(site, (pli_http_request){.method = "GET", .path = path, .authorized = true});
}

static answer post(pli_view_site *site, const char *path, const char *body)
{
    return ask_with(site, (pli_http_request){.method = "POST",
                                             .path = path,
                                             .body = body,
                                             .body_size = (int64_t)strlen(body),
                                             .authorized = true});
}

static void forget(answer *got)
{
    pli_packet_drop(got->packet);
    free(got->text);
}

static int32_t status_of(pli_view_site *site, const char *path)
{
    answer got = ask(site, path);
    forget(&got);
    return got.status;
}

// Whether an answer has a status and words.
static void expect_words(pli_view_site *site, const char *path, int32_t status, const char *words)
{
    answer got = ask(site, path);
    if (got.status != status || strstr(got.text, words) == NULL) {
        fprintf(stderr, "%s: got %d '%s', want %d '%s'\n", path, got.status, got.text, status,
                words);
        fail();
    }
    forget(&got);
}

static pli_view_site *open_site(folder_fixture *fix, int32_t last)
{
    sample_write(fix->context, fix->folder, true, SIDE, 0, last);
    pli_view_site *site = NULL;
    OK(fix->context, pli_view_site_create(fix->context, fix->folder, &site));
    return site;
}

static void write_text(folder_fixture *fix, const char *name, const char *text)
{
    write_bytes(in_folder(fix, name), text, strlen(text));
}

// ---- texts

// Parses a JSON answer.
static pli_json parse(folder_fixture *fix, const answer *got)
{
    pli_json json = {.context = fix->context};
    assert_int_equal(got->status, 200);
    assert_string_equal(got->type, "application/json");
    OK(fix->context, pli_json_parse(&json, got->text, got->size));
    return json;
}

static void session_says_what_is_shown(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    answer got = ask(site, "/api/session");
    pli_json json = parse(fix, &got);
    const pli_json_node *root = json.nodes;
    assert_int_equal(pli_json_number(&json, root, "protocol", 0), 1);
    assert_int_equal(pli_json_number(&json, root, "max_message", 0), PLI_SERVE_MAX_MESSAGE);
    assert_string_equal(pli_json_text(&json, root, "mode", ""), "view");
    assert_string_equal(pli_json_text(&json, root, "version", ""), pli_version());
    assert_string_equal(pli_json_text(&json, root, "folder", ""), fix->folder);
    // a series without a record has the name of its folder
    assert_string_equal(pli_json_text(&json, root, "title", ""), strrchr(fix->folder, '/') + 1);
    assert_string_equal(pli_json_text(&json, root, "up", ""), "y");
    assert_int_equal(strlen(pli_json_text(&json, root, "instance", "")), 16);
    assert_int_equal(pli_json_get(&json, root, "report")->number, 0);
    forget(&got);

    write_text(fix, "run.json", "{\"scene\": \"a/\\\"<b>\", \"up\": \"z\", \"status\": \"done\"}");
    write_text(fix, "report.html", "<p>report</p>");
    got = ask(site, "/api/session");
    pli_json_clear(&json);
    json = parse(fix, &got);
    root = json.nodes;
    assert_string_equal(pli_json_text(&json, root, "title", ""), "a/\"<b>");
    assert_string_equal(pli_json_text(&json, root, "up", ""), "z");
    assert_int_equal(pli_json_get(&json, root, "report")->number, 1);
    assert_null(strchr(got.text, '<'));
    forget(&got);
    pli_json_clear(&json);
    pli_view_site_destroy(site);
}

typedef struct series_facts {
    int32_t count;
    double last_time;
    double fps;
    bool going;
    char outcome[32];
    char instance[32];
    int32_t unconverged;
} series_facts;

static series_facts read_series(folder_fixture *fix, pli_view_site *site)
{
    answer got = ask(site, "/api/series");
    pli_json json = parse(fix, &got);
    const pli_json_node *root = json.nodes;
    series_facts facts = {.fps = pli_json_number(&json, root, "fps", 0)};
    const pli_json_node *frame = pli_json_child(&json, pli_json_get(&json, root, "frames"));
    for (; frame != NULL; frame = pli_json_next(&json, frame)) {
        const pli_json_node *number = pli_json_child(&json, frame);
        assert_int_equal(number->number, facts.count);
        facts.last_time = pli_json_next(&json, number)->number;
        ++facts.count;
    }
    facts.going = pli_json_get(&json, root, "going")->number != 0;
    facts.unconverged = (int32_t)pli_json_number(&json, root, "unconverged", -1);
    snprintf(facts.outcome, sizeof facts.outcome, "%s", pli_json_text(&json, root, "outcome", "?"));
    snprintf(facts.instance, sizeof facts.instance, "%s",
             pli_json_text(&json, root, "instance", "?"));
    pli_json_clear(&json);
    forget(&got);
    return facts;
}

static void series_lists_frames_with_their_times(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 4);
    series_facts facts = read_series(fix, site);
    assert_int_equal(facts.count, 5);
    assert_true(facts.last_time == 4 / 24.0);
    NEAR(facts.fps, 24, 1e-12, 0);
    assert_false(facts.going);
    assert_string_equal(facts.outcome, "");
    write_text(fix, "run.json", "{\"fps\": 60, \"status\": \"failed\", \"unconverged\": 7}");
    facts = read_series(fix, site);
    assert_true(facts.fps == 60);
    assert_int_equal(facts.unconverged, 7);
    assert_string_equal(facts.outcome, "failed");
    // a damaged record is as good as none
    write_text(fix, "run.json", "{\"fps\": 1e999, \"unconverged\": -1e300, \"status\": 3");
    facts = read_series(fix, site);
    NEAR(facts.fps, 24, 1e-12, 0);
    pli_view_site_destroy(site);
}

// ---- frames

static void frames_and_topologies_are_packets(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 3);
    pli_http_request request = {.method = "GET",
                                .path = "/api/frame/2",
                                .query = "fields=velocity,,nonsense,stress&token=x",
                                .authorized = true};
    answer got = ask_with(site, request);
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "application/octet-stream");
    packet_reader reader;
    packet_open(&reader, fix->context, got.packet);
    assert_int_equal(reader.kind, 1);
    assert_int_equal(reader.sequence, 2);
    assert_true(reader.time == 2 / 24.0);
    const pli_json_node *block = packet_part(&reader, 0);
    assert_non_null(packet_field(&reader, block, "fields", "velocity"));
    assert_non_null(packet_field(&reader, block, "fields", "stress"));
    assert_null(packet_field(&reader, block, "fields", "pressure"));
    char name[32];
    snprintf(name, sizeof name, "%s", packet_text(&reader, block, "topology"));
    packet_close(&reader);
    forget(&got);

    got = ask(site, "/api/topology/2/0");
    packet_open(&reader, fix->context, got.packet);
    assert_int_equal(reader.kind, 2);
    assert_string_equal(packet_text(&reader, reader.root, "topology"), name);
    packet_close(&reader);
    forget(&got);
    pli_view_site_destroy(site);
}

static void values_are_those_of_the_files(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    sample s;
    sample_init(&s, SIDE, 1);
    answer frame = ask(site, "/api/frame/1");
    answer topology = ask(site, "/api/topology/1/0");
    packet_reader points;
    packet_reader surface;
    int64_t count = 0;
    int64_t vertex_count = 0;
    packet_open(&points, fix->context, frame.packet);
    packet_open(&surface, fix->context, topology.packet);
    const float *got = packet_array(&points, packet_part(&points, 0), "points", "f32", &count);
    const uint32_t *vertices =
        packet_array(&surface, surface.root, "vertices", "u32", &vertex_count);
    assert_int_equal(count, 3 * vertex_count);
    for (int64_t i = 0; i < count; ++i) {
        assert_true(got[i] == (float)s.parts[0].points[3 * vertices[i / 3] + i % 3]);
    }
    packet_close(&points);
    packet_close(&surface);
    forget(&frame);
    forget(&topology);
    sample_clear(&s);
    pli_view_site_destroy(site);
}

static void wrong_numbers_get_404_with_words(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    static const char *const numbers[] = {
        "/api/frame/",    "/api/frame/x",   "/api/frame/-1",  "/api/frame/+1",
        "/api/frame/1x",  "/api/frame/1/",  "/api/frame/ 1",  "/api/frame/99999999999999999999999",
        "/api/frame/0x1", "/api/frame/1.0", "/api/frame/../1"};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
        expect_words(site, numbers[i], 404, "frames have numbers");
    }
    expect_words(site, "/api/frame/2", 404, "no frame 2");
    expect_words(site, "/api/frame/2147483647", 404, "no frame 2147483647");
    expect_words(site, "/api/frame/2147483648", 404, "frames have numbers");
    static const char *const pairs[] = {"/api/topology/",
                                        "/api/topology/1",
                                        "/api/topology/1/",
                                        "/api/topology//0",
                                        "/api/topology/1/-1",
                                        "/api/topology/1/0/0",
                                        "/api/topology/1/4294967296"};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        expect_words(site, pairs[i], 404, "two numbers");
    }
    expect_words(site, "/api/topology/2/0", 404, "no frame 2");
    expect_words(site, "/api/topology/1/2", 404, "has no topology");
    expect_words(site, "/api/topology/1/3", 404, "has no topology");
    expect_words(site, "/api/topology/1/2147483647", 404, "has no topology");
    pli_view_site_destroy(site);
}

static void unknown_addresses_get_404(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 0);
    static const char *const paths[] = {
        "/api",     "/api/",     "/api/sessions", "/api/series/", "/index.html", "/series.pvd",
        "/report/", "/run.json", "/api/socket",   "/reports",     "//"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        assert_int_equal(status_of(site, paths[i]), 404);
    }
    pli_view_site_destroy(site);
}

static void nothing_but_the_page_without_the_token(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 0);
    static const char *const paths[] = {"/api/session", "/api/series",       "/api/frame/0",
                                        "/report",      "/api/topology/0/0", "/nothing"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        answer got = ask_with(site, (pli_http_request){.method = "GET", .path = paths[i]});
        assert_int_equal(got.status, 403);
        forget(&got);
    }
    answer got = ask_with(site, (pli_http_request){.method = "POST",
                                                   .path = "/api/view",
                                                   .body = "{\"pliant_view\": 1}",
                                                   .body_size = 18});
    assert_int_equal(got.status, 403);
    assert_int_not_equal(access(in_folder(fix, PLI_VIEW_FILE), F_OK), 0);
    forget(&got);
    assert_int_equal(pli_view_site_watchers(site), 0);

    got = ask_with(site, (pli_http_request){.method = "GET", .path = "/"});
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "text/html; charset=utf-8");
    assert_true(got.gzip && got.size > 20);
    assert_memory_equal(got.text, "\x1f\x8b", 2);
    assert_non_null(strstr(got.policy, "connect-src 'self'"));
    forget(&got);
    assert_int_equal(pli_view_site_watchers(site), 0);
    assert_int_equal(status_of(site, "/api/series"), 200);
    assert_int_equal(pli_view_site_watchers(site), 1);
    pli_view_site_destroy(site);
}

static void methods_are_those_of_the_table(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 0);
    assert_int_equal(status_of(site, "/api/view"), 405);
    static const char *const paths[] = {"/", "/api/session", "/api/series", "/api/frame/0"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        answer got = post(site, paths[i], "{\"pliant_view\": 1}");
        assert_int_equal(got.status, 405);
        forget(&got);
    }
    pli_http_request head = {.method = "HEAD", .path = "/api/series", .authorized = true};
    answer got = ask_with(site, head);
    assert_int_equal(got.status, 200);
    forget(&got);
    pli_view_site_destroy(site);
}

// ---- report and view

static void report_is_given_but_gets_at_nothing(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 0);
    expect_words(site, "/report", 404, "when the run ends");
    write_text(fix, "report.html", "<p>all is well</p>");
    answer got = ask(site, "/report");
    assert_int_equal(got.status, 200);
    assert_string_equal(got.type, "text/html; charset=utf-8");
    assert_string_equal(got.text, "<p>all is well</p>");
    assert_non_null(strstr(got.policy, "sandbox"));
    assert_null(strstr(got.policy, "allow-same-origin"));
    forget(&got);
    // not a file: refused before it is read
    assert_int_equal(unlink(in_folder(fix, "report.html")), 0);
    assert_int_equal(mkfifo(in_folder(fix, "report.html"), 0600), 0);
    assert_int_equal(status_of(site, "/report"), 500);
    // nor what somebody else's folder points to
    write_text(fix, "secret", "<p>secret</p>");
    assert_int_equal(unlink(in_folder(fix, "report.html")), 0);
    assert_int_equal(symlink("secret", in_folder(fix, "report.html")), 0);
    expect_words(site, "/report", 500, "is a symbolic link");
    pli_view_site_destroy(site);
}

static void views_are_kept_and_others_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 0);
    static const char view[] = "{\"edges\": true, \"pliant_view\": 1}\n";
    answer got = post(site, "/api/view", view);
    assert_int_equal(got.status, 200);
    forget(&got);
    static const char *const wrong[] = {"",
                                        "{",
                                        "[]",
                                        "1",
                                        "null",
                                        "[{\"pliant_view\": 1}]",
                                        "{}",
                                        "{\"pliant_view\": 2}",
                                        "{\"pliant_view\": \"1\"}",
                                        "{\"pliant_view\": 1} and more",
                                        "{\"pliant_view\": 1, \"egdes\": true}",
                                        "{\"a\": {\"pliant_view\": 1}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        got = post(site, "/api/view", wrong[i]);
        assert_int_equal(got.status, 400);
        assert_true(got.size > 0);
        forget(&got);
    }
    // nesting beyond what anybody needs
    char deep[512] = "";
    memset(deep, '[', 200);
    got = post(site, "/api/view", deep);
    assert_int_equal(got.status, 400);
    forget(&got);
    // too large
    pli_http_request large = {.method = "POST",
                              .path = "/api/view",
                              .body = deep,
                              .body_size = PLI_SERVE_MAX_BODY + 1,
                              .authorized = true};
    got = ask_with(site, large);
    assert_int_equal(got.status, 413);
    forget(&got);
    // what was kept first is still there, and nothing beside it
    size_t count = 0;
    char *kept = read_bytes(in_folder(fix, PLI_VIEW_FILE), &count);
    assert_string_equal(kept, view);
    free(kept);
    assert_int_equal(count_entries(fix, "."), 4);
    pli_view_site_destroy(site);
}

// ---- folders that change

static void growing_series_is_noticed(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    series_facts before = read_series(fix, site);
    assert_int_equal(status_of(site, "/api/frame/2"), 404);
    sample_write(fix->context, fix->folder, true, SIDE, 2, 5);
    // without asking for the list first
    assert_int_equal(status_of(site, "/api/frame/5"), 200);
    series_facts after = read_series(fix, site);
    assert_int_equal(after.count, 6);
    assert_string_equal(before.instance, after.instance);
    pli_view_site_destroy(site);
}

static int64_t point_count(folder_fixture *fix, pli_view_site *site, const char *path)
{
    answer got = ask(site, path);
    assert_int_equal(got.status, 200);
    packet_reader reader;
    int64_t count = 0;
    packet_open(&reader, fix->context, got.packet);
    packet_array(&reader, packet_part(&reader, 0), "points", "f32", &count);
    packet_close(&reader);
    forget(&got);
    return count;
}

static void series_begun_anew_is_noticed(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 3);
    series_facts before = read_series(fix, site);
    int64_t small = point_count(fix, site, "/api/frame/0");
    // as many frames of another size
    sample_write(fix->context, fix->folder, true, SIDE + 2, 0, 3);
    assert_true(point_count(fix, site, "/api/frame/0") > small);
    series_facts after = read_series(fix, site);
    assert_int_equal(after.count, 4);
    assert_string_not_equal(before.instance, after.instance);
    pli_view_site_destroy(site);
}

static void vanished_frames_get_404_with_words(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 3);
    assert_int_equal(status_of(site, "/api/frame/1"), 200);
    assert_int_equal(unlink(in_folder(fix, "frames/block_00001.vtu")), 0);
    // though it was read before
    expect_words(site, "/api/frame/1", 404, "block_00001.vtu");
    expect_words(site, "/api/topology/1/0", 404, "block_00001.vtu");
    assert_int_equal(status_of(site, "/api/frame/2"), 200);
    // damaged
    write_text(fix, "frames/block_00003.vtu", "<VTKFile>");
    expect_words(site, "/api/frame/3", 404, "block_00003.vtu");
    pli_view_site_destroy(site);
}

static void vanished_folder_gets_404_with_words(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    assert_int_equal(status_of(site, "/api/frame/1"), 200);
    write_text(fix, "series.pvd", "<VTKFile><Collection>");
    expect_words(site, "/api/series", 404, "series.pvd");
    remove_folder(fix->folder);
    expect_words(site, "/api/series", 404, "holds no frames");
    expect_words(site, "/api/frame/1", 404, "holds no frames");
    assert_int_equal(status_of(site, "/api/session"), 200);
    assert_int_equal(status_of(site, "/report"), 404);
    answer got = post(site, "/api/view", "{\"pliant_view\": 1}");
    assert_int_equal(got.status, 500);
    assert_non_null(strstr(got.text, PLI_VIEW_FILE));
    forget(&got);
    // and back again
    assert_int_equal(mkdir(fix->folder, 0755), 0);
    sample_write(fix->context, fix->folder, true, SIDE, 0, 2);
    assert_int_equal(read_series(fix, site).count, 3);
    pli_view_site_destroy(site);
}

// ---- runs that go

// Another process that holds the lock of the folder until it is killed.
static pid_t hold_lock(folder_fixture *fix)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const char *path = in_folder(fix, ".lock");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int lock = open(path, O_RDWR | O_CREAT, 0600);
        bool held = lock >= 0 && flock(lock, LOCK_EX) == 0;
        if (write(ready[1], held ? "y" : "n", 1) == 1) pause();
        _exit(0);
    }
    char held = 'n';
    assert_int_equal(read(ready[0], &held, 1), 1);
    assert_int_equal(held, 'y');
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void kill_child(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void killed_run_goes_no_more(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = open_site(fix, 1);
    write_text(fix, "run.json", "{\"status\": \"running\"}");
    pid_t child = hold_lock(fix);
    series_facts facts = read_series(fix, site);
    assert_true(facts.going);
    assert_string_equal(facts.outcome, "running");
    kill_child(child);
    facts = read_series(fix, site);
    assert_false(facts.going);
    assert_string_equal(facts.outcome, "killed");
    // asking took no lock for longer than it asked
    pli_run_folder folder;
    OK(fix->context, pli_run_folder_init(&folder, fix->context, fix->folder));
    assert_true(read_series(fix, site).going);
    pli_run_folder_clear(&folder);
    pli_view_site_destroy(site);
}

static void run_without_frames_yet_can_be_watched(void **state)
{
    folder_fixture *fix = *state;
    pid_t child = hold_lock(fix);
    pli_view_site *site = NULL;
    OK(fix->context, pli_view_site_create(fix->context, fix->folder, &site));
    series_facts facts = read_series(fix, site);
    assert_int_equal(facts.count, 0);
    assert_true(facts.going);
    assert_int_equal(status_of(site, "/api/frame/0"), 404);
    assert_int_equal(status_of(site, "/api/session"), 200);
    sample_write(fix->context, fix->folder, true, SIDE, 0, 0);
    assert_int_equal(read_series(fix, site).count, 1);
    assert_int_equal(status_of(site, "/api/frame/0"), 200);
    kill_child(child);
    pli_view_site_destroy(site);
}

static void folders_without_frames_are_refused(void **state)
{
    folder_fixture *fix = *state;
    pli_view_site *site = NULL;
    assert_int_equal(pli_view_site_create(fix->context, fix->folder, &site), PLI_ERROR_IO);
    assert_null(site);
    assert_true(message_has(fix->context, "holds no frames"));
    char path[128];
    snprintf(path, sizeof path, "%s/nothing", fix->folder);
    assert_int_equal(pli_view_site_create(fix->context, path, &site), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "no such folder"));
    write_text(fix, "nothing", "a file");
    assert_int_equal(pli_view_site_create(fix->context, path, &site), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "no such folder"));
    write_text(fix, "series.pvd", "<VTKFile><Collection></Collection></VTKFile>");
    assert_int_equal(pli_view_site_create(fix->context, fix->folder, &site), PLI_ERROR_IO);
    assert_true(message_has(fix->context, "holds no frames"));
}

// ---- memory

static void every_failed_allocation_is_an_answer(void **state)
{
    folder_fixture *fix = *state;
    sample_write(fix->context, fix->folder, true, 3, 0, 0);
    static const char *const paths[] = {
        "/", "/api/session", "/api/series", "/api/frame/0", "/api/topology/0/0", "/report"};
    for (fault_sweep sweep = {.absorbs = true}; fault_sweep_next(&sweep);) {
        pli_view_site *site = NULL;
        sweep.status = pli_view_site_create(sweep.context, fix->folder, &site);
        if (sweep.status == PLI_OK) {
            for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
                int32_t status = status_of(site, paths[i]);
                assert_true(status == 200 || status == 404 || status == 500);
            }
            answer got = post(site, "/api/view", "{\"pliant_view\": 1}");
            assert_true(got.status == 200 || got.status == 500);
            forget(&got);
        }
        pli_view_site_destroy(site);
    }
}

static void frames_that_were_read_do_not_pile_up(void **state)
{
    folder_fixture *fix = *state;
    enum { FRAMES = 40 };
    sample_write(fix->context, fix->folder, true, SIDE, 0, FRAMES - 1);
    pli_fault fault = {0};
    pli_context *context = fault_context(&fault, 1);
    pli_view_site *site = NULL;
    OK(context, pli_view_site_create(context, fix->folder, &site));
    int64_t bytes[2] = {0, 0};
    for (int i = 0; i < FRAMES; ++i) {
        char path[64];
        snprintf(path, sizeof path, "/api/frame/%d", i);
        assert_int_equal(status_of(site, path), 200);
        if (i == FRAMES / 2 - 1) bytes[0] = fault.live_bytes;
    }
    bytes[1] = fault.live_bytes;
    assert_int_equal(bytes[0], bytes[1]);
    // a topology of a frame that was just read needs no file
    int64_t calls = fault.calls;
    assert_int_equal(status_of(site, "/api/topology/39/0"), 200);
    AT_MOST((double)(fault.calls - calls), 8);
    pli_view_site_destroy(site);
    pli_context_destroy(context);
    assert_int_equal(fault.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(session_says_what_is_shown),
        TEST_IN_FOLDER(series_lists_frames_with_their_times),
        TEST_IN_FOLDER(frames_and_topologies_are_packets),
        TEST_IN_FOLDER(values_are_those_of_the_files),
        TEST_IN_FOLDER(wrong_numbers_get_404_with_words),
        TEST_IN_FOLDER(unknown_addresses_get_404),
        TEST_IN_FOLDER(nothing_but_the_page_without_the_token),
        TEST_IN_FOLDER(methods_are_those_of_the_table),
        TEST_IN_FOLDER(report_is_given_but_gets_at_nothing),
        TEST_IN_FOLDER(views_are_kept_and_others_refused),
        TEST_IN_FOLDER(growing_series_is_noticed),
        TEST_IN_FOLDER(series_begun_anew_is_noticed),
        TEST_IN_FOLDER(vanished_frames_get_404_with_words),
        TEST_IN_FOLDER(vanished_folder_gets_404_with_words),
        TEST_IN_FOLDER(killed_run_goes_no_more),
        TEST_IN_FOLDER(run_without_frames_yet_can_be_watched),
        TEST_IN_FOLDER(folders_without_frames_are_refused),
        TEST_IN_FOLDER(every_failed_allocation_is_an_answer),
        TEST_IN_FOLDER(frames_that_were_read_do_not_pile_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the readers of JSON files: any bytes give what the format promises or a refusal. The first
// byte of the input says which: a document, a view, the log of a live simulation, run.json, the
// lines of a run.
#include "fuzz.h"

#include "io/file/json.h"
#include "io/run/run_json.h"
#include "io/run/run_log.h"
#include "pliant/io.h"
#include "serve/live_log.h"

#include <math.h>

// Every node but the first is the child or sibling of exactly one before it.
static void check_nodes(const pli_json *json)
{
    int32_t linked = 0;
    for (int32_t i = 0; i < json->node_count; ++i) {
        const pli_json_node *node = &json->nodes[i];
        CHECK(node->child == -1 || (node->child > i && node->child < json->node_count));
        CHECK(node->next == -1 || (node->next > i && node->next < json->node_count));
        linked += (node->child >= 0) + (node->next >= 0);
        if (node->kind == PLI_JSON_NUMBER) CHECK(isfinite(node->number));
        if (node->kind == PLI_JSON_STRING) CHECK(strlen(node->text) < SIZE_MAX);
    }
    CHECK(json->node_count > 0 && linked == json->node_count - 1);
}

static void read_document(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_json json = {.context = world->context};
    pli_status status = pli_json_parse(&json, (const char *)data, (int64_t)size);
    CHECK(status == PLI_OK || status == PLI_ERROR_IO);
    if (status == PLI_OK) check_nodes(&json);
    pli_json_clear(&json);
}

static void read_view(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_view *view = NULL;
    pli_status status = pli_view_load(world->context, fuzz_file(data, size), &view);
    if (status == PLI_OK) {
        pli_picture_def def = pli_picture_def_default();
        pli_view_apply(view, &def);
        CHECK(def.width > 0 && def.height > 0 && isfinite(def.camera.fov));
        for (int k = 0; k < 3; ++k) CHECK(isfinite(def.camera.position[k]));
        for (int32_t i = 0; i < def.hidden_count; ++i) CHECK(def.hidden[i] != NULL);
    } else {
        CHECK(status == PLI_ERROR_ARGUMENT || status == PLI_ERROR_IO);
        fuzz_check_message(world, "/proc/self/fd/");
    }
    pli_view_destroy(view);
}

static void read_live_log(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_live_reader *reader = NULL;
    pli_status status = pli_live_reader_create(world->context, fuzz_file(data, size), &reader);
    pli_live_entry entry = {.line = PLI_LIVE_LINE_COMMAND};
    int64_t steps = 0;
    while (status == PLI_OK && entry.line != PLI_LIVE_LINE_END) {
        status = pli_live_reader_next(reader, &entry);
        if (status == PLI_OK) CHECK(entry.steps >= steps);
        steps = entry.steps;
    }
    CHECK(status == PLI_OK || status == PLI_ERROR_IO);
    if (status != PLI_OK) fuzz_check_message(world, "/proc/self/fd/");
    pli_live_reader_destroy(reader);
}

static void read_run(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_run_summary summary;
    CHECK(pli_run_json_read(world->context, fuzz_file(data, size), &summary) == PLI_OK);
    CHECK(isfinite(summary.fps) && summary.fps >= 0 && isfinite(summary.wall_seconds));
    CHECK(memchr(summary.scene, 0, sizeof summary.scene) != NULL);
    CHECK(memchr(summary.status, 0, sizeof summary.status) != NULL);
}

static void hear_line(void *user, const pli_json *line)
{
    (void)user;
    check_nodes(line);
}

// What stays of a log is whole lines, and opening it once more changes nothing.
static void read_steps(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_log_def def = {.path = fuzz_file(data, size), .keep = 40, .heard = hear_line};
    for (int time = 0; time < 2; ++time) {
        pli_log *log = NULL;
        pli_status status = pli_log_create(world->context, &def, &log);
        CHECK(status == PLI_OK || status == PLI_ERROR_IO);
        pli_log_destroy(log);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(fuzz_world *, const uint8_t *, size_t) = {
        read_document, read_view, read_live_log, read_run, read_steps};
    enum { READERS = sizeof readers / sizeof *readers };
    if (size == 0) return 0;
    fuzz_world world;
    fuzz_world_init(&world);
    readers[data[0] % READERS](&world, data + 1, size - 1);
    fuzz_world_clear(&world);
    return 0;
}

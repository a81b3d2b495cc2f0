// SPDX-License-Identifier: Apache-2.0
#include "serve/live_log.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/run/run_json.h"
#include "io/run/run_log.h"
#include "serve/live.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// ---- writing

struct pli_live_log {
    pli_context *context;
    pli_log *file; // NULL: it can't be written any more
    pli_text line;
};

static void write_line(pli_live_log *log)
{
    if (log->file == NULL) return;
    bool written =
        !log->line.failed && pli_log_append(log->file, log->line.bytes, log->line.length) == PLI_OK;
    if (!written) {
        char message[512];
        pli_context_message(log->context, message, sizeof message);
        PLI_LOG(log->context, PLI_LOG_ERROR, "the log of what is done ends here: %s", message);
        pli_log_destroy(log->file);
        log->file = NULL;
    }
    pli_text_reset(&log->line);
}

static pli_status write_head(pli_live_log *log, const pli_live_log_head *head)
{
    char hash[17];
    pli_run_json_hash(head->scene_hash, hash);
    pli_text *line = &log->line;
    pli_text_append(line, "{\"pliant_live\":1");
    pli_json_add_string(line, "version", pli_version());
    pli_json_add_string(line, "build", pli_build_get()->text);
    pli_json_add_string(line, "name", head->name);
    pli_json_add_string(line, "scene_hash", hash);
    pli_json_add_string(line, "scene", head->scene);
    pli_text_append(line, "}\n");
    if (line->failed) return PLI_ERROR_MEMORY;
    pli_status status = pli_log_append(log->file, line->bytes, line->length);
    pli_text_reset(line);
    return status;
}

static pli_status open_file(pli_live_log *log, const char *folder)
{
    char *path = pli_path_join(log->context, folder, PLI_LIVE_LOG_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_log_def def = {.path = path, .keep = -1};
    pli_status status = pli_path_exists(path)
                            ? PLI_FAIL(log->context, PLI_ERROR_IO,
                                       "%s: is there already; choose another folder", path)
                            : pli_log_create(log->context, &def, &log->file);
    pli_release(log->context, path);
    return status;
}

pli_status pli_live_log_create(pli_context *context, const char *folder,
                               const pli_live_log_head *head, pli_live_log **log)
{
    *log = NULL;
    pli_live_log *made = PLI_NEW(context, pli_live_log, 1, "live log");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_text_init(&made->line, context);
    pli_status status = open_file(made, folder);
    if (status == PLI_OK) status = write_head(made, head);
    if (status != PLI_OK) {
        pli_live_log_destroy(made);
        return status;
    }
    *log = made;
    return PLI_OK;
}

void pli_live_log_destroy(pli_live_log *log)
{
    if (log == NULL) return;
    pli_log_destroy(log->file);
    pli_text_clear(&log->line);
    pli_release(log->context, log);
}

void pli_live_log_add(pli_live_log *log, const pli_live_command *command, int64_t steps)
{
    pli_live_command_append(&log->line, command, steps);
    write_line(log);
}

void pli_live_log_mark(pli_live_log *log, int64_t steps, uint64_t hash)
{
    char text[17];
    pli_run_json_hash(hash, text);
    pli_text_format(&log->line, "{\"step\":%" PRId64 ",\"type\":\"mark\",\"hash\":\"%s\"}\n", steps,
                    text);
    write_line(log);
}

// ---- reading

struct pli_live_reader {
    pli_context *context;
    char *path;
    char *bytes; // the whole file
    int64_t count;
    int64_t at;
    int32_t line;  // number of the one that was read last
    int64_t steps; // of the entry before
    pli_json json;
    char *scene;
    char *name;
    pli_live_log_head head;
};

static pli_status refuse(const pli_live_reader *reader, const char *what)
{
    return PLI_FAIL(reader->context, PLI_ERROR_IO, "%s:%d: %s", reader->path, (int)reader->line,
                    what);
}

// Parses the next whole line; *found is false at the end, and at a line that was cut short.
static pli_status read_line(pli_live_reader *reader, bool *found)
{
    const char *begin = reader->bytes + reader->at;
    const char *end = memchr(begin, '\n', (size_t)(reader->count - reader->at));
    *found = end != NULL;
    if (end == NULL) return PLI_OK;
    ++reader->line;
    reader->at += end - begin + 1;
    pli_status status = pli_json_parse(&reader->json, begin, end - begin);
    if (status != PLI_ERROR_IO) return status;
    char reason[256];
    pli_context_message(reader->context, reason, sizeof reason);
    return refuse(reader, reason);
}

static bool read_hash(const pli_live_reader *reader, const char *key, uint64_t *hash)
{
    const char *text = pli_json_text(&reader->json, reader->json.nodes, key, "");
    char *end = NULL;
    *hash = strtoull(text, &end, 16);
    return strlen(text) == 16 && *end == '\0';
}

static pli_status read_head(pli_live_reader *reader)
{
    bool found = false;
    PLI_TRY(read_line(reader, &found));
    const pli_json *json = &reader->json;
    if (!found || pli_json_number(json, json->nodes, "pliant_live", 0) != 1) {
        return refuse(reader, "is not the log of a live simulation, or of another version");
    }
    const char *scene = pli_json_text(json, json->nodes, "scene", NULL);
    const char *name = pli_json_text(json, json->nodes, "name", NULL);
    if (scene == NULL || name == NULL ||
        !read_hash(reader, "scene_hash", &reader->head.scene_hash)) {
        return refuse(reader, "the head lacks scene, name or scene_hash");
    }
    reader->scene = pli_string_copy(reader->context, scene);
    reader->name = pli_string_copy(reader->context, name);
    if (reader->scene == NULL || reader->name == NULL) return PLI_ERROR_MEMORY;
    reader->head.scene = reader->scene;
    reader->head.name = reader->name;
    return PLI_OK;
}

pli_status pli_live_reader_create(pli_context *context, const char *path, pli_live_reader **reader)
{
    *reader = NULL;
    pli_live_reader *made = PLI_NEW(context, pli_live_reader, 1, "live log");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->json.context = context;
    made->path = pli_string_copy(context, path);
    pli_status status = made->path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_file_read(context, path, 0, &made->bytes, &made->count);
    if (status == PLI_OK) status = read_head(made);
    if (status != PLI_OK) {
        pli_live_reader_destroy(made);
        return status;
    }
    *reader = made;
    return PLI_OK;
}

void pli_live_reader_destroy(pli_live_reader *reader)
{
    if (reader == NULL) return;
    pli_context *context = reader->context;
    pli_json_clear(&reader->json);
    pli_release(context, reader->scene);
    pli_release(context, reader->name);
    pli_release(context, reader->bytes);
    pli_release(context, reader->path);
    pli_release(context, reader);
}

const pli_live_log_head *pli_live_reader_head(const pli_live_reader *reader)
{
    return &reader->head;
}

// The number of steps of the line that was parsed.
static pli_status read_steps(pli_live_reader *reader, int64_t *steps)
{
    enum { MOST = 1 << 30 };
    double number = pli_json_number(&reader->json, reader->json.nodes, "step", -1);
    if (!(number >= (double)reader->steps && number <= MOST)) {
        return refuse(reader, "step has to be a whole number, and must not fall");
    }
    *steps = reader->steps = (int64_t)number;
    return PLI_OK;
}

pli_status pli_live_reader_next(pli_live_reader *reader, pli_live_entry *entry)
{
    bool found = false;
    *entry = (pli_live_entry){.line = PLI_LIVE_LINE_END, .steps = reader->steps};
    PLI_TRY(read_line(reader, &found));
    if (!found) return PLI_OK;
    PLI_TRY(read_steps(reader, &entry->steps));
    if (strcmp(pli_json_text(&reader->json, reader->json.nodes, "type", ""), "mark") == 0) {
        entry->line = PLI_LIVE_LINE_MARK;
        return read_hash(reader, "hash", &entry->hash) ? PLI_OK
                                                       : refuse(reader, "hash is not 16 digits");
    }
    entry->line = PLI_LIVE_LINE_COMMAND;
    pli_status status = pli_live_command_read(&reader->json, &entry->command);
    if (status != PLI_ERROR_ARGUMENT) return status;
    char reason[256];
    pli_context_message(reader->context, reason, sizeof reason);
    return refuse(reader, reason);
}

// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_json.h"

#include "base/memory.h"
#include "base/text.h"
#include "io/file/file.h"

#include <stdio.h>
#include <time.h>

enum { RUN_BYTES_LIMIT = 1 << 20 }; // largest run.json that is read

void pli_run_json_hash(uint64_t hash, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

void pli_run_json_now(char text[32])
{
    time_t now = time(NULL);
    struct tm parts;
    text[0] = '\0';
    if (gmtime_r(&now, &parts) != NULL) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

// ---- writing ----------------------------------------------------------------------------------

static void append_key(pli_text *text, const char *key)
{
    pli_text_format(text, "%s  \"%s\": ", text->length > 2 ? ",\n" : "", key);
}

static void append_string(pli_text *text, const char *key, const char *value)
{
    if (value == NULL) return;
    append_key(text, key);
    pli_json_append_string(text, value);
}

static void append_number(pli_text *text, const char *key, double value)
{
    append_key(text, key);
    pli_json_append_number(text, value);
}

static void append_integer(pli_text *text, const char *key, int64_t value)
{
    append_key(text, key);
    pli_text_format(text, "%lld", (long long)value);
}

// The verdict, and as warnings the reasons of every check that was not passed.
static void append_health(pli_text *text, const pli_run_record *record)
{
    static const char *const names[] = {"good", "doubtful", "bad"};
    pli_health_check checks[PLI_HEALTH_CHECKS];
    pli_health worst = pli_report_judge(record->report, &record->facts, checks);
    append_string(text, "health", names[worst]);
    append_key(text, "warnings");
    const char *separator = "[";
    for (int i = 0; i < PLI_HEALTH_CHECKS; ++i) {
        if (checks[i].health == PLI_HEALTH_GOOD) continue;
        pli_text_append(text, separator);
        pli_json_append_string(text, checks[i].text);
        separator = ", ";
    }
    pli_text_append(text, separator[0] == '[' ? "[]" : "]");
}

// Warnings that were logged.
static void append_notes(pli_text *text, const pli_report_notes *notes)
{
    if (notes == NULL || notes->count == 0) return;
    append_key(text, "logged");
    for (int32_t k = 0; k < notes->count; ++k) {
        pli_text_append(text, k > 0 ? ", " : "[");
        pli_json_append_string(text, notes->notes[k].text);
    }
    pli_text_append(text, "]");
}

static void append_seconds(pli_text *text, const pli_report *report)
{
    append_key(text, "seconds");
    pli_text_append(text, "{\"total\": ");
    pli_json_append_number(text, report->seconds);
    for (int32_t i = 0; i < report->phase_count; ++i) {
        pli_text_append(text, ", ");
        pli_json_append_string(text, report->phase_names[i]);
        pli_text_append(text, ": ");
        pli_json_append_number(text, report->phase_seconds[i]);
    }
    pli_text_append(text, "}");
}

static void append_origin(pli_text *text, const pli_run_record *record)
{
    char hash[17];
    pli_run_json_hash(record->scene_hash, hash);
    append_string(text, "pliant", pli_version());
    append_string(text, "build", pli_build_get()->text);
    append_string(text, "scene", record->facts.scene);
    append_string(text, "scene_hash", hash);
    append_string(text, "command", record->facts.command);
    append_string(text, "status", record->facts.status);
    append_string(text, "message", record->facts.message);
    append_health(text, record);
    append_notes(text, record->facts.notes);
}

static void append_matter(pli_text *text, const pli_run_record *record)
{
    const pli_report_matter *matter = &record->report->matter;
    bool has_begun = matter->step_count > 0;
    append_number(text, "cell", record->facts.cell);
    append_integer(text, "particles",
                   has_begun ? matter->particles : record->model->particle_count);
    append_integer(text, "emitted", matter->emitted);
    if (record->model->cfl > 0) return;
    append_integer(text, "sweeps", matter->sweeps);
    append_integer(text, "block_updates", matter->block_updates);
    append_integer(text, "particle_updates", matter->particle_updates);
    append_integer(text, "buffer_updates", matter->buffer_updates);
    append_integer(text, "retries", matter->retries);
}

static void append_member(pli_text *text, const char *key, int64_t value)
{
    pli_text_format(text, ", \"%s\": %lld", key, (long long)value);
}

// What implicit steps of particles were made of.
static void append_implicit(pli_text *text, const pli_report_grid *grid)
{
    append_key(text, "implicit");
    pli_text_append(text, "{\"shortest\": ");
    pli_json_append_number(text, grid->shortest);
    pli_text_append(text, ", \"longest\": ");
    pli_json_append_number(text, grid->longest);
    append_member(text, "nodes", grid->last.nodes);
    append_member(text, "constrained", grid->last.constrained);
#define X(member, type, key) append_member(text, key, grid->member);
    PLI_GRID_COUNTS(X)
#undef X
    append_member(text, "bytes", grid->last.bytes);
    pli_text_append(text, ", \"levels\": [");
    for (int32_t k = 0; k < pli_report_grid_levels(&grid->last); ++k) {
        pli_text_format(text, "%s{\"nodes\": %d", k > 0 ? ", " : "", grid->last.level_nodes[k]);
        append_member(text, "blocks", grid->last.level_blocks[k]);
        append_member(text, "bytes", grid->last.level_bytes[k]);
        pli_text_append(text, "}");
    }
    pli_text_append(text, "]}");
}

static void append_solve(pli_text *text, const pli_run_record *record)
{
    append_number(text, "tolerance", record->model->tolerance);
    append_string(text, "tolerance_unit", record->model->tolerance_unit);
    if (record->facts.cell <= 0) {
        append_integer(text, "vertices", record->facts.vertices);
        append_integer(text, "tets", record->facts.tets);
        append_integer(text, "triangles", record->facts.triangles);
    }
    append_integer(text, "iterations", record->report->iterations);
    append_integer(text, "linear_iterations", record->report->linear_iterations);
    append_integer(text, "unconverged", record->report->unconverged.count);
}

static void append_amounts(pli_text *text, const pli_run_record *record)
{
    const pli_report_facts *facts = &record->facts;
    const pli_report *report = record->report;
    append_integer(text, "seed", facts->seed);
    append_integer(text, "threads", facts->threads);
    append_string(text, "solver", facts->solver);
    if (facts->contact != NULL && facts->contact[0] != '\0') {
        append_string(text, "contact", facts->contact);
    }
    append_integer(text, "frames", facts->frame_count);
    append_integer(text, "frames_wanted", facts->frames_wanted);
    append_integer(text, "steps", report->step_count);
    append_number(text, "time", report->time);
    append_number(text, "fps", record->fps);
    append_string(text, "up", record->z_up ? "z" : "y");
    if (facts->cell > 0) append_matter(text, record);
    if (facts->cell <= 0 || record->model->cfl > 0) append_solve(text, record);
    if (record->model->cfl > 0) append_implicit(text, &report->grid);
    append_number(text, "wall_seconds", facts->wall_seconds);
    append_number(text, "peak_memory", facts->peak_memory);
    append_seconds(text, report);
}

void pli_run_json_append(pli_text *text, const pli_run_record *record)
{
    char now[32];
    pli_run_json_now(now);
    pli_text_append(text, "{\n");
    append_origin(text, record);
    append_amounts(text, record);
    append_string(text, "started", record->started);
    append_string(text, "updated", now);
    pli_text_append(text, "\n}\n");
}

// ---- reading ----------------------------------------------------------------------------------

// A number that is not negative; 0: it is not known, or damaged.
static double read_amount(const pli_json *json, const char *key)
{
    double amount = pli_json_number(json, &json->nodes[0], key, 0);
    return amount > 0 ? amount : 0;
}

pli_status pli_run_json_read(pli_context *context, const char *path, pli_run_summary *summary)
{
    *summary = (pli_run_summary){0};
    if (!pli_path_exists(path)) return PLI_OK;
    char *bytes = NULL;
    int64_t count = 0;
    pli_json json = {.context = context};
    pli_status status = pli_file_read(context, path, RUN_BYTES_LIMIT, &bytes, &count);
    if (status == PLI_OK) status = pli_json_parse(&json, bytes, count);
    if (status == PLI_OK) {
        const pli_json_node *root = &json.nodes[0];
        summary->fps = read_amount(&json, "fps");
        summary->z_up = pli_json_text(&json, root, "up", "y")[0] == 'z';
        summary->wall_seconds = read_amount(&json, "wall_seconds");
        snprintf(summary->scene, sizeof summary->scene, "%s",
                 pli_json_text(&json, root, "scene", ""));
        snprintf(summary->contact, sizeof summary->contact, "%s",
                 pli_json_text(&json, root, "contact", ""));
        snprintf(summary->scene_hash, sizeof summary->scene_hash, "%s",
                 pli_json_text(&json, root, "scene_hash", ""));
        snprintf(summary->started, sizeof summary->started, "%s",
                 pli_json_text(&json, root, "started", ""));
        snprintf(summary->status, sizeof summary->status, "%s",
                 pli_json_text(&json, root, "status", ""));
        double unconverged = read_amount(&json, "unconverged");
        summary->unconverged = unconverged < 1e15 ? (int64_t)unconverged : 0;
    }
    pli_json_clear(&json);
    pli_release(context, bytes);
    return status == PLI_ERROR_MEMORY ? status : PLI_OK;
}

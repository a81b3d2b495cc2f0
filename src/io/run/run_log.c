// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_log.h"

#include "base/memory.h"
#include "base/number.h"
#include "io/report/report_grid.h"
#include "io/report/report_matter.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// bytes of a line: what most of them need, and the longest that counts as one of ours
enum { LINE_CAPACITY = 1 << 14, LINE_LIMIT = 1 << 28 };

struct pli_log {
    pli_context *context;
    char *path;
    int descriptor;
    int64_t size; // bytes of whole lines
    bool lost;    // a sync failed, and what it should have brought to the disk may be gone
};

// ---- lines ------------------------------------------------------------------------------------

static void append_energy(pli_text *text, const pli_energies *energy)
{
    pli_text_append(text, ",\"energy\":{");
    pli_json_add_number(text, "kinetic", energy->kinetic);
    pli_json_add_number(text, "elastic", energy->elastic);
    pli_json_add_number(text, "gravity", energy->gravity);
    if (energy->attachment != 0) pli_json_add_number(text, "attachment", energy->attachment);
    if (energy->load != 0) pli_json_add_number(text, "load", energy->load);
    if (energy->cavity != 0) pli_json_add_number(text, "cavity", energy->cavity);
    pli_json_add_number(text, "contact", energy->contact);
    pli_json_add_number(text, "total", energy->total);
    pli_text_append(text, "}");
}

static void append_seconds(pli_text *text, const pli_step_report *report)
{
    pli_text_append(text, ",\"seconds\":{");
    pli_json_add_number(text, "total", report->seconds);
    for (int32_t i = 0; i < report->phase_count && i < PLI_REPORT_PHASES; ++i) {
        pli_text_append(text, ",");
        pli_json_append_string(text, report->phase_name[i]);
        pli_text_append(text, ":");
        pli_json_append_number(text, report->phase_seconds[i]);
    }
    pli_text_append(text, "}");
}

static void append_vector(pli_text *text, const char *key, const double v[3])
{
    pli_json_add_key(text, key);
    pli_json_append_numbers(text, v, 3);
}

// Which bodies touch, with resultants on the first.
static void append_pairs(pli_text *text, const pli_step_report *report)
{
    pli_text_append(text, ",\"pairs\":[");
    for (int32_t k = 0; k < report->pair_count; ++k) {
        const pli_contact_pair *pair = &report->pairs[k];
        pli_text_append(text, k > 0 ? ",{\"bodies\":[" : "{\"bodies\":[");
        pli_json_append_string(text, pair->first);
        pli_text_append(text, ",");
        pli_json_append_string(text, pair->second);
        pli_text_append(text, "]");
        pli_json_add_integer(text, "contacts", pair->contacts);
        if (isfinite(pair->min_gap)) pli_json_add_number(text, "min_gap", pair->min_gap);
        append_vector(text, "normal_force", pair->normal_force);
        append_vector(text, "friction_force", pair->friction_force);
        pli_text_append(text, "}");
    }
    pli_text_append(text, "]");
}

// {"air":{"volume":..,"pressure":..}}
static void append_cavities(pli_text *text, const pli_step_report *report)
{
    pli_text_append(text, ",\"cavities\":{");
    for (int32_t k = 0; k < report->cavity_count; ++k) {
        const pli_cavity_report *cavity = &report->cavities[k];
        if (k > 0) pli_text_append(text, ",");
        pli_json_append_string(text, cavity->name);
        pli_text_append(text, ":{");
        pli_json_add_number(text, "volume", cavity->volume);
        pli_json_add_number(text, "pressure", cavity->pressure);
        pli_text_append(text, "}");
    }
    pli_text_append(text, "}");
}

static void append_contact(pli_text *text, const pli_step_report *report)
{
    pli_json_add_integer(text, "contacts", report->contacts);
    if (isfinite(report->min_gap)) pli_json_add_number(text, "min_gap", report->min_gap);
    pli_json_add_number(text, "max_depth", report->max_depth);
    pli_json_add_number(text, "friction_work", report->friction_work);
    if (!(report->barrier_distance > 0)) return;
    pli_json_add_number(text, "barrier_distance", report->barrier_distance);
    pli_json_add_number(text, "barrier_stiffness", report->barrier_stiffness);
    append_pairs(text, report);
}

// What the three levels of the solver subspace did.
static void append_levels(pli_text *text, const pli_level_counts *levels)
{
    pli_text_append(text, ",\"levels\":{");
    pli_json_add_integer(text, "directions", levels->directions);
    pli_json_add_integer(text, "refreshes", levels->refreshes);
    pli_json_add_integer(text, "affine", levels->affine_iterations);
    pli_json_add_integer(text, "subspace", levels->subspace_iterations);
    pli_json_add_integer(text, "polish", levels->polish_iterations);
    pli_json_add_number(text, "largest_step", levels->largest_step);
    pli_text_append(text, "}");
}

// Block updates by the length of their step (s).
static void append_histogram(pli_text *text, const pli_matter_report *matter)
{
    const char *separator = "{";
    pli_text_append(text, ",\"steps\":");
    for (int k = 0; k < PLI_REPORT_STEPS; ++k) {
        if (matter->steps[k] == 0) continue;
        pli_text_format(text, "%s\"", separator);
        pli_text_append_number(text, ldexp(matter->tick, k));
        pli_text_format(text, "\":%lld", (long long)matter->steps[k]);
        separator = ",";
    }
    pli_text_append(text, separator[0] == '{' ? "{}" : "}");
}

// What explicit steps were made of.
static void append_explicit(pli_text *text, const pli_matter_report *matter)
{
    pli_text_append(text, ",\"explicit\":{");
    pli_json_add_number(text, "tick", matter->tick);
    pli_json_add_integer(text, "ticks", matter->ticks);
    pli_json_add_integer(text, "sweeps", matter->sweeps);
    pli_json_add_integer(text, "block_updates", matter->block_updates);
    pli_json_add_integer(text, "particle_updates", matter->particle_updates);
    pli_json_add_integer(text, "buffer_updates", matter->buffer_updates);
    pli_json_add_integer(text, "retries", matter->retries);
    pli_json_add_number(text, "schedule_seconds", matter->schedule_seconds);
    append_histogram(text, matter);
    pli_text_append(text, "}");
}

static void append_grid_levels(pli_text *text, const pli_grid_report *grid)
{
    pli_text_append(text, ",\"levels\":[");
    for (int32_t k = 0; k < pli_report_grid_levels(grid); ++k) {
        pli_text_append(text, k > 0 ? ",{" : "{");
        pli_json_add_integer(text, "nodes", grid->level_nodes[k]);
        pli_json_add_integer(text, "blocks", grid->level_blocks[k]);
        pli_json_add_integer(text, "bytes", grid->level_bytes[k]);
        pli_text_append(text, "}");
    }
    pli_text_append(text, "]");
}

// What implicit steps of particles were made of.
static void append_implicit(pli_text *text, const pli_grid_report *grid)
{
    pli_text_append(text, ",\"implicit\":{");
    pli_json_add_number(text, "shortest", grid->shortest);
    pli_json_add_number(text, "longest", grid->longest);
    pli_json_add_integer(text, "nodes", grid->nodes);
    pli_json_add_integer(text, "constrained", grid->constrained);
#define X(member, type, key) pli_json_add_integer(text, key, grid->member);
    PLI_GRID_COUNTS(X)
#undef X
    pli_json_add_integer(text, "bytes", grid->bytes);
    if (grid->level_count > 0) append_grid_levels(text, grid);
    pli_text_append(text, "}");
}

// What solving the step's equations took.
static void append_solve(pli_text *text, const pli_step_report *report)
{
    pli_json_add_integer(text, "iterations", report->iterations);
    pli_json_add_integer(text, "linear_iterations", report->linear_iterations);
    if (report->grid.substeps > 0) {
        pli_json_add_integer(text, "energy_evaluations", report->energy_evaluations);
    }
    if (report->levels.directions > 0) append_levels(text, &report->levels);
    pli_json_add_number(text, "residual", report->residual);
    pli_json_add_number(text, "tolerance", report->tolerance);
}

void pli_log_append_step(pli_text *text, const pli_step_report *report)
{
    bool has_matter = pli_report_has_matter(report), has_grid = report->grid.substeps > 0;
    pli_text_append(text, "{");
    pli_json_add_integer(text, "step", report->step);
    pli_json_add_number(text, "time", report->time);
    pli_json_add_number(text, "dt", report->dt);
    pli_json_add_string(text, "solver", report->solver != NULL ? report->solver : "");
    pli_json_add_string(text, "stop", pli_stop_name(report->stop));
    if (has_grid || !has_matter) append_solve(text, report);
    if (has_matter && !has_grid) append_explicit(text, &report->matter);
    if (has_grid) append_implicit(text, &report->grid);
    append_energy(text, &report->energy);
    append_vector(text, "momentum", report->momentum);
    append_vector(text, "angular_momentum", report->angular_momentum);
    if ((report->vertices > 0 || has_matter) && !isnan(report->min_J)) {
        pli_json_add_number(text, "min_J", report->min_J);
        pli_json_add_integer(text, "inverted", report->inverted);
    }
    if (report->vertices > 0) pli_json_add_integer(text, "vertices", report->vertices);
    if (has_matter) pli_json_add_integer(text, "particles", report->matter.particles);
    if (has_matter) pli_json_add_integer(text, "emitted", report->matter.emitted);
    if (has_grid) pli_json_add_integer(text, "nodes", report->grid.nodes);
    if (report->cavity_count > 0) append_cavities(text, report);
    if (report->collides) append_contact(text, report);
    append_seconds(text, report);
    pli_text_append(text, "}\n");
}

void pli_log_append_iteration(pli_text *text, const pli_iteration_report *report)
{
    pli_text_append(text, "{");
    pli_json_add_integer(text, "step", report->step);
    if (report->substep > 0) pli_json_add_integer(text, "substep", report->substep);
    pli_json_add_integer(text, "iteration", report->iteration);
    pli_json_add_number(text, "residual", report->residual);
    pli_json_add_number(text, "gradient", report->gradient);
    pli_json_add_number(text, "energy", report->energy);
    pli_json_add_number(text, "alpha", report->alpha);
    pli_json_add_integer(text, "linear_iterations", report->linear_iterations);
    pli_json_add_integer(text, "energy_evaluations", report->energy_evaluations);
    pli_json_add_integer(text, "direction", report->direction);
    pli_json_add_number(text, "seconds", report->seconds);
    pli_text_append(text, "}\n");
}

// ---- the file ---------------------------------------------------------------------------------

static pli_status fail_system(const pli_log *log, const char *action, int error)
{
    char buffer[128];
    return PLI_FAIL(log->context, PLI_ERROR_IO, "%s: %s: %s", log->path, action,
                    strerror_r(error, buffer, sizeof buffer));
}

// Whether a line is one of ours and of a step that stays; hands it on if so. Errors: memory.
static pli_status judge_line(const pli_log_def *def, pli_json *json, const char *line,
                             int64_t length, bool *stays)
{
    *stays = false;
    pli_status status = pli_json_parse(json, line, length);
    if (status != PLI_OK) return status == PLI_ERROR_MEMORY ? status : PLI_OK;
    double step = pli_json_number(json, &json->nodes[0], "step", -1);
    *stays = step >= 0 && step <= (double)def->keep;
    if (*stays && def->heard != NULL) def->heard(def->heard_user, json);
    return PLI_OK;
}

// a line of a file, of any length
typedef struct log_line {
    char *bytes;
    int32_t capacity;
    int64_t length; // with its end; 0: there is no whole line left
} log_line;

// Reads the next line. Errors: memory.
static pli_status read_line(pli_context *context, FILE *file, log_line *line)
{
    int64_t used = 0;
    line->length = 0;
    for (;;) {
        if (line->capacity - used < 2) {
            if (line->capacity >= LINE_LIMIT) return PLI_OK;
            int32_t wanted = line->capacity > 0 ? 2 * line->capacity : LINE_CAPACITY;
            PLI_TRY(PLI_RESIZE(context, line->bytes, wanted, "log line"));
            line->capacity = wanted;
        }
        if (fgets(line->bytes + used, line->capacity - (int32_t)used, file) == NULL) return PLI_OK;
        size_t got = strlen(line->bytes + used);
        used += (int64_t)got;
        if (got == 0) return PLI_OK; // a zero byte: none of ours
        if (line->bytes[used - 1] == '\n') break;
    }
    line->length = used;
    return PLI_OK;
}

// Finds how many bytes of whole lines stay. What cannot be read is not taken for the end.
static pli_status scan_lines(pli_log *log, const pli_log_def *def)
{
    // reading moves a position that appending does not look at
    int descriptor = fcntl(log->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (file == NULL) {
        int error = errno;
        if (descriptor >= 0) close(descriptor);
        return fail_system(log, "cannot read", error);
    }
    pli_json json = {.context = log->context};
    log_line line = {0};
    bool stays = true;
    pli_status status = read_line(log->context, file, &line);
    while (status == PLI_OK && line.length > 0) {
        status = judge_line(def, &json, line.bytes, line.length - 1, &stays);
        if (status != PLI_OK || !stays) break;
        log->size += line.length;
        status = read_line(log->context, file, &line);
    }
    if (status == PLI_OK && ferror(file)) status = fail_system(log, "cannot read", EIO);
    fclose(file);
    pli_json_clear(&json);
    pli_release(log->context, line.bytes);
    return status;
}

static pli_status open_log(pli_log *log, const pli_log_def *def)
{
    if (def->files != NULL) {
        PLI_TRY(pli_manifest_append_to(def->files, def->name, PLI_HEAD_LOG, &log->descriptor));
    } else {
        PLI_TRY(pli_file_open(log->context, AT_FDCWD, def->path, def->path,
                              O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, &log->descriptor, NULL));
    }
    if (def->keep >= 0) PLI_TRY(scan_lines(log, def));
    if (ftruncate(log->descriptor, log->size) != 0) return fail_system(log, "cannot cut", errno);
    return PLI_OK;
}

pli_status pli_log_create(pli_context *context, const pli_log_def *def, pli_log **log)
{
    *log = NULL;
    pli_log *made = PLI_NEW(context, pli_log, 1, "log");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->descriptor = -1;
    made->path = pli_string_copy(context, def->path);
    pli_status status = made->path != NULL ? open_log(made, def) : PLI_ERROR_MEMORY;
    if (status != PLI_OK) {
        pli_log_destroy(made);
        return status;
    }
    *log = made;
    return PLI_OK;
}

void pli_log_destroy(pli_log *log)
{
    if (log == NULL) return;
    if (log->descriptor >= 0) close(log->descriptor);
    pli_context *context = log->context;
    PLI_RELEASE(context, log->path, log);
}

pli_status pli_log_append(pli_log *log, const char *bytes, int64_t count)
{
    int64_t done = 0;
    while (done < count) {
        ssize_t put = write(log->descriptor, bytes + done, (size_t)(count - done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            int error = errno;
            char action[96];
            snprintf(action, sizeof action, "cannot append %lld bytes after the first %lld",
                     (long long)count, (long long)log->size);
            // half a line is worse than none
            if (ftruncate(log->descriptor, log->size) != 0) error = errno;
            return fail_system(log, action, error);
        }
        done += put;
    }
    log->size += count;
    return PLI_OK;
}

pli_status pli_log_sync(pli_log *log)
{
    // the system reports a failure once: the next sync would succeed without having written
    if (log->lost) return fail_system(log, "could not be synced to the disk before", EIO);
    if (fsync(log->descriptor) == 0) return PLI_OK;
    log->lost = true;
    return fail_system(log, "cannot sync to the disk", errno);
}

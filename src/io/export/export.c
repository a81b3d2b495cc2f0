// SPDX-License-Identifier: Apache-2.0
#include "io/export/export.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/run/run_folder.h"
#include "io/run/run_json.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { FLUSH_BYTES = 1 << 20 }; // a file's buffer is written out when it has grown to this

#define X(name) &pli_exporter_##name,
static const pli_exporter_ops *const exporters[] = {PLI_EXPORTERS(X)};
#undef X

enum { EXPORTERS = sizeof exporters / sizeof exporters[0] };

const pli_export_format *pli_export_format_get(int32_t index)
{
    return index >= 0 && index < EXPORTERS ? &exporters[index]->format : NULL;
}

pli_export_def pli_export_def_default(void)
{
    return (pli_export_def){.last = -1, .every = 1, .max_targets = 60};
}

// ---- files ------------------------------------------------------------------------------------

char *pli_export_path(const pli_export_job *job, const char *stem, const char *ending)
{
    char name[2 * PLI_EXPORT_NAME];
    snprintf(name, sizeof name, "%s%s", stem, ending);
    return pli_path_join(job->context, job->def->target, name);
}

pli_status pli_export_file_init(pli_export_file *file, pli_export_job *job, const char *path)
{
    *file = (pli_export_file){.job = job};
    pli_text_init(&file->text, job->context);
    return pli_draft_create(job->context, path, &file->draft);
}

static pli_status write_out(pli_export_file *file)
{
    if (file->text.failed) return PLI_ERROR_MEMORY;
    PLI_TRY(pli_draft_append(file->draft, file->text.bytes, file->text.length));
    pli_text_reset(&file->text);
    return PLI_OK;
}

pli_status pli_export_file_flush(pli_export_file *file)
{
    return file->text.length >= FLUSH_BYTES || file->text.failed ? write_out(file) : PLI_OK;
}

pli_status pli_export_file_commit(pli_export_file *file)
{
    PLI_TRY(write_out(file));
    PLI_TRY(pli_draft_commit(file->draft));
    ++file->job->report->file_count;
    return PLI_OK;
}

void pli_export_file_clear(pli_export_file *file)
{
    if (file->job == NULL) return;
    pli_draft_destroy(file->draft);
    pli_text_clear(&file->text);
    file->draft = NULL;
}

// ---- frames -----------------------------------------------------------------------------------

pli_series_info pli_export_frame(const pli_export_job *job, int32_t frame)
{
    pli_series_info info = pli_series_get_info(job->series, job->positions[frame]);
    return info;
}

// Where in a frame a body stands; -1: the frame does not have it.
static int32_t find_part(const pli_export_job *job, int32_t body, int32_t frame)
{
    const pli_series_list *list = pli_series_entries(job->series);
    int32_t number = pli_export_frame(job, frame).index;
    int32_t part = 0;
    for (int32_t i = 0; i < list->count && list->entries[i].frame <= number; ++i) {
        if (list->entries[i].frame < number) continue;
        if (strcmp(list->entries[i].name, job->bodies[body].name) == 0) return part;
        ++part;
    }
    return -1;
}

pli_status pli_export_load(pli_export_job *job, int32_t body, int32_t frame, pli_frame **loaded)
{
    const pli_export_def *def = job->def;
    *loaded = NULL;
    if (def->cancel != NULL && def->cancel(def->cancel_user)) {
        return PLI_FAIL(job->context, PLI_ERROR_INTERRUPTED, "the export was stopped");
    }
    if (job->done < job->total) ++job->done;
    if (def->progress != NULL) def->progress(def->progress_user, job->done, job->total);
    int32_t part = find_part(job, body, frame);
    if (part < 0) return PLI_OK;
    return pli_series_load_part(job->series, job->positions[frame], part, loaded);
}

pli_status pli_export_need(pli_export_job *job, int32_t body, int32_t frame, pli_frame **loaded)
{
    PLI_TRY(pli_export_load(job, body, frame, loaded));
    if (*loaded != NULL) return PLI_OK;
    return PLI_FAIL(job->context, PLI_ERROR_UNSUPPORTED,
                    "body '%s' is not in frame %d; %s needs every body in every frame, usda and "
                    "vtkhdf do not",
                    job->bodies[body].name, pli_export_frame(job, frame).index, job->def->format);
}

// ---- what is to be exported -------------------------------------------------------------------

// A name with letters, digits and '_' only, that begins with no digit.
static void make_stem(const char *name, char stem[PLI_EXPORT_NAME])
{
    int length = 0;
    if (name[0] == '\0' || (name[0] >= '0' && name[0] <= '9')) stem[length++] = '_';
    // leaves room for what makes it unique
    for (; *name != '\0' && length < PLI_EXPORT_NAME - 16; ++name) {
        bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                     (*name >= '0' && *name <= '9');
        stem[length++] = plain ? *name : '_';
    }
    stem[length] = '\0';
}

static bool is_stem_taken(const pli_export_job *job, const char *stem)
{
    for (int32_t i = 0; i < job->body_count; ++i) {
        if (strcasecmp(job->bodies[i].stem, stem) == 0) return true;
    }
    return false;
}

static void add_body(pli_export_job *job, const char *name)
{
    for (int32_t i = 0; i < job->body_count; ++i) {
        if (strcmp(job->bodies[i].name, name) == 0) return;
    }
    pli_export_body body = {.name = name};
    make_stem(name, body.stem);
    size_t length = strlen(body.stem);
    for (int32_t number = 2; is_stem_taken(job, body.stem); ++number) {
        snprintf(body.stem + length, sizeof body.stem - length, "_%d", number);
    }
    job->bodies[job->body_count++] = body;
}

static pli_status choose_frames(pli_export_job *job)
{
    const pli_export_def *def = job->def;
    int32_t count = pli_series_count(job->series);
    int32_t every = def->every > 0 ? def->every : 1;
    int32_t seen = 0;
    PLI_TRY(PLI_MAKE(job->context, job->positions, (int64_t)count + 1, "export"));
    for (int32_t position = 0; position < count; ++position) {
        pli_series_info info = pli_series_get_info(job->series, position);
        if (info.index < def->first || (def->last >= 0 && info.index > def->last)) continue;
        if (seen++ % every == 0) job->positions[job->frame_count++] = position;
    }
    if (job->frame_count == 0) {
        return PLI_FAIL(job->context, PLI_ERROR_ARGUMENT,
                        "%s: has no frames from number %d to %d; it has %d in all", def->folder,
                        def->first, def->last, count);
    }
    return PLI_OK;
}

static pli_status list_bodies(pli_export_job *job)
{
    const pli_series_list *list = pli_series_entries(job->series);
    PLI_TRY(PLI_MAKE(job->context, job->bodies, list->count, "export"));
    int32_t frame = 0;
    for (int32_t i = 0; i < list->count; ++i) {
        while (frame < job->frame_count &&
               pli_export_frame(job, frame).index < list->entries[i].frame) {
            ++frame;
        }
        bool wanted = frame < job->frame_count &&
                      pli_export_frame(job, frame).index == list->entries[i].frame;
        if (wanted) add_body(job, list->entries[i].name);
    }
    job->total = job->body_count * job->frame_count;
    return PLI_OK;
}

// Frames per second, from the def, the run's record or the times of the frames, in this order.
static double choose_fps(const pli_export_job *job, const pli_run_summary *summary)
{
    if (job->def->fps > 0) return job->def->fps;
    if (summary->fps > 0) return summary->fps;
    pli_series_info first = pli_export_frame(job, 0);
    pli_series_info last = pli_export_frame(job, job->frame_count - 1);
    return last.time > first.time ? (last.index - first.index) / (last.time - first.time) : 24;
}

static pli_status read_record(pli_export_job *job)
{
    pli_run_summary summary;
    char *path = pli_path_join(job->context, job->def->folder, PLI_RUN_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_run_json_read(job->context, path, &summary);
    pli_release(job->context, path);
    if (status != PLI_OK) return status;
    job->fps = choose_fps(job, &summary);
    job->z_up = summary.z_up;
    make_stem(summary.scene[0] != '\0' ? summary.scene : "frames", job->title);
    return PLI_OK;
}

static const pli_exporter_ops *find_exporter(const char *name)
{
    for (int i = 0; i < EXPORTERS && name != NULL; ++i) {
        if (strcmp(exporters[i]->format.name, name) == 0) return exporters[i];
    }
    return NULL;
}

static pli_status refuse_format(pli_context *context, const char *name)
{
    char names[128] = "";
    for (size_t i = 0, used = 0; i < EXPORTERS && used < sizeof names; ++i) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 exporters[i]->format.name);
    }
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "there is no format '%s'; possible are %s", name,
                    names);
}

static pli_status prepare(pli_export_job *job)
{
    PLI_TRY(pli_series_create(job->context, job->def->folder, &job->series));
    PLI_TRY(choose_frames(job));
    PLI_TRY(list_bodies(job));
    PLI_TRY(read_record(job));
    job->report->frames_found = job->report->frame_count = job->frame_count;
    return pli_folder_create(job->context, job->def->target);
}

pli_status pli_export(pli_context *context, const pli_export_def *def, pli_export_report *report)
{
    *report = (pli_export_report){0};
    const pli_exporter_ops *exporter = find_exporter(def->format);
    if (exporter == NULL) {
        return refuse_format(context, def->format != NULL ? def->format : "");
    }
    if (def->folder == NULL || def->target == NULL || def->target[0] == '\0') {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "an export needs a folder and a target");
    }
    pli_export_job job = {.context = context, .def = def, .report = report};
    pli_status status = prepare(&job);
    if (status == PLI_OK) status = exporter->write(&job);
    pli_series_destroy(job.series);
    PLI_RELEASE(context, job.positions, job.bodies);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_files.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/frames/series.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

// ---- the record -------------------------------------------------------------------------------

void pli_run_record_init(pli_run_record *record, const pli_run_folder *folder,
                         const pli_report *report, const pli_scene *scene,
                         const pli_model_info *model)
{
    const pli_scene_def *def = pli_scene_get(scene);
    pli_scene_info info = pli_scene_get_info(scene);
    *record = (pli_run_record){.report = report,
                               .model = model,
                               .fps = def->time.fps,
                               .z_up = def->up == PLI_UP_Z,
                               .facts = {.scene = info.name,
                                         .folder = folder->path,
                                         .solver = model->solver,
                                         .contact = info.contact,
                                         .tolerance_unit = model->tolerance_unit,
                                         .vertices = model->vertex_count,
                                         .tets = model->tet_count,
                                         .triangles = model->triangle_count,
                                         .cell = model->cell,
                                         .seed = def->seed}};
    pli_run_json_now(record->started);
}

static pli_health outcome_health(pli_run_outcome outcome)
{
    switch (outcome) {
    case PLI_RUN_DONE: return PLI_HEALTH_GOOD;
    case PLI_RUN_GOING:
    case PLI_RUN_LIMITED:
    case PLI_RUN_INTERRUPTED: return PLI_HEALTH_DOUBTFUL;
    default: return PLI_HEALTH_BAD;
    }
}

static double peak_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

void pli_run_record_update(pli_run_record *record, pli_run_outcome outcome)
{
    record->facts.status = pli_run_outcome_name(outcome);
    record->facts.status_health = outcome_health(outcome);
    record->facts.threads = pli_context_thread_count(record->report->context);
    record->facts.peak_memory = peak_memory();
}

pli_status pli_run_files_write_record(const pli_run_folder *folder, const pli_run_record *record)
{
    pli_text text;
    pli_text_init(&text, folder->context);
    pli_run_json_append(&text, record);
    pli_status status = text.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) {
        status = pli_manifest_write_head(folder->files, PLI_RUN_FILE, PLI_HEAD_RECORD, text.bytes,
                                         text.length);
    }
    pli_text_clear(&text);
    return status;
}

pli_status pli_run_files_write_report(const pli_run_folder *folder, const pli_run_record *record)
{
    pli_text text;
    pli_text_init(&text, folder->context);
    pli_report_append(&text, record->report, &record->facts);
    pli_status status = text.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) {
        status = pli_manifest_write(folder->files, PLI_REPORT_FILE, text.bytes, text.length);
    }
    pli_text_clear(&text);
    return status;
}

// ---- the scene --------------------------------------------------------------------------------

static bool is_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    return a != NULL && stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

pli_status pli_run_files_find_own_scene(const pli_run_folder *folder, const pli_scene *scene,
                                        bool *own)
{
    char *path = pli_run_folder_join(folder, PLI_SCENE_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    *own = is_same_file(pli_scene_get_info(scene).source, path);
    pli_release(folder->context, path);
    return PLI_OK;
}

pli_status pli_run_files_write_scene(const pli_run_folder *folder, const pli_scene *scene)
{
    bool own = false;
    PLI_TRY(pli_run_files_find_own_scene(folder, scene, &own));
    if (own) return PLI_OK;
    // comments make the file a place to learn from; paths are absolute, since the file stands
    // elsewhere than the scene it comes from
    pli_yaml_def def = {.comments = true, .absolute_paths = true};
    char *text = NULL;
    PLI_TRY(pli_scene_to_yaml(scene, &def, &text));
    pli_status status =
        pli_manifest_write(folder->files, PLI_SCENE_FILE, text, (int64_t)strlen(text));
    pli_text_free(folder->context, text);
    return status;
}

// ---- what is added to -------------------------------------------------------------------------

pli_status pli_run_files_open_log(const pli_run_folder *folder, const char *name, pli_log_def def,
                                  pli_log **log)
{
    char *path = pli_run_folder_join(folder, name);
    if (path == NULL) return PLI_ERROR_MEMORY;
    def.path = path;
    def.files = folder->files;
    def.name = name;
    pli_status status = pli_log_create(folder->context, &def, log);
    pli_release(folder->context, path);
    return status;
}

pli_status pli_run_files_open_frames(const pli_run_folder *folder, const pli_output_def *output,
                                     int32_t keep, pli_frame_writer **frames)
{
    pli_frame_writer_def def = {.folder = folder->path,
                                .keep = keep,
                                .compress = output->compress,
                                .fields = output->fields,
                                .field_count = output->field_count};
    return pli_frame_writer_create_in(folder->context, &def, folder->files, "", frames);
}

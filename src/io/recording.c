// SPDX-License-Identifier: Apache-2.0
#include "io/recording.h"

#include "base/memory.h"
#include "base/timers.h"
#include "io/file.h"
#include "io/report.h"
#include "io/run_folder.h"
#include "io/run_json.h"
#include "io/run_log.h"

#include <stdio.h>
#include <string.h>

struct pli_recording {
    pli_context *context;
    pli_run_folder folder;
    pli_frame_writer *frames;
    pli_log *steps;
    pli_text line; // scratch for one line of steps
    pli_report report;

    // what run.json and the report say of the run as a whole
    pli_model_info model;
    char scene_name[64];
    char *command; // or NULL
    uint64_t scene_hash;
    double fps;
    bool z_up;
    int32_t seed;
    char started[32];
    double begun; // when it was created (monotonic clock, s)
    int32_t frame_count;
    bool finished;
};

static pli_run_record describe(const pli_recording *recording)
{
    const pli_model_info *model = &recording->model;
    pli_run_record record = {
        .report = &recording->report,
        .model = model,
        .scene_hash = recording->scene_hash,
        .fps = recording->fps,
        .z_up = recording->z_up,
        .facts = {.scene = recording->scene_name,
                  .driven = true, // hands may put energy in at any time
                  .folder = recording->folder.path,
                  .command = recording->command,
                  .solver = model->solver,
                  .tolerance_unit = model->tolerance_unit,
                  .status =
                      pli_run_outcome_name(recording->finished ? PLI_RUN_DONE : PLI_RUN_GOING),
                  .status_health = recording->finished ? PLI_HEALTH_GOOD : PLI_HEALTH_DOUBTFUL,
                  .frame_count = recording->frame_count - 1,
                  .frames_wanted = recording->frame_count - 1,
                  .vertices = model->vertex_count,
                  .tets = model->tet_count,
                  .triangles = model->triangle_count,
                  .cell = model->cell,
                  .threads = pli_context_thread_count(recording->context),
                  .seed = recording->seed,
                  .wall_seconds = pli_clock_seconds() - recording->begun}};
    memcpy(record.started, recording->started, sizeof record.started);
    return record;
}

static pli_status write_record(const pli_recording *recording)
{
    pli_run_record record = describe(recording);
    char *path = pli_run_folder_join(&recording->folder, PLI_RUN_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_run_json_write(recording->context, &record, path);
    pli_release(recording->context, path);
    return status;
}

static pli_status write_report(const pli_recording *recording)
{
    pli_run_record record = describe(recording);
    char *path = pli_run_folder_join(&recording->folder, PLI_REPORT_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_report_write(&recording->report, &record.facts, path);
    pli_release(recording->context, path);
    return status;
}

static pli_status write_scene(const pli_recording *recording, const pli_scene *scene)
{
    pli_yaml_def def = {.comments = true, .absolute_paths = true};
    char *text = NULL;
    char *path = pli_run_folder_join(&recording->folder, PLI_SCENE_FILE);
    pli_status status = path != NULL ? pli_scene_to_yaml(scene, &def, &text) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        status = pli_file_write(recording->context, path, text, (int64_t)strlen(text));
    }
    pli_text_free(recording->context, text);
    pli_release(recording->context, path);
    return status;
}

static pli_status open_log(pli_recording *recording)
{
    char *path = pli_run_folder_join(&recording->folder, PLI_STEPS_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_log_def def = {.path = path, .keep = -1};
    pli_status status = pli_log_create(recording->context, &def, &recording->steps);
    pli_release(recording->context, path);
    return status;
}

static pli_status take_folder(pli_recording *recording, const char *folder)
{
    PLI_TRY(pli_run_folder_init(&recording->folder, recording->context, folder));
    if (!recording->folder.has_run) return PLI_OK;
    return PLI_FAIL(recording->context, PLI_ERROR_IO, "%s: already holds a run", folder);
}

static pli_status open_files(pli_recording *recording, const pli_recording_def *def)
{
    const pli_output_def *output = &pli_scene_get(def->scene)->output;
    PLI_TRY(take_folder(recording, def->folder));
    PLI_TRY(pli_report_init(&recording->report, recording->context));
    PLI_TRY(write_record(recording));
    PLI_TRY(open_log(recording));
    pli_frame_writer_def frames = {.folder = recording->folder.path,
                                   .keep = -1,
                                   .compress = output->compress,
                                   .fields = output->fields,
                                   .field_count = output->field_count};
    PLI_TRY(pli_frame_writer_create(recording->context, &frames, &recording->frames));
    return write_scene(recording, def->scene);
}

static pli_status copy_facts(pli_recording *recording, const pli_recording_def *def)
{
    const pli_scene_def *scene = pli_scene_get(def->scene);
    const char *name = pli_scene_name(def->scene);
    pli_model_get_info(def->model, &recording->model);
    snprintf(recording->scene_name, sizeof recording->scene_name, "%s", name);
    recording->scene_hash = pli_scene_hash(def->scene);
    recording->fps = scene->time.fps;
    recording->z_up = scene->up == PLI_UP_Z;
    recording->seed = scene->seed;
    recording->begun = pli_clock_seconds();
    pli_run_json_now(recording->started);
    if (def->command == NULL) return PLI_OK;
    recording->command = pli_string_copy(recording->context, def->command);
    return recording->command != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

pli_status pli_recording_create(pli_context *context, const pli_recording_def *def,
                                pli_recording **recording)
{
    *recording = NULL;
    pli_recording *made = PLI_NEW(context, pli_recording, 1, "recording");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->folder.lock = -1;
    pli_text_init(&made->line, context);
    pli_status status = copy_facts(made, def);
    if (status == PLI_OK) status = open_files(made, def);
    if (status != PLI_OK) {
        pli_recording_destroy(made);
        return status;
    }
    *recording = made;
    return PLI_OK;
}

pli_status pli_recording_add_step(pli_recording *recording, const pli_step_report *report)
{
    pli_report_add(&recording->report, report);
    pli_text_reset(&recording->line);
    pli_log_append_step(&recording->line, report);
    if (recording->line.failed) return PLI_ERROR_MEMORY;
    return pli_log_append(recording->steps, recording->line.bytes, recording->line.length);
}

pli_status pli_recording_add_frame(pli_recording *recording, const pli_frame *frame)
{
    pli_frame numbered = *frame;
    numbered.index = recording->frame_count;
    PLI_TRY(pli_frame_writer_add(recording->frames, &numbered));
    ++recording->frame_count;
    return PLI_OK;
}

pli_status pli_recording_finish(pli_recording *recording)
{
    recording->finished = true;
    PLI_TRY(pli_log_sync(recording->steps));
    PLI_TRY(write_record(recording));
    return write_report(recording);
}

void pli_recording_destroy(pli_recording *recording)
{
    if (recording == NULL) return;
    pli_context *context = recording->context;
    pli_log_destroy(recording->steps);
    pli_frame_writer_destroy(recording->frames);
    pli_report_clear(&recording->report);
    pli_text_clear(&recording->line);
    pli_release(context, recording->command);
    // the lock goes last: until here the folder is in use
    if (recording->folder.path != NULL) pli_run_folder_clear(&recording->folder);
    pli_release(context, recording);
}

const char *pli_recording_folder(const pli_recording *recording)
{
    return recording->folder.path;
}

// SPDX-License-Identifier: Apache-2.0
#include "io/run/recording.h"

#include "base/memory.h"
#include "base/timers.h"
#include "io/run/run_files.h"

#include <stdio.h>

struct pli_recording {
    pli_context *context;
    pli_run_folder folder;
    pli_frame_writer *frames;
    pli_log *steps;
    pli_text line; // scratch for one line of steps
    pli_report report;

    // what run.json and the report say of the run as a whole
    pli_run_record record;
    pli_model_info model;
    char scene_name[64];
    char *command; // or NULL
    double begun;  // when it was created (monotonic clock, s)
    int32_t frame_count;
    bool finished;
};

static pli_run_record describe(const pli_recording *recording)
{
    pli_run_record record = recording->record;
    pli_run_record_update(&record, recording->finished ? PLI_RUN_DONE : PLI_RUN_GOING);
    record.facts.frame_count = recording->frame_count - 1;
    record.facts.frames_wanted = recording->frame_count - 1;
    record.facts.wall_seconds = pli_clock_seconds() - recording->begun;
    return record;
}

// Copies what the scene and the model are lent for, and what is said of them.
static pli_status init_record(pli_recording *recording, const pli_recording_def *def)
{
    recording->model = pli_model_get_info(def->model);
    pli_run_record_init(&recording->record, &recording->folder, &recording->report, def->scene,
                        &recording->model);
    recording->record.scene_hash = pli_scene_hash(def->scene);
    snprintf(recording->scene_name, sizeof recording->scene_name, "%s",
             recording->record.facts.scene);
    if (def->command != NULL) {
        recording->command = pli_string_copy(recording->context, def->command);
        if (recording->command == NULL) return PLI_ERROR_MEMORY;
    }
    pli_report_facts *facts = &recording->record.facts;
    facts->scene = recording->scene_name;
    facts->command = recording->command;
    facts->driven = true; // hands may put energy in at any time
    return PLI_OK;
}

static pli_status open_files(pli_recording *recording, const pli_recording_def *def)
{
    const pli_run_folder *folder = &recording->folder;
    PLI_TRY(pli_report_init(&recording->report, recording->context));
    PLI_TRY(init_record(recording, def));
    pli_run_record record = describe(recording);
    PLI_TRY(pli_run_files_write_record(folder, &record));
    pli_log_def steps = {.keep = -1};
    PLI_TRY(pli_run_files_open_log(folder, PLI_STEPS_FILE, steps, &recording->steps));
    const pli_output_def *output = &pli_scene_get(def->scene)->output;
    PLI_TRY(pli_run_files_open_frames(folder, output, -1, &recording->frames));
    return pli_run_files_write_scene(folder, def->scene);
}

pli_status pli_recording_create(pli_context *context, const pli_recording_def *def,
                                pli_recording **recording)
{
    *recording = NULL;
    pli_recording *made = PLI_NEW(context, pli_recording, 1, "recording");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->folder.lock = -1;
    made->begun = pli_clock_seconds();
    pli_text_init(&made->line, context);
    pli_status status = pli_run_folder_init(&made->folder, context, def->folder);
    if (status == PLI_OK) status = pli_run_folder_accept(&made->folder, PLI_RUN_NEW, false);
    if (status == PLI_OK) status = open_files(made, def);
    if (status != PLI_OK) {
        if (made->folder.path != NULL) pli_run_folder_undo(&made->folder);
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
    pli_run_record record = describe(recording);
    PLI_TRY(pli_run_files_write_record(&recording->folder, &record));
    return pli_run_files_write_report(&recording->folder, &record);
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

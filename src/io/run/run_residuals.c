// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_residuals.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/frames/series.h"
#include "io/run/run_log.h"
#include "pliant/io.h"

#include <stdio.h>

enum { MESSAGE_CAPACITY = 512 };

static const double iterates_per_second = 24;

struct pli_run_residuals {
    pli_context *context;
    pli_frame_writer *frames;
    pli_log *iterates;
    int32_t count; // of frames
    pli_text line;

    int64_t id_room;
    double *ids; // [id_room] as fields have them

    pli_status status; // the first failure, and
    char message[MESSAGE_CAPACITY];
};

// ---- life

static void count_line(void *user, const pli_json *line)
{
    pli_run_residuals *residuals = user;
    (void)line;
    ++residuals->count;
}

// Lines first: they say how many frames stay.
static pli_status open_files(pli_run_residuals *residuals, const pli_run_residuals_def *def,
                             const char *folder)
{
    pli_manifest *files = def->borrowed_folder->files;
    char *path = pli_path_join(residuals->context, folder, PLI_ITERATES_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_log_def log = {.path = path,
                       .files = files,
                       .name = PLI_RESIDUALS_FOLDER "/" PLI_ITERATES_FILE,
                       .keep = def->keep,
                       .heard = count_line,
                       .heard_user = residuals};
    pli_status status = pli_log_create(residuals->context, &log, &residuals->iterates);
    pli_frame_writer_def frames = {
        .folder = folder, .keep = residuals->count - 1, .compress = def->compress};
    if (status == PLI_OK) {
        status = pli_frame_writer_create_in(residuals->context, &frames, files,
                                            PLI_RESIDUALS_FOLDER "/", &residuals->frames);
    }
    pli_release(residuals->context, path);
    return status;
}

pli_status pli_run_residuals_create(pli_context *context, const pli_run_residuals_def *def,
                                    pli_run_residuals **residuals)
{
    *residuals = NULL;
    pli_run_residuals *made = PLI_NEW(context, pli_run_residuals, 1, "residuals");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_text_init(&made->line, context);
    char *folder = pli_run_folder_join(def->borrowed_folder, PLI_RESIDUALS_FOLDER);
    pli_status status = folder != NULL ? open_files(made, def, folder) : PLI_ERROR_MEMORY;
    pli_release(context, folder);
    if (status != PLI_OK) {
        pli_run_residuals_destroy(made);
        return status;
    }
    *residuals = made;
    return PLI_OK;
}

void pli_run_residuals_destroy(pli_run_residuals *residuals)
{
    if (residuals == NULL) return;
    pli_context *context = residuals->context;
    pli_frame_writer_destroy(residuals->frames);
    pli_log_destroy(residuals->iterates);
    pli_text_clear(&residuals->line);
    PLI_RELEASE(context, residuals->ids, residuals);
}

// ---- an iterate

static pli_status copy_ids(pli_run_residuals *residuals, const pli_residual_view *view)
{
    if (view->count > residuals->id_room) {
        PLI_TRY(PLI_RESIZE(residuals->context, residuals->ids, view->count, "residuals"));
        residuals->id_room = view->count;
    }
    for (int64_t row = 0; row < view->count; ++row) residuals->ids[row] = view->ids[row];
    return PLI_OK;
}

static pli_status write_frame(pli_run_residuals *residuals, const pli_residual_view *view)
{
    PLI_TRY(copy_ids(residuals, view));
    const pli_frame_field fields[] = {{"residual", "", PLI_PLACE_POINT, 1, view->residuals, false},
                                      {"id", "", PLI_PLACE_POINT, 1, residuals->ids, true}};
    pli_frame_part part = {.name = "particles",
                           .kind = PLI_PART_POINTS,
                           .point_count = (int32_t)view->count,
                           .points = view->positions,
                           .field_count = 2,
                           .fields = fields};
    pli_frame frame = {.index = residuals->count,
                       .step = view->step,
                       .time = residuals->count / iterates_per_second,
                       .part_count = 1,
                       .parts = &part};
    return pli_frame_writer_add(residuals->frames, &frame);
}

static pli_status write_line(pli_run_residuals *residuals, const pli_residual_view *view)
{
    pli_text *line = &residuals->line;
    pli_text_reset(line);
    pli_text_format(line,
                    "{\"step\":%lld,\"substep\":%d,\"round\":%d,\"iteration\":%d,\"frame\":%d,"
                    "\"residual\":",
                    (long long)view->step, view->substep, view->round, view->iteration,
                    residuals->count);
    pli_json_append_number(line, view->residual);
    pli_text_append(line, "}\n");
    if (line->failed) return PLI_ERROR_MEMORY;
    return pli_log_append(residuals->iterates, line->bytes, line->length);
}

void pli_run_residuals_hear(void *user, const pli_residual_view *view)
{
    pli_run_residuals *residuals = user;
    if (residuals->status != PLI_OK) return;
    residuals->status = write_frame(residuals, view);
    if (residuals->status == PLI_OK) residuals->status = write_line(residuals, view);
    if (residuals->status == PLI_OK) {
        ++residuals->count;
    } else {
        pli_context_message(residuals->context, residuals->message, sizeof residuals->message);
    }
}

pli_status pli_run_residuals_status(const pli_run_residuals *residuals)
{
    if (residuals->status == PLI_OK) return PLI_OK;
    return PLI_FAIL(residuals->context, residuals->status, "%s", residuals->message);
}

pli_status pli_run_residuals_sync(pli_run_residuals *residuals)
{
    PLI_TRY(pli_run_residuals_status(residuals));
    return pli_log_sync(residuals->iterates);
}

// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "io/file.h"
#include "io/frame_vtu.h"
#include "io/series.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct pli_frame_writer {
    pli_context *context;
    char *folder;
    char **fields; // [field_count] names of the fields to write
    int32_t field_count;
    pli_series_list list; // what series.pvd says
    pli_vtu_writer vtu;
};

pli_frame_writer_def pli_frame_writer_def_default(void)
{
    return (pli_frame_writer_def){.keep = -1};
}

void pli_frame_writer_destroy(pli_frame_writer *writer)
{
    if (writer == NULL) return;
    pli_context *context = writer->context;
    pli_vtu_writer_clear(&writer->vtu);
    pli_series_list_clear(&writer->list);
    for (int32_t i = 0; i < writer->field_count; ++i) pli_release(context, writer->fields[i]);
    pli_release(context, writer->fields);
    pli_release(context, writer->folder);
    pli_release(context, writer);
}

// ---- beginning --------------------------------------------------------------------------------

static pli_status copy_fields(pli_frame_writer *writer, const pli_frame_writer_def *def)
{
    if (def->field_count == 0) return PLI_OK;
    writer->fields = PLI_NEW(writer->context, char *, def->field_count, "frame fields");
    if (writer->fields == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < def->field_count; ++i) {
        writer->fields[i] = pli_string_copy(writer->context, def->fields[i]);
        if (writer->fields[i] == NULL) return PLI_ERROR_MEMORY;
        writer->field_count = i + 1;
    }
    writer->vtu.fields = (const char *const *)writer->fields;
    writer->vtu.field_count = writer->field_count;
    return PLI_OK;
}

// Removes a file of the series; one that is not there is fine.
static void remove_file(const pli_frame_writer *writer, const char *file)
{
    char *path = pli_path_join(writer->context, writer->folder, file);
    if (path != NULL) unlink(path);
    pli_release(writer->context, path);
}

// Takes over what an earlier run left: frames up to `keep` stay, the others go.
static pli_status take_over(pli_frame_writer *writer, int32_t keep)
{
    char *path = pli_path_join(writer->context, writer->folder, PLI_SERIES_FILE);
    if (path == NULL) return PLI_ERROR_MEMORY;
    bool present = pli_path_exists(path);
    pli_release(writer->context, path);
    if (!present) return PLI_OK;

    PLI_TRY(pli_series_list_read(&writer->list, writer->folder));
    int32_t count = 0;
    while (count < writer->list.count && writer->list.entries[count].frame <= keep) ++count;
    for (int32_t i = count; i < writer->list.count; ++i) {
        remove_file(writer, writer->list.entries[i].file);
    }
    pli_series_list_cut(&writer->list, count);
    return PLI_OK;
}

static pli_status make_folders(const pli_frame_writer *writer)
{
    char *frames = pli_path_join(writer->context, writer->folder, PLI_FRAMES_FOLDER);
    if (frames == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_folder_create(writer->context, frames);
    pli_release(writer->context, frames);
    return status;
}

pli_status pli_frame_writer_create(pli_context *context, const pli_frame_writer_def *def,
                                   pli_frame_writer **writer)
{
    *writer = NULL;
    if (def->folder == NULL || def->folder[0] == '\0' || def->field_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a folder is needed to write frames");
    }
    pli_frame_writer *made = PLI_NEW(context, pli_frame_writer, 1, "frame writer");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_vtu_writer_init(&made->vtu, context);
    pli_series_list_init(&made->list, context);
    made->vtu.compress = def->compress;

    made->folder = pli_string_copy(context, def->folder);
    pli_status status = made->folder != NULL ? copy_fields(made, def) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = make_folders(made);
    if (status == PLI_OK) status = take_over(made, def->keep);
    if (status == PLI_OK) status = pli_series_list_write(&made->list, made->folder);
    if (status != PLI_OK) {
        pli_frame_writer_destroy(made);
        return status;
    }
    *writer = made;
    return PLI_OK;
}

// ---- adding frames ----------------------------------------------------------------------------

// The body's name with everything that a file name should not have replaced by '_'.
static void append_stem(pli_text *text, const char *name)
{
    int64_t start = text->length;
    for (const char *at = name; *at != '\0'; ++at) {
        bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                     (*at >= '0' && *at <= '9') || *at == '-' || *at == '_' ||
                     (*at == '.' && text->length > start);
        pli_text_append_bytes(text, plain ? at : "_", 1);
    }
    if (text->length == start) pli_text_append(text, "body");
}

// Whether one of the entries from `first` on has this file, on a file system that ignores case too.
static bool is_taken(const pli_series_list *list, int32_t first, const char *file)
{
    for (int32_t i = first; i < list->count; ++i) {
        if (strcasecmp(list->entries[i].file, file) == 0) return true;
    }
    return false;
}

// Names the file of a body: frames/<body>_<frame>.vtu. Bodies of one frame whose names differ only
// in what a file name cannot have get their number appended.
static pli_status name_file(const pli_frame_writer *writer, const pli_frame *frame, int32_t part,
                            int32_t first, pli_text *file)
{
    const pli_frame_part *body = &frame->parts[part];
    for (int32_t attempt = 0; attempt <= frame->part_count; ++attempt) {
        pli_text_reset(file);
        pli_text_append(file, PLI_FRAMES_FOLDER "/");
        append_stem(file, body->name);
        if (attempt > 0) pli_text_format(file, "-%d", part + attempt - 1);
        pli_text_format(file, "_%05d.%s", frame->index, pli_vtu_ending(body->kind));
        if (file->failed) return PLI_ERROR_MEMORY;
        if (!is_taken(&writer->list, first, file->bytes)) return PLI_OK;
    }
    return PLI_FAIL(writer->context, PLI_ERROR_ARGUMENT, "body '%s' has no name of its own",
                    body->name);
}

// Writes the file of one body and lists it.
static pli_status add_part(pli_frame_writer *writer, const pli_frame *frame, int32_t part,
                           int32_t first)
{
    pli_text file;
    char *path = NULL;
    pli_text_init(&file, writer->context);
    pli_status status = name_file(writer, frame, part, first, &file);
    if (status == PLI_OK) {
        path = pli_path_join(writer->context, writer->folder, file.bytes);
        status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    }
    if (status == PLI_OK) {
        pli_series_entry entry = {.frame = frame->index,
                                  .part = part,
                                  .time = frame->time,
                                  .name = (char *)(uintptr_t)frame->parts[part].name,
                                  .file = file.bytes};
        status = pli_series_list_add(&writer->list, &entry);
    }
    if (status == PLI_OK) status = pli_vtu_write(&writer->vtu, path, frame, &frame->parts[part]);
    pli_release(writer->context, path);
    pli_text_clear(&file);
    return status;
}

int32_t pli_frame_writer_newest(const pli_frame_writer *writer)
{
    const pli_series_list *list = &writer->list;
    return list->count > 0 ? list->entries[list->count - 1].frame : -1;
}

static pli_status check_frame(const pli_frame_writer *writer, const pli_frame *frame)
{
    int32_t last = pli_frame_writer_newest(writer);
    if (frame->index <= last || !isfinite(frame->time)) {
        return PLI_FAIL(writer->context, PLI_ERROR_ARGUMENT,
                        "frame %d at time %g cannot follow frame %d", frame->index, frame->time,
                        last);
    }
    for (int32_t part = 0; part < frame->part_count; ++part) {
        PLI_TRY(pli_part_check(writer->context, &frame->parts[part]));
    }
    return PLI_OK;
}

pli_status pli_frame_writer_add(pli_frame_writer *writer, const pli_frame *frame)
{
    PLI_TRY(check_frame(writer, frame));
    int32_t first = writer->list.count;
    pli_status status = PLI_OK;
    for (int32_t part = 0; part < frame->part_count && status == PLI_OK; ++part) {
        status = add_part(writer, frame, part, first);
    }
    if (status == PLI_OK) {
        // should this fail, the files stay: the list may already be in place, only not yet synced
        status = pli_series_list_write(&writer->list, writer->folder);
    } else {
        for (int32_t i = first; i < writer->list.count; ++i) {
            remove_file(writer, writer->list.entries[i].file);
        }
    }
    if (status != PLI_OK) pli_series_list_cut(&writer->list, first);
    return status;
}

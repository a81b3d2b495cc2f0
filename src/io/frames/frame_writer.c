// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"
#include "base/memory.h"
#include "io/file/file.h"
#include "io/file/key_map.h"
#include "io/frames/frame_vtu.h"
#include "io/frames/series.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// files of a frame that are synced one by one; more of them by one sync of everything
enum { FEW_FILES = 16 };

struct pli_frame_writer {
    pli_context *context;
    char *folder;
    pli_manifest *files; // what pliant wrote in the folder, or in one above it
    bool borrows_files;
    char *prefix;  // leads from the folder of `files` to this one: "" or "residuals/"
    char **fields; // [field_count] names of the fields to write
    int32_t field_count;
    pli_series_list list; // what series.pvd says
    pli_vtu_writer vtu;
    pli_text name;      // scratch for a name below the folder of `files`
    int32_t room;       // for drafts
    pli_draft **drafts; // [room] of a frame that is being written, NULL: none
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
    PLI_RELEASE(context, writer->fields, writer->drafts);
    pli_text_clear(&writer->name);
    if (!writer->borrows_files) pli_manifest_close(writer->files);
    PLI_RELEASE(context, writer->prefix, writer->folder, writer);
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

// The name of a file of the series below the folder of `files`; NULL when memory ran out.
// Lifetime: until the next call.
static const char *name_of(pli_frame_writer *writer, const char *file)
{
    pli_text_reset(&writer->name);
    pli_text_append(&writer->name, writer->prefix);
    pli_text_append(&writer->name, file);
    return writer->name.failed ? NULL : writer->name.bytes;
}

// Takes over what an earlier run left: frames up to `keep` stay, the others go.
static pli_status take_over(pli_frame_writer *writer, int32_t keep)
{
    const char *listing = name_of(writer, PLI_SERIES_FILE);
    if (listing == NULL) return PLI_ERROR_MEMORY;
    if (pli_manifest_owner(writer->files, listing) == PLI_OWNER_NOBODY) return PLI_OK;
    PLI_TRY(pli_manifest_check(writer->files, listing));

    PLI_TRY(pli_series_list_read(&writer->list, writer->folder));
    int32_t count = 0;
    while (count < writer->list.count && writer->list.entries[count].frame <= keep) ++count;
    for (int32_t i = count; i < writer->list.count; ++i) {
        pli_owner owner = PLI_OWNER_NOBODY;
        const char *name = name_of(writer, writer->list.entries[i].file);
        if (name == NULL) return PLI_ERROR_MEMORY;
        pli_manifest_remove(writer->files, name, &owner);
        if (owner == PLI_OWNER_OTHERS) return pli_manifest_check(writer->files, name);
    }
    pli_series_list_cut(&writer->list, count);
    return PLI_OK;
}

// Opens the folder's list of files, and adds what a version without lists left.
static pli_status open_files(pli_frame_writer *writer)
{
    PLI_TRY(pli_folder_create(writer->context, writer->folder));
    PLI_TRY(pli_manifest_open(writer->context, writer->folder, &writer->files));
    if (!pli_manifest_is_missing(writer->files)) return PLI_OK;
    return pli_series_adopt(writer->context, writer->files, writer->folder, writer->prefix);
}

static pli_status make_folders(pli_frame_writer *writer)
{
    int frames = -1;
    const char *name = name_of(writer, PLI_FRAMES_FOLDER "/");
    if (name == NULL) return PLI_ERROR_MEMORY;
    pli_status status = pli_manifest_enter(writer->files, name, true, &frames);
    if (frames >= 0) close(frames);
    return status;
}

static pli_status begin(pli_frame_writer *writer, const pli_frame_writer_def *def)
{
    PLI_TRY(copy_fields(writer, def));
    if (writer->files == NULL) PLI_TRY(open_files(writer));
    PLI_TRY(make_folders(writer));
    PLI_TRY(take_over(writer, def->keep));
    return pli_series_list_write(&writer->list, writer->files, writer->prefix);
}

pli_status pli_frame_writer_create_in(pli_context *context, const pli_frame_writer_def *def,
                                      pli_manifest *files, const char *prefix,
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
    pli_text_init(&made->name, context);
    made->vtu.compress = def->compress;
    made->files = files;
    made->borrows_files = files != NULL;

    made->folder = pli_string_copy(context, def->folder);
    made->prefix = pli_string_copy(context, prefix);
    bool copied = made->folder != NULL && made->prefix != NULL;
    pli_status status = copied ? begin(made, def) : PLI_ERROR_MEMORY;
    if (status != PLI_OK) {
        pli_frame_writer_destroy(made);
        return status;
    }
    *writer = made;
    return PLI_OK;
}

pli_status pli_frame_writer_create(pli_context *context, const pli_frame_writer_def *def,
                                   pli_frame_writer **writer)
{
    return pli_frame_writer_create_in(context, def, NULL, "", writer);
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

// Takes a file's name within a frame; false: a part before has it, or would have it on a file
// system that ignores case. Errors: memory.
static pli_status take_name(pli_key_map *taken, const char *file, bool *is_free)
{
    uint64_t key[2] = {PLI_HASH_START, PLI_HASH_START ^ 1};
    int32_t number = -1;
    for (const char *at = file; *at != '\0'; ++at) {
        char small = (char)tolower((unsigned char)*at);
        key[0] = pli_hash_bytes(key[0], &small, 1);
        key[1] = pli_hash_bytes(key[1], &small, 1);
    }
    return pli_key_map_add(taken, key, &number, is_free);
}

// Names the file of a body: frames/<body>_<frame>.vtu. Bodies of one frame whose names differ only
// in what a file name cannot have get their number appended.
static pli_status name_file(const pli_frame_writer *writer, const pli_frame *frame, int32_t part,
                            pli_key_map *taken, pli_text *file)
{
    const pli_frame_part *body = &frame->parts[part];
    for (int32_t attempt = 0; attempt <= frame->part_count; ++attempt) {
        bool is_free = false;
        pli_text_reset(file);
        pli_text_append(file, PLI_FRAMES_FOLDER "/");
        append_stem(file, body->name);
        if (attempt > 0) pli_text_format(file, "-%d", part + attempt - 1);
        pli_text_format(file, "_%05d.%s", frame->index, pli_vtu_ending(body->kind));
        if (file->failed) return PLI_ERROR_MEMORY;
        PLI_TRY(take_name(taken, file->bytes, &is_free));
        if (is_free) return PLI_OK;
    }
    return PLI_FAIL(writer->context, PLI_ERROR_ARGUMENT, "body '%s' has no name of its own",
                    body->name);
}

// Adds the files of a frame to the series, without writing them.
static pli_status list_parts(pli_frame_writer *writer, const pli_frame *frame)
{
    pli_text file;
    pli_key_map taken;
    pli_text_init(&file, writer->context);
    pli_key_map_init(&taken, writer->context, 2 * sizeof(uint64_t));
    pli_status status = PLI_OK;
    for (int32_t part = 0; part < frame->part_count && status == PLI_OK; ++part) {
        status = name_file(writer, frame, part, &taken, &file);
        if (status != PLI_OK) break;
        pli_series_entry entry = {.frame = frame->index,
                                  .part = part,
                                  .time = frame->time,
                                  .name = (char *)(uintptr_t)frame->parts[part].name,
                                  .file = file.bytes};
        status = pli_series_list_add(&writer->list, &entry);
    }
    pli_key_map_clear(&taken);
    pli_text_clear(&file);
    return status;
}

static pli_status reserve_drafts(pli_frame_writer *writer, int32_t count)
{
    if (count <= writer->room) return PLI_OK;
    PLI_TRY(PLI_RESIZE(writer->context, writer->drafts, count, "frame files"));
    memset(writer->drafts, 0, (size_t)count * sizeof *writer->drafts);
    writer->room = count;
    return PLI_OK;
}

// Drafts the file of one body in the open folder of frames, and lists it as pliant's.
static pli_status draft_part(pli_frame_writer *writer, const pli_frame *frame, int32_t part,
                             const char *file, int frames)
{
    pli_draft **draft = &writer->drafts[part];
    const char *name = name_of(writer, file);
    if (name == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(pli_manifest_check(writer->files, name));
    char *path = pli_path_join(writer->context, writer->folder, file);
    if (path == NULL) return PLI_ERROR_MEMORY;
    pli_status status =
        pli_vtu_draft(&writer->vtu, frames, path, frame, &frame->parts[part], draft);
    if (status == PLI_OK) {
        status = pli_draft_settle(*draft, frame->part_count <= FEW_FILES);
    }
    if (status == PLI_OK) status = pli_manifest_add(writer->files, name, pli_draft_size(*draft));
    pli_release(writer->context, path);
    return status;
}

// Puts the drafts in place: what they hold and whose they are is on the disk before.
static pli_status place_parts(pli_frame_writer *writer, const pli_frame *frame, int frames)
{
    if (frame->part_count > FEW_FILES) {
        PLI_TRY(pli_folder_sync_all(writer->context, frames, writer->folder));
    }
    PLI_TRY(pli_manifest_sync(writer->files));
    for (int32_t part = 0; part < frame->part_count; ++part) {
        PLI_TRY(pli_draft_place(writer->drafts[part]));
    }
    return frame->part_count > 0 ? pli_folder_sync(writer->context, frames, writer->folder)
                                 : PLI_OK;
}

// Writes the files of a frame, which the list has from `first` on.
static pli_status write_parts(pli_frame_writer *writer, const pli_frame *frame, int32_t first)
{
    int frames = -1;
    const char *folder = name_of(writer, PLI_FRAMES_FOLDER "/");
    if (folder == NULL) return PLI_ERROR_MEMORY;
    PLI_TRY(reserve_drafts(writer, frame->part_count));
    PLI_TRY(pli_manifest_enter(writer->files, folder, false, &frames));
    pli_status status = PLI_OK;
    for (int32_t part = 0; part < frame->part_count && status == PLI_OK; ++part) {
        status = draft_part(writer, frame, part, writer->list.entries[first + part].file, frames);
    }
    if (status == PLI_OK) status = place_parts(writer, frame, frames);
    for (int32_t part = 0; part < frame->part_count; ++part) {
        pli_draft_destroy(writer->drafts[part]);
        writer->drafts[part] = NULL;
    }
    close(frames);
    return status;
}

// Removes what is there of the files that the list has from `first` on.
static void remove_parts(pli_frame_writer *writer, int32_t first)
{
    for (int32_t i = first; i < writer->list.count; ++i) {
        pli_owner owner = PLI_OWNER_NOBODY;
        const char *name = name_of(writer, writer->list.entries[i].file);
        if (name != NULL) pli_manifest_remove(writer->files, name, &owner);
    }
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
    pli_status status = list_parts(writer, frame);
    if (status == PLI_OK) {
        status = write_parts(writer, frame, first);
        if (status != PLI_OK) remove_parts(writer, first);
    }
    // should this fail, the files stay: the list may already be in place, only not yet synced
    if (status == PLI_OK) {
        status = pli_series_list_write(&writer->list, writer->files, writer->prefix);
    }
    if (status != PLI_OK) pli_series_list_cut(&writer->list, first);
    return status;
}

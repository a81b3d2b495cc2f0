// SPDX-License-Identifier: Apache-2.0
#include "io/frames/series.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "io/file/file.h"
#include "io/file/key_map.h"
#include "io/file/xml.h"

#include <math.h>
#include <string.h>

enum { LIST_BYTES_LIMIT = 1 << 28 }; // largest series.pvd that is read

void pli_series_list_init(pli_series_list *list, pli_context *context)
{
    *list = (pli_series_list){.context = context};
}

void pli_series_list_cut(pli_series_list *list, int32_t count)
{
    while (list->count > count) {
        pli_series_entry *entry = &list->entries[--list->count];
        PLI_RELEASE(list->context, entry->name, entry->file);
    }
}

void pli_series_list_clear(pli_series_list *list)
{
    pli_series_list_cut(list, 0);
    pli_release(list->context, list->entries);
    pli_series_list_init(list, list->context);
}

static pli_status reserve(pli_series_list *list)
{
    if (list->count < list->capacity) return PLI_OK;
    int32_t capacity = list->capacity < 64 ? 64 : 2 * list->capacity;
    PLI_TRY(PLI_RESIZE(list->context, list->entries, capacity, "series"));
    list->capacity = capacity;
    return PLI_OK;
}

pli_status pli_series_list_add(pli_series_list *list, const pli_series_entry *entry)
{
    PLI_TRY(reserve(list));
    pli_series_entry copy = *entry;
    copy.name = pli_string_copy(list->context, entry->name);
    copy.file = pli_string_copy(list->context, entry->file);
    if (copy.name == NULL || copy.file == NULL) {
        PLI_RELEASE(list->context, copy.name, copy.file);
        return PLI_ERROR_MEMORY;
    }
    list->entries[list->count++] = copy;
    return PLI_OK;
}

// ---- reading ----------------------------------------------------------------------------------

// The number in "frames/body_00012.vtu"; false when the name has another form, so that a list never
// leads to files elsewhere.
static bool frame_of_file(const char *file, int32_t *frame)
{
    static const char folder[] = PLI_FRAMES_FOLDER "/";
    if (strncmp(file, folder, sizeof folder - 1) != 0) return false;
    if (strchr(file + sizeof folder - 1, '/') != NULL) return false;
    const char *digits = strrchr(file, '_');
    const char *dot = strrchr(file, '.');
    int64_t number = 0;
    if (digits == NULL || dot == NULL || dot < digits) return false;
    if (strcmp(dot, ".vtu") != 0 && strcmp(dot, ".vtp") != 0) return false;
    if (digits[1] < '0' || digits[1] > '9') return false;
    if (!pli_integer_from_bytes(digits + 1, dot - digits - 1, &number)) return false;
    *frame = (int32_t)number;
    return number <= INT32_MAX;
}

// Adds the entry that a DataSet element describes.
static pli_status add_dataset(pli_series_list *list, const char *path, const pli_xml_tag *tag)
{
    pli_context *context = list->context;
    pli_slice file = pli_xml_get(tag, "file");
    pli_slice name = pli_xml_get(tag, "name");
    pli_slice time = pli_xml_get(tag, "timestep");
    int64_t part = 0;
    pli_series_entry entry = {0};
    bool known = file.bytes != NULL && name.bytes != NULL && time.bytes != NULL &&
                 pli_xml_get_count(tag, "part", INT32_MAX, &part) &&
                 pli_number_from_bytes(time.bytes, time.length, &entry.time);
    if (!known) {
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "%s: entry %d lacks timestep, part, name or file; was it written by "
                        "pliant?",
                        path, list->count);
    }

    entry.part = (int32_t)part;
    entry.name = PLI_NEW(context, char, name.length + 1, "series");
    entry.file = PLI_NEW(context, char, file.length + 1, "series");
    pli_status status = entry.name != NULL && entry.file != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK && (!pli_xml_unescape(name, entry.name, name.length + 1) ||
                             !pli_xml_unescape(file, entry.file, file.length + 1) ||
                             !frame_of_file(entry.file, &entry.frame))) {
        status =
            PLI_FAIL(context, PLI_ERROR_IO,
                     "%s: entry %d: '%.*s' is not named like a frame, frames/<body>_<number>.vtu",
                     path, list->count, (int)(file.length < 200 ? file.length : 200), file.bytes);
    }
    int32_t before = list->count > 0 ? list->entries[list->count - 1].frame : 0;
    if (status == PLI_OK && entry.frame < before) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s: frame %d comes after frame %d", path,
                          entry.frame, before);
    }
    if (status == PLI_OK) status = pli_series_list_add(list, &entry);
    PLI_RELEASE(context, entry.name, entry.file);
    return status;
}

static pli_status parse_list(pli_series_list *list, const char *path, const char *bytes,
                             int64_t count)
{
    pli_xml xml;
    pli_xml_tag tag;
    bool collection = false;
    bool closed = false;
    pli_xml_init(&xml, bytes, count);
    while (pli_xml_next(&xml, &tag)) {
        collection = collection || pli_xml_is(&tag, "Collection");
        closed = closed || (tag.closing && pli_xml_is(&tag, "VTKFile"));
        if (pli_xml_is(&tag, "DataSet") && !tag.closing) {
            PLI_TRY(add_dataset(list, path, &tag));
        }
    }
    if (xml.broken || !collection || !closed) {
        return PLI_FAIL(list->context, PLI_ERROR_IO,
                        "%s: is not a whole .pvd file; a VTKFile with a Collection is needed",
                        path);
    }
    return PLI_OK;
}

pli_status pli_series_list_read(pli_series_list *list, const char *folder)
{
    pli_context *context = list->context;
    pli_series_list_cut(list, 0);
    char *bytes = NULL;
    int64_t count = 0;
    char *path = pli_path_join(context, folder, PLI_SERIES_FILE);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_file_read(context, path, LIST_BYTES_LIMIT, &bytes, &count);
    if (status == PLI_OK) status = parse_list(list, path, bytes, count);
    if (status != PLI_OK) pli_series_list_cut(list, 0);
    PLI_RELEASE(context, bytes, path);
    return status;
}

// ---- writing ----------------------------------------------------------------------------------

static void append_entry(pli_text *text, const pli_series_entry *entry)
{
    pli_text_append(text, "<DataSet timestep=\"");
    pli_text_append_number(text, isfinite(entry->time) ? entry->time : 0);
    pli_text_format(text, "\" group=\"\" part=\"%d\" name=\"", entry->part);
    pli_xml_append_escaped(text, entry->name);
    pli_text_append(text, "\" file=\"");
    pli_xml_append_escaped(text, entry->file);
    pli_text_append(text, "\"/>\n");
}

pli_status pli_series_list_write(const pli_series_list *list, pli_manifest *files,
                                 const char *prefix)
{
    pli_text text;
    pli_text name;
    pli_text_init(&text, list->context);
    pli_text_init(&name, list->context);
    pli_text_append(&text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                           "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int32_t i = 0; i < list->count; ++i) append_entry(&text, &list->entries[i]);
    pli_text_append(&text, "</Collection>\n</VTKFile>\n");
    pli_text_append(&name, prefix);
    pli_text_append(&name, PLI_SERIES_FILE);

    pli_status status = text.failed || name.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) {
        status = pli_manifest_write_head(files, name.bytes, PLI_HEAD_PVD, text.bytes, text.length);
    }
    pli_text_clear(&name);
    pli_text_clear(&text);
    return status;
}

// ---- what older versions left -----------------------------------------------------------------

enum { FRAME_HEAD = 1024 }; // bytes of a frame that tell whose it is

typedef struct adoption {
    pli_manifest *files;
    pli_key_map stems; // hashes of "frames/<body>" of what series.pvd lists
    pli_status status;
} adoption;

typedef struct stem_key {
    uint64_t part[2];
} stem_key;

// Hashes "frames/body" of "frames/body_00012.vtu".
static stem_key key_of_stem(const char *file)
{
    const char *digits = strrchr(file, '_');
    size_t length = digits != NULL ? (size_t)(digits - file) : strlen(file);
    stem_key key;
    key.part[0] = pli_hash_bytes(PLI_HASH_START, file, length);
    key.part[1] = pli_hash_bytes(PLI_HASH_START ^ 1, file, length);
    return key;
}

// Whether a file begins like a frame of pliant's: with its time, step and number.
static bool is_own_frame(const pli_manifest *files, const char *name, int64_t *size)
{
    char head[FRAME_HEAD + 1] = "";
    if (!pli_manifest_peek(files, name, head, FRAME_HEAD, size)) return false;
    const char *time = strstr(head, "Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">");
    const char *step = time != NULL ? strstr(time, "type=\"Int64\" Name=\"Step\"") : NULL;
    return step != NULL && strstr(step, "type=\"Int32\" Name=\"Frame\"") != NULL;
}

// Takes a file of the folder of frames if it belongs to one of the series' bodies.
static void adopt_frame(void *user, const char *name, bool is_folder)
{
    adoption *job = user;
    int32_t number = 0;
    int64_t size = 0;
    const char *file = strstr(name, PLI_FRAMES_FOLDER "/");
    if (job->status != PLI_OK || is_folder || file == NULL || !frame_of_file(file, &number)) return;
    stem_key stem = key_of_stem(file);
    if (pli_key_map_find(&job->stems, &stem) < 0 || !is_own_frame(job->files, name, &size)) return;
    job->status = pli_manifest_add(job->files, name, size);
}

static pli_status collect_stems(adoption *job, const char *folder)
{
    pli_series_list list;
    pli_series_list_init(&list, job->stems.context);
    pli_status status = pli_series_list_read(&list, folder);
    for (int32_t i = 0; i < list.count && status == PLI_OK; ++i) {
        int32_t number = 0;
        bool added = false;
        stem_key stem = key_of_stem(list.entries[i].file);
        status = pli_key_map_add(&job->stems, &stem, &number, &added);
    }
    pli_series_list_clear(&list);
    return status;
}

static pli_status adopt_frames(adoption *job, const char *prefix)
{
    pli_text frames;
    pli_text_init(&frames, job->stems.context);
    pli_text_append(&frames, prefix);
    pli_text_append(&frames, PLI_FRAMES_FOLDER);
    pli_status status = frames.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK) status = pli_manifest_visit(job->files, frames.bytes, adopt_frame, job);
    pli_text_clear(&frames);
    return status != PLI_OK ? status : job->status;
}

pli_status pli_series_adopt(pli_context *context, pli_manifest *files, const char *folder,
                            const char *prefix)
{
    adoption job = {.files = files};
    pli_text name;
    pli_text_init(&name, context);
    pli_text_append(&name, prefix);
    pli_text_append(&name, PLI_SERIES_FILE);
    pli_key_map_init(&job.stems, context, sizeof(stem_key));
    pli_status status = name.failed ? PLI_ERROR_MEMORY : PLI_OK;
    if (status == PLI_OK && pli_manifest_begins(files, name.bytes, PLI_HEAD_PVD)) {
        status = pli_manifest_add_head(files, name.bytes, PLI_HEAD_PVD);
        // one that is damaged lists nothing
        if (status == PLI_OK && collect_stems(&job, folder) == PLI_ERROR_MEMORY) {
            status = PLI_ERROR_MEMORY;
        }
        if (status == PLI_OK) status = adopt_frames(&job, prefix);
    }
    pli_key_map_clear(&job.stems);
    pli_text_clear(&name);
    return status;
}

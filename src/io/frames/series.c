// SPDX-License-Identifier: Apache-2.0
#include "io/frames/series.h"

#include "base/arena.h"
#include "base/memory.h"
#include "io/file/file.h"

#include <string.h>

struct pli_series {
    pli_context *context;
    char *folder;
    pli_series_list list;
    int32_t frame_count;
    int32_t *first; // [frame_count + 1] first entry of each frame
};

// a frame with the memory that it lives in
typedef struct owned_frame {
    pli_frame frame; // first, so that a pointer to it is a pointer to the whole
    pli_context *context;
    pli_arena *arena;
} owned_frame;

// Finds where frames begin in a list.
static pli_status index_frames(const pli_series_list *list, int32_t *frame_count, int32_t **first)
{
    *frame_count = 0;
    *first = PLI_NEW(list->context, int32_t, (int64_t)list->count + 1, "series");
    if (*first == NULL) return PLI_ERROR_MEMORY;
    for (int32_t i = 0; i < list->count; ++i) {
        bool begins = i == 0 || list->entries[i].frame != list->entries[i - 1].frame;
        if (begins) (*first)[(*frame_count)++] = i;
    }
    (*first)[*frame_count] = list->count;
    return PLI_OK;
}

pli_status pli_series_update(pli_series *series)
{
    pli_series_list list;
    int32_t frame_count = 0;
    int32_t *first = NULL;
    pli_series_list_init(&list, series->context);
    pli_status status = pli_series_list_read(&list, series->folder);
    if (status == PLI_OK) status = index_frames(&list, &frame_count, &first);
    if (status != PLI_OK) {
        pli_series_list_clear(&list);
        return status;
    }
    pli_series_list_clear(&series->list);
    pli_release(series->context, series->first);
    series->list = list;
    series->first = first;
    series->frame_count = frame_count;
    return PLI_OK;
}

pli_status pli_series_create(pli_context *context, const char *folder, pli_series **series)
{
    *series = NULL;
    pli_series *made = PLI_NEW(context, pli_series, 1, "series");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    pli_series_list_init(&made->list, context);
    made->folder = pli_string_copy(context, folder);
    pli_status status = made->folder != NULL ? pli_series_update(made) : PLI_ERROR_MEMORY;
    if (status != PLI_OK) {
        pli_series_destroy(made);
        return status;
    }
    *series = made;
    return PLI_OK;
}

void pli_series_destroy(pli_series *series)
{
    if (series == NULL) return;
    pli_context *context = series->context;
    pli_series_list_clear(&series->list);
    PLI_RELEASE(context, series->first, series->folder, series);
}

int32_t pli_series_count(const pli_series *series)
{
    return series->frame_count;
}

const pli_series_list *pli_series_entries(const pli_series *series)
{
    return &series->list;
}

pli_series_info pli_series_get_info(const pli_series *series, int32_t position)
{
    if (position < 0 || position >= series->frame_count) return (pli_series_info){.index = -1};
    const pli_series_entry *entry = &series->list.entries[series->first[position]];
    return (pli_series_info){.index = entry->frame,
                             .time = entry->time,
                             .part_count = series->first[position + 1] - series->first[position]};
}

// ---- loading ----------------------------------------------------------------------------------

void pli_frame_destroy(pli_frame *frame)
{
    if (frame == NULL) return;
    owned_frame *owned = (owned_frame *)frame;
    pli_arena_destroy(owned->arena);
    pli_release(owned->context, owned);
}

// Reads the entries [begin, end) of the list as the parts of one frame.
static pli_status load_entries(pli_series *series, int32_t begin, int32_t end, owned_frame *owned)
{
    pli_frame *frame = &owned->frame;
    const pli_series_entry *entries = series->list.entries;
    pli_frame_part *parts = pli_arena_take(owned->arena, end - begin, sizeof *parts, "frame parts");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    frame->index = entries[begin].frame;
    frame->time = entries[begin].time;
    frame->parts = parts;
    for (int32_t i = begin; i < end; ++i) {
        pli_frame_part *part = &parts[i - begin];
        char *path = pli_path_join(series->context, series->folder, entries[i].file);
        if (path == NULL) return PLI_ERROR_MEMORY;
        pli_status status = pli_vtu_read(series->context, path, owned->arena, part, &frame->step);
        pli_release(series->context, path);
        if (status != PLI_OK) return status;
        size_t bytes = strlen(entries[i].name) + 1;
        char *name = pli_arena_take(owned->arena, (int64_t)bytes, 1, "frame");
        if (name == NULL) return PLI_ERROR_MEMORY;
        part->name = memcpy(name, entries[i].name, bytes);
        ++frame->part_count;
    }
    return PLI_OK;
}

static pli_status load(pli_series *series, int32_t begin, int32_t end, pli_frame **frame)
{
    owned_frame *owned = PLI_NEW(series->context, owned_frame, 1, "frame");
    if (owned == NULL) return PLI_ERROR_MEMORY;
    owned->context = series->context;
    pli_status status = pli_arena_create(series->context, 1 << 16, &owned->arena);
    if (status == PLI_OK) status = load_entries(series, begin, end, owned);
    if (status != PLI_OK) {
        pli_frame_destroy(&owned->frame);
        return status;
    }
    *frame = &owned->frame;
    return PLI_OK;
}

pli_status pli_series_load(pli_series *series, int32_t position, pli_frame **frame)
{
    *frame = NULL;
    if (position < 0 || position >= series->frame_count) {
        return PLI_FAIL(series->context, PLI_ERROR_ARGUMENT,
                        "there is no frame at position %d; %s has %d", position, series->folder,
                        series->frame_count);
    }
    return load(series, series->first[position], series->first[position + 1], frame);
}

pli_status pli_series_load_part(pli_series *series, int32_t position, int32_t part,
                                pli_frame **frame)
{
    *frame = NULL;
    pli_series_info info = pli_series_get_info(series, position);
    if (info.index < 0 || part < 0 || part >= info.part_count) {
        return PLI_FAIL(series->context, PLI_ERROR_ARGUMENT,
                        "there is no body %d in the frame at position %d", part, position);
    }
    int32_t entry = series->first[position] + part;
    return load(series, entry, entry + 1, frame);
}

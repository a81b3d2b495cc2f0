// SPDX-License-Identifier: Apache-2.0
#include "serve/frame_cache.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/file/file.h"
#include "io/frames/frame_part.h"
#include "io/frames/series.h"

#include <sys/stat.h>

void pli_frame_cache_init(pli_frame_cache *cache, pli_context *context)
{
    *cache = (pli_frame_cache){.context = context};
}

static void drop(pli_cached_frame *place)
{
    pli_frame_destroy(place->frame);
    *place = (pli_cached_frame){0};
}

void pli_frame_cache_clear(pli_frame_cache *cache)
{
    for (int i = 0; i < PLI_FRAME_CACHE_PLACES; ++i) drop(&cache->places[i]);
}

// ---- stamps

uint64_t pli_file_stamp(const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0) return 0;
    const int64_t facts[6] = {(int64_t)about.st_dev,          (int64_t)about.st_ino,
                              (int64_t)about.st_size,         (int64_t)about.st_mtim.tv_sec,
                              (int64_t)about.st_mtim.tv_nsec, (int64_t)about.st_ctim.tv_nsec};
    uint64_t stamp = pli_hash_bytes(PLI_HASH_START, facts, sizeof facts);
    return stamp != 0 ? stamp : 1;
}

// The first entry with this number of a frame, which is in the list.
static int32_t find_entry(const pli_series_list *list, int32_t frame)
{
    int32_t low = 0;
    int32_t high = list->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (list->entries[middle].frame < frame) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint64_t pli_frame_stamp(pli_context *context, const pli_series *series, const char *folder,
                         int32_t position)
{
    pli_series_info info = pli_series_get_info(series, position);
    const pli_series_list *list = pli_series_entries(series);
    uint64_t stamp = PLI_HASH_START;
    int32_t first = find_entry(list, info.index);
    for (int32_t i = first; i < first + info.part_count && i < list->count; ++i) {
        char *path = pli_path_join(context, folder, list->entries[i].file);
        uint64_t one = path != NULL ? pli_file_stamp(path) : 0;
        pli_release(context, path);
        if (one == 0) return 0;
        stamp = pli_hash_bytes(stamp, &one, sizeof one);
    }
    return stamp != 0 ? stamp : 1;
}

// ---- frames

static int64_t count_bytes(const pli_frame *frame)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < frame->part_count; ++i) {
        const pli_frame_part *part = &frame->parts[i];
        bytes += 24 * (int64_t)part->point_count;
        if (part->cells != NULL) {
            bytes += 4 * (int64_t)part->cell_count * pli_part_corners(part->kind);
        }
        for (int32_t k = 0; k < part->field_count; ++k) {
            const pli_frame_field *field = &part->fields[k];
            int64_t tuples = field->place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
            bytes += 8 * tuples * field->components;
        }
    }
    return bytes;
}

// The place that was not used for longest, free ones before all others.
static pli_cached_frame *oldest_place(pli_frame_cache *cache)
{
    pli_cached_frame *oldest = &cache->places[0];
    for (int i = 1; i < PLI_FRAME_CACHE_PLACES; ++i) {
        if (cache->places[i].used < oldest->used) oldest = &cache->places[i];
    }
    return oldest;
}

static int64_t total_bytes(const pli_frame_cache *cache)
{
    int64_t bytes = 0;
    for (int i = 0; i < PLI_FRAME_CACHE_PLACES; ++i) bytes += cache->places[i].bytes;
    return bytes;
}

// Drops the oldest frames until a new one fits.
static void make_room(pli_frame_cache *cache, int64_t bytes)
{
    for (int i = 0; i < PLI_FRAME_CACHE_PLACES; ++i) {
        if (total_bytes(cache) + bytes <= PLI_FRAME_CACHE_BYTES) return;
        pli_cached_frame *oldest = NULL;
        for (int k = 0; k < PLI_FRAME_CACHE_PLACES; ++k) {
            pli_cached_frame *place = &cache->places[k];
            if (place->frame == NULL) continue;
            if (oldest == NULL || place->used < oldest->used) oldest = place;
        }
        if (oldest == NULL) return;
        drop(oldest);
    }
}

pli_status pli_frame_cache_get(pli_frame_cache *cache, pli_series *series, const char *folder,
                               int32_t position, const pli_frame **frame)
{
    *frame = NULL;
    pli_series_info info = pli_series_get_info(series, position);
    uint64_t stamp = pli_frame_stamp(cache->context, series, folder, position);
    ++cache->clock;
    for (int i = 0; stamp != 0 && i < PLI_FRAME_CACHE_PLACES; ++i) {
        pli_cached_frame *place = &cache->places[i];
        if (place->frame == NULL || place->frame->index != info.index) continue;
        if (place->stamp != stamp) continue;
        place->used = cache->clock;
        *frame = place->frame;
        return PLI_OK;
    }

    pli_frame *loaded = NULL;
    PLI_TRY(pli_series_load(series, position, &loaded));
    int64_t bytes = count_bytes(loaded);
    make_room(cache, bytes);
    pli_cached_frame *place = oldest_place(cache);
    drop(place);
    *place = (pli_cached_frame){loaded, stamp, bytes, cache->clock};
    *frame = loaded;
    return PLI_OK;
}

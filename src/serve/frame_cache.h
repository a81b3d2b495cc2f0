// SPDX-License-Identifier: Apache-2.0
//
// Frames of a series that were read lately: a page asks for a frame and then for the topologies in
// it, and several pages ask for the same ones.
//
// A frame is known by its number and by what the system says about its files (which file, its size
// and when it was written). Files of runs appear by rename, so that one which was rewritten is
// read again. The newest frame stays whatever its size; the others as long as all fit the limit.
#ifndef PLI_SERVE_FRAME_CACHE_H
#define PLI_SERVE_FRAME_CACHE_H

#include "pliant/io.h"

enum { PLI_FRAME_CACHE_PLACES = 8 };

#define PLI_FRAME_CACHE_BYTES (INT64_C(256) << 20) // of all frames together, unless one is larger

typedef struct pli_cached_frame {
    pli_frame *frame; // NULL: the place is free
    uint64_t stamp;   // of its files
    int64_t bytes;
    int64_t used; // when it was last asked for
} pli_cached_frame;

typedef struct pli_frame_cache {
    pli_context *context;
    int64_t clock;
    pli_cached_frame places[PLI_FRAME_CACHE_PLACES];
} pli_frame_cache;

void pli_frame_cache_init(pli_frame_cache *cache, pli_context *context);
void pli_frame_cache_clear(pli_frame_cache *cache);

// What the system says about a file, as one number; 0: it is not there.
uint64_t pli_file_stamp(const char *path);

// The frame at a position of the series in a folder. Lifetime: until the next call. Errors: those
// of pli_series_load.
PLI_CHECKED pli_status pli_frame_cache_get(pli_frame_cache *cache, pli_series *series,
                                           const char *folder, int32_t position,
                                           const pli_frame **frame);

// The stamp of all files of the frame at a position; 0: one of them is not there, or no memory.
uint64_t pli_frame_stamp(pli_context *context, const pli_series *series, const char *folder,
                         int32_t position);

#endif

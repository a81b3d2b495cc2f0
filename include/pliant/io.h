// SPDX-License-Identifier: Apache-2.0
//
// Files: frames, checkpoints, whole runs in a folder, and what other programs read.
//
// Every file appears under its name whole or not at all: it is written beside its target, synced to
// the disk and renamed. Every failure names the file, what was tried and the system's reason. A
// program that runs under a limit on file sizes must ignore SIGXFSZ to get a failure instead of
// being killed; the library does not touch signals.
#ifndef PLIANT_IO_H
#define PLIANT_IO_H

#include "pliant/base.h"
#include "pliant/scene.h"
#include "pliant/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- frames ------------------------------------------------------------------------------------
//
// A series is a folder with series.pvd, which lists the frames with their times, and
// frames/<body>_<frame, five digits or more>.vtu or .vtp, one file a body and frame. It opens in
// ParaView at any moment, also while frames are still being added. Points are stored as double,
// fields as float.

typedef struct pli_frame_writer_def {
    const char *folder; // made if it is not there
    int32_t keep;       // frames 0 ... keep of an earlier series stay, later ones are removed
    bool compress;      // zlib
    const char *const *fields; // names of the fields to write; none: all
    int32_t field_count;
} pli_frame_writer_def;

typedef struct pli_frame_writer pli_frame_writer;

// keep is -1: a new series.
PLI_API pli_frame_writer_def pli_frame_writer_def_default(void);

// Begins or continues a series. Frames that series.pvd of the folder lists beyond `keep` are
// removed. Errors: argument, io, memory.
PLI_API PLI_CHECKED pli_status pli_frame_writer_create(pli_context *context,
                                                       const pli_frame_writer_def *def,
                                                       pli_frame_writer **writer);
PLI_API void pli_frame_writer_destroy(pli_frame_writer *writer);

// Writes the files of a frame, then lists it in series.pvd. Frames come in ascending order. After a
// failure the series is as it was. Errors: argument, io, memory, unsupported.
PLI_API PLI_CHECKED pli_status pli_frame_writer_add(pli_frame_writer *writer,
                                                    const pli_frame *frame);

typedef struct pli_series pli_series;

typedef struct pli_series_info {
    int32_t index;      // number of the frame; not every number need be there
    double time;        // s
    int32_t part_count; // bodies
} pli_series_info;

// Opens the series in a folder. Errors: io (missing, damaged, not written by pliant), memory.
PLI_API PLI_CHECKED pli_status pli_series_create(pli_context *context, const char *folder,
                                                 pli_series **series);
PLI_API void pli_series_destroy(pli_series *series);

// Looks for frames that were added since. Errors: io, memory; the series then is as it was.
PLI_API PLI_CHECKED pli_status pli_series_update(pli_series *series);

PLI_API int32_t pli_series_count(const pli_series *series);

// The frame at a position from 0 to count - 1.
PLI_API void pli_series_get_info(const pli_series *series, int32_t position, pli_series_info *info);

// Reads the frame at a position into memory of its own. Lifetime: until pli_frame_destroy.
// Errors: argument, io (the message names file and fault), memory.
PLI_API PLI_CHECKED pli_status pli_series_load(pli_series *series, int32_t position,
                                               pli_frame **frame);

// For frames of pli_series_load only.
PLI_API void pli_frame_destroy(pli_frame *frame);

#ifdef __cplusplus
}
#endif

#endif

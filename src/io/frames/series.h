// SPDX-License-Identifier: Apache-2.0
//
// Inside of a series: what series.pvd says, shared by the writer that continues it and the reader.
//
// The list is kept as one entry per file, in the order of the .pvd, frames ascending. The number of
// a frame stands in the file's name, so that a series can skip numbers and times need not be
// unique.
#ifndef PLI_IO_FRAMES_SERIES_H
#define PLI_IO_FRAMES_SERIES_H

#include "io/run/manifest.h"
#include "pliant/io.h"

#define PLI_SERIES_FILE "series.pvd"
#define PLI_FRAMES_FOLDER "frames"

typedef struct pli_series_entry {
    int32_t frame; // its number
    int32_t part;  // of the body within the frame
    double time;   // s
    char *name;    // of the body
    char *file;    // relative to the folder
} pli_series_entry;

typedef struct pli_series_list {
    pli_context *context;
    int32_t count;
    int32_t capacity;
    pli_series_entry *entries; // [count]
} pli_series_list;

void pli_series_list_init(pli_series_list *list, pli_context *context);
void pli_series_list_clear(pli_series_list *list);

// Adds an entry with copies of the texts. Errors: memory; the list then is as it was.
PLI_CHECKED pli_status pli_series_list_add(pli_series_list *list, const pli_series_entry *entry);

// Drops the entries from `count` on.
void pli_series_list_cut(pli_series_list *list, int32_t count);

// Replaces the content by what folder/series.pvd says. Errors: io, memory.
PLI_CHECKED pli_status pli_series_list_read(pli_series_list *list, const char *folder);

// Writes series.pvd below the folder of `files`, where the prefix leads: "" or "residuals/".
// Errors: io (there is one that pliant did not write), memory.
PLI_CHECKED pli_status pli_series_list_write(const pli_series_list *list, pli_manifest *files,
                                             const char *prefix);

// Lists as pliant's what a version without lists left of a series: series.pvd, and the frames of
// the bodies in it that say in their first lines what only pliant's say. folder is where the prefix
// leads. Errors: io, memory.
PLI_CHECKED pli_status pli_series_adopt(pli_context *context, pli_manifest *files,
                                        const char *folder, const char *prefix);

// pli_frame_writer_create in a folder whose files are listed in `files`, which is that folder's or
// that of one above it, to which the prefix leads from there. Lifetime: files is borrowed; NULL:
// the folder's own.
PLI_CHECKED pli_status pli_frame_writer_create_in(pli_context *context,
                                                  const pli_frame_writer_def *def,
                                                  pli_manifest *files, const char *prefix,
                                                  pli_frame_writer **writer);

// Reads one file that pli_vtu_draft drafted. Fields and arrays are taken from the arena; part->name
// is left alone. A .vtu file without cells counts as tetrahedra. Errors: io, memory.
struct pli_arena;
PLI_CHECKED pli_status pli_vtu_read(pli_context *context, const char *path, struct pli_arena *arena,
                                    pli_frame_part *part, int64_t *step);

// Reads the file of one body of a frame. Errors: argument, io, memory.
PLI_CHECKED pli_status pli_series_load_part(pli_series *series, int32_t position, int32_t part,
                                            pli_frame **frame);

// The list of an open series. Lifetime: until the next update.
const pli_series_list *pli_series_entries(const pli_series *series);

// Number of the newest frame that a writer has listed; -1: there is none.
int32_t pli_frame_writer_newest(const pli_frame_writer *writer);

#endif

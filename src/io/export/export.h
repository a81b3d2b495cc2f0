// SPDX-License-Identifier: Apache-2.0
//
// Inside of exporting: what every format needs of a series, so that each is a file of its own.
//
// Formats go body by body and, within a body, frame by frame, reading one body of one frame at a
// time; so memory does not grow with the number of frames, and formats that keep all samples of one
// thing together can write them straight through. What is shown of a body is its skin: the surface
// triangles of tetrahedra with the vertices they use, the triangles of a sheet, or points.
#ifndef PLI_IO_EXPORT_EXPORT_H
#define PLI_IO_EXPORT_EXPORT_H

#include "base/text.h"
#include "io/frames/series.h"
#include "io/frames/skin.h"

enum { PLI_EXPORT_NAME = 64 };

typedef struct pli_export_body {
    const char *name;           // as in the series
    char stem[PLI_EXPORT_NAME]; // its name with letters, digits and '_' only; unique
} pli_export_body;

typedef struct pli_export_job {
    pli_context *context;
    const pli_export_def *def;
    pli_series *series;
    int32_t *positions; // [frame_count] of the frames to export, in the series
    int32_t frame_count;
    pli_export_body *bodies; // [body_count] all that occur in these frames
    int32_t body_count;
    double fps;
    bool z_up;
    char title[PLI_EXPORT_NAME]; // of the scene, fit for a file's name
    pli_export_report *report;
    int32_t done; // bodies of frames that were read
    int32_t total;
} pli_export_job;

// One format. Writes all its files into def->target.
typedef struct pli_exporter_ops {
    pli_export_format format;
    pli_status (*write)(pli_export_job *job);
} pli_exporter_ops;

// X(name): pli_exporter_<name> in export_<name>.c, in the order that users see.
#define PLI_EXPORTERS(X) X(ply) X(pc2) X(glb) X(usda) X(vtkhdf)

#define X(name) extern const pli_exporter_ops pli_exporter_##name;
PLI_EXPORTERS(X)
#undef X

// ---- frames

// Number and time of the n-th frame to export.
pli_series_info pli_export_frame(const pli_export_job *job, int32_t frame);

// Reads one body of the n-th frame, tells progress and asks whether to stop. *loaded is NULL when
// the frame does not have this body; its part is (*loaded)->parts[0]. Lifetime: pli_frame_destroy.
// Errors: io, memory, interrupted.
PLI_CHECKED pli_status pli_export_load(pli_export_job *job, int32_t body, int32_t frame,
                                       pli_frame **loaded);

// The same, for formats that cannot do without the body. Errors: unsupported when it is missing.
PLI_CHECKED pli_status pli_export_need(pli_export_job *job, int32_t body, int32_t frame,
                                       pli_frame **loaded);

// target/<stem><ending>. Lifetime: until pli_release. NULL when memory ran out.
char *pli_export_path(const pli_export_job *job, const char *stem, const char *ending);

// ---- files

struct pli_draft;

// A file that is written straight through, with a buffer.
typedef struct pli_export_file {
    pli_export_job *job;
    struct pli_draft *draft;
    pli_text text; // what is not written yet
} pli_export_file;

PLI_CHECKED pli_status pli_export_file_init(pli_export_file *file, pli_export_job *job,
                                            const char *path);

// Writes the buffer out when it is large; call it now and then. Errors: io, memory.
PLI_CHECKED pli_status pli_export_file_flush(pli_export_file *file);

// Finishes the file. Errors: io, memory.
PLI_CHECKED pli_status pli_export_file_commit(pli_export_file *file);

// Drops the file unless it was committed.
void pli_export_file_clear(pli_export_file *file);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Writing one body of one frame as a VTK XML file: .vtu for tetrahedra and triangles, .vtp for
// points (VTK file formats, "appended" data).
//
// What the files look like, so that every reader finds the same things:
//   - raw appended data with 64-bit lengths, little endian; with compression, independent zlib
//     blocks of 256 KiB, which are made in parallel and have the same bytes for any thread count;
//   - points as Float64, since measuring and restarting from a frame needs them whole and the
//     topology outweighs them anyway (a vertex has about five tetrahedra of 21 bytes each); fields
//     as Float32, since they are looked at; a finite value beyond its range becomes its largest;
//     fields of whole numbers as Int32, so that categories and counts stay exact;
//   - connectivity and offsets as Int32, the same for every frame of a mesh; particles are PolyData
//     whose every point is a vertex of its own, which filters for points need;
//   - field arrays TimeValue (s), Step and Frame, which ParaView shows and frame_read.c reads back,
//     Collider (1) in files of colliders, and Radius (m) of particles that have one;
//   - arrays have plain names ("velocity") and their unit as the key UNITS_LABEL of vtkDataArray.
//
// Threads: one writer belongs to one thread at a time; its buffers are kept from file to file.
#ifndef PLI_IO_FRAMES_FRAME_VTU_H
#define PLI_IO_FRAMES_FRAME_VTU_H

#include "base/text.h"
#include "io/file/file.h"
#include "io/frames/frame_part.h"

// How every file ends; one that ends otherwise was cut short.
#define PLI_VTU_CLOSING "\n</AppendedData>\n</VTKFile>\n"

struct pli_vtu_array; // one array of the file that is being made

typedef struct pli_vtu_bytes {
    char *bytes;
    int64_t count; // in use
} pli_vtu_bytes;

typedef struct pli_vtu_writer {
    pli_context *context;
    bool compress;
    const char *const *fields; // borrowed: names of the fields to write; none: all
    int32_t field_count;

    struct pli_vtu_array *arrays; // of the current file, in the order of the appended data
    int32_t array_count;
    pli_text header;       // XML before and after the appended data
    pli_vtu_bytes payload; // appended data
    pli_vtu_bytes staging; // one array before compression
    pli_vtu_bytes blocks;  // its compressed blocks, each at its own place
    int64_t *block_sizes;  // [blocks] compressed size (bytes)
} pli_vtu_writer;

void pli_vtu_writer_init(pli_vtu_writer *writer, pli_context *context);
void pli_vtu_writer_clear(pli_vtu_writer *writer);

// "vtu" or "vtp".
const char *pli_vtu_ending(pli_part_kind kind);

// Drafts the file of a part that pli_part_check has passed, in an open folder; path as for
// pli_draft_create_in. Errors: io, memory, unsupported (more corners than Int32 counts).
PLI_CHECKED pli_status pli_vtu_draft(pli_vtu_writer *writer, int folder, const char *path,
                                     const pli_frame *frame, const pli_frame_part *part,
                                     pli_draft **draft);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What is shown of a part of a frame: the surface triangles of tetrahedra with the vertices they
// use, the triangles of a sheet, or points. Exporters and the page share it.
//
// Making a skin sorts all faces of a mesh; whether one still fits costs one pass over the cells, so
// it is kept from frame to frame.
#ifndef PLI_IO_FRAMES_SKIN_H
#define PLI_IO_FRAMES_SKIN_H

#include "pliant/sim.h"

typedef struct pli_skin {
    pli_context *context;
    pli_part_kind kind;
    int32_t part_points; // of the part it was made from
    int32_t part_cells;
    uint64_t cells_hash;
    int32_t point_count;
    int32_t *point_ids; // [point_count]  points of the part, ascending
    int32_t triangle_count;
    int32_t *triangles; // [triangle_count][3]  points of the skin
    int32_t *cell_ids;  // [triangle_count]  cells of the part: the tetrahedron behind, or itself
} pli_skin;

// Corners of cells must be points of the part. Errors: memory. After a failure there is nothing to
// clear.
PLI_CHECKED pli_status pli_skin_init(pli_skin *skin, pli_context *context,
                                     const pli_frame_part *part);
void pli_skin_clear(pli_skin *skin);

// What the cells of a part hash to: one pass over them.
uint64_t pli_skin_hash(const pli_frame_part *part);

// Whether a part with cells of that hash has the same points and cells, so that its skin is the
// same.
bool pli_skin_matches(const pli_skin *skin, const pli_frame_part *part, uint64_t hash);

// The same, hashing the cells where the numbers agree.
bool pli_skin_fits(const pli_skin *skin, const pli_frame_part *part);

// The skin's points, [point_count][3] (m).
void pli_skin_get_points(const pli_skin *skin, const pli_frame_part *part, float *points);

// A field at the skin's points, [point_count][components]. Values of cells are averaged over the
// cells of a point; scratch has room for [part points][PLI_FIELD_COMPONENTS + 1] numbers.
void pli_skin_get_values(const pli_skin *skin, const pli_frame_part *part,
                         const pli_frame_field *field, double *scratch, float *values);

#endif

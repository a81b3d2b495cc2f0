// SPDX-License-Identifier: Apache-2.0
//
// What everything that reads, writes or draws frames asks of one part of a frame: how many corners
// its cells have, which field it has under a name, how large its particles are, and whether a file
// can hold it at all.
//
// Particles are parts of kind PLI_PART_POINTS: points without cells, any number of them, in any
// frame another. Their size comes from the point field "radius", where that is a finite number
// above zero, or else from the part's own radius; where neither says it, it is unknown and whoever
// draws them chooses by their spacing.
//
// Threads: no state; calls on different parts are independent.
#ifndef PLI_IO_FRAMES_FRAME_PART_H
#define PLI_IO_FRAMES_FRAME_PART_H

#include "base/arena.h"
#include "geometry/mesh/tet_mesh.h"
#include "pliant/sim.h"

// Name of the field that says how large each particle is.
#define PLI_RADIUS_FIELD "radius"

// Corners of a cell, nodes on its edges included: 4, 10, 3 or 1.
int32_t pli_part_corners(pli_part_kind kind);

static inline bool pli_part_is_solid(pli_part_kind kind)
{
    return kind == PLI_PART_TETS || kind == PLI_PART_TETS10;
}

// The tetrahedra of a solid; of one with nodes on edges PLI_TET_PARTS for each of its cells, from
// scratch. Errors: memory.
PLI_CHECKED pli_status pli_part_tets(const pli_frame_part *part, pli_arena *scratch,
                                     pli_tets *tets);

// The field with this name, place and number of components; NULL when there is none.
const pli_frame_field *pli_part_find_field(const pli_frame_part *part, const char *name,
                                           pli_field_place place, int32_t components);

// The field "radius" of particles; NULL: they have none, or the part is a mesh.
const pli_frame_field *pli_part_find_radius(const pli_frame_part *part);

// Radius of a particle (m); 0: unknown. radii is what pli_part_find_radius returned.
double pli_part_radius(const pli_frame_part *part, const pli_frame_field *radii, int64_t particle);

// Refuses a part that no file can hold: negative counts, missing arrays, corners that are no points
// of the part, components other than 1, 3 or 6, particles without a finite place or size, values
// that claim to be whole and are not. Other values may be anything. Errors: argument.
PLI_CHECKED pli_status pli_part_check(pli_context *context, const pli_frame_part *part);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The boundary of tetrahedra: the faces that belong to one element only, facing outwards.
//
// Works on plain arrays, so that a mesh, a model and a frame of a result share it. All faces are
// sorted into buckets by their smallest vertex and within a bucket by the other two: twins become
// neighbours, and the time grows with the number of faces. The outcome depends on the elements
// alone. Faces that more than two elements share, or two on the same side, are no boundary; whether
// there are any is reported and left to the caller to judge, because results must be shown even
// where a mesh is wrong.
//
// Threads: reads its input only.
#ifndef PLI_GEOMETRY_MESH_BOUNDARY_H
#define PLI_GEOMETRY_MESH_BOUNDARY_H

#include "base/arena.h"
#include "geometry/mesh/tet_mesh.h"

typedef struct pli_boundary {
    int32_t triangle_count;
    int32_t *triangles; // [triangle_count][3] vertices, counter-clockwise from outside, ordered by
                        // their smallest vertex
    int32_t *tet;       // [triangle_count] the element behind it
    bool has_overlap;   // a face belongs to several elements on the same side: the first such
    int32_t overlap_tets[2];
    int32_t overlap_face[3]; // its vertices, ascending
} pli_boundary;

// Arrays live in scratch, with what was needed to make them, until the caller's mark ends. Corners
// must be vertices of tets. Errors: memory.
PLI_CHECKED pli_status pli_boundary_build(const pli_tets *tets, pli_arena *scratch,
                                          pli_boundary *boundary);

#endif

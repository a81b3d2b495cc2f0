// SPDX-License-Identifier: Apache-2.0
//
// The edges and the vertices of a set of triangles, each once and in ascending order.
//
// Works on plain arrays, so that surfaces of bodies, cloth and files share it. The triangles may be
// anything: open, crowded, badly oriented.
#ifndef PLI_GEOMETRY_MESH_EDGES_H
#define PLI_GEOMETRY_MESH_EDGES_H

#include "base/context.h"

// The edges of triangles [triangle_count][3]: *edges gets [*edge_count][2] vertices, the smaller
// one first, sorted; a side from a vertex to itself is no edge. The caller releases it. Errors:
// argument (more triangles than edges can be counted for), memory.
PLI_CHECKED pli_status pli_edges_build(pli_context *context, int32_t triangle_count,
                                       const int32_t *triangles, int32_t *edge_count,
                                       int32_t **edges);

// The edges that triangles [triangle_count][3] do not run through as often one way as the other: a
// surface without any is closed. *open_count is their number, open [limit][2] the first ones,
// sorted. Errors: memory.
PLI_CHECKED pli_status pli_edges_find_open(pli_context *context, int32_t triangle_count,
                                           const int32_t *triangles, int32_t limit, int32_t *open,
                                           int32_t *open_count);

// The vertices, out of vertex_count, that corners [corner_count] name: *used gets [*used_count]
// ascending. The caller releases it. Errors: memory.
PLI_CHECKED pli_status pli_used_vertices_build(pli_context *context, int32_t vertex_count,
                                               int64_t corner_count, const int32_t *corners,
                                               int32_t *used_count, int32_t **used);

#endif

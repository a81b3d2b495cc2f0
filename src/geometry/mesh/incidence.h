// SPDX-License-Identifier: Apache-2.0
//
// Which elements has a vertex? Lists of the triangles, tetrahedra or other elements at every
// vertex, in increasing order.
#ifndef PLI_GEOMETRY_MESH_INCIDENCE_H
#define PLI_GEOMETRY_MESH_INCIDENCE_H

#include "base/context.h"

typedef struct pli_incidence {
    int64_t *start;    // [vertex_count + 1]
    int32_t *elements; // those of vertex v: elements[start[v]] .. elements[start[v + 1] - 1]
} pli_incidence;

// corners [count][size] are vertices in [0, vertex_count). Errors: memory; then there is nothing to
// clear.
PLI_CHECKED pli_status pli_incidence_build(pli_context *context, int32_t vertex_count, int32_t size,
                                           int32_t count, const int32_t *corners,
                                           pli_incidence *incidence);
void pli_incidence_clear(pli_context *context, pli_incidence *incidence);

#endif

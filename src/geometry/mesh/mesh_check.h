// SPDX-License-Identifier: Apache-2.0
//
// Checks that every kind of mesh shares, and messages that name the first offenders.
#ifndef PLI_GEOMETRY_MESH_MESH_CHECK_H
#define PLI_GEOMETRY_MESH_MESH_CHECK_H

#include "base/context.h"

enum { PLI_OFFENDERS_NAMED = 5 };

// Things that broke a rule: how many, and the first ones.
typedef struct pli_offenders {
    int64_t count;
    int32_t first[PLI_OFFENDERS_NAMED];
} pli_offenders;

void pli_offenders_add(pli_offenders *offenders, int32_t index);

// "3, 17, 19, 22, 40 and 7 more", cut to capacity.
void pli_offenders_text(const pli_offenders *offenders, char *text, size_t capacity);

// Cells over points, as they come from outside.
typedef struct pli_cells {
    const char *name;     // "tetrahedron"
    int32_t corner_count; // 3 or 4
    int32_t count;
    const int32_t *corners; // [count][corner_count]
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
} pli_cells;

// Largest magnitude of a coordinate: volumes of such meshes fit into a double.
#define PLI_LARGEST_COORDINATE 1e100

// Refuses sizes that cannot be, coordinates that are not finite or too large, indices out of range
// and repeated corners. Errors: argument, mesh.
pli_status pli_cells_check(pli_context *context, const pli_cells *cells);

// Counts points within a billionth of the whole's size of an earlier one. Errors: memory.
pli_status pli_points_count_coincident(pli_context *context, int32_t count, const double *points,
                                       int32_t *coincident);

#endif

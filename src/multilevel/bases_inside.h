// SPDX-License-Identifier: Apache-2.0
//
// Between the files of bases.h: every kind of weights makes columns, the values of one function
// each, from which bases.c makes rows.
#ifndef PLI_MULTILEVEL_BASES_INSIDE_H
#define PLI_MULTILEVEL_BASES_INSIDE_H

#include "geometry/mesh/incidence.h"
#include "multilevel/bases.h"

// A function at the vertices where it is not zero.
typedef struct pli_bases_column {
    int32_t count;
    int32_t *vertices; // [count]  increasing
    double *values;    // [count]
} pli_bases_column;

// A set of bases in the making.
typedef struct pli_bases_build {
    pli_context *context;
    const pli_bases_def *def;
    int32_t handle_count;
    const uint8_t *fixed;  // [vertex_count] of the def when bases are Dirichlet-aware; else NULL
    pli_incidence around;  // elements of vertices
    pli_incidence members; // elements of clusters
    int32_t *places;       // [handle_count]  vertex where a handle's function is 1; -1: nowhere
    pli_bases_column *columns; // [handle_count]
    pli_bases_column held;     // the function of the fixed vertices; none unless fixed is there
} pli_bases_build;

// The first `count` of vertices and values become the column, which is empty before. Errors:
// memory.
PLI_CHECKED pli_status pli_bases_column_set(pli_context *context, int32_t count,
                                            const int32_t *vertices, const double *values,
                                            pli_bases_column *column);

// The function of a handle's subdomain, or that of the fixed vertices for handle -1, clipped and
// without what is below the drop. May run at the same time for different handles when hosted (see
// cholesky.h). Errors: mesh, numeric, memory.
PLI_CHECKED pli_status pli_bases_solve_subdomain(const pli_bases_build *build, int32_t handle,
                                                 bool hosted, pli_bases_column *column);

// All columns of a kind. Errors: those of pli_bases_create.
PLI_CHECKED pli_status pli_bases_build_material(pli_bases_build *build);
PLI_CHECKED pli_status pli_bases_build_radial(pli_bases_build *build);
PLI_CHECKED pli_status pli_bases_build_eigenmodes(pli_bases_build *build);
PLI_CHECKED pli_status pli_bases_build_biharmonic(pli_bases_build *build);

// A failure is the wish to stop.
PLI_CHECKED static inline pli_status pli_bases_tell(const pli_bases_build *build, double fraction)
{
    if (build->def->progress == NULL) return PLI_OK;
    return build->def->progress(build->def->user, fraction);
}

#endif

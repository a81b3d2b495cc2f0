// SPDX-License-Identifier: Apache-2.0
//
// Handles and cubature of the solver "subspace" as fields of frames (Trusty et al. 2025), for
// looking at. They do not change during a run.
#ifndef PLI_SIM_REPORT_SUBSPACE_FRAME_H
#define PLI_SIM_REPORT_SUBSPACE_FRAME_H

#include "sim/model/model.h"

typedef struct pli_reduction_fields {
    pli_context *context;
    double *handle;  // [vertex_count]  cluster with most volume around; -1: no tetrahedron
    double *largest; // [vertex_count]  of the weights; 0: no handle moves the vertex
    double *weight;  // [vertex_count]  of the handle that the scene wants shown; 0: of none
    // tetrahedra, then triangles of shells, which are in no cluster (-1) and no cubature (0)
    double *partition; // [tet_count + shell_triangle_count]  cluster
    // weight over volume; 0: not chosen. All ones where the full Hessian is used
    double *cubature; // [tet_count + shell_triangle_count]
} pli_reduction_fields;

// *fields is NULL when the solver is another. Errors: memory.
PLI_CHECKED pli_status pli_reduction_fields_create(const pli_model *model,
                                                   pli_reduction_fields **fields);
void pli_reduction_fields_destroy(pli_reduction_fields *fields);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Telling what is wrong with a mesh that came from a file, by the names of the body and the file.
//
// What a solver cannot survive is refused where the mesh is made (geometry/mesh/tet_mesh.h). What
// it can survive but hardly anybody means is a warning: vertices that no element uses, which are
// dropped; vertices in the place of others, which are kept, so that parts that look joined are not;
// slivers; places where a surface hangs together by a vertex or an edge alone.
#ifndef PLI_SIM_BODY_BODY_CHECK_H
#define PLI_SIM_BODY_BODY_CHECK_H

#include "geometry/mesh/tet_mesh.h"
#include "geometry/mesh/tri_mesh.h"
#include "pliant/scene.h"

// Puts "body NAME: FILE: " before the context's message of a failure and returns its status; with a
// cell of the file, counted from 0, "body NAME: FILE:LINE: " if the line is known. -1: no cell.
pli_status pli_body_fail_mesh(pli_context *context, const pli_body_def *def, int32_t cell,
                              pli_status status);

// Warns of a solid from a file, of which `report` was made. Errors: memory.
pli_status pli_body_warn_solid(const pli_body_def *def, const pli_tet_mesh *mesh,
                               const pli_tet_mesh_report *report);

// Warns of a surface from a file, which had so many vertices. Errors: memory.
pli_status pli_body_warn_surface(const pli_body_def *def, const pli_tri_mesh *mesh,
                                 int32_t file_vertex_count);

#endif

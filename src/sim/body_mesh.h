// SPDX-License-Identifier: Apache-2.0
//
// The tetrahedra of a body, from its def: a grid of cells, a filled shape, a mesh file, or
// something built of pieces. Coordinates are the body's own, before its placement.
#ifndef PLI_SIM_BODY_MESH_H
#define PLI_SIM_BODY_MESH_H

#include "geometry/tet_mesh.h"
#include "pliant/scene.h"

// One piece of the body's geometry, see body_piece.h. Errors: scene, mesh, argument, memory.
pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                pli_tet_mesh **mesh);

// The content of the mesh file that a body is made from; NULL for other kinds of geometry.
const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def);

#endif

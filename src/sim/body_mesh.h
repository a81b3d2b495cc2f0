// SPDX-License-Identifier: Apache-2.0
//
// The tetrahedra of a body, from its def: a grid of cells, a filled shape, a mesh file, or
// something built of pieces. Coordinates are the body's own, before its placement.
//
// Most geometry is one piece. An arch and a house of cards are several, each with a mesh of its own
// and a body of its own in the model; they share all that the def says, placement included.
#ifndef PLI_SIM_BODY_MESH_H
#define PLI_SIM_BODY_MESH_H

#include "geometry/tet_mesh.h"
#include "pliant/scene.h"

// At least 1.
int32_t pli_body_piece_count(const pli_body_def *def);

// Errors: scene, mesh, argument, memory.
pli_status pli_body_mesh_create(pli_context *context, const pli_body_def *def, int32_t piece,
                                pli_tet_mesh **mesh);

// Whether a geometry that is built of cells can be, without building it. Errors: argument.
pli_status pli_body_mesh_check(pli_context *context, const pli_variant *geometry);

// The content of the mesh file that a body is made from; NULL for other kinds of geometry.
const pli_mesh_data *pli_body_mesh_file(const pli_body_def *def);

#endif

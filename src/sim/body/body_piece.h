// SPDX-License-Identifier: Apache-2.0
//
// Geometry that is built of cells by a plan: arches, houses of cards, beds of spikes, rods, rings.
//
// Most geometry is one piece. An arch and a house of cards are several, each with a mesh of its own
// and a body of its own in the model; they share all that the def says, placement included.
#ifndef PLI_SIM_BODY_BODY_PIECE_H
#define PLI_SIM_BODY_BODY_PIECE_H

#include "geometry/mesh/tet_mesh.h"
#include "pliant/scene.h"

// How many bodies of the model one copy of a body becomes, at least 1.
int32_t pli_body_piece_count(const pli_body_def *def);

// Whether a geometry of these kinds can be built, without building it; others always can.
// Errors: argument.
pli_status pli_body_piece_check(pli_context *context, const pli_variant *geometry);

// One piece of a geometry of these kinds, in the body's own coordinates. Errors: argument, memory.
pli_status pli_body_piece_create(pli_context *context, const pli_variant *geometry, int32_t piece,
                                 pli_tet_mesh **mesh);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Which piece of matter every vertex of a mesh moves with.
//
// Elements are taken apart into pieces whose stiffness changes by no more than a ratio from face to
// face (pieces.h). A vertex where pieces meet moves with the stiffest: the soft ones around yield.
// Of several that are about as stiff, which meet along edges or in corners, it is the one with
// most elements around the vertex, then the lowest. So two blocks that share an edge alone stay two
// pieces, the edge being part of one of them, and turn about it like a door about its hinges: a
// motion that costs nearly nothing, and that handles which reach over the edge cannot make.
//
// Parallel, with the same outcome for any number of threads.
#ifndef PLI_MULTILEVEL_MATTER_H
#define PLI_MULTILEVEL_MATTER_H

#include "geometry/mesh/laplacian.h"

// stiffness [element_count] > 0, ratio > 1 as for pieces. piece [vertex_count]; -1: no element is
// around. Errors: those of pieces.h.
PLI_CHECKED pli_status pli_matter_compute_pieces(pli_context *context, const pli_simplices *mesh,
                                                 const double *stiffness, double ratio,
                                                 int32_t *piece);

#endif

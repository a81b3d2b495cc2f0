// SPDX-License-Identifier: Apache-2.0
//
// A mesh of several kinds of matter, taken apart into pieces that clusters must not leave.
//
// Two elements belong together when they share a face (of tetrahedra; triangles share an edge)
// across which the stiffness changes by no more than a ratio. What hangs together so is a piece. A
// piece of fewer than PLI_PIECES_SMALLEST elements is no kind of matter but a crumb, and joins the
// neighbour across the face where the stiffness changes least; crumbs without neighbours stay.
// Matter whose stiffness changes gradually is one piece however far it goes.
//
// The pieces are cut apart: a vertex of several pieces becomes one vertex in each. So what follows
// edges or the flow of heat in the cut mesh stays in its piece, and a piece is a component of the
// mesh, to all who care about components only. Vertices without elements have no part in it.
//
// Threads: creation is partly parallel, with the same outcome for any number of threads.
#ifndef PLI_MULTILEVEL_PIECES_H
#define PLI_MULTILEVEL_PIECES_H

#include "geometry/mesh/incidence.h"
#include "geometry/mesh/laplacian.h"

enum { PLI_PIECES_SMALLEST = 8 };

typedef struct pli_pieces {
    pli_context *context;
    int32_t piece_count;
    int32_t *piece;        // [element_count]  in the order of their lowest elements
    int32_t *vertex_piece; // [mesh.vertex_count]

    // the other element at the face opposite to a corner, when it is in the same piece; -1: none.
    // Of more than two elements at a face each has the next one, in a ring
    int32_t *neighbor; // [element_count][corner_count]

    // the mesh, cut; elements have their old numbers
    pli_simplices mesh;
    int32_t *origin; // [mesh.vertex_count]  vertex of the whole mesh

    // arrays of mesh
    double *points;
    int32_t *elements;
} pli_pieces;

// stiffness [element_count] > 0, NULL: all the same. ratio > 1 is the largest change across a face
// inside a piece; 0: any. Errors: argument, mesh (corners that cannot be), memory.
PLI_CHECKED pli_status pli_pieces_create(pli_context *context, const pli_simplices *mesh,
                                         const double *stiffness, double ratio,
                                         pli_pieces **pieces);
void pli_pieces_destroy(pli_pieces *pieces);

#endif

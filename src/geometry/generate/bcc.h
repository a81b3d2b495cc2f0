// SPDX-License-Identifier: Apache-2.0
//
// Body-centred cubic lattice over a shape, stored sparsely in blocks.
//
// Nodes have integer coordinates that are all even (corners of cubes) or all odd (their centres),
// in units of half the edge of a cube. Each node has 14 neighbours: six of its own kind along the
// axes ("long" edges, one cube edge) and eight of the other kind along the diagonals ("short"
// edges, sqrt(3)/2 of it). The lattice tetrahedra have one long edge of each kind, at right angles,
// and four short ones; they are all congruent.
//
// Blocks of 4 x 4 x 4 cubes are stored where the shape is or may be near. A block that is told to
// be outside from its middle value and the bound on the slope is not stored, one that is told to be
// inside is stored without evaluation. The decision keeps a margin of one and a half cube edges, so
// every edge that could cut a surface within half an edge of the shape's has both ends stored and
// evaluated.
//
//     node id = 128 slot + 2 cell + kind      cell: of the block, see block.h
//                                             kind 0: corner, 1: centre
#ifndef PLI_GEOMETRY_GENERATE_BCC_H
#define PLI_GEOMETRY_GENERATE_BCC_H

#include "geometry/shapes/shape.h"

enum {
    PLI_BCC_BLOCK = 4,         // cubes along the edge of a block
    PLI_BCC_BLOCK_NODES = 128, // nodes of a block
    PLI_BCC_DIRECTIONS = 14,   // edges of a node; k and k + 7 are opposite
    PLI_BCC_OWNED = 7,         // edges a node owns: directions 0 .. 6
    PLI_BCC_LONG = 3           // of these the first three are long
};

typedef struct pli_bcc {
    pli_context *context;
    double origin[3];   // position of node (0, 0, 0) (m)
    double spacing;     // edge of a cube (m)
    int32_t extent[3];  // blocks along x, y, z
    int32_t slot_count; // stored blocks
    int32_t *slot;      // [extent z][extent y][extent x] stored block, -1: outside
    int32_t *block;     // [slot_count] block of each slot
    double *value;      // [slot_count][128] value of the shape (m), -infinity: deep inside
} pli_bcc;

typedef struct pli_bcc_def {
    double spacing;  // m
    double phase[3]; // shift of the lattice, in spacings, from the middle of the bounds
} pli_bcc_def;

// coordinate offsets of the 14 directions
extern const int8_t pli_bcc_offset[PLI_BCC_DIRECTIONS][3];

// Lays a lattice over the bounds of a shape and evaluates it. Errors: argument (unbounded shape,
// spacing that gives too many blocks), memory.
pli_status pli_bcc_create(pli_context *context, const pli_shape *shape, const pli_bcc_def *def,
                          pli_bcc **bcc);
void pli_bcc_destroy(pli_bcc *bcc);

static inline int32_t pli_bcc_node_count(const pli_bcc *bcc)
{
    return bcc->slot_count * PLI_BCC_BLOCK_NODES;
}

// Coordinates of a node.
void pli_bcc_coordinates(const pli_bcc *bcc, int32_t node, int32_t at[3]);

// The node at these coordinates, -1 when it is not stored.
int32_t pli_bcc_find(const pli_bcc *bcc, const int32_t at[3]);

// Position of coordinates that need not be whole.
static inline void pli_bcc_position(const pli_bcc *bcc, const double at[3], double x[3])
{
    for (int k = 0; k < 3; ++k) x[k] = bcc->origin[k] + 0.5 * bcc->spacing * at[k];
}

// The direction of an edge with these coordinate differences.
int pli_bcc_direction(const int32_t from[3], const int32_t to[3]);

#endif

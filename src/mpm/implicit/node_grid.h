// SPDX-License-Identifier: Apache-2.0
//
// The nodes of a grid that matter is near to, numbered: the unknowns of an implicit step and
// of the coarse levels above it.
//
// Nodes have whole coordinates. They are kept in blocks of 4 x 4 x 4, a bit for each node, and
// numbered block by block: blocks in the order of their Morton code, nodes of a block with z
// fastest. So nodes that are near have near numbers, the rows of a block of a matrix are together,
// and a block's vectors fit into the nearest cache. Blocks are found through a hash of their
// coordinates.
//
// A grid is rebuilt for every step: cleared, marked, finished. Blocks of the same colour (the
// parities of their coordinates, eight of them) are four nodes or more apart, so that what reaches
// less than that from node to node may work on all of them at once.
//
// Threads: marking and finishing are serial, finding neighbours is parallel, the rest only reads.
#ifndef PLI_MPM_IMPLICIT_NODE_GRID_H
#define PLI_MPM_IMPLICIT_NODE_GRID_H

#include "base/context.h"

enum {
    PLI_NODE_EDGE = 4, // nodes along an edge of a block
    PLI_NODE_COLORS = 8,
    PLI_NODE_LIMIT = 1 << 20 // coordinates are from 0 to below this
};

typedef struct pli_node_block {
    int32_t at[3];  // in blocks
    int32_t first;  // node
    uint64_t nodes; // bit 16 x + 4 y + z: there is one
} pli_node_block;

typedef struct pli_node_grid {
    pli_context *context;
    int32_t count; // nodes
    int32_t room;
    int32_t *at; // [room][3] coordinates of nodes

    int32_t block_count;
    int32_t block_room;
    pli_node_block *blocks; // [block_room]
    int32_t *by_color;      // [block_room] blocks, colour by colour, in their order
    int32_t color_start[PLI_NODE_COLORS + 1];

    int64_t slot_count; // a power of two, more than twice the blocks
    int32_t *slots;     // [slot_count] block + 1, 0: free
} pli_node_grid;

PLI_CHECKED pli_status pli_node_grid_create(pli_context *context, pli_node_grid **grid);
void pli_node_grid_destroy(pli_node_grid *grid);

// Takes all nodes out and keeps the memory.
void pli_node_grid_clear(pli_node_grid *grid);

// Marks the nodes from low to low + width - 1 along each axis, width at most 4. Errors: argument
// (out of the limits), memory.
PLI_CHECKED pli_status pli_node_grid_mark(pli_node_grid *grid, const int32_t low[3], int32_t width);

// Marks nodes of one block, whose coordinates (in blocks) are within the limits; bits as in
// pli_node_block. Errors: memory.
PLI_CHECKED pli_status pli_node_grid_mark_block(pli_node_grid *grid, const int32_t at[3],
                                                uint64_t bits);

// Numbers the nodes that were marked. Errors: memory.
PLI_CHECKED pli_status pli_node_grid_finish(pli_node_grid *grid);

// The number of a node of a finished grid; -1: there is none at these coordinates.
int32_t pli_node_grid_find(const pli_node_grid *grid, const int32_t at[3]);

// The block of a finished grid at coordinates in blocks, from 0 on; -1: there is none.
int32_t pli_node_grid_find_block(const pli_node_grid *grid, const int32_t at[3]);

// Numbers of the width^3 nodes from low on, z fastest; -1 where there is none.
void pli_node_grid_find_box(const pli_node_grid *grid, const int32_t low[3], int32_t width,
                            int32_t *nodes);

// columns [count][(2 reach + 1)^3]: the nodes around each node, z fastest, itself in the middle; -1
// where there is none. reach is at most 4.
void pli_node_grid_neighbors(const pli_node_grid *grid, int32_t reach, int32_t *columns);

int64_t pli_node_grid_memory(const pli_node_grid *grid);

#endif

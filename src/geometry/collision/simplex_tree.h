// SPDX-License-Identifier: Apache-2.0
//
// A packed tree of boxes, eight to a node, over points, edges or triangles that share vertices.
//
// The box of a primitive is the union of the boxes of its vertices, so each vertex is rounded once
// and nobody keeps boxes of primitives. Primitives are sorted along a Hilbert curve (Kamel and
// Faloutsos 1994, packed R-tree) and cut into leaves of eight; eight leaves make a node, eight
// nodes make another, up to a root. There are no pointers: the children of node j of a level are
// the nodes 8j .. 8j + 7 of the level below. One comparison of six vectors tells which of eight
// boxes a query touches, so the tree has a third of the depth of a binary one, and no branch
// depends on a single box.
//
// Boxes are kept as vectors of eight floats: the lower faces, the negated upper faces, two unused
// lanes. A union is then one minimum, rounding outwards is rounding down, and the sum of the lanes
// is minus the sum of the extents.
//
//   faces[k][lane] <= reach[k]  for k = 0 .. 5,   reach = (max, -min) of the query
//
// Where vertices move on straight lines, there are boxes at both ends of the way. In between, a box
// lies within what its faces enclose as they move from one end to the other, since the smallest of
// several linear functions lies above its chord. The distance of two such faces is linear in time:
// two boxes that a face keeps apart at both ends never meet. What a body has in common as it moves
// does not count, unlike with boxes around whole ways.
//
//   faces[k][lane] <= reach[k]  or  end_faces[k][lane] <= end_reach[k]  for k = 0 .. 5
//
// Primitives are also numbered, and every box knows the largest number below it: a query for the
// partners of primitive i with numbers above i passes over parts of the tree that have none.
//
// Fitting keeps the order of the leaves and sorts again when they have come to spread half as far
// again as after the last sort. Very long primitives are sorted apart from the others, so that they
// do not blow up the leaves of their neighbours. What a query finds does not depend on the order.
//
// Threads: fitting runs in parallel; walks only read and may run at the same time.
#ifndef PLI_GEOMETRY_COLLISION_SIMPLEX_TREE_H
#define PLI_GEOMETRY_COLLISION_SIMPLEX_TREE_H

#include "base/context.h"
#include "math/simd.h"

enum {
    PLI_SIMPLEX_LANES = PLI_F8_LANES,
    PLI_SIMPLEX_LEVELS = 11, // 8^11 is more than any int32_t
    PLI_SIMPLEX_FACES = 6
};

// faces of eight boxes, min and -max (m); not a number where there is no box
typedef float pli_simplex_faces[PLI_SIMPLEX_FACES][PLI_SIMPLEX_LANES];

// eight boxes
typedef struct pli_simplex_node {
    pli_simplex_faces faces;
    int32_t last[PLI_SIMPLEX_LANES]; // largest primitive in the box; in a leaf: the primitive
} pli_simplex_node;

typedef struct pli_simplex_tree {
    pli_context *context;
    int32_t count;
    int32_t size;           // corners of a primitive, 1 to 3
    const int32_t *corners; // [count][size] borrowed: vertices, as numbered by their boxes
    int32_t level_count;
    int32_t level_start[PLI_SIMPLEX_LEVELS + 1]; // first node of each level, leaves first, and end

    // written by fitting
    bool is_moving;               // there are boxes at the end of a way
    pli_simplex_node *nodes;      // [level_start[level_count]]
    float *boxes;                 // [level_start[level_count]][8] box around each node (m)
    pli_simplex_faces *end_faces; // [level_start[level_count]]
    float *end_boxes;             // [level_start[level_count]][8]
    int32_t *leaf_corners; // [leaf_count][size][8] corners of the primitives of each leaf, -1: none
    bool is_sorted;        // once at least
    double sorted_spread;  // how far leaves spread after the last sort (m)
    int32_t *order;        // [count] primitives by leaf
    uint64_t *keys;        // [count] scratch of sorting
    int32_t *scratch;      // [count]
} pli_simplex_tree;

// Makes a tree over primitives with corners [count][size], which must outlive it. It must be fitted
// before it is walked. Errors: memory; then there is nothing to clear.
PLI_CHECKED pli_status pli_simplex_tree_init(pli_context *context, int32_t count, int32_t size,
                                             const int32_t *corners, pli_simplex_tree *tree);

// Gives the memory back; a tree of zeros is legal.
void pli_simplex_tree_clear(pli_simplex_tree *tree);

// Fits the tree to new boxes of the vertices, [vertex][8] as described above and without NaN, and
// to those at the end of their way (NULL: they stand still). Nothing is allocated.
void pli_simplex_tree_fit(pli_simplex_tree *tree, const float *vertex_boxes,
                          const float *end_boxes);

// The box around the vertices of one primitive.
PLI_INLINE pli_f8 pli_simplex_box(int32_t size, const int32_t *corners, const float *vertex_boxes)
{
    pli_f8 box = pli_f8_load(vertex_boxes + 8 * (int64_t)corners[0]);
    for (int32_t c = 1; c < size; ++c) {
        box = pli_f8_min(box, pli_f8_load(vertex_boxes + 8 * (int64_t)corners[c]));
    }
    return box;
}

// A walk over the leaves that a box touches.
typedef struct pli_simplex_walk {
    const pli_simplex_tree *tree;
    pli_f8 reach[PLI_SIMPLEX_FACES];
    pli_f8 end_reach[PLI_SIMPLEX_FACES];
    pli_f8_mask after; // only primitives above this one are wanted
    int32_t level;     // level_count: the walk is over
    int32_t node[PLI_SIMPLEX_LEVELS + 1];
    uint32_t lanes[PLI_SIMPLEX_LEVELS + 1]; // of that node, still to be walked
} pli_simplex_walk;

// Which of the eight boxes of a node the walk has to do with, a bit each.
PLI_INLINE uint32_t pli_simplex_walk_test(const pli_simplex_walk *walk, int64_t index)
{
    const pli_simplex_node *node = &walk->tree->nodes[index];
    pli_f8_mask last;
    memcpy(&last, node->last, sizeof last);
    pli_f8_mask is_met = (pli_f8_mask)(last > walk->after);
    if (!walk->tree->is_moving) {
        for (int k = 0; k < PLI_SIMPLEX_FACES; ++k) {
            is_met &= (pli_f8_mask)(pli_f8_load(node->faces[k]) <= walk->reach[k]);
        }
        return pli_f8_bits(is_met);
    }
    float(*end_faces)[PLI_SIMPLEX_LANES] = walk->tree->end_faces[index];
    for (int k = 0; k < PLI_SIMPLEX_FACES; ++k) {
        is_met &= (pli_f8_mask)(pli_f8_load(node->faces[k]) <= walk->reach[k]) |
                  (pli_f8_mask)(pli_f8_load(end_faces[k]) <= walk->end_reach[k]);
    }
    return pli_f8_bits(is_met);
}

// Begins a walk over primitives above `after` (-1: all) that the given one may meet. Boxes are
// those of vertices that the tree was fitted to.
PLI_INLINE void pli_simplex_walk_begin(const pli_simplex_tree *tree, pli_f8 box, pli_f8 end_box,
                                       int32_t after, pli_simplex_walk *walk)
{
    walk->tree = tree;
    for (int k = 0; k < PLI_SIMPLEX_FACES; ++k) {
        walk->reach[k] = pli_f8_broadcast(-box[(k + 3) % PLI_SIMPLEX_FACES]);
        walk->end_reach[k] = pli_f8_broadcast(-end_box[(k + 3) % PLI_SIMPLEX_FACES]);
    }
    walk->after = after - (pli_f8_mask){0};

    // as if the root were the first lane of a node above it
    walk->level = tree->level_count;
    walk->node[tree->level_count] = 0;
    walk->lanes[tree->level_count] = tree->count > 0;
}

// Goes to the next leaf that has primitives to offer and returns it, or -1; *lanes gets a bit for
// each of its primitives that is met.
PLI_INLINE int32_t pli_simplex_walk_next(pli_simplex_walk *walk, uint32_t *lanes)
{
    const pli_simplex_tree *tree = walk->tree;
    int32_t level = walk->level;
    for (;;) {
        while (walk->lanes[level] == 0) {
            if (++level > tree->level_count) return -1;
        }
        // down into the lowest lane
        int32_t lane = __builtin_ctz(walk->lanes[level]);
        walk->lanes[level] &= walk->lanes[level] - 1;
        int32_t node = PLI_SIMPLEX_LANES * walk->node[level] + lane;
        uint32_t met = pli_simplex_walk_test(walk, tree->level_start[level - 1] + node);
        if (met == 0) continue;
        if (level == 1) {
            walk->level = level;
            *lanes = met;
            return node;
        }
        --level;
        walk->node[level] = node;
        walk->lanes[level] = met;
    }
}

#endif

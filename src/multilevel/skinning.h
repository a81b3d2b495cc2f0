// SPDX-License-Identifier: Apache-2.0
//
// The skinning hierarchy of a mesh (Xian et al. 2019, sections 4.1 and 4.2): nested sets of sample
// vertices, each the handle of the vertices that are nearest to it.
//
// Sampling. The first sample is given by a seed, or the coarsest set by the caller; every further
// one is the vertex that is farthest, along the edges of the graph, from all samples so far.
// Distances are kept by Dijkstra's algorithm, updated around the new sample only. A level of k
// nodes is the first k samples, so that levels are nested. Components of the graph that have no
// sample are infinitely far and so come first; every component gets at least one.
//
// Parents. Vertices belong to the nearest node of a level, along the edges (ties: the lower one).
// Beyond the paper, nearest is meant from the middle of what a node has, not from its sample: a few
// rounds of Lloyd's algorithm even out nodes, which are small at corners and rims and large inside
// when samples are taken furthest first. It lowers what a coarse correction leaves of an error by a
// quarter. A node follows the node of the next coarser level that its middle belongs to. Frames are
// centred in the mean of a node's vertices and have the size of their largest distance from it (1
// for a single vertex).
//
// Matter. With a stiffness per vertex, lengths of edges are weighted so that handles do not reach
// across jumps of stiffness (the limitation that the paper names), see skinning.c. Wanted is the
// largest stiffness of the elements around a vertex: where soft and stiff elements meet, the
// vertices move with the stiff ones. With means instead, the vertices of an interface are like no
// other and draw samples to themselves.
//
// Pieces. With a piece of matter per vertex (matter.h) an edge between two of them counts as longer
// than any path inside of one: every piece has a handle before one has two. Levels with fewer nodes
// than there are pieces have some in common.
//
// Smooth weights replace the links of the vertices to the first level (biharmonic.h); samples,
// frames and the levels above stay as they are. Stiffness has no influence on them other than
// through the samples.
//
// Averaged weights replace the same links and do heed stiffness (averaging.h). They have two
// parents for a vertex on average. Where matter is mixed they halve the iterations, and levels that
// are chosen by the number of vertices are larger, because the first one now carries the motion of
// stiff pieces against each other.
//
// Vertices that are not wanted (obstacles) have no parent.
#ifndef PLI_MULTILEVEL_SKINNING_H
#define PLI_MULTILEVEL_SKINNING_H

#include "linear/matrix/coloring.h"
#include "linear/multigrid/hierarchy.h"

typedef enum pli_skinning_weights {
    PLI_SKINNING_CONSTANT, // one parent, weight 1
    PLI_SKINNING_SMOOTH,   // bounded biharmonic (Jacobson et al. 2011), first level only
    PLI_SKINNING_AVERAGED  // averaged along edges by stiffness (averaging.h), first level only
} pli_skinning_weights;

typedef struct pli_skinning_def {
    pli_graph graph;         // of the vertices
    const double *positions; // [node_count][3] at rest (m)
    const uint8_t *skipped;  // [node_count]  1: has no part in coarse levels; NULL: none
    const double *stiffness; // [node_count]  largest around (Pa, any unit), > 0; NULL: all the same
    const int32_t *piece;    // [node_count]  piece of matter; NULL: all is one
    int32_t dofs;            // 12 or 3

    // nodes of the coarse levels, finest of them first and decreasing; level_count 0: chosen by the
    // number of vertices
    int32_t level_count;
    int32_t node_counts[PLI_HIERARCHY_LEVELS];

    // the coarsest set, if the caller has one: vertices [sample_count], all different; no level has
    // fewer nodes
    int32_t sample_count;
    const int32_t *samples;

    uint64_t seed; // of the first sample

    // smooth weights are solved on tetrahedra or triangles
    pli_skinning_weights weights;
    int32_t corner_count; // of an element: 4 or 3
    int32_t element_count;
    const int32_t *elements; // [element_count][corner_count]
} pli_skinning_def;

// A level that was asked for with as many nodes as the finer one has, or more, is left out, but one
// remains; one with fewer nodes than there are components gets as many. Errors: argument (counts
// that do not decrease, a sample twice, a position that is not finite, no vertex that is not
// skipped), memory; with smooth weights also those of biharmonic.h.
PLI_CHECKED pli_status pli_skinning_create(pli_context *context, const pli_skinning_def *def,
                                           pli_hierarchy **hierarchy);

#endif

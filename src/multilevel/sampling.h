// SPDX-License-Identifier: Apache-2.0
//
// Furthest-point sampling of a graph (Brandt et al. 2018; section 4.1 of Xian et al. 2019): samples
// that are about equally far from one another, and for every node which of them is nearest.
//
// Distances are lengths of shortest paths along the edges. Each further sample is the node that is
// farthest from all samples so far; around it, and only where it is nearer than they are,
// Dijkstra's algorithm brings distances and labels up to date. After k samples these belong to
// exactly the first k, so who wants nested sets extends the sampling step by step and reads the
// labels in between. Nodes that no path leads to are infinitely far: components without a sample
// come first, in the order of their lowest nodes.
//
// The farthest node comes from a heap of the farthest nodes of blocks of nodes, put in order only
// where it is looked at: distances never grow, so an entry at the top that still holds its distance
// beats all others, however old they are. With k samples of n nodes the work is about n log k
// visits of a node and its edges.
//
// Lengths belong to directed entries of the graph, must be >= 0 and the same in both directions.
// They are single so that half the memory is read; sums are double. Ties go to the lower sample,
// among candidates for a sample to the lower node: the outcome depends on the input alone.
//
// A sample is its own nearest. Nodes at distance zero from a sample (vertices in one place) are not
// chosen, but may be given. Serial; one call on an object at a time.
#ifndef PLI_MULTILEVEL_SAMPLING_H
#define PLI_MULTILEVEL_SAMPLING_H

#include "linear/matrix/coloring.h"
#include "multilevel/queue.h"

typedef struct pli_sampling_def {
    pli_graph graph;        // borrowed
    const float *lengths;   // [start[node_count]]  of the entries, borrowed
    const uint8_t *skipped; // [node_count]  1: neither sampled nor passed through; NULL: none

    // samples to begin with, all different and not skipped; none: one is drawn
    int32_t given_count;
    const int32_t *given;
    uint64_t seed;
} pli_sampling_def;

typedef struct pli_sampling {
    pli_context *context;
    pli_graph graph;      // borrowed
    const float *lengths; // borrowed

    // the outcome so far; a sampling of nodes that are all skipped has no samples
    int32_t count;    // samples
    int32_t *samples; // [node_count]  nodes in the order in which they were chosen
    double *distance; // [node_count]  to the nearest sample; infinite: none; -1: skipped
    int32_t *label;   // [node_count]  number of the nearest sample; -1: none

    // farthest nodes of blocks of nodes, as a heap, farthest first, then lowest node; their
    // distances may be out of date
    int32_t block_count;
    pli_queue_entry *blocks; // [block_count]

    pli_queue queue; // [node_count] Dijkstra's, empty between calls
} pli_sampling;

// Takes the given samples, or the first. Errors: argument (a given sample outside the graph, twice,
// or skipped), memory.
PLI_CHECKED pli_status pli_sampling_create(pli_context *context, const pli_sampling_def *def,
                                           pli_sampling **sampling);
void pli_sampling_destroy(pli_sampling *sampling);

// Adds samples until there are count of them and every component has one; fewer when no node is
// left that is apart from all samples.
void pli_sampling_extend(pli_sampling *sampling, int32_t count);

// Adds one more sample, a node that is not skipped and no sample yet. For callers who draw samples
// in their own way.
void pli_sampling_add(pli_sampling *sampling, int32_t node);

// Labels of all nodes by the nearest of centres [count], all different, that stand for the first
// samples; those stay. Distances are the ones to the centres then, so that this is for the end.
void pli_sampling_relabel(pli_sampling *sampling, int32_t count, const int32_t *centres);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Clusters of the elements of a mesh around centres, and what rounds of k-means do with them: the
// inside of partition.h, which says what it is for.
//
// assign. One flow of heat from all centres gives the distance of vertices to the nearest; that of
// an element is the mean of its corners. Each centre claims one element at it, and from there the
// clusters grow across faces in the order of distance, so that every cluster is connected. The
// cost is the sum of volume times squared distance.
//
// move. A vertex belongs to the cluster that has most volume around it. In the graph of the
// cluster's own vertices, with the lengths of heat.h, a centre walks down to a vertex with a
// smaller sum of mass times squared distance as long as there is one: the neighbours through which
// most of that sum comes are tried. Clusters are independent of each other.
//
// size. An ideal k-means has cells of unequal volume where the metric varies: for n dimensions and
// the density of volume of ds / sqrt(e), their number per volume is e^(-n / (n + 2)) (Gersho 1979).
// So a cluster's size is the sum of volume times e^(-n / (n + 2)); in matter of one kind it is the
// volume. Only sizes are compared where clusters are too small or too large, which keeps those in
// soft matter, small on purpose, from being taken for leftovers.
//
// remove, relocate and add. Small clusters leave, or settle in large ones, and new ones do. The
// last cluster of a piece never leaves.
//
// Centres that find no element of their own, as happens when they are as many as vertices, are
// dropped by assign. The same bits for any number of threads.
#ifndef PLI_MULTILEVEL_CLUSTERS_H
#define PLI_MULTILEVEL_CLUSTERS_H

#include "multilevel/heat.h"
#include "multilevel/pieces.h"

typedef struct pli_clusters {
    pli_context *context;
    const pli_pieces *pieces; // borrowed; vertices and elements are those of its mesh
    pli_heat *heat;           // borrowed
    int32_t capacity;         // of clusters
    double *volume;           // [element_count] (m^3, m^2)
    double *weight;           // [element_count]  size

    // the clusters
    int32_t count;
    int32_t *centers; // [capacity]  vertices

    // made by assign from the centres
    double *distance;   // [vertex_count]  to the nearest centre (m)
    double *depth;      // [element_count]  the same of elements (m)
    int32_t *label;     // [element_count]  cluster
    int32_t *owner;     // [vertex_count]  cluster with most volume around
    double *size;       // [capacity]
    int32_t *siblings;  // [piece_count]  clusters of a piece
    double median;      // of the sizes
    double cost;        // m^5, m^4
    int32_t changed;    // elements that were in another cluster before
    int32_t *old_label; // [element_count]

    // scratch
    pli_queue flood;    // of elements
    int32_t *first;     // [capacity]  element that a centre claims; -1: none
    int32_t *start;     // [capacity + 1]  of the vertices of clusters
    int32_t *members;   // [vertex_count]  by cluster
    double *walk;       // [vertex_count]  distances inside a cluster
    int32_t *first_hop; // [vertex_count]  first vertex on the way from the centre
    double *pull;       // [vertex_count]  moment of what lies behind a first vertex
    pli_queue steps;    // of vertices; clusters use parts of it
    double *sorted;     // [capacity]
    uint8_t *gone;      // [capacity]  1: left, or taken by another, since assign
} pli_clusters;

// Errors: memory.
PLI_CHECKED pli_status pli_clusters_create(pli_context *context, const pli_pieces *pieces,
                                           pli_heat *heat, int32_t capacity,
                                           pli_clusters **clusters);
void pli_clusters_destroy(pli_clusters *clusters);

// Puts centres: one in each piece, then up to the capacity by k-means++ (Arthur and Vassilvitskii
// 2007): vertices drawn in proportion to mass times squared distance to the nearest centre so far,
// along edges (Dijkstra, around the new centre only). Fewer when no vertex is left. Errors: memory.
PLI_CHECKED pli_status pli_clusters_seed(pli_clusters *clusters, uint64_t seed);

// Errors: memory.
PLI_CHECKED pli_status pli_clusters_assign(pli_clusters *clusters);

void pli_clusters_move(pli_clusters *clusters);

// How many clusters the median exceeds by more than ratio and may leave; none when ratio is 0.
int32_t pli_clusters_count_small(const pli_clusters *clusters, double ratio);

// The three that follow change centres and leave the rest as it was; they want one assign before
// them, and before anything else that asks for it one after them.

// Removes the smallest clusters that may leave, up to count; returns how many went.
int32_t pli_clusters_remove(pli_clusters *clusters, int32_t count);

// Up to count of the smallest that ratio calls small move into the largest ones, to the vertex
// farthest from the centre there. Returns how many did.
int32_t pli_clusters_relocate(pli_clusters *clusters, double ratio, int32_t count);

// Adds up to count clusters, as far as there is capacity, in the largest ones that relocate has
// left alone. Returns how many came.
int32_t pli_clusters_add(pli_clusters *clusters, int32_t count);

// The cluster with the largest share of the volume around vertices [begin, end), by label
// [element_count]; -1: no elements.
int32_t pli_clusters_find_owner(const pli_clusters *clusters, const int32_t *label, int32_t begin,
                                int32_t end);

#endif

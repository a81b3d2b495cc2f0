// SPDX-License-Identifier: Apache-2.0
//
// Orders of the nodes of a graph that make Gauss-Seidel sweeps parallel and deterministic.
//
// Nodes are gathered into clusters, clusters are coloured so that those of one colour are not
// coupled, and nodes are numbered ("places") by colour, cluster, and place in the cluster. A sweep
// works off the colours in order, the clusters of a colour in parallel, the nodes of a cluster one
// after the other: nearly as good a smoother as the plain sequential sweep, and the same bits for
// any number of threads.
//
// Clusters are made of the groups that the caller names, such as the children of a coarse node:
// cut where they are larger than 1024, merged with neighbours where that gives no more than 512
// nodes. Without groups they are up to 512 consecutive nodes, or, when that
// numbering has nothing to do with the geometry, which shows as many colours, grown along the
// graph.
//
// With `interleaved` the nodes of a cluster are sorted by colours of their own, so that a node
// rarely waits for the one just before it, and nodes of one such colour by how many neighbours come
// before them, so that loops over them have the same length again and again. What limits short rows
// is the latency of that chain and guessing wrong where they end; it is twice as fast.
//
// Source: Adams et al. 2003 and Fratarcangeli et al. 2016 for blocked and coloured sweeps.
#ifndef PLI_LINEAR_MATRIX_SWEEP_ORDER_H
#define PLI_LINEAR_MATRIX_SWEEP_ORDER_H

#include "linear/matrix/coloring.h"

typedef struct pli_sweep_order {
    pli_context *context;
    int32_t node_count;
    int32_t *node_of_place; // [node_count]
    int32_t *place_of_node; // [node_count]
    int32_t cluster_count;
    int32_t *cluster_begin; // [cluster_count + 1]  first place of a cluster
    int32_t grain;          // clusters that are worth a thread
    int32_t color_count;
    int32_t *color_begin; // [color_count + 1]  first cluster of a colour
} pli_sweep_order;

// group [node_count]: number of a node's group, at least 0; NULL: none. Errors: memory.
PLI_CHECKED pli_status pli_sweep_order_create(pli_context *context, const pli_graph *graph,
                                              const int32_t *group, bool interleaved,
                                              pli_sweep_order **order);
void pli_sweep_order_destroy(pli_sweep_order *order);

// Calls body(user, first place, end) for all clusters, colours in order or reversed, the clusters
// of a colour in parallel.
void pli_sweep_order_run(const pli_sweep_order *order, bool reversed, pli_range_fn body,
                         void *user);

int64_t pli_sweep_order_memory_bytes(const pli_sweep_order *order);

#endif

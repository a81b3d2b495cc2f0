// SPDX-License-Identifier: Apache-2.0
//
// Partitions of a mesh into connected pieces that heed geometry and matter (Trusty et al. 2025,
// section 3.6): the handles of its sparse bases stand in their middles.
//
// Clusters come from Lloyd's algorithm with the distances of heat.h, which are short in stiff
// matter and long in soft, so that stiff pieces are large. It starts from more clusters than
// wanted, seeded by k-means++ (Arthur and Vassilvitskii 2007), and every few rounds takes away the
// smallest of those whose volume the median exceeds by a ratio, until the wanted number is left; at
// the end the rest of them. Elements around an interface of two kinds of matter count as softer
// than the softest, which keeps clusters from creeping across.
//
// One solve for all centres gives the distance to the nearest; elements then join their neighbours
// in the order of distance, across faces alone, so that every cluster is connected whatever the
// distances are. A centre moves to the vertex of its cluster with the smallest sum of squared
// distances; see partition.c for how it is found.
//
// Beyond the paper, no cluster crosses a face between kinds of matter whose stiffness differs by
// more than a ratio, and every connected piece of such matter has at least one cluster, unless it
// is smaller than a few elements. Components of the mesh have at least one cluster each.
//
// Serial sections are short; the same bits for any number of threads. Needs the sparse Cholesky of
// cholesky.h.
#ifndef PLI_MULTILEVEL_PARTITION_H
#define PLI_MULTILEVEL_PARTITION_H

#include "geometry/laplacian.h"

typedef struct pli_partition_def {
    pli_simplices mesh;
    const double *stiffness; // [element_count] Young's modulus (Pa), > 0; NULL: all the same
    int32_t count;           // clusters wanted; 0: chosen by pli_partition_choose_count
    double oversampling;     // clusters to begin with, over those wanted
    double jump;             // stiffness at interfaces, over the softest; 0: left alone
    double conform;          // ratio of stiffness that no cluster spans; 0: any may be spanned
    double prune_ratio;      // of the median volume to that of a cluster that may go
    int32_t prune_period;    // rounds of Lloyd's algorithm
    int32_t max_rounds;
    uint64_t seed;
    void (*progress)(void *user, double fraction); // NULL: nobody
    void *user;
} pli_partition_def;

typedef struct pli_partition {
    pli_context *context;
    int32_t vertex_count;
    int32_t element_count;
    int32_t count;         // clusters
    int32_t *element_part; // [element_count]
    int32_t *vertex_part;  // [vertex_count]  the cluster with most volume around; -1: no element
    int32_t *centers;      // [count]  vertices, all different, of the cluster's own elements
    double *volume;        // [count]  m^3, m^2
    double hop_radius;     // edges from a centre to the farthest vertex of its cluster, mean (K12)
    double cost;    // sum over elements of volume times squared distance to the nearest centre
    int32_t rounds; // of Lloyd's algorithm
    int32_t pruned; // clusters taken away
} pli_partition;

pli_partition_def pli_partition_def_default(void);

// The number of clusters that suits a mesh of so many vertices.
int32_t pli_partition_choose_count(int32_t vertex_count);

// Errors: argument, mesh, unsupported, numeric, memory (as for laplacian.h and cholesky.h).
PLI_CHECKED pli_status pli_partition_create(pli_context *context, const pli_partition_def *def,
                                            pli_partition **partition);
void pli_partition_destroy(pli_partition *partition);

#endif

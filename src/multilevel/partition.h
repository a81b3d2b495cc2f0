// SPDX-License-Identifier: Apache-2.0
//
// Partitions of a mesh into connected pieces that heed geometry and matter (Trusty et al. 2025,
// section 3.6): the handles of its sparse bases stand in their middles.
//
// Clusters come from Lloyd's algorithm with the distances of heat.h, which are short in stiff
// matter and long in soft, so that stiff pieces are large. It starts from more clusters than
// wanted, seeded by k-means++ (Arthur and Vassilvitskii 2007) along edges of the same metric. Every
// few rounds, or as soon as rounds change nearly nothing, the smallest clusters go: those whose
// size the median exceeds by a ratio, and at least as many as must go each time so that the wanted
// number is left before the last rounds. Then small ones settle in the largest instead. The size is
// the volume, scaled by stiffness as the cells of an ideal k-means are (clusters.h); otherwise
// clusters in soft matter would all be leftovers. Of the rounds with the wanted number that with
// the fewest small clusters counts, and of these the one with the lowest cost.
//
// One solve for all centres gives the distance to the nearest; elements then join their neighbours
// in the order of distance, across faces alone, so that every cluster is connected whatever the
// distances are. A centre moves to the vertex of its cluster with the smallest sum of squared
// distances, by a walk along edges; see clusters.h.
//
// Beyond the paper, no cluster crosses a face between kinds of matter whose stiffness differs by
// more than a ratio, and every connected piece of such matter has at least one cluster, unless it
// is smaller than a few elements (pieces.h). Components of the mesh, by faces, have at least one
// cluster each. The number of clusters grows to that of pieces where needed.
//
// Other interfaces are passable but slow, and clusters are shared among loose components in
// proportion to their vertices: metric.h. That keeps clusters from creeping across interfaces, and
// gives soft matter more of them.
//
// Most of the time goes into two factorisations and two substitutions per round. The same bits for
// any number of threads. Needs the sparse Cholesky of cholesky.h.
#ifndef PLI_MULTILEVEL_PARTITION_H
#define PLI_MULTILEVEL_PARTITION_H

#include "geometry/mesh/laplacian.h"

typedef struct pli_partition_def {
    pli_simplices mesh;
    const double *stiffness; // [element_count] Young's modulus (Pa), > 0; NULL: all the same
    int32_t count;           // clusters wanted; 0: chosen by pli_partition_choose_count
    double oversampling;     // clusters to begin with, over those wanted, >= 1
    double jump;             // stiffness at interfaces, over the softest; 0: left alone
    double conform;          // > 1: ratio of stiffness that no cluster spans; 0: any may be spanned
    double prune_ratio;      // > 1: of the median size to that of a small cluster; 0: none is small
    int32_t prune_period;    // rounds of Lloyd's algorithm
    int32_t max_rounds;      // >= 1; one more when clusters are left that are too many
    uint64_t seed;
    pli_status (*progress)(void *user, double fraction); // a failure stops; NULL: nobody
    void *user;
} pli_partition_def;

typedef struct pli_partition {
    pli_context *context;
    int32_t vertex_count;
    int32_t element_count;
    int32_t count; // clusters; may be fewer than wanted when that is a third of the vertices
    int32_t *element_part; // [element_count]
    int32_t *vertex_part;  // [vertex_count]  the cluster with most volume around; -1: no element
    int32_t *centers;      // [count]  vertices, all different, of the cluster's own elements
    double *volume;        // [count]  m^3, m^2
    double hop_radius; // edges from a centre to the farthest vertex of its cluster, mean (Trusty et
                       // al. 2025)
    // of the round that counts: sum over elements of volume times squared distance to the nearest
    // centre; true lengths in what counts as softest
    double cost;
    int32_t rounds; // of Lloyd's algorithm
    int32_t pruned; // clusters taken away
} pli_partition;

pli_partition_def pli_partition_def_default(void);

// The number of clusters that suits a mesh of so many vertices: one for every 250, but at least 8
// and at most 400; never more than an eighth, or less than 1.
int32_t pli_partition_choose_count(int32_t vertex_count);

// Errors: argument, mesh (as for laplacian.h, or so many loose pieces on so few vertices that
// centres cannot differ), unsupported, numeric, memory (as for cholesky.h).
PLI_CHECKED pli_status pli_partition_create(pli_context *context, const pli_partition_def *def,
                                            pli_partition **partition);
void pli_partition_destroy(pli_partition *partition);

#endif

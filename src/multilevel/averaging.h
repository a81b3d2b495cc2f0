// SPDX-License-Identifier: Apache-2.0
//
// Weights of handles that are averaged along the edges of a graph, with respect to matter.
//
// Vertices that follow one handle each tear where handles meet: the whole difference of two affine
// fields is strain of a single layer of elements. Averaging spreads it over a few layers, which is
// what smoothed aggregation does for algebraic multigrid (Vanek et al. 1996). With W the weights,
// one where a vertex follows a handle, a round is
//
//     W <- (1 - s) W + s D^-1 E W,    E_ij = min(E_i, E_j) on edges, D_ii = sum_j E_ij,
//
// E_i being the largest stiffness around a vertex: a stiff vertex listens to stiff ones alone, so
// stiff matter keeps following its own handles and what gives way is soft. E_ij is zero where j is
// in another piece of matter and not stiffer: pieces that meet along an edge may turn about it.
// Rows keep their sum, one, with which affine fields are exact, as they were. At the end small
// weights are left out, but never the one of the handle that a vertex belongs to, and rows are
// scaled to sum one again; so every handle keeps its vertices.
//
// Handles of few vertices may depend on each other once their weights overlap; who factors matrices
// made with such weights must allow for it. Parallel over vertices, same bits for any number of
// threads.
#ifndef PLI_MULTILEVEL_AVERAGING_H
#define PLI_MULTILEVEL_AVERAGING_H

#include "linear/matrix/coloring.h"

typedef struct pli_averaging_def {
    pli_graph graph;
    const double *stiffness; // [node_count]  largest around (any unit), > 0; NULL: all the same
    const int32_t *label;    // [node_count]  handle that a vertex belongs to; -1: none
    const int32_t *piece;    // [node_count]  piece of matter of a vertex; NULL: all is one
    int32_t rounds;
    double share; // s, of the neighbours
    double drop;  // weights up to this are left out at the end
} pli_averaging_def;

// Sparse rows, one for every vertex; none where there is no label.
typedef struct pli_averaging {
    pli_context *context;
    int32_t vertex_count;
    int64_t *start;  // [vertex_count + 1]
    int32_t *handle; // [start[vertex_count]]
    double *weight;  // [start[vertex_count]]
} pli_averaging;

// Two rounds, share 2/3, drop 0.1: more rounds couple more handles than they save iterations.
pli_averaging_def pli_averaging_def_default(void);

// Errors: memory.
PLI_CHECKED pli_status pli_averaging_create(pli_context *context, const pli_averaging_def *def,
                                            pli_averaging **averaging);
void pli_averaging_destroy(pli_averaging *averaging);

#endif

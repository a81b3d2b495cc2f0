// SPDX-License-Identifier: Apache-2.0
//
// Colourings, which make sweeps and scatters parallel without making them random.
//
// Graph colouring: nodes of one colour are not neighbours, so a Gauss-Seidel sweep may treat them
// all at once. Two methods: greedy first fit in node order, followed by one pass that moves nodes
// out of overfull colours; and the randomised one of Fratarcangeli et al. 2016 ("Vivace"), where in
// every round each uncoloured node draws a colour from a palette of degree / 2.5 colours, keeps it
// when no neighbour with precedence drew the same, and gets a larger palette when it ran dry. The
// greedy one gives fewer colours; the randomised one runs in parallel.
//
// Chunk colouring: elements are cut into chunks of consecutive elements, and chunks that share a
// vertex get different colours. An assembler works off the colours in order and the chunks of a
// colour in parallel; inside a chunk it goes in element order. Every vertex then receives its
// contributions in an order that depends on the mesh alone, so sums have the same bits for any
// number of threads, and nobody needs atomics. Chunks are good when elements that are close in
// number are close in space; a shuffled mesh gives many colours and little parallelism.
//
// All colourings are deterministic functions of their input (and seed).
#ifndef PLI_LINEAR_MATRIX_COLORING_H
#define PLI_LINEAR_MATRIX_COLORING_H

#include "linear/matrix/bcsr.h"

#include "base/parallel.h"

// A borrowed undirected graph: both directions of an edge are listed, self loops are ignored.
typedef struct pli_graph {
    int32_t node_count;
    const int64_t *start;    // [node_count + 1]
    const int32_t *neighbor; // [start[node_count]]
} pli_graph;

// The rows of a matrix and their couplings by the pattern; extra blocks are not in it.
static inline pli_graph pli_bcsr_graph(const pli_bcsr *matrix)
{
    pli_graph graph = {matrix->row_count, matrix->row_start, matrix->column};
    return graph;
}

typedef enum pli_coloring_method {
    PLI_COLORING_GREEDY, // first fit, balanced afterwards
    PLI_COLORING_RANDOM  // palettes (Fratarcangeli et al. 2016)
} pli_coloring_method;

typedef struct pli_graph_coloring {
    pli_context *context;
    int32_t node_count;
    int32_t color_count;
    int32_t *color;       // [node_count]       colour of a node
    int32_t *color_begin; // [color_count + 1]  where a colour begins in node
    int32_t *node;        // [node_count]       nodes by colour, increasing inside a colour
} pli_graph_coloring;

// The seed matters for the randomised method only.
PLI_CHECKED pli_status pli_graph_coloring_create(pli_context *context, const pli_graph *graph,
                                                 pli_coloring_method method, uint64_t seed,
                                                 pli_graph_coloring **coloring);
void pli_graph_coloring_destroy(pli_graph_coloring *coloring);

typedef struct pli_chunk_coloring {
    pli_context *context;
    int32_t chunk_count;
    int32_t color_count;
    int64_t *chunk_begin; // [chunk_count + 1]  first element of a chunk; chunks in element order
    int32_t *color_begin; // [color_count + 1]  where a colour begins in chunk
    int32_t *chunk;       // [chunk_count]      chunks by colour, increasing inside a colour
} pli_chunk_coloring;

// Cuts and colours a list of elements. chunk_size 0 means 512. Errors: argument (a vertex outside
// [0, vertex_count)), memory.
PLI_CHECKED pli_status pli_chunk_coloring_create(pli_context *context, int32_t vertex_count,
                                                 const pli_clique_list *list, int32_t chunk_size,
                                                 pli_chunk_coloring **coloring);
void pli_chunk_coloring_destroy(pli_chunk_coloring *coloring);

// Calls body(user, first element, end) for every chunk: colours in order, chunks of a colour in
// parallel.
void pli_chunk_coloring_run(const pli_chunk_coloring *coloring, pli_range_fn body, void *user);

#endif

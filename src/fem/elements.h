// SPDX-License-Identifier: Apache-2.0
//
// What terms that are sums over elements have in common, E(x) = sum_e E_e(x_1, ..., x_n): where
// the blocks of their Hessians stand in a matrix, loops over them that need no atomics and give the
// same bits for any number of threads, and Hessians in which every element has a weight.
//
// A kind of elements is a table of three loops over a part of them. Its object begins with its
// pli_elements, so that its table of a term (term.h) takes the functions of the same names here:
//
//     pli_elements_energy, _add_gradient, _add_hessian, _get_cliques, _bind
//
// Gradient and Hessian are scattered, by the colours of chunks of elements that share no vertex
// within a colour; or gathered, where a kind has its elements by groups of vertices.
#ifndef PLI_FEM_ELEMENTS_H
#define PLI_FEM_ELEMENTS_H

#include "linear/matrix/coloring.h"
#include "optimize/term.h"

// What the loops of a kind work on.
typedef struct pli_element_job {
    const void *self;      // the object of the kind
    const double *x;       // [vertex_count][3] (m)
    double *g;             // [vertex_count][3]  += dE/dx (N)
    bool projected;        // the Hessian of every element is made positive semi-definite
    const double *weights; // [count] that multiply the elements' Hessians; NULL: 1
    const int32_t *slots;  // [count][size^2] block of H for every pair of vertices
    pli_bcsr *H;           // += d2E/dx2 (N/m)
} pli_element_job;

// All three are called with a job, for elements or, where they are gathered, groups begin to end.
typedef struct pli_element_ops {
    int32_t grain;               // elements per part of the sum of energies
    int32_t gather_grain;        // groups per part of the loops over them; 0: this kind scatters
    pli_range_sum_fn sum_energy; // always of elements
    pli_range_fn add_gradient;
    pli_range_fn add_hessian;
} pli_element_ops;

typedef struct pli_elements {
    pli_context *context;
    const pli_element_ops *ops;
    int32_t vertex_count;
    pli_clique_list cliques;      // an element each; their vertices are the kind's
    int32_t group_count;          // of a kind that gathers
    pli_chunk_coloring *coloring; // of one that scatters

    // set by bind, valid for that matrix pattern
    int32_t *slots; // [count][size^2] block of H for every pair of vertices
} pli_elements;

// Ends the construction of a kind that scatters: takes its elements, `vertices` being borrowed, and
// colours them. Errors: argument (a vertex outside [0, vertex_count)), memory.
PLI_CHECKED pli_status pli_elements_color(pli_elements *elements, int32_t size, int64_t count,
                                          const int32_t *vertices);

void pli_elements_clear(pli_elements *elements);

// Calls body(user, begin, end) for all chunks, no two of which share a vertex at the same time.
void pli_elements_scatter(const pli_elements *elements, pli_range_fn body, void *user);

// Adds the Hessian at x, each element's part multiplied by weights [count] (NULL: 1), to a matrix
// in which slots [count][size^2] are the blocks of the cliques.
void pli_elements_add_weighted_hessian(const pli_elements *elements, const double *x,
                                       bool projected, const double *weights, const int32_t *slots,
                                       pli_bcsr *H);

// Weight of an element of a job.
static inline double pli_element_weight(const pli_element_job *job, int64_t element)
{
    return job->weights != NULL ? job->weights[element] : 1;
}

// Adds the matrix K [3 size][3 size] of an element of a job to its blocks of H.
static inline void pli_element_add_matrix(const pli_element_job *job, int64_t element, int32_t size,
                                          const double *K)
{
    const int32_t *slots = job->slots + element * size * size;
    for (int32_t pair = 0; pair < size * size; ++pair) {
        double *block = job->H->values + 9 * (int64_t)slots[pair];
        const double *from = K + 9 * size * (pair / size) + 3 * (pair % size);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) block[3 * i + j] += from[3 * size * i + j];
        }
    }
}

// ---- of terms; self is the object of the kind

pli_sum pli_elements_energy(void *self, const double *x);
void pli_elements_add_gradient(void *self, const double *x, double *g);
void pli_elements_add_hessian(void *self, const double *x, bool projected, pli_bcsr *H);
const pli_clique_list *pli_elements_get_cliques(void *self);
pli_status pli_elements_bind(void *self, const pli_bcsr *H);

#endif

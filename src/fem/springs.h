// SPDX-License-Identifier: Apache-2.0
//
// Springs between vertices, E(x) = sum_s k_s/2 (|x_j - x_i| - l_s)^2, as a term: the matter of
// mass-spring cloth. The element itself, with its derivatives and what happens where a spring has
// no length, is material/spring.h.
//
// For projective dynamics the matrix is S = sum_s k_s (e_i - e_j)(e_i - e_j)^T; the Hessian of a
// spring is never more than that, so that S (x) I bounds it everywhere (Liu et al. 2013).
//
// The gradient is the local step of projective dynamics and has to be fast. It is gathered: every
// vertex sums over its own springs, so that nothing is scattered and no colours are needed, at the
// price of looking at every spring from both ends. Four vertices are worked off at a time, a lane
// each; a row holds one spring of each of them,
//
//     group g:  rows group_begin[g] <= row < group_begin[g + 1]
//     row:      other[4], k[4], l[4], half[4]
//
// and lanes whose vertex has fewer springs are filled with springs of no stiffness that lead
// nowhere. The Hessian goes the same way: a vertex writes the blocks of its own row of the matrix.
//
// Minimisers that move one vertex at a time see its springs, four together; those of one colour are
// no neighbours in memory, so there each vertex has rows of its own.
//
// Same bits for any number of threads; no heap after creation and binding.
#ifndef PLI_FEM_SPRINGS_H
#define PLI_FEM_SPRINGS_H

#include "fem/elements.h"

typedef struct pli_spring_def { // everything is copied
    int32_t vertex_count;
    int32_t spring_count;
    const int32_t *ends;       // [spring_count][2]  two different vertices
    const double *stiffness;   // [spring_count] (N/m), >= 0
    const double *rest_length; // [spring_count] (m), >= 0
} pli_spring_def;

typedef struct pli_spring_net {
    pli_elements elements; // the first; an element is a spring, a group four vertices
    int32_t spring_count;
    int32_t *ends;       // [spring_count][2]
    double *stiffness;   // [spring_count] (N/m)
    double *rest_length; // [spring_count] (m)

    // springs by vertex
    int64_t *group_begin; // [group_count + 1]  first row of a group
    int32_t *other;       // [rows][4]  vertex at the other end; itself: there is no spring
    double *k;            // [rows][4]  stiffness (N/m), 0: there is no spring
    double *l;            // [rows][4]  rest length (m)
    int32_t *half;        // [rows][4]  2 spring + which of its ends the vertex is; -1: no spring

    // set by bind_vertices: the springs of a vertex, the last row filled up as above
    int64_t *star_begin; // [vertex_count + 1]  first row of a vertex
    int32_t *star_other; // [rows][4]  vertex at the other end
    double *star_k;      // [rows][4]  stiffness (N/m), 0: there is no spring
    double *star_l;      // [rows][4]  rest length (m)
} pli_spring_net;

extern const pli_term_ops pli_spring_term;

// Errors: argument (a vertex that is not there, a spring from a vertex to itself, a number that is
// negative or not finite), unsupported (2^30 springs or more), memory.
PLI_CHECKED pli_status pli_spring_net_create(pli_context *context, const pli_spring_def *def,
                                             pli_spring_net **net);
void pli_spring_net_destroy(pli_spring_net *net);

#endif

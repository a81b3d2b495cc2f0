// SPDX-License-Identifier: Apache-2.0
//
// Lagged Rayleigh damping (Gast et al. 2015, section 4.2): with the projected elastic Hessian D at
// the position x_n before the step, each element's part multiplied by its damping time k,
//     E(x) = 1/(2 h) (x - x_n)^T D (x - x_n).
// D is constant during the step and positive semi-definite, so the force -D v only dissipates;
// rigid translations are not damped.
//
// Elements come from one or more sources (tetrahedra, triangles, hinges, springs): whatever can add
// its projected Hessian weighted by element. Their blocks must be in the pattern that the term is
// bound to, that is, their own terms belong to the same objective.
#ifndef PLI_FEM_RAYLEIGH_H
#define PLI_FEM_RAYLEIGH_H

#include "fem/elastic.h"
#include "fem/shell.h"
#include "fem/springs.h"

enum { PLI_RAYLEIGH_SOURCES = 6 };

// Elements of one kind; all is borrowed except damping.
typedef struct pli_rayleigh_source {
    const void *self;
    const pli_clique_list *cliques; // an element each
    const double *damping;          // [cliques->count] k (s), copied; may be NULL once created
    // adds the projected Hessian at x, each element's part multiplied by its weight
    void (*add_hessian)(const void *self, const double *x, const double *weights,
                        const int32_t *slots, pli_bcsr *D);
} pli_rayleigh_source;

// Sources of the terms that there are; damping in their own order of elements.
pli_rayleigh_source pli_rayleigh_elastic(const pli_elastic *elastic, const double *damping);
pli_rayleigh_source pli_rayleigh_membrane(const pli_membrane *membrane, const double *damping);
pli_rayleigh_source pli_rayleigh_hinges(const pli_hinges *hinges, const double *damping);
pli_rayleigh_source pli_rayleigh_springs(const pli_spring_net *net, const double *damping);

typedef struct pli_rayleigh pli_rayleigh;

extern const pli_term_ops pli_rayleigh_term;

// Up to PLI_RAYLEIGH_SOURCES sources. Errors: argument, memory.
pli_status pli_rayleigh_create(pli_context *context, int32_t vertex_count, int32_t source_count,
                               const pli_rayleigh_source *sources, pli_rayleigh **rayleigh);
void pli_rayleigh_destroy(pli_rayleigh *rayleigh);

// Prepares a step of length h from x_n [vertex_count][3], which is borrowed until the step ends.
void pli_rayleigh_begin_step(pli_rayleigh *rayleigh, const double *x_n, double h);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Lagged Rayleigh damping (Gast et al. 2015, section 4.2): with the projected elastic Hessian D at
// the position x_n before the step, each element's part multiplied by its damping time k,
//     E(x) = 1/(2 h) (x - x_n)^T D (x - x_n).
// D is constant during the step and positive semi-definite, so the force -D v only dissipates;
// rigid translations are not damped.
//
// Elements are of one or more kinds (tetrahedra, triangles, hinges, plates, springs, elements.h).
// Their blocks must be in the pattern that the term is bound to, that is, their own terms belong to
// the same objective.
#ifndef PLI_FEM_RAYLEIGH_H
#define PLI_FEM_RAYLEIGH_H

#include "fem/elements.h"

enum { PLI_RAYLEIGH_SOURCES = 7 };

// Elements of one kind, which are borrowed.
typedef struct pli_rayleigh_source {
    const pli_elements *elements;
    const double *damping; // [elements] k in their own order (s), copied; may be NULL once created
} pli_rayleigh_source;

typedef struct pli_rayleigh pli_rayleigh;

extern const pli_term_ops pli_rayleigh_term;

// Up to PLI_RAYLEIGH_SOURCES sources. Errors: argument, memory.
pli_status pli_rayleigh_create(pli_context *context, int32_t vertex_count, int32_t source_count,
                               const pli_rayleigh_source *sources, pli_rayleigh **rayleigh);
void pli_rayleigh_destroy(pli_rayleigh *rayleigh);

// The damping times of a source (s), [elements] in its own order, to be changed before a step.
double *pli_rayleigh_damping(pli_rayleigh *rayleigh, int32_t source);

// Prepares a step of length h from x_n [vertex_count][3], which is borrowed until the step ends.
void pli_rayleigh_begin_step(pli_rayleigh *rayleigh, const double *x_n, double h);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Lagged Rayleigh damping (Gast et al. 2015, section 4.2): with the projected elastic Hessian D at
// the position x_n before the step, each tetrahedron's part multiplied by its damping time k,
//     E(x) = 1/(2 h) (x - x_n)^T D (x - x_n).
// D is constant during the step and positive semi-definite, so the force -D v only dissipates;
// rigid translations are not damped.
#ifndef PLI_FEM_RAYLEIGH_H
#define PLI_FEM_RAYLEIGH_H

#include "fem/elastic.h"

typedef struct pli_rayleigh pli_rayleigh;

extern const pli_term_ops pli_rayleigh_term;

// damping [tet_count] is k (s) in the order of the elastic term's def; the term is borrowed.
pli_status pli_rayleigh_create(pli_context *context, const pli_elastic *elastic,
                               const double *damping, pli_rayleigh **rayleigh);
void pli_rayleigh_destroy(pli_rayleigh *rayleigh);

// Prepares a step of length h from x_n [vertex_count][3], which is borrowed until the step ends.
void pli_rayleigh_begin_step(pli_rayleigh *rayleigh, const double *x_n, double h);

#endif

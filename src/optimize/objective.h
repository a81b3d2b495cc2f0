// SPDX-License-Identifier: Apache-2.0
//
// The function that a step minimises: a sum of energy terms over n points, with some coordinates
// held fixed, and the norm in which its gradient is judged.
//
// Fixed coordinates keep the value that x has when the minimisation starts; gradient entries,
// matrix rows and columns of fixed coordinates are taken out (unit diagonal), so that every
// direction computed from them leaves the coordinates alone.
//
// The norm is sqrt(sum_i w_i |g_i|^2). Its weights decide what "converged" means; see
// docs/theory for the three kinds that scenes offer. `scale` makes it a pure number for the
// inexact tolerance of linear solves.
#ifndef PLI_OPTIMIZE_OBJECTIVE_H
#define PLI_OPTIMIZE_OBJECTIVE_H

#include "optimize/term.h"

enum { PLI_OBJECTIVE_TERMS = 16 };

typedef struct pli_objective {
    pli_context *context;
    int32_t point_count;
    int32_t term_count;
    pli_term terms[PLI_OBJECTIVE_TERMS];

    const uint8_t *fixed;       // [point_count] bits 1, 2, 4: x, y, z is held; borrowed
    const double *norm_weights; // [point_count] borrowed
    double norm_scale;          // the norm divided by this is a pure number

    pli_bcsr *H; // Hessian, filled by pli_objective_compute_hessian
} pli_objective;

void pli_objective_init(pli_objective *objective, pli_context *context, int32_t point_count);
void pli_objective_clear(pli_objective *objective);

// Adds a term; its object is borrowed.
void pli_objective_add(pli_objective *objective, const pli_term_ops *ops, void *self);

// Builds the pattern of the Hessian from all terms and binds them to it.
pli_status pli_objective_build_pattern(pli_objective *objective);

pli_sum pli_objective_energy(const pli_objective *objective, const double *x);

// g = dE/dx with fixed coordinates zero.
void pli_objective_compute_gradient(const pli_objective *objective, const double *x, double *g);

// H = d2E/dx2 with fixed coordinates taken out.
void pli_objective_compute_hessian(pli_objective *objective, const double *x, bool projected);

// Largest alpha <= 1 that every term admits.
double pli_objective_max_step(const pli_objective *objective, const double *x, const double *d);

double pli_objective_norm(const pli_objective *objective, const double *g);

#endif

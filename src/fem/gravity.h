// SPDX-License-Identifier: Apache-2.0
//
// Gravity as a potential, E(x) = -sum_i m_i a . x_i (Gast et al. 2015, section 2.3). Alone it is
// not bounded from below; together with inertia or elasticity and supports it is.
#ifndef PLI_FEM_GRAVITY_H
#define PLI_FEM_GRAVITY_H

#include "optimize/term.h"

typedef struct pli_gravity {
    pli_context *context;
    int32_t point_count;
    const double *mass;     // [point_count] (kg), borrowed
    double acceleration[3]; // m/s^2
} pli_gravity;

extern const pli_term_ops pli_gravity_term;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Points pushed by forces that do not depend on where they are: E(x) = -sum_i f_i . x_i (J). Alone
// it is not bounded from below; together with inertia or elasticity and supports it is.
#ifndef PLI_OPTIMIZE_LOAD_H
#define PLI_OPTIMIZE_LOAD_H

#include "optimize/term.h"

typedef struct pli_load {
    pli_context *context;
    int32_t point_count;
    const double *force; // [point_count][3] f (N), borrowed; NULL: idle, all are zero
} pli_load;

extern const pli_term_ops pli_load_term;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Where Newton's method gets its directions from when it is not one linear solve with the whole
// Hessian: a source makes what matrices it likes and answers with a direction d that lowers the
// quadratic model, so d . g < 0.
//
// A source may judge convergence by its own measure of the step, such as what its coarse space sees
// of it.
#ifndef PLI_OPTIMIZE_DIRECTION_H
#define PLI_OPTIMIZE_DIRECTION_H

#include "base/arena.h"
#include "optimize/objective.h"

typedef struct pli_direction_report {
    int32_t linear_iterations; // over all of its solves
    double step;               // size of the direction for the stopping test (m)
} pli_direction_report;

typedef struct pli_direction_ops {
    // A minimisation begins; nothing that was learnt before may have an influence on it.
    void (*begin)(void *self);

    // Matrices at x; alpha is the size of the last step, 1 at first. *usable: false when they give
    // no direction.
    pli_status (*prepare)(void *self, pli_objective *objective, const double *x, double alpha,
                          bool *usable);

    // The direction d for the gradient g, both [3 n].
    pli_status (*solve)(void *self, const double *g, pli_arena *scratch, double *d,
                        pli_direction_report *report);
} pli_direction_ops;

typedef struct pli_direction_source {
    const pli_direction_ops *ops; // NULL: there is none
    void *self;
} pli_direction_source;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Where minimisers get their directions from: a source makes what matrices it likes and answers
// with a direction d that lowers the quadratic model, so d . g < 0.
//
//     linear_source.h                one linear solve with the whole Hessian
//     multilevel/subspace.h          three levels: bodies, handles, vertices
//     mpm/implicit/node_source.h     nodes of a grid, by a matrix or without one
//
// A source may judge convergence by its own measure of the step, such as what its coarse space sees
// of it.
#ifndef PLI_OPTIMIZE_DIRECTION_H
#define PLI_OPTIMIZE_DIRECTION_H

#include "base/arena.h"
#include "optimize/objective.h"

// Where matrices are wanted.
typedef struct pli_direction_point {
    pli_objective *objective;
    const double *x; // [3 n]
    double alpha;    // size of the last step, 1 at first
    bool projected;  // the positive semi-definite Hessian is wanted, if the source has a choice
} pli_direction_point;

typedef struct pli_direction_matrix {
    bool usable;   // it gives directions
    bool definite; // projected, or proven to be definite
    bool
        indefinite; // the exact Hessian is not positive definite, and something else took its place
} pli_direction_matrix;

typedef struct pli_direction_report {
    int32_t linear_iterations; // over all of its solves
    bool truncated;            // cut short at a direction of negative curvature
    double step;               // size of the direction for the stopping test (m); negative: not
                               // measured, its largest entry counts
} pli_direction_report;

typedef struct pli_direction_ops {
    bool is_partial; // directions move in a part of the space: where nothing is left to be done in
                     // it, there may be outside

    // A minimisation begins; nothing that was learnt before may have an influence on it.
    void (*begin)(void *self);

    pli_status (*prepare)(void *self, const pli_direction_point *at, pli_direction_matrix *made);

    // The direction d for the gradient g, both [3 n]; tolerance: relative, of sources that solve
    // only as well as is asked for; 0: as the source likes.
    pli_status (*solve)(void *self, const double *g, double tolerance, pli_arena *scratch,
                        double *d, pli_direction_report *report);
} pli_direction_ops;

typedef struct pli_direction_source {
    const pli_direction_ops *ops; // NULL: there is none
    void *self;
} pli_direction_source;

#endif

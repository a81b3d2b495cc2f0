// SPDX-License-Identifier: Apache-2.0
//
// Inequality constraints that a minimisation honours by projecting (Gast et al. 2015, section 3.2).
//
// With P(x) the projection of points onto the feasible set, the objective is E(x) = E'(P(x)): lines
// that are searched along become curved paths, and iterates are always feasible. Within one
// iteration the constraints that points press against are active: their points stay on the
// constraint surfaces, and only move in the tangent space T of each point's active surfaces.
//
// Derivatives at a feasible point, in directions that T admits:
//     gradient  T g',                 g' = dE'/dx
//     Hessian   T (H' - sum_b lambda_b d2phi_b) T,   lambda_b the multipliers of g' = sum lambda_b
//     n_b
// Directions normal to active surfaces leave E unchanged to first order and are taken out of the
// system; third derivatives of the surfaces would only occur multiplied by phi = 0.
#ifndef PLI_OPTIMIZE_PROJECTION_H
#define PLI_OPTIMIZE_PROJECTION_H

#include "base/context.h"

// Points that touch active constraints, in increasing order. Lifetime: until the next call of
// choose_active or release on the object that it comes from.
typedef struct pli_active_set {
    int32_t count;
    const int32_t *points;   // [count]
    const double *tangents;  // [count][9] orthogonal projector T onto the admissible directions
    const double *curvature; // [count][9] -sum lambda_b d2phi_b (N/m), symmetric
} pli_active_set;

typedef struct pli_projection_ops {
    const char *name;

    // x <- P(x), [n][3]: every pair of point and constraint that is active or violated. When d is
    // not NULL it is carried along the path: d <- DP(x) d.
    void (*project)(void *self, double *x, double *d);

    // Makes those constraints active that are touched at the feasible x and that g' = dE'/dx [n][3]
    // presses against (g' . grad phi >= 0); they stay active until the next call.
    void (*choose_active)(void *self, const double *x, const double *g);

    // No constraint is active any more.
    void (*release)(void *self);

    void (*get_active)(const void *self, pli_active_set *set);
} pli_projection_ops;

// The constraints of a problem.
typedef struct pli_feasible_set {
    const pli_projection_ops *ops; // NULL: there are no constraints
    void *self;
} pli_feasible_set;

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Springs along edges, the element of mass-spring cloth:
//
//   E(d) = k/2 (|d| - l)^2,    d = x_j - x_i,   k stiffness (N/m),   l rest length (m)
//   dE/dd   = k (|d| - l) n,   n = d / |d|
//   d2E/dd2 = k (n n^T + t (I - n n^T)),   t = 1 - l / |d|
//
// The force on x_i is +dE/dd, on x_j it is -dE/dd; the Hessian of the pair is [[H, -H], [-H, H]].
// t < 0 while the spring is compressed; the projected Hessian has max(t, 0) instead, which is the
// nearest positive semi-definite matrix, since 1 and t (twice) are the eigenvalues over k.
//
// At d = 0 the energy has the tip of a cone: no direction is special, so n = 0, the gradient and
// the projected Hessian are zero (k I for l = 0, where nothing is singular). In the exact Hessian
// |d| is kept above 1e-6 l as a denominator, so it is finite everywhere.
//
// Batches of planes as in extend.h, any alignment.
#ifndef PLI_MATERIAL_SPRING_H
#define PLI_MATERIAL_SPRING_H

#include "pliant/extend.h"

typedef struct pli_springs {
    int32_t count;
    const double *d;           // [3][count]  end minus start (m)
    const double *stiffness;   // [count]     N/m
    const double *rest_length; // [count]     m
} pli_springs;

// Energy [count] (J), gradient [3][count] (N) and Hessian [9][count] (N/m, plane 3 i + j) by d; any
// of them may be NULL.
void pli_springs_evaluate(const pli_springs *springs, pli_projection projection, double *energy,
                          double *gradient, double *hessian);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The functions of one variable that contacts by barriers are made of: pliant/contact.h has the
// equations (Li et al. 2020).
#ifndef PLI_CONTACT_BARRIER_H
#define PLI_CONTACT_BARRIER_H

#include "pliant/contact.h"

// Points of the stencil of a kind, 1 to 4.
int32_t pli_contact_point_count(pli_contact_kind kind);

// b (m^2), b' (m) and b'' (-) by the distance. Falls, is convex, C2 at dhat. For d <= 0 it is
// infinite with derivatives -infinity and infinity.
double pli_barrier(double d, double dhat, double *first, double *second);

// m of two edges [4][3] and its derivatives; 1 with derivatives 0 from the threshold on. The second
// derivative jumps at the threshold.
double pli_mollifier(const double *x, double threshold, double *gradient, double *hessian);

// The smoothed |u| (m) and its derivatives by y = |u|, with eps = eps_v h (m), positive:
//     f0 = y^2/eps - y^3/(3 eps^2) + eps/3,   f1 = f0' = 2 y/eps - y^2/eps^2   for y < eps
//     f0 = y,                                 f1 = 1                           otherwise
// Returns f0. over = f1/y (1/m), finite at 0; slope = f1' (1/m), not negative.
double pli_friction_smooth(double y, double eps, double *over, double *slope);

#endif

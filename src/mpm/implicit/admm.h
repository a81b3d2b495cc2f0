// SPDX-License-Identifier: Apache-2.0
//
// The alternating direction method of multipliers for particles: an implicit step without line
// searches and without derivatives of stress on the grid (Fang et al. 2019; Overby et al. 2017).
//
// The function is that of implicit.h with inertia, x the displacements of nodes,
//
//   E(x) = 1/2 sum_i k_i |x_i - x~_i|^2 + sum_p V_p psi(F_p(x)),   k_i = m_i / h^2
//   F_p(x) = F_p + D_p x,   D_p x = (sum_i x_i grad w_ip^T) F_p
//
// Every particle gets a deformation z_p of its own, tied to F_p(x) by a multiplier u_p and a spring
// of stiffness V_p c_p, with c_p = scale^2 |dP/dF at rest| (Pa). An iteration is
//
//   x   minimises  1/2 sum_i k_i |x_i - x~_i|^2 + sum_p V_p c_p / 2 |F_p(x) - z_p + u_p|^2:
//       A d = -(k (x - x~) + sum_p V_p c_p D_p^T (F_p(x) - z_p + u_p)),   x <- x + d
//       A_ij = k_i delta_ij + sum_p V_p c_p g_ip . g_jp,   g_ip = F_p^T grad w_ip
//   z_p minimises  psi(z) + c_p / 2 |z - (F_p(x) + u_p)|^2, particle by particle   (prox.h)
//   u_p <- u_p + F_p(x) - z_p
//
// from u = 0 and z = F(x). A is a number for every pair of nodes, the same for x, y and z, and the
// same in all iterations of a step: conjugate gradients with Jacobi's preconditioner solve it, from
// the x of before and to a part of the residual that is found there, so that x-steps become exact
// as the iteration converges.
//
// At a fixed point z = F(x) and c u = P, so that the gradient of E vanishes. The iteration is of
// first order: it comes near the minimum at once and then creeps, and E may rise on the way. It
// ends as other minimisers do, by the norm of the gradient of E at x; the last x is the result,
// whether or not it is the best. Where E is infinite at an x (inverted matter of laws that do not
// tolerate it), the iteration goes on, since z is not: such an x is never taken for the minimum.
//
// Constraints (projection.h) are those of minimisations with linear ones: the part of x that is
// prescribed stays, and d lives in the tangent spaces.
//
// An iteration passes over particles three times (energy, gradient, z with u and the right-hand
// side) and over A once for every iteration of conjugate gradients.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_ADMM_H
#define PLI_MPM_IMPLICIT_ADMM_H

#include "mpm/implicit/implicit.h"
#include "optimize/anchor.h"
#include "optimize/minimizer.h"

typedef struct pli_admm_def {
    double tolerance; // in the norm of the objective
    int32_t max_iterations;
    double weight_scale;       // of the weight sqrt(V |dP/dF|) of a particle
    double linear_tolerance;   // of an x-step, against the residual that it begins with
    int32_t linear_iterations; // of an x-step at most
} pli_admm_def;

// Tolerance 1e-7, 100 iterations, scale 1/2, x-steps to 0.1 in at most 1000 iterations. (Exacter
// x-steps save no iterations. Half of the scale makes iterations circle where strains are large,
// twice of it makes them creep where matter is stiff.)
pli_admm_def pli_admm_def_default(void);

typedef struct pli_admm pli_admm;

// Borrows the objective and the two terms that it has: the particles, for which pli_implicit_begin
// has been called before a minimisation, and inertia, the quadratic part. Errors: argument (numbers
// of the def that are out of range), memory.
PLI_CHECKED pli_status pli_admm_create(pli_context *context, const pli_admm_def *def,
                                       pli_objective *objective, pli_implicit *implicit,
                                       const pli_anchor *inertia, pli_admm **admm);
void pli_admm_destroy(pli_admm *admm);

// Only growth allocates. Linear iterations are those of conjugate gradients. Lifetime: that of the
// object, which destroying the minimiser ends.
pli_minimizer pli_admm_minimizer(pli_admm *admm);

#endif

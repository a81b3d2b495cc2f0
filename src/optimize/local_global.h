// SPDX-License-Identifier: Apache-2.0
//
// Minimisation with a matrix that stays: projective dynamics (Bouaziz et al. 2014) as the
// quasi-Newton method that it is (Liu et al. 2017), in the descent loop of Xian et al. 2019
// (algorithm 4).
//
// The matrix is A = S (x) I + blockdiag(D_i). S is the sum of the terms' add_lifted: constant,
// assembled by begin_step only when the step's coefficients or the held vertices changed. D is the
// sum of their add_blocks at the current x: attachments, grips and contacts, recomputed in every
// iteration and handed to the linear solver only when they changed. One iteration:
//
//   1. gradient g at x: for projective terms this is the local step, since the gradient of
//      |F - R|^2 at fixed projection R is the gradient of the energy itself;
//   2. stop when the norm of g is under the tolerance (fixed_iterations: never);
//   3. blocks at x, and the solver told when they changed;
//   4. A d = -g, as well as the linear solver does it;
//   5. x += alpha d. Where S (x) I bounds the Hessians of all terms from above, as for corotated
//      elements without a volume term and for springs, alpha = 1 always decreases the energy and no
//      energy is computed (line_search.kind none); otherwise a backtracking search chooses it.
//
// Chebyshev acceleration (Wang 2015, equations 6 and 9): with rho > 0, from iteration `delay` on,
//     omega <- 4 / (4 - rho^2 omega)   (2 / (2 - rho^2) at first),
//     x <- omega (gamma (x^ - x_k) + x_k - x_k-1) + x_k-1,   x^ = x_k + d
// It needs a linear solver that does little per iteration (one Jacobi), and is not monotone, so it
// goes without a line search. gamma < 1 is for matrices where Jacobi alone does not converge.
//
// Without a line search energies are computed only when asked for (measures_energy); otherwise they
// are told as NaN. A fixed number of iterations makes just as many gradients: the residual of the
// last iterate told is then that of the one before, unless energies are measured.
//
// Terms that grow couplings in every iteration (those with `prepare`: barriers) and constraints by
// projection are beyond a constant matrix and refused.
//
// Coordinates that are held: vertices with all three are taken out of S; a single coordinate of a
// vertex gets a stiffness of 10^6 of its diagonal in D, and d is zero there in any case.
#ifndef PLI_OPTIMIZE_LOCAL_GLOBAL_H
#define PLI_OPTIMIZE_LOCAL_GLOBAL_H

#include "linear/multigrid/lifted_solver.h"
#include "optimize/line_search.h"
#include "optimize/minimizer.h"

typedef struct pli_local_global_def {
    double tolerance; // of what is judged
    pli_judge judge;  // the gradient or the error
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    pli_line_search_def line_search;

    // Chebyshev acceleration; 0: none
    double chebyshev_rho;    // estimated spectral radius, below 1
    double chebyshev_gamma;  // under-relaxation
    int32_t chebyshev_delay; // iterations before it begins
    bool measures_energy;    // tell the energy of every iterate to the monitor
    pli_lifted_solver_def linear;
} pli_local_global_def;

typedef struct pli_local_global pli_local_global;

// Matrix, solver and scratch for an objective whose terms are all there; the objective is borrowed
// and needs no pattern of its own. Errors: argument, unsupported (a term has a Hessian but no part
// in A, named; constraints), memory.
PLI_CHECKED pli_status pli_local_global_create(pli_context *context,
                                               const pli_local_global_def *def,
                                               pli_objective *objective,
                                               pli_local_global **local_global);
void pli_local_global_destroy(pli_local_global *local_global);

// Before the minimisations of a step S is reassembled when its coefficients, or the constrained
// coordinates of the objective, differ from those of the step before; a minimisation before any
// step is an error (argument). Lifetime: that of the object, which destroying the minimiser ends.
pli_minimizer pli_local_global_minimizer(pli_local_global *local_global);

// The matrix, for instruments. Lifetime: that of the object.
const pli_lifted *pli_local_global_matrix(const pli_local_global *local_global);

#endif

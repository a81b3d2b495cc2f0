// SPDX-License-Identifier: Apache-2.0
//
// Limited-memory BFGS with an initial operator from outside (Nocedal 1980 for the two
// loops, Wang et al. 2020, algorithm 3, for the use with a V-cycle).
//
// One iteration, with the last `window` pairs s = x_k+1 - x_k, y = g_k+1 - g_k, rho = 1 / (y.s):
//
//   1. stop when the norm of g is under the tolerance;
//   2. q = -g; for the pairs from the newest: a = rho s.q, q -= a y;
//   3. d = B q, B an approximation of the inverse Hessian that was made when the minimisation
//      began; for the pairs from the oldest: d += (a - rho y.d) s;
//   4. a line search, by default backtracking from alpha = 1 until the energy does not rise;
//   5. x += alpha d, and the pair joins the others unless y.s is not safely positive: then it says
//      nothing about the curvature, is dropped and counted.
//
// With B the exact inverse a quadratic takes one iteration; with any B, exact line searches and a
// window of n pairs it takes n. A window of 0 is descent preconditioned by B.
//
// Should a direction not point downhill, which only rounding or a B that is not symmetric can
// cause, or its line search find nothing, all pairs are forgotten and d = B (-g); if that does not
// do either, d = -g scaled by the length of the last step. When rounding hides any further decrease
// the iteration ends with PLI_STOP_ROUNDING. With refresh > 0, B is rebuilt, and pairs are
// forgotten, whenever so many iterations were made (Wang et al. 2020).
//
// Restarts. A search along d lowers E, but may raise |dE/dx|, whose norm is what has to become
// small. Where matter of very different stiffness meets, pairs that were taken before lead to such
// steps again and again: E hardly falls, and the norm stays where it is. With `restarts` all pairs
// are forgotten as soon as a step raises the norm.
//
// Terms are told that an iteration begins (prepare of term.h) only when B is made: what they couple
// again is then seen by their gradients, and by B after the next refresh. Searches go over jumps of
// E as in line_search.h.
//
// With constraints (projection.h) that are linear for the time of the minimisation, that is, fixed
// coordinates and tangents, B answers in the admissible space and so do all vectors here.
//
// An iteration reads and writes 8 vectors per pair, besides one gradient, one energy and B: axpy
// and scalar product of the two loops are one pass.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_OPTIMIZE_LBFGS_H
#define PLI_OPTIMIZE_LBFGS_H

#include "optimize/direction.h"
#include "optimize/line_search.h"
#include "optimize/minimizer.h"

enum { PLI_LBFGS_WINDOW = 64 };

typedef struct pli_lbfgs_def {
    double tolerance; // of what is judged
    pli_judge judge;  // the gradient or the error
    int32_t window;   // pairs, 0 to PLI_LBFGS_WINDOW
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    int32_t refresh;          // iterations after which the operator is rebuilt; 0: never
    bool restarts;            // without pairs, after a step that raises the norm
    pli_line_search_def line_search;
    // where B comes from: prepare at the start (and by refresh), solve for every direction, with
    // the gradient -q
    pli_direction_source initial;
} pli_lbfgs_def;

typedef struct pli_lbfgs pli_lbfgs;

// The objective is borrowed. The vectors of the window are made by the first minimisation and grow
// when another needs it; a warm one allocates nothing. Errors: argument (the window, no initial
// operator), memory.
PLI_CHECKED pli_status pli_lbfgs_create(pli_context *context, const pli_lbfgs_def *def,
                                        pli_objective *objective, pli_lbfgs **lbfgs);
void pli_lbfgs_destroy(pli_lbfgs *lbfgs);

// Iterations are directions, linear iterations those that `initial` tells. Lifetime: that of the
// object, which destroying the minimiser ends.
pli_minimizer pli_lbfgs_minimizer(pli_lbfgs *lbfgs);

#endif

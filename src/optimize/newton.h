// SPDX-License-Identifier: Apache-2.0
//
// Newton's method as a minimiser, in the stabilised form of Gast et al. 2015 (section 3.1) and in
// the forms it is compared with.
//
// One iteration:
//   1. gradient g and Hessian H at x (H optionally projected to positive semi-definite parts);
//   2. stop when the norm of g is under the tolerance, but make min_iterations at least; or, where
//      steps or errors are judged, when the largest entry of d / step_unit is, or the error that d
//      tells of (descent.h), with this d as the last step;
//   3. direction d: H d = -g, solved only as well as the current norm r deserves, to the relative
//      tolerance min(cap, sigma sqrt(max(r, tau))), with r and tau as pure numbers (the paper's
//      cap is 1/2; a smaller one costs linear iterations and saves Hessians);
//   4. d must point downhill, d . g < -kappa |d| |g|; otherwise -d is tried, then steepest descent;
//   5. d is shortened to the length clamp;
//   6. a line search chooses alpha, within what the terms admit;
//   7. x += alpha d.
// With constraints (projection.h) the active ones are chosen at the beginning of the iteration and
// g, H and d live in their tangent space; the search follows the projected path; 7 becomes
// x <- P(x + alpha d).
//
// Beyond the paper: conjugate gradients that end at indefiniteness return little more than steepest
// descent, and where the Hessian stays slightly indefinite along a valley they do so again and
// again. After several such directions in a row the projected Hessian takes over, until the norm
// has fallen to a tenth; near the minimum the exact one is definite and converges quadratically.
//
// Switching parts off gives projected Newton (projected, backtracking) and plain Newton (exact
// solve, no downhill test, full steps), which may diverge: that is its purpose here.
//
// Directions come from a source (direction.h), by default one linear solve with the whole Hessian
// (linear_source.h). It says what matrices it needs and may say how the size of a step is measured.
// Where a source that works in a subspace finds next to nothing, steepest descent goes on.
//
// Steepest descent is scaled by its Cauchy step g.g / |g.Hg|, so that the first trial of the line
// search has a sensible length. When rounding hides any further decrease, the iteration ends with
// PLI_STOP_ROUNDING, which is no success: the tolerance was not reached.
#ifndef PLI_OPTIMIZE_NEWTON_H
#define PLI_OPTIMIZE_NEWTON_H

#include "optimize/direction.h"
#include "optimize/line_search.h"
#include "optimize/minimizer.h"

typedef struct pli_newton_def {
    double tolerance; // tau, of what is judged
    pli_judge judge;
    double step_unit; // of steps that are judged; the time step makes them m/s
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    bool projected;           // use the positive semi-definite Hessian
    bool safeguard;           // downhill test and length clamp
    double downhill;          // kappa
    double length_clamp;      // m
    double linear_scale;      // sigma
    double linear_cap;        // largest relative tolerance of a linear solve
    double linear_tolerance;  // > 0: this relative tolerance instead of the inexact rule
    pli_line_search_def line_search;
    pli_direction_source source;
} pli_newton_def;

typedef struct pli_newton pli_newton;

// The objective and the source of directions are borrowed. Errors: argument (no source), memory.
PLI_CHECKED pli_status pli_newton_create(pli_context *context, const pli_newton_def *def,
                                         pli_objective *objective, pli_newton **newton);
void pli_newton_destroy(pli_newton *newton);

// Lifetime: that of the object, which destroying the minimiser ends.
pli_minimizer pli_newton_minimizer(pli_newton *newton);

#endif

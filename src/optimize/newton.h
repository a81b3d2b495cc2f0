// SPDX-License-Identifier: Apache-2.0
//
// Newton's method as a minimiser, in the stabilised form of Gast et al. 2015 (section 3.1) and in
// the forms it is compared with.
//
// One iteration:
//   1. gradient g and Hessian H at x (H optionally projected to positive semi-definite parts);
//   2. stop when the norm of g is under the tolerance, but make min_iterations at least; or, where
//      steps or errors are judged, when the largest entry of d / step_unit is, or the error that d
//      tells of (stopping.h), with this d as the last step;
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
// Directions may come from a source of their own (direction.h) instead of one linear solve; it then
// says what matrices it needs and how the size of a step is measured. Where its direction is below
// rounding away from a minimum, as of one that works in a subspace, steepest descent goes on.
//
// Steepest descent is scaled by its Cauchy step g.g / |g.Hg|, so that the first trial of the line
// search has a sensible length. When rounding hides any further decrease, the iteration ends with
// PLI_MINIMIZE_ROUNDING, which is no success: the tolerance was not reached.
#ifndef PLI_OPTIMIZE_NEWTON_H
#define PLI_OPTIMIZE_NEWTON_H

#include "base/arena.h"
#include "base/timers.h"
#include "linear/krylov/solver.h"
#include "optimize/direction.h"
#include "optimize/line_search.h"

// Why a minimisation ended; positive: success.
typedef enum pli_minimize_stop {
    PLI_MINIMIZE_GRADIENT = 1,    // norm of the gradient under the tolerance
    PLI_MINIMIZE_FIXED = 3,       // the fixed number of iterations was made
    PLI_MINIMIZE_DIRECTION = 4,   // what the next step would change is under the tolerance
    PLI_MINIMIZE_ITERATIONS = -1, // budget spent
    PLI_MINIMIZE_LINESEARCH = -2, // no decrease found although the norm is above the tolerance
    PLI_MINIMIZE_NONFINITE = -3,  // energy, gradient or direction is not finite
    PLI_MINIMIZE_LINEAR = -4,     // the matrix could not be factored, even projected
    PLI_MINIMIZE_ROUNDING = -5    // above the tolerance, but no representable progress is left
} pli_minimize_stop;

// What is compared with the tolerance.
typedef enum pli_judge {
    PLI_JUDGE_GRADIENT, // norm of the gradient
    PLI_JUDGE_STEP,     // largest entry of Newton's step over step_unit
    PLI_JUDGE_ERROR     // relative error of the unknowns, see stopping.h
} pli_judge;

typedef enum pli_direction_kind {
    PLI_DIRECTION_NEWTON,
    PLI_DIRECTION_REVERSED,
    PLI_DIRECTION_STEEPEST
} pli_direction_kind;

typedef struct pli_newton_def {
    double tolerance; // tau, of what is judged
    pli_judge judge;
    double step_unit; // of steps that are judged; the time step makes them m/s
    int32_t max_iterations;
    int32_t min_iterations;   // made even if the gradient is small at once
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    bool projected;           // use the positive semi-definite Hessian
    bool safeguard;           // downhill test and length clamp
    double downhill;          // kappa
    double length_clamp;      // m
    double linear_scale;      // sigma
    double linear_cap;        // largest relative tolerance of a linear solve
    double linear_tolerance;  // > 0: this relative tolerance instead of the inexact rule
    double energy_noise;      // rounding of E besides that of its own size (J)
    pli_line_search_def line_search;
    pli_direction_source source; // of directions, if there is one
} pli_newton_def;

// What is told after the start (iteration 0) and after every iteration.
typedef struct pli_iterate {
    int32_t iteration;
    double residual; // what is compared with the tolerance; steps: of the direction before
    double gradient; // plain length of the gradient (N)
    double energy;   // J
    double alpha;
    int32_t linear_iterations;
    int32_t energy_evaluations;
    pli_direction_kind direction;
    const double *g; // [3 n] the gradient (N), held coordinates left out; NULL: nobody needed it.
                     // Lifetime: the call
} pli_iterate;

typedef struct pli_minimize_report {
    pli_minimize_stop stop;
    int32_t iterations;
    int64_t linear_iterations;
    int32_t energy_evaluations;
    double residual;
    double energy;
} pli_minimize_report;

// Who watches and what is shared. Any of the function pointers may be NULL.
typedef struct pli_minimize_env {
    pli_timers *timers;
    pli_arena *scratch;
    void (*monitor)(void *user, const pli_iterate *iterate);
    bool (*cancel)(void *user); // true: give up at once
    // moves x [3 n] by other means, after steps that the line search cut short; the result is kept
    // only if the energy falls
    void (*improve)(void *user, double *x);
    void *user;
} pli_minimize_env;

// Minimises the objective from x, in place; linear may be NULL with a source of directions. Errors:
// memory, interrupted (x is then undefined).
pli_status pli_newton_minimize(const pli_newton_def *def, pli_objective *objective,
                               pli_linear_solver *linear, const pli_minimize_env *env, double *x,
                               pli_minimize_report *report);

#endif

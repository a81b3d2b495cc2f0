// SPDX-License-Identifier: Apache-2.0
//
// Krylov solvers for symmetric systems A x = b: preconditioned conjugate gradients and MINRES.
//
// Conjugate gradients (Hestenes and Stiefel 1952) want A positive definite. With stop_at_indefinite
// they also serve Newton's method on energies that are not convex: the iteration ends at the first
// direction of curvature p.Ap <= 0 and returns the last iterate. Started from zero, every
// iterate x satisfies b.x > 0, because b.x = sum of alpha_i rho_i with positive terms, so with
// b = -gradient the result points downhill. When the very first direction has no positive
// curvature, x becomes that direction, B b: downhill too as B is positive, equal to the
// right-hand side when there is no preconditioner, and, unlike b, of the size of a step when there
// is one. Without stop_at_indefinite the recurrences simply go on.
//
// MINRES (Paige and Saunders 1975) minimises the residual for any symmetric A, definite or not; the
// preconditioner must still be symmetric positive definite. It is the baseline for indefinite
// systems.
//
// Residuals are measured either as |r| or as sqrt(r.Br), which is |r| in the norm of the
// preconditioner: PCG has both at hand, MINRES minimises the second and carries the first along at
// the price of one more vector. Both are those of the recurrences. An iteration ends as converged
// when the measure is at most max(relative_tolerance |b|, absolute_tolerance), with |b| taken in
// the same norm, so that a good start shortens the work.
//
// PCG may be given a rough operator beside A, such as the same matrix in single precision
// (bcsr_single.h). Iterations then use it, and the residual of their result is formed with A: when
// that is not under the tolerance the iteration begins again at x, which is iterative refinement
// (Wilkinson 1963). A round that did not halve the residual, and curvature that is positive for A
// but not for the rough operator, end the use of the latter. So the outcome means the same as
// without it.
//
// Not converging is an outcome, not an error: it is in the report. A status other than ok means
// that scratch memory was missing, or that the arena's computation is not wanted any more, which is
// asked before every iteration; x then must not be used. Scratch comes from the caller's arena; a
// warm solve allocates nothing. All sums are in fixed order: same bits for any number of threads.
#ifndef PLI_LINEAR_KRYLOV_KRYLOV_H
#define PLI_LINEAR_KRYLOV_KRYLOV_H

#include "linear/matrix/operator.h"

#include "base/arena.h"

#include <math.h>

typedef enum pli_krylov_stop {  // positive: x may be used
    PLI_KRYLOV_CONVERGED = 1,   // residual under tolerance
    PLI_KRYLOV_INDEFINITE = 2,  // curvature not positive; x is the last iterate, or B b
    PLI_KRYLOV_ITERATIONS = -1, // budget spent; x is the last iterate
    PLI_KRYLOV_NONFINITE = -2,  // a NaN or an infinity came up; x must not be used
    PLI_KRYLOV_BREAKDOWN = -3,  // B is not positive, or A is singular; x is the last iterate
    PLI_KRYLOV_INTERRUPTED = -4 // the callback asked to stop; x is the last iterate
} pli_krylov_stop;

typedef enum pli_krylov_norm {
    PLI_KRYLOV_NORM_PLAIN,         // |r|
    PLI_KRYLOV_NORM_PRECONDITIONED // sqrt(r.Br)
} pli_krylov_norm;

// Called with the residual of the start (iteration 0) and of every iterate; false ends the solve.
typedef bool (*pli_krylov_callback)(void *user, int32_t iteration, double residual);

typedef struct pli_krylov_def {
    int32_t max_iterations;
    double relative_tolerance; // against |b|
    double absolute_tolerance;
    pli_krylov_norm norm;
    bool stop_at_indefinite;      // PCG: end at curvature <= 0
    bool use_start;               // x holds a start; otherwise it is overwritten with zero
    pli_krylov_callback callback; // may be NULL
    void *callback_user;
} pli_krylov_def;

typedef struct pli_krylov_report {
    pli_krylov_stop stop;
    int32_t iterations; // directions tried after the start
    double residual;    // of the last iterate, in the norm of the def
    double initial_residual;
} pli_krylov_report;

// The system to be solved. All of it is borrowed.
typedef struct pli_krylov_system {
    const pli_operator *A; // symmetric
    const pli_operator *B; // symmetric positive, close to A^-1; NULL: identity
    const double *b;       // [size]  right-hand side
    double *x;             // [size]  start and solution

    // PCG: what iterations multiply with instead of A, cheaper and equal up to rounding; NULL: A
    const pli_operator *A_rough;
} pli_krylov_system;

// 10000 iterations, relative tolerance 1e-8, plain norm, zero start, no stop at indefiniteness.
pli_krylov_def pli_krylov_def_default(void);

PLI_CHECKED pli_status pli_pcg(const pli_context *context, const pli_krylov_def *def,
                               const pli_krylov_system *system, pli_arena *scratch,
                               pli_krylov_report *report);

PLI_CHECKED pli_status pli_minres(const pli_context *context, const pli_krylov_def *def,
                                  const pli_krylov_system *system, pli_arena *scratch,
                                  pli_krylov_report *report);

// Relative tolerance of an inexact Newton step: min(cap, sigma sqrt(max(|gradient|, tau))), so that
// little is spent far from the solution and Newton's fast end is kept (the paper's cap is 1/2).
static inline double pli_krylov_newton_tolerance(double gradient_norm, double tau, double sigma,
                                                 double cap)
{
    return fmin(cap, sigma * sqrt(fmax(gradient_norm, tau)));
}

#endif

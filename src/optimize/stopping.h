// SPDX-License-Identifier: Apache-2.0
//
// When a minimisation ends, and what is told of it on the way: what its methods have in common.
#ifndef PLI_OPTIMIZE_STOPPING_H
#define PLI_OPTIMIZE_STOPPING_H

#include "optimize/minimizer.h"

// ---- the error of the unknowns
//
// A gradient says how large forces are that are left, not how far x is from the minimum: where soft
// and stiff directions meet, a small force may stand for a long way. A step d that a method
// proposes does: along it the energy would fall by about w = -g.d / 2. Newton's step leads to the
// minimum, so that w is what is left to be won, E - E*. A method that converges at a steady rate r
// per iteration goes only the share 1 - r of the way, and E - E* = w / (1 - r) along its slowest
// direction. With the energy psi that is stored in x,
//
//     error = sqrt((E - E*) / psi)
//
// is the error of the positions in the norm of the energy relative to the deformation itself: a
// pure number which depends neither on how stiff matter is, nor on how large the load, nor on how
// the body is turned or carried along. (Rates from successive steps: Hairer and Wanner 1996,
// section IV.8.)
//
// Coordinates are rounded; where E - E* is less than what rounding them all could change, the error
// counts as zero.
enum { PLI_ERROR_WINDOW = 8 };

// What is known of a method: its steps lead to the minimum, it makes the same share of the way in
// every iteration, or it does so and is accelerated by Chebyshev polynomials, whose rate r belongs
// to steps of the share (1 - r)^2 / 2.
typedef enum pli_error_rate {
    PLI_RATE_SUPERLINEAR,
    PLI_RATE_STEADY,
    PLI_RATE_ACCELERATED
} pli_error_rate;

typedef struct pli_error_estimate {
    pli_error_rate rate;
    int32_t count;                     // of the steps so far
    double work[PLI_ERROR_WINDOW + 1]; // w of the last ones, a ring (J)
} pli_error_estimate;

// Adds the step d that is proposed at x, where the gradient is g, and returns the error of x;
// infinite while the rate of a steady method is not known.
double pli_error_of_step(pli_error_estimate *estimate, const pli_objective *objective,
                         const double *x, const double *g, const double *d);

// ---- ends

typedef struct pli_stopping {
    double tolerance; // of report->residual
    bool judges;      // the residual is compared with it at all
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, and nothing is compared
} pli_stopping;

// Sets report->stop when the iteration has to end with what the report says, within the limits of
// env. measure: a number that is finite as long as all is well.
bool pli_stopping_is_over(const pli_stopping *rules, const pli_minimize_env *env, double measure,
                          pli_minimize_report *report);

// Sets report->stop where no step leads on: converged if what is judged was small all the same (an
// iteration that had to be made), otherwise at the end of what numbers resolve, or stuck.
void pli_stopping_end(double tolerance, bool is_rounding, pli_minimize_report *report);

// Fills in what the gradient g [3 point_count] says: report->residual, its norm, and its length.
// Whoever watches sees it when the iterate is told.
void pli_stopping_measure(const pli_objective *objective, const double *g,
                          pli_minimize_report *report, pli_iterate *last);

// Tells whoever watches of the iterate whose number, residual and energy the report has; `last` has
// the rest.
void pli_stopping_tell(const pli_minimize_env *env, const pli_minimize_report *report,
                       pli_iterate *last);

// Errors: interrupted, when whoever watches gives up.
PLI_CHECKED pli_status pli_stopping_check_cancel(pli_context *context, const pli_minimize_env *env);

// Whether all of v [n] is finite and of sensible size.
bool pli_stopping_is_finite(const pli_context *context, int64_t n, const double *v);

// No coordinate of x [n] would move by more than the rounding of the largest one.
bool pli_stopping_is_negligible(const pli_context *context, int64_t n, const double *d,
                                const double *x);

#endif

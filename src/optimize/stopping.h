// SPDX-License-Identifier: Apache-2.0
//
// When a minimisation ends, and what is told of it on the way: what its methods have in common.
#ifndef PLI_OPTIMIZE_STOPPING_H
#define PLI_OPTIMIZE_STOPPING_H

#include "optimize/newton.h"

typedef struct pli_stopping {
    double tolerance; // of report->residual
    bool judges;      // the residual is compared with it at all
    int32_t min_iterations;
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, and nothing is compared
} pli_stopping;

// Sets report->stop when the iteration has to end with what the report says. measure: a number that
// is finite as long as all is well.
bool pli_stopping_is_over(const pli_stopping *rules, double measure, pli_minimize_report *report);

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

// Whether the decrease that a slope promises is below the resolution of E. noise: rounding of E
// besides that of its own size (J).
bool pli_stopping_is_at_rounding(double slope, double energy, double noise);

// Whether all of v [n] is finite and of sensible size.
bool pli_stopping_is_finite(const pli_context *context, int64_t n, const double *v);

// No coordinate of x [n] would move by more than the rounding of the largest one.
bool pli_stopping_is_negligible(const pli_context *context, int64_t n, const double *d,
                                const double *x);

#endif

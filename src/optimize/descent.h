// SPDX-License-Identifier: Apache-2.0
//
// What all minimisations carry from iteration to iteration, when they end, and what is told of them
// on the way. A method adds what is its own, and gives the loop two functions:
//
//     tell        measures the iterate, and tells whoever watches
//     iterate     finds another one
#ifndef PLI_OPTIMIZE_DESCENT_H
#define PLI_OPTIMIZE_DESCENT_H

#include "optimize/direction.h"
#include "optimize/line_search.h"
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

// ---- a minimisation

typedef struct pli_stopping {
    double tolerance; // of report->residual
    bool judges;      // iterates are over when the residual is below it
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, and nothing is compared
} pli_stopping;

typedef struct pli_descent {
    pli_context *context;
    pli_objective *objective;
    const pli_minimize_env *env;
    pli_minimize_report *report;
    pli_stopping rules;
    pli_judge judge;
    int64_t n; // unknowns

    double *x;       // [n] current iterate, the caller's
    double *g;       // [n] gradient dE/dx at x
    double *d;       // [n] direction
    double *b;       // [n] right-hand side of linear solves, and scratch
    double *trial_x; // [n] of line searches; NULL without them
    double *trial_g; // [n] the same
    double *trial_d; // [n] the same; NULL without constraints

    pli_sum energy; // E(x)
    double judged;  // of the last direction, where steps or errors are judged; infinite at first
    pli_error_estimate error;
    double measure;       // set by tell: finite as long as all is well
    int32_t frozen_steps; // over jumps of E
    pli_iterate last;
} pli_descent;

// Of a minimisation from x [3 point_count] with rules and judge still to be said.
pli_descent pli_descent_begin(pli_objective *objective, const pli_minimize_env *env, double *x,
                              pli_minimize_report *report);

// Takes g, d and b from the arena, and with `searches` the vectors of line searches. Errors:
// memory.
PLI_CHECKED pli_status pli_descent_take_vectors(pli_descent *at, bool searches);

// Functions that a method gives the loop, both called with its own object.
typedef struct pli_descent_ops {
    // Of the start and of every new iterate.
    void (*tell)(void *self);
    // One iteration, which counts itself in the report when x is a new iterate; with *over it is
    // the last, for the reason in the report. Errors: memory, interrupted.
    pli_status (*iterate)(void *self, bool *over);
} pli_descent_ops;

// The loop: tells the start, and iterates until the rules, the limits of env or an iteration end
// it. Errors: memory, interrupted.
PLI_CHECKED pli_status pli_descent_run(pli_descent *at, const pli_descent_ops *ops, void *self);

// ---- iterates

// E(x).
void pli_descent_evaluate_energy(pli_descent *at);

// Residual, norm and length of g; where steps or errors are judged the residual is that of the last
// direction.
void pli_descent_measure(pli_descent *at);

// Tells whoever watches of the iterate whose number, residual and energy the report has.
void pli_descent_tell(pli_descent *at);

// ---- directions

// Has a source make what directions at x come from. Where made->usable is false the report says why
// the minimisation has to end.
PLI_CHECKED pli_status pli_descent_prepare(pli_descent *at, const pli_direction_source *source,
                                           bool projected, pli_direction_matrix *made);

// d of a source for the gradient g [n], and counts what it took.
PLI_CHECKED pli_status pli_descent_solve(pli_descent *at, const pli_direction_source *source,
                                         const double *g, double tolerance,
                                         pli_direction_report *report);

// Error of x as the direction d tells it; infinite while the rate of a steady method is not known.
double pli_descent_error(pli_descent *at);

// Whether what is judged of a direction is under the tolerance; the residual is that from now on.
bool pli_descent_judge(pli_descent *at, double judged);

// Whether all of d is finite and of sensible size; otherwise the report says so.
bool pli_descent_has_finite_direction(pli_descent *at);

// No coordinate would move by more than the rounding of the largest one.
bool pli_descent_is_negligible(const pli_descent *at);

// ---- steps

// What a line search along d starts from; slope is g . d.
pli_line pli_descent_line(const pli_descent *at, double slope);

// After a search that is stuck: follows E over a jump, some times in a minimisation; see
// line_search.h.
void pli_descent_follow_jump(pli_descent *at, const pli_line_search_def *def, double slope,
                             pli_line_report *found);

// Makes energy and gradient those of what a search found, and counts the iteration; x is the
// method's to move.
void pli_descent_accept(pli_descent *at, const pli_line_report *found);

// Whether the decrease that a slope promises is below the resolution of E.
bool pli_descent_hides_slope(const pli_descent *at, double slope);

// Sets report->stop where no step leads on: converged if what is judged was small all the same (an
// iteration that had to be made), otherwise at the end of what numbers resolve, or stuck.
void pli_descent_end(pli_descent *at, bool is_rounding);

#endif

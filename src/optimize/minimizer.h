// SPDX-License-Identifier: Apache-2.0
//
// Minimisers: one table of functions for every method, and what all of them share.
//
//     newton.h               a matrix for every iteration
//     lbfgs.h                an operator for many iterations, and pairs of steps
//     local_global.h         a constant matrix for many steps of time
//     vertex_descent.h       no matrix, vertex by vertex
//     mpm/implicit/admm.h    a constant matrix, and a local problem for every particle
//
// A minimiser is created for one objective, which it borrows and whose values may change from one
// minimisation to the next:
//
//     begin_step    once before the minimisations of a step of time
//     minimize      from x, in place; again as often as the step wants
//     memory        bytes that it holds
//     destroy
//
// What it has learnt in one minimisation has no influence on the next.
#ifndef PLI_OPTIMIZE_MINIMIZER_H
#define PLI_OPTIMIZE_MINIMIZER_H

#include "base/arena.h"
#include "base/timers.h"
#include "optimize/objective.h"
#include "pliant/stop.h"

// What is compared with the tolerance.
typedef enum pli_judge {
    PLI_JUDGE_GRADIENT, // norm of the gradient
    PLI_JUDGE_STEP,     // largest entry of Newton's step over a unit; Newton's method alone
    PLI_JUDGE_ERROR     // relative error of the unknowns, see descent.h
} pli_judge;

// Where the direction of an iteration came from.
typedef enum pli_direction_kind {
    PLI_DIRECTION_NEWTON,
    PLI_DIRECTION_REVERSED,
    PLI_DIRECTION_STEEPEST
} pli_direction_kind;

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
    const double *g; // [3 n] the gradient (N), constrained coordinates left out; NULL: nobody
                     // needed it. Lifetime: the call
} pli_iterate;

typedef struct pli_minimize_report {
    pli_stop stop;
    int32_t iterations;
    int64_t linear_iterations;
    int32_t energy_evaluations;
    int32_t dropped_pairs; // of L-BFGS, which said nothing about the curvature
    double residual;
    double energy;
} pli_minimize_report;

// Who watches a minimisation, what it shares with others, and its limits. Any of the function
// pointers may be NULL.
typedef struct pli_minimize_env {
    pli_timers *timers;
    pli_arena *scratch;
    void (*monitor)(void *user, const pli_iterate *iterate);
    bool (*cancel)(void *user); // true: give up at once
    // moves x [3 n] by other means, after iterations that the line search cut short; the result is
    // kept only if the energy falls
    void (*improve)(void *user, double *x);
    void *user;
    int32_t min_iterations; // made even if the gradient is small at once: an initial guess that
                            // stands still needs one, otherwise slow motion would come to rest
    int32_t max_iterations; // > 0: instead of those of the minimiser
    double energy_noise;    // rounding of E besides that of its own size (J)
} pli_minimize_env;

typedef struct pli_minimizer_ops {
    // Optional; coefficients: hash of everything that the constant parts of Hessians depend on.
    // Errors: memory.
    pli_status (*begin_step)(void *self, uint64_t coefficients);

    // Required. The report comes in with zeros; scratch is given back by the caller. Errors:
    // memory, interrupted (x is then undefined).
    pli_status (*minimize)(void *self, const pli_minimize_env *env, double *x,
                           pli_minimize_report *report);

    // Required. Bytes.
    int64_t (*memory)(const void *self);

    // Required.
    void (*destroy)(void *self);
} pli_minimizer_ops;

typedef struct pli_minimizer {
    const pli_minimizer_ops *ops; // NULL: there is none
    void *self;
} pli_minimizer;

PLI_CHECKED pli_status pli_minimizer_begin_step(const pli_minimizer *minimizer,
                                                uint64_t coefficients);

// Minimises the objective from x [point_count][3], in place. Errors: memory, interrupted (x is then
// undefined).
PLI_CHECKED pli_status pli_minimizer_minimize(const pli_minimizer *minimizer,
                                              const pli_minimize_env *env, double *x,
                                              pli_minimize_report *report);

// Errors: interrupted, when whoever watches gives up.
PLI_CHECKED pli_status pli_minimizer_check_cancel(pli_context *context,
                                                  const pli_minimize_env *env);

// 0 where there is none.
int64_t pli_minimizer_memory(const pli_minimizer *minimizer);

// Leaves none.
void pli_minimizer_destroy(pli_minimizer *minimizer);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Limited-memory BFGS with an initial operator from outside (N13, H13; Nocedal 1980 for the two
// loops, Wang et al. 2020, algorithm 3, for the use with a V-cycle).
//
// One iteration, with the last `window` pairs s = x_k+1 - x_k, y = g_k+1 - g_k, rho = 1 / (y.s):
//
//   1. stop when the norm of g is under the tolerance;
//   2. q = -g; for the pairs from the newest: a = rho s.q, q -= a y;
//   3. d = B q, B an approximation of the inverse Hessian that was made when the minimisation
//   began;
//      for the pairs from the oldest: d += (a - rho y.d) s;
//   4. backtracking from alpha = 1 until the energy does not rise;
//   5. x += alpha d, and the pair joins the others unless y.s is not safely positive (25 of the
//      inventory: dropped and counted).
//
// Should a direction not point downhill, which only rounding or a B that is not symmetric can
// cause, all pairs are forgotten and d = B (-g); if that does not either, d = -g scaled by the
// length of the last step. With refresh > 0, B is made anew, and pairs are forgotten, whenever so
// many iterations were made (H18).
//
// With constraints (projection.h) that are linear for the time of the minimisation, that is, fixed
// coordinates and tangents, B answers in the admissible space and so do all vectors here.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_OPTIMIZE_LBFGS_H
#define PLI_OPTIMIZE_LBFGS_H

#include "optimize/newton.h"

enum { PLI_LBFGS_WINDOW = 64 };

typedef struct pli_lbfgs_def {
    double tolerance; // in the norm of the objective
    int32_t window;   // pairs, 0 to PLI_LBFGS_WINDOW
    int32_t max_iterations;
    int32_t fixed_iterations; // > 0: exactly so many, no convergence test
    int32_t refresh;          // iterations after which the operator is made anew; 0: never
    double energy_noise;      // rounding of E besides that of its own size (J)
    pli_line_search_def line_search;
    // where B comes from: prepare at the start (and by refresh), solve for every direction, with
    // the gradient -q
    pli_direction_source initial;
} pli_lbfgs_def;

typedef struct pli_lbfgs pli_lbfgs;

// Room for a window of vectors of up to 3 point_count entries, which grows when needed. Errors:
// argument, memory.
PLI_CHECKED pli_status pli_lbfgs_create(pli_context *context, const pli_lbfgs_def *def,
                                        pli_lbfgs **minimizer);
void pli_lbfgs_destroy(pli_lbfgs *minimizer);

// Minimises the objective from x [point_count][3], in place. iterations of the report are
// directions, linear_iterations those that `initial` tells. Errors: memory, interrupted (x is then
// undefined).
PLI_CHECKED pli_status pli_lbfgs_minimize(pli_lbfgs *minimizer, pli_objective *objective,
                                          const pli_minimize_env *env, double *x,
                                          pli_minimize_report *report);

// Pairs that were dropped in the last minimisation.
int32_t pli_lbfgs_dropped(const pli_lbfgs *minimizer);

#endif

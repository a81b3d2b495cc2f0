// SPDX-License-Identifier: Apache-2.0
//
// Line searches along phi(alpha) = E(x + alpha d). With constraints E(x) = E'(P(x)) the path is the
// curved one of P(x + alpha d), and phi'(alpha) = dE'/dx . DP d at its points.
//
// Strong Wolfe (Nocedal and Wright 2006, algorithms 3.5 and 3.6): finds alpha with
//     phi(alpha) <= phi(0) + c1 alpha phi'(0)   and   |phi'(alpha)| <= c2 |phi'(0)|.
// The first trial is 1, so that a converging Newton method pays for one evaluation; alpha may grow
// beyond 1. Backtracking halves until E does not rise (c1 = 0) or falls enough (Armijo, c1 > 0).
//
// Close to the minimum the decrease drowns in the rounding of E. Energies are therefore compared
// through compensated sums, and when the change is below the noise of E the derivative decides
// instead (the approximate Wolfe conditions of Hager and Zhang 2005, eq. 4.1; backtracking asks for
// the upper one alone, as it asks for decrease alone).
//
// A search that ends at once, although the gradient is large, has run into a jump of E: a choice
// that a term makes (which parts are in contact) changes there. A frozen search follows E with the
// choices of x, which is smooth, over the jump; E may then be larger behind it, so that a
// minimisation makes a limited number of such steps.
#ifndef PLI_OPTIMIZE_LINE_SEARCH_H
#define PLI_OPTIMIZE_LINE_SEARCH_H

#include "base/arena.h"
#include "optimize/objective.h"

// frozen searches within one minimisation
enum { PLI_FROZEN_STEPS = 20 };

typedef enum pli_search_kind {
    PLI_SEARCH_NONE,        // alpha = 1 or as much of it as is admissible, whatever happens
    PLI_SEARCH_WOLFE,       // strong Wolfe conditions
    PLI_SEARCH_BACKTRACKING // halving
} pli_search_kind;

typedef struct pli_line_search_def {
    pli_search_kind kind;
    double decrease;  // c1
    double curvature; // c2
    int32_t max_evaluations;
} pli_line_search_def;

// Where the search starts and the space it works in. x, d: [3 n]; trial_x, trial_g are scratch and
// hold the accepted point, projected, and the gradient dE'/dx afterwards.
typedef struct pli_line {
    const pli_objective *objective;
    const double *x;
    const double *d;
    pli_sum energy;   // E(x)
    double slope;     // dE/dx . d < 0
    double noise;     // changes of E below this mean nothing (J)
    double alpha_max; // largest admissible alpha; infinity: none
    double *trial_x;
    double *trial_g;
    double *trial_d; // [3 n] scratch for DP d; may be NULL without constraints
} pli_line;

// Takes the vectors that searches of an objective need from an arena; *d stays NULL without
// constraints. False: memory ran out.
bool pli_line_take_trial(pli_arena *arena, const pli_objective *objective, double **x, double **g,
                         double **d);

typedef struct pli_line_report {
    bool found;
    double alpha;
    pli_sum energy;      // at the accepted point
    int32_t evaluations; // of E
    int32_t gradients;   // of dE/dx
} pli_line_report;

// Searches; on success trial_x and trial_g hold the accepted point and its gradient.
void pli_line_search(const pli_line_search_def *def, const pli_line *line, pli_line_report *report);

// Whether a search found nothing, or next to nothing.
bool pli_line_is_stuck(const pli_line_report *report);

// A frozen search, after one that is stuck and ended with this report; adds to its counts. The
// report, trial_x and trial_g are its own when it finds something, and otherwise as they were.
// False, and nothing was done, when no term makes any choices.
bool pli_line_search_frozen(const pli_line_search_def *def, const pli_line *line,
                            pli_line_report *report);

#endif

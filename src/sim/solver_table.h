// SPDX-License-Identifier: Apache-2.0
//
// The solvers by name: each is a choice of parts, written down as data.
#ifndef PLI_SIM_SOLVER_TABLE_H
#define PLI_SIM_SOLVER_TABLE_H

#include "linear/solver.h"
#include "optimize/line_search.h"
#include "pliant/sim.h"

typedef struct pli_solver_kind {
    pli_solver_info info;
    bool projected;    // Hessian made positive semi-definite element by element
    bool safeguard;    // downhill test and length clamp
    bool constrains;   // takes colliders as constraints
    bool judges_steps; // by default the size of Newton's steps decides on convergence
    bool best_guess;   // start from the best of several predictions, else from the inertial one
    double linear_tolerance; // > 0: fixed relative tolerance; 0: the inexact rule
    double decrease;         // c1 of a backtracking search
    pli_search_kind search;
    pli_linear_solver_kind linear;
    pli_precondition_kind preconditioner;
} pli_solver_kind;

// NULL when there is no solver of this name; "auto" gives the default for meshes, with or without
// barriers.
const pli_solver_kind *pli_solver_kind_find(const char *name, bool barrier);

#endif

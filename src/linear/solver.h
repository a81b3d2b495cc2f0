// SPDX-License-Identifier: Apache-2.0
//
// Linear solvers for A x = b with a block matrix A, behind one face: symbolic work once per
// pattern (create), numeric work once per set of values (build), then any number of solves.
//
// Kinds are const tables of functions; a new kind is a new table. Iterative kinds honour the
// relative tolerance of a solve, direct ones ignore it.
#ifndef PLI_LINEAR_SOLVER_H
#define PLI_LINEAR_SOLVER_H

#include "linear/bcsr.h"
#include "linear/krylov.h"
#include "linear/precondition.h"

typedef enum pli_linear_solver_kind {
    PLI_SOLVER_PCG,
    PLI_SOLVER_MINRES,
    PLI_SOLVER_CHOLESKY
} pli_linear_solver_kind;

typedef struct pli_linear_solver_def {
    pli_linear_solver_kind kind;
    pli_precondition_kind preconditioner; // of the iterative kinds
    int32_t max_iterations;
    bool stop_at_indefinite; // conjugate gradients end at the first direction of no curvature
} pli_linear_solver_def;

typedef struct pli_linear_solver pli_linear_solver;

// Symbolic set-up. A is borrowed: its values are read by build, its pattern must not change.
pli_status pli_linear_solver_create(pli_context *context, const pli_linear_solver_def *def,
                                    const pli_bcsr *A, pli_linear_solver **solver);
void pli_linear_solver_destroy(pli_linear_solver *solver);

// Begins a series of systems that resemble each other, such as those of one minimisation: a direct
// kind then keeps the places of extra blocks in its analysis, see cholesky.h. Results depend on
// what was built since the last call, and on nothing before it; without this call on A alone.
void pli_linear_solver_begin(pli_linear_solver *solver);

// Numeric set-up for the current values of A. *definite is false when a direct kind met a pivot
// that is not positive; solving then is not possible.
pli_status pli_linear_solver_build(pli_linear_solver *solver, bool *definite);

// x = A^-1 b, from a zero start. Scratch comes from the arena.
pli_status pli_linear_solver_solve(pli_linear_solver *solver, const double *b,
                                   double relative_tolerance, pli_arena *scratch, double *x,
                                   pli_krylov_report *report);

const char *pli_linear_solver_name(const pli_linear_solver *solver);

#endif

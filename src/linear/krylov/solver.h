// SPDX-License-Identifier: Apache-2.0
//
// Linear solvers for A x = b with a block matrix A, behind one face: symbolic work once per
// pattern (create), numeric work once per set of values (build), then any number of solves.
//
// Kinds are const tables of functions; a new kind is a new table. Iterative kinds honour the
// relative tolerance of a solve, direct ones ignore it.
//
// A multigrid (multigrid.h) is a kind of its own, V-cycles that stand alone, and may be the
// preconditioner of the Krylov kinds. Its coarse spaces come from the caller. It wants a positive
// definite matrix: where that of a build is not, conjugate gradients with block Jacobi take its
// place until the next build, which is logged once. Extra blocks of the matrix reach its cycles on
// the diagonal only; conjugate gradients stay right, cycles that stand alone may need more of them.
//
// The matrix may have a low-rank part beside A (low_rank.h). Factors and preconditioners of A are
// corrected for it, products add it; where cycles would stand alone, conjugate gradients with a
// cycle as preconditioner take their place.
#ifndef PLI_LINEAR_KRYLOV_SOLVER_H
#define PLI_LINEAR_KRYLOV_SOLVER_H

#include "linear/krylov/krylov.h"
#include "linear/krylov/low_rank.h"
#include "linear/krylov/precondition.h"
#include "linear/matrix/bcsr.h"
#include "linear/multigrid/multigrid.h"

typedef enum pli_linear_solver_kind {
    PLI_SOLVER_PCG,
    PLI_SOLVER_MINRES,
    PLI_SOLVER_CHOLESKY,
    PLI_SOLVER_MULTIGRID
} pli_linear_solver_kind;

typedef struct pli_linear_solver_def {
    pli_linear_solver_kind kind;
    pli_precondition_kind preconditioner; // of the iterative kinds
    int32_t max_iterations;
    bool stop_at_indefinite; // conjugate gradients end at the first direction of no curvature

    // of a multigrid; hierarchy and fixed are borrowed
    bool precondition_by_multigrid; // a V-cycle instead of the preconditioner
    int32_t cycles;                 // exactly so many stand alone; 0: until the tolerance
    const pli_hierarchy *hierarchy;
    pli_vcycle_def multigrid;
    const uint8_t *fixed; // [row_count] bits 1, 2, 4: the coordinate is held, and its row and
                          // column are those of the unit matrix; NULL: none
} pli_linear_solver_def;

typedef struct pli_linear_solver pli_linear_solver;

// Symbolic set-up. A is borrowed: its values are read by build, its pattern must not change.
pli_status pli_linear_solver_create(pli_context *context, const pli_linear_solver_def *def,
                                    const pli_bcsr *A, pli_linear_solver **solver);
void pli_linear_solver_destroy(pli_linear_solver *solver);

// The low-rank part of the matrix, whose vectors are read by build and by solves; borrowed. NULL:
// none.
void pli_linear_solver_set_low_rank(pli_linear_solver *solver, pli_low_rank *part);

// Begins a series of systems that resemble each other, such as those of one minimisation: a direct
// kind then keeps the places of extra blocks in its analysis, see cholesky.h. Results depend on
// what was built since the last call, and on nothing before it; without this call on A alone.
void pli_linear_solver_begin(pli_linear_solver *solver);

// Numeric set-up for the current values of A. *definite is false when a direct kind met a pivot
// that is not positive; solving then is not possible.
pli_status pli_linear_solver_build(pli_linear_solver *solver, bool *definite);

// The same for a matrix that is known to be positive semi-definite. What nothing holds (a body that
// slides, a spring that is slack) makes it singular; a direct kind then takes A + s I with an s of
// 1e-10 of the largest entry, which solves A x = b where b leaves those motions alone, and makes
// large steps of what it does not.
pli_status pli_linear_solver_build_semidefinite(pli_linear_solver *solver, bool *definite);

// x = A^-1 b, from a zero start. Scratch comes from the arena.
pli_status pli_linear_solver_solve(pli_linear_solver *solver, const double *b,
                                   double relative_tolerance, pli_arena *scratch, double *x,
                                   pli_krylov_report *report);

// Whether a build that went well proves the matrix positive definite.
bool pli_linear_solver_is_direct(const pli_linear_solver *solver);

// Where solves of a multigrid add their times, see multigrid.h; NULL: nowhere.
void pli_linear_solver_set_timers(pli_linear_solver *solver, pli_timers *timers);

#endif

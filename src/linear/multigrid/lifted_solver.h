// SPDX-License-Identifier: Apache-2.0
//
// Solvers for A d = r with a lifted matrix (lifted.h), the global step of projective dynamics: the
// multigrid of Xian et al. 2019 and the methods it is compared with, behind one face.
//
//     multigrid   V-cycles, see multigrid.h
//     direct      sparse Cholesky, factored when the matrix changes (Bouaziz et al. 2014); as the
//                 scalar matrix with three right-hand sides as long as blocks on the diagonal are
//                 multiples of the identity, else as 3x3 blocks
//     vivace      symmetric Gauss-Seidel sweeps in the order of a randomised colouring
//                 (Fratarcangeli et al. 2016)
//     jacobi      block Jacobi iterations, what Chebyshev acceleration is built on (Wang 2015)
//     pcg         conjugate gradients with block Jacobi
//
// Iterative kinds make a fixed number of iterations from a zero start, or go on to a relative
// tolerance when one is given; not getting there is told by the report. Without a tolerance only
// conjugate gradients know the residual of what they return; others tell NaN.
//
// create looks at the pattern, build takes over the values, update_blocks the blocks on the
// diagonal alone. Threads: one call at a time; same bits for any number of threads. A warm solve
// allocates nothing.
#ifndef PLI_LINEAR_MULTIGRID_LIFTED_SOLVER_H
#define PLI_LINEAR_MULTIGRID_LIFTED_SOLVER_H

#include "linear/multigrid/multigrid.h"

typedef enum pli_lifted_solver_kind {
    PLI_LIFTED_MULTIGRID,
    PLI_LIFTED_DIRECT,
    PLI_LIFTED_VIVACE,
    PLI_LIFTED_JACOBI,
    PLI_LIFTED_PCG
} pli_lifted_solver_kind;

typedef struct pli_lifted_solver_def {
    pli_lifted_solver_kind kind;
    int32_t iterations;        // cycles, sweeps or iterations of a solve; the most with a tolerance
    double relative_tolerance; // 0: exactly `iterations`
    uint64_t seed;             // vivace: of the colouring

    // multigrid; the hierarchy is borrowed
    pli_vcycle_def multigrid;
    const pli_hierarchy *hierarchy;
} pli_lifted_solver_def;

typedef struct pli_lifted_solver pli_lifted_solver;

// Symbolic part. The matrix is borrowed: its values are read by build, its pattern must not change.
PLI_CHECKED pli_status pli_lifted_solver_create(pli_context *context,
                                                const pli_lifted_solver_def *def,
                                                const pli_lifted *matrix,
                                                pli_lifted_solver **solver);
void pli_lifted_solver_destroy(pli_lifted_solver *solver);

// Numeric part for the current values and blocks. *definite is false when the matrix is not
// positive definite; solving is then not possible.
PLI_CHECKED pli_status pli_lifted_solver_build(pli_lifted_solver *solver, bool *definite);

// The same when nothing but the blocks on the diagonal changed.
PLI_CHECKED pli_status pli_lifted_solver_update_blocks(pli_lifted_solver *solver, bool *definite);

// d ~ A^-1 r, both [row_count][3], not overlapping.
PLI_CHECKED pli_status pli_lifted_solver_solve(pli_lifted_solver *solver, const double *r,
                                               pli_arena *scratch, double *d,
                                               pli_krylov_report *report);

// Where solves of the multigrid add their times; NULL: nowhere.
void pli_lifted_solver_set_timers(pli_lifted_solver *solver, pli_timers *timers);

#endif

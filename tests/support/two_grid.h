// SPDX-License-Identifier: Apache-2.0
//
// The two-grid instrument (Xian et al. 2019, section 5.2): how much of the error that
// smoothing leaves does a coarse space take away?
//
//     eps   = A^-1 b - x1           x1 after some symmetric Gauss-Seidel sweeps from zero
//     eps~  = eps - S eps           S = U (U^T A U)^-1 U^T A
//     rho   = |eps~| / |eps|        plain Euclidean length
//
// S is the projection onto the range of U that is orthogonal in the energy product, S^2 = S. Only
// the first transfer of the hierarchy is looked at: vertices and one coarse level, whatever its
// weights are.
//
// It shares nothing with multigrid.h, so that it can judge it: U^T A U is the plain triple product
// in double, dense, and factored by dense Cholesky; A^-1 b is by sparse Cholesky. Unknowns of a
// coarse node that its vertices do not determine (section 4.4 of the paper) are left out: those
// whose column of U depends on the ones before it at the same node. The range of U stays what it
// is.
//
// Isotropic matrices, A = S (x) I, are handled as the scalar matrix with three right-hand sides.
//
// Meant for some thousands of coarse unknowns at most. Threads: one call on an object at a time.
#ifndef PLI_TESTS_TWO_GRID_H
#define PLI_TESTS_TWO_GRID_H

#include "base/arena.h"
#include "linear/matrix/bcsr.h"
#include "linear/multigrid/hierarchy.h"

typedef struct pli_two_grid_def { // matrix, hierarchy and mask are borrowed
    const pli_bcsr *matrix;       // symmetric positive definite
    const pli_hierarchy *hierarchy;
    const uint8_t *mask; // [row_count] bits 1, 2, 4: coordinate is held, unit row in the matrix and
                         // not moved by any coarse node; NULL: none
    bool isotropic;      // blocks are multiples of the identity; all of a row is held or nothing
} pli_two_grid_def;

typedef struct pli_two_grid pli_two_grid;

typedef struct pli_two_grid_report {
    double error_before; // |eps|
    double error_after;  // |eps~|
    double reduction;    // rho; 0 when there was no error
} pli_two_grid_report;

// Errors: argument (sizes that do not fit), numeric (the matrix or U^T A U is not positive
// definite), unsupported (a build without sparse Cholesky), memory.
PLI_CHECKED pli_status pli_two_grid_create(pli_context *context, const pli_two_grid_def *def,
                                           pli_two_grid **grid);
void pli_two_grid_destroy(pli_two_grid *grid);

// out = S v, both [row_count][3], not overlapping. Errors: memory.
PLI_CHECKED pli_status pli_two_grid_project(const pli_two_grid *grid, const double *v,
                                            pli_arena *scratch, double *out);

// rho for a right-hand side b [row_count][3] after so many sweeps. Errors: memory.
PLI_CHECKED pli_status pli_two_grid_measure(const pli_two_grid *grid, const double *b,
                                            int32_t sweeps, pli_arena *scratch,
                                            pli_two_grid_report *report);

int32_t pli_two_grid_unknown_count(const pli_two_grid *grid); // of U, three coordinates together
int64_t pli_two_grid_entry_count(const pli_two_grid *grid); // numbers of U^T A U that are not zero

#endif

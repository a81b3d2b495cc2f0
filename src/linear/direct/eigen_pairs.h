// SPDX-License-Identifier: Apache-2.0
//
// The lowest eigenpairs of K phi = lambda M phi with a sparse symmetric K and a diagonal M.
//
// Shift-invert: with a shift s > 0 the largest eigenvalues of (K + s M)^-1 M are 1 / (lambda + s)
// of the lowest lambda, far apart where those are close together. s begins far below what the mesh
// can do and grows until K + s M is positive definite: bodies that nothing holds have eigenvalues
// of zero, states that are not stable negative ones. Lanczos iterations (arpack.h) find the space;
// subspace iterations (Bathe and Wilson 1972) with a few random vectors beside it polish it until
// the residuals are small, and find what Lanczos may have missed of a multiple eigenvalue: those
// vectors turn into it.
//
// Values ascend; vectors have length 1 in the product of M, are orthogonal in it, and have their
// largest entry positive. Results have the same bits for any number of threads.
#ifndef PLI_LINEAR_DIRECT_EIGEN_PAIRS_H
#define PLI_LINEAR_DIRECT_EIGEN_PAIRS_H

#include "linear/matrix/bcsr.h"

typedef struct pli_eigen_problem {
    const pli_bcsr *K;          // without extra blocks; rows and columns of held coordinates are
                                // those of the unit matrix
    const double *mass;         // [row_count] of all three coordinates (kg)
    const uint8_t *fixed;       // [row_count] bits 1, 2, 4: x, y, z is held; NULL: none
    int32_t count;              // eigenpairs
    bool (*cancel)(void *user); // true: give up; may be NULL
    void *user;
} pli_eigen_problem;

typedef struct pli_eigen_report {
    double shift;      // s
    int32_t sweeps;    // subspace iterations
    double residual;   // largest |K phi - lambda M phi| over the largest |lambda| |M phi|
    double resolution; // values nearer to zero than this are rounding
} pli_eigen_report;

// Fills values [count] and vectors [count][row_count][3]. Errors: argument (fewer free coordinates
// with mass than eigenpairs), unsupported (no CHOLMOD or no ARPACK), numeric (no shift makes the
// matrix definite, or residuals stay large), interrupted, memory.
PLI_CHECKED pli_status pli_eigen_lowest(pli_context *context, const pli_eigen_problem *problem,
                                        double *values, double *vectors, pli_eigen_report *report);

#endif

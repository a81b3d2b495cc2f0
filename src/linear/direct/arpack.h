// SPDX-License-Identifier: Apache-2.0
//
// A basis of the space of the largest eigenvalues of a large operator, by implicitly restarted
// Lanczos iterations (Sorensen 1992; Lehoucq, Sorensen and Yang 1998), through ARPACK.
//
// The operator A is symmetric in the product of a positive semi-definite matrix B; only products
// with both are asked for. ARPACK keeps what it knows in variables of the whole program: one call
// at a time goes on, others wait. Its BLAS is held to one thread, so that bits do not depend on
// how many there are.
#ifndef PLI_LINEAR_DIRECT_ARPACK_H
#define PLI_LINEAR_DIRECT_ARPACK_H

#include "base/context.h"

typedef struct pli_arpack_problem {
    int64_t size;
    int32_t count;  // eigenvalues
    int32_t window; // vectors that are kept, more than count and at most the rank of B
    int32_t max_iterations;
    // y = A x and y = B x; x and y do not overlap
    pli_status (*apply)(void *user, const double *x, double *y);
    void (*apply_mass)(void *user, const double *x, double *y);
    void *user;
} pli_arpack_problem;

// Fills basis [window][size], whose first `count` rows then are the eigenvectors, as far as they
// converged, with B-length 1; start [size] is where the iteration begins, and is destroyed. Errors:
// unsupported (the build has no ARPACK), numeric, memory, and those of apply.
PLI_CHECKED pli_status pli_arpack_largest(pli_context *context, const pli_arpack_problem *problem,
                                          double *start, double *basis);

// Whether this build has ARPACK.
bool pli_arpack_is_available(void);

#endif

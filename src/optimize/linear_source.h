// SPDX-License-Identifier: Apache-2.0
//
// Directions by one linear solve, d = -A^-1 g, with A the Hessian of the objective at the x of the
// last prepare, exact or projected as is asked for. In every iteration this is Newton's method; as
// the initial operator of L-BFGS (lbfgs.h) it is the Hessian at the start of the step (Li et al.
// 2019, LBFGS-H; with conjugate gradients or V-cycles Wang et al. 2020, LBFGS-H and HOT).
//
// Where a direct solver meets an indefinite matrix, the projected one takes its place.
//
// Direct kinds give the same linear operator every time. Iterative ones end at a relative tolerance
// and are linear only to that; a cycle of a multigrid is linear, and symmetric.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_OPTIMIZE_LINEAR_SOURCE_H
#define PLI_OPTIMIZE_LINEAR_SOURCE_H

#include "base/timers.h"
#include "linear/krylov/solver.h"
#include "optimize/direction.h"

typedef struct pli_linear_source {
    pli_linear_solver *linear; // of the objective's H; borrowed
    double relative_tolerance; // of a solve; 0: as whoever asks wants it
    pli_timers *timers;        // phases assembly, setup and linear; borrowed

    // of the objective that it was prepared for
    const pli_context *context;
    int64_t size; // unknowns
} pli_linear_source;

// Lifetime: that of the source's object.
pli_direction_source pli_linear_source_get(pli_linear_source *source);

#endif

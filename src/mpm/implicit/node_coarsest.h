// SPDX-License-Identifier: Apache-2.0
//
// The solve of the coarsest level: conjugate gradients with block Jacobi, or dense Cholesky (Wang
// et al. 2020).
//
// Cholesky is for up to 4608 unknowns. Larger systems, and matrices that turn out not to be
// positive, get conjugate gradients to a residual of 1e-12 instead.
//
// Threads: one call at a time; the solve uses the threads of the context.
#ifndef PLI_MPM_IMPLICIT_NODE_COARSEST_H
#define PLI_MPM_IMPLICIT_NODE_COARSEST_H

#include "mpm/implicit/node_multigrid_inside.h"

typedef struct pli_node_coarsest {
    pli_context *context;
    const pli_node_level *level; // borrowed
    double tolerance;
    int32_t most_iterations;
    bool direct;
    double *factor; // [3 node_count][3 node_count]  NULL: conjugate gradients
    pli_arena *scratch;
    int64_t iterations; // of all solves since the last build
} pli_node_coarsest;

PLI_CHECKED pli_status pli_node_coarsest_init(pli_context *context,
                                              const pli_node_multigrid_def *def,
                                              pli_node_coarsest *coarsest);
void pli_node_coarsest_clear(pli_node_coarsest *coarsest);

// Gets ready for a level whose tables are complete. A factor lives in `tables`. Errors: memory.
PLI_CHECKED pli_status pli_node_coarsest_build(pli_node_coarsest *coarsest,
                                               const pli_node_level *level, pli_arena *tables);

// x = A^-1 b, as good as the def asks for; held nodes do not move.
void pli_node_coarsest_solve(pli_node_coarsest *coarsest, const double *b, double *x);

#endif

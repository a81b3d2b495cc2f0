// SPDX-License-Identifier: Apache-2.0
//
// Directions for minimisers of implicit steps of particles: d = -B g with B close to the inverse of
// the Hessian of the incremental potential on the nodes of the grid,
//
//   H = M / h^2 + d2E/dx2,   restricted to what held nodes leave free: T H T.
//
// The parts can be combined in any way (Wang et al. 2020, section 7.1; Gast et al. 2015, section
// 6):
//
//   matrix         assembled once for every prepare, or products by passes over particles
//   preconditioner block Jacobi, the diagonal at rest, a symmetric Gauss-Seidel sweep, one
//                  V-cycle of node embedding, one V-cycle of particle quadrature on every level
//   rule           what a solve ends with:
//     once         d = -B g, one application: HOT
//     half         conjugate gradients until sqrt(r.D r) is half of that of g, D block Jacobi:
//                  LBFGS-H, which is HOT with one level
//     inexact      to min(1/2, sqrt(max(sqrt(g.D g), tau))) of the start, tau the tolerance
//                  of the stiffest matter
//     length       to min(1/2, sqrt(max(|h g|, tau))) of the start
//     fixed        to a given part of the start
//
// Solves measure residuals by sqrt(r.B r). As the nodes change with every step, so do the sizes of
// all arrays; only growth allocates.
//
// Threads: parallel inside, the same bits for any number.
#ifndef PLI_MPM_IMPLICIT_NODE_SOURCE_H
#define PLI_MPM_IMPLICIT_NODE_SOURCE_H

#include "base/timers.h"
#include "linear/krylov/krylov.h"
#include "mpm/implicit/implicit.h"
#include "mpm/implicit/node_hold.h"
#include "mpm/implicit/node_multigrid.h"
#include "optimize/direction.h"

typedef enum pli_node_preconditioner {
    PLI_NODE_BLOCK_JACOBI,
    PLI_NODE_REST_DIAGONAL, // no matrix is needed
    PLI_NODE_SWEEP,         // these three need a matrix
    PLI_NODE_EMBEDDED_CYCLE,
    PLI_NODE_GEOMETRIC_CYCLE
} pli_node_preconditioner;

typedef enum pli_node_rule {
    PLI_NODE_ONCE,
    PLI_NODE_HALF,
    PLI_NODE_INEXACT,
    PLI_NODE_LENGTH,
    PLI_NODE_FIXED
} pli_node_rule;

typedef struct pli_node_source_def {
    bool assembled;
    bool projected; // tangents made positive semi-definite particle by particle
    bool minres;    // instead of conjugate gradients
    pli_node_preconditioner preconditioner;
    pli_node_rule rule;
    double tolerance; // of the rule fixed
    int32_t max_iterations;
    pli_node_multigrid_def multigrid; // of cycles
} pli_node_source_def;

// What a solver did since the step began.
typedef struct pli_node_counts {
    int32_t matrices; // prepared
    int64_t solves;
    int64_t cycles;              // V-cycles
    int64_t coarsest_iterations; // of their coarsest level
    int32_t capped;              // solves that ended at max_iterations
} pli_node_counts;

typedef struct pli_node_source pli_node_source;

// Whether nothing but the making of levels reads the matrix, so that half of it is stored.
bool pli_node_source_is_half(const pli_node_source_def *def);

// Everything is borrowed. Errors: argument (a preconditioner that needs a matrix), memory.
PLI_CHECKED pli_status pli_node_source_create(pli_context *context, const pli_node_source_def *def,
                                              pli_implicit *borrowed_implicit,
                                              pli_node_source **source);
void pli_node_source_destroy(pli_node_source *source);

// What a step of particles is about; all borrowed until the next one begins.
typedef struct pli_node_step {
    double h;              // length (s)
    double tau;            // of the inexact rules
    const double *inertia; // [nodes] m / h^2 (N/m)
    const pli_node_hold *hold;
    const pli_cloud_source *particles; // as the cloud took them
} pli_node_step;

// The nodes are those that the cloud has now. Errors: memory.
PLI_CHECKED pli_status pli_node_source_begin_step(pli_node_source *source,
                                                  const pli_node_step *step);

// Lifetime: the source's.
pli_direction_source pli_node_source_get(pli_node_source *source);

// Phases matrix, hierarchy, linear, and those of node_multigrid.h; NULL: nowhere.
void pli_node_source_set_timers(pli_node_source *source, pli_timers *timers);

pli_node_counts pli_node_source_get_counts(const pli_node_source *source);

// The multigrid of the last prepare; NULL: there is none.
const pli_node_multigrid *pli_node_source_multigrid(const pli_node_source *source);

// Without the levels of the multigrid, of which the matrix is the finest.
int64_t pli_node_source_memory(const pli_node_source *source);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Newton directions from three levels (Trusty et al. 2025, algorithms 1 and 2): affine motion of
// whole bodies, the sparse bases, and a few iterations over all vertices.
//
//     affine      U_a^T H U_a q_a = -U_a^T g
//     subspace    U_s^T H U_s q_s =  U_s^T (-g - H U_a q_a)        d_s = U_a q_a + U_s q_s
//     polish      H_lag d_f = -g - H_lag d_s                       d = d_s + d_f
//
// by conjugate gradients, the first two to a relative tolerance, the last with a fixed number of
// iterations. (The paper's text lacks algorithm 2, and prints the last right-hand side with the
// other sign: this is what makes d a descent direction.)
//
// Matrices. The objective is split (objective.h): H_lag = E + O, where E is the elastic part at the
// point of the last refresh and O everything else, inertia and contacts, always fresh. The first
// two levels use H = C + O, where C is the elastic part at the present point by a cubature of a few
// elements, or E itself. The residual for the polish is formed with H_lag, because a cubature says
// nothing about single vertices. E is refreshed at the beginning of a minimisation, and when the
// mean of the last few step sizes falls below a threshold, but not in every iteration.
//
// Beyond the paper:
//   - d_s is scaled to the minimum of the quadratic model of H_lag along it: a cubature that
//     underestimates the stiffness under large deformation, which the paper names as its
//     limitation, cannot overshoot, and d always points downhill.
//   - The subspace level may be preconditioned by the Cholesky factor of U_s^T H U_s, elastic part
//     of the last refresh and fresh contacts, instead of block Jacobi; and the polish by it and
//     block Jacobi together. Without a cubature that is the level's own matrix: then the factor
//     alone solves it, which counts as one iteration.
//   - The polish multiplies with E in single precision (bcsr_float.h): it is a correction that ends
//     long before rounding shows. Diagonal blocks and contacts stay double.
//
// A step is judged by |d_s| / n, n the number of vertices, as the paper does, and by |d| / n: where
// contact squeezes single elements, which no handle sees, d_s alone would end the iteration too
// soon.
//
// Threads: one call on an object at a time; same bits for any number of threads.
#ifndef PLI_MULTILEVEL_SUBSPACE_H
#define PLI_MULTILEVEL_SUBSPACE_H

#include "base/timers.h"
#include "multilevel/bases.h"
#include "optimize/direction.h"

// Preconditioner of the subspace level, and of the polish.
typedef enum pli_subspace_preconditioner {
    PLI_SUBSPACE_BLOCKS, // a block per handle (the paper); per vertex
    PLI_SUBSPACE_FACTOR  // the factored matrix of the handles; with a block per vertex
} pli_subspace_preconditioner;

typedef struct pli_subspace_source_def {
    const pli_bases *affine;   // NULL: no such level; borrowed, like all of this
    const pli_bases *bases;    // NULL: no such level
    const double *points;      // [vertex_count][3] at rest (m)
    pli_term cubature;         // elastic energy of a few elements; ops NULL: E is used
    double tolerance;          // relative, of the first two levels
    int32_t max_iterations;    // of a conjugate gradient solve there
    int32_t polish_iterations; // 0: no polish
    pli_subspace_preconditioner level_preconditioner;
    pli_subspace_preconditioner polish_preconditioner;

    // refreshes of E, see above
    int32_t average_length; // step sizes that are averaged
    double threshold;
    int32_t period; // iterations between refreshes, at least

    pli_timers *timers; // NULL: none
} pli_subspace_source_def;

// What directions took since the beginning of the minimisation.
typedef struct pli_subspace_counts {
    int32_t directions;
    int32_t affine_iterations;
    int32_t subspace_iterations;
    int32_t polish_iterations;
    int32_t refreshes;
    double largest; // entry of the last direction (m)
} pli_subspace_counts;

typedef struct pli_subspace pli_subspace;

// The objective has its split pattern. Errors: argument (neither level nor polish), unsupported (a
// factor in a build without CHOLMOD), memory.
PLI_CHECKED pli_status pli_subspace_create(pli_context *context, const pli_subspace_source_def *def,
                                           const pli_objective *objective, pli_subspace **subspace);
void pli_subspace_destroy(pli_subspace *subspace);

pli_direction_source pli_subspace_source(pli_subspace *subspace);

pli_subspace_counts pli_subspace_get_counts(const pli_subspace *subspace);

#endif

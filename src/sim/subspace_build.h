// SPDX-License-Identifier: Apache-2.0
//
// The solver "subspace": what of it belongs to the model (partition, bases, cubature, made once
// from the rest shape, the materials and the fixed vertices) and what to the solver (its three
// levels).
#ifndef PLI_SIM_SUBSPACE_BUILD_H
#define PLI_SIM_SUBSPACE_BUILD_H

#include "multilevel/cubature.h"
#include "sim/solver.h"

// Precomputed parts of a model with this solver.
struct pli_reduction {
    pli_partition *partition;
    pli_bases *bases;
    pli_bases *affine;      // NULL: the scene wants none
    pli_cubature *cubature; // NULL: the scene wants the full Hessian
    int32_t polish;         // iterations
    double seconds;         // that all of it took
};

// Fills the reduction of a model whose bodies, materials, constraints and solver are there; nothing
// when the solver is another. Errors: as those of multilevel/bases.h and cubature.h.
pli_status pli_reduction_build(pli_model *model);
void pli_reduction_destroy(pli_context *context, pli_reduction *reduction);

// Makes the levels of a solver whose terms are there, the split pattern of its objective and the
// source of its directions. Errors: memory, unsupported.
pli_status pli_subspace_build(pli_solver *solver);

#endif

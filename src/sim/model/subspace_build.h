// SPDX-License-Identifier: Apache-2.0
//
// The solver "subspace": what of it belongs to the model (partition, bases, cubature, made once
// from the rest shape, the materials and the fixed vertices) and what to the solver (its three
// levels).
//
// The model's part takes seconds to minutes. It tells how far it is, and comes out of a cache when
// one is given and has it: see subspace_cache.h.
#ifndef PLI_SIM_MODEL_SUBSPACE_BUILD_H
#define PLI_SIM_MODEL_SUBSPACE_BUILD_H

#include "multilevel/cubature.h"
#include "sim/step/mesh_stepper.h"

// Precomputed parts of a model with this solver.
struct pli_reduction {
    pli_partition *partition;
    pli_bases *bases;
    pli_bases *affine;      // NULL: the scene wants none
    pli_cubature *cubature; // NULL: the scene wants the full Hessian
    int32_t polish;         // iterations
    double seconds;         // that all of it took
};

// What they are made from.
typedef struct pli_reduction_source {
    const pli_model *model;
    const pli_subspace_def *def;
    pli_simplices mesh;
    double *stiffness; // [tet_count] (Pa)
    uint8_t *held;     // [vertex_count] 1: a script holds all coordinates
    int32_t *body_of;  // [vertex_count] -1: obstacle
    bool wants_affine;
    bool wants_cubature;
} pli_reduction_source;

// The source of a model whose bodies, materials, constraints and solver are there. Lifetime: that
// of the model, until clear, which is legal after a failure too. Errors: memory.
PLI_CHECKED pli_status pli_reduction_source_init(pli_reduction_source *source,
                                                 const pli_model *model);
void pli_reduction_source_clear(pli_reduction_source *source);

// Fills the reduction of a model as above, from the def's cache or by computing; nothing when the
// solver is another. Errors: as those of multilevel/bases.h and cubature.h, scene (the scene shows
// the weights of a handle that is not there).
PLI_CHECKED pli_status pli_reduction_build(pli_model *model, const pli_model_def *def);
void pli_reduction_destroy(pli_context *context, pli_reduction *reduction);

// Gives up the parts.
void pli_reduction_clear(pli_reduction *reduction);

// Bytes that the levels of a solver need besides what every solver has, about; 0: another solver.
int64_t pli_reduction_memory(const pli_model *model);

// Sets what info tells about the solver; nothing when it is another.
void pli_reduction_get_info(const pli_model *model, pli_model_info *info);

// Makes the levels of a stepper whose terms are there, the split pattern of its objective and the
// source of its directions. Errors: memory, unsupported.
PLI_CHECKED pli_status pli_subspace_build(pli_mesh_stepper *stepper, pli_direction_source *source);

#endif

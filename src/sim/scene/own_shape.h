// SPDX-License-Identifier: Apache-2.0
//
// Shapes that the context knows, as scenes name them: which one is meant, and the numbers it gets.
#ifndef PLI_SIM_SCENE_OWN_SHAPE_H
#define PLI_SIM_SCENE_OWN_SHAPE_H

#include "geometry/shapes/shape.h"
#include "pliant/extend.h"
#include "sim/body/material_resolve.h"

typedef struct pli_resolved_shape {
    const pli_distance_ops *ops;
    double inputs[PLI_MATERIAL_INPUTS]; // in the order of ops->inputs
} pli_resolved_shape;

// Finds the shape and its inputs; on failure problem says what is wrong. problem may be NULL.
bool pli_own_shape_resolve(const pli_context *context, const pli_own_shape_def *def,
                           pli_resolved_shape *resolved, pli_material_problem *problem);

// Makes the shape. Errors: scene, argument (see pli_shape_own), memory.
pli_status pli_own_shape_build(pli_shape_set *set, const pli_own_shape_def *def,
                               const pli_shape **shape);

#endif

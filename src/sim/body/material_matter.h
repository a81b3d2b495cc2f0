// SPDX-License-Identifier: Apache-2.0
//
// What particles of a material of a scene are made of: its law, numbers and preset
// (material_resolve.h) and how it yields, as the one struct that particles work with
// (material/material.h).
//
// A material yields as its own `yield` says, else as its preset does, with the defaults of the
// table of fields; what a rule lacks then is the preset's. Particles can have every law, the
// context's own included, and every isotropic solid can yield by every rule.
#ifndef PLI_SIM_BODY_MATERIAL_MATTER_H
#define PLI_SIM_BODY_MATERIAL_MATTER_H

#include "material/material.h"
#include "material/yield.h"
#include "pliant/scene.h"

// How a material yields, all numbers told.
typedef struct pli_matter_yield {
    int32_t kind; // pli_yield_kind
    double of[8]; // the def of its rule
} pli_matter_yield;

// The yield that is in force; data of the material's own must be there. An unknown preset has none.
void pli_matter_yield_find(const pli_material_def *def, pli_matter_yield *yield);

// The material of a scene that was validated, ready for particles. Errors: scene (it cannot be
// resolved), argument (a number out of range or a law and a rule that do not go together).
PLI_CHECKED pli_status pli_matter_resolve(pli_context *context, const pli_material_def *def,
                                          pli_material *material);

// The same with these inputs of its law and this density, which are those of an element; inputs
// NULL: the material's own.
PLI_CHECKED pli_status pli_matter_resolve_as(pli_context *context, const pli_material_def *def,
                                             const pli_material_ops *law, const double *inputs,
                                             double density, pli_material *material);

#endif

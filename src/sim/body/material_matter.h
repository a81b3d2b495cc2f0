// SPDX-License-Identifier: Apache-2.0
//
// What particles of a material of a scene are made of: its law, numbers and preset
// (material_resolve.h) and how it yields, as the one struct that the laws of particles work with
// (mpm/law.h).
//
// A material yields as its own `yield` says, else as its preset does, with the defaults of the
// table of fields; von Mises' stress that is not given is the preset's. The laws that particles
// have and what each can yield by:
//
//   fixed-corotated   snow, von-mises
//   neo-hookean       snow
//   hencky            snow, von-mises, friction
//   fluid             nothing
//
// Laws of the context have no part in it, also those that take one of these names.
#ifndef PLI_SIM_BODY_MATERIAL_MATTER_H
#define PLI_SIM_BODY_MATERIAL_MATTER_H

#include "mpm/law.h"
#include "pliant/extend.h"
#include "pliant/scene.h"

// A law that particles can have.
typedef struct pli_matter_law {
    const char *name; // as in scenes
    pli_mpm_elasticity elasticity;
    unsigned yields; // bit k: it can yield by pli_yield_kind k
} pli_matter_law;

// In a fixed order; NULL beyond the last. Lifetime: static.
const pli_matter_law *pli_matter_law_get(int32_t index);

// What particles make of a law, or NULL: they cannot have it.
const pli_matter_law *pli_matter_law_find(const pli_material_ops *law);

// How a material yields, all numbers told.
typedef struct pli_matter_yield {
    int32_t kind; // pli_yield_kind
    union {
        pli_snow_def snow;
        pli_von_mises_def von_mises; // stress 0: nobody gave it
        pli_drucker_prager_def friction;
    } of;
} pli_matter_yield;

// The yield that is in force; data of the material's own must be there. An unknown preset has none.
void pli_matter_yield_find(const pli_material_def *def, pli_matter_yield *yield);

// The material of a scene that was validated, ready for particles; angles become radians. Errors:
// scene (it cannot be resolved), unsupported (particles cannot have its law), argument (a number
// out of range or laws that do not go together).
PLI_CHECKED pli_status pli_matter_resolve(pli_context *context, const pli_material_def *def,
                                          pli_mpm_material *material);

#endif

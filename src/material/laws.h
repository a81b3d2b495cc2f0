// SPDX-License-Identifier: Apache-2.0
//
// The built-in laws, one per file; table.c lists them in the order that users see.
#ifndef PLI_MATERIAL_LAWS_H
#define PLI_MATERIAL_LAWS_H

#include "pliant/extend.h"

extern const pli_material_ops pli_law_fixed_corotated;
extern const pli_material_ops pli_law_corotated;
extern const pli_material_ops pli_law_neo_hookean;
extern const pli_material_ops pli_law_stable_neo_hookean;
extern const pli_material_ops pli_law_hencky;
extern const pli_material_ops pli_law_linear;
extern const pli_material_ops pli_law_fluid;

#endif

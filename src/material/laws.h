// SPDX-License-Identifier: Apache-2.0
//
// The built-in laws, one per file, in the order that users see: a new one is a file and a row here.
#ifndef PLI_MATERIAL_LAWS_H
#define PLI_MATERIAL_LAWS_H

#include "pliant/extend.h"

// X(name): pli_law_<name> in <name>.c
#define PLI_LAWS(X)       \
    X(fixed_corotated)    \
    X(stable_neo_hookean) \
    X(neo_hookean)        \
    X(mooney_rivlin)      \
    X(ogden)              \
    X(st_venant_kirchhoff) X(fibres) X(orthotropic) X(corotated) X(hencky) X(linear) X(fluid)

#define X(name) extern const pli_material_ops pli_law_##name;
PLI_LAWS(X)
#undef X

#endif

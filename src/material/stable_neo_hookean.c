// SPDX-License-Identifier: Apache-2.0
#include "material/stable_neo_hookean.h"

#include "material/laws.h"

static const pli_invariant_law law = {PLI_LAME_PARAM_COUNT, false, pli_stable_energy,
                                      pli_stable_terms};

PLI_LAW_FUNCTIONS(law, invariant)

const pli_material_ops pli_law_stable_neo_hookean = {
    .name = "stable-neo-hookean",
    .doc = "Flesh and rubber that keep their volume; smooth everywhere, survives inversion.",
    .flags = PLI_LAW_INVERTIBLE | PLI_LAW_ISOTROPIC,
    .evaluate = law_evaluate,
    .principal = law_principal,
    PLI_LAME_FIELDS,
};

// SPDX-License-Identifier: Apache-2.0
#include "material/principal.h"

#include "material/laws.h"
#include "material/plastic.h"

static const struct {
    const pli_material_ops *law;
    pli_principal_fn principal;
} laws[] = {
    {&pli_law_fixed_corotated, pli_principal_fixed_corotated},
    {&pli_law_corotated, pli_principal_corotated},
    {&pli_law_neo_hookean, pli_principal_neo_hookean},
    {&pli_law_stable_neo_hookean, pli_principal_stable_neo_hookean},
    {&pli_law_hencky, pli_principal_hencky},
    {&pli_law_fluid, pli_principal_fluid},
    {&pli_law_hencky_von_mises, pli_principal_hencky_von_mises},
    {&pli_law_corotated_von_mises, pli_principal_corotated_von_mises},
    {&pli_law_snow, pli_principal_snow},
};

pli_principal_fn pli_principal_find(const pli_material_ops *law)
{
    for (size_t k = 0; k < sizeof laws / sizeof *laws; ++k) {
        if (laws[k].law == law) return laws[k].principal;
    }
    return NULL;
}

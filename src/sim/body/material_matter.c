// SPDX-License-Identifier: Apache-2.0
#include "sim/body/material_matter.h"

#include "sim/body/material_resolve.h"

#include <string.h>

// The yield of a preset with the defaults of the table.
static void find_preset_yield(const pli_material_preset *preset, pli_matter_yield *yield)
{
    for (int32_t kind = 0; pli_yield_variants[kind] != NULL; ++kind) {
        if (strcmp(pli_yield_variants[kind]->name, preset->yield_kind) != 0) continue;
        yield->kind = kind;
        pli_schema_init(pli_yield_variants[kind], yield->of);
    }
}

void pli_matter_yield_find(const pli_material_def *def, pli_matter_yield *yield)
{
    *yield = (pli_matter_yield){.kind = PLI_YIELD_NONE};
    const char *name = def->preset != NULL ? def->preset : "";
    const pli_material_preset *preset = pli_material_preset_find(name);
    if (def->yield.kind >= 0) {
        yield->kind = def->yield.kind;
        memcpy(yield->of, def->yield.data, pli_yield_variants[yield->kind]->size);
    } else if (preset != NULL && preset->yield_kind != NULL) {
        find_preset_yield(preset, yield);
    }
    const pli_yield_ops *rule = pli_yield_get(yield->kind);
    if (preset != NULL && rule->complete != NULL) rule->complete(preset, yield->of);
}

static pli_status init_material(pli_context *context, const pli_material_def *def,
                                const pli_material_ops *law, const double *inputs, double density,
                                pli_material *material)
{
    pli_matter_yield yield;
    PLI_TRY(pli_material_init(context, law, inputs, density, def->viscosity, material));
    pli_matter_yield_find(def, &yield);
    return pli_material_set_yield(context, pli_yield_get(yield.kind), yield.of, material);
}

pli_status pli_matter_resolve(pli_context *context, const pli_material_def *def,
                              pli_material *material)
{
    return pli_matter_resolve_as(context, def, NULL, NULL, 0, material);
}

pli_status pli_matter_resolve_as(pli_context *context, const pli_material_def *def,
                                 const pli_material_ops *law, const double *inputs, double density,
                                 pli_material *material)
{
    pli_resolved_material resolved;
    pli_material_problem problem;
    if (inputs != NULL) return init_material(context, def, law, inputs, density, material);
    if (!pli_material_resolve(context, def, &resolved, &problem)) {
        return PLI_FAIL(context, PLI_ERROR_SCENE, "material %s: %s: %s", def->name, problem.key,
                        problem.text);
    }
    return init_material(context, def, resolved.law, resolved.inputs, resolved.density, material);
}

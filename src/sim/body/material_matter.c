// SPDX-License-Identifier: Apache-2.0
#include "sim/body/material_matter.h"

#include "material/lame.h"
#include "math/mat3.h"
#include "sim/body/material_resolve.h"
#include "sim/scene/schema.h"

#include <string.h>

enum {
    ELASTIC = 1u << PLI_YIELD_NONE,
    SNOW = 1u << PLI_YIELD_SNOW,
    VON_MISES = 1u << PLI_YIELD_VON_MISES,
    FRICTION = 1u << PLI_YIELD_DRUCKER_PRAGER
};

static const pli_matter_law laws[] = {
    {"fixed-corotated", PLI_MPM_FIXED_COROTATED, ELASTIC | SNOW | VON_MISES},
    {"neo-hookean", PLI_MPM_NEO_HOOKEAN, ELASTIC | SNOW},
    {"hencky", PLI_MPM_HENCKY, ELASTIC | SNOW | VON_MISES | FRICTION},
    {"fluid", PLI_MPM_FLUID, ELASTIC},
};

const pli_matter_law *pli_matter_law_get(int32_t index)
{
    return index >= 0 && index < PLI_COUNT_OF(laws) ? &laws[index] : NULL;
}

const pli_matter_law *pli_matter_law_find(const pli_material_ops *law)
{
    for (int32_t k = 0; k < PLI_COUNT_OF(laws); ++k) {
        if (pli_material_find(NULL, laws[k].name) == law) return &laws[k];
    }
    return NULL;
}

// The yield of a preset with the defaults of the table.
static void find_preset_yield(const pli_material_preset *preset, pli_matter_yield *yield)
{
    for (int32_t kind = 0; pli_yield_variants[kind] != NULL; ++kind) {
        if (strcmp(pli_yield_variants[kind]->name, preset->yield_kind) != 0) continue;
        yield->kind = kind;
        pli_schema_init(pli_yield_variants[kind], &yield->of);
    }
}

void pli_matter_yield_find(const pli_material_def *def, pli_matter_yield *yield)
{
    *yield = (pli_matter_yield){.kind = PLI_YIELD_NONE};
    const char *name = def->preset != NULL ? def->preset : "";
    const pli_material_preset *preset = pli_material_preset_find(name);
    if (def->yield.kind >= 0) {
        yield->kind = def->yield.kind;
        memcpy(&yield->of, def->yield.data, pli_yield_variants[yield->kind]->size);
    } else if (preset != NULL && preset->yield_kind != NULL) {
        find_preset_yield(preset, yield);
    }
    bool asks = yield->kind == PLI_YIELD_VON_MISES && yield->of.von_mises.stress == 0;
    if (asks && preset != NULL) yield->of.von_mises.stress = preset->yield;
}

static void set_elasticity(const pli_resolved_material *resolved, pli_mpm_material *material)
{
    const pli_material_ops *law = resolved->law;
    if (material->elasticity == PLI_MPM_FLUID) {
        material->bulk = resolved->inputs[pli_material_find_input(law, "bulk")];
        material->exponent = resolved->inputs[pli_material_find_input(law, "exponent")];
        return;
    }
    double params[PLI_LAME_PARAM_COUNT];
    law->derive(resolved->inputs, params);
    material->mu = params[PLI_LAME_MU];
    material->lambda = params[PLI_LAME_LAMBDA];
}

static void set_snow(const pli_matter_yield *yield, pli_mpm_material *material)
{
    material->yield = PLI_MPM_SNOW;
    material->compression = yield->of.snow.compression;
    material->stretch = yield->of.snow.stretch;
    material->hardening = yield->of.snow.hardening;
    material->least_volume = yield->of.snow.least;
    material->most_volume = yield->of.snow.most;
}

static void set_von_mises(const pli_matter_yield *yield, pli_mpm_material *material)
{
    material->yield = PLI_MPM_VON_MISES;
    material->yield_stress = yield->of.von_mises.stress;
    material->strain_hardening = yield->of.von_mises.hardening;
}

static void set_friction(const pli_matter_yield *yield, pli_mpm_material *material)
{
    material->yield = PLI_MPM_DRUCKER_PRAGER;
    material->friction_angle = yield->of.friction.angle * pli_radians_per_degree;
    material->volume_correction = yield->of.friction.volume_correction;
}

static void set_yield(const pli_matter_yield *yield, pli_mpm_material *material)
{
    switch ((pli_yield_kind)yield->kind) {
    case PLI_YIELD_SNOW: set_snow(yield, material); break;
    case PLI_YIELD_VON_MISES: set_von_mises(yield, material); break;
    case PLI_YIELD_DRUCKER_PRAGER: set_friction(yield, material); break;
    case PLI_YIELD_NONE: break;
    }
}

pli_status pli_matter_resolve(pli_context *context, const pli_material_def *def,
                              pli_mpm_material *material)
{
    *material = (pli_mpm_material){0};
    pli_resolved_material resolved;
    pli_material_problem problem;
    if (!pli_material_resolve(context, def, &resolved, &problem)) {
        return PLI_FAIL(context, PLI_ERROR_SCENE, "material %s: %s: %s", def->name, problem.key,
                        problem.text);
    }
    const pli_matter_law *law = pli_matter_law_find(resolved.law);
    if (law == NULL) {
        return PLI_FAIL(context, PLI_ERROR_UNSUPPORTED,
                        "material %s: particles cannot have the law '%s'; use fixed-corotated, "
                        "neo-hookean, hencky or fluid",
                        def->name, resolved.law->name);
    }
    material->elasticity = law->elasticity;
    material->density = resolved.density;
    material->viscosity = def->viscosity;
    set_elasticity(&resolved, material);
    pli_matter_yield yield;
    pli_matter_yield_find(def, &yield);
    set_yield(&yield, material);
    return pli_mpm_material_check(context, material);
}

// SPDX-License-Identifier: Apache-2.0
//
// The list of built-in laws and of presets, and how they are found.
#include "base/context.h"
#include "material/laws.h"

#include <math.h>
#include <string.h>

static const pli_material_ops *const laws[] = {
    &pli_law_fixed_corotated, &pli_law_stable_neo_hookean,
    &pli_law_neo_hookean,     &pli_law_corotated,
    &pli_law_hencky,          &pli_law_linear,
};

enum { LAW_COUNT = sizeof laws / sizeof *laws };

// Ranges from the table of Wang et al. 2020; the values are round numbers inside them, typical of a
// common sort of each.
static const pli_material_preset presets[] = {
    {"tissue",
     "fixed-corotated",
     1000,
     3e4,
     0.45,
     0,
     {300, 1000},
     {1e2, 1e6},
     {0.4, 0.5},
     {0, 0},
     "Soft tissue: muscle, fat, skin."},
    {"rubber",
     "fixed-corotated",
     1100,
     5e6,
     0.47,
     0,
     {1000, 2500},
     {1e6, 5e7},
     {0.3, 0.5},
     {0, 0},
     "Rubber, as in tyres and seals."},
    {"bone",
     "fixed-corotated",
     1800,
     1.5e10,
     0.3,
     0,
     {800, 2000},
     {7e7, 3e10},
     {0.1, 0.4},
     {0, 0},
     "Bone; the low end of the range is its spongy inside."},
    {"pvc",
     "fixed-corotated",
     1400,
     3e9,
     0.38,
     2.5e7,
     {1000, 2000},
     {2e9, 4e9},
     {0.3, 0.4},
     {1e7, 4e7},
     "Polyvinyl chloride and similar hard plastics."},
    {"metal",
     "fixed-corotated",
     7850,
     2e11,
     0.3,
     5e8,
     {500, 20000},
     {1e10, 4e11},
     {0.2, 0.4},
     {2e8, 2e9},
     "Metals; the values are those of structural steel."},
    {"ceramic",
     "fixed-corotated",
     3900,
     3.5e11,
     0.22,
     0,
     {2000, 6000},
     {1e11, 4e11},
     {0.2, 0.4},
     {0, 0},
     "Ceramics; the values are those of alumina."},
};

enum { PRESET_COUNT = sizeof presets / sizeof *presets };

int32_t pli_material_count(void)
{
    return LAW_COUNT;
}

const pli_material_ops *pli_material_get(int32_t index)
{
    return index >= 0 && index < LAW_COUNT ? laws[index] : NULL;
}

const pli_material_ops *pli_material_find(const pli_context *context, const char *name)
{
    int32_t own_count = context != NULL ? pli_context_law_count(context) : 0;
    for (int32_t index = 0; index < own_count; ++index) {
        const pli_material_ops *law = pli_context_law(context, index);
        if (strcmp(law->name, name) == 0) return law;
    }
    for (int32_t index = 0; index < LAW_COUNT; ++index) {
        if (strcmp(laws[index]->name, name) == 0) return laws[index];
    }
    return NULL;
}

double pli_material_rest_norm(const pli_material_ops *law, const double *params)
{
    static const double rest[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double dPdF[81];
    double sum = 0;
    law->evaluate(1, rest, params, PLI_TANGENT_EXACT, NULL, NULL, dPdF);
    for (int k = 0; k < 81; ++k) sum += dPdF[k] * dPdF[k];
    return sqrt(sum);
}

int32_t pli_material_preset_count(void)
{
    return PRESET_COUNT;
}

const pli_material_preset *pli_material_preset_get(int32_t index)
{
    return index >= 0 && index < PRESET_COUNT ? &presets[index] : NULL;
}

const pli_material_preset *pli_material_preset_find(const char *name)
{
    for (int32_t index = 0; index < PRESET_COUNT; ++index) {
        if (strcmp(presets[index].name, name) == 0) return &presets[index];
    }
    return NULL;
}

// SPDX-License-Identifier: Apache-2.0
//
// The list of built-in laws and of presets, and how they are found.
#include "base/context.h"
#include "material/laws.h"
#include "material/material.h"

#include <math.h>
#include <string.h>

#define X(name) &pli_law_##name,
static const pli_material_ops *const laws[] = {PLI_LAWS(X)};
#undef X

enum { LAW_COUNT = sizeof laws / sizeof *laws };

static const pli_material_number muscle_numbers[] = {
    {"k1", {2e4}}, {"k2", {5}}, {"active_stress", {3e5}}};
static const pli_material_number tendon_numbers[] = {{"k1", {1e8}}, {"k2", {20}}, {"toe", {0.03}}};
static const pli_material_number artery_numbers[] = {
    {"k1", {3e4}}, {"k2", {10}}, {"dispersion", {0.2}}};
static const pli_material_number wood_numbers[] = {
    {"young1", {1e10}},   {"young2", {8e8}},    {"young3", {5e8}},
    {"poisson12", {0.4}}, {"poisson23", {0.5}}, {"poisson13", {0.4}},
    {"shear12", {8e8}},   {"shear23", {1e8}},   {"shear13", {7e8}}};
static const pli_material_number vulcanised_numbers[] = {
    {"c10", {3e5}}, {"c01", {8e4}}, {"bulk", {4e7}}};

#define NUMBERS(list) .number_count = sizeof(list) / sizeof *(list), .numbers = (list)

// Ranges of solids from the table of Wang et al. 2020; the values are round numbers inside them,
// typical of a common sort of each. Snow, sand, goo and water are numbers that particles are
// simulated with.
static const pli_material_preset presets[] = {
    {.name = "tissue",
     .law = "fixed-corotated",
     .density = 1000,
     .young = 3e4,
     .poisson = 0.45,
     .density_range = {300, 1000},
     .young_range = {1e2, 1e6},
     .poisson_range = {0.4, 0.5},
     .doc = "Soft tissue: muscle, fat, skin."},
    {.name = "rubber",
     .law = "fixed-corotated",
     .density = 1100,
     .young = 5e6,
     .poisson = 0.47,
     .density_range = {1000, 2500},
     .young_range = {1e6, 5e7},
     .poisson_range = {0.3, 0.5},
     .doc = "Rubber, as in tyres and seals."},
    {.name = "bone",
     .law = "fixed-corotated",
     .density = 1800,
     .young = 1.5e10,
     .poisson = 0.3,
     .density_range = {800, 2000},
     .young_range = {7e7, 3e10},
     .poisson_range = {0.1, 0.4},
     .doc = "Bone; the low end of the range is its spongy inside."},
    {.name = "pvc",
     .law = "fixed-corotated",
     .density = 1400,
     .young = 3e9,
     .poisson = 0.38,
     .yield = 2.5e7,
     .density_range = {1000, 2000},
     .young_range = {2e9, 4e9},
     .poisson_range = {0.3, 0.4},
     .yield_range = {1e7, 4e7},
     .doc = "Polyvinyl chloride and similar hard plastics.",
     .yield_kind = "von-mises"},
    {.name = "metal",
     .law = "fixed-corotated",
     .density = 7850,
     .young = 2e11,
     .poisson = 0.3,
     .yield = 5e8,
     .density_range = {500, 20000},
     .young_range = {1e10, 4e11},
     .poisson_range = {0.2, 0.4},
     .yield_range = {2e8, 2e9},
     .doc = "Metals; the values are those of structural steel.",
     .yield_kind = "von-mises"},
    {.name = "ceramic",
     .law = "fixed-corotated",
     .density = 3900,
     .young = 3.5e11,
     .poisson = 0.22,
     .density_range = {2000, 6000},
     .young_range = {1e11, 4e11},
     .poisson_range = {0.2, 0.4},
     .doc = "Ceramics; the values are those of alumina."},
    // flesh with fibres along y of the scene, unless the material says otherwise
    {.name = "muscle",
     .law = "fibres",
     .density = 1060,
     .young = 3e4,
     .poisson = 0.45,
     .density_range = {1000, 1100},
     .young_range = {1e3, 1e5},
     .poisson_range = {0.4, 0.5},
     .doc = "Muscle with fibres along y, which pulls by up to 0.3 MPa when it is activated.",
     NUMBERS(muscle_numbers)},
    {.name = "tendon",
     .law = "fibres",
     .density = 1120,
     .young = 1e6,
     .poisson = 0.45,
     .density_range = {1000, 1200},
     .young_range = {1e5, 1e7},
     .poisson_range = {0.4, 0.5},
     .doc = "Tendon with fibres along y; slack, then stiff: half a GPa when they are straight.",
     NUMBERS(tendon_numbers)},
    {.name = "artery",
     .law = "fibres",
     .density = 1060,
     .young = 5e4,
     .poisson = 0.45,
     .density_range = {1000, 1100},
     .young_range = {1e4, 1e6},
     .poisson_range = {0.4, 0.5},
     .doc = "A layer of an artery's wall with scattered fibres along y.",
     NUMBERS(artery_numbers)},
    {.name = "wood",
     .law = "orthotropic",
     .density = 500,
     .density_range = {300, 900},
     .doc = "Softwood: axis 1 along the grain (x), axis 2 towards the bark (y).",
     NUMBERS(wood_numbers)},
    {.name = "vulcanised-rubber",
     .law = "mooney-rivlin",
     .density = 1100,
     .density_range = {900, 1300},
     .doc = "Rubber for large stretches, by two constants; its volume gives way by 1 % at 0.4 MPa.",
     NUMBERS(vulcanised_numbers)},
    {.name = "snow",
     .law = "fixed-corotated",
     .density = 400,
     .young = 1.4e5,
     .poisson = 0.2,
     .density_range = {50, 900},
     .young_range = {1e4, 1e7},
     .poisson_range = {0.1, 0.4},
     .doc = "Snow that packs and breaks, as particles (Stomakhin et al. 2013).",
     .yield_kind = "snow"},
    {.name = "sand",
     .law = "hencky",
     .density = 2200,
     .young = 3.537e5,
     .poisson = 0.3,
     .density_range = {1200, 2300},
     .young_range = {1e5, 1e8},
     .poisson_range = {0.2, 0.4},
     .doc = "Dry sand, as particles; grains far softer than quartz make long steps (Klar et al. "
            "2016).",
     .yield_kind = "drucker-prager"},
    {.name = "goo",
     .law = "hencky",
     .density = 1000,
     .young = 5e4,
     .poisson = 0.4,
     .yield = 5e2,
     .density_range = {900, 1500},
     .young_range = {1e3, 1e6},
     .poisson_range = {0.3, 0.49},
     .yield_range = {50, 1e4},
     .doc = "Goo that keeps its shape until it is pushed or piled higher than some 5 cm, as "
            "particles.",
     .yield_kind = "von-mises"},
    // sound at 26 m/s instead of 1480: so soft that a depth of 1 m squeezes it by 1.4 %, and steps
    // are 50 times as long
    {.name = "water",
     .law = "fluid",
     .density = 1000,
     .density_range = {950, 1050},
     .doc = "Water, as particles; softened for long steps, sound in it has 26 m/s.",
     .bulk = 1e5,
     .exponent = 7},
};

enum { PRESET_COUNT = sizeof presets / sizeof *presets };

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
    double speed = law->sound_speed(params, 1);
    return fmax(sqrt(sum), speed * speed);
}

int32_t pli_material_defaults(const pli_material_ops *law, double *inputs)
{
    int32_t count = 0;
    for (int32_t i = 0; i < law->input_count; ++i) {
        const pli_material_input *input = &law->inputs[i];
        const double *from = input->components > 0 ? input->direction : &input->fallback;
        int32_t components = input->components > 0 ? input->components : 1;
        for (int32_t k = 0; inputs != NULL && k < components; ++k) inputs[count + k] = from[k];
        count += components;
    }
    return count;
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

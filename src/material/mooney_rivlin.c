// SPDX-License-Identifier: Apache-2.0
//
// Mooney-Rivlin elasticity (Mooney 1940, Rivlin 1948) with a volume of its own,
//
//   psi = C10 (I1 J^(-2/3) - 3) + C01 (I2 J^(-4/3) - 3) + K/4 (J^2 - 1 - 2 log J)
//
// with I1 and I2 the first two invariants of F^T F: sums of the squares of the stretches at
// constant volume and of their inverses, so it is Ogden's law (ogden.h) with the terms (2 C10, 2)
// and
// (-2 C01, -2).
#include "material/laws.h"
#include "material/ogden.h"

enum { TERMS = 2 };

PLI_OGDEN_FUNCTIONS(TERMS)

static const pli_material_input inputs[] = {
    {.key = "c10",
     .unit = "Pa",
     .fallback = 1.6e5,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc =
         "Half of the modulus of the first invariant; the shear modulus at rest is 2 (c10 + c01)."},
    {.key = "c01",
     .unit = "Pa",
     .fallback = 4e4,
     .min = 0,
     .max = INFINITY,
     .doc = "Half of the modulus of the second invariant."},
    {.key = "bulk",
     .unit = "Pa",
     .fallback = 1e7,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc = "Bulk modulus at rest, the pressure over the share of volume that it takes; 2 / D1."},
};

static void derive(const double *given, double *params)
{
    params[0] = 2 * given[0];
    params[1] = 2;
    params[2] = -2 * given[1];
    params[3] = -2;
    params[4] = given[2];
}

const pli_material_ops pli_law_mooney_rivlin = {
    .name = "mooney-rivlin",
    .doc = "Rubber by two constants, good to stretches of 2. Not invertible.",
    .flags = PLI_LAW_ISOTROPIC,
    .input_count = sizeof inputs / sizeof *inputs,
    .inputs = inputs,
    .param_count = 2 * TERMS + 1,
    .derive = derive,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .sound_speed = speed,
};

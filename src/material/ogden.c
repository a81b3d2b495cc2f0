// SPDX-License-Identifier: Apache-2.0
//
// Ogden's law with up to three terms (ogden.h). A term without modulus is none; where all have
// mu_i alpha_i >= 0 the law is stable at every stretch in which the volume stays (Ogden 1972).
#include "material/ogden.h"
#include "material/laws.h"

#include <stdio.h>

enum { TERMS = PLI_OGDEN_TERMS_MAX };

PLI_OGDEN_FUNCTIONS(TERMS)

#define TERM(number, modulus, exponent)                                                    \
    {.key = "mu" #number,                                                                  \
     .unit = "Pa",                                                                         \
     .fallback = (modulus),                                                                \
     .min = -INFINITY,                                                                     \
     .max = INFINITY,                                                                      \
     .exclusive = true,                                                                    \
     .doc = "Modulus of term " #number ", of the sign of its exponent; 0: no such term."}, \
    {                                                                                      \
        .key = "alpha" #number, .unit = "", .fallback = (exponent), .min = -20, .max = 20, \
        .doc = "Exponent of term " #number "."                                             \
    }

static const pli_material_input inputs[] = {
    TERM(1, 4e5, 2),
    TERM(2, 0, 4),
    TERM(3, 0, -2),
    {.key = "bulk",
     .unit = "Pa",
     .fallback = 1e7,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc = "Bulk modulus at rest, the pressure over the share of volume that it takes."},
};

static void derive(const double *given, double *params)
{
    for (int i = 0; i < TERMS; ++i) {
        bool is_empty = given[2 * i] == 0;
        params[2 * i] = given[2 * i];
        params[2 * i + 1] = is_empty ? 1 : given[2 * i + 1];
    }
    params[2 * TERMS] = given[2 * TERMS];
}

static bool check(const double *given, size_t capacity, char *text)
{
    double twice = 0;
    for (int i = 0; i < TERMS; ++i) {
        double product = given[2 * i] * given[2 * i + 1];
        twice += product;
        if (given[2 * i] == 0 || product > 0) continue;
        snprintf(text, capacity,
                 "mu%d = %g and alpha%d = %g must have the same sign, and alpha%d not be 0", i + 1,
                 given[2 * i], i + 1, given[2 * i + 1], i + 1);
        return false;
    }
    if (twice > 0) return true;
    snprintf(text, capacity, "at least one of mu1, mu2 and mu3 must not be 0");
    return false;
}

const pli_material_ops pli_law_ogden = {
    .name = "ogden",
    .doc = "Rubber fitted to tests by up to three powers of its stretches. Not invertible.",
    .flags = PLI_LAW_ISOTROPIC,
    .input_count = sizeof inputs / sizeof *inputs,
    .inputs = inputs,
    .param_count = 2 * TERMS + 1,
    .derive = derive,
    .check = check,
    .evaluate = law_evaluate,
    .principal = law_principal,
    .sound_speed = speed,
};

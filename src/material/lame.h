// SPDX-License-Identifier: Apache-2.0
//
// What all elastic laws share: a scene gives Young's modulus E and Poisson's ratio nu, the kernels
// read the Lamé constants
//
//   mu = E / (2 (1 + nu)),   lambda = E nu / ((1 + nu) (1 - 2 nu))   (Pa)
//
// as planes 0 and 1 of their parameters. Every law is built so that its tangent at rest is that of
// linear elasticity with these constants, hence all have the same wave speed.
#ifndef PLI_MATERIAL_LAME_H
#define PLI_MATERIAL_LAME_H

#include "pliant/extend.h"

#include <math.h>

enum { PLI_LAME_MU, PLI_LAME_LAMBDA, PLI_LAME_PARAM_COUNT };
enum { PLI_LAME_INPUT_COUNT = 2 };

// Rows of a table of inputs: young, poisson.
#define PLI_LAME_INPUTS                                                                            \
    {.key = "young",                                                                               \
     .unit = "Pa",                                                                                 \
     .fallback = 1e5,                                                                              \
     .min = 0,                                                                                     \
     .max = INFINITY,                                                                              \
     .exclusive = true,                                                                            \
     .doc = "Young's modulus, the stiffness of a bar that is pulled."},                            \
    {                                                                                              \
        .key = "poisson", .unit = "", .fallback = 0.3, .min = -1, .max = 0.5, .exclusive = true,   \
        .doc = "Poisson's ratio, how much a pulled bar thins: 0 not at all, 0.5 keeps its volume." \
    }

extern const pli_material_input pli_lame_inputs[PLI_LAME_INPUT_COUNT]; // young, poisson

void pli_lame_derive(const double *inputs, double *params);

// Speed of the pressure wave, sqrt((lambda + 2 mu) / density).
double pli_lame_sound_speed(const double *params, double density);

// The fields of a law's table that follow from the above.
#define PLI_LAME_FIELDS                                             \
    .input_count = PLI_LAME_INPUT_COUNT, .inputs = pli_lame_inputs, \
    .param_count = PLI_LAME_PARAM_COUNT, .derive = pli_lame_derive, \
    .sound_speed = pli_lame_sound_speed

#endif

// SPDX-License-Identifier: Apache-2.0
#include "material/lame.h"

#include <math.h>

const pli_material_input pli_lame_inputs[PLI_LAME_INPUT_COUNT] = {
    {.key = "young",
     .unit = "Pa",
     .fallback = 1e5,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc = "Young's modulus, the stiffness of a bar that is pulled."},
    {.key = "poisson",
     .unit = "",
     .fallback = 0.3,
     .min = -1,
     .max = 0.5,
     .exclusive = true,
     .doc = "Poisson's ratio, how much a pulled bar thins: 0 not at all, 0.5 keeps its volume."},
};

void pli_lame_derive(const double *inputs, double *params)
{
    double young = inputs[0];
    double poisson = inputs[1];
    params[PLI_LAME_MU] = young / (2 * (1 + poisson));
    params[PLI_LAME_LAMBDA] = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
}

double pli_lame_sound_speed(const double *params, double density)
{
    return sqrt((params[PLI_LAME_LAMBDA] + 2 * params[PLI_LAME_MU]) / density);
}

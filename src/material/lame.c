// SPDX-License-Identifier: Apache-2.0
#include "material/lame.h"

#include <math.h>

const pli_material_input pli_lame_inputs[PLI_LAME_INPUT_COUNT] = {
    PLI_LAME_INPUTS,
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

// SPDX-License-Identifier: Apache-2.0
#include "sim/model/model.h"

#include <string.h>

void pli_model_tet_params(const pli_model *model, int64_t tet, double params[PLI_MODEL_PARAMS])
{
    const pli_model_material *material = &model->materials[model->material_of[tet]];
    memcpy(params, material->params, sizeof material->params);
}

// SPDX-License-Identifier: Apache-2.0
//
// Numbers of materials that differ from tetrahedron to tetrahedron, or with time.
//
// A material whose numbers are painted has a row of the model's materials for every element that is
// made of it, behind those of the scene, so that whoever asks for the material of an element finds
// its numbers. What changes with time are the inputs of laws, drag and Rayleigh damping, by keys:
// the model has them at time 0, and a stepper asks for those of its step.
#ifndef PLI_SIM_MODEL_MODEL_PAINT_H
#define PLI_SIM_MODEL_MODEL_PAINT_H

#include "sim/model/model.h"

// The parameters of a tetrahedron, as its law derived them at time 0.
void pli_model_tet_params(const pli_model *model, int64_t tet, double params[PLI_MODEL_PARAMS]);

// Whether a material (a row of the model's) has keys.
bool pli_model_is_keyed(const pli_model *model, int32_t material);

// The same for a material at a time (s), with drag (1/s) and Rayleigh damping (s); any may be NULL.
void pli_model_material_at(const pli_model *model, int32_t material, double time,
                           double params[PLI_MODEL_PARAMS], double *drag, double *rayleigh);

// Young's modulus of a material at a time (s); 0: its law has none.
double pli_model_young_at(const pli_model *model, int32_t material, double time);

// Inputs of the law of a material, [input_stride]; NULL: nothing is painted or keyed.
const double *pli_model_inputs(const pli_model *model, int32_t material);

void pli_model_clear_paint(pli_model *model);

#endif

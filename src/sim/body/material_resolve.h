// SPDX-License-Identifier: Apache-2.0
//
// What a material of a scene comes to: preset, overrides, Lame pair and the law's own defaults made
// into one law with all its inputs.
//
// The law is the material's, else the preset's. Young's modulus and Poisson's ratio are the
// material's, else those of its Lame pair, else the preset's. Every other input of the law comes
// from the material's parameters, else from the preset, else from the law's own default. What is
// missing, unknown, contradictory, out of range or refused by the law's own check is a problem that
// names the key to blame.
//     E = mu (3 lambda + 2 mu) / (lambda + mu),   nu = lambda / (2 (lambda + mu))
#ifndef PLI_SIM_BODY_MATERIAL_RESOLVE_H
#define PLI_SIM_BODY_MATERIAL_RESOLVE_H

#include "pliant/extend.h"
#include "pliant/scene.h"

enum { PLI_MATERIAL_INPUTS = 32 };

typedef struct pli_resolved_material {
    const pli_material_ops *law;
    double density;                     // kg/m^3
    double inputs[PLI_MATERIAL_INPUTS]; // one after another in the order of law->inputs
    double drag;                        // 1/s
    double rayleigh;                    // s
} pli_resolved_material;

typedef struct pli_material_problem {
    char key[96];       // relative to the material: "young", "parameters.yield"
    const void *member; // of the material, or one of its parameters
    char text[PLI_FIELD_ERROR_CAPACITY];
} pli_material_problem;

// Resolves a material; on failure problem says what is wrong. problem may be NULL.
bool pli_material_resolve(const pli_context *context, const pli_material_def *def,
                          pli_resolved_material *resolved, pli_material_problem *problem);

// Where the value of the law's input with this key begins among resolved inputs, or -1.
int32_t pli_material_find_input(const pli_material_ops *law, const char *key);

// The input of a law with this key, or NULL.
const pli_material_input *pli_material_input_of(const pli_material_ops *law, const char *key);

// The value of an input as what a scene says: a value, or a view of a direction among `inputs`.
pli_named_value pli_input_value(const pli_material_input *input, const double *inputs);

// Whether a value is in the range of an input.
bool pli_input_allows(const pli_material_input *input, double value);

enum { PLI_INPUT_TEXT_CAPACITY = 160 };

// A value, and what the input allows, for messages: "0", "greater than 0 and less than infinity
// Pa".
void pli_input_print(const pli_material_input *input, double value,
                     char text[PLI_INPUT_TEXT_CAPACITY], char range[PLI_INPUT_TEXT_CAPACITY]);

// The value that a scene gives to an input, in the unit of the input. False: its unit is not one of
// those, and text says so.
bool pli_input_read(const pli_material_input *input, const pli_named_value *given, double *value,
                    char text[PLI_INPUT_TEXT_CAPACITY]);

#endif

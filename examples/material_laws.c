// SPDX-License-Identifier: Apache-2.0
//
// Material laws without a simulation: list them, evaluate one by name, and add a law of your own.
//
//     material_laws [NAME]        NAME defaults to fixed-corotated
#include "pliant/base.h"
#include "pliant/extend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A law of one's own: a soft foam that resists only changes of length, psi = k/2 |F - I|^2.
// It has one input, the stiffness, which is also its only parameter. (Like every law that is linear
// in F, it is not for bodies that turn.)

static const pli_material_input foam_inputs[] = {
    {.key = "stiffness",
     .unit = "Pa",
     .fallback = 1e3,
     .min = 0,
     .max = INFINITY,
     .exclusive = true,
     .doc = "Stress per displacement gradient."},
};

static void foam_derive(const double *inputs, double *params)
{
    params[0] = inputs[0];
}

// Planes: entry k of point i is at k * n + i. Any of the outputs may be NULL.
static void foam_evaluate(int32_t n, const double *F, const double *params,
                          pli_projection projection, double *psi, double *P, double *dPdF)
{
    (void)projection; // the tangent is positive anyway
    if (psi != NULL) memset(psi, 0, (size_t)n * sizeof *psi);
    for (int32_t k = 0; k < 9; ++k) {
        double rest = k % 4 == 0 ? 1 : 0;
        for (int32_t i = 0; i < n; ++i) {
            double strain = F[k * n + i] - rest;
            if (psi != NULL) psi[i] += 0.5 * params[i] * strain * strain;
            if (P != NULL) P[k * n + i] = params[i] * strain;
        }
    }
    for (int32_t entry = 0; dPdF != NULL && entry < 81; ++entry) {
        bool diagonal = entry / 9 == entry % 9;
        for (int32_t i = 0; i < n; ++i) dPdF[entry * n + i] = diagonal ? params[i] : 0;
    }
}

static double foam_sound_speed(const double *params, double density)
{
    return sqrt(params[0] / density);
}

static const pli_material_ops foam = {
    .name = "foam",
    .doc = "Resists changes of length only.",
    .flags = PLI_LAW_INVERTIBLE,
    .input_count = 1,
    .inputs = foam_inputs,
    .param_count = 1,
    .derive = foam_derive,
    .evaluate = foam_evaluate,
    .sound_speed = foam_sound_speed,
};

// One line per law, and one per input.

static void print_law(const pli_material_ops *law)
{
    printf("%-20s %s\n", law->name, law->doc);
    for (int32_t k = 0; k < law->input_count; ++k) {
        const pli_material_input *input = &law->inputs[k];
        printf("    %-12s %g %s: %s\n", input->key, input->fallback, input->unit, input->doc);
    }
}

static void print_presets(void)
{
    printf("\npresets:\n");
    for (int32_t k = 0; k < pli_material_preset_count(); ++k) {
        const pli_material_preset *preset = pli_material_preset_get(k);
        printf("%-10s %s, density %g kg/m^3, ", preset->name, preset->law, preset->density);
        if (preset->young > 0) printf("E %g Pa, nu %g: ", preset->young, preset->poisson);
        if (preset->bulk > 0) printf("bulk %g Pa, exponent %g: ", preset->bulk, preset->exponent);
        printf("%s\n", preset->doc);
    }
}

enum { POINT_COUNT = 5, PARAMS_MAX = 16, INPUTS_MAX = 16 };

// Points that are pulled along x by 0, 10, ... 40 per cent, all of the same material.
static void fill_points(const pli_material_ops *law, double *F, double *params)
{
    double inputs[INPUTS_MAX];
    double derived[PARAMS_MAX];
    for (int32_t k = 0; k < law->input_count; ++k) inputs[k] = law->inputs[k].fallback;
    law->derive(inputs, derived);
    for (int32_t i = 0; i < POINT_COUNT; ++i) {
        for (int32_t k = 0; k < 9; ++k) F[k * POINT_COUNT + i] = k % 4 == 0 ? 1 : 0;
        F[i] += 0.1 * i;
        for (int32_t k = 0; k < law->param_count; ++k) params[k * POINT_COUNT + i] = derived[k];
    }
}

static void print_table(const pli_material_ops *law)
{
    double F[9 * POINT_COUNT];
    double params[PARAMS_MAX * POINT_COUNT];
    double psi[POINT_COUNT];
    double P[9 * POINT_COUNT];
    double dPdF[81 * POINT_COUNT];
    fill_points(law, F, params);
    law->evaluate(POINT_COUNT, F, params, PLI_TANGENT_PROJECTED, psi, P, dPdF);

    printf("\n%s, pulled along x with its sides held:\n", law->name);
    printf("%10s %16s %16s %16s\n", "stretch", "energy (J/m^3)", "P_xx (Pa)", "dP_xx/dF_xx (Pa)");
    for (int32_t i = 0; i < POINT_COUNT; ++i) {
        // entry 0 of P and of dP/dF is plane 0
        printf("%10.2f %16.6g %16.6g %16.6g\n", F[i], psi[i], P[i], dPdF[i]);
    }

    // parameters of the first point, one after the other
    double first[PARAMS_MAX];
    for (int32_t k = 0; k < law->param_count; ++k) first[k] = params[k * POINT_COUNT];
    printf("waves at 1000 kg/m^3: %.4g m/s, |dP/dF| at rest: %.4g Pa\n",
           law->sound_speed(first, 1000), pli_material_rest_norm(law, first));
}

int main(int count, char **values)
{
    const char *name = count > 1 ? values[1] : "fixed-corotated";

    // a context knows the laws that its program brings along
    const pli_material_ops *own[] = {&foam};
    pli_context_def def = pli_context_def_default();
    def.laws = own;
    def.law_count = 1;
    pli_context *context = NULL;
    pli_status status = pli_context_create(&def, &context);
    if (status != PLI_OK) {
        fprintf(stderr, "%s\n", pli_status_text(status));
        return EXIT_FAILURE;
    }

    for (int32_t k = 0; k < pli_material_count(); ++k) print_law(pli_material_get(k));
    print_law(pli_material_find(context, "foam"));
    print_presets();

    int outcome = EXIT_FAILURE;
    const pli_material_ops *law = pli_material_find(context, name);
    if (law == NULL) {
        fprintf(stderr, "there is no law named '%s'; the names are listed above\n", name);
    } else if (law->param_count > PARAMS_MAX || law->input_count > INPUTS_MAX) {
        fprintf(stderr, "'%s' has more parameters than this example is made for\n", name);
    } else {
        print_table(law);
        print_table(pli_material_find(context, "foam"));
        outcome = EXIT_SUCCESS;
    }
    pli_context_destroy(context);
    return outcome;
}

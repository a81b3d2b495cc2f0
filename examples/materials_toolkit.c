// SPDX-License-Identifier: Apache-2.0
//
// Material laws without a simulation, for a solver of your own: energy, stress and tangent of every
// law at a batch of deformations, compared with differences.
//
//     cc materials_toolkit.c $(pkg-config --cflags --libs pliant) -lm -o materials_toolkit
#include <pliant/extend.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4, PARAMS_MAX = 32, INPUTS_MAX = 32 };

// A batch is planes: entry k of point i is at k * POINTS + i.
typedef struct batch {
    double F[9 * POINTS]; // deformation gradients, entry 3 row + column
    double params[PARAMS_MAX * POINTS];
    double psi[POINTS];       // J/m^3
    double P[9 * POINTS];     // Pa
    double dPdF[81 * POINTS]; // Pa
} batch;

// Points that are pulled along x by 0, 10, 20 and 30 per cent and sheared by twice as much, of
// rubber. Shear of 0.1 would end exactly where slack fibres are straight, and tangents have a kink.
static void fill(const pli_material_ops *law, batch *b)
{
    const pli_material_preset *rubber = pli_material_preset_find("rubber");
    double inputs[INPUTS_MAX], params[PARAMS_MAX];
    (void)pli_material_defaults(law, inputs);
    // numbers come before directions, in the order of the table
    for (int32_t k = 0; k < law->input_count && law->inputs[k].components == 0; ++k) {
        if (strcmp(law->inputs[k].key, "young") == 0) inputs[k] = rubber->young;
        if (strcmp(law->inputs[k].key, "poisson") == 0) inputs[k] = rubber->poisson;
    }
    law->derive(inputs, params);
    for (int32_t i = 0; i < POINTS; ++i) {
        for (int32_t k = 0; k < 9; ++k) b->F[k * POINTS + i] = k % 4 == 0 ? 1 : 0;
        b->F[0 * POINTS + i] += 0.1 * i; // F_xx
        b->F[1 * POINTS + i] += 0.2 * i; // F_xy
        for (int32_t k = 0; k < law->param_count; ++k) b->params[k * POINTS + i] = params[k];
    }
}

// Largest error of stress against differences of energy, and of the tangent against differences of
// stress, over the largest entry of each.
static double check(const pli_material_ops *law, const batch *b)
{
    const double h = 1e-5;
    double worst[2] = {0, 0}, largest[2] = {1e-300, 1e-300};
    for (int32_t k = 0; k < 9; ++k) {
        batch left = *b, right = *b;
        for (int32_t i = 0; i < POINTS; ++i) {
            left.F[k * POINTS + i] -= h;
            right.F[k * POINTS + i] += h;
        }
        law->evaluate(POINTS, left.F, b->params, PLI_TANGENT_EXACT, left.psi, left.P, NULL);
        law->evaluate(POINTS, right.F, b->params, PLI_TANGENT_EXACT, right.psi, right.P, NULL);
        for (int32_t i = 0; i < POINTS; ++i) {
            double P = b->P[k * POINTS + i];
            worst[0] = fmax(worst[0], fabs((right.psi[i] - left.psi[i]) / (2 * h) - P));
            largest[0] = fmax(largest[0], fabs(P));
        }
        for (int32_t entry = 0; entry < 9 * POINTS; ++entry) {
            int32_t row = entry / POINTS, i = entry % POINTS;
            double slope = b->dPdF[(9 * row + k) * POINTS + i];
            double difference = (right.P[entry] - left.P[entry]) / (2 * h);
            worst[1] = fmax(worst[1], fabs(difference - slope));
            largest[1] = fmax(largest[1], fabs(slope));
        }
    }
    return fmax(worst[0] / largest[0], worst[1] / largest[1]);
}

int main(void)
{
    double worst = 0;
    printf("%-20s %12s %12s %16s %10s\n", "law", "psi (J/m^3)", "P_xx (Pa)", "dP_xx/dF_xx (Pa)",
           "error");
    for (int32_t k = 0; pli_material_get(k) != NULL; ++k) {
        const pli_material_ops *law = pli_material_get(k);
        batch b;
        if (law->param_count > PARAMS_MAX || pli_material_defaults(law, NULL) > INPUTS_MAX)
            continue;
        fill(law, &b);
        law->evaluate(POINTS, b.F, b.params, PLI_TANGENT_EXACT, b.psi, b.P, b.dPdF);
        double error = check(law, &b);
        const int32_t last = POINTS - 1;
        printf("%-20s %12.4g %12.4g %16.4g %10.1e\n", law->name, b.psi[last], b.P[last],
               b.dPdF[last], error);
        worst = fmax(worst, error);
    }
    // differences with steps of 1e-5 are good to 1e-9, times what the stiffest entries cancel
    return worst < 1e-6 ? EXIT_SUCCESS : EXIT_FAILURE;
}

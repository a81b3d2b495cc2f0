// SPDX-License-Identifier: Apache-2.0
#include "fibre_bar.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "pliant/extend.h"

#include <math.h>
#include <string.h>

// Rows of Q: the fibres' direction and two across.
static void make_frame(const double *inputs, double Q[9])
{
    pli_vec3_normalize(inputs + PLI_FIBRE_DIRECTION, Q);
    pli_vec3_set(2.0 / 3, 2.0 / 3, 1.0 / 3, Q + 3);
    pli_vec3_cross(Q, Q + 3, Q + 6);
}

// P of F = Q^T diag(s) Q in the frame Q.
void pli_fibre_pull(const double *inputs, const double s[3], double P[9])
{
    const pli_material_ops *law = pli_material_find(NULL, "fibres");
    double Q[9], D[9] = {s[0], 0, 0, 0, s[1], 0, 0, 0, s[2]}, half[9], F[9], params[24];
    make_frame(inputs, Q);
    pli_mat3_multiply(D, Q, half);
    pli_mat3_multiply_transposed_left(Q, half, F);
    law->derive(inputs, params);
    law->evaluate(1, F, params, PLI_TANGENT_EXACT, NULL, P, NULL);
    pli_mat3_multiply_transposed_right(P, Q, half);
    pli_mat3_multiply(Q, half, P);
}

// ---- closed forms, for fibres along the first axis that do not scatter

static double ground(const double *inputs, const double s[3], int k)
{
    double mu = inputs[PLI_FIBRE_YOUNG] / (2 * (1 + inputs[PLI_FIBRE_POISSON]));
    double lambda = 2 * mu * inputs[PLI_FIBRE_POISSON] / (1 - 2 * inputs[PLI_FIBRE_POISSON]);
    double I = s[0] * s[0] + s[1] * s[1] + s[2] * s[2], J = s[0] * s[1] * s[2];
    double m = 4 * mu / 3, l = lambda + 5 * mu / 6;
    return m * (1 - 1 / (I + 1)) * s[k] + (l * (J - 1) - 0.75 * m) * J / s[k];
}

double pli_fibre_tension(const double *inputs, double stretch)
{
    double E = stretch * stretch - 1, slack = 0, slope = 0, t = inputs[PLI_FIBRE_TOE];
    if (E > t) {
        slack = E - t / 2;
        slope = 1;
    } else if (E > 0) {
        slack = E * E * E / (t * t) - pow(E, 4) / (2 * t * t * t);
        slope = 3 * E * E / (t * t) - 2 * E * E * E / (t * t * t);
    }
    double x = (stretch - inputs[PLI_FIBRE_OPTIMUM]) / inputs[PLI_FIBRE_WIDTH];
    double own = inputs[PLI_FIBRE_ACTIVE] * inputs[PLI_FIBRE_ACTIVATION] *
                 (fabs(x) < 1 ? pow(1 - x * x, 2) : 0);
    double share = inputs[PLI_FIBRE_SHARE], k1 = inputs[PLI_FIBRE_K1], k2 = inputs[PLI_FIBRE_K2];
    double tension = (1 - share) * k1 * slack * exp(k2 * slack * slack) * slope +
                     share * k1 * E * exp(k2 * E * E);
    return 2 * stretch * tension + own;
}

static double closed(const double *inputs, const double s[3], int k)
{
    return ground(inputs, s, k) + (k == 0 ? pli_fibre_tension(inputs, s[0]) : 0);
}

// The stretch at which a side is free of stress, the others given; the stress grows with it.
static void free_side(const double *inputs, double s[3], int k)
{
    double low = 0.2, high = 3;
    for (int step = 0; step < 60; ++step) {
        s[k] = (low + high) / 2;
        if (closed(inputs, s, k) > 0)
            high = s[k];
        else
            low = s[k];
    }
}

// The sides are free where both stretches fit each other.
void pli_fibre_bar(const double *inputs, int along, double stretch, double P[9], double *expected)
{
    double s[3] = {1, 1, 1};
    s[along] = stretch;
    for (int round = 0; round < 500; ++round) {
        free_side(inputs, s, (along + 1) % 3);
        free_side(inputs, s, (along + 2) % 3);
    }
    pli_fibre_pull(inputs, s, P);
    *expected = closed(inputs, s, along);
}

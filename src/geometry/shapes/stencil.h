// SPDX-License-Identifier: Apache-2.0
//
// Interpolation along one axis of a regular grid: which samples take part, and with what weights,
// for the value and its first two derivatives. Products of three (two) stencils interpolate in
// space (in the plane).
//
// Linear: two samples. Cubic (Catmull and Rom 1974): four samples, continuous first derivative,
// reproduces quadratics; at the ends of the grid the missing sample is extrapolated linearly.
#ifndef PLI_GEOMETRY_SHAPES_STENCIL_H
#define PLI_GEOMETRY_SHAPES_STENCIL_H

#include "geometry/collision/bounds.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct pli_stencil {
    int32_t count;       // 2 or 4 samples
    int32_t sample[4];   // their indices
    double weight[4];    // of the value
    double slope[4];     // of d/dx, x in grid spacings
    double curvature[4]; // of d2/dx2
} pli_stencil;

// Weights of the four samples around [0, 1] at u.
static inline void pli_stencil_cubic_weights(double u, pli_stencil *s)
{
    double u2 = u * u;
    double u3 = u2 * u;
    const double w[4] = {0.5 * (-u3 + 2 * u2 - u), 0.5 * (3 * u3 - 5 * u2 + 2),
                         0.5 * (-3 * u3 + 4 * u2 + u), 0.5 * (u3 - u2)};
    const double d[4] = {0.5 * (-3 * u2 + 4 * u - 1), 0.5 * (9 * u2 - 10 * u),
                         0.5 * (-9 * u2 + 8 * u + 1), 0.5 * (3 * u2 - 2 * u)};
    const double c[4] = {0.5 * (-6 * u + 4), 0.5 * (18 * u - 10), 0.5 * (-18 * u + 8),
                         0.5 * (6 * u - 2)};
    memcpy(s->weight, w, sizeof w);
    memcpy(s->slope, d, sizeof d);
    memcpy(s->curvature, c, sizeof c);
}

// A sample `missing` beyond the border at `edge` is 2 f(edge) - f(inner): its weights go there.
static inline void pli_stencil_fold(pli_stencil *s, int missing, int edge, int inner)
{
    double *weights[3] = {s->weight, s->slope, s->curvature};
    for (int k = 0; k < 3; ++k) {
        weights[k][edge] += 2 * weights[k][missing];
        weights[k][inner] -= weights[k][missing];
        weights[k][missing] = 0;
    }
    s->sample[missing] = s->sample[edge];
}

// The stencil at position x (in spacings, 0 is the first sample) of a grid of `samples` >= 2;
// positions outside are moved to the border.
static inline pli_stencil pli_stencil_at(double x, int32_t samples, bool cubic)
{
    double last = (double)(samples - 1);
    x = pli_smaller(pli_larger(x, 0), last);
    int32_t cell = (int32_t)pli_smaller(floor(x), last - 1);
    double u = x - cell;
    pli_stencil s = {
        .count = 2, .sample = {cell, cell + 1}, .weight = {1 - u, u}, .slope = {-1, 1}};
    if (!cubic) return s;

    s.count = 4;
    for (int k = 0; k < 4; ++k) s.sample[k] = cell - 1 + k;
    pli_stencil_cubic_weights(u, &s);
    if (cell == 0) pli_stencil_fold(&s, 0, 1, 2);
    if (cell == samples - 2) pli_stencil_fold(&s, 3, 2, 1);
    return s;
}

#endif

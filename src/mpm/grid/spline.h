// SPDX-License-Identifier: Apache-2.0
//
// B-splines of a grid, for four particles at once. Lengths are in cells; nodes are at
// whole numbers. A particle at u reaches the `width` nodes from base on along each axis,
//
//   linear     width 2   base = floor(u)
//   quadratic  width 3   base = floor(u - 1/2)
//   cubic      width 4   base = floor(u) - 1
//
// and f = u - base is all that its weights depend on. Weights sum up to one, derivatives to zero.
#ifndef PLI_MPM_GRID_SPLINE_H
#define PLI_MPM_GRID_SPLINE_H

#include "math/simd.h"

#include <math.h>

typedef enum pli_spline_kind {
    PLI_SPLINE_LINEAR,
    PLI_SPLINE_QUADRATIC,
    PLI_SPLINE_CUBIC
} pli_spline_kind;

enum { PLI_SPLINE_WIDTH = 4, PLI_SPLINE_NODES = 64 }; // at most

static inline int32_t pli_spline_width(pli_spline_kind kind)
{
    return 2 + (int32_t)kind;
}

static inline double pli_spline_base(pli_spline_kind kind, double u)
{
    return floor(u - 0.5 * (double)kind);
}

// A statement with the `width` of a spline as a constant, by which the compiler unrolls:
// PLI_WITH_WIDTH(cloud->spline, scatter_cell(job, width, cell));
#define PLI_WITH_WIDTH(spline, ...)  \
    do {                             \
        switch (spline) {            \
        case PLI_SPLINE_LINEAR: {    \
            enum { width = 2 };      \
            __VA_ARGS__;             \
            break;                   \
        }                            \
        case PLI_SPLINE_QUADRATIC: { \
            enum { width = 3 };      \
            __VA_ARGS__;             \
            break;                   \
        }                            \
        case PLI_SPLINE_CUBIC: {     \
            enum { width = 4 };      \
            __VA_ARGS__;             \
            break;                   \
        }                            \
        }                            \
    } while (0)

// Mean square distance of a particle's weights along an axis (cells^2): what the affine velocity is
// divided by (Jiang et al. 2015). Linear splines have none that is the same everywhere: 0.
static inline double pli_spline_spread(pli_spline_kind kind)
{
    static const double spread[] = {0, 1.0 / 4, 1.0 / 3};
    return spread[kind];
}

// Weights and derivatives (1/cell) of the nodes for f, of a width that the compiler knows.
PLI_INLINE void pli_spline_weights(int32_t width, pli_d4 f, pli_d4 w[PLI_SPLINE_WIDTH],
                                   pli_d4 d[PLI_SPLINE_WIDTH])
{
    const pli_d4 one = {1, 1, 1, 1};
    if (width == 2) {
        w[0] = one - f;
        w[1] = f;
        d[0] = -one;
        d[1] = one;
    } else if (width == 3) {
        pli_d4 low = 1.5 - f, middle = f - 1, high = f - 0.5;
        w[0] = 0.5 * low * low;
        w[1] = 0.75 - middle * middle;
        w[2] = 0.5 * high * high;
        d[0] = -low;
        d[1] = -2 * middle;
        d[2] = high;
    } else {
        pli_d4 t = f - 1, s = 2 - f;
        w[0] = s * s * s / 6;
        w[1] = (0.5 * t - 1) * t * t + 2.0 / 3;
        w[2] = (0.5 * s - 1) * s * s + 2.0 / 3;
        w[3] = t * t * t / 6;
        d[0] = -0.5 * s * s;
        d[1] = (1.5 * t - 2) * t;
        d[2] = -(1.5 * s - 2) * s;
        d[3] = 0.5 * t * t;
    }
}

#endif

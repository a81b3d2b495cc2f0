// SPDX-License-Identifier: Apache-2.0
//
// Axis-aligned boxes. An empty box has min > max; a box may be unbounded (infinite faces).
#ifndef PLI_GEOMETRY_COLLISION_BOUNDS_H
#define PLI_GEOMETRY_COLLISION_BOUNDS_H

#include "math/vec3.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct pli_bounds {
    double min[3]; // m
    double max[3]; // m
} pli_bounds;

// The smaller and the larger of two numbers, without the care for NaN that makes fmin and fmax
// calls into the C library; a NaN in b is passed over.
static inline double pli_smaller(double a, double b)
{
    return b < a ? b : a;
}

static inline double pli_larger(double a, double b)
{
    return b > a ? b : a;
}

static inline pli_bounds pli_bounds_empty(void)
{
    return (pli_bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline pli_bounds pli_bounds_infinite(void)
{
    return (pli_bounds){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static inline void pli_bounds_add_point(pli_bounds *bounds, const double x[3])
{
    for (int k = 0; k < 3; ++k) {
        bounds->min[k] = pli_smaller(bounds->min[k], x[k]);
        bounds->max[k] = pli_larger(bounds->max[k], x[k]);
    }
}

static inline pli_bounds pli_bounds_union(pli_bounds a, pli_bounds b)
{
    for (int k = 0; k < 3; ++k) {
        a.min[k] = pli_smaller(a.min[k], b.min[k]);
        a.max[k] = pli_larger(a.max[k], b.max[k]);
    }
    return a;
}

static inline pli_bounds pli_bounds_intersection(pli_bounds a, pli_bounds b)
{
    for (int k = 0; k < 3; ++k) {
        a.min[k] = pli_larger(a.min[k], b.min[k]);
        a.max[k] = pli_smaller(a.max[k], b.max[k]);
    }
    return a;
}

static inline pli_bounds pli_bounds_expand(pli_bounds a, double margin)
{
    for (int k = 0; k < 3; ++k) {
        a.min[k] -= margin;
        a.max[k] += margin;
    }
    return a;
}

static inline bool pli_bounds_is_empty(const pli_bounds *a)
{
    return !(a->min[0] <= a->max[0] && a->min[1] <= a->max[1] && a->min[2] <= a->max[2]);
}

static inline bool pli_bounds_is_finite(const pli_bounds *a)
{
    for (int k = 0; k < 3; ++k) {
        if (!isfinite(a->min[k]) || !isfinite(a->max[k])) return false;
    }
    return true;
}

static inline double pli_bounds_longest(const pli_bounds *a)
{
    return pli_larger(a->max[0] - a->min[0],
                      pli_larger(a->max[1] - a->min[1], a->max[2] - a->min[2]));
}

// Distance of a point from a box, 0 inside.
static inline double pli_bounds_distance(const pli_bounds *a, const double x[3])
{
    double gap[3];
    for (int k = 0; k < 3; ++k)
        gap[k] = pli_larger(pli_larger(a->min[k] - x[k], x[k] - a->max[k]), 0);
    return pli_vec3_norm(gap);
}

// The box around count points [count][3].
static inline pli_bounds pli_bounds_of_points(int64_t count, const double *points)
{
    pli_bounds bounds = pli_bounds_empty();
    for (int64_t i = 0; i < count; ++i) pli_bounds_add_point(&bounds, points + 3 * i);
    return bounds;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// 3-vectors as plain double[3]. Outputs come last and may be one of the inputs unless said so.
#ifndef PLI_MATH_VEC3_H
#define PLI_MATH_VEC3_H

#include <math.h>

static inline void pli_vec3_set(double x, double y, double z, double out[3])
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static inline void pli_vec3_copy(const double a[3], double out[3])
{
    pli_vec3_set(a[0], a[1], a[2], out);
}

static inline void pli_vec3_add(const double a[3], const double b[3], double out[3])
{
    pli_vec3_set(a[0] + b[0], a[1] + b[1], a[2] + b[2], out);
}

static inline void pli_vec3_subtract(const double a[3], const double b[3], double out[3])
{
    pli_vec3_set(a[0] - b[0], a[1] - b[1], a[2] - b[2], out);
}

static inline void pli_vec3_scale(double s, const double a[3], double out[3])
{
    pli_vec3_set(s * a[0], s * a[1], s * a[2], out);
}

// out = a + s b
static inline void pli_vec3_add_scaled(const double a[3], double s, const double b[3],
                                       double out[3])
{
    pli_vec3_set(a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2], out);
}

static inline double pli_vec3_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void pli_vec3_cross(const double a[3], const double b[3], double out[3])
{
    pli_vec3_set(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0],
                 out);
}

// a . (b x c)
static inline double pli_vec3_triple(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

static inline double pli_vec3_norm2(const double a[3])
{
    return pli_vec3_dot(a, a);
}

static inline double pli_vec3_norm(const double a[3])
{
    return sqrt(pli_vec3_norm2(a));
}

static inline double pli_vec3_distance(const double a[3], const double b[3])
{
    double d[3];
    pli_vec3_subtract(a, b, d);
    return pli_vec3_norm(d);
}

// out = a / |a|; returns |a|. The zero vector stays zero.
static inline double pli_vec3_normalize(const double a[3], double out[3])
{
    double length = pli_vec3_norm(a);
    pli_vec3_scale(length > 0 ? 1 / length : 0, a, out);
    return length;
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// A number together with its first and second derivatives with respect to a point: the chain rule
// written once, so that shapes only state the derivatives of their own formulas.
#ifndef PLI_GEOMETRY_SHAPES_JET_H
#define PLI_GEOMETRY_SHAPES_JET_H

#include "math/mat3.h"

typedef struct pli_jet {
    double value;
    double gradient[3];
    double hessian[9]; // symmetric
} pli_jet;

static inline pli_jet pli_jet_constant(double value)
{
    return (pli_jet){.value = value};
}

// A linear function with this value and gradient at the point.
static inline pli_jet pli_jet_linear(double value, const double gradient[3])
{
    pli_jet jet = {.value = value};
    pli_vec3_copy(gradient, jet.gradient);
    return jet;
}

// H += s (a b^T + b a^T) / 2
static inline void pli_jet_add_outer(double H[9], double s, const double a[3], const double b[3])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) H[3 * i + j] += 0.5 * s * (a[i] * b[j] + b[i] * a[j]);
    }
}

// a + s b
static inline pli_jet pli_jet_add_scaled(const pli_jet *a, double s, const pli_jet *b)
{
    pli_jet out = {.value = a->value + s * b->value};
    pli_vec3_add_scaled(a->gradient, s, b->gradient, out.gradient);
    pli_mat3_add_scaled(a->hessian, s, b->hessian, out.hessian);
    return out;
}

// s a
static inline pli_jet pli_jet_scale(double s, const pli_jet *a)
{
    pli_jet zero = {0};
    return pli_jet_add_scaled(&zero, s, a);
}

// f(a), given f and its first and second derivative at a
static inline pli_jet pli_jet_apply(const pli_jet *a, double f, double fa, double faa)
{
    pli_jet out = pli_jet_scale(fa, a);
    out.value = f;
    pli_jet_add_outer(out.hessian, faa, a->gradient, a->gradient);
    return out;
}

// Value and derivatives of a function of two numbers.
typedef struct pli_jet2 {
    double f;
    double fa;
    double fb;
    double faa;
    double fab;
    double fbb;
} pli_jet2;

// f(a, b)
static inline pli_jet pli_jet_apply2(const pli_jet *a, const pli_jet *b, const pli_jet2 *f)
{
    pli_jet out = pli_jet_scale(f->fa, a);
    out = pli_jet_add_scaled(&out, f->fb, b);
    out.value = f->f;
    pli_jet_add_outer(out.hessian, f->faa, a->gradient, a->gradient);
    pli_jet_add_outer(out.hessian, 2 * f->fab, a->gradient, b->gradient);
    pli_jet_add_outer(out.hessian, f->fbb, b->gradient, b->gradient);
    return out;
}

// a b
static inline pli_jet pli_jet_multiply(const pli_jet *a, const pli_jet *b)
{
    pli_jet2 f = {.f = a->value * b->value, .fa = b->value, .fb = a->value, .fab = 1};
    return pli_jet_apply2(a, b, &f);
}

// 1 / d where d is a distance that may be zero: then 0, so that derivatives stay finite at corners
static inline double pli_jet_inverse(double d)
{
    return d > 0 ? 1 / d : 0;
}

// |(a, b)|
static inline pli_jet2 pli_jet2_length(double a, double b)
{
    double d = sqrt(a * a + b * b);
    double r = pli_jet_inverse(d);
    return (pli_jet2){.f = d,
                      .fa = a * r,
                      .fb = b * r,
                      .faa = b * b * r * r * r,
                      .fab = -a * b * r * r * r,
                      .fbb = a * a * r * r * r};
}

#endif

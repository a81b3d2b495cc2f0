// SPDX-License-Identifier: Apache-2.0
//
// Resultants: force and moment of many forces together. Sums of moments about the origin can be
// taken about another point in the end: M_c = M_0 - c x F.
#ifndef PLI_CONTACT_RESULTANT_H
#define PLI_CONTACT_RESULTANT_H

#include "math/vec3.h"

typedef struct pli_resultant {
    double force[3];  // N
    double moment[3]; // about the origin (N m)
} pli_resultant;

// Adds s f, which acts at x.
static inline void pli_resultant_add(pli_resultant *sum, const double x[3], double s,
                                     const double f[3])
{
    double force[3], moment[3];
    pli_vec3_scale(s, f, force);
    pli_vec3_cross(x, force, moment);
    pli_vec3_add(sum->force, force, sum->force);
    pli_vec3_add(sum->moment, moment, sum->moment);
}

// Adds s times another resultant.
static inline void pli_resultant_merge(pli_resultant *sum, double s, const pli_resultant *other)
{
    pli_vec3_add_scaled(sum->force, s, other->force, sum->force);
    pli_vec3_add_scaled(sum->moment, s, other->moment, sum->moment);
}

// Takes the moment about c instead of the origin.
static inline void pli_resultant_move(pli_resultant *sum, const double c[3])
{
    double shift[3];
    pli_vec3_cross(c, sum->force, shift);
    pli_vec3_subtract(sum->moment, shift, sum->moment);
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Pressure on patches of surfaces, which follows them as they move: on each corner of a triangle
//
//     f = -p A / 3,     A = area vector, outwards (follower.h)
//
// Over a closed surface this is the derivative of p V; over an open one there is no energy that it
// derives from, and its tangent is not symmetric. The term is the work against the pressure on the
// straight way from a reference x_k,
//
//     E(x) = p int_0^1 sum_t A_t(x_k + s d) . (d_a + d_b + d_c) / 3 ds,    d = x - x_k,
//
// whose gradient at x_k is exactly -f and whose Hessian there is the symmetric part of the tangent.
// A is a quadratic function of s, so Simpson's rule is exact. The gradient that the term reports is
// -f(x) wherever x is: along a line through x_k that is the derivative of E, and at the solution
// it is the force that the surface really has. The reference is where the step begins, and with an
// open patch it moves on with every iteration (`prepare`).
//
// A projected Hessian leaves this term out. Made positive triangle by triangle it would resist
// translations, which the whole does not, and hold bodies in the air.
//
// Threads: as for every term, calls on one object are serial; scattering runs by colours, so bits
// are the same for any thread count. Nothing is allocated after bind.
#ifndef PLI_FEM_PRESSURE_H
#define PLI_FEM_PRESSURE_H

#include "fem/elements.h"

// A part of a surface with one pressure.
typedef struct pli_pressure_patch {
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] counter-clockwise seen from where p pushes
    bool closed;
    const double *shares; // [triangle_count] factors of its pressure; NULL: all are 1
} pli_pressure_patch;

typedef struct pli_pressure {
    pli_elements elements; // triangles
    int32_t patch_count;
    int32_t *first;     // [patch_count + 1] first triangle of a patch
    bool *open;         // [patch_count]
    int32_t *triangles; // [first[patch_count]][3]
    int32_t *patch_of;  // [first[patch_count]]
    double *share;      // [first[patch_count]] factor of the patch's pressure

    // set with the step
    double *value;     // [patch_count] p (Pa)
    double *reference; // [first[patch_count]][9] corners at x_k (m)
} pli_pressure;

extern const pli_term_ops pli_pressure_term;

// Patches are copied. Errors: argument (a vertex outside), memory.
PLI_CHECKED pli_status pli_pressure_create(pli_context *context, int32_t vertex_count,
                                           int32_t patch_count, const pli_pressure_patch *patches,
                                           pli_pressure **pressure);
void pli_pressure_destroy(pli_pressure *pressure);

// Moves the reference to x; pressures are set by writing `value`.
void pli_pressure_refer(pli_pressure *pressure, const double *x);

// The volume (m^3) that a patch sweeps on the straight way from the reference to x, outwards
// positive: a pressure p has done the work -p of it.
double pli_pressure_swept_volume(const pli_pressure *pressure, int32_t patch, const double *x);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Cavities: the volume V(x) that a closed surface encloses, with an energy E(V) of what is in it.
//
//     V = sum over triangles of (a - o) . (b - o) x (c - o) / 6,   o = a vertex of the surface
//     g = E'(V) dV/dx,       H = E'(V) d2V/dx2 + E''(V) dV/dx dV/dx^T
//
// dV/dx and d2V/dx2 are those of follower.h. The first part of H is sparse; the second couples all
// vertices of the surface with each other, has rank one, and is never negative (low_rank.h). The
// gauge pressure, by which the pressure inside exceeds that outside, is -E'(V).
//
//     given      E = -p (V - V_0)
//     gas        p_0 = pressure at the start + ambient;  f times as much gas as at the start:
//                E = f p_0 V_0 / (y - 1) ((V / V_0)^(1 - y) - 1) + p_a (V - V_0)
//                E = -f p_0 V_0 ln(V / V_0) + p_a (V - V_0)     where the exponent y is 1
//     liquid     E = K / (2 f V_0) (V - f V_0)^2
//
// with V_0 the volume at the start and f a factor that the step sets: on the pressure, the amount
// of gas, the volume of liquid. A gas whose volume has gone has infinite energy.
//
// A projected Hessian leaves the sparse part out, as that of pressure.h does and for its reason.
//
// Threads: as for every term, calls on one object are serial; scattering runs by colours, so bits
// are the same for any thread count. Nothing is allocated after bind.
#ifndef PLI_FEM_CAVITY_H
#define PLI_FEM_CAVITY_H

#include "fem/elements.h"

typedef enum pli_cavity_kind {
    PLI_CAVITY_GIVEN,
    PLI_CAVITY_GAS,
    PLI_CAVITY_LIQUID
} pli_cavity_kind;

typedef struct pli_cavity_law {
    pli_cavity_kind kind;
    double volume;   // V_0 (m^3)
    double pressure; // gauge, given or at the start (Pa)
    double ambient;  // p_a, gas (Pa)
    double exponent; // y, gas
    double bulk;     // K, liquid (Pa)
} pli_cavity_law;

// E and its derivatives at a volume (J, Pa, Pa/m^3).
double pli_cavity_energy(const pli_cavity_law *law, double factor, double volume);
double pli_cavity_slope(const pli_cavity_law *law, double factor, double volume);
double pli_cavity_curvature(const pli_cavity_law *law, double factor, double volume);

typedef struct pli_cavity_patch {
    int32_t triangle_count;
    const int32_t *triangles; // [triangle_count][3] closed, counter-clockwise seen from outside
    pli_cavity_law law;
} pli_cavity_patch;

typedef struct pli_cavities {
    pli_elements elements; // triangles
    int32_t count;
    pli_cavity_law *laws; // [count]
    int32_t *first;       // [count + 1] first triangle of a cavity
    int32_t *triangles;   // [first[count]][3]
    int32_t *cavity_of;   // [first[count]]

    double *slope;  // [count] E'(V), scratch of the loops
    double *factor; // [count] f, set with the step
} pli_cavities;

extern const pli_term_ops pli_cavity_term;

// Patches are copied. Errors: argument (a vertex outside), memory.
PLI_CHECKED pli_status pli_cavities_create(pli_context *context, int32_t vertex_count,
                                           int32_t count, const pli_cavity_patch *patches,
                                           pli_cavities **cavities);
void pli_cavities_destroy(pli_cavities *cavities);

// V of a cavity (m^3).
double pli_cavities_volume(const pli_cavities *cavities, int32_t cavity, const double *x);

#endif

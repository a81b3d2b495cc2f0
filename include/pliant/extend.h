// SPDX-License-Identifier: Apache-2.0
//
// Material laws: use pliant's alone, or add your own.
//
// A law maps a deformation gradient F to an energy density, its first Piola-Kirchhoff stress
// P = dpsi/dF and the tangent dP/dF. Laws are stateless const tables of functions that work on
// batches of points, so one indirect call serves many points and kernels can be vectorised.
//
// Layout of a batch of n points: planes, the point index fastest.
//   F      [9][n]   plane 3 i + j holds F_ij
//   params [k][n]   what derive() made, one plane a parameter
//   psi    [n]      J/m^3
//   P      [9][n]   Pa
//   dPdF   [81][n]  Pa, plane (3 i + j) 9 + 3 k + l holds dP_ij / dF_kl
// n is any positive number; arrays need no particular alignment.
#ifndef PLIANT_EXTEND_H
#define PLIANT_EXTEND_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// One number that a scene gives to a law.
typedef struct pli_material_input {
    const char *key;  // key in scene files, such as "young"
    const char *unit; // "" for a pure number
    double fallback;  // value when the scene gives none
    double min;       // allowed: min <= value <= max, ends excluded if exclusive is set
    double max;
    bool exclusive;
    const char *doc; // one sentence
} pli_material_input;

typedef enum pli_projection {
    PLI_TANGENT_EXACT,    // the true second derivative, possibly indefinite
    PLI_TANGENT_PROJECTED // eigenvalues below zero raised to zero
} pli_projection;

typedef enum pli_law_flags {
    PLI_LAW_INVERTIBLE = 1,  // finite for every F, inverted and degenerate ones included
    PLI_LAW_VALLEY_KINKS = 2 // dpsi/dF jumps upwards somewhere: a minimiser may get stuck there
} pli_law_flags;

typedef struct pli_material_ops {
    const char *name; // key in scene files
    const char *doc;  // one line for lists
    unsigned flags;   // pli_law_flags

    int32_t input_count; // what a scene gives
    const pli_material_input *inputs;
    int32_t param_count; // what the kernels read, doubles per point
    void (*derive)(const double *inputs, double *params);

    // Required. Energy, stress and tangent at n points; any of psi, P, dPdF may be NULL. Where the
    // energy is not defined (J <= 0 for laws that are not invertible), psi is +infinity and P and
    // dPdF are zero.
    void (*evaluate)(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF);

    // Required. Speed of the fastest wave at rest (m/s) for a density in kg/m^3.
    double (*sound_speed)(const double *params, double density);
} pli_material_ops;

// The built-in laws, in a fixed order. Lifetime: static.
PLI_API int32_t pli_material_count(void);
PLI_API const pli_material_ops *pli_material_get(int32_t index);

// A law by name: the context's own laws first, then the built-in ones. NULL when there is none.
// context may be NULL.
PLI_API const pli_material_ops *pli_material_find(const pli_context *context, const char *name);

// Frobenius norm of dP/dF at F = I (Pa): how stiff the law is at rest (Wang et al. 2020, eq. 13).
PLI_API double pli_material_rest_norm(const pli_material_ops *law, const double *params);

// A named starting point with typical round numbers, not measurements of a particular matter: who
// needs accuracy replaces them. Lifetime: static.
typedef struct pli_material_preset {
    const char *name; // "rubber"
    const char *law;  // name of the law
    double density;   // kg/m^3
    double young;     // Pa, 0: none
    double poisson;   // -
    double yield;     // stress (Pa), 0: none
    double density_range[2];
    double young_range[2];
    double poisson_range[2];
    double yield_range[2];
    const char *doc;
    const char *yield_kind; // how particles of it yield, a key of `yield` in scenes; NULL: never
    double bulk;            // of a fluid (Pa), 0: none
    double exponent;        // of a fluid, 0: none
} pli_material_preset;

PLI_API int32_t pli_material_preset_count(void);
PLI_API const pli_material_preset *pli_material_preset_get(int32_t index);
PLI_API const pli_material_preset *pli_material_preset_find(const char *name);

#ifdef __cplusplus
}
#endif

#endif

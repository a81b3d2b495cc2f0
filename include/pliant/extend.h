// SPDX-License-Identifier: Apache-2.0
//
// Material laws and shapes: use pliant's laws alone, or add laws and shapes of your own.
//
// Both are const tables of functions that a program hands to its context (pli_context_def) and that
// scenes name. A scene, its text and a checkpoint hold the name and the numbers, never the
// functions: who reads them again has to bring the same tables along. That the functions still do
// the same is for the program to see to; a scene whose name nobody knows is refused.
//
// ---- laws
//
// A law maps a deformation gradient F to an energy density, its first Piola-Kirchhoff stress
// P = dpsi/dF and the tangent dP/dF. Laws are stateless const tables of functions that work on
// batches of points, so one indirect call serves many points and kernels can be vectorised. Meshes,
// implicit and explicit particles take the same laws; evaluate is all that they need.
//
// Layout of a batch of n points: planes, the point index fastest.
//   F      [9][n]   plane 3 i + j holds F_ij
//   params [k][n]   what derive() made, one plane a parameter
//   psi    [n]      J/m^3
//   P      [9][n]   Pa
//   dPdF   [81][n]  Pa, plane (3 i + j) 9 + 3 k + l holds dP_ij / dF_kl
// and of a law in singular values
//   s       [3][n]  singular values of F, in any order
//   g       [3][n]  dpsi/ds_k (Pa)
//   hessian [6][n]  d2psi/ds_k ds_l (Pa): 00, 11, 22, 12, 02, 01
// n is any positive number; arrays need no particular alignment.
#ifndef PLIANT_EXTEND_H
#define PLIANT_EXTEND_H

#include "pliant/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a scene gives to a law or to a shape: a number, or, to a law, a direction.
//
// A direction is three numbers, of any length but zero, along the axes of the scene in the placed
// rest shape: bodies that share a material share its directions, whichever way they are turned.
typedef struct pli_material_input {
    const char *key;  // key in scene files, such as "young"
    const char *unit; // "" for a pure number
    double fallback;  // value when the scene gives none
    double min;       // allowed: min <= value <= max, ends excluded if exclusive is set
    double max;
    bool exclusive;
    const char *doc;     // one sentence
    int32_t components;  // 0: a number; 3: a direction, to which min and max do not apply
    double direction[3]; // of a direction: what it is when the scene gives none
} pli_material_input;

typedef enum pli_projection {
    PLI_TANGENT_EXACT,    // the true second derivative, possibly indefinite
    PLI_TANGENT_PROJECTED // eigenvalues below zero raised to zero
} pli_projection;

typedef enum pli_law_flags {
    PLI_LAW_INVERTIBLE = 1,   // finite for every F, inverted and degenerate ones included
    PLI_LAW_VALLEY_KINKS = 2, // dpsi/dF jumps upwards somewhere: a minimiser may get stuck there
    PLI_LAW_ISOTROPIC = 4,    // a function of the singular values of F alone: what yields has to be
    PLI_LAW_FLUID = 8         // a function of det F alone: particles keep their volume and no F
} pli_law_flags;

typedef struct pli_material_ops {
    const char *name; // key in scene files
    const char *doc;  // one line for lists
    unsigned flags;   // pli_law_flags

    int32_t input_count; // what a scene gives
    const pli_material_input *inputs;
    int32_t param_count; // what the kernels read, doubles per point

    // inputs: one after another as in the table, a direction as three numbers.
    void (*derive)(const double *inputs, double *params);

    // Required. Energy, stress and tangent at n points; any of psi, P, dPdF may be NULL. Where the
    // energy is not defined (J <= 0 for laws that are not invertible), psi is +infinity and P and
    // dPdF are zero.
    void (*evaluate)(int32_t n, const double *F, const double *params, pli_projection projection,
                     double *psi, double *P, double *dPdF);

    // Required. Speed of the fastest wave at rest (m/s) for a density in kg/m^3; pli_material_speed
    // finds it for laws with directions.
    double (*sound_speed)(const double *params, double density);

    // Optional, of isotropic laws: the same at n points whose F is diagonal; any of psi, g, hessian
    // may be NULL. NULL: evaluate is asked, which is slower.
    void (*principal)(int32_t n, const double *s, const double *params, double *psi, double *g,
                      double *hessian);

    // Kernels in single precision that pliant's own laws have for explicit particles; NULL: they
    // work by what is above.
    const struct pli_law_lanes *lanes;

    // Optional. Whether inputs that are each in range go together; if not, text says what is wrong
    // and what would be right.
    bool (*check)(const double *inputs, size_t capacity, char *text);
} pli_material_ops;

// The built-in laws, in a fixed order, counted from 0; NULL behind the last of them. Lifetime:
// static.
PLI_API const pli_material_ops *pli_material_get(int32_t index);

// A law by name: the context's own laws first, then the built-in ones. NULL when there is none.
// context may be NULL.
PLI_API const pli_material_ops *pli_material_find(const pli_context *context, const char *name);

// How many doubles the inputs of a law take; inputs, unless NULL, gets what they are when a scene
// gives none.
PLI_API int32_t pli_material_defaults(const pli_material_ops *law, double *inputs);

// Speed (m/s) of the fastest plane wave under a tangent dP/dF [81] (Pa) at rest: the square root of
// the largest eigenvalue of A_ijkl n_j n_l over all directions n, over the density (kg/m^3).
PLI_API double pli_material_speed(const double *dPdF, double density);

// A further input of a preset's law: a number, or a direction.
typedef struct pli_material_number {
    const char *key;
    double value[3];
} pli_material_number;

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
    int32_t number_count;
    const pli_material_number *numbers; // further inputs of the law
} pli_material_preset;

// Counted from 0; NULL behind the last of them.
PLI_API const pli_material_preset *pli_material_preset_get(int32_t index);
// NULL when there is none of that name.
PLI_API const pli_material_preset *pli_material_preset_find(const char *name);

// ---- shapes
//
// A solid by its signed distance: negative inside, positive outside, metres. Scenes name it
// wherever a shape may stand, as a collider above all:
//
//     colliders: {floor: {shape: {own: {name: waves, parameters: {height: 0.1}}}}}
//
// The sign has to be right everywhere. The value should be the distance near the surface; farther
// off it may be less, but must not be zero. Values and gradients have to be finite.
//
// Threads: the functions are called by several threads at once and must be pure.
typedef struct pli_distance_ops {
    const char *name; // in scene files
    const char *doc;  // one line
    const void *user; // handed to the functions, for what numbers cannot say; may be NULL

    int32_t input_count; // what a scene gives
    const pli_material_input *inputs;

    double
        slope; // values change by no more than this times the way; 1: true distances, 0: not known
    double detail; // length over which the surface bends (m): differences take 1e-4 of it

    // Required. values[n] (m) at points x [n][3] (m); inputs [input_count].
    void (*values)(const void *user, const double *inputs, int32_t n, const double *x,
                   double *values);

    // Optional. gradients [n][3] (-); NULL: by differences of values.
    void (*gradients)(const void *user, const double *inputs, int32_t n, const double *x,
                      double *gradients);

    // Optional. Corners of a box that contains the inside (m); NULL: it has no end.
    void (*bounds)(const void *user, const double *inputs, double min[3], double max[3]);
} pli_distance_ops;

#ifdef __cplusplus
}
#endif

#endif

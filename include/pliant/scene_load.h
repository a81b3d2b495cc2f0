// SPDX-License-Identifier: Apache-2.0
//
// Parts of scenes: loads, and cavities that gas or liquid fills. See scene.h.
#ifndef PLIANT_SCENE_LOAD_H
#define PLIANT_SCENE_LOAD_H

#include "pliant/scene_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pli_factor_def { // what something is multiplied by at a moment
    double time;                // s
    double factor;
} pli_factor_def;

// ---- loads: Neumann boundary conditions and body forces ----------------------------------------

// Exactly one of the five is given.
typedef struct pli_body_load_def {
    const char *body; // "": every body
    pli_variant where;
    const double *traction; // [3] per area at rest (N/m^2); it keeps its direction
    int32_t traction_count; // 0 or 3
    double pressure;        // against the surface, which it follows (Pa); 0: not given
    const double *force;    // [3] of all that is selected together, spread over its area (N)
    int32_t force_count;
    const double *point_force; // [3] on every selected vertex (N)
    int32_t point_force_count;
    const double *acceleration; // [3] force per mass (m/s^2)
    int32_t acceleration_count;
    const pli_factor_def *over_time; // none: the load is constant
    int32_t over_time_count;
    int32_t ease; // pli_motion_ease, between factors
} pli_body_load_def;

// ---- cavities ----------------------------------------------------------------------------------

typedef enum pli_cavity_surface {
    PLI_CAVITY_AUTO,  // of a solid its inner skin, of a shell or cloth all of it
    PLI_CAVITY_INNER, // the surface around a hole of a solid
    PLI_CAVITY_OUTER  // the surface around all of a body
} pli_cavity_surface;

typedef enum pli_content_kind {
    PLI_CONTENT_PRESSURE,
    PLI_CONTENT_GAS,
    PLI_CONTENT_LIQUID
} pli_content_kind;

typedef struct pli_given_pressure_def { // from a pump that never tires
    double value;                       // gauge (Pa)
} pli_given_pressure_def;

typedef struct pli_gas_def { // a fixed amount
    double pressure;         // gauge, at the start (Pa)
    double ambient;          // pressure outside (Pa)
    double exponent;         // 1: isothermal, 1.4: air that exchanges no heat
    double density;          // at the start (kg/m^3)
} pli_gas_def;

typedef struct pli_liquid_def { // a fixed volume, but for its compressibility
    double bulk;                // modulus (Pa)
    double density;             // kg/m^3
} pli_liquid_def;

typedef struct pli_cavity_def {
    const char *name;
    const char *body;
    int32_t surface;                 // pli_cavity_surface
    pli_variant where;               // which closed surface, where there are several
    pli_variant content;             // pli_content_kind
    const pli_factor_def *over_time; // on the pressure, the amount of gas, the volume of liquid
    int32_t over_time_count;
    int32_t ease; // pli_motion_ease, between factors
} pli_cavity_def;

#ifdef __cplusplus
}
#endif

#endif

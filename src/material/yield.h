// SPDX-License-Identifier: Apache-2.0
//
// Yield rules: what puts the elastic part of a deformation back to where its stress is admissible
// (the return map), and what a material point has to remember of that, its history variables.
//
// A rule works in principal stretches, the singular values s of the elastic F = U diag(s) V^T, so
// that any isotropic law can be paired with any rule. With L = log s, t their sum and d = L - t/3
// their deviator, tau_k = s_k dpsi/ds_k the principal Kirchhoff stresses, a return map replaces s
// and leaves U and V. It is applied after a step, outside of the solve (lagged), or, where the pair
// has a potential (plastic.h), inside.
//
// A rule is a row of const functions, a file of its own, and a row of PLI_YIELDS below: scenes,
// their checks and documentation, particles and tests follow the list. Two forms:
//
//   restore   one point in double precision, for every isotropic law. Required
//   lanes     eight points in single precision for explicit particles (lanes.h). Optional
#ifndef PLI_MATERIAL_YIELD_H
#define PLI_MATERIAL_YIELD_H

#include "material/material.h"
#include "pliant/schema.h"

// A number that a point has besides F.
typedef struct pli_history {
    const char *name; // "plastic strain"
    const char *unit; // "" for a pure number
    double rest;      // of a point that has never yielded
    const char *doc;
} pli_history;

typedef struct pli_yield_ops {
    const pli_schema *schema; // of its def: name, keys, units, defaults, ranges; tells the name
    pli_history history;

    // Required. The numbers of a def as the functions below read them, for a material whose law is
    // set. Errors: argument (the message says which number is wrong).
    pli_status (*derive)(pli_context *context, const void *def, const pli_material *material,
                         double params[PLI_YIELD_PARAMS]);

    // Required. How far a point is beyond what its rule admits, in units of strain; at most zero
    // within.
    double (*excess)(const pli_material *material, const double s[3], double history);

    // Required. The return map; false: nothing has changed.
    bool (*restore)(const pli_material *material, double s[3], double *history);

    // Optional. What the energy of the law is multiplied by; NULL: 1.
    double (*stiffness)(const pli_material *material, double history);

    // Optional. What a def lacks that the preset of a material has.
    void (*complete)(const pli_material_preset *preset, void *def);

    // Optional, all three or none: yielding inside of a solve. The law that has it in its energy,
    // NULL: there is none for this one; its parameters for a point; and the return map that goes
    // with it, NULL: restore.
    const pli_material_ops *(*condense)(const pli_material_ops *law);
    void (*condense_params)(const pli_material *material, double history,
                            double params[PLI_MATERIAL_PARAMS]);
    bool (*condense_restore)(const pli_material *material, double s[3], double *history);

    const struct pli_yield_lanes *lanes; // NULL: explicit particles take the form in double
} pli_yield_ops;

// X(name): pli_yield_<name> and its pli_yield_<name>_schema in yield_<name>.c, in the order of
// pli_yield_kind; those of pliant/scene.h come first.
#define PLI_YIELDS(X) X(snow) X(von_mises) X(drucker_prager) X(none)

#define X(name)                                  \
    extern const pli_yield_ops pli_yield_##name; \
    extern const pli_schema pli_yield_##name##_schema;
PLI_YIELDS(X)
#undef X

// By pli_yield_kind; NULL beyond the last. `none` has a schema and no functions.
const pli_yield_ops *pli_yield_get(int32_t kind);

// Their schemas in the same order, NULL-terminated.
extern const pli_schema *const pli_yield_variants[];

// Whether points of this law can yield.
bool pli_yield_fits(const pli_yield_ops *yield, const pli_material_ops *law);

// ---- what return maps share

// Logarithms of flat and inverted states are those of this singular value.
#define PLI_LEAST_STRETCH 1e-4

// Logarithms of s: their sum t, deviator d, and the norm of d as the result.
double pli_yield_logarithms(const double s[3], double *t, double d[3]);

// s_k = exp(t / 3 + x d_k)
void pli_yield_stretch(double t, double x, const double d[3], double s[3]);

// Principal Kirchhoff stresses of the law (Pa), without what hardening multiplies them by: their
// sum, and the norm of their deviator as the result.
double pli_yield_shear(const pli_material *material, const double s[3], double *trace);

// Moves s back along the deviator of its logarithms, which keeps the volume, to where the norm of
// dev tau plus `slope` times the trace of tau is `limit` (Pa), not beyond the sphere.
void pli_yield_return(const pli_material *material, double slope, double limit, double s[3]);

// A number of a rule is as range says (in words), and at most 1e30. Errors: argument.
PLI_CHECKED pli_status pli_material_check_number(pli_context *context, const char *name,
                                                 double value, bool holds, const char *range);

#endif

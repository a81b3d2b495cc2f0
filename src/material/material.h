// SPDX-License-Identifier: Apache-2.0
//
// What matter is made of: a law with its parameters, how it yields, density and viscosity; and what
// a piece of it does in a step of its own: how it deforms, yields and pushes back.
//
// Elasticity gives the Kirchhoff stress tau = P F^T (Pa, energy per volume at rest), F being the
// elastic part of the deformation gradient and J = det F. Yielding (yield.h) moves F back to where
// the stress is admissible, after every move and outside of any solve. Viscosity adds
// 2 viscosity J dev(sym C), C the velocity gradient.
//
// Fluids, laws of J alone, keep log J as their history and leave F as it is.
//
// The speed of sound bounds the time step (Fang et al. 2018, equations 2 to 9):
//
//   c^2 = (4/3) mu / rho + dp/drho,   rho = rho_0 / J
//
// with mu of the law at rest and dp/drho of the law's own pressure p(J) = -tr(tau) / (3 J) of a
// cube that is dilated alike in all directions, hardening included. It counts as zero where it is
// negative, in matter stretched far, so c is at least that of shear. Matter stretched in one
// direction is stiffer in that one than this says.
//
// Laws that are not defined everywhere take singular values below 1e-4 (PLI_LEAST_STRETCH), those
// of flat and inverted matter, for that much; a fluid is not pressed below J = 0.01. Hence stress
// is finite whatever F is. What is not finite stays so.
//
// Two forms of a step: plainly, in double precision, by what the law's row has for everybody; and
// eight points at a time in single precision by kernels of the law and of the rule (lanes.h), which
// the other form stands in for where there are none.
//
// Everything is stateless and free of locks.
#ifndef PLI_MATERIAL_MATERIAL_H
#define PLI_MATERIAL_MATERIAL_H

#include "base/context.h"
#include "math/simd.h"
#include "pliant/extend.h"

enum {
    PLI_MATERIAL_PARAMS = 24, // most parameters of a law
    PLI_YIELD_PARAMS = 8
};

typedef struct pli_material {
    const pli_material_ops *law;
    double params[PLI_MATERIAL_PARAMS]; // as the law derives them
    double mu;                          // Lame constants of the law at rest (Pa)
    double lambda;
    const struct pli_yield_ops *yield; // NULL: elastic
    double yield_params[PLI_YIELD_PARAMS];
    double density;                    // at rest (kg/m^3), > 0
    double viscosity;                  // of shear (Pa s), >= 0
    const struct pli_law_lanes *lanes; // in single precision; NULL: in double
} pli_material;

// A law with the inputs of its row. Errors: argument (too many parameters, or a number that
// particles cannot have).
PLI_CHECKED pli_status pli_material_init(pli_context *context, const pli_material_ops *law,
                                         const double *inputs, double density, double viscosity,
                                         pli_material *material);

// Gives a material that was made with a law its rule; def is of the rule's schema. A rule without
// functions, and NULL, mean elastic. Errors: argument (a number out of range, or a law that cannot
// yield).
PLI_CHECKED pli_status pli_material_set_yield(pli_context *context,
                                              const struct pli_yield_ops *yield, const void *def,
                                              pli_material *material);

// Frobenius norm of dP/dF at F = I (Pa): how stiff a law is at rest (Wang et al. 2020, eq. 13). No
// less than density times its speed of sound squared, for laws that stiffen as soon as they move.
double pli_material_rest_norm(const pli_material_ops *law, const double *params);

bool pli_material_is_fluid(const pli_material *material);

// The history of a point that has never yielded; of a fluid, log J of one at rest.
double pli_material_rest_history(const pli_material *material);

// What the energy of the law is multiplied by at a point.
double pli_material_stiffness(const pli_material *material, double history);

// The return map of its rule on F; false: nothing has changed.
bool pli_material_return(const pli_material *material, double F[9], double *history);

// Deforms n points for a time dt (s) in which the velocity gradient is C (1/s):
//
//   F <- (1 + dt C) F          fluids: J <- (1 + dt tr C) J
//
// yields, and gives the Kirchhoff stress, viscosity included, and c^2. Planes of n points, at most
// PLI_BLOCK (batch.h): C, F [9][n] row-major, history, speed2 [n], tau [6][n]: 00, 11, 22, 12, 02,
// 01. dt = 0 tells the stress as it is.
void pli_material_advance(const pli_material *material, int32_t n, double dt, const double *C,
                          double *F, double *history, double *tau, double *speed2);

// The same for eight points in single precision. A lane with entries that are not finite gives such
// and leaves its neighbours alone.
void pli_material_advance_f8(const pli_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                             pli_f8 *history, pli_f8 tau[6], pli_f8 *speed2);

// Elastic energies per volume at rest (J/m^3) of n points, at most PLI_BLOCK: F [n][9], history,
// psi [n]; and of one.
void pli_material_energies(const pli_material *material, int32_t n, const double *F,
                           const double *history, double *psi);

// det F, or J of a fluid.
double pli_material_volume_ratio(const pli_material *material, const double F[9], double history);

// ---- a law inside of a solve

// The law of an implicit step: the material's own, or, where `inside` is set and the pair has one,
// that which has yielding in its energy.
const pli_material_ops *pli_material_step_law(const pli_material *material, bool inside);

// Its parameters for a point.
void pli_material_step_params(const pli_material *material, bool inside, double history,
                              double params[PLI_MATERIAL_PARAMS]);

// The return map that goes with it.
bool pli_material_step_return(const pli_material *material, bool inside, double F[9],
                              double *history);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// What particles are made of: how a piece of matter that the grid has moved for a while deforms,
// yields and pushes back. Eight particles of one material at a time, in float, and the same in
// double for one, as the reference.
//
// Elasticity gives the Kirchhoff stress tau = P F^T (Pa, energy per volume at rest), F being the
// elastic part of the deformation gradient with singular values s and J = det F:
//
//   fixed corotated   2 mu (F - R) F^T + lambda J (J - 1) 1          (Stomakhin et al. 2012)
//   Neo-Hookean       mu (F F^T - 1) + lambda log(J) 1
//   Hencky            U (2 mu log s + lambda tr(log s)) U^T            (Klar et al. 2016)
//   fluid             -J p 1,  p = k (J^-gamma - 1), by volume alone: F is not used
//
// Yielding moves F back to where the stress is bearable, after every move and outside of any solve:
//
//   snow              s clamped to [1 - compression, 1 + stretch]; mu and lambda are multiplied by
//                     exp(hardening (1 - Jp)), Jp the plastic part of the volume
//   von Mises         |dev tau| at most sqrt(2/3) times the yield stress, radial return in
//                     logarithmic strain (Hencky) or on the deviator of tau (fixed corotated)
//   Drucker-Prager    sand: cone of friction in logarithmic strain with its tip at rest, and volume
//                     correction (Klar et al. 2016, Tampubolon et al. 2017), Hencky only
//
// The speed of sound bounds the time step (Fang et al. 2018, equations 2 to 9):
//
//   c^2 = (4/3) mu / rho + dp/drho,   rho = rho_0 / J
//
// with dp/drho of the law's own pressure p(J) = -tr(tau) / (3 J) of a cube that is dilated alike in
// all directions, hardening included. rho_0 dp/drho, K being lambda + 2/3 mu, is
//
//   fixed corotated   2/3 mu (2 J^(1/3) - J^(2/3)) + lambda J^2
//   Neo-Hookean       mu (1 - J^(2/3) / 3) + lambda (1 - log J)
//   Hencky            K (1 - log J)
//   fluid             k gamma J^(1 - gamma), and mu is 0
//
// It counts as zero where it is negative, in matter stretched far, so c is at least that of shear.
// Matter stretched in one direction is stiffer in that one than this says.
//
// Matter that is nearly gone. Fixed corotated is defined for every F. Logarithms take singular
// values below 1e-4 (Neo-Hookean: J below 1e-12), flat and inverted matter, for that much; so does
// what yields. A fluid is not pressed below J = 0.01. Hence stress is finite whatever F is.
//
// Eight lanes need no decomposition where nothing is far from rest: see law_inside.h. tau and F are
// good to 1e-6 of the stiffness there. Everything is stateless and free of locks.
#ifndef PLI_MPM_LAW_H
#define PLI_MPM_LAW_H

#include "base/context.h"
#include "math/simd.h"

typedef enum pli_mpm_elasticity {
    PLI_MPM_FIXED_COROTATED,
    PLI_MPM_NEO_HOOKEAN,
    PLI_MPM_HENCKY,
    PLI_MPM_FLUID
} pli_mpm_elasticity;

typedef enum pli_mpm_yield {
    PLI_MPM_NO_YIELD,
    PLI_MPM_SNOW,           // fixed corotated, Neo-Hookean or Hencky
    PLI_MPM_VON_MISES,      // fixed corotated or Hencky
    PLI_MPM_DRUCKER_PRAGER, // Hencky
} pli_mpm_yield;

typedef struct pli_mpm_material {
    pli_mpm_elasticity elasticity;
    pli_mpm_yield yield;
    double density;   // at rest (kg/m^3), > 0
    double mu;        // Pa, >= 0; > 0 for von Mises and Drucker-Prager
    double lambda;    // Pa, >= 0
    double bulk;      // of a fluid, k (Pa), > 0
    double exponent;  // of a fluid, gamma, >= 1
    double viscosity; // of shear, any law (Pa s), >= 0

    // snow
    double compression;  // in [0, 1)
    double stretch;      // >= 0
    double hardening;    // >= 0
    double least_volume; // Jp stays in [least_volume, most_volume]; in (0, 1]
    double most_volume;  // >= 1

    // von Mises
    double yield_stress;     // Pa, > 0
    double strain_hardening; // growth of the yield stress per plastic strain (Pa), >= 0

    // Drucker-Prager
    double friction_angle; // radians, in [0, pi/2)
    bool volume_correction;
} pli_mpm_material;

// Every number that the laws use is in its range and at most 1e30, also mu and lambda of snow at
// its hardest, and the pair of laws is one that exists. Errors: argument.
PLI_CHECKED pli_status pli_mpm_material_check(pli_context *context,
                                              const pli_mpm_material *material);

// What a particle remembers besides F (see memory below) when it is at rest: 1 for snow (Jp), 0 for
// others (log J of a fluid, in which the smallest changes are kept; plastic strain of von Mises;
// the logarithm of the volume that sand of Drucker-Prager has gained without stress, and gives back
// before it bears any).
double pli_mpm_material_memory(const pli_mpm_material *material);

// Deforms for a time dt (s) in which the velocity gradient is C (1/s):
//
//   F <- (I + dt C) F          fluids: J <- (1 + dt tr C) J, log J kept in memory
//
// yields, and gives the Kirchhoff stress, viscous part 2 viscosity J dev(sym C) included, and c^2.
// Matrices are row-major; tau is 00, 11, 22, 12, 02, 01. A lane with entries that are not finite
// gives such and leaves its neighbours alone. dt = 0 tells the stress as it is.
void pli_mpm_advance_f8(const pli_mpm_material *material, float dt, const pli_f8 C[9], pli_f8 F[9],
                        pli_f8 *memory, pli_f8 tau[6], pli_f8 *speed2);

// The same for one particle in double, written plainly.
void pli_mpm_advance_reference(const pli_mpm_material *material, double dt, const double C[9],
                               double F[9], double *memory, double tau[6], double *speed2);

// Elastic energy per volume at rest (J/m^3).
double pli_mpm_energy(const pli_mpm_material *material, const double F[9], double memory);

// det F, or J of a fluid.
double pli_mpm_volume_ratio(const pli_mpm_material *material, const double F[9], double memory);

#endif

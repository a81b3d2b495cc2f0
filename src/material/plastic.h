// SPDX-License-Identifier: Apache-2.0
//
// Matter that yields inside of a solve: laws whose energy has the plastic flow of a step condensed
// into it, so that a minimiser of an implicit step sees the stress after yielding, not that of an
// elastic trial (incremental variational plasticity, Ortiz and Stainier 1999).
//
// With F the elastic part of the deformation, moved along by the step and not yet returned, the
// energy of the step is the least that elastic energy and dissipation together can be,
//
//   psi(F) = min over flows from F to Fe of  elastic(Fe) + dissipation(flow)
//
// and by the envelope theorem its derivative is the stress at the best Fe. In principal logarithms
// e_i = log s_i, with Kirchhoff stress tau_i = s_i dpsi/ds_i, trace t and deviator d of norm n:
//
// von Mises. Flow is deviatoric and costs sqrt(2/3) (yield + hardening a / 2) a strain of a:
//
//   psi = phi(n) + volume(t),   tau_i = phi'(n) d_i / n + volume'(t)
//   phi = mu n^2                                        n <= l = sqrt(2/3) yield / (2 mu)
//       = mu n^2 - mu (1 - r) (n - l)^2                 beyond, r = hardening / (3 mu + hardening)
//
// a parabola that goes on with its own slope, or with r times its curvature when matter hardens.
// The flow is g = (1 - r) (n - l) along d, which is the radial return of yield_von_mises.c to the
// letter, so that tau is the stress after it. Two laws, which differ by their volume term:
//
//   pli_law_hencky_von_mises     (lambda + 2/3 mu) t^2 / 2
//   pli_law_corotated_von_mises  3 mu (j - 1)^2 + lambda/2 (j^3 - 1)^2, j = exp(t / 3), that of
//   fixed
//                                corotated matter under pressure; its shear is Hencky's, equal to
//                                fixed corotated's to first order of what yielding leaves of it
//
// (Returning the deviator of fixed corotated stress itself, as particles with lagged plasticity do,
// has no potential: the derivatives of its tau are not symmetric, by about l of their size.)
//
// Snow. Its clamp of singular values to a box couples them by the volume and has no potential
// either. This law bounds what it can: the part of each axis,
//
//   psi = mu sum b(s_i) + lambda/2 (J - 1)^2,   b = (s - 1)^2 in [1 - compression, 1 + stretch],
//                                               and goes on straight outside
//
// so that the stress of an axis is that of the clamp and only the pressure is that of the trial: of
// what the stress of a lagged law is wrong by, (2 mu + lambda) times the strain that is cut off,
// lambda times that remains. Convex in s but for the volume, once differentiable, finite for every
// F. Hardening lags, by factors on mu and lambda.
//
// Parameters are mu, lambda and two more; what hardens has its present yield stress in the third.
// These laws are for implicit steps; the list of laws.h, which scenes choose from, is without
// them.
#ifndef PLI_MATERIAL_PLASTIC_H
#define PLI_MATERIAL_PLASTIC_H

#include "material/lame.h"
#include "material/principal.h"

// parameters after those of lame.h
enum {
    PLI_PLASTIC_YIELD = PLI_LAME_PARAM_COUNT, // von Mises: yield stress now (Pa), > 0
    PLI_PLASTIC_HARDENING,                    // its growth per plastic strain (Pa), >= 0
    PLI_PLASTIC_PARAM_COUNT,
    PLI_PLASTIC_COMPRESSION = PLI_LAME_PARAM_COUNT, // snow: in [0, 1)
    PLI_PLASTIC_STRETCH                             // >= 0
};

// Inputs: young, poisson, yield, hardening.
extern const pli_material_ops pli_law_hencky_von_mises;
extern const pli_material_ops pli_law_corotated_von_mises;
// Inputs: young, poisson, compression, stretch.
extern const pli_material_ops pli_law_snow;

#endif

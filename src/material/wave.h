// SPDX-License-Identifier: Apache-2.0
//
// Plane waves under a tangent A = dP/dF (Pa) at rest: one along n, in which matter moves along a,
// has density times speed squared equal to
//
//   A_ijkl a_i n_j a_k n_l
//
// For a given n the largest is that of a 3x3 matrix, the acoustic tensor, and for a given a as
// well, so that both are found in turns, each of which only makes it larger.
#ifndef PLI_MATERIAL_WAVE_H
#define PLI_MATERIAL_WAVE_H

#include "pliant/extend.h"

// The largest of the above (Pa) that `turns` turns reach from the direction n, which is left where
// they end.
double pli_wave_modulus(const double A[81], int turns, double n[3]);

// The same for an elastic point that is deformed by F, in space: A_iJkL F_jJ F_lL instead of A.
// From the direction that looks stiffest, so what comes out is the fastest wave or close to it.
double pli_wave_deformed_modulus(const double A[81], const double F[9]);

// Speed of the fastest wave of a law at rest (m/s).
double pli_wave_rest_speed(const pli_material_ops *law, const double *params, double density);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// The built-in laws once more, one point at a time and straight from their formulas: what the
// vector kernels are tested against and how much faster they are. Not used by the library itself.
//
// An isotropic law is its energy of the singular values with first and second derivatives; stress
// and tangent follow by the textbook route through one accurate decomposition (svd.h). The
// quotients of the 2x2 blocks are plain divisions, replaced by their limits where they would lose
// more than half of the digits, so the tangent is good to about 1e-9 of its norm there.
#ifndef PLI_MATERIAL_REFERENCE_H
#define PLI_MATERIAL_REFERENCE_H

#include "pliant/extend.h"

typedef struct pli_reference_point {
    double psi;      // J/m^3
    double P[9];     // Pa, row-major
    double dPdF[81]; // Pa, row-major 9x9
} pli_reference_point;

// All of a built-in law at one point, params as derive() makes them. False when there is no
// reference for the law; nothing is written then.
bool pli_reference_evaluate(const pli_material_ops *law, const double *params, const double F[9],
                            pli_projection projection, pli_reference_point *out);

#endif

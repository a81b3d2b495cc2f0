// SPDX-License-Identifier: Apache-2.0
//
// How far tetrahedra can move before one of them inverts.
//
// Along x + t d the volume of a tetrahedron is a cubic in t. The largest admissible step is where
// it first falls to a given fraction of what it is now: p(t) = V(t) - keep V(0) is positive at 0,
// and its smallest positive root is found between the places where the cubic turns, by bisection
// that keeps the end on the safe side. The result is never beyond the root of the polynomial as it
// is evaluated; a fraction to keep of 0.1, say, is far above the rounding of its coefficients.
#ifndef PLI_GEOMETRY_MESH_INVERSION_H
#define PLI_GEOMETRY_MESH_INVERSION_H

#include "base/context.h"

// Largest t in [0, 1] up to which the volume of the tetrahedron with these corners, moving along d,
// stays above keep times its present volume, 0 <= keep < 1. A tetrahedron that is inverted or flat
// already limits nothing: 1.
double pli_inversion_step(const double *const x[4], const double *const d[4], double keep);

// The smallest over all tets [tet_count][4], for positions x and motion d [vertex_count][3].
double pli_inversion_steps(pli_context *context, int32_t tet_count, const int32_t *tets,
                           const double *x, const double *d, double keep);

#endif

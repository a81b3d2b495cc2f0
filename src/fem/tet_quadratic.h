// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra of ten nodes at rest: corners 0 to 3, and nodes 4 to 9 on the edges 01, 12, 02, 03, 13
// and 23 (the order of VTK). With the volume coordinates L of the straight tetrahedron,
//     N_c = L_c (2 L_c - 1),   N_ij = 4 L_i L_j.
// Edges may be curved: X = sum_a N_a(L) X_a, and gradients by X are those by L times (dX/dL)^-1.
// Four material points, L = (5 + 3 sqrt 5, 5 - sqrt 5, 5 - sqrt 5, 5 - sqrt 5) / 20 and its
// permutations, integrate polynomials of order 2 exactly (Hammer and Stroud 1956).
//
// Masses are lumped in proportion to the diagonal of the consistent matrix (Hinton, Rock and
// Zienkiewicz 1976), which of a straight element gives 1/36 to a corner and 4/27 to an edge: all
// are positive.
#ifndef PLI_FEM_TET_QUADRATIC_H
#define PLI_FEM_TET_QUADRATIC_H

#include "base/context.h"

enum { PLI_TET10 = 10, PLI_TET10_POINTS = 4 };

typedef struct pli_tet10_shape {
    double volume[PLI_TET10_POINTS];        // that a material point stands for (m^3)
    double gradients[PLI_TET10_POINTS][30]; // row 3 a + j: d N_a / d X_j (1/m)
} pli_tet10_shape;

void pli_tet10_shape_compute(const double *rest, const int32_t nodes[PLI_TET10],
                             pli_tet10_shape *shape);

// Errors: mesh (J is not positive at a material point); number names the tetrahedron in the
// message.
PLI_CHECKED pli_status pli_tet10_shape_check(pli_context *context, const pli_tet10_shape *shape,
                                             int32_t number);

// Adds the lumped parts of what an element of this density holds to the sums of its nodes; density
// in units of the sum per m^3. Returns their sum.
double pli_tet10_lump(const double *rest, const int32_t nodes[PLI_TET10], double density,
                      double *sums);

#endif

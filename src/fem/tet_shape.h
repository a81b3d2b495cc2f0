// SPDX-License-Identifier: Apache-2.0
//
// Linear tetrahedra at rest: volume, gradients of the shape functions, and their part of a scalar
// stiffness matrix; what all terms of tetrahedra share.
#ifndef PLI_FEM_TET_SHAPE_H
#define PLI_FEM_TET_SHAPE_H

#include "linear/multigrid/lifted.h"

typedef struct pli_tet_shape {
    double volume;       // m^3
    double gradients[9]; // row a: gradient of N_(a+1), the rows of the inverse edge matrix (1/m);
                         // that of N_0 is minus their sum
} pli_tet_shape;

// The shape of a tetrahedron with the given corners in rest [][3] (m).
void pli_tet_shape_compute(const double *rest, const int32_t corners[4], pli_tet_shape *shape);

// Errors: mesh (the volume is not positive); number names the tetrahedron in the message.
PLI_CHECKED pli_status pli_tet_shape_check(pli_context *context, const pli_tet_shape *shape,
                                           int32_t number);

// S_ab += stiffness V g_a . g_b, stiffness in Pa. The couplings must be in the pattern of S.
void pli_tet_shape_add_lifted(const pli_tet_shape *shape, const int32_t corners[4],
                              double stiffness, pli_lifted *S);

#endif

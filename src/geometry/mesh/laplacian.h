// SPDX-License-Identifier: Apache-2.0
//
// The Laplacian of functions that are linear on tetrahedra or on triangles in space.
//
// With the hat functions phi_i of the vertices,
//
//     L_ij = sum over elements of  w |e| grad phi_i . grad phi_j,     w a weight per element,
//
// the stiffness matrix of linear finite elements, whose entries on triangles are the halved
// cotangents of Pinkall and Polthier 1993. It is symmetric (to the bit), positive semi-definite and
// annihilates constants; u^T L u is the Dirichlet integral of u, exactly when u is linear. At a
// vertex inside the mesh, with equal weights, L annihilates linear functions too. The mass M is
// lumped: every corner gets an equal share of the element's volume or area, whatever the weight. So
// M^-1 L is minus the Laplace operator, vertex by vertex.
//
// On triangles gradients lie in the plane of the triangle; a surface may bend.
//
// Threads: creation is parallel with the same bits for any number of threads; const calls may run
// at the same time.
#ifndef PLI_GEOMETRY_MESH_LAPLACIAN_H
#define PLI_GEOMETRY_MESH_LAPLACIAN_H

#include "base/context.h"

// Tetrahedra or triangles over plain arrays.
typedef struct pli_simplices {
    int32_t vertex_count;
    const double *points; // [vertex_count][3] (m)
    int32_t corner_count; // of an element: 4 or 3
    int32_t element_count;
    const int32_t *elements; // [element_count][corner_count]
} pli_simplices;

// Gradients of the hat functions of an element's corners, [corner_count][3] (1/m). Returns its
// volume (m^3) or area (m^2), whatever its orientation; 0 when it has none: gradients are not
// finite then.
double pli_simplex_gradients(const pli_simplices *mesh, int32_t element, double gradients[4][3]);

// Symmetric compressed rows of one number per coupling.
typedef struct pli_laplacian {
    pli_context *context;
    int32_t vertex_count;
    int64_t entry_count;
    int64_t *row_start; // [vertex_count + 1]
    int32_t *column;    // [entry_count]  increasing in a row; the diagonal is always there
    double *values;     // [entry_count]  (m for tetrahedra, 1 for triangles, times the weight)
    double *mass;       // [vertex_count] (m^3, m^2); 0 at vertices without elements
} pli_laplacian;

// weights [element_count] are >= 0; NULL: all are 1. Errors: argument (corners that are neither
// three nor four, a vertex outside the mesh), mesh (an element without volume or area), memory.
PLI_CHECKED pli_status pli_laplacian_create(pli_context *context, const pli_simplices *mesh,
                                            const double *weights, pli_laplacian **laplacian);
void pli_laplacian_destroy(pli_laplacian *laplacian);

// y = L x for functions with three components, [vertex_count][3] each; must not overlap.
void pli_laplacian_apply(const pli_laplacian *laplacian, const double *x, double *y);

#endif

// SPDX-License-Identifier: Apache-2.0
//
// Step 4 of isosurface stuffing: what lies inside, tetrahedron by tetrahedron of the lattice. See
// stuffing.h for the method. For the files stuffing*.c only.
#ifndef PLI_GEOMETRY_STUFFING_STENCIL_H
#define PLI_GEOMETRY_STUFFING_STENCIL_H

#include "geometry/stuffing_lattice.h"
#include "math/vec3.h"

// Tetrahedra in the order of the lattice, with points in the order of their first use.
typedef struct pli_soup {
    pli_context *context;
    int32_t point_count;
    double *points;   // [point_count][3] (m)
    bool *is_pinched; // [point_count] a lattice point on the surface: the mesh may pinch there
    int32_t tet_count;
    int32_t *tets; // [tet_count][4], positive volumes
} pli_soup;

pli_status pli_soup_init(const pli_lattice *lattice, pli_soup *soup);
void pli_soup_clear(pli_soup *soup);

// Signed volume of a tetrahedron (m^3).
static inline double pli_soup_tet_volume(const double *points, const int32_t tet[4])
{
    double e[3][3];
    double c[3];
    const double *a = points + 3 * (int64_t)tet[0];
    for (int i = 0; i < 3; ++i) pli_vec3_subtract(points + 3 * (int64_t)tet[i + 1], a, e[i]);
    pli_vec3_cross(e[0], e[1], c);
    return pli_vec3_dot(c, e[2]) / 6;
}

#endif

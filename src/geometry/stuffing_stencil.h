// SPDX-License-Identifier: Apache-2.0
//
// Step 4 of isosurface stuffing: what lies inside, tetrahedron by tetrahedron of the lattice. See
// stuffing.h for the method. For the files stuffing*.c only.
#ifndef PLI_GEOMETRY_STUFFING_STENCIL_H
#define PLI_GEOMETRY_STUFFING_STENCIL_H

#include "geometry/stuffing_lattice.h"

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

#endif

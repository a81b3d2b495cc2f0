// SPDX-License-Identifier: Apache-2.0
//
// How good the elements of a mesh are.
#ifndef PLI_TESTS_TET_QUALITY_H
#define PLI_TESTS_TET_QUALITY_H

#include "geometry/mesh/tet_mesh.h"

typedef struct pli_tet_quality {
    double min_dihedral; // degrees
    double max_dihedral;
    double min_volume; // m^3
    double mean_volume;
    double total_volume;
    double max_aspect; // longest edge over 2 sqrt(6) inradius: 1 for the regular tetrahedron
    double mean_aspect;
    double min_edge; // m
    double max_edge;
    int32_t worst_tet; // the one with the largest aspect, -1 for an empty mesh
} pli_tet_quality;

pli_tet_quality pli_tet_mesh_quality(const pli_tet_mesh *mesh);

#endif

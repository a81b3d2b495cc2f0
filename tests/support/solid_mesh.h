// SPDX-License-Identifier: Apache-2.0
//
// Meshes of the solids that closed forms know: blocks of cells that are moved to where they belong,
// slabs of one layer, and thin spheres.
#ifndef PLI_TESTS_SOLID_MESH_H
#define PLI_TESTS_SOLID_MESH_H

#include "geometry/mesh/tet_mesh.h"
#include "pliant/scene_shape.h"

// Where a point s of the unit cube belongs.
typedef void (*pli_solid_place_fn)(const void *user, const double s[3], double x[3]);

// The unit cube, cut into cells of six tetrahedra each.
PLI_CHECKED pli_status pli_solid_block(pli_context *context, const int32_t cells[3],
                                       pli_solid_place_fn place, const void *user,
                                       pli_tet_mesh **mesh);

// The unit cube as one layer of n by n cells that are crossed: four prisms of three tetrahedra.
PLI_CHECKED pli_status pli_solid_slab(pli_context *context, int32_t n, pli_solid_place_fn place,
                                      const void *user, pli_tet_mesh **mesh);

// One layer between two spheres, each an octahedron whose faces are cut into side^2 triangles.
PLI_CHECKED pli_status pli_solid_sphere(pli_context *context, int32_t side, double inner,
                                        double outer, pli_tet_mesh **mesh);

// Borrows the arrays of the mesh.
pli_mesh_data pli_solid_mesh_data(const pli_tet_mesh *mesh);

#endif

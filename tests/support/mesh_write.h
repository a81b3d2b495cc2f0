// SPDX-License-Identifier: Apache-2.0
//
// Meshes to files, for other programs and for tests: .msh (Gmsh 2.2 text: points, triangles,
// tetrahedra, groups as physical names), .obj (text: points, triangles, groups) and .ply (binary:
// points and triangles). Coordinates are written so that they read back bit by bit, in any locale.
// Files appear whole or not at all (see file.h).
#ifndef PLI_TESTS_MESH_WRITE_H
#define PLI_TESTS_MESH_WRITE_H

#include "base/context.h"
#include "pliant/scene.h"

// Writes a mesh in the format that the path's ending names.
// Errors: io, memory, unsupported (another ending).
PLI_CHECKED pli_status pli_mesh_write(pli_context *context, const char *path,
                                      const pli_mesh_data *mesh);

#endif

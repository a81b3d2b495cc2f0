// SPDX-License-Identifier: Apache-2.0
//
// Meshes from files: Gmsh .msh (2.x and 4.1, text and binary), TetGen .node/.ele/.face, Vega .veg,
// legacy .vtk, Medit .mesh, .obj, .off, .ply and .stl, in text and binary where the format has
// both.
//
// The ending of the name chooses the format, and the content is asked whether it agrees: a file
// with a wrong ending, or none, is read as what it is, with a warning. Points, tetrahedra,
// triangles and named groups are kept; polygons are cut into triangles; lines and single points are
// left out. Second-order cells are read as their corners, with a warning. Hexahedra, prisms and
// pyramids are refused, since leaving them out would leave holes.
//
// What holds for every mesh that was read: at least one point, finite coordinates, corners that
// exist, no cell with a vertex twice. Orientation and volume are judged where a mesh is used.
//
// The file is read at once (see file.h for what is refused). No count in a file is believed before
// it was compared with the bytes that are left, so memory is about the file's size for usual files
// and a small multiple of it for any.
// Failures say "file:line: what is wrong, and what would be right" or "file: byte n: ...".
#ifndef PLI_IO_MESH_MESH_FILE_H
#define PLI_IO_MESH_MESH_FILE_H

#include "base/context.h"
#include "pliant/scene.h"

typedef struct pli_mesh_file pli_mesh_file;

// Reads a mesh. For TetGen, path is any one of its files; the others lie beside it.
// Errors: io (cannot be read), mesh (what is in it is wrong), memory.
PLI_CHECKED pli_status pli_mesh_file_read(pli_context *context, const char *path,
                                          pli_mesh_file **mesh);

// Reads a mesh from memory. name appears in messages; ending, such as "msh", is that of a file with
// this content, or NULL: that of name. TetGen's elements follow its nodes.
PLI_CHECKED pli_status pli_mesh_file_parse(pli_context *context, const char *name,
                                           const char *ending, const void *bytes, int64_t count,
                                           pli_mesh_file **mesh);

void pli_mesh_file_destroy(pli_mesh_file *mesh);

// The mesh. Lifetime: until the file is destroyed.
const pli_mesh_data *pli_mesh_file_data(const pli_mesh_file *mesh);

#endif

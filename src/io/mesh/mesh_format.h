// SPDX-License-Identifier: Apache-2.0
//
// What a mesh format is to the rest of the house: its name, the endings of its files, a mark by
// which its content is recognised, and a reader; and the list of all formats: a new one is a file
// and a name in it.
#ifndef PLI_IO_MESH_MESH_FORMAT_H
#define PLI_IO_MESH_MESH_FORMAT_H

#include "io/mesh/mesh_builder.h"

typedef struct pli_mesh_format {
    const char *name;
    const char *endings[4]; // without the dot, the usual one first; NULL-terminated

    // Whether the content carries the mark of this format; NULL: the format has no mark.
    bool (*matches)(const char *bytes, int64_t count);

    // Reads the whole file. What it has put into the builder before a failure is thrown away.
    pli_status (*read)(pli_mesh_builder *builder, pli_scan *scan);
} pli_mesh_format;

// X(name): pli_mesh_format_<name>. Content is compared in this order, so those with a clear mark
// come first.
#define PLI_MESH_FORMATS(X) \
    X(gmsh) X(vtk) X(ply) X(off) X(medit) X(vega) X(abaqus) X(stl) X(tetgen) X(obj)

#define X(name) extern const pli_mesh_format pli_mesh_format_##name;
PLI_MESH_FORMATS(X)
#undef X

#endif

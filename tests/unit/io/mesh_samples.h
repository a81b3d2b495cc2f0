// SPDX-License-Identifier: Apache-2.0
//
// One small file of every mesh format, text and binary, for tests that treat all formats alike.
// All hold the same five points; those of solids two tetrahedra, those of surfaces three triangles,
// of which two come from a quadrangle where the format has any.
#ifndef PLI_TESTS_MESH_SAMPLES_H
#define PLI_TESTS_MESH_SAMPLES_H

#include "near.h"

#include "io/mesh/mesh_file.h"

typedef struct sample {
    const char *name;   // what it is, for messages
    const char *ending; // of such a file
    char *bytes;
    int64_t count;
    int32_t tets;
    int32_t triangles;
} sample;

enum { SAMPLE_CAPACITY = 24 };

static const double sample_points[5][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1.25, -1.5e-3}};
static const int32_t sample_tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
static const int32_t sample_quad[4] = {0, 1, 4, 2};
static const int32_t sample_triangle[3] = {0, 2, 3};

// ---- bytes ----

typedef struct byte_list {
    char *at;
    int64_t count;
    bool big_endian;
} byte_list;

static inline void put(byte_list *out, const void *data, int64_t count)
{
    out->at = realloc(out->at, (size_t)(out->count + count));
    assert_non_null(out->at);
    memcpy(out->at + out->count, data, (size_t)count);
    out->count += count;
}

static inline void put_text(byte_list *out, const char *text)
{
    put(out, text, (int64_t)strlen(text));
}

static inline void put_number(byte_list *out, uint64_t value, int size)
{
    for (int i = 0; i < size; ++i) {
        char byte = (char)(value >> (8 * (out->big_endian ? size - 1 - i : i)));
        put(out, &byte, 1);
    }
}

static inline void put_int(byte_list *out, int64_t value)
{
    put_number(out, (uint64_t)value, 4);
}

static inline void put_size(byte_list *out, int64_t value)
{
    put_number(out, (uint64_t)value, 8);
}

static inline void put_double(byte_list *out, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put_number(out, bits, 8);
}

static inline void put_float(byte_list *out, double value)
{
    float single = (float)value;
    uint32_t bits = 0;
    memcpy(&bits, &single, sizeof bits);
    put_number(out, bits, 4);
}

static inline void put_points(byte_list *out)
{
    for (int i = 0; i < 15; ++i) put_double(out, sample_points[i / 3][i % 3]);
}

// ---- binary files ----

static inline byte_list make_gmsh22(bool big_endian)
{
    byte_list out = {.big_endian = big_endian};
    put_text(&out, "$MeshFormat\n2.2 1 8\n");
    put_int(&out, 1);
    put_text(&out, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"soft part\"\n$EndPhysicalNames\n"
                   "$Nodes\n5\n");
    for (int i = 0; i < 5; ++i) {
        put_int(&out, i + 1);
        for (int k = 0; k < 3; ++k) put_double(&out, sample_points[i][k]);
    }
    put_text(&out, "\n$EndNodes\n$Elements\n4\n");
    put_int(&out, 4);
    put_int(&out, 2);
    put_int(&out, 2);
    for (int i = 0; i < 2; ++i) {
        put_int(&out, i + 1);
        put_int(&out, 7);
        put_int(&out, 1);
        for (int k = 0; k < 4; ++k) put_int(&out, sample_tets[i][k] + 1);
    }
    put_int(&out, 3);
    put_int(&out, 1);
    put_int(&out, 0);
    put_int(&out, 3);
    for (int k = 0; k < 4; ++k) put_int(&out, sample_quad[k] + 1);
    put_int(&out, 2);
    put_int(&out, 1);
    put_int(&out, 1);
    put_int(&out, 4);
    put_int(&out, 3);
    for (int k = 0; k < 3; ++k) put_int(&out, sample_triangle[k] + 1);
    put_text(&out, "\n$EndElements\n");
    return out;
}

static inline void put_entity(byte_list *out, int64_t tag, int64_t physical)
{
    put_int(out, tag);
    for (int i = 0; i < 6; ++i) put_double(out, 0);
    put_size(out, physical > 0);
    if (physical > 0) put_int(out, physical);
    put_size(out, 0);
}

static inline void put_block(byte_list *out, int64_t dimension, int64_t tag, int64_t type,
                             int64_t count)
{
    put_int(out, dimension);
    put_int(out, tag);
    put_int(out, type);
    put_size(out, count);
}

static inline void put_sizes(byte_list *out, int64_t a, int64_t b, int64_t c, int64_t d)
{
    put_size(out, a);
    put_size(out, b);
    put_size(out, c);
    put_size(out, d);
}

static inline byte_list make_gmsh41(bool big_endian)
{
    byte_list out = {.big_endian = big_endian};
    put_text(&out, "$MeshFormat\n4.1 1 8\n");
    put_int(&out, 1);
    put_text(&out, "\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"soft part\"\n$EndPhysicalNames\n"
                   "$Entities\n");
    put_sizes(&out, 0, 0, 1, 1);
    put_entity(&out, 1, 0);
    put_entity(&out, 1, 7);
    put_text(&out, "\n$EndEntities\n$Nodes\n");
    put_sizes(&out, 1, 5, 1, 5);
    put_block(&out, 3, 1, 0, 5);
    for (int i = 0; i < 5; ++i) put_size(&out, i + 1);
    put_points(&out);
    put_text(&out, "\n$EndNodes\n$Elements\n");
    put_sizes(&out, 3, 4, 1, 4);
    put_block(&out, 3, 1, 4, 2);
    for (int i = 0; i < 2; ++i) {
        put_size(&out, i + 1);
        for (int k = 0; k < 4; ++k) put_size(&out, sample_tets[i][k] + 1);
    }
    put_block(&out, 2, 1, 3, 1);
    put_size(&out, 3);
    for (int k = 0; k < 4; ++k) put_size(&out, sample_quad[k] + 1);
    put_block(&out, 2, 1, 2, 1);
    put_size(&out, 4);
    for (int k = 0; k < 3; ++k) put_size(&out, sample_triangle[k] + 1);
    put_text(&out, "\n$EndElements\n");
    return out;
}

static inline byte_list make_vtk(void)
{
    byte_list out = {.big_endian = true};
    put_text(&out, "# vtk DataFile Version 3.0\ntitle\nBINARY\nDATASET UNSTRUCTURED_GRID\n"
                   "FIELD FieldData 1\nTIME 1 1 double\n");
    put_double(&out, 0.5);
    put_text(&out, "\nPOINTS 5 double\n");
    put_points(&out);
    put_text(&out, "\nCELLS 4 19\n");
    for (int i = 0; i < 2; ++i) {
        put_int(&out, 4);
        for (int k = 0; k < 4; ++k) put_int(&out, sample_tets[i][k]);
    }
    put_int(&out, 4);
    for (int k = 0; k < 4; ++k) put_int(&out, sample_quad[k]);
    put_int(&out, 3);
    for (int k = 0; k < 3; ++k) put_int(&out, sample_triangle[k]);
    put_text(&out, "\nCELL_TYPES 4\n");
    static const int types[] = {10, 10, 9, 5};
    for (int i = 0; i < 4; ++i) put_int(&out, types[i]);
    put_text(&out, "\n");
    return out;
}

static inline byte_list make_vtk5(void)
{
    byte_list out = {.big_endian = true};
    put_text(&out,
             "# vtk DataFile Version 5.1\ntitle\nBINARY\nDATASET POLYDATA\nPOINTS 5 double\n");
    put_points(&out);
    put_text(&out, "\nMETADATA\nINFORMATION 1\nNAME L2_NORM_RANGE LOCATION vtkDataArray\n"
                   "DATA 2 0 1\n\nPOLYGONS 3 7\nOFFSETS vtktypeint64\n");
    put_size(&out, 0);
    put_size(&out, 4);
    put_size(&out, 7);
    put_text(&out, "\nCONNECTIVITY vtktypeint64\n");
    for (int k = 0; k < 4; ++k) put_size(&out, sample_quad[k]);
    for (int k = 0; k < 3; ++k) put_size(&out, sample_triangle[k]);
    put_text(&out, "\nCELL_DATA 2\n");
    return out;
}

static inline byte_list make_ply(bool big_endian)
{
    byte_list out = {.big_endian = big_endian};
    put_text(&out, "ply\nformat binary_");
    put_text(&out, big_endian ? "big" : "little");
    put_text(&out, "_endian 1.0\ncomment c\nelement vertex 5\nproperty uchar red\n"
                   "property double z\nproperty float x\nproperty double y\n"
                   "element face 2\nproperty list uchar float weights\n"
                   "property list ushort uint vertex_indices\nelement other 3\n"
                   "property short a\nend_header\n");
    for (int i = 0; i < 5; ++i) {
        put_number(&out, 200, 1);
        put_double(&out, sample_points[i][2]);
        put_float(&out, sample_points[i][0]);
        put_double(&out, sample_points[i][1]);
    }
    put_number(&out, 1, 1);
    put_float(&out, 0.5);
    put_number(&out, 4, 2);
    for (int k = 0; k < 4; ++k) put_int(&out, sample_quad[k]);
    put_number(&out, 0, 1);
    put_number(&out, 3, 2);
    for (int k = 0; k < 3; ++k) put_int(&out, sample_triangle[k]);
    for (int k = 0; k < 3; ++k) put_number(&out, 9, 2);
    return out;
}

static inline byte_list make_stl(void)
{
    byte_list out = {0};
    char head[80] = "solid but binary all the same";
    put(&out, head, sizeof head);
    put_int(&out, 3);
    static const int corners[3][3] = {{0, 1, 4}, {0, 4, 2}, {0, 2, 3}};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) put_float(&out, 0);
        for (int k = 0; k < 9; ++k) put_float(&out, sample_points[corners[i][k / 3]][k % 3]);
        put_number(&out, 0, 2);
    }
    return out;
}

// ---- text files ----

#define SAMPLE_VERTICES(prefix, suffix)                                                     \
    prefix "0 0 0" suffix "\n" prefix "1 0 0" suffix "\n" prefix "0 1 0" suffix "\n" prefix \
           "0 0 1" suffix "\n" prefix "1 1.25 -1.5e-3" suffix "\n"

static const char sample_gmsh22[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 3 \"skin\"\n3 7 \"soft part\"\n"
    "$EndPhysicalNames\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n10 0 0 1\n5 1 1.25 "
    "-1.5e-3\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 1\n2 4 2 7 1 1 2 3 10\n3 4 2 7 1 2 3 10 5\n4 3 2 3 1 1 2 5 3\n"
    "5 2 2 3 1 1 3 10\n$EndElements\n$NodeData\n1\n\"u\"\n$EndNodeData\n";

static const char sample_gmsh41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"soft "
    "part\"\n$EndPhysicalNames\n"
    "$Entities\n1 0 1 1\n1 0 0 0 0\n4 0 0 0 1 1 1 1 -3 0\n9 0 0 0 1 1 1 1 7 1 4\n$EndEntities\n"
    "$Nodes\n3 5 1 50\n0 1 0 1\n1\n0 0 0\n2 4 1 2\n2\n3\n1 0 0 0.5 0.5\n0 1 0 0.25 0.75\n"
    "3 9 0 2\n40\n50\n0 0 1\n1 1.25 -1.5e-3\n$EndNodes\n"
    "$Elements\n4 5 1 5\n0 1 15 1\n1 1\n3 9 4 2\n2 1 2 3 40\n3 2 3 40 50\n2 4 3 1\n4 1 2 50 3\n"
    "2 4 2 1\n5 1 3 40\n$EndElements\n";

static const char sample_tetgen[] =
    "# nodes\n5 3 1 1\n"
    "1 0 0 0 9 0\n2 1 0 0 9 0\n3 0 1 0 9 0\n\n4 0 0 1 9 0\n"
    "5 1 1.25 -1.5e-3 9 1\n# elements\n2 4 1\n1 1 2 3 4 7\n2 2 3 4 5 0\n# faces\n3 1\n1 1 2 5 -1\n"
    "2 1 5 3 -1\n3 1 3 4 2\n";

static const char sample_vega[] =
    "# Vega\n*VERTICES\n5 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n4 1 1.25 "
    "-1.5e-3\n\n*ELEMENTS\n"
    "TET\n2 4 0\n1 0 1 2 3\n2 1 2 3 4\n\n*MATERIAL BODY\nENU, 1000, 1e7, 0.45\n\n*REGION\n"
    "allElements, BODY\n";

static const char sample_vtk[] =
    "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 float\n"
    "0 0 0 1 0 0 0 1 0\n0 0 1 1 1.25 -1.5e-3\nCELLS 5 21\n4 0 1 2 3\n4 1 2 3 4\n4 0 1 4 2\n"
    "3 0 2 3\n1 0\nCELL_TYPES 5\n10 10 9 5\n1\nPOINT_DATA 5\nSCALARS a float\n";

static const char sample_abaqus[] =
    "** two tetrahedra and three triangles\n"
    "*Heading\n five points\n"
    "*NODE, NSET=all\n"
    " 11, 0., 0., 0.\n 12, 1., 0, 0\n 13, 0, 1, 0\n 14, 0, 0, 1\n 15, 1, 1.25, -1.5e-3\n"
    "*Element, type=C3D4, elset=block\n 1, 11, 12, 13, 14\n 2, 12, 13,\n 14, 15\n"
    "*ELEMENT, TYPE=S3\n 7, 11, 12, 15\n 8, 11, 15, 13\n 9, 11, 13, 14\n"
    "*ELSET, ELSET=floor, GENERATE\n 7, 8\n"
    "*MATERIAL, NAME=rubber\n*DENSITY\n 1000.,\n";

static const char sample_medit[] =
    "MeshVersionFormatted 1\nDimension\n3\n# points\nVertices\n5\n" SAMPLE_VERTICES(
        "", " 0") "Tetrahedra\n2\n1 2 3 4 7\n2 3 4 5 0\nQuadrilaterals\n1\n1 2 5 3 2\nTriangles "
                  "1\n1 3 4 0\n"
                  "Corners\n2\n1\n2\nHexahedra\n0\nEnd\n";

static const char sample_obj[] = "# obj\nmtllib a.mtl\n" SAMPLE_VERTICES(
    "v ", "") "vt 0 0\nvn 0 0 1\nusemtl m\ns off\ng the quad\n"
              "f 1/1/1 2/1/1 5//1 -3\no tri\nf 1 \\\n 3 4\nl 1 2\n";

static const char sample_off[] =
    "OFF # off\n5 2 0\n\n" SAMPLE_VERTICES("", " 255 0 0") "4 0 1 4 2 0.5 0.5 0.5\n3 0 2 3\n";

static const char sample_ply[] =
    "ply\nformat ascii 1.0\nobj_info made for tests\nelement vertex 5\nproperty float x\n"
    "property float y\nproperty double z\nproperty int flag\nelement face 2\n"
    "property list uchar int vertex_index\nproperty list uchar float "
    "texcoord\nend_header\n" SAMPLE_VERTICES("", " 1") "4 0 1 4 2 1 0.5\n3 0 2 3 0\n";

#define SAMPLE_FACET(a, b, c)                                                        \
    "facet normal 0 0 nan\n outer loop\n  vertex " a "\n  vertex " b "\n  vertex " c \
    "\n endloop\nendfacet\n"

static const char sample_stl[] =
    "solid first one\n" SAMPLE_FACET("0 0 0", "1 0 0", "1 1.25 -1.5e-3") SAMPLE_FACET(
        "0 0 -0", "1 1.25 -0.0015",
        "0 1 0") "endsolid first one\nsolid\n" SAMPLE_FACET("0 0 0", "0 1 0", "0 0 1") "endsolid\n";

// ---- the list ----

static inline void add_sample(sample *list, int *count, const char *name, const char *ending,
                              byte_list content, int32_t tets)
{
    assert_true(*count < SAMPLE_CAPACITY);
    bool solid = strcmp(ending, "veg") == 0;
    list[(*count)++] = (sample){name, ending, content.at, content.count, tets, solid ? 0 : 3};
}

static inline byte_list of_text(const char *text)
{
    byte_list out = {0};
    put_text(&out, text);
    return out;
}

// Fills the list with one file of each kind and returns their number.
static inline int make_samples(sample *list)
{
    int count = 0;
    add_sample(list, &count, "Gmsh 2.2 text", "msh", of_text(sample_gmsh22), 2);
    add_sample(list, &count, "Gmsh 2.2 binary", "msh", make_gmsh22(false), 2);
    add_sample(list, &count, "Gmsh 2.2 binary, big-endian", "msh", make_gmsh22(true), 2);
    add_sample(list, &count, "Gmsh 4.1 text", "msh", of_text(sample_gmsh41), 2);
    add_sample(list, &count, "Gmsh 4.1 binary", "msh", make_gmsh41(false), 2);
    add_sample(list, &count, "Gmsh 4.1 binary, big-endian", "msh", make_gmsh41(true), 2);
    add_sample(list, &count, "TetGen", "node", of_text(sample_tetgen), 2);
    add_sample(list, &count, "Vega", "veg", of_text(sample_vega), 2);
    add_sample(list, &count, "VTK text", "vtk", of_text(sample_vtk), 2);
    add_sample(list, &count, "VTK binary", "vtk", make_vtk(), 2);
    add_sample(list, &count, "VTK 5 binary", "vtk", make_vtk5(), 0);
    add_sample(list, &count, "Medit", "mesh", of_text(sample_medit), 2);
    add_sample(list, &count, "Abaqus", "inp", of_text(sample_abaqus), 2);
    add_sample(list, &count, "OBJ", "obj", of_text(sample_obj), 0);
    add_sample(list, &count, "OFF", "off", of_text(sample_off), 0);
    add_sample(list, &count, "PLY text", "ply", of_text(sample_ply), 0);
    add_sample(list, &count, "PLY binary", "ply", make_ply(false), 0);
    add_sample(list, &count, "PLY binary, big-endian", "ply", make_ply(true), 0);
    add_sample(list, &count, "STL text", "stl", of_text(sample_stl), 0);
    add_sample(list, &count, "STL binary", "stl", make_stl(), 0);
    return count;
}

static inline void free_samples(sample *list, int count)
{
    for (int i = 0; i < count; ++i) free(list[i].bytes);
}

#endif

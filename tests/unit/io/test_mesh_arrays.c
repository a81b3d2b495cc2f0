// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "io/mesh/mesh_file.h"
#include "support/fault_sweep.h"

#include <string.h>

// two tetrahedra over five points, and a triangle between three of them
#define POINTS "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n"

static const char vtk[] =
    "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n" POINTS
    "CELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 1 2 3 4\nCELL_TYPES 3\n10\n5\n10\n"
    "CELL_DATA 3\nSCALARS stiffness float 1\nLOOKUP_TABLE default\n1e5 2e5 nan\n"
    "VECTORS fibre double\n1 0 0 0 1 0 0 0 1\n"
    "POINT_DATA 5\nFIELD FieldData 2\nheat 1 5 double\n1 2 3 4 5\n"
    "flow 3 5 float\n0 0 0 1 1 1 2 2 2 3 3 3 4 4 4\n"
    "SCALARS bare float\nLOOKUP_TABLE default\n5 4 3 2 1\n"
    "UNKNOWN things\n1 2 3\n";

static const char gmsh2[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n"
    "11 0 0 0\n12 1 0 0\n13 0 1 0\n14 0 0 1\n15 1 1 1\n$EndNodes\n"
    "$Elements\n3\n7 4 2 0 1 11 12 13 14\n8 2 2 0 1 11 12 13\n9 4 2 0 1 12 13 14 15\n$EndElements\n"
    "$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n5\n11 1\n12 2\n13 3\n14 4\n15 5\n$EndNodeData\n"
    "$NodeData\n1\n\"flow\"\n1\n0.0\n3\n0\n3\n5\n11 0 0 0\n12 1 1 1\n13 2 2 2\n14 3 3 3\n15 4 4 4\n"
    "$EndNodeData\n"
    "$ElementData\n1\n\"stiffness\"\n1\n0.0\n3\n0\n1\n2\n8 2e5\n7 1e5\n$EndElementData\n"
    "$ElementData\n1\n\"stiffness\"\n1\n1.0\n3\n1\n1\n1\n7 9e9\n$EndElementData\n"
    "$ElementData\n1\n\"fibre\"\n1\n0.0\n3\n0\n3\n3\n7 1 0 0\n8 0 1 0\n9 0 0 1\n$EndElementData\n";

static const char gmsh4[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 11 15\n3 1 0 5\n11\n12\n13\n14\n15\n" POINTS
    "$EndNodes\n$Elements\n2 3 7 9\n3 1 4 2\n7 11 12 13 14\n9 12 13 14 15\n2 1 2 1\n8 11 12 13\n"
    "$EndElements\n"
    "$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n5\n11 1\n12 2\n13 3\n14 4\n15 5\n$EndNodeData\n"
    "$NodeData\n1\n\"flow\"\n1\n0.0\n3\n0\n3\n5\n11 0 0 0\n12 1 1 1\n13 2 2 2\n14 3 3 3\n15 4 4 4\n"
    "$EndNodeData\n"
    "$ElementData\n1\n\"stiffness\"\n1\n0.0\n3\n0\n1\n2\n8 2e5\n7 1e5\n$EndElementData\n"
    "$ElementData\n1\n\"fibre\"\n1\n0.0\n3\n0\n3\n3\n7 1 0 0\n8 0 1 0\n9 0 0 1\n$EndElementData\n";

static const char ply[] =
    "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float "
    "z\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float heat\n"
    "element face 2\nproperty float stiffness\nproperty list uchar int vertex_indices\nend_header\n"
    "0 0 0 255 0 51 1\n1 0 0 0 255 51 2\n1 1 0 0 0 51 3\n0 1 0 255 255 51 4\n"
    "1e5 4 0 1 2 3\n2e5 3 0 1 2\n";

static const char obj[] = "v 0 0 0 1 0 0.2\nv 1 0 0 0 1 0.2\nv 0 1 0 0 0 0.2\nf 1 2 3\n";

static pli_mesh_file *load(pli_context *context, const char *ending, const char *text)
{
    pli_mesh_file *mesh = NULL;
    OK(context, pli_mesh_file_parse(context, "memory", ending, text, (int64_t)strlen(text), &mesh));
    return mesh;
}

static const pli_mesh_array *find(const pli_mesh_data *mesh, const char *name, int32_t place)
{
    for (int32_t k = 0; k < mesh->array_count; ++k) {
        bool is_named = strcmp(mesh->arrays[k].name, name) == 0;
        if (is_named && mesh->arrays[k].place == place) return &mesh->arrays[k];
    }
    fail_msg("there is no array %s at place %d", name, (int)place);
    return NULL;
}

static void check_values(const pli_mesh_data *mesh, const char *name, int32_t place,
                         int32_t components, const double *want)
{
    const pli_mesh_array *array = find(mesh, name, place);
    assert_int_equal(array->component_count, components);
    int32_t count = pli_mesh_place_count(mesh, place) * components;
    for (int32_t k = 0; k < count; ++k) {
        bool is_missing = isnan(want[k]) && isnan(array->values[k]);
        if (!is_missing && array->values[k] != want[k]) {
            fail_msg("%s[%d] is %g, not %g", name, (int)k, array->values[k], want[k]);
        }
    }
}

static void every_format_has_the_same_arrays(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    static const struct {
        const char *ending;
        const char *text;
    } files[] = {{"vtk", vtk}, {"msh", gmsh2}, {"msh", gmsh4}};
    for (int k = 0; k < 3; ++k) {
        pli_mesh_file *mesh = load(context, files[k].ending, files[k].text);
        const pli_mesh_data *data = pli_mesh_file_data(mesh);
        check_values(data, "stiffness", PLI_MESH_TETS, 1, (double[]){1e5, NAN});
        check_values(data, "stiffness", PLI_MESH_TRIANGLES, 1, (double[]){2e5});
        check_values(data, "fibre", PLI_MESH_TETS, 3, (double[]){1, 0, 0, 0, 0, 1});
        check_values(data, "heat", PLI_MESH_POINTS, 1, (double[]){1, 2, 3, 4, 5});
        check_values(data, "flow", PLI_MESH_POINTS, 3,
                     (double[]){0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
        pli_mesh_file_destroy(mesh);
    }
    pli_context_destroy(context);
}

static void polygons_give_their_values_to_their_triangles(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    pli_mesh_file *mesh = load(context, "ply", ply);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    check_values(data, "stiffness", PLI_MESH_TRIANGLES, 1, (double[]){1e5, 1e5, 2e5});
    check_values(data, "heat", PLI_MESH_POINTS, 1, (double[]){1, 2, 3, 4});
    check_values(
        data, "color", PLI_MESH_POINTS, 3,
        (double[]){1, 0, 51 / 255.0, 0, 1, 51 / 255.0, 0, 0, 51 / 255.0, 1, 1, 51 / 255.0});
    pli_mesh_file_destroy(mesh);
    mesh = load(context, "obj", obj);
    check_values(pli_mesh_file_data(mesh), "color", PLI_MESH_POINTS, 3,
                 (double[]){1, 0, 0.2, 0, 1, 0.2, 0, 0, 0.2});
    pli_mesh_file_destroy(mesh);
    pli_context_destroy(context);
}

static void data_that_are_cut_short_are_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    // as far as the last value of the last array, in whose middle there is nothing to notice
    const char *const texts[] = {gmsh2, gmsh4};
    for (int k = 0; k < 2; ++k) {
        const char *data = strstr(texts[k], "$NodeData");
        for (size_t length = (size_t)(data - texts[k]) + 12; length + 2 < strlen(texts[k]);
             length += 7) {
            pli_mesh_file *mesh = NULL;
            pli_status status =
                pli_mesh_file_parse(context, "memory", "msh", texts[k], (int64_t)length, &mesh);
            // between two sections a file may end
            bool at_section = status == PLI_OK;
            if (at_section)
                assert_int_equal(texts[k][length - 1] == '\n' || texts[k][length] == '\n', 1);
            pli_mesh_file_destroy(mesh);
        }
    }
    pli_context_destroy(context);
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *ending;
        const char *text;
    } files[] = {{"vtk", vtk}, {"msh", gmsh2}, {"msh", gmsh4}, {"ply", ply}, {"obj", obj}};
    for (int k = 0; k < 5; ++k) {
        for (fault_sweep sweep = {0}; fault_sweep_next(&sweep);) {
            pli_mesh_file *mesh = NULL;
            int64_t length = (int64_t)strlen(files[k].text);
            sweep.status = pli_mesh_file_parse(sweep.context, "memory", files[k].ending,
                                               files[k].text, length, &mesh);
            pli_mesh_file_destroy(mesh);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_has_the_same_arrays),
        cmocka_unit_test(polygons_give_their_values_to_their_triangles),
        cmocka_unit_test(failing_allocations_leave_nothing),
        cmocka_unit_test(data_that_are_cut_short_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Tetrahedra of second order in files: nodes on edges in one order whatever the format, groups of
// nodes, and what is refused.
#include "near.h"

#include "base/context.h"
#include "io/mesh/mesh_file.h"

// A tetrahedron with node 4 + k in the middle of its edge 01, 12, 02, 03, 13, 23.
#define XYZ(sep)                                                                                \
    "0" sep "0" sep "0\n", "1" sep "0" sep "0\n", "0" sep "1" sep "0\n", "0" sep "0" sep "1\n", \
        ".5" sep "0" sep "0\n", ".5" sep ".5" sep "0\n", "0" sep ".5" sep "0\n",                \
        "0" sep "0" sep ".5\n", ".5" sep "0" sep ".5\n", "0" sep ".5" sep ".5\n"

static const char *const spaced[10] = {XYZ(" ")};
static const char *const commas[10] = {XYZ(", ")};

static void append_points(char *text, const char *const points[10], const char *separator)
{
    for (int k = 0; k < 10; ++k) {
        char line[64];
        if (separator == NULL) snprintf(line, sizeof line, "%s", points[k]);
        if (separator != NULL) snprintf(line, sizeof line, "%d%s%s", k + 1, separator, points[k]);
        strcat(text, line);
    }
}

static void make_gmsh2(char *text)
{
    strcpy(text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n");
    append_points(text, spaced, " ");
    // Gmsh has edge 23 before edge 13
    strcat(text, "$EndNodes\n$Elements\n1\n1 11 2 3 1 1 2 3 4 5 6 7 8 10 9\n$EndElements\n");
}

static void make_gmsh4(char *text)
{
    strcpy(text, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 10 1 10\n3 1 0 10\n"
                 "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
    append_points(text, spaced, NULL);
    strcat(text, "$EndNodes\n$Elements\n1 1 1 1\n3 1 11 1\n1 1 2 3 4 5 6 7 8 10 9\n"
                 "$EndElements\n");
}

static void make_vtk(char *text)
{
    strcpy(text, "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
                 "POINTS 10 double\n");
    append_points(text, spaced, NULL);
    strcat(text, "CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n");
}

static void make_abaqus(char *text)
{
    strcpy(text, "*NODE\n");
    append_points(text, commas, ", ");
    strcat(text, "*ELEMENT, TYPE=C3D10M, ELSET=e\n5, 1,2,3,4,5,6,7,\n8,9,10\n"
                 "*NSET, NSET=tip, GENERATE\n4, 10, 6\n*NSET,NSET=line\n1,2,5\n");
}

static pli_mesh_file *load(pli_context *context, const char *ending, const char *text)
{
    pli_mesh_file *mesh = NULL;
    OK(context, pli_mesh_file_parse(context, "test", ending, text, (int64_t)strlen(text), &mesh));
    return mesh;
}

static const struct {
    const char *ending;
    void (*make)(char *text);
} formats[] = {{"msh", make_gmsh2}, {"msh", make_gmsh4}, {"vtk", make_vtk}, {"inp", make_abaqus}};

static void nodes_on_edges_come_in_one_order(void **state)
{
    (void)state;
    static const int ends[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    pli_context *context = make_context(1);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; ++f) {
        char text[4096];
        formats[f].make(text);
        pli_mesh_file *mesh = load(context, formats[f].ending, text);
        const pli_mesh_data *data = pli_mesh_file_data(mesh);
        assert_int_equal(data->tet_count, 1);
        assert_non_null(data->tet_mids);
        for (int k = 0; k < 18; ++k) {
            const double *a = data->points + 3 * data->tets[ends[k / 3][0]];
            const double *b = data->points + 3 * data->tets[ends[k / 3][1]];
            double middle = 0.5 * (a[k % 3] + b[k % 3]);
            NEAR(data->points[3 * data->tet_mids[k / 3] + k % 3], middle, 0, 1e-15);
        }
        pli_mesh_file_destroy(mesh);
    }
    pli_context_destroy(context);
}

static void node_sets_are_groups(void **state)
{
    (void)state;
    char text[4096];
    make_abaqus(text);
    pli_context *context = make_context(1);
    pli_mesh_file *mesh = load(context, "inp", text);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    static const int32_t points[5] = {3, 9, 0, 1, 4};
    assert_int_equal(data->group_count, 3);
    assert_int_equal(data->set_count, 5);
    for (int k = 0; k < 5; ++k) {
        assert_int_equal(data->set_points[k], points[k]);
        assert_string_equal(data->group_names[data->set_groups[k]], k < 2 ? "tip" : "line");
    }
    pli_mesh_file_destroy(mesh);
    pli_context_destroy(context);
}

static void wrong_input_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"*NODE\n1, 0, 0, 0\n1, 1, 0, 0\n", ":3: node 1 appears a second time"},
        {"*NODE\n1, 0, 0\n*STEP\n", ":3:"},
        {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D8\n1, 1, 1\n", "elements of type C3D8"},
        {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", ":4: node 2 is not among"},
        {"*NODE\n1, 0, 0, 0\n*NSET, NSET=a, GENERATE\n1, 2000000000\n", "the range has"},
        {"*NODE\n1, 0, 0, 0\n*NSET, NSET=a\nb\n", ":4:"},
    };
    pli_context *context = make_context(1);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        pli_mesh_file *mesh = NULL;
        pli_status status = pli_mesh_file_parse(context, "test", "inp", rows[k].text,
                                                (int64_t)strlen(rows[k].text), &mesh);
        assert_int_equal(status, PLI_ERROR_MESH);
        assert_null(mesh);
        char said[1024];
        pli_context_message(context, said, sizeof said);
        if (strstr(said, rows[k].said) == NULL) fail_msg("'%s' lacks '%s'", said, rows[k].said);
    }
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_on_edges_come_in_one_order),
        cmocka_unit_test(node_sets_are_groups),
        cmocka_unit_test(wrong_input_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

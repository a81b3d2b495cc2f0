// SPDX-License-Identifier: Apache-2.0
#include "near.h"

#include "unit/io/mesh_samples.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "support/mesh_write.h"

#include <locale.h>
#include <unistd.h>

// a context that counts and keeps warnings
typedef struct fixture {
    pli_context *context;
    int warning_count;
    char warning[512];
} fixture;

static void hear(void *user, pli_log_level level, const char *text)
{
    fixture *fix = user;
    if (level > PLI_LOG_WARNING) return;
    ++fix->warning_count;
    snprintf(fix->warning, sizeof fix->warning, "%s", text);
}

static int set_up(void **state)
{
    fixture *fix = calloc(1, sizeof *fix);
    assert_non_null(fix);
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.log = hear;
    def.log_user = fix;
    OK(NULL, pli_context_create(&def, &fix->context));
    *state = fix;
    return 0;
}

static int tear_down(void **state)
{
    fixture *fix = *state;
    pli_context_destroy(fix->context);
    free(fix);
    return 0;
}

static pli_mesh_file *load_bytes(fixture *fix, const char *ending, const char *bytes, int64_t count)
{
    pli_mesh_file *mesh = NULL;
    OK(fix->context, pli_mesh_file_parse(fix->context, "memory", ending, bytes, count, &mesh));
    return mesh;
}

static pli_mesh_file *load(fixture *fix, const char *ending, const char *text)
{
    return load_bytes(fix, ending, text, (int64_t)strlen(text));
}

static void expect_message(fixture *fix, pli_status got, pli_status want, const char *part)
{
    char message[1024];
    pli_context_message(fix->context, message, sizeof message);
    if (got == want && strstr(message, part) != NULL && strchr(message, '\n') == NULL) return;
    fprintf(stderr, "got %s: %s\nwant %s: ...%s...\n", pli_status_text(got), message,
            pli_status_text(want), part);
    fail();
}

static void refuse(fixture *fix, const char *ending, const char *text, const char *part)
{
    pli_mesh_file *mesh = NULL;
    pli_status status =
        pli_mesh_file_parse(fix->context, "memory", ending, text, (int64_t)strlen(text), &mesh);
    assert_null(mesh);
    expect_message(fix, status, PLI_ERROR_MESH, part);
}

static void expect_counts(const pli_mesh_file *mesh, int32_t points, int32_t tets,
                          int32_t triangles)
{
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    assert_int_equal(data->point_count, points);
    assert_int_equal(data->tet_count, tets);
    assert_int_equal(data->triangle_count, triangles);
}

static void expect_loads(fixture *fix, const char *ending, const char *text, int32_t points,
                         int32_t tets, int32_t triangles)
{
    pli_mesh_file *mesh = load(fix, ending, text);
    expect_counts(mesh, points, tets, triangles);
    pli_mesh_file_destroy(mesh);
}

static const char *group_of_tet(const pli_mesh_data *data, int32_t tet)
{
    int32_t group = data->tet_groups != NULL ? data->tet_groups[tet] : -1;
    return group >= 0 ? data->group_names[group] : "";
}

static const char *group_of_triangle(const pli_mesh_data *data, int32_t triangle)
{
    int32_t group = data->triangle_groups != NULL ? data->triangle_groups[triangle] : -1;
    return group >= 0 ? data->group_names[group] : "";
}

// ---- all formats alike ----

static void every_format_yields_the_same_mesh(void **state)
{
    fixture *fix = *state;
    sample list[SAMPLE_CAPACITY];
    int count = make_samples(list);
    for (int i = 0; i < count; ++i) {
        pli_mesh_file *mesh = load_bytes(fix, list[i].ending, list[i].bytes, list[i].count);
        const pli_mesh_data *data = pli_mesh_file_data(mesh);
        expect_counts(mesh, 5, list[i].tets, list[i].triangles);

        // single precision in STL, and there points are numbered in the order of their use
        bool stl = strcmp(list[i].ending, "stl") == 0;
        static const int32_t order[] = {0, 1, 4, 2, 3};
        for (int k = 0; k < 15; ++k) {
            double want = sample_points[stl ? order[k / 3] : k / 3][k % 3];
            NEAR(data->points[k], want, stl ? 1e-7 : 0, 0);
        }
        if (data->tet_count > 0) {
            assert_memory_equal(data->tets, sample_tets, sizeof sample_tets);
        }
        static const int32_t triangles[9] = {0, 1, 4, 0, 4, 2, 0, 2, 3};
        static const int32_t renumbered[9] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
        for (int k = 0; k < 3 * data->triangle_count; ++k) {
            assert_int_equal(data->triangles[k], stl ? renumbered[k] : triangles[k]);
        }
        pli_mesh_file_destroy(mesh);
    }
    assert_int_equal(fix->warning_count, 0);
    free_samples(list, count);
}

static void content_overrules_a_wrong_or_missing_ending(void **state)
{
    fixture *fix = *state;
    sample list[SAMPLE_CAPACITY];
    int count = make_samples(list);
    for (int i = 0; i < count; ++i) {
        // TetGen's lists of numbers bear no mark
        if (strcmp(list[i].ending, "node") == 0) continue;
        static const char *const wrong[] = {"", "obj", "msh", "stl", "txt", "node"};
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
            int before = fix->warning_count;
            pli_mesh_file *mesh = load_bytes(fix, wrong[k], list[i].bytes, list[i].count);
            expect_counts(mesh, 5, list[i].tets, list[i].triangles);
            bool right = strcmp(list[i].ending, wrong[k]) == 0;
            assert_int_equal(fix->warning_count - before, right ? 0 : 1);
            pli_mesh_file_destroy(mesh);
        }
    }
    free_samples(list, count);
    refuse(fix, "docx", "neither fish nor flesh\n", "known endings are msh, vtk, ply");
}

// replaces every "\n" by another line end and puts a mark in front
static byte_list with_line_ends(const char *text, const char *line_end)
{
    byte_list out = {0};
    put_text(&out, "\xef\xbb\xbf");
    for (const char *c = text; *c != '\0'; ++c) {
        if (*c == '\n') {
            put_text(&out, line_end);
        } else {
            put(&out, c, 1);
        }
    }
    return out;
}

static void line_ends_and_mark_do_not_matter_in_text(void **state)
{
    fixture *fix = *state;
    static const struct {
        const char *ending;
        const char *text;
        int32_t tets;
        int32_t triangles;
    } texts[] = {{"msh", sample_gmsh22, 2, 3},  {"msh", sample_gmsh41, 2, 3},
                 {"node", sample_tetgen, 2, 3}, {"veg", sample_vega, 2, 0},
                 {"vtk", sample_vtk, 2, 3},     {"mesh", sample_medit, 2, 3},
                 {"obj", sample_obj, 0, 3},     {"off", sample_off, 0, 3},
                 {"ply", sample_ply, 0, 3},     {"stl", sample_stl, 0, 3}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        static const char *const ends[] = {"\r\n", "\r", " \t\n"};
        for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
            // a blank before the line end would end a continued line's backslash
            if (k == 2 && strcmp(texts[i].ending, "obj") == 0) continue;
            byte_list content = with_line_ends(texts[i].text, ends[k]);
            pli_mesh_file *mesh = load_bytes(fix, texts[i].ending, content.at, content.count);
            expect_counts(mesh, 5, texts[i].tets, texts[i].triangles);
            pli_mesh_file_destroy(mesh);

            // nor does the last line end
            while (strchr(" \t\r\n", content.at[content.count - 1]) != NULL) --content.count;
            mesh = load_bytes(fix, texts[i].ending, content.at, content.count);
            expect_counts(mesh, 5, texts[i].tets, texts[i].triangles);
            pli_mesh_file_destroy(mesh);
            free(content.at);
        }
    }
}

static void comma_locale_changes_nothing(void **state)
{
    fixture *fix = *state;
    const char *found = setlocale(LC_ALL, "de_DE.UTF-8");
    if (found == NULL) found = setlocale(LC_ALL, "fr_FR.UTF-8");
    if (found == NULL) {
        fprintf(stderr, "no locale with a decimal comma is installed\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    every_format_yields_the_same_mesh(state);
    static const double points[] = {0.1, 1.5, -2.25e-7};
    pli_mesh_data data = {.point_count = 1, .points = points};
    char path[] = "/tmp/pliant-locale-XXXXXX.obj";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    close(descriptor);
    OK(fix->context, pli_mesh_write(fix->context, path, &data));
    setlocale(LC_ALL, "C");
    pli_mesh_file *mesh = NULL;
    OK(fix->context, pli_mesh_file_read(fix->context, path, &mesh));
    assert_memory_equal(pli_mesh_file_data(mesh)->points, points, sizeof points);
    pli_mesh_file_destroy(mesh);
    unlink(path);
}

static void foreign_encodings_and_empty_files_are_refused(void **state)
{
    fixture *fix = *state;
    refuse(fix, "obj", "", "memory:1: the file is empty");
    refuse(fix, "obj", "\xfe\xff", "memory:1: the text is encoded as UTF-16; save it as UTF-8");
    refuse(fix, "msh", "\xff\xfe$", "UTF-16");
    refuse(fix, "obj", "# nothing\n", "the mesh has no vertices");
    refuse(fix, "obj", "\xef\xbb\xbf", "the mesh has no vertices");
}

static void repeated_vertices_are_refused_by_name(void **state)
{
    fixture *fix = *state;
    refuse(fix, "mesh",
           "MeshVersionFormatted 1 Dimension 3 Vertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
           "Tetrahedra 8\n1 2 3 4 0\n1 1 2 3 0\n1 2 2 3 0\n1 2 3 3 0\n1 2 3 1 0\n1 2 3 2 0\n"
           "4 2 4 1 0\n1 2 3 4 0\n",
           "memory:8: tetrahedron 1, counted from 0, uses a vertex twice; so do 2, 3, 4, 5 and 1 "
           "more; 4 different vertices are needed");
    refuse(fix, "obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 1\n",
           "memory:5: triangle 1, counted from 0, uses a vertex twice; 3 different");
}

// ---- Gmsh ----

static void gmsh_physical_groups_are_named(void **state)
{
    fixture *fix = *state;
    pli_mesh_file *mesh = load(fix, "msh", sample_gmsh22);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    assert_int_equal(data->group_count, 2);
    assert_string_equal(group_of_tet(data, 0), "soft part");
    assert_string_equal(group_of_tet(data, 1), "soft part");
    assert_string_equal(group_of_triangle(data, 0), "skin");
    assert_string_equal(group_of_triangle(data, 1), "skin");
    pli_mesh_file_destroy(mesh);

    // through entities, by number where there is no name, orientation apart
    mesh = load(fix, "msh", sample_gmsh41);
    data = pli_mesh_file_data(mesh);
    assert_int_equal(data->group_count, 2);
    assert_string_equal(group_of_tet(data, 0), "soft part");
    assert_string_equal(group_of_triangle(data, 2), "3");
    pli_mesh_file_destroy(mesh);

    // no groups at all
    mesh = load(fix, "veg", sample_vega);
    data = pli_mesh_file_data(mesh);
    assert_int_equal(data->group_count, 0);
    assert_null(data->tet_groups);
    assert_null(data->group_names);
    pli_mesh_file_destroy(mesh);
}

#define GMSH22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define GMSH22_NODES GMSH22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define GMSH41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"

static void gmsh_cell_in_several_groups_counts_once(void **state)
{
    fixture *fix = *state;
    // version 2 writes it once per group
    pli_mesh_file *twice =
        load(fix, "msh",
             GMSH22_NODES "$Elements\n4\n1 4 2 5 1 1 2 3 4\n2 4 2 6 1 1 2 3 4\n3 2 2 5 1 1 2 3\n"
                          "4 2 2 5 1 1 2 3\n$EndElements\n");
    expect_counts(twice, 4, 1, 2);
    assert_string_equal(group_of_tet(pli_mesh_file_data(twice), 0), "5");
    assert_string_equal(fix->warning,
                        "memory: 1 cells belong to further physical groups; the first "
                        "of each is used");
    pli_mesh_file_destroy(twice);
    fix->warning_count = 0;

    // version 4 says it of the entity
    pli_mesh_file *mesh =
        load(fix, "msh",
             GMSH41 "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 2 5 6 0\n$EndEntities\n$Nodes\n1 4 1 4\n"
                    "3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n$Elements\n"
                    "1 1 1 1\n3 1 4 1\n1 1 2 3 4\n$EndElements\n");
    assert_string_equal(group_of_tet(pli_mesh_file_data(mesh), 0), "5");
    assert_int_equal(fix->warning_count, 1);
    pli_mesh_file_destroy(mesh);
}

#define GMSH22_TEN                                                                 \
    GMSH22 "$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 .5 0 0\n6 .5 .5 0\n" \
           "7 0 .5 0\n8 0 0 .5\n9 0 .5 .5\n10 .5 0 .5\n$EndNodes\n"

// Where all tetrahedra are of second order they stay so (test_mesh_second_order.c).
static void gmsh_higher_order_cells_become_their_corners(void **state)
{
    fixture *fix = *state;
    pli_mesh_file *mesh = load(fix, "msh",
                               GMSH22_TEN "$Elements\n3\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n"
                                          "2 4 2 0 1 1 3 2 9\n3 9 0 1 2 3 5 6 7\n$EndElements\n");
    expect_counts(mesh, 10, 2, 1);
    assert_null(pli_mesh_file_data(mesh)->tet_mids);
    assert_non_null(strstr(fix->warning, "2 cells of higher order"));
    pli_mesh_file_destroy(mesh);
    fix->warning_count = 0;

    pli_mesh_file *whole = load(fix, "msh",
                                GMSH22_TEN "$Elements\n2\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n"
                                           "2 9 0 1 2 3 5 6 7\n$EndElements\n");
    expect_counts(whole, 10, 1, 1);
    assert_non_null(pli_mesh_file_data(whole)->tet_mids);
    assert_int_equal(fix->warning_count, 0);
    pli_mesh_file_destroy(whole);
}

static void gmsh_faults_are_told(void **state)
{
    fixture *fix = *state;
    static const struct {
        const char *text;
        const char *part;
    } faults[] = {
        {"$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "memory:2: version 3 of the format is not read"},
        {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "save it as 2.2 or 4.1"},
        {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", "memory:2: found '2' where the kind of file"},
        {"$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "the size of a number"},
        {"$MeshFormat\n2.2 1 8\n\1\1\1\1\n$EndMeshFormat\n", "memory: byte 20: found 16843009"},
        {"$Comments\nhello\n$EndComments\n", "the file ends without $Nodes"},
        {GMSH22, "memory:4: the file ends without $Nodes"},
        {GMSH22_NODES, "the file ends without $Elements"},
        {GMSH22 "$Elements\n0\n$EndElements\n", "$Elements comes before $Nodes"},
        {GMSH22_NODES "$Nodes\n0\n$EndNodes\n", "$Nodes appears a second time"},
        {GMSH22_NODES "junk\n", "found 'junk' where the start of a section should be"},
        {GMSH22_NODES "$Other\n1 2 3\n", "does not end; '$EndOther' is needed"},
        {GMSH22 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "the node tag 1 appears a second time"},
        {GMSH22 "$Nodes\n2\n1 0 0\n2 1 0 0\n$EndNodes\n",
         "memory:6: the line ends where a coordinate of a node should be; a number is needed"},
        {GMSH22 "$Nodes\n1\n1 0 0 0 0\n$EndNodes\n", "found '0' after the last value of this line"},
        {GMSH22 "$Nodes\n1\n1 0 0 1e999\n$EndNodes\n", "a number below 1.8e308 is needed"},
        {GMSH22 "$Nodes\n1\n1 0 0 0,5\n$EndNodes\n", "found '0,5' where a coordinate"},
        {GMSH22 "$Nodes\n-1\n$EndNodes\n", "found '-1' where the number of nodes should be"},
        {GMSH22 "$Nodes\n1000000\n1 0 0 0\n$EndNodes\n", "1000000 nodes are announced, but the 19"},
        {GMSH22 "$Nodes\n99999999999\n1 0 0 0\n", "a number from 0 to 2147483647"},
        {GMSH22_NODES "$Elements\n1\n1 5 0 1 2 3 4 1 2 3 4\n$EndElements\n",
         "memory:13: element type 5 is a hexahedron, prism or pyramid"},
        {GMSH22_NODES "$Elements\n1\n1 77 0 1\n$EndElements\n", "element type 77 is unknown"},
        {GMSH22_NODES "$Elements\n1\n1 4 0 1 2 3\n$EndElements\n", "the line ends where a node"},
        {GMSH22_NODES "$Elements\n2\n1 4 0 1 2 3 4\n$EndElements\n",
         "found '$EndElements' where the number of an element should be"},
        {GMSH41 "$Nodes\n1 2 1 2\n3 0 0 1\n1\n0 0 0\n$EndNodes\n",
         "announces 2 nodes, but its blocks hold 1"},
        {GMSH41 "$Nodes\n1 1 1 2\n3 0 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
         "announces 1 nodes, but its blocks hold 2"},
        {GMSH41 "$Nodes\n1 1 1 1\n3 0 2 1\n1\n0 0 0\n$EndNodes\n", "dimension 3 and parametric 2"},
        {GMSH41 "$Nodes\n1 1 1 1\n3 0 0 1\n1\n0 0 0\n$EndNodes\n$Elements\n1 2 1 2\n3 0 15 1\n1 1\n"
                "$EndElements\n",
         "announces 2 elements, but its blocks hold 1"},
        {GMSH41 "$Nodes\n1 1 1 1\n3 0 0 9223372036854775807\n1\n0 0 0\n$EndNodes\n",
         "announces 1 nodes, but its blocks hold 9223372036854775807"},
        {GMSH41 "$Entities\n0 0 0 9000000000000000000\n$EndEntities\n", "entities are announced"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; ++i) {
        refuse(fix, "msh", faults[i].text, faults[i].part);
    }
}

// ---- the others ----

static void write_file(fixture *fix, const char *path, const char *text)
{
    OK(fix->context, pli_file_write(fix->context, path, text, (int64_t)strlen(text)));
}

static void tetgen_files_find_each_other(void **state)
{
    fixture *fix = *state;
    char folder[] = "/tmp/pliant-tetgen-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char paths[3][64];
    static const char *const endings[] = {"node", "ele", "face"};
    static const char *const texts[] = {"4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n",
                                        "1 4 0\n0 0 1 2 3\n# end\n", "1 1\n0 0 1 2 1\n"};
    for (int i = 0; i < 3; ++i) {
        snprintf(paths[i], sizeof paths[i], "%s/a.1.%s", folder, endings[i]);
        write_file(fix, paths[i], texts[i]);
    }
    for (int i = 0; i < 3; ++i) {
        pli_mesh_file *mesh = NULL;
        OK(fix->context, pli_mesh_file_read(fix->context, paths[i], &mesh));
        expect_counts(mesh, 4, 1, 1);
        pli_mesh_file_destroy(mesh);
    }

    // a fault in a companion is told with its own name and line
    pli_mesh_file *mesh = NULL;
    write_file(fix, paths[1], "2 4 0\n0 0 1 2 3\n1 0 1 2 2\n");
    expect_message(fix, pli_mesh_file_read(fix->context, paths[0], &mesh), PLI_ERROR_MESH,
                   "a.1.ele:3: tetrahedron 1, counted from 0, uses a vertex twice");
    write_file(fix, paths[1], "1 4 0\n0 0 1 2 4\n");
    expect_message(fix, pli_mesh_file_read(fix->context, paths[0], &mesh), PLI_ERROR_MESH,
                   "a.1.ele:2: found '4' where a vertex of a cell should be; a number from 0 to 3");

    // what is missing: only the nodes are needed
    unlink(paths[1]);
    OK(fix->context, pli_mesh_file_read(fix->context, paths[0], &mesh));
    expect_counts(mesh, 4, 0, 1);
    pli_mesh_file_destroy(mesh);
    unlink(paths[0]);
    expect_message(fix, pli_mesh_file_read(fix->context, paths[2], &mesh), PLI_ERROR_IO,
                   "a.1.node: cannot open");
    unlink(paths[2]);
    rmdir(folder);
}

static void tetgen_attributes_are_groups(void **state)
{
    fixture *fix = *state;
    pli_mesh_file *mesh = load(fix, "node", sample_tetgen);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    assert_string_equal(group_of_tet(data, 0), "7");
    assert_string_equal(group_of_tet(data, 1), "");
    assert_string_equal(group_of_triangle(data, 0), "-1");
    assert_string_equal(group_of_triangle(data, 2), "2");
    pli_mesh_file_destroy(mesh);
}

static void vtk_cells_keep_their_sense(void **state)
{
    fixture *fix = *state;
    pli_mesh_file *mesh = load(
        fix, "vtk",
        "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
        "0 0 0 1 0 0 0 1 0 1 1 0 0 2 0\nVERTICES 1 2\n1 0\nTRIANGLE_STRIPS 1 6\n5 0 1 2 3 4\n");
    static const int32_t strip[] = {0, 1, 2, 2, 1, 3, 2, 3, 4};
    expect_counts(mesh, 5, 0, 3);
    assert_memory_equal(pli_mesh_file_data(mesh)->triangles, strip, sizeof strip);
    pli_mesh_file_destroy(mesh);

    mesh = load(fix, "vtk",
                "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 int\n"
                "0 0 0 1 0 0 0 1 0 1 1 0\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n8\n");
    static const int32_t pixel[] = {0, 1, 3, 0, 3, 2};
    expect_counts(mesh, 4, 0, 2);
    assert_memory_equal(pli_mesh_file_data(mesh)->triangles, pixel, sizeof pixel);
    pli_mesh_file_destroy(mesh);
}

static void obj_corners_are_found(void **state)
{
    fixture *fix = *state;
    // forward, backward and with every kind of tail
    pli_mesh_file *mesh = load(fix, "obj",
                               "f 1 2/ 3//\nv 0 0 0\nv 1 0 0\nv 0 1 0 1 0.5 0.5\nf -3/1 -2/1/1 "
                               "-1//1\nv 0 0 1\nf -1 -2 -3\n");
    static const int32_t triangles[] = {0, 1, 2, 0, 1, 2, 3, 2, 1};
    expect_counts(mesh, 4, 0, 3);
    assert_memory_equal(pli_mesh_file_data(mesh)->triangles, triangles, sizeof triangles);
    pli_mesh_file_destroy(mesh);

    mesh = load(fix, "obj", sample_obj);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    assert_string_equal(group_of_triangle(data, 1), "the quad");
    assert_string_equal(group_of_triangle(data, 2), "tri");
    pli_mesh_file_destroy(mesh);

    // a polygon of ten thousand corners on one line
    enum { CORNERS = 10000, CAPACITY = 40 * CORNERS };
    char *text = malloc(CAPACITY);
    assert_non_null(text);
    int length = 0;
    for (int i = 0; i < CORNERS; ++i) {
        length += snprintf(text + length, (size_t)(CAPACITY - length), "v %d %d 0\n", i, i * i);
    }
    text[length++] = 'f';
    for (int i = 0; i < CORNERS; ++i) {
        length += snprintf(text + length, (size_t)(CAPACITY - length), " %d", i + 1);
    }
    mesh = load_bytes(fix, "obj", text, length);
    expect_counts(mesh, CORNERS, 0, CORNERS - 2);
    pli_mesh_file_destroy(mesh);
    free(text);
}

static void stl_vertices_are_merged_exactly(void **state)
{
    fixture *fix = *state;
    // -0 is 0; a difference in the last bit is a difference; collapsed facets are left out
    pli_mesh_file *mesh = load(fix, "stl",
                               "solid s\n" SAMPLE_FACET("0 0 0", "1 0 0", "0 1 0")
                                   SAMPLE_FACET("-0 0 0", "1.0 0e5 0", "0 1.0000000000000002 0")
                                       SAMPLE_FACET("0 0 0", "-0 0 0", "1 0 0") "endsolid\n");
    expect_counts(mesh, 4, 0, 2);
    assert_string_equal(group_of_triangle(pli_mesh_file_data(mesh), 1), "s");
    assert_string_equal(fix->warning, "memory: 1 triangles with two equal vertices are left out");
    pli_mesh_file_destroy(mesh);

    // bytes after the last triangle
    byte_list out = make_stl();
    put_text(&out, "tail");
    mesh = load_bytes(fix, "stl", out.at, out.count);
    expect_counts(mesh, 5, 0, 3);
    assert_non_null(strstr(fix->warning, "4 bytes after the 3 triangles"));
    pli_mesh_file_destroy(mesh);
    free(out.at);
}

static void off_variants_load(void **state)
{
    fixture *fix = *state;
    expect_loads(fix, "off", "3 1\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 3, 0, 1);
    expect_loads(fix, "off", "  OFF3 1 0 # glued\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 3, 0, 1);
    expect_loads(fix, "off", "COFF 3 1 0\n0 0 0 1 0 0 1\n1 0 0 1 0 0 1\n0 1 0 1 0 0 1\n3 0 1 2\n",
                 3, 0, 1);
    expect_loads(fix, "off", "NOFF\n3 1 3\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 5\n", 3,
                 0, 1);
}

static void off_vertices_have_what_their_first_word_says(void **state)
{
    fixture *fix = *state;
    static const struct {
        const char *word;
        int least; // numbers of a vertex
    } words[] = {{"OFF", 3},   {"COFF", 6},  {"NOFF", 6},   {"noff", 6},   {"CNOFF", 9},
                 {"NCOFF", 9}, {"STOFF", 5}, {"STCOFF", 8}, {"STNOFF", 8}, {"STCNOFF", 11}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        for (int numbers = 3; numbers < 13; ++numbers) {
            char text[512];
            int length = snprintf(text, sizeof text, "%s\n3 1 0\n", words[i].word);
            for (int v = 0; v < 3; ++v) {
                length += snprintf(text + length, sizeof text - (size_t)length, "%d %d 0", v == 1,
                                   v == 2);
                for (int k = 3; k < (v == 1 ? numbers : 12); ++k) {
                    length += snprintf(text + length, sizeof text - (size_t)length, " 1");
                }
                length += snprintf(text + length, sizeof text - (size_t)length, "\n");
            }
            snprintf(text + length, sizeof text - (size_t)length, "3 0 1 2\n");
            if (numbers >= words[i].least) {
                expect_loads(fix, "off", text, 3, 0, 1);
            } else {
                refuse(fix, "off", text, "memory:4: vertex 1 has");
            }
        }
    }
    // other dimensions
    static const char *const others[] = {"4OFF", "nOFF", "4nOFF", "C4OFF", "STCN4nOFF", "CnOFF"};
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        char text[128];
        snprintf(text, sizeof text, "%s\n3 1 0\n0 0 0 1\n1 0 0 1\n0 1 0 1\n3 0 1 2\n", others[i]);
        refuse(fix, "off", text, "where the first word should be; 'OFF'");
    }
}

// ---- faces that are no triangles ----

// 0, 1, 2, 3 are a dart of area 1.5 whose last corner goes in; a fan from corner 0 has twice 1 -
// 0.25
static const char *const darts[][2] = {
    {"obj", "v 0 0 5\nv 2 1 5\nv 0 2 5\nv .5 1 5\nf 1 2 3 4\n"},
    {"obj", "v 0 0 5\nv 2 1 5\nv 0 2 5\nv .5 1 5\nf -3 -2 -1 -4\n"},
    {"obj", "f 1 2 3 4\nv 0 0 5\nv 2 1 5\nv 0 2 5\nv .5 1 5\n"},
    {"off", "OFF 4 1 0\n0 5 0\n2 5 1\n0 5 2\n.5 5 1\n4 3 2 1 0\n"},
    {"off", "OFF 4 1 0\n5 0 0\n5 2 1\n5 0 2\n5 .5 1\n4 2 3 0 1\n"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
            "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
            "end_header\n0 0 5\n2 1 5\n0 2 5\n.5 1 5\n4 0 1 2 3\n"},
    {"vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
            "0 0 5 2 1 5 0 2 5 .5 1 5\nPOLYGONS 1 5\n4 0 1 2 3\n"},
    {"vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n"
            "0 0 5 2 1 5 0 2 5 .5 1 5\nCELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n"},
    {"mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 4\n0 0 5 0\n2 1 5 0\n0 2 5 0\n"
             ".5 1 5 0\nQuadrilaterals 1\n1 2 3 4 0\nEnd\n"},
    {"msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 5\n2 2 1 5\n3 0 2 5\n"
            "4 .5 1 5\n$EndNodes\n$Elements\n1\n1 3 2 0 1 1 2 3 4\n$EndElements\n"},
};

static double area_of(const pli_mesh_data *data)
{
    double sum = 0;
    for (int32_t i = 0; i < data->triangle_count; ++i) {
        const double *x[3];
        double n[3];
        for (int k = 0; k < 3; ++k) x[k] = data->points + 3 * data->triangles[3 * i + k];
        for (int k = 0; k < 3; ++k) {
            int a = (k + 1) % 3;
            int b = (k + 2) % 3;
            n[k] = (x[1][a] - x[0][a]) * (x[2][b] - x[0][b]) -
                   (x[1][b] - x[0][b]) * (x[2][a] - x[0][a]);
        }
        sum += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return sum;
}

static void concave_face_has_its_own_area_in_every_format(void **state)
{
    fixture *fix = *state;
    for (size_t i = 0; i < sizeof darts / sizeof *darts; ++i) {
        pli_mesh_file *mesh = load(fix, darts[i][0], darts[i][1]);
        expect_counts(mesh, 4, 0, 2);
        // a few roundings
        NEAR(area_of(pli_mesh_file_data(mesh)), 1.5, 1e-15, 0);
        pli_mesh_file_destroy(mesh);
    }
}

static void faces_that_cross_themselves_are_refused_where_they_stand(void **state)
{
    fixture *fix = *state;
    refuse(fix, "obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nf 1 3 2 4\n",
           "memory:6: sides 1 and 3 of a face, counted from its first corner, cross or touch");
    refuse(fix, "obj", "\nf 1 3 2 4\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n",
           "memory:2: sides 1 and 3");
    refuse(fix, "off", "OFF\n4 1 0\n0 0 0\n2 0 0\n1 1 0\n1 0 0\n4 0 1 2 3\n",
           "memory:7: sides 1 and ");
    refuse(fix, "off", "OFF\n4 1 0\n0 0 0\n2 0 0\n2 0 0\n1 1 0\n4 0 1 2 3\n",
           "memory:7: corners 2 and 3 of a face lie at the same place");
    refuse(fix, "off", "OFF\n4 1 0\n0 0 0\n2 0 0\n3 0 0\n1 0 0\n4 0 1 2 3\n",
           "memory:7: the corners of a face lie on one line, so that it has no area");
    refuse(fix, "off", "OFF\n5 1 0\n0 0 0\n2 0 0\n2 2 0\n1 1 0\n9 9 9\n4 0 1 2 1\n",
           "memory:8: a face uses a vertex twice, as corners 2 and 4");
    refuse(fix, "off", "OFF\n3 1 0\n0 0 0\n2 0 0\n2 2 0\n4 0 1 2 1\n",
           "memory:6: a face of 4 corners uses a vertex twice");
    refuse(fix, "vtk",
           "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n"
           "0 0 0 1 1 0 1 0 0 0 1 0\nPOLYGONS 1 5\n4 0 1 2 3\n",
           "memory:8: sides 1 and 3");
}

// files with one fault each, and what is said about it
static const struct {
    const char *ending;
    const char *text;
    const char *part;
} other_faults[] = {
    {"node", "4 2 0 0\n", "4 nodes are announced"},
    {"node", "1 2 0 0\n0 1 1\n", "dimension 2; 3 is needed"},
    {"node", "2 3 0 0\n0 0 0 0\n2 1 0 0\n", "memory:3: found '2' where the number of a node"},
    {"node", "1 3 0 0\n7 0 0 0\n", "a number from 0 to 1 is needed"},
    {"node", "1 3 0 0\n0 0 0 0 5\n", "found '5' after the last value of this line"},
    {"node", "1 3 0 0\n0 0 0 0\n1 8 0\n0 0 1 2 3 4 5 6 7\n", "have 8 nodes; tetrahedra have"},
    {"node", "1 3 0 0\n0 0 0 0\n0 4 0\n0 0\njunk\n", "memory:5: found 'junk' where the end"},
    {"veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*ELEMENTS\nCUBIC\n", "memory:5: found 'CUBIC'"},
    {"veg", "*INCLUDE other.veg\n", "found '*INCLUDE' where a section should be"},
    {"veg", "*VERTICES\n1 3 0 0\n1 0 0 0\n*VERTICES\n1 3 0 0\n", "memory:4: found '*VERTICES'"},
    {"vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_GRID\n",
     "memory:4: found 'STRUCTURED_GRID' where the kind of data set should be"},
    {"vtk", "# vtk DataFile Version 3.0\nt\nTEXT\n", "ASCII or BINARY is needed"},
    {"vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 1\n",
     "memory:8: a cell refers to vertex 1; there are 1 vertices, counted from 0"},
    {"vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\n",
     "CELL_TYPES is missing"},
    {"vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 2\n1 1\n",
     "2 cell types are announced for 1 cells"},
    {"vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 1 float\n0 0 0\nCELLS 1 2\n1 0\nCELL_TYPES 1\n10\n",
     "is of type 10 and has 1 points; 4 are needed"},
    {"vtk",
     "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n"
     "POINTS 1 float\n0 0 0\nCELLS 1 2\n2 0 0\n",
     "cell 0 has 2 points; the list announces 2 numbers in all"},
    {"vtk",
     "# vtk DataFile Version 5.1\nt\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n"
     "POLYGONS 2 3\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 0 0\n",
     "offset 1 is 4; offsets must rise from 0 to 3"},
    {"mesh", "MeshVersionFormatted 1\nDimension 2\n", "memory:2: found '2' where the dimension"},
    {"mesh", "MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 0 0\nTriangles 1\n1 2 3 0\n",
     "memory:6: found '2' where a vertex of a cell should be; a number from 1 to 1"},
    {"mesh", "MeshVersionFormatted 1\nDimension 3\nHexahedra 1\n1 2 3 4 5 6 7 8 0\n",
     "only tetrahedra can fill a body"},
    {"mesh", "MeshVersionFormatted 1\nDimension 3\nTriangles 1\n1 2 3 0\n",
     "an earlier item to refer to is needed"},
    {"obj", "v 0 0\n", "memory:1: the line ends where a coordinate of a vertex should be"},
    {"obj", "v 0 0 0\nf 1 1\n", "a face has 2 corners; at least 3 are needed"},
    {"obj", "v 0 0 0\nf 1 2 3\n", "memory:2: a face refers to vertex 2; 1 to 1 are allowed"},
    {"obj", "v 0 0 0\nf 1 -2 1\n", "refers to vertex -2; 1 to 1 are allowed, or -1 to -1"},
    {"obj", "v 0 0 0\nf 1/x 1 1\n", "found '1/x' where a corner of a face should be"},
    {"obj", "v 0 0 0\nvertex 1 2 3\n", "memory:2: found 'vertex' where a statement should be"},
    {"obj", "v 0 0 1_\n", "found '1_'"},
    {"obj", "v 0 0 nan\n", "found 'nan' where a coordinate of a vertex should be"},
    {"obj", "v 0 0 \x01\n", "found '?'"},
    {"off", "OFF BINARY\n1 0 0\n", "binary OFF is not read; save it as text"},
    {"off", "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "memory:4: found '1' where a vertex of a cell"},
    {"off", "OFF\n1 0 0\n0 0 0\nmore\n", "found 'more' where the end of the file"},
    {"off", "4OFF\n1 0 0\n0 0 0 1\n", "found '4OFF'"},
    {"off", "POFF\n1 0 0\n0 0 0\n", "found 'POFF' where the first word should be"},
    {"ply", "ply\nformat ascii 2.0\n", "'1.0' is needed"},
    {"ply", "ply\nformat xml 1.0\n", "found 'xml' where the kind of file should be"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
     "the vertices have no x, y and z"},
    {"ply", "ply\nformat ascii 1.0\nproperty float x\n", "comes before the first element"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty number x\n", "found 'number'"},
    {"ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement vertex 1\n", "declared before"},
    {"ply", "ply\nformat ascii 1.0\nelement face 1\nproperty int a\nend_header\n0\n",
     "the faces have no list vertex_indices"},
    {"ply", "ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\n",
     "whole numbers are needed"},
    {"ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
     "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
     "end_header\n0 0 0\n3 0 0 5\n",
     "memory:11: a cell refers to vertex 5; there are 1 vertices"},
    {"ply",
     "ply\nformat ascii 1.0\nelement a 1\nproperty list int int b\nend_header\n"
     "-1\n",
     "-1 values of a list are announced"},
    {"stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\n",
     "memory:5: found 'endloop' where a vertex of a facet should be; 'vertex' is needed"},
    {"stl", "solid\n", "'endsolid' is needed"},
};

static void faults_of_other_formats_are_told(void **state)
{
    fixture *fix = *state;
    for (size_t i = 0; i < sizeof other_faults / sizeof *other_faults; ++i) {
        refuse(fix, other_faults[i].ending, other_faults[i].text, other_faults[i].part);
    }
}

static void binary_faults_name_the_byte(void **state)
{
    fixture *fix = *state;
    byte_list out = make_stl();
    pli_mesh_file *mesh = NULL;
    out.at[80] = 4;
    pli_status status =
        pli_mesh_file_parse(fix->context, "memory", "stl", out.at, out.count, &mesh);
    expect_message(fix, status, PLI_ERROR_MESH,
                   "memory: byte 0: 4 triangles are announced, but the 150 bytes");
    out.at[80] = 3;

    // the first coordinate becomes infinite
    memcpy(out.at + 84 + 12, "\x00\x00\x80\x7f", 4);
    status = pli_mesh_file_parse(fix->context, "memory", "stl", out.at, out.count, &mesh);
    expect_message(fix, status, PLI_ERROR_MESH,
                   "memory: byte 84: a coordinate of vertex 0 is not finite");
    free(out.at);
}

// ---- writing ----

static void written_meshes_read_back_bit_by_bit(void **state)
{
    fixture *fix = *state;
    double points[6][3] = {{0.1, -0.0, 1e-310}, {1.0 / 3, 1e300, -7}, {0, 1, 0}, {0, 0, 1.5},
                           {3, 3, 3},           {5, 5, 2.5e-5}};
    int32_t tets[2][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}};
    int32_t triangles[3][3] = {{0, 1, 2}, {2, 3, 4}, {3, 4, 5}};
    int32_t tet_groups[2] = {1, -1};
    int32_t triangle_groups[3] = {-1, 0, 1};
    const char *names[2] = {"left side", "7"};
    pli_mesh_data data = {.point_count = 6,
                          .points = &points[0][0],
                          .tet_count = 2,
                          .tets = &tets[0][0],
                          .triangle_count = 3,
                          .triangles = &triangles[0][0],
                          .group_count = 2,
                          .group_names = names,
                          .tet_groups = tet_groups,
                          .triangle_groups = triangle_groups};
    static const char *const endings[] = {"msh", "obj", "ply"};
    for (int i = 0; i < 3; ++i) {
        char path[] = "/tmp/pliant-write-XXXXXX.end";
        strcpy(strrchr(path, '.') + 1, endings[i]);
        int descriptor = mkstemps(path, 4);
        assert_true(descriptor >= 0);
        close(descriptor);
        OK(fix->context, pli_mesh_write(fix->context, path, &data));
        pli_mesh_file *mesh = NULL;
        OK(fix->context, pli_mesh_file_read(fix->context, path, &mesh));
        unlink(path);

        const pli_mesh_data *back = pli_mesh_file_data(mesh);
        expect_counts(mesh, 6, i == 0 ? 2 : 0, 3);
        assert_memory_equal(back->points, points, sizeof points);
        assert_memory_equal(back->triangles, triangles, sizeof triangles);
        if (i == 0) {
            assert_memory_equal(back->tets, tets, sizeof tets);
            assert_string_equal(group_of_tet(back, 0), "7");
            assert_string_equal(group_of_tet(back, 1), "");
        }
        if (i < 2) {
            assert_string_equal(group_of_triangle(back, 0), "");
            assert_string_equal(group_of_triangle(back, 1), "left side");
            assert_string_equal(group_of_triangle(back, 2), "7");
        }
        pli_mesh_file_destroy(mesh);
    }
    expect_message(fix, pli_mesh_write(fix->context, "/tmp/a.stl", &data), PLI_ERROR_UNSUPPORTED,
                   "meshes are written as .msh, .obj or .ply, not as '.stl'");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_format_yields_the_same_mesh),
        TEST(content_overrules_a_wrong_or_missing_ending),
        TEST(line_ends_and_mark_do_not_matter_in_text),
        TEST(comma_locale_changes_nothing),
        TEST(foreign_encodings_and_empty_files_are_refused),
        TEST(repeated_vertices_are_refused_by_name),
        TEST(gmsh_physical_groups_are_named),
        TEST(gmsh_cell_in_several_groups_counts_once),
        TEST(gmsh_higher_order_cells_become_their_corners),
        TEST(gmsh_faults_are_told),
        TEST(tetgen_files_find_each_other),
        TEST(tetgen_attributes_are_groups),
        TEST(vtk_cells_keep_their_sense),
        TEST(obj_corners_are_found),
        TEST(stl_vertices_are_merged_exactly),
        TEST(off_variants_load),
        TEST(off_vertices_have_what_their_first_word_says),
        TEST(concave_face_has_its_own_area_in_every_format),
        TEST(faces_that_cross_themselves_are_refused_where_they_stand),
        TEST(faults_of_other_formats_are_told),
        TEST(binary_faults_name_the_byte),
        TEST(written_meshes_read_back_bit_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// SPDX-License-Identifier: Apache-2.0
//
// Published meshes and published broken meshes, where they are installed: the folder that the
// environment variable PLIANT_SHARED names holds data/meshes with a README.md that says how many
// vertices, tetrahedra and triangles each file has.
#include "near.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/mesh/mesh_file.h"

#include <dirent.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[512]; // .../data/meshes

static int find_files(void **state)
{
    (void)state;
    const char *shared = getenv("PLIANT_SHARED");
    snprintf(root, sizeof root, "%s/data/meshes", shared != NULL ? shared : "");
    return 0;
}

static void skip_without_files(void)
{
    if (root[0] == '/' && pli_path_exists(root)) return;
    fprintf(stderr, "no meshes in '%s'; set PLIANT_SHARED\n", root);
    skip();
}

// the number before this word in a text, or -1
static long number_before(const char *text, const char *word)
{
    const char *found = strstr(text, word);
    if (found == NULL) return -1;
    const char *digits = found;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9') --digits;
    return digits < found ? strtol(digits, NULL, 10) : -1;
}

static void expect_number(const char *file, const char *what, long got, long want)
{
    if (want < 0 || got == want) return;
    fprintf(stderr, "%s: got %ld %s, want %ld\n", file, got, what, want);
    fail();
}

// Compares a mesh with what its row of the README says.
static void compare_with_row(const char *file, const pli_mesh_data *data, const char *content)
{
    expect_number(file, "vertices", data->point_count, number_before(content, " v,"));
    expect_number(file, "tetrahedra", data->tet_count, number_before(content, " tets"));
    expect_number(file, "tetrahedra", data->tet_count, number_before(content, " TET"));
    expect_number(file, "triangles", data->triangle_count, number_before(content, " tris"));
    // faces may be polygons of more corners
    AT_LEAST((double)data->triangle_count, (double)number_before(content, " faces"));
}

// Splits "| file | source | bytes | content |"; false for other lines.
static bool split_row(char *line, char **file, char **content)
{
    char *columns[4];
    char *rest = line;
    if (strsep(&rest, "|") == NULL || rest == NULL) return false;
    for (int i = 0; i < 4; ++i) {
        columns[i] = strsep(&rest, "|");
        if (columns[i] == NULL || rest == NULL) return false;
    }
    *file = columns[0] + strspn(columns[0], " ");
    (*file)[strcspn(*file, " ")] = '\0';
    *content = columns[3];
    return strchr(*file, '/') != NULL && strchr(*file, '.') != NULL;
}

static void good_files_load_with_the_counts_they_are_known_for(void **state)
{
    (void)state;
    skip_without_files();
    pli_context *context = make_context(1);
    char path[1024];
    snprintf(path, sizeof path, "%s/README.md", root);
    char *text = NULL;
    int64_t length = 0;
    OK(context, pli_file_read(context, path, 0, &text, &length));

    int loaded = 0;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *file = NULL;
        char *content = NULL;
        if (!split_row(line, &file, &content)) continue;
        if (strncmp(file, "tet/", 4) != 0 && strncmp(file, "surface/", 8) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", root, file);
        pli_mesh_file *mesh = NULL;
        OK(context, pli_mesh_file_read(context, path, &mesh));
        compare_with_row(file, pli_mesh_file_data(mesh), content);
        pli_mesh_file_destroy(mesh);
        ++loaded;
    }
    assert_true(loaded > 100);
    pli_release(context, text);
    pli_context_destroy(context);
}

typedef void (*file_fn)(pli_context *context, const char *path);

// Calls body for every file below a folder.
static void for_each_file(pli_context *context, const char *folder, file_fn body)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.') continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        if (S_ISDIR(status.st_mode)) {
            for_each_file(context, path, body);
        } else {
            body(context, path);
        }
    }
    closedir(listing);
}

// Loads, or is refused with one line that begins with the file's name.
static void try_file(pli_context *context, const char *path)
{
    pli_mesh_file *mesh = NULL;
    pli_status status = pli_mesh_file_read(context, path, &mesh);
    bool must_load = strncmp(pli_path_name(path), "ok_", 3) == 0;
    if (must_load) OK(context, status);
    if (status != PLI_OK) {
        char message[1024];
        pli_context_message(context, message, sizeof message);
        assert_int_equal(status, PLI_ERROR_MESH);
        assert_null(mesh);
        assert_null(strchr(message, '\n'));
        assert_memory_equal(message, path, strlen(path));
        // what would be right
        assert_non_null(strchr(message + strlen(path), ';'));
    }
    pli_mesh_file_destroy(mesh);
}

static void malformed_files_load_or_are_refused_in_one_line(void **state)
{
    (void)state;
    skip_without_files();
    pli_context *context = make_context(1);
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/malformed", root);
    for_each_file(context, folder, try_file);
    pli_context_destroy(context);
}

static void known_faults_are_found_where_they_are(void **state)
{
    (void)state;
    skip_without_files();
    static const struct {
        const char *file;
        const char *part; // of the message; NULL: loads
    } cases[] = {
        {"made/inverted_one.msh", NULL},
        {"made/zero_volume.msh", NULL},
        {"made/duplicate_vertices.msh", NULL},
        {"made/unused_vertices.msh", NULL},
        {"made/no_elements.msh", NULL},
        {"made/tri_only.msh", NULL},
        {"made/bowtie_vertex.msh", NULL},
        {"made/overlapping.msh", NULL},
        {"made/repeated_vertex_in_tet.msh", ":22: tetrahedron 5, counted from 0, uses a vertex"},
        {"made/nan_coord.msh", ":12: found 'nan'"},
        {"made/index_past_end.msh", ":22: an element refers to node 100"},
        {"made/count_short.msh", ":12: found '7' where the end of the section"},
        {"made/truncated_nodes.msh", ":5: 8 nodes are announced"},
        {"made/empty.msh", ":1: the file is empty"},
        {"made/text_in_numbers.msh", ":8: found 'one' where a coordinate of a node should be"},
        {"made/cell_type_wrong.vtk", ":23: cell 2, counted from 0, is of type 12"},
        {"made/index_zero.obj", ":4: a face refers to vertex 0"},
        {"assimp/OBJ-box_UTF16BE.obj", ":1: the text is encoded as UTF-16"},
        {"assimp/OBJ-box_without_lineending.obj", NULL},
        {"assimp/OBJ-multiple_spaces.obj", NULL},
        {"assimp/OBJ-number_formats.obj", ":11: found '3.1+e2'"},
        {"assimp/PLY-cube_binary.ply", NULL},
        {"assimp/STL-triangle_with_empty_solid.stl", NULL},
        {"assimp/OFF-invalid.off", ":6: a face has 0 corners"},
        {"assimp/invalid-malformed.obj", ":23: a face refers to vertex 12"},
        {"cgal/io-invalid_cut.stl", ":255: the file ends"},
        {"cgal/io-invalid_header.stl", ":1: found 'facet'"},
        {"cgal/io-invalid_nv.ply", ":25: the line ends where a value should be"},
        {"trimesh/negative_indices.obj", NULL},
        {"trimesh/polygonfaces.obj", NULL},
        {"trimesh/whitespace.off", NULL},
        {"trimesh/soup.stl", NULL},
    };
    pli_context *context = make_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char path[1024];
        snprintf(path, sizeof path, "%s/malformed/%s", root, cases[i].file);
        pli_mesh_file *mesh = NULL;
        pli_status status = pli_mesh_file_read(context, path, &mesh);
        if (cases[i].part == NULL) OK(context, status);
        pli_mesh_file_destroy(mesh);
        if (cases[i].part == NULL) continue;
        char message[1024];
        pli_context_message(context, message, sizeof message);
        assert_int_equal(status, PLI_ERROR_MESH);
        if (strstr(message, cases[i].part) == NULL) {
            fprintf(stderr, "got %s\nwant ...%s...\n", message, cases[i].part);
            fail();
        }
    }
    pli_context_destroy(context);
}

static void paths_that_are_no_mesh_files_are_refused(void **state)
{
    (void)state;
    pli_context *context = make_context(1);
    static const char *const paths[] = {"/", "/dev/zero", "/tmp/no/such/file.msh", ""};
    alarm(10);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        pli_mesh_file *mesh = NULL;
        assert_int_equal(pli_mesh_file_read(context, paths[i], &mesh), PLI_ERROR_IO);
        assert_null(mesh);
    }
    alarm(0);
    pli_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_files_load_with_the_counts_they_are_known_for),
        cmocka_unit_test(malformed_files_load_or_are_refused_in_one_line),
        cmocka_unit_test(known_faults_are_found_where_they_are),
        cmocka_unit_test(paths_that_are_no_mesh_files_are_refused),
    };
    return cmocka_run_group_tests(tests, find_files, NULL);
}

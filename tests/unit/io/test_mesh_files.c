// SPDX-License-Identifier: Apache-2.0
//
// Files of tests/data/meshes, which make_meshes.py writes as other programs would, or with a fault;
// its table.txt says what is in each, or what is said of it. The variable PLIANT_MESHES may name a
// further folder of files that load or are refused in one line.
#include "near.h"
#include "source.h"

#include "base/memory.h"
#include "geometry/mesh/tet_mesh.h"
#include "io/file/file.h"
#include "io/mesh/mesh_file.h"
#include "math/vec3.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

// Of the tetrahedra, or within the triangles when there are none (m^3).
static double volume_of(const pli_mesh_data *data)
{
    double volume = 0;
    for (int32_t t = 0; t < data->tet_count; ++t) {
        volume += pli_tet_volume_at(data->points, data->tets + 4 * t);
    }
    for (int32_t t = 0; t < data->triangle_count && data->tet_count == 0; ++t) {
        const int32_t *v = data->triangles + 3 * t;
        double across[3];
        pli_vec3_cross(data->points + 3 * v[1], data->points + 3 * v[2], across);
        volume += pli_vec3_dot(data->points + 3 * v[0], across) / 6;
    }
    return volume;
}

// Loads, or is refused with one line that begins with the file's name and says what would be right.
static pli_status try_file(pli_context *context, const char *path, pli_mesh_file **mesh)
{
    pli_status status = pli_mesh_file_read(context, path, mesh);
    if (status == PLI_OK) return status;
    char message[1024];
    pli_context_message(context, message, sizeof message);
    assert_int_equal(status, PLI_ERROR_MESH);
    assert_null(*mesh);
    assert_null(strchr(message, '\n'));
    assert_memory_equal(message, path, strlen(path));
    assert_non_null(strchr(message + strlen(path), ';'));
    return status;
}

// What a line of the table says: counts and a volume, or a part of a message.
static void compare_with_row(pli_context *context, const char *path, const char *row)
{
    pli_mesh_file *mesh = NULL;
    pli_status status = try_file(context, path, &mesh);
    if (row[0] == '!') {
        char message[1024];
        pli_context_message(context, message, sizeof message);
        if (status == PLI_OK || strstr(message, row + 2) == NULL) {
            fail_msg("%s: got '%s', want '%s'", path, message, row + 2);
        }
        return;
    }
    OK(context, status);
    const pli_mesh_data *data = pli_mesh_file_data(mesh);
    int points = -1, tets = -1, triangles = -1;
    double volume = 0;
    int found = sscanf(row, "%d %d %d %lg", &points, &tets, &triangles, &volume);
    if (data->point_count != points || data->tet_count != tets ||
        data->triangle_count != triangles) {
        fail_msg("%s: got %d %d %d, want %s", path, (int)data->point_count, (int)data->tet_count,
                 (int)data->triangle_count, row);
    }
    if (found == 4) NEAR(volume_of(data), volume, 1e-8, 0);
    pli_mesh_file_destroy(mesh);
}

static void files_hold_what_the_table_says_or_are_refused_for_it(void **state)
{
    pli_context *context = *state;
    char path[1024], *text = NULL;
    int64_t length = 0;
    OK(context, pli_file_read(context, sample_path("meshes/table.txt", path, sizeof path), 0, &text,
                              &length));
    int refused = 0, loaded = 0;
    char *rest = text;
    for (char *row = strsep(&rest, "\n"); row != NULL && row[0] != '\0';
         row = strsep(&rest, "\n")) {
        char name[128];
        const char *file = strsep(&row, " ");
        snprintf(name, sizeof name, "meshes/%s", file);
        compare_with_row(context, sample_path(name, path, sizeof path), row);
        *(row[0] == '!' ? &refused : &loaded) += 1;
    }
    AT_LEAST(loaded, 30);
    AT_LEAST(refused, 20);
    pli_release(context, text);
}

// Tries every file below a folder.
static void try_folder(pli_context *context, const char *folder)
{
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.') continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        pli_mesh_file *mesh = NULL;
        if (S_ISDIR(status.st_mode))
            try_folder(context, path);
        else
            (void)try_file(context, path, &mesh);
        pli_mesh_file_destroy(mesh);
    }
    closedir(listing);
}

static void further_files_load_or_are_refused_in_one_line(void **state)
{
    char path[512];
    const char *further = getenv("PLIANT_MESHES");
    pli_context *context = *state;
    try_folder(context, further != NULL ? further : sample_path("meshes", path, sizeof path));
}

static void paths_that_are_no_mesh_files_are_refused(void **state)
{
    pli_context *context = *state;
    static const char *const paths[] = {"/", "/dev/zero", "/tmp/no/such/file.msh", ""};
    alarm(10);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i) {
        pli_mesh_file *mesh = NULL;
        assert_int_equal(pli_mesh_file_read(context, paths[i], &mesh), PLI_ERROR_IO);
        assert_null(mesh);
    }
    alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_CONTEXT(files_hold_what_the_table_says_or_are_refused_for_it, 1),
        TEST_IN_CONTEXT(further_files_load_or_are_refused_in_one_line, 1),
        TEST_IN_CONTEXT(paths_that_are_no_mesh_files_are_refused, 1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

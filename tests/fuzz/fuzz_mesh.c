// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the mesh readers: any bytes give a sound mesh or one line of text. The environment
// variable PLIANT_FUZZ_ENDING ("msh", "obj", ...) fixes the format; without it the content decides.
#include "base/context.h"
#include "io/mesh_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds) abort();
}

static void check_cells(const int32_t *corners, int64_t count, int32_t point_count)
{
    for (int64_t i = 0; i < count; ++i) check(corners[i] >= 0 && corners[i] < point_count);
}

static void check_mesh(const pli_mesh_data *mesh)
{
    check(mesh->point_count > 0);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->point_count; ++i) check(isfinite(mesh->points[i]));
    check_cells(mesh->tets, 4 * (int64_t)mesh->tet_count, mesh->point_count);
    check_cells(mesh->triangles, 3 * (int64_t)mesh->triangle_count, mesh->point_count);
    for (int32_t i = 0; i < mesh->group_count; ++i) check(mesh->group_names[i][0] != '\0');
    for (int32_t i = 0; i < mesh->tet_count && mesh->group_count > 0; ++i) {
        check(mesh->tet_groups[i] >= -1 && mesh->tet_groups[i] < mesh->group_count);
    }
    for (int32_t i = 0; i < mesh->triangle_count && mesh->group_count > 0; ++i) {
        check(mesh->triangle_groups[i] >= -1 && mesh->triangle_groups[i] < mesh->group_count);
    }
}

static void stop_at_assertion(void *user, const char *condition, const char *file, int line)
{
    (void)user;
    (void)condition;
    (void)file;
    (void)line;
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *ending = getenv("PLIANT_FUZZ_ENDING");
    pli_context_def def = pli_context_def_default();
    def.thread_count = 1;
    def.assert_hook = stop_at_assertion;
    pli_context *context = NULL;
    check(pli_context_create(&def, &context) == PLI_OK);
    pli_mesh_file *mesh = NULL;
    pli_status status = pli_mesh_file_parse(context, "input", ending != NULL ? ending : "", data,
                                            (int64_t)size, &mesh);
    if (status == PLI_OK) {
        check_mesh(pli_mesh_file_data(mesh));
    } else {
        char message[1024];
        pli_context_message(context, message, sizeof message);
        check(status == PLI_ERROR_MESH && strncmp(message, "input", 5) == 0);
        check(strchr(message, '\n') == NULL);
    }
    pli_mesh_file_destroy(mesh);
    pli_context_destroy(context);
    return 0;
}

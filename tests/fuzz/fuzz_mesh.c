// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the mesh readers: any bytes give a sound mesh or one line of text, in memory that the size
// of the file bounds. FUZZ_ENDING is the ending of the file; content with the mark of another
// format is read as that one, as it would be from the disk.
#include "fuzz.h"

#include "io/mesh/mesh_file.h"

#include <math.h>

static void check_cells(const int32_t *cells, int32_t count, int32_t corners, int32_t point_count)
{
    for (int64_t i = 0; i < count; ++i) {
        const int32_t *cell = cells + i * corners;
        for (int32_t a = 0; a < corners; ++a) {
            CHECK(cell[a] >= 0 && cell[a] < point_count);
            for (int32_t b = 0; b < a; ++b) CHECK(cell[a] != cell[b]);
        }
    }
}

static void check_groups(const pli_mesh_data *mesh, const int32_t *groups, int32_t count)
{
    for (int32_t i = 0; i < count && mesh->group_count > 0; ++i) {
        CHECK(groups[i] >= -1 && groups[i] < mesh->group_count);
    }
}

// What mesh_file.h promises of every mesh that was read.
static void check_mesh(const pli_mesh_data *mesh)
{
    CHECK(mesh->point_count > 0);
    for (int64_t i = 0; i < 3 * (int64_t)mesh->point_count; ++i) CHECK(isfinite(mesh->points[i]));
    check_cells(mesh->tets, mesh->tet_count, 4, mesh->point_count);
    check_cells(mesh->triangles, mesh->triangle_count, 3, mesh->point_count);
    for (int32_t i = 0; i < mesh->group_count; ++i) CHECK(mesh->group_names[i][0] != '\0');
    check_groups(mesh, mesh->tet_groups, mesh->tet_count);
    check_groups(mesh, mesh->triangle_groups, mesh->triangle_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world world;
    fuzz_world_init(&world);
    pli_mesh_file *mesh = NULL;
    pli_status status =
        pli_mesh_file_parse(world.context, "input", FUZZ_ENDING, data, (int64_t)size, &mesh);
    if (status == PLI_OK) {
        check_mesh(pli_mesh_file_data(mesh));
    } else {
        CHECK(status == PLI_ERROR_MESH && mesh == NULL);
        fuzz_check_message(&world, "input");
    }
    pli_mesh_file_destroy(mesh);
    // a polygon's corner of one byte makes a triangle of 16 bytes, in arrays that grow by half and
    // are held twice while they do: 16 (1 + 1.5); besides there are blocks of fixed size
    CHECK(world.fault.peak_bytes <= 40 * (int64_t)size + 16384);
    fuzz_world_clear(&world);
    return 0;
}

// SPDX-License-Identifier: Apache-2.0
//
// Fuzzes the readers of frames: any bytes give a sound part of a frame, or a sound list of files,
// or a refusal. The first byte of the input says which: a .vtu or .vtp file, or series.pvd.
#include "fuzz.h"

#include "base/arena.h"
#include "io/file/file.h"
#include "io/frames/frame_part.h"
#include "io/frames/series.h"

static void check_part(const pli_frame_part *part)
{
    CHECK(part->point_count >= 0 && part->cell_count >= 0);
    int64_t corners = part->kind == PLI_PART_POINTS ? 0 : pli_part_corners(part->kind);
    for (int64_t i = 0; i < corners * part->cell_count; ++i) {
        CHECK(part->cells[i] >= 0 && part->cells[i] < part->point_count);
    }
    // touches every number, so that the sanitizers see arrays that are too short
    double sum = 0;
    for (int64_t i = 0; i < 3 * (int64_t)part->point_count; ++i) sum += part->points[i];
    for (int32_t f = 0; f < part->field_count; ++f) {
        const pli_frame_field *field = &part->fields[f];
        bool of_points = field->place == PLI_PLACE_POINT;
        int64_t count = (int64_t)(of_points ? part->point_count : part->cell_count);
        CHECK(field->name[0] != '\0' && (field->components == 1 || field->components == 3));
        for (int64_t i = 0; i < count * field->components; ++i) sum += field->values[i];
        CHECK(strlen(field->unit) < SIZE_MAX);
    }
    CHECK(sum == sum || sum != sum);
}

static void read_part(fuzz_world *world, const uint8_t *data, size_t size)
{
    pli_arena *arena = NULL;
    pli_frame_part part = {.name = "part"};
    int64_t step = 0;
    CHECK(pli_arena_create(world->context, 4096, &arena) == PLI_OK);
    const char *path = fuzz_file(data, size);
    pli_status status = pli_vtu_read(world->context, path, arena, &part, &step);
    CHECK(status == PLI_OK || status == PLI_ERROR_IO);
    if (status == PLI_OK) check_part(&part);
    if (status != PLI_OK) fuzz_check_message(world, path);
    pli_arena_destroy(arena);
}

static void read_series(fuzz_world *world, const uint8_t *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/series.pvd", fuzz_folder());
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0);
    pli_series_list list;
    pli_series_list_init(&list, world->context);
    pli_status status = pli_series_list_read(&list, fuzz_folder());
    CHECK(status == PLI_OK || status == PLI_ERROR_IO);
    for (int32_t i = 0; i < list.count; ++i) {
        const pli_series_entry *entry = &list.entries[i];
        // files of a series lie in its folder
        CHECK(strncmp(entry->file, "frames/", 7) == 0 && strchr(entry->file + 7, '/') == NULL);
        CHECK(entry->frame >= 0 && entry->part >= 0 && entry->name != NULL);
        if (i > 0) CHECK(entry->frame >= list.entries[i - 1].frame);
    }
    pli_series_list_clear(&list);
    unlink(path);
    rmdir(fuzz_folder());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    fuzz_world world;
    fuzz_world_init(&world);
    if (data[0] % 2 == 0) {
        read_part(&world, data + 1, size - 1);
    } else {
        read_series(&world, data + 1, size - 1);
    }
    // a file's bytes, its numbers as doubles, and what zlib can make of so few bytes
    CHECK(world.fault.peak_bytes <= (int64_t)size * 1100 * 3 + (1 << 20));
    fuzz_world_clear(&world);
    return 0;
}

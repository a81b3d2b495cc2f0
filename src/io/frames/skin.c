// SPDX-License-Identifier: Apache-2.0
#include "io/frames/skin.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "geometry/mesh/boundary.h"
#include "io/frames/frame_part.h"

#include <string.h>

uint64_t pli_skin_hash(const pli_frame_part *part)
{
    int64_t corners = part->kind == PLI_PART_POINTS
                          ? 0
                          : (int64_t)part->cell_count * pli_part_corners(part->kind);
    if (corners == 0) return PLI_HASH_START;
    return pli_hash_wide(PLI_HASH_START, part->cells, (size_t)corners * sizeof(int32_t));
}

void pli_skin_clear(pli_skin *skin)
{
    if (skin->context == NULL) return;
    PLI_RELEASE(skin->context, skin->point_ids, skin->triangles, skin->cell_ids);
    *skin = (pli_skin){.context = skin->context};
}

// The cell that each triangle belongs to; NULL: there is one triangle a cell.
static pli_status take_cells(pli_skin *skin, const int32_t *cells)
{
    PLI_TRY(PLI_MAKE(skin->context, skin->cell_ids, skin->triangle_count, "skin"));
    for (int32_t i = 0; i < skin->triangle_count; ++i) {
        skin->cell_ids[i] = cells != NULL ? cells[i] : i;
    }
    return PLI_OK;
}

// Keeps the points that triangles use, in ascending order, and renumbers the triangles.
static pli_status compact(pli_skin *skin, const pli_frame_part *part, const int32_t *triangles)
{
    int64_t corners = 3 * (int64_t)skin->triangle_count;
    int32_t *number = PLI_NEW(skin->context, int32_t, part->point_count, "skin");
    skin->triangles = PLI_NEW(skin->context, int32_t, corners, "skin");
    pli_status status = number != NULL && skin->triangles != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int64_t i = 0; status == PLI_OK && i < corners; ++i) number[triangles[i]] = 1;
    for (int32_t i = 0; status == PLI_OK && i < part->point_count; ++i) {
        if (number[i] != 0) number[i] = ++skin->point_count;
    }
    if (status == PLI_OK) {
        skin->point_ids = PLI_NEW(skin->context, int32_t, skin->point_count, "skin");
        status = skin->point_ids != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    }
    for (int32_t i = 0; status == PLI_OK && i < part->point_count; ++i) {
        if (number[i] != 0) skin->point_ids[number[i] - 1] = i;
    }
    for (int64_t i = 0; status == PLI_OK && i < corners; ++i) {
        skin->triangles[i] = number[triangles[i]] - 1;
    }
    pli_release(skin->context, number);
    return status;
}

// Every point, and no triangles.
static pli_status take_points(pli_skin *skin, const pli_frame_part *part)
{
    PLI_TRY(PLI_MAKE(skin->context, skin->point_ids, part->point_count, "skin"));
    skin->point_count = part->point_count;
    for (int32_t i = 0; i < part->point_count; ++i) skin->point_ids[i] = i;
    return PLI_OK;
}

static pli_status take_boundary(pli_skin *skin, const pli_frame_part *part)
{
    pli_arena *scratch = NULL;
    pli_boundary boundary = {0};
    pli_tets tets;
    PLI_TRY(pli_arena_create(skin->context, 1 << 16, &scratch));
    pli_status status = pli_part_tets(part, scratch, &tets);
    if (status == PLI_OK) status = pli_boundary_build(&tets, scratch, &boundary);
    if (status == PLI_OK) {
        skin->triangle_count = boundary.triangle_count;
        int32_t parts = part->kind == PLI_PART_TETS10 ? PLI_TET_PARTS : 1;
        for (int32_t k = 0; k < boundary.triangle_count; ++k) boundary.tet[k] /= parts;
        status = compact(skin, part, boundary.triangles);
    }
    if (status == PLI_OK) status = take_cells(skin, boundary.tet);
    pli_arena_destroy(scratch);
    return status;
}

pli_status pli_skin_init(pli_skin *skin, pli_context *context, const pli_frame_part *part)
{
    *skin = (pli_skin){.context = context,
                       .kind = part->kind,
                       .part_points = part->point_count,
                       .part_cells = part->cell_count,
                       .cells_hash = pli_skin_hash(part)};
    pli_status status = PLI_OK;
    if (pli_part_is_solid(part->kind)) {
        status = take_boundary(skin, part);
    } else if (part->kind == PLI_PART_TRIANGLES) {
        skin->triangle_count = part->cell_count;
        status = compact(skin, part, part->cells);
        if (status == PLI_OK) status = take_cells(skin, NULL);
    } else {
        status = take_points(skin, part);
    }
    if (status != PLI_OK) pli_skin_clear(skin);
    return status;
}

static bool has_same_counts(const pli_skin *skin, const pli_frame_part *part)
{
    return skin->kind == part->kind && skin->part_points == part->point_count &&
           skin->part_cells == part->cell_count;
}

bool pli_skin_matches(const pli_skin *skin, const pli_frame_part *part, uint64_t hash)
{
    return has_same_counts(skin, part) && skin->cells_hash == hash;
}

bool pli_skin_fits(const pli_skin *skin, const pli_frame_part *part)
{
    return has_same_counts(skin, part) && skin->cells_hash == pli_skin_hash(part);
}

void pli_skin_get_points(const pli_skin *skin, const pli_frame_part *part, float *points)
{
    for (int32_t i = 0; i < skin->point_count; ++i) {
        const double *point = part->points + 3 * (int64_t)skin->point_ids[i];
        for (int k = 0; k < 3; ++k) points[3 * (int64_t)i + k] = (float)point[k];
    }
}

enum { SUM_SIZE = PLI_FIELD_COMPONENTS + 1 };

// Sums of the values of the cells around each point, and their number as last component.
static void gather_cells(const pli_frame_part *part, const pli_frame_field *field, double *sums)
{
    memset(sums, 0, SUM_SIZE * (size_t)part->point_count * sizeof *sums);
    int32_t corners = pli_part_corners(part->kind);
    for (int64_t i = 0; i < (int64_t)part->cell_count * corners; ++i) {
        double *sum = sums + SUM_SIZE * (int64_t)part->cells[i];
        const double *value = field->values + (i / corners) * field->components;
        for (int32_t k = 0; k < field->components; ++k) sum[k] += value[k];
        sum[SUM_SIZE - 1] += 1;
    }
}

void pli_skin_get_values(const pli_skin *skin, const pli_frame_part *part,
                         const pli_frame_field *field, double *scratch, float *values)
{
    bool of_cells = field->place == PLI_PLACE_CELL;
    if (of_cells) gather_cells(part, field, scratch);
    for (int32_t i = 0; i < skin->point_count; ++i) {
        int64_t point = skin->point_ids[i];
        for (int32_t k = 0; k < field->components; ++k) {
            double value = of_cells
                               ? scratch[SUM_SIZE * point + k] / scratch[SUM_SIZE * (point + 1) - 1]
                               : field->values[point * field->components + k];
            *values++ = (float)value;
        }
    }
}

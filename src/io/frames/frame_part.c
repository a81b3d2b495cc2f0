// SPDX-License-Identifier: Apache-2.0
#include "io/frames/frame_part.h"

#include <math.h>
#include <string.h>

int32_t pli_part_corners(pli_part_kind kind)
{
    switch (kind) {
    case PLI_PART_TETS: return 4;
    case PLI_PART_TETS10: return 10;
    case PLI_PART_TRIANGLES: return 3;
    case PLI_PART_POINTS: break;
    }
    return 1;
}

pli_status pli_part_tets(const pli_frame_part *part, pli_arena *scratch, pli_tets *tets)
{
    *tets = (pli_tets){part->point_count, part->points, part->cell_count, part->cells};
    if (part->kind != PLI_PART_TETS10) return PLI_OK;
    int64_t count = PLI_TET_PARTS * (int64_t)part->cell_count;
    int32_t *parts = pli_arena_ints(scratch, 4 * count, "tetrahedra of a part");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    for (int64_t k = 0; k < part->cell_count; ++k) {
        const int32_t *nodes = part->cells + 10 * k;
        pli_tet_split(nodes, nodes + 4, parts + 4 * PLI_TET_PARTS * k);
    }
    tets->tet_count = (int32_t)count;
    tets->tets = parts;
    return PLI_OK;
}

const pli_frame_field *pli_part_find_field(const pli_frame_part *part, const char *name,
                                           pli_field_place place, int32_t components)
{
    for (int32_t i = 0; i < part->field_count; ++i) {
        const pli_frame_field *field = &part->fields[i];
        bool is = strcmp(field->name, name) == 0 && field->place == place &&
                  field->components == components;
        if (is) return field;
    }
    return NULL;
}

const pli_frame_field *pli_part_find_radius(const pli_frame_part *part)
{
    if (part->kind != PLI_PART_POINTS) return NULL;
    return pli_part_find_field(part, PLI_RADIUS_FIELD, PLI_PLACE_POINT, 1);
}

double pli_part_radius(const pli_frame_part *part, const pli_frame_field *radii, int64_t particle)
{
    double radius = radii != NULL ? radii->values[particle] : 0;
    if (radius > 0 && isfinite(radius)) return radius;
    return part->radius > 0 && isfinite(part->radius) ? part->radius : 0;
}

// ---- what may be written ----------------------------------------------------------------------

static int64_t count_values(const pli_frame_part *part, const pli_frame_field *field)
{
    int64_t tuples = field->place == PLI_PLACE_POINT ? part->point_count : part->cell_count;
    return tuples * field->components;
}

static pli_status check_field(pli_context *context, const pli_frame_part *part,
                              const pli_frame_field *field)
{
    if (field->name == NULL || field->name[0] == '\0') {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "a field of body '%s' has no name",
                        part->name);
    }
    if (field->components != 1 && field->components != 3 && field->components != 6) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "field '%s' of body '%s' has %d components; 1, 3 or 6 are possible",
                        field->name, part->name, field->components);
    }
    if (field->place == PLI_PLACE_CELL && part->kind == PLI_PART_POINTS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "field '%s' of body '%s' is per cell, but the body consists of points",
                        field->name, part->name);
    }
    if (count_values(part, field) > 0 && field->values == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "field '%s' of body '%s' has no values",
                        field->name, part->name);
    }
    return PLI_OK;
}

static pli_status check_whole(pli_context *context, const pli_frame_part *part,
                              const pli_frame_field *field)
{
    int64_t count = field->whole ? count_values(part, field) : 0;
    for (int64_t i = 0; i < count; ++i) {
        double value = field->values[i];
        // written so that a NaN fails
        bool fits = value >= INT32_MIN && value <= INT32_MAX && value == floor(value);
        if (fits) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "field '%s' of body '%s' is said to be whole, but item %lld has %g; whole "
                        "numbers of 32 bits are possible",
                        field->name, part->name, (long long)(i / field->components), value);
    }
    return PLI_OK;
}

static pli_status check_cells(pli_context *context, const pli_frame_part *part)
{
    if (part->kind == PLI_PART_POINTS) return PLI_OK;
    if (part->cell_count > 0 && part->cells == NULL) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "body '%s' has cells without corners",
                        part->name);
    }
    int64_t corners = (int64_t)part->cell_count * pli_part_corners(part->kind);
    for (int64_t i = 0; i < corners; ++i) {
        if (part->cells[i] >= 0 && part->cells[i] < part->point_count) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "body '%s': cell %lld refers to point %d, but there are %d", part->name,
                        (long long)(i / pli_part_corners(part->kind)), part->cells[i],
                        part->point_count);
    }
    return PLI_OK;
}

static pli_status check_particles(pli_context *context, const pli_frame_part *part)
{
    if (part->kind != PLI_PART_POINTS) return PLI_OK;
    if (!(part->radius >= 0) || !isfinite(part->radius)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the particles of '%s' have the radius %g m; it must be finite, or 0 for "
                        "one that fits their spacing",
                        part->name, part->radius);
    }
    const pli_frame_field *radii = pli_part_find_radius(part);
    for (int64_t i = 0; i < part->point_count; ++i) {
        const double *x = part->points + 3 * i;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "particle %lld of '%s' is at (%g, %g, %g); its place must be finite",
                            (long long)i, part->name, x[0], x[1], x[2]);
        }
        if (radii != NULL && (!(radii->values[i] >= 0) || !isfinite(radii->values[i]))) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "particle %lld of '%s' has the radius %g m; it must be finite, or 0 "
                            "for that of the body",
                            (long long)i, part->name, radii->values[i]);
        }
    }
    return PLI_OK;
}

pli_status pli_part_check(pli_context *context, const pli_frame_part *part)
{
    if (part->name == NULL || part->kind < PLI_PART_TETS || part->kind > PLI_PART_TETS10) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a body of the frame has no name or an unknown kind");
    }
    if (part->point_count < 0 || part->cell_count < 0 || part->field_count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "body '%s' has a negative count", part->name);
    }
    if ((part->point_count > 0 && part->points == NULL) ||
        (part->field_count > 0 && part->fields == NULL)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "body '%s' has no points or fields",
                        part->name);
    }
    PLI_TRY(check_cells(context, part));
    for (int32_t i = 0; i < part->field_count; ++i) {
        PLI_TRY(check_field(context, part, &part->fields[i]));
        PLI_TRY(check_whole(context, part, &part->fields[i]));
    }
    return check_particles(context, part);
}

// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/mesh_check.h"

#include "base/hash.h"
#include "base/memory.h"
#include "geometry/collision/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_CAPACITY = 128 };

void pli_offenders_add(pli_offenders *offenders, int32_t index)
{
    if (offenders->count < PLI_OFFENDERS_NAMED) offenders->first[offenders->count] = index;
    ++offenders->count;
}

void pli_offenders_text(const pli_offenders *offenders, char *text, size_t capacity)
{
    size_t used = 0;
    int64_t named = offenders->count < PLI_OFFENDERS_NAMED ? offenders->count : PLI_OFFENDERS_NAMED;
    if (capacity > 0) text[0] = 0;
    for (int64_t k = 0; k < named && used < capacity; ++k) {
        used += (size_t)snprintf(text + used, capacity - used, "%s%d", k > 0 ? ", " : "",
                                 offenders->first[k]);
    }
    if (offenders->count > named && used < capacity) {
        (void)snprintf(text + used, capacity - used, " and %lld more",
                       (long long)(offenders->count - named));
    }
}

static pli_status check_sizes(pli_context *context, const pli_cells *cells)
{
    // keeps three or four times the count within int32_t
    const int32_t limit = INT32_MAX / 4;
    if (cells->count < 0 || cells->count > limit) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of %s cells is %d, allowed is 0 to %d",
                        cells->name, cells->count, limit);
    }
    if (cells->vertex_count < 0 || cells->vertex_count > limit) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of vertices is %d, allowed is 0 to %d",
                        cells->vertex_count, limit);
    }
    if ((cells->count > 0 && cells->corners == NULL) ||
        (cells->vertex_count > 0 && cells->points == NULL)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "an array of the mesh is missing");
    }
    return PLI_OK;
}

static pli_status check_points(pli_context *context, const pli_cells *cells)
{
    pli_offenders wild = {0};
    pli_offenders far = {0};
    for (int32_t v = 0; v < cells->vertex_count; ++v) {
        const double *x = cells->points + 3 * (int64_t)v;
        if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2])) pli_offenders_add(&wild, v);
        double largest = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
        if (largest > PLI_LARGEST_COORDINATE) pli_offenders_add(&far, v);
    }
    char text[TEXT_CAPACITY];
    if (wild.count > 0) {
        pli_offenders_text(&wild, text, sizeof text);
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "vertices %s have coordinates that are not finite numbers", text);
    }
    if (far.count > 0) {
        pli_offenders_text(&far, text, sizeof text);
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "vertices %s have coordinates beyond %g m, of which volumes and areas do "
                        "not fit into a number; the largest allowed magnitude is %g m",
                        text, PLI_LARGEST_COORDINATE, PLI_LARGEST_COORDINATE);
    }
    return PLI_OK;
}

static bool has_repeated_corner(const int32_t *corner, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        for (int32_t j = i + 1; j < count; ++j) {
            if (corner[i] == corner[j]) return true;
        }
    }
    return false;
}

static pli_status check_corners(pli_context *context, const pli_cells *cells)
{
    pli_offenders outside = {0};
    pli_offenders repeated = {0};
    for (int32_t c = 0; c < cells->count; ++c) {
        const int32_t *corner = cells->corners + (int64_t)c * cells->corner_count;
        bool is_outside = false;
        for (int32_t k = 0; k < cells->corner_count; ++k) {
            is_outside = is_outside || corner[k] < 0 || corner[k] >= cells->vertex_count;
        }
        if (is_outside) {
            pli_offenders_add(&outside, c);
        } else if (has_repeated_corner(corner, cells->corner_count)) {
            pli_offenders_add(&repeated, c);
        }
    }
    char text[TEXT_CAPACITY];
    if (outside.count > 0) {
        pli_offenders_text(&outside, text, sizeof text);
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "cells %s (%s) refer to vertices that do not exist; vertices are numbered "
                        "0 to %d",
                        text, cells->name, cells->vertex_count - 1);
    }
    if (repeated.count > 0) {
        pli_offenders_text(&repeated, text, sizeof text);
        return PLI_FAIL(context, PLI_ERROR_MESH,
                        "cells %s (%s) name the same vertex twice; all corners must differ", text,
                        cells->name);
    }
    return PLI_OK;
}

pli_status pli_cells_check(pli_context *context, const pli_cells *cells)
{
    PLI_TRY(check_sizes(context, cells));
    PLI_TRY(check_points(context, cells));
    return check_corners(context, cells);
}

// The cell of a fine grid that a point lies in; points in one cell count as coincident.
static void quantize(const pli_bounds *bounds, const double x[3], int64_t cell[3])
{
    double size = 1e-9 * pli_bounds_longest(bounds);
    for (int k = 0; k < 3; ++k) {
        cell[k] = size > 0 ? (int64_t)llround((x[k] - bounds->min[k]) / size) : 0;
    }
}

// Counts points in the cell of an earlier one, through a hash table.
pli_status pli_points_count_coincident(pli_context *context, int32_t count, const double *points,
                                       int32_t *coincident)
{
    *coincident = 0;
    int64_t capacity = 16;
    while (capacity < 2 * (int64_t)count) capacity *= 2;
    int32_t *table = PLI_NEW(context, int32_t, capacity, "coincidence table");
    if (table == NULL) return PLI_ERROR_MEMORY;

    pli_bounds bounds = pli_bounds_of_points(count, points);
    for (int32_t v = 0; v < count; ++v) {
        int64_t cell[3], other[3];
        quantize(&bounds, points + 3 * (int64_t)v, cell);
        uint64_t hash = pli_hash_bytes(PLI_HASH_START, cell, sizeof cell);
        int64_t slot = (int64_t)(hash & (uint64_t)(capacity - 1));
        // entries are vertex + 1, 0 is free
        for (; table[slot] != 0; slot = (slot + 1) & (capacity - 1)) {
            quantize(&bounds, points + 3 * (int64_t)(table[slot] - 1), other);
            if (memcmp(cell, other, sizeof cell) == 0) break;
        }
        if (table[slot] != 0) {
            ++*coincident;
        } else {
            table[slot] = v + 1;
        }
    }
    pli_release(context, table);
    return PLI_OK;
}

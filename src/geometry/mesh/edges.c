// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/edges.h"

#include "base/memory.h"
#include "geometry/mesh/sort.h"

// Writes the sides of all triangles as (smaller << 32 | larger) and returns how many are edges.
static int64_t list_sides(int32_t triangle_count, const int32_t *triangles, uint64_t *sides)
{
    int64_t count = 0;
    for (int64_t t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            int32_t a = triangles[3 * t + k];
            int32_t b = triangles[3 * t + (k + 1) % 3];
            if (a == b) continue;
            sides[count++] = (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
        }
    }
    return count;
}

// Writes each side once, in order, and returns how many there are.
static int32_t write_edges(int64_t side_count, const uint64_t *sides, const int32_t *order,
                           int32_t *edges)
{
    int32_t count = 0;
    for (int64_t i = 0; i < side_count; ++i) {
        uint64_t side = sides[order[i]];
        if (i > 0 && side == sides[order[i - 1]]) continue;
        edges[2 * (int64_t)count] = (int32_t)(side >> 32);
        edges[2 * (int64_t)count + 1] = (int32_t)(side & UINT32_MAX);
        ++count;
    }
    return count;
}

pli_status pli_edges_build(pli_context *context, int32_t triangle_count, const int32_t *triangles,
                           int32_t *edge_count, int32_t **out)
{
    *edge_count = 0;
    *out = NULL;
    if (triangle_count < 0 || triangle_count > INT32_MAX / 3) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of triangles is %d, must be 0 to %d",
                        triangle_count, INT32_MAX / 3);
    }
    pli_status status = PLI_ERROR_MEMORY;
    int64_t room = 3 * (int64_t)triangle_count;
    uint64_t *sides = PLI_NEW(context, uint64_t, room, "sides of triangles");
    int32_t *order = PLI_NEW(context, int32_t, room, "order of sides");
    int32_t *edges = PLI_NEW(context, int32_t, 2 * room, "edges");
    if (sides == NULL || order == NULL || edges == NULL) goto done;

    int64_t side_count = list_sides(triangle_count, triangles, sides);
    status = pli_sort_order(context, side_count, sides, order);
    if (status != PLI_OK) goto done;
    *edge_count = write_edges(side_count, sides, order, edges);
    *out = edges;

done:
    if (status != PLI_OK) pli_release(context, edges);
    PLI_RELEASE(context, order, sides);
    return status;
}

pli_status pli_used_vertices_build(pli_context *context, int32_t vertex_count, int64_t corner_count,
                                   const int32_t *corners, int32_t *used_count, int32_t **used)
{
    *used_count = 0;
    *used = NULL;
    uint8_t *is_used = PLI_NEW(context, uint8_t, vertex_count, "marks of used vertices");
    if (is_used == NULL) return PLI_ERROR_MEMORY;
    int32_t count = 0;
    for (int64_t i = 0; i < corner_count; ++i) {
        count += !is_used[corners[i]];
        is_used[corners[i]] = 1;
    }

    int32_t *list = PLI_NEW(context, int32_t, count, "used vertices");
    if (list != NULL) {
        int32_t next = 0;
        for (int32_t v = 0; v < vertex_count; ++v) {
            if (is_used[v]) list[next++] = v;
        }
        *used_count = count;
        *used = list;
    }
    pli_release(context, is_used);
    return list != NULL ? PLI_OK : PLI_ERROR_MEMORY;
}

// The sides of triangles as keys of their edges, whichever way they run.
static void fill_sides(int32_t triangle_count, const int32_t *triangles, uint64_t *keys)
{
    for (int64_t side = 0; side < 3 * (int64_t)triangle_count; ++side) {
        int32_t from = triangles[side];
        int32_t to = triangles[side % 3 < 2 ? side + 1 : side - 2];
        uint64_t low = (uint32_t)(from < to ? from : to);
        keys[side] = low << 32 | (uint32_t)(from < to ? to : from);
    }
}

pli_status pli_edges_find_open(pli_context *context, int32_t triangle_count,
                               const int32_t *triangles, int32_t limit, int32_t *open,
                               int32_t *open_count)
{
    int64_t count = 3 * (int64_t)triangle_count;
    *open_count = 0;
    uint64_t *keys = PLI_NEW(context, uint64_t, count, "edges");
    int32_t *order = PLI_NEW(context, int32_t, count, "edges");
    pli_status status = PLI_ERROR_MEMORY;
    if (keys == NULL || order == NULL) goto done;
    fill_sides(triangle_count, triangles, keys);
    status = pli_sort_order(context, count, keys, order);
    if (status != PLI_OK) goto done;
    for (int64_t first = 0; first < count;) {
        uint64_t key = keys[order[first]];
        int32_t low = (int32_t)(key >> 32), balance = 0;
        for (; first < count && keys[order[first]] == key; ++first) {
            balance += triangles[order[first]] == low ? 1 : -1;
        }
        if (balance == 0) continue;
        if (*open_count < limit) {
            open[2 * *open_count] = low;
            open[2 * *open_count + 1] = (int32_t)(uint32_t)key;
        }
        ++*open_count;
    }

done:
    PLI_RELEASE(context, order, keys);
    return status;
}

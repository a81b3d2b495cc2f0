// SPDX-License-Identifier: Apache-2.0
#include "geometry/mesh/hinges.h"

#include "base/memory.h"
#include "geometry/mesh/sort.h"

// Side k of a triangle lies opposite to its corner k.
static uint64_t side_key(const int32_t triangle[3], int k)
{
    int32_t a = triangle[(k + 1) % 3];
    int32_t b = triangle[(k + 2) % 3];
    return (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
}

// The sides of all triangles: keys [3 triangle + k], and their order by key.
typedef struct side_list {
    int64_t count;
    uint64_t *keys;
    int32_t *order;
} side_list;

static pli_status list_sides(pli_context *context, int32_t triangle_count, const int32_t *triangles,
                             side_list *sides)
{
    sides->count = 3 * (int64_t)triangle_count;
    sides->keys = PLI_NEW(context, uint64_t, sides->count, "sides of triangles");
    sides->order = PLI_NEW(context, int32_t, sides->count, "order of sides");
    if (sides->keys == NULL || sides->order == NULL) return PLI_ERROR_MEMORY;
    for (int64_t side = 0; side < sides->count; ++side) {
        sides->keys[side] = side_key(triangles + 3 * (side / 3), (int)(side % 3));
    }
    return pli_sort_order(context, sides->count, sides->keys, sides->order);
}

// Whether the side at this place of the order has the same edge as the one before it.
static bool joins(const side_list *sides, int64_t place)
{
    return sides->keys[sides->order[place]] == sides->keys[sides->order[place - 1]];
}

static void write_hinges(const side_list *sides, const int32_t *triangles, pli_hinge_list *list)
{
    int64_t next = 0;
    for (int64_t place = 1; place < sides->count; ++place) {
        if (!joins(sides, place)) continue;
        uint64_t key = sides->keys[sides->order[place]];
        int32_t *vertices = list->vertices + 4 * next;
        vertices[0] = (int32_t)(key >> 32);
        vertices[1] = (int32_t)(key & UINT32_MAX);
        for (int k = 0; k < 2; ++k) {
            int32_t side = sides->order[place - 1 + k];
            vertices[2 + k] = triangles[side];
            list->triangles[2 * next + k] = side / 3;
        }
        ++next;
    }
}

pli_status pli_hinge_list_build(pli_context *context, int32_t triangle_count,
                                const int32_t *triangles, pli_hinge_list *list)
{
    *list = (pli_hinge_list){0};
    if (triangle_count < 0 || triangle_count > INT32_MAX / 3) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of triangles is %d, must be 0 to %d",
                        triangle_count, INT32_MAX / 3);
    }
    side_list sides = {0};
    pli_status status = list_sides(context, triangle_count, triangles, &sides);
    if (status != PLI_OK) goto done;
    for (int64_t place = 1; place < sides.count; ++place) list->count += joins(&sides, place);
    list->vertices = PLI_NEW(context, int32_t, 4 * (int64_t)list->count, "hinges");
    list->triangles = PLI_NEW(context, int32_t, 2 * (int64_t)list->count, "hinges");
    if (list->vertices == NULL || list->triangles == NULL) {
        status = PLI_ERROR_MEMORY;
        goto done;
    }
    write_hinges(&sides, triangles, list);

done:
    if (status != PLI_OK) pli_hinge_list_clear(context, list);
    PLI_RELEASE(context, sides.order, sides.keys);
    return status;
}

void pli_hinge_list_clear(pli_context *context, pli_hinge_list *list)
{
    PLI_RELEASE(context, list->triangles, list->vertices);
    *list = (pli_hinge_list){0};
}

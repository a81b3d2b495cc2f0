// SPDX-License-Identifier: Apache-2.0
#include "sim/model/load_sides.h"

#include "base/memory.h"
#include "geometry/mesh/sort.h"

#include <string.h>

typedef struct side_search {
    const int32_t *triangles;
    int32_t *ends;  // [vertex_count][2] corners on both sides of a node on an edge; -1: a corner
    uint64_t *keys; // [triangle_count] of the two nodes on edges of a triangle at a corner; else 0
    int32_t *order; // [triangle_count] by keys
    int32_t triangle_count;
} side_search;

static uint64_t key_of(int32_t a, int32_t b)
{
    return a < b ? (uint64_t)a << 32 | (uint32_t)b : (uint64_t)b << 32 | (uint32_t)a;
}

static void find_ends(const pli_model *model, int32_t *ends)
{
    static const int edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};
    for (int64_t k = 0; k < 2 * (int64_t)model->vertex_count; ++k) ends[k] = -1;
    for (int64_t k = 0; k < 6 * (int64_t)model->tet_count; ++k) {
        int64_t node = model->mid_nodes[k];
        if (node < 0) continue;
        for (int i = 0; i < 2; ++i) ends[2 * node + i] = model->tets[4 * (k / 6) + edges[k % 6][i]];
    }
}

// Bits of the corners of a triangle that are nodes on edges.
static int nodes_of(const side_search *s, int64_t triangle)
{
    int nodes = 0;
    for (int k = 0; k < 3; ++k) {
        nodes |= (s->ends[2 * (int64_t)s->triangles[3 * triangle + k]] >= 0) << k;
    }
    return nodes;
}

static void make_keys(side_search *s)
{
    for (int64_t t = 0; t < s->triangle_count; ++t) {
        const int32_t *v = s->triangles + 3 * t;
        int nodes = nodes_of(s, t);
        s->keys[t] = nodes == 3   ? key_of(v[0], v[1])
                     : nodes == 5 ? key_of(v[0], v[2])
                     : nodes == 6 ? key_of(v[1], v[2])
                                  : 0;
    }
}

// The triangle at a corner with these two nodes on edges; -1: there is none.
static int32_t find_triangle(const side_search *s, uint64_t key)
{
    int32_t low = 0, high = s->triangle_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (s->keys[s->order[middle]] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < s->triangle_count && s->keys[s->order[low]] == key;
    return found ? s->order[low] : -1;
}

// The corner between two nodes on edges.
static int32_t common_end(const side_search *s, int32_t a, int32_t b)
{
    const int32_t *p = s->ends + 2 * (int64_t)a, *q = s->ends + 2 * (int64_t)b;
    return p[0] == q[0] || p[0] == q[1] ? p[0] : p[1];
}

// A triangle in the middle of a side, and whether the three at its corners are there.
static void add_side(const side_search *s, int32_t triangle, pli_load_sides *sides)
{
    const int32_t *v = s->triangles + 3 * (int64_t)triangle;
    int32_t around[3];
    for (int k = 0; k < 3; ++k) {
        around[k] = find_triangle(s, key_of(v[k], v[(k + 1) % 3]));
        if (around[k] < 0) return;
    }
    int32_t *corners = sides->corners + 3 * (int64_t)sides->count++;
    for (int k = 0; k < 3; ++k) {
        corners[k] = common_end(s, v[(k + 2) % 3], v[k]);
        sides->nodes[around[k]] = (uint8_t)nodes_of(s, around[k]);
    }
    sides->nodes[triangle] = 7;
}

pli_status pli_load_sides_find(const pli_model *model, int32_t triangle_count,
                               const int32_t *triangles, pli_load_sides *sides)
{
    pli_context *context = model->context;
    *sides = (pli_load_sides){0};
    PLI_TRY(PLI_MAKE(context, sides->nodes, triangle_count, "sides of a load"));
    memset(sides->nodes, 0, (size_t)triangle_count);
    if (model->mid_nodes == NULL) return PLI_OK;
    side_search s = {.triangles = triangles,
                     .ends = PLI_NEW(context, int32_t, 2 * (int64_t)model->vertex_count, "sides"),
                     .keys = PLI_NEW(context, uint64_t, triangle_count, "sides"),
                     .order = PLI_NEW(context, int32_t, triangle_count, "sides"),
                     .triangle_count = triangle_count};
    sides->corners = PLI_NEW(context, int32_t, 3 * (int64_t)(triangle_count / 4), "sides");
    pli_status status =
        s.ends != NULL && s.keys != NULL && s.order != NULL && sides->corners != NULL
            ? PLI_OK
            : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        find_ends(model, s.ends);
        make_keys(&s);
        status = pli_sort_order(context, triangle_count, s.keys, s.order);
    }
    for (int32_t t = 0; t < triangle_count && status == PLI_OK; ++t) {
        if (nodes_of(&s, t) == 7) add_side(&s, t, sides);
    }
    PLI_RELEASE(context, s.order, s.keys, s.ends);
    if (status != PLI_OK) pli_load_sides_clear(context, sides);
    return status;
}

void pli_load_sides_clear(pli_context *context, pli_load_sides *sides)
{
    PLI_RELEASE(context, sides->corners, sides->nodes);
    *sides = (pli_load_sides){0};
}

// SPDX-License-Identifier: Apache-2.0
#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/collision/crossing.h"

#include <stdatomic.h>

enum { LEAF_SIZE = 8, QUERY_GRAIN = 64, STACK_SIZE = 64, UNKNOWN = -1 };

typedef struct closed_box {
    double min[3];
    double max[3];
} closed_box;

typedef struct tree_node {
    closed_box box;
    int32_t begin; // of its slots
    int32_t end;
    int32_t right; // child; the left one is the next node. 0: a leaf
} tree_node;

typedef struct search {
    const pli_soup *soup;
    closed_box *boxes; // [triangle_count] by triangle
    int32_t *order;    // [triangle_count] triangle of a slot
    tree_node *nodes;  // [node_count], the root first
    int32_t node_count;
    // [triangle_count] later triangles that a triangle crosses; UNKNOWN where the search ended
    // early
    int32_t *counts;
    atomic_llong count; // of all; the order of additions does not change where it is cut off
} search;

// ---- boxes

static bool boxes_meet(const closed_box *a, const closed_box *b)
{
    for (int k = 0; k < 3; ++k) {
        if (a->min[k] > b->max[k] || b->min[k] > a->max[k]) return false;
    }
    return true;
}

static void grow_box(closed_box *box, const double low[3], const double high[3])
{
    for (int k = 0; k < 3; ++k) {
        if (low[k] < box->min[k]) box->min[k] = low[k];
        if (high[k] > box->max[k]) box->max[k] = high[k];
    }
}

static closed_box triangle_box(const pli_soup *soup, int32_t triangle)
{
    closed_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < 3; ++k) {
        const double *x = soup->points + 3 * (int64_t)soup->triangles[3 * (int64_t)triangle + k];
        grow_box(&box, x, x);
    }
    return box;
}

// ---- the tree

// Twice the middle of a slot's triangle.
static double slot_key(const search *s, int32_t slot, int axis)
{
    const closed_box *box = &s->boxes[s->order[slot]];
    return box->min[axis] + box->max[axis];
}

// Moves slots so that those before `middle` have no larger keys than those from it on (selection
// by Hoare 1961).
static void select_median(search *s, int32_t begin, int32_t end, int32_t middle, int axis)
{
    int32_t low = begin;
    int32_t high = end - 1;
    while (low < high) {
        double pivot = slot_key(s, low + (high - low) / 2, axis);
        int32_t i = low;
        int32_t j = high;
        while (i <= j) {
            while (slot_key(s, i, axis) < pivot) ++i;
            while (slot_key(s, j, axis) > pivot) --j;
            if (i > j) break;
            int32_t kept = s->order[i];
            s->order[i++] = s->order[j];
            s->order[j--] = kept;
        }
        if (middle <= j) {
            high = j;
        } else if (middle >= i) {
            low = i;
        } else {
            return;
        }
    }
}

static int longest_side(const closed_box *box)
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (box->max[k] - box->min[k] > box->max[axis] - box->min[axis]) axis = k;
    }
    return axis;
}

// Builds the nodes over slots [begin, end) and returns the first; as deep as log2 of their number.
static int32_t build_nodes(search *s, int32_t begin, int32_t end)
{
    int32_t number = s->node_count++;
    tree_node *node = &s->nodes[number];
    *node = (tree_node){.box = s->boxes[s->order[begin]], .begin = begin, .end = end};
    for (int32_t slot = begin + 1; slot < end; ++slot) {
        const closed_box *box = &s->boxes[s->order[slot]];
        grow_box(&node->box, box->min, box->max);
    }
    if (end - begin <= LEAF_SIZE) return number;
    int32_t middle = begin + (end - begin) / 2;
    select_median(s, begin, end, middle, longest_side(&node->box));
    build_nodes(s, begin, middle);
    node->right = build_nodes(s, middle, end);
    return number;
}

// ---- queries

// What one triangle crosses: how many, and the first of them.
typedef struct partners {
    int64_t count;
    int32_t capacity;
    int32_t kept;
    int32_t *triangles; // [capacity] ascending
} partners;

static void add_partner(partners *found, int32_t triangle)
{
    ++found->count;
    int32_t place = found->kept;
    while (place > 0 && found->triangles[place - 1] > triangle) --place;
    if (place == found->capacity) return;
    if (found->kept < found->capacity) ++found->kept;
    for (int32_t i = found->kept - 1; i > place; --i) found->triangles[i] = found->triangles[i - 1];
    found->triangles[place] = triangle;
}

static bool is_pair(const search *s, int32_t triangle, int32_t other)
{
    const pli_soup *soup = s->soup;
    if (other <= triangle) return false;
    if (!boxes_meet(&s->boxes[triangle], &s->boxes[other])) return false;
    if (soup->is_pair != NULL && !soup->is_pair(soup->user, triangle, other)) return false;
    return pli_triangles_cross(soup->points, soup->triangles + 3 * (int64_t)triangle,
                               soup->triangles + 3 * (int64_t)other);
}

// Finds the triangles with larger numbers that a triangle crosses, until there are enough.
static void query(const search *s, int32_t triangle, partners *found)
{
    int32_t stack[STACK_SIZE];
    int32_t depth = 0;
    stack[depth++] = 0;
    while (depth > 0 && found->count < PLI_CROSSINGS_COUNTED) {
        int32_t number = stack[--depth];
        const tree_node *node = &s->nodes[number];
        if (!boxes_meet(&s->boxes[triangle], &node->box)) continue;
        if (node->right != 0) {
            stack[depth++] = node->right;
            stack[depth++] = number + 1;
            continue;
        }
        for (int32_t slot = node->begin; slot < node->end; ++slot) {
            if (is_pair(s, triangle, s->order[slot])) add_partner(found, s->order[slot]);
        }
    }
}

static bool has_enough(search *s)
{
    return atomic_load_explicit(&s->count, memory_order_relaxed) >= PLI_CROSSINGS_COUNTED;
}

static void count_partners(void *user, int64_t begin, int64_t end)
{
    search *s = user;
    for (int64_t slot = begin; slot < end; ++slot) {
        int32_t triangle = s->order[slot];
        s->counts[triangle] = UNKNOWN;
        if (has_enough(s)) continue;
        partners found = {0};
        query(s, triangle, &found);
        s->counts[triangle] = (int32_t)found.count;
        atomic_fetch_add_explicit(&s->count, found.count, memory_order_relaxed);
    }
}

// Lists pairs in ascending order until the list is full.
static void list_pairs(const search *s, int32_t capacity, int32_t *buffer, pli_crossing *crossings)
{
    int32_t listed = 0;
    for (int32_t triangle = 0; triangle < s->soup->triangle_count && listed < capacity;
         ++triangle) {
        if (s->counts[triangle] == 0) continue;
        partners found = {.capacity = capacity - listed, .triangles = buffer};
        query(s, triangle, &found);
        for (int32_t i = 0; i < found.kept; ++i) {
            crossings[listed++] = (pli_crossing){{triangle, found.triangles[i]}};
        }
    }
}

static void fill_boxes(void *user, int64_t begin, int64_t end)
{
    search *s = user;
    for (int64_t i = begin; i < end; ++i) {
        s->boxes[i] = triangle_box(s->soup, (int32_t)i);
        s->order[i] = (int32_t)i;
    }
}

pli_status pli_soup_find_crossings(pli_context *context, const pli_soup *soup, int32_t capacity,
                                   pli_crossing *crossings, int64_t *count)
{
    *count = 0;
    int32_t n = soup->triangle_count;
    if (n == 0) return PLI_OK;

    // a node that is split gives at least LEAF_SIZE / 2 slots to either side
    int64_t node_limit = 2 * ((int64_t)n / (LEAF_SIZE / 2) + 1);
    search s = {.soup = soup};
    s.boxes = PLI_NEW(context, closed_box, n, "crossing boxes");
    s.order = PLI_NEW(context, int32_t, n, "crossing order");
    s.nodes = PLI_NEW(context, tree_node, node_limit, "crossing tree");
    s.counts = PLI_NEW(context, int32_t, n, "crossing counts");
    int32_t *buffer = PLI_NEW(context, int32_t, capacity, "crossing partners");
    pli_status status = PLI_ERROR_MEMORY;
    if (s.boxes == NULL || s.order == NULL || s.nodes == NULL) goto done;
    if (s.counts == NULL || buffer == NULL) goto done;

    pli_parallel_for(context, n, 4096, fill_boxes, &s);
    build_nodes(&s, 0, n);
    pli_parallel_for(context, n, QUERY_GRAIN, count_partners, &s);
    *count = has_enough(&s) ? PLI_CROSSINGS_COUNTED : (int64_t)atomic_load(&s.count);
    if (*count > 0) list_pairs(&s, capacity, buffer, crossings);
    status = PLI_OK;

done:
    PLI_RELEASE(context, buffer, s.counts, s.nodes, s.order, s.boxes);
    return status;
}

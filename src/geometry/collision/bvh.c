// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/bvh.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/simd.h"

#include <float.h>

enum {
    LEAF_SIZE = 4,       // primitives a leaf may hold
    TASK_SIZE = 1024,    // subtrees up to this size are built by one worker
    MAX_TASKS = 1 << 12, // more are not needed to feed any machine
    AHEAD = 32,          // boxes that are fetched before they are needed
    STACK_SIZE = 64      // deeper than any tree over int32_t primitives
};

// a tree is rebuilt when its cost has grown by this factor
static const double worn = 1.5;

// distances of boxes are taken this much smaller, more than the rounding of both distances
static const double box_margin = 1 - 1e-12;

// A box as its lower faces and its negated upper ones: unions are minima, rounding outwards is
// rounding down, and two boxes touch when six numbers compare the same way. One vector of eight.
typedef struct bvh_node {
    float faces[6]; // min and -max (m)
    int32_t first;  // leaf: position in items; inner: right child
    int32_t count;  // primitives of a leaf, 0: inner
} bvh_node;

// a primitive in the order of the leaves, with its own box beside it
typedef struct bvh_item {
    float faces[6]; // min and -max (m)
    int32_t primitive;
    int32_t unused; // makes it as long as a node
} bvh_item;

// a subtree over order[begin .. end) whose nodes start at `node`
typedef struct bvh_task {
    int32_t node;
    int32_t begin;
    int32_t end;
} bvh_task;

struct pli_bvh {
    pli_context *context;
    int32_t count;
    int32_t node_count;
    int32_t task_count;
    int32_t top_count; // nodes above the tasks
    int32_t task_size; // primitives a task may have
    double built_cost; // after the last build
    bvh_node *nodes;   // [node_count]
    int32_t *order;    // [count] primitives by leaf
    bvh_item *items;   // [count] the same with their boxes
    bvh_task *tasks;   // [task_count] subtrees that workers treat alone
    int32_t *top;      // [top_count] nodes above them, parents first
};

// what building needs besides the tree
typedef struct bvh_builder {
    pli_bvh *bvh;
    const pli_bounds *boxes;
    double *centers; // [count][3] (m)
} bvh_builder;

// Nodes of trees over n and n + 1 primitives: sizes halve, so two neighbours are enough to go on.
static void count_nodes(int32_t n, int32_t *small, int32_t *large)
{
    if (n + 1 <= LEAF_SIZE) {
        *small = *large = 1;
        return;
    }
    int32_t low, high;
    count_nodes(n / 2, &low, &high);
    // n splits into n/2 and n - n/2, n + 1 into (n+1)/2 and the rest
    *small = n <= LEAF_SIZE ? 1 : 1 + low + (n % 2 == 0 ? low : high);
    *large = 1 + (n % 2 == 0 ? low + high : high + high);
}

static int32_t tree_size(int32_t n)
{
    int32_t small, large;
    count_nodes(n, &small, &large);
    return small;
}

// A float below x, by two units in the last place at most; without asking how x was rounded, which
// is slower than the little room it would save.
static float round_down(double x)
{
    float f = (float)pli_smaller(x, (double)FLT_MAX);
    return f - (fabsf(f) * FLT_EPSILON + FLT_MIN);
}

// Faces of a box in the first six lanes, made in registers: eight floats that were written one by
// one are slow to read back as a vector.
static pli_f8 faces_of_box(const pli_bounds *box)
{
    return (pli_f8){round_down(box->min[0]),  round_down(box->min[1]),  round_down(box->min[2]),
                    round_down(-box->max[0]), round_down(-box->max[1]), round_down(-box->max[2])};
}

// Writes faces as a whole, with the two integers that follow them in nodes and items.
static void store_faces(pli_f8 faces, int32_t first, int32_t second, void *node)
{
    pli_f8_mask bits = (pli_f8_mask)faces;
    bits[6] = first;
    bits[7] = second;
    memcpy(node, &bits, sizeof bits);
}

// the faces of a node or an item in the first six lanes
static pli_f8 load_faces(const void *node)
{
    pli_f8 lanes;
    memcpy(&lanes, node, sizeof lanes);
    return lanes;
}

static bool comes_before(const double *centers, int axis, int32_t a, int32_t b)
{
    double x = centers[3 * (int64_t)a + axis];
    double y = centers[3 * (int64_t)b + axis];
    return x < y || (x == y && a < b);
}

// the middle one of three primitives
static int32_t median_of(const double *centers, int axis, int32_t a, int32_t b, int32_t c)
{
    if (comes_before(centers, axis, b, a)) {
        int32_t t = a;
        a = b;
        b = t;
    }
    if (comes_before(centers, axis, c, a)) return a;
    return comes_before(centers, axis, c, b) ? c : b;
}

// Permutes order[begin .. end) so that what comes before the middle lies before it (quickselect).
static void split_range(const double *centers, int axis, int32_t *order, int32_t begin, int32_t end,
                        int32_t middle)
{
    int32_t low = begin;
    int32_t high = end - 1;
    while (low < high) {
        int32_t pivot =
            median_of(centers, axis, order[low], order[low + (high - low) / 2], order[high]);
        int32_t i = low;
        int32_t j = high;
        while (i <= j) {
            while (comes_before(centers, axis, order[i], pivot)) ++i;
            while (comes_before(centers, axis, pivot, order[j])) --j;
            if (i > j) break;
            int32_t t = order[i];
            order[i++] = order[j];
            order[j--] = t;
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

static int longest_axis(const bvh_builder *builder, int32_t begin, int32_t end)
{
    pli_bounds box = pli_bounds_empty();
    for (int32_t i = begin; i < end; ++i) {
        pli_bounds_add_point(&box, builder->centers + 3 * (int64_t)builder->bvh->order[i]);
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        if (box.max[k] - box.min[k] > box.max[axis] - box.min[axis]) axis = k;
    }
    return axis;
}

// Splits the range of an inner node and returns where its right half begins.
static int32_t split_node(const bvh_builder *builder, int32_t node, int32_t begin, int32_t end)
{
    int32_t middle = begin + (end - begin) / 2;
    int axis = longest_axis(builder, begin, end);
    split_range(builder->centers, axis, builder->bvh->order, begin, end, middle);
    builder->bvh->nodes[node].count = 0;
    builder->bvh->nodes[node].first = node + 1 + tree_size(middle - begin);
    return middle;
}

static void build_subtree(const bvh_builder *builder, int32_t node, int32_t begin, int32_t end)
{
    if (end - begin <= LEAF_SIZE) {
        builder->bvh->nodes[node].first = begin;
        builder->bvh->nodes[node].count = end - begin;
        return;
    }
    int32_t middle = split_node(builder, node, begin, end);
    build_subtree(builder, node + 1, begin, middle);
    build_subtree(builder, builder->bvh->nodes[node].first, middle, end);
}

// Splits the upper part of the tree and notes the subtrees below it as tasks.
static void build_top(bvh_builder *builder, int32_t node, int32_t begin, int32_t end)
{
    pli_bvh *bvh = builder->bvh;
    if (end - begin <= bvh->task_size) {
        bvh->tasks[bvh->task_count++] = (bvh_task){node, begin, end};
        return;
    }
    bvh->top[bvh->top_count++] = node;
    int32_t middle = split_node(builder, node, begin, end);
    build_top(builder, node + 1, begin, middle);
    build_top(builder, bvh->nodes[node].first, middle, end);
}

static void build_tasks(void *user, int64_t begin, int64_t end)
{
    const bvh_builder *builder = user;
    for (int64_t k = begin; k < end; ++k) {
        const bvh_task *task = &builder->bvh->tasks[k];
        build_subtree(builder, task->node, task->begin, task->end);
    }
}

static void compute_centers(void *user, int64_t begin, int64_t end)
{
    bvh_builder *builder = user;
    for (int64_t i = begin; i < end; ++i) {
        double *center = builder->centers + 3 * i;
        pli_vec3_add(builder->boxes[i].min, builder->boxes[i].max, center);
        pli_vec3_scale(0.5, center, center);
        builder->bvh->order[i] = (int32_t)i;
    }
}

static void fit_leaf(const pli_bvh *bvh, bvh_node *node, const pli_bounds *boxes)
{
    pli_f8 faces = pli_f8_broadcast(INFINITY);
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        // boxes come in the order of the tree, from all over the memory, backwards
        if (i >= AHEAD) __builtin_prefetch(&boxes[bvh->order[i - AHEAD]]);
        int32_t primitive = bvh->order[i];
        pli_f8 own = faces_of_box(&boxes[primitive]);
        store_faces(own, primitive, 0, &bvh->items[i]);
        faces = pli_f8_min(own, faces);
    }
    store_faces(faces, node->first, node->count, node);
}

static void fit_inner(const pli_bvh *bvh, int32_t index)
{
    bvh_node *node = &bvh->nodes[index];
    pli_f8 faces =
        pli_f8_min(load_faces(&bvh->nodes[index + 1]), load_faces(&bvh->nodes[node->first]));
    store_faces(faces, node->first, 0, node);
}

// Children come after their parents, so going backwards meets them first.
static void fit_tasks(void *user, int64_t begin, int64_t end)
{
    const bvh_builder *builder = user;
    const pli_bvh *bvh = builder->bvh;
    for (int64_t k = begin; k < end; ++k) {
        const bvh_task *task = &bvh->tasks[k];
        int32_t first = task->node;
        int32_t last = first + tree_size(task->end - task->begin) - 1;
        for (int32_t node = last; node >= first; --node) {
            if (bvh->nodes[node].count > 0) {
                fit_leaf(bvh, &bvh->nodes[node], builder->boxes);
            } else {
                fit_inner(bvh, node);
            }
        }
    }
}

void pli_bvh_refit(pli_bvh *bvh, const pli_bounds *boxes)
{
    if (bvh->count == 0) return;
    bvh_builder builder = {.bvh = bvh, .boxes = boxes};
    pli_parallel_for(bvh->context, bvh->task_count, 1, fit_tasks, &builder);
    for (int32_t k = bvh->top_count - 1; k >= 0; --k) fit_inner(bvh, bvh->top[k]);
}

// How much room the tree wastes: surface area of the inner nodes over that of the leaves; not
// finite when a box is not.
static double tree_cost(const pli_bvh *bvh)
{
    double area[2] = {0, 0}; // of inner nodes and of leaves
    for (int32_t k = 0; k < bvh->node_count; ++k) {
        const bvh_node *node = &bvh->nodes[k];
        float x = -node->faces[3] - node->faces[0];
        float y = -node->faces[4] - node->faces[1];
        float z = -node->faces[5] - node->faces[2];
        area[node->count > 0] += (double)(x * y + y * z + z * x);
    }
    return area[1] > 0 ? area[0] / area[1] : 0;
}

// Sorts the primitives into a new tree by their new boxes, in place. centers [count][3] is scratch.
static void rebuild(pli_bvh *bvh, const pli_bounds *boxes, double *centers)
{
    if (bvh->count == 0) return;
    bvh_builder builder = {.bvh = bvh, .boxes = boxes, .centers = centers};
    bvh->task_count = 0;
    bvh->top_count = 0;
    pli_parallel_for(bvh->context, bvh->count, 4096, compute_centers, &builder);
    build_top(&builder, 0, 0, bvh->count);
    pli_parallel_for(bvh->context, bvh->task_count, 1, build_tasks, &builder);
    pli_bvh_refit(bvh, boxes);
    bvh->built_cost = tree_cost(bvh);
}

void pli_bvh_update(pli_bvh *bvh, const pli_bounds *boxes, double *centers)
{
    pli_bvh_refit(bvh, boxes);
    double cost = tree_cost(bvh);
    if (isfinite(cost) && cost > worn * bvh->built_cost) rebuild(bvh, boxes, centers);
}

static pli_status check_boxes(pli_context *context, int32_t count, const pli_bounds *boxes)
{
    if (count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "number of boxes is %d, must not be negative",
                        count);
    }
    for (int32_t i = 0; i < count; ++i) {
        if (pli_bounds_is_finite(&boxes[i]) && !pli_bounds_is_empty(&boxes[i])) continue;
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "box %d is empty or not finite; every primitive needs a finite box", i);
    }
    return PLI_OK;
}

static pli_status allocate_tree(pli_context *context, bvh_builder *builder)
{
    pli_bvh *bvh = builder->bvh;
    int32_t count = bvh->count;
    bvh->node_count = count > 0 ? tree_size(count) : 0;
    bvh->task_size = count / (MAX_TASKS / 2) + 1;
    if (bvh->task_size < TASK_SIZE) bvh->task_size = TASK_SIZE;

    PLI_TRY(PLI_MAKE(context, bvh->nodes, bvh->node_count, "bvh nodes"));
    PLI_TRY(PLI_MAKE(context, bvh->order, count, "bvh order"));
    PLI_TRY(PLI_MAKE(context, bvh->items, count, "bvh items"));
    PLI_TRY(PLI_MAKE(context, bvh->tasks, MAX_TASKS, "bvh subtrees"));
    PLI_TRY(PLI_MAKE(context, bvh->top, MAX_TASKS, "bvh top"));
    return PLI_MAKE(context, builder->centers, 3 * (int64_t)count, "bvh centres");
}

pli_status pli_bvh_create(pli_context *context, int32_t count, const pli_bounds *boxes,
                          pli_bvh **out)
{
    *out = NULL;
    PLI_TRY(check_boxes(context, count, boxes));
    pli_bvh *bvh = PLI_NEW(context, pli_bvh, 1, "bvh");
    if (bvh == NULL) return PLI_ERROR_MEMORY;
    bvh->context = context;
    bvh->count = count;

    bvh_builder builder = {.bvh = bvh, .boxes = boxes};
    pli_status status = allocate_tree(context, &builder);
    if (status != PLI_OK) goto done;
    rebuild(bvh, boxes, builder.centers);
    *out = bvh;

done:
    pli_release(context, builder.centers);
    if (status != PLI_OK) pli_bvh_destroy(bvh);
    return status;
}

void pli_bvh_destroy(pli_bvh *bvh)
{
    if (bvh == NULL) return;
    PLI_RELEASE(bvh->context, bvh->top, bvh->tasks, bvh->items, bvh->order, bvh->nodes, bvh);
}

pli_bounds pli_bvh_bounds(const pli_bvh *bvh)
{
    pli_bounds bounds = pli_bounds_empty();
    if (bvh->count == 0) return bounds;
    for (int k = 0; k < 3; ++k) {
        bounds.min[k] = (double)bvh->nodes[0].faces[k];
        bounds.max[k] = -(double)bvh->nodes[0].faces[3 + k];
    }
    return bounds;
}

// What the lanes of a node must not exceed for its box to touch the given one; the last two lanes
// are no faces and always pass.
static pli_f8 reach_of_box(const pli_bounds *box)
{
    pli_f8 reach = pli_f8_broadcast(INFINITY);
    for (int k = 0; k < 3; ++k) {
        reach[k] = -round_down(-box->max[k]);
        reach[3 + k] = -round_down(box->min[k]);
    }
    return reach;
}

// whether the box of a node or an item touches
static bool is_reached(const void *node, const pli_f8 *reach)
{
    return pli_f8_all((pli_f8_mask)(load_faces(node) <= *reach));
}

static bool visit_leaf(const pli_bvh *bvh, const bvh_node *node, const pli_f8 *reach,
                       pli_bvh_visit_fn visit, void *user)
{
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        if (!is_reached(&bvh->items[i], reach)) continue;
        if (!visit(user, bvh->items[i].primitive)) return false;
    }
    return true;
}

void pli_bvh_query_box(const pli_bvh *bvh, const pli_bounds *box, pli_bvh_visit_fn visit,
                       void *user)
{
    int32_t stack[STACK_SIZE];
    int32_t depth = 0;
    pli_f8 reach = reach_of_box(box);
    if (bvh->count > 0 && is_reached(&bvh->nodes[0], &reach)) stack[depth++] = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const bvh_node *node = &bvh->nodes[index];
        if (node->count > 0) {
            if (!visit_leaf(bvh, node, &reach, visit, user)) return;
            continue;
        }
        if (is_reached(&bvh->nodes[node->first], &reach)) stack[depth++] = node->first;
        if (is_reached(&bvh->nodes[index + 1], &reach)) stack[depth++] = index + 1;
    }
}

// The slab test; written so that a zero direction component gives no NaN.
static bool ray_hits(const float faces[6], const double origin[3], const double direction[3],
                     double t_max)
{
    double near = 0;
    double far = t_max;
    for (int k = 0; k < 3; ++k) {
        double low = (double)faces[k] - origin[k];
        double high = -(double)faces[3 + k] - origin[k];
        if (direction[k] == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        double a = low / direction[k];
        double b = high / direction[k];
        near = pli_larger(near, pli_smaller(a, b));
        far = pli_smaller(far, pli_larger(a, b));
    }
    // widened by a few roundings, so that a grazing ray is not lost
    return near <= far * (1 + 4 * DBL_EPSILON);
}

void pli_bvh_query_ray(const pli_bvh *bvh, const double origin[3], const double direction[3],
                       double t_max, pli_bvh_visit_fn visit, void *user)
{
    int32_t stack[STACK_SIZE];
    int32_t depth = 0;
    if (bvh->count > 0) stack[depth++] = 0;
    while (depth > 0) {
        int32_t index = stack[--depth];
        const bvh_node *node = &bvh->nodes[index];
        if (!ray_hits(node->faces, origin, direction, t_max)) continue;
        if (node->count == 0) {
            stack[depth++] = node->first;
            stack[depth++] = index + 1;
            continue;
        }
        for (int32_t i = node->first; i < node->first + node->count; ++i) {
            if (!ray_hits(bvh->items[i].faces, origin, direction, t_max)) continue;
            if (!visit(user, bvh->items[i].primitive)) return;
        }
    }
}

// Squared distance of a point from a box, less the margin.
static double faces_distance2(const float faces[6], const double point[3])
{
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        double below = (double)faces[k] - point[k];
        double above = (double)faces[3 + k] + point[k];
        double gap = pli_larger(pli_larger(below, above), 0);
        sum += gap * gap;
    }
    return box_margin * sum;
}

// the best primitive so far; equal distances go to the smaller index
typedef struct nearest_state {
    int32_t primitive;
    double distance2;
} nearest_state;

// what is searched for
typedef struct nearest_search {
    const double *point;
    pli_bvh_distance_fn distance;
    void *user;
} nearest_search;

static void search_leaf(const pli_bvh *bvh, const bvh_node *node, const nearest_search *search,
                        nearest_state *best)
{
    for (int32_t i = node->first; i < node->first + node->count; ++i) {
        const bvh_item *item = &bvh->items[i];
        if (faces_distance2(item->faces, search->point) > best->distance2) continue;
        int32_t primitive = item->primitive;
        double d2 = search->distance(search->user, primitive);
        if (d2 < best->distance2 || (d2 == best->distance2 && primitive < best->primitive)) {
            *best = (nearest_state){primitive, d2};
        }
    }
}

// a node that is still to be searched
typedef struct nearest_entry {
    int32_t node;
    double distance2; // of its box
} nearest_entry;

// Puts the children of a node on the stack, the nearer one on top.
static int32_t push_children(const pli_bvh *bvh, int32_t index, const double point[3],
                             nearest_entry *stack, int32_t depth)
{
    nearest_entry near = {index + 1, faces_distance2(bvh->nodes[index + 1].faces, point)};
    int32_t right = bvh->nodes[index].first;
    nearest_entry far = {right, faces_distance2(bvh->nodes[right].faces, point)};
    bool is_swapped = far.distance2 < near.distance2;
    stack[depth] = is_swapped ? near : far;
    stack[depth + 1] = is_swapped ? far : near;
    return depth + 2;
}

int32_t pli_bvh_query_nearest(const pli_bvh *bvh, const double point[3], double limit2,
                              pli_bvh_distance_fn distance, void *user, double *distance2)
{
    nearest_entry stack[STACK_SIZE];
    int32_t depth = 0;
    nearest_search search = {point, distance, user};
    nearest_state best = {-1, limit2};
    if (bvh->count > 0) stack[depth++] = (nearest_entry){0, 0};
    while (depth > 0) {
        nearest_entry entry = stack[--depth];
        const bvh_node *node = &bvh->nodes[entry.node];
        // equal distances are looked at too, for the sake of the smallest index
        if (entry.distance2 > best.distance2) continue;
        if (node->count > 0) {
            search_leaf(bvh, node, &search, &best);
        } else {
            depth = push_children(bvh, entry.node, point, stack, depth);
        }
    }
    *distance2 = best.distance2;
    return best.primitive;
}

// SPDX-License-Identifier: Apache-2.0
#include "geometry/collision/simplex_tree.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/mesh/sort.h"

enum {
    LANES = PLI_SIMPLEX_LANES,
    FACES = PLI_SIMPLEX_FACES,
    NODE_GRAIN = 64,      // nodes a worker fits at once
    PRIMITIVE_GRAIN = 512 // primitives a worker treats at once
};

// leaves are sorted again when they have come to spread this much further
static const double worn = 1.5;

// primitives longer than the mean by this factor are sorted apart
static const double very_long = 8;

static const uint64_t apart_bit = UINT64_C(1) << 63;

// what fitting works on
typedef struct fit_job {
    pli_simplex_tree *tree;
    const float *vertex_boxes; // [vertex][8]
    const float *end_boxes;    // [vertex][8], NULL: nothing moves
    int32_t level;             // whose nodes are fitted
    pli_bounds bounds;         // around everything (m)
    double long_extent;        // sum of extents from which on a primitive is sorted apart (m)
} fit_job;

static int64_t node_count(const pli_simplex_tree *tree, int32_t level)
{
    return tree->level_start[level + 1] - tree->level_start[level];
}

// children of one node: eight but for the last one
static int32_t child_count(int64_t below_count, int64_t node)
{
    int64_t rest = below_count - LANES * node;
    return rest < LANES ? (int32_t)rest : LANES;
}

// the sum of the extents of a box along the axes
static double box_extent(pli_f8 box)
{
    double sum = 0;
    for (int k = 0; k < FACES; ++k) sum -= (double)box[k];
    return sum;
}

static pli_f8 box_among(const pli_simplex_tree *tree, int64_t primitive, const float *vertex_boxes)
{
    return pli_simplex_box(tree->size, tree->corners + tree->size * primitive, vertex_boxes);
}

static pli_f8 primitive_box(const fit_job *job, int64_t primitive)
{
    return box_among(job->tree, primitive, job->vertex_boxes);
}

static void place_levels(pli_simplex_tree *tree)
{
    int64_t below = tree->count;
    int32_t start = 0;
    for (tree->level_count = 0; below > 1 || tree->level_count == 0; ++tree->level_count) {
        below = (below + LANES - 1) / LANES;
        tree->level_start[tree->level_count] = start;
        start += (int32_t)below;
    }
    tree->level_start[tree->level_count] = start;
}

pli_status pli_simplex_tree_init(pli_context *context, int32_t count, int32_t size,
                                 const int32_t *corners, pli_simplex_tree *tree)
{
    *tree =
        (pli_simplex_tree){.context = context, .count = count, .size = size, .corners = corners};
    place_levels(tree);
    int64_t nodes = tree->level_start[tree->level_count];
    tree->nodes = PLI_NEW(context, pli_simplex_node, nodes, "box tree nodes");
    tree->boxes = PLI_NEW(context, float, 8 * nodes, "box tree boxes");
    tree->end_faces = PLI_NEW(context, pli_simplex_faces, nodes, "box tree nodes");
    tree->end_boxes = PLI_NEW(context, float, 8 * nodes, "box tree boxes");
    tree->leaf_corners =
        PLI_NEW(context, int32_t, LANES * size * node_count(tree, 0), "box tree corners");
    tree->order = PLI_NEW(context, int32_t, count, "box tree order");
    tree->keys = PLI_NEW(context, uint64_t, count, "box tree keys");
    tree->scratch = PLI_NEW(context, int32_t, count, "box tree scratch");
    if (tree->nodes != NULL && tree->boxes != NULL && tree->end_faces != NULL &&
        tree->end_boxes != NULL && tree->leaf_corners != NULL && tree->order != NULL &&
        tree->keys != NULL && tree->scratch != NULL) {
        return PLI_OK;
    }
    pli_simplex_tree_clear(tree);
    return PLI_ERROR_MEMORY;
}

void pli_simplex_tree_clear(pli_simplex_tree *tree)
{
    PLI_RELEASE(tree->context, tree->scratch, tree->keys, tree->order, tree->leaf_corners,
                tree->end_boxes, tree->end_faces, tree->boxes, tree->nodes);
    *tree = (pli_simplex_tree){0};
}

static pli_sum sum_extents(void *user, int64_t begin, int64_t end)
{
    const fit_job *job = user;
    pli_sum sum = {0, 0};
    for (int64_t i = begin; i < end; ++i) pli_sum_add(&sum, box_extent(primitive_box(job, i)));
    return sum;
}

static pli_bounds bounds_of_primitives(const fit_job *job)
{
    pli_f8 all = primitive_box(job, 0);
    for (int64_t i = 1; i < job->tree->count; ++i) all = pli_f8_min(primitive_box(job, i), all);
    pli_bounds bounds;
    for (int k = 0; k < 3; ++k) {
        bounds.min[k] = (double)all[k];
        bounds.max[k] = -(double)all[3 + k];
    }
    return bounds;
}

static void compute_keys(void *user, int64_t begin, int64_t end)
{
    const fit_job *job = user;
    for (int64_t i = begin; i < end; ++i) {
        pli_f8 box = primitive_box(job, i);
        double center[3];
        for (int k = 0; k < 3; ++k) center[k] = 0.5 * ((double)box[k] - (double)box[3 + k]);
        uint64_t key = pli_hilbert_key(&job->bounds, center);
        job->tree->keys[i] = box_extent(box) > job->long_extent ? key | apart_bit : key;
    }
}

// Notes in every leaf which primitives it has, and their corners.
static void name_leaves(pli_simplex_tree *tree)
{
    int64_t leaf_count = node_count(tree, 0);
    for (int64_t leaf = 0; leaf < leaf_count; ++leaf) {
        int32_t filled = child_count(tree->count, leaf);
        for (int32_t lane = 0; lane < LANES; ++lane) {
            int32_t primitive = lane < filled ? tree->order[LANES * leaf + lane] : -1;
            tree->nodes[leaf].last[lane] = primitive;
            for (int32_t c = 0; c < tree->size; ++c) {
                tree->leaf_corners[LANES * (tree->size * leaf + c) + lane] =
                    primitive < 0 ? -1 : tree->corners[tree->size * (int64_t)primitive + c];
            }
        }
    }
}

// Notes in the nodes of a level the largest primitive below each lane.
static void name_nodes(pli_simplex_tree *tree, int32_t level)
{
    const pli_simplex_node *below = tree->nodes + tree->level_start[level - 1];
    pli_simplex_node *nodes = tree->nodes + tree->level_start[level];
    int64_t below_count = node_count(tree, level - 1);
    for (int64_t child = 0; child < LANES * node_count(tree, level); ++child) {
        int32_t last = -1;
        for (int32_t lane = 0; lane < LANES && child < below_count; ++lane) {
            if (below[child].last[lane] > last) last = below[child].last[lane];
        }
        nodes[child / LANES].last[child % LANES] = last;
    }
}

static void sort_primitives(fit_job *job)
{
    pli_simplex_tree *tree = job->tree;
    pli_sum sum = pli_parallel_sum(tree->context, tree->count, PRIMITIVE_GRAIN, sum_extents, job);
    job->bounds = bounds_of_primitives(job);
    job->long_extent = very_long * pli_sum_value(sum) / tree->count;
    pli_parallel_for(tree->context, tree->count, PRIMITIVE_GRAIN, compute_keys, job);
    pli_sort_order_in(tree->count, tree->keys, tree->scratch, tree->order);
    name_leaves(tree);
    for (int32_t level = 1; level < tree->level_count; ++level) name_nodes(tree, level);
}

// Puts a box into a lane.
static void set_lane(pli_simplex_faces faces, int32_t lane, pli_f8 box)
{
    for (int k = 0; k < FACES; ++k) faces[k][lane] = box[k];
}

static void clear_lanes(pli_simplex_faces faces, int32_t first)
{
    for (int32_t lane = first; lane < LANES; ++lane) set_lane(faces, lane, pli_f8_broadcast(NAN));
}

// Fits the boxes of a leaf's primitives at one end of the way; the box around them goes to `whole`.
// Returns how much further the leaf reaches than its primitives do on the average; inflating all
// boxes by the same length does not change it.
static double fit_leaf(const pli_simplex_tree *tree, int64_t leaf, const float *vertex_boxes,
                       pli_simplex_faces faces, float *whole)
{
    int32_t filled = child_count(tree->count, leaf);
    pli_f8 all = pli_f8_broadcast(INFINITY);
    double sum = 0;
    for (int32_t lane = 0; lane < filled; ++lane) {
        pli_f8 box = box_among(tree, tree->nodes[leaf].last[lane], vertex_boxes);
        set_lane(faces, lane, box);
        all = pli_f8_min(box, all);
        sum += box_extent(box);
    }
    clear_lanes(faces, filled);
    pli_f8_store(all, whole);
    return box_extent(all) - sum / filled;
}

static pli_sum fit_leaves(void *user, int64_t begin, int64_t end)
{
    const fit_job *job = user;
    pli_simplex_tree *tree = job->tree;
    pli_sum sum = {0, 0};
    for (int64_t leaf = begin; leaf < end; ++leaf) {
        pli_sum_add(&sum, fit_leaf(tree, leaf, job->vertex_boxes, tree->nodes[leaf].faces,
                                   tree->boxes + 8 * leaf));
    }
    return sum;
}

static void fit_end_leaves(void *user, int64_t begin, int64_t end)
{
    const fit_job *job = user;
    pli_simplex_tree *tree = job->tree;
    for (int64_t leaf = begin; leaf < end; ++leaf) {
        (void)fit_leaf(tree, leaf, job->end_boxes, tree->end_faces[leaf],
                       tree->end_boxes + 8 * leaf);
    }
}

// Fits the boxes of a node's children at one end of the way.
static void fit_node(int32_t filled, const float *children, pli_simplex_faces faces, float *whole)
{
    pli_f8 all = pli_f8_broadcast(INFINITY);
    for (int32_t lane = 0; lane < filled; ++lane) {
        pli_f8 box = pli_f8_load(children + 8 * lane);
        set_lane(faces, lane, box);
        all = pli_f8_min(box, all);
    }
    clear_lanes(faces, filled);
    pli_f8_store(all, whole);
}

static void fit_nodes(void *user, int64_t begin, int64_t end)
{
    const fit_job *job = user;
    pli_simplex_tree *tree = job->tree;
    int64_t below = tree->level_start[job->level - 1];
    int64_t below_count = node_count(tree, job->level - 1);
    for (int64_t index = begin; index < end; ++index) {
        int64_t node = tree->level_start[job->level] + index;
        int64_t child = below + LANES * index;
        int32_t filled = child_count(below_count, index);
        fit_node(filled, tree->boxes + 8 * child, tree->nodes[node].faces, tree->boxes + 8 * node);
        if (!tree->is_moving) continue;
        fit_node(filled, tree->end_boxes + 8 * child, tree->end_faces[node],
                 tree->end_boxes + 8 * node);
    }
}

static double fit_spread(fit_job *job)
{
    pli_simplex_tree *tree = job->tree;
    return pli_sum_value(
        pli_parallel_sum(tree->context, node_count(tree, 0), NODE_GRAIN, fit_leaves, job));
}

void pli_simplex_tree_fit(pli_simplex_tree *tree, const float *vertex_boxes, const float *end_boxes)
{
    if (tree->count == 0) return;
    fit_job job = {.tree = tree, .vertex_boxes = vertex_boxes, .end_boxes = end_boxes};
    tree->is_moving = end_boxes != NULL;

    // leaves, in the order they have or in a new one
    if (!tree->is_sorted || fit_spread(&job) > worn * tree->sorted_spread) {
        sort_primitives(&job);
        tree->is_sorted = true;
        tree->sorted_spread = fit_spread(&job);
    }
    if (tree->is_moving) {
        pli_parallel_for(tree->context, node_count(tree, 0), NODE_GRAIN, fit_end_leaves, &job);
    }

    // nodes above them
    for (job.level = 1; job.level < tree->level_count; ++job.level) {
        pli_parallel_for(tree->context, node_count(tree, job.level), NODE_GRAIN, fit_nodes, &job);
    }
}

// SPDX-License-Identifier: Apache-2.0
#include "linear/matrix/sweep_order.h"

#include "base/memory.h"

#include <string.h>

enum {
    CLUSTER_LARGEST = 512, // nodes: a cluster's part of a matrix fits a second-level cache
    CLUSTER_SMALLEST = 64,
    CLUSTER_COUNT = 64,   // clusters wanted before they become as large as that
    GROUP_LARGEST = 1024, // nodes of a group that stays one cluster
    FEW_COLORS = 8,       // more than these and clusters are grown along the graph
    SWEEP_GRAIN = 512,    // nodes that are worth a thread
    INNER_COLORS = 64,    // most colours inside a cluster; nodes beyond share the last one
    INNER_LENGTHS = 32    // numbers of neighbours before a node that are told apart
};

// Scratch of the set-up.
typedef struct cluster_state {
    pli_context *context;
    const pli_graph *graph;
    int32_t *queue;         // [node_count]      nodes in the order they joined a cluster
    int32_t *cluster;       // [node_count]      cluster of a node, or -1
    int32_t *cluster_begin; // [node_count + 1]  where a cluster begins in queue
    int32_t cluster_count;

    // couplings of clusters
    int64_t *start;    // [cluster_count + 1]
    int32_t *neighbor; // [start[cluster_count]]
    int32_t *mark;     // [cluster_count]
} cluster_state;

// ---- clusters

static int32_t cluster_size(int32_t node_count)
{
    int32_t size = node_count / CLUSTER_COUNT;
    if (size < CLUSTER_SMALLEST) return CLUSTER_SMALLEST;
    return size < CLUSTER_LARGEST ? size : CLUSTER_LARGEST;
}

// Adds the free neighbours of a node to the queue until the cluster is full.
static int32_t join_neighbors(cluster_state *state, int32_t node, int32_t count, int32_t limit)
{
    const pli_graph *graph = state->graph;
    for (int64_t k = graph->start[node]; k < graph->start[node + 1]; ++k) {
        int32_t other = graph->neighbor[k];
        if (count == limit) break;
        if (state->cluster[other] >= 0) continue;
        state->cluster[other] = state->cluster_count;
        state->queue[count++] = other;
    }
    return count;
}

// Clusters of consecutive nodes, as good as any when the numbering follows the geometry.
static void cut_clusters(cluster_state *state)
{
    int32_t node_count = state->graph->node_count;
    int32_t size = cluster_size(node_count);
    for (int32_t node = 0; node < node_count; ++node) {
        if (node % size == 0) state->cluster_begin[state->cluster_count++] = node;
        state->cluster[node] = state->cluster_count - 1;
        state->queue[node] = node;
    }
    state->cluster_begin[state->cluster_count] = node_count;
}

// Grows clusters one after the other, breadth first from the first free node; a cluster that runs
// out of neighbours goes on from the next free node.
static void grow_clusters(cluster_state *state)
{
    int32_t node_count = state->graph->node_count;
    int32_t size = cluster_size(node_count);
    int32_t seed = 0;
    int32_t count = 0;
    for (int32_t node = 0; node < node_count; ++node) state->cluster[node] = -1;
    while (count < node_count) {
        state->cluster_begin[state->cluster_count] = count;
        int32_t limit = node_count - count < size ? node_count : count + size;
        for (int32_t next = count; count < limit; ++next) {
            if (next == count) {
                while (state->cluster[seed] >= 0) ++seed;
                state->cluster[seed] = state->cluster_count;
                state->queue[count++] = seed;
            }
            count = join_neighbors(state, state->queue[next], count, limit);
        }
        ++state->cluster_count;
    }
    state->cluster_begin[state->cluster_count] = node_count;
}

// Clusters that are the caller's groups, cut where they are too large. Nodes of a group keep their
// order (a counting sort).
static pli_status adopt_groups(cluster_state *state, const int32_t *group)
{
    int32_t node_count = state->graph->node_count;
    int32_t group_count = 0;
    for (int32_t node = 0; node < node_count; ++node) {
        if (group[node] >= group_count) group_count = group[node] + 1;
    }
    int32_t *begin = PLI_NEW(state->context, int32_t, (int64_t)group_count + 1, "sweep groups");
    if (begin == NULL) return PLI_ERROR_MEMORY;
    for (int32_t node = 0; node < node_count; ++node) ++begin[group[node] + 1];
    for (int32_t k = 0; k < group_count; ++k) begin[k + 1] += begin[k];
    for (int32_t node = 0; node < node_count; ++node) state->queue[begin[group[node]]++] = node;
    for (int32_t k = 0, first = 0; k < group_count; first = begin[k++]) {
        for (int32_t place = first; place < begin[k]; ++place) {
            if ((place - first) % GROUP_LARGEST == 0) {
                state->cluster_begin[state->cluster_count++] = place;
            }
            state->cluster[state->queue[place]] = state->cluster_count - 1;
        }
    }
    state->cluster_begin[state->cluster_count] = node_count;
    pli_release(state->context, begin);
    return PLI_OK;
}

// ---- colours of clusters

// Counts, or with fill writes, the other clusters that a cluster is coupled to.
static int64_t visit_neighbors(cluster_state *state, int32_t cluster, bool fill)
{
    const pli_graph *graph = state->graph;
    int64_t count = 0;
    int32_t stamp = 2 * cluster + (fill ? 2 : 1);
    for (int32_t k = state->cluster_begin[cluster]; k < state->cluster_begin[cluster + 1]; ++k) {
        int32_t node = state->queue[k];
        for (int64_t link = graph->start[node]; link < graph->start[node + 1]; ++link) {
            int32_t other = state->cluster[graph->neighbor[link]];
            if (other == cluster || state->mark[other] == stamp) continue;
            state->mark[other] = stamp;
            if (fill) state->neighbor[state->start[cluster] + count] = other;
            ++count;
        }
    }
    return count;
}

static void clear_cluster_graph(cluster_state *state)
{
    PLI_RELEASE(state->context, state->start, state->neighbor, state->mark);
    state->start = NULL;
    state->neighbor = NULL;
    state->mark = NULL;
}

static pli_status build_cluster_graph(cluster_state *state)
{
    pli_context *context = state->context;
    int32_t n = state->cluster_count;
    state->start = PLI_NEW(context, int64_t, (int64_t)n + 1, "cluster graph");
    state->mark = PLI_NEW(context, int32_t, n, "cluster graph");
    if (state->start == NULL || state->mark == NULL) return PLI_ERROR_MEMORY;
    for (int32_t cluster = 0; cluster < n; ++cluster) {
        state->start[cluster + 1] = state->start[cluster] + visit_neighbors(state, cluster, false);
    }
    state->neighbor = PLI_NEW(context, int32_t, state->start[n], "cluster graph");
    if (state->neighbor == NULL) return PLI_ERROR_MEMORY;
    for (int32_t cluster = 0; cluster < n; ++cluster) visit_neighbors(state, cluster, true);
    return PLI_OK;
}

// Colours the clusters as they are.
static pli_status color_clusters(cluster_state *state, pli_graph_coloring **coloring)
{
    pli_graph_coloring_destroy(*coloring);
    *coloring = NULL;
    clear_cluster_graph(state);
    PLI_TRY(build_cluster_graph(state));
    pli_graph graph = {state->cluster_count, state->start, state->neighbor};
    return pli_graph_coloring_create(state->context, &graph, PLI_COLORING_GREEDY, 0, coloring);
}

static int32_t size_of(const cluster_state *state, int32_t cluster)
{
    return state->cluster_begin[cluster + 1] - state->cluster_begin[cluster];
}

// Merges clusters along their graph: each merged one is grown breadth first from the first free
// cluster as long as it has at most `target` nodes. Writes the merged one of every cluster; returns
// how many there are. queue [cluster_count] is scratch.
static int32_t grow_merged(const cluster_state *state, int32_t target, int32_t *merged,
                           int32_t *queue)
{
    int32_t count = 0;
    for (int32_t k = 0; k < state->cluster_count; ++k) merged[k] = -1;
    for (int32_t seed = 0; seed < state->cluster_count; ++seed) {
        if (merged[seed] >= 0) continue;
        int32_t size = size_of(state, seed);
        int32_t tail = 0;
        queue[tail++] = seed;
        merged[seed] = count;
        for (int32_t head = 0; head < tail; ++head) {
            int32_t cluster = queue[head];
            for (int64_t k = state->start[cluster]; k < state->start[cluster + 1]; ++k) {
                int32_t other = state->neighbor[k];
                if (merged[other] >= 0 || size + size_of(state, other) > target) continue;
                size += size_of(state, other);
                merged[other] = count;
                queue[tail++] = other;
            }
        }
        ++count;
    }
    return count;
}

// Groups that are smaller than a cluster should be are merged with their neighbours: small clusters
// have many nodes at their borders, and what these need is far away in memory.
static pli_status merge_groups(cluster_state *state)
{
    pli_context *context = state->context;
    int32_t n = state->graph->node_count;
    PLI_TRY(build_cluster_graph(state));
    int32_t *merged = PLI_NEW(context, int32_t, state->cluster_count, "sweep groups");
    int32_t *queue = PLI_NEW(context, int32_t, state->cluster_count, "sweep groups");
    int32_t *group = PLI_NEW(context, int32_t, n, "sweep groups");
    pli_status status = PLI_ERROR_MEMORY;
    if (merged != NULL && queue != NULL && group != NULL) {
        grow_merged(state, cluster_size(n), merged, queue);
        for (int32_t node = 0; node < n; ++node) group[node] = merged[state->cluster[node]];
        state->cluster_count = 0;
        status = adopt_groups(state, group);
    }
    clear_cluster_graph(state);
    PLI_RELEASE(context, merged, queue, group);
    return status;
}

static pli_status make_clusters(cluster_state *state, const int32_t *group,
                                pli_graph_coloring **coloring)
{
    if (group != NULL) {
        PLI_TRY(adopt_groups(state, group));
        PLI_TRY(merge_groups(state));
        return color_clusters(state, coloring);
    }
    // the numbering as it is, or clusters of our own when it couples everything with everything
    cut_clusters(state);
    PLI_TRY(color_clusters(state, coloring));
    if ((*coloring)->color_count <= FEW_COLORS) return PLI_OK;
    state->cluster_count = 0;
    grow_clusters(state);
    return color_clusters(state, coloring);
}

// ---- places

// First colour that no neighbour inside the cluster has yet.
static int32_t choose_inner_color(const cluster_state *state, const int32_t *color, int32_t node)
{
    const pli_graph *graph = state->graph;
    uint64_t used = 0;
    for (int64_t link = graph->start[node]; link < graph->start[node + 1]; ++link) {
        int32_t other = graph->neighbor[link];
        if (other == node || state->cluster[other] != state->cluster[node]) continue;
        if (color[other] >= 0) used |= UINT64_C(1) << color[other];
    }
    int32_t choice = 0;
    while (choice < INNER_COLORS - 1 && (used >> choice & 1) != 0) ++choice;
    return choice;
}

// Neighbours of a node that a sweep visits before it, at most INNER_LENGTHS - 1.
static int32_t count_earlier(const cluster_state *state, const pli_graph_coloring *coloring,
                             const int32_t *color, int32_t node)
{
    const pli_graph *graph = state->graph;
    int32_t own = state->cluster[node];
    int32_t count = 0;
    for (int64_t link = graph->start[node]; link < graph->start[node + 1]; ++link) {
        int32_t other = graph->neighbor[link];
        int32_t cluster = state->cluster[other];
        bool earlier = cluster == own ? color[other] < color[node]
                                      : coloring->color[cluster] < coloring->color[own];
        count += earlier;
    }
    return count < INNER_LENGTHS ? count : INNER_LENGTHS - 1;
}

// Sorts the nodes of every cluster by colours of their own, and those of one such colour by the
// number of neighbours before them. color [node_count] is scratch, -1; sorted [node_count] too.
static void interleave_nodes(cluster_state *state, const pli_graph_coloring *coloring,
                             int32_t *color, int32_t *sorted)
{
    for (int32_t cluster = 0; cluster < state->cluster_count; ++cluster) {
        int32_t first = state->cluster_begin[cluster];
        int32_t end = state->cluster_begin[cluster + 1];
        int32_t begin[INNER_COLORS * INNER_LENGTHS + 1] = {0};
        for (int32_t k = first; k < end; ++k) {
            color[state->queue[k]] = choose_inner_color(state, color, state->queue[k]);
        }
        // a counting sort; keys are kept in the places that the sorted nodes will take
        for (int32_t k = first; k < end; ++k) {
            int32_t node = state->queue[k];
            sorted[k] = color[node] * INNER_LENGTHS + count_earlier(state, coloring, color, node);
            ++begin[sorted[k] + 1];
        }
        for (int32_t key = 0; key < INNER_COLORS * INNER_LENGTHS; ++key) {
            begin[key + 1] += begin[key];
        }
        for (int32_t k = first; k < end; ++k) {
            color[state->queue[k]] = first + begin[sorted[k]]++;
        }
        for (int32_t k = first; k < end; ++k) sorted[color[state->queue[k]]] = state->queue[k];
    }
    memcpy(state->queue, sorted, (size_t)state->graph->node_count * sizeof *sorted);
}

// Numbers the nodes by colour, cluster, and place in the cluster.
static pli_status number_nodes(pli_sweep_order *order, const cluster_state *state,
                               const pli_graph_coloring *coloring)
{
    pli_context *context = order->context;
    order->cluster_count = state->cluster_count;
    order->color_count = coloring->color_count;
    int32_t mean = state->cluster_count > 0 ? order->node_count / state->cluster_count : 0;
    order->grain = mean >= SWEEP_GRAIN || mean == 0 ? 1 : SWEEP_GRAIN / mean;
    order->cluster_begin =
        PLI_NEW(context, int32_t, (int64_t)state->cluster_count + 1, "sweep clusters");
    order->color_begin =
        PLI_NEW(context, int32_t, (int64_t)coloring->color_count + 1, "sweep colours");
    if (order->cluster_begin == NULL || order->color_begin == NULL) return PLI_ERROR_MEMORY;
    memcpy(order->color_begin, coloring->color_begin,
           ((size_t)coloring->color_count + 1) * sizeof(int32_t));
    int32_t place = 0;
    for (int32_t k = 0; k < state->cluster_count; ++k) {
        int32_t cluster = coloring->node[k];
        int32_t first = state->cluster_begin[cluster];
        order->cluster_begin[k] = place;
        for (; first < state->cluster_begin[cluster + 1]; ++first, ++place) {
            order->node_of_place[place] = state->queue[first];
            order->place_of_node[state->queue[first]] = place;
        }
    }
    order->cluster_begin[state->cluster_count] = place;
    return PLI_OK;
}

static pli_status order_nodes(pli_sweep_order *order, const pli_graph *graph, const int32_t *group,
                              bool interleaved)
{
    pli_context *context = order->context;
    int64_t n = graph->node_count;
    pli_graph_coloring *coloring = NULL;
    cluster_state state = {.context = context,
                           .graph = graph,
                           .queue = PLI_NEW(context, int32_t, n, "sweep clusters"),
                           .cluster = PLI_NEW(context, int32_t, n, "sweep clusters"),
                           .cluster_begin = PLI_NEW(context, int32_t, n + 1, "sweep clusters")};
    pli_status status = PLI_ERROR_MEMORY;
    if (state.queue == NULL || state.cluster == NULL || state.cluster_begin == NULL) goto done;
    status = make_clusters(&state, group, &coloring);
    if (status == PLI_OK && interleaved) {
        // the arrays of the result serve as scratch before they are filled
        for (int64_t node = 0; node < n; ++node) order->place_of_node[node] = -1;
        interleave_nodes(&state, coloring, order->place_of_node, order->node_of_place);
    }
    if (status == PLI_OK) status = number_nodes(order, &state, coloring);

done:
    pli_graph_coloring_destroy(coloring);
    clear_cluster_graph(&state);
    PLI_RELEASE(context, state.queue, state.cluster, state.cluster_begin);
    return status;
}

pli_status pli_sweep_order_create(pli_context *context, const pli_graph *graph,
                                  const int32_t *group, bool interleaved, pli_sweep_order **order)
{
    *order = NULL;
    pli_sweep_order *made = PLI_NEW(context, pli_sweep_order, 1, "sweep order");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->node_count = graph->node_count;
    made->node_of_place = PLI_NEW(context, int32_t, made->node_count, "sweep order");
    made->place_of_node = PLI_NEW(context, int32_t, made->node_count, "sweep order");
    pli_status status = PLI_ERROR_MEMORY;
    if (made->node_of_place != NULL && made->place_of_node != NULL) {
        status = order_nodes(made, graph, group, interleaved);
    }
    if (status != PLI_OK) {
        pli_sweep_order_destroy(made);
        return status;
    }
    *order = made;
    return PLI_OK;
}

void pli_sweep_order_destroy(pli_sweep_order *order)
{
    if (order == NULL) return;
    pli_context *context = order->context;
    PLI_RELEASE(context, order->node_of_place, order->place_of_node, order->cluster_begin,
                order->color_begin, order);
}

// ---- sweeps

typedef struct run_job {
    const pli_sweep_order *order;
    int32_t first_cluster; // of the colour
    pli_range_fn body;
    void *user;
} run_job;

static void run_clusters(void *user, int64_t begin, int64_t end)
{
    const run_job *job = user;
    const int32_t *cluster_begin = job->order->cluster_begin + job->first_cluster;
    job->body(job->user, cluster_begin[begin], cluster_begin[end]);
}

void pli_sweep_order_run(const pli_sweep_order *order, bool reversed, pli_range_fn body, void *user)
{
    for (int32_t k = 0; k < order->color_count; ++k) {
        int32_t color = reversed ? order->color_count - 1 - k : k;
        run_job job = {order, order->color_begin[color], body, user};
        int64_t count = order->color_begin[color + 1] - job.first_cluster;
        pli_parallel_for(order->context, count, order->grain, run_clusters, &job);
    }
}

int64_t pli_sweep_order_memory_bytes(const pli_sweep_order *order)
{
    return (int64_t)(pli_memory_size(order) + pli_memory_size(order->node_of_place) +
                     pli_memory_size(order->place_of_node) + pli_memory_size(order->cluster_begin) +
                     pli_memory_size(order->color_begin));
}

// SPDX-License-Identifier: Apache-2.0
#include "multilevel/skinning.h"

#include "multilevel/averaging.h"
#include "multilevel/biharmonic.h"
#include "multilevel/sampling.h"

#include "base/memory.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum {
    ROW_GRAIN = 1024, // rows that are worth a block of a parallel loop

    // sizes of levels when the caller leaves them open, by trial on bars and creatures of
    // 50 000 to 200 000 vertices: a tiny coarsest level costs more in cycles than it saves in its
    // solves
    VERTICES_PER_NODE = 100,   // of the first level
    VERTICES_AVERAGED = 55,    // the same, with averaged weights; the coarsest has COARSEST_MOST
    COARSEST_LEAST = 64,       // nodes of the coarsest level: a tenth of the first one's
    COARSEST_MOST = 128,       // between these bounds
    NODES_PER_NODE = 40,       // of levels above the first, at most
    FIRST_AT_LEAST = 8,        // nodes of the first level
    VERTICES_PER_NODE_MIN = 8, // but for tiny meshes
};

// How stiffness E changes lengths, found by trial on bars of two kinds of matter with a ratio of
// 1000, in halves, in layers, with a core, and as a checkerboard: what makes two-grid cycles
// converge. Per decade between its ends an edge counts for JUMP times its length more, and all
// lengths grow like E^GROWTH, which gives stiff matter some more handles.
static const double JUMP = 10;
static const double GROWTH = 0.05;

// An edge between two pieces of matter counts for so many: more than any path inside of a piece, so
// that every piece has a handle of its own before one has two.
static const double CROSSING = 1000;

// What is known while a hierarchy is built. Levels are numbered from the finest.
typedef struct builder {
    pli_context *context;
    const pli_skinning_def *def;
    int32_t active_count; // vertices that are not skipped
    float *lengths;       // [entries of the graph]  of edges
    pli_sampling *sampling;

    int32_t level_count;
    int32_t node_counts[PLI_HIERARCHY_LEVELS];
    int32_t *labels[PLI_HIERARCHY_LEVELS];  // [level_count][vertex_count]  nearest node; -1: none
    int32_t *centres[PLI_HIERARCHY_LEVELS]; // [level_count][nodes]  vertex in the middle of a node

    // scratch for the places of one level after the other
    int32_t *node_of_vertex; // [vertex_count]  on the level below; -1: none
    double *fine_frames;     // [nodes][4]  centre and size, of the level below
    double *frames;          // [nodes][4]  of the level
    int32_t *vertex_counts;  // [nodes]

    pli_hierarchy *hierarchy;
} builder;

static bool is_skipped(const pli_skinning_def *def, int64_t vertex)
{
    return def->skipped != NULL && def->skipped[vertex] != 0;
}

// ---- checks

static pli_status check_levels(pli_context *context, const pli_skinning_def *def)
{
    if (def->dofs != 12 && def->dofs != 3) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "a coarse node can't have %d unknowns; 12 (affine) or 3 (translation)",
                        (int)def->dofs);
    }
    if (def->level_count < 0 || def->level_count > PLI_HIERARCHY_LEVELS) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT, "%d coarse levels; 0 to %d can be had",
                        (int)def->level_count, (int)PLI_HIERARCHY_LEVELS);
    }
    for (int32_t level = 0; level < def->level_count; ++level) {
        int32_t nodes = def->node_counts[level];
        if (nodes < 1 || (level > 0 && nodes >= def->node_counts[level - 1])) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "coarse level %d has %d nodes; each must have at least one, and fewer "
                            "than the finer level before it",
                            (int)level, (int)nodes);
        }
    }
    return PLI_OK;
}

static pli_status check_vertices(pli_context *context, const pli_skinning_def *def,
                                 int32_t *active_count)
{
    for (int32_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        const double *x = def->positions + 3 * (int64_t)vertex;
        if (is_skipped(def, vertex)) continue;
        ++*active_count;
        if (!isfinite(pli_vec3_norm2(x))) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "vertex %d is at (%g, %g, %g); positions must be finite", (int)vertex,
                            x[0], x[1], x[2]);
        }
        if (def->stiffness == NULL) continue;
        if (!(def->stiffness[vertex] > 0) || !isfinite(def->stiffness[vertex])) {
            return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                            "vertex %d has stiffness %g; it must be positive and finite",
                            (int)vertex, def->stiffness[vertex]);
        }
    }
    if (*active_count > 0) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "none of %d vertices takes part in coarse levels; at least one must",
                    (int)def->graph.node_count);
}

// ---- lengths of edges

static double edge_length(const pli_skinning_def *def, int64_t a, int64_t b)
{
    double length = pli_vec3_distance(def->positions + 3 * a, def->positions + 3 * b);
    if (def->piece != NULL && def->piece[a] != def->piece[b]) length *= CROSSING;
    if (def->stiffness == NULL) return length;
    double decades = fabs(log10(def->stiffness[a] / def->stiffness[b]));
    double growth = pow(fmin(def->stiffness[a], def->stiffness[b]), GROWTH);
    return length * growth * (1 + JUMP * decades);
}

static void measure_rows(void *user, int64_t begin, int64_t end)
{
    const builder *b = user;
    const pli_graph *graph = &b->def->graph;
    for (int64_t row = begin; row < end; ++row) {
        if (is_skipped(b->def, row)) continue;
        for (int64_t k = graph->start[row]; k < graph->start[row + 1]; ++k) {
            int32_t neighbor = graph->neighbor[k];
            if (is_skipped(b->def, neighbor)) continue;
            b->lengths[k] = (float)edge_length(b->def, row, neighbor);
        }
    }
}

// ---- levels

// Counts for a mesh of that many vertices, when the caller has none.
static int32_t choose_levels(int32_t vertex_count, bool averaged, int32_t *node_counts)
{
    int32_t nodes = vertex_count / (averaged ? VERTICES_AVERAGED : VERTICES_PER_NODE);
    int32_t least = vertex_count / VERTICES_PER_NODE_MIN;
    if (least > FIRST_AT_LEAST) least = FIRST_AT_LEAST;
    if (nodes < least) nodes = least;
    if (nodes < 1) nodes = 1;
    node_counts[0] = nodes;
    if (nodes <= COARSEST_MOST) return 1;
    // levels in equal ratios down to the coarsest
    double coarsest = fmin(fmax(nodes / 10.0, COARSEST_LEAST), COARSEST_MOST);
    if (averaged) coarsest = COARSEST_MOST;
    double range = log(nodes / coarsest);
    int32_t steps = (int32_t)ceil(range / log(NODES_PER_NODE));
    if (steps >= PLI_HIERARCHY_LEVELS) steps = PLI_HIERARCHY_LEVELS - 1;
    for (int32_t k = 1; k <= steps; ++k) {
        node_counts[k] = (int32_t)lround(nodes * exp(-range * k / steps));
    }
    return steps + 1;
}

// Counts as wished; samples that are given take the place of the coarsest levels.
static int32_t plan_levels(const builder *b, int32_t *node_counts)
{
    const pli_skinning_def *def = b->def;
    int32_t level_count = def->level_count;
    memcpy(node_counts, def->node_counts, sizeof def->node_counts);
    if (level_count > 0) return level_count;
    bool averaged = def->weights == PLI_SKINNING_AVERAGED;
    level_count = choose_levels(b->active_count, averaged, node_counts);
    if (def->sample_count == 0) return level_count;
    while (level_count > 0 && node_counts[level_count - 1] <= def->sample_count) --level_count;
    if (level_count == PLI_HIERARCHY_LEVELS) --level_count;
    node_counts[level_count++] = def->sample_count;
    return level_count;
}

// Puts a level in front of the coarser ones.
static pli_status keep_level(builder *b)
{
    int32_t vertex_count = b->def->graph.node_count;
    int32_t *labels = PLI_NEW(b->context, int32_t, vertex_count, "skinning levels");
    if (labels == NULL) return PLI_ERROR_MEMORY;
    memcpy(labels, b->sampling->label, (size_t)vertex_count * sizeof *labels);
    for (int32_t level = b->level_count; level > 0; --level) {
        b->node_counts[level] = b->node_counts[level - 1];
        b->labels[level] = b->labels[level - 1];
    }
    b->node_counts[0] = b->sampling->count;
    b->labels[0] = labels;
    ++b->level_count;
    return PLI_OK;
}

// Samples level by level, the coarsest first; levels that bring nothing are left out.
static pli_status sample_levels(builder *b)
{
    int32_t node_counts[PLI_HIERARCHY_LEVELS];
    const pli_skinning_def *def = b->def;
    pli_sampling_def sampling = {.graph = def->graph,
                                 .lengths = b->lengths,
                                 .skipped = def->skipped,
                                 .given_count = def->sample_count,
                                 .given = def->samples,
                                 .seed = def->seed};
    PLI_TRY(pli_sampling_create(b->context, &sampling, &b->sampling));
    for (int32_t level = plan_levels(b, node_counts) - 1; level >= 0; --level) {
        if (b->level_count > 0 && node_counts[level] >= b->active_count) continue;
        pli_sampling_extend(b->sampling, node_counts[level]);
        if (b->level_count > 0 && b->sampling->count == b->node_counts[0]) continue;
        PLI_TRY(keep_level(b));
    }
    return PLI_OK;
}

// ---- centres

// The vertex of every node of a level that is nearest to the mean of its vertices. means [nodes][4]
// is scratch.
static void find_centres(const builder *b, int32_t level, double *means, int32_t *centres)
{
    const pli_skinning_def *def = b->def;
    const int32_t *label = b->labels[level];
    int32_t count = b->node_counts[level];
    memset(means, 0, (size_t)count * 4 * sizeof *means);
    for (int64_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        if (label[vertex] < 0) continue;
        double *mean = means + 4 * (int64_t)label[vertex];
        pli_vec3_add(mean, def->positions + 3 * vertex, mean);
        mean[3] += 1;
    }
    for (int64_t k = 0; k < count; ++k) {
        pli_vec3_scale(1 / means[4 * k + 3], means + 4 * k, means + 4 * k);
        means[4 * k + 3] = INFINITY; // from here on the smallest square of a distance
    }
    for (int64_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        if (label[vertex] < 0) continue;
        double *mean = means + 4 * (int64_t)label[vertex];
        double d[3];
        pli_vec3_subtract(def->positions + 3 * vertex, mean, d);
        double square = pli_vec3_norm2(d);
        if (!(square < mean[3])) continue;
        mean[3] = square;
        centres[label[vertex]] = (int32_t)vertex;
    }
}

// Evens out a level: samples prefer corners and rims, so that theirs are small and the ones inside
// large. Vertices are given to the nodes by the distance from the middle of what a node has, a few
// times over (Lloyd 1982). Samples stay what they are, and levels nested.
static pli_status even_out(builder *b, int32_t level)
{
    enum { ROUNDS = 3 };
    int32_t count = b->node_counts[level];
    double *means = PLI_NEW(b->context, double, 4 * (int64_t)count, "centres");
    b->centres[level] = PLI_NEW(b->context, int32_t, count, "centres");
    pli_status status = means != NULL && b->centres[level] != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    for (int32_t round = 0; round < ROUNDS && status == PLI_OK; ++round) {
        find_centres(b, level, means, b->centres[level]);
        pli_sampling_relabel(b->sampling, count, b->centres[level]);
        memcpy(b->labels[level], b->sampling->label,
               (size_t)b->def->graph.node_count * sizeof *b->labels[level]);
    }
    pli_release(b->context, means);
    return status;
}

// ---- frames

static void sum_centres(builder *b, int32_t node_count)
{
    const pli_skinning_def *def = b->def;
    memset(b->frames, 0, (size_t)node_count * 4 * sizeof *b->frames);
    memset(b->vertex_counts, 0, (size_t)node_count * sizeof *b->vertex_counts);
    for (int64_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        int32_t node = b->node_of_vertex[vertex];
        if (node < 0) continue;
        double *centre = b->frames + 4 * (int64_t)node;
        pli_vec3_add(centre, def->positions + 3 * vertex, centre);
        ++b->vertex_counts[node];
    }
}

// Centres and sizes of the nodes of a level from the vertices below them.
static void compute_frames(builder *b, int32_t node_count)
{
    const pli_skinning_def *def = b->def;
    sum_centres(b, node_count);
    for (int64_t node = 0; node < node_count; ++node) {
        pli_vec3_scale(1.0 / b->vertex_counts[node], b->frames + 4 * node, b->frames + 4 * node);
    }
    for (int64_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        if (b->node_of_vertex[vertex] < 0) continue;
        double *frame = b->frames + 4 * (int64_t)b->node_of_vertex[vertex];
        frame[3] = fmax(frame[3], pli_vec3_distance(def->positions + 3 * vertex, frame));
    }
    for (int64_t node = 0; node < node_count; ++node) {
        if (!(b->frames[4 * node + 3] > 0)) b->frames[4 * node + 3] = 1;
    }
}

// Where a centre and a size stand in a frame: (t, sigma).
static void compute_place(const double centre[3], double size, const double frame[4],
                          double place[4])
{
    pli_vec3_subtract(centre, frame, place);
    pli_vec3_scale(1 / frame[3], place, place);
    place[3] = size / frame[3];
}

// ---- links

static pli_status link_vertices(builder *b)
{
    const pli_skinning_def *def = b->def;
    pli_interpolation_map *transfer = &b->hierarchy->transfers[0];
    PLI_TRY(pli_interpolation_map_init(b->context, def->graph.node_count, b->node_counts[0],
                                       b->active_count, false, transfer));
    int64_t link = 0;
    for (int64_t vertex = 0; vertex < def->graph.node_count; ++vertex) {
        transfer->start[vertex] = link;
        int32_t node = b->labels[0][vertex];
        if (node >= 0) transfer->parent[link++] = node;
    }
    transfer->start[def->graph.node_count] = link;
    return PLI_OK;
}

// Links of the first level from sparse rows of weights, one for every vertex.
static pli_status take_weights(builder *b, const int64_t *start, const int32_t *handle,
                               const double *weight)
{
    pli_interpolation_map *transfer = &b->hierarchy->transfers[0];
    int32_t vertex_count = b->def->graph.node_count;
    int64_t link_count = start[vertex_count];
    PLI_TRY(pli_interpolation_map_init(b->context, vertex_count, b->node_counts[0], link_count,
                                       true, transfer));
    memcpy(transfer->start, start, ((size_t)vertex_count + 1) * sizeof *start);
    memcpy(transfer->parent, handle, (size_t)link_count * sizeof *handle);
    memcpy(transfer->weight, weight, (size_t)link_count * sizeof *weight);
    return PLI_OK;
}

static pli_status link_vertices_smoothly(builder *b)
{
    const pli_skinning_def *def = b->def;
    int32_t vertex_count = def->graph.node_count;
    pli_biharmonic *weights = NULL;
    pli_biharmonic_def biharmonic = {.mesh = {vertex_count, def->positions, def->corner_count,
                                              def->element_count, def->elements},
                                     .handle_count = b->node_counts[0],
                                     .handles = b->sampling->samples,
                                     .nearest = b->labels[0]};
    PLI_TRY(pli_biharmonic_create(b->context, &biharmonic, &weights));
    if (!weights->converged) {
        PLI_LOG(
            b->context, PLI_LOG_WARNING,
            "smooth weights of %d handles are not as smooth as they could be after %d iterations",
            (int)b->node_counts[0], (int)weights->iterations);
    }
    pli_status status = take_weights(b, weights->start, weights->handle, weights->weight);
    pli_biharmonic_destroy(weights);
    return status;
}

static pli_status link_vertices_averaged(builder *b)
{
    pli_averaging_def def = pli_averaging_def_default();
    pli_averaging *weights = NULL;
    def.graph = b->def->graph;
    def.stiffness = b->def->stiffness;
    def.piece = b->def->piece;
    def.label = b->labels[0];
    PLI_TRY(pli_averaging_create(b->context, &def, &weights));
    pli_status status = take_weights(b, weights->start, weights->handle, weights->weight);
    pli_averaging_destroy(weights);
    return status;
}

static pli_status link_first_level(builder *b)
{
    switch (b->def->weights) {
    case PLI_SKINNING_SMOOTH: return link_vertices_smoothly(b);
    case PLI_SKINNING_AVERAGED: return link_vertices_averaged(b);
    case PLI_SKINNING_CONSTANT: break;
    }
    return link_vertices(b);
}

// A node follows the node of the coarser level that its middle belongs to. A coarse node that gets
// none this way gets the one that has its own sample.
static pli_status link_nodes(builder *b, int32_t level)
{
    pli_interpolation_map *transfer = &b->hierarchy->transfers[level];
    int32_t fine_count = b->node_counts[level - 1];
    int32_t coarse_count = b->node_counts[level];
    PLI_TRY(pli_interpolation_map_init(b->context, fine_count, coarse_count, fine_count, false,
                                       transfer));
    int32_t *children = PLI_NEW(b->context, int32_t, coarse_count, "children");
    if (children == NULL) return PLI_ERROR_MEMORY;
    for (int32_t node = 0; node < fine_count; ++node) {
        transfer->start[node] = node;
        transfer->parent[node] = b->labels[level][b->centres[level - 1][node]];
        ++children[transfer->parent[node]];
    }
    transfer->start[fine_count] = fine_count;
    // taking a child may leave its parent with none; each node is given its own once at most
    for (bool again = true; again;) {
        again = false;
        for (int32_t node = 0; node < coarse_count; ++node) {
            int32_t *parent = &transfer->parent[node];
            if (children[node] > 0) continue;
            again = again || --children[*parent] == 0;
            ++children[node];
            *parent = node;
        }
    }
    pli_release(b->context, children);
    return PLI_OK;
}

// Frames of a level, and the places of the level below in them.
static void place_level(builder *b, int32_t level)
{
    pli_interpolation_map *transfer = &b->hierarchy->transfers[level];
    for (int64_t vertex = 0; vertex < b->def->graph.node_count; ++vertex) {
        int32_t *node = &b->node_of_vertex[vertex];
        if (level == 0) *node = b->labels[0][vertex];
        if (level > 0 && *node >= 0) *node = transfer->parent[*node];
    }
    compute_frames(b, transfer->coarse_count);
    for (int64_t fine = 0; fine < transfer->fine_count; ++fine) {
        // a vertex is a frame of size zero
        const double *centre =
            level == 0 ? b->def->positions + 3 * fine : b->fine_frames + 4 * fine;
        double size = level == 0 ? 0 : b->fine_frames[4 * fine + 3];
        for (int64_t k = transfer->start[fine]; k < transfer->start[fine + 1]; ++k) {
            compute_place(centre, size, b->frames + 4 * (int64_t)transfer->parent[k],
                          transfer->place + 4 * k);
        }
    }
    double *swapped = b->fine_frames;
    b->fine_frames = b->frames;
    b->frames = swapped;
}

static pli_status copy_samples(builder *b, int32_t level)
{
    int32_t node_count = b->node_counts[level];
    int32_t *samples = PLI_NEW(b->context, int32_t, node_count, "samples");
    if (samples == NULL) return PLI_ERROR_MEMORY;
    memcpy(samples, b->sampling->samples, (size_t)node_count * sizeof *samples);
    b->hierarchy->samples[level] = samples;
    return PLI_OK;
}

static pli_status build_levels(builder *b)
{
    int64_t node_count = b->node_counts[0];
    b->node_of_vertex = PLI_NEW(b->context, int32_t, b->def->graph.node_count, "skinning frames");
    b->fine_frames = PLI_NEW(b->context, double, 4 * node_count, "skinning frames");
    b->frames = PLI_NEW(b->context, double, 4 * node_count, "skinning frames");
    b->vertex_counts = PLI_NEW(b->context, int32_t, node_count, "skinning frames");
    if (b->node_of_vertex == NULL || b->fine_frames == NULL || b->frames == NULL ||
        b->vertex_counts == NULL) {
        return PLI_ERROR_MEMORY;
    }
    PLI_TRY(link_first_level(b));
    for (int32_t level = 1; level < b->level_count; ++level) PLI_TRY(link_nodes(b, level));
    for (int32_t level = 0; level < b->level_count; ++level) {
        place_level(b, level);
        PLI_TRY(copy_samples(b, level));
    }
    b->hierarchy->level_count = b->level_count;
    return PLI_OK;
}

static pli_status build_hierarchy(builder *b)
{
    const pli_graph *graph = &b->def->graph;
    b->hierarchy = PLI_NEW(b->context, pli_hierarchy, 1, "hierarchy");
    if (b->hierarchy == NULL) return PLI_ERROR_MEMORY;
    b->hierarchy->context = b->context;
    b->hierarchy->dofs = b->def->dofs;
    b->lengths = PLI_NEW(b->context, float, graph->start[graph->node_count], "lengths of edges");
    if (b->lengths == NULL) return PLI_ERROR_MEMORY;
    pli_parallel_for(b->context, graph->node_count, ROW_GRAIN, measure_rows, b);
    PLI_TRY(sample_levels(b));
    for (int32_t level = 0; level < b->level_count; ++level) PLI_TRY(even_out(b, level));
    return build_levels(b);
}

static void builder_clear(builder *b)
{
    pli_release(b->context, b->lengths);
    pli_sampling_destroy(b->sampling);
    for (int32_t level = 0; level < PLI_HIERARCHY_LEVELS; ++level) {
        PLI_RELEASE(b->context, b->labels[level], b->centres[level]);
    }
    PLI_RELEASE(b->context, b->node_of_vertex, b->fine_frames, b->frames, b->vertex_counts);
}

pli_status pli_skinning_create(pli_context *context, const pli_skinning_def *def,
                               pli_hierarchy **hierarchy)
{
    *hierarchy = NULL;
    builder b = {.context = context, .def = def};
    PLI_TRY(check_levels(context, def));
    PLI_TRY(check_vertices(context, def, &b.active_count));
    pli_status status = build_hierarchy(&b);
    builder_clear(&b);
    if (status != PLI_OK) {
        pli_hierarchy_destroy(b.hierarchy);
        return status;
    }
    *hierarchy = b.hierarchy;
    return PLI_OK;
}

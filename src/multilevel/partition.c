// SPDX-License-Identifier: Apache-2.0
#include "multilevel/partition.h"

#include "multilevel/clusters.h"
#include "multilevel/metric.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "math/vec3.h"

#include <string.h>

enum {
    LAST_ROUNDS = 3,     // that must be left after small clusters were moved
    MAX_RELOCATIONS = 6, // times that small clusters are moved
    PATIENCE = 4         // rounds without progress that are waited for
};

static const double CALM = 1e-3;        // share of elements that change cluster when rounds settle
static const double PROGRESS = 5e-4;    // relative decrease of the cost that counts
static const double SET_UP_SHARE = 0.3; // of the whole work, as progress is told

// One partition in the making.
typedef struct maker {
    pli_context *context;
    const pli_partition_def *def;
    int32_t wanted; // clusters
    pli_pieces *pieces;
    double *metric; // [element_count]  stiffness as heat sees it
    pli_heat *heat;
    pli_clusters *clusters;

    // the best of the rounds with as many clusters as now
    int32_t best_flaws; // clusters that are too small or lacking; -1: there is no best yet
    double best_cost;
    int32_t *best_label;   // [element_count]
    int32_t best_count;    // clusters
    int32_t *best_centers; // [capacity of clusters]  vertices of the cut mesh
    int32_t idle;          // rounds since the last one with progress

    int32_t rounds;
    int32_t pruned;
    int32_t relocations;
} maker;

// ---- definition

pli_partition_def pli_partition_def_default(void)
{
    return (pli_partition_def){
        .oversampling = 1.5,
        .jump = 0.25,
        .conform = 10,
        .prune_ratio = 1.75,
        .prune_period = 10,
        .max_rounds = 40,
        .seed = 1,
    };
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    if (value > high) value = high;
    return value < low ? low : value;
}

int32_t pli_partition_choose_count(int32_t vertex_count)
{
    int32_t count = clamp(vertex_count / 250, 8, 400);
    return clamp(count, 1, clamp(vertex_count / 8, 1, INT32_MAX));
}

static pli_status check_numbers(pli_context *context, const pli_partition_def *def)
{
    if (def->count < 0) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "%d clusters are wanted; a number from 1, or 0 for a choice, would do",
                        (int)def->count);
    }
    if (!(def->oversampling >= 1 && isfinite(def->oversampling))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "oversampling of clusters is %g; it must be at least 1", def->oversampling);
    }
    if (!(def->jump >= 0 && isfinite(def->jump))) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the stiffness at interfaces is %g of the softest; it must be positive, or "
                        "0 to leave it alone",
                        def->jump);
    }
    if (def->conform != 0 && !(def->conform > 1)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "the ratio of stiffness that no cluster spans is %g; it must be larger "
                        "than 1, or 0 for any",
                        def->conform);
    }
    if (def->prune_ratio != 0 && !(def->prune_ratio > 1)) {
        return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                        "small clusters are under the median by %g; it must be larger than 1, or 0 "
                        "to keep them",
                        def->prune_ratio);
    }
    if (def->prune_period >= 1 && def->max_rounds >= 1) return PLI_OK;
    return PLI_FAIL(context, PLI_ERROR_ARGUMENT,
                    "clusters are made in %d rounds and pruned every %d; both must be at least 1",
                    (int)def->max_rounds, (int)def->prune_period);
}

static pli_status tell_progress(const maker *m, double fraction)
{
    return m->def->progress != NULL ? m->def->progress(m->def->user, fraction) : PLI_OK;
}

// ---- rounds

static pli_status set_up(maker *m)
{
    const pli_partition_def *def = m->def;
    PLI_TRY(pli_pieces_create(m->context, &def->mesh, def->stiffness, def->conform, &m->pieces));
    PLI_TRY(
        pli_metric_build(m->context, &def->mesh, def->stiffness, def->jump, m->pieces, &m->metric));
    pli_heat_def heat_def = {m->pieces->mesh, m->metric};
    PLI_TRY(pli_heat_create(m->context, &heat_def, &m->heat));

    // between one for each piece and one for each element
    int32_t pieces = m->pieces->piece_count;
    int32_t count = def->count;
    if (count == 0) count = pli_partition_choose_count(def->mesh.vertex_count);
    m->wanted = clamp(count, pieces, def->mesh.element_count);
    double start = fmin(ceil(m->wanted * def->oversampling), def->mesh.element_count);
    int32_t capacity = (int32_t)start;
    PLI_TRY(pli_clusters_create(m->context, m->pieces, m->heat, capacity, &m->clusters));
    PLI_TRY(PLI_MAKE(m->context, m->best_label, def->mesh.element_count, "partition"));
    PLI_TRY(PLI_MAKE(m->context, m->best_centers, capacity, "partition"));
    m->best_flaws = -1;
    return pli_clusters_seed(m->clusters, def->seed);
}

// Remembers the clusters when they are better than those of all rounds since the last pruning.
static void keep_best(maker *m, int32_t small)
{
    const pli_clusters *c = m->clusters;
    int32_t flaws = small + clamp(m->wanted - c->count, 0, INT32_MAX);
    bool is_fewer = m->best_flaws < 0 || flaws < m->best_flaws;
    bool is_progress = is_fewer || c->cost < (1 - PROGRESS) * m->best_cost;
    m->idle = is_progress ? 0 : m->idle + 1;
    if (!is_fewer && !(flaws == m->best_flaws && c->cost < m->best_cost)) return;
    m->best_flaws = flaws;
    m->best_cost = c->cost;
    m->best_count = c->count;
    memcpy(m->best_label, c->label, (size_t)m->pieces->mesh.element_count * sizeof *c->label);
    memcpy(m->best_centers, c->centers, (size_t)c->count * sizeof *c->centers);
}

// Removes the small clusters, and at least an even share of those that must go until the last
// pruning, but none of those that are wanted.
static void prune(maker *m, int32_t small, int32_t prunings_left)
{
    int32_t excess = m->clusters->count - m->wanted;
    int32_t share = (excess + prunings_left - 1) / prunings_left;
    m->pruned += pli_clusters_remove(m->clusters, clamp(small, share, excess));
    m->best_flaws = -1;
}

static bool is_calm(const maker *m)
{
    return m->clusters->changed <= CALM * m->pieces->mesh.element_count || m->idle >= PATIENCE;
}

// Changes the number or the places of clusters when it is time to. False: there is nothing to do.
static bool change_clusters(maker *m, int32_t small)
{
    int32_t rounds_left = m->def->max_rounds - m->rounds;
    if (m->clusters->count > m->wanted) {
        int32_t prunings_left = rounds_left / m->def->prune_period;
        prune(m, small, clamp(prunings_left, 1, INT32_MAX));
        return true;
    }
    int32_t lacking = m->wanted - m->clusters->count;
    if (small + lacking == 0 || rounds_left < LAST_ROUNDS) return false;
    if (m->relocations == MAX_RELOCATIONS) return false;
    ++m->relocations;
    m->idle = 0;
    int32_t moved = pli_clusters_relocate(m->clusters, m->def->prune_ratio, small);
    return pli_clusters_add(m->clusters, lacking) + moved > 0;
}

static pli_status run_rounds(maker *m)
{
    while (m->rounds < m->def->max_rounds) {
        PLI_TRY(pli_clusters_assign(m->clusters));
        ++m->rounds;
        double share = SET_UP_SHARE + (1 - SET_UP_SHARE) * m->rounds / m->def->max_rounds;
        PLI_TRY(tell_progress(m, share));
        int32_t small = pli_clusters_count_small(m->clusters, m->def->prune_ratio);
        keep_best(m, small);
        if (m->rounds == m->def->max_rounds) break;
        bool is_due = is_calm(m) || m->rounds % m->def->prune_period == 0;
        if (is_due && change_clusters(m, small)) continue;
        if (is_calm(m)) break;
        pli_clusters_move(m->clusters);
    }
    if (m->clusters->count <= m->wanted) return PLI_OK;

    // there were too few rounds for all that had to go
    prune(m, 0, 1);
    ++m->rounds;
    PLI_TRY(pli_clusters_assign(m->clusters));
    keep_best(m, 0);
    return PLI_OK;
}

// ---- different centres

// Clusters of different pieces may have copies of one vertex as their centres. Who comes late takes
// another vertex of the cluster; when all of them are centres, others make way along an augmenting
// path (Berge 1957). When that does not help, there are too many clusters for the vertices, and the
// one without a centre joins a neighbour.
typedef struct chooser {
    maker *maker;
    int32_t *start;    // [count + 1]
    int32_t *elements; // [element_count]  by cluster
    int32_t *taken;    // [whole mesh's vertex_count]  cluster; -1: none
    int32_t *seen_by;  // [whole mesh's vertex_count]  last search + 1
    int32_t *from;     // [whole mesh's vertex_count]  cut vertex through which it was seen
    int32_t *via;      // [whole mesh's vertex_count]  cluster of that
    int32_t *queue;    // [count]  clusters
} chooser;

static void list_elements(chooser *h)
{
    const maker *m = h->maker;
    int32_t count = m->pieces->mesh.element_count;
    for (int32_t k = 0; k <= m->best_count; ++k) h->start[k] = 0;
    for (int32_t k = 0; k < count; ++k) ++h->start[m->best_label[k]];
    for (int32_t k = 0; k < m->best_count; ++k) h->start[k + 1] += h->start[k];
    for (int32_t k = count - 1; k >= 0; --k) h->elements[--h->start[m->best_label[k]]] = k;
}

// The nearest vertex of a cluster that is no centre; -1 when there is none.
static int32_t find_free(const chooser *h, int32_t cluster)
{
    const pli_pieces *p = h->maker->pieces;
    int32_t size = p->mesh.corner_count;
    const double *center = p->points + 3 * (int64_t)h->maker->best_centers[cluster];
    double shortest = INFINITY;
    int32_t best = -1;
    for (int32_t k = h->start[cluster]; k < h->start[cluster + 1]; ++k) {
        for (int c = 0; c < size; ++c) {
            int32_t vertex = p->elements[(int64_t)size * h->elements[k] + c];
            double distance = pli_vec3_distance(center, p->points + 3 * (int64_t)vertex);
            if (h->taken[p->origin[vertex]] >= 0 || !(distance < shortest)) continue;
            shortest = distance;
            best = vertex;
        }
    }
    return best;
}

static void take(const chooser *h, int32_t cluster, int32_t vertex)
{
    h->taken[h->maker->pieces->origin[vertex]] = cluster;
    h->maker->best_centers[cluster] = vertex;
}

// Hands vertices on along the path that ends at a free one.
static void hand_on(const chooser *h, int32_t first, int32_t free_vertex)
{
    const maker *m = h->maker;
    int32_t vertex = free_vertex;
    for (;;) {
        int32_t cluster = h->via[vertex];
        int32_t left = m->pieces->origin[m->best_centers[cluster]];
        take(h, cluster, h->from[vertex]);
        if (cluster == first) return;
        vertex = left;
    }
}

// Looks at the vertices of a cluster; the first free one is returned, else -1 and those who have
// them are queued.
static int32_t search_cluster(chooser *h, int32_t first, int32_t cluster, int32_t *queued)
{
    const pli_pieces *p = h->maker->pieces;
    int32_t size = p->mesh.corner_count;
    for (int64_t k = (int64_t)size * h->start[cluster]; k < (int64_t)size * h->start[cluster + 1];
         ++k) {
        int32_t copy = p->elements[(int64_t)size * h->elements[k / size] + k % size];
        int32_t vertex = p->origin[copy];
        if (h->seen_by[vertex] == first + 1) continue;
        h->seen_by[vertex] = first + 1;
        h->from[vertex] = copy;
        h->via[vertex] = cluster;
        if (h->taken[vertex] < 0) return vertex;
        h->queue[(*queued)++] = h->taken[vertex];
    }
    return -1;
}

static bool make_way(chooser *h, int32_t cluster)
{
    int32_t queued = 1;
    h->queue[0] = cluster;
    for (int32_t k = 0; k < queued; ++k) {
        int32_t vertex = search_cluster(h, cluster, h->queue[k], &queued);
        if (vertex < 0) continue;
        hand_on(h, cluster, vertex);
        return true;
    }
    return false;
}

// Gives every cluster a centre of its own. Returns a cluster that gets none; -1: all have one.
static int32_t choose_centers(chooser *h)
{
    const maker *m = h->maker;
    const int32_t *origin = m->pieces->origin;
    list_elements(h);
    for (int32_t v = 0; v < m->def->mesh.vertex_count; ++v) {
        h->taken[v] = -1;
        h->seen_by[v] = 0;
    }
    for (int32_t k = 0; k < m->best_count; ++k) {
        if (h->taken[origin[m->best_centers[k]]] < 0) take(h, k, m->best_centers[k]);
    }
    for (int32_t k = 0; k < m->best_count; ++k) {
        if (h->taken[origin[m->best_centers[k]]] == k) continue;
        int32_t vertex = find_free(h, k);
        if (vertex >= 0) {
            take(h, k, vertex);
        } else if (!make_way(h, k)) {
            return k;
        }
    }
    return -1;
}

// A cluster that shares a face with another one; -1: there is none.
static int32_t find_neighbor_cluster(const chooser *h, int32_t cluster)
{
    const maker *m = h->maker;
    int32_t size = m->pieces->mesh.corner_count;
    for (int32_t k = h->start[cluster]; k < h->start[cluster + 1]; ++k) {
        for (int c = 0; c < size; ++c) {
            int32_t other = m->pieces->neighbor[(int64_t)size * h->elements[k] + c];
            if (other >= 0 && m->best_label[other] != cluster) return m->best_label[other];
        }
    }
    return -1;
}

// The elements of a cluster join a neighbour; the last cluster gets its number.
static pli_status dissolve(chooser *h, int32_t cluster)
{
    maker *m = h->maker;
    int32_t heir = find_neighbor_cluster(h, cluster);
    if (heir < 0) {
        return PLI_FAIL(m->context, PLI_ERROR_MESH,
                        "the mesh is %d loose pieces that share so few vertices that clusters have "
                        "no centres of their own; elements that share faces would do",
                        (int)m->pieces->piece_count);
    }
    int32_t last = --m->best_count;
    for (int32_t k = 0; k < m->pieces->mesh.element_count; ++k) {
        if (m->best_label[k] == cluster) m->best_label[k] = heir;
        if (m->best_label[k] == last) m->best_label[k] = cluster;
    }
    m->best_centers[cluster] = m->best_centers[last];
    return PLI_OK;
}

static pli_status run_chooser(chooser *h)
{
    for (;;) {
        int32_t cluster = choose_centers(h);
        if (cluster < 0) return PLI_OK;
        PLI_TRY(dissolve(h, cluster));
    }
}

static pli_status part_centers(maker *m)
{
    pli_status status = PLI_ERROR_MEMORY;
    int64_t vertex_count = m->def->mesh.vertex_count;
    chooser h = {.maker = m};
    h.start = PLI_NEW(m->context, int32_t, (int64_t)m->best_count + 1, "centres");
    h.elements = PLI_NEW(m->context, int32_t, m->def->mesh.element_count, "centres");
    h.taken = PLI_NEW(m->context, int32_t, vertex_count, "centres");
    h.seen_by = PLI_NEW(m->context, int32_t, vertex_count, "centres");
    h.from = PLI_NEW(m->context, int32_t, vertex_count, "centres");
    h.via = PLI_NEW(m->context, int32_t, vertex_count, "centres");
    h.queue = PLI_NEW(m->context, int32_t, (int64_t)m->best_count + 1, "centres");
    if (h.start != NULL && h.elements != NULL && h.taken != NULL && h.seen_by != NULL &&
        h.from != NULL && h.via != NULL && h.queue != NULL) {
        status = run_chooser(&h);
    }
    PLI_RELEASE(m->context, h.start, h.elements, h.taken, h.seen_by, h.from, h.via, h.queue);
    return status;
}

// ---- the outcome

// Breadth-first search inside clusters, one after the other.
typedef struct search {
    const maker *maker;
    int32_t *seen_by; // [cut vertex_count]  last cluster + 1 that met a vertex
    int32_t *hops;    // [cut vertex_count]
    int32_t *queue;   // [cut vertex_count]
} search;

// Queues the corners of the cluster's elements at a vertex; returns how many are queued then.
static int32_t visit_vertex(search *s, int32_t cluster, int32_t vertex, int32_t queued)
{
    const maker *m = s->maker;
    const pli_incidence *incidence = &m->heat->incidence;
    int32_t size = m->pieces->mesh.corner_count;
    for (int64_t k = incidence->start[vertex]; k < incidence->start[vertex + 1]; ++k) {
        int64_t element = incidence->elements[k];
        if (m->best_label[element] != cluster) continue;
        for (int c = 0; c < size; ++c) {
            int32_t corner = m->pieces->elements[size * element + c];
            if (s->seen_by[corner] == cluster + 1) continue;
            s->seen_by[corner] = cluster + 1;
            s->hops[corner] = s->hops[vertex] + 1;
            s->queue[queued++] = corner;
        }
    }
    return queued;
}

static int32_t find_radius(search *s, int32_t cluster)
{
    int32_t center = s->maker->best_centers[cluster];
    int32_t queued = 1;
    s->queue[0] = center;
    s->seen_by[center] = cluster + 1;
    s->hops[center] = 0;
    for (int32_t k = 0; k < queued; ++k) queued = visit_vertex(s, cluster, s->queue[k], queued);
    return s->hops[s->queue[queued - 1]];
}

static pli_status compute_hop_radius(const maker *m, pli_partition *partition)
{
    pli_status status = PLI_ERROR_MEMORY;
    int64_t n = m->pieces->mesh.vertex_count;
    search s = {.maker = m};
    s.seen_by = PLI_NEW(m->context, int32_t, n, "cluster radius");
    s.hops = PLI_NEW(m->context, int32_t, n, "cluster radius");
    s.queue = PLI_NEW(m->context, int32_t, n, "cluster radius");
    if (s.seen_by != NULL && s.hops != NULL && s.queue != NULL) {
        double sum = 0;
        for (int32_t k = 0; k < partition->count; ++k) sum += find_radius(&s, k);
        partition->hop_radius = sum / partition->count;
        status = PLI_OK;
    }
    PLI_RELEASE(m->context, s.seen_by, s.hops, s.queue);
    return status;
}

// The copies of a vertex have consecutive numbers.
static void assign_vertices(const maker *m, pli_partition *partition)
{
    const pli_pieces *p = m->pieces;
    for (int32_t v = 0; v < partition->vertex_count; ++v) partition->vertex_part[v] = -1;
    for (int32_t begin = 0; begin < p->mesh.vertex_count;) {
        int32_t end = begin + 1;
        while (end < p->mesh.vertex_count && p->origin[end] == p->origin[begin]) ++end;
        partition->vertex_part[p->origin[begin]] =
            pli_clusters_find_owner(m->clusters, m->best_label, begin, end);
        begin = end;
    }
}

static pli_status fill_partition(const maker *m, pli_partition *partition)
{
    partition->vertex_count = m->def->mesh.vertex_count;
    partition->element_count = m->def->mesh.element_count;
    partition->count = m->best_count;
    partition->cost = m->best_cost;
    partition->rounds = m->rounds;
    partition->pruned = m->pruned;
    PLI_TRY(PLI_MAKE(m->context, partition->element_part, partition->element_count, "partition"));
    PLI_TRY(PLI_MAKE(m->context, partition->vertex_part, partition->vertex_count, "partition"));
    PLI_TRY(PLI_MAKE(m->context, partition->centers, partition->count, "partition"));
    PLI_TRY(PLI_MAKE(m->context, partition->volume, partition->count, "partition"));
    for (int32_t k = 0; k < partition->element_count; ++k) {
        partition->element_part[k] = m->best_label[k];
        partition->volume[m->best_label[k]] += m->clusters->volume[k];
    }
    for (int32_t k = 0; k < partition->count; ++k) {
        partition->centers[k] = m->pieces->origin[m->best_centers[k]];
    }
    assign_vertices(m, partition);
    return compute_hop_radius(m, partition);
}

static pli_status make_partition(maker *m, pli_partition **partition)
{
    PLI_TRY(set_up(m));
    PLI_TRY(tell_progress(m, SET_UP_SHARE));
    PLI_TRY(run_rounds(m));
    PLI_TRY(part_centers(m));
    pli_partition *made = PLI_NEW(m->context, pli_partition, 1, "partition");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = m->context;
    pli_status status = fill_partition(m, made);
    if (status == PLI_OK) status = tell_progress(m, 1);
    if (status != PLI_OK) {
        pli_partition_destroy(made);
        return status;
    }
    *partition = made;
    return PLI_OK;
}

pli_status pli_partition_create(pli_context *context, const pli_partition_def *def,
                                pli_partition **partition)
{
    *partition = NULL;
    PLI_TRY(check_numbers(context, def));
    PLI_TRY(pli_heat_check(context, &(pli_heat_def){def->mesh, def->stiffness}));
    maker m = {.context = context, .def = def};
    pli_status status = make_partition(&m, partition);
    pli_clusters_destroy(m.clusters);
    pli_heat_destroy(m.heat);
    pli_pieces_destroy(m.pieces);
    PLI_RELEASE(context, m.metric, m.best_label, m.best_centers);
    return status;
}

void pli_partition_destroy(pli_partition *partition)
{
    if (partition == NULL) return;
    pli_context *context = partition->context;
    PLI_RELEASE(context, partition->element_part, partition->vertex_part, partition->centers,
                partition->volume, partition);
}

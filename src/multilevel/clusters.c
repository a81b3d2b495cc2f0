// SPDX-License-Identifier: Apache-2.0
#include "multilevel/clusters.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "multilevel/sampling.h"

#include <stdlib.h>

enum {
    GRAIN = 512,   // vertices or elements that are worth a block of a parallel loop
    MAX_STEPS = 8, // of a centre in one round
    MAX_TRIES = 3  // neighbours that are tried in a step
};

static const int32_t *corners_of(const pli_clusters *c, int64_t element)
{
    return c->pieces->elements + c->pieces->mesh.corner_count * element;
}

// ---- creation

static void measure_elements(void *user, int64_t begin, int64_t end)
{
    pli_clusters *c = user;
    double dimension = c->pieces->mesh.corner_count - 1;
    double power = -dimension / (dimension + 2);
    for (int64_t element = begin; element < end; ++element) {
        double gradients[4][3];
        double volume = pli_simplex_gradients(&c->pieces->mesh, (int32_t)element, gradients);
        c->volume[element] = volume;
        c->weight[element] = volume * pow(c->heat->ratio[element], power);
    }
}

static pli_status allocate_arrays(pli_clusters *c)
{
    static const char what[] = "clusters";
    int64_t elements = c->pieces->mesh.element_count, vertices = c->pieces->mesh.vertex_count;
    int64_t clusters = c->capacity;
    PLI_TRY(PLI_MAKE(c->context, c->volume, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->weight, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->depth, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->label, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->old_label, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->flood.entries, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->flood.place, elements, what));
    PLI_TRY(PLI_MAKE(c->context, c->distance, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->owner, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->members, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->walk, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->first_hop, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->pull, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->steps.entries, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->steps.place, vertices, what));
    PLI_TRY(PLI_MAKE(c->context, c->centers, clusters, what));
    PLI_TRY(PLI_MAKE(c->context, c->size, clusters, what));
    PLI_TRY(PLI_MAKE(c->context, c->start, clusters + 1, what));
    PLI_TRY(PLI_MAKE(c->context, c->first, clusters, what));
    PLI_TRY(PLI_MAKE(c->context, c->sorted, clusters, what));
    PLI_TRY(PLI_MAKE(c->context, c->gone, clusters, what));
    return PLI_MAKE(c->context, c->siblings, c->pieces->piece_count, what);
}

pli_status pli_clusters_create(pli_context *context, const pli_pieces *pieces, pli_heat *heat,
                               int32_t capacity, pli_clusters **clusters)
{
    *clusters = NULL;
    pli_clusters *c = PLI_NEW(context, pli_clusters, 1, "clusters");
    if (c == NULL) return PLI_ERROR_MEMORY;
    c->context = context;
    c->pieces = pieces;
    c->heat = heat;
    c->capacity = capacity;
    pli_status status = allocate_arrays(c);
    if (status != PLI_OK) {
        pli_clusters_destroy(c);
        return status;
    }
    pli_parallel_for(context, pieces->mesh.element_count, GRAIN, measure_elements, c);
    for (int32_t k = 0; k < pieces->mesh.element_count; ++k) {
        c->flood.place[k] = -1;
        c->label[k] = -1;
    }
    for (int32_t v = 0; v < pieces->mesh.vertex_count; ++v) c->steps.place[v] = -1;
    *clusters = c;
    return PLI_OK;
}

void pli_clusters_destroy(pli_clusters *clusters)
{
    if (clusters == NULL) return;
    pli_context *context = clusters->context;
    void *const arrays[] = {
        clusters->volume,        clusters->weight,      clusters->depth,
        clusters->label,         clusters->old_label,   clusters->flood.entries,
        clusters->flood.place,   clusters->distance,    clusters->owner,
        clusters->members,       clusters->walk,        clusters->first_hop,
        clusters->pull,          clusters->steps.place, clusters->centers,
        clusters->steps.entries, clusters->size,        clusters->start,
        clusters->sorted,        clusters->gone,        clusters->siblings,
        clusters->first,
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) pli_release(context, arrays[k]);
    pli_release(context, clusters);
}

// ---- first centres

// A vertex with probability in proportion to mass times squared distance; -1 when all are centres.
static int32_t draw_vertex(const pli_clusters *c, const pli_sampling *sampling, double random)
{
    const double *mass = c->heat->laplacian->mass;
    const double *distance = sampling->distance;
    int32_t n = c->pieces->mesh.vertex_count;
    double total = 0;
    for (int32_t v = 0; v < n; ++v) total += mass[v] * distance[v] * distance[v];
    double sum = 0;
    int32_t last = -1;
    for (int32_t v = 0; v < n && sum <= random * total; ++v) {
        double share = mass[v] * distance[v] * distance[v];
        if (!(share > 0)) continue;
        sum += share;
        last = v;
    }
    return last;
}

pli_status pli_clusters_seed(pli_clusters *clusters, uint64_t seed)
{
    pli_clusters *c = clusters;
    pli_sampling *sampling = NULL;
    pli_sampling_def def = {
        .graph = pli_heat_graph(c->heat), .lengths = c->heat->lengths, .seed = seed};
    PLI_TRY(pli_sampling_create(c->context, &def, &sampling));
    pli_sampling_extend(sampling, 1);
    while (sampling->count < c->capacity) {
        double random = pli_random_uniform((pli_random){seed, 1}, (uint64_t)sampling->count);
        int32_t vertex = draw_vertex(c, sampling, random);
        if (vertex < 0) break;
        pli_sampling_add(sampling, vertex);
    }
    c->count = sampling->count;
    for (int32_t k = 0; k < c->count; ++k) c->centers[k] = sampling->samples[k];
    pli_sampling_destroy(sampling);
    return PLI_OK;
}

// ---- elements join the centres

static void compute_depths(void *user, int64_t begin, int64_t end)
{
    pli_clusters *c = user;
    int32_t size = c->pieces->mesh.corner_count;
    for (int64_t element = begin; element < end; ++element) {
        const int32_t *corners = corners_of(c, element);
        double sum = 0;
        for (int k = 0; k < size; ++k) sum += c->distance[corners[k]];
        c->depth[element] = sum / size;
        c->old_label[element] = c->label[element];
        c->label[element] = -1;
    }
}

// The nearest element at a centre that nobody has; -1 when there is none.
static int32_t find_first_element(const pli_clusters *c, int32_t center)
{
    const pli_incidence *incidence = &c->heat->incidence;
    int32_t best = -1;
    for (int64_t k = incidence->start[center]; k < incidence->start[center + 1]; ++k) {
        int32_t element = incidence->elements[k];
        if (c->label[element] >= 0) continue;
        if (best < 0 || c->depth[element] < c->depth[best]) best = element;
    }
    return best;
}

// Offers the neighbours of an element that has just joined a cluster; the first offer counts.
static void offer_neighbors(pli_clusters *c, int64_t element)
{
    int32_t size = c->pieces->mesh.corner_count;
    for (int k = 0; k < size; ++k) {
        int32_t other = c->pieces->neighbor[size * element + k];
        if (other < 0 || c->label[other] >= 0) continue;
        c->label[other] = c->label[element];
        pli_queue_push(&c->flood, other, c->depth[other]);
    }
}

// The first elements of all clusters; -1: none is left. Centres with few elements choose first.
static void claim_elements(pli_clusters *c)
{
    const int64_t *start = c->heat->incidence.start;
    for (int32_t k = 0; k < c->count; ++k) c->first[k] = -1;
    int64_t most = 0;
    for (int32_t left = c->count; left > 0;) {
        most = 2 * most + 1;
        for (int32_t k = 0; k < c->count; ++k) {
            int64_t element_count = start[c->centers[k] + 1] - start[c->centers[k]];
            if (element_count > most || element_count <= most / 2) continue;
            c->first[k] = find_first_element(c, c->centers[k]);
            if (c->first[k] >= 0) c->label[c->first[k]] = k;
            --left;
        }
    }
}

// Every cluster gets its first element, or is dropped; then they grow.
static void flood_elements(pli_clusters *c)
{
    int32_t kept = 0;
    claim_elements(c);
    for (int32_t k = 0; k < c->count; ++k) {
        int32_t element = c->first[k];
        if (element < 0) continue;
        c->centers[kept] = c->centers[k];
        c->label[element] = kept++;
        pli_queue_push(&c->flood, element, c->depth[element]);
    }
    c->count = kept;
    while (c->flood.count > 0) offer_neighbors(c, pli_queue_pop(&c->flood).node);
}

static pli_sum sum_cost(void *user, int64_t begin, int64_t end)
{
    const pli_clusters *c = user;
    pli_sum sum = {0, 0};
    for (int64_t k = begin; k < end; ++k) {
        pli_sum_add(&sum, c->volume[k] * c->depth[k] * c->depth[k]);
    }
    return sum;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_clusters(pli_clusters *c)
{
    c->changed = 0;
    for (int32_t k = 0; k < c->count; ++k) c->size[k] = 0;
    for (int32_t k = 0; k < c->pieces->mesh.element_count; ++k) {
        c->size[c->label[k]] += c->weight[k];
        c->changed += c->label[k] != c->old_label[k];
    }
    for (int32_t k = 0; k < c->pieces->piece_count; ++k) c->siblings[k] = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        c->gone[k] = 0;
        c->sorted[k] = c->size[k];
        ++c->siblings[c->pieces->vertex_piece[c->centers[k]]];
    }
    qsort(c->sorted, (size_t)c->count, sizeof *c->sorted, compare_doubles);
    c->median = c->sorted[c->count / 2];
    c->cost = pli_sum_value(
        pli_parallel_sum(c->context, c->pieces->mesh.element_count, GRAIN, sum_cost, c));
}

// ---- vertices of the clusters

// The share of one cluster, of the elements at vertices [begin, end).
static double sum_share(const pli_clusters *c, const int32_t *label, int32_t cluster, int64_t begin,
                        int64_t end)
{
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
        int32_t element = c->heat->incidence.elements[k];
        if (label[element] == cluster) sum += c->volume[element];
    }
    return sum;
}

int32_t pli_clusters_find_owner(const pli_clusters *clusters, const int32_t *label, int32_t begin,
                                int32_t end)
{
    const pli_incidence *incidence = &clusters->heat->incidence;
    int64_t first = incidence->start[begin];
    int64_t last = incidence->start[end];
    int32_t best = -1;
    double largest = 0;
    for (int64_t k = first; k < last; ++k) {
        int32_t cluster = label[incidence->elements[k]];
        // most elements have the label of the one before
        if (cluster == best) continue;
        double share = sum_share(clusters, label, cluster, first, last);
        if (share < largest || (share == largest && cluster > best)) continue;
        best = cluster;
        largest = share;
    }
    return best;
}

static void find_owners(void *user, int64_t begin, int64_t end)
{
    pli_clusters *c = user;
    for (int64_t v = begin; v < end; ++v) {
        c->owner[v] = pli_clusters_find_owner(c, c->label, (int32_t)v, (int32_t)v + 1);
    }
}

// Lists of the vertices that clusters own; a centre is its cluster's in any case.
static void list_members(pli_clusters *c)
{
    int32_t n = c->pieces->mesh.vertex_count;
    pli_parallel_for(c->context, n, GRAIN, find_owners, c);
    for (int32_t k = 0; k < c->count; ++k) c->owner[c->centers[k]] = k;
    for (int32_t k = 0; k <= c->count; ++k) c->start[k] = 0;
    for (int32_t v = 0; v < n; ++v) ++c->start[c->owner[v]];
    for (int32_t k = 0; k < c->count; ++k) c->start[k + 1] += c->start[k];
    for (int32_t v = n - 1; v >= 0; --v) c->members[--c->start[c->owner[v]]] = v;
}

pli_status pli_clusters_assign(pli_clusters *clusters)
{
    pli_clusters *c = clusters;
    PLI_TRY(pli_heat_compute(c->heat, c->count, c->centers, c->distance));
    pli_parallel_for(c->context, c->pieces->mesh.element_count, GRAIN, compute_depths, c);
    flood_elements(c);
    measure_clusters(c);
    list_members(c);
    return PLI_OK;
}

// ---- centres move

// One cluster on its way; arrays of vertices are shared, but clusters use their own entries only.
typedef struct walker {
    pli_clusters *clusters;
    int32_t cluster;
    pli_queue queue;
} walker;

static void reach_neighbors(walker *w, pli_queue_entry from)
{
    pli_clusters *c = w->clusters;
    const pli_laplacian *l = c->heat->laplacian;
    for (int64_t k = l->row_start[from.node]; k < l->row_start[from.node + 1]; ++k) {
        int32_t vertex = l->column[k];
        if (c->owner[vertex] != w->cluster) continue;
        double distance = from.distance + (double)c->heat->lengths[k];
        if (!(distance < c->walk[vertex])) continue;
        c->walk[vertex] = distance;
        c->first_hop[vertex] = from.distance > 0 ? c->first_hop[from.node] : vertex;
        pli_queue_push(&w->queue, vertex, distance);
    }
}

// The sum of mass times squared distance from a vertex over its cluster. Sets pull.
static double measure_moment(walker *w, int32_t from)
{
    pli_clusters *c = w->clusters;
    const double *mass = c->heat->laplacian->mass;
    for (int32_t k = c->start[w->cluster]; k < c->start[w->cluster + 1]; ++k) {
        c->walk[c->members[k]] = INFINITY;
        c->pull[c->members[k]] = 0;
    }
    double sum = 0;
    c->walk[from] = 0;
    c->first_hop[from] = from;
    pli_queue_push(&w->queue, from, 0);
    while (w->queue.count > 0) {
        pli_queue_entry nearest = pli_queue_pop(&w->queue);
        double moment = mass[nearest.node] * nearest.distance;
        sum += moment * nearest.distance;
        c->pull[c->first_hop[nearest.node]] += moment;
        reach_neighbors(w, nearest);
    }
    return sum;
}

// The neighbours of a vertex, in its cluster, with the largest pull. Returns how many there are.
static int choose_tries(const walker *w, int32_t from, int32_t tries[MAX_TRIES])
{
    const pli_clusters *c = w->clusters;
    const pli_laplacian *l = c->heat->laplacian;
    int count = 0;
    for (int64_t k = l->row_start[from]; k < l->row_start[from + 1]; ++k) {
        int32_t vertex = l->column[k];
        if (vertex == from || c->owner[vertex] != w->cluster) continue;
        int place = count;
        while (place > 0 && c->pull[tries[place - 1]] < c->pull[vertex]) --place;
        if (place == MAX_TRIES) continue;
        if (count < MAX_TRIES) ++count;
        for (int j = count - 1; j > place; --j) tries[j] = tries[j - 1];
        tries[place] = vertex;
    }
    return count;
}

// Goes down to a neighbour; false: none is better.
static bool take_step(walker *w, int32_t *vertex, double *moment)
{
    int32_t tries[MAX_TRIES];
    int count = choose_tries(w, *vertex, tries);
    for (int k = 0; k < count; ++k) {
        double other = measure_moment(w, tries[k]);
        if (!(other < *moment)) continue;
        *vertex = tries[k];
        *moment = other;
        return true;
    }
    return false;
}

static void move_centers(void *user, int64_t begin, int64_t end)
{
    pli_clusters *c = user;
    for (int64_t k = begin; k < end; ++k) {
        walker w = {c, (int32_t)k, {0, c->steps.entries + c->start[k], c->steps.place}};
        double moment = measure_moment(&w, c->centers[k]);
        for (int step = 0; step < MAX_STEPS; ++step) {
            if (!take_step(&w, &c->centers[k], &moment)) break;
        }
    }
}

// A centre must be at an element of its cluster; owning the vertex implies it.
void pli_clusters_move(pli_clusters *clusters)
{
    pli_parallel_for(clusters->context, clusters->count, 1, move_centers, clusters);
}

// ---- fewer or other clusters

static bool may_leave(const pli_clusters *c, int32_t cluster)
{
    return !c->gone[cluster] && c->siblings[c->pieces->vertex_piece[c->centers[cluster]]] > 1;
}

static bool is_small(const pli_clusters *c, int32_t cluster, double ratio)
{
    return c->size[cluster] * ratio < c->median;
}

int32_t pli_clusters_count_small(const pli_clusters *clusters, double ratio)
{
    int32_t count = 0;
    if (ratio == 0) return 0;
    for (int32_t k = 0; k < clusters->count; ++k) {
        count += may_leave(clusters, k) && is_small(clusters, k, ratio);
    }
    return count;
}

// The smallest cluster that may leave; -1 when none may.
static int32_t find_smallest(const pli_clusters *c)
{
    int32_t best = -1;
    for (int32_t k = 0; k < c->count; ++k) {
        if (!may_leave(c, k)) continue;
        if (best < 0 || c->size[k] < c->size[best]) best = k;
    }
    return best;
}

static void leave(pli_clusters *c, int32_t cluster)
{
    c->gone[cluster] = 1;
    --c->siblings[c->pieces->vertex_piece[c->centers[cluster]]];
}

int32_t pli_clusters_remove(pli_clusters *clusters, int32_t count)
{
    pli_clusters *c = clusters;
    int32_t removed = 0;
    for (; removed < count; ++removed) {
        int32_t smallest = find_smallest(c);
        if (smallest < 0) break;
        leave(c, smallest);
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < c->count; ++k) {
        if (!c->gone[k]) c->centers[kept++] = c->centers[k];
    }
    c->count = kept;
    return removed;
}

// The largest cluster that nobody has left or moved into; -1 when there is none.
static int32_t find_largest(const pli_clusters *c)
{
    int32_t best = -1;
    for (int32_t k = 0; k < c->count; ++k) {
        if (c->gone[k]) continue;
        if (best < 0 || c->size[k] > c->size[best]) best = k;
    }
    return best;
}

// The vertex of a cluster that is farthest from centres; the centre when there is no other.
static int32_t find_farthest(const pli_clusters *c, int32_t cluster)
{
    int32_t best = c->centers[cluster];
    for (int32_t k = c->start[cluster]; k < c->start[cluster + 1]; ++k) {
        if (c->distance[c->members[k]] > c->distance[best]) best = c->members[k];
    }
    return best;
}

// Puts the centre of a cluster into the largest one; false: there is no room.
static bool settle(pli_clusters *c, int32_t cluster)
{
    int32_t largest = find_largest(c);
    if (largest < 0) return false;
    int32_t vertex = find_farthest(c, largest);
    if (vertex == c->centers[largest]) return false;
    c->centers[cluster] = vertex;
    c->gone[largest] = 1;
    return true;
}

int32_t pli_clusters_relocate(pli_clusters *clusters, double ratio, int32_t count)
{
    pli_clusters *c = clusters;
    int32_t moved = 0;
    for (; moved < count; ++moved) {
        int32_t smallest = find_smallest(c);
        if (smallest < 0 || !is_small(c, smallest, ratio)) break;
        leave(c, smallest);
        if (!settle(c, smallest)) break;
    }
    return moved;
}

int32_t pli_clusters_add(pli_clusters *clusters, int32_t count)
{
    pli_clusters *c = clusters;
    int32_t added = 0;
    while (added < count && c->count + added < c->capacity && settle(c, c->count + added)) ++added;
    c->count += added;
    return added;
}

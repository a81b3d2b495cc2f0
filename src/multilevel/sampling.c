// SPDX-License-Identifier: Apache-2.0
#include "multilevel/sampling.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>

enum { BLOCK_SIZE = 64 }; // nodes that are searched at once for the farthest

// ---- samples

// Only strict progress counts: earlier samples, which have lower numbers, keep their ties. Skipped
// nodes are at -1, where nothing is nearer.
static void reach_neighbors(pli_sampling *s, pli_queue_entry from, int32_t sample)
{
    for (int64_t k = s->graph.start[from.node]; k < s->graph.start[from.node + 1]; ++k) {
        int32_t node = s->graph.neighbor[k];
        double distance = from.distance + (double)s->lengths[k];
        if (!(distance < s->distance[node])) continue;
        s->distance[node] = distance;
        s->label[node] = sample;
        pli_queue_push(&s->queue, node, distance);
    }
}

void pli_sampling_relabel(pli_sampling *sampling, int32_t count, const int32_t *centres)
{
    pli_sampling *s = sampling;
    for (int32_t node = 0; node < s->graph.node_count; ++node) {
        if (s->distance[node] >= 0) s->distance[node] = INFINITY;
    }
    for (int32_t k = 0; k < count; ++k) {
        s->distance[centres[k]] = 0;
        s->label[centres[k]] = k;
        pli_queue_push(&s->queue, centres[k], 0);
    }
    while (s->queue.count > 0) {
        pli_queue_entry nearest = pli_queue_pop(&s->queue);
        reach_neighbors(s, nearest, s->label[nearest.node]);
    }
}

void pli_sampling_add(pli_sampling *sampling, int32_t node)
{
    pli_sampling *s = sampling;
    int32_t sample = s->count++;
    s->samples[sample] = node;
    s->distance[node] = 0;
    s->label[node] = sample;
    pli_queue_push(&s->queue, node, 0);
    while (s->queue.count > 0) reach_neighbors(s, pli_queue_pop(&s->queue), sample);
}

static bool is_farther(pli_queue_entry a, pli_queue_entry b)
{
    return a.distance > b.distance || (a.distance == b.distance && a.node < b.node);
}

// Writes a new entry over the one at the top and moves it down to its place.
static void replace_top(pli_sampling *s, pli_queue_entry entry)
{
    int32_t place = 0;
    for (;;) {
        int32_t below = 2 * place + 1;
        if (below >= s->block_count) break;
        if (below + 1 < s->block_count && is_farther(s->blocks[below + 1], s->blocks[below])) {
            ++below;
        }
        if (!is_farther(s->blocks[below], entry)) break;
        s->blocks[place] = s->blocks[below];
        place = below;
    }
    s->blocks[place] = entry;
}

// The farthest node of the block that a node is in.
static pli_queue_entry search_block(const pli_sampling *s, int32_t node)
{
    int32_t begin = node - node % BLOCK_SIZE;
    int32_t end =
        s->graph.node_count - begin < BLOCK_SIZE ? s->graph.node_count : begin + BLOCK_SIZE;
    pli_queue_entry farthest = {s->distance[begin], begin};
    for (int32_t k = begin + 1; k < end; ++k) {
        if (s->distance[k] > farthest.distance) farthest = (pli_queue_entry){s->distance[k], k};
    }
    return farthest;
}

// The farthest node; blocks at the top that are out of date are searched again on the way.
static pli_queue_entry find_farthest(pli_sampling *s)
{
    while (s->blocks[0].distance != s->distance[s->blocks[0].node]) {
        replace_top(s, search_block(s, s->blocks[0].node));
    }
    return s->blocks[0];
}

void pli_sampling_extend(pli_sampling *sampling, int32_t count)
{
    while (sampling->block_count > 0) {
        pli_queue_entry farthest = find_farthest(sampling);
        bool is_enough = sampling->count >= count && isfinite(farthest.distance);
        if (is_enough || farthest.distance <= 0) return;
        pli_sampling_add(sampling, farthest.node);
    }
}

// ---- creation

// All nodes that are not skipped are infinitely far.
static void reset_nodes(pli_sampling *s, const uint8_t *skipped)
{
    for (int32_t node = 0; node < s->graph.node_count; ++node) {
        s->distance[node] = skipped != NULL && skipped[node] != 0 ? -1 : INFINITY;
        s->label[node] = -1;
        s->queue.place[node] = -1;
    }

    // for the heap's sake blocks claim to be infinitely far, too: equal keys with increasing nodes
    // are in order
    for (int32_t block = 0; block < s->block_count; ++block) {
        s->blocks[block] = (pli_queue_entry){INFINITY, block * BLOCK_SIZE};
    }
}

static pli_status add_given(pli_sampling *s, const pli_sampling_def *def)
{
    for (int32_t k = 0; k < def->given_count; ++k) {
        int32_t node = def->given[k];
        if (node < 0 || node >= s->graph.node_count) {
            return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                            "sample %d is vertex %d; vertices are 0 to %d", (int)k, (int)node,
                            (int)s->graph.node_count - 1);
        }
        if (s->distance[node] < 0) {
            return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                            "sample %d is vertex %d, which has no part in coarse levels", (int)k,
                            (int)node);
        }
        int32_t label = s->label[node];
        if (label >= 0 && s->samples[label] == node) {
            return PLI_FAIL(s->context, PLI_ERROR_ARGUMENT,
                            "samples %d and %d are the same vertex %d; all must differ", (int)label,
                            (int)k, (int)node);
        }
        pli_sampling_add(s, node);
    }
    return PLI_OK;
}

// A random one of the nodes that are not skipped, if there are any.
static void add_random(pli_sampling *s, uint64_t seed)
{
    int32_t count = 0;
    for (int32_t node = 0; node < s->graph.node_count; ++node) count += s->distance[node] >= 0;
    if (count == 0) return;
    int32_t left = (int32_t)(pli_random_uniform((pli_random){seed, 0}, 0) * count);
    int32_t node = 0;
    while (s->distance[node] < 0 || left-- > 0) ++node;
    pli_sampling_add(s, node);
}

static pli_status sampling_init(pli_sampling *s, const pli_sampling_def *def)
{
    int32_t n = def->graph.node_count;
    s->samples = PLI_NEW(s->context, int32_t, n, "samples");
    s->distance = PLI_NEW(s->context, double, n, "sampling");
    s->label = PLI_NEW(s->context, int32_t, n, "sampling");
    s->block_count = n / BLOCK_SIZE + (n % BLOCK_SIZE > 0);
    s->blocks = PLI_NEW(s->context, pli_queue_entry, s->block_count, "sampling");
    s->queue.entries = PLI_NEW(s->context, pli_queue_entry, n, "sampling");
    s->queue.place = PLI_NEW(s->context, int32_t, n, "sampling");
    if (s->samples == NULL || s->distance == NULL || s->label == NULL || s->blocks == NULL ||
        s->queue.entries == NULL || s->queue.place == NULL) {
        return PLI_ERROR_MEMORY;
    }
    reset_nodes(s, def->skipped);
    if (def->given_count > 0) return add_given(s, def);
    add_random(s, def->seed);
    return PLI_OK;
}

pli_status pli_sampling_create(pli_context *context, const pli_sampling_def *def,
                               pli_sampling **sampling)
{
    *sampling = NULL;
    pli_sampling *s = PLI_NEW(context, pli_sampling, 1, "sampling");
    if (s == NULL) return PLI_ERROR_MEMORY;
    s->context = context;
    s->graph = def->graph;
    s->lengths = def->lengths;
    pli_status status = sampling_init(s, def);
    if (status != PLI_OK) {
        pli_sampling_destroy(s);
        return status;
    }
    *sampling = s;
    return PLI_OK;
}

void pli_sampling_destroy(pli_sampling *sampling)
{
    if (sampling == NULL) return;
    pli_context *context = sampling->context;
    PLI_RELEASE(context, sampling->samples, sampling->distance, sampling->label, sampling->blocks,
                sampling->queue.entries, sampling->queue.place, sampling);
}

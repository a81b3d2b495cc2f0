// SPDX-License-Identifier: Apache-2.0
//
// The queue of Dijkstra's algorithm: a binary heap of nodes, nearest first, that knows where its
// nodes are, so that a node comes forward when its distance shrinks.
//
// Memory is the caller's. Nodes with equal distances leave in an order that depends on the calls
// alone. Several queues may share one array of places when their nodes differ.
#ifndef PLI_MULTILEVEL_QUEUE_H
#define PLI_MULTILEVEL_QUEUE_H

#include <stdint.h>

typedef struct pli_queue_entry {
    double distance;
    int32_t node;
} pli_queue_entry;

typedef struct pli_queue {
    int32_t count;
    pli_queue_entry *entries; // [nodes that may be in it at once]
    int32_t *place;           // [node_count]  of a node in the queue; -1: not there
} pli_queue;

static inline void pli_queue_put(pli_queue *queue, int32_t place, pli_queue_entry entry)
{
    queue->entries[place] = entry;
    queue->place[entry.node] = place;
}

// Inserts a node or brings it forward after its distance shrank.
static inline void pli_queue_push(pli_queue *queue, int32_t node, double distance)
{
    int32_t place = queue->place[node] >= 0 ? queue->place[node] : queue->count++;
    while (place > 0) {
        int32_t above = (place - 1) / 2;
        if (queue->entries[above].distance <= distance) break;
        pli_queue_put(queue, place, queue->entries[above]);
        place = above;
    }
    pli_queue_put(queue, place, (pli_queue_entry){distance, node});
}

// Takes the nearest node out; there must be one.
static inline pli_queue_entry pli_queue_pop(pli_queue *queue)
{
    pli_queue_entry first = queue->entries[0];
    pli_queue_entry last = queue->entries[--queue->count];
    queue->place[first.node] = -1;
    if (queue->count == 0) return first;

    // the hole at the top moves down to where the last entry fits
    int32_t place = 0;
    for (;;) {
        int32_t below = 2 * place + 1;
        if (below >= queue->count) break;
        if (below + 1 < queue->count &&
            queue->entries[below + 1].distance < queue->entries[below].distance) {
            ++below;
        }
        if (last.distance <= queue->entries[below].distance) break;
        pli_queue_put(queue, place, queue->entries[below]);
        place = below;
    }
    pli_queue_put(queue, place, last);
    return first;
}

#endif

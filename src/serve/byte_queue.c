// SPDX-License-Identifier: Apache-2.0
#include "serve/byte_queue.h"

#include "base/memory.h"

#include <string.h>

enum { SMALLEST = 1024, KEPT = 16384 };

void pli_byte_queue_init(pli_byte_queue *queue, pli_context *context)
{
    *queue = (pli_byte_queue){.context = context};
}

void pli_byte_queue_clear(pli_byte_queue *queue)
{
    pli_release(queue->context, queue->bytes);
    pli_byte_queue_init(queue, queue->context);
}

// Makes room behind what waits: by moving it to the front, or by more memory.
static bool make_room(pli_byte_queue *queue, int64_t count)
{
    if (queue->begin > 0) {
        memmove(queue->bytes, queue->bytes + queue->begin, (size_t)queue->count);
        queue->begin = 0;
    }
    if (queue->count + count <= queue->capacity) return true;

    int64_t capacity = queue->capacity > 0 ? queue->capacity : SMALLEST;
    while (capacity < queue->count + count) capacity *= 2;
    uint8_t *larger = pli_reallocate(queue->context, queue->bytes, capacity, 1, "bytes to send");
    if (larger == NULL) return false;
    queue->bytes = larger;
    queue->capacity = capacity;
    return true;
}

bool pli_byte_queue_append(pli_byte_queue *queue, const void *bytes, int64_t count, int64_t limit)
{
    if (count < 0 || count > limit - queue->count) return false;
    if (count == 0) return true;
    bool fits = queue->begin + queue->count + count <= queue->capacity;
    if (!fits && !make_room(queue, count)) return false;
    memcpy(queue->bytes + queue->begin + queue->count, bytes, (size_t)count);
    queue->count += count;
    return true;
}

const uint8_t *pli_byte_queue_front(const pli_byte_queue *queue)
{
    return queue->bytes + queue->begin;
}

void pli_byte_queue_take(pli_byte_queue *queue, int64_t count)
{
    PLI_ASSERT(queue->context, count >= 0 && count <= queue->count);
    queue->begin += count;
    queue->count -= count;
    if (queue->count > 0) return;
    queue->begin = 0;
    if (queue->capacity > KEPT) pli_byte_queue_clear(queue);
}

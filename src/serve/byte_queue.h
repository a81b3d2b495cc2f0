// SPDX-License-Identifier: Apache-2.0
//
// Bytes that wait to be sent: appended at one end, taken at the other, never more than a limit.
#ifndef PLI_SERVE_BYTE_QUEUE_H
#define PLI_SERVE_BYTE_QUEUE_H

#include "pliant/base.h"

typedef struct pli_byte_queue {
    pli_context *context;
    uint8_t *bytes; // [capacity]
    int64_t begin;  // of what waits
    int64_t count;
    int64_t capacity;
} pli_byte_queue;

void pli_byte_queue_init(pli_byte_queue *queue, pli_context *context);
void pli_byte_queue_clear(pli_byte_queue *queue);

// All of the bytes or none. False: more than limit would wait, or there is no memory.
bool pli_byte_queue_append(pli_byte_queue *queue, const void *bytes, int64_t count, int64_t limit);

// The first bytes that wait, and forgetting so many of them. The memory is kept while it is small.
const uint8_t *pli_byte_queue_front(const pli_byte_queue *queue);
void pli_byte_queue_take(pli_byte_queue *queue, int64_t count);

#endif

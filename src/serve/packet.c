// SPDX-License-Identifier: Apache-2.0
#include "serve/packet.h"

#include "base/memory.h"

#include <assert.h>
#include <stdatomic.h>

struct pli_packet {
    pli_context *context;
    _Atomic int64_t references;
    int64_t size;
    uint8_t *bytes; // [size] behind the packet, or somebody's for ever
};

enum { BYTES_AT = 64 }; // bytes begin at the next line of the cache

static_assert(sizeof(pli_packet) <= BYTES_AT, "a packet's own bytes begin behind it");

static pli_packet *make(pli_context *context, int64_t size, int64_t room)
{
    pli_packet *packet = pli_allocate(context, BYTES_AT + room, 1, "packet");
    if (packet == NULL) return NULL;
    packet->context = context;
    packet->size = size;
    atomic_init(&packet->references, 1);
    return packet;
}

pli_packet *pli_packet_create(pli_context *context, int64_t size)
{
    PLI_ASSERT(context, size >= 0);
    pli_packet *packet = make(context, size, size);
    if (packet != NULL) packet->bytes = (uint8_t *)packet + BYTES_AT;
    return packet;
}

pli_packet *pli_packet_create_static(pli_context *context, const void *bytes, int64_t size)
{
    pli_packet *packet = make(context, size, 0);
    // nobody writes into a packet of this kind
    if (packet != NULL) packet->bytes = (uint8_t *)(uintptr_t)bytes;
    return packet;
}

pli_packet *pli_packet_share(pli_packet *packet)
{
    // whoever shares has a reference already, so nothing has to be seen before
    if (packet != NULL) atomic_fetch_add_explicit(&packet->references, 1, memory_order_relaxed);
    return packet;
}

void pli_packet_drop(pli_packet *packet)
{
    if (packet == NULL) return;
    // the last one frees after all that others did with the bytes
    if (atomic_fetch_sub_explicit(&packet->references, 1, memory_order_acq_rel) == 1) {
        pli_release(packet->context, packet);
    }
}

uint8_t *pli_packet_bytes(pli_packet *packet)
{
    return packet->bytes;
}

int64_t pli_packet_size(const pli_packet *packet)
{
    return packet->size;
}

void pli_packet_cut(pli_packet *packet, int64_t size)
{
    PLI_ASSERT(packet->context, size >= 0 && size <= packet->size);
    if (size >= 0 && size < packet->size) packet->size = size;
}

// SPDX-License-Identifier: Apache-2.0
//
// Bytes on their way to several clients at once: made by one thread, sent by another, freed with
// the last reference.
#ifndef PLI_SERVE_PACKET_H
#define PLI_SERVE_PACKET_H

#include "pliant/base.h"

typedef struct pli_packet pli_packet;

// Room for so many bytes, with one reference. NULL: no memory (the context has the message).
pli_packet *pli_packet_create(pli_context *context, int64_t size);
// Keeps bytes that live for ever, without a copy. NULL: no memory.
pli_packet *pli_packet_create_static(pli_context *context, const void *bytes, int64_t size);

pli_packet *pli_packet_share(pli_packet *packet); // one more reference; NULL is legal
void pli_packet_drop(pli_packet *packet);         // one less; NULL is legal

// The bytes. Only whoever made the packet writes, before it is shared.
uint8_t *pli_packet_bytes(pli_packet *packet);
int64_t pli_packet_size(const pli_packet *packet);
// Shortens a packet that is not shared yet.
void pli_packet_cut(pli_packet *packet, int64_t size);

#endif

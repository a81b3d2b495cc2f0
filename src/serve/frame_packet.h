// SPDX-License-Identifier: Apache-2.0
//
// Frames as packets for the page (docs/protocol.md, "Packets"): surfaces instead of tetrahedra,
// values at points, only the fields that somebody asked for.
#ifndef PLI_SERVE_FRAME_PACKET_H
#define PLI_SERVE_FRAME_PACKET_H

#include "pliant/sim.h"

#include "serve/packet.h"

// Keeps the surfaces of parts from frame to frame; a surface is rebuilt when cells change.
typedef struct pli_frame_encoder pli_frame_encoder;

PLI_CHECKED pli_status pli_frame_encoder_create(pli_context *context, pli_frame_encoder **encoder);
void pli_frame_encoder_destroy(pli_frame_encoder *encoder);

// A packet of kind 1. Names that no part has are passed over. Errors: mesh (an index is past the
// end), memory.
PLI_CHECKED pli_status pli_frame_encode(pli_frame_encoder *encoder, const pli_frame *frame,
                                        const char *const *fields, int32_t field_count,
                                        int64_t sequence, pli_packet **packet);

// A packet of kind 2, of the part of that number. Errors: argument (no such part, or one of
// points), mesh, memory.
PLI_CHECKED pli_status pli_frame_encode_topology(pli_frame_encoder *encoder, const pli_frame *frame,
                                                 int32_t part, pli_packet **packet);

// The name of the topology of a part in the frame that was last encoded; 0: it has none.
uint64_t pli_frame_encoder_topology(const pli_frame_encoder *encoder, int32_t part);

#endif

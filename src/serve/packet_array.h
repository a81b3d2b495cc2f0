// SPDX-License-Identifier: Apache-2.0
//
// Arrays of packets: what goes into each, and the loops that write them.
//
// An array is described first, when the text of the packet is made, and written later, when the
// packet has its memory. All loops run over the points that are shown: those of a surface, or all
// points of a part without one.
#ifndef PLI_SERVE_PACKET_ARRAY_H
#define PLI_SERVE_PACKET_ARRAY_H

#include "serve/surface.h"

// A box around points; low above high: there is none.
typedef struct pli_extent {
    double low[3];
    double high[3];
} pli_extent;

// A box that holds nothing yet, and one that grows by another.
pli_extent pli_extent_nothing(void);
void pli_extent_add(pli_extent *extent, const pli_extent *other);
bool pli_extent_is_empty(const pli_extent *extent);

// The box around the points that are shown; coordinates that are not finite do not count.
pli_extent pli_packet_extent(const pli_context *context, const pli_frame_part *part,
                             const pli_surface *surface);

typedef struct pli_packet_array {
    const pli_frame_part *part;
    const pli_surface *surface;   // NULL: all points of the part
    const pli_frame_field *field; // NULL: the points themselves
    pli_extent extent;            // 16 bits: what 0 and 65535 stand for
    bool narrow;                  // points as 16 bits
    int32_t components;
    int64_t point_count;
    int64_t offset; // from the end of the packet's text
} pli_packet_array;

// Writes the array to where it belongs.
void pli_packet_array_write(const pli_packet_array *array, const pli_context *context,
                            uint8_t *arrays);

#endif

// SPDX-License-Identifier: Apache-2.0
#include "render/picture.h"

#include <string.h>

static bool is_hidden(const pli_picture_def *def, const char *name)
{
    for (int32_t k = 0; k < def->hidden_count; ++k) {
        if (strcmp(def->hidden[k], name) == 0) return true;
    }
    return false;
}

pli_status pli_picture_hide(const pli_picture_def *def, const pli_frame *frame, pli_arena *scratch,
                            pli_frame *seen)
{
    *seen = *frame;
    if (def->hidden_count == 0 || frame->part_count == 0) return PLI_OK;
    pli_frame_part *parts =
        pli_arena_take(scratch, frame->part_count, sizeof *parts, "picture parts");
    if (parts == NULL) return PLI_ERROR_MEMORY;
    memcpy(parts, frame->parts, (size_t)frame->part_count * sizeof *parts);
    for (int32_t i = 0; i < frame->part_count; ++i) {
        if (!is_hidden(def, parts[i].name)) continue;
        parts[i].point_count = 0;
        parts[i].cell_count = 0;
        // without values, too: they are no longer those of its points
        parts[i].field_count = 0;
    }
    seen->parts = parts;
    return PLI_OK;
}

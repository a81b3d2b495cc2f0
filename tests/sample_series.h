// SPDX-License-Identifier: Apache-2.0
//
// Series of the frames of sample_frames.h on disk.
#ifndef PLI_TESTS_SAMPLE_SERIES_H
#define PLI_TESTS_SAMPLE_SERIES_H

#include "sample_frames.h"

#include "pliant/io.h"

// Writes frames first ... last of size n; earlier ones stay.
static inline void sample_write(pli_context *context, const char *folder, bool compress, int32_t n,
                                int32_t first, int32_t last)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = compress;
    def.keep = first - 1;
    pli_frame_writer *writer = NULL;
    OK(context, pli_frame_writer_create(context, &def, &writer));
    for (int32_t index = first; index <= last; ++index) {
        sample s;
        sample_init(&s, n, index);
        OK(context, pli_frame_writer_add(writer, &s.frame));
        sample_clear(&s);
    }
    pli_frame_writer_destroy(writer);
}

#endif

// SPDX-License-Identifier: Apache-2.0
//
// write_samples FOLDER: the files that the scripts beside this one examine.
//   raw/, zlib/   series of three frames, lattices of 9 vertices a side
#include "sample_frames.h"

#include "pliant/io.h"

enum { SIDE = 9, FRAMES = 3 };

static void write_series(pli_context *context, const char *folder, bool compress)
{
    pli_frame_writer_def def = pli_frame_writer_def_default();
    def.folder = folder;
    def.compress = compress;
    pli_frame_writer *writer = NULL;
    OK(context, pli_frame_writer_create(context, &def, &writer));
    for (int32_t index = 0; index < FRAMES; ++index) {
        sample s;
        sample_init(&s, SIDE, index);
        OK(context, pli_frame_writer_add(writer, &s.frame));
        sample_clear(&s);
    }
    pli_frame_writer_destroy(writer);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    char path[4096];
    pli_context *context = make_context(2);
    snprintf(path, sizeof path, "%s/raw", argv[1]);
    write_series(context, path, false);
    snprintf(path, sizeof path, "%s/zlib", argv[1]);
    write_series(context, path, true);
    pli_context_destroy(context);
    return 0;
}

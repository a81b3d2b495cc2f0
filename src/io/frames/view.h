// SPDX-License-Identifier: Apache-2.0
//
// Views as text that need not stand in a file; io.h has what programs use.
#ifndef PLI_IO_FRAMES_VIEW_H
#define PLI_IO_FRAMES_VIEW_H

#include "pliant/io.h"

// Reads a view; `name` is what messages call the text. Errors: as pli_view_load, but for io.
PLI_CHECKED pli_status pli_view_parse(pli_context *context, const char *name, const char *bytes,
                                      int64_t count, pli_view **view);

#endif

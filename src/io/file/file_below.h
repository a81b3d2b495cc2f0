// SPDX-License-Identifier: Apache-2.0
//
// Files of a folder that somebody else may have made, to be handed on to others: what is in it by
// name, and nothing that a symbolic link points to. The folder itself may be reached by links.
#ifndef PLI_IO_FILE_FILE_BELOW_H
#define PLI_IO_FILE_FILE_BELOW_H

#include "base/context.h"

// Whether the folder holds a regular file of that name, which is no path.
bool pli_file_is_below(const char *folder, const char *name);

// Reads a regular file of at most limit bytes. Lifetime: until pli_release. Errors: io (missing,
// unreadable, a link, not a regular file, too large, changed meanwhile), memory.
PLI_CHECKED pli_status pli_file_read_below(pli_context *context, const char *folder,
                                           const char *name, int64_t limit, char **bytes,
                                           int64_t *count);

#endif

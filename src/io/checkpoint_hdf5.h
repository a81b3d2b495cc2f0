// SPDX-License-Identifier: Apache-2.0
//
// The HDF5 part of a checkpoint: between named arrays and the bytes of an HDF5 file.
// See io/checkpoint.h for the layout. Safe for several threads as far as the HDF5 library is.
#ifndef PLI_IO_CHECKPOINT_HDF5_H
#define PLI_IO_CHECKPOINT_HDF5_H

#include "io/checkpoint.h"

// Builds the content in memory. Lifetime of the bytes: until pli_release. Errors: memory.
PLI_CHECKED pli_status pli_checkpoint_pack(pli_context *context, const pli_checkpoint_def *def,
                                           char **bytes, int64_t *count);

// Reads the content of a file whose checksum was found right. Errors: io, scene, memory.
PLI_CHECKED pli_status pli_checkpoint_unpack(pli_context *context, const char *path,
                                             const pli_checkpoint_def *def,
                                             pli_checkpoint_info *info);

#endif

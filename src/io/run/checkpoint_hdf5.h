// SPDX-License-Identifier: Apache-2.0
//
// The HDF5 part of a checkpoint: between named arrays and the bytes of an HDF5 file.
// See io/run/checkpoint.h for the layout. Safe for several threads as far as the HDF5 library is.
#ifndef PLI_IO_RUN_CHECKPOINT_HDF5_H
#define PLI_IO_RUN_CHECKPOINT_HDF5_H

#include "io/run/checkpoint.h"

// A file that HDF5 holds in memory.
typedef struct pli_checkpoint_image {
    int64_t file;      // HDF5's number of it; -1: none
    const char *bytes; // [count]
    int64_t count;
} pli_checkpoint_image;

// Builds the content in memory. Lifetime of the bytes: until the image is cleared, which it must
// be, also after a failure. Errors: memory.
PLI_CHECKED pli_status pli_checkpoint_image_init(pli_context *context,
                                                 const pli_checkpoint_def *def,
                                                 pli_checkpoint_image *image);
void pli_checkpoint_image_clear(pli_checkpoint_image *image);

// Reads the content of a file whose checksum was found right. Errors: io, scene, memory.
PLI_CHECKED pli_status pli_checkpoint_unpack(pli_context *context, const char *path,
                                             const pli_checkpoint_def *def,
                                             pli_checkpoint_info *info);

#endif

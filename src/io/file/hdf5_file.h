// SPDX-License-Identifier: Apache-2.0
//
// HDF5 files on a disk that may be full.
//
// The HDF5 library does not survive a write that fails: a file that it cannot flush can never be
// closed again, and the process crashes on its way out. So HDF5 writes through a driver of ours
// that never fails. Once the disk has refused a write, that write and all later ones are kept in
// memory, where reads find them; the caller asks pli_hdf5_file_check between pieces of work, stops,
// closes the file in peace and throws it away.
//
// HDF5 also prints its failures to stderr unless told otherwise. Between pli_hdf5_silence_begin and
// _end it is quiet; the program's own setting, which belongs to the thread, is put back.
#ifndef PLI_IO_FILE_HDF5_FILE_H
#define PLI_IO_FILE_HDF5_FILE_H

#include "base/context.h"

#include <hdf5.h>

typedef struct pli_hdf5_silence {
    H5E_auto2_t print;
    void *data;
} pli_hdf5_silence;

static inline pli_hdf5_silence pli_hdf5_silence_begin(void)
{
    pli_hdf5_silence before = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return before;
}

static inline void pli_hdf5_silence_end(pli_hdf5_silence before)
{
    H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
}

typedef struct pli_hdf5_file pli_hdf5_file;

// Begins a new file in place of the one at path, which must exist (a draft of io/file/file.h).
// `shown` stands for the file in messages. Errors: io, memory.
PLI_CHECKED pli_status pli_hdf5_file_create(pli_context *context, const char *path,
                                            const char *shown, pli_hdf5_file **file);

// Closes the file; what was kept in memory is lost. NULL is legal.
void pli_hdf5_file_destroy(pli_hdf5_file *file);

hid_t pli_hdf5_file_id(const pli_hdf5_file *file);

// Whether everything so far reached the system. Errors: io.
PLI_CHECKED pli_status pli_hdf5_file_check(const pli_hdf5_file *file);

// Brings everything to the file and closes it for HDF5. Errors: io.
PLI_CHECKED pli_status pli_hdf5_file_finish(pli_hdf5_file *file);

#endif

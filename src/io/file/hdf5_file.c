// SPDX-License-Identifier: Apache-2.0
#include "io/file/hdf5_file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

// bytes that the disk refused
typedef struct kept_block {
    struct kept_block *next;
    haddr_t begin;
    haddr_t end;
    char bytes[];
} kept_block;

struct pli_hdf5_file {
    H5FD_t driver; // HDF5's own part; first, so that a pointer to it is a pointer to the whole
    pli_context *context;
    char *shown;
    int descriptor;
    hid_t driver_id;
    hid_t id;        // of the file; -1: closed
    haddr_t used;    // end of what HDF5 has given out
    haddr_t written; // end of the file as HDF5 shall see it
    int error;       // of the first write that failed; 0: none
    int64_t error_bytes;
    kept_block *kept; // oldest first
    kept_block *kept_last;
};

// what an access property list carries to the driver
typedef struct driver_info {
    pli_hdf5_file *file;
} driver_info;

// ---- the driver -------------------------------------------------------------------------------

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t limit)
{
    (void)name;
    (void)limit;
    const driver_info *info = H5Pget_driver_info(access);
    if (info == NULL) return NULL;
    memset(&info->file->driver, 0, sizeof info->file->driver);
    info->file->used = 0;
    if ((flags & H5F_ACC_TRUNC) != 0) info->file->written = 0;
    return &info->file->driver;
}

static herr_t driver_close(H5FD_t *driver)
{
    (void)driver; // the descriptor belongs to the object
    return 0;
}

static herr_t driver_query(const H5FD_t *driver, unsigned long *flags)
{
    (void)driver;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_used(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const pli_hdf5_file *)driver)->used;
}

static herr_t driver_set_used(H5FD_t *driver, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((pli_hdf5_file *)driver)->used = end;
    return 0;
}

static haddr_t driver_get_written(const H5FD_t *driver, H5FD_mem_t type)
{
    (void)type;
    return ((const pli_hdf5_file *)driver)->written;
}

// Copies the part of a kept block that lies within [begin, begin + size).
static void overlay(const kept_block *block, haddr_t begin, size_t size, char *buffer)
{
    haddr_t end = begin + size;
    haddr_t from = block->begin > begin ? block->begin : begin;
    haddr_t to = block->end < end ? block->end : end;
    if (from >= to) return;
    memcpy(buffer + (from - begin), block->bytes + (from - block->begin), (size_t)(to - from));
}

// What is on the disk, zeros behind its end, and over it what was kept in memory.
static herr_t driver_read(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *buffer)
{
    (void)type;
    (void)transfer;
    pli_hdf5_file *file = (pli_hdf5_file *)driver;
    size_t done = 0;
    while (done < size) {
        ssize_t got =
            pread(file->descriptor, (char *)buffer + done, size - done, (off_t)(address + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        done += (size_t)got;
    }
    memset((char *)buffer + done, 0, size - done);
    for (const kept_block *block = file->kept; block != NULL; block = block->next) {
        overlay(block, address, size, buffer);
    }
    return 0;
}

static void keep(pli_hdf5_file *file, haddr_t address, size_t size, const void *buffer)
{
    kept_block *block =
        pli_allocate(file->context, 1, sizeof(kept_block) + size, "HDF5 data without a disk");
    // without memory either, the file is lost twice; HDF5 need not know
    if (block == NULL) return;
    block->begin = address;
    block->end = address + size;
    memcpy(block->bytes, buffer, size);
    if (file->kept_last != NULL) file->kept_last->next = block;
    if (file->kept == NULL) file->kept = block;
    file->kept_last = block;
}

static herr_t driver_write(H5FD_t *driver, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *buffer)
{
    (void)type;
    (void)transfer;
    pli_hdf5_file *file = (pli_hdf5_file *)driver;
    if (address + size > file->written) file->written = address + size;
    size_t done = 0;
    while (done < size && file->error == 0) {
        ssize_t put = pwrite(file->descriptor, (const char *)buffer + done, size - done,
                             (off_t)(address + done));
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) {
            file->error = errno;
            file->error_bytes = (int64_t)(size - done);
        } else {
            done += (size_t)put;
        }
    }
    if (done < size) keep(file, address + done, size - done, (const char *)buffer + done);
    return 0;
}

static herr_t driver_truncate(H5FD_t *driver, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    pli_hdf5_file *file = (pli_hdf5_file *)driver;
    if (file->error == 0 && ftruncate(file->descriptor, (off_t)file->used) != 0) {
        file->error = errno;
    }
    file->written = file->used;
    return 0;
}

static const H5FD_class_t driver_class = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600,
#endif
    .name = "pliant",
    .maxaddr = ((haddr_t)1 << 62),
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_info),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_used,
    .set_eoa = driver_set_used,
    .get_eof = driver_get_written,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

// ---- the file ---------------------------------------------------------------------------------

static pli_status open_hdf5(pli_hdf5_file *file)
{
    driver_info info = {file};
    file->driver_id = H5FDregister(&driver_class);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (file->driver_id >= 0 && H5Pset_driver(access, file->driver_id, &info) >= 0) {
        file->id = H5Fcreate(file->shown, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    H5Pclose(access);
    if (file->id < 0) {
        return PLI_FAIL(file->context, PLI_ERROR_MEMORY, "%s: HDF5 cannot begin a file",
                        file->shown);
    }
    return PLI_OK;
}

pli_status pli_hdf5_file_create(pli_context *context, const char *path, const char *shown,
                                pli_hdf5_file **file)
{
    *file = NULL;
    pli_hdf5_file *made = PLI_NEW(context, pli_hdf5_file, 1, "HDF5 file");
    if (made == NULL) return PLI_ERROR_MEMORY;
    made->context = context;
    made->id = made->driver_id = H5I_INVALID_HID;
    made->descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    int error = errno;
    made->shown = pli_string_copy(context, shown);
    pli_status status = made->shown != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (made->descriptor < 0) {
        char buffer[128];
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s: cannot open: %s", shown,
                          strerror_r(error, buffer, sizeof buffer));
    }
    if (status == PLI_OK) status = open_hdf5(made);
    if (status != PLI_OK) {
        pli_hdf5_file_destroy(made);
        return status;
    }
    *file = made;
    return PLI_OK;
}

void pli_hdf5_file_destroy(pli_hdf5_file *file)
{
    if (file == NULL) return;
    pli_context *context = file->context;
    if (file->id >= 0) H5Fclose(file->id);
    if (file->driver_id >= 0) H5FDunregister(file->driver_id);
    if (file->descriptor >= 0) close(file->descriptor);
    while (file->kept != NULL) {
        kept_block *block = file->kept;
        file->kept = block->next;
        pli_release(context, block);
    }
    PLI_RELEASE(context, file->shown, file);
}

hid_t pli_hdf5_file_id(const pli_hdf5_file *file)
{
    return file->id;
}

pli_status pli_hdf5_file_check(const pli_hdf5_file *file)
{
    if (file->error == 0) return PLI_OK;
    char buffer[128];
    return PLI_FAIL(file->context, PLI_ERROR_IO, "%s: cannot write %lld bytes: %s", file->shown,
                    (long long)file->error_bytes, strerror_r(file->error, buffer, sizeof buffer));
}

pli_status pli_hdf5_file_finish(pli_hdf5_file *file)
{
    herr_t closed = H5Fclose(file->id);
    file->id = H5I_INVALID_HID;
    PLI_TRY(pli_hdf5_file_check(file));
    if (closed < 0) {
        return PLI_FAIL(file->context, PLI_ERROR_IO, "%s: HDF5 cannot finish the file",
                        file->shown);
    }
    return PLI_OK;
}

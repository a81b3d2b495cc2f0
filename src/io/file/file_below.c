// SPDX-License-Identifier: Apache-2.0
#include "io/file/file_below.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The folder's descriptor; -1 with errno.
static int open_folder(const char *folder)
{
    return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool pli_file_is_below(const char *folder, const char *name)
{
    int descriptor = open_folder(folder);
    if (descriptor < 0) return false;
    struct stat about;
    bool found = fstatat(descriptor, name, &about, AT_SYMLINK_NOFOLLOW) == 0;
    close(descriptor);
    return found && S_ISREG(about.st_mode);
}

static pli_status fail(pli_context *context, const char *folder, const char *name, int error)
{
    char buffer[128];
    if (error == ELOOP) {
        return PLI_FAIL(
            context, PLI_ERROR_IO,
            "%s/%s: is a symbolic link, which is not followed; put the file itself there", folder,
            name);
    }
    return PLI_FAIL(context, PLI_ERROR_IO, "%s/%s: cannot be read: %s", folder, name,
                    strerror_r(error, buffer, sizeof buffer));
}

// Opens a regular file in the folder without waiting for anything; -1 after a failure.
static pli_status open_below(pli_context *context, const char *folder, const char *name,
                             int *descriptor, int64_t *size)
{
    *descriptor = -1;
    int base = open_folder(folder);
    if (base < 0) return fail(context, folder, name, errno);
    *descriptor = openat(base, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = errno;
    close(base);
    if (*descriptor < 0) return fail(context, folder, name, error);
    struct stat about;
    if (fstat(*descriptor, &about) != 0) return fail(context, folder, name, errno);
    if (!S_ISREG(about.st_mode)) {
        return PLI_FAIL(context, PLI_ERROR_IO, "%s/%s: is no regular file", folder, name);
    }
    *size = (int64_t)about.st_size;
    return PLI_OK;
}

// Fills the block or reaches the end of the file.
static pli_status fill(pli_context *context, const char *folder, const char *name, int descriptor,
                       char *bytes, int64_t capacity, int64_t *count)
{
    *count = 0;
    while (*count < capacity) {
        ssize_t got = read(descriptor, bytes + *count, (size_t)(capacity - *count));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return fail(context, folder, name, errno);
        if (got == 0) break;
        *count += got;
    }
    return PLI_OK;
}

pli_status pli_file_read_below(pli_context *context, const char *folder, const char *name,
                               int64_t limit, char **bytes, int64_t *count)
{
    *bytes = NULL;
    *count = 0;
    int descriptor = -1;
    int64_t size = 0;
    int64_t got = 0;
    char *block = NULL;
    pli_status status = open_below(context, folder, name, &descriptor, &size);
    if (status != PLI_OK) goto done;
    if (size > limit) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s/%s: has %lld bytes; at most %lld can be read",
                          folder, name, (long long)size, (long long)limit);
        goto done;
    }
    // one byte more than the file has shows whether it grows
    block = PLI_NEW(context, char, size + 1, "file content");
    status = block != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) {
        status = fill(context, folder, name, descriptor, block, size + 1, &got);
    }
    if (status == PLI_OK && got != size) {
        status = PLI_FAIL(context, PLI_ERROR_IO, "%s/%s: changed its size while it was read",
                          folder, name);
    }

done:
    if (descriptor >= 0) close(descriptor);
    if (status != PLI_OK) {
        pli_release(context, block);
        return status;
    }
    *bytes = block;
    *count = size;
    return PLI_OK;
}

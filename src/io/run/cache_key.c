// SPDX-License-Identifier: Apache-2.0
#include "io/run/cache_key.h"

#include "base/memory.h"
#include "io/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_FILE "run-cache.key"

static pli_status fail_system(pli_context *context, const char *path, const char *action)
{
    char buffer[128];
    return PLI_FAIL(context, PLI_ERROR_IO, "%s: %s: %s", path, action,
                    strerror_r(errno, buffer, sizeof buffer));
}

// The folder of caches of the user, by the base directory specification of freedesktop.org; NULL
// when memory ran out, "" when there is none.
static char *find_base(pli_context *context)
{
    const char *cache = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    // what is not absolute does not count there
    if (cache != NULL && cache[0] == '/') return pli_string_copy(context, cache);
    if (home == NULL || home[0] != '/') return pli_string_copy(context, "");
    return pli_path_join(context, home, ".cache");
}

// Makes the folder, for the user alone, and opens it.
static pli_status open_folder(pli_context *context, const char *base, int *folder, char **path)
{
    *folder = -1;
    *path = pli_path_join(context, base, "pliant");
    if (*path == NULL) return PLI_ERROR_MEMORY;
    if (mkdir(base, 0700) != 0 && errno != EEXIST) {
        return fail_system(context, base, "cannot make the folder");
    }
    if (mkdir(*path, 0700) != 0 && errno != EEXIST) {
        return fail_system(context, *path, "cannot make the folder");
    }
    *folder = open(*path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *folder >= 0 ? PLI_OK : fail_system(context, *path, "cannot open the folder");
}

// Puts a new key in place, unless another process was faster.
static pli_status make_key(pli_context *context, int folder, const char *path)
{
    uint8_t key[PLI_SHA256_BYTES];
    char draft[64];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key) {
        return fail_system(context, path, "cannot get random numbers");
    }
    snprintf(draft, sizeof draft, ".%s-%ld", KEY_FILE, (long)getpid());
    int descriptor =
        openat(folder, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) return fail_system(context, path, "cannot write a key");
    bool written =
        write(descriptor, key, sizeof key) == (ssize_t)sizeof key && fsync(descriptor) == 0;
    written = close(descriptor) == 0 && written;
    // a link never replaces what has the name
    bool placed = written && (linkat(folder, draft, folder, KEY_FILE, 0) == 0 || errno == EEXIST);
    pli_status status = placed ? PLI_OK : fail_system(context, path, "cannot write a key");
    unlinkat(folder, draft, 0);
    return status;
}

static pli_status read_key(pli_context *context, int descriptor, const char *path,
                           uint8_t key[PLI_SHA256_BYTES])
{
    struct stat found;
    if (fstat(descriptor, &found) != 0) return fail_system(context, path, "cannot read");
    bool private = S_ISREG(found.st_mode) && found.st_uid == geteuid() &&
                   (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
    if (!private || found.st_size != PLI_SHA256_BYTES) {
        return PLI_FAIL(context, PLI_ERROR_IO,
                        "%s/" KEY_FILE ": is no key that only its owner can read; remove it, and a "
                        "new one is made",
                        path);
    }
    if (pread(descriptor, key, PLI_SHA256_BYTES, 0) != PLI_SHA256_BYTES) {
        return fail_system(context, path, "cannot read the key");
    }
    return PLI_OK;
}

static pli_status get_key(pli_context *context, int folder, const char *path,
                          uint8_t key[PLI_SHA256_BYTES])
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int descriptor = openat(folder, KEY_FILE, flags);
    if (descriptor < 0 && errno == ENOENT) {
        PLI_TRY(make_key(context, folder, path));
        descriptor = openat(folder, KEY_FILE, flags);
    }
    if (descriptor < 0) return fail_system(context, path, "cannot open the key");
    pli_status status = read_key(context, descriptor, path, key);
    close(descriptor);
    return status;
}

pli_status pli_cache_key_get(pli_context *context, uint8_t key[PLI_SHA256_BYTES])
{
    int folder = -1;
    char *path = NULL;
    char *base = find_base(context);
    pli_status status = base != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK && base[0] == '\0') {
        status = PLI_FAIL(context, PLI_ERROR_IO,
                          "neither XDG_CACHE_HOME nor HOME names a folder for its key");
    }
    if (status == PLI_OK) status = open_folder(context, base, &folder, &path);
    if (status == PLI_OK) status = get_key(context, folder, path, key);
    if (folder >= 0) close(folder);
    PLI_RELEASE(context, path, base);
    return status;
}

// SPDX-License-Identifier: Apache-2.0
#include "io/run_cache.h"

#include "base/memory.h"
#include "io/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIGITS = 16, NAME_CAPACITY = DIGITS + sizeof ".bin" };

// folder/cache/<key>.bin; NULL when memory ran out.
static char *path_of(const pli_run_folder *folder, uint64_t key)
{
    char name[sizeof PLI_CACHE_FOLDER + NAME_CAPACITY];
    snprintf(name, sizeof name, PLI_CACHE_FOLDER "/%016" PRIx64 ".bin", key);
    return pli_run_folder_join(folder, name);
}

static void warn(const pli_run_folder *folder, const char *what)
{
    char message[512];
    pli_context_message(folder->context, message, sizeof message);
    PLI_LOG(folder->context, PLI_LOG_WARNING, "the cache of the run %s: %s", what, message);
}

// ---- reading

static bool load(void *user, uint64_t key, const void **bytes, int64_t *size)
{
    const pli_run_folder *folder = user;
    char *path = path_of(folder, key);
    char *found = NULL;
    if (path != NULL && pli_path_exists(path) &&
        pli_file_read(folder->context, path, 0, &found, size) != PLI_OK) {
        warn(folder, "cannot be read");
    }
    pli_release(folder->context, path);
    *bytes = found;
    return found != NULL;
}

static void release(void *user, const void *bytes)
{
    const pli_run_folder *folder = user;
    pli_release(folder->context, (void *)(uintptr_t)bytes);
}

// ---- keeping the newest

static bool is_cached(const char *name)
{
    return strspn(name, "0123456789abcdef") == DIGITS && strcmp(name + DIGITS, ".bin") == 0;
}

static bool is_older(const struct stat *a, const struct stat *b)
{
    if (a->st_mtim.tv_sec != b->st_mtim.tv_sec) return a->st_mtim.tv_sec < b->st_mtim.tv_sec;
    return a->st_mtim.tv_nsec < b->st_mtim.tv_nsec;
}

// Counts the files of an open folder and finds the oldest, but not the one called `spared`.
static int32_t find_oldest(DIR *listing, const char *spared, char oldest[NAME_CAPACITY])
{
    int32_t count = 0;
    struct stat oldest_stat = {0};
    oldest[0] = '\0';
    rewinddir(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        struct stat found;
        if (!is_cached(entry->d_name)) continue;
        ++count;
        if (strcmp(entry->d_name, spared) == 0) continue;
        if (fstatat(dirfd(listing), entry->d_name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (oldest[0] != '\0' && !is_older(&found, &oldest_stat)) continue;
        memcpy(oldest, entry->d_name, NAME_CAPACITY);
        oldest_stat = found;
    }
    return count;
}

// Removes the oldest files but `spared` until few enough are left.
static void thin_out(const char *cache, const char *spared)
{
    char name[NAME_CAPACITY];
    DIR *listing = opendir(cache);
    while (listing != NULL && find_oldest(listing, spared, name) > PLI_CACHE_KEPT) {
        if (name[0] == '\0' || unlinkat(dirfd(listing), name, 0) != 0) break;
    }
    if (listing != NULL) closedir(listing);
}

// ---- writing

static void store(void *user, uint64_t key, const void *bytes, int64_t size)
{
    const pli_run_folder *folder = user;
    char *cache = pli_run_folder_join(folder, PLI_CACHE_FOLDER);
    char *path = path_of(folder, key);
    bool joined = cache != NULL && path != NULL;
    pli_status status = joined ? pli_folder_create(folder->context, cache) : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_file_write(folder->context, path, bytes, size);
    if (status == PLI_OK) thin_out(cache, pli_path_name(path));
    if (status != PLI_OK) warn(folder, "cannot be written");
    pli_release(folder->context, path);
    pli_release(folder->context, cache);
}

pli_cache pli_run_cache(pli_run_folder *folder)
{
    return (pli_cache){.user = folder, .load = load, .release = release, .store = store};
}

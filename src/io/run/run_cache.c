// SPDX-License-Identifier: Apache-2.0
#include "io/run/run_cache.h"

#include "base/memory.h"
#include "io/file/file.h"
#include "io/run/cache_key.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_line[] = "pliant cache 1\n";

enum {
    LINE_BYTES = sizeof first_line - 1,
    HEAD_BYTES = LINE_BYTES + PLI_SHA256_BYTES, // before the content
    NAME_CAPACITY = 512
};

// cache/<key>.bin
static void name_of(const pli_cache_key *key, char name[NAME_CAPACITY])
{
    int length = snprintf(name, NAME_CAPACITY, PLI_CACHE_FOLDER "/");
    for (size_t i = 0; i < sizeof key->bytes; ++i) {
        length += snprintf(name + length, (size_t)(NAME_CAPACITY - length), "%02x", key->bytes[i]);
    }
    snprintf(name + length, (size_t)(NAME_CAPACITY - length), ".bin");
}

static void warn(const pli_run_folder *folder, const char *what)
{
    char message[512];
    pli_context_message(folder->context, message, sizeof message);
    PLI_LOG(folder->context, PLI_LOG_WARNING, "the cache of the run %s: %s", what, message);
}

// What only this user's program can say of a content under a key. Errors: io, memory.
static pli_status sign(const pli_run_folder *folder, const pli_cache_key *key, const void *bytes,
                       int64_t size, uint8_t digest[PLI_SHA256_BYTES])
{
    uint8_t secret[PLI_SHA256_BYTES];
    pli_hmac mac;
    PLI_TRY(pli_cache_key_get(folder->context, secret));
    pli_hmac_init(&mac, secret);
    pli_hmac_add(&mac, first_line, LINE_BYTES);
    pli_hmac_add(&mac, key->bytes, sizeof key->bytes);
    pli_hmac_add(&mac, bytes, (size_t)size);
    pli_hmac_end(&mac, digest);
    return PLI_OK;
}

// ---- reading

// Reads cache/<key>.bin; *bytes stays NULL when there is none.
static pli_status read_file(const pli_run_folder *folder, const char *name, char **bytes,
                            int64_t *count)
{
    int place = -1;
    *bytes = NULL;
    *count = 0;
    if (pli_manifest_owner(folder->files, name) == PLI_OWNER_NOBODY) return PLI_OK;
    char *path = pli_run_folder_join(folder, name);
    pli_status status = path != NULL ? PLI_OK : PLI_ERROR_MEMORY;
    if (status == PLI_OK) status = pli_manifest_enter(folder->files, name, false, &place);
    if (status == PLI_OK) {
        status = pli_file_read_in(folder->context, place, path, 0, bytes, count);
    }
    if (place >= 0) close(place);
    pli_release(folder->context, path);
    return status;
}

static pli_status check_file(const pli_run_folder *folder, const pli_cache_key *key,
                             const char *name, const char *bytes, int64_t count)
{
    uint8_t digest[PLI_SHA256_BYTES];
    bool is_own = count >= HEAD_BYTES && memcmp(bytes, first_line, LINE_BYTES) == 0;
    if (is_own) {
        PLI_TRY(sign(folder, key, bytes + HEAD_BYTES, count - HEAD_BYTES, digest));
        is_own = pli_digest_is_same(digest, (const uint8_t *)bytes + LINE_BYTES);
    }
    if (is_own) return PLI_OK;
    return PLI_FAIL(folder->context, PLI_ERROR_IO,
                    "%s/%.16s... is damaged, or was not written by this user on this machine; it "
                    "is recomputed",
                    folder->path, name);
}

static bool load(void *user, const pli_cache_key *key, const void **bytes, int64_t *size)
{
    const pli_run_folder *folder = user;
    char name[NAME_CAPACITY];
    char *found = NULL;
    int64_t count = 0;
    name_of(key, name);
    pli_status status = read_file(folder, name, &found, &count);
    if (status == PLI_OK && found != NULL) status = check_file(folder, key, name, found, count);
    if (status != PLI_OK) {
        warn(folder, "cannot be read");
        pli_release(folder->context, found);
        found = NULL;
    }
    if (found == NULL) return false;
    // the content moves to the beginning, so that what is given back is what was read
    memmove(found, found + HEAD_BYTES, (size_t)(count - HEAD_BYTES));
    *bytes = found;
    *size = count - HEAD_BYTES;
    return true;
}

static void release(void *user, const void *bytes)
{
    const pli_run_folder *folder = user;
    pli_release(folder->context, (void *)(uintptr_t)bytes);
}

// ---- keeping the newest

// Counts files of ours and finds the oldest.
typedef struct thinning {
    const pli_run_folder *folder;
    const char *spared;
    int32_t count;
    char oldest[NAME_CAPACITY]; // "": none
    struct timespec time;       // when it was written
} thinning;

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void weigh(void *user, const char *name, bool is_folder)
{
    thinning *job = user;
    struct stat found;
    if (is_folder || strlen(name) >= NAME_CAPACITY) return;
    if (pli_manifest_owner(job->folder->files, name) != PLI_OWNER_PLIANT) return;
    ++job->count;
    if (strcmp(name, job->spared) == 0) return;
    int top = pli_manifest_folder(job->folder->files);
    if (fstatat(top, name, &found, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (job->oldest[0] != '\0' && !is_older(&found.st_mtim, &job->time)) return;
    snprintf(job->oldest, sizeof job->oldest, "%s", name);
    job->time = found.st_mtim;
}

// Removes the oldest files but `spared` until few enough are left.
static void thin_out(const pli_run_folder *folder, const char *spared)
{
    for (;;) {
        thinning job = {.folder = folder, .spared = spared};
        pli_owner owner = PLI_OWNER_NOBODY;
        if (pli_manifest_visit(folder->files, PLI_CACHE_FOLDER, weigh, &job) != PLI_OK) return;
        if (job.count <= PLI_CACHE_KEPT || job.oldest[0] == '\0') return;
        pli_manifest_remove(folder->files, job.oldest, &owner);
        if (pli_manifest_owner(folder->files, job.oldest) != PLI_OWNER_NOBODY) return;
    }
}

// ---- writing

static void store(void *user, const pli_cache_key *key, const void *bytes, int64_t size)
{
    const pli_run_folder *folder = user;
    char name[NAME_CAPACITY];
    uint8_t head[HEAD_BYTES];
    name_of(key, name);
    memcpy(head, first_line, LINE_BYTES);
    pli_status status = sign(folder, key, bytes, size, head + LINE_BYTES);
    const pli_piece pieces[2] = {{head, HEAD_BYTES}, {bytes, size}};
    if (status == PLI_OK) {
        status = pli_manifest_write_pieces(folder->files, name, PLI_HEAD_CACHE, pieces);
    }
    if (status == PLI_OK) thin_out(folder, name);
    if (status != PLI_OK) warn(folder, "cannot be written");
}

pli_cache pli_run_cache(pli_run_folder *folder)
{
    return (pli_cache){.user = folder, .load = load, .release = release, .store = store};
}
